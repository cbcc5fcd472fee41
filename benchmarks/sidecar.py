"""The sidecar beside its peers under the same load in the same run, its latency at a fixed rate, and its memory.

    python -m benchmarks.sidecar --rotel PATH/rotel-agent --collector .cache/collector --nginx nginx

The system under test runs on core 0, the load and the backend on core 1. Every case is run in every round, each system
under it in turn, and ratios are medians of the rounds' ratios: on a busy machine only they mean something. A run ends
when every span is in the backend. All but `plain` compress what they send with gzip, since rotel always does; nginx
passes bytes on, so that it is what `plain` is compared with. The Collector runs twice: from OTLP to OTLP, and with a
transform processor that sets an attribute on each turn's span, since OTTL has no way to add an event.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from benchmarks import sidecar_latency as latency
from benchmarks import sidecar_memory as memory
from benchmarks import sidecar_throughput as throughput
from benchmarks.sidecar_systems import LOAD_CORE, found
from benchmarks.sidecar_throughput import Case, Runs
from benchmarks.sidecar_workload import MIXES

PARTS: Final = "throughput", "latency", "memory"
BINARIES: Final = "rotel", "collector", "nginx"
SIZES: Final = 512, throughput.SMALL

_RATIOS: Final = (
    ("http", 512, "agent", "memory", "rotel", 2.0),
    ("http", 512, "mixed", "memory", "rotel", 3.5),
    ("http", 512, "none", "memory", "rotel", 5.0),
    ("grpc", 512, "agent", "memory", "rotel", 1.7),
    ("grpc", 512, "mixed", "memory", "rotel", 3.0),
    ("grpc", 512, "none", "memory", "rotel", 4.0),
    ("http", 10, "agent", "durable", "rotel", 0.75),
    ("http", 10, "mixed", "durable", "rotel", 0.75),
    ("http", 10, "none", "durable", "rotel", 0.75),
    ("http", 512, "agent", "durable", "memory", 0.85),
    ("http", 512, "mixed", "durable", "memory", 0.85),
    ("http", 512, "none", "durable", "memory", 0.85),
    ("http", 512, "none", "plain", "nginx", 0.6),
    ("http", 512, "mixed", "memory", "transform", 1.0),
)
"""What is asked for: of which load, whose rate to whose, and at least how much."""
LATENCY_MILLISECONDS: Final = 10.0
CALL_BYTES: Final = 1024
RESIDENT_MIB: Final = 120e6 / memory.MIB


def main() -> None:
    """Run what is asked for; print each figure as it is there, then tables and what is asked for beside it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in BINARIES:
        parser.add_argument(f"--{name}", help="the binary of this peer, which is run beside the sidecar")
    parser.add_argument("--part", choices=PARTS, action="append", help="only this; all by default")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--mix", choices=MIXES, action="append")
    parser.add_argument("--protocol", choices=["http", "grpc"], action="append")
    parser.add_argument(
        "--spans", type=int, action="append", help="spans a request; by default 512 and 10, and for latency 512 and 50"
    )
    parser.add_argument("--requests", type=int, default=0, help="requests a run; by default what takes a second or two")
    chosen = parser.parse_args()
    try:
        peers = found({name: getattr(chosen, name) for name in BINARIES})
    except LookupError as error:
        parser.error(str(error))
    if "collector" in peers:
        peers["transform"] = peers["collector"]
    os.sched_setaffinity(0, {LOAD_CORE})
    parts, protocols = chosen.part or PARTS, chosen.protocol or ("http", "grpc")
    asked: list[str] = []
    if "throughput" in parts:
        cases = [
            Case(protocol=protocol, spans=spans, mix=mix)
            for protocol, spans, mix in itertools.product(protocols, chosen.spans or SIZES, chosen.mix or MIXES)
        ]
        runs = _throughput(cases, peers, chosen.rounds, chosen.requests)
        asked += _ratios(runs)
    if "latency" in parts:
        asked += _latency(chosen.spans or latency.SIZES, protocols, chosen.rounds)
    if "memory" in parts:
        asked += asyncio.run(_memory())
    print("\nasked for", *asked, sep="\n")


def _throughput(cases: Sequence[Case], peers: Mapping[str, str], rounds: int, requests: int) -> Runs:
    runs: Runs = {}
    for number in range(rounds):
        print(f"\nround {number + 1} of {rounds}\n  {throughput.HEAD}", flush=True)
        asyncio.run(throughput.one_round(cases, peers, requests, runs))
    throughput.print_table(runs)
    return runs


def _ratios(runs: Runs) -> Iterator[str]:
    for protocol, spans, mix, name, other, least in _RATIOS:
        case = Case(protocol=protocol, spans=spans, mix=mix)
        reached = throughput.ratio(runs, case, name, other)
        if reached is not None:
            yield _line(f"{case} {name} to {other}", f">= {least}", f"{reached:.2f}", met=reached >= least)


def _latency(sizes: Sequence[int], protocols: Sequence[str], rounds: int) -> Iterator[str]:
    """Every load, and the same without the sidecar over HTTP, since the backend speaks no gRPC."""
    times: dict[latency.Load, list[latency.Times]] = {}
    print(f"\n{latency.SPANS_PER_SECOND} spans/s, 10 % agent, requests without a turn\n{latency.HEAD}", flush=True)
    directly = {size: latency.Load(spans=size, protocol="http", queue=latency.DIRECTLY) for size in sizes}
    through = [latency.Load(spans=size, protocol=protocol, queue="durable") for size in sizes for protocol in protocols]
    for number, load in itertools.product(range(rounds), [*directly.values(), *through]):
        one = asyncio.run(latency.measure(load))
        times.setdefault(load, []).append(one)
        print(f"{latency.row(load, [one])} round {number + 1}", flush=True)
    for load in sorted(times):
        print(f"{latency.row(load, times[load])} all")
    least = f"< {LATENCY_MILLISECONDS:.0f} ms"
    for load in through:
        without = times[directly[load.spans]]
        added = latency.added(times[load], without)
        late = max(latency.late(times[load]), latency.late(without))
        if late < LATENCY_MILLISECONDS:
            yield _line(f"{load} added p99", least, f"{added:.1f} ms", met=added < LATENCY_MILLISECONDS)
        else:
            # what waited in the load waited for nothing of ours
            yield _line(f"{load} added p99", least, f"load {late:.0f} ms late")


async def _memory() -> list[str]:
    asked: list[str] = []
    print("\nmemory of turns that are not over", flush=True)
    one = await memory.growth()
    print(f"an open turn {one.turn:.0f} bytes, a held call {one.call:.0f}, which came as {one.call_on_the_wire:.0f}")
    met = one.call <= CALL_BYTES
    asked.append(_line("a held call", f"<= {CALL_BYTES} bytes", f"{one.call:.0f} bytes", met=met))
    print(f"\n{memory.HEAD}", flush=True)
    for states in (memory.under_way(), memory.states()):
        async for state in states:
            print(state, flush=True)
            if state.queued < memory.NO_BACKLOG_MIB:
                met = state.resident <= RESIDENT_MIB
                asked.append(_line(state.state, f"<= {RESIDENT_MIB:.0f} MiB", f"{state.resident:.0f} MiB", met=met))
    return asked


def _line(what: str, asked: str, reached: str, *, met: bool | None = None) -> str:
    """A row of the last table; without ``met``, it could not be measured."""
    verdict = {True: "met", False: "NOT MET", None: "not measured"}[met]
    return f"{what:58} {asked:>13} {reached:>16} {verdict}"


if __name__ == "__main__":
    main()
