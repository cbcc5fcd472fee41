"""Which call is which: a call is its span, and the provider's id only pairs it with what a model asked for."""

from __future__ import annotations

from typing import Any

import pytest
from random_traces import conversation

from otel_footprint.explanation import Explanation
from otel_footprint.facts import Turn
from otel_footprint.spanview import SpanView
from otel_footprint.testing import (
    BuiltSpan,
    agent_span,
    assert_consistent,
    assert_evidence_resolves,
    call_part,
    explain_spans,
    message,
    model_span,
    response_part,
    span,
    tool_span,
)
from otel_footprint.turns import TurnAssembler


def explained(*spans: SpanView) -> Explanation:
    """The one turn of these spans."""
    (found,) = explain_spans(spans)
    assert_consistent(found)
    assert_evidence_resolves(found, spans)
    return found


def turn_of(*spans: SpanView) -> Turn:
    assembler = TurnAssembler()
    for one in spans:
        assembler.add(one, 0.0)
    (turn,) = assembler.close(0.0).turns
    return turn


TOP = agent_span(1, at=(0, 100))
HOSTED = {
    "type": "server_tool_call",
    "id": "c1",
    "name": "code_interpreter",
    "server_tool_call": {"type": "code_interpreter", "code": "print(1)", "container_id": "x"},
}


def asks(number: int, *parts: dict[str, Any], at: tuple[float, float] = (1, 2), **rest: Any) -> BuiltSpan:
    return model_span(number, parent=1, at=at, said=[message("assistant", *parts)], **rest)


# -- ids (D1 to D6) -----------------------------------------------------------------------------------------------


def test_two_spans_of_one_call_id_are_two_calls() -> None:
    found = explained(
        TOP,
        asks(2, call_part("run_shell", "call_0", {"command": "ls"})),
        tool_span(3, "run_shell", parent=1, call_id="call_0", at=(3, 4), arguments={"command": "ls"}),
        asks(4, call_part("run_shell", "call_0", {"command": "pytest"}), at=(5, 6)),
        tool_span(
            5, "run_shell", parent=1, call_id="call_0", at=(7, 8), arguments={"command": "pytest"}, status="error"
        ),
    )
    assert [(c.call_id, c.outcome) for c in found.calls] == [("call_0", "ran"), ("call_0", "failed")]
    assert [(s.text, s.dispatch, s.iteration, s.outcome) for s in found.scripts] == [
        ("ls", 1, 1, "returned"),
        ("pytest", 2, 2, "outcome-unknown"),
    ]


def test_each_call_of_a_repeated_id_has_its_own_result() -> None:
    turn = turn_of(*conversation(tool_calls=[("call_0", "[]"), ("call_0", "[1]"), ("call_0", "[1, 2]")]))
    assert [call.result.value for call in turn.calls] == ["[]", "[1]", "[1, 2]"]


def test_a_result_of_an_earlier_turn_under_the_same_id_is_not_this_calls_result() -> None:
    old = [message("user", "before"), message("tool", response_part("call_0", "[1]")), message("user", "now")]
    turn = turn_of(
        TOP,
        asks(2, call_part("search", "call_0", {}), read=old),
        tool_span(3, "search", parent=1, call_id="call_0", at=(3, 4)),
        model_span(4, parent=1, at=(5, 6), read=[*old, message("tool", response_part("call_0", "[]"))], said=[]),
    )
    assert [call.result.value for call in turn.calls] == ["[]"]


def test_an_empty_call_id_is_no_id() -> None:
    found = explained(
        TOP,
        asks(2, call_part("f", "", {"a": 1}), call_part("f", "", {"a": 2})),
        tool_span(3, "f", parent=1, call_id="", at=(3, 4), arguments={"a": 1}),
        tool_span(4, "f", parent=1, call_id="", at=(3, 4), arguments={"a": 2}),
    )
    assert [(c.span_id, c.call_id) for c in found.calls] == [(format(n, "016x"), None) for n in (3, 4)]


def test_the_placeholder_of_a_missing_call_id_is_no_id() -> None:
    found = explained(TOP, tool_span(3, "f", parent=1, call_id="<not specified>"))
    assert found.calls[0].call_id is None


