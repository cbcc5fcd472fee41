from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import (
    ConcurrentMultiSpanProcessor,
    ReadableSpan,
    SynchronousMultiSpanProcessor,
    TracerProvider,
)
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, Decision, Sampler, SamplingResult
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

from otel_footprint.sdk import FootprintSpanExporter, FootprintSpanProcessor
from otel_footprint.sdk import background as background_module

AGENT = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper"}
TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "run"}


def run_turn(tracer: trace.Tracer, tools: int = 1, name: str = "invoke_agent helper") -> None:
    with tracer.start_as_current_span(name, attributes=AGENT):
        for _ in range(tools):
            tracer.start_span("execute_tool run", attributes=TOOL).end()


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """No flush at a turn's end, where a test says itself when to flush."""
    monkeypatch.setattr(FootprintSpanProcessor, "_flush", lambda _: None)


@pytest.mark.usefixtures("quiet")
def test_one_line_gives_the_turn_its_explanation(recorder: Any, provider: TracerProvider) -> None:
    provider.add_span_processor(FootprintSpanProcessor(recorder))
    run_turn(provider.get_tracer("tests"))
    assert provider.force_flush()
    assert recorder.names == ["execute_tool run", "invoke_agent helper"]
    assert recorder.explained[0].events[0].name == "footprint.account"


