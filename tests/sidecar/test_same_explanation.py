"""The SDK, the sidecar and the command line give the same explanation of the same spans, to the last byte."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.metadata import version

import pytest
from dumps import NAMES, dump
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from otlp import SPANS, ours, recorded, spans_of, without_ours
from otlp_versions import needs_flags
from sdk_spans import readable_spans
from sidecars import Holding

from otel_footprint.config import Config
from otel_footprint.files import Source, annotate_files, explain_files
from otel_footprint.sdk import FootprintSpanExporter
from otel_footprint.sidecar.json_in import Losses, protobuf_of

Explained = dict[tuple[str, str], tuple[list[bytes], list[bytes]]]


class Kept(SpanExporter):
    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.spans.extend(spans)
        return SpanExportResult.SUCCESS


def explained(spans: Iterable[Span]) -> Explained:
    return {(one.trace_id.hex(), one.span_id.hex()): ours(one) for one in spans if ours(one)[0]}


def by_the_sidecar(name: str) -> list[Span]:
    holding = Holding()
    holding.take(*recorded(name))
    holding.let_go()
    return list(spans_of(*holding.sent))


def by_the_command_line(name: str) -> list[Span]:
    sources = [Source.of(str(SPANS / f"{name}.otlp.json"))]
    record = explain_files(sources, Config(), keep=True)
    documents = list(annotate_files(sources, record, Config()))
    return list(spans_of(*(protobuf_of("traces", text.encode(), Losses()) for text in documents)))


def by_the_sdk(name: str) -> list[Span]:
    kept = Kept()
    exporter = FootprintSpanExporter(kept)
    exporter.export(readable_spans(dump(name)))
    exporter.shutdown()
    return list(spans_of(encode_spans(kept.spans).SerializeToString()))


@needs_flags
@pytest.mark.parametrize("name", NAMES)
def test_the_sidecar_and_the_command_line_write_the_same(name: str) -> None:
    assert explained(by_the_sidecar(name)) == explained(by_the_command_line(name))


@pytest.mark.skipif(
    version("opentelemetry-sdk").startswith(("1.20.", "1.21.")), reason="its encoder takes no spans that a test made"
)
@pytest.mark.parametrize("name", NAMES)
def test_the_sidecar_and_the_sdk_write_the_same(name: str) -> None:
    assert explained(by_the_sidecar(name)) == explained(by_the_sdk(name))


@pytest.mark.parametrize("name", NAMES)
def test_what_comes_out_without_ours_is_what_went_in(name: str) -> None:
    def in_order(spans: Iterable[Span]) -> list[Span]:
        return sorted(spans, key=lambda one: (one.trace_id, one.span_id))

    came = in_order(spans_of(*recorded(name)))
    sent = [one for one in by_the_sidecar(name) if one.span_id in {span.span_id for span in came}]
    assert [without_ours(one) for one in in_order(sent)] == came
