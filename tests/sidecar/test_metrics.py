from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from prometheus_client import CollectorRegistry, Counter
from prometheus_client.parser import text_string_to_metric_families

from otel_footprint.sidecar.fold_counts import FoldCounts, FoldStatistics
from otel_footprint.sidecar.metrics import METRICS, StatisticsCollector, exposition, families, otlp_request, unlisted
from otel_footprint.sidecar.queue import MemoryQueue, QueueStatistics, open_queue
from otel_footprint.testing import agent_span, explain_spans, tool_span
from otel_footprint.testing.queues import request


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    requests: int = 3
    items: int = 30
    bytes: int = 300
    rejected: int = 0
    refused: int = 0
    stripped: int = 0
    retries: int = 2
    waiting: int = 1
    failing: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """As much of the sidecar's statistics as these tests need."""

    uptime_seconds: float = 1.5
    ready: bool = True
    queue: QueueStatistics
    fold: FoldStatistics = field(default_factory=lambda: FoldCounts().statistics())
    destinations: dict[str, Sending] = field(default_factory=dict)


@pytest.fixture
def snapshot() -> Snapshot:
    queue = MemoryQueue(max_bytes=1 << 20, problem="no room")
    queue.put([request(1, items=4), request(2, held=True), request(3, signal="logs")])
    sending = {'a"b\\c\nd': Sending(failing="no answer"), "other": Sending()}
    return Snapshot(queue=queue.statistics(), destinations=sending)


def scraped(text: bytes) -> dict[str, dict[tuple[tuple[str, str], ...], float]]:
    return {
        family.name: {tuple(sorted(sample.labels.items())): sample.value for sample in family.samples}
        for family in text_string_to_metric_families(text.decode())
    }


def test_a_scrape_shows_the_snapshot(snapshot: Snapshot) -> None:
    found = scraped(exposition(lambda: snapshot))
    assert found["footprint_sidecar_uptime"] == {(): 1.5}
    assert found["footprint_sidecar_ready"] == {(): 1.0}
    assert found["footprint_queue_entries"] == {
        (("signal", "traces"),): 2.0,
        (("signal", "metrics"),): 0.0,
        (("signal", "logs"),): 1.0,
    }
    assert found["footprint_queue_put"] == {(): 3.0}
    assert found["footprint_queue_held"] == {(): 1.0}
    assert found["footprint_queue_problem"] == {(): 1.0}
    assert found["footprint_queue_set_aside"] == {(): 0.0}
    assert found["footprint_queue_store"] == {(("store", "memory"),): 1.0}
    assert found["footprint_queue_survives"] == {(("survives", "nothing"),): 1.0}


def test_totals_are_counters_by_name_and_type(snapshot: Snapshot) -> None:
    text = exposition(lambda: snapshot).decode()
    assert "# TYPE footprint_queue_put_total counter" in text
    assert "# TYPE footprint_queue_held gauge" in text
    assert "# HELP footprint_queue_held Requests that wait for an explanation." in text


def test_a_destination_s_name_is_a_label_whatever_it_holds(snapshot: Snapshot) -> None:
    found = scraped(exposition(lambda: snapshot))
    assert found["footprint_destinations_failing"] == {
        (("destination", 'a"b\\c\nd'),): 1.0,
        (("destination", "other"),): 0.0,
    }


def test_a_scrape_asks_for_the_statistics_each_time() -> None:
    queue = MemoryQueue(max_bytes=1 << 20)
    registry = CollectorRegistry()
    registry.register(StatisticsCollector(lambda: Snapshot(queue=queue.statistics())))
    assert registry.get_sample_value("footprint_queue_put_total") == 0.0
    queue.put([request(1)])
    assert registry.get_sample_value("footprint_queue_put_total") == 1.0


def test_a_registry_of_the_user_is_shown_too(snapshot: Snapshot) -> None:
    registry = CollectorRegistry()
    Counter("mine", "Mine.", registry=registry).inc(5)
    found = scraped(exposition(lambda: snapshot, registry=registry))
    assert found["mine"][()] == 5.0
    assert "footprint_queue_put" in found


def test_otlp_says_the_same_as_a_scrape(snapshot: Snapshot) -> None:
    body = otlp_request(snapshot, start_ns=10, now_ns=20, resource={"service.name": "sidecar"})
    sent = ExportMetricsServiceRequest.FromString(body)
    (of_resource,) = sent.resource_metrics
    assert [(a.key, a.value.string_value) for a in of_resource.resource.attributes] == [("service.name", "sidecar")]
    found = {}
    for metric in of_resource.scope_metrics[0].metrics:
        if metric.WhichOneof("data") == "histogram":
            continue
        counter = metric.WhichOneof("data") == "sum"
        assert not counter or (metric.sum.is_monotonic and metric.sum.aggregation_temporality == 2)
        points = metric.sum.data_points if counter else metric.gauge.data_points
        assert {(point.start_time_unix_nano, point.time_unix_nano) for point in points} == {(10, 20)}
        name = metric.name.replace(".", "_")
        found[name] = {
            tuple(sorted((a.key, a.value.string_value) for a in point.attributes)): (
                float(point.as_int) if point.WhichOneof("value") == "as_int" else point.as_double
            )
            for point in points
        }
    shown = scraped(exposition(lambda: snapshot))
    assert found == {name: samples for name, samples in shown.items() if samples and "duration" not in name}


