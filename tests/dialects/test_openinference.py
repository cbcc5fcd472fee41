"""OpenInference: every home of a fact, one per emitter."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_footprint.dialects import Role, openinference
from otel_footprint.explanation import Explanation
from otel_footprint.testing import (
    BuiltSpan,
    assert_consistent,
    assert_evidence_resolves,
    explain_spans,
    resolve,
    span,
)

JSON = "application/json"


def oi(number: int, kind: str, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    return span(number, attributes={"openinference.span.kind": kind, **(attributes or {})}, **rest)


def explained(*spans: BuiltSpan) -> Explanation:
    (found,) = explain_spans(spans)
    assert_consistent(found)
    assert_evidence_resolves(found, spans)
    return found


# -- what a span is -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "role"),
    [
        ("AGENT", Role.AGENT),
        ("agent", Role.AGENT),
        ("CHAIN", Role.STEP),
        ("LLM", Role.MODEL),
        ("TOOL", Role.TOOL),
        ("RETRIEVER", None),
        ("GUARDRAIL", None),
        ("UNKNOWN", None),
        ("", None),
        (None, None),
        (1, None),
        (["TOOL"], None),
    ],
    ids=str,
)
def test_the_kind_tells_what_a_span_is(kind: Any, role: Role | None) -> None:
    assert openinference.role(oi(1, kind)) is role


def test_a_hand_off_is_a_tool_span_without_a_tools_name() -> None:
    assert openinference.role(oi(1, "TOOL", name="handoff to b")) is Role.HANDOFF
    assert openinference.role(oi(1, "TOOL", {"tool.name": "handoff to b"}, name="handoff to b")) is Role.TOOL


# -- a call -------------------------------------------------------------------------------------------------------

SCHEMA = json.dumps({"type": "object", "properties": {"code": {"type": "string"}}})


@pytest.mark.parametrize(
    "attributes",
    [
        {"input.value": '{"code": "1"}', "input.mime_type": JSON},
        {"input.value": '{"code": "1"}', "input.mime_type": "text/plain"},
        {"input.value": '{"code": "1"}'},
        {"input.value": json.dumps('{"code": "1"}'), "input.mime_type": JSON},
        {"input.value": '{"kwargs": {"code": "1"}}', "input.mime_type": JSON},
        {
            "input.value": '{"args": [], "kwargs": {"code": "1"}, "sanitize_inputs_outputs": true}',
            "input.mime_type": JSON,
        },
        {"input.value": '{"args": [{"code": "1"}], "kwargs": {}}', "input.mime_type": JSON},
        {"tool.parameters": '{"code": "1"}'},
        {"input.value": '{"code": "1"}', "input.mime_type": JSON, "tool.parameters": SCHEMA},
        {"input.value": '{"code": "1"}', "input.mime_type": JSON, "gen_ai.tool.call.arguments": SCHEMA},
    ],
    ids=str,
)
def test_arguments_are_found_in_each_home(attributes: dict[str, Any]) -> None:
    one = oi(1, "TOOL", attributes)
    facts = openinference.tool(one)
    assert (facts.arguments.value, facts.bare) == ({"code": "1"}, False)
    resolve(f"{facts.arguments.pointer}/code", [one])


@pytest.mark.parametrize(
    "attributes",
    [
        {"tool.parameters": SCHEMA},
        {"tool.parameters": '{"code": {"type": "string", "description": "python"}}'},
        {"gen_ai.tool.call.arguments": SCHEMA},
        {},
    ],
    ids=str,
)
def test_a_schema_is_never_arguments(attributes: dict[str, Any]) -> None:
    # F10
    assert openinference.tool(oi(1, "TOOL", attributes)).arguments.state == "absent"


def test_arguments_that_are_kept_out_are_not_looked_for_in_the_schema() -> None:
    facts = openinference.tool(oi(1, "TOOL", {"input.value": "__REDACTED__", "tool.parameters": '{"code": "1"}'}))
    assert facts.arguments.state == "redacted"


@pytest.mark.parametrize("text", ["[]", "1", "true", '"a"', "null", "print({})", '["a", "b"]', "{'a': 1}"])
@pytest.mark.parametrize("mime", [None, "text/plain", JSON])
def test_a_bare_program_is_never_parsed(text: str, mime: str | None) -> None:
    attributes = {"input.value": text, "tool.name": "python_repl_ast"}
    if mime is not None:
        attributes["input.mime_type"] = mime
    found = explained(oi(1, "AGENT", at=(0, 9)), oi(2, "TOOL", attributes, parent=1, at=(1, 2)))
    assert [(s.text, s.argument) for s in found.scripts] == [(text, "query")]


@pytest.mark.parametrize("value", ['{"args": [1, 2], "kwargs": {}}', '{"args": [], "kwargs": {}}', '{"kwargs": 1}'])
def test_an_envelope_without_arguments_by_name_is_left_as_it_is(value: str) -> None:
    facts = openinference.tool(oi(1, "TOOL", {"input.value": value, "input.mime_type": JSON}))
    assert facts.arguments.value == json.loads(value)


@pytest.mark.parametrize(
    ("attributes", "call_id"),
    [
        ({"tool.id": "c"}, "c"),
        ({"tool.call_id": "c"}, "c"),
        ({"tool_call.id": "c"}, "c"),
        ({"gen_ai.tool.call.id": "c"}, "c"),
        ({"output.value": '{"type":"tool","data":{"content":"x","tool_call_id":"c"}}'}, "c"),
        ({"output.value": '{"type":"tool","content":"x","tool_call_id":"c"}'}, "c"),
        ({"output.value": '{"type":"tool","data":{"content":"x","tool_call_id":""}}'}, None),
        ({"output.value": 'text with "tool_call_id" in it'}, None),
        ({"output.value": '["tool_call_id"]'}, None),
        ({"tool.id": ""}, None),
        ({}, None),
    ],
    ids=str,
)
def test_a_call_id_is_found_in_each_home(attributes: dict[str, Any], call_id: str | None) -> None:
    assert openinference.tool(oi(1, "TOOL", attributes)).call_id == call_id


@pytest.mark.parametrize(
    ("attributes", "result"),
    [
        ({"output.value": "[]"}, "[]"),
        ({"output.value": '{"type":"tool","data":{"content":[],"tool_call_id":"c"}}'}, []),
        ({"output.value": '[{"type":"text","text":"x"}]'}, "x"),
        ({"output.value": "__REDACTED__"}, None),
        ({"output.value": "right", "gen_ai.tool.call.result": "copied"}, "right"),
        ({}, None),
    ],
    ids=str,
)
def test_a_result_is_the_output_with_its_wrapper_taken_off(attributes: dict[str, Any], result: Any) -> None:
    assert openinference.tool(oi(1, "TOOL", attributes)).result.value == result


@pytest.mark.parametrize(
    ("attributes", "name", "tool"),
    [
        ({"tool.name": "f"}, "span", "f"),
        ({"gen_ai.tool.name": "f"}, "span", "f"),
        ({}, "span", "span"),
        ({}, "", None),
    ],
)
def test_a_tools_name_is_its_attribute_else_its_spans(attributes: dict[str, Any], name: str, tool: str | None) -> None:
    assert openinference.tool(oi(1, "TOOL", attributes, name=name)).tool == tool


def test_mcp_says_in_the_output_that_a_call_failed() -> None:
    # E15
    output = '{"isError": true, "content": [{"type": "text", "text": "boom"}]}'
    found = explained(oi(1, "AGENT", at=(0, 9)), oi(2, "TOOL", {"output.value": output}, parent=1, name="f", at=(1, 2)))
    assert [(c.outcome, c.result_recorded) for c in found.calls] == [("failed", True)]
    assert openinference.tool(oi(2, "TOOL", {"output.value": output})).result.value == "boom"


def test_a_wrapper_that_says_ok_over_a_native_error_is_a_failed_call() -> None:
    found = explained(
        oi(1, "AGENT", at=(0, 9)),
        oi(2, "TOOL", {"tool.name": "f"}, parent=1, at=(1, 8), status="ok"),
        span(
            3,
            parent=2,
            at=(2, 7),
            status="error",
            attributes={
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "f",
                "gen_ai.tool.call.id": "c1",
            },
        ),
    )
    assert [(c.call_id, c.outcome) for c in found.calls] == [("c1", "failed")]


def test_a_span_that_speaks_two_conventions_is_read_in_this_one() -> None:
    copied = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.call.arguments": SCHEMA,
        "tool.name": "run_python",
        "input.value": '{"code": "1"}',
        "input.mime_type": JSON,
    }
    found = explained(oi(1, "AGENT", at=(0, 9)), oi(2, "TOOL", copied, parent=1, at=(1, 2)))
    assert [s.text for s in found.scripts] == ["1"]


# -- messages -----------------------------------------------------------------------------------------------------


def flat(prefix: str, value: Any) -> dict[str, Any]:
    """Nested values in dotted keys."""
    if not isinstance(value, dict | list):
        return {prefix: value}
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found: dict[str, Any] = {}
    for key, inner in items:
        found.update(flat(f"{prefix}.{key}", inner))
    return found


def messages(side: str, *bodies: dict[str, Any]) -> dict[str, Any]:
    return flat(f"llm.{side}_messages", [{"message": body} for body in bodies])


ASKED = {
    "role": "assistant",
    "tool_calls": [{"tool_call": {"id": "c1", "function": {"name": "search", "arguments": '{"q": "x"}'}}}],
}


def test_messages_are_read_from_their_dotted_keys_in_the_order_of_their_index() -> None:
    bodies = [{"role": "user", "content": str(index)} for index in range(12)]
    facts = openinference.model(oi(1, "LLM", dict(reversed(messages("input", *bodies).items()))))
    assert [m.text.value for m in facts.input] == [str(index) for index in range(12)]


@pytest.mark.parametrize(
    "body",
    [
        {"content": "t"},
        {"content": ["t"]},
        {"contents": [{"message_content": {"type": "text", "text": "t"}}]},
        {
            "contents": [
                {"message_content": {"type": "image"}},
                {"message_content": {"type": "text", "text": "t"}},
            ]
        },
    ],
    ids=str,
)
def test_a_text_is_found_in_each_home(body: dict[str, Any]) -> None:
    one = oi(1, "LLM", messages("input", {"role": "user", **body}))
    (found,) = openinference.model(one).input
    assert found.text.value == resolve(found.text.pointer or "", [one]) == "t"


def test_requests_and_responses_are_read() -> None:
    answered = {"role": "tool", "tool_call_id": "c1", "name": "search", "content": "[]"}
    one = oi(1, "LLM", {**messages("input", answered), **messages("output", ASKED)})
    facts = openinference.model(one)
    ((request,), (response,)) = (facts.output[0].requested, facts.input[0].responded)
    assert (request.name, request.call_id, request.arguments.value) == ("search", "c1", {"q": "x"})
    assert (response.call_id, response.name, response.value.value) == ("c1", "search", "[]")
    resolve(request.pointer or "", [one])
    assert facts.input_recorded


def test_several_contents_under_one_call_id_are_not_this_calls_result_alone() -> None:
    contents = [{"message_content": {"text": text}} for text in ("a", "b")]
    answered = {"role": "tool", "tool_call_id": "c1", "contents": contents}
    facts = openinference.model(oi(1, "LLM", messages("input", answered)))
    assert facts.input[0].responded[0].value.state == "absent"


def test_keys_that_are_no_messages_are_passed_over() -> None:
    odd = {
        "llm.input_messages": "x",
        "llm.input_messages.": "x",
        "llm.input_messages.x.message.role": "user",
        "llm.input_messages.-1.message.role": "user",
        "llm.input_messages.²2.message.role": "user",
        "llm.input_messages." + "9" * 5000 + ".message.role": "user",
        "llm.input_messages.0.role": "user",
        "llm.input_messages.1": "user",
        "llm.input_messages.2.message": "user",
        "llm.input_messages.3.message." + "x." * 5000: "deep",
        "llm.input_messages.4.message.tool_calls": "none",
        "llm.input_messages.4.message.tool_calls.0": "none",
        "llm.input_messages.4.message.tool_calls.1.tool_call": 3,
    }
    (found,) = openinference.model(oi(1, "LLM", odd)).input
    assert [(r.name, r.call_id) for r in found.requested] == [(None, None)]


def test_a_text_and_an_indexed_text_of_one_message_are_read_the_same_in_any_order() -> None:
    keys = {
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "whole",
        "llm.input_messages.0.message.content.0": "part",
    }
    texts = [
        openinference.model(oi(1, "LLM", attributes)).input[0].text.value
        for attributes in (keys, dict(reversed(keys.items())))
    ]
    assert texts == ["part", "part"]


# -- the provider's raw items -------------------------------------------------------------------------------------

INTERPRETED = {
    "type": "code_interpreter_call",
    "id": "ci1",
    "code": "print(45)",
    "outputs": [{"type": "logs", "logs": "45\n"}],
}
SHELL = {"type": "shell_call", "call_id": "s1", "action": {"commands": ["ls", "pwd"]}}


def test_a_hosted_code_interpreter_is_found_in_the_raw_response_alone() -> None:
    raw = {"output.value": json.dumps({"output": [INTERPRETED]})}
    found = explained(oi(1, "AGENT", at=(0, 9)), oi(2, "LLM", raw, parent=1, at=(1, 2)))
    assert [(c.tool, c.span_id, c.notes, c.outcome) for c in found.calls] == [
        ("code_interpreter", None, ("hosted",), "ran")
    ]
    assert [(s.text, s.outcome, s.exit_code) for s in found.scripts] == [("print(45)", "returned", None)]


@pytest.mark.parametrize(
    ("outputs", "result"),
    [([{"type": "logs", "logs": "a"}, {"type": "image"}], "a"), ([], []), (None, None), ("odd", "odd")],
    ids=str,
)
def test_what_a_hosted_interpreter_printed_is_its_result(outputs: Any, result: Any) -> None:
    raw = {"output.value": json.dumps({"output": [{**INTERPRETED, "outputs": outputs}]})}
    (message,) = openinference.model(oi(2, "LLM", raw)).output
    assert message.requested[0].result.value == result


def test_a_hosted_interpreter_without_outputs_has_no_result() -> None:
    item = {key: value for key, value in INTERPRETED.items() if key != "outputs"}
    (message,) = openinference.model(oi(2, "LLM", {"output.value": json.dumps([item])})).output
    assert message.requested[0].result.state == "absent"


def shell_answer(outcome: Any) -> str:
    output = [
        {"stdout": "a", "stderr": "b", "outcome": {"type": "exit", "exit_code": 9}},
        {"stdout": "", "stderr": "no such", "outcome": outcome},
    ]
    return json.dumps([{"type": "shell_call_output", "call_id": "s1", "output": output}])


def shell_turn(outcome: Any) -> Explanation:
    return explained(
        oi(1, "AGENT", at=(0, 9)),
        oi(2, "LLM", {"output.value": json.dumps({"output": [SHELL]})}, parent=1, at=(1, 2)),
        oi(
            3,
            "TOOL",
            {"tool.name": "shell", "input.value": '{"commands": ["ls", "pwd"]}', "input.mime_type": JSON},
            parent=1,
            at=(3, 4),
        ),
        oi(4, "LLM", {"input.value": shell_answer(outcome)}, parent=1, at=(5, 6)),
    )


def test_a_shell_calls_exit_code_is_that_of_its_last_command() -> None:
    found = shell_turn({"type": "exit", "exit_code": 2})
    assert [(c.call_id, c.span_id) for c in found.calls] == [("s1", format(3, "016x"))]
    assert [(s.text, s.exit_code, s.exit_code_from) for s in found.scripts] == [("ls\npwd", 2, "result")]


def test_the_text_that_the_model_read_stands_beside_the_raw_exit_code() -> None:
    read = {"role": "tool", "tool_call_id": "s1", "content": "what it read"}
    spans = [
        oi(1, "AGENT", at=(0, 9)),
        oi(2, "LLM", {"output.value": json.dumps({"output": [SHELL]})}, parent=1, at=(1, 2)),
        oi(3, "TOOL", {"tool.name": "shell", "tool.id": "s1"}, parent=1, at=(3, 4)),
        oi(
            4,
            "LLM",
            {"input.value": shell_answer({"exit_code": 2}), **messages("input", read)},
            parent=1,
            at=(5, 6),
        ),
    ]
    found = explained(*spans)
    assert [(s.exit_code, s.exit_code_from) for s in found.scripts] == [(2, "result")]
    assert [(c.result_recorded, c.undeclared_shape) for c in found.calls] == [(True, False)]


@pytest.mark.parametrize("outcome", [{"type": "timeout"}, {"exit_code": True}, {"exit_code": "2"}, None, "x"], ids=str)
def test_a_shell_call_that_proves_no_exit_has_no_exit_code(outcome: Any) -> None:
    assert [(s.outcome, s.exit_code) for s in shell_turn(outcome).scripts] == [("returned", None)]


def test_a_raw_request_that_a_message_holds_too_is_one_request() -> None:
    asked = {
        "role": "assistant",
        "tool_calls": [{"tool_call": {"id": "s1", "function": {"name": "shell", "arguments": '{"commands": ["ls"]}'}}}],
    }
    raw = {"output.value": json.dumps({"output": [SHELL]}), **messages("output", asked)}
    found = explained(oi(1, "AGENT", at=(0, 9)), oi(2, "LLM", raw, parent=1, at=(1, 2)))
    assert [c.call_id for c in found.calls] == ["s1"]


@pytest.mark.parametrize(
    "raw",
    [
        '{"output": [{"type": "shell_call", "action": "ls"}, {"type": "shell_call"}, 7]}',
        '{"output": {"type": "shell_call"}}',
        '"code_interpreter_call"',
        '["code_interpreter_call"',
        '{"output": [{"type": "message"}], "x": "code_interpreter_call"}',
    ],
)
def test_raw_items_of_another_shape_are_passed_over(raw: str) -> None:
    facts = openinference.model(oi(2, "LLM", {"output.value": raw, "input.value": raw}))
    assert (facts.output, facts.input) == ((), ())


@pytest.mark.parametrize(
    "raw",
    [
        '[{"type": "shell_call_output", "call_id": 7, "output": "text"}]',
        '[{"type": "shell_call_output", "output": []}]',
        '[{"type": "local_shell_call_output", "call_id": "c", "output": ["x"]}]',
        '{"input": [{"type": "shell_call_output"}, {"type": "function_call_output"}]}',
    ],
)
def test_a_raw_answer_without_an_exit_code_has_none(raw: str) -> None:
    (message,) = openinference.model(oi(2, "LLM", {"input.value": raw})).input
    assert [r.exit_pointer for r in message.responded] == [None]


# -- the turn's span ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attributes", "question", "answer"),
    [
        (
            {
                **messages("input", {"role": "user", "content": "q"}),
                **messages("output", {"role": "assistant", "content": "a"}),
            },
            "q",
            "a",
        ),
        ({"input.value": "q", "output.value": "a"}, "q", "a"),
        (
            {
                "input.value": '"q"',
                "input.mime_type": JSON,
                "output.value": '"a"',
                "output.mime_type": JSON,
            },
            "q",
            "a",
        ),
        ({"input.value": '{"messages": []}', "input.mime_type": JSON}, None, None),
        ({"input.value": ["q"]}, None, None),
        ({"input.value": "__REDACTED__"}, None, None),
        ({}, None, None),
    ],
    ids=str,
)
def test_question_and_answer_are_found_in_each_home(
    attributes: dict[str, Any], question: str | None, answer: str | None
) -> None:
    facts = openinference.agent(oi(1, "AGENT", attributes))
    assert (facts.question.value, facts.answer.value) == (question, answer)


@pytest.mark.parametrize(
    ("attributes", "agent"),
    [
        ({"agent.name": "a"}, "a"),
        ({"gen_ai.agent.name": "a"}, "a"),
        ({"metadata": '{"lc_agent_name": "a"}'}, "a"),
        ({"metadata": '{"lc_agent_name": ""}'}, None),
        ({"metadata": "lc_agent_name"}, None),
        ({"metadata": '{"other": 1}'}, None),
        ({"metadata": ["lc_agent_name"]}, None),
    ],
    ids=str,
)
def test_the_agents_name_is_found_in_each_home(attributes: dict[str, Any], agent: str | None) -> None:
    assert openinference.agent(oi(1, "AGENT", attributes)).agent == agent


@pytest.mark.parametrize("key", ["session.id", "gen_ai.conversation.id"])
def test_the_conversation_is_found_under_each_key(key: str) -> None:
    assert explained(oi(1, "AGENT", {key: "s"}, at=(0, 1))).conversation_id == "s"


@pytest.mark.parametrize(
    ("scope", "start"),
    [
        ("openinference.instrumentation.openai_agents", "OPENAI_AGENTS_TRACE_INCLUDE_SENSITIVE_DATA=true with"),
        ("openinference.instrumentation.langchain", "OPENINFERENCE_HIDE_INPUTS=false and"),
    ],
)
def test_each_runtime_has_its_own_switch(scope: str, start: str) -> None:
    found = explained(oi(1, "AGENT", at=(0, 9), scope=scope), oi(2, "TOOL", parent=1, name="f", at=(1, 2), scope=scope))
    assert [(line.enable or "").startswith(start) for line in found.unreached] == [True]


def test_a_hidden_program_is_taken_from_the_messages_with_the_argument_they_name() -> None:
    asked = {
        "role": "assistant",
        "tool_calls": [{"tool_call": {"id": "c1", "function": {"name": "run_shell", "arguments": '{"cmd": "ls"}'}}}],
    }
    found = explained(
        oi(1, "AGENT", at=(0, 9)),
        oi(2, "LLM", messages("output", asked), parent=1, at=(1, 2)),
        oi(
            3,
            "TOOL",
            {"tool.name": "run_shell", "tool.id": "c1", "input.value": "__REDACTED__"},
            parent=1,
            at=(3, 4),
        ),
    )
    assert [(s.text, s.argument, s.program) for s in found.scripts] == [("ls", "cmd", "recorded")]


def test_a_bare_program_has_the_argument_that_the_request_names() -> None:
    asked = {
        "role": "assistant",
        "tool_calls": [{"tool_call": {"id": "c1", "function": {"name": "run_shell", "arguments": '{"cmd": "ls"}'}}}],
    }
    found = explained(
        oi(1, "AGENT", at=(0, 9)),
        oi(2, "LLM", messages("output", asked), parent=1, at=(1, 2)),
        oi(3, "TOOL", {"tool.name": "run_shell", "input.value": "ls"}, parent=1, at=(3, 4)),
    )
    assert [(s.text, s.argument, s.call_id) for s in found.scripts] == [("ls", "cmd", "c1")]
