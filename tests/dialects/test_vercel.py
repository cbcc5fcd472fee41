"""Vercel AI SDK 4 to 6: ``ai.*`` keys, results as JSON text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_footprint.dialects import Role, vercel
from otel_footprint.testing import BuiltSpan, assert_evidence_resolves, explain_spans, resolve, span


def did(number: int, operation: str, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    return span(number, attributes={"ai.operationId": operation, **(attributes or {})}, **rest)


@pytest.mark.parametrize(
    ("operation", "role"),
    [
        ("ai.generateText", Role.AGENT),
        ("ai.streamText", Role.AGENT),
        ("ai.generateObject", Role.AGENT),
        ("ai.generateText.doGenerate", Role.MODEL),
        ("ai.streamText.doStream", Role.MODEL),
        ("ai.toolCall", Role.TOOL),
        ("ai.embed", None),
        (None, None),
        (["ai.toolCall"], None),
    ],
    ids=str,
)
def test_the_operation_tells_what_a_span_is(operation: Any, role: Role | None) -> None:
    assert vercel.role(did(1, operation)) is role


@pytest.mark.parametrize(
    ("recorded", "state", "value"),
    [
        ('"45\\n"', "recorded", "45\n"),
        ("[]", "recorded", "[]"),
        ('{"exitCode":2}', "recorded", '{"exitCode":2}'),
        ('"cut he', "cut", None),
        ('{"cut": "he', "cut", None),
    ],
)
def test_a_text_result_loses_its_quotes(recorded: str, state: str, value: Any) -> None:
    result = vercel.tool(did(1, "ai.toolCall", {"ai.toolCall.result": recorded})).result
    assert (result.state, result.value) == (state, value)


def test_a_call_has_its_name_its_id_and_its_arguments() -> None:
    facts = vercel.tool(
        did(1, "ai.toolCall", {"ai.toolCall.name": "runPython", "ai.toolCall.id": "c1", "ai.toolCall.args": '{"a":1}'})
    )
    assert (facts.tool, facts.call_id, facts.arguments.value) == ("runPython", "c1", {"a": 1})


@pytest.mark.parametrize(
    ("call", "result"),
    [
        (
            {"type": "tool-call", "toolCallId": "c1", "toolName": "t", "input": {"x": 1}},
            {"type": "tool-result", "toolCallId": "c1", "toolName": "t", "output": {"type": "json", "value": []}},
        ),
        (
            {"type": "tool-call", "toolCallId": "c1", "toolName": "t", "args": {"x": 1}},
            {"type": "tool-result", "toolCallId": "c1", "toolName": "t", "result": []},
        ),
    ],
    ids=["5", "4"],
)
def test_messages_hold_calls_and_results_in_either_versions_form(call: dict[str, Any], result: dict[str, Any]) -> None:
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "q"}]},
        {"role": "assistant", "content": [call]},
        {"role": "tool", "content": [result]},
    ]
    one = did(1, "ai.generateText.doGenerate", {"ai.prompt.messages": json.dumps(messages)})
    person, asked, brought = vercel.model(one).input
    assert (person.role, person.text.value) == ("user", "q")
    assert [(r.name, r.call_id, r.arguments.value) for r in asked.requested] == [("t", "c1", {"x": 1})]
    assert [(brought.role, r.name, r.call_id, r.value.value) for r in brought.responded] == [("tool", "t", "c1", [])]
    for pointer in (asked.requested[0].arguments.pointer, brought.responded[0].value.pointer):
        assert pointer is not None
        resolve(pointer, [one])


@pytest.mark.parametrize("key", ["input", "args"])
def test_a_model_says_text_and_asks_for_calls(key: str) -> None:
    calls = [{"toolCallId": "c1", "toolName": "t", key: '{"x": 1}'}]
    one = did(1, "ai.generateText.doGenerate", {"ai.response.text": "so", "ai.response.toolCalls": json.dumps(calls)})
    (said,) = vercel.model(one).output
    assert (said.role, said.text.value) == ("assistant", "so")
    assert [(r.name, r.call_id, r.arguments.value) for r in said.requested] == [("t", "c1", {"x": 1})]


@pytest.mark.parametrize(
    ("prompt", "question"),
    [
        ({"prompt": "q", "system": "s"}, "q"),
        ({"messages": [{"role": "user", "content": "q"}]}, "q"),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": "q"}]}]}, "q"),
        ({"system": "s"}, None),
        ("q", None),
    ],
    ids=str,
)
def test_the_question_stands_in_the_prompt(prompt: Any, question: str | None) -> None:
    attributes = {
        "ai.telemetry.functionId": "a",
        "ai.telemetry.metadata.sessionId": "s",
        "ai.prompt": json.dumps(prompt),
        "ai.response.text": "done",
    }
    spans = [did(1, "ai.generateText", attributes, at=(0, 9))]
    (turn,) = explain_spans(spans)
    assert_evidence_resolves(turn, spans)
    expected = '"q"' if prompt == "q" else question
    assert (turn.agent, turn.conversation_id, turn.question, turn.answer) == ("a", "s", expected, "done")
