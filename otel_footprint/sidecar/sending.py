"""Sending what is in the queue to one destination, until it is taken or refused for good."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from otel_footprint.sidecar.outcomes import Outcome, Transport
from otel_footprint.sidecar.queue import Entry, Queue, QueueError, Signal
from otel_footprint.sidecar.requests import count_items
from otel_footprint.sidecar.settings import Retry
from otel_footprint.sidecar.splitting import split, unexplained
from otel_footprint.sidecar.wire import MalformedError

_log = logging.getLogger("otel_footprint.sidecar")

_GATHER_SECONDS: Final = 0.003
"""How long small requests are waited for that can join the first one."""
_LOG_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SendingStatistics:
    """A snapshot, and the totals since the start, of one destination."""

    requests: int
    """Requests that were taken."""
    items: int
    """Spans, metrics and log records that were taken, those that the backend rejected included."""
    bytes: int
    """The requests' bytes before compression."""
    rejected: int
    """Items that the backend said it left out of a request that it took."""
    refused: int
    """Items that the backend refused for good; they are lost to it."""
    stripped: int
    """Requests sent without our events, since they were too large with them."""
    retries: int
    """Tries after a refusal for now or without an answer."""
    waiting: int
    """Requests between two tries."""
    failing: str
    """What the last try came to while none is taken, refusals for good included; empty when all is well."""


@dataclass(slots=True)
class _Totals:
    requests: int = 0
    items: int = 0
    bytes: int = 0
    rejected: int = 0
    refused: int = 0
    stripped: int = 0
    retries: int = 0
    waiting: int = 0
    failing: str = ""


@dataclass(slots=True)
class _Sent:
    """What became of one body."""

    any_taken: bool = False
    """Whether a part of it was taken."""
    refused: str | None = None
    """Why a part of it was refused; ``None`` if none was."""
    lost: int = 0
    """Items in the parts that were refused."""
    given_up: bool = False


