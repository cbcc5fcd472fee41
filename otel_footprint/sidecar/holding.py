"""Turns' spans wait for their explanation and then go on with it.

What the taker stored is folded here. Whatever fails, the spans are in the queue and go on as they came.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from otel_footprint import semconv as names
from otel_footprint.config import Config
from otel_footprint.facts import Turn
from otel_footprint.internal_errors import InternalErrors
from otel_footprint.sidecar.changing import Change, Changes
from otel_footprint.sidecar.explaining import Explainer
from otel_footprint.sidecar.fold_counts import FoldCounts
from otel_footprint.sidecar.holding_statistics import HoldingStatistics
from otel_footprint.sidecar.kept_traces import KeptTrace, SentBefore, digest_of
from otel_footprint.sidecar.log_taking import LogTaker
from otel_footprint.sidecar.marks import Marks
from otel_footprint.sidecar.places import Places
from otel_footprint.sidecar.queue import NewEntry, Queue
from otel_footprint.sidecar.requests import Envelope, Located
from otel_footprint.sidecar.taking import Backlog, Held, Stored, StoredLogs, TraceTaker
from otel_footprint.spanview_otlp import OtlpMapSpan
from otel_footprint.turns import Collected, SpanKey, TurnAssembler
from otel_footprint.writers import own_span_id

_REPLAY_BYTES: Final = 4 * 1024 * 1024
_MIB: Final = 1024 * 1024
_EVERYTHING: Final = Marks([""])
_NOWHERE: Final = Envelope(b"", b"")


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """How many bytes of turns' spans may wait; beyond it the oldest are explained as incomplete."""

    all: int = 64 * _MIB
    per_trace: int = 8 * _MIB


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
        self._clock = clock
        self._durable = queue.statistics().survives != "nothing"
        self._counts: Counter[str] = Counter()
        self.errors = InternalErrors("sidecar", clock)
        """Errors of our own; whatever they are, spans go on as they came."""
        self._explainer = Explainer(config, self.errors)
        self._changes = Changes(queue, lambda trace_id: trace_id in self._traces)
        self.backlog = Backlog()
        self.taker = TraceTaker(queue, self.backlog, self.errors)
        """What stores requests for traces; it may run in another thread, as the next one may."""
        self.log_taker = LogTaker(queue, self.backlog, self.errors)
        self._sent_before = SentBefore()
        self._new_settings: tuple[Config, Caps] | None = None
        self._begin()

    def configure(self, config: Config, caps: Caps) -> None:
        """Let other settings hold from the next look at the clock on, for what is held already too. From any thread."""
        self._new_settings = config, caps

    @property
    def fold_counts(self) -> FoldCounts:
        """What the explanations said."""
        return self._explainer.fold_counts

    def _reconfigure(self) -> None:
        if self._new_settings is not None:
            (self._config, self._caps), self._new_settings = self._new_settings, None
            self._explainer.configure(self._config)
            self._assembler.configure(self._config)

    def _begin(self) -> None:
        self._assembler = TurnAssembler(self._config, errors=self.errors)
        self._places = Places()
        self._held: dict[SpanKey, Held] = {}
        self._held_bytes = 0
        self._traces: dict[str, KeptTrace] = {}

    # -- taking up

    def work(self, until: float = math.inf) -> None:
        """Fold what was stored since the last call, all of it or, by the holder's clock, until a time is past."""
        with self.errors.handle_internal_errors("places"):
            while (body := self.backlog.take_plain()) is not None:
                self._places.keep(body)
        while self._clock() < until and (stored := self.backlog.take()) is not None:
            if isinstance(stored, StoredLogs):
                self._read_logs(stored)
                continue
            self._fold(stored)
            with self.errors.handle_internal_errors("places"):
                self._places.keep(stored.body)

    def _fold(self, stored: Stored) -> None:
        """Show spans to the assembler, and let those go on at once that it does not want to be held."""
        now = self._clock()
        change = Change()
        for span in stored.facts:
            self._show(span, now)
        for one in stored.held:
            if self._is_copy(one):
                self._counts["duplicates"] += 1
                change.remove.append(one.id)
            elif (passed := self._hold_or_pass(one, wanted=self._show(one, now))) is not None:
                self._sent_before.add([digest_of(passed.raw)])
                change.remove.append(passed.id)
                change.put.append(NewEntry(signal="traces", body=passed.request, items=1))
        if stored.fact_entry is not None:
            self._note(stored.fact_entry, stored.facts)
        with self.errors.handle_internal_errors("places"):
            for view in (*(span.view for span in stored.facts), *(one.view for one in stored.held)):
                self._expect_parent(view)
        self._changes.write(change)
        self._keep_within_caps(stored.held)

    def _read_logs(self, stored: StoredLogs) -> None:
        """Show log records to the assembler; they wait there for the spans that they tell of."""
        now = self._clock()
        with self.errors.handle_internal_errors("logs"):
            for view in stored.records:
                self._assembler.add_log(view, now)
        if stored.fact_entry is not None:
            self._changes.note_logs(stored.fact_entry, {view.trace_id for view in stored.records}, now)

    def _note(self, entry: int, facts: Sequence[Located]) -> None:
        """Keep an entry for as long as the traces are that it holds facts of."""
        known = {span.view.trace_id for span in facts} & self._traces.keys()
        if known:
            self._changes.note(entry, known)
        else:
            self._changes.write(Change([entry]))

    def _is_copy(self, one: Held) -> bool:
        """Whether a span is equal, to the last byte, to one that is held or went on."""
        held = self._held.get((one.view.trace_id, one.view.span_id))
        if held is not None and held.raw == one.raw:
            return True
        digest = digest_of(one.raw)
        if digest in self._sent_before:
            return True
        trace = self._traces.get(one.view.trace_id)
        if trace is None:
            return False
        # what an explanation was added to begins with the bytes that came
        return digest in trace.sent or trace.explained_before.get(one.view.span_id, b"").startswith(one.raw)

    def _hold_or_pass(self, one: Held, *, wanted: bool) -> Held | None:
        """Hold a span. Of copies that differ, the one that the explanation is made of; the other one is given back."""
        key = one.view.trace_id, one.view.span_id
        if not wanted:
            return one
        if key not in self._held:
            self._hold(one)
            return None
        if not self._assembler.keeps(one.view):
            return one
        other = self._let_go(key)
        self._hold(one)
        return other

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
        traces = {one.view.trace_id: self._traces.get(one.view.trace_id) for one in new}
        over = [
            trace_id
            for trace_id, trace in traces.items()
            if trace is not None and trace.held_bytes > self._caps.per_trace
        ]
        excess = self._held_bytes - self._caps.all
        for held in self._held.values():
            if excess <= 0:
                break
            over.append(held.view.trace_id)
            excess -= len(held.raw)
        if over:
            self._decide(lambda: self._assembler.evict(dict.fromkeys(over)))

    def _show(self, span: Located | Held, now: float) -> bool:
        """Show one span to the assembler; whether it is to be held."""
        wanted = False
        view = span.view
        with self.errors.handle_internal_errors("fold"):
            wanted = self._assembler.add(view, now, span.known)
            self._places.forget(view.span_id)
            if view.trace_id and view.span_id:
                if view.trace_id not in self._traces:
                    for gap in self._assembler.gaps(view.trace_id):
                        self._places.expect(view.trace_id, gap)
                trace = self._trace(view.trace_id)
                trace.resources[view.span_id] = span.envelope.resource
                if self._assembler.keeps(view):
                    trace.views[view.span_id] = view
                if view.has(names.FOOTPRINT_SCHEMA):
                    trace.explained_before[view.span_id] = span.raw
        view.rest()
        return wanted

    def _trace(self, trace_id: str) -> KeptTrace:
        return self._traces.setdefault(trace_id, KeptTrace())

    # -- parents that no mark was found on

    def _expect_parent(self, view: OtlpMapSpan) -> None:
        parent = view.parent_id
        if parent is not None and view.trace_id and not self._assembler.knows(view.trace_id, parent):
            self._places.expect(view.trace_id, parent)

    def _find_parents(self, now: float) -> None:
        change = Change()
        while found := self._places.found():
            for view, raw in found:
                trace = self._traces.get(view.trace_id)
                if trace is not None:
                    # a turn's span among them went on when its trace was kept before
                    trace.explained_before[view.span_id] = b""
                    self._assembler.add(view, now)
                    self._expect_parent(view)
                    self._keep_fact(change, view.trace_id, _NOWHERE.around(raw))
        self._changes.write(change)

    # -- deciding

    def tick(self) -> None:
        """Let go what is due at this time. To be called several times a second."""
        self._reconfigure()
        now = self._clock()
        self._changes.write_again()
        self._changes.expire_logs(now - self._config.idle_seconds)
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
        return not self._changes.unwritten

    def _decide(self, collect: Callable[[], Collected]) -> None:
        collected: Collected | None = None
        with self.errors.handle_internal_errors("collect"):
            collected = collect()
        if collected is None:
            # nobody else would let it go now
            self._release_everything()
            self._begin()
            return
        change = Change()
        for key in collected.released:
            self._release(key, change)
        for turn in collected.turns:
            self._end(turn, change)
        for trace_id in {turn.trace_id for turn in collected.turns}:
            self._trace(trace_id).rest()
        for trace_id in collected.forgotten:
            self._forget(trace_id, change)
        self._changes.write(change)

    def _release_everything(self) -> None:
        change = Change()
        for key in list(self._held):
            self._release(key, change)
        for trace_id in list(self._traces):
            self._forget(trace_id, change)
        self._changes.write(change)

    def _release(self, key: SpanKey, change: Change) -> None:
        held = self._let_go(key)
        if held is not None:
            self._trace(key[0]).sent.add(digest_of(held.raw))
            change.remove.append(held.id)
            change.put.append(NewEntry(signal="traces", body=held.request, items=1))
            self._keep_fact(change, key[0], held.request)

    def _forget(self, trace_id: str, change: Change) -> None:
        trace = self._traces.pop(trace_id, None)
        if trace is not None:
            self._sent_before.add(trace.sent)
        self._changes.forget(trace_id, change)

    def _end(self, turn: Turn, change: Change) -> None:
        """A turn is whole: its span goes on with the explanation, or a span of our own says it."""
        key = turn.trace_id, turn.span_id
        held = self._let_go(key)
        trace = self._trace(turn.trace_id)
        if held is None and not _needs_own_span(turn, trace):
            return
        put: list[NewEntry] = []
        with self.errors.handle_internal_errors("explain"):
            resource = held.envelope.resource if held is not None else trace.resources.get(turn.span_id, b"")
            put = self._explainer.entries(turn, held, resource)
        if held is not None:
            put = put or [NewEntry(signal="traces", body=held.request, items=1)]
            trace.sent.add(digest_of(held.raw))
            change.remove.append(held.id)
            self._keep_fact(change, turn.trace_id, put[0].body)
        change.put += put

    def _keep_fact(self, change: Change, trace_id: str, body: bytes) -> None:
        if self._durable:
            change.put_fact(trace_id, body)

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
                    self._changes.write(Change([entry.id], [plain]))
                else:
                    self._recall(located, entry.id, now)
        self._replay_logs()
        return len(self._held)

    def _replay_logs(self) -> None:
        after = 0
        while entries := self._queue.peek("logs", max_bytes=_REPLAY_BYTES, after_id=after, held=True):
            after = entries[-1].id
            for entry in entries:
                views = [told.view for told in self.log_taker.read(entry.body)]
                if views:
                    self._read_logs(StoredLogs(records=views, size=len(entry.body), fact_entry=entry.id))
                else:
                    self._queue.remove([entry.id])

    def _recall(self, facts: Sequence[Located], entry: int, now: float) -> None:
        for span in facts:
            self._show(span, now)
        self._note(entry, facts)

    def statistics(self) -> HoldingStatistics:
        """A snapshot."""
        counts = self._counts
        return HoldingStatistics(
            held=len(self._held),
            held_bytes=self._held_bytes,
            explained=self._explainer.explained,
            added=self._explainer.added,
            duplicates=counts["duplicates"],
            unreadable=self.taker.unreadable + self.log_taker.unreadable,
            unwritten=self._changes.unwritten,
            awaited_parents=self._places.awaited,
            tones=dict(self._explainer.tones),
            errors=dict(self.errors.counts),
            assembler=self._assembler.statistics(),
        )


def _needs_own_span(turn: Turn, trace: KeptTrace) -> bool:
    """Whether the turn has no span that could have carried it, and nobody has explained it or said this before."""
    known = trace.explained_before
    own = own_span_id(turn.trace_id, turn.span_id, turn.revision)
    return (turn.revision > 1 or turn.stand_in) and turn.span_id not in known and own not in known
