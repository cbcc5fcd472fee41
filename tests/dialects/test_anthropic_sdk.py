"""The Anthropic SDK's own spans."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_footprint.dialects import Role, anthropic_sdk, recognise
from otel_footprint.testing import (
    BuiltSpan,
    assert_evidence_resolves,
    call_part,
    explain_spans,
    message,
    model_span,
    response_part,
    span,
)

SCOPE = "com.anthropic.sdk.python"
RESULT = "anthropic.tool_result.content"


def did(number: int, operation: str, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    return span(number, attributes={"gen_ai.operation.name": operation, **(attributes or {})}, scope=SCOPE, **rest)


@pytest.mark.parametrize("operation", ["invoke_agent", "chat", "execute_tool"])
def test_its_spans_are_told_by_scope_and_operation(operation: str) -> None:
    dialect, role = recognise(did(1, operation))
    assert dialect is anthropic_sdk.DIALECT
    assert role in {Role.AGENT, Role.MODEL, Role.TOOL}
    assert anthropic_sdk.role(span(1, attributes={"gen_ai.operation.name": operation})) is None


@pytest.mark.parametrize(
    ("blocks", "value"),
    [
        ([{"type": "text", "text": "[]"}], "[]"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        ([], "[]"),
    ],
    ids=str,
)
def test_a_result_stands_under_its_own_key(blocks: Any, value: str) -> None:
    assert anthropic_sdk.tool(did(1, "execute_tool", {RESULT: json.dumps(blocks)})).result.value == value


@pytest.mark.parametrize(
    ("attributes", "arguments", "result"),
    [
        ({"gen_ai.tool.call.arguments": '{"code": "1"}', RESULT: "[]"}, "recorded", "cut"),
        ({RESULT: '[{"type": "text", "text": "x"}]'}, "cut", "cut"),
        ({"gen_ai.tool.call.arguments": '{"code": "1"}'}, "recorded", "absent"),
    ],
    ids=str,
)
def test_content_over_the_limit_is_cut_and_arguments_are_whole_or_gone(
    attributes: dict[str, Any], arguments: str, result: str
) -> None:
    facts = anthropic_sdk.tool(did(1, "execute_tool", {**attributes, "anthropic.content.truncated": True}))
    assert (facts.arguments.state, facts.result.state) == (arguments, result)


def test_a_call_with_its_result_in_the_answer_was_run_by_the_provider() -> None:
    said = [
        message(
            "assistant",
            call_part("bash_code_execution", "srv1", {"command": "ls /nope"}),
            response_part("srv1", {"stdout": "", "stderr": "no such file", "return_code": 2}),
            call_part("search", "c2", {"query": "x"}),
        )
    ]
    spans = [did(1, "invoke_agent", at=(0, 9)), model_span(2, said=said, scope=SCOPE, parent=1, at=(1, 2))]
    (turn,) = explain_spans(spans)
    assert_evidence_resolves(turn, spans)
    assert [(c.tool, c.outcome, c.notes) for c in sorted(turn.calls, key=lambda c: c.tool or "")] == [
        ("bash_code_execution", "ran", ("hosted",)),
        ("search", "unknown", ("no-span",)),
    ]
    assert [(s.text, s.outcome, s.exit_code) for s in turn.scripts] == [("ls /nope", "completed-with-failure", 2)]
