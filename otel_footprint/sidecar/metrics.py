"""The sidecar's statistics as metrics: Prometheus' text, and an OTLP request.

A snapshot is a tree of frozen dataclasses and mappings. :data:`METRICS` says which of its values are shown, by their
path, and under which name. Both forms are made from the same :class:`Family` values, so that they say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import accumulate
from typing import Any, Final, Literal

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import AGGREGATION_TEMPORALITY_CUMULATIVE
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from otel_footprint._version import __version__
from otel_footprint.sidecar.fold_counts import Histogram

Kind = Literal["counter", "gauge", "flag", "word", "histogram"]
"""A total since the start; a state; 1 for what is said or true and 0 for nothing; 1 with what is said as its label;
how often values fell where since the start."""
Labels = tuple[tuple[str, str], ...]

Shown = CounterMetricFamily | GaugeMetricFamily | HistogramMetricFamily

_FORMS: Final[Mapping[Kind, Any]] = {"counter": CounterMetricFamily, "histogram": HistogramMetricFamily}
_DATA: Final[Mapping[Kind, str]] = {"counter": "sum", "histogram": "histogram"}
"""What each kind is in each of the two forms; the others are gauges."""
_EACH: Final = "*"
"""In a path: every member of a mapping."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One value of the snapshot and its name."""

    path: str
    """Where it is: attributes with dots between them, ``*`` for each member of a mapping."""
    name: str
    """In OpenTelemetry's form. Prometheus gets underscores instead of dots, and ``_total`` behind a counter."""
    kind: Kind
    unit: str
    """In UCUM, as OpenTelemetry has it."""
    help: str
    """What it is, as a sentence."""
    labels: tuple[str, ...] = ()
    """What each ``*`` of the path is called, and the word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A metric and its values now."""

    metric: Metric
    samples: tuple[tuple[Labels, float | Histogram], ...]
    """Labels and value; none if the mapping it comes from is empty."""


def _metric(path: str, kind: Kind, unit: str, help_: str, *labels: str, name: str | None = None) -> Metric:
    own = name or path.removeprefix("holding.assembler.").replace(".*", "")
    if path.startswith("holding.assembler."):
        own = f"assembler.{own}"
    return Metric(path=path, name=f"footprint.{own}", kind=kind, unit=unit, help=help_, labels=labels)


