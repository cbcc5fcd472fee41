"""Whatever of ours fails, the application's spans go out unchanged and its own exceptions stay its own."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider

from otel_footprint.environment_variables import FOOTPRINT_TESTING
from otel_footprint.internal_errors import InternalErrors
from otel_footprint.sdk import FootprintSpanExporter, FootprintSpanProcessor
from otel_footprint.sdk import exporter as exporter_module
from otel_footprint.sdk.background import Flusher
from otel_footprint.sdk.live import LiveSpans
from otel_footprint.sdk.metrics import FoldMetrics
from otel_footprint.sdk.spans import Limits
from otel_footprint.turns import TurnAssembler

AGENT = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper"}
TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "run"}


class BrokenError(Exception):
    """What the tests throw into our own steps."""


def fail(*_args: Any, **_values: Any) -> Any:
    raise BrokenError("ghp_16C7e42F292c6912E7710c838347Ae178B4a")


EXPORT_SITES = [
    (exporter_module, "SdkSpan", "read"),
    (TurnAssembler, "add", "read"),
    (TurnAssembler, "collect", "collect"),
    (exporter_module, "explain", "explain"),
    (exporter_module, "write", "explain"),
    (exporter_module, "annotated", "explain"),
    (Limits, "of", "explain"),
    (FootprintSpanExporter, "_is_inherited", "explain"),
    (FootprintSpanExporter, "_folded", "export"),
    (FootprintSpanExporter, "_take", "export"),
    (FootprintSpanExporter, "_write", "export"),
]


@pytest.mark.usefixtures("in_production")
@pytest.mark.parametrize(("owner", "name", "step"), EXPORT_SITES)
def test_a_failing_step_leaves_every_span_as_it_was_with_one_line_and_one_count(
    *,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    recorder: Any,
    spans: Any,
    owner: Any,
    name: str,
    step: str,
) -> None:
    exporter = FootprintSpanExporter(recorder)
    agent = spans.agent()
    agent.end()
    monkeypatch.setattr(owner, name, fail)
    exporter.export([spans.ended[0]])
    assert recorder.spans == [spans.ended[0]]
    assert exporter.statistics().errors == {step: 1}
    (record,) = [r for r in caplog.records if r.name == "otel_footprint.sdk"]
    assert record.levelno == logging.WARNING
    assert step in record.getMessage()
    assert "\n" not in record.getMessage()
    assert record.exc_info is None
    assert "ghp_" not in record.getMessage()


@pytest.mark.usefixtures("in_production")
@pytest.mark.parametrize(("owner", "name", "step"), EXPORT_SITES)
def test_after_a_failure_every_span_still_goes_out_exactly_once(
    *, monkeypatch: pytest.MonkeyPatch, recorder: Any, spans: Any, owner: Any, name: str, step: str
) -> None:
    exporter = FootprintSpanExporter(recorder)
    outer = spans.agent("invoke_agent outer")
    inner = spans.agent("invoke_agent inner", outer)
    inner.end()
    exporter.export([spans.ended[0]])
    assert exporter.statistics().held == 1
    with monkeypatch.context() as broken:
        broken.setattr(owner, name, fail)
        exporter.export(spans.turn())
    outer.end()
    exporter.export([spans.ended[-1], *spans.turn()])
    exporter.shutdown()
    sent = [span.context.span_id for span in recorder.spans if not span.name.startswith("footprint")]
    assert sorted(sent) == sorted(span.context.span_id for span in spans.ended)
    assert exporter.statistics().errors[step] >= 1
    assert recorder.explained


@pytest.mark.usefixtures("in_production")
def test_a_span_that_cannot_be_read_costs_no_other_span_its_explanation(
    monkeypatch: pytest.MonkeyPatch, recorder: Any, spans: Any
) -> None:
    real = TurnAssembler.add

    def add(self: TurnAssembler, span: Any, now: float) -> bool:
        if span.name == "GET /bad":
            raise BrokenError
        return real(self, span, now)

    monkeypatch.setattr(TurnAssembler, "add", add)
    FootprintSpanExporter(recorder).export([spans.run("GET /bad", {}), *spans.turn()])
    assert [span.name for span in recorder.explained] == ["invoke_agent helper"]
    assert recorder.names[0] == "GET /bad"


@pytest.mark.usefixtures("in_production")
@pytest.mark.parametrize("name", ["child_span", "from_record"])
def test_a_failing_own_span_is_left_out(monkeypatch: pytest.MonkeyPatch, recorder: Any, spans: Any, name: str) -> None:
    exporter = FootprintSpanExporter(recorder)
    tool = spans.tool(None)
    exporter.export([tool])
    monkeypatch.setattr(exporter_module, name, fail)
    exporter.shutdown()
    assert recorder.spans == [tool]
    assert exporter.statistics().errors == {"explain": 1}


@pytest.mark.usefixtures("in_production")
def test_a_failing_close_still_exports_what_is_held(monkeypatch: pytest.MonkeyPatch, recorder: Any, spans: Any) -> None:
    outer = spans.agent()
    spans.agent("invoke_agent inner", outer).end()
    exporter = FootprintSpanExporter(recorder)
    exporter.export(spans.ended)
    monkeypatch.setattr(TurnAssembler, "close", fail)
    exporter.shutdown()
    assert recorder.spans == spans.ended
    assert len(recorder.shutdowns) == 1


@pytest.mark.usefixtures("in_production")
def test_failing_metrics_cost_no_explanation(monkeypatch: pytest.MonkeyPatch, recorder: Any, spans: Any) -> None:
    monkeypatch.setattr(FoldMetrics, "explained", fail)
    exporter = FootprintSpanExporter(recorder)
    exporter.export(spans.turn())
    assert len(recorder.explained) == 1
    assert exporter.statistics().errors == {"metrics": 1}


LIVE_SITES = [
    (LiveSpans, "evict", "on_start"),
    (LiveSpans, "received", "live"),
    (LiveSpans, "lost_in", "explain"),
    (LiveSpans, "open_span", None),
    (Flusher, "ask", "flush"),
]


@pytest.mark.usefixtures("in_production")
@pytest.mark.parametrize(("owner", "name", "step"), LIVE_SITES)
def test_a_failing_hook_leaves_the_applications_exception_alone_and_its_span_exported(
    *, monkeypatch: pytest.MonkeyPatch, recorder: Any, provider: TracerProvider, owner: Any, name: str, step: str | None
) -> None:
    processor = FootprintSpanProcessor(recorder)
    provider.add_span_processor(processor)
    tracer = provider.get_tracer("tests")
    monkeypatch.setattr(owner, name, fail)
    if name == "evict":
        monkeypatch.setattr(processor._live, "capacity", 0)

    def application() -> None:
        with tracer.start_as_current_span("invoke_agent helper", attributes=AGENT):
            with tracer.start_as_current_span("execute_tool run", attributes=TOOL):
                pass
            raise ValueError("app")

    with pytest.raises(ValueError, match=r"^app$"):
        application()
    assert processor.force_flush(10_000)
    assert sorted(recorder.names) == ["execute_tool run", "invoke_agent helper"]
    assert recorder.one("invoke_agent helper").status.description == "ValueError: app"
    if step is not None:
        assert processor.statistics().errors[step] >= 1


class Refusing(dict[int, Any]):
    """A dictionary that takes nothing."""

    def __setitem__(self, key: int, value: Any) -> None:
        raise BrokenError


@pytest.mark.usefixtures("in_production")
@pytest.mark.parametrize(("name", "step"), [("_spans", "on_start"), ("_ended", "on_end")])
def test_a_hook_that_cannot_remember_a_span_still_lets_it_be_exported(
    recorder: Any, provider: TracerProvider, name: str, step: str
) -> None:
    processor = FootprintSpanProcessor(recorder)
    provider.add_span_processor(processor)
    setattr(processor, name, Refusing())
    provider.get_tracer("tests").start_span("invoke_agent helper", attributes=AGENT).end()
    assert processor.force_flush(10_000)
    assert len(recorder.explained) == 1
    assert processor.statistics().errors[step] == 1


@pytest.mark.usefixtures("in_production")
def test_a_later_processor_still_runs_after_our_failure(
    monkeypatch: pytest.MonkeyPatch, recorder: Any, provider: TracerProvider
) -> None:
    from opentelemetry.sdk.trace import SpanProcessor

    seen: list[str] = []

    class Later(SpanProcessor):
        def on_end(self, span: ReadableSpan) -> None:
            seen.append(span.name)

    processor = FootprintSpanProcessor(recorder)
    provider.add_span_processor(processor)
    provider.add_span_processor(Later())
    monkeypatch.setattr(processor, "_ended", Refusing())
    provider.get_tracer("tests").start_span("invoke_agent helper", attributes=AGENT).end()
    assert seen == ["invoke_agent helper"]


def test_under_test_our_errors_are_raised(monkeypatch: pytest.MonkeyPatch, recorder: Any, spans: Any) -> None:
    monkeypatch.setattr(exporter_module, "explain", fail)
    with pytest.raises(BrokenError):
        FootprintSpanExporter(recorder).export(spans.turn())


@pytest.mark.usefixtures("in_production")
def test_one_cause_is_said_once_a_minute_and_counted_each_time(caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    errors = InternalErrors("sdk", lambda: now)
    for seconds in (0.0, 1.0, 59.0, 60.0, 61.0):
        now = seconds
        with errors.handle_internal_errors("read"):
            raise BrokenError
    with errors.handle_internal_errors("read"):
        raise KeyError
    assert errors.counts == {"read": 6}
    assert [record.getMessage().split(" at ")[0] for record in caplog.records] == [
        "read: BrokenError",
        "read: BrokenError",
        "read: KeyError",
    ]


@pytest.mark.usefixtures("in_production")
def test_a_log_filter_of_the_application_that_raises_is_kept_out_too() -> None:
    logger = logging.getLogger("otel_footprint.sdk")
    logger.addFilter(fail)
    try:
        errors = InternalErrors("sdk")
        with errors.handle_internal_errors("read"):
            raise BrokenError
        assert errors.counts == {"read": 1}
    finally:
        logger.removeFilter(fail)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_what_ends_the_program_passes(kind: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FOOTPRINT_TESTING)
    errors = InternalErrors("sdk")
    with pytest.raises(kind), errors.handle_internal_errors("read"):
        raise kind
    assert errors.counts == {}
