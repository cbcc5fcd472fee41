"""Faults of others in telling whether a call failed: what is right, for each kind of fault."""

from __future__ import annotations

from typing import Any

import pytest
from cases import number_of, turn_of
from reading import DATA, explained

from otel_footprint.explanation import Explanation
from otel_footprint.testing import BuiltSpan, agent_span, message, model_span, span, tool_span

TOP = agent_span(1, at=(0, 100))


def ran(tool: str = "f", **call: Any) -> Explanation:
    return turn_of(TOP, tool_span(2, tool, parent=1, at=(1, 2), **call))


# -- E1, E2: a failure that only a text knows ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "arguments", "result", "code", "source"),
    [
        ("execute", {"command": "x"}, "boom\n[Command failed with exit code 2]", 2, "text"),
        ("run_shell_command", {"command": "x"}, "boom\nExit Code: 3", 3, "text"),
        ("exec_command", {"cmd": "x"}, "Process exited with code 1\nOutput:\nboom", 1, "text"),
        ("bash", {"command": "x"}, "Exit code 2\nboom", 2, "text"),
        ("bash", {"command": "x"}, '{"stdout": "", "exit_code": 1}', 1, "result"),
        ("bash", {"command": "x"}, "{'stdout': \"it's\", 'exit_code': 1, 'ok': None}", 1, "result"),
        (
            "execute_command",
            {"command": "x"},
            '{"content": [{"type": "text", "text": "boom"}], "structuredContent": {"stderr": "boom", "exitCode": 3}}',
            3,
            "result",
        ),
    ],
)
def test_e1_e2_an_exit_that_stands_in_the_result_is_told_beside_how_the_call_ended(
    tool: str, arguments: dict[str, str], result: str, code: int, source: str
) -> None:
    turn = ran(tool, arguments=arguments, result=result, status="ok")
    (script,) = turn.scripts
    assert (script.outcome, script.exit_code, script.exit_code_from) == ("completed-with-failure", code, source)
    assert [c.outcome for c in turn.calls] == ["ran"]


@pytest.mark.parametrize(
    ("tool", "result"),
    [
        ("bash", "see 'Exit code 2' in the log"),
        ("read_file", "Process exited with code 1"),
        ("bash", '{"exit_code": 1}'),
        ("bash", "{'stdout': '', 'exit_code': os.getpid()}"),
    ],
    ids=["in a sentence", "of a tool that runs nothing", "beside no output", "a program and no object"],
)
def test_e1_digits_that_no_format_documents_prove_no_exit(tool: str, result: str) -> None:
    turn = ran(tool, arguments={"command": "x"}, result=result)
    assert [s.exit_code for s in turn.scripts] == [None] * (tool == "bash")


# -- E10 to E12: words that only look like a failure --------------------------------------------------------------


@pytest.mark.parametrize(
    "result",
    [
        '{"exit_code": 0, "error": null}',
        '{"error": ""}',
        "class Error(Exception): ...  # error, ERROR, Error: failed",
        '{"final_state": "interrupted"}',
        '{"status": "error"}',
        '{"structuredContent": {"error": null, "status": "ok"}, "content": []}',
        '{"isError": false, "structuredContent": {"error": "kept for the log"}}',
    ],
)
def test_e10_to_e12_no_word_of_a_result_makes_a_call_failed(result: str) -> None:
    assert [c.outcome for c in ran(result=result).calls] == ["ran"]


# -- E13, E15, E21: flags that are easily missed ------------------------------------------------------------------

BOOM = '{"type": "text", "text": "boom"}'


@pytest.mark.parametrize(
    "call",
    [
        {"status": "ok", "attributes": {"gen_ai.tool.status": "error"}},
        {"status": "ok", "attributes": {"gen_ai.tool.status": "failure"}},
        {"status": "ok", "result": f'{{"isError": true, "content": [{BOOM}]}}'},
        {"result": '{"structuredContent": {"status": "error"}}'},
        {"result": f'{{"structuredContent": {{"error": "boom"}}, "content": [{BOOM}]}}'},
        {"attributes": {"gen_ai.tool.call.result": {"structuredContent": {"error": {"code": 3}}}}},
        {"status": "error"},
    ],
    ids=str,
)
def test_e13_e15_e21_a_flag_makes_a_call_failed_wherever_it_stands(call: dict[str, Any]) -> None:
    assert [c.outcome for c in ran(**call).calls] == ["failed"]


def test_e21_a_real_file_with_an_error_of_no_type_has_a_failed_call() -> None:
    path = DATA / "public" / "agentevals_hand" / "tool_error_no_error_type.json"
    assert "failed" in {c.outcome for turn in explained(path.read_bytes()) for c in turn.calls}


# -- layers that disagree -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spans",
    [
        [tool_span(2, "f", parent=1, at=(1, 8), status="ok"), tool_span(3, "f", parent=2, at=(2, 7), status="error")],
        [tool_span(2, "f", parent=1, at=(1, 8), status="error"), tool_span(3, "f", parent=2, at=(2, 7), status="ok")],
        [tool_span(2, "f", parent=1, at=(1, 8), status="ok", attributes={"error.type": "tool_error"})],
        [tool_span(2, "f", parent=1, at=(1, 8), status="error", attributes={"gen_ai.tool.status": "success"})],
    ],
    ids=["inner", "outer", "one span", "its own status"],
)
def test_e13_of_layers_that_disagree_the_error_wins_and_the_row_says_that_they_do(spans: list[BuiltSpan]) -> None:
    (call,) = turn_of(TOP, *spans).calls
    assert (call.outcome, call.notes) == ("failed", ("layers-disagree",))