def explained() -> FoldStatistics:
    """Of one turn with a tool that returned nothing and a program that failed, explained three times."""
    (explanation,) = explain_spans(
        [
            agent_span(1, at=(0, 9)),
            tool_span(2, "search", parent=1, result="[]", at=(1, 2)),
            tool_span(
                3,
                "run",
                parent=1,
                at=(3, 4),
                attributes={"code_run.argument": "code", "code_run.program": "x", "code_run.exit_code": 3},
            ),
        ]
    )
    counts = FoldCounts()
    for seconds in (0.0001, 0.0002, 5.0):
        counts.explained(explanation, seconds, convention="genai")
    return counts.statistics()


def test_what_the_explanations_said_is_counted_under_the_names_of_the_sdk(snapshot: Snapshot) -> None:
    found = scraped(exposition(lambda: replace(snapshot, fold=explained())))
    assert found["footprint_signals"] == {(("id", "undeclared-empty-used"),): 3.0}
    assert found["footprint_scripts"] == {(("outcome", "completed-with-failure"),): 3.0}
    assert sum(found["footprint_checks"].values()) == 9.0
    assert {key for labels in found["footprint_checks"] for key, _ in labels} == {"check", "state"}
    assert found["footprint_unreachable"] == {(("check", "empty-results"), ("convention", "genai")): 3.0}


def test_the_time_of_a_fold_is_a_histogram_in_both_forms(snapshot: Snapshot) -> None:
    now = replace(snapshot, fold=explained())
    text = exposition(lambda: now).decode()
    assert 'footprint_fold_duration_bucket{le="0.0001"} 1.0' in text
    assert 'footprint_fold_duration_bucket{le="0.0005"} 2.0' in text
    assert 'footprint_fold_duration_bucket{le="1.0"} 2.0' in text
    assert 'footprint_fold_duration_bucket{le="+Inf"} 3.0' in text
    assert "footprint_fold_duration_count 3.0" in text
    sent = ExportMetricsServiceRequest.FromString(otlp_request(now, start_ns=1, now_ns=2, resource={}))
    metrics = {metric.name: metric for metric in sent.resource_metrics[0].scope_metrics[0].metrics}
    (point,) = metrics["footprint.fold.duration"].histogram.data_points
    assert list(point.bucket_counts) == [1, 1, 0, 0, 0, 0, 0, 0, 0, 1]
    assert point.count == 3
    assert point.sum == pytest.approx(5.0003)
    assert len(point.explicit_bounds) == len(point.bucket_counts) - 1


def test_a_mapping_that_is_empty_sends_no_metric(snapshot: Snapshot) -> None:
    alone = Snapshot(queue=snapshot.queue)
    body = otlp_request(alone, start_ns=1, now_ns=2, resource={})
    names = {m.name for m in ExportMetricsServiceRequest.FromString(body).resource_metrics[0].scope_metrics[0].metrics}
    assert not any(name.startswith("footprint.destinations") for name in names)


def test_every_value_of_the_parts_is_shown(snapshot: Snapshot) -> None:
    assert unlisted(snapshot) == []


def test_a_value_that_no_metric_shows_is_noticed() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class More:
        ready: bool = True
        forgotten: dict[str, int] = field(default_factory=lambda: {"a": 1})

    assert unlisted(More()) == ["forgotten.*"]


def test_a_part_without_a_value_that_is_listed_is_an_error() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Less:
        queue: object = object()

    with pytest.raises(AttributeError):
        list(families(Less()))


def test_names_are_unique_and_every_star_has_a_label() -> None:
    assert len({metric.name for metric in METRICS}) == len(METRICS)
    for metric in METRICS:
        assert len(metric.labels) == metric.path.split(".").count("*") + (metric.kind == "word"), metric.path


def test_a_queue_on_disk_is_told_from_one_in_memory(tmp_path: Path) -> None:
    queue = open_queue(tmp_path, max_bytes=1 << 20, memory_bytes=1 << 20)
    found = scraped(exposition(lambda: Snapshot(queue=queue.statistics())))
    assert found["footprint_queue_store"] == {(("store", "lmdb"),): 1.0}
    assert found["footprint_queue_problem"] == {(): 0.0}
