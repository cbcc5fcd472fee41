"""How much later spans that belong to no turn get to the backend, at a fixed rate with an agent's turns among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from benchmarks.sidecar_load import Answer, at_rate, over_http, percentiles, sender
from benchmarks.sidecar_systems import Backend, sidecar
from benchmarks.sidecar_workload import requests

SPANS_PER_SECOND: Final = 10_000
AGENT_EVERY: Final = 10
"""Every tenth request is of turns and the others of none, so that there are requests without a turn."""
SECONDS: Final = 4
SIZES: Final = 512, 50
"""Spans a request. The first is what an SDK sends when it has many."""
DIRECTLY: Final = "directly"
HOLD_SECONDS: Final = 2
"""As it is by default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Of the requests without a turn."""

    answered: Sequence[float]
    """Milliseconds from when each was due to its answer."""
    delivered: Sequence[float]
    """Milliseconds from when each was due until all of it was in the backend."""
    late: Sequence[float]
    """Milliseconds that each request was sent after it was due, those of turns too."""
    refused: int
    """Requests that were refused for now, those of turns too; they are in neither of the first two."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Load:
    """Which way the requests go."""

    spans: int
    """Spans a request."""
    protocol: str
    """``http`` or ``grpc``."""
    queue: str
    """``memory`` or ``durable``; :data:`DIRECTLY`: to the backend, without the sidecar."""

    def __str__(self) -> str:
        return f"{self.protocol:4} {self.spans:4} {self.queue:9}"


async def measure(load: Load) -> Times:
    """Run a load for :data:`SECONDS` seconds."""
    bodies, traces = _bodies(load.spans)
    every = load.spans / SPANS_PER_SECOND
    async with Backend().serving() as backend:
        if load.queue == DIRECTLY:
            async with over_http(backend.port) as send:
                answers = await at_rate(bodies, every, send)
                return await _times(backend, traces, answers)
        async with (
            sidecar(backend, queue=load.queue, hold=HOLD_SECONDS) as running,
            sender(load.protocol, running) as send,
        ):
            # its first requests pay for what every process loads once
            await at_rate(requests("mixed", load.spans, 10), every, send)
            await backend.until_arrived(10 * load.spans)
            answers = await at_rate(bodies, every, send)
            return await _times(backend, traces, answers)


def _bodies(spans: int) -> tuple[list[bytes], list[frozenset[bytes]]]:
    """The requests, and the trace ids of each that is of no turn."""
    count = SPANS_PER_SECOND * SECONDS // spans
    web, agent = iter(requests("none", spans, count)), iter(requests("agent", spans, count // AGENT_EVERY + 1))
    bodies, traces = [], []
    for number in range(count):
        of_agent = number % AGENT_EVERY == 0
        bodies.append(next(agent if of_agent else web))
        traces.append(frozenset() if of_agent else _trace_ids(bodies[-1]))
    return bodies, traces


def _trace_ids(body: bytes) -> frozenset[bytes]:
    groups = ExportTraceServiceRequest.FromString(body).resource_spans
    return frozenset(span.trace_id for group in groups for scope in group.scope_spans for span in scope.spans)


async def _times(
    backend: Backend,
    traces: Sequence[frozenset[bytes]],
    answers: Sequence[Answer],
) -> Times:
    wanted = frozenset[bytes]().union(*(ids for ids, one in zip(traces, answers, strict=True) if one.taken))
    came: dict[bytes, float] = {}

    def all_came() -> bool:
        came.update({span.trace_id: when for when, span in backend.arrived()})
        return wanted <= came.keys()

    await backend.until(all_came)
    answered, delivered = [], []
    for ids, one in zip(traces, answers, strict=True):
        if ids and one.taken:
            answered.append((one.came - one.due) * 1e3)
            delivered.append((max(came[trace_id] for trace_id in ids) - one.due) * 1e3)
    late = [(one.sent - one.due) * 1e3 for one in answers]
    refused = sum(not one.taken for one in answers)
    return Times(answered=answered, delivered=delivered, late=late, refused=refused)


HEAD: Final = (
    f"{'load':19} {'answer p50':>10} {'p99 ms':>7} {'backend p50':>11} {'p99 ms':>7} {'late p99':>8}"
    f" {'refused':>7} {'of':>7}"
)


def row(load: Load, runs: Sequence[Times]) -> str:
    """The percentiles of all runs together."""
    p50, p99 = percentiles([value for one in runs for value in one.answered])
    there50, there99 = percentiles([value for one in runs for value in one.delivered])
    refused, count = sum(one.refused for one in runs), sum(len(one.late) for one in runs)
    return f"{load!s} {p50:10.2f} {p99:7.2f} {there50:11.2f} {there99:7.2f} {late(runs):8.2f} {refused:7} {count:7}"


def late(runs: Sequence[Times]) -> float:
    """The 99th percentile of how late the load itself was, in milliseconds."""
    return percentiles([value for one in runs for value in one.late])[1]


def added(runs: Sequence[Times], directly: Sequence[Times]) -> float:
    """How much larger the 99th percentile until the backend is than without the sidecar, in milliseconds."""
    through, without = (percentiles([value for one in each for value in one.delivered])[1] for each in (runs, directly))
    return through - without
