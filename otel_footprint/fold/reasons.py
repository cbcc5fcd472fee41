"""The closed table of reasons why an answer does not stand, and what the assessment reads and says.

The table is the one owner of each reason's layer, class and source, and its order is the order of every report.
:mod:`otel_footprint.fold.assessment` folds the values of this module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from otel_footprint._making import made_quickly
from otel_footprint.facts import Coverage, Pointer
from otel_footprint.fold.coverage import Placeholder
from otel_footprint.fold.emptiness import Declared, Reading
from otel_footprint.fold.reason_rows import EvidenceFacts, Row

ReasonClass = Literal["ask", "not-sure"]
ReasonSource = Literal["calls", "answer", "run"]
"""What a reason is about: particular calls, the answer's text, or how the run went."""

AssessmentWord = Literal["known", "unrefuted", "unknown", "not-applicable"]
Standing = Literal["ask", "not-sure", "known", "consistent", "not-assessed"]
TurnFrom = Literal["person", "whole-history"]
EndedIn = Literal["answer", "pause", "error", "unrecorded"]
"""How the turn ended. ``error``: before any answer; ``unrecorded``: no end and no pause is in the record."""

Record = Literal["pause", "coverage", "results", "evidence", "revision", "matching", "stopped-early", "answer-check"]
"""Something a reason is read from, beside the kinds of rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One entry of the table."""

    reason: str
    layer: int | None
    """1 choose, 2 inputs, 3 results, 4 answer; ``None``: none of them."""
    reason_class: ReasonClass
    source: ReasonSource
    read_from: tuple[str, ...]
    """The records and kinds of rows of which any one lets this reason fire."""


def _reason(reason: str, layer: int | None, source: ReasonSource, *read_from: str, ask: bool = False) -> Reason:
    reason_class: ReasonClass = "ask" if ask else "not-sure"
    return Reason(reason=reason, layer=layer, reason_class=reason_class, source=source, read_from=read_from)


REASONS: Final = (
    _reason("asked", None, "run", "pause", ask=True),
    _reason("argument-asked", 2, "run", "argument", ask=True),
    _reason("argument-assumed", 2, "calls", "argument"),
    _reason("argument-unverified", 2, "calls", "argument"),
    _reason("argument-read", 2, "calls", "argument"),
    _reason("value-contingent", 2, "calls", "argument", "contingent"),
    _reason("coverage-gap", 3, "calls", "coverage", "results"),
    _reason("declared-absent", 3, "calls", "coverage", "results"),
    _reason("empty-undeclared", 3, "calls", "results"),
    _reason("period-not-held", 3, "calls", "period"),
    _reason("period-partly-held", 3, "calls", "period"),
    _reason("period-unknown", 3, "calls", "period"),
    _reason("period-undeclared", 3, "calls", "period"),
    _reason("period-differs-from-asked", 3, "calls", "period"),
    _reason("period-beyond-retention", 3, "calls", "period"),
    _reason("sources-conflict", 3, "calls", "conflict"),
    _reason("value-unsupported", 4, "answer", "evidence"),
    _reason("value-survived-revision", 4, "answer", "revision"),
    _reason("derived-from-reading", 4, "answer", "time-derived"),
    _reason("script-unmatched", 4, "answer", "matching", "script-shown"),
    _reason("stopped-early", 4, "run", "stopped-early"),
    _reason("steps-unfinished", 4, "run", "steps-unfinished"),
    _reason("negative-prose-unverified", 4, "answer", "negative-claim", "negative-claim-note"),
    _reason("claim-exceeds-search", 4, "answer", "answer-check"),
    # About results, and yet after the answer's: the order is that of the report, not of the layers.
    _reason("declaration-overclaimed", 3, "calls", "answer-check"),
    _reason("answer-check-failed", 4, "answer", "answer-check"),
    _reason("check-unreachable", None, "run", "answer-check"),
)
"""Every reason, in report order."""

CHECK_LAYERS: Final[Mapping[str, int]] = {
    "argument-rules": 2,
    "argument-sources": 2,
    "tool-coverage": 3,
    "result-shape": 3,
    "result-period": 3,
    "names-and-numbers": 4,
    "answer-checks": 4,
}
"""What can be checked for an assessment, in report order, with its layer."""


