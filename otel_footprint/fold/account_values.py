"""The values of an account: sentences with who vouches for them, rows, facts, and their JSON form.

Every key is always there; ``null`` means *not recorded*. Nothing here is markup: a sentence is plain text, and its
parts say which pieces of it are somebody's words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from otel_footprint.facts import Pointer
from otel_footprint.fold.check_values import Missing
from otel_footprint.fold.wording import clean

KIND: Final = "agentfootprint/answer-account"
SHAPE: Final = 1
"""Kind and shape of the envelope, as its readers know them."""

TEMPLATES: Final = "otel-footprint"
"""Name of the set of sentences; its version is the wording's."""

Voucher = str
"""Who vouches: ``person``, ``library``, ``tool:NAME``, ``model`` or ``app``."""

RowId = Literal["asked", "understood", "checked", "not-checked", "found", "how-sure", "anything-wrong"]
Status = Literal["recorded", "not-recorded", "not-applicable"]
PartType = Literal["text", "code", "quote"]
"""``text``: our words; ``code``: a name or an id; ``quote``: somebody's words."""

Mark = Literal[
    "said-by",
    "declared",
    "not-declared",
    "undeclared-empty",
    "decided-delivered",
    "decided-not-delivered",
    "not-recorded",
    "signals",
    "none-found",
    "before-pause",
    "kind",
]
ChipTone = Literal["plain", "ok", "warn", "bad"]

_RANKS: Final[Mapping[str, int]] = {"person": 0, "library": 1, "tool": 2, "model": 3, "app": 4}
_UNKNOWN_RANK: Final = 4


def tool_voucher(tool: str) -> Voucher:
    """The voucher of what a tool claims."""
    return f"tool:{clean(tool)}"


def rank(voucher: Voucher) -> int:
    """How weak a voucher is, from 0; one that is not known is as weak as any."""
    return _RANKS.get(voucher.split(":", 1)[0], _UNKNOWN_RANK)


def weakest(*vouchers: Voucher) -> Voucher:
    """The weakest of some vouchers, the first of equals: a claim is worth its weakest source."""
    return max(vouchers, key=rank)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """A small mark beside a line or a row."""

    mark: Mark
    tone: ChipTone = "plain"
    about: str | None = None
    """What is marked: the voucher, the kind of an item; ``None`` when the mark says it all."""
    count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A piece of a sentence; the pieces in order are its text."""

    type: PartType
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledVar:
    """A value inside a sentence, as printed."""

    name: str
    text: str
    source: Voucher


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One sentence of the account."""

    id: str
    """Id of the sentence in the wording table."""
    text: str
    parts: tuple[Part, ...] = ()
    vars: tuple[FilledVar, ...] = ()
    source: Voucher = "library"
    status: Status = "recorded"
    pointers: tuple[Pointer, ...] = ()
    """Never empty when recorded; at most 12."""
    missing: Missing | None = None
    """Why it is not recorded; ``None`` otherwise."""
    chips: tuple[Chip, ...] = ()
    item: bool = False
    """It belongs under the line before it."""
    clipped: bool = False
    """A value in it was cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountRow:
    """One of the seven rows."""

    id: RowId
    status: Status
    chips: tuple[Chip, ...]
    lines: tuple[Line, ...]
    omitted: int = 0
    """Lines left out because the account would have been too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One recorded text, or how it is not recorded."""

    value: str | None
    source: Voucher
    status: Status
    pointers: tuple[Pointer, ...] = ()
    missing: Missing | None = None
    clipped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFact:
    """One call, in numbers."""

    tool: str | None
    call_id: str | None
    outcome: str
    emptiness: str | None
    """``None``: no result could be read."""
    rows: int | None
    checked: int
    not_checked: int
    cannot_cover: int
    """Declared items by list."""
    declared: bool
    withheld: bool
    pointers: tuple[Pointer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InViewFact:
    """One earlier result that the model still had before it."""

    tool: str
    distance: int
    at_least: bool
    """The distance is a lower bound."""
    emptiness: str | None
    rows: int | None
    pointers: tuple[Pointer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalFact:
    """One call that a rule or a person kept from running."""

    tool: str | None
    outcome: str
    rule: str | None
    pointers: tuple[Pointer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonFact:
    """One reason that fired."""

    reason: str
    calls: int
    witnesses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFact:
    """One kind of check, with how many it ran on."""

    check: str
    ran: int
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The account in values, for a program."""

    calls: tuple[CallFact, ...] = ()
    calls_omitted: int = 0
    before_pause: tuple[CallFact, ...] = ()
    before_pause_omitted: int = 0
    in_view: tuple[InViewFact, ...] = ()
    in_view_omitted: int = 0
    refusals: tuple[RefusalFact, ...] = ()
    refusals_omitted: int = 0
    assessment: str | None = None
    standing: str | None = None
    """``None``: cannot be told."""
    reasons: tuple[ReasonFact, ...] = ()
    checked: tuple[CheckedFact, ...] = ()
    not_evaluated: tuple[str, ...] = ()
    kept_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSignal:
    """One listed signal."""

    id: str
    check: str
    tone: str
    about: str
    pointers: tuple[Pointer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedUnreached:
    """One listed line of what could not be checked."""

    check: str
    missing: Missing
    about: str
    pointers: tuple[Pointer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Templates:
    """The set of sentences, and its version."""

    set: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Whose account this is. The conversation's id is in no account."""

    run_id: str
    turn: int | None
    model: str | None
    resumed_leg: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountSummary:
    """The account in one line."""

    sentence: Line
    tone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The account of one answer."""

    kind: str = KIND
    shape: int = SHAPE
    templates: Templates
    run: Run
    question: Fact
    answer: Fact
    facts: Facts
    rows: tuple[AccountRow, ...]
    """Always seven, in order."""
    signals: tuple[ListedSignal, ...]
    unreachable: tuple[ListedUnreached, ...]
    summary: AccountSummary
    unread: int
    """Lines that could not be filled in, and recorded values that could not be read."""
    foreign: int
    """Events or spans of other runs in the record; never read."""
    scope: Literal["own-run", "unfiltered"]
    shortened: bool = False
    """Facts, parts or lines were left out because the account would have been too long."""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form; the same account gives the same text."""
        out: dict[str, Any] = _plain(self)
        return out


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
