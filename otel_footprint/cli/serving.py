"""The command that runs the sidecar, and the one that looks its settings over."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from otel_footprint.cli.settings import ending_if_unusable
from otel_footprint.writers.plain import safe

_OK: Final = 0
_FAILED: Final = 1
_UNUSABLE: Final = 2


@click.command(
    epilog=(
        "Exit codes: 0, it ended as it was asked to, or --check found nothing wrong; 1, an address cannot be listened "
        "on; 2, the settings cannot be used."
    )
)
@click.option(
    "--config",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Settings in YAML. Without it, the OTEL_EXPORTER_OTLP_* variables say where to send.",
)
@click.option("--check", "only_check", is_flag=True, help="Say what is wrong with the settings, and end.")
def sidecar(config: Path | None, *, only_check: bool) -> int:
    """Stand between agents and a backend, and explain each turn on the way.

    Takes traces, metrics and logs over OTLP (gRPC on port 4317, HTTP on 4318) and sends them on. Each agent turn's span
    gets its explanation; everything else passes as it came. SIGTERM ends it in order, SIGHUP reads the settings again.
    """
    try:
        return _check(config) if only_check else _run(config)
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing == "otel_footprint":
            raise
        raise click.ClickException(f"{missing} is not installed; pip install 'otel-footprint[sidecar]'") from None


def _run(config: Path | None) -> int:
    from otel_footprint.sidecar.command import run  # noqa: PLC0415 - needs the extra

    try:
        with ending_if_unusable():
            run(config)
    except OSError as error:
        click.echo(safe(f"otel-footprint: {error.strerror or error}"), err=True)
        return _FAILED
    return _OK


def _check(config: Path | None) -> int:
    from otel_footprint.sidecar.settings import check  # noqa: PLC0415 - needs the extra

    problems = check(config)
    for problem in problems:
        click.echo(safe(str(problem)), err=True)
    if any(problem.severity == "error" for problem in problems):
        return _UNUSABLE
    click.echo("the settings can be used")
    return _OK
