"""No value of any key that a dialect reads makes anything raise, and the same spans always give the same bytes."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import otel_footprint
from otel_footprint.config import CodeTool, Config
from otel_footprint.dialects import dialects
from otel_footprint.spanview import TOO_DEEP
from otel_footprint.testing import BuiltSpan, assert_consistent, assert_evidence_resolves, explain_spans, span

SOURCES = [
    *sorted((Path(otel_footprint.__file__).parent / "dialects").glob("*.py")),
    Path(otel_footprint.__file__).with_name("_assembly.py"),
]
KEY = re.compile(
    r'"((?:gen_ai|openinference|tool|tool_call|input|output|llm|code_run|coverage|footprint|process|session|agent|'
    r"error|exception|pydantic_ai|traceloop|gcp|crewai|graph|langsmith|langfuse|mlflow|ai|anthropic|spring)"
    r"[a-z_]*\.[a-zA-Z_.]+|tool_arguments|tool_response|final_result|agent_name|metadata|events|"
    r'all_messages_events|crew_tasks)"'
)
KEYS = sorted({key for source in SOURCES for key in KEY.findall(source.read_text(encoding="utf-8"))})
"""Every attribute key that stands in the dialects' sources."""

INDEXED = [
    f"llm.{side}_messages.{index}.message.{rest}"
    for side in ("input", "output")
    for index in ("0", "1", "x")
    for rest in (
        "role",
        "content",
        "content.0",
        "contents.0.message_content.text",
        "tool_call_id",
        "name",
        "tool_calls.0.tool_call.id",
        "tool_calls.0.tool_call.function.name",
        "tool_calls.0.tool_call.function.arguments",
        "tool_calls",
    )
]
FLATTENED = [
    f"gen_ai.{side}.{index}.{rest}"
    for side in ("prompt", "completion")
    for index in ("0", "1", "x")
    for rest in (
        "role",
        "content",
        "tool_call_id",
        "tool_calls.0.id",
        "tool_calls.0.name",
        "tool_calls.0.arguments",
        "tool_calls",
    )
]
EVENTS = [
    "exception",
    "coverage.declared",
    "gen_ai.system.message",
    "gen_ai.user.message",
    "gen_ai.assistant.message",
    "gen_ai.tool.message",
    "gen_ai.choice",
    "gen_ai.content.prompt",
    "gen_ai.content.completion",
]
EVENT_KEYS = [*KEYS, "content", "message", "id", "name", "role", "tool_calls", "tool_call_id"]


class Text(str):
    """What a runtime may put where a text is due."""

    __slots__ = ()


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


