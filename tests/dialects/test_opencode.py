"""OpenCode: two spans for one call, steps that are no turns, and work that is no part of the turn."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_footprint.dialects import Role, opencode
from otel_footprint.testing import BuiltSpan, explain_spans, span


def did(number: int, name: str, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    return span(number, scope="opencode", name=name, attributes=attributes, **rest)


def sdk(number: int, operation: str, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    return did(number, operation, {"ai.operationId": operation, **(attributes or {})}, **rest)


def run(number: int, call_id: str, at: tuple[float, float], result: Any = None, **rest: Any) -> list[BuiltSpan]:
    """The two spans of one call."""
    own = {"tool.name": "bash", "tool.call_id": call_id}
    values = {
        "ai.toolCall.name": "bash",
        "ai.toolCall.id": call_id,
        "ai.toolCall.args": '{"command":"ls"}',
        "ai.toolCall.result": json.dumps(result),
    }
    return [
        did(number, "Tool.execute", own, parent=1, at=(at[0] + 0.1, at[1]), **rest),
        sdk(number + 1, "ai.toolCall", values, parent=1, at=at),
    ]


@pytest.mark.parametrize(
    ("one", "role"),
    [
        (did(1, "SessionPrompt.prompt"), Role.AGENT),
        (did(1, "SessionPrompt.run"), Role.AGENT),
        (did(1, "SessionPrompt.ensureTitle"), Role.ASIDE),
        (did(1, "SessionCompaction.process"), Role.ASIDE),
        (did(1, "Tool.execute", {"tool.call_id": "c"}), Role.TOOL),
        (did(1, "Tool.execute"), None),
        (sdk(1, "ai.streamText"), Role.SKIP),
        (sdk(1, "ai.streamText.doStream"), Role.MODEL),
        (sdk(1, "ai.toolCall"), Role.TOOL),
        (did(1, "LLM.run"), None),
        (span(1, name="SessionPrompt.prompt"), None),
        (
            span(1, name="Tool.execute", attributes={"tool.call_id": "c"}, resource={"service.name": "opencode"}),
            Role.TOOL,
        ),
    ],
)
def test_what_a_span_is(one: BuiltSpan, role: Role | None) -> None:
    assert opencode.role(one) is role


def test_the_two_spans_of_a_call_are_one_call() -> None:
    result = {"title": "ls", "metadata": {"output": "x", "exit": 2, "truncated": False}, "output": "x"}
    (turn,) = explain_spans([did(1, "SessionPrompt.prompt", at=(0, 9)), *run(2, "c1", (1, 3), result)])
    assert [(c.call_id, c.span_id) for c in turn.calls] == [("c1", format(3, "016x"))]
    assert [(s.exit_code, s.exit_code_from) for s in turn.scripts] == [(2, "result")]


def test_an_error_on_either_of_them_is_the_calls() -> None:
    (turn,) = explain_spans([did(1, "SessionPrompt.prompt", at=(0, 9)), *run(2, "c1", (1, 3), status="error")])
    assert [c.outcome for c in turn.calls] == ["failed"]


def test_a_call_that_is_made_again_under_its_id_is_another_call() -> None:
    spans = [did(1, "SessionPrompt.prompt", at=(0, 9)), *run(2, "c1", (1, 3)), *run(4, "c1", (4, 6))]
    (turn,) = explain_spans(spans)
    assert [c.span_id for c in turn.calls] == [format(3, "016x"), format(5, "016x")]


def test_the_making_of_a_title_is_no_part_of_the_turn() -> None:
    title = json.dumps([{"role": "user", "content": "Make a title."}])
    asked = json.dumps([{"role": "user", "content": "List."}])
    spans = [
        did(1, "SessionPrompt.prompt", at=(0, 9)),
        did(2, "SessionPrompt.ensureTitle", parent=1, at=(1, 2)),
        sdk(3, "ai.streamText", parent=2, at=(1, 2)),
        sdk(4, "ai.streamText.doStream", {"ai.prompt.messages": title, "ai.response.text": "T"}, parent=3, at=(1, 2)),
        sdk(5, "ai.streamText.doStream", {"ai.prompt.messages": asked, "ai.response.text": "A"}, parent=1, at=(3, 4)),
    ]
    for known in (spans, spans[1:]):
        (turn,) = explain_spans(known)
        assert (turn.question, turn.answer) == ("List.", "A")


@pytest.mark.parametrize(
    "result",
    [
        {"title": "x", "metadata": {}, "output": ["a"]},
        {"output": "x"},
        {"metadata": {"exit": 2}, "output": "x", "other": 1},
        ["x"],
    ],
    ids=str,
)
def test_an_object_of_another_form_is_the_result_as_it_is(result: Any) -> None:
    facts = opencode.tool(run(2, "c1", (1, 2), result)[1])
    assert facts.exit_pointer is None
    assert facts.result.spelled == result
