"""Turns' spans wait for their explanation and then go on with it.

What the taker stored is folded here. Whatever fails, the spans are in the queue and go on as they came.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from otel_footprint import semconv as names
from otel_footprint.config import Config
from otel_footprint.explanation import Explanation
from otel_footprint.facts import Turn
from otel_footprint.fold.explain import explain
from otel_footprint.internal_errors import InternalErrors
from otel_footprint.sidecar.annotate import additions, own_span
from otel_footprint.sidecar.fold_counts import FoldCounts
from otel_footprint.sidecar.marks import Marks
from otel_footprint.sidecar.places import Places
from otel_footprint.sidecar.queue import NewEntry, Queue, QueueError
from otel_footprint.sidecar.requests import Envelope, Located
from otel_footprint.sidecar.taking import Backlog, Held, Stored, TraceTaker
from otel_footprint.spanview_otlp import OtlpMapSpan
from otel_footprint.turns import AssemblerStatistics, Collected, SpanKey, TurnAssembler
from otel_footprint.writers import WriteOptions, child_span, write

_REPLAY_BYTES: Final = 4 * 1024 * 1024
_MIB: Final = 1024 * 1024
_EVERYTHING: Final = Marks([""])
_NOWHERE: Final = Envelope(b"", b"")


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """How many bytes of turns' spans may wait; beyond it the oldest are explained as incomplete."""

    all: int = 64 * _MIB
    per_trace: int = 8 * _MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldingStatistics:
    """A snapshot, and the totals since the start."""

    held: int
    """Turns' spans that wait."""
    held_bytes: int
    """Their bytes."""
    explained: int
    """Spans that went on with their explanation."""
    added: int
    """Spans of our own: addenda, and explanations without a turn's span to carry them."""
    duplicates: int
    """Copies of a turn's span, equal to the last byte, that were left out."""
    unreadable: int
    """Spans and requests that went on as they came since they do not decode."""
    unwritten: int
    """Explained spans that wait for room in the queue."""
    awaited_parents: int
    """Spans that are missing as parents."""
    tones: dict[str, int]
    """Turns by tone."""
    errors: dict[str, int]
    """Errors of our own by the step that failed."""
    assembler: AssemblerStatistics


@dataclass(slots=True, eq=False)
class _Trace:
    """What is kept of a trace until the assembler forgets it."""

    views: list[OtlpMapSpan] = field(default_factory=list)
    resources: dict[str, bytes] = field(default_factory=dict)
    """By span id, the fields of its resource's group."""
    facts: list[int] = field(default_factory=list)
    """Ids of the entries that a restart would need."""
    sent: dict[str, bytes] = field(default_factory=dict)
    """By the id of a turn's span that went on: a digest of the bytes it came as."""
    held_bytes: int = 0
    """Of its turns' spans that wait."""
    explained_before: set[str] = field(default_factory=set)
    """Turns' spans that went on with their explanation before a restart."""


@dataclass(slots=True, eq=False)
class _Change:
    """Entries that take the place of others."""

    remove: list[int] = field(default_factory=list)
    put: list[NewEntry] = field(default_factory=list)
    facts_of: list[tuple[int, str]] = field(default_factory=list)
    """Of the new entries that are facts: index, trace id."""


