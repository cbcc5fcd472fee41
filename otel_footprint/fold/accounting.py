"""What the account of one answer is made from."""

from __future__ import annotations

from otel_footprint.facts import Turn
from otel_footprint.fold.account import build_account
from otel_footprint.fold.account_input import AccountCall, AccountInput, AccountInView
from otel_footprint.fold.account_values import Account
from otel_footprint.fold.answer import Answer
from otel_footprint.fold.judging import Judged, ReadCall


def account_of(judged: Judged, answer: Answer) -> Account:
    """The seven-row account of a judged turn."""
    turn, found = judged.turn, judged.found
    return build_account(
        AccountInput(
            run_id=f"{turn.trace_id}:{turn.span_id}",
            pointer=f"{turn.span_id}#status",
            checks=found,
            signal_pointers=tuple(
                judged.evidence(one.origin, one.ref, coverage=one.check == "existence") for one in found.signals
            ),
            unreached_pointers=tuple(
                judged.evidence(one.origin, one.ref, coverage=one.check == "existence") for one in found.unreached
            ),
            turn=turn.turn,
            model=turn.model,
            resumed=turn.resumed,
            state_held=turn.paused_leg_held,
            unread=turn.unreadable + judged.unread + answer.unread,
            question=turn.question,
            question_rewritten=turn.declared.question_rewritten,
            answer=turn.answer,
            routes=turn.routing != "none" and not (turn.routing == "handoffs" and not turn.handoffs),
            decided=judged.decided,
            verdict=judged.verdict,
            handoffs=turn.handoffs,
            calls=tuple(_call(read) for read in judged.calls),
            before_pause=tuple(_call(read) for read in judged.before_pause),
            in_view=_in_view(judged),
            in_view_kept_out=turn.in_view_kept_out,
            in_view_unrecorded=turn.in_view_unrecorded,
            assessment=answer.assessment,
            ended=_ended(turn),
            evidence=answer.evidence[-1] if answer.evidence else None,
            evidence_state="unknown",
        )
    )


def _ended(turn: Turn) -> bool:
    return turn.finished or turn.answer.recorded or turn.declared.pause is not None


def _call(read: ReadCall) -> AccountCall:
    call = read.call
    return AccountCall(
        tool=call.tool,
        call_id=call.call_id,
        outcome=call.outcome,
        outcome_pointer=call.outcome_pointer,
        refused_by=call.refused_by,
        withheld=call.withheld_by is not None,
        presented=call.presented,
        statements=read.statements,
        reading=read.reading,
        result_state=call.result.state,
        result_pointer=call.result.pointer,
    )


def _in_view(judged: Judged) -> tuple[AccountInView, ...]:
    return tuple(
        AccountInView(
            tool=read.tool,
            distance=read.distance,
            windowed=read.windowed,
            reading=read.reading,
            pointer=earlier.result.pointer,
        )
        for read, earlier in zip(judged.in_view, judged.turn.in_view, strict=True)
    )
