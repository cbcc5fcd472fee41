"""Which span carries a turn, and whose turn a call is part of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from random_traces import step_span

from otel_footprint.explanation import Explanation
from otel_footprint.testing import (
    BuiltSpan,
    agent_span,
    assert_consistent,
    explain_spans,
    message,
    model_span,
    span,
    tool_span,
)
from otel_footprint.turns import TurnAssembler


def turns(*spans: BuiltSpan) -> dict[int, Explanation]:
    """By the number of the carrier's span."""
    found = explain_spans(spans)
    for explanation in found:
        assert_consistent(explanation)
    return {int(e.span_id, 16): e for e in found}


def calls(explanation: Explanation) -> list[str | None]:
    return [call.tool for call in explanation.calls]


def workflow(number: int, **rest: Any) -> BuiltSpan:
    return span(number, attributes={"gen_ai.operation.name": "invoke_workflow"}, **rest)


# -- one turn or two ----------------------------------------------------------------------------------------------


def test_a_workflow_around_agents_is_one_turn_of_the_workflows_span() -> None:
    found = turns(
        workflow(1, at=(0, 9)),
        agent_span(2, agent="a", parent=1, at=(1, 4)),
        tool_span(3, "f", parent=2, at=(2, 3)),
        agent_span(4, agent="b", parent=1, at=(5, 8)),
        tool_span(5, "g", parent=4, at=(6, 7)),
    )
    assert list(found) == [1]
    assert calls(found[1]) == ["f", "g"]
    assert found[1].agent == "a"


def test_an_agent_inside_a_tool_call_is_its_own_turn_nested_in_the_other() -> None:
    found = turns(
        agent_span(1, at=(0, 9)),
        tool_span(2, "ask", parent=1, at=(1, 8)),
        span(3, name="http", parent=2, at=(2, 7)),
        agent_span(4, parent=3, at=(3, 6)),
        tool_span(5, "search", parent=4, at=(4, 5)),
    )
    assert {n: e.nested_in for n, e in found.items()} == {1: None, 4: format(1, "016x")}
    assert (calls(found[1]), calls(found[4])) == (["ask"], ["search"])


def test_a_tool_call_inside_a_tool_call_is_of_the_same_turn() -> None:
    found = turns(agent_span(1, at=(0, 9)), tool_span(2, "f", parent=1), tool_span(3, "g", parent=2, at=(1, 2)))
    assert calls(found[1]) == ["f", "g"]


def test_a_turn_three_agents_deep_is_nested_in_the_one_right_around_it() -> None:
    found = turns(
        agent_span(1, at=(0, 9)),
        tool_span(2, "f", parent=1, at=(1, 8)),
        agent_span(3, parent=2, at=(2, 7)),
        tool_span(4, "g", parent=3, at=(3, 6)),
        agent_span(5, parent=4, at=(4, 5)),
    )
    assert {n: e.nested_in for n, e in found.items()} == {1: None, 3: format(1, "016x"), 5: format(3, "016x")}


def test_agents_side_by_side_without_anything_around_them_are_two_turns() -> None:
    found = turns(span(1, at=(0, 9)), agent_span(2, parent=1, at=(1, 2)), agent_span(3, parent=1, at=(3, 4)))
    assert list(found) == [2, 3]


# -- steps --------------------------------------------------------------------------------------------------------


def test_the_outermost_step_around_a_model_call_stands_for_a_turn_without_an_agent_span() -> None:
    found = turns(
        step_span(1, at=(0, 9)),
        step_span(2, parent=1, at=(1, 8)),
        model_span(3, parent=2, at=(2, 3)),
        tool_span(4, "f", parent=2, at=(4, 5)),
    )
    assert list(found) == [1]
    assert calls(found[1]) == ["f"]
    assert not found[1].stand_in


def test_a_step_with_an_agent_span_below_it_is_no_turn() -> None:
    found = turns(step_span(1, at=(0, 9)), agent_span(2, parent=1, at=(1, 8)), model_span(3, parent=2, at=(2, 3)))
    assert list(found) == [2]


def test_a_step_around_a_model_call_inside_a_tool_call_is_its_own_turn() -> None:
    found = turns(
        agent_span(1, at=(0, 9)),
        tool_span(2, "ask", parent=1, at=(1, 8)),
        step_span(3, parent=2, at=(2, 7)),
        model_span(4, parent=3, at=(3, 4)),
        tool_span(5, "search", parent=3, at=(5, 6)),
    )
    assert found[3].nested_in == format(1, "016x")
    assert (calls(found[1]), calls(found[3])) == (["ask"], ["search"])


