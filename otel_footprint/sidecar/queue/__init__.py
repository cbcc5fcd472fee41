"""The queue between the receivers and the senders: on disk, or in memory where there is no directory."""

from __future__ import annotations

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
    "NewEntry",
    "Queue",
    "QueueBrokenError",
    "QueueError",
    "QueueFullError",
    "QueueStatistics",
    "Signal",
    "Survives",
]
