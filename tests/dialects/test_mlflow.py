"""MLflow: every value is JSON text, whichever names it stands under."""

from __future__ import annotations

from typing import Any

import pytest

from otel_footprint.dialects import Role, mlflow
from otel_footprint.testing import BuiltSpan, assert_evidence_resolves, explain_spans, span

SCOPE = "mlflow.tracing.provider"
INPUT, OUTPUT = "mlflow.spanInputs", "mlflow.spanOutputs"


def traced(number: int, kind: str, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    return span(number, attributes={"mlflow.spanType": f'"{kind}"', **(attributes or {})}, **rest)


@pytest.mark.parametrize(
    ("attributes", "scope", "role"),
    [
        ({"mlflow.spanType": '"AGENT"'}, SCOPE, Role.AGENT),
        ({"mlflow.spanType": '"CHAIN"'}, SCOPE, Role.STEP),
        ({"mlflow.spanType": '"CHAT_MODEL"'}, SCOPE, Role.MODEL),
        ({"mlflow.spanType": '"LLM"'}, SCOPE, Role.MODEL),
        ({"mlflow.spanType": '"TOOL"'}, SCOPE, Role.TOOL),
        ({"mlflow.spanType": '"RETRIEVER"'}, SCOPE, None),
        ({"mlflow.spanType": "TOOL"}, SCOPE, None),
        ({"mlflow.spanType": '["TOOL"]'}, SCOPE, None),
        ({"gen_ai.operation.name": "execute_tool"}, SCOPE, Role.TOOL),
        ({"gen_ai.operation.name": "execute_tool"}, "other", None),
    ],
    ids=str,
)
def test_the_type_tells_what_a_span_is(attributes: dict[str, Any], scope: str, role: Role | None) -> None:
    assert mlflow.role(span(1, attributes=attributes, scope=scope)) is role


@pytest.mark.parametrize(
    ("recorded", "result"), [('"45\\n"', "45\n"), ("[]", []), ('"[]"', "[]"), ("null", None), ('{"a": 1}', {"a": 1})]
)
def test_a_result_is_decoded_once(recorded: str, result: Any) -> None:
    facts = mlflow.tool(traced(1, "TOOL", {OUTPUT: recorded}, name="t"))
    assert (facts.tool, facts.result.state, facts.result.value) == ("t", "recorded", result)


@pytest.mark.parametrize(("recorded", "result"), [('"45\\n"', "45\n"), ("[]", "[]"), ('{"a": 1}', '{"a": 1}')])
def test_under_genai_names_a_text_result_loses_its_quotes(recorded: str, result: str) -> None:
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.result": recorded}
    assert mlflow.tool(span(1, attributes=attributes, scope=SCOPE)).result.value == result


@pytest.mark.parametrize(
    ("recorded", "arguments", "bare"),
    [
        ('{"code": "1"}', {"code": "1"}, False),
        ('"print(1)"', "print(1)", True),
        ('{"args": ["ls"]}', {"args": ["ls"]}, False),
    ],
)
def test_arguments_are_by_name_or_one_bare_value(recorded: str, arguments: Any, bare: bool) -> None:
    facts = mlflow.tool(traced(1, "TOOL", {INPUT: recorded}, name="run_python"))
    assert (facts.arguments.value, facts.bare) == (arguments, bare)


def test_a_value_that_a_limit_cut_is_cut() -> None:
    facts = mlflow.tool(traced(1, "TOOL", {INPUT: '{"code": "pri', OUTPUT: '"45'}))
    assert (facts.arguments.state, facts.result.state) == ("cut", "cut")


@pytest.mark.parametrize(
    ("read", "said", "question", "answer"),
    [
        ('{"question": "q"}', '"45"', "q", "45"),
        ('"q"', "45", "q", "45"),
        ('{"a": "x", "b": "y"}', '{"a": 1}', None, None),
        (
            '{"messages": [{"role": "user", "content": "q"}]}',
            '{"messages": [{"type": "ai", "content": "a"}]}',
            "q",
            "a",
        ),
    ],
)
def test_the_question_and_the_answer_stand_on_the_turns_span(
    read: str, said: str, question: str | None, answer: str | None
) -> None:
    spans = [traced(1, "AGENT", {INPUT: read, OUTPUT: said}, name="a", at=(0, 9))]
    (turn,) = explain_spans(spans)
    assert_evidence_resolves(turn, spans)
    assert (turn.agent, turn.question, turn.answer) == ("a", question, answer)


def test_a_model_call_has_its_providers_request_and_response() -> None:
    facts = mlflow.model(
        traced(
            1,
            "CHAT_MODEL",
            {
                INPUT: '{"messages": [{"role": "user", "content": "q"}]}',
                OUTPUT: '{"choices": [{"message": {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", '
                '"function": {"name": "t", "arguments": "{}"}}]}}]}',
            },
        )
    )
    assert [(m.role, m.text.value) for m in facts.input] == [("user", "q")]
    assert [(r.name, r.call_id) for m in facts.output for r in m.requested] == [("t", "c1")]


def test_a_model_call_may_read_and_say_plain_text() -> None:
    facts = mlflow.model(traced(1, "LLM", {INPUT: '"q"', OUTPUT: '"a"'}))
    assert [(m.role, m.text.value) for m in (*facts.input, *facts.output)] == [("user", "q"), ("assistant", "a")]
