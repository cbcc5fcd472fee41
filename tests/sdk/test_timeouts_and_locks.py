"""A blocking exporter keeps nobody longer than was agreed, and no lock of ours is held while it runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor, SpanExporter, SpanExportResult

from otel_footprint.sdk import FootprintSpanExporter, FootprintSpanProcessor
from otel_footprint.sdk.background import Helper

AGENT = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper"}


class Blocking(SpanExporter):
    """Blocks in everything it is asked, until the test is over."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.entered = threading.Event()

    def _block(self, *_unused: object) -> None:
        self.entered.set()
        self.over.wait(60)

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self._block(spans)
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        self._block()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        self._block(timeout_millis)
        return True


@pytest.fixture
def blocking() -> Iterator[Blocking]:
    blocking = Blocking()
    yield blocking
    blocking.over.set()


class Stopwatch:
    def __enter__(self) -> Self:
        self._start = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.monotonic() - self._start


def test_force_flush_of_the_processor_returns_false_in_time(blocking: Blocking) -> None:
    processor = FootprintSpanProcessor(blocking)
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(processor)
    provider.get_tracer("tests").start_span("invoke_agent helper", attributes=AGENT).end()
    with Stopwatch() as watch:
        assert processor.force_flush(300) is False
    assert watch.seconds < 5
    with Stopwatch() as watch:
        processor.shutdown(300)
    assert watch.seconds < 5
    with Stopwatch() as watch:
        processor.shutdown()
    assert watch.seconds < 1


def test_force_flush_and_shutdown_of_the_exporter_return_in_time(blocking: Blocking, spans: Any) -> None:
    exporter = FootprintSpanExporter(blocking)
    outer = spans.agent()
    spans.agent("invoke_agent inner", outer).end()
    exporter.export(spans.ended)
    with Stopwatch() as watch:
        assert exporter.force_flush(200) is False
        exporter.shutdown(timeout_millis=200)
    assert watch.seconds < 5


def test_a_stock_batch_processor_passes_its_remaining_time_on(blocking: Blocking) -> None:
    import inspect

    assert "timeout_millis" in inspect.getfullargspec(FootprintSpanExporter(blocking).shutdown).args


def test_shutdown_while_an_export_is_stuck_does_not_start_another(blocking: Blocking, spans: Any) -> None:
    exporter = FootprintSpanExporter(blocking)
    outer = spans.agent()
    spans.agent("invoke_agent inner", outer).end()
    batch = [spans.run("GET /", {}), *spans.ended]
    stuck = threading.Thread(target=exporter.export, args=(batch,), daemon=True)
    stuck.start()
    assert blocking.entered.wait(30)
    with Stopwatch() as watch:
        exporter.shutdown(timeout_millis=200)
    assert watch.seconds < 5
    blocking.over.set()
    stuck.join(30)
    assert not stuck.is_alive()


def test_application_threads_are_not_held_up_by_a_stuck_export(blocking: Blocking) -> None:
    processor = FootprintSpanProcessor(blocking)
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(processor)
    tracer = provider.get_tracer("tests")
    tracer.start_span("invoke_agent helper", attributes=AGENT).end()
    assert blocking.entered.wait(30)
    with Stopwatch() as watch:
        for _ in range(1000):
            tracer.start_span("invoke_agent helper", attributes=AGENT).end()
        processor.statistics()
    assert watch.seconds < 10
    processor.shutdown(100)


def test_an_exporter_that_calls_back_into_us_is_answered(recorder: Any, spans: Any) -> None:
    answers: list[Any] = []
    extra = spans.turn()

    class CallsBack(type(recorder)):  # type: ignore[misc]
        def export(self, batch: Sequence[ReadableSpan]) -> SpanExportResult:
            if not answers:
                answers.append(exporter.statistics())
                answers.append(exporter.export(extra))
                answers.append(exporter.force_flush(5000))
            return super().export(batch)  # type: ignore[no-any-return]

    inner = CallsBack()
    exporter = FootprintSpanExporter(inner)
    assert exporter.export(spans.turn()) is SpanExportResult.SUCCESS
    assert answers[1:] == [SpanExportResult.SUCCESS, True]
    assert len(inner.explained) == 2


def test_no_lock_is_held_while_the_wrapped_exporter_runs(recorder: Any, spans: Any) -> None:
    free: list[bool] = []
    real = recorder.export

    def export(batch: Sequence[ReadableSpan]) -> SpanExportResult:
        free.append(not exporter._lock.locked())
        result: SpanExportResult = real(batch)
        return result

    recorder.export = export
    exporter = FootprintSpanExporter(recorder)
    outer = spans.agent()
    spans.agent("invoke_agent inner", outer).end()
    exporter.export([*spans.ended, *spans.turn()])
    exporter.shutdown()
    assert free == [True, True]


def test_a_span_that_ends_inside_our_own_work_passes_untouched(
    monkeypatch: pytest.MonkeyPatch, recorder: Any, spans: Any
) -> None:
    from otel_footprint.turns import Collected, TurnAssembler

    inside = spans.run("from a log handler", {})
    real = TurnAssembler.collect

    def collect(self: TurnAssembler, now: float) -> Collected:
        exporter.export([inside])
        return real(self, now)

    monkeypatch.setattr(TurnAssembler, "collect", collect)
    exporter = FootprintSpanExporter(recorder)
    exporter.export(spans.turn())
    assert recorder.batches[0] == [inside]
    assert len(recorder.explained) == 1


def test_many_threads_through_one_exporter_lose_nothing(recorder: Any) -> None:
    provider = TracerProvider(shutdown_on_exit=False)
    exporter = FootprintSpanExporter(recorder)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("tests")

    def work() -> None:
        for _ in range(50):
            with tracer.start_as_current_span("invoke_agent helper", attributes=AGENT):
                tracer.start_span("GET /").end()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        exporter.statistics()
        for thread in threads:
            thread.join(0.001)
    provider.shutdown()
    assert len(recorder.spans) == 800
    assert len(recorder.explained) == 400


def test_a_helper_that_is_stuck_is_replaced() -> None:
    over = threading.Event()
    helper = Helper()
    assert helper.run(lambda: over.wait(60), 0.01) is False
    assert helper.run(lambda: True, 30) is True
    over.set()
    helper.stop()


def test_work_that_fails_is_told_as_failed(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> bool:
        raise ConnectionError("secret host")

    helper = Helper()
    assert helper.run(fail, 30) is False
    assert helper.run(lambda: True, 30) is True
    assert [record.getMessage() for record in caplog.records] == ["the wrapped exporter failed: ConnectionError"]
    helper.stop()


def test_no_thread_can_be_started_and_the_one_there_was_is_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()
    helper = Helper()
    helper.run(lambda: over.wait(60), 0.01)

    def refuse(_self: threading.Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert helper.run(lambda: True, 30) is False
    over.set()


def test_the_exporter_in_a_stock_batch_processor_is_shut_down_in_time(recorder: Any, spans: Any) -> None:
    exporter = FootprintSpanExporter(recorder)
    processor = BatchSpanProcessor(exporter)
    for span in spans.turn():
        processor.on_end(span)
    shutdown: Callable[[], None] = processor.shutdown
    shutdown()
    assert len(recorder.explained) == 1
    assert len(recorder.shutdowns) == 1
