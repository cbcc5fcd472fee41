"""Reading spans leniently from OTLP JSON and OTLP protobuf."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from otlp_versions import needs_flags

from otel_footprint.spanview import MAX_DEPTH, TOO_DEEP
from otel_footprint.spanview_otlp import OtlpJsonSpan, OtlpProtoSpan, hex_id

TRACE = "27f779d6a470ad5b6b9d07d0bd62d0e5"
SPAN = "41b73ec08bc6a65d"
DUMPS = sorted((Path(__file__).parents[1] / "data" / "spans").glob("*.otlp.json"))


def span_with(value: Any) -> OtlpJsonSpan:
    return OtlpJsonSpan({"attributes": [{"key": "k", "value": value}]})


@pytest.mark.parametrize(
    "written",
    [
        TRACE,
        TRACE.upper(),
        bytes.fromhex(TRACE),
        base64.b64encode(bytes.fromhex(TRACE)).decode(),
        base64.b64encode(bytes.fromhex(TRACE)).decode().rstrip("="),
        base64.urlsafe_b64encode(bytes.fromhex(TRACE)).decode(),
    ],
)
def test_an_id_is_the_same_in_hex_of_either_case_base64_and_bytes(written: str | bytes) -> None:
    assert hex_id(written, 16) == TRACE


@pytest.mark.parametrize(
    "written",
    [
        "",
        "string",
        "00",
        "0" * 32,
        TRACE[:-1],
        TRACE + "00",
        "AA==",
        base64.b64encode(bytes(16)).decode(),
        "é" * 16,
        None,
        5,
        {},
        b"",
        bytes(16),
        b"\x01",
        "�" * 32,
        "zz" * 16,
    ],
)
def test_what_is_no_valid_id_is_the_empty_text(written: Any) -> None:
    assert hex_id(written, 16) == ""


@given(st.binary(min_size=8, max_size=8).filter(any))
def test_every_span_id_is_read_back_from_hex_and_base64(raw: bytes) -> None:
    assert {hex_id(raw.hex().upper(), 8), hex_id(base64.b64encode(raw).decode(), 8), hex_id(raw, 8)} == {raw.hex()}


@pytest.mark.parametrize("parent", [{}, {"parentSpanId": ""}, {"parentSpanId": None}, {"parentSpanId": "0" * 16}])
def test_a_missing_empty_or_zero_parent_makes_a_root(parent: dict[str, Any]) -> None:
    assert OtlpJsonSpan({"spanId": SPAN, **parent}).parent_id is None


def test_snake_case_keys_are_read_as_camel_case_ones() -> None:
    span = OtlpJsonSpan(
        {
            "trace_id": TRACE,
            "span_id": SPAN,
            "parent_span_id": SPAN[::-1],
            "start_time_unix_nano": "5",
            "end_time_unix_nano": 7,
            "dropped_attributes_count": 1,
            "attributes": [{"key": "n", "value": {"int_value": "3"}}],
            "events": [
                {"name": "e", "time_unix_nano": "6", "attributes": [{"key": "s", "value": {"string_value": "x"}}]}
            ],
            "links": [{"trace_id": TRACE, "span_id": SPAN}],
        }
    )
    assert (span.trace_id, span.span_id, span.parent_id) == (TRACE, SPAN, SPAN[::-1])
    assert (span.start_ns, span.end_ns, span.dropped, span.get("n")) == (5, 7, 1, 3)
    assert [(e.name, e.time_ns, dict(e.attributes)) for e in span.events] == [("e", 6, {"s": "x"})]
    assert span.links == ((TRACE, SPAN),)


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (0, "unset"),
        (1, "ok"),
        (2, "error"),
        ("2", "error"),
        ("ERROR", "error"),
        ("STATUS_CODE_ERROR", "error"),
        ("STATUS_CODE_OK", "ok"),
        ("Ok", "ok"),
        ("UNSET", "unset"),
        (None, "unset"),
        (7, "unset"),
        ([], "unset"),
    ],
)
def test_a_status_is_read_from_numbers_and_names(code: Any, status: str) -> None:
    assert OtlpJsonSpan({"status": {"code": code}}).status == status


@pytest.mark.parametrize("status", [{}, None, {"message": ""}, "ERROR", []])
def test_a_status_without_a_code_is_unset(status: Any) -> None:
    assert OtlpJsonSpan({"status": status}).status == "unset"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ({"intValue": "3"}, 3),
        ({"intValue": 3}, 3),
        ({"intValue": 3.0}, 3),
        ({"intValue": "-3"}, -3),
        ({"intValue": str(2**63 - 1)}, 2**63 - 1),
        ({"intValue": str(2**63)}, str(2**63)),
        ({"intValue": 2**63}, str(2**63)),
        ({"intValue": 1e30}, "1e+30"),
        ({"intValue": "9" * 5000}, "9" * 5000),
        ({"intValue": "1_0"}, "1_0"),
        ({"intValue": "three"}, "three"),
        ({"doubleValue": 1.5}, 1.5),
        ({"doubleValue": "1.5"}, 1.5),
        ({"doubleValue": "Infinity"}, float("inf")),
        ({"boolValue": False}, False),
        ({"boolValue": "true"}, True),
        ({"stringValue": ""}, ""),
        ({"stringValue": "\ud83e"}, "\ud83e"),
        ({"bytesValue": base64.b64encode(b"\xff\xfe").decode()}, b"\xff\xfe"),
        ({"bytesValue": ""}, b""),
        ({"arrayValue": {"values": [{"intValue": "1"}, {}, {"stringValue": "a"}]}}, [1, None, "a"]),
        ({"arrayValue": {}}, []),
        ({"kvlistValue": {"values": [{"key": "a", "value": {"intValue": 1}}]}}, {"a": 1}),
        ({"kvlistValue": {"values": None}}, {}),
        ("bare", "bare"),
    ],
)
def test_a_value_is_decoded(written: Any, read: Any) -> None:
    value = span_with(written).get("k")
    assert value == read
    assert type(value) is type(read)


def test_a_value_that_is_not_a_number_is_read() -> None:
    value = span_with({"doubleValue": "NaN"}).get("k")
    assert value != value  # noqa: PLR0124 - only NaN differs from itself


def test_a_recorded_null_is_there_and_a_missing_key_is_not() -> None:
    for null in ({}, None, {"stringValue": None}):
        span = span_with(null)
        assert span.has("k")
        assert span.get("k") is None
    assert not OtlpJsonSpan({}).has("k")
    assert OtlpJsonSpan({}).get("k") is None


def test_of_a_key_that_is_there_twice_the_last_counts() -> None:
    pairs = [{"key": "k", "value": {"intValue": 1}}, {"key": "k", "value": {"intValue": 2}}]
    assert OtlpJsonSpan({"attributes": pairs}).get("k") == 2


def nested(depth: int, wrap: str) -> dict[str, Any]:
    value: dict[str, Any] = {"stringValue": "x"}
    for _ in range(depth):
        items: list[Any] = [{"key": "k", "value": value}] if wrap == "kvlistValue" else [value]
        value = {wrap: {"values": items}}
    return value


@pytest.mark.parametrize("wrap", ["arrayValue", "kvlistValue"])
def test_a_value_deeper_than_the_bound_is_too_deep_and_its_neighbours_are_read(wrap: str) -> None:
    span = OtlpJsonSpan(
        {
            "attributes": [
                {"key": "deep", "value": nested(MAX_DEPTH + 1, wrap)},
                {"key": "allowed", "value": nested(MAX_DEPTH, wrap)},
                {"key": "flat", "value": {"intValue": "1"}},
            ]
        }
    )
    assert span.get("deep") is TOO_DEEP
    assert span.get("allowed") is not TOO_DEEP
    assert span.get("flat") == 1


@pytest.mark.parametrize("attributes", [None, {}, "x", 3, [None, 3, "x", {}, {"key": 5, "value": {}}]])
def test_attributes_of_another_shape_are_none(attributes: Any) -> None:
    assert list(OtlpJsonSpan({"attributes": attributes}).keys()) == []


@pytest.mark.parametrize("time", ["x", -5, None, 2**64, [], {}, "9" * 30, 1.5])
def test_a_time_that_is_none_is_not_recorded(time: Any) -> None:
    assert OtlpJsonSpan({"startTimeUnixNano": time}).start_ns == 0


def test_a_rounded_time_in_float_form_is_read() -> None:
    assert OtlpJsonSpan({"startTimeUnixNano": 1.5e18}).start_ns == 1_500_000_000_000_000_000


@pytest.mark.parametrize(("flags", "remote"), [(0x300, True), ("768", True), (0x100, False), (1, False), (None, False)])
def test_flags_say_whether_the_parent_is_remote(flags: Any, remote: bool) -> None:
    assert OtlpJsonSpan({"flags": flags}).parent_is_remote is remote


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ["traceId", "spanId", "parentSpanId", "name", "startTimeUnixNano", "flags", "status", "attributes", "events"]


@given(st.dictionaries(st.sampled_from([*FIELDS, "links", "droppedEventsCount"]), JSON), JSON, JSON)
def test_no_span_object_of_any_shape_raises(span: dict[str, Any], resource: Any, scope: Any) -> None:
    view = OtlpJsonSpan(span, resource, scope)
    assert isinstance(view.name + view.status + view.status_message + view.scope_name, str)
    assert view.start_ns >= 0
    assert view.dropped >= 0
    assert all(isinstance(part, tuple) for part in (*view.events, *view.links))
    assert view.resource("service.name") is None or resource


@needs_flags
@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.name)
def test_a_span_reads_the_same_from_json_and_from_protobuf(dump: Path) -> None:
    for group in json.loads(dump.read_bytes())["resourceSpans"]:
        for scope_group in group["scopeSpans"]:
            for raw in scope_group["spans"]:
                from_json = OtlpJsonSpan(raw, group["resource"], scope_group["scope"])
                from_proto = OtlpProtoSpan(*as_proto(raw, group["resource"], scope_group["scope"]))
                assert facts(from_json) == facts(from_proto)


def facts(view: OtlpJsonSpan | OtlpProtoSpan) -> dict[str, Any]:
    names = ["trace_id", "span_id", "parent_id", "name", "start_ns", "end_ns", "status", "status_message", "dropped"]
    read = {name: getattr(view, name) for name in [*names, "scope_name", "parent_is_remote", "links"]}
    read["events"] = [(e.name, e.time_ns, dict(e.attributes)) for e in view.events]
    read["attributes"] = {key: view.get(key) for key in view.keys()}  # noqa: SIM118 - a view is no mapping
    return {**read, "service": view.resource("service.name")}


def as_proto(raw: dict[str, Any], resource: dict[str, Any], scope: dict[str, Any]) -> tuple[Any, Any, Any]:
    span = Span(name=raw.get("name", ""), flags=int(raw.get("flags", 0)))
    span.trace_id = bytes.fromhex(raw["traceId"])
    span.span_id = bytes.fromhex(raw["spanId"])
    span.parent_span_id = bytes.fromhex(raw.get("parentSpanId", ""))
    span.start_time_unix_nano = int(raw["startTimeUnixNano"])
    span.end_time_unix_nano = int(raw["endTimeUnixNano"])
    span.status.code = raw.get("status", {}).get("code", 0)
    span.status.message = raw.get("status", {}).get("message", "")
    for field in ("Attributes", "Events", "Links"):
        setattr(span, f"dropped_{field.lower()}_count", raw.get(f"dropped{field}Count", 0))
    fill(span.attributes, raw.get("attributes", []))
    for event in raw.get("events", []):
        made = span.events.add(name=event["name"], time_unix_nano=int(event["timeUnixNano"]))
        fill(made.attributes, event.get("attributes", []))
    for link in raw.get("links", []):
        span.links.add(trace_id=bytes.fromhex(link["traceId"]), span_id=bytes.fromhex(link["spanId"]))
    proto_resource = Resource()
    fill(proto_resource.attributes, resource["attributes"])
    return span, proto_resource, InstrumentationScope(name=scope.get("name", ""))


def fill(attributes: Any, pairs: list[dict[str, Any]]) -> None:
    for pair in pairs:
        set_value(attributes.add(key=pair["key"]).value, pair["value"])


def set_value(message: Any, value: dict[str, Any]) -> None:
    for name, content in value.items():
        match name:
            case "stringValue":
                message.string_value = content
            case "intValue":
                message.int_value = int(content)
            case "doubleValue":
                message.double_value = float(content)
            case "boolValue":
                message.bool_value = content
            case "arrayValue":
                message.array_value.SetInParent()
                for item in content.get("values", []):
                    set_value(message.array_value.values.add(), item)
            case "kvlistValue":
                message.kvlist_value.SetInParent()
                fill(message.kvlist_value.values, content.get("values", []))
            case _:
                raise AssertionError(name)


def test_a_protobuf_value_without_content_is_a_recorded_null_and_bytes_stay_bytes() -> None:
    span = Span()
    span.attributes.add(key="null").value.SetInParent()
    span.attributes.add(key="bytes").value.bytes_value = b"\xff"
    view = OtlpProtoSpan(span)
    assert view.has("null")
    assert view.get("null") is None
    assert view.get("bytes") == b"\xff"
    assert view.resource("service.name") is None
    assert view.scope_name == ""


def test_a_protobuf_value_deeper_than_the_bound_is_too_deep() -> None:
    span = Span()
    inner = span.attributes.add(key="deep").value
    for _ in range(MAX_DEPTH + 1):
        inner = inner.array_value.values.add()
    inner.string_value = "x"
    span.attributes.add(key="flat").value.int_value = 1
    view = OtlpProtoSpan(span)
    assert view.get("deep") is TOO_DEEP
    assert view.get("flat") == 1


def test_protobuf_ids_of_another_length_are_not_valid() -> None:
    view = OtlpProtoSpan(Span(trace_id=b"\x01", span_id=bytes(8), parent_span_id=b"\x01\x02"))
    assert (view.trace_id, view.span_id, view.parent_id) == ("", "", None)
