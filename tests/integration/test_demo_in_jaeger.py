"""The main job, end to end: an agent's spans in, explained turns out, seen in a real Jaeger through its own API."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from demos import DEMO, load_demo, run_instrumented
from jaeger_server import Jaeger, JaegerSpan
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_footprint import FootprintSpanProcessor
from otel_footprint.files.proto_json import otlp_json

pytestmark = pytest.mark.integration


def run_demo(tmp_path: Path, **environment: str) -> list[str]:
    """The trace ids of the demo's turns, in order."""
    file = tmp_path / "trace.json"
    done = subprocess.run(
        [sys.executable, DEMO],
        env={**os.environ, "FOOTPRINT_DEMO_FILE": str(file), **environment},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "could not be run" in done.stdout
    requests = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    spans = [s for r in requests for rs in r["resourceSpans"] for ss in rs["scopeSpans"] for s in ss["spans"]]
    ordered = sorted(spans, key=lambda span: int(span["startTimeUnixNano"]))
    return list(dict.fromkeys(span["traceId"] for span in ordered))


def turn_of(jaeger: Jaeger, trace_id: str) -> JaegerSpan:
    [turn] = [span for span in jaeger.trace(trace_id) if span.name.startswith("invoke_agent")]
    return turn


@pytest.fixture(scope="module", params=["grpc", "http/protobuf"])
def trace_ids(request: pytest.FixtureRequest, jaeger: Jaeger, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The demo's traces, sent by the demo itself through the stock exporter of one protocol."""
    endpoint = jaeger.otlp_grpc if request.param == "grpc" else jaeger.otlp_http
    return run_demo(
        tmp_path_factory.mktemp("demo"),
        OTEL_EXPORTER_OTLP_ENDPOINT=endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL=request.param,
    )


@pytest.fixture
def trace_id(trace_ids: list[str]) -> str:
    """The demo's first turn."""
    return trace_ids[0]


def test_the_events_stand_on_the_turns_span_in_the_order_of_importance_sentence_first(
    jaeger: Jaeger, trace_id: str
) -> None:
    turn = turn_of(jaeger, trace_id)
    ours = [event for event in turn.events if event.name.startswith("footprint.")]
    assert [event.name for event in ours] == [
        "footprint.account",
        "footprint.signal",
        "footprint.reason",
        "footprint.reason",
        "footprint.unreached",
        "footprint.script",
        "footprint.script",
        "footprint.script",
    ]
    assert all(event.fields[0][0] == "footprint.about" for event in ours)
    times = [event.time_us for event in ours]
    assert times == sorted(set(times))
    assert turn.start_us <= times[0]
    sentences = [dict(event.fields)["footprint.about"] for event in ours]
    assert sentences[0] == sentences[1] == "search_tickets returned no rows and did not say what it searched."
    assert sentences[5:] == [
        "run_python: completed, exit 0",
        "run_python: completed with failure, exit 3",
        "run_python: runner reported failure; no exit code",
    ]
    unreached = dict(ours[4].fields)
    assert "rows_at for search_archive" in unreached["footprint.unreached.enable"]


def test_the_attributes_stand_on_the_turns_span(jaeger: Jaeger, trace_id: str) -> None:
    tags = turn_of(jaeger, trace_id).tags
    assert tags["footprint.tone"] == "bad"
    assert tags["footprint.summary"] == "search_tickets returned no rows and did not say what it searched."
    assert json.loads(tags["footprint.signals"]) == ["undeclared-empty-used"]
    assert (tags["footprint.scripts.total"], tags["footprint.scripts.failed"]) == (3, 2)
    assert tags["footprint.incomplete"] is False
    assert tags["footprint.schema"] == "footprint/1"


def test_an_unsupported_value_a_strange_program_and_a_failed_check_are_found_on_the_second_turn(
    jaeger: Jaeger, trace_ids: list[str]
) -> None:
    assert trace_ids[1] in jaeger.search("footprint-demo", **{"footprint.reason.reason": "value-unsupported"})
    second = turn_of(jaeger, trace_ids[1])
    assert json.loads(second.tags["footprint.reasons"]) == [
        "value-unsupported",
        "script-unmatched",
        "answer-check-failed",
    ]
    assert second.tags["footprint.standing"] == "not-sure"
    reasons = [dict(event.fields) for event in second.events if event.name == "footprint.reason"]
    assert reasons[0]["footprint.about"] == "The answer holds values that no tool result supports: 48,210."


def test_the_turn_is_found_by_its_tone_and_by_a_signals_id(jaeger: Jaeger, trace_id: str) -> None:
    assert trace_id in jaeger.search("footprint-demo", **{"footprint.tone": "bad"})
    assert trace_id in jaeger.search("footprint-demo", **{"footprint.signal.id": "undeclared-empty-used"})
    assert trace_id not in jaeger.search("footprint-demo", **{"footprint.tone": "ok"})


def without_ours(resource_spans: list[dict[str, Any]]) -> dict[str, Any]:
    """Span id to the span as OTLP JSON, our additions taken off and the order of attributes set."""
    spans: dict[str, Any] = {}
    for resource in resource_spans:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                kept = {k: v for k, v in span.items() if k not in {"attributes", "events", "status", "flags"}}
                kept["attributes"] = sorted(
                    (a for a in span.get("attributes", ()) if not a["key"].startswith("footprint.")),
                    key=lambda a: str(a["key"]),
                )
                kept["events"] = [e for e in span.get("events", ()) if not e["name"].startswith("footprint.")]
                kept["status"] = span.get("status") or {}
                kept["scope"] = scope["scope"]["name"]
                spans[span["spanId"]] = kept
    return spans


@pytest.mark.parametrize("protocol", ["grpc", "http"])
def test_every_span_but_for_our_additions_equals_what_is_sent_without_us(jaeger: Jaeger, protocol: str) -> None:
    demo = load_demo()
    plain = InMemorySpanExporter()
    exporter: SpanExporter = (
        GrpcExporter(endpoint=jaeger.otlp_grpc, insecure=True)
        if protocol == "grpc"
        else HttpExporter(endpoint=f"{jaeger.otlp_http}/v1/traces")
    )
    provider = TracerProvider(resource=Resource.create({"service.name": f"demo-{protocol}"}), shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(plain))
    provider.add_span_processor(FootprintSpanProcessor(exporter))
    asyncio.run(demo.ask(provider, demo.NIGHT))
    provider.shutdown()
    sent = plain.get_finished_spans()
    expected = without_ours(otlp_json(encode_spans(sent))["resourceSpans"])
    [one] = {span["traceId"] for span in expected.values()}
    assert without_ours(jaeger.otlp(one)) == expected


def test_the_entry_point_explains_an_application_that_has_no_line_of_ours(jaeger: Jaeger, tmp_path: Path) -> None:
    printed = run_instrumented(
        tmp_path,
        OTEL_TRACES_EXPORTER="footprint",
        OTEL_SERVICE_NAME="no-code",
        OTEL_EXPORTER_OTLP_ENDPOINT=jaeger.otlp_grpc,
    )
    turn = turn_of(jaeger, printed.split()[-1])
    assert turn.tags["footprint.tone"] == "bad"
    assert turn.tags["footprint.summary"] == "find returned no rows and did not say what it searched."
