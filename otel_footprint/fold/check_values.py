"""What the checks read of a turn, and what they find: plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from otel_footprint._making import made_quickly
from otel_footprint.facts import CallOutcome, ContentState, CoverageItem
from otel_footprint.fold.emptiness import Reading
from otel_footprint.fold.wording import Sentence

CheckName = Literal["decided-delivered", "existence", "empty-results"]
CheckState = Literal["reachable", "unreachable", "not-applicable"]
Missing = Literal["no-event", "not-built", "not-declared", "before-pause", "redacted", "unreadable"]
SignalTone = Literal["warn", "bad"]

Origin = Literal["routing", "call", "before-pause", "in-view", "record"]
"""What a ``ref`` counts: nothing, the turn's calls, calls before the pause, results in view, losses."""


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCall:
    """One call, as the readers found it."""

    ref: int
    """The caller's number of the call; handed back, never read."""
    tool: str | None
    """``None``: no record names the tool."""
    call_id: str | None = None
    outcome: CallOutcome = "ran"
    withheld: bool = False
    """A rule withheld the result from the model."""
    ended: bool = True
    """An end is recorded."""
    presented: bool = False
    """The call showed something; its return is a receipt, not data."""
    handed_back: bool = False
    """A model call read its result, though no span tells how it ended."""
    items: tuple[CoverageItem, ...] = ()
    """Every declared item, over all statements of the call."""
    reading: Reading | None = None
    """``None``: no result is recorded that could be read; ``result_state`` says how."""
    result_state: ContentState = "absent"
    """How the result is missing; only read when ``reading`` is ``None``."""
    enable: str | None = None
    """What to switch on so that what is missing is recorded."""

    @property
    def returned_data(self) -> bool:
        """Whether the call's result is judged for emptiness."""
        came_back = (self.outcome == "ran" and self.ended) or self.handed_back
        return came_back and not self.withheld and not self.presented

    @property
    def limits(self) -> tuple[CoverageItem, ...]:
        """The declared items that name ground not covered."""
        return tuple(item for item in self.items if item.section != "checked")


@dataclass(frozen=True, slots=True, kw_only=True)
class InView:
    """An earlier answer's result that lay in the answering model call's input."""

    ref: int
    tool: str
    distance: int
    """How many answers back; at least 1."""
    windowed: bool = False
    """The input is a window of the history, so ``distance`` is a lower bound."""
    reading: Reading | None = None
    result_state: ContentState = "absent"
    enable: str | None = None


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """Whether what the routing chose reached the model, as the routing reader found it."""

    state: CheckState
    signal: bool = False
    """It is proven that it did not reach the model."""
    missing: Missing = "no-event"
    """Only read when the state is unreachable."""
    verdict_recorded: bool = True
    """The routing itself is recorded, so only its delivery can be missing; only read when unreachable."""
    routing_lost: bool = False
    """The routing went with the part before the pause."""
    chosen: str | None = None
    """Name of what was chosen; ``None`` when not known."""
    given: tuple[str, ...] = ()
    """Names of what reached the model instead."""
    enable: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """Something of the turn is missing from the record, in a way that touches every check."""

    sentence: str
    """Id of the sentence that says so (``record.*``)."""
    vars: Mapping[str, Any]
    enable: str | None = None


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class CheckInput:
    """Everything the readers found of one turn."""

    decided: Decided
    calls: tuple[JudgedCall, ...] = ()
    """This turn's calls in order, all of them."""
    in_view: tuple[InView, ...] = ()
    """Newest first."""
    in_view_kept_out: int = 0
    """Earlier results in a history that is kept out."""
    in_view_unrecorded: bool = False
    """The answering call's input is not recorded although an earlier answer is known or possible."""
    resumed_leg: bool = False
    state_held: bool = False
    """The record of a resumed leg holds the state at the pause."""
    before_pause_calls: tuple[JudgedCall, ...] = ()
    finished: bool = True
    """The turn's end holds an answer, or one that is kept out."""
    scope: Literal["own-run", "unfiltered"] = "own-run"
    losses: tuple[Loss, ...] = ()
    enable: str | None = None
    """What to switch on so that the answering call's input is recorded."""


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """Something a check found wrong."""

    id: str
    check: CheckName
    tone: SignalTone
    sentence: Sentence
    origin: Origin
    ref: int | None = None
    """The ``ref`` of what raised it; ``None`` for the routing."""
    tool: str | None = None
    call_id: str | None = None


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Unreached:
    """One reason why a check could not be run."""

    check: CheckName | Literal["record"]
    """``record``: a loss that touches all checks and leaves their states as they are."""
    missing: Missing
    sentence: Sentence
    origin: Origin
    ref: int | None = None
    """As in :class:`Signal`; for a loss, its place among the losses."""
    tool: str | None = None
    call_id: str | None = None
    enable: str | None = None


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one check found, before anything is left out."""

    check: CheckName
    state: CheckState
    signals: tuple[Signal, ...] = ()
    unreached: tuple[Unreached, ...] = ()
