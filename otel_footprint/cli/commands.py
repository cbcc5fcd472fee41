"""The commands: what they take, what they print where, and the exit code they end with."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, Final

import click
from click.core import ParameterSource
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, TextColumn
from rich.progress import Progress as ProgressBar

from otel_footprint._version import __version__
from otel_footprint.cli.doctor import print_examination
from otel_footprint.cli.serving import sidecar
from otel_footprint.cli.settings import ending_if_unusable, settings_of
from otel_footprint.cli.shapes import as_json, as_toml
from otel_footprint.cli.text import print_record
from otel_footprint.cli.viewing import view
from otel_footprint.config import Config
from otel_footprint.files import Progress, Record, Shapes, Source, annotate_files, examine_files, explain_files
from otel_footprint.report import write_page
from otel_footprint.writers.plain import safe
from otel_footprint.writers.redact import redact, redact_id
from otel_footprint.writers.text import valid

OK: Final = 0
FAILED: Final = 1
UNUSABLE: Final = 2
INTERRUPTED: Final = 130

STANDARD_OUTPUT: Final = "-"
_LONG_INPUT: Final = 4 * 1024 * 1024
"""Bytes from which on reading takes long enough for a progress bar."""
_FAILING: Final = {None: frozenset[str](), "bad": frozenset({"bad"}), "warn": frozenset({"bad", "warn"})}


def run(arguments: Sequence[str]) -> int:
    """Run a command line.

    Returns:
        The exit code. Messages go to standard error.
    """
    try:
        code = cli.main(args=list(arguments), prog_name="otel-footprint", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return UNUSABLE
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    return int(code or OK)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Explain what an AI agent did, from its OpenTelemetry spans.

    Reads traces and says of each turn which programs the agent ran and how each ended, what came
    back empty without saying what was searched, which checks could not be run, and what would have
    to be switched on so that they can.
    """
    if context.invoked_subcommand is None:
        # by ourselves, since older versions of click take no command for no error
        click.echo(context.get_help(), err=True)
        context.exit(UNUSABLE)


cli.add_command(sidecar)


@cli.command()
def version() -> None:
    """Print the version."""
    click.echo(__version__)


cli.add_command(view)


@cli.command(
    epilog=(
        "Exit codes: 0, all was read; 1, all was read and --fail-on is met; 2, an option, the configuration "
        "or some of the input cannot be used (what could be read is explained all the same, and 2 goes before 1)."
    )
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "otlp"]),
    default="text",
    show_default=True,
    help="text: for people. json: one object a turn, one a line. otlp: the input as OTLP JSON, each turn's span "
    "annotated with its explanation and nothing else changed. What came in another format comes out as the OTLP that "
    "it was read as.",
)
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write one page for a browser that shows the turns and needs no network; - is standard output. Nothing is "
    "printed then unless --format is given too.",
)
@click.option("--programs", is_flag=True, help="Show the text of the programs. It may hold secrets.")
@click.option("--account", is_flag=True, help="Show the seven-row account of each answer too.")
@click.option(
    "--fail-on",
    type=click.Choice(["bad", "warn"]),
    help="Exit with 1 when the tone of any turn is bad, or with warn: bad or warn. A tone of unknown does not "
    "count: it says that too little is recorded to tell.",
)
@click.option("--config", metavar="FILE", help="Settings in TOML; FOOTPRINT_* variables win over it.")
@click.pass_context
def explain(  # noqa: PLR0913 - an option each
    context: click.Context,
    /,
    files: tuple[str, ...],
    form: str,
    *,
    page: str | None,
    fail_on: str | None,
    config: str | None,
    **shown: bool,
) -> int:
    """Explain the agent turns in trace FILEs.

    A FILE is told by what is in it, never by its name; - is standard input. Read are OTLP JSON (one
    object or one a line, one request or many) and OTLP protobuf, what a Collector's file exporter
    writes, the JSON of Jaeger, Tempo, Zipkin, Langfuse, MLflow and Phoenix, Phoenix's data frames in
    Parquet (extra parquet), and what SDKs print of spans; all of it also compressed with gzip or zstd.

    Several files are one record: the spans of a turn may be spread over them, in any order. Files of
    OTLP log records among them are joined to the spans: some runtimes record arguments, outputs and
    prompts there alone. Where a rotated file ends in the middle of a record, the file that goes on with
    it has to come next.
    """
    settings = _settings(config, **shown)
    with _opened(files) as sources:
        with _progress(sources) as progress:
            record = _explained(sources, settings, keep=form == "otlp", page=page is not None, progress=progress)
        _report(record)
        if page is not None:
            _write_page(page, record, settings)
        if page is None or context.get_parameter_source("form") is not ParameterSource.DEFAULT:
            with _quiet_when_nobody_reads():
                _print(form, sources, record, settings)
    return _exit_code(record, fail_on)


