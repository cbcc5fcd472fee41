"""Phoenix's exports as spans."""

from __future__ import annotations

import json
from typing import Any

import pytest
from reading import attributes, read, span, spans

TRACE = "4a1b2c3d4e5f60718293a4b5c6d7e8f9"
SPAN = "00000000000000a1"


def row(**fields: Any) -> dict[str, Any]:
    own = {"context.trace_id": TRACE, "context.span_id": SPAN, "name": "op", "span_kind": "TOOL", "parent_id": None}
    times = {"start_time": "2026-11-30T12:47:41.784656000Z", "end_time": "2026-11-30T12:47:41.796771+00:00"}
    return {**own, **times, "status_code": "OK", "status_message": "", "events": [], **fields}


def nested(**fields: Any) -> dict[str, Any]:
    return {**row(**fields), "context": {"trace_id": TRACE, "span_id": SPAN}}


def columns(**values: Any) -> dict[str, Any]:
    return {f"attributes.{key}": value for key, value in values.items()}


@pytest.mark.parametrize("value", [row(), [row()], nested(), {"data": [nested()], "next_cursor": None}])
def test_a_span_is_read_in_every_frame(value: Any) -> None:
    found = span(value)
    assert (found.trace_id, found.span_id, found.parent_id, found.name) == (TRACE, SPAN, None, "op")
    assert (found.start_ns, found.end_ns, found.status) == (1796042861784656000, 1796042861796771000, "ok")
    assert attributes(found) == {"openinference.span.kind": "TOOL"}


def test_columns_become_the_flat_keys_that_were_sent() -> None:
    values = {
        "llm.input_messages": [
            {"message.role": "user", "message.content": "hi"},
            {"message.tool_calls": [{"tool_call.function.name": "f"}], "message.content": None},
        ],
        "gen_ai": {"tool": {"call": {"id": "c"}}, "agent.name": "a", "request": None},
        "tool.parameters": {"code": "1/0", "query": None},
        "llm.token_count.prompt": 12.0,
        "llm.temperature": 1.0,
        "stop": ["a", "b"],
        "empty": {},
        "missing": float("nan"),
        "openinference.span.kind": "LLM",
    }
    assert attributes(span(row(**columns(**values)))) == {
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "hi",
        "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "f",
        "gen_ai.tool.call.id": "c",
        "gen_ai.agent.name": "a",
        "tool.parameters": '{"code": "1/0"}',
        "llm.token_count.prompt": 12,
        "llm.temperature": 1.0,
        "stop": ["a", "b"],
        "openinference.span.kind": "LLM",
    }


@pytest.mark.parametrize(
    "tree",
    [
        {"llm": {"output_messages": [{"message": {"content": "x"}}]}, "metadata": {"a": {"b": 1}}},
        {"llm.output_messages.0.message.content": "x", "metadata": '{"a": {"b": 1}}'},
    ],
)
def test_attributes_are_read_flat_and_nested(tree: Any) -> None:
    assert attributes(span(nested(attributes=tree))) == {
        "llm.output_messages.0.message.content": "x",
        "metadata": '{"a": {"b": 1}}',
        "openinference.span.kind": "TOOL",
    }


def test_an_unknown_kind_is_no_kind() -> None:
    assert attributes(span(row(span_kind="UNKNOWN"))) == {}


def test_the_missing_values_of_a_data_frame_are_missing() -> None:
    line = json.dumps(row(parent_id=float("nan"), status_message=float("nan"), events=None)).encode()
    found = span(line)
    assert (found.parent_id, found.status_message, found.events) == (None, "", ())


def test_what_is_no_span_is_counted_and_costs_nothing_else() -> None:
    found, problems = read([row(), "x"])
    assert len(found) == 1
    assert "1 item that is no span of Phoenix's spans, passed over" in str(problems[0])


def test_rows_a_line_are_read() -> None:
    assert len(spans(f"{json.dumps(row())}\n{json.dumps(row())}\n".encode())) == 2