class TurnHolder:
    """Folds what was stored: shows it to the assembler, and lets turns' spans go on with their explanation.

    Not thread-safe: whoever calls :meth:`work` and :meth:`tick` calls everything.

    Args:
        queue: where everything lies.
        config: settings of the fold; ``hold_seconds`` says how long a turn's span waits.
        caps: how much may wait.
        clock: seconds that only grow.
    """

    def __init__(
        self,
        queue: Queue,
        config: Config,
        *,
        caps: Caps | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._queue = queue
        self._caps = caps or Caps()
        self._config = config
        self._options = WriteOptions.from_config(config)
        self._clock = clock
        self._durable = queue.statistics().survives != "nothing"
        self._counts: Counter[str] = Counter()
        self._tones: Counter[str] = Counter()
        self.fold_counts = FoldCounts()
        """What the explanations said."""
        self.errors = InternalErrors("sidecar", clock)
        """Errors of our own; whatever they are, spans go on as they came."""
        self.backlog = Backlog()
        self.taker = TraceTaker(queue, self.backlog, self.errors)
        """What stores requests; it may run in another thread."""
        self._unwritten: list[_Change] = []
        self._new_settings: tuple[Config, Caps] | None = None
        self._begin()

    def configure(self, config: Config, caps: Caps) -> None:
        """Let other settings hold from the next look at the clock on, for what is held already too. From any thread."""
        self._new_settings = config, caps

    def _reconfigure(self) -> None:
        if self._new_settings is not None:
            (self._config, self._caps), self._new_settings = self._new_settings, None
            self._options = WriteOptions.from_config(self._config)
            self._assembler.configure(self._config)

    def _begin(self) -> None:
        self._assembler = TurnAssembler(self._config)
        self._places = Places()
        self._held: dict[SpanKey, Held] = {}
        self._held_bytes = 0
        self._traces: dict[str, _Trace] = {}
        self._traces_of: Counter[int] = Counter()
        """By the entry of facts: how many traces it has facts of."""

    # -- taking up

    def work(self) -> None:
        """Fold all that was stored since the last call."""
        while (stored := self.backlog.take()) is not None:
            self._fold(stored)
            with self.errors.handle_internal_errors("places"):
                self._places.keep(stored.body)

    def _fold(self, stored: Stored) -> None:
        """Show spans to the assembler, and let those go on at once that it does not want to be held."""
        now = self._clock()
        change = _Change()
        for span in stored.facts:
            self._show(span.view, span.envelope, now)
        for one in stored.held:
            if self._is_copy(one):
                self._counts["duplicates"] += 1
                change.remove.append(one.id)
            elif (one.view.trace_id, one.view.span_id) not in self._held and self._show(one.view, one.envelope, now):
                self._hold(one)
            else:
                change.remove.append(one.id)
                change.put.append(NewEntry(signal="traces", body=one.request, items=1))
        if stored.fact_entry is not None:
            for trace_id in {span.view.trace_id for span in stored.facts}:
                self._note_fact(trace_id, stored.fact_entry)
        with self.errors.handle_internal_errors("places"):
            for view in (*(span.view for span in stored.facts), *(one.view for one in stored.held)):
                self._expect_parent(view)
        if change.remove:
            self._write(change)
        self._keep_within_caps(stored.held)

    def _is_copy(self, one: Held) -> bool:
        """Whether a span is equal, to the last byte, to one that is held or went on."""
        held = self._held.get((one.view.trace_id, one.view.span_id))
        if held is not None:
            return held.raw == one.raw
        trace = self._traces.get(one.view.trace_id)
        return trace is not None and trace.sent.get(one.view.span_id) == _digest(one.raw)

    def _hold(self, held: Held) -> None:
        self._held[held.view.trace_id, held.view.span_id] = held
        self._held_bytes += len(held.raw)
        self._trace(held.view.trace_id).held_bytes += len(held.raw)

    def _let_go(self, key: SpanKey) -> Held | None:
        held = self._held.pop(key, None)
        if held is not None:
            self._held_bytes -= len(held.raw)
            self._trace(key[0]).held_bytes -= len(held.raw)
        return held

    def _keep_within_caps(self, new: Sequence[Held]) -> None:
        over = [one.view.trace_id for one in new if self._trace(one.view.trace_id).held_bytes > self._caps.per_trace]
        excess = self._held_bytes - self._caps.all
        for held in self._held.values():
            if excess <= 0:
                break
            over.append(held.view.trace_id)
            excess -= len(held.raw)
        if over:
            self._decide(lambda: self._assembler.evict(dict.fromkeys(over)))

    def _show(self, view: OtlpMapSpan, envelope: Envelope, now: float) -> bool:
        """Show one span to the assembler; whether it is to be held."""
        wanted = False
        with self.errors.handle_internal_errors("fold"):
            wanted = self._assembler.add(view, now)
            self._places.forget(view.span_id)
            if view.trace_id and view.span_id:
                trace = self._trace(view.trace_id)
                trace.resources[view.span_id] = envelope.resource
                trace.views.append(view)
        view.rest()
        return wanted

    def _trace(self, trace_id: str) -> _Trace:
        return self._traces.setdefault(trace_id, _Trace())

    # -- parents that no mark was found on

    def _expect_parent(self, view: OtlpMapSpan) -> None:
        parent = view.parent_id
        if parent is not None and view.trace_id and not self._assembler.knows(view.trace_id, parent):
            self._places.expect(view.trace_id, parent)

    def _find_parents(self, now: float) -> None:
        change = _Change()
        while found := self._places.found():
            for view, raw in found:
                if view.trace_id in self._traces:
                    self._assembler.add(view, now)
                    self._expect_parent(view)
                    self._keep_fact(change, view.trace_id, _NOWHERE.around(raw))
        if change.put:
            self._write(change)

    # -- deciding

    def tick(self) -> None:
        """Let go what is due at this time. To be called several times a second."""
        self._reconfigure()
        now = self._clock()
        waiting, self._unwritten = self._unwritten, []
        for change in waiting:
            self._write(change)
        with self.errors.handle_internal_errors("places"):
            self._find_parents(now)
        self._decide(lambda: self._assembler.collect(now))

    def close(self) -> None:
        """Let go all that a restart could not go on with, open turns explained as incomplete.

        A queue that outlives the process keeps what is held for the next start.
        """
        if not self._durable:
            now = self._clock()
            self._decide(lambda: self._assembler.close(now, "shutdown"))
            self._release_everything()

    @property
    def written(self) -> bool:
        """Nothing waits for room in the queue."""
        return not self._unwritten

    def _decide(self, collect: Callable[[], Collected]) -> None:
        collected: Collected | None = None
        with self.errors.handle_internal_errors("collect"):
            collected = collect()
        if collected is None:
            # nobody else would let it go now
            self._release_everything()
            self._begin()
            return
        change = _Change()
        for key in collected.released:
            self._release(key, change)
        for turn in collected.turns:
            self._end(turn, change)
        for trace_id in collected.forgotten:
            self._forget(trace_id, change)
        if change.remove or change.put:
            self._write(change)

    def _release_everything(self) -> None:
        change = _Change()
        for key in list(self._held):
            self._release(key, change)
        for trace_id in list(self._traces):
            self._forget(trace_id, change)
        self._write(change)

    def _release(self, key: SpanKey, change: _Change) -> None:
        held = self._let_go(key)
        if held is not None:
            self._trace(key[0]).sent[key[1]] = _digest(held.raw)
            change.remove.append(held.id)
            change.put.append(NewEntry(signal="traces", body=held.request, items=1))
            self._keep_fact(change, key[0], held.request)

    def _forget(self, trace_id: str, change: _Change) -> None:
        trace = self._traces.pop(trace_id, None)
        if trace is None:
            return
        for entry in trace.facts:
            self._traces_of[entry] -= 1
            if not self._traces_of[entry]:
                del self._traces_of[entry]
                change.remove.append(entry)

    def _end(self, turn: Turn, change: _Change) -> None:
        """A turn is whole: its span goes on with the explanation, or a span of our own says it."""
        key = turn.trace_id, turn.span_id
        held = self._let_go(key)
        trace = self._trace(turn.trace_id)
        if held is None and (turn.span_id in trace.explained_before or not _needs_own_span(turn)):
            return
        put: list[bytes] = []
        with self.errors.handle_internal_errors("explain"):
            put = self._explained(turn, held, trace)
        for view in trace.views:
            view.rest()
        if held is not None:
            put = put or [held.request]
            trace.sent[turn.span_id] = _digest(held.raw)
            change.remove.append(held.id)
            self._keep_fact(change, turn.trace_id, put[0])
        change.put += [NewEntry(signal="traces", body=body, items=1) for body in put]

    def _keep_fact(self, change: _Change, trace_id: str, body: bytes) -> None:
        if self._durable:
            change.facts_of.append((len(change.put), trace_id))
            change.put.append(_fact(body))

    def _explained(self, turn: Turn, held: Held | None, trace: _Trace) -> list[bytes]:
        """The requests that carry the explanation; of a turn whose span was held, its own first."""
        started = time.perf_counter()
        explanation = explain(turn, self._config)
        seconds = time.perf_counter() - started
        # a span that was joined from another trace would be linked to by the wrong trace id
        seen = [] if "parent-inferred" in turn.notes else _span_ids(turn)
        requests: list[bytes] = []
        if held is not None:
            requests.append(self._annotated(held, explanation, seen))
        if held is None or self._options.child_span:
            record = child_span(
                explanation, start_ns=turn.start_ns, end_ns=turn.end_ns, options=self._options, seen=seen
            )
            resource = held.envelope.resource if held is not None else trace.resources.get(turn.span_id, b"")
            requests.append(own_span(record, resource))
            self._counts["added"] += 1
        self._tones[explanation.summary.tone] += 1
        with self.errors.handle_internal_errors("metrics"):
            self.fold_counts.explained(explanation, seconds, convention=turn.convention)
        return requests

    def _annotated(self, held: Held, explanation: Explanation, seen: Sequence[str]) -> bytes:
        view = held.view
        written = write(
            explanation,
            start_ns=view.start_ns,
            end_ns=view.end_ns,
            present=frozenset(view.keys()),
            options=self._options,
            seen=seen,
        )
        self._counts["explained"] += 1
        return held.envelope.around(held.raw + additions(view.trace_id, written))

    # -- the queue

    def _write(self, change: _Change) -> None:
        """Make a change, now or when there is room for it; until then the queue has the spans as they came."""
        try:
            ids = self._queue.replace(change.remove, change.put)
        except QueueError:
            self._unwritten.append(change)
            return
        for index, trace_id in change.facts_of:
            if trace_id in self._traces:
                self._note_fact(trace_id, ids[index])
            else:
                self._queue.remove([ids[index]])

    def replay(self) -> int:
        """Take up what an earlier run held.

        Returns:
            How many turns' spans wait again.

        Raises:
            QueueBrokenError: the queue could not be read.
        """
        now = self._clock()
        after = 0
        while entries := self._queue.peek("traces", max_bytes=_REPLAY_BYTES, after_id=after, held=True):
            after = entries[-1].id
            for entry in entries:
                located = self.taker.read(entry.body, _EVERYTHING)
                if entry.items and len(located) == 1:
                    (span,) = located
                    self._fold(Stored(body=b"", held=[Held(entry.id, span.view, span.raw, span.envelope)]))
                elif entry.items:
                    plain = NewEntry(signal="traces", body=entry.body, items=entry.items)
                    self._write(_Change([entry.id], [plain]))
                else:
                    self._recall(located, entry.id, now)
        return len(self._held)

    def _recall(self, facts: Sequence[Located], entry: int, now: float) -> None:
        for span in facts:
            self._show(span.view, span.envelope, now)
            trace = self._trace(span.view.trace_id)
            if span.view.has(names.FOOTPRINT_SCHEMA):
                trace.explained_before.add(span.view.span_id)
        for trace_id in {span.view.trace_id for span in facts}:
            self._note_fact(trace_id, entry)
        if not facts:
            self._queue.remove([entry])

    def _note_fact(self, trace_id: str, entry: int) -> None:
        self._trace(trace_id).facts.append(entry)
        self._traces_of[entry] += 1

    def statistics(self) -> HoldingStatistics:
        """A snapshot."""
        counts = self._counts
        return HoldingStatistics(
            held=len(self._held),
            held_bytes=self._held_bytes,
            explained=counts["explained"],
            added=counts["added"],
            duplicates=counts["duplicates"],
            unreadable=self.taker.unreadable,
            unwritten=sum(len(change.put) for change in self._unwritten),
            awaited_parents=self._places.awaited,
            tones=dict(self._tones),
            errors=dict(self.errors.counts),
            assembler=self._assembler.statistics(),
        )


def _needs_own_span(turn: Turn) -> bool:
    """Whether the turn has no span that could have carried it. One that passed by carries an explanation already."""
    return turn.revision > 1 or turn.stand_in


def _fact(body: bytes) -> NewEntry:
    return NewEntry(signal="traces", body=body, items=0, held=True)


def _digest(raw: bytes) -> bytes:
    return hashlib.blake2b(raw, digest_size=16).digest()


def _span_ids(turn: Turn) -> list[str]:
    return [span_id for call in turn.calls for span_id in (call.span_id, call.carrier_span_id) if span_id]
