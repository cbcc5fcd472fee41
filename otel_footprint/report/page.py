"""The page itself: one HTML file that holds its style, its program and the turns.

Nothing of a trace is ever markup. The turns are JSON in blocks that a browser does not run, in ASCII and without
``<``, ``>`` and ``&``, so that no value can end its block. A content security policy lets in exactly the style and
the program that this package ships, by their hashes, and no request to anywhere.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, BinaryIO, Final, Protocol

from otel_footprint._version import __version__
from otel_footprint.explanation import Explanation
from otel_footprint.report.data import Detail, Row, detail_of, row_of
from otel_footprint.report.shown import sentence
from otel_footprint.timeline import Timeline

_SAFE_IN_MARKUP: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})

TurnKey = tuple[str, str]
"""(trace id, span id), both lower-case hex."""


class Problem(Protocol):
    """Something that is wrong with the input; its text says what, and where."""

    @property
    def lost(self) -> bool:
        """Something could not be read because of it."""


class Reported(Protocol):
    """What a page shows; the record of files is one."""

    @property
    def explanations(self) -> Sequence[Explanation]:
        """The turns in the order of the list, each with its account."""

    @property
    def timelines(self) -> Mapping[TurnKey, Timeline]:
        """One for each turn."""

    @property
    def ran_in(self) -> Mapping[TurnKey, str]:
        """For a nested turn the span id of the call that it ran inside, as far as that is known."""

    @property
    def spans(self) -> int:
        """How many spans the turns were read from."""

    @property
    def problems(self) -> Sequence[Problem]:
        """What is wrong with the input."""


def write_page(out: BinaryIO, record: Reported, *, programs: bool = False) -> None:
    """Write a page that shows turns and needs nothing else.

    Args:
        out: Where the page is written, in ASCII.
        record: The turns.
        programs: Show the text of the programs, which may hold secrets of no known shape.

    Raises:
        OSError: It cannot be written.
    """
    head = _head(
        spans=record.spans,
        programs=programs,
        problems=[{"about": sentence(str(problem)), "lost": problem.lost} for problem in record.problems],
    )
    keyed = [((turn.trace_id, turn.span_id), turn) for turn in record.explanations]
    rows = (row_of(turn, record.timelines[key], ran_in=record.ran_in.get(key)) for key, turn in keyed)
    details = (detail_of(turn, record.timelines[key], programs=programs) for key, turn in keyed)
    page = _page(head, rows, details, connect="'none'")
    out.writelines(piece.encode("ascii") for piece in page)


def live_page() -> bytes:
    """A page that asks the server it came from for its turns (``web/src/live.ts``)."""
    return "".join(_page(_head(live=True), (), (), connect="'self'")).encode("ascii")


def _head(
    *, live: bool = False, spans: int = 0, programs: bool = False, problems: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    return {"live": live, "version": __version__, "spans": spans, "programs": programs, "problems": list(problems)}


def _page(head: Any, rows: Iterable[Row], details: Iterable[Detail], *, connect: str) -> Iterator[str]:
    style, program = asset("report.css"), asset("report.js")
    policy = (
        f"default-src 'none'; script-src {_hash(program)}; style-src {_hash(style)}; img-src data:; "
        f"connect-src {connect}; base-uri 'none'; form-action 'none'"
    )
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>otel-footprint</title>\n<style>{style}</style>\n</head>\n<body>\n"
        '<div id="app"><noscript>This report is drawn by its own program: allow scripts to read it.</noscript></div>\n'
    )
    yield _block('id="head"', _json(head))
    yield _block('id="rows"', f"[{','.join(map(_json, rows))}]")
    # The list is drawn as soon as its rows are read. One block a turn: a turn is parsed when it is looked at.
    yield f"<script>{program}</script>\n"
    for detail in details:
        yield _block('class="detail"', _json(detail))
    yield "</body>\n</html>\n"


def _block(attribute: str, text: str) -> str:
    return f'<script type="application/json" {attribute}>{text}</script>\n'


@cache
def asset(file: str) -> str:
    """A built file of the page, in ASCII: ``make generate`` builds them from ``web/``."""
    return files("otel_footprint.report").joinpath("assets", file).read_text(encoding="ascii")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('ascii')).digest()).decode('ascii')}'"


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":")).translate(_SAFE_IN_MARKUP)
