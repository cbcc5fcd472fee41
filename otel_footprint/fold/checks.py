"""The three checks of a turn, and what they found: signals, and lines for what could not be checked.

A detector is a plain function in :data:`DETECTORS`: it reads everything that was found of the turn and
says whether its check applies, whether something kept it from being run, and which signals it raises.
Everything is judged; :mod:`otel_footprint.fold.verdict` alone bounds what is listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from otel_footprint.facts import ContentState, CoverageItem
from otel_footprint.fold.check_values import (
    CheckInput,
    CheckName,
    CheckState,
    Decided,
    Finding,
    JudgedCall,
    Missing,
    Origin,
    Signal,
    Unreached,
)
from otel_footprint.fold.emptiness import Reading
from otel_footprint.fold.wording import Sentence

Detector = Callable[[CheckInput], Finding]


# -- decided-delivered ----------------------------------------------------------------------------


def decided_delivered(turn: CheckInput) -> Finding:
    """Whether what was chosen for the question reached the model."""
    decided = turn.decided
    return Finding(
        check="decided-delivered",
        state=decided.state,
        signals=(_not_delivered(decided),) if decided.signal else (),
        unreached=(_routing_unreached(decided),) if decided.state == "unreachable" else (),
    )


def _not_delivered(decided: Decided) -> Signal:
    if decided.chosen is None:
        sentence = Sentence(id="signal.decidedNotDelivered")
    elif decided.given:
        given = {"chosen": decided.chosen, "given": decided.given}
        sentence = Sentence(id="signal.decidedNotDelivered.instead", vars=given)
    else:
        sentence = Sentence(id="signal.decidedNotDelivered.named", vars={"chosen": decided.chosen})
    return Signal(
        id="decided-not-delivered", check="decided-delivered", tone="bad", sentence=sentence, origin="routing"
    )


def _routing_unreached(decided: Decided) -> Unreached:
    if decided.verdict_recorded:
        sentence = "unreachable.delivery"
    else:
        sentence = "unreachable.routing" + (".beforePause" if decided.missing == "before-pause" else "")
    return Unreached(
        check="decided-delivered",
        missing=decided.missing,
        sentence=Sentence(id=sentence),
        origin="routing",
        enable=decided.enable,
    )


# -- existence ------------------------------------------------------------------------------------


def existence(turn: CheckInput) -> Finding:
    """Whether a call left open that the thing asked about exists at all."""
    limited = [(origin, call, call.limits) for origin, call in _all_calls(turn) if call.limits]
    signals: list[Signal] = []
    unreached: list[Unreached] = []
    unnamed = False
    for origin, call, limits in limited:
        if call.tool is None:
            unnamed = True
        elif not any(item.kind for item in limits):
            unreached.append(_call_unreached("existence", "not-declared", "unreachable.existence", origin, call))
        else:
            signals.extend(
                _existence_signal(origin, call, call.tool, item) for item in limits if item.kind == "existence"
            )
    return Finding(
        check="existence",
        state=_state(applies=bool(limited), blocked=unnamed or bool(unreached)),
        signals=tuple(signals),
        unreached=tuple(unreached),
    )


def _existence_signal(origin: Origin, call: JudgedCall, tool: str, item: CoverageItem) -> Signal:
    sentence = "signal.existenceNotChecked" if item.section == "notChecked" else "signal.existenceCannotCover"
    values = {"tool": tool}
    if item.kept_out:
        sentence += ".keptOut"
    elif item.short is not None:
        values["short"] = item.short
    else:
        sentence += ".full"
        values["what"] = item.what
    return Signal(
        id="existence-not-checked",
        check="existence",
        tone="warn",
        sentence=Sentence(id=sentence, vars=values),
        origin=origin,
        ref=call.ref,
        tool=tool,
        call_id=call.call_id,
    )


# -- empty-results --------------------------------------------------------------------------------


def empty_results(turn: CheckInput) -> Finding:
    """Whether an empty, unexplained result was used, or still lay before the model."""
    judged = [(origin, call) for origin, call in _all_calls(turn) if call.returned_data]
    signals = [*_used_empties(judged), *_empties_in_view(turn)]
    unreached = [*_unread_results(judged), *_unread_in_view(turn)]
    unnamed = any(call.tool is None for _, call in judged)
    applies = bool(judged or turn.in_view or turn.in_view_kept_out or turn.in_view_unrecorded)
    return Finding(
        check="empty-results",
        state=_state(applies=applies, blocked=unnamed or bool(unreached)),
        signals=tuple(signals),
        unreached=tuple(unreached),
    )


def _used_empties(judged: Iterable[tuple[Origin, JudgedCall]]) -> Iterator[Signal]:
    for origin, call in judged:
        if call.tool is not None and call.reading is not None and call.reading.emptiness == "undeclared-empty":
            when = ".beforePause" if origin == "before-pause" else ""
            yield Signal(
                id="undeclared-empty-used",
                check="empty-results",
                tone="bad",
                sentence=Sentence(id=f"signal.undeclaredEmptyUsed{when}", vars={"tool": call.tool}),
                origin=origin,
                ref=call.ref,
                tool=call.tool,
                call_id=call.call_id,
            )


def _empties_in_view(turn: CheckInput) -> Iterator[Signal]:
    for earlier in turn.in_view:
        if earlier.reading is not None and earlier.reading.emptiness == "undeclared-empty":
            bound = ".atLeast" if earlier.windowed else ""
            yield Signal(
                id="undeclared-empty-in-view",
                check="empty-results",
                tone="warn",
                sentence=Sentence(
                    id=f"signal.undeclaredEmptyInView{bound}",
                    vars={"tool": earlier.tool, "distance": earlier.distance},
                ),
                origin="in-view",
                ref=earlier.ref,
                tool=earlier.tool,
            )


def _unread_results(judged: Iterable[tuple[Origin, JudgedCall]]) -> Iterator[Unreached]:
    for origin, call in judged:
        unread = _why_unread(call.reading, call.result_state)
        if call.tool is not None and unread is not None:
            yield _call_unreached("empty-results", *unread, origin, call)


def _unread_in_view(turn: CheckInput) -> Iterator[Unreached]:
    if turn.in_view_kept_out:
        sentence = Sentence(id="unreachable.inView.redacted", vars={"n": turn.in_view_kept_out})
        yield Unreached(check="empty-results", missing="redacted", sentence=sentence, origin="in-view")
    if turn.in_view_unrecorded:
        yield Unreached(
            check="empty-results",
            missing="no-event",
            sentence=Sentence(id="unreachable.inView.notRecorded"),
            origin="in-view",
            enable=turn.enable,
        )
    for earlier in turn.in_view:
        unread = _why_unread(earlier.reading, earlier.result_state)
        if unread is not None:
            missing, sentence_id = unread
            yield Unreached(
                check="empty-results",
                missing=missing,
                sentence=Sentence(id=sentence_id, vars={"tool": earlier.tool}),
                origin="in-view",
                ref=earlier.ref,
                tool=earlier.tool,
                enable=earlier.enable,
            )


_NOT_READ: Final[Mapping[str, tuple[Missing, str]]] = {
    "recorded": ("unreadable", "unreachable.empty.unreadable"),
    "absent": ("no-event", "unreachable.empty.notRecorded"),
    "cut": ("unreadable", "unreachable.empty.cut"),
    "redacted": ("redacted", "unreachable.empty.redacted"),
    "too-deep": ("unreadable", "unreachable.empty.tooDeep"),
    "unreadable": ("unreadable", "unreachable.empty.unreadable"),
}


def _why_unread(reading: Reading | None, state: ContentState) -> tuple[Missing, str] | None:
    """What is missing, and the sentence for it; ``None`` when the result was read."""
    if reading is None:
        return _NOT_READ[state]
    match reading.rows_unread:
        case "redacted" | "too-deep":
            return _NOT_READ[reading.rows_unread]
        case "no-list":
            return "not-declared", "unreachable.empty.noList"
        case "uncounted-ticket":
            # Without a declared key the ticket is the library's own, which records bytes and never rows.
            missing: Missing = "not-built" if reading.rows_at is None else "not-declared"
            return missing, "unreachable.empty.uncountedTicket"
        case _:
            return ("not-declared", "unreachable.empty") if reading.undeclared_shape else None


# -- shared ---------------------------------------------------------------------------------------

DETECTORS: Final[tuple[Detector, ...]] = (decided_delivered, existence, empty_results)
"""Every check, in the order in which signals are ranked."""


def unnamed_calls(turn: CheckInput) -> Iterator[Unreached]:
    """One line for each call whose tool no record names, however many checks it keeps from being run.

    Calls that named limits come first, as the existence check meets them before results are read.
    """
    unnamed = [(origin, call) for origin, call in _all_calls(turn) if call.tool is None]
    for origin, call in unnamed:
        if call.limits and call.returned_data:
            yield _unnamed("empty-results", ".both", origin, call)
        elif call.limits:
            yield _unnamed("existence", ".existence", origin, call)
    for origin, call in unnamed:
        if call.returned_data and not call.limits:
            yield _unnamed("empty-results", "", origin, call)


def losses(turn: CheckInput) -> Iterator[Unreached]:
    """One line for each loss of the record."""
    for ref, loss in enumerate(turn.losses):
        yield Unreached(
            check="record",
            missing="no-event",
            sentence=Sentence(id=loss.sentence, vars=loss.vars),
            origin="record",
            ref=ref,
            enable=loss.enable,
        )


def _all_calls(turn: CheckInput) -> Iterator[tuple[Origin, JudgedCall]]:
    yield from (("call", call) for call in turn.calls)
    yield from (("before-pause", call) for call in turn.before_pause_calls)


def _state(*, applies: bool, blocked: bool) -> CheckState:
    if blocked:
        return "unreachable"
    return "reachable" if applies else "not-applicable"


def _unnamed(check: CheckName, form: str, origin: Origin, call: JudgedCall) -> Unreached:
    sentence = Sentence(id=f"unreachable.unnamed{form}", vars={"id": call.call_id or "without an id"})
    return _line(check, "unreadable", sentence, origin, call)


def _call_unreached(check: CheckName, missing: Missing, sentence: str, origin: Origin, call: JudgedCall) -> Unreached:
    return _line(check, missing, Sentence(id=sentence, vars={"tool": call.tool}), origin, call)


def _line(check: CheckName, missing: Missing, sentence: Sentence, origin: Origin, call: JudgedCall) -> Unreached:
    return Unreached(
        check=check,
        missing=missing,
        sentence=sentence,
        origin=origin,
        ref=call.ref,
        tool=call.tool,
        call_id=call.call_id,
        enable=call.enable,
    )
