"""What is over is freed at once: nothing of ours lies in a circle that has to be looked for.

A process that looks for circles seldom, as the sidecar does, would keep the content of every turn for minutes.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from types import FrameType, FunctionType, TracebackType
from typing import Any

import pytest
from dumps import NAMES, dump
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from otlp import SPANS, recorded
from sdk_spans import readable_spans
from sidecars import Holding

from otel_footprint.config import Config
from otel_footprint.files import Source, explain_files
from otel_footprint.sdk import FootprintSpanExporter


class Nowhere(SpanExporter):
    def export(self, spans: Any) -> SpanExportResult:
        return SpanExportResult.SUCCESS if spans else SpanExportResult.FAILURE


def circles(work: Callable[[], object]) -> list[Any]:
    """What of ours the second run of some work leaves behind in circles; the first one makes what is made once.

    What the work gives back, its host, is still there at the end. Python's own reader of literals and protobuf's
    classes leave circles too, which hold no content.
    """
    work()
    gc.collect()
    gc.freeze()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        host = work()
        gc.collect()
        found = [one for one in gc.garbage if is_ours(one)]
        del host
        return found
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.unfreeze()
        gc.enable()


def is_ours(one: object) -> bool:
    if isinstance(one, BaseException | FrameType | TracebackType):
        return True
    module = one.__module__ if isinstance(one, FunctionType) else type(one).__module__
    return module.startswith("otel_footprint")


def by_the_sidecar(bodies: list[bytes]) -> Holding:
    holding = Holding()
    holding.take(*bodies)
    holding.let_go()
    return holding


def by_the_sdk(spans: list[ReadableSpan]) -> FootprintSpanExporter:
    exporter = FootprintSpanExporter(Nowhere())
    exporter.export(spans)
    exporter.force_flush()
    exporter.shutdown()
    return exporter


@pytest.mark.parametrize("name", NAMES)
def test_the_sidecar_leaves_no_circles(name: str) -> None:
    bodies = list(recorded(name))
    assert circles(lambda: by_the_sidecar(bodies)) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_exporter_leaves_no_circles(name: str) -> None:
    spans = readable_spans(dump(name))
    assert circles(lambda: by_the_sdk(spans)) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_reading_of_files_leaves_no_circles(name: str) -> None:
    source = str(SPANS / f"{name}.otlp.json")
    assert circles(lambda: explain_files([Source.of(source)], Config())) == []
