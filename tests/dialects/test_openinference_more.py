"""OpenInference on DSPy and on the Google Gen AI SDK."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_footprint.dialects import openinference_dspy, openinference_google_genai, recognise
from otel_footprint.testing import BuiltSpan, assert_evidence_resolves, explain_spans, span

DSPY, GENAI = openinference_dspy.SCOPE, openinference_google_genai.SCOPE


def oi(number: int, kind: str, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    return span(number, attributes={"openinference.span.kind": kind, **(attributes or {})}, **rest)


@pytest.mark.parametrize(
    ("name", "tool"),
    [("find.__call__", "find"), ("find.acall", "find"), ("find", "find"), (".acall", None), ("", None)],
)
def test_a_dspy_tools_name_is_its_spans_without_the_method(name: str, tool: str | None) -> None:
    assert openinference_dspy.tool(oi(1, "TOOL", name=name, scope=DSPY)).tool == tool


@pytest.mark.parametrize(
    ("given", "said", "expected"),
    [
        ({"input_args": {"q": "a"}}, {"answer": "b"}, ("a", "b")),
        ({"q": "a"}, {"trajectory": {}, "reasoning": "r", "answer": "b"}, ("a", "b")),
        ({"input_args": {"q": "a", "context": "c"}}, {"answer": "b", "score": 1}, (None, None)),
        ({"input_args": {"q": 3}}, {"reasoning": "r"}, (None, None)),
        ({"input_args": {}}, [1], (None, None)),
        ("text", "text", (None, None)),
    ],
)
def test_question_and_answer_of_a_dspy_module_are_its_only_text_fields(given: Any, said: Any, expected: Any) -> None:
    attributes = {"input.value": json.dumps(given), "output.value": json.dumps(said)}
    facts = openinference_dspy.agent(oi(1, "CHAIN", attributes, name="ReAct.forward", scope=DSPY))
    assert (facts.question.value, facts.answer.value) == expected


def test_a_redacted_module_says_so() -> None:
    attributes = {"input.value": "__REDACTED__", "output.value": "__REDACTED__"}
    facts = openinference_dspy.agent(oi(1, "CHAIN", attributes, scope=DSPY))
    assert (facts.question.state, facts.answer.state) == ("redacted", "redacted")


def content(by: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": by, "parts": list(parts)}


def asks(name: str, **args: Any) -> dict[str, Any]:
    return {"function_call": {"name": name, "args": args}}


def gave(name: str, **response: Any) -> dict[str, Any]:
    return {"function_response": {"name": name, "response": response}}


HELLO = content("user", {"text": "q"})


def generated(given: Any, history: Any, **more: Any) -> BuiltSpan:
    attributes = {
        "input.value": json.dumps({"contents": given}),
        "output.value": json.dumps({"automatic_function_calling_history": history}),
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "q",
        "llm.output_messages.0.message.role": "model",
        "llm.output_messages.0.message.content": "a",
        **more,
    }
    return oi(1, "LLM", attributes, name="GenerateContent", scope=GENAI, at=(0, 9))


def test_the_sdks_own_calls_are_those_after_the_request_each_with_what_came_of_it() -> None:
    before = [HELLO, content("model", asks("old")), content("user", gave("old", result=1)), HELLO]
    made = [
        content("model", asks("find", q="x"), asks("find", q="x"), asks("boom")),
        content("user", gave("find", result=[]), gave("find", result=[1]), gave("boom", error="kaput")),
        content("model", asks("last")),
    ]
    spans = [generated(before, [*before, *made])]
    (turn,) = explain_spans(spans)
    assert_evidence_resolves(turn, spans)
    assert [(c.tool, c.outcome, c.rows, c.notes) for c in turn.calls] == [
        ("find", "ran", 0, ("hosted",)),
        ("find", "ran", 1, ("hosted",)),
        ("boom", "failed", None, ("hosted",)),
        ("last", "unknown", None, ("hosted",)),
    ]
    assert (turn.question, turn.answer) == ("q", "a")


@pytest.mark.parametrize(("given", "history"), [("q", [HELLO]), ([HELLO], None), ([HELLO], "x"), ([HELLO], [1, HELLO])])
def test_a_history_that_cannot_be_told_from_the_request_makes_no_call(given: Any, history: Any) -> None:
    assert openinference_google_genai.model(generated(given, history)).output[0].role == "assistant"
    (turn,) = explain_spans([generated(given, history)])
    assert turn.calls == ()


def test_a_call_that_is_asked_for_beside_those_that_ran_stays_asked_for() -> None:
    prefix = "llm.output_messages.0.message.tool_calls.{}.tool_call.function."
    more = {prefix.format(n) + "name": "find" for n in (0, 1)}
    more |= {prefix.format(n) + "arguments": '{"q": "x"}' for n in (0, 1)}
    ran = [HELLO, content("model", asks("find", q="x")), content("user", gave("find", result="r"))]
    (turn,) = explain_spans([generated([HELLO], ran, **more)])
    assert sorted((c.outcome, c.notes) for c in turn.calls) == [("ran", ("hosted",)), ("unknown", ("no-span",))]


def test_other_scopes_are_none_of_theirs() -> None:
    for kind in ("LLM", "CHAIN"):
        dialect, _ = recognise(oi(1, kind, scope="openinference.instrumentation.openai"))
        assert dialect is not None
        assert dialect.name == "openinference"
