"""Google ADK: both schemas, wrapped results, placeholders, a model's own code execution."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_footprint.dialects import Role, adk
from otel_footprint.testing import (
    BuiltSpan,
    assert_evidence_resolves,
    explain_spans,
    message,
    resolve,
    response_part,
    span,
)

ARGUMENTS, RESPONSE = "gcp.vertex.agent.tool_call_args", "gcp.vertex.agent.tool_response"
REQUEST, ANSWER = "gcp.vertex.agent.llm_request", "gcp.vertex.agent.llm_response"


def adk_span(number: int, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    return span(number, attributes=attributes, scope=rest.pop("scope", "gcp.vertex.agent"), **rest)


def operation(name: str, **attributes: Any) -> dict[str, Any]:
    return {"gen_ai.operation.name": name, **attributes}


@pytest.mark.parametrize(
    ("one", "role"),
    [
        (adk_span(1, name="invocation"), Role.WORKFLOW),
        (adk_span(1, name="call_llm"), Role.MODEL),
        (adk_span(1, operation("invoke_agent")), Role.AGENT),
        (adk_span(1, operation("invoke_workflow")), Role.WORKFLOW),
        (adk_span(1, operation("generate_content")), Role.MODEL),
        (adk_span(1, operation("execute_tool")), Role.TOOL),
        (adk_span(1, {**operation("execute_tool"), "gen_ai.tool.name": "(merged tools)"}), Role.SKIP),
        (adk_span(1, name="other"), None),
        (adk_span(1, name="invocation", scope="mine"), None),
    ],
    ids=str,
)
def test_the_operation_or_the_name_tells_what_a_span_is(one: BuiltSpan, role: Role | None) -> None:
    assert adk.role(one) is role


@pytest.mark.parametrize(
    ("attributes", "state", "value"),
    [
        ({"gen_ai.tool.call.result": '{"result": []}'}, "recorded", []),
        ({"gen_ai.tool.call.result": '{"result": "[]"}'}, "recorded", "[]"),
        ({"gen_ai.tool.call.result": '{"result": {"result": 1}}'}, "recorded", {"result": 1}),
        ({"gen_ai.tool.call.result": '{"result": 1, "more": 2}'}, "recorded", '{"result": 1, "more": 2}'),
        ({RESPONSE: '{"result": "x"}', ARGUMENTS: '{"a": 1}'}, "recorded", "x"),
        ({RESPONSE: '{"result": "<not specified>"}', ARGUMENTS: '{"a": 1}'}, "absent", None),
        ({RESPONSE: "{}", ARGUMENTS: "{}"}, "absent", None),
        ({RESPONSE: "{}", ARGUMENTS: '{"a": 1}'}, "recorded", "{}"),
        ({}, "absent", None),
    ],
    ids=str,
)
def test_a_result_is_what_the_tool_returned(attributes: dict[str, Any], state: str, value: Any) -> None:
    result = adk.tool(adk_span(1, operation("execute_tool", **attributes))).result
    assert (result.state, result.value) == (state, value)


def test_content_that_is_switched_off_leaves_neither_program_nor_result_and_names_the_switch() -> None:
    tool = operation("execute_tool", **{"gen_ai.tool.name": "run_python", ARGUMENTS: "{}", RESPONSE: "{}"})
    (turn,) = explain_spans([adk_span(1, name="invocation", at=(0, 9)), adk_span(2, tool, parent=1, at=(1, 2))])
    assert [(s.program, s.outcome) for s in turn.scripts] == [("absent", "returned")]
    assert not turn.calls[0].result_recorded
    assert {"ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS=true" in (line.enable or "") for line in turn.unreached} == {True}


def test_a_missing_id_is_no_id() -> None:
    one = adk_span(1, operation("execute_tool", **{"gen_ai.tool.call.id": "<not specified>"}))
    assert adk.tool(one).call_id is None


def test_a_result_that_the_model_read_is_unwrapped_and_no_persons_message() -> None:
    inputs = [message("user", "q"), message("user", response_part("c1", {"result": []}))]
    (person, brought) = adk.model(adk_span(1, operation("chat", **{"gen_ai.input.messages": json.dumps(inputs)}))).input
    assert (person.role, brought.role) == ("user", "tool")
    assert [r.value.value for r in brought.responded] == [[]]


def raw_model_span() -> BuiltSpan:
    request = {
        "config": {"system_instruction": "Be brief."},
        "contents": [
            {"role": "user", "parts": [{"text": "q"}]},
            {"role": "model", "parts": [{"function_call": {"id": "c1", "name": "t", "args": {"x": 1}}}]},
            {"role": "user", "parts": [{"function_response": {"id": "c1", "name": "t", "response": {"result": []}}}]},
        ],
    }
    answer = {
        "content": {
            "role": "model",
            "parts": [
                {"text": "thinking", "thought": True},
                {"executable_code": {"code": "print(6*7)", "language": "PYTHON"}},
                {"code_execution_result": {"outcome": "OUTCOME_OK", "output": "42\n"}},
                {"text": "42"},
            ],
        }
    }
    return adk_span(2, {REQUEST: json.dumps(request), ANSWER: json.dumps(answer)}, name="call_llm", parent=1, at=(1, 2))


def test_the_older_schemas_request_and_answer_are_read() -> None:
    one = raw_model_span()
    facts = adk.model(one)
    assert [m.role for m in facts.input] == ["user", "assistant", "tool"]
    assert [text.value for text in facts.instructions] == ["Be brief."]
    assert [(r.name, r.call_id, r.arguments.value) for r in facts.input[1].requested] == [("t", "c1", {"x": 1})]
    assert [(r.call_id, r.value.value) for r in facts.input[2].responded] == [("c1", [])]
    (said,) = facts.output
    assert (said.role, said.text.value) == ("assistant", "42")
    (ran,) = said.requested
    assert (ran.hosted, ran.arguments.value, ran.result.value) == (
        True,
        {"code": "print(6*7)", "language": "python"},
        "42\n",
    )
    for pointer in (facts.input[1].requested[0].arguments.pointer, facts.input[2].responded[0].value.pointer):
        assert pointer is not None
        resolve(pointer, [one])


def test_what_the_model_ran_itself_is_a_script_of_the_turn() -> None:
    spans = [adk_span(1, name="invocation", at=(0, 9)), raw_model_span()]
    (turn,) = explain_spans(spans)
    assert_evidence_resolves(turn, spans)
    assert [(s.tool, s.text, s.language, s.outcome) for s in turn.scripts] == [
        ("code_execution", "print(6*7)", "python", "reported-success")
    ]
    assert (turn.question, turn.answer) == ("q", "42")


@pytest.mark.parametrize(
    ("outcome", "label"),
    [
        ("OUTCOME_OK", "reported-success"),
        ("OUTCOME_FAILED", "reported-failure"),
        ("OUTCOME_DEADLINE_EXCEEDED", "reported-failure"),
        ("OUTCOME_UNSPECIFIED", "returned"),
        (None, "returned"),
        (1, "returned"),
    ],
)
def test_the_runners_verdict_is_the_scripts_and_no_exit_code(outcome: Any, label: str) -> None:
    result = {"output": "x"} if outcome is None else {"outcome": outcome, "output": "x"}
    parts = [{"executable_code": {"code": "1", "language": "PYTHON"}}, {"code_execution_result": result}]
    answer = json.dumps({"content": {"role": "model", "parts": parts}})
    (turn,) = explain_spans(
        [
            adk_span(1, name="invocation", at=(0, 9)),
            adk_span(2, {REQUEST: "{}", ANSWER: answer}, name="call_llm", parent=1, at=(1, 2)),
        ]
    )
    assert [(s.outcome, s.exit_code) for s in turn.scripts] == [(label, None)]


# -- code executors, whose programs are in texts -----------------------------------------------------------------------

ASKED = "Compute it\n```python\nprint(1)\n```\n"
RAN = [message("assistant", "Compute it\n", "```tool_code\nprint(1)\n```")]
GAVE = [message("user", "```tool_output\nCode execution result:\n1\n\n```")]


def texts(number: int, said: str, *read: dict[str, Any], at: tuple[float, float], old: bool = False) -> BuiltSpan:
    """A model call in the newer schema, or in the older one."""
    inputs, output = [message("user", "q"), *read], [message("assistant", said)]
    if not old:
        own = {"gen_ai.input.messages": json.dumps(inputs), "gen_ai.output.messages": json.dumps(output)}
        return adk_span(number, operation("generate_content", **own), parent=1, at=at)
    contents = [
        {
            "role": {"assistant": "model"}.get(m["role"], m["role"]),
            "parts": [{"text": part["content"]} for part in m["parts"]],
        }
        for m in (*inputs, *output)
    ]
    request, answer = {"contents": contents[:-1]}, {"content": contents[-1]}
    own = {REQUEST: json.dumps(request), ANSWER: json.dumps(answer)}
    return adk_span(number, own, name="call_llm", parent=1, at=at)


@pytest.mark.parametrize("old", [False, True])
def test_a_program_that_the_next_request_repeats_has_run(*, old: bool) -> None:
    failed = [
        message("assistant", "```tool_code\n1/0\n```"),
        message("user", "```tool_output\nTraceback\n```"),
    ]
    spans = [
        adk_span(1, operation("invoke_agent"), at=(0, 9)),
        texts(2, ASKED, at=(1, 2), old=old),
        texts(3, "Again\n```tool_code\n1/0\n```", *RAN, *GAVE, at=(3, 4), old=old),
        texts(4, "It is 1.", *RAN, *GAVE, *failed, at=(5, 6), old=old),
    ]
    (turn,) = explain_spans(spans)
    assert_evidence_resolves(turn, spans)
    assert [(s.tool, s.text, s.argument, s.language, s.outcome) for s in turn.scripts] == [
        ("code_executor", "print(1)", None, "python", "returned"),
        ("code_executor", "1/0", None, "python", "returned"),
    ]
    assert [(c.outcome, c.result_recorded, c.emptiness) for c in turn.calls] == [("ran", True, "unknown")] * 2
    assert (turn.question, turn.answer, turn.finished) == ("q", "It is 1.", True)


def test_a_fenced_program_that_nothing_repeats_is_an_answer_with_code_in_it() -> None:
    top = adk_span(1, operation("invoke_agent"), at=(0, 9))
    (turn,) = explain_spans([top, texts(2, ASKED, at=(1, 2))])
    assert (turn.calls, turn.answer) == ((), ASKED)
    said = [message("assistant", ASKED), message("user", "thanks")]
    (more,) = explain_spans([top, texts(2, ASKED, at=(1, 2)), texts(3, "done", *said, at=(3, 4))])
    assert more.calls == ()


def test_only_the_first_fenced_program_of_a_text_is_the_executors() -> None:
    said = "```python\nprint(1)\n```\nand\n```tool_code\nprint(2)\n```"
    (turn,) = explain_spans(
        [
            adk_span(1, operation("invoke_agent"), at=(0, 9)),
            texts(2, said, at=(1, 2)),
            texts(3, "done", *RAN, *GAVE, at=(3, 4)),
        ]
    )
    assert [s.text for s in turn.scripts] == ["print(1)"]


def test_what_a_person_says_in_such_a_fence_is_the_persons() -> None:
    (turn,) = explain_spans([adk_span(1, operation("invoke_agent"), at=(0, 9)), texts(2, "x", *GAVE, at=(1, 2))])
    assert turn.question == "```tool_output\nCode execution result:\n1\n\n```"


# -- calls without ids in the messages -------------------------------------------------------------------------------


def idless(number: int, *contents: dict[str, Any], said: dict[str, Any], at: tuple[float, float]) -> BuiltSpan:
    request = {"contents": [{"role": "user", "parts": [{"text": "q"}]}, *contents]}
    own = {REQUEST: json.dumps(request), ANSWER: json.dumps({"content": {"role": "model", "parts": [said]}})}
    return adk_span(number, own, name="call_llm", parent=1, at=at)


def test_a_call_that_gets_its_id_when_it_runs_is_the_one_that_was_asked_for_without() -> None:
    asked = {"function_call": {"name": "price", "args": {"ticker": "X"}}}
    gave = {"function_response": {"name": "price", "response": {"error": "not found"}}}
    tool = operation("execute_tool", **{"gen_ai.tool.name": "price", "gen_ai.tool.call.id": "adk-1", "error.type": "E"})
    told = [{"role": "model", "parts": [asked]}, {"role": "user", "parts": [gave]}]
    spans = [
        adk_span(1, name="invocation", at=(0, 9)),
        # The model call ends after its tool.
        idless(2, said=asked, at=(1, 4)),
        adk_span(3, {**tool, ARGUMENTS: '{"ticker": "X"}'}, parent=1, at=(2, 3)),
        idless(4, *told, said={"text": "no"}, at=(5, 6)),
    ]
    (turn,) = explain_spans(spans)
    assert_evidence_resolves(turn, spans)
    assert [(c.tool, c.call_id, c.outcome, c.result_recorded) for c in turn.calls] == [
        ("price", "adk-1", "failed", True)
    ]
