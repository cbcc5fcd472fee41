"""Sends export requests to a system under test: as fast as it answers, or at a rate of its own."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import aiohttp
import grpc

from benchmarks.sidecar_systems import LOOK_SECONDS, Running

CONNECTIONS: Final = 4
_SERVICE: Final = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
_OK: Final = 200
_BUSY: Final = frozenset({429, 503})
_BUSY_CODES: Final = frozenset(
    {grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}
)
"""The last is what gRPC's server itself gives where too many requests wait for it; OTLP has all three tried again."""

Send = Callable[[bytes], Awaitable[bool]]
"""Send a request and wait for its answer; whether it was taken, and not refused for now."""


@asynccontextmanager
async def sender(protocol: str, running: Running) -> AsyncIterator[Send]:
    """What sends over ``http`` or ``grpc``; over HTTP with as many connections as requests are under way."""
    port = running.ports.http if protocol == "http" else running.ports.grpc
    async with over_http(port) if protocol == "http" else _over_grpc(port) as send:
        yield send


@asynccontextmanager
async def over_http(port: int) -> AsyncIterator[Send]:
    """What sends to a port over HTTP."""
    headers = {"content-type": "application/x-protobuf"}
    async with aiohttp.ClientSession(headers=headers, connector=aiohttp.TCPConnector(limit=0)) as session:

        async def send(body: bytes) -> bool:
            async with session.post(f"http://127.0.0.1:{port}/v1/traces", data=body) as answer:
                said = await answer.read()
            if answer.status not in {_OK, *_BUSY}:
                raise RuntimeError(f"{answer.status} {said!r}")
            return answer.status == _OK

        yield send


@asynccontextmanager
async def _over_grpc(port: int) -> AsyncIterator[Send]:
    options = [("grpc.use_local_subchannel_pool", 1)]
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=options) as channel:
        export: Any = channel.unary_unary(_SERVICE)

        async def send(body: bytes) -> bool:
            try:
                await export(body)
            except grpc.aio.AioRpcError as error:
                if error.code() not in _BUSY_CODES:
                    raise
                return False
            return True

        yield send


async def as_fast_as_answered(bodies: Sequence[bytes], protocol: str, running: Running) -> list[float]:
    """Send all the requests over some connections, refused ones again; milliseconds to each answer."""
    waiting = iter(bodies)
    took: list[float] = []

    async def one(send: Send) -> None:
        for body in waiting:
            taken = False
            while not taken:
                begin = time.perf_counter()
                taken = await send(body)
                took.append((time.perf_counter() - begin) * 1e3)
                if not taken:
                    await asyncio.sleep(LOOK_SECONDS)

    async with AsyncExitStack() as open_:
        senders = [await open_.enter_async_context(sender(protocol, running)) for _ in range(CONNECTIONS)]
        await asyncio.gather(*map(one, senders))
    return took


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One request of a load at a rate; times are of :func:`time.perf_counter`."""

    due: float
    """When it was to be sent."""
    sent: float
    """When it was: later if the load itself could not keep its rate."""
    came: float
    """When its answer was there."""
    taken: bool
    """Whether it was taken, and not refused for now."""


async def at_rate(bodies: Sequence[bytes], seconds: float, send: Send) -> list[Answer]:
    """Send a request every so many seconds, whether others were answered or not."""
    first = time.perf_counter() + LOOK_SECONDS

    async def one(body: bytes, due: float) -> Answer:
        sent = time.perf_counter()
        taken = await send(body)
        return Answer(due=due, sent=sent, came=time.perf_counter(), taken=taken)

    tasks = []
    for number, body in enumerate(bodies):
        due = first + number * seconds
        await asyncio.sleep(max(due - time.perf_counter(), 0))
        tasks.append(asyncio.create_task(one(body, due)))
    return await asyncio.gather(*tasks)


def percentiles(values: Sequence[float]) -> tuple[float, float]:
    """The 50th and the 99th; of less than a hundred values, the 99th is nearly the largest."""
    return statistics.median(values), statistics.quantiles(values, n=100, method="inclusive")[-1]
