"""OpenInference on smolagents and on Haystack."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_footprint.dialects import Role, openinference, openinference_haystack, openinference_smolagents, recognise
from otel_footprint.testing import BuiltSpan, assert_evidence_resolves, explain_spans, span

SMOLAGENTS, HAYSTACK = "openinference.instrumentation.smolagents", "openinference.instrumentation.haystack"


def oi(number: int, kind: str, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    return span(number, attributes={"openinference.span.kind": kind, **(attributes or {})}, **rest)


@pytest.mark.parametrize(
    ("name", "agent"),
    [
        ("analyst.run", "analyst"),
        ("CodeAgent.run", None),
        ("ToolCallingAgent.run", None),
        (".run", None),
        ("analyst", None),
    ],
)
def test_a_smolagents_name_stands_in_its_spans_name(name: str, agent: str | None) -> None:
    assert openinference_smolagents.agent(oi(1, "AGENT", name=name, scope=SMOLAGENTS)).agent == agent


def test_a_smolagents_question_is_the_persons_words_alone() -> None:
    said = {
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "New task:\nq",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "a",
    }
    spans = [
        oi(1, "AGENT", {"input.value": '{"task": "q"}'}, name="analyst.run", scope=SMOLAGENTS, at=(0, 9)),
        oi(2, "LLM", said, scope=SMOLAGENTS, parent=1, at=(1, 2)),
    ]
    (turn,) = explain_spans(spans)
    assert_evidence_resolves(turn, spans)
    assert turn.question == "q"
    assert openinference_smolagents.agent(spans[0]).question.value == "q"


def test_other_instrumentations_keep_the_line() -> None:
    message = {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "New task:\nq"}
    one = oi(1, "LLM", message, scope="openinference.instrumentation.openai")
    dialect, _ = recognise(one)
    assert dialect is openinference.DIALECT
    assert [m.text.value for m in dialect.model(one).input] == ["New task:\nq"]


@pytest.mark.parametrize(
    ("name", "kind", "scope", "role"),
    [
        ("Pipeline.run", "CHAIN", HAYSTACK, Role.WORKFLOW),
        ("Agent.run", "CHAIN", HAYSTACK, Role.WORKFLOW),
        ("Prompt", "CHAIN", HAYSTACK, Role.STEP),
        ("OpenAIChatGenerator.run", "LLM", HAYSTACK, Role.MODEL),
        ("Pipeline.run", "CHAIN", "other", None),
    ],
)
def test_a_haystack_pipelines_run_is_the_turn(name: str, kind: str, scope: str, role: Role | None) -> None:
    assert openinference_haystack.role(oi(1, kind, name=name, scope=scope)) is role


def printed(role: str, *parts: str) -> str:
    return (
        f"ChatMessage(_role=<ChatRole.{role.upper()}: '{role}'>, _content=[{', '.join(parts)}], _name=None, _meta={{}})"
    )


def text(words: str) -> str:
    return f"TextContent(text={words!r})"


def call(name: str, call_id: str | None, **arguments: Any) -> str:
    return f"ToolCall(tool_name={name!r}, arguments={arguments!r}, id={call_id!r}, extra=None)"


def gave(result: Any, origin: str, *, error: bool = False) -> str:
    return f"ToolCallResult(result={result!r}, origin={origin}, error={error})"


def ran(
    number: int, name: str, read: list[str], said: list[str], *, component: str | None = None, **rest: Any
) -> BuiltSpan:
    around = (lambda value: {component: value}) if component else (lambda value: value)
    attributes = {
        "input.mime_type": "application/json",
        "input.value": json.dumps({"data": around({"messages": read})} if component else {"messages": read}),
        "output.mime_type": "application/json",
        "output.value": json.dumps(around({"messages": [*read, *said], "step_count": 2, "last_message": said[-1]})),
    }
    return oi(number, "CHAIN", attributes, name=name, scope=HAYSTACK, **rest)


PYTHON, SEARCH = call("run_python", "c1", code="print(1)"), call("search", "c2", query="it's")
SAID = [
    printed("assistant", text("Let me see."), PYTHON, SEARCH),
    printed("tool", gave("1\n", PYTHON)),
    printed("tool", gave("[]", SEARCH)),
    printed("assistant", text("It is 1.")),
]


def test_haystacks_printed_messages_are_its_turns_question_calls_and_answer() -> None:
    spans = [ran(1, "Agent.run", [printed("user", text("what's it?"))], SAID, at=(0, 9))]
    (turn,) = explain_spans(spans)
    assert_evidence_resolves(turn, spans)
    assert (turn.question, turn.answer, turn.finished) == ("what's it?", "It is 1.", True)
    assert [(c.tool, c.call_id, c.outcome, c.emptiness, c.notes) for c in turn.calls] == [
        ("run_python", "c1", "ran", "unknown", ("in-messages",)),
        ("search", "c2", "ran", "undeclared-empty", ("in-messages",)),
    ]
    assert [(s.text, s.argument, s.outcome) for s in turn.scripts] == [("print(1)", "code", "returned")]


def test_a_pipeline_repeats_the_calls_of_its_agents_and_each_is_told_once() -> None:
    user = [printed("user", text("q"))]
    twice = [*SAID[:3], *SAID[:3], SAID[3]]
    (turn,) = explain_spans(
        [
            ran(1, "Pipeline.run", user, twice, component="agent", at=(0, 9)),
            ran(2, "Agent.run", user, twice, parent=1, at=(1, 8)),
        ]
    )
    assert [c.call_id for c in turn.calls] == ["c1", "c2", "c1", "c2"]
    (alone,) = explain_spans([ran(1, "Pipeline.run", user, twice, component="agent", at=(0, 9))])
    assert [c.call_id for c in alone.calls] == ["c1", "c2", "c1", "c2"]


def test_calls_in_the_messages_that_an_agent_was_given_are_of_earlier_turns() -> None:
    before = [printed("user", text("q1")), *SAID, printed("user", text("q2"))]
    (turn,) = explain_spans([ran(1, "Agent.run", before, [printed("assistant", text("a2"))], at=(0, 9))])
    assert (turn.question, turn.answer, turn.calls) == ("q2", "a2", ())


def test_the_error_flag_beside_a_result_is_the_calls_outcome() -> None:
    said = [printed("assistant", PYTHON), printed("tool", gave("Failed to invoke", PYTHON, error=True))]
    (turn,) = explain_spans([ran(1, "Agent.run", [printed("user", text("q"))], said, at=(0, 9))])
    assert [(c.outcome, c.result_recorded) for c in turn.calls] == [("failed", True)]
    assert [s.outcome for s in turn.scripts] == ["outcome-unknown"]
    # A run that ended with a tool's message gave no answer in words.
    assert turn.answer is None


def test_a_call_without_a_result_is_only_asked_for() -> None:
    (turn,) = explain_spans([ran(1, "Agent.run", [printed("user", text("q"))], SAID[:1], at=(0, 9))])
    assert [(c.call_id, c.outcome, c.notes) for c in turn.calls] == [
        ("c1", "unknown", ("no-span",)),
        ("c2", "unknown", ("no-span",)),
    ]


@pytest.mark.parametrize(
    "said",
    [
        "ChatMessage(...)",
        "ChatMessage(_role=<object at 0x7f>)",
        "ChatMessage(_content=[open('x')])",
        "ChatMessage(_role=",
        "Other(_role='assistant', _content=[])",
        "1",
    ],
)
def test_what_is_printed_otherwise_says_nothing(said: str) -> None:
    (turn,) = explain_spans([ran(1, "Agent.run", [printed("user", text("q"))], [said], at=(0, 9))])
    assert (turn.question, turn.calls, turn.answer) == ("q", (), None)


def test_older_printed_messages_and_results_in_parts_are_read() -> None:
    old = "ChatMessage(content='q', role=<ChatRole.USER: 'user'>, name=None, meta={})"
    parts = f"ToolCallResult(result=[{text('a')}, {text('b')}], origin={PYTHON}, error=False)"
    odd = f"ToolCallResult(result=[ImageContent(mime='x')], origin={SEARCH}, error=False)"
    facts = openinference_haystack.agent(
        ran(1, "Agent.run", [old], [printed("assistant", PYTHON, SEARCH), printed("tool", parts, odd)])
    )
    assert facts.question.value == "q"
    assert [(r.call_id, r.value.state, r.value.value) for m in facts.output for r in m.responded] == [
        ("c1", "recorded", "ab"),
        ("c2", "unreadable", None),
    ]