def test_a_step_inside_a_step_that_is_no_turn_is_none_either() -> None:
    # The outer step holds an agent, so it stands for nothing; what is beside that agent is the caller's.
    found = turns(
        agent_span(1, at=(0, 20)),
        tool_span(2, "ask", parent=1, at=(1, 19)),
        step_span(3, parent=2, at=(2, 18)),
        step_span(4, parent=3, at=(3, 9)),
        model_span(5, parent=4, at=(4, 8), said=[message("assistant", "beside")]),
        tool_span(6, "beside", parent=4, at=(5, 6)),
        agent_span(7, parent=3, at=(10, 17)),
        tool_span(8, "inside", parent=7, at=(11, 12)),
    )
    assert (calls(found[1]), calls(found[7])) == (["ask", "beside"], ["inside"])
    assert sorted(found) == [1, 7]


def test_a_step_without_a_model_call_stands_in_for_the_tool_calls_below_it() -> None:
    found = turns(step_span(1, at=(0, 9)), tool_span(2, "f", parent=1, at=(1, 2)))
    assert list(found) == [1]
    assert (found[1].stand_in, found[1].incomplete, calls(found[1])) == (True, ("no-turn-span",), ["f"])


# -- no turn span (C3, C4, C11, C12) ------------------------------------------------------------------------------


def test_calls_whose_agent_never_came_are_explained_on_the_first_of_the_top_most_spans() -> None:
    spans = [
        *(tool_span(n, f"t{n}", parent=99, at=(n, n + 1)) for n in (4, 5, 6, 7, 8)),
        *(model_span(n, parent=99, at=(n, n + 1), said=[message("assistant", str(n))]) for n in (3, 9, 10)),
    ]
    found = turns(*spans)
    assert list(found) == [3]
    assert found[3].stand_in
    assert found[3].incomplete == ("no-turn-span", "parent-missing")
    assert calls(found[3]) == ["t4", "t5", "t6", "t7", "t8"]
    assert found[3].answer == "10"
    assert any(line.check == "record" for line in found[3].unreached)


def test_single_calls_each_in_a_trace_of_its_own_are_not_made_into_one_turn() -> None:
    found = explain_spans([tool_span(n, f"t{n}", trace=n) for n in range(1, 10)])
    assert [(e.trace_id, [c.tool for c in e.calls]) for e in found] == [
        (format(n, "032x"), [f"t{n}"]) for n in range(1, 10)
    ]
    assert all(e.stand_in for e in found)


def test_a_trace_without_anything_of_an_agent_is_not_explained() -> None:
    assert turns(span(1), span(2, parent=1, name="GET /")) == {}


# -- broken chains ------------------------------------------------------------------------------------------------


def test_a_turn_whose_own_parent_never_came_says_so() -> None:
    found = turns(agent_span(1, parent=99, at=(0, 9)), tool_span(2, "f", parent=1))
    assert (found[1].incomplete, calls(found[1])) == (("parent-missing",), ["f"])
    assert found[1].summary.tone != "ok"


def test_a_parent_in_another_process_is_not_missed() -> None:
    assert turns(agent_span(1, parent=99, remote=True, at=(0, 9)))[1].incomplete == ()


def test_a_turn_that_is_its_own_parent_is_explained_and_says_so() -> None:
    found = turns(agent_span(1, parent=1, at=(0, 9)), tool_span(2, "f", parent=1))
    assert (found[1].incomplete, calls(found[1])) == (("parent-cycle",), ["f"])


def test_of_turns_that_name_each_other_as_parents_the_earliest_is_the_outer_one() -> None:
    found = turns(
        agent_span(1, parent=4, at=(1, 9)),
        tool_span(2, "f", parent=1, at=(2, 8)),
        agent_span(3, parent=2, at=(3, 7)),
        tool_span(4, "g", parent=3, at=(4, 6)),
    )
    assert {n: e.nested_in for n, e in found.items()} == {1: None, 3: format(1, "016x")}
    assert (calls(found[1]), calls(found[3])) == (["f"], ["g"])


def test_tool_calls_that_name_each_other_as_parents_are_explained_once() -> None:
    found = turns(tool_span(1, "f", parent=2, at=(1, 2)), tool_span(2, "g", parent=1, at=(0, 3)))
    assert list(found) == [2]
    assert calls(found[2]) == ["g", "f"]
    assert found[2].incomplete == ("no-turn-span", "parent-cycle")