@cli.command(epilog="Exit codes: 0, all was read; 2, an option, the configuration or some of the input cannot be used.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="text: for people. json: one object.",
)
@click.option("--config", metavar="FILE", help="Settings in TOML; FOOTPRINT_* variables win over it.")
def doctor(files: tuple[str, ...], form: str, config: str | None) -> int:
    """Say what the runtimes in trace FILEs record, and what they do not.

    For each runtime that is found: which questions, answers, messages, arguments, results, programs and exit codes
    are recorded, how many of them are not, the exact switch that would record them, which checks could not be run,
    and what can never be told of this runtime.

    FILEs are read as `explain` reads them.
    """
    settings = _settings(config, programs=False, account=False)
    with _opened(files) as sources, _progress(sources) as progress:
        examination = examine_files(sources, settings, progress=progress)
    _report(examination.record)
    with _quiet_when_nobody_reads():
        if form == "text":
            print_examination(examination, _console())
        else:
            fields = _without_secrets(examination.to_dict())
            _write_line(sys.stdout.buffer, valid(json.dumps(fields, ensure_ascii=False)), "strict")
            sys.stdout.buffer.flush()
    return UNUSABLE if examination.record.incomplete else OK


@cli.command(epilog="Exit codes: 0, all was read; 2, an option, the configuration or some of the input cannot be used.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="text: the configuration in TOML, with the counts as comments. json: one object.",
)
@click.option("--config", metavar="FILE", help="Settings in TOML; what they declare is not proposed again.")
def shapes(files: tuple[str, ...], form: str, config: str | None) -> int:
    """Propose declarations from what tools returned in trace FILEs.

    Looks at the objects that tools returned and at the arguments they were called with, and prints a configuration:
    which key holds a tool's rows (rows_at) and which tools run programs (code_tools), each with its counts. Where there
    is more than one to choose from, all stand there as comments. Nothing is written anywhere: read it, keep what is
    right, and give it to explain as --config.
    """
    settings = _settings(config, programs=False, account=False)
    found = Shapes()
    with _opened(files) as sources, _progress(sources) as progress:
        record = explain_files(sources, settings, progress=progress, each=found.add)
    _report(record)
    with _quiet_when_nobody_reads():
        text = as_toml(found) if form == "text" else as_json(found)
        _write_line(sys.stdout.buffer, text, "strict")
        sys.stdout.buffer.flush()
    return _exit_code(record, None)


def _settings(config: str | None, **shown: bool) -> Config:
    """The settings, or an end with what is wrong with them."""
    with ending_if_unusable():
        return settings_of(config, **shown)


@contextmanager
def _opened(files: Sequence[str]) -> Iterator[list[Source]]:
    """The sources of a command's files, closed at its end."""
    sources = [Source.of(name) for name in files]
    try:
        yield sources
    finally:
        for source in sources:
            source.close()


def _exit_code(record: Record, fail_on: str | None) -> int:
    if record.incomplete:
        return UNUSABLE
    failing = _FAILING[fail_on]
    return FAILED if any(e.summary.tone in failing for e in record.explanations) else OK


