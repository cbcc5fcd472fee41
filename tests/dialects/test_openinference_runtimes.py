"""OpenInference on smolagents and on Haystack."""

from __future__ import annotations

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


def test_a_haystack_turn_says_no_call_and_no_answer_that_is_only_printed() -> None:
    spans = [
        oi(
            1,
            "CHAIN",
            {"output.value": '{"a": ["ChatMessage(...)"]}', "output.mime_type": "application/json"},
            name="Pipeline.run",
            scope=HAYSTACK,
            at=(0, 9),
        )
    ]
    (turn,) = explain_spans(spans)
    assert (turn.calls, turn.answer, turn.finished) == ((), None, True)
