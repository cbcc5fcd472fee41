"""A turn that stopped to ask a person, and the leg that goes on from it over a span link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

from otel_footprint.explanation import Explanation
from otel_footprint.spanview import LinkView
from otel_footprint.testing import (
    BuiltSpan,
    agent_span,
    assert_consistent,
    assert_evidence_resolves,
    call_part,
    explain_spans,
    message,
    model_span,
    tool_span,
)
from otel_footprint.turns import TurnAssembler

RESUMED = {"footprint.resumed": True, "footprint.question": "go on", "footprint.answer": "done"}
PAUSE = ("footprint.pause", {"tool_call_id": "c1"})


def linked(span: BuiltSpan, *targets: BuiltSpan) -> BuiltSpan:
    return replace(span, links=tuple(LinkView(one.trace_id, one.span_id) for one in targets))


def paused(number: int = 1, *, result: str = "[]", **rest: Any) -> list[BuiltSpan]:
    """A leg that searched once and then stopped to ask."""
    return [
        agent_span(number, at=(0, 5), events=(PAUSE,), attributes={"footprint.question": "q", **rest}),
        tool_span(number + 50, "search", parent=number, call_id="c0", at=(1, 2), result=result),
    ]


def resumed(number: int, *before: BuiltSpan, trace: int = 1, result: str = "[1]") -> list[BuiltSpan]:
    """A leg that goes on from the first of ``before`` that is known."""
    return [
        linked(agent_span(number, trace=trace, at=(10, 15), attributes=RESUMED), *before),
        tool_span(number + 50, "look", parent=number, trace=trace, call_id="c1", at=(11, 12), result=result),
    ]


def legs(*spans: BuiltSpan) -> list[Explanation]:
    found = explain_spans(spans)
    for one in found:
        assert_consistent(one)
        assert_evidence_resolves(one, spans)
    return found


def test_a_turn_that_paused_asks_and_points_to_the_pause() -> None:
    (turn,) = legs(*paused())
    assert (turn.standing, [one.reason for one in turn.reasons]) == ("ask", ["asked", "empty-undeclared"])
    assert turn.reasons[0].evidence == (f"{turn.span_id}#event:0/tool_call_id",)


@pytest.mark.parametrize("trace", [1, 2], ids=["the same trace", "another trace"])
def test_o12_a_resumed_leg_with_the_paused_legs_spans_judges_the_earlier_calls_too(trace: int) -> None:
    first = paused()
    _, turn = legs(*first, *resumed(2, first[0], trace=trace))
    (signal,) = turn.signals
    assert (signal.id, signal.tool, signal.call_id) == ("undeclared-empty-used", "search", "c0")
    assert signal.evidence == (f"{first[1].span_id}#attribute:gen_ai.tool.call.result",)
    assert "before the pause" in signal.about
    assert [call.tool for call in turn.calls] == ["look"]
    assert "missing" not in turn.summary.about
    assert not any("before the pause is not" in line.about for line in turn.wrong)


def test_o12_a_clean_resumed_leg_with_the_paused_legs_spans_is_ok() -> None:
    first = paused(result="[1]")
    _, turn = legs(*first, *resumed(2, first[0]))
    assert (turn.summary.tone, turn.checks.reachable) == ("ok", ("empty-results",))


@pytest.mark.parametrize(
    ("links", "held"),
    [
        ((agent_span(7),), False),
        ((agent_span(7, trace=9),), False),
        ((), False),
        ((tool_span(51),), False),
        ((agent_span(7, trace=9), agent_span(1)), True),
    ],
    ids=["spans gone", "trace gone", "no link", "a link to a call", "the second link is known"],
)
def test_o13_a_resumed_leg_says_whether_the_part_before_the_pause_is_in_the_record(
    links: Sequence[BuiltSpan], *, held: bool
) -> None:
    *_, turn = legs(*paused(result="[1]"), *resumed(2, *links))
    assert (turn.summary.tone == "ok") == held
    assert any(line.id == "wrong.beforePause" for line in turn.wrong) == (not held)
    assert ("the part before the pause is missing" in turn.summary.about.lower()) == (not held)


def test_o13_a_signal_of_the_leg_that_is_there_is_said_with_what_is_missing() -> None:
    (turn,) = legs(*resumed(2, agent_span(7), result="[]"))
    assert (turn.summary.tone, [one.id for one in turn.signals]) == ("bad", ["undeclared-empty-used"])
    assert turn.summary.about.endswith("The part before the pause is missing.")


def test_a_turn_that_is_no_resumed_leg_does_not_go_on_from_what_it_links_to() -> None:
    first = paused()
    other = linked(agent_span(2, at=(10, 15), attributes={"footprint.answer": "done"}), first[0])
    _, turn = legs(*first, other)
    assert (turn.signals, turn.checks.unreachable) == ((), ())


def test_several_pauses_are_followed_back_to_the_first() -> None:
    first = paused(result="[]")
    second = resumed(2, first[0], result="[]")
    third = resumed(3, second[0])
    *_, turn = legs(*first, *second, *third)
    assert [one.call_id for one in turn.signals] == ["c0", "c1"]


def test_legs_that_link_to_each_other_are_each_read_once() -> None:
    one, other = agent_span(1), agent_span(2)
    *_, turn = legs(*resumed(1, other), *resumed(2, one, result="[]"))
    assert len(turn.signals) == 1


def test_the_order_of_arrival_changes_nothing() -> None:
    first = paused()
    spans = [*first, *resumed(2, first[0])]
    assert len({str([one.to_dict() for one in legs(*order)]) for order in permutations(spans)}) == 1


@pytest.mark.parametrize("calls", [False, True], ids=["before", "with"])
def test_a_value_that_a_call_before_the_pause_returned_is_held(*, calls: bool) -> None:
    first = paused(result='["INC99999"]')
    first = first if calls else first[:1]
    answered = {**RESUMED, "footprint.answer": "INC99999 is closed."}
    leg = linked(agent_span(2, at=(10, 15), attributes=answered), first[0])
    *_, turn = legs(*first, leg, tool_span(52, "look", parent=2, at=(11, 12), result="[1]"))
    assert turn.evidence is not None
    assert [one.value for one in turn.evidence.unsupported] == ([] if calls else ["INC99999"])


def test_of_a_leg_that_goes_on_from_an_unseen_one_no_value_is_unsupported() -> None:
    answered = {**RESUMED, "footprint.answer": "INC99999 is closed."}
    leg = linked(agent_span(2, at=(10, 15), attributes=answered), agent_span(7))
    (turn,) = legs(leg, tool_span(52, "look", parent=2, at=(11, 12), result="[1]"))
    assert turn.evidence is None


def test_a_leg_that_comes_while_the_paused_one_is_kept_still_finds_it() -> None:
    assembler = TurnAssembler()
    first = paused()
    for one in first:
        assembler.add(one, 0.0)
    assert len(assembler.collect(0.0).turns) == 1
    for one in resumed(2, first[0]):
        assembler.add(one, 1.0)
    (turn,) = assembler.collect(1.0).turns
    assert (turn.paused_leg_held, [call.tool for call in turn.before_pause]) == (True, ["search"])


def test_a_model_call_that_asked_before_the_pause_is_part_of_the_leg() -> None:
    agent = paused()[0]
    asked = model_span(
        60, parent=1, at=(1, 2), read=[message("user", "q")], said=[message("assistant", call_part("pay", "c9", {}))]
    )
    *_, turn = legs(agent, asked, *resumed(2, agent))
    assert turn.evidence is None  # what became of the call that was asked for is not recorded


def routed(name: str, *before: BuiltSpan, number: int = 1, at: int = 0, skills: Sequence[str] = ()) -> list[BuiltSpan]:
    """A leg whose one model call was given ``skills``; the first leg is sent to the skill ``name``."""
    event = ("footprint.routing", {"by": "intent", "to": name})
    own = RESUMED if before else {"footprint.question": "q"}
    agent = agent_span(number, at=(at, at + 5), events=() if before else (event, PAUSE), attributes=own)
    given = {"footprint.skills": list(skills), "footprint.skills.count": len(skills)}
    model = model_span(number + 50, parent=number, at=(at + 1, at + 2), read=[message("user", "q")], attributes=given)
    return [linked(agent, *before), model]


@pytest.mark.parametrize(
    ("before", "after", "missed"),
    [(["refunds"], [], False), ([], ["refunds"], False), (["billing"], [], True)],
    ids=["given before the pause", "given after it", "never given"],
)
def test_a_verdict_from_before_the_pause_is_held_against_what_both_legs_were_given(
    before: Sequence[str], after: Sequence[str], *, missed: bool
) -> None:
    first = routed("refunds", skills=before)
    _, turn = legs(*first, *routed("", first[0], number=2, at=10, skills=after))
    assert "decided-delivered" in turn.checks.reachable
    assert [one.id for one in turn.signals] == (["decided-not-delivered"] if missed else [])


def test_a_delivery_before_the_pause_that_is_not_recorded_proves_nothing_missing() -> None:
    first = routed("refunds", skills=[])
    unsaid = replace(first[1], attributes={k: v for k, v in first[1].attributes.items() if "skills" not in k})
    _, turn = legs(first[0], unsaid, *routed("", first[0], number=2, at=10))
    assert "decided-delivered" in turn.checks.unreachable
