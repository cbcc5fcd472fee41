"""How the lines of an account are filled in: who vouches for each, what it may hold, what it costs.

A row hands over drafts; the :class:`Filler` makes lines of them. It keeps the two budgets that all rows share, and
turns whatever fails into an unreadable line, so that one bad value never costs the account.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from otel_footprint.facts import Pointer
from otel_footprint.fold.account_values import (
    AccountRow,
    Chip,
    FilledVar,
    Line,
    Part,
    PartType,
    RowId,
    Status,
    Voucher,
    weakest,
)
from otel_footprint.fold.check_values import Missing
from otel_footprint.fold.wording import FACT_TEXT_CHARS, Sentence, pieces, render

MAX_POINTERS: Final = 12
"""Pointers of one line."""

MAX_POINTER_CHARS: Final = 300
"""Longest pointer that is handed on: a cut one would point nowhere."""

MAX_VAR_CHARS: Final = 2_000
"""Longest quoted value, in characters."""

MAX_LISTED_NAME_CHARS: Final = 60
"""Longest name in a list of more than a few, in characters."""

MAX_LIST: Final = 30
"""Names in one list."""

MAX_LONG_NAMES: Final = 3
"""Names of a list that may each be as long as a name that stands alone."""

ITEM_BUDGET_ITEMS: Final = 12
ITEM_BUDGET_CHARS: Final = 3_000
"""Declared items and flagged values of one account, in number and in characters."""

SHORT_TEXT_CHARS: Final = 300
LONG_TEXT_BUDGET: Final = 3_000
"""Characters that the quotes of one account may have past the first 300 of each, all together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Var:
    """A value on its way into a sentence."""

    value: Any
    source: Voucher = "library"
    type: PartType = "code"


def quote(value: Any, source: Voucher) -> Var:
    """Somebody's words."""
    return Var(value=value, source=source, type="quote")


