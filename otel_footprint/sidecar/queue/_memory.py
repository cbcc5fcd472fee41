"""The queue where there is no directory, or none that works."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Final

from otel_footprint.sidecar.queue._counts import Counts, say_unowed
from otel_footprint.sidecar.queue._protocol import (
    MAX_DESTINATIONS,
    Entry,
    NewEntry,
    QueueBrokenError,
    QueueFullError,
    QueueStatistics,
    Signal,
)
from otel_footprint.sidecar.queue._record import LANES, entry_id, lane_of, place_of

ENTRY_BYTES: Final = 256
"""What an entry takes up beside its body."""
_RESERVE: Final = 16
"""One part in so many is left for what replaces other entries."""


class _Lane:
    """Entries by id. The ids are kept in order apart, and swept once most of them are of entries that have gone."""

    def __init__(self) -> None:
        self.entries: dict[int, Entry] = {}
        self.ids: list[int] = []

    def add(self, entry: Entry) -> None:
        self.entries[entry.id] = entry
        self.ids.append(entry.id)

    def pop(self, id_: int) -> Entry | None:
        entry = self.entries.pop(id_, None)
        if len(self.ids) > 2 * len(self.entries) + 64:
            self.ids = list(self.entries)
        return entry


class MemoryQueue:
    """A :class:`~otel_footprint.sidecar.queue.Queue` whose entries end with the process.

    Args:
        max_bytes: bodies and what each entry takes up beside its own, together.
        problem: why it is used although another was asked for, if so.
        set_aside: a spoiled directory that was found, if one was.
    """

    def __init__(self, *, max_bytes: int, problem: str | None = None, set_aside: str | None = None) -> None:
        self._lock = threading.Lock()
        self._max_bytes = max_bytes
        self._problem = problem
        self._set_aside = set_aside
        self._lanes = [_Lane() for _ in LANES]
        self._taken: dict[int, set[str]] = {}
        self._owed: dict[Signal, frozenset[str]] = {}
        self._bytes = 0
        self._sequence = 0
        self._counts = Counts()
        self._closed = False

    def owe_to(self, destinations: Mapping[Signal, Sequence[str]]) -> None:
        """See :meth:`Queue.owe_to`."""
        if len({name for names in destinations.values() for name in names}) > MAX_DESTINATIONS:
            raise ValueError(f"more than {MAX_DESTINATIONS} destinations: use fewer")
        with self._lock:
            self._check_open()
            self._owed = {signal: frozenset(names) for signal, names in destinations.items()}
            before = self._counts.removed
            for id_, had in list(self._taken.items()):
                owed = self._owed_for(id_)
                self._taken[id_] = had & owed
                if owed and had >= owed:
                    self._drop(id_)
            say_unowed(self._counts.removed - before)

    def put(self, entries: Sequence[NewEntry]) -> list[int]:
        """See :meth:`Queue.put`."""
        with self._lock:
            self._check_open(refused=len(entries))
            needed = sum(len(entry.body) + ENTRY_BYTES for entry in entries)
            if self._bytes + needed > self._max_bytes - self._max_bytes // _RESERVE:
                raise self._full(entries)
            return [self._add(entry) for entry in entries]

    def peek(
        self, signal: Signal, *, max_bytes: int, after_id: int = 0, held: bool = False, destination: str | None = None
    ) -> list[Entry]:
        """See :meth:`Queue.peek`."""
        with self._lock:
            self._check_open()
            lane = self._lanes[lane_of(signal, held=held)]
            found: list[Entry] = []
            size = 0
            for at in range(bisect_right(lane.ids, after_id), len(lane.ids)):
                entry = lane.entries.get(lane.ids[at])
                if entry is None or (destination is not None and destination in self._taken.get(entry.id, ())):
                    continue
                size += len(entry.body)
                if found and size > max_bytes:
                    break
                found.append(entry)
            return found

    def acknowledge(self, destination: str, ids: Sequence[int]) -> None:
        """See :meth:`Queue.acknowledge`."""
        with self._lock:
            self._check_open()
            for id_ in ids:
                owed = self._owed_for(id_)
                if destination not in owed or id_ not in self._entries_of(id_):
                    continue
                taken = self._taken.get(id_, set()) | {destination}
                if taken >= owed:
                    self._drop(id_)
                else:
                    self._taken[id_] = taken

    def remove(self, ids: Sequence[int]) -> None:
        """See :meth:`Queue.remove`."""
        with self._lock:
            self._check_open()
            for id_ in ids:
                self._drop(id_)

    def replace(self, remove: Sequence[int], put: Sequence[NewEntry]) -> list[int]:
        """See :meth:`Queue.replace`."""
        with self._lock:
            self._check_open(refused=len(put))
            old = [self._entries_of(id_).get(id_) for id_ in set(remove)]
            freed = sum(len(entry.body) + ENTRY_BYTES for entry in old if entry)
            needed = sum(len(entry.body) + ENTRY_BYTES for entry in put)
            if needed > freed and self._bytes + needed - freed > self._max_bytes:
                raise self._full(put)
            for id_ in remove:
                self._drop(id_)
            return [self._add(entry) for entry in put]

    def statistics(self) -> QueueStatistics:
        """See :meth:`Queue.statistics`."""
        with self._lock:
            return self._counts.statistics(
                store="memory",
                survives="nothing",
                problem=self._problem,
                set_aside=self._set_aside,
                bytes_=self._bytes,
                capacity_bytes=self._max_bytes - self._max_bytes // _RESERVE,
            )

    def close(self) -> None:
        """See :meth:`Queue.close`."""
        with self._lock:
            self._closed = True

    def _check_open(self, *, refused: int = 0) -> None:
        if self._closed:
            self._counts.refused_broken += refused
            raise QueueBrokenError("the queue is closed")

    def _full(self, entries: Sequence[NewEntry]) -> QueueFullError:
        self._counts.refused_full += len(entries)
        return QueueFullError(f"the queue in memory is full: {self._bytes} of {self._max_bytes} bytes are used")

    def _entries_of(self, id_: int) -> dict[int, Entry]:
        lane, _ = place_of(id_)
        return self._lanes[lane].entries if lane < len(LANES) else {}

    def _owed_for(self, id_: int) -> frozenset[str]:
        lane, _ = place_of(id_)
        return self._owed.get(LANES[lane][0], frozenset()) if lane < len(LANES) else frozenset()

    def _add(self, new: NewEntry) -> int:
        self._sequence += 1
        lane = lane_of(new.signal, held=new.held)
        id_ = entry_id(lane, self._sequence)
        self._lanes[lane].add(Entry(id=id_, signal=new.signal, body=new.body, items=new.items, held=new.held))
        self._bytes += len(new.body) + ENTRY_BYTES
        self._counts.entered(lane, new.items)
        return id_

    def _drop(self, id_: int) -> None:
        lane, _ = place_of(id_)
        entry = self._lanes[lane].pop(id_) if lane < len(LANES) else None
        if entry is not None:
            self._taken.pop(id_, None)
            self._bytes -= len(entry.body) + ENTRY_BYTES
            self._counts.left(lane, entry.items)
