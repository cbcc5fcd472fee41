"""The writers ``logs`` and ``evaluation`` in the SDK: sent after the spans, and never at their cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.sdk.trace import TracerProvider

from otel_footprint import Config, FootprintSpanExporter, FootprintSpanProcessor
from otel_footprint._errors import ConfigError
from otel_footprint.sdk.own_logs import NotSentError


class Result:
    def __init__(self, name: str) -> None:
        self.name = name


class LogRecorder:
    """A log exporter that keeps what the OTLP exporters would send of it."""

    def __init__(self, result: str = "SUCCESS") -> None:
        self.batches: list[list[Any]] = []
        self.result = Result(result)
        self.shutdowns = 0

    def export(self, batch: Sequence[Any]) -> Any:
        self.batches.append(list(batch))
        return self.result

    def shutdown(self) -> None:
        self.shutdowns += 1

    @property
    def records(self) -> list[Any]:
        sent = [encode_logs(batch) for batch in self.batches]
        return [r for s in sent for group in s.resource_logs for scope in group.scope_logs for r in scope.log_records]

    @property
    def names(self) -> list[str]:
        return [name_of(record) for record in self.records]


def name_of(record: Any) -> str:
    old = [pair.value.string_value for pair in record.attributes if pair.key == "event.name"]
    return old[0] if old else str(record.event_name)


@pytest.fixture
def logs() -> LogRecorder:
    return LogRecorder()


def test_a_turn_is_also_written_as_log_records_that_carry_its_ids(recorder: Any, spans: Any, logs: Any) -> None:
    config = Config(writers=("logs", "evaluation"))
    turn = spans.turn()
    FootprintSpanExporter(recorder, config, log_exporter=logs).export(turn)
    assert logs.names[0] == "footprint.account"
    assert logs.names[-1] == "gen_ai.evaluation.result"
    ids = {(int.from_bytes(r.trace_id), int.from_bytes(r.span_id)) for r in logs.records}
    assert ids == {(turn[-1].context.trace_id, turn[-1].context.span_id)}
    assert {r.flags for r in logs.records} == {1}
    assert all(r.body.string_value and r.severity_number for r in logs.records)
    (explained,) = recorder.explained
    assert explained.events == turn[-1].events


def test_records_have_the_resource_of_their_turn_and_our_scope(recorder: Any, make_spans: Any, logs: Any) -> None:
    from opentelemetry.sdk.resources import Resource

    spans = make_spans(resource=Resource({"service.name": "shop"}))
    FootprintSpanExporter(recorder, Config(writers=("logs",)), log_exporter=logs).export(spans.turn())
    (group,) = encode_logs(logs.batches[0]).resource_logs
    assert {pair.key: pair.value.string_value for pair in group.resource.attributes}["service.name"] == "shop"
    assert [scope.scope.name for scope in group.scope_logs] == ["otel_footprint"]


def test_spans_are_sent_before_the_records_that_explain_them(recorder: Any, spans: Any) -> None:
    order: list[str] = []

    class Ordered(LogRecorder):
        def export(self, batch: Sequence[Any]) -> Any:
            order.append(f"logs after {len(recorder.spans)} spans")
            return super().export(batch)

    turn = spans.turn()
    FootprintSpanExporter(recorder, Config(writers=("logs",)), log_exporter=Ordered()).export(turn)
    assert order == [f"logs after {len(turn)} spans"]


def test_a_turn_that_is_open_at_the_end_is_written_too(recorder: Any, spans: Any, logs: Any) -> None:
    exporter = FootprintSpanExporter(recorder, Config(writers=("logs",)), log_exporter=logs)
    exporter.export([spans.tool(spans.agent())])
    assert logs.names == []
    exporter.shutdown()
    assert logs.names[0] == "footprint.account"
    assert logs.shutdowns == 1


def test_the_processor_hands_its_log_exporter_on(recorder: Any, logs: Any) -> None:
    provider = TracerProvider(shutdown_on_exit=False)
    config = Config(writers=("logs",))
    provider.add_span_processor(FootprintSpanProcessor(recorder, config, log_exporter=logs))
    with provider.get_tracer("t").start_as_current_span("invoke_agent a") as span:
        span.set_attribute("gen_ai.operation.name", "invoke_agent")
    provider.shutdown()
    assert logs.names[0] == "footprint.account"


def test_without_the_writer_no_record_is_sent(recorder: Any, spans: Any, logs: Any) -> None:
    exporter = FootprintSpanExporter(recorder, log_exporter=logs)
    exporter.export(spans.turn())
    exporter.shutdown()
    assert (logs.batches, logs.shutdowns) == ([], 1)


def test_a_span_that_is_explained_already_is_not_written_as_records_again(recorder: Any, spans: Any, logs: Any) -> None:
    config = Config(writers=("attributes", "logs"))
    FootprintSpanExporter(recorder, config, log_exporter=logs).export(spans.turn())
    again = LogRecorder()
    FootprintSpanExporter(recorder, config, log_exporter=again).export(list(recorder.spans))
    assert (len(logs.batches), again.batches) == (1, [])


@pytest.mark.parametrize("writer", ["logs", "evaluation"])
def test_a_writer_of_records_without_an_exporter_for_them_is_refused_at_the_start(recorder: Any, writer: str) -> None:
    with pytest.raises(ConfigError, match="give log_exporter"):
        FootprintSpanExporter(recorder, Config(writers=(writer,)))


@pytest.mark.usefixtures("in_production")
def test_a_log_exporter_that_fails_costs_no_span_and_is_counted(recorder: Any, spans: Any) -> None:
    class Broken(LogRecorder):
        def export(self, batch: Sequence[Any]) -> Any:
            raise ConnectionError(f"{len(batch)} records refused")

        def shutdown(self) -> None:
            raise ConnectionError("refused")

    exporter = FootprintSpanExporter(recorder, Config(writers=("events", "logs")), log_exporter=Broken())
    turn = spans.turn()
    assert exporter.export(turn).name == "SUCCESS"
    exporter.shutdown()
    assert len(recorder.spans) == len(turn)
    assert len(recorder.explained) == 1
    assert exporter.statistics().errors == {"logs": 2}


def test_records_that_are_not_taken_are_counted_as_an_error_and_not_kept(recorder: Any, spans: Any) -> None:
    refusing = LogRecorder("FAILURE")
    exporter = FootprintSpanExporter(recorder, Config(writers=("logs",)), log_exporter=refusing)
    with pytest.raises(NotSentError, match="FAILURE"):
        exporter.export(spans.turn())
    exporter.export(spans.turn()[:1])
    assert len(refusing.batches) == 1