PROGRAM = {"code": "print(1)", "command": ["ls", "-l"], "language": "python"}
MESSAGE = [
    {
        "role": "assistant",
        "parts": [
            {"type": "text", "content": "t"},
            {"type": "tool_call", "id": "c1", "name": "run_python", "arguments": PROGRAM},
            {"type": "tool_call_response", "id": "c1", "response": {"exit_code": 1, "stdout": ""}},
            {"type": "server_tool_call", "id": "c2", "server_tool_call": {"type": "code_interpreter", "code": "1"}},
            {"type": "server_tool_call_response", "id": "c2", "server_tool_call_response": []},
        ],
    }
]
RAW = {
    "output": [
        {"type": "code_interpreter_call", "id": "c1", "code": "1", "outputs": [{"type": "logs", "logs": "x"}]},
        {"type": "shell_call", "call_id": "c2", "action": {"commands": ["ls"]}},
        {"type": "shell_call_output", "call_id": "c2", "output": [{"outcome": {"exit_code": 1}}]},
    ]
}
ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    10**30,
    -(2**63),
    1.5,
    2.0,
    math.nan,
    math.inf,
    "",
    " ",
    "x",
    "c1",
    "[]",
    "{}",
    "{",
    '{"code": "pri',
    '{"a": NaN}',
    "[" * 5000,
    '{"a":' * 5000,
    "\ud800",
    '"\\ud800"',
    "\x00",
    "<REDACTED>",
    "[Scrubbed due to 'x']",
    "user",
    "tool",
    "run_python",
    "transfer_to_a",
    "final_result",
    "handoff to b",
    "AGENT",
    "TOOL",
    "absence",
    "ledger",
    b"",
    b"\xff\xfe",
    [],
    {},
    (),
    [None],
    [[]],
    nested(60),
    TOO_DEEP,
    {"a": nested(50)},
    {"type": ["x"], "role": {"a": 1}, "parts": {"a": 1}},
    [
        {
            "type": nested(40),
            "role": nested(40),
            "parts": [{"type": nested(30), "id": [], "name": {}, "arguments": b"x"}],
        }
    ],
    [{"role": "user", "content": [{"type": "text", "text": "q"}], "tool_calls": [{"function": {"arguments": "{"}}]}],
    MappingProxyType({"code": "1"}),
    Text("run_python"),
    PROGRAM,
    json.dumps(PROGRAM),
    json.dumps(json.dumps(PROGRAM)),
    MESSAGE,
    json.dumps(MESSAGE),
    json.dumps(MESSAGE)[:-20],
    RAW,
    json.dumps(RAW),
    {"isError": True, "content": [{"type": "text", "text": "boom"}]},
    '{"type":"tool","data":{"content":{"exit_code": "x", "stdout": []},"tool_call_id":["c"]}}',
    '{"exit_code": 3, "stdout": ""}',
    "$ ls\nexit code: 9",
    "<shellId: 1 completed with exit code 99999999999999999999999999>",
    ["a", {"what": "b", "kind": []}, 7],
    {"args": ["print(1)"], "kwargs": {}},
    {"args": [1, {}], "kwargs": {"timeout": 3}},
    {"args": {}, "kwargs": []},
    json.dumps({"args": ["print(1)"], "kwargs": {"code": 1}}),
    {"input_str": ["x"], "inputs": [], "kwargs": {"tool_call_id": 1}},
    {"output": {"lc": 1, "kwargs": {"type": "tool", "content": [], "tool_call_id": "c1"}}, "kwargs": {}},
    {"messages": [["user", "q"], ["user"], [["user", "q"]], {"lc": 1, "kwargs": {"type": "ai", "content": 1}}, []]},
    {"generations": [[{"message": {"lc": 1, "kwargs": {"type": "ai", "content": "a", "tool_calls": [1]}}}]]},
    {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [{"function": []}]}}]},
    {"choices": []},
    {"contents": [{"parts": [{"function_call": {"args": 1}}, {"code_execution_result": {}}, {"text": {}}]}, 1]},
    {"content": {"parts": [{"executable_code": {"language": 1}}, {"code_execution_result": {"output": 1}}]}},
    {"config": {"system_instruction": 1}},
    {"result": "<not specified>"},
    [{"toolUse": {"toolUseId": 1, "input": "{"}}, {"toolResult": {"content": [{"json": {}}]}}, {"text": 1}],
    [{"toolCallId": "c1", "toolName": "run_python", "input": "{"}],
    [{"role": "tool", "content": [{"type": "tool-result", "output": {"value": 1}}, {"type": "tool-result"}]}],
    [{"description": 1}],
    '"quoted',
    "invoke_agent",
    "chain",
    "generation",
    '"TOOL"',
    "ai.toolCall",
]
values = st.sampled_from(ODD) | st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(alphabet=st.characters(exclude_categories=()))
    | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
config = Config(
    code_tools={"x": CodeTool(argument="code", exit_code_at="a/b~c"), "f": CodeTool(argument="code")},
    rows_at={"x": "rows"},
)


MARKS: dict[str, list[dict[str, Any]]] = {
    "genai": [{"gen_ai.operation.name": name} for name in ("invoke_agent", "execute_tool", "chat", "chat")],
    "openinference": [{"openinference.span.kind": kind} for kind in ("AGENT", "TOOL", "LLM", "LLM")],
    "native": [{"footprint.turn": 1}, {"code_run.argument": "code"}, {"gen_ai.operation.name": "chat"}, {}],
    "traceloop": [
        {"traceloop.span.kind": "agent"},
        {"traceloop.span.kind": "tool"},
        *[{"llm.request.type": "chat"}] * 2,
    ],
    "langsmith": [{"langsmith.span.kind": kind} for kind in ("chain", "tool", "llm", "llm")],
    "langfuse": [{"langfuse.observation.type": kind} for kind in ("agent", "tool", "generation", "generation")],
    "mlflow": [{"mlflow.spanType": f'"{kind}"'} for kind in ("AGENT", "TOOL", "LLM", "CHAT_MODEL")],
    "spring-ai": [
        *({"spring.ai.kind": kind} for kind in ("chat_client", "tool_call")),
        *[{"gen_ai.operation.name": "chat"}] * 2,
    ],
    "vercel": [
        {"ai.operationId": name} for name in ("ai.generateText", "ai.toolCall", *["ai.generateText.doGenerate"] * 2)
    ],
}
SCOPES = {
    "genai": [
        "",
        "gcp.vertex.agent",
        "strands.telemetry.tracer",
        "crewai",
        "com.anthropic.sdk.python",
        "mlflow.tracing.provider",
        "opentelemetry.instrumentation.openai_agents",
        "pydantic-ai",
    ],
    "spring-ai": ["org.springframework.boot"],
    "traceloop": ["opentelemetry.instrumentation.openai.v1"],
    "openinference": [
        "",
        *(f"openinference.instrumentation.{name}" for name in ("crewai", "haystack", "smolagents")),
    ],
}
"""The scopes that make a runtime's own reading of a convention."""


