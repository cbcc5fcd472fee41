"""The queue between the receivers and the senders: on disk, or in memory where there is no directory."""

from __future__ import annotations

from otel_footprint.sidecar.queue._lmdb import LmdbQueue
from otel_footprint.sidecar.queue._memory import MemoryQueue
from otel_footprint.sidecar.queue._opening import open_queue
from otel_footprint.sidecar.queue._protocol import (
    MAX_DESTINATIONS,
    SIGNALS,
    Entry,
    Fsync,
    NewEntry,
    Queue,
    QueueBrokenError,
    QueueError,
    QueueFullError,
    QueueStatistics,
    Signal,
    Survives,
)

__all__ = [
    "MAX_DESTINATIONS",
    "SIGNALS",
    "Entry",
    "Fsync",
    "LmdbQueue",
    "MemoryQueue",
    "NewEntry",
    "Queue",
    "QueueBrokenError",
    "QueueError",
    "QueueFullError",
    "QueueStatistics",
    "Signal",
    "Survives",
    "open_queue",
]