@pytest.mark.parametrize("first", [2, 3, 4, 5])
def test_a_span_below_a_circle_is_below_the_span_that_it_names(first: int) -> None:
    spans = {
        2: agent_span(2, parent=3, at=(2, 3)),
        3: agent_span(3, parent=5, at=(0, 9)),
        4: tool_span(4, "f", parent=3, at=(1, 8)),
        5: span(5, parent=4, at=(2, 7)),
    }
    found = turns(spans.pop(first), *spans.values())
    assert {n: calls(e) for n, e in found.items()} == {3: ["f"]}


def test_a_call_that_stands_as_the_root_of_a_circle_is_not_in_the_turn_below_it() -> None:
    found = turns(tool_span(1, "f", parent=2, at=(0, 9)), agent_span(2, parent=1, at=(1, 8)))
    assert {n: calls(e) for n, e in found.items()} == {1: ["f"], 2: []}


@pytest.mark.parametrize("at", [(0, 0), (5, 1), (10**9, 10**9 + 1), (2**62, 2**63)], ids=str)
def test_any_times_are_taken_as_they_are(at: tuple[float, float]) -> None:
    found = turns(agent_span(1, at=at), tool_span(2, "run_python", parent=1, at=at, arguments={"code": "1"}))
    assert calls(found[1]) == ["run_python"]
    assert found[1].scripts[0].text == "1"


def test_calls_that_start_together_are_filed_by_span_id() -> None:
    spans = [tool_span(n, f"t{n}", parent=1, at=(1, 2)) for n in (7, 3, 5)]
    assert calls(turns(agent_span(1, at=(0, 9)), *spans)[1]) == ["t3", "t5", "t7"]


def test_a_call_in_a_model_call_that_is_still_streaming_is_of_the_turn() -> None:
    # C15: the stream's span stays current while its tools run, so they become its children.
    found = turns(
        agent_span(1, at=(0, 30)),
        model_span(2, parent=1, at=(0, 20), read=[message("user", "q")], said=[message("assistant", "first")]),
        tool_span(3, "f", parent=2, at=(3, 5)),
        model_span(4, parent=3, at=(4, 5), read=[message("user", "inner")], said=[message("assistant", "inner")]),
    )
    assert list(found) == [1]
    assert calls(found[1]) == ["f"]
    assert (found[1].question, found[1].answer) == ("q", "first")


def test_a_span_without_a_valid_id_is_nobodys() -> None:
    assembler = TurnAssembler()
    assert not assembler.add(replace(agent_span(1), span_id=""), 0.0)
    assert not assembler.add(replace(agent_span(1), trace_id=""), 0.0)
    found = assembler.statistics()
    assert (found.rejected, found.spans, found.traces) == (2, 0, 0)


# -- agents of one turn -------------------------------------------------------------------------------------------


def test_the_answer_is_of_the_agent_that_records_one_outermost_first() -> None:
    found = turns(
        workflow(1, at=(0, 9)),
        agent_span(2, agent="a", parent=1, at=(1, 4), attributes={"final_result": "first"}),
        agent_span(3, agent="b", parent=2, at=(2, 3), attributes={"final_result": "inner"}),
    )
    assert found[1].answer == "first"


def test_an_agent_that_failed_last_leaves_the_turn_unfinished() -> None:
    found = turns(
        workflow(1, at=(0, 9)),
        agent_span(2, parent=1, at=(1, 4), attributes={"final_result": "first"}),
        agent_span(3, parent=1, at=(5, 6), status="error"),
    )
    assert (found[1].finished, found[1].answer) == (False, None)


def test_a_turn_without_an_end_is_unfinished() -> None:
    assert not turns(agent_span(1, at=(1, 0)))[1].finished


def test_the_conversation_of_a_turn_may_stand_on_a_span_inside_it() -> None:
    inside = model_span(2, parent=1, attributes={"gen_ai.conversation.id": "c1"})
    assert turns(agent_span(1, at=(0, 9)), inside)[1].conversation_id == "c1"


def test_two_instrumentations_of_one_model_call_are_one_model_call() -> None:
    asked = [message("assistant", {"type": "tool_call", "id": "c1", "name": "f", "arguments": {}})]
    for outer, inner in ((asked, asked), (None, asked), (asked, None)):
        found = turns(
            agent_span(1, at=(0, 9)),
            model_span(2, parent=1, at=(1, 4), said=outer),
            span(3, parent=2, at=(1, 4)),
            model_span(4, parent=3, at=(2, 3), said=inner),
        )
        assert [c.call_id for c in found[1].calls] == ["c1"]
