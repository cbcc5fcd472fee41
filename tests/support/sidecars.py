"""A sidecar in parts and as a whole, with a clock of its own."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any

import grpc
from aiohttp import web
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from otlp import spans_of

from otel_footprint.config import Config
from otel_footprint.sidecar.assembling import assemble
from otel_footprint.sidecar.grpc_server import SERVICES
from otel_footprint.sidecar.holding import Caps, TurnHolder
from otel_footprint.sidecar.inflate import inflated
from otel_footprint.sidecar.queue import SIGNALS, MemoryQueue, Queue, Signal
from otel_footprint.sidecar.running import Sidecar
from otel_footprint.sidecar.settings import (
    Destination,
    Endpoint,
    GrpcReceiver,
    HttpReceiver,
    Protocol,
    Receivers,
    SidecarSettings,
    Telemetry,
)
from otel_footprint.sidecar.slicing import at_once

PROTOBUF = "application/x-protobuf"
JSON = "application/json"

LATER = (0.3, 1.0, 2.1, 2.5, 8.0, 40.0, 700.0)
"""Seconds at which something may become due, until nothing is held any more."""


class Holding:
    """A holder of turns on a queue; time stands still until it is moved."""

    def __init__(self, config: Config | None = None, queue: Queue | None = None, caps: Caps | None = None) -> None:
        self.now = 0.0
        self.queue = queue or memory_queue()
        config = config or Config(hold_seconds=2.0)
        self.holder = TurnHolder(self.queue, config, caps=caps, clock=lambda: self.now)

    def take(self, *bodies: bytes) -> None:
        """Give requests to the holder."""
        for body in bodies:
            at_once(self.holder.taker.take(body))
            self.holder.work()

    def take_logs(self, *bodies: bytes) -> None:
        """Give requests for logs to the holder."""
        for body in bodies:
            at_once(self.holder.log_taker.take(body))
            self.holder.work()

    def at(self, now: float) -> None:
        """Move the clock and look at what is due."""
        self.now = now
        self.holder.tick()

    def let_go(self) -> None:
        """Let the time pass until nothing is held, and end."""
        start = self.now
        for seconds in LATER:
            self.at(start + seconds)
        self.holder.close()

    @property
    def sent(self) -> list[bytes]:
        """The requests for traces that a sender would send, in their order."""
        return [entry.body for entry in self.queue.peek("traces", max_bytes=2**40)]

    @property
    def sent_logs(self) -> list[bytes]:
        """The requests for logs that a sender would send, in their order."""
        return [entry.body for entry in self.queue.peek("logs", max_bytes=2**40)]

    @property
    def stored_logs(self) -> list[bytes]:
        """The log records that a restart would have."""
        return [entry.body for entry in self.queue.peek("logs", max_bytes=2**40, held=True)]

    @property
    def stored(self) -> list[bytes]:
        """The requests that are held."""
        return [entry.body for entry in self.queue.peek("traces", max_bytes=2**40, held=True)]


def memory_queue(max_bytes: int = 2**30) -> MemoryQueue:
    """A queue that one destination reads."""
    queue = MemoryQueue(max_bytes=max_bytes)
    queue.owe_to({signal: ["backend"] for signal in SIGNALS})
    return queue


class Backend:
    """A real OTLP endpoint over HTTP and gRPC that keeps what it took and answers as it is told."""

    def __init__(self) -> None:
        self.requests: list[tuple[Signal, bytes, Mapping[str, str]]] = []
        """Signal, body as it came but uncompressed, headers."""
        self.answers: list[tuple[int, bytes, Mapping[str, str]]] = []
        """What is answered next over HTTP, before it answers that all is well: status, body, headers."""
        self.port = 0
        self.grpc_port = 0
        self._changed = asyncio.Condition()

    def __call__(self, signal: Signal) -> list[bytes]:
        """The bodies of one signal that were taken."""
        return [body for taken, body, _ in self.requests if taken == signal]

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something is true after a request came."""
        async with self._changed:
            await self._changed.wait_for(holds)

    async def until_spans(self, number: int) -> list[Span]:
        """Wait for a number of spans, and give all that came."""
        await self.until(lambda: len(list(spans_of(*self("traces")))) >= number)
        return list(spans_of(*self("traces")))

    async def _take(self, signal: Signal, body: bytes, headers: Mapping[str, str]) -> None:
        async with self._changed:
            self.requests.append((signal, body, headers))
            self._changed.notify_all()

    async def _post(self, request: web.Request) -> web.Response:
        body = await request.read()
        status, answer, headers = self.answers.pop(0) if self.answers else (200, b"", {})
        if status // 100 == 2:
            signal: Any = request.path.rpartition("/")[2]
            body = inflated(body, request.headers.get("content-encoding", ""), 2**30)
            await self._take(signal, body, {name.lower(): value for name, value in request.headers.items()})
        return web.Response(status=status, body=answer, headers={"content-type": PROTOBUF, **headers})

    def _handler(self, signal: Signal) -> Any:
        async def export(body: bytes, context: Any) -> bytes:
            await self._take(signal, body, dict(context.invocation_metadata()))
            return b""

        return grpc.method_handlers_generic_handler(
            SERVICES[signal], {"Export": grpc.unary_unary_rpc_method_handler(export)}
        )

    @asynccontextmanager
    async def serving(self, *, tls: ssl.SSLContext | None = None, credentials: Any = None) -> AsyncIterator[Backend]:
        """Serve on free ports of the loopback."""
        application = web.Application(client_max_size=2**30)
        application.router.add_post("/{path:.*}", self._post)
        runner = web.AppRunner(application, auto_decompress=False)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
        self.port = runner.addresses[0][1]
        server = grpc.aio.server()
        server.add_generic_rpc_handlers([self._handler(signal) for signal in SIGNALS])
        if credentials is None:
            self.grpc_port = server.add_insecure_port("127.0.0.1:0")
        else:
            self.grpc_port = server.add_secure_port("127.0.0.1:0", credentials)
        await server.start()
        try:
            yield self
        finally:
            await server.stop(None)
            await runner.cleanup()

    def destination(self, protocol: Protocol = "http/protobuf", **changes: Any) -> Destination:
        """The settings of a destination that sends here."""
        port = self.grpc_port if protocol == "grpc" else self.port
        values = {"name": "backend", "compression": "none", "endpoint": f"http://127.0.0.1:{port}", **changes}
        return Destination(protocol=protocol, **values)


