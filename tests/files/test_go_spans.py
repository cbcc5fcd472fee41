"""Spans as the SDK for Go prints them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from reading import DATA, as_otlp, attributes, explained, read, span, spans

RAW = (DATA / "exports" / "go_stdouttrace.jsonl").read_bytes()
TRACE = f"{0x1234:032x}"


def go_span(**fields: Any) -> dict[str, Any]:
    context = {"TraceID": TRACE, "SpanID": "00000000000000a1", "TraceFlags": "01", "TraceState": "", "Remote": False}
    times = {"StartTime": "2026-11-30T18:53:59.575947701Z", "EndTime": "2026-11-30T18:53:59.575949134Z"}
    return {"Name": "op", "SpanContext": context, **times, **fields}


def test_all_that_a_real_span_has_is_read() -> None:
    tool, agent = spans(RAW)
    assert (agent.name, agent.parent_id, agent.parent_is_remote) == ("invoke_agent helper", f"{0x99:016x}", True)
    assert (tool.name, tool.parent_id, tool.parent_is_remote) == ("execute_tool search", agent.span_id, False)
    assert (tool.status, tool.status_message, agent.status) == ("error", "boom", "unset")
    assert tool.end_ns - tool.start_ns == 1433
    assert [tuple(link) for link in agent.links] == [(TRACE, f"{0x99:016x}")]
    assert [(event.name, dict(event.attributes)) for event in agent.events] == [("e", {"x": "y"})]
    assert (agent.scope_name, agent.resource("service.name"), agent.resource("n")) == ("scope", "app", 1)


def test_attributes_keep_their_types() -> None:
    found = attributes(spans(RAW)[1])
    expected = {"json": '{"a": 1}', "f": 1.0, "b": True, "l": ["a", "b"], "il": [1, 2], "big": 9007199254740993}
    assert {key: found[key] for key in expected} == expected
    assert isinstance(found["f"], float)


def test_what_is_written_has_the_kind_the_trace_state_the_flags_and_the_schema_url() -> None:
    _, agent = (json.loads(line)["resourceSpans"][0]["scopeSpans"][0] for line in as_otlp(RAW).splitlines())
    assert agent["schemaUrl"] == "https://example.org/scope/1"
    assert agent["scope"]["attributes"] == [{"key": "k", "value": {"stringValue": "v"}}]
    (found,) = agent["spans"]
    assert (found["kind"], found["traceState"], found["flags"]) == (3, "vendor=value,other=x@y", 0x301)


def test_a_turn_of_such_spans_is_explained() -> None:
    (turn,) = explained(RAW)
    assert [(call.tool, call.outcome) for call in turn.calls] == [("search", "failed")]


@pytest.mark.parametrize("parent", [None, {}, {"TraceID": "0" * 32, "SpanID": "0" * 16, "Remote": False}])
def test_a_span_without_a_parent_is_a_root(parent: Any) -> None:
    assert span(go_span(Parent=parent)).parent_id is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("SpanKind", 0),
        ("SpanKind", 9),
        ("SpanKind", True),
        ("Status", {"Code": 7}),
        ("Attributes", [{"Key": 1}, 5, {"Key": "k", "Value": 3}]),
        ("Attributes", [{"Key": "k", "Value": {"Type": [], "Value": 10**400}}]),
        ("Attributes", [{"Key": "k", "Value": {"Type": "FLOAT64", "Value": 10**400}}]),
        ("Events", [None, {"Time": 5}]),
        ("Links", {}),
        ("Resource", None),
        ("DroppedEvents", "many"),
        ("SpanContext", {"TraceID": TRACE, "SpanID": "00000000000000a1", "TraceFlags": "zz"}),
        ("SpanContext", {"TraceID": TRACE, "SpanID": "00000000000000a1", "TraceFlags": "-1"}),
    ],
    ids=str,
)
def test_an_odd_field_costs_only_itself(field: str, value: Any) -> None:
    found = span(go_span(**{field: value}))
    assert (found.span_id, found.name, found.status) == ("00000000000000a1", "op", "unset")


def test_what_is_no_span_is_counted() -> None:
    found, problems = read([go_span(), 5])
    assert len(found) == 1
    assert "1 item that is no span of what the SDK for Go prints" in str(problems[0])
