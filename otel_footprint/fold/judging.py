"""What the readers find of one turn, and what the checks are given of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from otel_footprint._making import made_quickly
from otel_footprint.facts import Coverage, Delivery, Pointer, ToolCall, Turn
from otel_footprint.fold.check_values import CheckInput, Decided, InView, JudgedCall, Loss, Origin
from otel_footprint.fold.emptiness import Reading, read_emptiness
from otel_footprint.fold.labels import whole_number
from otel_footprint.fold.readings import handed_back, placeholder_test, reading_of, statements_of
from otel_footprint.fold.routing import RoutingFacts, RoutingVerdict, SkillsDelivery, decide, read_verdicts
from otel_footprint.fold.verdict import CheckResult, run_checks

_LOSSES: Final = {
    "evicted": "record.evicted",
    "evicted-before": "record.spansLost",
    "idle": "record.idle",
    "no-turn-span": "record.standIn",
    "parent-missing": "record.parentMissing",
    "queue-dropped": "record.spansLost",
    "shutdown": "record.shutdown",
}
_OTHER: Final = {
    "parent-cycle": "spans name each other as parents",
    "conflicting-duplicate": "a span came twice with different content",
}
_LIMITS: Final = "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT, OTEL_SPAN_EVENT_COUNT_LIMIT and OTEL_SPAN_LINK_COUNT_LIMIT"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCall:
    """One call as it was read."""

    call: ToolCall
    reading: Reading | None
    statements: tuple[Coverage, ...]


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A turn as it was read, and what the checks say of it."""

    turn: Turn
    calls: tuple[ReadCall, ...]
    before_pause: tuple[ReadCall, ...]
    in_view: tuple[InView, ...]
    decided: Decided
    verdict: RoutingVerdict | None
    """The routing verdict that the record holds."""
    found: CheckResult
    unread: int
    """Routing events that could not be read."""

    def call_of(self, origin: Origin, ref: int | None) -> ReadCall | None:
        """The call behind a signal or line; ``None`` when it is about no call of this turn."""
        if ref is None or origin not in {"call", "before-pause"}:
            return None
        return (self.calls if origin == "call" else self.before_pause)[ref]

    def evidence(self, origin: Origin, ref: int | None, *, coverage: bool) -> tuple[Pointer, ...]:
        """Where a reader can look: the result or the declaration, else the flag that tells how the call ended."""
        found: list[Pointer | None] = []
        read = self.call_of(origin, ref)
        if read is not None:
            if coverage:
                found = [statement.pointer for statement in read.statements]
            found = found or [read.call.result.pointer or read.call.outcome_pointer]
        elif origin == "in-view" and ref is not None:
            found = [self.turn.in_view[ref].result.pointer]
        elif origin == "routing":
            found = [self.verdict.pointer if self.verdict is not None else None]
            found += [handoff.pointer for handoff in (*self.turn.routing_before_pause.handoffs, *self.turn.handoffs)]
        elif origin == "record":
            found = [f"{self.turn.span_id}#status"]
        return tuple(pointer for pointer in found if pointer is not None)


def judge(turn: Turn) -> Judged:
    """Read a turn and run its checks."""
    calls, before = _read(turn.calls, turn), _read(turn.before_pause, turn)
    in_view = tuple(_in_view(turn))
    verdicts = read_verdicts([(event.keys, event.pointer) for event in turn.declared.routing])
    routed_before = read_verdicts([(event.keys, event.pointer) for event in turn.routing_before_pause.routing])
    unread = verdicts.unread + routed_before.unread
    decided = decide(_routing(turn, verdicts.verdict, routed_before.verdict))
    found = run_checks(
        CheckInput(
            decided=decided,
            calls=tuple(_judged(ref, read) for ref, read in enumerate(calls)),
            in_view=in_view,
            in_view_kept_out=turn.in_view_kept_out,
            in_view_unrecorded=turn.in_view_unrecorded,
            # With the paused leg's spans at hand its calls and events are read like this leg's own.
            resumed_leg=turn.resumed and not turn.paused_leg_held,
            before_pause_calls=tuple(_judged(ref, read) for ref, read in enumerate(before)),
            finished=turn.finished,
            losses=tuple(_losses(turn, unread)),
            enable=turn.enable,
        )
    )
    return Judged(
        turn=turn,
        calls=calls,
        before_pause=before,
        in_view=in_view,
        decided=decided,
        verdict=verdicts.verdict or routed_before.verdict,
        found=found,
        unread=unread,
    )


