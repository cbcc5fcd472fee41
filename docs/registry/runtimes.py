"""Make ``docs/runtimes.md`` from the tables of the dialects.

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


def _row(dialect: Dialect, runtime: Runtime) -> str:
    switches = "<br>".join(_switches(dialect, runtime))
    cells = (
        runtime.title,
        f"{dialect.title} (`{dialect.name}`)",
        "<br>".join(runtime.versions) or "no real spans",
        runtime.recognised,
        runtime.failure,
        " ".join(runtime.limits),
        switches or "none: what it records is always recorded, and nothing more",
    )
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def page(dialects: Iterable[Dialect]) -> str:
    """The text of ``docs/runtimes.md``: a row a runtime, by title."""
    rows = [(runtime.title.lower(), _row(dialect, runtime)) for dialect in dialects for runtime in dialect.runtimes]
    table = ["| " + " | ".join(_COLUMNS) + " |", "|---" * len(_COLUMNS) + "|", *(row for _, row in sorted(rows))]
    return "\n".join([PAGE_HEAD, *table]) + "\n"


def main() -> None:
    """Write the page under ``--root``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="where to write; the repository by default")
    root = parser.parse_args().root
    (root / "docs" / "runtimes.md").write_text(page(built_in()), encoding="utf-8")


if __name__ == "__main__":
    main()
