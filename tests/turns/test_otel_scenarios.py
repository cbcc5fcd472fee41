"""The OpenTelemetry scenarios O01 to O15 of the behaviour specification, each by what it shows.

O12 and O13 (a resumed turn linked to the one that paused) are in ``test_paused_legs``.
"""

from __future__ import annotations

import itertools

import pytest

from otel_footprint.config import CodeTool, Config
from otel_footprint.explanation import Explanation
from otel_footprint.testing import (
    BuiltSpan,
    agent_span,
    assert_consistent,
    call_part,
    explain_spans,
    message,
    model_span,
    response_part,
    span,
    tool_span,
)

DONE = {"final_result": "done"}


def turns(*spans: BuiltSpan, config: Config | None = None) -> list[Explanation]:
    found = explain_spans(spans, config)
    for explanation in found:
        assert_consistent(explanation)
    return found


def test_o01_an_agent_inside_a_tool_call_is_a_run_of_its_own() -> None:
    outer, inner = turns(
        agent_span(1, at=(0, 9)),
        tool_span(2, "ask", parent=1, at=(1, 8)),
        agent_span(3, parent=2, at=(2, 7)),
        tool_span(4, "search", parent=3, at=(3, 4)),
    )
    assert [c.tool for c in outer.calls] == ["ask"]
    assert ([c.tool for c in inner.calls], inner.nested_in) == (["search"], outer.span_id)


def test_o02_a_call_without_an_id_has_its_name_from_the_spans_name_and_is_its_span() -> None:
    call = span(
        2, parent=1, at=(1, 2), name="execute_tool search", attributes={"gen_ai.operation.name": "execute_tool"}
    )
    (turn,) = turns(agent_span(1, at=(0, 9)), call)
    assert [(c.span_id, c.tool, c.call_id) for c in turn.calls] == [(format(2, "016x"), "search", None)]


def test_o03_two_spans_of_one_call_id_are_two_calls_and_two_dispatches() -> None:
    calls = [tool_span(n, "run_python", parent=1, call_id="c", at=(n, n), arguments={"code": str(n)}) for n in (2, 3)]
    (turn,) = turns(agent_span(1, at=(0, 9)), *calls)
    assert [(s.text, s.dispatch) for s in turn.scripts] == [("2", 1), ("3", 2)]
    assert len(turn.calls) == 2


def test_o04_an_error_with_a_result_is_a_failed_call_whose_program_ended_nobody_knows_how() -> None:
    call = tool_span(
        2, "run_python", parent=1, at=(1, 2), status="error", arguments={"code": "1/0"}, result="ZeroDivisionError"
    )
    (turn,) = turns(agent_span(1, at=(0, 9)), call)
    assert [c.outcome for c in turn.calls] == ["failed"]
    assert [(s.outcome, s.exit_code) for s in turn.scripts] == [("outcome-unknown", None)]


WITH_EXIT = tool_span(
    2, "my_runner", parent=1, at=(1, 2), arguments={"code": "1"}, result='{"exit_code": 0, "value": "x"}'
)


def test_o05_an_exit_code_in_a_result_that_nobody_maps_proves_nothing() -> None:
    declared = Config(code_tools={"my_runner": CodeTool(argument="code")})
    (turn,) = turns(agent_span(1, at=(0, 9)), WITH_EXIT, config=declared)
    assert [(s.outcome, s.exit_code) for s in turn.scripts] == [("returned", None)]


def test_o06_an_exit_code_that_the_app_maps_is_one_and_says_so() -> None:
    mapped = Config(code_tools={"my_runner": CodeTool(argument="code", exit_code_at="exit_code")})
    (turn,) = turns(agent_span(1, at=(0, 9)), WITH_EXIT, config=mapped)
    assert [(s.outcome, s.exit_code, s.exit_code_from) for s in turn.scripts] == [("completed", 0, "mapping")]


def test_o07_a_program_cut_by_a_limit_is_not_recorded() -> None:
    call = tool_span(2, "run_python", parent=1, at=(1, 2), arguments='{"code": "print(', result="x")
    (turn,) = turns(agent_span(1, at=(0, 9)), call)
    assert [(s.program, s.text, s.bytes, s.sha256) for s in turn.scripts] == [("cut", None, None, None)]


def test_o08_without_content_what_came_back_cannot_be_told() -> None:
    (turn,) = turns(agent_span(1, at=(0, 9)), model_span(2, parent=1), tool_span(3, "f", parent=1, at=(1, 2)))
    assert turn.checks.unreachable == ("empty-results",)
    assert {line.missing for line in turn.unreached} == {"no-event"}
    assert turn.summary.tone == "unknown"


def test_o09_a_call_that_was_asked_for_without_a_span_is_unknown_and_its_program_submitted() -> None:
    asked = model_span(2, parent=1, said=[message("assistant", call_part("run_python", "c", {"code": "1"}))])
    (turn,) = turns(agent_span(1, at=(0, 9)), asked)
    assert [c.outcome for c in turn.calls] == ["unknown"]
    assert [(s.outcome, s.text) for s in turn.scripts] == [("submitted", "1")]


def test_o10_the_order_of_arrival_changes_nothing() -> None:
    spans = [
        agent_span(1, at=(0, 9)),
        model_span(2, parent=1, at=(1, 2), said=[message("assistant", call_part("run_python", "c", {"code": "1"}))]),
        tool_span(3, "run_python", parent=1, call_id="c", at=(3, 4)),
        tool_span(4, "search", parent=1, at=(3, 4), result="[]"),
    ]
    orders = {str([e.to_dict(programs=True) for e in turns(*order)]) for order in itertools.permutations(spans)}
    assert len(orders) == 1


def test_o11_a_turn_that_lost_events_is_never_ok() -> None:
    spans = [tool_span(2, "search", parent=1, at=(1, 2), result="[1]")]
    (whole,) = turns(agent_span(1, at=(0, 9), attributes=DONE), *spans)
    (lossy,) = turns(agent_span(1, at=(0, 9), attributes=DONE, dropped=1), *spans)
    assert (whole.summary.tone, lossy.summary.tone) == ("ok", "unknown")
    assert [(line.check, line.missing) for line in lossy.unreached] == [("record", "no-event")]


def test_o14_an_earlier_empty_result_in_view_says_how_far_back_it_is() -> None:
    history = [
        message("user", "one"),
        message("tool", response_part("old", [], name="search")),
        message("user", "two"),
        message("user", "three"),
    ]
    answering = model_span(2, parent=1, at=(1, 2), read=history, said=[message("assistant", "x")])
    (turn,) = turns(agent_span(1, at=(0, 9)), answering)
    ((signal),) = turn.signals
    assert (signal.id, signal.tone, signal.call_id) == ("undeclared-empty-in-view", "warn", "old")
    assert "2 answers back" in signal.about or "2 back" in signal.about


@pytest.mark.parametrize(
    ("routing", "state"), [(None, "not_applicable"), ("none", "not_applicable"), ("recorded", "unreachable")]
)
def test_o15_what_can_be_said_of_routing_is_what_the_runtime_records_of_it(routing: str | None, state: str) -> None:
    config = Config(routing=routing)  # type: ignore[arg-type]
    (turn,) = turns(agent_span(1, at=(0, 9)), config=config)
    assert "decided-delivered" in getattr(turn.checks, state)


def test_o15_of_a_runtime_that_nothing_is_known_of_routing_cannot_be_told() -> None:
    (turn,) = turns(span(1, at=(0, 9), attributes={"footprint.question": "q"}))
    assert turn.checks.unreachable == ("decided-delivered",)
    assert [line.enable for line in turn.unreached] != [None]
