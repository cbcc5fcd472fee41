"""Taking requests for logs: they are stored for the senders as they came, and what a dialect knows in them is read.

A record that tells of a call or a turn joins the turn's explanation. What a restart needs of it is stored beside the
request, as an entry that nobody is owed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError

from otel_footprint.dialects.logs import recognise_log
from otel_footprint.internal_errors import InternalErrors
from otel_footprint.logview import LogView
from otel_footprint.sidecar import schema
from otel_footprint.sidecar.marks import Marks, log_marks
from otel_footprint.sidecar.queue import NewEntry, Queue
from otel_footprint.sidecar.requests import Envelope, count_items, single_items, surroundings
from otel_footprint.sidecar.slicing import Steps, at_once
from otel_footprint.sidecar.taking import MAX_WAITING_BYTES, Backlog, BehindError, StoredLogs
from otel_footprint.spanview_otlp import proto_log


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """A log record that tells of a call or a turn."""

    view: LogView
    raw: bytes
    envelope: Envelope


class LogTaker:
    """Stores requests for logs. It waits for nothing and knows no turn.

    Args:
        queue: where they are stored.
        backlog: where what they tell goes on to the fold.
        errors: counts errors of our own.
    """

    def __init__(self, queue: Queue, backlog: Backlog, errors: InternalErrors) -> None:
        self._queue = queue
        self._backlog = backlog
        self._errors = errors
        self._durable = queue.statistics().survives != "nothing"
        self._marks = log_marks()
        self.unreadable = 0
        """Records that went on and were not read, since they do not decode."""

    def take(self, body: bytes, *, owed: bool = True) -> Steps[int]:
        """Store an export request, in steps. Until the last of them nothing of it is stored.

        Args:
            body: the request.
            owed: a destination takes logs. Where none does, nothing is stored but what tells of a turn.

        Returns:
            How many log records it holds.

        Raises:
            MalformedError: it is no request; nothing of it was stored.
            BehindError: too much is stored that is not folded yet.
            QueueError: it could not be stored, and nothing of it was.
        """
        items = count_items(body)
        told = (yield from self._reading(body)) if self._marks.in_request(body) else []
        if told and self._backlog.waiting_bytes > MAX_WAITING_BYTES:
            raise BehindError
        entries = [NewEntry(signal="logs", body=body, items=items)] if owed else []
        keeps_facts = bool(told) and self._durable
        if keeps_facts:
            fact = b"".join(record.envelope.around(record.raw) for record in told)
            entries.append(NewEntry(signal="logs", body=fact, items=0, held=True))
        ids = self._queue.put(entries) if entries else []
        if told:
            views = [record.view for record in told]
            size = sum(len(record.raw) for record in told)
            self._backlog.put(StoredLogs(size=size, records=views, fact_entry=ids[-1] if keeps_facts else None))
        return items

    def read(self, body: bytes) -> list[Told]:
        """The records of a request that tell something, as far as they decode."""
        return at_once(self._reading(body))

    def _reading(self, body: bytes) -> Steps[list[Told]]:
        with self._errors.handle_internal_errors("read logs"):
            found: list[Told] = []
            for told in _marked(body, self._marks, self._unread):
                if recognise_log(told.view) is not None:
                    found.append(told)
                yield
            return found
        return []

    def _unread(self) -> None:
        self.unreadable += 1


def _marked(body: bytes, marks: Marks, unread: Callable[[], None]) -> Iterator[Told]:
    for envelope, items in single_items(body):
        whole_scope = marks.in_request(envelope.scope)
        marked = items if whole_scope else [raw for raw in items if marks.in_request(raw)]
        if not marked:
            continue
        resource, scope = surroundings(envelope)
        for raw in marked:
            record = _decoded(raw)
            if record is None:
                unread()
            else:
                yield Told(proto_log(record, resource, scope), raw, envelope)


def _decoded(raw: bytes) -> Any:
    """The record, or ``None`` when it does not decode. What is not UTF-8 in it costs only itself."""
    for decode in (schema.LogRecord.FromString, schema.mended_log_record):
        try:
            return decode(raw)
        except DecodeError:
            pass
    return None
