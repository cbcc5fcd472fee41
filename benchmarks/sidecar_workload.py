"""Export requests of an agent's turns among spans of a web service, as the benchmark of the sidecar sends them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult

from benchmarks.sdk_workload import MIXES as SHARES
from benchmarks.sdk_workload import make_spans

MIXES: Final = tuple(SHARES)


class _Kept(SpanExporter):
    """Keeps what it gets."""

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Keep the spans."""
        self.spans.extend(spans)
        return SpanExportResult.SUCCESS


@cache
def requests(mix: str, spans: int, count: int) -> Sequence[bytes]:
    """So many requests of so many spans, every one with ids of its own; the same ones each time."""
    kept = _Kept()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(kept))
    # as many as the mix needs to come out right, then copies under other ids
    make_spans(provider, mix, max(spans, 100) + spans)
    whole = len(kept.spans) // spans * spans
    chunks = [kept.spans[at : at + spans] for at in range(0, whole, spans)]
    encoded = [
        (encode_spans(chunk).SerializeToString(), {span.context.trace_id.to_bytes(16) for span in chunk})
        for chunk in chunks
    ]
    chance = random.Random(count)  # noqa: S311 - ids of a benchmark
    made: list[bytes] = []
    for number in range(count):
        body, traces = encoded[number % len(encoded)]
        for trace in traces:
            body = body.replace(trace, chance.randbytes(16))
        made.append(body)
    return made


CALLS_A_REQUEST: Final = 10


def calls(turns: int, each: int) -> Iterator[bytes]:
    """Requests with ``each`` small calls of every one of so many turns whose own spans do not come.

    The turns are the same each time, and the calls are others.
    """
    chance = random.Random(turns)  # noqa: S311 - ids of a benchmark
    traces = [chance.randbytes(16) for _ in range(turns)]
    own = random.Random()  # noqa: S311 - as above
    pending = [trace for trace in traces for _ in range(each)]
    for at in range(0, len(pending), CALLS_A_REQUEST):
        request = ExportTraceServiceRequest()
        group = request.resource_spans.add()
        group.resource.attributes.add(key="service.name").value.string_value = "benchmark"
        scope = group.scope_spans.add()
        scope.scope.name = "benchmark.agent"
        for trace in pending[at : at + CALLS_A_REQUEST]:
            number = own.getrandbits(32)
            span = scope.spans.add(
                trace_id=trace,
                span_id=own.randbytes(8),
                parent_span_id=trace[:8],
                name="execute_tool search",
                start_time_unix_nano=10**18 + number,
                end_time_unix_nano=10**18 + number + 1000,
            )
            for key, value in (
                ("gen_ai.operation.name", "execute_tool"),
                ("gen_ai.tool.name", "search"),
                ("gen_ai.tool.call.id", f"call_{number}"),
                ("gen_ai.tool.call.arguments", f'{{"customer": {number}}}'),
                ("gen_ai.tool.call.result", f'{{"name": "customer {number}", "city": "Lisbon"}}'),
            ):
                span.attributes.add(key=key).value.string_value = value
        yield request.SerializeToString()