class Running:
    """A sidecar that runs, and where."""

    def __init__(self, sidecar: Sidecar) -> None:
        self.sidecar = sidecar
        self.sockets = [listening for _, sockets in sidecar.http for listening in sockets]

    @property
    def url(self) -> str:
        """Of its HTTP receiver."""
        return f"http://127.0.0.1:{self.sockets[0].getsockname()[1]}"

    @property
    def pages(self) -> str:
        """Of its telemetry endpoint."""
        return f"http://127.0.0.1:{self.sockets[-1].getsockname()[1]}"

    @property
    def grpc_target(self) -> str:
        """Of its gRPC receiver."""
        return f"127.0.0.1:{self.sidecar.grpc[0].ports[0]}"


ANYWHERE = Endpoint.parse("127.0.0.1:0")


def settings(*destinations: Destination, **changes: Any) -> SidecarSettings:
    """Settings of a sidecar on free ports of the loopback that holds a turn for no time."""
    values: dict[str, Any] = {
        "receivers": Receivers(grpc=GrpcReceiver(endpoints=(ANYWHERE,)), http=HttpReceiver(endpoints=(ANYWHERE,))),
        "telemetry": Telemetry(endpoint=ANYWHERE),
        "footprint": Config(hold_seconds=0.0),
        "drain_seconds": 5.0,
        **changes,
    }
    return SidecarSettings(destinations=destinations, **values)


@asynccontextmanager
async def running(made: SidecarSettings, *, tick_seconds: float = 0.02) -> AsyncIterator[Running]:
    """A sidecar that takes requests; it ends in order."""
    sidecar = assemble(made)
    sidecar.tick_seconds = tick_seconds
    task = asyncio.create_task(sidecar.run())
    starting = asyncio.create_task(sidecar.started.wait())
    await asyncio.wait([task, starting], return_when=asyncio.FIRST_COMPLETED)
    starting.cancel()
    try:
        yield Running(sidecar)
    finally:
        sidecar.stopping.set()
        await task


def run(coroutine: Coroutine[Any, Any, None], *, seconds: float = 60) -> None:
    """Run a test to its end; one that takes longer hangs, and fails."""
    asyncio.run(asyncio.wait_for(coroutine, seconds))