class Sender:
    """Sends the entries of a queue to one destination, several at a time, in about the order they came.

    Args:
        name: the destination, as the queue and the log know it.
        queue: what is read, and told what was taken.
        transport: how it is sent.
        signals: which signals go there.
        max_bytes: how large a request may be; smaller entries are sent together up to it.
        retry: how long it is waited between tries, and when a request is given up.
        concurrency: requests of a signal on their way at a time.
        sleep: waits a number of seconds.
        chance: a number from 0 to 1, by which waits differ.
    """

    def __init__(  # noqa: PLR0913 - one value each, by keyword
        self,
        name: str,
        queue: Queue,
        transport: Transport,
        *,
        signals: Sequence[Signal],
        max_bytes: int,
        retry: Retry | None = None,
        concurrency: int = 4,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = name
        self._queue = queue
        self.transport = transport
        """How it is sent."""
        self.settled: Callable[[], None] = lambda: None
        """Called after entries were taken or refused."""
        self._signals = tuple(signals)
        self._max_bytes = max_bytes
        self._retry = retry or Retry()
        self._concurrency = concurrency
        self._sleep = sleep
        self._chance = chance
        self._clock = clock
        self._news: dict[Signal, asyncio.Event] = {}
        self._read_to: dict[Signal, int] = dict.fromkeys(self._signals, 0)
        self._busy = 0
        self._totals = _Totals()
        self._said: dict[str, float] = {}

    def wake(self) -> None:
        """There may be something new in the queue."""
        for news in self._news.values():
            news.set()

    async def run(self) -> None:
        """Send for ever; ends by being cancelled."""
        try:
            async with asyncio.TaskGroup() as workers:
                for signal in self._signals:
                    self._news[signal] = asyncio.Event()
                    turn = asyncio.Lock()
                    for _ in range(self._concurrency):
                        workers.create_task(self._work(signal, turn))
        finally:
            await self.transport.close()

    @property
    def idle(self) -> bool:
        """Everything in the queue that is meant for this destination was taken or refused."""
        return not self._busy and not any(self._peek(signal) for signal in self._signals)

    def statistics(self) -> SendingStatistics:
        """A snapshot."""
        totals = self._totals
        return SendingStatistics(
            requests=totals.requests,
            items=totals.items,
            bytes=totals.bytes,
            rejected=totals.rejected,
            refused=totals.refused,
            stripped=totals.stripped,
            retries=totals.retries,
            waiting=totals.waiting,
            failing=totals.failing,
        )

    # -- reading

    async def _work(self, signal: Signal, turn: asyncio.Lock) -> None:
        while True:
            async with turn:
                entries = await self._next(signal)
                self._busy += 1
            try:
                while not await self._delivered(signal, entries):
                    await self._sleep(self._retry.max_seconds)
            finally:
                self._busy -= 1
                self.settled()

    async def _next(self, signal: Signal) -> list[Entry]:
        """The next entries that fit one request; waits until there is one."""
        news = self._news[signal]
        waited = False
        while True:
            news.clear()
            entries = self._peek(signal)
            if entries and (not waited or sum(len(entry.body) for entry in entries) >= self._max_bytes // 2):
                self._read_to[signal] = entries[-1].id
                return entries
            if entries:
                # Small requests come in swarms, and one that is sent for many costs a fraction.
                waited = False
                await asyncio.sleep(_GATHER_SECONDS)
            else:
                waited = True
                await news.wait()

    def _peek(self, signal: Signal) -> list[Entry]:
        try:
            return self._queue.peek(
                signal, max_bytes=self._max_bytes, after_id=self._read_to[signal], destination=self.name
            )
        except QueueError as error:
            self._say("queue", f"the queue cannot be read: {error}")
            return []

    # -- sending

    async def _delivered(self, signal: Signal, entries: Sequence[Entry]) -> bool:
        try:
            await self._deliver(signal, entries)
        except Exception as error:  # noqa: BLE001 - an error of ours must not end the sending of all the rest
            self._say("error", f"an error inside of the sidecar, it is tried again: {type(error).__name__}")
            return False
        return True

    async def _deliver(self, signal: Signal, entries: Sequence[Entry]) -> None:
        """Send entries until each is taken or refused for good, and tell the queue."""
        body = entries[0].body if len(entries) == 1 else b"".join(entry.body for entry in entries)
        found = await self._send(signal, body)
        if found.refused is None or found.given_up or len(entries) == 1:
            self._settle(signal, entries, found)
            return
        # One entry that the backend does not take must cost nobody else.
        for entry in entries:
            self._settle(signal, [entry], await self._send(signal, entry.body))

    def _settle(self, signal: Signal, entries: Sequence[Entry], found: _Sent) -> None:
        items = sum(entry.items for entry in entries)
        refused = min(found.lost, items) if found.any_taken or found.refused is None else items
        self._totals.items += items - refused
        if found.refused is not None:
            self._totals.refused += refused
            why = f"given up: {found.refused}" if found.given_up else found.refused
            self._say(f"refused {signal}", f"{refused} items of {signal} were refused for good: {why}")
        try:
            self._queue.acknowledge(self.name, [entry.id for entry in entries])
        except QueueError as error:
            self._say("queue", f"the queue could not note what was taken, and will be told again: {error}")

    async def _send(self, signal: Signal, body: bytes) -> _Sent:
        """Send one body, in several requests if it is too large."""
        parts = split(body, self._max_bytes)
        sent = _Sent()
        while parts:
            part = parts.pop(0)
            smaller = self._stripped(signal, part) if len(part) > self._max_bytes else part
            outcome = await self._until_decided(signal, smaller)
            if outcome.kind == "again":
                # what is left waited as long, and would be given up after as long again
                sent.refused, sent.given_up = outcome.message, True
                sent.lost += sum(map(_items, [smaller, *parts]))
                break
            if outcome.kind in {"too-large", "unwritable"}:
                halves = split(smaller, len(smaller) // 2)
                if (
                    len(halves) == 1
                    and outcome.kind == "too-large"
                    and (stripped := self._stripped(signal, smaller)) != smaller
                ):
                    halves = [stripped]
                elif len(halves) == 1:
                    halves = []
                if halves:
                    parts[:0] = halves
                    continue
            if outcome.kind == "taken":
                sent.any_taken = True
            else:
                sent.refused = outcome.message
                sent.lost += _items(smaller)
        return sent

    def _stripped(self, signal: Signal, body: bytes) -> bytes:
        if signal != "traces":
            return body
        stripped = unexplained(body)
        self._totals.stripped += stripped != body
        return stripped

    async def _until_decided(self, signal: Signal, body: bytes) -> Outcome:
        """Try until the backend takes the request, refuses it for good, or it is given up, which is ``again``."""
        retry = self._retry
        longest = retry.initial_seconds
        began = self._clock()
        while True:
            outcome = await self.transport.send(signal, body)
            self._totals.failing = "" if outcome.kind == "taken" else outcome.message
            if outcome.kind != "again":
                break
            if retry.give_up_seconds is not None and self._clock() - began >= retry.give_up_seconds:
                return outcome
            self._say(f"again {signal}", f"{signal} were not taken, they are sent again: {outcome.message}")
            wait = longest * self._chance()
            if outcome.wait_seconds is not None:
                # never before the backend asks for it, and not everybody at that very moment
                wait += outcome.wait_seconds
            longest = min(2 * longest, retry.max_seconds)
            self._totals.waiting += 1
            try:
                await self._sleep(wait)
            finally:
                self._totals.waiting -= 1
            self._totals.retries += 1
        if outcome.kind == "taken":
            self._totals.requests += 1
            self._totals.bytes += len(body)
            self._totals.rejected += outcome.rejected
            if outcome.rejected:
                self._say(
                    f"rejected {signal}", f"{outcome.rejected} items of {signal} were rejected: {outcome.message}"
                )
        return outcome

    def _say(self, what: str, message: str) -> None:
        """One line a minute for each kind of trouble."""
        now = self._clock()
        if now - self._said.get(what, -_LOG_SECONDS) >= _LOG_SECONDS:
            self._said[what] = now
            _log.warning("destination %s: %s", self.name, message)


def _items(body: bytes) -> int:
    try:
        return count_items(body)
    except MalformedError:
        return 0
