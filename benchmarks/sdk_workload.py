"""The spans both benchmarks make: turns of ten spans among spans of a web service."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Tracer

from otel_footprint.sdk import FootprintSpanProcessor

QUEUE: Final = 1 << 17
"""Large enough that no span is dropped: the two processors must do the same work."""

MIXES: Final = {"none": 0, "mixed": 10, "agent": 100}
"""Per cent of the spans that belong to an agent's turn."""

PROCESSORS: Final[dict[str, Callable[..., SpanProcessor]]] = {
    "stock": BatchSpanProcessor,
    "footprint": FootprintSpanProcessor,
}

_TURN_SPANS: Final = 10
_TEXT: Final = json.dumps({"rows": [{"id": n, "name": f"customer {n}", "city": "Lisbon"} for n in range(40)]})
_CODE: Final = json.dumps({"code": "\n".join(f"print({n})  # a line of a program" for n in range(50))})


def _twelve(**own: Any) -> dict[str, Any]:
    return {**own, **{f"app.attribute.{n}": f"value {n}" for n in range(12 - len(own))}}


_WEB: Final = _twelve(**{"http.request.method": "GET", "url.path": "/orders/7", "http.response.status_code": 200})
_AGENT: Final = _twelve(**{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper"})
_CHAT: Final = _twelve(
    **{"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.usage.input_tokens": 900}
)
_TOOL: Final = _twelve(
    **{
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.call.id": "call_1",
        "gen_ai.tool.call.arguments": _CODE,
        "gen_ai.tool.call.result": _TEXT,
    }
)
_RUN: Final = {**_TOOL, "gen_ai.tool.name": "run_python", "code_run.argument": "code", "code_run.exit_code": 0}


class EncodingExporter(SpanExporter):
    """Does all that an OTLP exporter does but for sending."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Encode and forget."""
        encode_spans(spans).SerializeToString()
        return SpanExportResult.SUCCESS


def provider(kind: str, exporter: SpanExporter, *, idle: bool = False) -> TracerProvider:
    """A provider with one of :data:`PROCESSORS` around ``exporter``; ``idle``: it exports nothing by itself."""
    made = TracerProvider(shutdown_on_exit=False)
    options: dict[str, Any] = {"max_queue_size": QUEUE}
    if idle:
        options |= {"schedule_delay_millis": 3_600_000, "max_export_batch_size": QUEUE}
    made.add_span_processor(PROCESSORS[kind](exporter, **options))
    return made


def make_spans(made: TracerProvider, mix: str, count: int) -> None:
    """About ``count`` spans, ten at a time, in the proportion of one of :data:`MIXES`.

    Agent and service have a tracer each, as instrumentations do.
    """
    agent, service = made.get_tracer("benchmark.agent"), made.get_tracer("benchmark.service")
    share = MIXES[mix]
    for number in range(count // _TURN_SPANS):
        if (number * share) % 100 < share:
            _turn(agent)
        else:
            _request(service)


def _turn(tracer: Tracer) -> None:
    with tracer.start_as_current_span("invoke_agent helper", attributes=_AGENT):
        for number in range(4):
            tracer.start_span("chat m", attributes=_CHAT).end()
            tracer.start_span("execute_tool search", attributes=_RUN if number == 0 else _TOOL).end()
        tracer.start_span("execute_tool search", attributes=_TOOL).end()


def _request(tracer: Tracer) -> None:
    with tracer.start_as_current_span("GET /orders/{id}", attributes=_WEB):
        for _ in range(_TURN_SPANS - 1):
            tracer.start_span("SELECT orders", attributes=_WEB).end()
