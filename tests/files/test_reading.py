"""Telling formats apart by content, and reading what is damaged."""

from __future__ import annotations

import bz2
import io
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from otel_footprint.files.documents import Document
from otel_footprint.files.formats import read_documents
from otel_footprint.files.problems import Problem
from otel_footprint.spanview import TOO_DEEP, SpanView

TRACE = "27f779d6a470ad5b6b9d07d0bd62d0e5"


def read(data: bytes | str) -> tuple[list[SpanView], list[Problem]]:
    raw = data.encode() if isinstance(data, str) else data
    items: list[Document | Problem] = list(read_documents(io.BytesIO(raw), "file"))
    spans = [view for item in items if not isinstance(item, Problem) for _, view in item.spans()]
    return spans, [item for item in items if isinstance(item, Problem)]


def ids(data: bytes | str) -> list[str]:
    return [view.span_id for view in read(data)[0]]


def messages(data: bytes | str) -> str:
    return "\n".join(map(str, read(data)[1]))


def request(*names: str, attributes: Any = ()) -> ExportTraceServiceRequest:
    made = ExportTraceServiceRequest()
    spans = made.resource_spans.add().scope_spans.add().spans
    for index, name in enumerate(names, start=1):
        span = spans.add(name=name, trace_id=bytes.fromhex(TRACE), span_id=index.to_bytes(8))
        for key, value in attributes:
            span.attributes.add(key=key).value.string_value = value
    return made


def span_object(index: int = 1) -> dict[str, Any]:
    return {"traceId": TRACE, "spanId": f"{index:016x}", "name": f"span {index}"}


def json_request(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": list(spans)}]}]}


# --- every frame ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        json_request(span_object()),
        json_request(span_object())["resourceSpans"][0],
        [json_request(span_object())],
        json_request(span_object())["resourceSpans"],
        {"batches": json_request(span_object())["resourceSpans"]},
        {"result": json_request(span_object())},
        {"trace": json_request(span_object())},
        {"resource_spans": [{"scope_spans": [{"spans": [span_object()]}]}]},
        {"batches": [{"instrumentationLibrarySpans": [{"instrumentationLibrary": {}, "spans": [span_object()]}]}]},
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_a_span_is_found_in_every_frame_that_spans_come_in(value: Any, indent: int | None) -> None:
    assert ids(json.dumps(value, indent=indent)) == [f"{1:016x}"]
    assert messages(json.dumps(value, indent=indent)) == ""


def test_the_scope_of_an_old_frame_is_read() -> None:
    group = {"instrumentationLibrary": {"name": "old"}, "spans": [span_object()]}
    (view,), _ = read(json.dumps({"resourceSpans": [{"instrumentationLibrarySpans": [group]}]}))
    assert view.scope_name == "old"


def test_requests_bare_groups_and_lists_can_be_mixed_in_one_file() -> None:
    lines = [
        json_request(span_object(1), span_object(2)),
        json_request(span_object(3))["resourceSpans"][0],
        [json_request(span_object(4)), json_request(span_object(5))],
    ]
    assert len(ids("\n".join(map(json.dumps, lines)))) == 5


def test_places_of_another_shape_are_counted_and_passed_over() -> None:
    value = {"resourceSpans": [None, {"scopeSpans": [3, {"spans": "x"}, {"spans": [span_object(), []]}]}]}
    assert ids(json.dumps(value)) == [f"{1:016x}"]
    assert "file:1: 4 places do not have the shape of OTLP JSON" in messages(json.dumps(value))


def test_a_line_that_is_not_utf8_is_read_and_said() -> None:
    spans, problems = read(json.dumps(json_request(span_object())).encode().replace(b"span 1", b"span \xff"))
    assert len(spans) == 1
    assert [(p.line, p.lost) for p in problems] == [(1, False)]


def test_other_signals_beside_spans_are_said_once() -> None:
    metrics: dict[str, Any] = {"resourceMetrics": []}
    profiles: dict[str, Any] = {"resourceProfiles": []}
    lines = [metrics, json_request(span_object()), metrics, {"resourceLogs": []}, profiles]
    spans, problems = read("\n".join(map(json.dumps, lines)))
    assert len(spans) == 1
    assert [(p.line, p.lost) for p in problems] == [(1, False), (5, False)]


# --- refused by name -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"\n \n", "empty"),
        (bz2.compress(b"{}"), "bzip2"),
        (lzma.compress(b"{}"), "xz"),
        (b"PK\x03\x04rest", "ZIP"),
        (b"SQLite format 3\x00", "SQLite"),
        (b"PAR1\x15\x00", "Parquet"),
        ("\ufeff{}".encode("utf-16-le"), "UTF-16"),
        (b"<!DOCTYPE html><html>", "HTML"),
        (b"\n<?xml version='1.0'?>", "XML"),
        (b"\x7fELF\x02\x01\x01\x00", "binary"),
        (b"time,name\n1,x\n", "first line begins 'time,name'"),
        (b'{"schema_version":"ATIF-v1.4","steps":[]}', "ATIF"),
        (b'{"errors":[{"msg":"not found"}]}', "error answer"),
        (b'{"data":null,"total":0,"errors":[{"code":404,"msg":"trace not found"}]}', "error answer"),
        (b'{"data":[],"total":0,"errors":null}', "found nothing"),
        (b'{"a":1,"b":2}', "the keys 'a', 'b'"),
        (b'{"traces":[{"traceID":"1","rootServiceName":"app"}],"metrics":{}}', "search in Tempo"),
        (b'[[{"traceId":"1","id":"2","binaryAnnotations":[],"annotations":[]}]]', "Zipkin's JSON of version 1"),
        (b"{\n  resource: { attributes: {} },\n  traceId: '1'\n}\n", "as JavaScript prints them"),
        (b"2026-01-01 info ResourceSpans #0\nSpan #0\n", "Collector's debug exporter"),
        (b"{}", "without keys"),
        (b"[]", "an empty list"),
        (b"[1]", "a list of something else"),
    ],
)
def test_what_cannot_be_read_is_called_by_its_name(data: bytes, words: str) -> None:
    spans, problems = read(data)
    assert spans == []
    assert words in str(problems[0])
    assert problems[0].lost


