"""The SDK, the sidecar and the command line give the same explanation of the same spans, to the last byte."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

import pytest
from dumps import BESIDE, NAMES, dump, logs
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from otlp import LOGS, SPANS, ours, recorded, recorded_logs, spans_of, without_ours
from otlp_versions import needs_flags
from sdk_spans import readable_spans
from sidecars import Holding

from otel_footprint.config import Config
from otel_footprint.files import Source, annotate_files, explain_files
from otel_footprint.logview import LogView
from otel_footprint.sdk import FootprintSpanExporter
from otel_footprint.sidecar.json_in import Losses, protobuf_of

STAND_INS = {"gemini_cli_default", "gemini_cli_full", "opencode_trimmed"}
"""Dumps of turns that have no span of their own."""

ENDED = "because the process was stopping"

Explained = dict[tuple[str, str], tuple[list[bytes], list[bytes]]]


class Kept(SpanExporter):
    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.spans.extend(spans)
        return SpanExportResult.SUCCESS


def explained(spans: Iterable[Span]) -> Explained:
    return {(one.trace_id.hex(), one.span_id.hex()): ours(one) for one in spans if ours(one)[0]}


def by_the_sidecar(name: str, beside: str | None = None, *, end: bool = False) -> list[Span]:
    holding = Holding()
    if beside is not None:
        holding.take_logs(*recorded_logs(beside))
    holding.take(*recorded(name))
    if end:
        holding.holder.close()
    else:
        holding.let_go()
    return list(spans_of(*holding.sent))


def by_the_command_line(name: str, beside: str | None = None) -> list[Span]:
    spans = Source.of(str(SPANS / f"{name}.otlp.json"))
    sources = [spans] if beside is None else [spans, Source.of(str(LOGS / f"{beside}.logs.otlp.json"))]
    record = explain_files(sources, Config(), keep=True)
    documents = annotate_files([spans], record, Config())
    return list(spans_of(*(protobuf_of("traces", text.encode(), Losses()) for text in documents)))


def by_the_sdk(name: str, beside: str | None = None) -> list[Span]:
    kept = Kept()
    exporter = FootprintSpanExporter(kept)
    for view in () if beside is None else logs(beside):
        exporter.add_log(log_record(view))
    exporter.export(readable_spans(dump(name)))
    exporter.shutdown()
    return list(spans_of(encode_spans(kept.spans).SerializeToString()))


def log_record(view: LogView) -> Any:
    """What the SDK would hand over, by its shape."""
    return SimpleNamespace(
        trace_id=int(view.trace_id or "0", 16),
        span_id=int(view.span_id or "0", 16),
        timestamp=view.time_ns,
        event_name=view.event_name,
        body=view.body,
        attributes={key: view.get(key) for key in view.keys()},  # noqa: SIM118 - no mapping
        instrumentation_scope=SimpleNamespace(name=view.scope_name),
        resource=SimpleNamespace(attributes=dict(view.resource_attributes)),
    )


def said(spans: Iterable[Span]) -> list[list[tuple[str, list[bytes]]]]:
    """Names and attributes of our events on each span that has some, but for the reason that the process ended."""
    explained_ones = [one for one in spans if ours(one)[0]]
    return sorted(
        [
            (event.name, sorted(pair.SerializeToString() for pair in event.attributes if not _tells_end(pair)))
            for event in one.events
            if event.name.startswith("footprint.") and not any(ENDED in str(pair) for pair in event.attributes)
        ]
        for one in explained_ones
    )


def _tells_end(pair: KeyValue) -> bool:
    return pair.key == "footprint.account.incomplete"


OLD_ENCODER = pytest.mark.skipif(
    version("opentelemetry-sdk").startswith(("1.20.", "1.21.")), reason="its encoder takes no spans that a test made"
)
WHOLE = [name for name in NAMES if name not in STAND_INS]


@needs_flags
@pytest.mark.parametrize("name", WHOLE)
def test_the_sidecar_and_the_command_line_write_the_same(name: str) -> None:
    assert explained(by_the_sidecar(name)) == explained(by_the_command_line(name))


@OLD_ENCODER
@pytest.mark.parametrize("name", WHOLE)
def test_the_sidecar_and_the_sdk_write_the_same(name: str) -> None:
    assert explained(by_the_sidecar(name)) == explained(by_the_sdk(name))


@pytest.mark.parametrize("name", sorted(BESIDE.keys() - STAND_INS))
def test_the_sidecar_and_the_command_line_write_the_same_with_log_records(name: str) -> None:
    told = explained(by_the_sidecar(name, BESIDE[name]))
    assert told == explained(by_the_command_line(name, BESIDE[name]))


def test_log_records_add_to_what_the_sidecar_writes() -> None:
    for name in ("claude_code_full", "codex_trimmed"):
        assert explained(by_the_sidecar(name, BESIDE[name])) != explained(by_the_sidecar(name))


@OLD_ENCODER
@pytest.mark.parametrize("name", sorted(BESIDE))
def test_the_sidecar_and_the_sdk_write_the_same_with_log_records(name: str) -> None:
    assert explained(by_the_sidecar(name, BESIDE[name], end=True)) == explained(by_the_sdk(name, BESIDE[name]))


@pytest.mark.parametrize("name", sorted(STAND_INS))
@pytest.mark.parametrize("with_logs", [False, True])
def test_a_turn_without_a_span_is_told_by_a_small_one_below_the_span_that_went_out(
    name: str, *, with_logs: bool
) -> None:
    """The command line has the whole record, so it writes on the span that stands in, and knows of no end."""
    beside = BESIDE[name] if with_logs else None
    spans = by_the_sidecar(name, beside, end=True)
    by_file = by_the_command_line(name, beside)
    (own,) = [one for one in spans if ours(one)[0]]
    (carrier,) = [one for one in by_file if ours(one)[0]]
    assert (own.trace_id, own.parent_span_id) == (carrier.trace_id, carrier.span_id)
    assert carrier.span_id in {one.span_id for one in spans}
    assert said(spans) == said(by_file)


@pytest.mark.parametrize("name", NAMES)
def test_what_comes_out_without_ours_is_what_went_in(name: str) -> None:
    def in_order(spans: Iterable[Span]) -> list[Span]:
        return sorted(spans, key=lambda one: (one.trace_id, one.span_id))

    came = in_order(spans_of(*recorded(name)))
    sent = [one for one in by_the_sidecar(name) if one.span_id in {span.span_id for span in came}]
    assert [without_ours(one) for one in in_order(sent)] == came