METRICS: Final = (
    _metric("uptime_seconds", "gauge", "s", "Time since the sidecar started.", name="sidecar.uptime"),
    _metric("ready", "flag", "1", "Whether requests are taken.", name="sidecar.ready"),
    _metric("intake.requests.*", "counter", "{request}", "Requests that were stored.", "signal"),
    _metric("intake.items.*", "counter", "{item}", "Spans, metrics and log records in them.", "signal"),
    _metric("intake.bytes.*", "counter", "By", "Their bytes, uncompressed.", "signal"),
    _metric("intake.malformed", "counter", "{request}", "Requests refused since they are none."),
    _metric("intake.unwanted", "counter", "{request}", "Requests whose signal no destination takes."),
    _metric("intake.pressed", "counter", "{request}", "Requests refused for now."),
    _metric("holding.held", "gauge", "{span}", "Turns' spans that wait for their explanation."),
    _metric("holding.held_bytes", "gauge", "By", "Their bytes."),
    _metric("holding.explained", "counter", "{span}", "Spans that went on with their explanation."),
    _metric("holding.added", "counter", "{span}", "Spans of our own that were sent."),
    _metric("holding.duplicates", "counter", "{span}", "Equal copies of a turn's span that were left out."),
    _metric(
        "holding.unreadable", "counter", "{item}", "Spans and requests that do not decode, and went on as they came."
    ),
    _metric("holding.unwritten", "gauge", "{span}", "Explained spans that wait for room in the queue."),
    _metric("holding.awaited_parents", "gauge", "{span}", "Spans that are missing as parents."),
    _metric("holding.tones.*", "counter", "{turn}", "Turns explained.", "tone", name="turns"),
    _metric("holding.errors.*", "counter", "{error}", "Errors of our own, by the step.", "step", name="errors"),
    _metric("holding.assembler.open_turns", "gauge", "{turn}", "Turns that are not decided."),
    _metric("holding.assembler.traces", "gauge", "{trace}", "Traces of which something is kept."),
    _metric("holding.assembler.bytes", "gauge", "By", "Content kept of them, nearly."),
    _metric("holding.assembler.spans", "counter", "{span}", "Spans that were read for turns."),
    _metric("holding.assembler.turns", "counter", "{turn}", "Turns put together, addenda included."),
    _metric("holding.assembler.duplicates", "counter", "{span}", "Spans that came twice."),
    _metric("holding.assembler.conflicts", "counter", "{span}", "Spans that came twice with different content."),
    _metric("holding.assembler.rejected", "counter", "{span}", "Spans without a valid trace id or span id."),
    _metric("holding.assembler.evicted", "counter", "{turn}", "Turns explained as incomplete because of a bound."),
    _metric("holding.assembler.late", "counter", "{span}", "Spans that came after their turn was explained."),
    _metric("holding.assembler.conversations", "gauge", "{conversation}", "Conversations whose turns are counted."),
    _metric("holding.assembler.conversations_forgotten", "counter", "{conversation}", "Conversations forgotten."),
    _metric("holding.assembler.logs.held", "gauge", "{record}", "Log records that wait for their span."),
    _metric("holding.assembler.logs.bytes", "gauge", "By", "Content kept of them, nearly."),
    _metric("holding.assembler.logs.taken", "counter", "{record}", "Log records that tell of a call or a turn."),
    _metric("holding.assembler.logs.joined", "counter", "{record}", "Log records that a turn took."),
    _metric("holding.assembler.logs.unmatched", "counter", "{record}", "Log records that fit no one span that came."),
    _metric("holding.assembler.logs.duplicates", "counter", "{record}", "Log records that came twice."),
    _metric("holding.assembler.logs.evicted", "counter", "{record}", "Log records given up because of a bound."),
    _metric("holding.assembler.logs.other", "counter", "{record}", "Log records of any other kind."),
    _metric("fold.signals.*", "counter", "{signal}", "Signals listed.", "id", name="signals"),
    _metric("fold.reasons.*", "counter", "{reason}", "Reasons why an answer does not stand.", "reason", name="reasons"),
    _metric("fold.scripts.*", "counter", "{script}", "Programs submitted.", "outcome", name="scripts"),
    _metric(
        "fold.checks.*.*", "counter", "{check}", "Checks, by what became of them.", "check", "state", name="checks"
    ),
    _metric(
        "fold.unreachable.*.*",
        "counter",
        "{check}",
        "Checks that could not be run, by what the turn's spans follow.",
        "check",
        "convention",
        name="unreachable",
    ),
    _metric("fold.duration", "histogram", "s", "Time to explain one turn."),
    _metric("queue.store", "word", "1", "1 with where the queue is.", "store"),
    _metric("queue.survives", "word", "1", "1 with what an acknowledged request outlives.", "survives"),
    _metric("queue.problem", "flag", "1", "1 if the queue is in memory although a directory is set."),
    _metric("queue.set_aside", "flag", "1", "1 if a spoiled store was found at the start and set aside."),
    _metric("queue.entries.*", "gauge", "{request}", "Requests that wait, held ones included.", "signal"),
    _metric("queue.items.*", "gauge", "{item}", "Spans, metrics and log records in them.", "signal"),
    _metric("queue.held", "gauge", "{request}", "Requests that wait for an explanation."),
    _metric("queue.bytes", "gauge", "By", "Room that the requests take up."),
    _metric("queue.capacity_bytes", "gauge", "By", "Room that there is for them; senders are refused beyond it."),
    _metric("queue.replayed", "counter", "{request}", "Requests that an earlier run had left."),
    _metric("queue.put", "counter", "{request}", "Requests that were stored, explained ones again."),
    _metric("queue.removed", "counter", "{request}", "Requests that left: delivered, or replaced."),
    _metric("queue.refused_full", "counter", "{request}", "Requests refused since there was no room."),
    _metric("queue.refused_broken", "counter", "{request}", "Requests refused since the store could not write."),
    _metric("queue.spoiled", "counter", "{request}", "Requests that were found damaged and cannot be sent."),
    _metric("queue.unremoved", "gauge", "{request}", "Requests done with that could not be taken out yet."),
    _metric("destinations.*.requests", "counter", "{request}", "Requests that were taken.", "destination"),
    _metric("destinations.*.items", "counter", "{item}", "Spans, metrics and log records in them.", "destination"),
    _metric("destinations.*.bytes", "counter", "By", "Their bytes before compression.", "destination"),
    _metric(
        "destinations.*.rejected", "counter", "{item}", "Items left out of requests that were taken.", "destination"
    ),
    _metric("destinations.*.refused", "counter", "{item}", "Items refused for good.", "destination"),
    _metric("destinations.*.stripped", "counter", "{request}", "Requests sent without our events.", "destination"),
    _metric("destinations.*.retries", "counter", "{request}", "Tries after the first.", "destination"),
    _metric("destinations.*.waiting", "gauge", "{request}", "Requests between two tries.", "destination"),
    _metric("destinations.*.failing", "flag", "1", "1 while no request is taken.", "destination"),
)
"""All of them. A snapshot need not have every part; what it has of a part is whole."""


def families(snapshot: object, metrics: Sequence[Metric] = METRICS) -> Iterator[Family]:
    """The metrics of those parts that a snapshot has, in the order of the table.

    Raises:
        AttributeError: a part lacks a value that the table names.
    """
    for metric in metrics:
        first, *rest = metric.path.split(".")
        part = getattr(snapshot, first, None)
        if part is not None:
            found = [(words, _number(metric, value)) for words, value in _values(part, rest)]
            labelled = [
                (_labels(metric, (*words, *([word] if word else []))), number) for words, (number, word) in found
            ]
            yield Family(metric=metric, samples=tuple(labelled))