def test_identical_calls_are_as_many_attempts_as_there_were() -> None:
    spans: list[BuiltSpan] = [TOP]
    for index, code in enumerate((1, 1, 0)):
        start = 10 * index
        spans += [
            asks(10 + index, call_part("run_tests", None, {"command": "t"}), at=(start + 1, start + 2)),
            tool_span(
                20 + index,
                "run_shell",
                parent=1,
                at=(start + 3, start + 4),
                arguments={"command": "t"},
                attributes={"process.exit.code": code},
            ),
        ]
    assert [(s.outcome, s.exit_code) for s in explained(*spans).scripts][:3] == [
        ("completed-with-failure", 1),
        ("completed-with-failure", 1),
        ("completed", 0),
    ]


def test_a_call_without_an_id_is_paired_by_its_name_and_arguments() -> None:
    found = explained(
        TOP,
        asks(2, call_part("f", "c1", {"a": 1}), call_part("f", "c2", {"a": 2})),
        tool_span(3, "f", parent=1, at=(3, 4), arguments={"a": 2}),
        tool_span(4, "f", parent=1, at=(3, 4), arguments={"a": 1}),
    )
    assert [c.call_id for c in found.calls] == ["c2", "c1"]


def test_a_call_is_never_paired_with_a_request_that_came_after_it() -> None:
    found = explained(
        TOP,
        tool_span(3, "f", parent=1, call_id="c1", at=(1, 2), arguments={}),
        asks(4, call_part("f", "c1", {}), at=(5, 6)),
    )
    assert [(c.span_id, c.notes) for c in found.calls] == [(format(3, "016x"), ()), (None, ("no-span",))]


def test_a_request_of_the_same_moment_is_before_its_call() -> None:
    found = explained(TOP, asks(4, call_part("f", "c1", {})), tool_span(3, "f", parent=1, call_id="c1", at=(1, 2)))
    assert [c.span_id for c in found.calls] == [format(3, "016x")]


def test_which_of_two_model_calls_at_once_asked_for_a_call_without_id_is_not_known() -> None:
    # C20
    turn = turn_of(
        TOP,
        asks(2, call_part("f", "c1", {"a": 1}), at=(1, 3)),
        asks(3, call_part("f", "c2", {"a": 1}), at=(2, 4)),
        tool_span(4, "f", parent=1, at=(5, 6), arguments={"a": 1}, result="one"),
        tool_span(5, "f", parent=1, at=(5, 6), arguments={"a": 1}, result="two"),
        model_span(6, parent=1, at=(7, 8), read=[message("tool", response_part("c1", "x"), response_part("c2", "y"))]),
    )
    assert [(c.call_id, c.iteration, c.result.value) for c in turn.calls] == [(None, 0, "one"), (None, 0, "two")]


def test_ids_tell_which_of_two_model_calls_at_once_asked() -> None:
    turn = turn_of(
        TOP,
        asks(2, call_part("f", "c1", {"a": 1}), at=(1, 3)),
        asks(3, call_part("f", "c2", {"a": 1}), at=(2, 4)),
        tool_span(4, "f", parent=1, at=(5, 6), call_id="c2", arguments={"a": 1}),
        tool_span(5, "f", parent=1, at=(5, 6), call_id="c1", arguments={"a": 1}),
    )
    assert [(c.call_id, c.iteration) for c in turn.calls] == [("c2", 2), ("c1", 1)]


def test_a_call_whose_arguments_are_not_recorded_is_the_one_request_of_its_tool() -> None:
    turn = turn_of(TOP, asks(2, call_part("f", "c1", {"a": 1})), tool_span(3, "f", parent=1, at=(3, 4)))
    assert [(c.span_id, c.call_id, c.iteration) for c in turn.calls] == [(format(3, "016x"), "c1", 1)]