@pytest.mark.parametrize("status", ["ok", "unset", "error"])
def test_e13_one_layer_alone_disagrees_with_nothing(status: Any) -> None:
    (call,) = ran(status=status).calls
    assert call.notes == ()


# -- E17: a pause that looks like an error ------------------------------------------------------------------------


def raised(*types: Any) -> list[tuple[str, dict[str, Any]]]:
    return [("exception", {"exception.type": name, "exception.message": "x"}) for name in types]


@pytest.mark.parametrize(
    "name",
    [
        "langgraph.errors.GraphInterrupt",
        "langgraph.errors.NodeInterrupt",
        "pydantic_ai.exceptions.ApprovalRequired",
        "pydantic_ai.exceptions.CallDeferred",
    ],
)
def test_e17_a_call_that_stopped_to_ask_a_person_is_paused_and_not_failed(name: str) -> None:
    turn = ran("run_python", arguments={"code": "1"}, status="error", events=raised(name, name))
    assert [(c.outcome, c.notes) for c in turn.calls] == [("unknown", ("paused",))]
    assert [(s.outcome, s.exit_code) for s in turn.scripts] == [("submitted", None)]
    assert turn.counts.failed == 0


@pytest.mark.parametrize(
    "types",
    [
        ["myapp.GraphInterrupt"],
        ["GraphInterrupt"],
        ["langgraph.errors.GraphInterrupt", "ValueError"],
        [["langgraph.errors.GraphInterrupt"]],
    ],
    ids=str,
)
def test_e17_an_exception_that_is_only_named_like_a_pause_is_an_error(types: list[Any]) -> None:
    assert [c.outcome for c in ran(status="error", events=raised(*types)).calls] == ["failed"]


def test_e17_a_pause_that_was_raised_in_the_span_inside_is_one_too() -> None:
    (call,) = turn_of(
        TOP,
        tool_span(2, "f", parent=1, at=(1, 8), status="error"),
        tool_span(3, "f", parent=2, at=(2, 7), status="error", events=raised("langgraph.errors.GraphInterrupt")),
    ).calls
    assert (call.outcome, call.notes) == ("unknown", ("paused",))


# -- E18, E20: a turn that broke off ------------------------------------------------------------------------------


def test_e18_a_cancelled_turn_is_not_finished_and_nothing_says_it_went_well() -> None:
    turn = turn_of(
        TOP,
        model_span(2, parent=1, at=(1, 2), read=[message("user", "q")]),
        tool_span(3, "f", parent=1, at=(3, 4)),
        model_span(4, parent=1, at=(5, 6), read=[message("user", "q")]),
    )
    assert (turn.finished, turn.answer, turn.standing) == (False, None, None)
    assert turn.summary.tone == "unknown"


def claude(answer: str, scope: str = "openinference.instrumentation.claude_agent_sdk") -> Explanation:
    kept = {"openinference.span.kind": "AGENT", "input.value": "q", "output.value": answer}
    return turn_of(span(1, at=(0, 9), name="ClaudeAgentSDK.query", scope=scope, status="ok", attributes=kept))


def test_e20_an_error_of_the_api_in_the_place_of_an_answer_is_none() -> None:
    turn = claude("API Error: the connection was closed; the response may be incomplete")
    assert (turn.finished, turn.answer) == (False, None)


@pytest.mark.parametrize(
    "answer",
    [("It printed API Error: 500",), ("API Error: x", "openinference.instrumentation.agno")],
    ids=["in an answer", "of another runtime"],
)
def test_e20_only_that_runtimes_own_form_is_such_an_error(answer: tuple[str, ...]) -> None:
    turn = claude(*answer)
    assert (turn.finished, turn.answer) == (True, answer[0])


# -- E22, E23: an agent that is content with failed calls ---------------------------------------------------------


def test_e22_e23_an_agents_ok_hides_none_of_the_calls_that_failed_under_it() -> None:
    failed = [tool_span(n, f"t{n}", parent=1, at=(n, n + 1), status="error") for n in (2, 3, 4)]
    turn = turn_of(agent_span(1, at=(0, 9), status="ok", attributes={"final_result": "done"}), *failed)
    assert (turn.counts.failed, turn.counts.calls) == (3, 3)
    assert any("3" in line.about for line in turn.wrong if line.id == "wrong.errors")


def test_e23_a_step_that_ended_well_hides_no_exception_of_a_call_inside_it() -> None:
    turn = turn_of(
        TOP,
        span(2, parent=1, at=(1, 9), status="ok", name="node"),
        tool_span(3, "f", parent=2, at=(2, 3), events=[("exception", {"exception.escaped": True})]),
    )
    assert [(number_of(c.span_id), c.outcome) for c in turn.calls] == [(3, "failed")]
