"""The queue on disk: an LMDB environment.

Three tables: ``entries`` (see ``_record.py``), ``taken`` (an entry's key to the bits of the destinations that have it,
for entries that some have and some have not) and ``names`` (a destination's name to the number of its bit).

The file never grows beyond ``max_bytes``. A part of it is left free for what makes room: LMDB never writes over a page
in use, so taking an entry out needs a few free pages first.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import lmdb

from otel_footprint.sidecar.queue._counts import Counts, say_unowed
from otel_footprint.sidecar.queue._environment import DATA_FILE, TABLES, open_environment
from otel_footprint.sidecar.queue._group import Change, Group
from otel_footprint.sidecar.queue._protocol import (
    MAX_DESTINATIONS,
    Entry,
    Fsync,
    NewEntry,
    QueueBrokenError,
    QueueError,
    QueueFullError,
    QueueStatistics,
    Signal,
)
from otel_footprint.sidecar.queue._record import (
    HEAD_BYTES,
    KEY,
    LANES,
    entry_id,
    items_of,
    key_of,
    lane_of,
    pack,
    place_of,
    unpack,
)
from otel_footprint.sidecar.queue._resident import ResidentPages

_log = logging.getLogger("otel_footprint.sidecar")

MIN_BYTES: Final = 512 * 1024
"""The smallest file that can hold the tables and something in them."""
_RESERVE: Final = 16
_MIN_RESERVE: Final = 128 * 1024
_NODE_BYTES: Final = 32
_FULL: Final = (lmdb.MapFullError, lmdb.TxnFullError, lmdb.DiskError)
"""What LMDB raises when there is no room: in its file, in one transaction, on the disk."""
_PAGE_BYTES: Final = 4096
_BITS: Final = 8
"""Bytes of a set of destinations."""
_DONE: Final = -1
"""The set of them all: its sign is every bit."""


class LmdbQueue:
    """A :class:`~otel_footprint.sidecar.queue.Queue` on disk. :func:`open_queue` is the way to one that is whole.

    Args:
        directory: exists, and is used by nobody else.
        max_bytes: the size of the file at the most.
        fsync: when the disk is asked to keep what was written.
        set_aside: where a spoiled store lies that was here before.
        spoiled: ids of records known to be damaged; they are taken out.
        owner: a file handle that is closed with the queue, if this opens.

    Raises:
        lmdb.Error: the store cannot be opened or written.
        ValueError: ``max_bytes`` is less than :data:`MIN_BYTES`.
    """

    def __init__(  # noqa: PLR0913 - two are what was asked for, the rest what was found
        self,
        directory: Path,
        *,
        max_bytes: int,
        fsync: Fsync = "never",
        set_aside: str | None = None,
        spoiled: Iterable[int] = (),
        owner: int | None = None,
    ) -> None:
        if max_bytes < MIN_BYTES:
            raise ValueError(f"a queue of {max_bytes} bytes holds nothing: give at least {MIN_BYTES}")
        self._directory = directory
        self._fsync = fsync
        self._set_aside = set_aside
        self._capacity = max_bytes - max(max_bytes // _RESERVE, _MIN_RESERVE)
        self._environment = open_environment(directory, max_bytes=max_bytes, fsync=fsync)
        self._entries, self._taken, self._names = (self._environment.open_db(name) for name in TABLES)
        self._resident = ResidentPages(directory / DATA_FILE)
        self._counts = Counts()
        self._lock = threading.Lock()
        """Around the counts and what is not in the store; held for moments only, and never while the disk is used."""
        self._late: dict[int, int] = {}
        """What could not be noted for want of room: id to the bits of those that have it."""
        self._bits: dict[str, int] = {}
        self._retired: set[int] = set()
        """Bits that had a meaning since the start: an acknowledgement on its way may still mean the old one."""
        self._owed: dict[Signal, int] = {}
        self._sequence = 0
        self._used = 0
        self._said_broken = False
        self._closed = False
        self._group = Group(self._write)
        self._read_what_is_there()
        damaged = list(spoiled)
        if damaged:
            self._drop_damaged(damaged)
        self._owner = owner

    def owe_to(self, destinations: Mapping[Signal, Sequence[str]]) -> None:
        """See :meth:`Queue.owe_to`."""
        wanted = sorted({name for names in destinations.values() for name in names})
        if len(wanted) > MAX_DESTINATIONS:
            raise ValueError(f"more than {MAX_DESTINATIONS} destinations: use fewer")
        self._check_open()
        try:
            bits = self._number(wanted)
        except lmdb.Error as error:
            raise QueueBrokenError(f"{self._directory}: the destinations cannot be noted ({error})") from error
        with self._lock:
            self._bits = bits
            self._owed = {signal: sum(1 << bits[name] for name in set(names)) for signal, names in destinations.items()}
        # the new ones hold from here on, so what cannot be taken out now goes later
        with contextlib.suppress(lmdb.Error, QueueBrokenError):
            had_by_all = self._had_by_all()
            say_unowed(len(had_by_all))
            self.remove(had_by_all)

    def put(self, entries: Sequence[NewEntry]) -> list[int]:
        """See :meth:`Queue.put`."""
        return self._submit(Change(put=entries))

    def peek(
        self, signal: Signal, *, max_bytes: int, after_id: int = 0, held: bool = False, destination: str | None = None
    ) -> list[Entry]:
        """See :meth:`Queue.peek`."""
        self._check_open()
        lane = lane_of(signal, held=held)
        bit = 1 << self._bits[destination] if destination in self._bits else 0
        try:
            found, damaged = self._read(lane, place_of(after_id)[1] + 1 if after_id else 0, max_bytes, bit)
        except lmdb.Error as error:
            raise QueueBrokenError(f"{self._directory}: the store cannot be read ({error})") from error
        self._resident.were_read(sum(len(entry.body) for entry in found))
        if damaged:
            self._drop_damaged(damaged)
        return found

    def acknowledge(self, destination: str, ids: Sequence[int]) -> None:
        """See :meth:`Queue.acknowledge`."""
        self._check_open()
        if destination in self._bits:
            bit = 1 << self._bits[destination]
            self._submit(Change(take=[(id_, bit) for id_ in ids]))

    def remove(self, ids: Sequence[int]) -> None:
        """See :meth:`Queue.remove`."""
        self._submit(Change(remove=ids))

    def replace(self, remove: Sequence[int], put: Sequence[NewEntry]) -> list[int]:
        """See :meth:`Queue.replace`."""
        return self._submit(Change(remove=remove, put=put, may_use_reserve=True))

    def statistics(self) -> QueueStatistics:
        """See :meth:`Queue.statistics`."""
        with self._lock:
            return self._counts.statistics(
                store="lmdb",
                survives="machine" if self._fsync == "always" else "process",
                problem=None,
                set_aside=self._set_aside,
                bytes_=self._used,
                capacity_bytes=self._capacity,
                unremoved=len(self._late),
            )

    def close(self) -> None:
        """See :meth:`Queue.close`."""
        self._group.run_alone(self._close)

    def _close(self) -> None:
        if not self._closed:
            self._closed = True
            self._environment.close()
            if self._owner is not None:
                os.close(self._owner)

    def _check_open(self) -> None:
        if self._closed:
            raise QueueBrokenError("the queue is closed")

    def _submit(self, change: Change) -> list[int]:
        return self._group.submit(change) if change.put or change.take or change.remove else []

    def _read_what_is_there(self) -> None:
        with self._environment.begin(buffers=True) as txn:
            for key, record in txn.cursor(self._entries):
                lane, sequence = KEY.unpack(key)
                self._counts.found(lane, items_of(record))
                self._sequence = max(self._sequence, sequence)
            self._used = self._pages(txn)
        self._resident.were_read(self._used)

    def _pages(self, txn: Any) -> int:
        size = 0
        for table in (self._entries, self._taken):
            stat = txn.stat(table)
            size += stat["psize"] * (stat["branch_pages"] + stat["leaf_pages"] + stat["overflow_pages"])
        return size

    def _number(self, wanted: Sequence[str]) -> dict[str, int]:
        """A bit for each name: the one it had, else one that no name had since the start, cleared of what it meant."""
        with self._environment.begin(write=True) as txn:
            known = {name.decode(): number[0] for name, number in txn.cursor(self._names)}
            kept = {name: number for name, number in known.items() if name in wanted}
            self._retired.update(known[name] for name in known.keys() - kept.keys())
            taken = self._retired.union(kept.values())
            free = [number for number in range(MAX_DESTINATIONS) if number not in taken]
            new = [name for name in wanted if name not in kept]
            if len(new) > len(free):
                raise ValueError(f"{MAX_DESTINATIONS} destinations were named since the start: restart to name more")
            fresh = dict(zip(new, free, strict=False))
            if set(known) == set(wanted):
                return kept
            for name in known.keys() - kept.keys():
                txn.delete(name.encode(), db=self._names)
            for name, number in fresh.items():
                txn.put(name.encode(), bytes([number]), db=self._names)
            stays = sum(1 << number for number in kept.values())
            for key, value in list(txn.cursor(self._taken)):
                left = int.from_bytes(value, "little") & stays
                if left:
                    txn.put(key, left.to_bytes(_BITS, "little"), db=self._taken)
                else:
                    txn.delete(key, db=self._taken)
        return kept | fresh

    def _had_by_all(self) -> list[int]:
        done: list[int] = []
        with self._environment.begin(buffers=True) as txn:
            for key, value in txn.cursor(self._taken):
                lane, sequence = KEY.unpack(key)
                owed = self._owed.get(LANES[lane][0], 0)
                if owed and owed & ~int.from_bytes(value, "little") == 0:
                    done.append(entry_id(lane, sequence))
        return done

    def _read(self, lane: int, sequence: int, max_bytes: int, bit: int) -> tuple[list[Entry], list[int]]:
        found: list[Entry] = []
        damaged: list[int] = []
        size = 0
        with self._lock:
            late = dict(self._late)
        with self._environment.begin(buffers=True) as txn:
            cursor = txn.cursor(self._entries)
            more = cursor.set_range(KEY.pack(lane, sequence))
            while more:
                key = bytes(cursor.key())
                if key[0] != lane:
                    break
                id_ = entry_id(*KEY.unpack(key))
                taken = late.get(id_, 0)
                if bit:
                    taken |= int.from_bytes(txn.get(key, b"", db=self._taken), "little")
                record = cursor.value()
                if taken != _DONE and not taken & bit:
                    size += len(record) - HEAD_BYTES
                    if found and size > max_bytes:
                        break
                    entry = unpack(key, record)
                    if entry is None:
                        damaged.append(id_)
                    else:
                        found.append(entry)
                more = cursor.next()
        return found, damaged

    def _drop_damaged(self, ids: Sequence[int]) -> None:
        before = self._counts.removed
        self._submit(Change(remove=ids))
        with self._lock:
            self._counts.spoiled += self._counts.removed - before
        _log.error("%s: %d queued requests are damaged and cannot be sent", self._directory, len(ids))

    # One thread at a time from here on.

    def _write(self, changes: Sequence[Change]) -> None:
        if self._closed:
            self._fail(changes, QueueBrokenError("the queue is closed"))
            return
        try:
            self._note_late()
            self._commit(changes)
        except lmdb.Error as error:
            if not self._is_full(error, changes):
                self._broken(changes, error)
            elif len(changes) > 1:
                # one that is too large must not cost the others their place
                for change in changes:
                    self._write([change])
            elif changes[0].put:
                self._fail(changes, QueueFullError(f"{self._directory}: there is no room ({error})"))
            else:
                self._remember(changes[0])
                changes[0].done = True

    def _is_full(self, error: lmdb.Error, changes: Sequence[Change]) -> bool:
        if isinstance(error, _FULL):
            return True
        # LMDB tells a write that a full disk cut short as any other I/O error
        try:
            disk = os.statvfs(self._directory)
        except OSError:
            return False
        needed = sum(_room(entry) for change in changes for entry in change.put)
        return disk.f_bavail * disk.f_frsize < needed + _MIN_RESERVE

    def _broken(self, changes: Sequence[Change], error: lmdb.Error) -> None:
        problem = f"{self._directory}: the store cannot be written ({error})"
        if not self._said_broken:
            self._said_broken = True
            _log.error("%s; senders are refused until it can", problem)
        for change in changes:
            if not change.put:
                # it may be for a moment alone, and nobody asks for it a second time
                self._remember(change)
        self._fail(changes, QueueBrokenError(problem))

    def _fail(self, changes: Sequence[Change], error: QueueError) -> None:
        with self._lock:
            for change in changes:
                change.error = error
                change.done = True
                if isinstance(error, QueueFullError):
                    self._counts.refused_full += len(change.put)
                else:
                    self._counts.refused_broken += len(change.put)

    def _remember(self, change: Change) -> None:
        with self._lock:
            for id_ in change.remove:
                self._late[id_] = _DONE
            for id_, bits in change.take:
                self._late[id_] = self._late.get(id_, 0) | bits

    def _note_late(self) -> None:
        if self._late:
            late = dict(self._late)
            done = [id_ for id_, bits in late.items() if bits == _DONE]
            self._commit([Change(remove=done, take=[(id_, bits) for id_, bits in late.items() if bits != _DONE])])
            with self._lock:
                self._late.clear()

    def _commit(self, changes: Sequence[Change]) -> None:
        refused: list[Change] = []
        entered: list[tuple[Change, int, NewEntry]] = []
        left: list[tuple[int, int]] = []
        sequence = self._sequence
        with self._environment.begin(write=True, buffers=True) as txn:
            used = self._used
            for change in changes:
                used += sum(_room(entry) for entry in change.put)
                if change.put and not change.may_use_reserve and used > self._capacity:
                    used -= sum(_room(entry) for entry in change.put)
                    refused.append(change)
                    continue
                for id_ in change.remove:
                    self._delete(txn, key_of(id_), left)
                for id_, bits in change.take:
                    self._take(txn, key_of(id_), bits, left)
                for entry in change.put:
                    sequence += 1
                    id_ = entry_id(lane_of(entry.signal, held=entry.held), sequence)
                    key = key_of(id_)
                    txn.put(key, pack(key, entry), db=self._entries)
                    entered.append((change, id_, entry))
            used = self._pages(txn)
        self._said_broken = False
        with self._lock:
            self._sequence = sequence
            self._used = used
            for change, id_, entry in entered:
                change.ids.append(id_)
                self._counts.entered(place_of(id_)[0], entry.items)
            for lane, items in left:
                self._counts.left(lane, items)
        for change in changes:
            change.done = True
        self._fail(refused, QueueFullError(f"{self._directory}: the queue is full, {used} bytes are used"))

    def _delete(self, txn: Any, key: bytes, left: list[tuple[int, int]]) -> None:
        record = txn.get(key, db=self._entries)
        if record is not None:
            left.append((key[0], items_of(record)))
            txn.delete(key, db=self._entries)
            txn.delete(key, db=self._taken)

    def _take(self, txn: Any, key: bytes, bits: int, left: list[tuple[int, int]]) -> None:
        owed = self._owed.get(LANES[key[0]][0], 0) if key[0] < len(LANES) else 0
        if not owed & bits:
            return
        taken = bits | int.from_bytes(txn.get(key, b"", db=self._taken), "little")
        if owed & ~taken == 0:
            self._delete(txn, key, left)
        elif txn.get(key, db=self._entries) is not None:
            txn.put(key, taken.to_bytes(_BITS, "little"), db=self._taken)


def _room(entry: NewEntry) -> int:
    """What an entry takes up at the most: its own pages if it is large, its part of a page if not."""
    size = HEAD_BYTES + len(entry.body) + _NODE_BYTES
    return size if size < _PAGE_BYTES // 2 else -(-size // _PAGE_BYTES) * _PAGE_BYTES
