"""What every queue between the receivers and the senders promises.

::

    QueueError
    ├── QueueFullError      nothing is wrong; there is no room now
    └── QueueBrokenError    the store cannot be read or written, or it was closed

**Ack means stored.** When :meth:`Queue.put` returns, its entries are there for every destination, and outlive what
:attr:`QueueStatistics.survives` says. Nothing leaves but by :meth:`Queue.acknowledge`, :meth:`Queue.remove` or
:meth:`Queue.replace`.

**Each destination at its own pace.** The queue is told by :meth:`Queue.owe_to` which destinations take which signal.
A sender reads with ``peek(signal, destination=name)``, which leaves out what that destination took already, and then
calls ``acknowledge(name, ids)``. An entry goes when the last of its destinations acknowledged it. Until then the
store keeps one small record beside the entry: a bit for each destination that has it. So a slow destination makes no
other wait and costs a few bytes an entry, and a restart sends an entry again only to those that had not acknowledged
it. With one destination no such record is ever written.

**Held entries** are turns' spans that wait for their explanation. They are seen by ``peek(..., held=True)`` alone,
which a restart uses to give them to the assembler again, and end by ``replace(held ids, explained entries)``.

Every method may be called from any thread, and none is a coroutine. One that writes may wait for the disk when the
store syncs (:data:`Fsync`): call it in a worker thread then; calls of several threads that wait together share one
sync.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

Signal = Literal["traces", "metrics", "logs"]
SIGNALS: tuple[Signal, ...] = get_args(Signal)

Fsync = Literal["never", "always"]
"""When the store asks the disk to keep what was written.

``never``: the operating system writes in its own time. What was acknowledged outlives the process, a ``kill -9``
included. A power loss or a crash of the machine may lose the last seconds, and may spoil the store; it is then set
aside when the sidecar starts and what can be read is taken over.

``always``: a write returns when the disk has it. What was acknowledged outlives a power loss too, as far as the disk
keeps its own promises. Calls that wait together share one sync.
"""

Survives = Literal["nothing", "process", "machine"]
"""What an acknowledged entry outlives: not even the process, its end, or a power loss."""

MAX_DESTINATIONS = 64
"""Destinations that one queue can tell apart."""


class QueueError(Exception):
    """A queue could not do what it was asked to; nothing was changed."""


class QueueFullError(QueueError):
    """There is no room for the entries now; the sender is to be told to try again."""


class QueueBrokenError(QueueError):
    """The store cannot be read or written, or it was closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEntry:
    """A request to be queued."""

    signal: Signal
    body: bytes
    """An uncompressed OTLP export request, protobuf."""
    items: int
    """Spans, data points or log records in it, from 0 to 2**32 - 1."""
    held: bool = False
    """Whether it holds a turn's span that waits for its explanation, and so is not for the senders yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(NewEntry):
    """A request in the queue."""

    id: int
    """Positive, and growing in the order of entry among the entries of one signal that are held, and among those
    that are not. It stays the same over a restart, and is never given to two entries that are there at one time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueStatistics:
    """A snapshot of what a queue holds, and its totals since it was opened."""

    store: Literal["lmdb", "memory"]
    survives: Survives
    problem: str | None
    """Why this is not the queue that was asked for; absent if it is."""
    set_aside: str | None
    """Where the spoiled store lies that was found at the start, if one was."""
    entries: Mapping[Signal, int]
    """Entries there by signal, held ones included."""
    items: Mapping[Signal, int]
    """Spans, points and records in them."""
    held: int
    """Entries that wait for an explanation."""
    bytes: int
    """Room that the entries take up, in bytes."""
    capacity_bytes: int
    """Room for entries; :meth:`Queue.put` refuses what would go beyond it."""
    replayed: int
    """Entries that an earlier run had left here."""
    put: int
    """Entries that were taken."""
    removed: int
    """Entries that left: acknowledged by all, removed or replaced."""
    refused_full: int
    """Entries refused since there was no room."""
    refused_broken: int
    """Entries refused since the store could not write."""
    spoiled: int
    """Entries that were found damaged. They cannot be sent, and were taken out."""
    unremoved: int
    """Entries that are done with but could not be taken out of the store yet; after a restart they are sent again."""


class Queue(Protocol):
    """Entries by signal, in the order they came."""

    def owe_to(self, destinations: Mapping[Signal, Sequence[str]]) -> None:
        """Say which destinations take which signal, at the start and when that changes.

        It holds for what is queued already too: a new destination gets all of it, one that is gone is waited for no
        longer, and an entry that all the rest had acknowledged goes. A signal without a destination keeps its entries.

        Args:
            destinations: names by signal. A name keeps its progress over a restart.

        Raises:
            QueueBrokenError: the store could not write.
            ValueError: more than :data:`MAX_DESTINATIONS` names, now or one after the other since the queue was opened.
        """

    def put(self, entries: Sequence[NewEntry]) -> list[int]:
        """Store all of the entries or none.

        Returns:
            Their ids, in the order given.

        Raises:
            QueueFullError: there is no room for all of them.
            QueueBrokenError: the store could not write.
        """

    def peek(
        self, signal: Signal, *, max_bytes: int, after_id: int = 0, held: bool = False, destination: str | None = None
    ) -> list[Entry]:
        """Read entries without taking them out.

        Args:
            signal: whose entries.
            max_bytes: the bodies' bytes together at the most; the first entry is given however large it is.
            after_id: only entries with a greater id, so that a sender can have several requests on their way.
            held: give the held entries, and only them; by default none of them.
            destination: leave out what this one acknowledged.

        Returns:
            Entries by id. An entry found damaged is not among them: it is taken out and counted.

        Raises:
            QueueBrokenError: the store could not be read.
        """

    def acknowledge(self, destination: str, ids: Sequence[int]) -> None:
        """Note that a destination took these entries, and take out those that it was the last to take.

        Ids that are not there, and names that take no part, change nothing. If the store has no room to note it, that
        is remembered until it has, see :attr:`QueueStatistics.unremoved`.

        Raises:
            QueueBrokenError: the store could not write. It is remembered too.
        """

    def remove(self, ids: Sequence[int]) -> None:
        """Take entries out, whoever has them or not.

        Ids that are not there change nothing. If the store has no room to note it, that is remembered as by
        :meth:`acknowledge`.

        Raises:
            QueueBrokenError: the store could not write. It is remembered too.
        """

    def replace(self, remove: Sequence[int], put: Sequence[NewEntry]) -> list[int]:
        """Take entries out and store others, all of it or nothing.

        It may use room that :meth:`put` leaves free, so that a full queue can still explain what it holds.

        Returns:
            The new entries' ids, in the order given.

        Raises:
            QueueFullError: there is no room; the entries to be removed are still there.
            QueueBrokenError: the store could not write.
        """

    def statistics(self) -> QueueStatistics:
        """What is held now, and the totals so far. Works on a closed queue too."""

    def close(self) -> None:
        """Give the store up. What is in it stays for the next start; every other call then raises QueueBrokenError."""