def test_a_turn_is_exported_soon_after_it_ends_without_a_flush(recorder: Any, provider: TracerProvider) -> None:
    exported = threading.Event()
    real = recorder.export

    def export(spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result: SpanExportResult = real(spans)
        exported.set()
        return result

    recorder.export = export
    provider.add_span_processor(FootprintSpanProcessor(recorder, schedule_delay_millis=3_600_000))
    run_turn(provider.get_tracer("tests"))
    assert exported.wait(10)
    assert len(recorder.explained) == 1


def test_a_span_that_ends_no_turn_asks_for_no_flush(
    monkeypatch: pytest.MonkeyPatch, recorder: Any, provider: TracerProvider
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(background_module.Flusher, "ask", lambda _: asked.append(1))
    provider.add_span_processor(FootprintSpanProcessor(recorder))
    tracer = provider.get_tracer("tests")
    tracer.start_span("GET /", attributes={"http.request.method": "GET"}).end()
    tracer.start_span("execute_tool run", attributes=TOOL).end()
    assert asked == []
    tracer.start_span("invoke_agent helper", attributes=AGENT).end()
    assert asked == [1]


@pytest.mark.usefixtures("quiet")
def test_a_turn_below_an_open_span_is_explained_while_that_is_open(recorder: Any, provider: TracerProvider) -> None:
    processor = FootprintSpanProcessor(recorder)
    provider.add_span_processor(processor)
    tracer = provider.get_tracer("tests")
    with tracer.start_as_current_span("GET /"):
        run_turn(tracer)
        assert processor.force_flush(10_000)
        assert recorder.names == ["execute_tool run", "invoke_agent helper"]
        assert len(recorder.explained) == 1


@pytest.mark.usefixtures("quiet")
def test_an_agent_below_an_open_agent_waits_for_it(recorder: Any, provider: TracerProvider) -> None:
    processor = FootprintSpanProcessor(recorder)
    provider.add_span_processor(processor)
    tracer = provider.get_tracer("tests")
    with tracer.start_as_current_span("invoke_agent outer", attributes=AGENT):
        run_turn(tracer, name="invoke_agent inner")
        processor.force_flush(10_000)
    processor.force_flush(10_000)
    assert [span.name for span in recorder.explained] == ["invoke_agent outer"]
    assert sorted(recorder.names) == ["execute_tool run", "invoke_agent inner", "invoke_agent outer"]


def test_the_on_ending_hook_of_the_inner_processor_is_forwarded(monkeypatch: pytest.MonkeyPatch, recorder: Any) -> None:
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    if not hasattr(BatchSpanProcessor, "_on_ending"):
        pytest.skip("this SDK has no such hook")
    seen: list[str] = []
    monkeypatch.setattr(BatchSpanProcessor, "_on_ending", lambda _, span: seen.append(span.name))
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(FootprintSpanProcessor(recorder))
    provider.get_tracer("tests").start_span("x").end()
    provider.shutdown()
    assert seen == ["x"]


class RecordOnly(Sampler):
    def should_sample(self, *_args: Any, **_values: Any) -> SamplingResult:
        return SamplingResult(Decision.RECORD_ONLY)

    def get_description(self) -> str:
        return "record only"


@pytest.mark.parametrize("sampler", [RecordOnly(), ALWAYS_OFF])
def test_spans_that_are_not_sampled_are_neither_exported_nor_remembered(recorder: Any, sampler: Sampler) -> None:
    provider = TracerProvider(sampler=sampler, shutdown_on_exit=False)
    processor = FootprintSpanProcessor(recorder)
    provider.add_span_processor(processor)
    run_turn(provider.get_tracer("tests"))
    processor.force_flush(10_000)
    assert (processor.statistics().open, processor.statistics().lost) == (0, 0)
    provider.shutdown()
    assert recorder.spans == []


def test_a_sampled_tool_below_an_unsampled_remote_agent_is_explained_as_far_as_it_goes(recorder: Any) -> None:
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(FootprintSpanProcessor(recorder))
    remote = NonRecordingSpan(SpanContext(7, 8, is_remote=True, trace_flags=TraceFlags(0)))
    from opentelemetry.sdk.trace.sampling import ALWAYS_ON

    provider.sampler = ALWAYS_ON
    tracer = provider.get_tracer("tests")
    tracer.start_span("execute_tool run", set_span_in_context(remote), attributes=TOOL).end()
    provider.shutdown()
    assert recorder.names == ["execute_tool run", "footprint"]
    assert recorder.one("footprint").attributes["footprint.incomplete"] is True


@pytest.mark.usefixtures("quiet")
def test_shutdown_explains_a_turn_whose_span_is_still_open_and_its_later_end_is_nothing(
    recorder: Any, caplog: pytest.LogCaptureFixture
) -> None:
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(FootprintSpanProcessor(recorder))
    tracer = provider.get_tracer("tests")
    agent = tracer.start_span("invoke_agent helper", attributes=AGENT)
    tracer.start_span("execute_tool run", set_span_in_context(agent), attributes=TOOL).end()
    provider.shutdown()
    added = recorder.one("footprint")
    assert added.attributes["footprint.incomplete"] is True
    agent.end()
    assert recorder.names == ["execute_tool run", "footprint"]
    assert not [r for r in caplog.records if r.name.startswith("otel_footprint")]


def test_calls_after_the_end_are_quiet_and_write_nothing_again(recorder: Any) -> None:
    provider = TracerProvider(shutdown_on_exit=False)
    processor = FootprintSpanProcessor(recorder)
    provider.add_span_processor(processor)
    tracer = provider.get_tracer("tests")
    agent = tracer.start_span("invoke_agent helper", attributes=AGENT)
    agent.end()
    agent.end()
    processor.shutdown()
    processor.shutdown()
    assert processor.force_flush(100)
    assert len(recorder.spans) == 1
    assert len(recorder.shutdowns) == 1
    provider.shutdown()


@pytest.mark.usefixtures("quiet")
def test_spans_that_the_queue_dropped_are_counted_and_the_turn_says_so(recorder: Any, provider: TracerProvider) -> None:
    go = threading.Event()
    real = recorder.export
    recorder.export = lambda spans: (go.wait(30), real(spans))[1]
    processor = FootprintSpanProcessor(
        recorder, max_queue_size=16, max_export_batch_size=8, schedule_delay_millis=3_600_000
    )
    provider.add_span_processor(processor)
    tracer = provider.get_tracer("tests")
    with tracer.start_as_current_span("invoke_agent helper", attributes=AGENT):
        for _ in range(200):
            tracer.start_span("execute_tool run", attributes=TOOL).end()
    go.set()
    assert processor.force_flush(30_000)
    statistics = processor.statistics()
    assert statistics.lost == 201 - len(recorder.spans) > 0
    (turn,) = recorder.explained
    assert "queue-dropped" in turn.events[0].attributes["footprint.account.incomplete"]
    assert turn.attributes["footprint.tone"] != "ok"
    assert statistics.open == 0


@pytest.mark.usefixtures("quiet")
def test_nothing_is_lost_when_the_queue_has_room(recorder: Any, provider: TracerProvider) -> None:
    processor = FootprintSpanProcessor(recorder)
    provider.add_span_processor(processor)
    threads = [threading.Thread(target=run_turn, args=(provider.get_tracer("tests"), 50)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert processor.force_flush(30_000)
    assert len(recorder.spans) == 8 * 51
    assert len(recorder.explained) == 8
    statistics = processor.statistics()
    assert (statistics.lost, statistics.open, statistics.errors) == (0, 0, {})


@pytest.mark.usefixtures("quiet")
def test_spans_that_never_end_are_forgotten_at_last(
    monkeypatch: pytest.MonkeyPatch, recorder: Any, provider: TracerProvider
) -> None:
    from otel_footprint.sdk import live as live_module

    monkeypatch.setattr(live_module, "_MIN_CAPACITY", 100)
    processor = FootprintSpanProcessor(recorder, max_queue_size=10, max_export_batch_size=10)
    provider.add_span_processor(processor)
    tracer = provider.get_tracer("tests")
    for _ in range(1000):
        tracer.start_span("invoke_agent helper", attributes=AGENT)
    assert processor.statistics().open == 100


@pytest.mark.parametrize("multi", [SynchronousMultiSpanProcessor, lambda: ConcurrentMultiSpanProcessor(2)])
def test_the_explanation_arrives_whatever_other_processors_do(recorder: Any, multi: Any) -> None:
    provider = TracerProvider(active_span_processor=multi(), shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(type(recorder)()))
    provider.add_span_processor(FootprintSpanProcessor(recorder))
    run_turn(provider.get_tracer("tests"))
    assert provider.force_flush()
    provider.shutdown()
    assert len(recorder.explained) == 1


def test_an_exporter_added_before_is_not_touched(recorder: Any, provider: TracerProvider) -> None:
    plain = type(recorder)()
    provider.add_span_processor(SimpleSpanProcessor(plain))
    provider.add_span_processor(FootprintSpanProcessor(recorder))
    run_turn(provider.get_tracer("tests"))
    provider.force_flush()
    assert plain.explained == []
    assert len(recorder.explained) == 1


def test_the_exporter_alone_works_in_a_simple_processor(recorder: Any, provider: TracerProvider) -> None:
    provider.add_span_processor(SimpleSpanProcessor(FootprintSpanExporter(recorder)))
    run_turn(provider.get_tracer("tests"))
    assert recorder.names == ["execute_tool run", "invoke_agent helper"]
    assert len(recorder.explained) == 1


@pytest.mark.usefixtures("quiet")
def test_time_passes_for_what_is_held_without_a_new_span(
    monkeypatch: pytest.MonkeyPatch, recorder: Any, provider: TracerProvider
) -> None:
    from otel_footprint.config import Config

    monkeypatch.setattr(background_module, "LOOK_INTERVAL_SECONDS", 0.01)
    exported = threading.Event()
    real = recorder.export

    def export(spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result: SpanExportResult = real(spans)
        if recorder.explained:
            exported.set()
        return result

    recorder.export = export
    processor = FootprintSpanProcessor(recorder, Config(hold_seconds=0.05), schedule_delay_millis=10)
    provider.add_span_processor(processor)
    run_turn(provider.get_tracer("tests"))
    assert exported.wait(30)
    assert "footprint.nudge" not in recorder.names
