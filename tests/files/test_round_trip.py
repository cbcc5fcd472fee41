"""Written as OTLP: what came as OTLP is the same but for what is ours, and what came in another format is all there."""

from __future__ import annotations

import base64
import copy
import gzip
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    TraceState,
    set_span_in_context,
)
from reading import DATA, as_otlp, attributes, read, record

from otel_footprint.files.otlp_json import is_otlp
from otel_footprint.files.proto_json import otlp_json
from otel_footprint.spanview import SpanView

OURS = "footprint."


def unpacked(path: Path) -> bytes:
    raw = path.read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(raw)
    return zstandard.ZstdDecompressor().decompressobj().decompress(raw) if path.suffix == ".zst" else raw


def values_of(path: Path) -> list[Any]:
    """The JSON values of a file."""
    text = unpacked(path).decode()
    return [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else [json.loads(text)]


FILES = sorted(
    path
    for path in DATA.rglob("*")
    if path.suffix in {".json", ".jsonl", ".gz", ".zst"}
    and ".truth." not in path.name
    and "atif" not in path.parent.name
)
OTLP = [path for path in FILES if all(map(is_otlp, values_of(path)))]
OTHER = [path for path in FILES if path not in OTLP]


def spans_in(value: Any) -> Iterator[dict[str, Any]]:
    """The span objects of a JSON value of OTLP, whatever their lists are called."""
    if isinstance(value, dict):
        spans = value.get("spans")
        yield from spans if isinstance(spans, list) else ()
        for key, inner in value.items():
            if key != "spans":
                yield from spans_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from spans_in(inner)


def without_added(after: Any, before: Any) -> Any:
    """What was written, with what was added to the ends of lists taken off. It must all be ours."""
    after = copy.deepcopy(after)
    for span, as_it_came in zip(spans_in(after), spans_in(before), strict=True):
        for name, key in (("attributes", "key"), ("events", "name")):
            came = as_it_came.get(name)
            added = (span.get(name) or [])[len(came or ()) :]
            assert all(item[key].startswith(OURS) for item in added)
            if added and name in as_it_came:
                span[name] = span[name][: -len(added)] if came else came
            elif added:
                del span[name]
    return after


def json_values(text: str) -> list[Any]:
    """The values of a text that may have several, each over one line or many."""
    found: list[Any] = []
    while text := text.lstrip():
        value, end = json.JSONDecoder().raw_decode(text)
        found.append(value)
        text = text[end:]
    return found


def assert_same_otlp(written: bytes, came: list[Any]) -> None:
    out = json_values(written.decode())
    assert len(out) == len(came)
    for after, before in zip(out, came, strict=True):
        assert without_added(after, before) == before


# -- OTLP -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", OTLP, ids=lambda path: path.name)
def test_otlp_is_the_same_span_by_span_but_for_what_is_ours(path: Path) -> None:
    written = as_otlp(path.read_bytes())
    assert_same_otlp(written, values_of(path))
    explained = len(record(path.read_bytes()).explanations)
    assert written.count(b'"name":"footprint.account"') == explained
    assert (explained > 0) == (".logs." not in path.name)


def with_base64_ids(value: Any) -> Any:
    """The value as protobuf's own JSON has it, and with numbers for names of kinds."""
    value = copy.deepcopy(value)
    for span in spans_in(value):
        for owner in (span, *(span.get("links") or ())):
            for key in ("traceId", "spanId", "parentSpanId"):
                if owner.get(key):
                    owner[key] = base64.b64encode(bytes.fromhex(owner[key])).decode()
    return value


@pytest.mark.parametrize("path", [path for path in OTLP if path.parent.name == "spans"], ids=lambda path: path.name)
def test_protobuf_in_any_frame_comes_out_as_its_own_json(path: Path) -> None:
    (value,) = values_of(path)
    message = ParseDict(with_base64_ids(value), TracesData(), ignore_unknown_fields=True)
    raw = message.SerializeToString()
    groups = [{"resourceSpans": [group]} for group in otlp_json(message)["resourceSpans"]]
    packed = zstandard.ZstdCompressor().compress(raw)
    for data in (raw, gzip.compress(raw), packed, _with_length(raw), _with_length(packed)):
        assert_same_otlp(as_otlp(data), groups)


def _with_length(data: bytes) -> bytes:
    return len(data).to_bytes(4) + data


# -- other formats --------------------------------------------------------------------------------


def facts(view: SpanView) -> dict[str, Any]:
    """All that a view tells of a span, without what is ours."""
    return {
        "ids": (view.trace_id, view.span_id, view.parent_id),
        "name": view.name,
        "kind and scope": view.scope_name,
        "times": (view.start_ns, view.end_ns),
        "status": (view.status, view.status_message),
        "dropped": view.dropped,
        "attributes": {key: repr(value) for key, value in attributes(view).items() if not key.startswith(OURS)},
        "events": [
            (event.name, event.time_ns, repr(dict(event.attributes)))
            for event in view.events
            if not event.name.startswith(OURS)
        ],
        "links": [tuple(link) for link in view.links],
    }


@pytest.mark.parametrize("path", [*OTHER, DATA / "exports" / "phoenix_dataframe.parquet"], ids=lambda path: path.name)
def test_what_was_read_of_another_format_is_read_again_of_what_is_written(path: Path) -> None:
    raw = path.read_bytes()
    before, after = read(raw)[0], read(as_otlp(raw))[0]
    by_id = {(view.trace_id, view.span_id): facts(view) for view in after}
    assert {(view.trace_id, view.span_id): facts(view) for view in before} == by_id
    assert len(before) == len(after)


NOT_OF_A_SPAN: dict[str, dict[str, str]] = {
    "genaiTestTrace.json": {"_comment": "about the file", "processID": "the key of the resource"},
    "helm_3.jaeger.json.gz": {"processID": "the key of the resource"},
    "claude-agent-2025-12-22.trace.json": {
        "scores": "an evaluation, which is no span",
        "projectId": "of the store",
        "createdAt": "of the store",
        "updatedAt": "of the store",
        "timestamp": "the start of the root observation",
        "latency": "end less start",
        "internalModel": "of the store's price list",
        "internalModelId": "of the store's price list",
        "usagePricingTierId": "of the store's price list",
        "usagePricingTierName": "of the store's price list",
        "toolCalls": "in the output too",
        "inputCost": "in costDetails too",
        "outputCost": "in costDetails too",
        "totalCost": "in costDetails too",
    },
    "mlflow.json": {
        "info": "the entry in MLflow's list of traces, made of the spans",
    },
    "phoenix_spans.json": {"id": "of the store"},
    "go_stdouttrace.jsonl": {"ChildSpanCount": "counted from the spans", "Type": "the form of the value"},
}
NOT_OF_A_SPAN["pydantic-ai-tools-2025-12-04.trace.json"] = NOT_OF_A_SPAN["claude-agent-2025-12-22.trace.json"]
"""Keys whose values are not written, with the reason."""

OTHERWISE = frozenset(
    {
        *("startTime", "endTime", "start_time", "end_time", "timestamp", "time", "duration", "kind", "refType", "type"),
        *("StartTime", "EndTime", "Time", "TraceFlags"),
    }
)
"""Keys whose values have another form in OTLP; the test above and those of each format compare them."""
STATUS = frozenset({"code", "status_code", "Code"})
TAGS = ("otel.", "span.kind", "error", "internal.span.format", "w3c.tracestate")
"""Tags that are fields in OTLP."""


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict):
        if isinstance(value.get("key"), str) and value["key"].startswith(TAGS):
            return
        for key, inner in value.items():
            if not key.startswith(TAGS):
                yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, path)
    elif value not in (None, "", False, True, 0):
        yield path, value


