"""OpenTelemetry GenAI: every home of a fact, in the current and the older names."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_footprint.dialects import Role, genai, recognise
from otel_footprint.dialects._base import Message
from otel_footprint.spanview import StatusName
from otel_footprint.testing import BuiltSpan, agent_span, explain_spans, resolve, span, tool_span

# -- what a span is -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operation", "role"),
    [
        ("invoke_agent", Role.AGENT),
        ("invoke_workflow", Role.WORKFLOW),
        ("agent_step", Role.STEP),
        ("plan", Role.STEP),
        ("chat", Role.MODEL),
        ("generate_content", Role.MODEL),
        ("text_completion", Role.MODEL),
        ("execute_tool", Role.TOOL),
        ("create_agent", None),
        ("embeddings", None),
        ("retrieval", None),
        ("framework", None),
        ("EXECUTE_TOOL", None),
        ("", None),
        (None, None),
        (3, None),
        (["execute_tool"], None),
        ({"a": 1}, None),
    ],
    ids=str,
)
def test_the_operation_tells_what_a_span_is(operation: Any, role: Role | None) -> None:
    assert genai.role(span(1, name="x", attributes={"gen_ai.operation.name": operation})) is role


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("invoke_agent x", Role.AGENT),
        ("invoke_workflow", Role.WORKFLOW),
        ("execute_tool bash", Role.TOOL),
        ("chat gpt", Role.MODEL),
        ("chatter", None),
    ],
)
def test_the_name_tells_it_where_a_limit_took_the_operation(name: str, role: Role | None) -> None:
    assert genai.role(span(1, name=name, dropped=1)) is role
    assert genai.role(span(1, name=name)) is None


@pytest.mark.parametrize(
    ("name", "attributes", "role"),
    [
        ("agent run", {}, Role.AGENT),
        ("analyst run", {"agent_name": "analyst"}, Role.AGENT),
        ("analyst run", {}, None),
        ("running tool", {}, Role.TOOL),
        ("running tool: bash", {}, Role.TOOL),
        ("running 3 tools", {}, None),
        ("test run", {}, None),
    ],
)
def test_the_oldest_pydantic_ai_names_its_spans_alone(name: str, attributes: dict[str, Any], role: Role | None) -> None:
    assert genai.role(span(1, name=name, scope="pydantic-ai", attributes=attributes)) is role
    assert genai.role(span(1, name=name, scope="other", attributes=attributes)) is None


def test_bookkeeping_that_looks_like_a_call_is_none() -> None:
    merged = tool_span(2, "(merged tools)", parent=1, at=(1, 2))
    assert genai.role(merged) is Role.SKIP
    (turn,) = explain_spans([agent_span(1, at=(0, 9)), merged])
    assert turn.calls == ()


def test_a_span_that_only_looks_like_a_model_call_is_none() -> None:
    # F8
    task = span(1, name="Write a long text about " + "x" * 200, attributes={"gen_ai.system": "crewai"})
    assert recognise(task) == (None, None)


# -- a call -------------------------------------------------------------------------------------------------------

ARGUMENTS = {"code": "print(1)"}


@pytest.mark.parametrize(
    "home",
    [
        {"attributes": {"gen_ai.tool.call.arguments": '{"code": "print(1)"}'}},
        {"attributes": {"gen_ai.tool.call.arguments": {"code": "print(1)"}}},
        {"attributes": {"gen_ai.tool.call.arguments": json.dumps('{"code": "print(1)"}')}},
        {"attributes": {"tool_arguments": '{"code": "print(1)"}'}},
        {"events": [("gen_ai.tool.message", {"content": '{"code": "print(1)"}', "id": "c1"})]},
        {"events": [("gen_ai.tool.message", {"content": {"code": "print(1)"}})]},
    ],
    ids=str,
)
def test_arguments_are_found_in_each_home(home: dict[str, Any]) -> None:
    assert genai.tool(span(1, **home)).arguments.value == ARGUMENTS


@pytest.mark.parametrize(
    ("home", "value"),
    [
        ({"attributes": {"gen_ai.tool.call.result": "[]"}}, "[]"),
        ({"attributes": {"gen_ai.tool.call.result": []}}, []),
        ({"attributes": {"tool_response": "[]"}}, "[]"),
        ({"events": [("gen_ai.choice", {"message": "[]", "id": "c1"})]}, "[]"),
        ({"events": [("gen_ai.choice", {"message": '[{"text": "[]"}]'})]}, "[]"),
    ],
    ids=str,
)
def test_a_result_is_found_in_each_home(home: dict[str, Any], value: Any) -> None:
    assert genai.tool(span(1, **home)).result.value == value


@pytest.mark.parametrize(
    ("home", "call_id"),
    [
        ({"attributes": {"gen_ai.tool.call.id": "c1"}}, "c1"),
        ({"attributes": {"gen_ai.tool.call_id": "c1"}}, "c1"),
        ({"attributes": {"gen_ai.tool.call.id": ""}}, None),
        ({"attributes": {"gen_ai.tool.call.id": "<not specified>"}}, None),
        ({"attributes": {"gen_ai.tool.call.id": 7}}, None),
        ({"events": [("gen_ai.tool.message", {"content": "{}", "id": "c1"})]}, "c1"),
        ({"events": [("gen_ai.choice", {"message": "x", "id": "c1"})]}, "c1"),
        ({"events": [("gen_ai.tool.message", {"content": "{}"}), ("gen_ai.choice", {"message": "", "id": "c"})]}, "c"),
    ],
    ids=str,
)
def test_a_call_id_is_found_in_each_home(home: dict[str, Any], call_id: str | None) -> None:
    assert genai.tool(span(1, **home)).call_id == call_id


@pytest.mark.parametrize(
    ("name", "attributes", "tool"),
    [
        ("execute_tool bash", {"gen_ai.tool.name": "bash"}, "bash"),
        ("execute_tool bash", {}, "bash"),
        ("running tool: bash", {}, "bash"),
        ("tools/call bash", {}, "bash"),
        ("execute_tool ", {}, None),
        ("something", {}, None),
        ("execute_tool bash", {"gen_ai.tool.name": " "}, "bash"),
        ("execute_tool bash", {"gen_ai.tool.name": ["bash"]}, "bash"),
    ],
)
def test_a_tools_name_is_its_attribute_else_what_its_span_is_named(
    name: str, attributes: dict[str, Any], tool: str | None
) -> None:
    assert genai.tool(span(1, name=name, attributes=attributes)).tool == tool


def test_a_schema_in_the_place_of_arguments_is_none() -> None:
    schema = '{"type": "object", "properties": {"code": {"type": "string"}}}'
    assert genai.tool(span(1, attributes={"gen_ai.tool.call.arguments": schema})).arguments.state == "absent"


def test_cut_arguments_are_cut() -> None:
    cut = span(1, attributes={"gen_ai.tool.call.arguments": '{"code": "print('})
    assert genai.tool(cut).arguments.state == "cut"


@pytest.mark.parametrize(("code", "read"), [(3, 3), (-9, -9), (2.0, 2.0), (True, None), ("0", None), (None, None)])
def test_only_a_whole_number_is_an_exit_code(code: Any, read: Any) -> None:
    facts = genai.tool(span(1, attributes={"process.exit.code": code}))
    assert facts.exit_code == read
    assert facts.exit_pointer == (None if read is None else "0000000000000001#attribute:process.exit.code")


def test_an_exit_code_of_the_wrong_type_hides_none_that_can_be_read() -> None:
    call = tool_span(
        2,
        "bash",
        parent=1,
        arguments={"command": "x"},
        result={"stdout": "", "exit_code": 3},
        attributes={"process.exit.code": "0"},
    )
    (turn,) = explain_spans([agent_span(1, at=(0, 9)), call])
    assert [(s.exit_code, s.exit_code_from) for s in turn.scripts] == [(3, "result")]


@pytest.mark.parametrize(
    ("status", "message", "events", "text"),
    [
        ("error", "boom", (), "boom"),
        ("error", "", (("exception", {"exception.message": "in event"}),), "in event"),
        ("ok", "fine", (), None),
        ("error", "", (("exception", {"exception.message": ""}), ("log", {"exception.message": "x"})), None),
    ],
)
def test_the_error_text_is_the_status_else_the_exceptions(
    status: StatusName, message: str, events: Any, text: str | None
) -> None:
    assert genai.error_text(span(1, status=status, status_message=message, events=events)).value == text


# -- messages -----------------------------------------------------------------------------------------------------

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
NEW_IN = [
    {"role": "system", "parts": [{"type": "text", "content": "s"}]},
    {"role": "user", "parts": [{"type": "text", "content": "q"}]},
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c0", "response": "r"}]},
]
NEW_OUT = [
    {
        "role": "assistant",
        "parts": [
            {"type": "text", "content": "t"},
            {"type": "tool_call", "id": "c1", "name": "f", "arguments": {"a": 1}},
        ],
    }
]
OLD_IN = [
    {"role": "system", "content": "s"},
    {"role": "user", "content": "q"},
    {"role": "tool", "content": "r", "id": "c0"},
]
OLD_OUT = [{"role": "assistant", "content": "t", "tool_calls": [CALL]}]


def old_events(*, as_text: bool) -> list[tuple[str, dict[str, Any]]]:
    message: Any = {"role": "assistant", "content": "t", "tool_calls": [CALL]}
    return [
        ("gen_ai.system.message", {"content": "s"}),
        ("gen_ai.user.message", {"content": "q"}),
        ("gen_ai.tool.message", {"content": "r", "id": "c0"}),
        ("gen_ai.choice", {"index": 0, "message": json.dumps(message) if as_text else message}),
    ]


HOMES: dict[str, dict[str, Any]] = {
    "attributes": {
        "attributes": {"gen_ai.input.messages": json.dumps(NEW_IN), "gen_ai.output.messages": json.dumps(NEW_OUT)}
    },
    "structured attributes": {"attributes": {"gen_ai.input.messages": NEW_IN, "gen_ai.output.messages": NEW_OUT}},
    "tuples, as in process": {
        "attributes": {"gen_ai.input.messages": tuple(NEW_IN), "gen_ai.output.messages": tuple(NEW_OUT)}
    },
    "one event": {
        "events": [
            (
                "gen_ai.client.inference.operation.details",
                {"gen_ai.input.messages": json.dumps(NEW_IN), "gen_ai.output.messages": json.dumps(NEW_OUT)},
            )
        ]
    },
    "an event each": {"events": old_events(as_text=True)},
    "structured events": {"events": old_events(as_text=False)},
    "prompt and completion": {
        "attributes": {"gen_ai.prompt": json.dumps(OLD_IN), "gen_ai.completion": json.dumps(OLD_OUT)}
    },
    "prompt and completion events": {
        "events": [
            ("gen_ai.content.prompt", {"gen_ai.prompt": json.dumps(OLD_IN)}),
            ("gen_ai.content.completion", {"gen_ai.completion": json.dumps(OLD_OUT)}),
        ]
    },
    "the events of pydantic ai 1": {
        "attributes": {
            "events": json.dumps(
                [
                    {"event.name": name, "gen_ai.message.index": index, **body}
                    for index, (name, body) in enumerate(old_events(as_text=False))
                ]
            )
        }
    },
}


def plain(messages: tuple[Message, ...]) -> list[Any]:
    return [
        (
            m.role,
            m.text.value,
            [(r.name, r.call_id, r.arguments.value) for r in m.requested],
            [(r.call_id, r.value.value) for r in m.responded],
        )
        for m in messages
    ]


def pointers(messages: tuple[Message, ...]) -> list[str]:
    found = []
    for m in messages:
        found += [m.text.pointer, *(r.pointer for r in m.requested), *(r.arguments.pointer for r in m.requested)]
        found += [r.value.pointer for r in m.responded]
    return [pointer for pointer in found if pointer is not None]


@pytest.mark.parametrize("home", HOMES)
def test_messages_read_the_same_wherever_they_stand(home: str) -> None:
    facts = genai.model(span(1, **HOMES[home]))
    assert plain(facts.input) == [("system", "s", [], []), ("user", "q", [], []), ("tool", None, [], [("c0", "r")])]
    assert plain(facts.output) == [("assistant", "t", [("f", "c1", {"a": 1})], [])]
    assert facts.input_recorded


@pytest.mark.parametrize("home", HOMES)
def test_every_part_of_a_message_points_to_where_it_stands(home: str) -> None:
    one = span(1, **HOMES[home])
    facts = genai.model(one)
    found = pointers((*facts.input, *facts.output))
    assert len(found) == 6
    for pointer in found:
        resolve(pointer, [one])


def test_no_messages_are_no_messages() -> None:
    facts = genai.model(span(1, events=[("log", {"a": 1})]))
    assert (facts.input, facts.output, facts.input_recorded) == ((), (), False)


def test_messages_that_hold_only_types_and_ids_hold_no_content() -> None:
    hollow = [{"role": "user", "parts": [{"type": "text"}, {"type": "tool_call", "id": "c1", "name": "f"}]}]
    facts = genai.model(span(1, attributes={"gen_ai.input.messages": json.dumps(hollow)}))
    assert not facts.input_recorded
    assert plain(facts.input) == [("user", None, [("f", "c1", None)], [])]


def one_message(message: Any) -> Message:
    facts = genai.model(span(1, attributes={"gen_ai.input.messages": json.dumps([message])}))
    (found,) = facts.input
    for pointer in pointers(facts.input):
        resolve(pointer, [span(1, attributes={"gen_ai.input.messages": json.dumps([message])})])
    return found


@pytest.mark.parametrize("key", ["response", "result", "content"])
def test_a_response_is_found_under_each_of_its_keys(key: str) -> None:
    found = one_message({"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", key: [1]}]})
    assert [r.value.value for r in found.responded] == [[1]]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "tool_call", "id": "c", "name": "f", "arguments": {"a": 1}},
        {"type": "tool_call", "id": "c", "name": "f", "arguments": '{"a": 1}'},
        {"type": "tool-call", "toolCallId": "c", "name": "f", "input": {"a": 1}},
        {"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}},
        {"type": "toolUse", "id": "c", "name": "f", "args": {"a": 1}},
        {"type": "function", "id": "c", "function": {"name": "f", "arguments": '{"a": 1}'}},
    ],
    ids=str,
)
def test_a_request_is_read_in_each_form(part: dict[str, Any]) -> None:
    found = one_message({"role": "assistant", "parts": [part]})
    assert plain((found,)) == [("assistant", None, [("f", "c", {"a": 1})], [])]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "tool_call_response", "id": "c", "response": "r"},
        {"type": "tool-result", "toolCallId": "c", "result": "r"},
        {"type": "tool_result", "tool_use_id": "c", "content": "r"},
    ],
    ids=str,
)
def test_a_response_is_read_in_each_form(part: dict[str, Any]) -> None:
    found = one_message({"role": "user", "content": [part, {"type": "text", "text": "and"}]})
    assert plain((found,)) == [("user", "and", [], [("c", "r")])]


def test_texts_of_one_message_are_one_text() -> None:
    found = one_message({"role": "user", "content": [{"text": "a"}, {"type": "text", "text": "b"}, {"type": "image"}]})
    assert found.text.value == "ab"


def test_an_unknown_part_is_passed_over() -> None:
    parts = [{"type": "blob"}, {"type": ["text"]}, "text", None, 3, {"type": "text", "content": 7}]
    assert plain((one_message({"role": {"a": 1}, "parts": parts}),)) == [("", None, [], [])]


@pytest.mark.parametrize("value", ["text", "[", "3", '["a", 1, null]', "{}", 7, [[]], b"\xff", None], ids=repr)
def test_what_is_no_list_of_messages_is_none_or_hollow(value: Any) -> None:
    facts = genai.model(span(1, attributes={"gen_ai.input.messages": value}))
    assert not facts.input_recorded
    assert all(not m.requested and not m.responded for m in facts.input)


def test_one_message_alone_is_a_list_of_it() -> None:
    one = span(1, attributes={"gen_ai.input.messages": '{"role": "user", "parts": [{"type": "text", "content": "q"}]}'})
    (found,) = genai.model(one).input
    assert found.text.value == resolve(found.text.pointer or "", [one]) == "q"


def test_tool_calls_kept_as_text_beside_a_message_are_read() -> None:
    found = one_message({"role": "assistant", "content": None, "tool_calls": json.dumps([CALL, 3])})
    assert plain((found,)) == [("assistant", None, [("f", "c1", {"a": 1})], [])]


@pytest.mark.parametrize("content", ["[1] is a footnote", "[1, 2]", '["a"]', "[]"])
def test_a_text_of_an_event_that_only_begins_like_a_list_is_text(content: str) -> None:
    facts = genai.model(span(1, events=[("gen_ai.user.message", {"content": content})]))
    assert [m.text.value for m in facts.input] == [content]


@pytest.mark.parametrize(
    ("event", "text"),
    [
        ({"message": "plain"}, "plain"),
        ({"message": '[{"text": "block"}]'}, "block"),
        ({"message": [{"text": "x"}]}, None),
        ({"message": "{not json"}, "{not json"),
        ({"message": ""}, ""),
        ({}, None),
    ],
    ids=str,
)
def test_a_choice_is_read_in_each_form(event: dict[str, Any], text: str | None) -> None:
    one = span(1, events=[("gen_ai.user.message", {"content": '[{"text": "q"}]'}), ("gen_ai.choice", event)])
    facts = genai.model(one)
    assert [m.text.value for m in facts.output] == [text]
    for pointer in pointers((*facts.input, *facts.output)):
        resolve(pointer, [one])


def test_a_choice_with_its_tool_calls_beside_its_text_keeps_them() -> None:
    one = span(1, events=[("gen_ai.choice", {"message": "t", "tool_calls": json.dumps([CALL])})])
    facts = genai.model(one)
    assert plain(facts.output) == [("assistant", "t", [("f", "c1", {"a": 1})], [])]
    for pointer in pointers(facts.output):
        resolve(pointer, [one])


SERVER_PARTS = {
    "its own arguments": {"type": "code_interpreter", "arguments": {"code": "1"}},
    "its own keys": {"type": "code_interpreter", "code": "1", "container_id": "x"},
}


@pytest.mark.parametrize("body", SERVER_PARTS)
def test_a_call_that_the_provider_ran_is_read_with_its_answer(body: str) -> None:
    parts = [
        {"type": "server_tool_call", "id": "c", "server_tool_call": SERVER_PARTS[body]},
        {"type": "server_tool_call_response", "id": "other", "server_tool_call_response": {"outputs": [0]}},
        {"type": "server_tool_call_response", "id": "c", "server_tool_call_response": {"outputs": [1]}},
    ]
    (request,) = one_message({"role": "assistant", "parts": parts}).requested
    assert (request.name, request.hosted, request.arguments.value["code"]) == ("code_interpreter", True, "1")
    assert request.result.value == {"outputs": [1]}


# -- the turn's span ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attributes", "events", "question", "answer"),
    [
        (
            {"gen_ai.input.messages": json.dumps(NEW_IN), "gen_ai.output.messages": json.dumps(NEW_OUT)},
            (),
            "q",
            "t",
        ),
        ({}, old_events(as_text=True), "q", "t"),
        ({"pydantic_ai.all_messages": json.dumps(NEW_IN), "final_result": "done"}, (), "q", "done"),
        ({"all_messages_events": json.dumps([{"event.name": "gen_ai.user.message", "content": "q"}])}, (), "q", None),
        ({}, (), None, None),
    ],
)
def test_question_and_answer_are_found_in_each_home(
    attributes: dict[str, Any], events: Any, question: str | None, answer: str | None
) -> None:
    facts = genai.agent(span(1, attributes=attributes, events=events))
    assert (facts.question.value, facts.answer.value) == (question, answer)


@pytest.mark.parametrize("key", ["gen_ai.agent.name", "agent_name"])
def test_the_agents_name_is_found_under_its_current_and_its_older_key(key: str) -> None:
    assert genai.agent(span(1, attributes={key: "a"})).agent == "a"


@pytest.mark.parametrize("key", ["gen_ai.conversation.id", "session.id"])
def test_the_conversation_is_found_under_each_key(key: str) -> None:
    (turn,) = explain_spans([agent_span(1, attributes={key: "c"})])
    assert turn.conversation_id == "c"


# -- versions of one runtime (F7) ---------------------------------------------------------------------------------

PYDANTIC: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "1": (
        {"agent_name": "a", "final_result": "done"},
        HOMES["the events of pydantic ai 1"]["attributes"],
        {"gen_ai.tool.name": "f", "gen_ai.tool.call.id": "c1", "tool_arguments": '{"a": 1}', "tool_response": "[]"},
    ),
    "2": (
        {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a", "final_result": "done"},
        HOMES["attributes"]["attributes"],
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "f",
            "gen_ai.tool.call.id": "c1",
            "tool_arguments": '{"a": 1}',
            "tool_response": "[]",
        },
    ),
    "3": (
        {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a", "final_result": "done"},
        HOMES["attributes"]["attributes"],
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "f",
            "gen_ai.tool.call.id": "c1",
            "gen_ai.tool.call.arguments": '{"a": 1}',
            "gen_ai.tool.call.result": "[]",
        },
    ),
}


def pydantic_turn(version: str) -> list[BuiltSpan]:
    agent, model, tool = PYDANTIC[version]
    return [
        span(1, name="agent run", scope="pydantic-ai", at=(0, 9), attributes=agent),
        span(2, parent=1, scope="pydantic-ai", at=(1, 2), attributes={"gen_ai.operation.name": "chat", **model}),
        span(3, parent=1, name="running tool", scope="pydantic-ai", at=(3, 4), attributes=tool),
    ]


@pytest.mark.parametrize("version", PYDANTIC)
def test_every_version_of_a_runtime_is_explained_the_same(version: str) -> None:
    (turn,) = explain_spans(pydantic_turn(version))
    (newest,) = explain_spans(pydantic_turn("3"))
    assert (turn.agent, turn.question, turn.answer) == ("a", "q", "done")
    assert (turn.calls, turn.summary, turn.checks) == (newest.calls, newest.summary, newest.checks)
    assert [signal.id for signal in turn.signals] == ["undeclared-empty-used"]


# -- switches -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scope", "enable"),
    [
        ("pydantic-ai", "InstrumentationSettings(include_content=True)"),
        ("agent_framework", "ENABLE_SENSITIVE_DATA=true"),
        ("github.copilot", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true"),
        ("gen_ai", "recordInputs: true, recordOutputs: true (telemetry options of the AI SDK)"),
        ("opentelemetry.instrumentation.x", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY"),
        ("agentfootprint", None),
    ],
)
def test_each_runtime_has_its_own_switch(scope: str, enable: str | None) -> None:
    call = tool_span(2, "f", parent=1, at=(1, 2), scope=scope)
    (turn,) = explain_spans([agent_span(1, at=(0, 9), scope=scope), call])
    assert [line.enable for line in turn.unreached] == [enable]