def test_a_text_without_any_document_is_one_problem() -> None:
    assert len(read("some words\n" * 500)[1]) == 1


def test_a_spoiled_first_line_costs_only_itself() -> None:
    data = 'pans":[]}]}\n' + json.dumps(json_request(span_object()))
    assert ids(data) == [f"{1:016x}"]
    assert messages(data).startswith("file:1: not JSON")


# --- protobuf ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [ExportTraceServiceRequest, TracesData])
def test_a_request_and_traces_data_are_read(kind: type[Any]) -> None:
    message = kind.FromString(request("a", "b").SerializeToString())
    assert ids(message.SerializeToString()) == [f"{1:016x}", f"{2:016x}"]
    assert messages(message.SerializeToString()) == ""


def test_requests_with_lengths_are_read() -> None:
    parts = [request("a").SerializeToString(), request("b", "c").SerializeToString()]
    data = b"".join(len(part).to_bytes(4) + part for part in parts)
    assert [view.name for view in read(data)[0]] == ["a", "b", "c"]
    assert messages(data) == ""


def test_a_cut_file_with_lengths_gives_what_is_whole() -> None:
    part = request("a").SerializeToString()
    for end, words in (
        (b"\x00\x00", "the file ends in the middle of a request"),
        (b"\xff\x00", "the rest of the file"),
    ):
        data = len(part).to_bytes(4) + part + end
        assert [view.name for view in read(data)[0]] == ["a"]
        assert words in messages(data)


@pytest.mark.parametrize("length", range(1, 400, 7))
def test_protobuf_of_any_length_is_not_taken_for_json(length: int) -> None:
    # its first bytes are a line feed and the length, which can be a bracket or white space
    assert ids(request("x" * length).SerializeToString()) == [f"{1:016x}"]


