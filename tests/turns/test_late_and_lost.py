"""Spans that come after their turn was given out, and calls that lost their parent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from otel_footprint.explanation import Explanation
from otel_footprint.facts import Turn
from otel_footprint.fold.explain import explain
from otel_footprint.testing import (
    BuiltSpan,
    agent_span,
    call_part,
    explain_spans,
    message,
    model_span,
    response_part,
    span,
    tool_span,
)
from otel_footprint.turns import LATE_SETTLE_SECONDS, TurnAssembler


def noted(turn: Turn | Explanation) -> tuple[str, ...]:
    """The ids of the notes."""
    return tuple(note if isinstance(note, str) else note.id for note in turn.notes)


def given_out() -> TurnAssembler:
    """A turn of span 1 that was given out with one call."""
    assembler = TurnAssembler()
    assembler.add(tool_span(2, "f", parent=1, at=(1, 2)), 0.0)
    assembler.add(agent_span(1, at=(0, 9)), 0.0)
    (turn,) = assembler.collect(0.0).turns
    assert ([call.tool for call in turn.calls], turn.revision) == (["f"], 1)
    return assembler


def tools(turn: Turn) -> list[str | None]:
    return [call.tool for call in turn.calls]


def test_late_children_make_exactly_one_addendum() -> None:
    assembler = given_out()
    assembler.add(tool_span(3, "g", parent=1, at=(3, 4)), 1.0)
    assert assembler.collect(1.0).turns == ()
    assembler.add(tool_span(4, "h", parent=1, at=(5, 6)), 2.0)
    assert assembler.collect(2.0 + LATE_SETTLE_SECONDS - 0.1).turns == ()
    (addendum,) = assembler.collect(2.0 + LATE_SETTLE_SECONDS).turns
    assert (tools(addendum), addendum.revision, noted(addendum)) == (["f", "g", "h"], 2, ("late-spans",))
    assert explain(addendum).revision == 2
    assembler.add(tool_span(5, "i", parent=1, at=(7, 8)), 5.0)
    assert assembler.collect(99.0).turns == ()
    assert assembler.close(99.0).turns == ()
    found = assembler.statistics()
    assert (found.late, found.turns) == (3, 2)


def test_a_late_child_just_before_the_end_still_makes_its_addendum() -> None:
    assembler = given_out()
    assembler.add(model_span(3, parent=1), 1.0)
    (addendum,) = assembler.close(1.0).turns
    assert addendum.revision == 2


def test_a_late_child_is_found_when_the_link_to_its_turn_comes_last() -> None:
    assembler = given_out()
    assembler.add(tool_span(5, "h", parent=4, at=(5, 6)), 1.0)
    assembler.add(tool_span(4, "g", parent=3, at=(4, 7)), 1.0)
    assert assembler.collect(1.0).turns == ()
    assembler.add(span(3, parent=1, at=(3, 8)), 1.0)
    (addendum,) = assembler.collect(1.0 + LATE_SETTLE_SECONDS).turns
    assert (tools(addendum), assembler.statistics().late) == (["f", "g", "h"], 2)


def test_a_late_nested_turn_is_its_own_and_changes_the_other_by_its_call_alone() -> None:
    assembler = given_out()
    assembler.add(tool_span(5, "inner", parent=4, at=(5, 6)), 1.0)
    assembler.add(agent_span(4, parent=3, at=(4, 7)), 1.0)
    assembler.add(tool_span(3, "ask", parent=1, at=(3, 8)), 1.0)
    (nested,) = assembler.collect(1.0).turns
    assert (nested.span_id, tools(nested), nested.nested_in) == (format(4, "016x"), ["inner"], format(1, "016x"))
    (addendum,) = assembler.collect(1.0 + LATE_SETTLE_SECONDS).turns
    assert tools(addendum) == ["f", "ask"]


@pytest.mark.parametrize("late", [span(3, parent=1), agent_span(3, parent=1)], ids=["other", "inner agent"])
def test_a_late_span_that_is_no_work_makes_no_addendum(late: BuiltSpan) -> None:
    assembler = given_out()
    assembler.add(late, 1.0)
    assert assembler.collect(99.0).turns == ()
    assert assembler.statistics().late == 0


def test_work_beside_an_explained_turn_is_explained_apart() -> None:
    assembler = given_out()
    assembler.add(tool_span(3, "g", at=(3, 4)), 1.0)
    (apart,) = assembler.close(1.0).turns
    assert (apart.stand_in, tools(apart)) == (True, ["g"])


def test_a_copy_of_an_explained_turn_explains_nothing_again() -> None:
    assembler = given_out()
    assert not assembler.add(agent_span(1, at=(0, 9)), 1.0)
    assert not assembler.add(replace(agent_span(1, at=(0, 9)), name="other"), 1.0)
    assert assembler.close(1.0).turns == ()
    found = assembler.statistics()
    assert (found.duplicates, found.conflicts) == (1, 1)


# -- copies (C24) -------------------------------------------------------------------------------------------------


def test_an_exact_copy_is_counted_once() -> None:
    (turn,) = explain_spans([agent_span(1, at=(0, 9)), *[tool_span(2, "f", parent=1)] * 3])
    assert (len(turn.calls), turn.incomplete) == (1, ())


def test_of_copies_that_differ_the_one_that_ended_later_is_kept_and_the_turn_says_so() -> None:
    early = tool_span(2, "f", parent=1, at=(1, 2), result=[])
    late = tool_span(2, "f", parent=1, at=(1, 3), result=[1])
    for copies in ((early, late), (late, early)):
        (turn,) = explain_spans([agent_span(1, at=(0, 9)), *copies])
        assert [call.rows for call in turn.calls] == [1]
        assert turn.incomplete == ("conflicting-duplicate",)
        assert turn.summary.tone != "ok"


def test_work_that_a_turn_adopted_is_told_once_although_its_first_copy_was_an_agents() -> None:
    rest = [agent_span(2, at=(0, 9)), tool_span(7, "f", at=(20, 21))]
    lost = [agent_span(4, at=(1, 1)), model_span(4, parent=3, at=(1, 2), said=[message("assistant", "a")])]
    for copies in (lost, lost[::-1]):
        turns = explain_spans([*rest, *copies])
        assert [(turn.span_id[-1], turn.answer) for turn in turns] == [("2", "a"), ("7", None)]


@pytest.mark.parametrize(
    "change",
    [
        {"status_message": "x"},
        {"scope": "x"},
        {"dropped": 1},
        {"remote": True},
        {"events": [("e", {"a": "1"})]},
        {"resource": {"footprint.emits": "coverage"}},
    ],
    ids=str,
)
def test_copies_differ_in_whatever_is_read_of_them(change: dict[str, Any]) -> None:
    plain = tool_span(2, "f", parent=1, at=(1, 2))
    changed = tool_span(2, "f", parent=1, at=(1, 2), **change)
    (first,) = explain_spans([agent_span(1, at=(0, 9)), plain, changed])
    (second,) = explain_spans([agent_span(1, at=(0, 9)), changed, plain])
    assert first == second
    assert "conflicting-duplicate" in first.incomplete


def test_events_with_other_attributes_make_other_copies() -> None:
    copies = [tool_span(2, "f", parent=1, events=[("e", {"a": value})]) for value in ("1", "2")]
    (turn,) = explain_spans([agent_span(1, at=(0, 9)), *copies])
    assert turn.incomplete == ("conflicting-duplicate",)


# -- calls that lost their parent (C1) ----------------------------------------------------------------------------

ASKED = [message("assistant", call_part("run_python", "c1", {"code": "1"}))]
SERVICE = {"service.name": "app"}


def asking(number: int, trace: int, at: tuple[float, float] = (0, 10), service: str = "app") -> list[BuiltSpan]:
    resource = {"service.name": service}
    inside = (at[0] + 1, at[0] + 2)
    return [
        agent_span(number, trace=trace, at=at, resource=resource),
        model_span(number + 1, parent=number, trace=trace, at=inside, said=ASKED, resource=resource),
    ]


def lost(trace: int = 9, call_id: str = "c1", at: tuple[float, float] = (3, 4), number: int = 90) -> BuiltSpan:
    return tool_span(
        number, "run_python", trace=trace, call_id=call_id, at=at, arguments={"code": "1"}, resource=SERVICE
    )


def test_a_call_in_a_trace_of_its_own_belongs_to_the_turn_that_asked_for_it() -> None:
    (turn,) = explain_spans([lost(), *asking(1, 1)])
    assert [(c.span_id, c.call_id, c.outcome) for c in turn.calls] == [(format(90, "016x"), "c1", "ran")]
    assert noted(turn) == ("parent-inferred",)
    assert turn.scripts[0].outcome == "returned"


def test_the_work_inside_such_a_call_goes_with_it() -> None:
    inner = [tool_span(91, "inner", trace=9, parent=90, at=(3, 4)), agent_span(92, trace=9, parent=90, at=(3, 4))]
    found = {int(e.span_id, 16): e for e in explain_spans([lost(), *inner, *asking(1, 1)])}
    assert [c.tool for c in found[1].calls] == ["run_python", "inner"]
    assert sorted(found) == [1, 92]


def test_the_agents_of_one_turn_are_one_turn_that_asked() -> None:
    inner = agent_span(3, parent=1, trace=1, at=(0, 10), resource=SERVICE)
    (turn,) = explain_spans([lost(), *asking(1, 1), inner])
    assert noted(turn) == ("parent-inferred",)


@pytest.mark.parametrize(
    "call",
    [lost(call_id="c2"), lost(at=(20, 21)), replace(lost(), resource_attributes={"service.name": "other"})],
    ids=["another id", "another time", "another service"],
)
def test_a_call_that_does_not_fit_is_explained_apart(call: BuiltSpan) -> None:
    turns = explain_spans([call, *asking(1, 1)])
    assert sorted((e.stand_in, [c.span_id for c in e.calls]) for e in turns) == [
        (False, [None]),
        (True, [call.span_id]),
    ]


def test_a_call_that_two_turns_may_have_made_is_given_to_neither() -> None:
    turns = explain_spans([*asking(1, 1), *asking(11, 2), lost()])
    (apart,) = [e for e in turns if e.stand_in]
    assert noted(apart) == ("parent-ambiguous",)
    assert [[c.span_id for c in e.calls] for e in turns if not e.stand_in] == [[None], [None]]


def test_of_two_calls_that_answer_one_request_none_is_picked() -> None:
    turns = explain_spans([*asking(1, 1), lost(trace=8), lost(trace=9, number=91)])
    assert [noted(e) for e in turns if e.stand_in] == [("parent-ambiguous",)] * 2


def test_a_call_is_not_made_by_the_turn_inside_it() -> None:
    around = tool_span(5, "run_python", call_id="c1", at=(0, 20))
    between = [agent_span(6, parent=7, at=(0, 10)), tool_span(7, "between", parent=5, at=(0, 12))]
    inside = model_span(8, parent=6, at=(1, 2), said=ASKED)
    found = {int(e.span_id, 16): e for e in explain_spans([around, *between, inside])}
    assert [c.span_id for c in found[6].calls] == [None]
    assert found[5].stand_in


def test_the_result_that_the_model_read_is_found_for_such_a_call() -> None:
    read = [message("tool", response_part("c1", "[]"))]
    answering = model_span(4, parent=1, at=(6, 7), read=read, said=[message("assistant", "none")])
    (turn,) = explain_spans([lost(), *asking(1, 1), answering])
    assert [signal.id for signal in turn.signals] == ["undeclared-empty-used"]
