"""The sidecar's own metrics on their way through its own queue."""

from __future__ import annotations

import asyncio
import contextlib
import time
import uuid
from collections import deque
from collections.abc import Callable
from typing import Final

from otel_footprint._version import __version__
from otel_footprint.internal_errors import InternalErrors
from otel_footprint.sidecar.metrics import otlp_request
from otel_footprint.sidecar.queue import NewEntry, Queue, QueueError

MAX_WAITING: Final = 60
"""Reports that wait for a destination; beyond it the oldest goes, so that they never take the room of others."""

_SERVICE: Final = "otel-footprint-sidecar"


class Reporter:
    """Puts the statistics into the queue as a request for metrics, again and again.

    Args:
        snapshot: gives the statistics now.
        queue: where the request goes.
        interval_seconds: how often.
        wanted: whether a destination takes metrics now.
        wall_clock_ns: Unix nanoseconds.
    """

    def __init__(
        self,
        snapshot: Callable[[], object],
        queue: Queue,
        *,
        interval_seconds: float,
        wanted: Callable[[], bool] = lambda: True,
        wall_clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self.errors = InternalErrors("sidecar")
        """Errors of our own while a report was made."""
        self._snapshot = snapshot
        self._queue = queue
        self._interval_seconds = interval_seconds
        self._wanted = wanted
        self._wall_clock_ns = wall_clock_ns
        self._start_ns = wall_clock_ns()
        self._waiting: deque[int] = deque()
        self._resource = {
            "service.name": _SERVICE,
            "service.version": __version__,
            "service.instance.id": str(uuid.uuid4()),
        }

    async def run(self) -> None:
        """Report for ever; ends by being cancelled."""
        while True:
            await asyncio.sleep(self._interval_seconds)
            # metrics that cannot be made must not end the sidecar
            with self.errors.handle_internal_errors("report"):
                self.report()

    def report(self) -> None:
        """Report once. What finds no room is left out: the next report has the totals again."""
        if not self._wanted():
            return
        body = otlp_request(
            self._snapshot(), start_ns=self._start_ns, now_ns=self._wall_clock_ns(), resource=self._resource
        )
        with contextlib.suppress(QueueError):
            self._waiting.extend(self._queue.put([NewEntry(signal="metrics", body=body, items=1)]))
            if len(self._waiting) > MAX_WAITING:
                # mostly it was sent long ago, and then this changes nothing
                self._queue.remove([self._waiting.popleft()])
