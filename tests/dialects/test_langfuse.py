"""Langfuse: text as it is, everything else as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_footprint.dialects import Role, langfuse
from otel_footprint.testing import BuiltSpan, assert_evidence_resolves, explain_spans, span

INPUT, OUTPUT = "langfuse.observation.input", "langfuse.observation.output"


def seen(number: int, kind: Any, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    return span(number, attributes={"langfuse.observation.type": kind, **(attributes or {})}, **rest)


@pytest.mark.parametrize(
    ("kind", "role"),
    [
        ("agent", Role.AGENT),
        ("chain", Role.STEP),
        ("span", Role.STEP),
        ("generation", Role.MODEL),
        ("tool", Role.TOOL),
        ("retriever", None),
        ("event", None),
        (None, None),
        (["tool"], None),
    ],
    ids=str,
)
def test_the_type_tells_what_an_observation_is(kind: Any, role: Role | None) -> None:
    assert langfuse.role(seen(1, kind)) is role


@pytest.mark.parametrize(
    ("recorded", "arguments", "bare"),
    [
        ('{"args": ["print(1)"], "kwargs": {}}', "print(1)", True),
        ('{"args": [], "kwargs": {"code": "1"}}', {"code": "1"}, False),
        ('{"code": "1"}', {"code": "1"}, False),
        ("print(1)", "print(1)", True),
        ('"a"', '"a"', True),
    ],
)
def test_arguments_come_out_of_their_envelope(recorded: str, arguments: Any, bare: bool) -> None:
    facts = langfuse.tool(seen(1, "tool", {INPUT: recorded}, name="run_python"))
    assert (facts.tool, facts.arguments.value, facts.bare) == ("run_python", arguments, bare)


@pytest.mark.parametrize(
    ("recorded", "result"),
    [
        ("45\n", "45\n"),
        ('"quoted"', '"quoted"'),
        ("[]", "[]"),
        ('{"content": "x", "type": "tool", "tool_call_id": "c1"}', "x"),
    ],
)
def test_a_result_is_the_text_that_was_recorded(recorded: str, result: str) -> None:
    assert langfuse.tool(seen(1, "tool", {OUTPUT: recorded})).result.value == result


def test_an_error_level_is_a_failure_and_its_message_the_error_text() -> None:
    one = seen(1, "tool", {"langfuse.observation.level": "ERROR", "langfuse.observation.status_message": "boom"})
    facts = langfuse.tool(one)
    assert facts.failed == f"{one.span_id}#attribute:langfuse.observation.level"
    assert facts.error_text.value == "boom"
    assert langfuse.tool(seen(1, "tool", {"langfuse.observation.level": "WARNING"})).failed is None


@pytest.mark.parametrize(
    ("read", "said", "question", "answer"),
    [
        ('{"args": ["q"], "kwargs": {}}', "45", "q", "45"),
        ("q", '{"role": "assistant", "content": "a"}', "q", "a"),
        ('{"messages": [{"role": "user", "content": "q"}]}', '{"x": 1}', "q", None),
        ('{"a": "x", "b": "y"}', '{"x": "cut', None, None),
    ],
)
def test_the_question_and_the_answer_stand_on_the_turns_span(
    read: str, said: str, question: str | None, answer: str | None
) -> None:
    spans = [seen(1, "agent", {INPUT: read, OUTPUT: said, "session.id": "s"}, name="a", at=(0, 9))]
    (turn,) = explain_spans(spans)
    assert_evidence_resolves(turn, spans)
    assert (turn.agent, turn.conversation_id, turn.question, turn.answer) == ("a", "s", question, answer)


def test_a_generation_may_read_and_say_plain_text() -> None:
    facts = langfuse.model(seen(1, "generation", {INPUT: "q", OUTPUT: "a"}))
    assert [(m.role, m.text.value) for m in (*facts.input, *facts.output)] == [("user", "q"), ("assistant", "a")]


def test_a_generation_asks_for_calls() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "t", "arguments": '{"x": 1}'}}
    said = {"role": "assistant", "tool_calls": [call]}
    (message,) = langfuse.model(seen(1, "generation", {OUTPUT: json.dumps(said)})).output
    assert [(r.name, r.call_id, r.arguments.value) for r in message.requested] == [("t", "c1", {"x": 1})]


def test_a_chain_stands_for_the_turn_without_being_an_agent() -> None:
    (turn,) = explain_spans(
        [seen(1, "chain", name="flow", at=(0, 9)), seen(2, "generation", {INPUT: "q"}, parent=1, at=(1, 2))]
    )
    assert (turn.name, turn.agent, turn.question) == ("flow", None, "q")
