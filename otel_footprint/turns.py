"""Spans in, whole turns out: in any order, with duplicates, within bounds.

The assembler has no clock: every call takes ``now``, a number of seconds that only has to grow. A turn is given
out once its span has ended and its place is known; what is left is given out by :meth:`TurnAssembler.close`. A
turn whose span never ends is evicted after ``idle_seconds`` or under pressure, and is explained as incomplete.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeVar

from otel_footprint._adoption import Adoptions, adoptions, moved
from otel_footprint._assembly import Standing, build_turn
from otel_footprint._conversations import Conversations
from otel_footprint._copies import content_bytes, fingerprint
from otel_footprint._forgotten import Forgotten
from otel_footprint._grouping import Groups, joinable
from otel_footprint._log_store import LogStatistics, LogStore
from otel_footprint._placing import CONTAINERS, WORK, Chains, Node, OpenSpan, Place, Trace, node_of
from otel_footprint._stand_ins import StandIns
from otel_footprint.config import Config
from otel_footprint.dialects import Recognised, Role
from otel_footprint.facts import IncompleteReason, Turn
from otel_footprint.internal_errors import InternalErrors
from otel_footprint.logview import LogView
from otel_footprint.spanview import SpanView

PARENT_WAIT_SECONDS: Final = 30.0
"""How long a span that may carry a turn waits for a parent that has not come."""
LINGER_SECONDS: Final = 5.0
"""How long an explained trace is kept for late children."""
LATE_SETTLE_SECONDS: Final = 2.0
"""How long after a late child its turn's one addendum is written."""
_NODE_BYTES: Final = 400
_VOID_KEPT: Final = 1024
_OUT_OF_PROPORTION: Final = 0.5
_LOG_SHARE: Final = 4
"""Log records that wait may take this part of the room."""

RESUMED: Final = "footprint.resumed"
PAUSE: Final = "footprint.pause"

T = TypeVar("T")

SpanKey = tuple[str, str]
"""(trace id, span id), both lower-case hex."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What was decided since the last call."""

    turns: tuple[Turn, ...] = ()
    """By start time, then trace id and span id. ``revision`` 2 is an addendum to a turn given out before."""
    released: tuple[SpanKey, ...] = ()
    """Spans that :meth:`TurnAssembler.add` asked to hold and that carry no explanation."""
    forgotten: tuple[str, ...] = ()
    """Traces of which nothing is kept any more, by their ids; a later span of theirs starts anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssemblerStatistics:
    """A snapshot of the assembler's state and its totals since it was made."""

    open_turns: int
    """Spans that may carry a turn and are not decided, and traces with work and no turn span yet."""
    traces: int
    bytes: int
    """Approximate content kept alive, that of log records included."""
    spans: int
    turns: int
    duplicates: int
    conflicts: int
    """Spans that came twice with different content; the one that ended later is kept."""
    rejected: int
    """Spans without a valid trace id or span id; they are nobody's."""
    evicted: int
    """Turns explained as incomplete because of a bound."""
    late: int
    """Spans that came after their turn was given out."""
    conversations: int
    """Conversations whose turns are being counted."""
    conversations_forgotten: int
    """Conversations that were forgotten to keep within the bound; a later turn of theirs counts from 1 again."""
    logs: LogStatistics