def test_of_several_requests_a_call_without_arguments_answers_one_and_nobody_knows_which() -> None:
    parts = [call_part("run_python", "c1", {"code": "1"}), call_part("run_python", "c2", {"code": "2"})]
    calls = [tool_span(n, "run_python", parent=1, at=(n, n + 1), result=str(n)) for n in (3, 4)]
    read = [message("tool", response_part("c1", "one"), response_part("c2", "two"))]
    turn = turn_of(TOP, asks(2, *parts), *calls, model_span(9, parent=1, at=(8, 9), read=read))
    assert [(c.call_id, c.iteration, c.result.value) for c in turn.calls] == [(None, 0, "3"), (None, 0, "4")]
    assert [c.code_run.proposed.state for c in turn.calls if c.code_run] == ["absent", "absent"]


def test_a_call_without_a_name_or_an_id_answers_no_request() -> None:
    found = explained(TOP, asks(2, {"type": "tool_call", "id": "c1"}), tool_span(3, parent=1, at=(3, 4)))
    assert [c.call_id for c in found.calls] == ["c1", None]


def test_a_request_that_the_provider_answers_is_not_answered_by_a_span_of_that_name() -> None:
    found = explained(TOP, asks(2, HOSTED), tool_span(3, "code_interpreter", parent=1, at=(3, 4)))
    assert [(c.span_id, c.notes) for c in found.calls] == [(None, ("hosted",)), (format(3, "016x"), ())]


def test_a_retried_model_call_does_not_make_the_question_of_who_asked_unclear() -> None:
    turn = turn_of(
        TOP,
        asks(2, call_part("f", "c1", {"a": 1}), at=(1, 2)),
        asks(3, call_part("f", "c2", {"a": 1}), at=(3, 4)),
        tool_span(4, "f", parent=1, at=(5, 6), arguments={"a": 1}),
    )
    assert [(c.call_id, c.iteration) for c in turn.calls] == [("c1", 1), ("c2", 2)]


def test_a_call_that_nobody_asked_for_counts_for_the_model_call_before_it() -> None:
    turn = turn_of(TOP, tool_span(2, "f", parent=1, at=(0, 0)), asks(3), tool_span(4, "g", parent=1, at=(3, 4)))
    assert [call.iteration for call in turn.calls] == [0, 1]


# -- asked for, and no span (C2, D11, D12) ------------------------------------------------------------------------


def test_a_requested_call_without_a_span_is_unknown_and_not_a_success() -> None:
    found = explained(
        TOP,
        asks(2, *(call_part("f", f"c{n}", {"n": n}) for n in (1, 2, 3))),
        tool_span(3, "f", parent=1, call_id="c1", at=(3, 4)),
        tool_span(4, "f", parent=1, call_id="c3", at=(3, 4)),
    )
    assert [(c.call_id, c.outcome, c.notes) for c in found.calls] == [
        ("c2", "unknown", ("no-span",)),
        ("c1", "ran", ()),
        ("c3", "ran", ()),
    ]
    assert found.counts.unknown == 1


def test_the_answer_to_a_request_without_a_span_is_taken_from_the_messages() -> None:
    read = [message("tool", response_part("c1", "validation error: no such field"))]
    turn = turn_of(TOP, asks(2, call_part("f", "c1", {})), model_span(3, parent=1, at=(5, 6), read=read))
    (call,) = turn.calls
    assert (call.result.value, call.result.where, call.outcome) == (
        "validation error: no such field",
        "messages",
        "unknown",
    )


def test_a_program_that_was_asked_for_and_never_seen_to_run_is_submitted() -> None:
    found = explained(TOP, asks(2, call_part("run_python", "c1", {"code": "1"})))
    (script,) = found.scripts
    assert (script.outcome, script.text, script.exit_code) == ("submitted", "1", None)


def test_the_last_answer_given_through_an_output_tool_is_no_call() -> None:
    found = explained(TOP, asks(2, call_part("final_result", "c1", {}), call_part("final_result_City", "c2", {})))
    assert found.calls == ()


def test_a_tool_whose_name_only_begins_like_an_output_tool_is_a_call() -> None:
    assert len(explained(TOP, asks(2, call_part("final_results_of", "c1", {}))).calls) == 1


