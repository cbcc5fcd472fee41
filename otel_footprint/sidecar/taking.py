"""Taking requests for traces: they are stored before anything is made of them.

What carries a turn is stored apart, as held; all else is stored for the senders at once. What a restart needs to go on
is stored beside it as facts: the other spans of agents. A fact counts no item, since nobody is owed it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from otel_footprint import semconv as names
from otel_footprint.dialects import Recognised, recognise
from otel_footprint.internal_errors import InternalErrors
from otel_footprint.logview import LogView
from otel_footprint.sidecar.marks import Marks
from otel_footprint.sidecar.places import MAX_KEPT_BYTES, room_of
from otel_footprint.sidecar.queue import NewEntry, Queue
from otel_footprint.sidecar.requests import Envelope, Located, agent_spans, count_items, taken_out, together
from otel_footprint.sidecar.slicing import Steps, at_once
from otel_footprint.sidecar.wire import MalformedError
from otel_footprint.spanview_otlp import OtlpMapSpan
from otel_footprint.turns import may_carry_turn

MAX_WAITING_BYTES: Final = 16 * 1024 * 1024
"""How much may be stored and not folded yet; beyond it senders of agents' spans are told to come again."""


@dataclass(slots=True, eq=False)
class Held:
    """A turn's span that waits."""

    id: int
    """Of its entry in the queue."""
    view: OtlpMapSpan
    raw: bytes
    envelope: Envelope
    known: Recognised | None = None
    """What it is, where the taker asked."""

    @property
    def request(self) -> bytes:
        """A request of this span as it came."""
        return self.envelope.around(self.raw)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A request that is in the queue, for the fold."""

    body: bytes
    facts: Sequence[Located] = ()
    """Spans of agents that were sent at once."""
    fact_entry: int | None = None
    """The entry that a restart has them from; ``None`` if the queue outlives nothing."""
    held: Sequence[Held] = ()

    @property
    def size(self) -> int:
        """Its bytes."""
        return len(self.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredLogs:
    """What the log records of a request that is in the queue tell, for the fold."""

    records: Sequence[LogView]
    size: int
    """Their bytes."""
    fact_entry: int | None = None
    """As for spans."""


class BehindError(Exception):
    """Turns are folded more slowly than they come; nothing of the request was stored."""


class Backlog:
    """What is stored and not folded yet. One thread puts, another takes."""

    def __init__(self) -> None:
        self.news = threading.Event()
        """Set when something was put."""
        self._plain: deque[bytes] = deque()
        self._plain_bytes = 0
        self._plain_lock = threading.Lock()
        self._waiting: deque[Stored | StoredLogs] = deque()
        self._put = self._taken = 0

    @property
    def waiting_bytes(self) -> int:
        """Bytes of the requests and log records in it."""
        return self._put - self._taken

    def put(self, stored: Stored | StoredLogs) -> None:
        """Add a request."""
        self._put += stored.size
        self._waiting.append(stored)
        self.news.set()

    def put_plain(self, body: bytes) -> None:
        """Add a request without an agent's span, in which only parents are looked for.

        However long a fold takes, nobody has to wait with these: when they are more than would be kept to look through,
        the oldest go.
        """
        with self._plain_lock:
            self._plain.append(body)
            self._plain_bytes += room_of(body)
            while self._plain_bytes > MAX_KEPT_BYTES:
                self._plain_bytes -= room_of(self._plain.popleft())
        self.news.set()

    def take_plain(self) -> bytes | None:
        """The oldest request without an agent's span; ``None`` when there is none."""
        with self._plain_lock:
            if not self._plain:
                return None
            body = self._plain.popleft()
            self._plain_bytes -= room_of(body)
            return body

    def take(self) -> Stored | StoredLogs | None:
        """The oldest request; ``None`` when there is none."""
        if not self._waiting:
            return None
        stored = self._waiting.popleft()
        self._taken += stored.size
        return stored


class TraceTaker:
    """Stores requests for traces. It waits for nothing and knows no turn.

    Args:
        queue: where they are stored.
        backlog: where they go on to the fold.
        errors: counts errors of our own.
    """

    def __init__(self, queue: Queue, backlog: Backlog, errors: InternalErrors) -> None:
        self._queue = queue
        self._backlog = backlog
        self._errors = errors
        self._durable = queue.statistics().survives != "nothing"
        self._marks = Marks()
        self.unreadable = 0
        """Spans and requests that went on as they came since they do not decode."""

    def take(self, body: bytes) -> Steps[int]:
        """Store an export request, in steps. Until the last of them nothing of it is stored.

        Returns:
            How many spans it holds.

        Raises:
            MalformedError: it is no request; nothing of it was stored.
            BehindError: too much is stored that is not folded yet.
            QueueError: it could not be stored, and nothing of it was.
        """
        items = count_items(body)
        if not self._marks.in_request(body):
            self._queue.put([NewEntry(signal="traces", body=body, items=items)])
            self._backlog.put_plain(body)
            return items
        if self._backlog.waiting_bytes > MAX_WAITING_BYTES:
            raise BehindError
        located = yield from self._reading(body, self._marks)
        holds = yield from self._to_hold(located)
        self._backlog.put(self._store(body, items, located, holds))
        return items

    def read(self, body: bytes, marks: Marks) -> list[Located]:
        """The spans of a request that have a mark, as far as they decode."""
        return at_once(self._reading(body, marks))

    def _reading(self, body: bytes, marks: Marks) -> Steps[list[Located]]:
        with self._errors.handle_internal_errors("read"):
            located: list[Located] = []
            try:
                for span in agent_spans(body, marks, unread=self._unread):
                    if span is not None:
                        located.append(span)
                    yield
            except MalformedError:
                self._unread()
            else:
                return located
        return []

    def _to_hold(self, located: Sequence[Located]) -> Steps[list[Located]]:
        with self._errors.handle_internal_errors("recognise"):
            holds: list[Located] = []
            for span in located:
                # the fold needs it too, and to ask all dialects a second time is not cheap
                span.known = recognise(span.view)
                if _is_to_be_held(span):
                    holds.append(span)
                yield
            return holds
        return []

    def _unread(self) -> None:
        self.unreadable += 1

    def _store(self, body: bytes, items: int, located: Sequence[Located], holds: Sequence[Located]) -> Stored:
        rest = taken_out(body, holds) if holds else body
        left = items - len(holds)
        entries = [NewEntry(signal="traces", body=span.envelope.around(span.raw), items=1, held=True) for span in holds]
        held_ids = {id(span) for span in holds}
        facts = [span for span in located if id(span) not in held_ids]
        keeps_facts = bool(facts) and self._durable
        if keeps_facts:
            entries.append(NewEntry(signal="traces", body=together(facts), items=0, held=True))
        if left or not holds:
            entries.append(NewEntry(signal="traces", body=rest, items=left))
        ids = self._queue.put(entries)
        return Stored(
            body=body,
            facts=facts,
            fact_entry=ids[len(holds)] if keeps_facts else None,
            held=[
                Held(entry, span.view, span.raw, span.envelope, span.known)
                for entry, span in zip(ids[: len(holds)], holds, strict=True)
            ],
        )


def _is_to_be_held(span: Located) -> bool:
    view = span.view
    may_carry = span.known is not None and may_carry_turn(span.known[1])
    return may_carry and bool(view.trace_id and view.span_id) and not view.has(names.FOOTPRINT_SCHEMA)