def words_of(value: Any) -> set[str]:
    """How a value may be written: as it is, or in JSON text once or twice."""
    text = value if isinstance(value, str) else json.dumps(value)
    found = {text}
    for _ in range(3):
        found |= {json.dumps(one, ensure_ascii=ascii_)[1:-1] for one in list(found) for ascii_ in (True, False)}
    if isinstance(value, float) and value.is_integer():
        found.add(str(int(value)))
    return found


def is_written(value: Any, written: str) -> bool:
    """Whether a value is in what was written, or all that is in it where it is JSON text."""
    if any(word in written for word in words_of(value)):
        return True
    if not isinstance(value, str) or not value.startswith(("{", "[")):
        return False
    return all(is_written(inner, written) for _, inner in leaves(json.loads(value)))


@pytest.mark.parametrize("path", OTHER, ids=lambda path: path.name)
def test_everything_that_another_format_holds_of_a_span_is_written(path: Path) -> None:
    written = as_otlp(path.read_bytes()).decode()
    known = {*NOT_OF_A_SPAN.get(path.name, {}), *OTHERWISE, *STATUS}
    lost = [
        (".".join(where), value)
        for whole in values_of(path)
        for where, value in leaves(whole)
        if known.isdisjoint(where) and not is_written(value, written)
    ]
    assert lost == []


# -- what the SDK for Python prints ---------------------------------------------------------------


def printed() -> bytes:
    """What the console exporter prints of two spans that have everything that a span can have."""
    out = io.StringIO()
    provider = TracerProvider(
        resource=Resource({"service.name": "app", "n": 1}, schema_url="https://example.org/resource/1"),
        span_limits=SpanLimits(max_span_attributes=6),
    )
    provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=out)))
    tracer = provider.get_tracer("scope", "1.0")
    state = TraceState([("vendor", "value"), ("other", "x@y")])
    remote = SpanContext(0x1234, 0x99, is_remote=True, trace_flags=TraceFlags(1), trace_state=state)
    with tracer.start_as_current_span(
        "outer",
        context=set_span_in_context(NonRecordingSpan(remote)),
        kind=SpanKind.CLIENT,
        links=[Link(remote, {"l": 1})],
        attributes={"s": '{"a": 1}', "i": 1, "f": 1.5, "b": True, "l": ["a", "b"]},
    ) as outer:
        outer.add_event("e", {"x": "y"})
        with tracer.start_as_current_span("inner") as inner:
            inner.set_status(Status(StatusCode.ERROR, "boom"))
            inner.set_attribute("inf", float("inf"))
    return out.getvalue().encode()


@pytest.mark.parametrize("around", ["{}", "starting\n{}done in 3 s\n", "2026-01-01 INFO run\n{}"])
def test_what_the_console_exporter_prints_is_written_with_all_that_is_in_it(around: str) -> None:
    (inner, outer), problems = read(around.format("@").encode().replace(b"@", printed()))
    assert len(problems) == around.count("\n")
    assert (inner.name, inner.status, inner.status_message, inner.parent_id) == (
        "inner",
        "error",
        "boom",
        outer.span_id,
    )
    assert inner.get("inf") == float("inf")
    assert [tuple(link) for link in outer.links] == [(f"{0x1234:032x}", f"{0x99:016x}")]
    values = json_values(as_otlp(printed()).decode())
    assert [value["resourceSpans"][0]["schemaUrl"] for value in values] == ["https://example.org/resource/1"] * 2
    spans = {span["name"]: span for span in spans_in(values)}
    assert spans["outer"]["traceState"] == "vendor=value,other=x@y"
    assert spans["outer"]["links"][0]["attributes"] == [{"key": "l", "value": {"intValue": "1"}}]
    assert spans["outer"]["kind"] == 3
