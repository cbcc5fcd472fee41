"""Jaeger takes what the stock exporters send and gives it back: the ground the other integration tests stand on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from jaeger_server import Jaeger
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter
from opentelemetry.trace import format_span_id, format_trace_id

pytestmark = pytest.mark.integration


def grpc_exporter(jaeger: Jaeger) -> SpanExporter:
    return GrpcExporter(endpoint=jaeger.otlp_grpc, insecure=True)


def http_exporter(jaeger: Jaeger) -> SpanExporter:
    return HttpExporter(endpoint=f"{jaeger.otlp_http}/v1/traces")


Connect = Callable[[Jaeger], SpanExporter]


def send(exporter: SpanExporter, service: str, tone: str) -> tuple[str, str]:
    """Send one span with one event; its trace id and span id in hex."""
    provider = TracerProvider(resource=Resource({"service.name": service}), shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    span = provider.get_tracer("smoke").start_span("turn", attributes={"smoke.tone": tone})
    span.add_event("smoke.signal", {"smoke.about": "a sentence", "smoke.id": f"{tone}-signal"})
    span.end()
    provider.shutdown()
    context = span.get_span_context()
    return format_trace_id(context.trace_id), format_span_id(context.span_id)


@pytest.mark.parametrize("connect", [grpc_exporter, http_exporter])
def test_a_span_that_was_sent_is_read_back_with_its_event(jaeger: Jaeger, connect: Connect) -> None:
    trace_id, span_id = send(connect(jaeger), f"smoke-{connect.__name__}", "bad")
    [span] = jaeger.trace(trace_id)
    assert (span.span_id, span.name, span.service) == (span_id, "turn", f"smoke-{connect.__name__}")
    assert span.tags["smoke.tone"] == "bad"
    [event] = span.events
    assert event.name == "smoke.signal"
    assert event.fields == (("smoke.about", "a sentence"), ("smoke.id", "bad-signal"))


@pytest.mark.parametrize("connect", [grpc_exporter, http_exporter])
def test_a_trace_is_found_by_an_attribute_and_by_a_key_of_an_event(jaeger: Jaeger, connect: Connect) -> None:
    service = f"smoke-search-{connect.__name__}"
    bad, _ = send(connect(jaeger), service, "bad")
    send(connect(jaeger), service, "ok")
    assert jaeger.search(service, **{"smoke.tone": "bad"}) == {bad}
    assert jaeger.search(service, **{"smoke.id": "bad-signal"}) == {bad}
    assert jaeger.search(service, **{"smoke.id": "no such signal"}) == frozenset()


def test_a_trace_is_read_back_as_otlp(jaeger: Jaeger) -> None:
    trace_id, span_id = send(http_exporter(jaeger), "smoke-otlp", "ok")
    [resource_spans] = jaeger.otlp(trace_id)
    [scope_spans] = resource_spans["scopeSpans"]
    assert [span["spanId"] for span in scope_spans["spans"]] == [span_id]


def test_a_trace_that_was_never_sent_is_not_found(jaeger: Jaeger) -> None:
    with pytest.raises(LookupError, match="404"):
        jaeger.trace("0123456789abcdef0123456789abcdef")
