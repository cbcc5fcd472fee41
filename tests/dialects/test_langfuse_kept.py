"""What Langfuse took out of other instrumentations' spans is read back into them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_footprint.dialects import Role, dialects, langfuse, recognise
from otel_footprint.testing import (
    BuiltSpan,
    assert_evidence_resolves,
    call_part,
    explain_spans,
    message,
    response_part,
    span,
)

(KEPT,) = (dialect for dialect in dialects() if dialect.name == "langfuse-kept")
INPUT, OUTPUT = "langfuse.observation.input", "langfuse.observation.output"


def kept(number: int, kind: str, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    own = {k: v if isinstance(v, str) else json.dumps(v) for k, v in (attributes or {}).items()}
    return span(number, attributes={"langfuse.observation.type": kind, **own}, **rest)


@pytest.mark.parametrize(
    ("one", "role"),
    [
        (kept(1, "span", {"gen_ai.operation.name": "invoke_agent"}), Role.AGENT),
        (kept(1, "span", {"agent_name": "a"}, name="a run", scope="pydantic-ai"), Role.AGENT),
        (kept(1, "tool", name="running tool: f", scope="pydantic-ai"), Role.TOOL),
        (kept(1, "span", {"langsmith.span.kind": "chain"}), Role.STEP),
        (kept(1, "span", {"openinference.span.kind": "AGENT"}), Role.AGENT),
        (kept(1, "span", {"ai.operationId": "ai.toolCall"}), Role.TOOL),
    ],
    ids=str,
)
def test_what_is_left_of_a_span_tells_what_it_is(one: BuiltSpan, role: Role) -> None:
    assert recognise(one) == (KEPT, role)


@pytest.mark.parametrize("scope", ["langfuse-sdk", "pydantic-ai", ""])
def test_a_span_of_langfuses_own_is_langfuses(scope: str) -> None:
    assert recognise(kept(1, "tool", {INPUT: "x"}, name="f", scope=scope)) == (langfuse.DIALECT, Role.TOOL)


def test_a_pydantic_ai_turn_is_one_call_one_row() -> None:
    asked = message("assistant", call_part("run_python", "c1", {"code": "print(1)"}))
    gave = message("user", response_part("c1", "1\n"))
    spans = [
        kept(1, "span", {"agent_name": "a", "final_result": "done"}, name="a run", scope="pydantic-ai", at=(0, 9)),
        kept(2, "generation", {"gen_ai.operation.name": "chat", INPUT: [message("user", "q")], OUTPUT: [asked]},
             scope="pydantic-ai", parent=1, at=(1, 2)),
        kept(3, "tool", {"gen_ai.tool.name": "run_python", "gen_ai.tool.call.id": "c1",
                         INPUT: {"code": "print(1)"}, OUTPUT: "1\n"},
             name="running tool: run_python", scope="pydantic-ai", parent=1, at=(3, 4)),
        kept(4, "generation", {"gen_ai.operation.name": "chat", INPUT: [message("user", "q"), asked, gave],
                               OUTPUT: [message("assistant", "done")]},
             scope="pydantic-ai", parent=1, at=(5, 6)),
    ]  # fmt: skip
    (turn,) = explain_spans(spans)
    assert_evidence_resolves(turn, spans)
    assert (turn.agent, turn.question, turn.answer) == ("a", "q", "done")
    assert [(c.tool, c.call_id, c.outcome, c.notes) for c in turn.calls] == [("run_python", "c1", "ran", ())]
    assert [(s.text, s.outcome) for s in turn.scripts] == [("print(1)", "returned")]


def test_a_langsmith_turn_finds_each_calls_request_by_its_arguments() -> None:
    def use(call_id: str, city: str) -> dict[str, Any]:
        block = {"type": "tool_use", "id": call_id, "name": "weather", "input": {"city": city}}
        return {"role": "assistant", "content": [block]}

    def weather(number: int, city: str, at: tuple[float, float]) -> BuiltSpan:
        gave = {"content": [{"type": "text", "text": "[]"}]}
        own = {"langsmith.span.kind": "tool", INPUT: {"input": {"city": city}}, OUTPUT: gave}
        return kept(number, "tool", own, name="weather", parent=1, at=at)

    llm = {"langsmith.span.kind": "llm"}
    spans = [
        kept(1, "span", {"langsmith.span.kind": "chain"}, at=(0, 9)),
        kept(2, "generation", {**llm, INPUT: {"role": "user", "content": "q"}, OUTPUT: use("c1", "Berlin")},
             parent=1, at=(1, 2)),
        kept(3, "generation", {**llm, INPUT: {"content": "role"}, OUTPUT: use("c2", "Paris")}, parent=1, at=(2, 5)),
        weather(4, "Paris", (3, 4)),
        weather(5, "Berlin", (4, 5)),
    ]  # fmt: skip
    (turn,) = explain_spans(spans)
    assert turn.question == "q"
    assert [(c.call_id, c.emptiness, c.notes) for c in turn.calls] == [
        ("c2", "undeclared-empty", ()),
        ("c1", "undeclared-empty", ()),
    ]


def test_what_the_spans_instrumentation_still_records_wins() -> None:
    own = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.arguments": '{"a": 1}', INPUT: '{"a": 2}'}
    facts = KEPT.tool(kept(1, "tool", {**own, "langfuse.observation.level": "ERROR"}, name="f"))
    assert facts.arguments.value == {"a": 1}
    assert facts.failed == f"{format(1, '016x')}#attribute:langfuse.observation.level"
