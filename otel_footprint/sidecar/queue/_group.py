"""Group commit: changes that wait together become one transaction."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from otel_footprint.sidecar.queue._protocol import NewEntry, QueueBrokenError, QueueError


@dataclass(slots=True, kw_only=True)
class Change:
    """What one call wants done, all or nothing."""

    remove: Sequence[int] = ()
    take: Sequence[tuple[int, int]] = ()
    """Id and the destinations' bits that have it now."""
    put: Sequence[NewEntry] = ()
    may_use_reserve: bool = False
    ids: list[int] = field(default_factory=list)
    """What ``put`` got, once it is done."""
    error: QueueError | None = None
    done: bool = False


class Group:
    """Lets one of the threads that wait write for all of them.

    Args:
        write: writes the changes and marks each as done, or sets its error. It is called by one thread at a time.
    """

    def __init__(self, write: Callable[[Sequence[Change]], None]) -> None:
        self._write = write
        self._waiting: list[Change] = []
        self._list_lock = threading.Lock()
        self._write_lock = threading.Lock()

    def submit(self, change: Change) -> list[int]:
        """Wait until the change is stored.

        Returns:
            The ids of what it put.

        Raises:
            QueueError: it was not stored.
        """
        with self._list_lock:
            self._waiting.append(change)
        with self._write_lock:
            # another thread may have written it while this one waited
            if not change.done:
                with self._list_lock:
                    group, self._waiting = self._waiting, []
                if group:
                    self._write(group)
        if not change.done:
            raise QueueBrokenError("the thread that was to write this failed")
        if change.error is not None:
            raise change.error
        return change.ids

    def run_alone(self, work: Callable[[], None]) -> None:
        """Call ``work`` while nothing is being written."""
        with self._write_lock:
            work()
