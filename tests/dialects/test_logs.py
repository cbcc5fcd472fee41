"""What log records say: which of them tell of a call or a turn, and what each tells."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from records import record

from otel_footprint.dialects import ModelFacts
from otel_footprint.dialects.logs import log_dialects, recognise_log
from otel_footprint.facts import Content
from otel_footprint.logview import LogView

DETAILS = "gen_ai.client.inference.operation.details"


def models(*records: LogView) -> ModelFacts:
    known = recognise_log(records[0])
    assert known is not None
    return known[0].models([(one, "0#log:x@0") for one in records])


def tool(one: LogView) -> Any:
    known = recognise_log(one)
    assert known is not None
    return known[0].tool(one, "0#log:x@0")


@pytest.mark.parametrize(
    ("one", "kind"),
    [
        (record(DETAILS), "model"),
        (record("gen_ai.choice"), "model"),
        (record("gen_ai.tool.message"), "model"),
        (record("gen_ai.evaluation.result"), None),
        (record("codex.tool_result"), "tool"),
        (record("codex.tool_decision", {"decision": "approved"}), None),
        (record("codex.tool_decision", {"decision": "denied"}), "tool"),
        (record("codex.user_prompt"), "question"),
        (record("codex.sse_event"), None),
        (record("claude_code.tool_result"), "tool"),
        (record("claude_code.tool_decision", {"decision": "accept"}), None),
        (record("claude_code.assistant_response"), "model"),
        (record("tool_result"), None),
        (record("gemini_cli.tool_call"), "tool"),
        (record("gemini_cli.api_response"), "model"),
        (record("gemini_cli.config"), None),
        (record(""), None),
        (LogView(), None),
    ],
    ids=str,
)
def test_the_events_name_tells_what_a_record_is_about(one: LogView, kind: str | None) -> None:
    known = recognise_log(one)
    assert (None if known is None else known[1].kind) == kind


def test_the_records_own_field_names_the_event_where_no_attribute_does() -> None:
    assert LogView(event_name="a", attributes={"event.name": "b"}).name == "b"
    assert LogView(event_name="a", attributes={"event.name": 1}).name == "a"


# -- GenAI events -------------------------------------------------------------------------------------------------


def test_the_older_events_are_one_message_each() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "run", "arguments": '{"code": "1"}'}}
    facts = models(
        record("gen_ai.system.message", body={"content": "Be brief."}),
        record("gen_ai.user.message", body={"content": "Add."}),
        record("gen_ai.assistant.message", body={"tool_calls": [call]}),
        record("gen_ai.tool.message", body={"content": "3", "id": "c1"}),
        record("gen_ai.choice", body={"index": 0, "message": {"role": "assistant", "content": "It is 3."}}),
        record("gen_ai.choice", body={"index": 1, "message": {"role": "assistant", "content": "It is 4."}}),
    )
    assert [(m.role, m.text.value) for m in facts.input] == [
        ("system", "Be brief."),
        ("user", "Add."),
        ("assistant", None),
        ("tool", None),
    ]
    assert [(r.name, r.call_id, r.arguments.value) for r in facts.input[2].requested] == [("run", "c1", {"code": "1"})]
    assert [(r.call_id, r.value.value) for r in facts.input[3].responded] == [("c1", "3")]
    assert [m.text.value for m in facts.output] == ["It is 3."]
    assert facts.input_recorded


@pytest.mark.parametrize(
    "body",
    [
        {"index": 0, "message": {"content": "said", "role": "assistant"}},
        {"index": 0, "content": {"role": "model", "parts": [{"text": "said"}]}},
        {"content": "said"},
        '{"index": 0, "message": {"content": "said"}}',
    ],
    ids=["message", "parts", "text", "json"],
)
def test_an_answer_is_read_in_each_form_that_emitters_give_it(body: Any) -> None:
    assert [m.text.value for m in models(record("gen_ai.choice", body=body)).output] == ["said"]


def test_the_keys_of_an_event_without_a_body_are_its_attributes() -> None:
    facts = models(record("gen_ai.user.message", {"content": "Add.", "role": "user"}))
    assert [m.text.value for m in facts.input] == ["Add."]


def test_content_that_was_kept_out_is_redacted_and_not_recorded() -> None:
    facts = models(record("gen_ai.user.message", body={"content": "<elided>"}))
    assert [m.text.state for m in facts.input] == ["redacted"]
    assert not facts.input_recorded


@pytest.mark.parametrize("encode", [json.dumps, lambda value: value], ids=["json", "structured"])
def test_the_details_hold_the_whole_call(encode: Any) -> None:
    inputs = [{"role": "user", "parts": [{"type": "text", "content": "Add."}]}]
    outputs = [{"role": "system", "parts": [{"type": "text", "content": "It is 3."}]}]
    facts = models(
        record(DETAILS, {"gen_ai.input.messages": encode(inputs)}),
        record(
            DETAILS,
            {
                "gen_ai.output.messages": encode(outputs),
                "gen_ai.system_instructions": encode([{"type": "text", "content": "Be brief."}]),
            },
        ),
    )
    assert [(m.role, m.text.value) for m in facts.input] == [("user", "Add.")]
    assert [(m.role, m.text.value) for m in facts.output] == [("assistant", "It is 3.")]
    assert [text.value for text in facts.instructions] == ["Be brief."]


# -- runtimes -----------------------------------------------------------------------------------------------------


def test_codex_says_what_a_call_was_given_and_gave() -> None:
    facts = tool(
        record(
            "codex.tool_result",
            {
                "call_id": "c1",
                "tool_name": "exec_command",
                "arguments": '{"cmd": "ls"}',
                "output": "Process exited with code 2",
                "success": "true",
            },
        )
    )
    assert (facts.call_id, facts.arguments.value, facts.failed) == ("c1", {"cmd": "ls"}, None)
    assert facts.result.value == "Process exited with code 2"


@pytest.mark.parametrize(
    ("values", "state"),
    [
        ({"output": "x\n[... telemetry preview truncated ...]"}, "cut"),
        ({"output": "x", "output_truncated": True}, "cut"),
        ({"output": ""}, "recorded"),
        ({}, "absent"),
    ],
)
def test_an_output_of_codex_that_was_cut_is_said_to_be(values: dict[str, Any], state: str) -> None:
    assert tool(record("codex.tool_result", values)).result.state == state


def test_an_older_shell_of_codex_has_its_exit_code_beside_its_output() -> None:
    output = json.dumps({"output": "no", "metadata": {"exit_code": 3, "duration_seconds": 0.1}})
    facts = tool(record("codex.tool_result", {"tool_name": "shell", "output": output}))
    assert (facts.result.value, facts.exit_code, facts.exit_from) == ("no", 3, "result")


@pytest.mark.parametrize(
    ("one", "stopped"),
    [
        (record("codex.tool_decision", {"decision": "denied", "source": "User"}), "declined"),
        (record("codex.tool_decision", {"decision": "denied", "source": "Config"}), "refused"),
        (record("claude_code.tool_decision", {"decision": "reject", "source": "hook"}), "refused"),
        (record("claude_code.tool_decision", {"decision": "reject", "source": "user_reject"}), "declined"),
        (record("gemini_cli.tool_call", {"decision": "reject", "success": False}), "declined"),
    ],
)
def test_a_decision_keeps_a_call_from_running(one: LogView, stopped: str) -> None:
    facts = tool(one)
    assert facts.stopped == stopped
    assert facts.stopped_pointer is not None


def test_claude_code_says_what_a_call_was_given() -> None:
    given_ = tool(record("claude_code.tool_result", {"tool_input": '{"command": "ls"}', "success": "false"}))
    assert given_.arguments.value == {"command": "ls"}
    assert given_.failed == "0#log:x@0/success"
    told = tool(record("claude_code.tool_result", {"tool_parameters": '{"full_command": "ls", "description": "d"}'}))
    assert told.arguments.value == {"command": "ls"}
    other = tool(record("claude_code.tool_result", {"tool_parameters": '{"skill_name": "x"}'}))
    assert other.arguments == Content()


def test_the_raw_requests_of_claude_code_have_what_the_model_read() -> None:
    body = {
        "system": [{"type": "text", "text": "Be brief."}],
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "<system-reminder>\nDate.\n</system-reminder>"},
                    {"type": "text", "text": "List."},
                ],
            },
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "Exit code 2", "is_error": True}],
            },
        ],
    }
    answer = {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}
    facts = models(
        record("claude_code.api_request_body", {"body": json.dumps(body)}),
        record("claude_code.api_response_body", {"body": json.dumps(answer)}),
        record("claude_code.assistant_response", {"response": "Done."}),
    )
    assert [(m.role, m.text.value) for m in facts.input] == [
        ("system", "<system-reminder>\nDate.\n</system-reminder>"),
        ("user", "List."),
        ("assistant", None),
        ("tool", None),
    ]
    assert facts.input[1].text.pointer == "0#log:x@0/body/messages/0/content/1/text"
    assert [(r.call_id, r.value.value) for r in facts.input[3].responded] == [("t1", "Exit code 2")]
    assert [m.text.value for m in facts.output] == ["Done."]
    assert [text.value for text in facts.instructions] == ["Be brief."]


def test_a_raw_request_that_was_cut_tells_nothing() -> None:
    facts = models(record("claude_code.api_request_body", {"body": '{"messages": [{"role": "us'}))
    assert facts == ModelFacts()


def test_the_pieces_of_an_answer_of_gemini_cli_are_one_answer() -> None:
    def piece(*parts: Any) -> dict[str, Any]:
        return {"candidates": [{"content": {"role": "model", "parts": list(parts)}}, {"content": {"parts": []}}]}

    call = {"functionCall": {"name": "run", "id": "c1", "args": {}}}
    facts = models(
        record(
            "gemini_cli.api_response",
            {"response_text": json.dumps([piece({"text": "It "}), piece({"text": "is 3."}, call)])},
        )
    )
    (message,) = facts.output
    assert (message.text.value, [r.call_id for r in message.requested]) == ("It is 3.", ["c1"])


# -- whatever comes -----------------------------------------------------------------------------------------------

KEYS = (
    "call_id", "tool_name", "arguments", "output", "success", "duration_ms", "conversation.id", "decision", "source",
    "prompt", "tool_use_id", "tool_input", "tool_parameters", "session.id", "prompt.id", "request_id", "response",
    "body", "function_name", "function_args", "metadata", "prompt_id", "request_text", "response_text", "error",
    "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions", "gen_ai.response.id", "content",
    "message", "index", "output_truncated",
)  # fmt: skip
NAMES = (
    DETAILS, "gen_ai.choice", "gen_ai.user.message", "gen_ai.tool.message", "codex.tool_result", "codex.tool_decision",
    "codex.user_prompt", "claude_code.tool_result", "claude_code.tool_decision", "claude_code.assistant_response",
    "claude_code.api_request_body", "claude_code.api_response_body", "claude_code.user_prompt", "gemini_cli.tool_call",
    "gemini_cli.user_prompt", "gemini_cli.api_request", "gemini_cli.api_response",
)  # fmt: skip
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.binary(max_size=4)
PARTS = st.sampled_from(
    ["role", "parts", "content", "text", "type", "functionCall", "functionResponse", "candidates", "messages", "name",
     "id", "args", "response", "tool_calls", "function", "message", "system", "exitCode", "user", "model", "tool_use"]
)  # fmt: skip
VALUES = st.recursive(
    SCALARS | PARTS | st.text(st.characters(codec=None, categories=["Cs"]), min_size=1, max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(PARTS, inner, max_size=4),
    max_leaves=12,
)
TEXTS = VALUES.map(lambda value: json.dumps(value, default=str))


@given(
    name=st.sampled_from(NAMES),
    attributes=st.dictionaries(st.sampled_from(KEYS), VALUES | TEXTS, max_size=6),
    body=VALUES | TEXTS,
)
@settings(max_examples=500, deadline=None)
def test_no_recorded_value_raises(name: str, attributes: dict[str, Any], body: Any) -> None:
    one = record(name, attributes, body=body)
    for dialect in log_dialects():
        dialect.names(one)
        dialect.tool(one, "0#log:x@0")
        dialect.models([(one, "0#log:x@0"), (one, "0#log:x@0")])
        dialect.question(one, "0#log:x@0")
