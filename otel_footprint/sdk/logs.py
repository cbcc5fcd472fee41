"""Log records of the application: what runtimes tell of their calls outside the spans joins the explanation."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any, Final, Protocol

from opentelemetry.sdk._logs import LogRecordProcessor

from otel_footprint.dialects.logs import recognise_log
from otel_footprint.logview import LogView, sdk_log

MAX_RECORDS: Final = 4_096
"""Records that wait for the next export; the oldest goes first."""


class TakesLogs(Protocol):
    """What a :class:`FootprintLogRecordProcessor` hands its records to."""

    def add_log(self, record: Any) -> None:
        """Take a record of the SDK; never raises."""


class FootprintLogRecordProcessor(LogRecordProcessor):
    """Shows the log records of a ``LoggerProvider`` to the exporter that explains the turns.

    Add it beside the processors that export the records: it changes none and exports none. A record joins its span
    or call when that is explained, so the spans have to go through ``footprint``.

    Args:
        footprint: the :class:`FootprintSpanProcessor` or :class:`FootprintSpanExporter` of the spans.
    """

    def __init__(self, footprint: TakesLogs) -> None:
        self._footprint = footprint

    def on_emit(self, log_record: Any) -> None:
        """Keep a copy of what is read, if the record tells of a call or a turn."""
        self._footprint.add_log(log_record)

    emit = on_emit
    """The hook's name before SDK 1.31."""

    def shutdown(self) -> None:
        """Nothing is held here."""

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Nothing is held here."""
        del timeout_millis
        return True


class Inbox:
    """Records between the application's threads and the exporter's.

    Its lock is held for a few steps of its own and never while anything else runs. It may be entered again by the
    thread that has it, as when collecting garbage logs something.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._lock = threading.RLock()
        self._waiting: deque[tuple[LogView, int]] = deque()
        self._bytes = 0
        self.lost = 0
        """Records that were given up because too many waited."""

    def put(self, record: Any) -> None:
        """Keep a record that tells something; any other costs only the look at its name."""
        if recognise_log(sdk_log(record, copy=False)) is None:
            return
        view = sdk_log(record)
        size = view.size()
        with self._lock:
            self._waiting.append((view, size))
            self._bytes += size
            while self._waiting and (len(self._waiting) > MAX_RECORDS or self._bytes > self._max_bytes):
                self._bytes -= self._waiting.popleft()[1]
                self.lost += 1

    def take(self) -> list[LogView]:
        """What waits, in the order in which it came."""
        if not self._waiting:
            return []
        with self._lock:
            taken = [view for view, _ in self._waiting]
            self._waiting.clear()
            self._bytes = 0
        return taken
