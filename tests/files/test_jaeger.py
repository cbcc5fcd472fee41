"""Jaeger's own JSON as spans."""

from __future__ import annotations

from typing import Any

import pytest
from reading import attributes, read, span, spans

TRACE = "4a1b2c3d4e5f60718293a4b5c6d7e8f9"


def tag(key: str, value: Any, form: str = "string") -> dict[str, Any]:
    return {"key": key, "type": form, "value": value}


def jaeger_span(**fields: Any) -> dict[str, Any]:
    own = {"traceID": TRACE, "spanID": "1", "operationName": "op", "startTime": 1_770_000_000_000_001, "duration": 5}
    return {**own, "processID": "p1", **fields}


def trace(*items: Any, **fields: Any) -> dict[str, Any]:
    processes = {"p1": {"serviceName": "app", "tags": [tag("host.name", "h"), tag("pid", 7, "int64")]}}
    return {"traceID": TRACE, "spans": list(items), "processes": processes, "warnings": None, **fields}


@pytest.mark.parametrize(
    "value",
    [
        trace(jaeger_span()),
        {"data": [trace(jaeger_span())], "total": 0, "limit": 0, "offset": 0, "errors": None},
        [trace(jaeger_span())],
        {**jaeger_span(), "process": {"serviceName": "app", "tags": [tag("host.name", "h"), tag("pid", 7, "int64")]}},
    ],
)
def test_a_span_is_read_in_every_frame(value: Any) -> None:
    found = span(value)
    assert (found.trace_id, found.span_id, found.parent_id) == (TRACE, "0000000000000001", None)
    assert (found.name, found.start_ns, found.end_ns) == ("op", 1_770_000_000_000_001_000, 1_770_000_000_000_006_000)
    assert [found.resource(key) for key in ("service.name", "host.name", "pid")] == ["app", "h", 7]
    assert found.status == "unset"


@pytest.mark.parametrize(
    ("form", "value", "read_as"),
    [
        ("string", '["a", 1]', '["a", 1]'),
        ("string", "12", "12"),
        ("bool", True, True),
        ("bool", "false", False),
        ("int64", 12, 12),
        ("int64", "9007199254740993", 9007199254740993),
        ("float64", 1, 1.0),
        ("float64", 1.5, 1.5),
        ("float64", "1.5", 1.5),
        ("binary", "AP8=", b"\x00\xff"),
        (None, "text", "text"),
        ("of another kind", "text", "text"),
    ],
)
def test_a_tag_has_the_type_that_it_says(form: str, value: Any, read_as: Any) -> None:
    found = span(trace(jaeger_span(tags=[tag("key", value, form)]))).get("key")
    assert found == read_as
    assert type(found) is type(read_as)


def test_the_first_child_of_reference_in_the_trace_is_the_parent_and_the_rest_are_links() -> None:
    references = [
        {"refType": "FOLLOWS_FROM", "traceID": TRACE, "spanID": "a"},
        {"refType": "CHILD_OF", "traceID": "f" * 32, "spanID": "b"},
        {"refType": "CHILD_OF", "traceID": TRACE, "spanID": "c"},
        {"refType": "CHILD_OF", "traceID": TRACE, "spanID": "c"},
        {"refType": "CHILD_OF", "traceID": TRACE, "spanID": "d"},
    ]
    found = span(trace(jaeger_span(references=references)))
    assert found.parent_id == "000000000000000c"
    assert [link.span_id[-1] for link in found.links] == ["a", "b", "d"]


def test_an_older_parent_field_is_the_parent() -> None:
    assert span(trace(jaeger_span(parentSpanID="c"))).parent_id == "000000000000000c"


def test_what_jaeger_made_into_tags_becomes_again_what_it_was() -> None:
    tags = [
        tag("otel.library.name", "older"),
        tag("otel.scope.name", "scope"),
        tag("otel.scope.version", "1"),
        tag("otel.status_code", "ERROR"),
        tag("otel.status_description", "boom"),
        tag("error", "true", "bool"),
        tag("span.kind", "client"),
        tag("w3c.tracestate", "a=b"),
        tag("internal.span.format", "otlp"),
        tag("otel.dropped_events_count", 3, "int64"),
        tag("kept", "yes"),
    ]
    found = span(trace(jaeger_span(tags=tags)))
    assert (found.scope_name, found.status, found.status_message, found.dropped) == ("scope", "error", "boom", 3)
    assert attributes(found) == {"kept": "yes"}


@pytest.mark.parametrize(
    ("tags", "status", "kept"),
    [
        ([tag("error", "true", "bool")], "error", False),
        ([{"key": "error", "type": "bool", "value": True}], "error", False),
        ([{"key": "error", "type": "bool", "value": False}], "unset", False),
        ([tag("error", "false", "bool")], "unset", False),
        ([tag("error", "disk full")], "unset", True),
        ([tag("error", "true", "bool"), tag("otel.status_code", "OK")], "ok", False),
        ([tag("otel.status_code", "OK")], "ok", False),
        ([tag("otel.status_code", "odd")], "unset", False),
    ],
)
def test_the_status_is_the_recorded_one_else_that_of_the_error_tag(tags: Any, status: str, kept: bool) -> None:
    found = span(trace(jaeger_span(tags=tags)))
    assert found.status == status
    assert found.has("error") == kept


def test_logs_are_events_named_by_their_event_field() -> None:
    logs = [
        {"timestamp": 1_770_000_000_000_002, "fields": [tag("event", "exception"), tag("exception.type", "E")]},
        {"timestamp": 1_770_000_000_000_003, "fields": [tag("message", "hello")]},
    ]
    first, second = span(trace(jaeger_span(logs=logs))).events
    assert (first.name, first.time_ns, dict(first.attributes)) == (
        *("exception", 1_770_000_000_000_002_000),
        {"exception.type": "E"},
    )
    assert (second.name, dict(second.attributes)) == ("", {"message": "hello"})


def test_warnings_are_passed_over() -> None:
    assert len(spans(trace(jaeger_span(warnings=["clock skew"]), warnings=["late"]))) == 1


def test_what_is_no_span_is_counted_and_costs_nothing_else() -> None:
    found, problems = read({"data": [trace(None, jaeger_span(), "x"), 5, {"traceID": TRACE, "spans": {}}]})
    assert len(found) == 1
    assert [str(problem) for problem in problems] == ["file:1: 4 items that are no span of Jaeger's JSON, passed over"]


def test_an_empty_answer_holds_no_spans() -> None:
    assert spans({"data": [trace()]}) == []
