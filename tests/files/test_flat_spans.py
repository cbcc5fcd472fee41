"""Spans that lie flat, under any of the names that their fields have."""

from __future__ import annotations

import json
from typing import Any

import pytest
from reading import attributes, read, span, spans

TRACE = "4a1b2c3d4e5f60718293a4b5c6d7e8f9"
START, END = 1785532828134675000, 1785532830265870000
IDS = {"trace_id": TRACE, "span_id": "00000000000000a1"}


def flat(**fields: Any) -> dict[str, Any]:
    return {**IDS, "name": "op", "start_time": START, "end_time": END, **fields}


@pytest.mark.parametrize(
    "value",
    [
        flat(parent_span_id="00000000000000b2"),
        [flat(parent_id="0xb2")],
        {"data": [flat(parentSpanId="00000000000000B2")], "next_cursor": None},
        {
            "context": {"trace_id": f"0x{TRACE}", "span_id": "0x00000000000000a1", "trace_state": "[]"},
            "name": "op",
            "kind": "SpanKind.CLIENT",
            "parent_id": "0x00000000000000b2",
            "start_time": "2026-07-31T21:20:28.134675Z",
            "end_time": "2026-07-31T21:20:30.265870Z",
        },
        {
            "traceId": TRACE,
            "spanId": "00000000000000a1",
            "parentSpanId": "00000000000000b2",
            "name": "op",
            "startTimeUnixNano": str(START),
            "endTimeUnixNano": str(END),
        },
    ],
)
def test_a_span_is_read_in_every_form(value: Any) -> None:
    found = span(value)
    assert (found.trace_id, found.span_id, found.parent_id) == (TRACE, "00000000000000a1", "00000000000000b2")
    assert (found.name, found.start_ns, found.end_ns, found.status) == ("op", START, END, "unset")


def test_spans_a_line_are_read() -> None:
    lines = "\n".join(json.dumps(flat(span_id=f"{index:016x}")) for index in (1, 2, 3))
    assert len(spans(lines.encode())) == 3


@pytest.mark.parametrize(
    ("fields", "status", "message"),
    [
        ({"status": {"status_code": "ERROR", "description": "boom"}}, "error", "boom"),
        ({"status": {"code": "OK"}}, "ok", ""),
        ({"status": {"code": 2, "message": "boom"}}, "error", "boom"),
        ({"status": {"code": "STATUS_CODE_ERROR"}}, "error", ""),
        ({"status": "StatusCode.ERROR", "status_message": "boom"}, "error", "boom"),
        ({"status_code": "ERROR", "status_message": "boom"}, "error", "boom"),
        ({"status": {"code": "UNSET"}}, "unset", ""),
        ({"status": None, "status_code": None}, "unset", ""),
        ({"status": [1]}, "unset", ""),
        ({"message": "a text of the span's own"}, "unset", ""),
    ],
)
def test_the_status_is_read_in_every_form(fields: Any, status: str, message: str) -> None:
    found = span(flat(**fields))
    assert (found.status, found.status_message) == (status, message)


def test_attributes_keep_their_types() -> None:
    values = {"s": '{"a": 1}', "i": 1, "f": 1.0, "b": True, "l": ["a"], "m": {"k": [1]}, "n": None, "big": 2**70}
    found = attributes(span(flat(attributes=values)))
    assert found == {**values, "big": str(2**70)}
    assert [type(found[key]) for key in "ifb"] == [int, float, bool]


def test_attributes_in_the_form_of_otlp_are_taken_as_they_are() -> None:
    pairs = [{"key": "n", "value": {"intValue": "7"}}, {"key": "s", "value": {"string_value": "x", "int_value": None}}]
    assert attributes(span(flat(attributes=pairs))) == {"n": 7, "s": "x"}


def test_events_links_scope_and_resource_are_read() -> None:
    found = span(
        flat(
            events=[{"name": "e", "timestamp": "2026-07-31T21:20:28.134675Z", "attributes": {"k": 1}}],
            links=[{"context": {"trace_id": f"0x{TRACE}", "span_id": "0xb2"}, "attributes": {}}],
            scope={"name": "scope", "version": "1"},
            resource={"attributes": {"service.name": "app"}, "schema_url": ""},
        )
    )
    assert [(event.name, event.time_ns, dict(event.attributes)) for event in found.events] == [("e", START, {"k": 1})]
    assert [tuple(link) for link in found.links] == [(TRACE, "00000000000000b2")]
    assert (found.scope_name, found.resource("service.name")) == ("scope", "app")


def test_log_records_of_a_trace_are_no_spans() -> None:
    found, problems = read({**IDS, "timestamp": START, "body": "hello"})
    assert found == []
    assert "no spans of a known format" in str(problems[0])


def test_what_is_no_span_is_counted_and_costs_nothing_else() -> None:
    found, problems = read([None, flat(), 5])
    assert len(found) == 1
    assert [str(problem) for problem in problems] == ["file:1: 2 items that are no span of flat spans, passed over"]


def test_a_record_that_is_cut_off_in_the_middle_of_a_file_costs_only_itself() -> None:
    whole = json.dumps(flat(attributes={"a": 1}, status={"code": "OK"}))
    for end in range(1, len(whole)):
        found, problems = read(f"{whole}\n{whole[:end]}\n{whole}\n{whole}\n".encode())
        assert len(found) == 3, whole[:end]
        assert [problem.line for problem in problems] == [2]


def test_a_record_that_the_end_of_a_file_cuts_off_is_named() -> None:
    whole = json.dumps(flat())
    found, problems = read(f"{whole}\n{whole[:-1]}".encode())
    assert len(found) == 1
    assert [str(problem) for problem in problems] == [
        "file:2: this JSON value is cut off: the input ends before its end"
    ]
