"""The thread that folds, so that a turn of many thousand calls keeps no request waiting."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable
from typing import Final

from otel_footprint.sidecar.fold_counts import FoldStatistics
from otel_footprint.sidecar.holding import TurnHolder
from otel_footprint.sidecar.holding_statistics import HoldingStatistics

TICK_SECONDS: Final = 0.2
"""How often it is looked at what is due."""
_GATHER_SECONDS: Final = 0.002
"""How long it is waited for more to fold: a change of threads costs as much as a small request."""


class FoldThread:
    """Drives a holder, which nobody else may touch while it runs.

    Args:
        holder: what is driven.
        woken: called in the event loop's thread after something may have been written to the queue.
        tick_seconds: how often it is looked at what is due.
    """

    def __init__(self, holder: TurnHolder, woken: Callable[[], None], *, tick_seconds: float = TICK_SECONDS) -> None:
        self._holder = holder
        self._woken = woken
        self._tick_seconds = tick_seconds
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="footprint-fold", daemon=True)
        self._loop = asyncio.get_running_loop()
        self._statistics = self._snapshot()

    def start(self) -> None:
        """Fold from now on."""
        self._thread.start()

    async def end(self, timeout_seconds: float) -> bool:
        """Fold no more; ``False`` if what is being folded takes longer than the time there is."""
        self._ending.set()
        self._holder.backlog.news.set()
        await asyncio.to_thread(self._thread.join, timeout_seconds)
        return not self._thread.is_alive()

    def statistics(self) -> tuple[HoldingStatistics, FoldStatistics]:
        """The snapshot of the last look at the clock; of now, when it does not run."""
        return self._statistics if self._thread.is_alive() else self._snapshot()

    def _snapshot(self) -> tuple[HoldingStatistics, FoldStatistics]:
        return self._holder.statistics(), self._holder.fold_counts.statistics()

    def _run(self) -> None:
        news, holder = self._holder.backlog.news, self._holder
        next_tick = time.monotonic()
        while not self._ending.is_set():
            if news.wait(max(next_tick - time.monotonic(), 0.0)):
                self._ending.wait(_GATHER_SECONDS)
                news.clear()
            with holder.errors.handle_internal_errors("work"):
                # what comes without end must not keep what is due from going
                holder.work(max(next_tick, time.monotonic() + self._tick_seconds / 2))
                if holder.backlog.waiting_bytes:
                    news.set()
                if time.monotonic() >= next_tick:
                    next_tick = time.monotonic() + self._tick_seconds
                    holder.tick()
                    self._statistics = self._snapshot()
            with contextlib.suppress(RuntimeError):
                # the loop is closed when the end did not wait for what was being explained
                self._loop.call_soon_threadsafe(self._woken)
