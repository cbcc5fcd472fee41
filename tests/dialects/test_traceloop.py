"""OpenLLMetry: decorators, LangChain's envelopes, flattened messages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_footprint.dialects import Role, recognise, traceloop
from otel_footprint.testing import BuiltSpan, assert_evidence_resolves, explain_spans, resolve, span

LANGCHAIN = "opentelemetry.instrumentation.langchain"
LC_NAME = "traceloop.association.properties.lc_agent_name"


def kind(number: int, what: str, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    return span(number, attributes={"traceloop.span.kind": what, **(attributes or {})}, **rest)


@pytest.mark.parametrize(
    ("attributes", "role"),
    [
        ({"traceloop.span.kind": "workflow"}, Role.WORKFLOW),
        ({"traceloop.span.kind": "agent"}, Role.AGENT),
        ({"traceloop.span.kind": "task"}, Role.STEP),
        ({"traceloop.span.kind": "tool"}, Role.TOOL),
        ({"traceloop.span.kind": "handoff"}, Role.HANDOFF),
        ({"traceloop.span.kind": "session"}, None),
        ({"traceloop.span.kind": "task", "traceloop.entity.name": "a", LC_NAME: "a"}, Role.AGENT),
        ({"traceloop.span.kind": "task", "traceloop.entity.name": "model", LC_NAME: "a"}, Role.STEP),
        ({"traceloop.span.kind": "task", "gen_ai.operation.name": "invoke_agent"}, Role.STEP),
        ({"llm.request.type": "chat"}, Role.MODEL),
        ({"llm.request.type": "embedding"}, None),
        ({"llm.request.type": 1}, None),
        ({"crewai.crew.tasks": "[]", "gen_ai.operation.name": "invoke_agent"}, Role.WORKFLOW),
        ({"traceloop.span.kind": ["tool"]}, None),
        ({}, None),
    ],
    ids=str,
)
def test_the_kind_tells_what_a_span_is(attributes: dict[str, Any], role: Role | None) -> None:
    assert traceloop.role(span(1, attributes=attributes, scope="opentelemetry.instrumentation.openai.v1")) is role


def test_other_emitters_request_types_are_not_its_own() -> None:
    assert traceloop.role(span(1, attributes={"llm.request.type": "chat"}, scope="mine")) is None


def test_its_instrumentations_model_calls_are_its_own() -> None:
    chat = {"gen_ai.operation.name": "chat"}
    assert recognise(span(1, attributes=chat, scope=LANGCHAIN)) == (traceloop.DIALECT, Role.MODEL)
    dialect, _ = recognise(span(1, attributes=chat, scope="opentelemetry.instrumentation.genai.langchain"))
    assert dialect is not traceloop.DIALECT


def test_the_span_around_a_graphs_run_is_a_turn_only_as_the_root() -> None:
    around = {"gen_ai.operation.name": "invoke_agent", "gen_ai.workflow.nodes": ["model"]}
    assert traceloop.role(span(1, attributes=around, scope=LANGCHAIN)) is Role.WORKFLOW
    assert traceloop.role(span(2, parent=1, attributes=around, scope=LANGCHAIN)) is Role.SKIP


ENVELOPE = {"input_str": "{'code': '1'}", "inputs": {"code": "1"}, "kwargs": {"tool_call_id": "c1"}}


@pytest.mark.parametrize(
    ("recorded", "arguments", "bare"),
    [
        ({"args": ["print(1)"], "kwargs": {}}, "print(1)", True),
        ({"args": ["[]"], "kwargs": {}}, "[]", True),
        ({"args": [], "kwargs": {"code": "1"}}, {"code": "1"}, False),
        ({"args": ["self"], "kwargs": {"code": "1"}}, {"code": "1"}, False),
        ({"args": [{"code": "1"}], "kwargs": {}}, {"code": "1"}, False),
        ({"args": [], "kwargs": {}}, {}, False),
        (ENVELOPE, {"code": "1"}, False),
        ({**ENVELOPE, "inputs": None, "input_str": "1/0"}, "1/0", True),
        ({"code": "1"}, {"code": "1"}, False),
    ],
    ids=str,
)
def test_arguments_come_out_of_their_envelope(recorded: Any, arguments: Any, bare: bool) -> None:
    one = kind(1, "tool", {"traceloop.entity.name": "run_python", "traceloop.entity.input": json.dumps(recorded)})
    facts = traceloop.tool(one)
    assert (facts.arguments.value, facts.bare) == (arguments, bare)
    assert facts.arguments.pointer is not None
    resolve(facts.arguments.pointer, [one])


@pytest.mark.parametrize(
    "recorded", [{"args": ["a", "b"], "kwargs": {}}, {"args": ["print(1)"], "kwargs": {"timeout": 3}}], ids=str
)
def test_arguments_by_position_that_no_name_is_recorded_for_are_unreadable(recorded: Any) -> None:
    turn = explained(
        kind(1, "agent", at=(0, 9)),
        kind(
            2,
            "tool",
            {"traceloop.entity.name": "run_python", "traceloop.entity.input": json.dumps(recorded)},
            parent=1,
            at=(1, 2),
        ),
    )
    assert [(s.program, s.text) for s in turn.scripts] == [("unreadable", None)]


def test_arguments_that_a_limit_cut_are_cut() -> None:
    one = kind(1, "tool", {"traceloop.entity.input": '{"args": ["print(su'})
    assert traceloop.tool(one).arguments.state == "cut"


def lc_result(content: Any) -> str:
    message = {"lc": 1, "kwargs": {"content": content, "type": "tool", "tool_call_id": "c1", "status": "success"}}
    return json.dumps({"output": message, "kwargs": {"name": "t"}})


@pytest.mark.parametrize(
    ("attributes", "result"),
    [
        ({"traceloop.entity.output": '"45\\n"'}, "45\n"),
        ({"traceloop.entity.output": "[]"}, []),
        ({"traceloop.entity.output": '{"a": 1}'}, {"a": 1}),
        ({"traceloop.entity.output": "null"}, None),
        ({"gen_ai.tool.call.result": '"quoted"'}, '"quoted"'),
        ({"gen_ai.tool.call.result": "[]", "traceloop.entity.output": '"other"'}, "[]"),
        ({"gen_ai.tool.call.result": lc_result([])}, []),
        ({"traceloop.entity.output": lc_result("45\n")}, "45\n"),
    ],
    ids=str,
)
def test_a_result_is_what_the_tool_gave(attributes: dict[str, Any], result: Any) -> None:
    facts = traceloop.tool(kind(1, "tool", attributes))
    assert (facts.result.state, facts.result.value) == ("recorded", result)


def test_the_call_id_stands_in_an_envelope() -> None:
    by_input = kind(1, "tool", {"traceloop.entity.input": json.dumps(ENVELOPE)})
    by_result = kind(1, "tool", {"gen_ai.tool.call.result": lc_result("x")})
    assert (traceloop.tool(by_input).call_id, traceloop.tool(by_result).call_id) == ("c1", "c1")
    assert (
        traceloop.tool(kind(1, "tool", {"traceloop.entity.input": '{"kwargs": {"tool_call_id": "x"}}'})).call_id is None
    )


def test_a_failed_task_is_a_failed_call() -> None:
    one = kind(1, "tool", {"gen_ai.task.status": "failure"})
    assert traceloop.tool(one).failed == f"{one.span_id}#attribute:gen_ai.task.status"
    assert traceloop.tool(kind(1, "tool", {"gen_ai.task.status": "success"})).failed is None


def test_flattened_messages_are_read_in_the_order_of_their_numbers() -> None:
    one = span(
        1,
        attributes={
            "gen_ai.prompt.10.role": "tool",
            "gen_ai.prompt.10.content": "[]",
            "gen_ai.prompt.10.tool_call_id": "c0",
            "gen_ai.prompt.2.role": "user",
            "gen_ai.prompt.2.content": '[{"type": "text", "text": "hi"}]',
            "gen_ai.prompt.x.content": "none",
            "gen_ai.prompt.3.content": "no role",
            "gen_ai.completion.0.content": "so",
            "gen_ai.completion.0.tool_calls.1.name": "b",
            "gen_ai.completion.0.tool_calls.0.name": "a",
            "gen_ai.completion.0.tool_calls.0.id": "c1",
            "gen_ai.completion.0.tool_calls.0.arguments": '{"code": "1"}',
        },
    )
    facts = traceloop.model(one)
    assert [(m.role, m.text.value) for m in facts.input] == [("user", "hi"), ("user", "no role"), ("tool", None)]
    assert [(r.call_id, r.value.value) for r in facts.input[2].responded] == [("c0", "[]")]
    (said,) = facts.output
    assert (said.role, said.text.value) == ("assistant", "so")
    assert [(r.name, r.call_id, r.arguments.value) for r in said.requested] == [
        ("a", "c1", {"code": "1"}),
        ("b", None, None),
    ]
    for pointer in (facts.input[0].text.pointer, said.requested[0].arguments.pointer, said.requested[1].pointer):
        assert pointer is not None
        resolve(pointer, [one])


def explained(*spans: BuiltSpan) -> Any:
    (found,) = explain_spans(spans)
    assert_evidence_resolves(found, spans)
    return found


@pytest.mark.parametrize(
    ("attributes", "question", "answer"),
    [
        ({"traceloop.entity.input": '{"args": ["q"], "kwargs": {}}', "traceloop.entity.output": '"a"'}, "q", "a"),
        ({"traceloop.entity.input": '{"args": [], "kwargs": {"x": "q"}}', "traceloop.entity.output": "45"}, "q", "45"),
        ({"traceloop.entity.input": '{"args": ["a", "b"], "kwargs": {}}'}, None, None),
        ({"traceloop.entity.output": '{"a": 1}'}, None, None),
        (
            {
                "traceloop.entity.input": '{"inputs": {"messages": [["user", "q"]]}}',
                "traceloop.entity.output": '{"outputs": {"messages": [{"lc": 1, "kwargs": {"type": "ai", '
                '"content": "a"}}]}}',
            },
            "q",
            "a",
        ),
        ({"crewai.crew.tasks": '[{"description": "q"}]', "crewai.crew.result": "a"}, "q", "a"),
        ({"crewai.crew.tasks": '[{"description": "q"}, {"description": "r"}]'}, None, None),
    ],
    ids=str,
)
def test_the_question_and_the_answer_stand_on_the_turns_span(
    attributes: dict[str, Any], question: str | None, answer: str | None
) -> None:
    turn = explained(kind(1, "workflow", {**attributes, "traceloop.entity.name": "flow"}, at=(0, 9)))
    assert (turn.question, turn.answer, turn.agent) == (question, answer, None)
