"""Script rows: one builder, one writer, one reader.

A row's identity is its dispatch inside its turn, given by the writer; the provider's call id is only
a label and may repeat. Rows are appended and never edited, so a call that paused and later settled
has two rows with one dispatch, and the reader takes the last.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from otel_footprint._making import made_quickly
from otel_footprint.fold.labels import LABELS, CodeRunFacts, Label, Outcome, exit_code_fits, label_outcome, whole_number

MAX_SCRIPT_ROWS: Final = 16
"""Dispatches kept of one turn; the rest is counted."""

MAX_SCRIPT_BYTES: Final = 32_768
"""Longest program whose text a row keeps, in UTF-8 bytes, inclusive."""


class _NotCaptured:
    """Stands for "this value was never captured", which a recorded null is not."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NOT_CAPTURED"


NOT_CAPTURED: Final = _NotCaptured()


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A script row before the writer gave it its dispatch."""

    tool_call_id: str | None
    """The provider's id: a label that may repeat, be empty, or be absent."""
    tool: str
    argument: str | None
    """The declared name of the argument that holds the program; ``None`` when it stands in the model's own text."""
    language: str | None = None
    bytes: int | None
    """UTF-8 bytes of the program; ``None`` when the program is not recorded."""
    lines: int | None
    """Lines of the program; ``None`` when the program is not recorded."""
    text: str | None = None
    """The program; absent when it waits on a person, is too long or is not recorded."""
    outcome: Label
    exit_code: int | None = None
    service_error: bool = False
    result_withheld: Literal["over-ceiling"] | None = None
    """The result was replaced before the model read it; says nothing about the run."""
    rewritten: bool = False
    """The submitted program is not the one the model proposed."""
    turn: int | None
    """1-based number of the turn in its conversation; ``None`` when not recorded."""
    iteration: int
    """1-based number of the model call that asked for it; 0 when not known."""


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptRow(Draft):
    """A filed script row."""

    dispatch: int
    """1-based number of the actual hand-over to the tool inside its turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filed:
    """What the writer did with one draft."""

    rows: tuple[ScriptRow, ...]
    """A new ledger, or the given one when nothing was filed."""
    dispatch: int | None
    """``None`` when the turn was full."""
    dropped: bool
    """The draft is to be counted as dropped; a pause never is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptReading:
    """The rows of one turn, each dispatch once."""

    rows: tuple[ScriptRow, ...]
    """The last row of every dispatch, ordered by the place of that row."""
    earlier: int
    """How many dispatches the other turns hold."""


def measure(program: str) -> tuple[int, int]:
    """Bytes and lines of a program: UTF-8 bytes, and LF-separated lines where a final LF adds none."""
    # A lone surrogate has no UTF-8 form; three bytes is what its replacement would take.
    size = len(program.encode("utf-8", "surrogatepass"))
    return size, program.count("\n") + (program != "" and not program.endswith("\n"))


def build_row(  # noqa: PLR0913 -- the fields of one row
    *,
    tool_call_id: str | None,
    tool: str,
    argument: str,
    language: str | None = None,
    proposed: Any = NOT_CAPTURED,
    submitted: Any = NOT_CAPTURED,
    paused: bool = False,
    settlement: str,
    facts: CodeRunFacts | None,
    withheld: bool = False,
    turn: int | None,
    iteration: int,
) -> Draft | None:
    """Build the row of one call to a code-running tool; ``None`` when its program is not text.

    Args:
        tool_call_id: the provider's id of the call.
        tool: the tool's name.
        argument: the argument declared to hold the program.
        language: the declared language.
        proposed: the program as the model asked for it.
        submitted: the program as it was handed over; wins when it was captured, even as a null.
        paused: the call waits on a person and has not settled.
        settlement: how the dispatch ended: ``not-entered``, ``returned`` or ``threw``.
        facts: what the runner reported; ``None`` when it reported nothing.
        withheld: the result was replaced because it was over the ceiling.
        turn: the turn's number.
        iteration: the model call's number.

    Raises:
        ValueError: the settlement is unknown.
    """
    captured = submitted is not NOT_CAPTURED
    program = submitted if captured else proposed
    if not isinstance(program, str):
        return None
    return draft_row(
        tool_call_id=tool_call_id,
        tool=tool,
        argument=argument,
        language=language,
        program=program,
        rewritten=captured and (proposed is NOT_CAPTURED or proposed != submitted),
        paused=paused,
        settlement=settlement,
        facts=facts,
        withheld=withheld,
        turn=turn,
        iteration=iteration,
    )