@pytest.mark.parametrize("blank", ["\n", "\r\n", "\n\n\n", " \n"])
def test_json_after_empty_lines_is_not_taken_for_protobuf(blank: str) -> None:
    assert ids(blank + json.dumps(json_request(span_object()), indent=1)) == [f"{1:016x}"]


def test_a_text_that_is_not_utf8_costs_only_its_bad_bytes() -> None:
    data = request("good", "BAD!", "fine").SerializeToString().replace(b"BAD!", b"B\xff\xfe!")
    spans, problems = read(data)
    assert [view.name for view in spans] == ["good", "B\ufffd\ufffd!", "fine"]
    assert [p.lost for p in problems] == [True]


def test_an_attribute_that_is_not_utf8_costs_no_other() -> None:
    data = request("a", attributes=[("one", "1"), ("two", "XX"), ("three", "3")]).SerializeToString()
    (view,), _ = read(data.replace(b"XX", b"\xe4\xb8"))
    assert [view.get(key) for key in ("one", "two", "three")] == ["1", "\ufffd", "3"]


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


@pytest.mark.parametrize("levels", [40, 60, 2_000])
def test_a_value_nested_deeper_than_the_decoder_goes_does_not_cost_the_span(levels: int) -> None:
    deep = field(1, b"x")
    for _ in range(levels):
        deep = field(5, field(1, deep))
    span = request("a").resource_spans[0].scope_spans[0].spans[0].SerializeToString()
    span += field(9, field(1, b"deep") + field(2, deep)) + field(9, field(1, b"flat") + field(2, field(1, b"y")))
    data = field(1, field(2, field(2, span)))
    (document, *_) = read_documents(io.BytesIO(data), "file")
    assert not isinstance(document, Problem)
    assert json.loads(document.annotated({}))["resourceSpans"]
    (view,), _ = read(data)
    assert (view.name, view.get("flat")) == ("a", "y")
    assert (view.get("deep") is TOO_DEEP) == (levels > 64)


def test_of_a_cut_request_the_whole_spans_are_read() -> None:
    data = request("first", "second", "third").SerializeToString()
    spans, problems = read(data[:-4])
    assert [view.name for view in spans] == ["first", "second"]
    assert problems[0].lost


def test_what_follows_a_request_and_is_no_protobuf_is_named() -> None:
    spans, problems = read(request("a").SerializeToString() + b"\x0f\x00\x01")
    assert len(spans) == 1
    assert "not protobuf" in str(problems[0])


def test_a_protobuf_file_over_the_bound_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("otel_footprint.files.otlp_protobuf.MAX_FILE_BYTES", 10)
    assert "split it" in messages(request("a").SerializeToString())


def test_logs_in_protobuf_are_no_spans() -> None:
    logs = ExportLogsServiceRequest()
    record = logs.resource_logs.add().scope_logs.add().log_records.add(time_unix_nano=5)
    record.body.string_value = "hello"
    spans, problems = read(logs.SerializeToString())
    assert spans == []
    assert problems == []


# --- whatever comes ------------------------------------------------------------------------------


@given(st.binary(max_size=200))
def test_no_bytes_raise(data: bytes) -> None:
    read(data)


@given(st.data())
def test_no_damage_to_a_request_raises(data: st.DataObject) -> None:
    whole = data.draw(
        st.sampled_from(
            [
                request("a", "b", attributes=[("k", "v")]).SerializeToString(),
                json.dumps(json_request(span_object(1), span_object(2))).encode(),
                json.dumps(json_request(span_object(1), span_object(2)), indent=1).encode(),
            ]
        )
    )
    at = data.draw(st.integers(0, len(whole) - 1))
    noise = data.draw(st.binary(max_size=4))
    end = data.draw(st.integers(at, len(whole)))
    for view in read(whole[:at] + noise + whole[end:])[0]:
        assert isinstance(view.trace_id + view.span_id + view.name, str)


def test_real_dumps_are_read_without_a_problem(dump: Callable[[str], Path]) -> None:
    for path in dump("x").parent.glob("*.otlp.json"):
        spans, problems = read(path.read_bytes())
        assert spans
        assert all(view.trace_id and view.span_id for view in spans)
        assert problems == []