@st.composite
def spans(draw: st.DrawFn) -> list[BuiltSpan]:
    """A turn with a call and model calls in one convention, and any values in any of its keys."""
    convention = draw(st.sampled_from(sorted(MARKS)))
    marks, scope = MARKS[convention], draw(st.sampled_from(SCOPES.get(convention, [""])))
    keys = st.sampled_from([*KEYS, *INDEXED, *FLATTENED])
    found: list[BuiltSpan] = []
    for number, mark in enumerate(marks, start=1):
        attributes = draw(st.dictionaries(keys, values, max_size=6))
        events = draw(
            st.lists(
                st.tuples(st.sampled_from(EVENTS), st.dictionaries(st.sampled_from(EVENT_KEYS), values, max_size=4)),
                max_size=2,
            )
        )
        found.append(
            span(
                number,
                parent=1 if number > 1 else None,
                at=(number, number + 1) if number > 1 else (0, 9),
                name=draw(
                    st.sampled_from(["", "execute_tool x", "execute_tool run_python", "run_python", "a.run", "\ud800"])
                ),
                scope=scope,
                attributes={**attributes, **mark},
                events=events,
                resource=draw(st.dictionaries(st.sampled_from(KEYS), values, max_size=1)),
                status=draw(st.sampled_from(["unset", "ok", "error"])),
                status_message=draw(st.sampled_from(["", "boom", "Exit code 2\n", "\ud800"])),
                dropped=draw(st.sampled_from([0, 1])),
            )
        )
    return found


def test_the_keys_are_those_of_every_dialect() -> None:
    assert len(KEYS) > 100
    assert {"gen_ai.tool.call.arguments", "input.value", "code_run.exit_code", "footprint.turn"} <= set(KEYS)
    assert {"traceloop.entity.input", "mlflow.spanInputs", "ai.toolCall.result", "spring.ai.kind", "crew_tasks"} <= set(
        KEYS
    )


@given(spans())
@settings(max_examples=600, deadline=None)
def test_any_values_are_explained_consistently_and_always_the_same(found: list[BuiltSpan]) -> None:
    first, second = explain_spans(found, config), explain_spans(found, config)
    for explanation in first:
        assert_consistent(explanation)
        assert_evidence_resolves(explanation, found)
    assert [json.dumps(e.to_dict(programs=True)) for e in first] == [
        json.dumps(e.to_dict(programs=True)) for e in second
    ]


def read_in_every_dialect(one: BuiltSpan) -> None:
    for dialect in dialects():
        dialect.role(one)
        dialect.agent(one)
        dialect.model(one)
        dialect.tool(one)


@pytest.mark.parametrize("key", [*KEYS, *(key for key in FLATTENED if ".0." in key)])
def test_no_odd_value_of_one_key_makes_a_reader_raise(key: str) -> None:
    for value in ODD:
        read_in_every_dialect(span(1, attributes={key: value}, events=[("exception", {key: value})]))


@pytest.mark.parametrize("event", EVENTS)
def test_no_odd_value_in_an_event_makes_a_reader_raise(event: str) -> None:
    for value in ODD:
        read_in_every_dialect(span(1, events=[(event, dict.fromkeys(EVENT_KEYS, value))]))


def test_a_value_is_never_changed_by_reading_it() -> None:
    value: Mapping[str, Any] = {"code": "1", "more": [{"a": 1}]}
    before = json.dumps(value)
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.arguments": value}
    explain_spans([span(1, attributes=attributes)])
    assert json.dumps(value) == before
