"""The numbers that every queue keeps."""

from __future__ import annotations

import logging
from types import MappingProxyType
from typing import Literal

from otel_footprint.sidecar.queue._protocol import SIGNALS, QueueStatistics, Survives
from otel_footprint.sidecar.queue._record import LANES

_log = logging.getLogger("otel_footprint.sidecar")


def say_unowed(entries: int) -> None:
    """Say how many entries went when destinations changed, if any did."""
    if entries:
        _log.warning("%d queued requests are dropped: only destinations that are gone had not taken them", entries)


class Counts:
    """What is there by lane, and the totals. Not thread-safe; a queue counts under its own lock."""

    def __init__(self) -> None:
        self.entries = [0] * len(LANES)
        self.items = [0] * len(LANES)
        self.replayed = 0
        self.put = 0
        self.removed = 0
        self.refused_full = 0
        self.refused_broken = 0
        self.spoiled = 0

    def found(self, lane: int, items: int) -> None:
        """An entry was there when the queue was opened."""
        self.entries[lane] += 1
        self.items[lane] += items
        self.replayed += 1

    def entered(self, lane: int, items: int) -> None:
        """An entry was taken."""
        self.entries[lane] += 1
        self.items[lane] += items
        self.put += 1

    def left(self, lane: int, items: int) -> None:
        """An entry left."""
        self.entries[lane] -= 1
        self.items[lane] -= items
        self.removed += 1

    def statistics(  # noqa: PLR0913 - what only the queue itself knows
        self,
        *,
        store: Literal["lmdb", "memory"],
        survives: Survives,
        problem: str | None,
        set_aside: str | None,
        bytes_: int,
        capacity_bytes: int,
        unremoved: int = 0,
    ) -> QueueStatistics:
        """The snapshot of these and of what the queue tells."""
        return QueueStatistics(
            store=store,
            survives=survives,
            problem=problem,
            set_aside=set_aside,
            entries=MappingProxyType({s: sum(self.entries[2 * n : 2 * n + 2]) for n, s in enumerate(SIGNALS)}),
            items=MappingProxyType({s: sum(self.items[2 * n : 2 * n + 2]) for n, s in enumerate(SIGNALS)}),
            held=sum(self.entries[1::2]),
            bytes=bytes_,
            capacity_bytes=capacity_bytes,
            replayed=self.replayed,
            put=self.put,
            removed=self.removed,
            refused_full=self.refused_full,
            refused_broken=self.refused_broken,
            spoiled=self.spoiled,
            unremoved=unremoved,
        )
