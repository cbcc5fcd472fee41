from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from otel_footprint.sdk import FootprintSpanExporter


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemoryMetricReader]:
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader], shutdown_on_exit=False)
    monkeypatch.setattr(metrics, "get_meter", provider.get_meter)
    yield reader
    provider.shutdown()


def points(reader: InMemoryMetricReader) -> dict[str, dict[tuple[Any, ...], Any]]:
    data = reader.get_metrics_data()
    found: dict[str, dict[tuple[Any, ...], Any]] = {}
    for resource in data.resource_metrics if data else ():
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                for point in metric.data.data_points:
                    key = tuple(sorted(str(value) for value in (point.attributes or {}).values()))
                    value = getattr(point, "value", None)
                    found.setdefault(metric.name, {})[key] = getattr(point, "count", None) if value is None else value
    return found


def test_turns_signals_scripts_checks_and_the_time_are_counted(
    reader: InMemoryMetricReader, recorder: Any, spans: Any
) -> None:
    agent = spans.agent()
    spans.tool(agent, **{"gen_ai.tool.call.result": "[]"})
    spans.tool(agent, **{"code_run.argument": "code", "code_run.program": "x", "code_run.exit_code": 3})
    agent.end()
    exporter = FootprintSpanExporter(recorder)
    exporter.export(spans.ended)
    found = points(reader)
    assert found["footprint.turns"] == {("bad",): 1}
    assert found["footprint.signals"] == {("undeclared-empty-used",): 1}
    assert found["footprint.scripts"] == {("completed-with-failure",): 1}
    assert sum(found["footprint.checks"].values()) == 3
    assert found["footprint.unreachable"] == {("empty-results", "genai"): 1}
    assert found["footprint.fold.duration"] == {(): 1}


def test_what_is_held_and_what_was_lost_can_be_watched(reader: InMemoryMetricReader, recorder: Any, spans: Any) -> None:
    outer = spans.agent()
    spans.agent("invoke_agent inner", outer).end()
    exporter = FootprintSpanExporter(recorder)
    exporter.export(spans.ended)
    state = points(reader)["footprint.holder"]
    assert state[("held",)] == 1
    assert state[("open_turns",)] == 1
    assert state[("lost",)] == 0
    assert state[("errors",)] == 0


def test_the_meter_does_not_keep_an_exporter_that_is_gone(reader: InMemoryMetricReader, recorder: Any) -> None:
    exporter = FootprintSpanExporter(recorder)
    exporter.shutdown()
    gone = weakref.ref(exporter)
    del exporter
    gc.collect()
    assert gone() is None
    assert "footprint.holder" not in points(reader)
