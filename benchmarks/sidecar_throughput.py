"""Spans a second of the sidecar and its peers under the same load, round by round."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Final

from benchmarks.sidecar_load import as_fast_as_answered, percentiles
from benchmarks.sidecar_systems import OURS, Backend, Running, peer, sidecar
from benchmarks.sidecar_workload import requests

WARMING: Final = 2
"""Requests that come before those that count."""
SMALL: Final = 10
"""Spans a request; with so few, the peers are `rotel` alone."""
_SPANS: Final = {"none": 60_000, "mixed": 30_000, "agent": 10_000}
_REQUESTS: Final = 3_000
"""The most of a run: small requests cost by themselves and not by their spans."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Case:
    """One load."""

    protocol: str
    """``http`` or ``grpc``, into the system under test."""
    spans: int
    """Spans a request."""
    mix: str

    def __str__(self) -> str:
        return f"{self.protocol:4} {self.spans:4} {self.mix:5}"

    def systems(self, peers: Mapping[str, str]) -> list[str]:
        """Which are run under it."""
        ours = [name for name in OURS if name != "plain" or (self.protocol == "http" and self.spans > SMALL)]
        return ours + [name for name in peers if self._suits(name)]

    def _suits(self, name: str) -> bool:
        if name == "rotel":
            return True
        # nginx cannot pass gRPC on to a backend that speaks HTTP
        fits = {"nginx": self.protocol == "http", "transform": self.mix == "mixed"}
        return self.spans > SMALL and fits.get(name, True)

    def bodies(self, count: int) -> Sequence[bytes]:
        """So many requests, or as many as take a second or two."""
        count = count or min(_SPANS[self.mix] // self.spans, _REQUESTS)
        return requests(self.mix, self.spans, count + WARMING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What one run of a case came to."""

    spans_per_second: float
    cpu_microseconds: float
    """Of the system under test, a span."""
    took: Sequence[float]
    """Milliseconds from each request to its answer."""
    resident: float
    """MiB, after everything was delivered."""


Runs = dict[tuple[Case, str], list[Figures]]
"""By case and system, one of each round."""


async def measure(case: Case, bodies: Sequence[bytes], name: str, peers: Mapping[str, str]) -> Figures:
    """One run of a case."""
    async with Backend().serving() as backend, _started(name, peers, backend) as running:
        await as_fast_as_answered(bodies[:WARMING], case.protocol, running)
        await backend.until_arrived(WARMING * case.spans)
        before, begin = running.cpu_seconds(), time.perf_counter()
        took = await as_fast_as_answered(bodies[WARMING:], case.protocol, running)
        spans = (len(bodies) - WARMING) * case.spans
        end = await backend.until_arrived(spans)
        return Figures(
            spans_per_second=spans / (end - begin),
            cpu_microseconds=(running.cpu_seconds() - before) / spans * 1e6,
            took=took,
            resident=running.resident_mib(),
        )


def _started(name: str, peers: Mapping[str, str], backend: Backend) -> AbstractAsyncContextManager[Running]:
    if name in peers:
        return peer(name, peers[name], backend)
    out = "none" if name == "plain" else "gzip"
    return sidecar(backend, queue="durable" if name == "durable" else "memory", out=out)


async def one_round(cases: Sequence[Case], peers: Mapping[str, str], count: int, runs: Runs) -> None:
    """Run every system under every case, in an order of chance, and print each as it is done."""
    for case in random.sample(cases, len(cases)):
        bodies = case.bodies(count)
        names = case.systems(peers)
        for name in random.sample(names, len(names)):
            figures = await measure(case, bodies, name, peers)
            runs.setdefault((case, name), []).append(figures)
            print(f"  {case!s} {name:9} {_row([figures])}", flush=True)


def _row(runs: Sequence[Figures]) -> str:
    rate, cpu, resident = (
        statistics.median(getattr(one, name) for one in runs)
        for name in ("spans_per_second", "cpu_microseconds", "resident")
    )
    p50, p99 = percentiles([value for one in runs for value in one.took])
    return f"{rate:9.0f} {cpu:7.1f} {p50:7.1f} {p99:7.1f} {resident:5.0f}"


HEAD: Final = f"{'load':16} {'system':9} {'spans/s':>9} {'CPU us':>7} {'p50 ms':>7} {'p99 ms':>7} {'MiB':>5}"


def ratio(runs: Runs, case: Case, name: str, other: str, what: str = "spans_per_second") -> float | None:
    """The median of the rounds' ratios; absent where one of the two was not run."""
    ones, others = runs.get((case, name), ()), runs.get((case, other), ())
    values = [getattr(one, what) / getattr(another, what) for one, another in zip(ones, others, strict=False)]
    return statistics.median(values) if values else None


def print_table(runs: Runs) -> None:
    """Medians of each system under each case, and what ours are to the others: of rates, then of CPU time a span."""
    print(f"\n{HEAD}  to the others: of spans/s, of spans a second of CPU time")
    for case, name in sorted(runs):
        beside = "  ".join(_beside(runs, case, name)) if name in OURS else ""
        print(f"{case!s} {name:9} {_row(runs[case, name])}  {beside}")


def _beside(runs: Runs, case: Case, name: str) -> Iterator[str]:
    others = ["nginx"] if name == "plain" else ["rotel", "collector", "transform"]
    if name == "durable":
        others.insert(0, "memory")
    for other in others:
        faster, cheaper = ratio(runs, case, name, other), ratio(runs, case, other, name, "cpu_microseconds")
        if faster is not None and cheaper is not None:
            yield f"{other} {faster:.2f}, {cheaper:.2f}"
