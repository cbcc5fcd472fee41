"""The sidecar as a whole: started in order, ended in the opposite one, no task left behind."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from otel_footprint.sidecar.fold_counts import FoldStatistics
from otel_footprint.sidecar.folding import TICK_SECONDS, FoldThread
from otel_footprint.sidecar.grpc_server import GrpcReceiver
from otel_footprint.sidecar.holding import TurnHolder
from otel_footprint.sidecar.holding_statistics import HoldingStatistics
from otel_footprint.sidecar.http_server import HttpReceiver
from otel_footprint.sidecar.intake import Intake, IntakeStatistics
from otel_footprint.sidecar.listening import HttpServer
from otel_footprint.sidecar.queue import Queue, QueueStatistics
from otel_footprint.sidecar.reporting import Reporter
from otel_footprint.sidecar.sending import Sender, SendingStatistics

_log = logging.getLogger("otel_footprint.sidecar")


@dataclass(frozen=True, slots=True, kw_only=True)
class SidecarStatistics:
    """A snapshot of all parts."""

    uptime_seconds: float
    ready: bool
    intake: IntakeStatistics
    holding: HoldingStatistics
    fold: FoldStatistics
    queue: QueueStatistics
    destinations: dict[str, SendingStatistics]


@dataclass(slots=True, kw_only=True)
class Sidecar:
    """The parts, and how long the end may take.

    :meth:`run` is a block: when it is left, everything was sent or lies in the queue, and nothing of it runs any more.
    """

    queue: Queue
    holder: TurnHolder
    intake: Intake
    http: list[tuple[HttpServer, Sequence[socket.socket]]] = field(default_factory=list)
    """HTTP servers, each with the sockets that it listens on."""
    http_receivers: list[HttpReceiver] = field(default_factory=list)
    grpc: list[GrpcReceiver] = field(default_factory=list)
    reporter: Reporter | None = None
    """Sends the statistics, if they are to be sent."""
    drain_seconds: float = 20.0
    """How long the end may take: requests that run, and what is in the queue."""
    tick_seconds: float = TICK_SECONDS
    clock: Callable[[], float] = time.monotonic
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    """Set to end :meth:`run`."""
    started: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once requests are taken."""
    _senders: dict[str, Sender] = field(default_factory=dict)
    _sending: asyncio.TaskGroup | None = None
    _tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _folding: FoldThread | None = None
    _started_at: float = 0.0
    _end: float = 0.0

    def __post_init__(self) -> None:
        self.intake.stored = self.wake

    @property
    def senders(self) -> Sequence[Sender]:
        """One for each destination."""
        return tuple(self._senders.values())

    def send_with(self, senders: Sequence[Sender]) -> None:
        """Send with these from now on; the others end, and what they had not sent yet is in the queue."""
        new = {sender.name: sender for sender in senders}
        for name, sender in self._senders.items():
            if new.get(name) is not sender and name in self._tasks:
                self._tasks.pop(name).cancel()
        self._senders = new
        if self._sending is not None:
            for name, sender in new.items():
                if name not in self._tasks:
                    self._tasks[name] = self._sending.create_task(sender.run())

    def wake(self) -> None:
        """Something was stored."""
        for sender in self._senders.values():
            sender.wake()

    async def run(self) -> None:
        """Run until :attr:`stopping` is set."""
        self._started_at = self.clock()
        waiting = self.holder.replay()
        if waiting:
            _log.info("%d turns' spans wait again that an earlier run held", waiting)
        try:
            async with asyncio.TaskGroup() as self._sending:
                self.send_with(self.senders)
                self._folding = FoldThread(self.holder, self.wake, tick_seconds=self.tick_seconds)
                self._folding.start()
                try:
                    await self._serve()
                finally:
                    self.intake.close()
                    await self._drain(self._folding)
                    for task in self._tasks.values():
                        task.cancel()
        finally:
            self._sending = None
            self.queue.close()

    async def _serve(self) -> None:
        async with asyncio.TaskGroup() as receivers:
            background: list[asyncio.Task[None]] = []
            if self.reporter is not None:
                background.append(receivers.create_task(self.reporter.run()))
            for server, sockets in self.http:
                receivers.create_task(server.run_on(sockets))
            for receiver in self.grpc:
                await receiver.start()
            for server, _ in self.http:
                await server.listening.wait()
            self.started.set()
            await self.stopping.wait()
            self._end = self.clock() + self.drain_seconds
            for server, _ in self.http:
                server.end()
            await asyncio.gather(*(receiver.stop(self.drain_seconds / 2) for receiver in self.grpc))
            for task in background:
                task.cancel()

    async def _drain(self, folding: FoldThread) -> None:
        """End what waits, and wait until every sender has nothing left, or the time is up."""
        if await folding.end(max(self._end - self.clock(), 0.0)):
            self.holder.work()
            self.holder.close()
        else:
            _log.warning("a turn was still being explained; the spans that it and others waited for were not sent")
        self.wake()
        progress = asyncio.Event()
        for sender in self.senders:
            sender.settled = progress.set
        while (left := self._end - self.clock()) > 0 and not self._is_drained:
            progress.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(progress.wait(), left)
            if not self.holder.written:
                self.holder.tick()
                self.wake()
        unsent = sum(self.queue.statistics().items.values())
        if unsent:
            kept = self.queue.statistics().survives != "nothing"
            _log.warning("%d items were not sent; %s", unsent, "the queue keeps them" if kept else "they are lost")

    @property
    def _is_drained(self) -> bool:
        return self.holder.written and all(sender.idle for sender in self.senders)

    @property
    def ready(self) -> bool:
        """Whether requests are taken."""
        return self.started.is_set() and self.intake.open and not self.stopping.is_set()

    def statistics(self) -> SidecarStatistics:
        """A snapshot."""
        holder = self.holder
        holding, fold = (
            self._folding.statistics()
            if self._folding is not None
            else (holder.statistics(), holder.fold_counts.statistics())
        )
        return SidecarStatistics(
            uptime_seconds=self.clock() - self._started_at,
            ready=self.ready,
            intake=self.intake.statistics(),
            holding=holding,
            fold=fold,
            queue=self.queue.statistics(),
            destinations={sender.name: sender.statistics() for sender in self.senders},
        )