def draft_row(  # noqa: PLR0913 -- the fields of one row
    *,
    tool_call_id: str | None,
    tool: str,
    argument: str | None,
    language: str | None,
    program: str | None,
    rewritten: bool,
    paused: bool,
    settlement: str,
    facts: CodeRunFacts | None,
    withheld: bool,
    turn: int | None,
    iteration: int,
) -> Draft:
    """Build the row of a call whose program is known to exist, whether or not its text is recorded.

    The arguments are those of :func:`build_row`, with ``program`` the text that counts, ``None`` when it is
    not recorded: the row has no measures then. Without an ``argument`` the program stands in the model's text.

    Raises:
        ValueError: the settlement is unknown.
    """
    size, lines = (None, None) if program is None else measure(program)
    outcome = Outcome(label="submitted") if paused else label_outcome(settlement, facts)
    return Draft(
        tool_call_id=tool_call_id,
        tool=tool,
        argument=argument,
        language=language,
        bytes=size,
        lines=lines,
        # The row filed when a paused call settles carries the text, so a program is never held twice.
        text=None if paused or size is None or size > MAX_SCRIPT_BYTES else program,
        outcome=outcome.label,
        exit_code=outcome.exit_code,
        service_error=outcome.service_error,
        result_withheld="over-ceiling" if withheld else None,
        rewritten=rewritten,
        turn=turn,
        iteration=iteration,
    )


@dataclass(slots=True)
class _Dispatches:
    """The dispatch numbers that one turn holds."""

    seen: set[int] = field(default_factory=set)
    highest: int = 0

    def add(self, dispatch: int) -> None:
        self.seen.add(dispatch)
        self.highest = max(self.highest, dispatch)

    def place(self, join: int | None) -> int | None:
        """The dispatch for the next row; ``None`` when the turn is full. A join is never refused."""
        if join is not None and join in self.seen:
            return join
        return self.highest + 1 if len(self.seen) < MAX_SCRIPT_ROWS else None


def _filed_row(draft: Draft, dispatch: int) -> ScriptRow:
    facts: dict[str, Any] = {f.name: getattr(draft, f.name) for f in dataclasses.fields(Draft)}
    return ScriptRow(dispatch=dispatch, **facts)


def file_row(rows: tuple[ScriptRow, ...], draft: Draft, *, join: int | None = None, paused: bool = False) -> Filed:
    """Append one row to a ledger.

    Args:
        rows: the ledger; left as it is.
        draft: the row to file.
        join: the dispatch this row settles; one that the turn does not hold joins nothing.
        paused: the call waits on a person, so a full turn does not count it: it settles later.
    """
    turn = _Dispatches()
    for row in rows:
        if row.turn == draft.turn:
            turn.add(row.dispatch)
    dispatch = turn.place(join)
    if dispatch is None:
        return Filed(rows=rows, dispatch=None, dropped=not paused)
    return Filed(rows=(*rows, _filed_row(draft, dispatch)), dispatch=dispatch, dropped=False)