def test_an_agent_span_without_model_spans_tells_what_was_asked_for() -> None:
    said = {"gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"f"}]}]'}
    found = explained(agent_span(1, at=(0, 9), attributes=said), tool_span(2, "f", parent=1, call_id="c1"))
    assert [(c.span_id, c.call_id) for c in found.calls] == [(format(2, "016x"), "c1")]


def test_a_request_on_the_agents_own_span_without_a_call_is_unknown() -> None:
    said = {"gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"f"}]}]'}
    found = explained(agent_span(1, at=(0, 9), attributes=said))
    assert [(c.call_id, c.outcome) for c in found.calls] == [("c1", "unknown")]


def test_a_request_without_a_name_is_kept_and_counted_unread() -> None:
    found = explained(TOP, asks(2, {"type": "tool_call", "id": "c1"}))
    assert [(c.tool, c.call_id) for c in found.calls] == [(None, "c1")]


# -- hosted calls (D12) -------------------------------------------------------------------------------------------


def test_a_call_that_the_provider_ran_is_in_the_messages_alone() -> None:
    answer = {"type": "server_tool_call_response", "id": "c1", "server_tool_call_response": {"outputs": []}}
    found = explained(TOP, asks(2, HOSTED, answer))
    assert [(c.span_id, c.tool, c.outcome, c.notes) for c in found.calls] == [
        (None, "code_interpreter", "ran", ("hosted",))
    ]
    assert [(s.text, s.outcome, s.argument) for s in found.scripts] == [("print(1)", "returned", "code")]


def test_a_hosted_call_without_its_answer_is_unknown() -> None:
    found = explained(TOP, asks(2, HOSTED))
    assert [(c.outcome, c.result_recorded) for c in found.calls] == [("unknown", False)]
    assert [s.outcome for s in found.scripts] == ["submitted"]


# -- one call seen twice (D8) -------------------------------------------------------------------------------------


def test_a_wrapper_and_the_native_span_inside_it_are_one_call() -> None:
    turn = turn_of(
        TOP,
        tool_span(2, "mcp__server__f", parent=1, at=(1, 8), arguments={"a": 1}, result="outer"),
        span(3, parent=2, at=(2, 7), name="POST /mcp"),
        tool_span(4, "f", parent=3, call_id="c1", at=(3, 6), result='{"content":[{"type":"text","text":"inner"}]}'),
    )
    (call,) = turn.calls
    assert (call.span_id, call.tool, call.call_id) == (format(2, "016x"), "mcp__server__f", "c1")
    assert (call.start_ns, call.end_ns) == (1_000_000_000, 8_000_000_000)
    assert call.result.value == "inner"


def test_an_mcp_clients_span_and_its_servers_are_one_call() -> None:
    found = explained(
        TOP,
        tool_span(2, "add", parent=1, at=(1, 8), name="tools/call add"),
        tool_span(3, "add", parent=2, at=(2, 7), name="tools/call add", remote=True, result="3"),
    )
    assert [c.result_recorded for c in found.calls] == [True]


@pytest.mark.parametrize("ids", [(2, 3, 4), (4, 3, 2), (3, 2, 4), (2, 4, 3)])
def test_three_spans_of_one_call_are_one_call_whatever_their_order_is(ids: tuple[int, int, int]) -> None:
    outer, middle, inner = ids
    found = explained(
        TOP,
        tool_span(outer, "f", parent=1, at=(1, 2)),
        tool_span(middle, "f", parent=outer, at=(1, 2)),
        tool_span(inner, "f", parent=middle, at=(1, 2), call_id="c1", result="x"),
    )
    assert [(c.span_id, c.call_id, c.result_recorded) for c in found.calls] == [(format(outer, "016x"), "c1", True)]


@pytest.mark.parametrize("which", ["outer", "inner"])
def test_an_error_on_either_of_two_spans_of_one_call_wins(which: str) -> None:
    status: dict[str, Any] = {which: "error", "outer" if which == "inner" else "inner": "ok"}
    found = explained(
        TOP,
        tool_span(2, "f", parent=1, at=(1, 8), status=status["outer"]),
        tool_span(3, "f", parent=2, at=(2, 7), status=status["inner"]),
    )
    assert [c.outcome for c in found.calls] == ["failed"]


def test_what_either_of_two_spans_of_one_call_says_of_itself_counts() -> None:
    found = explained(
        TOP,
        tool_span(2, "f", parent=1, at=(1, 8), attributes={"code_run.exit_code": "bad", "coverage.rows": 0}),
        tool_span(
            3,
            "f",
            parent=2,
            at=(2, 7),
            attributes={"code_run.argument": "x", "code_run.program": "1", "code_run.exit_code": 4},
        ),
    )
    assert [(s.text, s.exit_code, s.exit_code_from) for s in found.scripts] == [("1", 4, "attribute")]
    assert found.calls[0].rows == 0


def test_a_tool_that_calls_another_is_two_calls() -> None:
    found = explained(TOP, tool_span(2, "f", parent=1, at=(1, 8)), tool_span(3, "g", parent=2, at=(2, 7)))
    assert [c.tool for c in found.calls] == ["f", "g"]


def test_a_tool_that_calls_itself_under_another_id_is_two_calls() -> None:
    found = explained(
        TOP,
        tool_span(2, "f", parent=1, call_id="c1", at=(1, 8)),
        tool_span(3, "f", parent=2, call_id="c2", at=(2, 7)),
    )
    assert [c.call_id for c in found.calls] == ["c1", "c2"]


def test_calls_without_a_name_are_never_taken_for_one() -> None:
    found = explained(TOP, tool_span(2, parent=1, at=(1, 8)), tool_span(3, parent=2, at=(2, 7)))
    assert [c.tool for c in found.calls] == [None, None]


# -- did it fail? (E10 to E23) ------------------------------------------------------------------------------------


def outcome_of(**call: Any) -> str:
    return explained(TOP, tool_span(2, "f", parent=1, at=(1, 2), **call)).calls[0].outcome


@pytest.mark.parametrize(
    "result",
    [
        '{"exit_code": 0, "error": null, "stdout": ""}',
        "class Error(Exception): pass  # error error error",
        "Traceback (most recent call last):\n  ...\nValueError: x",
        '{"content": [], "isError": false}',
        '{"isError": "true"}',
        '{"final_state": "interrupted"}',
    ],
)
def test_no_word_of_a_result_makes_a_call_failed(result: str) -> None:
    assert outcome_of(result=result) == "ran"


@pytest.mark.parametrize(
    "flags",
    [
        {"status": "error"},
        {"status": "ok", "attributes": {"error.type": "tool_error"}},
        {"attributes": {"gen_ai.tool.status": "error"}},
        {"attributes": {"gen_ai.tool.status": "failure"}},
        {"events": [("exception", {"exception.type": "E", "exception.escaped": True})]},
        {"events": [("exception", {"exception.type": "E", "exception.escaped": "True"})]},
        {"result": '{"isError": true, "content": [{"type": "text", "text": "boom"}]}'},
        {"attributes": {"gen_ai.tool.call.result": {"isError": True}}},
        {"status": "error", "result": "a result all the same"},
    ],
    ids=str,
)
def test_any_recorded_flag_makes_a_call_failed(flags: dict[str, Any]) -> None:
    assert outcome_of(**flags) == "failed"


@pytest.mark.parametrize(
    "flags",
    [
        {"status": "ok"},
        {"attributes": {"error.type": ""}},
        {"attributes": {"gen_ai.tool.status": "success"}},
        {"attributes": {"gen_ai.tool.status": ["error"]}},
        {"events": [("exception", {"exception.type": "Caught"})]},
        {"events": [("exception", {"exception.escaped": ["true"]})]},
    ],
    ids=str,
)
def test_what_is_no_flag_makes_no_call_failed(flags: dict[str, Any]) -> None:
    assert outcome_of(**flags) == "ran"


def test_a_call_without_an_end_is_unknown() -> None:
    assert explained(TOP, tool_span(2, "f", parent=1, at=(1, 0))).calls[0].outcome == "unknown"


def test_a_turn_that_ended_well_over_failed_calls_counts_them() -> None:
    # E22, E23
    calls = [tool_span(n, f"t{n}", parent=1, at=(n, n + 1), status="error") for n in (2, 3, 4)]
    found = explained(agent_span(1, at=(0, 9), status="ok", attributes={"final_result": "done"}), *calls)
    assert (found.counts.failed, found.counts.calls) == (3, 3)
    assert [line.about for line in found.wrong if line.id == "wrong.errors"] != []
    assert found.finished


def test_a_turn_that_was_cancelled_is_not_a_success() -> None:
    # E18: a cancellation leaves no status, and the last model call without its output.
    found = explained(
        TOP,
        model_span(2, parent=1, at=(1, 2), read=[message("user", "q")]),
        tool_span(3, "f", parent=1, at=(3, 4)),
        model_span(4, parent=1, at=(5, 6), read=[message("user", "q")]),
    )
    assert (found.finished, found.answer, found.summary.tone) == (False, None, "unknown")


# -- hand-offs (C22) ----------------------------------------------------------------------------------------------


def test_a_hand_off_to_an_agent_of_the_turn_is_no_call() -> None:
    turn = turn_of(
        span(1, at=(0, 99), attributes={"gen_ai.operation.name": "invoke_workflow"}),
        agent_span(2, agent="router", parent=1, at=(1, 9)),
        model_span(
            3, parent=2, at=(2, 3), said=[message("assistant", call_part("transfer_to_math_specialist", "c1", {}))]
        ),
        agent_span(4, agent="Math Specialist", parent=1, at=(10, 20)),
    )
    assert turn.calls == ()
    assert [(h.target, h.delivered) for h in turn.handoffs] == [("Math Specialist", True)]


def test_a_hand_off_that_never_arrived_is_a_signal_and_no_call() -> None:
    handed = span(3, parent=1, at=(3, 4), name="handoff to b", attributes={"openinference.span.kind": "TOOL"})
    found = explained(TOP, asks(2, call_part("transfer_to_b", "c1", {})), handed)
    assert found.calls == ()
    assert [(s.id, s.tone) for s in found.signals] == [("decided-not-delivered", "bad")]


def test_the_errors_of_a_hand_off_span_are_no_failed_call() -> None:
    handed = span(
        3, parent=1, at=(3, 4), name="handoff to b", status="error", attributes={"openinference.span.kind": "TOOL"}
    )
    found = explained(TOP, handed)
    assert (found.calls, found.counts.failed) == ((), 0)


def test_a_tool_that_is_only_named_like_a_hand_off_is_a_call() -> None:
    found = explained(TOP, asks(2, call_part("transfer_to_savings", "c1", {"amount": 1})))
    assert [c.tool for c in found.calls] == ["transfer_to_savings"]


# -- earlier results in view --------------------------------------------------------------------------------------


def test_earlier_results_in_view_are_newest_first_with_their_distance() -> None:
    history = [
        message("user", "one"),
        message("assistant", call_part("search", "c1", {})),
        message("tool", response_part("c1", [])),
        message("user", "two"),
        message("tool", response_part("c2", [1], name="look")),
        message("user", "three"),
        message("tool", response_part("c3", [])),
    ]
    turn = turn_of(
        TOP,
        tool_span(3, "f", parent=1, call_id="c3", at=(1, 2)),
        model_span(4, parent=1, at=(5, 6), read=history, said=[message("assistant", "x")]),
    )
    assert [(r.tool, r.call_id, r.distance, r.result.value) for r in turn.in_view] == [
        ("look", "c2", 1, [1]),
        ("search", "c1", 2, []),
    ]


def test_an_earlier_result_under_the_id_of_a_call_of_this_turn_is_still_in_view() -> None:
    history = [
        message("user", "one"),
        message("tool", response_part("call_0", [], name="search")),
        message("user", "two"),
        message("tool", response_part("call_0", [1], name="search")),
    ]
    turn = turn_of(
        TOP,
        tool_span(3, "search", parent=1, call_id="call_0", at=(1, 2)),
        model_span(4, parent=1, at=(5, 6), read=history, said=[message("assistant", "x")]),
    )
    assert [(r.distance, r.result.value) for r in turn.in_view] == [(1, [])]


def test_a_result_that_no_message_names_is_not_in_view() -> None:
    history = [message("tool", response_part("c1", [])), message("user", "q")]
    turn = turn_of(TOP, model_span(4, parent=1, at=(5, 6), read=history, said=[message("assistant", "x")]))
    assert turn.in_view == ()


def test_an_earlier_result_kept_out_by_a_policy_is_counted() -> None:
    history = [message("tool", response_part("c1", "<REDACTED>", name="f")), message("user", "q")]
    spans = [TOP, model_span(4, parent=1, at=(5, 6), read=history, said=[message("assistant", "x")])]
    assert (turn_of(*spans).in_view_kept_out, len(turn_of(*spans).in_view)) == (0, 1)
    policy = agent_span(1, at=(0, 100), attributes={"footprint.redaction.policy": "p"})
    assert (turn_of(policy, spans[1]).in_view_kept_out, len(turn_of(policy, spans[1]).in_view)) == (1, 0)


# -- content off (D13) --------------------------------------------------------------------------------------------


def test_a_call_whose_content_is_off_is_never_an_empty_result() -> None:
    found = explained(TOP, tool_span(2, "search", parent=1, at=(1, 2)))
    assert [(c.result_recorded, c.emptiness, c.rows) for c in found.calls] == [(False, "unknown", None)]
    assert found.signals == ()
    assert [(line.missing, line.enable) for line in found.unreached] == [
        ("no-event", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY")
    ]


# -- results without ids -----------------------------------------------------------------------------------------------


def nameless(name: str, result: Any) -> dict[str, Any]:
    return message("tool", response_part(None, result, name=name))


def test_results_without_ids_are_those_of_the_calls_of_their_tool_in_the_order_they_were_asked_for() -> None:
    found = explained(
        TOP,
        asks(
            2,
            call_part("search", None, {"q": 1}),
            call_part("find", None, {"q": 1}),
            call_part("search", None, {"q": 2}),
        ),
        tool_span(3, "search", parent=1, at=(3, 4), arguments={"q": 2}),
        tool_span(4, "search", parent=1, at=(3, 5), arguments={"q": 1}),
        tool_span(5, "find", parent=1, at=(3, 6), arguments={"q": 1}),
        model_span(
            6, parent=1, at=(7, 8), read=[nameless("search", [1]), nameless("find", [1, 2]), nameless("search", [])]
        ),
    )
    assert [(c.span_id, c.rows) for c in found.calls] == [
        (format(3, "016x"), 0),
        (format(4, "016x"), 1),
        (format(5, "016x"), 2),
    ]


def test_fewer_results_without_ids_than_calls_are_no_ones() -> None:
    found = explained(
        TOP,
        asks(2, call_part("search", None, {"q": 1}), call_part("search", None, {"q": 2})),
        tool_span(3, "search", parent=1, at=(3, 4), arguments={"q": 1}),
        tool_span(4, "search", parent=1, at=(3, 5), arguments={"q": 2}),
        model_span(6, parent=1, at=(7, 8), read=[nameless("search", [1])]),
    )
    assert [c.result_recorded for c in found.calls] == [False, False]


def test_results_without_ids_that_were_there_before_are_of_earlier_calls() -> None:
    history = [message("user", "q1"), nameless("search", [1, 2, 3]), message("user", "q2")]
    found = explained(
        TOP,
        asks(2, call_part("search", None, {"q": 1}), read=history),
        tool_span(3, "search", parent=1, at=(3, 4), arguments={"q": 1}),
        model_span(6, parent=1, at=(7, 8), read=[*history, nameless("search", [])], said=[message("assistant", "x")]),
    )
    assert [c.rows for c in found.calls] == [0]


def test_a_request_with_an_id_of_its_own_is_not_answered_by_a_call_of_another_id() -> None:
    found = explained(TOP, asks(2, call_part("f", "c1", {})), tool_span(3, "f", call_id="c2", parent=1, at=(3, 4)))
    assert [(c.call_id, c.notes) for c in found.calls] == [("c1", ("no-span",)), ("c2", ())]


def test_calls_without_spans_keep_the_order_in_which_they_were_asked_for() -> None:
    found = explained(TOP, asks(2, call_part("f", "b", {}), call_part("f", "a", {}), call_part("f", None, {})))
    assert [c.call_id for c in found.calls] == ["b", "a", None]
