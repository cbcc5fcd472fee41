"""Zipkin's JSON as spans."""

from __future__ import annotations

import json
from typing import Any

import pytest
from reading import attributes, read, span, spans

TRACE = "4a1b2c3d4e5f60718293a4b5c6d7e8f9"


def zipkin_span(**fields: Any) -> dict[str, Any]:
    own = {"traceId": TRACE, "id": "00000000000000a1", "name": "op", "timestamp": 1_770_000_000_000_001, "duration": 5}
    return {**own, "localEndpoint": {"serviceName": "app"}, **fields}


@pytest.mark.parametrize("value", [[zipkin_span()], [[zipkin_span()]], zipkin_span(), [[], [zipkin_span()]]])
def test_a_span_is_read_in_every_frame(value: Any) -> None:
    found = span(value)
    assert (found.trace_id, found.span_id, found.parent_id) == (TRACE, "00000000000000a1", None)
    assert (found.name, found.start_ns, found.end_ns) == ("op", 1_770_000_000_000_001_000, 1_770_000_000_000_006_000)
    assert (found.resource("service.name"), found.scope_name, found.status) == ("app", "", "unset")


def test_a_span_a_line_is_read() -> None:
    lines = "\n".join(json.dumps(zipkin_span(id=f"{index:016x}", parentId="f")) for index in (1, 2))
    assert [(view.span_id[-1], view.parent_id) for view in spans(lines.encode())] == [
        ("1", "000000000000000f"),
        ("2", "000000000000000f"),
    ]


def test_a_trace_id_of_64_bits_is_filled_up() -> None:
    assert span([zipkin_span(traceId="00000000000000ff")]).trace_id == f"{0xFF:032x}"


def test_tags_stay_text_and_what_opentelemetry_put_in_them_is_taken_out() -> None:
    tags = {
        "otel.scope.name": "scope",
        "otel.library.name": "scope",
        "otel.status_code": "ERROR",
        "error": "boom",
        "otel.dropped_attributes_count": "2",
        "gen_ai.usage.input_tokens": "12",
    }
    found = span([zipkin_span(tags=tags, remoteEndpoint={"serviceName": "db", "ipv4": "10.0.0.1", "port": 5432})])
    assert (found.scope_name, found.status, found.status_message, found.dropped) == ("scope", "error", "boom", 2)
    assert attributes(found) == {
        "peer.service": "db",
        "network.peer.address": "10.0.0.1",
        "network.peer.port": 5432,
        "gen_ai.usage.input_tokens": "12",
    }


@pytest.mark.parametrize(
    ("tags", "status"),
    [({"error": ""}, "error"), ({"otel.status_code": "OK"}, "ok"), ({"otel.status_code": "odd"}, "unset")],
)
def test_a_span_with_an_error_tag_failed_whatever_is_in_it(tags: Any, status: str) -> None:
    assert span([zipkin_span(tags=tags)]).status == status


@pytest.mark.parametrize(
    ("written", "name", "values"),
    [
        ('{"exception": {"exception.type": "E", "n": 1}}', "exception", {"exception.type": "E", "n": 1}),
        ('"exception": {"exception.type": "E"}', "exception", {"exception.type": "E"}),
        ("cache miss", "cache miss", {}),
        ('{"a": 1}', '{"a": 1}', {}),
        ('{"a": {}, "b": {}}', '{"a": {}, "b": {}}', {}),
        ('he said "no"', 'he said "no"', {}),
    ],
)
def test_annotations_are_events(written: str, name: str, values: dict[str, Any]) -> None:
    (event,) = span([zipkin_span(annotations=[{"timestamp": 1_770_000_000_000_002, "value": written}])]).events
    assert (event.name, event.time_ns, dict(event.attributes)) == (name, 1_770_000_000_000_002_000, values)


def test_what_is_no_span_is_counted_and_costs_nothing_else() -> None:
    found, problems = read([zipkin_span(), 5, None, [zipkin_span(), "x"]])
    assert len(found) == 2
    assert [str(problem) for problem in problems] == ["file:1: 3 items that are no span of Zipkin's JSON, passed over"]