class Ledger:
    """A growing ledger: the rule of :func:`file_row` with the turns' dispatch numbers kept at hand."""

    __slots__ = ("_dropped", "_rows", "_turns")

    def __init__(self, rows: Iterable[ScriptRow] = ()) -> None:
        self._rows: list[ScriptRow] = []
        self._turns: dict[int | None, _Dispatches] = {}
        self._dropped: dict[int | None, int] = {}
        for row in rows:
            self._append(row)

    def _append(self, row: ScriptRow) -> None:
        self._rows.append(row)
        self._turns.setdefault(row.turn, _Dispatches()).add(row.dispatch)

    @property
    def rows(self) -> tuple[ScriptRow, ...]:
        """Every row, in filing order."""
        return tuple(self._rows)

    @property
    def scripts_dropped(self) -> Mapping[int | None, int]:
        """Rows not kept because their turn was full, by turn; a turn that dropped none is absent."""
        return dict(self._dropped)

    def file(self, draft: Draft, *, join: int | None = None, paused: bool = False) -> int | None:
        """File one row and return its dispatch; ``None`` when its turn was full."""
        dispatch = self._turns.setdefault(draft.turn, _Dispatches()).place(join)
        if dispatch is not None:
            self._append(_filed_row(draft, dispatch))
        elif not paused:
            self._dropped[draft.turn] = self._dropped.get(draft.turn, 0) + 1
        return dispatch


def read_rows(rows: Iterable[ScriptRow], turn: int | None) -> ScriptReading:
    """Read one turn out of a ledger: per dispatch the last row, in the order of those last rows."""
    current: dict[int, ScriptRow] = {}
    earlier: set[tuple[int | None, int]] = set()
    for row in rows:
        if row.turn == turn:
            current.pop(row.dispatch, None)
            current[row.dispatch] = row
        else:
            earlier.add((row.turn, row.dispatch))
    return ScriptReading(rows=tuple(current.values()), earlier=len(earlier))


def drop_earlier_text(rows: tuple[ScriptRow, ...], turn: int) -> tuple[ScriptRow, ...]:
    """Drop the programs' text of every turn before ``turn``; the same object when there is none."""
    held = [row.text is not None and row.turn is not None and row.turn < turn for row in rows]
    if not any(held):
        return rows
    return tuple(dataclasses.replace(row, text=None) if drop else row for row, drop in zip(rows, held, strict=True))


def well_formed(row: Mapping[str, Any]) -> bool:
    """Whether a stored mapping is a script row that may be used; extra keys do not matter.

    A key that is there with a null is present, and fails where absence was meant.
    """
    required = all(key in row and check(row[key]) for key, check in _REQUIRED.items())
    optional = all(check(row[key]) for key, check in _OPTIONAL.items() if key in row)
    return required and optional and _agrees(row)


def _agrees(row: Mapping[str, Any]) -> bool:
    outcome = row["outcome"]
    if not exit_code_fits(outcome, row.get("exit_code"), present="exit_code" in row):
        return False
    if "service_error" in row and outcome != "outcome-unknown":
        return False
    if "text" not in row:
        return True
    size, _ = measure(row["text"])
    return whole_number(row["bytes"]) == size and size <= MAX_SCRIPT_BYTES


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole_from(least: int) -> Callable[[Any], bool]:
    def check(value: Any) -> bool:
        number = whole_number(value)
        return number is not None and number >= least

    return check


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


_REQUIRED: Final[Mapping[str, Callable[[Any], bool]]] = {
    "kind": lambda value: value == "script",
    "tool_call_id": _is_text,
    "dispatch": _is_whole_from(1),
    "tool": _is_text,
    "argument": _is_text,
    "bytes": _is_whole_from(0),
    "lines": _is_whole_from(0),
    "outcome": lambda value: value in LABELS,
    "turn": _is_number,
    "iteration": _is_number,
}

_OPTIONAL: Final[Mapping[str, Callable[[Any], bool]]] = {
    "language": _is_text,
    "text": _is_text,
    "service_error": lambda value: value is True,
    "result_withheld": lambda value: value == "over-ceiling",
    "rewritten": lambda value: value is True,
}