# -- what is read ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """One thing on the record for which a reason fired."""

    pointer: Pointer | None = None
    ref: int | None = None
    """The caller's number of the call, where the witness is one call of this turn."""
    call_id: str | None = None
    """The provider's id of the call, where the witness names one."""


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class AssessedCall:
    """One call of the turn, as the readers found it."""

    ref: int
    """The caller's number of the call; handed back, never read."""
    call_id: str | None = None
    coverage: tuple[Coverage, ...] = ()
    """The statements on the record; with any of them the value's own envelope is not asked."""
    declared: Declared | None = None
    """What the result's own envelope declares; ``None`` when it is no envelope."""
    reading: Reading | None = None
    """What came back; ``None`` when there is no recorded result, or none that is data."""
    pointer: Pointer | None = None
    """Where the result was read."""


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class AssessmentInput:
    """Everything the assessment of one turn reads."""

    turn: int | None = None
    """The turn's number; ``None``: not recorded, so every row is read."""
    turn_from: TurnFrom = "whole-history"
    """Where the turn begins: see :func:`turn_start`."""
    ended_in: EndedIn = "answer"
    paused_call_id: Any = None
    """The call that waits on a person, as recorded; only a text that is not empty is a pause."""
    pause_pointer: Pointer | None = None
    argument_ask: Witness | None = None
    """A question about an argument waits on a person."""
    calls: tuple[AssessedCall, ...] = ()
    rows: tuple[Row, ...] = ()
    """In the order in which they were recorded, of whatever turn."""
    evidence: tuple[EvidenceFacts, ...] = ()
    """Every verdict on the names and numbers of this answer."""
    stopped_early: Witness | None = None
    steps_unfinished: Witness | None = None
    """Beside rows of this kind: the turn's own attribute."""
    earlier_call_ids: frozenset[str] = frozenset()
    """Ids of calls that earlier turns are known to have made."""
    answer_sha256: str | None = None
    """Lower-case hex of the answer's UTF-8 bytes; ``None`` when the whole answer is not recorded."""
    kept_out: tuple[str, ...] = ()
    """What the fold needs and a redaction policy keeps out, by name."""
    is_placeholder: Placeholder | None = None
    records: frozenset[str] = frozenset()
    """The :data:`Record` names and kinds of rows that this runtime is known to record; those in use count anyway."""


# -- what is said ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Fired:
    """A reason that fired."""

    reason: Reason
    witnesses: tuple[Witness, ...]
    """At least one."""

    @property
    def calls(self) -> int:
        """How many calls it is about; a witness that names no call counts as one of its own."""
        named = {(one.ref, one.call_id) for one in self.witnesses if _names_call(one)}
        return len(named) + sum(not _names_call(one) for one in self.witnesses)


def _names_call(witness: Witness) -> bool:
    return witness.ref is not None or witness.call_id is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One kind of check that this turn gave something to."""

    check: str
    layer: int
    ran: int
    of: int
    """How many there were; ``ran`` of them could be checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """What proves the answer."""

    digest: str
    """The answer's SHA-256, lower-case hex."""
    pointer: Pointer | None = None
    kind: Literal["answer-validation"] = "answer-validation"


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """Whether the answer stands."""

    assessment: AssessmentWord
    standing: Standing
    reasons: tuple[Fired, ...] = ()
    """In the order of the table."""
    checked: tuple[Checked, ...] = ()
    """What was really checked, in the order of :data:`CHECK_LAYERS`."""
    support: Support | None = None
    """Only with ``known``."""
    turn_from: TurnFrom = "whole-history"
    kept_out: tuple[str, ...] = ()
    """Sorted; when there is any, nothing was assessed."""
    not_evaluated: tuple[str, ...] = ()
    """Reasons that could not fire, since nothing on this record is what they are read from."""


# -- where a turn begins ----------------------------------------------------------------------------

FRAMES: Final = (
    "[dropped history",
    "[compacted history",
    "[schema check",
    "[evidence check",
    "[budget exhausted",
    "[steps unrun",
)
"""How the messages open that a library writes in a person's place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryMessage:
    """One message of the history that the answering model call had before it."""

    role: str
    text: str = ""
    delivery: bool = False
    """It carries the marker of something delivered: no person said it."""

    @property
    def by_person(self) -> bool:
        """Whether a person said it."""
        return self.role == "user" and not self.delivery and not self.text.startswith(FRAMES)


def turn_start(messages: Sequence[HistoryMessage]) -> tuple[int, TurnFrom]:
    """The index at which the turn begins, and how that is known.

    It begins after the last message that a person said. Without one the whole history is read, which can report
    too much and hides nothing.
    """
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].by_person:
            return index + 1, "person"
    return 0, "whole-history"
