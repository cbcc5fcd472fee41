"""Strands Agents: Bedrock's blocks in events, an answer with a newline of its own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_footprint.dialects import Role, strands
from otel_footprint.testing import BuiltSpan, assert_evidence_resolves, explain_spans, resolve, span

SCOPE = "strands.telemetry.tracer"


def did(number: int, operation: str, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    own = {"gen_ai.operation.name": operation, **(attributes or {})}
    return span(number, attributes=own, scope=rest.pop("scope", SCOPE), **rest)


@pytest.mark.parametrize(
    ("one", "role"),
    [
        (did(1, "invoke_agent"), Role.AGENT),
        (did(1, "chat"), Role.MODEL),
        (did(1, "execute_tool"), Role.TOOL),
        (did(1, "execute_event_loop_cycle"), None),
        (did(1, "invoke_agent", scope="other"), None),
    ],
    ids=str,
)
def test_the_operation_tells_what_a_span_is(one: BuiltSpan, role: Role | None) -> None:
    assert strands.role(one) is role


@pytest.mark.parametrize(
    ("recorded", "answer"), [("a\n", "a"), ("a\n\n", "a\n"), ("a", "a"), ("a\nb\n", "a\nb"), ("\n", "")]
)
def test_the_answer_loses_the_newline_of_its_printed_form(recorded: str, answer: str) -> None:
    one = did(1, "invoke_agent", events=[("gen_ai.choice", {"message": recorded})])
    assert strands.agent(one).answer.value == answer


def test_a_model_calls_events_hold_blocks() -> None:
    use = {"toolUse": {"toolUseId": "c1", "name": "t", "input": {"x": 1}}}
    result = {"toolResult": {"toolUseId": "c1", "status": "success", "content": [{"text": "[]"}]}}
    one = did(
        1,
        "chat",
        events=[
            ("gen_ai.system.message", {"content": '[{"text": "Be brief."}]'}),
            ("gen_ai.user.message", {"content": '[{"text": "q"}]'}),
            ("gen_ai.assistant.message", {"content": json.dumps([{"text": "so"}, use])}),
            ("gen_ai.tool.message", {"content": json.dumps([result])}),
            ("gen_ai.user.message", {"content": json.dumps([result])}),
            ("gen_ai.choice", {"message": json.dumps([{"text": "a"}, use, 1])}),
        ],
    )
    facts = strands.model(one)
    assert [(m.role, m.text.value) for m in facts.input] == [
        ("system", "Be brief."),
        ("user", "q"),
        ("assistant", "so"),
        ("tool", None),
        ("tool", None),
    ]
    assert [(r.call_id, r.value.value) for r in facts.input[3].responded] == [("c1", [{"text": "[]"}])]
    (said,) = facts.output
    assert said.text.value == "a"
    assert [(r.name, r.call_id, r.arguments.value) for r in said.requested] == [("t", "c1", {"x": 1})]
    for pointer in (facts.input[3].responded[0].value.pointer, said.requested[0].arguments.pointer):
        assert pointer is not None
        resolve(pointer, [one])


def test_the_newer_form_keeps_genai_messages_and_instructions_in_events() -> None:
    one = did(
        1,
        "chat",
        events=[
            ("details", {"gen_ai.system_instructions": '[{"type": "text", "content": "Be brief."}]'}),
            ("details", {"gen_ai.input.messages": '[{"role": "user", "parts": [{"type": "text", "content": "q"}]}]'}),
        ],
    )
    facts = strands.model(one)
    assert [(m.role, m.text.value) for m in facts.input] == [("user", "q")]
    assert [text.value for text in facts.instructions] == ["Be brief."]


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ([{"text": "[]"}], "[]"),
        ([{"json": {"exit_code": 2}}], {"exit_code": 2}),
        ([{"json": []}], []),
        ([{"json": 1}, {"json": 2}], '[{"json": 1}, {"json": 2}]'),
    ],
    ids=str,
)
def test_a_result_comes_out_of_its_block(content: Any, value: Any) -> None:
    by_key = did(1, "execute_tool", {"gen_ai.tool.call.result": json.dumps(content)})
    by_event = did(1, "execute_tool", events=[("gen_ai.choice", {"message": json.dumps(content), "id": "c1"})])
    assert strands.tool(by_key).result.value == value
    assert strands.tool(by_event).result.value == value


def test_a_status_of_error_is_a_failure() -> None:
    one = did(2, "execute_tool", {"gen_ai.tool.name": "t", "gen_ai.tool.status": "error"}, parent=1, at=(1, 2))
    spans = [did(1, "invoke_agent", {"session.id": "s"}, at=(0, 9)), one]
    (turn,) = explain_spans(spans)
    assert_evidence_resolves(turn, spans)
    assert (turn.conversation_id, [c.outcome for c in turn.calls]) == ("s", ["failed"])
