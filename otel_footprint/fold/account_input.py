"""What an account is made from: everything that was found of one turn, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from otel_footprint.facts import (
    ABSENT,
    CallOutcome,
    Content,
    ContentState,
    Coverage,
    CoverageItem,
    CoverageSection,
    Handoff,
    Pointer,
)
from otel_footprint.fold.check_values import Decided
from otel_footprint.fold.emptiness import Reading
from otel_footprint.fold.reason_rows import EvidenceFacts
from otel_footprint.fold.reasons import Assessment
from otel_footprint.fold.routing import RoutingVerdict
from otel_footprint.fold.verdict import CheckResult


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountCall:
    """One call, as the readers found it."""

    tool: str | None
    """``None``: no record names the tool."""
    call_id: str | None = None
    outcome: CallOutcome = "ran"
    outcome_pointer: Pointer | None = None
    """The flag that tells how the call ended."""
    refused_by: str | None = None
    withheld: bool = False
    presented: bool = False
    statements: tuple[Coverage, ...] = ()
    reading: Reading | None = None
    """``None``: no result that could be read; ``result_state`` says how."""
    result_state: ContentState = "absent"
    result_pointer: Pointer | None = None

    @property
    def pointers(self) -> tuple[Pointer, ...]:
        """Where a reader sees that the call was, and how it ended; empty when nothing was pointed at."""
        return tuple(one for one in (self.outcome_pointer, self.result_pointer) if one is not None)[:1]

    @property
    def ran(self) -> bool:
        """A named call that ran."""
        return self.tool is not None and self.outcome == "ran"

    def items(self, section: CoverageSection) -> tuple[tuple[CoverageItem, Pointer | None], ...]:
        """The declared items of a list over all statements, each with the pointer of its statement."""
        return tuple((item, one.pointer) for one in self.statements for item in one.items if item.section == section)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountInView:
    """An earlier answer's result that the model still had before it."""

    tool: str
    distance: int
    """How many answers back; at least 1."""
    windowed: bool = False
    """``distance`` is a lower bound."""
    reading: Reading | None = None
    pointer: Pointer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountInput:
    """Everything that was found of one turn."""

    run_id: str
    """The id of the run: of the trace and the turn's span, never of the conversation."""
    pointer: Pointer
    """The turn's span, for lines about the turn as a whole: ``span_id#status``."""
    checks: CheckResult
    signal_pointers: tuple[tuple[Pointer, ...], ...] = ()
    """For each listed signal, where a reader can look; in the order of the signals."""
    unreached_pointers: tuple[tuple[Pointer, ...], ...] = ()
    """The same for each listed line of what could not be checked."""
    turn: int | None = None
    model: str | None = None
    resumed: bool = False
    state_held: bool = False
    """On a resumed leg: the record holds the state at the pause."""
    before_pause_tools: tuple[str, ...] = ()
    """Tools that the history names, where nothing else of the part before the pause is in the record."""
    in_record: bool = True
    """The record holds something of the run that was asked for."""
    foreign: int = 0
    """Events or spans of other runs."""
    unread: int = 0
    """Recorded values that could not be read."""
    scope: Literal["own-run", "unfiltered"] = "own-run"
    question: Content = ABSENT
    question_rewritten: bool | None = None
    """Whether a rule changed what the person said; ``None``: not recorded."""
    question_held: bool = False
    """The question is the one held from before the pause."""
    answer: Content = ABSENT
    routes: bool = True
    """``False``: this agent is known to route nothing."""
    decided: Decided
    verdict: RoutingVerdict | None = None
    handoffs: tuple[Handoff, ...] = ()
    calls: tuple[AccountCall, ...] = ()
    before_pause: tuple[AccountCall, ...] = ()
    """Calls answered before the pause, where their record is held."""
    in_view: tuple[AccountInView, ...] = ()
    """Newest first."""
    in_view_kept_out: int = 0
    in_view_unrecorded: bool = False
    assessment: Assessment | None = None
    """``None``: nothing was assessed; ``ended`` tells why."""
    ended: bool = True
    """The turn ended with an answer, or paused."""
    evidence: EvidenceFacts | None = None
    """The last verdict on the answer's names and numbers."""
    evidence_state: Literal["off", "unreadable", "unknown"] = "unknown"
    """Why there is no verdict; only read when there is none."""
