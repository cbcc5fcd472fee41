"""Export requests of an agent's turns among spans of a web service, as the benchmark of the sidecar sends them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
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


def requests(mix: str, spans: int, count: int) -> list[bytes]:
    """So many requests of so many spans, every one with ids of its own."""
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
