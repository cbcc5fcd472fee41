"""Resident memory of the sidecar: of what it keeps for turns that are not over, with a backlog, and with none."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import aiohttp
from prometheus_client.parser import text_string_to_metric_families

from benchmarks.sidecar_load import Send, as_fast_as_answered, at_rate, over_http
from benchmarks.sidecar_systems import QUIET_SECONDS, Backend, Running, sidecar
from benchmarks.sidecar_workload import calls, requests

FIRST_TURNS: Final = 2_000
"""They take up what room the process has left over from its start."""
TURNS: Final = 8_000
CALLS: Final = 4
"""More calls of each of these turns."""
STREAM_RATE: Final = 10_000
"""Spans a second."""
STREAM_SECONDS: Final = 60
STREAM_PARTS: Final = 3
NO_BACKLOG_MIB: Final = 2
"""What is on its way at any time lies in the queue too."""
MIB: Final = 1 << 20
_KEPT_REQUESTS_BYTES: Final = 20 * MIB
"""More than the sidecar keeps of the last requests in any case, so that those are no part of the growth."""
_SETTLE_SECONDS: Final = 120.0
_ROOM: Final = """\
footprint: {max_open_turns: 100000, max_bytes: 1073741824}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """What was kept for turns that are not over cost."""

    turn: float
    """Bytes of an open turn, without its calls."""
    call: float
    """Bytes of each of its calls."""
    call_on_the_wire: float
    """Bytes of the same call as it came, protobuf."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resident:
    """One state of a process, in MiB."""

    state: str
    resident: float
    anonymous: float
    """Without the pages of files, which the kernel can take back."""
    queued: float
    """What lies in the queue."""

    def __str__(self) -> str:
        return f"{self.state:58} {self.resident:6.0f} {self.anonymous:6.0f} {self.queued:6.0f}"


HEAD: Final = f"{'':58} {'MiB':>6} {'anon.':>6} {'queued':>6}"


async def growth() -> Growth:
    """What an open turn and a held call cost, by what the resident memory grows.

    Raises:
        RuntimeError: something was not kept, so that the growth would say nothing.
    """
    async with Backend().serving() as backend, sidecar(backend, hold=2, more=_ROOM) as running:
        web = requests("none", 10, 1 + _KEPT_REQUESTS_BYTES // len(requests("none", 10, 1)[0]))
        await as_fast_as_answered(web, "http", running)
        await backend.until_arrived(10 * len(web))
        spans = await _keep(calls(FIRST_TURNS, 1), FIRST_TURNS, 0, running)
        before = running.resident_mib()
        spans = await _keep(calls(TURNS, 1), TURNS, spans, running)
        turns = running.resident_mib()
        more = list(calls(TURNS, CALLS))
        await _keep(more, TURNS * CALLS, spans, running)
        end = running.resident_mib()
        found = await _metrics(running)
        if found["footprint_assembler_open_turns"] != FIRST_TURNS + TURNS or found["footprint_assembler_evicted_total"]:
            raise RuntimeError(f"not all turns are open: {found}")
    call = (end - turns) * MIB / (TURNS * CALLS)
    return Growth(
        turn=(turns - before) * MIB / TURNS - call,
        call=call,
        call_on_the_wire=sum(map(len, more)) / (TURNS * CALLS),
    )


async def under_way() -> AsyncIterator[Resident]:
    """A stream that is well within what the sidecar takes: what is resident must not depend on how long it runs."""
    bodies = requests("mixed", 512, round(STREAM_SECONDS * STREAM_RATE / 512))
    async with (
        Backend().serving() as backend,
        sidecar(backend, hold=2) as running,
        over_http(running.ports.http) as send,
    ):
        for part in range(STREAM_PARTS):
            of_part = bodies[part * len(bodies) // STREAM_PARTS : (part + 1) * len(bodies) // STREAM_PARTS]
            await at_rate(of_part, 512 / STREAM_RATE, send)
            seconds = (part + 1) * STREAM_SECONDS / STREAM_PARTS
            yield await _state(f"stream: {seconds:.0f} s of {STREAM_RATE} spans/s, 10 % agent", running)


async def states() -> AsyncIterator[Resident]:
    """A fresh process, after a load with no backlog, and with a backlog in memory and on disk."""
    for queue, room in (("memory", "64MiB"), ("durable", "128MiB")):
        async with Backend().serving() as backend, sidecar(backend, queue=queue, hold=2, room=room) as running:
            yield await _state(f"{queue}: just started", running)
            load = requests("mixed", 512, 60)
            await as_fast_as_answered(load, "http", running)
            await backend.until_arrived(512 * len(load))
            await _until(running, "footprint_holding_held", 0)
            yield await _state(f"{queue}: after {512 * len(load)} spans, 10 % agent, all delivered", running)
            backend.up = False
            async with over_http(running.ports.http) as send:
                await _fill(load, send)
            await _until(running, "footprint_holding_held", 0)
            yield await _state(f"{queue}: a backlog, until senders are refused at {room}", running)


async def _state(state: str, running: Running) -> Resident:
    found = await _metrics(running)
    return Resident(
        state=state,
        resident=running.resident_mib(),
        anonymous=running.resident_mib("RssAnon"),
        queued=found["footprint_queue_bytes"] / MIB,
    )


async def _fill(bodies: Sequence[bytes], send: Send) -> None:
    """Send until a request is refused."""
    number = 0
    while await send(bodies[number % len(bodies)]):
        number += 1


async def _keep(bodies: Iterable[bytes], spans: int, before: int, running: Running) -> int:
    """Send calls until the sidecar has read them and passed them on; how many it has read since its start."""
    await as_fast_as_answered(list(bodies), "http", running)
    await _until(running, "footprint_assembler_spans_total", before + spans)
    await _until(running, "footprint_queue_bytes", 0)
    return before + spans


async def _until(running: Running, name: str, value: float) -> None:
    end = time.monotonic() + _SETTLE_SECONDS
    while (await _metrics(running))[name] != value:
        if time.monotonic() > end:
            raise TimeoutError(f"{name} did not become {value}")
        await asyncio.sleep(QUIET_SECONDS)


async def _metrics(running: Running) -> dict[str, float]:
    """What the sidecar says of itself, by name; of those with labels the sum."""
    url = f"http://127.0.0.1:{running.ports.telemetry}/metrics"
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        text = await answer.text()
    found: dict[str, float] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found[sample.name] = found.get(sample.name, 0) + sample.value
    return found