def _read(calls: tuple[ToolCall, ...], turn: Turn) -> tuple[ReadCall, ...]:
    return tuple(ReadCall(call=call, reading=reading_of(call, turn), statements=statements_of(call)) for call in calls)


def _judged(ref: int, read: ReadCall) -> JudgedCall:
    call = read.call
    return JudgedCall(
        ref=ref,
        tool=call.tool,
        call_id=call.call_id or call.span_id,
        outcome=call.outcome,
        withheld=call.withheld_by is not None,
        ended=call.end_ns > 0,
        presented=call.presented,
        handed_back=handed_back(call) and not _may_tell_an_error(read.reading),
        items=tuple(item for statement in read.statements for item in statement.items),
        reading=read.reading,
        result_state=call.result.state,
        enable=call.enable if call.result.state == "absent" else None,
    )


def _may_tell_an_error(reading: Reading | None) -> bool:
    """Whether a result is a text: where nothing says how its call ended, it may be what was made of an error."""
    return (
        reading is not None
        and reading.emptiness == "unknown"
        and not reading.undeclared_shape
        and not reading.rows_unread
    )


def _in_view(turn: Turn) -> list[InView]:
    placeholder = placeholder_test(turn)
    found = []
    for ref, earlier in enumerate(turn.in_view):
        reading = None
        if earlier.result.recorded:
            reading = read_emptiness(earlier.result.spelled, rows_at=earlier.rows_at, is_placeholder=placeholder)
        found.append(
            InView(
                ref=ref,
                tool=earlier.tool,
                distance=earlier.distance,
                windowed=turn.windowed,
                reading=reading,
                result_state=earlier.result.state,
                enable=None if earlier.result.recorded else turn.enable,
            )
        )
    return found


def _routing(turn: Turn, verdict: RoutingVerdict | None, paused_verdict: RoutingVerdict | None) -> RoutingFacts:
    before = turn.routing_before_pause
    own = (replace(one, iteration=one.iteration + before.model_calls) for one in turn.declared.deliveries)
    return RoutingFacts(
        routing=turn.routing,
        emits="routing" in turn.declared.emits,
        verdict=verdict,
        paused_verdict=paused_verdict,
        # Without a choice nothing is looked up in them.
        deliveries=()
        if verdict is None and paused_verdict is None
        else tuple(_delivery(one) for one in (*before.deliveries, *own)),
        answering_iteration=before.model_calls + turn.model_calls if turn.model_calls else None,
        handoffs=(*before.handoffs, *turn.handoffs),
        record_whole=not turn.incomplete and not turn.stand_in,
        resumed=turn.resumed,
        state_held=turn.paused_leg_held,
        enable=None,
    )


def _delivery(recorded: Delivery) -> SkillsDelivery:
    """What a model call says it was given; names that are no list of texts are not recorded."""
    names = recorded.names.value
    texts = isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)
    return SkillsDelivery(
        iteration=recorded.iteration,
        names=tuple(names) if recorded.names.recorded and texts else None,
        count=whole_number(recorded.count.value) if recorded.count.recorded else None,
        pointer=recorded.names.pointer,
    )


def _losses(turn: Turn, unread: int) -> list[Loss]:
    found = []
    for reason in turn.incomplete:
        if reason == "limits-dropped":
            found.append(Loss(sentence="record.dropped", vars={"n": turn.dropped}, enable=_LIMITS))
        elif reason in _LOSSES:
            found.append(Loss(sentence=_LOSSES[reason], vars={}))
        else:
            found.append(Loss(sentence="record.other", vars={"why": _OTHER[reason]}))
    if turn.unreadable + unread:
        found.append(Loss(sentence="record.unreadable", vars={"n": turn.unreadable + unread}))
    return found
