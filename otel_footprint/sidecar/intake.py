"""What every receiver does with a request once it has its bytes: it is stored or refused, and nothing in between."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from otel_footprint.sidecar.log_taking import LogTaker
from otel_footprint.sidecar.queue import SIGNALS, NewEntry, Queue, QueueBrokenError, QueueFullError, Signal
from otel_footprint.sidecar.refusals import RefusedError, malformed, too_large, unwanted
from otel_footprint.sidecar.requests import count_items
from otel_footprint.sidecar.slicing import at_once, in_slices
from otel_footprint.sidecar.taking import MAX_WAITING_BYTES, BehindError, TraceTaker
from otel_footprint.sidecar.wire import MalformedError

SMALL_BYTES: Final = 16 * 1024
"""A request up to this size is taken at once."""
RETRY_SECONDS: Final = 5
"""When a sender is to try again after a refusal that is nobody's fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeStatistics:
    """Totals since the start."""

    requests: dict[Signal, int]
    """Requests that were stored."""
    items: dict[Signal, int]
    """Spans, metrics and log records in them."""
    bytes: dict[Signal, int]
    """Their bytes, uncompressed."""
    malformed: int
    """Requests refused since they are none."""
    unwanted: int
    """Requests that went no further since no destination takes their signal; what logs tell of turns was read."""
    pressed: int
    """Requests refused for now, since there is no room or the sidecar is about to end."""


class Intake:
    """Stores requests.

    Args:
        traces: where requests for traces go.
        logs: where requests for logs go.
        queue: where those for metrics go.
    """

    def __init__(self, traces: TraceTaker, logs: LogTaker, queue: Queue) -> None:
        self._traces = traces
        self._logs = logs
        self._queue = queue
        self.stored: Callable[[], None] = lambda: None
        """Called after something was stored."""
        self._requests: dict[Signal, int] = dict.fromkeys(SIGNALS, 0)
        self._items: dict[Signal, int] = dict.fromkeys(SIGNALS, 0)
        self._bytes: dict[Signal, int] = dict.fromkeys(SIGNALS, 0)
        self.wanted: frozenset[Signal] = frozenset(SIGNALS)
        """Signals that a destination takes."""
        self._malformed = 0
        self._unwanted = 0
        self._pressed = 0
        self._open = True
        self._one_large = asyncio.Lock()
        self._large_bytes = 0

    @property
    def open(self) -> bool:
        """Whether requests are taken."""
        return self._open

    def close(self) -> None:
        """Take nothing any more; senders are told to try again."""
        self._open = False

    async def take(self, signal: Signal, body: bytes) -> int:
        """Store a request. Large ones are taken one at a time and in slices, so that small ones go by in between.

        Args:
            signal: what it exports.
            body: its bytes, protobuf and not compressed.

        Returns:
            How many of its items go no further, which the sender is told: log records that no destination takes, and
            that were read for what they tell of turns.

        Raises:
            RefusedError: it was not stored.
        """
        try:
            if not self._open:
                raise self.pressed("the sidecar is ending")
            owed = signal in self.wanted
            self._unwanted += not owed
            if not owed and signal != "logs":
                raise unwanted(signal)
            items = await self._stored(signal, body)
        except MalformedError as error:
            raise malformed(str(error)) from None
        except QueueFullError:
            room = self._queue.statistics().capacity_bytes
            if len(body) > room:
                # there will never be any for it, and a sender that comes again and again sends nothing else
                raise too_large(room) from None
            raise self.pressed("the queue is full, since a destination takes less than what comes") from None
        except BehindError:
            raise self.pressed("turns come faster than they are explained") from None
        except QueueBrokenError:
            self._pressed += 1
            raise RefusedError(
                "UNAVAILABLE", 503, "the queue's store cannot be written; see the sidecar's log", RETRY_SECONDS
            ) from None
        self._requests[signal] += 1
        self._items[signal] += items
        self._bytes[signal] += len(body)
        self.stored()
        return 0 if owed else items

    def refused(self, refusal: RefusedError) -> None:
        """Count a request that a receiver refuses."""
        self._malformed += refusal.is_malformed

    def pressed(self, why: str) -> RefusedError:
        """A refusal that asks the sender to come again; it is counted."""
        self._pressed += 1
        return RefusedError("RESOURCE_EXHAUSTED", 503, f"{why}; try again later", RETRY_SECONDS)

    async def _stored(self, signal: Signal, body: bytes) -> int:
        if signal == "metrics":
            items = count_items(body)
            self._queue.put([NewEntry(signal=signal, body=body, items=items)])
            return items
        steps = self._traces.take(body) if signal == "traces" else self._logs.take(body, owed=signal in self.wanted)
        if len(body) <= SMALL_BYTES:
            return at_once(steps)
        if self._large_bytes and self._large_bytes + len(body) > MAX_WAITING_BYTES:
            raise self.pressed("too many large requests are being taken")
        self._large_bytes += len(body)
        try:
            async with self._one_large:
                return await in_slices(steps)
        finally:
            self._large_bytes -= len(body)

    def statistics(self) -> IntakeStatistics:
        """A snapshot."""
        return IntakeStatistics(
            requests=dict(self._requests),
            items=dict(self._items),
            bytes=dict(self._bytes),
            malformed=self._malformed,
            unwanted=self._unwanted,
            pressed=self._pressed,
        )
