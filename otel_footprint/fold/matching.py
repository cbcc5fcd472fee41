"""Which fenced blocks of an answer are programs that were really submitted in its turn.

Equality is exact: a block equals a program byte for byte, or does so without the one line feed that the
fence itself adds. Only a row that holds its text can match, so never a program that was too long, that
still waits on a person, or that an earlier turn submitted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal

from otel_footprint.fold.recovery import UNMATCHED
from otel_footprint.fold.scripts import ScriptRow

MAX_FENCE_REGIONS: Final = 16
"""Regions of one answer that are judged; the rest is counted and read as prose."""

Shown = Literal["matched", "not-shown"]

_FENCE_LINE: Final = re.compile(r"^( {0,3})(`{3,}|~{3,})([^\n]*)\n?", re.MULTILINE)

# What may follow a closing fence; the carriage return belongs to the line's end.
_NOTHING: Final = " \t\r"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """One fenced region with a body; offsets are in characters of the answer."""

    start: int
    end: int
    """After the closing line and its line feed; the answer's end when nothing closes the region."""
    body_start: int
    body_end: int
    text: str
    """The body without the opening line's own indentation; ends with a line feed unless the answer ends first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One judged region of the answer. The four facts of a call are ``None`` on an unmatched block."""

    block: int
    """1-based, in order of appearance."""
    label: str
    """The label of the matched row, else ``unmatched``."""
    dispatch: int | None = None
    tool_call_id: str | None = None
    """Also ``None`` when the matched call has no recorded id."""
    tool: str | None = None
    exit_code: int | None = None
    """Only where the label carries one."""
    start: int
    end: int
    """The whole region, fence lines included, as in :class:`Fence`."""
    dispatches: tuple[int, ...] = ()
    """Every dispatch of this turn that submitted this text, in reader order; :attr:`dispatch` is the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchVerdict:
    """The answer's blocks against the programs of its turn."""

    blocks: tuple[Block, ...]
    earlier_turn_rows: int
    """Dispatches of other turns: an unmatched block may be one of them, and nothing says that it is."""
    regions_dropped: int
    """Regions past :data:`MAX_FENCE_REGIONS`."""

    @property
    def matched_regions(self) -> frozenset[tuple[int, int]]:
        """Start and end of every matched block."""
        return frozenset((block.start, block.end) for block in self.blocks if block.label != UNMATCHED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRow:
    """The ``script-shown`` row of one block: names, words and counts, never a text of the answer."""

    turn: int | None
    """The turn's number; ``None`` when not recorded."""
    iteration: int
    """1-based number of the answering model call; 0 when not known."""
    block: int
    label: str
    tool_call_id: str | None
    dispatch: int | None
    tool: str | None
    exit_code: int | None
    """This and the three before it as in :class:`Block`."""
    kind: Literal["script-shown"] = "script-shown"


def fences(answer: str) -> tuple[Fence, ...]:
    """The fenced regions that are judged: the first :data:`MAX_FENCE_REGIONS` that have a body."""
    return tuple(islice(_regions(answer), MAX_FENCE_REGIONS))


def match_blocks(answer: str, rows: Sequence[ScriptRow], earlier: int) -> MatchVerdict:
    """Match the answer's fenced blocks against the programs of its turn.

    Args:
        answer: the final answer.
        rows: this turn's rows in reader order (:func:`~otel_footprint.fold.scripts.read_rows`); where several
            hold one text, the last gives the label.
        earlier: how many dispatches the other turns hold.
    """
    submitted: dict[str, list[tuple[int, ScriptRow]]] = {}
    for place, row in enumerate(rows):
        if row.text is not None:
            submitted.setdefault(row.text, []).append((place, row))
    blocks: list[Block] = []
    dropped = 0
    for fence in _regions(answer):
        if len(blocks) == MAX_FENCE_REGIONS:
            dropped += 1
        else:
            blocks.append(_judge(len(blocks) + 1, fence, submitted))
    return MatchVerdict(blocks=tuple(blocks), earlier_turn_rows=earlier, regions_dropped=dropped)


def shown_by_dispatch(rows: Sequence[ScriptRow], verdict: MatchVerdict) -> Mapping[int, Shown]:
    """Whether the answer shows each program; a dispatch whose text is not held is absent, since nothing can tell.

    Two dispatches of one text are both shown by a block that equals it.
    """
    matched = {dispatch for block in verdict.blocks for dispatch in block.dispatches}
    return {row.dispatch: "matched" if row.dispatch in matched else "not-shown" for row in rows if row.text is not None}


def shown_rows(verdict: MatchVerdict, *, turn: int | None, iteration: int) -> tuple[ShownRow, ...]:
    """The ``script-shown`` rows of an answer: one for each judged block, matched or not."""
    return tuple(
        ShownRow(
            turn=turn,
            iteration=iteration,
            block=block.block,
            label=block.label,
            tool_call_id=block.tool_call_id,
            dispatch=block.dispatch,
            tool=block.tool,
            exit_code=block.exit_code,
        )
        for block in verdict.blocks
    )


def _regions(answer: str) -> Iterator[Fence]:
    """Every fenced region with a body, each line of the answer looked at once."""
    opening: re.Match[str] | None = None
    for line in _FENCE_LINE.finditer(answer):
        if opening is None:
            # An info string with a backtick makes the line inline code.
            opening = line if line[2][0] == "~" or "`" not in line[3] else None
        elif line[2].startswith(opening[2]) and not line[3].strip(_NOTHING):
            yield from _region(answer, opening, line.start(), line.end())
            opening = None
    if opening is not None:
        yield from _region(answer, opening, len(answer), len(answer))


def _region(answer: str, opening: re.Match[str], body_end: int, end: int) -> Iterator[Fence]:
    text = answer[opening.end() : body_end]
    if opening[1]:
        text = re.sub(rf"^ {{1,{len(opening[1])}}}", "", text, flags=re.MULTILINE)
    if text:
        yield Fence(start=opening.start(), end=end, body_start=opening.end(), body_end=body_end, text=text)


def _judge(number: int, fence: Fence, submitted: Mapping[str, Sequence[tuple[int, ScriptRow]]]) -> Block:
    texts = {fence.text, fence.text.removesuffix("\n")}
    equal = sorted((found for text in texts for found in submitted.get(text, ())), key=lambda found: found[0])
    if not equal:
        return Block(block=number, label=UNMATCHED, start=fence.start, end=fence.end)
    row = equal[-1][1]
    return Block(
        block=number,
        label=row.outcome,
        dispatch=row.dispatch,
        tool_call_id=row.tool_call_id,
        tool=row.tool,
        exit_code=row.exit_code,
        start=fence.start,
        end=fence.end,
        dispatches=tuple(one.dispatch for _, one in equal),
    )
