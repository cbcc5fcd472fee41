"""Changes of the queue that must not be lost for want of room, and the entries that a restart would need."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from otel_footprint.sidecar.queue import NewEntry, Queue, QueueError


@dataclass(slots=True, eq=False)
class Change:
    """Entries that take the place of others."""

    remove: list[int] = field(default_factory=list)
    put: list[NewEntry] = field(default_factory=list)
    facts_of: list[tuple[int, str]] = field(default_factory=list)
    """Of the new entries that are facts: index, trace id."""

    def put_fact(self, trace_id: str, body: bytes) -> None:
        """Store what a restart needs of a trace; nobody is owed it."""
        self.facts_of.append((len(self.put), trace_id))
        self.put.append(NewEntry(signal="traces", body=body, items=0, held=True))


class Changes:
    """Writes changes, now or when there is room for them; until then the queue has the spans as they came.

    Args:
        queue: what is changed.
        is_kept: whether anything is known of a trace, by its id; what is not needs no facts.
    """

    def __init__(self, queue: Queue, is_kept: Callable[[str], bool]) -> None:
        self._queue = queue
        self._is_kept = is_kept
        self._unwritten: list[Change] = []
        self._entries: dict[str, set[int]] = {}
        """By trace id, the entries that hold facts of it."""
        self._traces: dict[int, set[str]] = {}
        """By entry, the traces that it holds facts of."""
        self._logs: OrderedDict[int, float] = OrderedDict()
        """When each entry of log records came; what these name may never come."""

    @property
    def unwritten(self) -> int:
        """Entries that wait for room."""
        return sum(len(change.put) for change in self._unwritten)

    def write(self, change: Change) -> None:
        """Make a change."""
        if not change.remove and not change.put:
            return
        try:
            ids = self._queue.replace(change.remove, change.put)
        except QueueError:
            self._unwritten.append(change)
            return
        for index, trace_id in change.facts_of:
            if self._is_kept(trace_id):
                self.note(ids[index], [trace_id])
            else:
                self._queue.remove([ids[index]])

    def write_again(self) -> None:
        """Make the changes that found no room."""
        waiting, self._unwritten = self._unwritten, []
        for change in waiting:
            self.write(change)

    def note(self, entry: int, trace_ids: Iterable[str]) -> None:
        """An entry holds facts of these traces; it goes when the last of them is forgotten."""
        self._traces.setdefault(entry, set()).update(trace_ids)
        for trace_id in self._traces[entry]:
            self._entries.setdefault(trace_id, set()).add(entry)

    def note_logs(self, entry: int, trace_ids: Iterable[str], now: float) -> None:
        """An entry holds log records, of these traces or, by an empty id, of a conversation's."""
        self.note(entry, trace_ids)
        self._logs[entry] = now

    def forget(self, trace_id: str, change: Change) -> None:
        """No facts of this trace are needed any more."""
        for entry in self._entries.pop(trace_id, ()):
            traces = self._traces[entry]
            traces.discard(trace_id)
            if not traces:
                del self._traces[entry]
                self._logs.pop(entry, None)
                change.remove.append(entry)

    def expire_logs(self, before: float) -> None:
        """Log records that came before this time are waited for by nothing any more."""
        change = Change()
        while self._logs and next(iter(self._logs.values())) < before:
            entry, _ = self._logs.popitem(last=False)
            for trace_id in self._traces.pop(entry):
                self._entries[trace_id].discard(entry)
                if not self._entries[trace_id]:
                    del self._entries[trace_id]
            change.remove.append(entry)
        self.write(change)