def _report(record: Record) -> None:
    """Name on standard error what is wrong with the input."""
    for problem in record.problems:
        kind = "" if problem.lost else "note: "
        click.echo(safe(f"{kind}{problem}"), err=True)
    if record.spans and not record.explanations:
        click.echo(f"note: no agent turn in {record.spans} spans", err=True)


def _explained(
    sources: Sequence[Source], config: Config, *, keep: bool, page: bool, progress: Progress | None
) -> Record:
    """Read the files; a page shows what the other forms give on request only."""
    with_account = replace(config, account=config.account or page)
    return explain_files(sources, with_account, keep=keep, times=page, progress=progress)


def _write_page(path: str, record: Record, config: Config) -> None:
    if path == STANDARD_OUTPUT:
        with _quiet_when_nobody_reads():
            write_page(sys.stdout.buffer, record, programs=config.programs)
        return
    # A page that cannot be written to its end leaves an older one as it is.
    part = Path(f"{path}.part")
    try:
        try:
            with part.open("wb") as out:
                write_page(out, record, programs=config.programs)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise click.ClickException(safe(f"{path}: cannot be written: {error.strerror or error}")) from None


def _print(form: str, sources: Sequence[Source], record: Record, config: Config) -> None:
    if not config.account:
        # It is there for a page.
        record = replace(record, explanations=tuple(replace(e, account=None) for e in record.explanations))
    if form == "text":
        print_record(record, _console(), programs=config.programs)
        return
    out = sys.stdout.buffer
    if form == "json":
        for explanation in record.explanations:
            fields = _without_secrets(explanation.to_dict(programs=config.programs))
            _write_line(out, valid(json.dumps(fields, ensure_ascii=False)), "strict")
    else:
        for document in annotate_files(sources, record, config):
            _write_line(out, document, "surrogateescape")
    out.flush()


def _without_secrets(value: Any, key: str = "") -> Any:
    """What is printed, with everything that looks like a secret kept out; ids and programs stay as they are.

    A program's text is here only because a person asked for it.
    """
    if isinstance(value, dict):
        program = value.get("text") if "sha256" in value else None
        plain = {name: _without_secrets(inner, name) for name, inner in value.items()}
        return plain if program is None else {**plain, "text": program}
    if isinstance(value, list):
        return [_without_secrets(inner, key) for inner in value]
    if not isinstance(value, str) or key in _AS_THEY_ARE:
        return value
    return redact_id(value) if key in _IDS else redact(value)


_AS_THEY_ARE: Final = frozenset({"trace_id", "span_id", "nested_in", "sha256", "schema", "wording"})
_IDS: Final = frozenset({"call_id", "conversation_id", "evidence", "kept_calls", "pointers", "run_id", "tool"})


def _write_line(out: BinaryIO, text: str, errors: str) -> None:
    out.write(text.encode("utf-8", errors) + b"\n")


def _console() -> Console:
    """Standard output: coloured on a terminal unless NO_COLOR is set, one long line a statement in a pipe."""
    reconfigure: Callable[..., Any] | None = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        # A terminal that cannot show a character is no reason to stop.
        reconfigure(errors="replace")
    is_terminal = sys.stdout.isatty()
    width = None if is_terminal or "COLUMNS" in os.environ else _PIPE_WIDTH
    return Console(highlight=False, markup=False, emoji=False, width=width, soft_wrap=not is_terminal)


_PIPE_WIDTH: Final = 1_000


@contextmanager
def _progress(sources: Sequence[Source]) -> Iterator[Callable[[int], None] | None]:
    """A progress bar on standard error while long input is read by a person at a terminal."""
    total = sum(source.size for source in sources)
    if total < _LONG_INPUT or not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("reading"), BarColumn(), DownloadColumn())
    with ProgressBar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=total)
        yield lambda count: bar.advance(task, count)


@contextmanager
def _quiet_when_nobody_reads() -> Iterator[None]:
    """Let a reader such as ``head`` go away early without a word; the exit code stays what it is."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still buffered would raise again when the interpreter closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