class _Out:
    """What one call gives out."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.released: list[SpanKey] = []
        self.forgotten: list[str] = []

    def collected(self) -> Collected:
        self.turns.sort(key=lambda t: (t.start_ns, t.trace_id, t.span_id, t.revision))
        return Collected(turns=tuple(self.turns), released=tuple(self.released), forgotten=tuple(self.forgotten))


class TurnAssembler:
    """Puts the spans of turns together. Not thread-safe; the host that drives it holds its own lock."""

    def __init__(
        self,
        config: Config | None = None,
        *,
        open_span: OpenSpan | None = None,
        errors: InternalErrors | None = None,
    ) -> None:
        """Begin with nothing.

        Args:
            config: Settings of the fold.
            open_span: Gives a span that has started and not ended.
            errors: Takes an error in the reading of one turn, whose span is then given back without it. ``None``: it is
                raised.
        """
        self._config = config or Config()
        self._errors = errors
        self._open_span = open_span
        self._traces: OrderedDict[str, Trace] = OrderedDict()
        self._touched: dict[str, None] = {}
        self._due: list[tuple[float, str]] = []
        """A heap of when to look at a trace again, by trace id; an entry that is not the trace's own is void."""
        self._adoptions = Adoptions()
        self._forgotten = Forgotten()
        self._bytes = 0
        self._undecided = 0
        self._counts: dict[str, int] = defaultdict(int)
        self._conversations = Conversations()
        self._groups = Groups()
        self._logs = LogStore(self._config.max_bytes // _LOG_SHARE, self._traces.__contains__)

    def configure(self, config: Config) -> None:
        """Let other settings hold from now on."""
        self._config = config

    def add(self, span: SpanView, now: float, recognised: Recognised | None = None) -> bool:
        """Take one ended span. ``True``: it may carry an explanation, so the host holds it until it is decided.

        Args:
            span: The span.
            now: Seconds that only grow.
            recognised: What :func:`~otel_footprint.dialects.recognise` said of it, where the host has asked already.
        """
        if not span.trace_id or not span.span_id:
            self._counts["rejected"] += 1
            return False
        self._counts["spans"] += 1
        node = node_of(span, recognised)
        node.seen = now
        trace = self._trace(node.trace_id, now)
        trace.last_seen = now
        self._traces.move_to_end(node.trace_id)
        known = trace.nodes.get(node.span_id)
        if known is not None and not self._better(known, node):
            return node.span_id in trace.undecided
        node.size = _NODE_BYTES + (content_bytes(span) if node.role is not None else 0)
        self._bytes += node.size - (known.size if known is not None else 0)
        trace.put(node)
        self._groups.came(node, now)
        if node.role is not None or trace.undecided or trace.explained:
            self._touched[node.trace_id] = None
        if trace.explained:
            self._note_late(trace, node, now)
        if node.role in CONTAINERS and not node.explained and not node.released:
            if node.span_id not in trace.undecided:
                trace.undecided.add(node.span_id)
                self._undecided += 1
            return True
        return False

    def add_log(self, record: LogView, now: float) -> bool:
        """Take one log record. ``True``: it tells of a call or a turn, and waits for the spans of that."""
        held = self._logs.add(record, now)
        if held is None:
            return False
        trace = self._traces.get(record.trace_id)
        node = trace.nodes.get(record.span_id) if trace is not None else None
        if trace is not None and node is not None:
            carrier = trace.place(node).carrier
            if carrier is not None and carrier.explained == 1:  # what comes later still is counted as unmatched
                trace.revise_at.setdefault(carrier.span_id, now + LATE_SETTLE_SECONDS)
                self._touched[trace.trace_id] = None
        return True

    def knows(self, trace_id: str, span_id: str) -> bool:
        """Whether this span was added and its trace is still kept."""
        trace = self._traces.get(trace_id)
        return trace is not None and span_id in trace.nodes

    def gaps(self, trace_id: str) -> list[str]:
        """The spans that have not come of a trace that was forgotten before, and that something stood below then."""
        trace = self._traces.get(trace_id)
        return [] if trace is None else [gap.span_id for gap in trace.gaps if gap.span_id not in trace.nodes]

    def keeps(self, span: SpanView) -> bool:
        """Whether this very view is what a turn is made of: no other copy of the span, and none of no role."""
        trace = self._traces.get(span.trace_id)
        node = trace.nodes.get(span.span_id) if trace is not None else None
        return node is not None and node.view is span

    def collect(self, now: float) -> Collected:
        """The turns that are due: decided, ended, and held long enough; then what the bounds evict."""
        out = _Out()
        for trace_id in list(self._touched):
            self._decide(self._traces[trace_id], now, out, force=False)
        self._expire(now, out)
        self._logs.expire(now - self._config.idle_seconds)
        self._shrink(out)
        return self._give(out)

    def evict(self, trace_ids: Iterable[str]) -> Collected:
        """Give out all that is open in some traces, explained as incomplete, and forget them."""
        out = _Out()
        for trace_id in trace_ids:
            if trace_id in self._traces:
                self._evict(self._traces[trace_id], out)
        return self._give(out)

    def close(self, now: float, why: IncompleteReason | None = None) -> Collected:
        """Everything that is left, in its final state; the assembler is empty afterwards.

        ``why`` marks the turns whose span never came (``shutdown`` when a process stops).
        """
        out = _Out()
        self._adoptions = self._tried(lambda: adoptions(self._traces.values())) or Adoptions()
        for trace in self._traces.values():
            self._decide(trace, now, out, force=True)
        for trace in list(self._traces.values()):
            self._finish(trace, out, () if why is None else (why,))
        self._adoptions = Adoptions()
        self._forgotten = Forgotten()
        self._due.clear()
        self._logs.close()
        return self._give(out)

    def statistics(self) -> AssemblerStatistics:
        """A snapshot."""
        counts = self._counts
        return AssemblerStatistics(
            open_turns=self._undecided + sum(not t.undecided and t.open_work > 0 for t in self._traces.values()),
            traces=len(self._traces),
            bytes=self._bytes + self._logs.bytes,
            spans=counts["spans"],
            turns=counts["turns"],
            duplicates=counts["duplicates"],
            conflicts=counts["conflicts"],
            rejected=counts["rejected"],
            evicted=counts["evicted"],
            late=counts["late"],
            conversations=len(self._conversations),
            conversations_forgotten=self._conversations.forgotten,
            logs=self._logs.statistics(),
        )

    # -- taking spans in -------------------------------------------------------------------------------------

    def _trace(self, trace_id: str, now: float) -> Trace:
        trace = self._traces.get(trace_id)
        if trace is None:
            trace = self._traces[trace_id] = Trace(trace_id)
            gaps = self._forgotten.gaps(trace_id)
            trace.evicted, trace.gaps = gaps is None, gaps or frozenset()
            self._look_again(trace, now + LINGER_SECONDS)
        return trace

    def _better(self, known: Node, node: Node) -> bool:
        """Whether a second copy of a span replaces the first; equal copies are only counted."""
        a, b = fingerprint(known), fingerprint(node)
        if a == b:
            self._counts["duplicates"] += 1
            return False
        self._counts["conflicts"] += 1
        known.conflict = node.conflict = True
        # The later end wins; between equal ends the choice must not depend on the order of arrival.
        return (node.end_ns, b) > (known.end_ns, a)

    def _note_late(self, trace: Trace, node: Node, now: float) -> None:
        """Work that came after its turn was given out, or whose way to that turn is complete only now."""
        above = trace.above(node)
        alone = above.turn is None and above.tool is None and above.top in (None, node)
        carrier = None if alone else trace.place(node).carrier
        if carrier is None or not carrier.explained:
            return
        for late in (node, *trace.inside(node)):
            if late.role in WORK and not late.claimed:
                self._counts["late"] += 1
                trace.claim(late)
                if carrier.explained == 1:  # one addendum a turn; what comes later still is counted
                    trace.revise_at[carrier.span_id] = now + LATE_SETTLE_SECONDS

    # -- deciding --------------------------------------------------------------------------------------------

    def _decide(self, trace: Trace, now: float, out: _Out, *, force: bool) -> None:
        chains = trace.chains if self._open_span is None else Chains(trace, self._open_span)
        for node in sorted((trace.nodes[span_id] for span_id in trace.undecided), key=lambda n: n.order):
            waited = force or trace.rooted(node) or now >= trace.last_seen + PARENT_WAIT_SECONDS
            if not waited and node.gap is not None and not chains.knows(node.gap):
                continue
            place = chains.place(node)
            node.gap = place.gap
            if not (waited or place.settled):
                continue
            held = force or now >= node.seen + self._config.hold_seconds
            if place.carrier is node:
                if held:
                    self._emit(trace, node, place, out)
            elif held or place.below:
                self._release(trace, node, out)
        self._revise(trace, now, out, force=force)
        if not trace.undecided and not trace.revise_at:
            self._touched.pop(trace.trace_id, None)
        self._look_again(trace, trace.last_seen + self._keep_seconds(trace))

    def _release(self, trace: Trace, node: Node, out: _Out) -> None:
        self._settle(trace, node)
        # A copy of another kind may have taken its place: work that no turn has, if none has adopted it.
        node.released = node.released or node.role in CONTAINERS
        out.released.append((trace.trace_id, node.span_id))

    def _settle(self, trace: Trace, node: Node) -> None:
        if node.span_id in trace.undecided:
            trace.undecided.remove(node.span_id)
            self._undecided -= 1

    def _emit(self, trace: Trace, carrier: Node, place: Place, out: _Out, why: Iterable[IncompleteReason] = ()) -> None:
        self._settle(trace, carrier)
        trace.explained += 1
        carrier.explained += 1
        trace.paused = trace.paused or (
            carrier.view is not None and any(event.name == PAUSE for event in carrier.view.events)
        )
        turn = self._tried(lambda: self._build(trace, carrier, place, why))
        if turn is not None:
            out.turns.append(turn)
        elif carrier.explained == 1:
            out.released.append((trace.trace_id, carrier.span_id))

    def _tried(self, read: Callable[[], T]) -> T | None:
        """What reading gives; ``None`` after an error, which must not cost other turns theirs."""
        if self._errors is None:
            return read()
        with self._errors.handle_internal_errors("turn"):
            return read()
        return None

    def _build(self, trace: Trace, carrier: Node, place: Place, why: Iterable[IncompleteReason]) -> Turn:
        gained, lost = moved(trace, carrier)
        inside = [n for n in trace.inside(carrier) if n.role is not None and n.span_id not in lost]
        inside.extend(gained)
        notes = ["late-spans"] if carrier.explained > 1 else []
        adopted = self._adopt(carrier)
        if adopted:
            inside.extend(adopted)
            notes.append("parent-inferred")
        inferred = trace.above(carrier).inferred
        if inferred is not None:
            notes.append("parent-inferred" if inferred == "unique" else "parent-ambiguous")
        for node in inside:
            self._traces[node.trace_id].claim(node)
        members = [node for node in inside if not self._traces[node.trace_id].above(node).aside]
        incomplete: list[IncompleteReason] = list(why)
        if place.parent_missing:
            incomplete.append("parent-missing")
        if place.cycle:
            incomplete.append("parent-cycle")
        if trace.lacks(carrier):
            incomplete.append("evicted-before")
        standing = Standing(
            outer=place.outer.span_id if place.outer is not None else None,
            incomplete=tuple(incomplete),
            revision=carrier.explained,
            notes=tuple(dict.fromkeys(notes)),
            paused=self._paused_legs(carrier),
            logs=self._logs,
        )
        return build_turn(trace, carrier, members, self._config, standing)

    def _paused_legs(self, carrier: Node) -> list[Turn] | None:
        """The legs that a resumed turn goes on from, oldest first; ``None`` without such a leg here."""
        legs: list[Turn] = []
        seen = {(carrier.trace_id, carrier.span_id)}
        current: Node | None = carrier
        while current is not None and current.view is not None and current.view.get(RESUMED) is True:
            current = self._linked(current, seen)
            if current is None:
                break
            seen.add((current.trace_id, current.span_id))
            trace = self._traces[current.trace_id]
            members = [node for node in trace.inside(current) if node.role is not None]
            legs.insert(0, build_turn(trace, current, members, self._config, Standing(logs=self._logs)))
        return legs or None

    def _linked(self, carrier: Node, seen: set[SpanKey]) -> Node | None:
        """The turn's span that a resumed turn names as the leg before it."""
        for link in carrier.view.links if carrier.view is not None else ():
            trace = self._traces.get(link.trace_id)
            node = trace.nodes.get(link.span_id) if trace is not None else None
            if node is not None and node.role in CONTAINERS and (node.trace_id, node.span_id) not in seen:
                return node
        return None

    def _revise(self, trace: Trace, now: float, out: _Out, *, force: bool) -> None:
        """The one addendum of a turn that late children changed."""
        for span_id, due in sorted(trace.revise_at.items()):
            if force or now >= due:
                del trace.revise_at[span_id]
                carrier = trace.nodes[span_id]
                self._emit(trace, carrier, trace.place(carrier), out)

    def _adopt(self, carrier: Node) -> list[Node]:
        """The orphaned calls of this turn, each with the work inside it."""
        adopted: list[Node] = []
        for orphan in self._adoptions.of(carrier):
            adopted += [orphan, *(n for n in self._traces[orphan.trace_id].inside(orphan) if n.role is not None)]
        for node in adopted:
            node.released = node.released or node.role in WORK
        return adopted

    # -- bounds ----------------------------------------------------------------------------------------------

    def _look_again(self, trace: Trace, due: float) -> None:
        """Look at a trace when it is due, if that is sooner than it is looked at anyway."""
        if trace.due is None or due < trace.due:
            trace.due = due
            heapq.heappush(self._due, (due, trace.trace_id))

    def _expire(self, now: float, out: _Out) -> None:
        """Give out or forget what has been quiet for long enough."""
        while self._due and self._due[0][0] <= now:
            due, trace_id = heapq.heappop(self._due)
            trace = self._traces.get(trace_id)
            if trace is None or trace.due != due:
                continue
            trace.due = None
            keep_until = self._last_seen(trace) + self._keep_seconds(trace)
            if keep_until <= now:
                self._finish(trace, out, () if trace.root is not None else ("idle",))
            else:
                self._look_again(trace, keep_until)
        if len(self._due) > 2 * len(self._traces) + _VOID_KEPT:
            self._due = [(trace.due, trace.trace_id) for trace in self._traces.values() if trace.due is not None]
            heapq.heapify(self._due)

    def _keep_seconds(self, trace: Trace) -> float:
        """How long a quiet trace is kept: briefly when nothing is open, longer where its root is missing."""
        if not trace.undecided and not trace.open_work:
            # A turn that waits on a person is what its resumed leg will be read with.
            return self._config.idle_seconds if trace.paused else LINGER_SECONDS
        if trace.root is not None and self._groups.last_seen(trace.trace_id) is None:
            return max(PARENT_WAIT_SECONDS, self._config.hold_seconds)
        return self._config.idle_seconds

    def _last_seen(self, trace: Trace) -> float:
        """When something last came for a trace, or for another one of its conversation's work."""
        joined = self._groups.last_seen(trace.trace_id) if trace.open_work else None
        return trace.last_seen if joined is None else max(trace.last_seen, joined)

    def _joined(self, trace: Trace) -> list[Trace]:
        """The traces whose work makes up turns together with that of this one; none where a span is around it."""
        if trace.undecided or not joinable(trace):
            return []
        same = (self._traces[trace_id] for trace_id in self._groups.with_trace(trace.trace_id))
        return [other for other in same if not other.undecided and joinable(other)]

    def _shrink(self, out: _Out) -> None:
        """Keep within the bounds: what is explained goes first, then a trace that is out of proportion.

        After these the trace goes that was quiet longest.
        """
        if self._within():
            return
        for trace in [t for t in self._traces.values() if not t.undecided and not t.open_work]:
            if self._within():
                return
            self._finish(trace, out, ())
        if not self._within():
            # Many small traces must not pay for one that takes more than half of the room.
            largest = max(self._traces.values(), key=self._share)
            if self._share(largest) > _OUT_OF_PROPORTION:
                self._evict(largest, out)
        while self._traces and not self._within():
            self._evict(next(iter(self._traces.values())), out)

    def _evict(self, trace: Trace, out: _Out) -> None:
        for one in self._joined(trace) or [trace]:
            self._forgotten.evicted(one.trace_id)
        self._finish(trace, out, ("evicted",))

    def _share(self, trace: Trace) -> float:
        """How much of the bounds a trace takes; 1 is all."""
        return max(trace.size / self._config.max_bytes, len(trace.undecided) / self._config.max_open_turns)

    def _within(self) -> bool:
        open_turns = max(len(self._traces), self._undecided)
        return self._bytes + self._logs.bytes <= self._config.max_bytes and open_turns <= self._config.max_open_turns

    def _finish(self, trace: Trace, out: _Out, why: tuple[IncompleteReason, ...]) -> None:
        """Give out all that a trace still holds and forget it, with the other traces of its conversation's work."""
        given = len(out.turns)
        self._settle_all(trace, out, why)
        joined = self._joined(trace)
        for one in joined:
            self._settle_all(one, out, why)
        rest = StandIns(config=self._config, logs=self._logs, adoptions=self._adoptions, why=why)
        out.turns += self._tried(lambda: list(rest.of_conversation(joined))) or ()
        for one in joined or [trace]:
            stand_in = self._tried(partial(rest.of_trace, one)) if one.trace_id in self._traces else None
            if stand_in is not None:
                out.turns.append(stand_in)
        if why and why != ("shutdown",):
            self._counts["evicted"] += len(out.turns) - given
        for one in joined or [trace]:
            if self._traces.pop(one.trace_id, None) is not None:
                self._bytes -= one.size
                self._forgotten.given_out(one)
            self._touched.pop(one.trace_id, None)
            self._groups.forget(one.trace_id)
            self._logs.forget(one.trace_id)
            out.forgotten.append(one.trace_id)

    def _settle_all(self, trace: Trace, out: _Out, why: tuple[IncompleteReason, ...]) -> None:
        for node in sorted((trace.nodes[span_id] for span_id in trace.undecided), key=lambda n: n.order):
            place = trace.place(node)
            if place.carrier is node:
                self._emit(trace, node, place, out, why)
            else:
                self._release(trace, node, out)
        self._revise(trace, 0.0, out, force=True)

    def _give(self, out: _Out) -> Collected:
        self._counts["turns"] += len(out.turns)
        collected = out.collected()
        return replace(collected, turns=tuple(self._conversations.numbered(turn) for turn in collected.turns))


def may_carry_turn(role: Role | None) -> bool:
    """Whether a span of this role is of the kind that carries a turn, as far as the span alone says."""
    return role in CONTAINERS
