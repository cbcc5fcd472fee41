"""Gemini CLI: one object for a call's request and one for its end, and messages in Gemini's own form."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_footprint.dialects import Role, gemini_cli
from otel_footprint.testing import BuiltSpan, assert_evidence_resolves, explain_spans, span


def did(number: int, operation: str, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    own = {"gen_ai.operation.name": operation, "gen_ai.conversation.id": "s", **(attributes or {})}
    return span(number, scope="gemini-cli", name=operation, attributes=own, **rest)


def called(number: int, tool: str, call_id: str, end: dict[str, Any], **rest: Any) -> BuiltSpan:
    request = {"callId": call_id, "name": tool, "args": {"command": "ls"}, "prompt_id": "s"}
    values = {
        "gen_ai.tool.name": tool,
        "gen_ai.tool.call_id": call_id,
        "gen_ai.input.messages": json.dumps(request),
        "gen_ai.output.messages": json.dumps(end),
    }
    return did(number, "tool_call", values, **rest)


def gave(response: Any, **more: Any) -> dict[str, Any]:
    part = {"functionResponse": {"id": "c1", "name": "run_shell_command", "response": response}}
    return {"status": "success", "response": {"responseParts": [part], **more}}


@pytest.mark.parametrize(
    ("operation", "role"),
    [
        ("llm_call", Role.MODEL),
        ("tool_call", Role.TOOL),
        ("agent_call", Role.AGENT),
        ("schedule_tool_calls", Role.SKIP),
        ("user_prompt", Role.SKIP),
        ("chat", None),
        (None, None),
        (["llm_call"], None),
    ],
    ids=str,
)
def test_the_operation_tells_what_a_span_is(operation: Any, role: Role | None) -> None:
    assert gemini_cli.role(did(1, operation)) is role


@pytest.mark.parametrize(
    ("end", "state", "value"),
    [
        (gave({"output": "45"}), "recorded", "45"),
        (gave({"error": "no such tool"}), "recorded", "no such tool"),
        (gave({"output": "45", "more": 1}), "recorded", {"output": "45", "more": 1}),
        (gave([]), "recorded", []),
        ({"status": "success", "response": {}}, "absent", None),
        ({"status": "success"}, "absent", None),
        ({"status": "success", "response": {"responseParts": [None, {"text": "x"}]}}, "absent", None),
    ],
)
def test_the_result_is_what_the_model_is_given(end: dict[str, Any], state: str, value: Any) -> None:
    result = gemini_cli.tool(called(1, "run_shell_command", "c1", end)).result
    assert (result.state, result.value) == (state, value)


def test_an_end_that_was_cut_is_neither_a_result_nor_an_empty_one() -> None:
    cut = did(1, "tool_call", {"gen_ai.output.messages": '{"status":"succ...[TRUNCATED: original length 20000]'})
    assert gemini_cli.tool(cut).result.state == "cut"


@pytest.mark.parametrize(
    ("end", "outcome"),
    [
        (gave({"output": "x"}, data={"exitCode": 2, "isError": True}), "ran"),
        ({"status": "error", "response": {"error": {}}}, "failed"),
        ({"status": "cancelled", "response": {}}, "failed"),
        ({"status": "cancelled", "outcome": "cancel", "response": {}}, "declined"),
    ],
)
def test_the_runtimes_own_word_says_how_a_call_ended(end: dict[str, Any], outcome: str) -> None:
    spans = [called(1, "run_shell_command", "c1", end, at=(1, 2))]
    (turn,) = explain_spans(spans)
    assert [c.outcome for c in turn.calls] == [outcome]
    assert_evidence_resolves(turn, spans)


def test_an_exit_code_stands_beside_the_result() -> None:
    spans = [called(1, "run_shell_command", "c1", gave({"output": "x"}, data={"exitCode": 2}), at=(1, 2))]
    (turn,) = explain_spans(spans)
    assert [(s.outcome, s.exit_code, s.exit_code_from) for s in turn.scripts] == [
        ("completed-with-failure", 2, "result")
    ]


def said(number: int, at: tuple[float, float], read: list[Any], answer: list[Any], **more: Any) -> BuiltSpan:
    values = {
        "gen_ai.prompt.name": "s",
        "gen_ai.input.messages": json.dumps(read),
        "gen_ai.output.messages": json.dumps([{"role": "model", "parts": answer}]),
        **more,
    }
    return did(number, "llm_call", values, trace=number, at=at)


CONTEXT = "<session_context>\nToday is Monday.\n</session_context>"


def test_a_calls_two_ids_are_one_call_and_its_result_is_this_turns() -> None:
    asked = {"functionCall": {"id": "run_shell_command__c1", "name": "run_shell_command", "args": {"command": "ls"}}}
    had = {"functionCall": {"id": "c1", "name": "run_shell_command", "args": {"command": "ls"}}}
    got = {"functionResponse": {"id": "c1", "name": "run_shell_command", "response": {"output": "Exit Code: 2"}}}
    first = {"role": "user", "parts": [{"text": CONTEXT}, {"text": "List."}]}
    spans = [
        said(1, (1, 2), [first], [{"text": "Yes."}, asked]),
        called(2, "run_shell_command", "run_shell_command__c1", {"status": "success"}, trace=2, at=(3, 4)),
        said(
            3,
            (5, 6),
            [first, {"role": "model", "parts": [had]}, {"role": "user", "parts": [got]}],
            [{"text": "Done."}],
        ),
    ]
    (turn,) = explain_spans(spans)
    assert (turn.question, turn.answer, turn.finished) == ("List.", "Done.", True)
    assert [(c.call_id, c.result_recorded) for c in turn.calls] == [("run_shell_command__c1", True)]
    assert [(s.exit_code, s.exit_code_from) for s in turn.scripts] == [(2, "text")]
    assert turn.stand_in
