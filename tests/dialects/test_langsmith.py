"""LangSmith: one pair of keys for messages, states, arguments and results."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_footprint.dialects import Role, langsmith
from otel_footprint.testing import BuiltSpan, assert_evidence_resolves, explain_spans, resolve, span

NAME = "langsmith.metadata.lc_agent_name"


def run(number: int, kind: str, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    return span(number, attributes={"langsmith.span.kind": kind, **(attributes or {})}, **rest)


@pytest.mark.parametrize(
    ("one", "role"),
    [
        (run(1, "chain", {NAME: "a"}, name="a"), Role.AGENT),
        (run(1, "chain", {NAME: "a"}, name="model"), Role.STEP),
        (run(1, "chain", name="wrap_tool_call"), Role.STEP),
        (run(1, "llm"), Role.MODEL),
        (run(1, "tool", {NAME: "a"}, name="a"), Role.TOOL),
        (run(1, "retriever"), None),
        (span(1, attributes={"langsmith.span.kind": 1}), None),
        (span(1, attributes={"gen_ai.operation.name": "chain"}), None),
    ],
    ids=str,
)
def test_the_kind_tells_what_a_run_is(one: BuiltSpan, role: Role | None) -> None:
    assert langsmith.role(one) is role


@pytest.mark.parametrize(
    ("completion", "state", "value"),
    [
        ({"output": {"content": [], "type": "tool", "tool_call_id": "c1"}}, "recorded", []),
        ({"output": "45"}, "recorded", "45"),
        ({"output": {}}, "recorded", {}),
        ({}, "absent", None),
    ],
    ids=str,
)
def test_a_result_is_in_its_message_and_an_empty_object_is_none(completion: Any, state: str, value: Any) -> None:
    result = langsmith.tool(run(1, "tool", {"gen_ai.completion": json.dumps(completion)})).result
    assert (result.state, result.value) == (state, value)


def test_a_call_has_its_arguments_in_the_prompt_and_its_id_in_the_result() -> None:
    one = run(
        1,
        "tool",
        {
            "gen_ai.prompt": '{"code": "1"}',
            "gen_ai.completion": '{"output": {"content": "x", "type": "tool", "tool_call_id": "c1"}}',
        },
        name="run_python",
    )
    facts = langsmith.tool(one)
    assert (facts.tool, facts.call_id, facts.arguments.value) == ("run_python", "c1", {"code": "1"})


def test_a_model_call_reads_a_batch_of_one_and_says_its_first_generation() -> None:
    human = {"lc": 1, "kwargs": {"type": "human", "content": "q"}}
    answer = {
        "lc": 1,
        "kwargs": {"type": "ai", "content": "a", "tool_calls": [{"name": "t", "args": {"x": 1}, "id": "c1"}]},
    }
    one = run(
        1,
        "llm",
        {
            "gen_ai.prompt": json.dumps({"messages": [[human]]}),
            "gen_ai.completion": json.dumps({"generations": [[{"message": answer}]]}),
        },
    )
    facts = langsmith.model(one)
    assert [(m.role, m.text.value) for m in facts.input] == [("user", "q")]
    (said,) = facts.output
    assert (said.role, said.text.value) == ("assistant", "a")
    assert [(r.name, r.call_id, r.arguments.value) for r in said.requested] == [("t", "c1", {"x": 1})]
    assert facts.input_recorded
    for pointer in (facts.input[0].text.pointer, said.text.pointer, said.requested[0].arguments.pointer):
        assert pointer is not None
        resolve(pointer, [one])


def test_a_providers_response_is_read_too() -> None:
    choice = {"message": {"role": "assistant", "content": "a"}}
    facts = langsmith.model(run(1, "llm", {"gen_ai.completion": json.dumps({"choices": [choice]})}))
    assert [(m.role, m.text.value) for m in facts.output] == [("assistant", "a")]


def test_the_conversation_is_the_threads_and_not_the_projects() -> None:
    attributes = {
        NAME: "a",
        "langsmith.trace.session_name": "default",
        "langsmith.trace.session_id": "project",
        "langsmith.metadata.thread_id": "t1",
        "gen_ai.prompt": '{"input": "q"}',
        "gen_ai.completion": '{"output": "a"}',
    }
    spans = [run(1, "chain", attributes, name="a", at=(0, 9))]
    (turn,) = explain_spans(spans)
    assert_evidence_resolves(turn, spans)
    assert (turn.conversation_id, turn.question, turn.answer) == ("t1", "q", "a")


def test_a_run_that_failed_under_an_ok_status_has_no_answer() -> None:
    messages = {"messages": [[{"lc": 1, "kwargs": {"type": "human", "content": "q"}}]]}
    (turn,) = explain_spans(
        [
            run(1, "chain", {NAME: "a", "gen_ai.completion": "{}"}, name="a", at=(0, 9), status="ok"),
            run(2, "llm", {"gen_ai.prompt": json.dumps(messages)}, parent=1, at=(1, 2)),
        ]
    )
    assert (turn.answer, turn.finished) == (None, False)