def ours(value: Any) -> Var:
    """A number, or words of our own."""
    return Var(value=value, type="text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A line before it is filled in."""

    id: str
    vars: Mapping[str, Var] = field(default_factory=dict)
    voice: Voucher = "library"
    """Who says the sentence itself."""
    basis: tuple[Voucher, ...] = ()
    """Who else decides whether it is true, without being printed."""
    status: Status = "recorded"
    missing: Missing | None = None
    pointers: tuple[Pointer | None, ...] = ()
    """Without any, a recorded line points at the turn itself."""
    chips: tuple[Chip, ...] = ()
    item: bool = False


def not_recorded(sentence: str, missing: Missing, **more: Any) -> Draft:
    """A line that says what is not on the record."""
    chips = (Chip(mark="not-recorded"), *more.pop("chips", ()))
    return Draft(id=sentence, status="not-recorded", missing=missing, chips=chips, **more)


def not_applicable(sentence: str) -> Draft:
    """A line that says that a row has nothing to say."""
    return Draft(id=sentence, status="not-applicable")


class Filler:
    """Fills in the lines of one account, in the order of its rows."""

    __slots__ = ("_chars_left", "_items_left", "_long_left", "_turn", "unread")

    def __init__(self, turn: Pointer) -> None:
        self._turn = turn
        self._items_left = ITEM_BUDGET_ITEMS
        self._chars_left = ITEM_BUDGET_CHARS
        self._long_left = LONG_TEXT_BUDGET
        self.unread = 0
        """Lines that could not be filled in so far."""

    def take(self, words: Iterable[str | None], items: int = 1) -> bool:
        """Whether so many more declared items or flagged values may be listed; takes them off the budget if so."""
        size = sum(len(one) for one in words if one is not None)
        if items > self._items_left or size > self._chars_left:
            return False
        self._items_left -= items
        self._chars_left -= size
        return True

    def row(self, row: RowId, drafts: Iterator[Draft], chips: Iterable[Chip] = ()) -> AccountRow:
        """Make one row."""
        lines = tuple(self._lines(drafts))
        recorded = [line for line in lines if line.status == "recorded"]
        said_by = (Chip(mark="said-by", about=source) for source in dict.fromkeys(line.source for line in recorded))
        if recorded:
            status: Status = "recorded"
        else:
            status = "not-applicable" if all(line.status == "not-applicable" for line in lines) else "not-recorded"
        return AccountRow(id=row, status=status, chips=(*said_by, *chips), lines=lines)

    def _lines(self, drafts: Iterator[Draft]) -> Iterator[Line]:
        while True:
            try:
                draft = next(drafts)
            except StopIteration:
                return
            except Exception:  # noqa: BLE001 -- a value that breaks its row must not cost the account
                yield self._unreadable()
                return
            yield self.fill(draft)

    def fill(self, draft: Draft) -> Line:
        """Make one line; an unreadable one when anything about it fails."""
        try:
            return self._fill(draft)
        except Exception:  # noqa: BLE001 -- a value that breaks its line must not cost the account
            return self._unreadable()

    def _unreadable(self) -> Line:
        self.unread += 1
        text = render("account.unreadable")
        return Line(
            id="account.unreadable",
            text=text,
            parts=(Part(type="text", text=text),),
            status="not-recorded",
            missing="unreadable",
            chips=(Chip(mark="not-recorded"),),
        )

    def _fill(self, draft: Draft) -> Line:
        limits = {name: self._limit(var) for name, var in draft.vars.items()}
        sentence = Sentence(id=draft.id, vars={name: _bounded(var.value) for name, var in draft.vars.items()})
        parts: list[Part] = []
        filled: list[FilledVar] = []
        for name, text in pieces(sentence, limits):
            if name is not None:
                var = draft.vars[name]
                self._long_left -= max(0, len(text) - SHORT_TEXT_CHARS) if var.type == "quote" else 0
                filled.append(FilledVar(name=name, text=text, source=var.source))
            if text:
                parts.append(Part(type="text" if name is None else draft.vars[name].type, text=text))
        printed = (var.source for var in draft.vars.values())
        return Line(
            id=draft.id,
            text="".join(part.text for part in parts),
            parts=tuple(parts),
            vars=tuple(filled),
            source=weakest(draft.voice, *printed, *draft.basis),
            status=draft.status,
            pointers=self.pointers(draft.pointers, needed=draft.status == "recorded"),
            missing=draft.missing,
            chips=draft.chips,
            item=draft.item,
            clipped=any(_cut(var.value, limits[name]) for name, var in draft.vars.items()),
        )

    def pointers(self, pointers: Iterable[Pointer | None], *, needed: bool = False) -> tuple[Pointer, ...]:
        """The pointers that are handed on; the turn's own when there are none and one is needed."""
        found = bounded_pointers(pointers)
        return found or ((self._turn,) if needed else ())

    def _limit(self, var: Var) -> int:
        if isinstance(var.value, (list, tuple)):
            return FACT_TEXT_CHARS if len(var.value) <= MAX_LONG_NAMES else MAX_LISTED_NAME_CHARS
        return min(MAX_VAR_CHARS, SHORT_TEXT_CHARS + self._long_left) if var.type == "quote" else FACT_TEXT_CHARS


def bounded_pointers(pointers: Iterable[Pointer | None]) -> tuple[Pointer, ...]:
    """The pointers of one line, each once, within the bounds."""
    known = dict.fromkeys(one for one in pointers if one is not None and len(one) <= MAX_POINTER_CHARS)
    return tuple(known)[:MAX_POINTERS]


def _bounded(value: Any) -> Any:
    return value[:MAX_LIST] if isinstance(value, (list, tuple)) else value


def _cut(value: Any, limit: int) -> bool:
    """Whether a part of the value is not printed."""
    if isinstance(value, (list, tuple)):
        return len(value) > MAX_LIST or any(len(str(one)) > limit for one in value)
    return len(str(value)) > limit
