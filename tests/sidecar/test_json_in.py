"""OTLP JSON as senders really write it (P17, P18)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from dumps import NAMES
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from otlp import recorded, spans_of

from otel_footprint.files.proto_json import document_text, otlp_json
from otel_footprint.sidecar.json_in import REQUESTS, Losses, protobuf_of
from otel_footprint.sidecar.wire import MalformedError
from otel_footprint.sidecar.wire import field as wire_field

IDS = {"traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": "b7ad6b7169203331"}


def read(fields: dict[str, Any]) -> tuple[Span, Losses]:
    losses = Losses()
    text = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [{**IDS, **fields}]}]}]}).encode()
    (one,) = spans_of(protobuf_of("traces", text, losses))
    return one, losses


def value(content: Any) -> Any:
    one, losses = read({"attributes": [{"key": "k", "value": content}]})
    kind = one.attributes[0].value.WhichOneof("value")
    return (None if kind is None else getattr(one.attributes[0].value, kind)), losses.values


@pytest.mark.parametrize("name", NAMES)
def test_what_protobuf_says_in_json_is_read_back_the_same(name: str) -> None:
    for body in recorded(name):
        text = document_text(otlp_json(REQUESTS["traces"].FromString(body)))
        assert protobuf_of("traces", text.encode(), Losses()) == body


@pytest.mark.parametrize("written", [IDS["spanId"], IDS["spanId"].upper(), "t61rcWkgMzE=", "t61rcWkgMzE"])
def test_ids_are_hex_of_either_case_or_base64(written: str) -> None:
    one, losses = read({"spanId": written, "parentSpanId": ""})
    assert (one.span_id.hex(), one.parent_span_id, losses) == (IDS["spanId"], b"", Losses())


@pytest.mark.parametrize("written", ["xyz", "b7ad6b71692033", 5, ["b7ad6b7169203331"]])
def test_an_id_that_is_none_costs_only_itself(written: Any) -> None:
    one, losses = read({"spanId": written, "name": "kept"})
    assert (one.span_id, one.name, losses.values) == (b"", "kept", 1)


def test_an_id_of_zeros_is_passed_on() -> None:
    one, losses = read({"parentSpanId": "0" * 16})
    assert (one.parent_span_id, losses) == (bytes(8), Losses())


@pytest.mark.parametrize("written", ["17", 17, 17.0])
def test_integers_are_numbers_or_texts(written: Any) -> None:
    one, losses = read({"startTimeUnixNano": written, "droppedEventsCount": written})
    assert (one.start_time_unix_nano, one.dropped_events_count, losses) == (17, 17, Losses())


@pytest.mark.parametrize("written", ["x", "1.5", 1.5, True, -1, 2**64, "9" * 50, {}, []])
def test_a_number_that_does_not_fit_costs_only_itself(written: Any) -> None:
    one, losses = read({"startTimeUnixNano": written, "name": "kept"})
    assert (one.start_time_unix_nano, one.name, losses.values) == (0, "kept", 1)


@pytest.mark.parametrize("written", [3, "3", "SPAN_KIND_CLIENT", "CLIENT", "client"])
def test_an_enum_is_a_number_or_a_name_long_or_short(written: Any) -> None:
    one, losses = read({"kind": written})
    assert (one.kind, losses) == (Span.SPAN_KIND_CLIENT, Losses())


def test_an_enum_of_a_newer_version_is_passed_on_as_its_number() -> None:
    one, losses = read({"kind": 99})
    assert (one.kind, losses) == (99, Losses())


def test_keys_may_be_in_snake_case_and_unknown_ones_are_passed_over() -> None:
    one, losses = read({"start_time_unix_nano": "5", "trace_state": "a=b", "newField": {"x": [1]}, "status": None})
    assert (one.start_time_unix_nano, one.trace_state, losses) == (5, "a=b", Losses())


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"stringValue": "x"}, "x"),
        ({"stringValue": ""}, ""),
        ({"boolValue": True}, True),
        ({"boolValue": "true"}, True),
        ({"intValue": "-9223372036854775808"}, -(2**63)),
        ({"intValue": 5}, 5),
        ({"doubleValue": 0.5}, 0.5),
        ({"doubleValue": "Infinity"}, float("inf")),
        ({"doubleValue": 1}, 1.0),
        ({"bytesValue": "AAE="}, b"\0\1"),
        ({"int_value": "5"}, 5),
        ({}, None),
    ],
)
def test_values_of_every_kind_are_read(content: Any, expected: Any) -> None:
    assert value(content) == (expected, 0)


@pytest.mark.parametrize(
    "content",
    [{"intValue": 2**63}, {"intValue": "x"}, {"stringValue": 5}, {"boolValue": 1.5}, {"doubleValue": []}, 5, "x"],
)
def test_a_value_that_does_not_fit_costs_only_itself(content: Any) -> None:
    assert value(content) == (None, 1)


def test_a_lone_surrogate_is_replaced_and_counted() -> None:
    one, losses = read({"name": "a\ud800b", "attributes": [{"key": "k\udfff", "value": {"stringValue": "\ud800"}}]})
    assert (one.name, one.attributes[0].key, losses.values) == ("a?b", "k?", 3)


def test_what_is_not_utf_8_costs_only_itself_and_is_counted() -> None:
    """P17."""
    losses = Losses()
    text = b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "a\xffb"}, {"name": "whole"}]}]}]}'
    names = [one.name for one in spans_of(protobuf_of("traces", text, losses))]
    assert (names, losses.values) == (["a\ufffdb", "whole"], 1)


def test_what_is_nested_too_deep_for_protobuf_is_left_out_and_the_rest_is_read() -> None:
    deep: Any = {"stringValue": "x"}
    for _ in range(200):
        deep = {"arrayValue": {"values": [deep]}}
    one, losses = read({"attributes": [{"key": "deep", "value": deep}], "name": "kept"})
    assert (one.name, losses.values) == ("kept", 1)
    assert Span.FromString(one.SerializeToString()) == one


def test_an_empty_value_keeps_its_place_in_a_list() -> None:
    listed = {"arrayValue": {"values": [{"intValue": 1}, None, {}, {"intValue": 2}]}}
    one, _ = read({"attributes": [{"key": "k", "value": listed}]})
    kinds = [item.WhichOneof("value") for item in one.attributes[0].value.array_value.values]
    assert kinds == ["int_value", None, None, "int_value"]


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"5", b"null", b"\xff", b"[" * 100_000, b'{"a": ' + b"9" * 5_000])
def test_what_is_no_object_is_said_to_be_none(text: bytes) -> None:
    with pytest.raises(MalformedError, match="JSON"):
        protobuf_of("traces", text, Losses())


@pytest.mark.parametrize("key", ["eventName", "event_name"])
def test_the_name_of_an_event_stays_with_messages_that_are_older_than_it(key: str) -> None:
    record = {"body": {"stringValue": "b"}, key: "codex.tool_result"}
    losses = Losses()
    text = json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}).encode()
    assert wire_field(12, b"codex.tool_result") in protobuf_of("logs", text, losses)
    assert losses == Losses()


def test_metrics_and_logs_are_read_by_the_same_rules() -> None:
    point = {"asInt": "3", "timeUnixNano": 5, "exemplars": [{"spanId": IDS["spanId"], "asDouble": 1}]}
    metric = {"name": "m", "sum": {"dataPoints": [point], "aggregationTemporality": "CUMULATIVE"}}
    metrics = ExportMetricsServiceRequest.FromString(
        protobuf_of(
            "metrics", json.dumps({"resourceMetrics": [{"scopeMetrics": [{"metrics": [metric]}]}]}).encode(), Losses()
        )
    )
    read_metric = metrics.resource_metrics[0].scope_metrics[0].metrics[0]
    assert read_metric.sum.data_points[0].as_int == 3
    assert read_metric.sum.aggregation_temporality == 2
    assert read_metric.sum.data_points[0].exemplars[0].span_id.hex() == IDS["spanId"]
    record = {"severityNumber": "WARN", "body": {"kvlistValue": {"values": [{"key": "a", "value": {}}]}}, **IDS}
    logs = ExportLogsServiceRequest.FromString(
        protobuf_of(
            "logs", json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}).encode(), Losses()
        )
    )
    read_record = logs.resource_logs[0].scope_logs[0].log_records[0]
    assert (read_record.severity_number, read_record.trace_id.hex()) == (13, IDS["traceId"])
    assert read_record.body.kvlist_value.values[0].key == "a"


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(st.characters(), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["spans", "attributes", "key", "value", "intValue", "kind", "events", "status", "code", "flags"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(JSON_VALUES)
def test_any_json_is_read_as_far_as_it_goes(content: Any) -> None:
    text = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [content, {**IDS, "name": "kept"}]}]}]}).encode()
    assert "kept" in [one.name for one in spans_of(protobuf_of("traces", text, Losses()))]
