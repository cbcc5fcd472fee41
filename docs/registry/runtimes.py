"""Make ``docs/runtimes.md`` and ``docs/switches.md`` from the tables of the dialects.

Run by ``make generate``; ``make check`` runs it on a copy and fails on a difference.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

from otel_footprint.dialects import Dialect, Runtime, built_in

ROOT = Path(__file__).parents[2]

PAGE_HEAD = """# Runtimes

One row for each runtime, or for each instrumentation of one, whose spans are read. Generated from the tables in
`otel_footprint/dialects` by `make generate`: do not edit.

*Seen* are the versions whose real spans the tables were made from; other versions are read the same way as far as they
use the same names. *Switch* is what has to be set so that content is recorded: without content a program, a result or
an answer is *not recorded*, which is never the same as empty. `otel-footprint doctor FILE` says for your own traces
what is recorded and what is not.
"""

SWITCHES_HEAD = """# The switch for content

What to set in each runtime, or instrumentation of one, so that programs, results and answers are recorded. Generated
from the tables in `otel_footprint/dialects` by `make generate`: do not edit.

Some of these are the default already. Whether *your* traces hold content, and which switch is missing, is what
`otel-footprint doctor FILE` says. Content is what people wrote and what tools returned: read
[security](security.md#secrets) before you record it.

| runtime | set this |
|---|---|
"""

_COLUMNS = (
    "runtime",
    "convention",
    "seen",
    "what is read",
    "how a failed call is told",
    "what cannot be told",
    "switch",
)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _switches(dialect: Dialect, runtime: Runtime) -> Iterator[str]:
    """The switches of one runtime, the one for everything first; each with what it records."""
    found: dict[str, tuple[str, ...]] = {}
    for switch in dialect.switches:
        if runtime.scope.startswith(switch.scope) and switch.enable not in found:
            found[switch.enable] = switch.records
            if not switch.records:
                break
    for enable, records in found.items():
        if enable:
            yield f"`{enable}`" + (f" ({', '.join(records)})" if records else "")


def _switch_cell(dialect: Dialect, runtime: Runtime) -> str:
    return "<br>".join(_switches(dialect, runtime)) or "none: what it records is always recorded, and nothing more"


def _row(dialect: Dialect, runtime: Runtime) -> str:
    cells = (
        runtime.title,
        f"{dialect.title} (`{dialect.name}`)",
        "<br>".join(runtime.versions) or "no real spans",
        runtime.recognised,
        runtime.failure,
        " ".join(runtime.limits),
        _switch_cell(dialect, runtime),
    )
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def page(dialects: Iterable[Dialect]) -> str:
    """The text of ``docs/runtimes.md``: a row a runtime, by title."""
    rows = [(runtime.title.lower(), _row(dialect, runtime)) for dialect in dialects for runtime in dialect.runtimes]
    table = ["| " + " | ".join(_COLUMNS) + " |", "|---" * len(_COLUMNS) + "|", *(row for _, row in sorted(rows))]
    return "\n".join([PAGE_HEAD, *table]) + "\n"


def switches_page(dialects: Iterable[Dialect]) -> str:
    """The text of ``docs/switches.md``: a row a runtime, by title."""
    rows = [
        (runtime.title.lower(), f"| {_cell(runtime.title)} | {_cell(_switch_cell(dialect, runtime))} |\n")
        for dialect in dialects
        for runtime in dialect.runtimes
    ]
    return SWITCHES_HEAD + "".join(row for _, row in sorted(rows))


def main() -> None:
    """Write the pages under ``--root``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="where to write; the repository by default")
    root = parser.parse_args().root
    (root / "docs" / "runtimes.md").write_text(page(built_in()), encoding="utf-8")
    (root / "docs" / "switches.md").write_text(switches_page(built_in()), encoding="utf-8")


if __name__ == "__main__":
    main()
