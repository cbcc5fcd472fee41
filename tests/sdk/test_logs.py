"""Log records of the application join the explanation, and come through untouched whatever they hold."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import opentelemetry._logs as log_api
import opentelemetry.sdk._logs as log_sdk
import pytest
from opentelemetry.sdk._logs import LoggerProvider, LogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.trace import Span, TraceFlags, set_span_in_context

from otel_footprint.config import Config
from otel_footprint.sdk import FootprintLogRecordProcessor, FootprintSpanExporter, FootprintSpanProcessor
from otel_footprint.sdk import logs as logs_module
from otel_footprint.turns import TurnAssembler

DETAILS = "gen_ai.client.inference.operation.details"
START = 1_700_000_000 * 1_000_000_000
ASKED = [
    {
        "role": "assistant",
        "parts": [{"type": "tool_call", "id": "c1", "name": "run_python", "arguments": {"code": "1"}}],
    }
]
READ = [
    {"role": "user", "parts": [{"type": "text", "content": "Add."}]},
    *ASKED,
    {
        "role": "tool",
        "parts": [{"type": "tool_call_response", "id": "c1", "response": {"stdout": "", "exit_code": 3}}],
    },
]
CHAT = {"gen_ai.operation.name": "chat"}
TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "run_python", "gen_ai.tool.call.id": "c1"}


class Seen(LogRecordProcessor):
    """A processor of the application: keeps the records that it is given and what they looked like."""

    def __init__(self) -> None:
        self.records: list[tuple[Any, str]] = []

    def on_emit(self, log_record: Any) -> None:
        inner = log_record.log_record
        self.records.append((log_record, repr((inner.body, dict(inner.attributes or {})))))

    emit = on_emit

    def shutdown(self) -> None:
        """Nothing is held."""

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return timeout_millis > 0


@pytest.fixture
def logger_provider() -> Iterator[LoggerProvider]:
    provider = LoggerProvider(shutdown_on_exit=False)
    yield provider
    provider.shutdown()


def emit(provider: LoggerProvider, span: Span | None, attributes: dict[str, Any], body: Any = None) -> None:
    """Emit a record in a span, in the way that the installed SDK has."""
    logger = provider.get_logger("tests.agent")
    values: dict[str, Any] = {"timestamp": START, "attributes": attributes, "body": body}
    if hasattr(log_sdk, "LogData"):
        own = span.get_span_context() if span is not None else None
        made: Any = log_sdk
        values |= {"trace_id": own.trace_id if own is not None else 0, "span_id": own.span_id if own is not None else 0}
        logger.emit(made.LogRecord(trace_flags=TraceFlags(TraceFlags.SAMPLED), resource=Resource.get_empty(), **values))
    else:
        logger.emit(log_api.LogRecord(context=set_span_in_context(span) if span is not None else None, **values))


def turn(spans: Any, provider: LoggerProvider) -> list[Any]:
    """A turn whose spans have no content, and whose model calls tell it in log records before their spans end."""
    agent = spans.agent()
    first = spans.start("chat m", CHAT, agent, 100)
    emit(provider, first, {"event.name": DETAILS, "gen_ai.output.messages": json.dumps(ASKED)})
    first.end(START + 200)
    spans.run("execute_tool run_python", TOOL, agent, 300)
    second = spans.start("chat m", CHAT, agent, 2000)
    emit(provider, second, {"event.name": DETAILS, "gen_ai.input.messages": json.dumps(READ)})
    second.end(START + 3000)
    agent.end(START + 4000)
    return list(spans.ended)


def explained(recorder: Any) -> dict[str, Any]:
    (span,) = recorder.explained
    (event,) = [e for e in span.events if e.name == "footprint.script"]
    return dict(event.attributes)


def test_a_record_that_comes_before_its_span_ends_is_in_the_explanation(
    recorder: Any, spans: Any, logger_provider: LoggerProvider
) -> None:
    exporter = FootprintSpanExporter(recorder)
    logger_provider.add_log_record_processor(FootprintLogRecordProcessor(exporter))
    exporter.export(turn(spans, logger_provider))
    script = explained(recorder)
    assert script["footprint.script.exit_code"] == 3
    assert script["footprint.script.outcome"] == "completed-with-failure"
    assert exporter.statistics().assembler.logs.joined == 2


def test_without_the_processor_the_same_turn_knows_no_exit(
    recorder: Any, spans: Any, logger_provider: LoggerProvider
) -> None:
    FootprintSpanExporter(recorder).export(turn(spans, logger_provider))
    assert explained(recorder)["footprint.script.outcome"] == "returned"


def test_through_the_span_processor_too(recorder: Any, spans: Any, logger_provider: LoggerProvider) -> None:
    processor = FootprintSpanProcessor(recorder)
    logger_provider.add_log_record_processor(FootprintLogRecordProcessor(processor))
    spans.provider.add_span_processor(processor)
    turn(spans, logger_provider)
    assert processor.force_flush()
    assert explained(recorder)["footprint.script.exit_code"] == 3
    spans.provider.shutdown()


def test_a_whole_logger_provider_hands_every_record_on_unaltered(
    recorder: Any, spans: Any, logger_provider: LoggerProvider
) -> None:
    before, after = Seen(), Seen()
    logger_provider.add_log_record_processor(before)
    processor = FootprintLogRecordProcessor(FootprintSpanExporter(recorder))
    logger_provider.add_log_record_processor(processor)
    logger_provider.add_log_record_processor(after)
    turn(spans, logger_provider)
    emit(logger_provider, None, {"any": "thing"}, ["a", {"b": 1}])
    assert len(after.records) == 3
    for (one, looked), (other, looks) in zip(before.records, after.records, strict=True):
        assert one is other
        assert looked == looks
    assert processor.force_flush()


def test_what_the_application_does_to_a_record_afterwards_is_not_read(
    recorder: Any, spans: Any, logger_provider: LoggerProvider
) -> None:
    exporter = FootprintSpanExporter(recorder)
    logger_provider.add_log_record_processor(FootprintLogRecordProcessor(exporter))
    agent = spans.agent()
    chat = spans.start("chat m", CHAT, agent, 100)
    body = {"index": 0, "message": {"role": "assistant", "content": "said"}}
    emit(logger_provider, chat, {"event.name": "gen_ai.choice"}, body)
    body["message"] = {"role": "assistant", "content": "changed"}
    chat.end(START + 200)
    agent.end(START + 300)
    seen: list[Any] = []
    original = TurnAssembler.collect

    def collect(self: TurnAssembler, now: float) -> Any:
        found = original(self, now)
        seen.extend(found.turns)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TurnAssembler, "collect", collect)
        exporter.export(spans.ended)
    assert [one.answer.value for one in seen] == ["said"]


@pytest.mark.usefixtures("in_production")
@pytest.mark.parametrize("name", ["recognise_log", "sdk_log"])
def test_a_failing_step_of_ours_costs_the_record_and_raises_nothing(
    name: str, monkeypatch: pytest.MonkeyPatch, recorder: Any, spans: Any, logger_provider: LoggerProvider
) -> None:
    def fail(*_args: Any, **_values: Any) -> Any:
        raise ValueError("ours")

    exporter = FootprintSpanExporter(recorder)
    after = Seen()
    logger_provider.add_log_record_processor(FootprintLogRecordProcessor(exporter))
    logger_provider.add_log_record_processor(after)
    monkeypatch.setattr(logs_module, name, fail)
    batch = turn(spans, logger_provider)
    exporter.export(batch)
    assert exporter.statistics().errors == {"log": 2}
    assert len(after.records) == 2
    assert [span.name for span in recorder.spans] == [span.name for span in batch]


@pytest.mark.usefixtures("in_production")
def test_a_record_that_the_assembler_cannot_take_costs_only_itself(
    monkeypatch: pytest.MonkeyPatch, recorder: Any, spans: Any, logger_provider: LoggerProvider
) -> None:
    def fail(*_args: Any) -> Any:
        raise ValueError("ours")

    exporter = FootprintSpanExporter(recorder)
    logger_provider.add_log_record_processor(FootprintLogRecordProcessor(exporter))
    monkeypatch.setattr(TurnAssembler, "add_log", fail)
    exporter.export(turn(spans, logger_provider))
    assert exporter.statistics().errors == {"log": 2}
    assert explained(recorder)["footprint.script.outcome"] == "returned"


def test_a_record_waits_for_no_lock_that_is_held_while_spans_are_folded(
    recorder: Any, spans: Any, logger_provider: LoggerProvider
) -> None:
    exporter = FootprintSpanExporter(recorder)
    logger_provider.add_log_record_processor(FootprintLogRecordProcessor(exporter))
    done = threading.Event()

    def log() -> None:
        emit(logger_provider, spans.agent(), {"event.name": DETAILS})
        done.set()

    with exporter._lock:
        thread = threading.Thread(target=log, daemon=True)
        thread.start()
        assert done.wait(10)
    thread.join(10)


def test_records_that_no_export_fetches_are_bounded_and_counted(
    monkeypatch: pytest.MonkeyPatch, recorder: Any, spans: Any, logger_provider: LoggerProvider
) -> None:
    monkeypatch.setattr(logs_module, "MAX_RECORDS", 3)
    exporter = FootprintSpanExporter(recorder)
    logger_provider.add_log_record_processor(FootprintLogRecordProcessor(exporter))
    agent = spans.agent()
    for number in range(5):
        emit(logger_provider, agent, {"event.name": DETAILS, "number": number})
    assert exporter.statistics().logs_lost == 2
    exporter.export([])
    assert exporter.statistics().assembler.logs.held == 3


def test_a_record_too_large_for_the_room_is_given_up(
    recorder: Any, spans: Any, logger_provider: LoggerProvider
) -> None:
    exporter = FootprintSpanExporter(recorder, Config(max_bytes=4_000))
    logger_provider.add_log_record_processor(FootprintLogRecordProcessor(exporter))
    emit(logger_provider, spans.agent(), {"event.name": "gen_ai.choice"}, {"message": "x" * 2_000})
    assert exporter.statistics().logs_lost == 1


def test_other_records_cost_no_room(recorder: Any, logger_provider: LoggerProvider) -> None:
    exporter = FootprintSpanExporter(recorder, Config(max_bytes=4_000))
    logger_provider.add_log_record_processor(FootprintLogRecordProcessor(exporter))
    for _ in range(100):
        emit(logger_provider, None, {"event.name": "app.event"}, "x" * 2_000)
    assert exporter.statistics().logs_lost == 0
    exporter.export([])
    assert exporter.statistics().assembler.logs.held == 0


def circle() -> Any:
    body: dict[str, Any] = {"index": 0}
    body["message"] = body
    return body


def ladder() -> Any:
    value: Any = []
    for _ in range(60):
        value = [value, value]
    return {"message": value}


class Exploding(dict[str, Any]):
    """Looks like a mapping until it is read."""

    def items(self) -> Any:
        raise RuntimeError("not yours")


@pytest.mark.usefixtures("in_production")
@pytest.mark.parametrize(
    "body",
    [
        circle(),
        ladder(),
        Exploding(message=1),
        {"message": "\ud800", "\udfff": "x"},
        {"message": float("nan"), "index": 2**90},
        {1: 2, None: 3},
        object(),
        lambda: None,
        b"\xff",
        [[[]]],
    ],
    ids=["circle", "ladder", "exploding", "surrogates", "numbers", "keys", "object", "callable", "bytes", "lists"],
)
def test_a_hostile_body_costs_nothing_but_itself(
    body: Any, recorder: Any, spans: Any, logger_provider: LoggerProvider
) -> None:
    exporter = FootprintSpanExporter(recorder)
    processor = FootprintLogRecordProcessor(exporter)
    logger_provider.add_log_record_processor(processor)
    agent = spans.agent()
    processor.on_emit(Hostile(agent, body))
    agent.end(START + 50)
    exporter.export([*spans.ended, *turn(spans, logger_provider)[1:]])
    first, second = recorder.explained
    assert "footprint.script" not in {event.name for event in first.events}
    assert "footprint.script" in {event.name for event in second.events}


class Hostile:
    """What an SDK hands on, around a body that it does not look at."""

    def __init__(self, span: Span, body: Any) -> None:
        context = span.get_span_context()
        self.trace_id, self.span_id = context.trace_id, context.span_id
        self.timestamp, self.observed_timestamp = START, None
        self.attributes = {"event.name": "gen_ai.choice", "other": body}
        self.body = body
        self.event_name = None


@pytest.mark.parametrize(
    "record",
    [None, 1, "text", object(), {"attributes": {"event.name": DETAILS}}],
    ids=["none", "number", "text", "object", "mapping"],
)
def test_what_is_no_record_is_passed_by(record: Any, recorder: Any) -> None:
    exporter = FootprintSpanExporter(recorder)
    FootprintLogRecordProcessor(exporter).on_emit(record)
    exporter.export([])
    assert exporter.statistics().assembler.logs.taken == 0


def test_a_forked_child_starts_with_no_records(recorder: Any, spans: Any, logger_provider: LoggerProvider) -> None:
    exporter = FootprintSpanExporter(recorder)
    logger_provider.add_log_record_processor(FootprintLogRecordProcessor(exporter))
    emit(logger_provider, spans.agent(), {"event.name": DETAILS})
    exporter._reset_in_child()
    exporter.export([])
    assert exporter.statistics().assembler.logs.taken == 0
    emit(logger_provider, spans.agent(), {"event.name": DETAILS})
    exporter.export([])
    assert exporter.statistics().assembler.logs.taken == 1


def test_after_the_end_no_record_is_kept(recorder: Any, spans: Any, logger_provider: LoggerProvider) -> None:
    exporter = FootprintSpanExporter(recorder)
    logger_provider.add_log_record_processor(FootprintLogRecordProcessor(exporter))
    exporter.shutdown()
    emit(logger_provider, spans.agent(), {"event.name": DETAILS})
    assert exporter.statistics().assembler.logs.taken == 0


def test_a_record_that_waits_at_the_end_is_still_in_the_explanation(
    recorder: Any, spans: Any, logger_provider: LoggerProvider
) -> None:
    exporter = FootprintSpanExporter(recorder, Config(hold_seconds=60))
    logger_provider.add_log_record_processor(FootprintLogRecordProcessor(exporter))
    batch = turn(spans, logger_provider)
    exporter.export(batch[:-1])
    exporter.export(batch[-1:])
    exporter.shutdown()
    assert explained(recorder)["footprint.script.exit_code"] == 3