def unlisted(snapshot: object, metrics: Sequence[Metric] = METRICS) -> list[str]:
    """The paths of what a snapshot holds and no metric shows."""
    listed = {metric.path for metric in metrics}
    return sorted(path for path in set(_paths(snapshot, "")) if path not in listed)


def exposition(snapshot: Callable[[], object], *, registry: CollectorRegistry | None = None) -> bytes:
    """Prometheus' text form, for a scrape.

    Args:
        snapshot: gives the statistics now.
        registry: whose other metrics are shown too; none by default.
    """
    shown = generate_latest(registry) if registry is not None else b""
    own = CollectorRegistry(auto_describe=False)
    own.register(StatisticsCollector(snapshot))
    return shown + generate_latest(own)


class StatisticsCollector(Collector):
    """What a Prometheus registry asks for the metrics of a snapshot.

    Args:
        snapshot: gives the statistics now, at each scrape.
    """

    def __init__(self, snapshot: Callable[[], object]) -> None:
        self._snapshot = snapshot

    def describe(self) -> Iterable[Shown]:
        """Nothing beforehand: the names are known, and a snapshot may not be had yet."""
        return []

    def collect(self) -> Iterator[Shown]:
        """The metrics now."""
        for family in families(self._snapshot()):
            metric = family.metric
            shown = _FORMS.get(metric.kind, GaugeMetricFamily)(
                metric.name.replace(".", "_"), metric.help, labels=metric.labels
            )
            for labels, value in family.samples:
                texts = [text for _, text in labels]
                if isinstance(value, Histogram):
                    shown.add_metric(texts, _cumulative(value), value.sum)
                else:
                    shown.add_metric(texts, value)
            yield shown


def otlp_request(snapshot: object, *, start_ns: int, now_ns: int, resource: Mapping[str, str]) -> bytes:
    """The metrics as an export request.

    Args:
        snapshot: the statistics.
        start_ns: when the totals began, in nanoseconds since the epoch.
        now_ns: when the snapshot was taken.
        resource: the resource's attributes, ``service.name`` among them.

    Returns:
        ``ExportMetricsServiceRequest``, protobuf.
    """
    request = ExportMetricsServiceRequest()
    of_resource = request.resource_metrics.add()
    for key, text in resource.items():
        of_resource.resource.attributes.add(key=key).value.string_value = text
    scope = of_resource.scope_metrics.add()
    scope.scope.name = "otel_footprint"
    scope.scope.version = __version__
    for family in families(snapshot):
        metric = family.metric
        if not family.samples:
            # a metric without a point is no metric
            continue
        shown = scope.metrics.add(name=metric.name, description=metric.help, unit=metric.unit)
        data: Any = getattr(shown, _DATA.get(metric.kind, "gauge"))
        if metric.kind in _DATA:
            data.aggregation_temporality = AGGREGATION_TEMPORALITY_CUMULATIVE
        if metric.kind == "counter":
            data.is_monotonic = True
        for labels, value in family.samples:
            point = data.data_points.add(start_time_unix_nano=start_ns, time_unix_nano=now_ns)
            _fill(point, value)
            for key, text in labels:
                point.attributes.add(key=key).value.string_value = text
    return request.SerializeToString()


def _fill(point: Any, value: float | Histogram) -> None:
    if isinstance(value, Histogram):
        point.explicit_bounds.extend(value.bounds)
        point.bucket_counts.extend(value.counts)
        point.count = sum(value.counts)
        point.sum = value.sum
    elif isinstance(value, int):
        point.as_int = value
    else:
        point.as_double = value


def _cumulative(histogram: Histogram) -> list[tuple[str, float]]:
    """Prometheus' buckets: each counts the ones below it too, and the last is without end."""
    bounds = [*map(str, histogram.bounds), "+Inf"]
    return list(zip(bounds, accumulate(histogram.counts), strict=True))


def _values(value: Any, path: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """What lies at the end of a path, with the keys of the mappings on the way."""
    if not path:
        yield (), value
    elif path[0] == _EACH:
        for key, member in value.items():
            for words, found in _values(member, path[1:]):
                yield (str(key), *words), found
    else:
        yield from _values(getattr(value, path[0]), path[1:])


def _number(metric: Metric, value: Any) -> tuple[Any, str | None]:
    if metric.kind == "word":
        return 1, str(value)
    return (int(bool(value)) if metric.kind == "flag" else value), None


def _labels(metric: Metric, words: Sequence[str]) -> Labels:
    return tuple(zip(metric.labels, words, strict=True))


def _paths(value: Any, path: str) -> Iterator[str]:
    if is_dataclass(value) and not isinstance(value, type | Histogram):
        for field in fields(value):
            yield from _paths(getattr(value, field.name), f"{path}.{field.name}".removeprefix("."))
    elif isinstance(value, Mapping):
        for member in value.values():
            yield from _paths(member, f"{path}.{_EACH}")
    else:
        yield path
