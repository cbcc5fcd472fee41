"""Turns that no span is around: one of the spans of their work stands in, and the turn says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from otel_footprint._adoption import Adoptions
from otel_footprint._assembly import Standing, build_turn
from otel_footprint._grouping import JOINED, Traces, by_prompt, carrier_of, joinable, orphans_of
from otel_footprint._log_store import LogStore
from otel_footprint._placing import WORK, Node, Trace
from otel_footprint.config import Config
from otel_footprint.dialects import Role
from otel_footprint.facts import IncompleteReason, Turn

_BESIDE: Final = frozenset({None, Role.SKIP, Role.PART, Role.ASIDE})
"""Roles of spans that cannot stand for a turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIns:
    """Makes the turns of what is left of traces when they are forgotten."""

    config: Config
    logs: LogStore
    adoptions: Adoptions
    why: tuple[IncompleteReason, ...]
    """Why the traces are forgotten, where that makes their record partial."""

    def of_trace(self, trace: Trace) -> Turn | None:
        """The turn of a trace's work whose way up is not known, or whose runtime joins no traces."""
        if not trace.open_work:
            return None
        joined = {n.span_id for n in joinable(trace)}
        members = [n for n in orphans_of(trace) if n.span_id not in joined]
        if not members:
            return None
        incomplete = self._loss({trace.trace_id: trace}, members)
        ambiguous = any(self.adoptions.is_ambiguous(node) for node in members)
        members += _parts(trace)
        carrier = min(_uncarried(trace), key=lambda n: (trace.chains.above(n).related, n.order))
        notes = ("parent-ambiguous",) if ambiguous else ()
        standing = Standing(stand_in=True, incomplete=incomplete, notes=notes, logs=self.logs)
        return build_turn(trace, carrier, members, self.config, standing)

    def of_conversation(self, joined: Sequence[Trace]) -> Iterator[Turn]:
        """The turns of a conversation's work that nothing is around, each carried by its last model call."""
        by_id = {trace.trace_id: trace for trace in joined}
        for work in by_prompt(node for trace in joined for node in joinable(trace)):
            carrier = carrier_of(work, Traces(trace_id=work[0].trace_id, by_id=by_id))
            traces = Traces(trace_id=carrier.trace_id, by_id=by_id)
            parts = [part for trace_id in {n.trace_id: n for n in work} for part in _parts(by_id[trace_id])]
            standing = Standing(stand_in=True, incomplete=self._loss(by_id, work), notes=(JOINED,), logs=self.logs)
            yield build_turn(traces, carrier, [*work, *parts], self.config, standing)

    def _loss(self, by_id: Mapping[str, Trace], work: Iterable[Node]) -> tuple[IncompleteReason, ...]:
        incomplete: list[IncompleteReason] = ["no-turn-span", *self.why]
        traces = {node.trace_id: by_id[node.trace_id] for node in work}
        places = [traces[node.trace_id].place(node) for node in work]
        if any(place.parent_missing for place in places):
            incomplete.append("parent-missing")
        if any(place.cycle for place in places):
            incomplete.append("parent-cycle")
        if any(trace.evicted for trace in traces.values()):
            incomplete.append("evicted-before")
        return tuple(incomplete)


def _parts(trace: Trace) -> list[Node]:
    return [n for n in trace.nodes.values() if n.role is Role.PART and trace.place(n).carrier is None]


def _uncarried(trace: Trace) -> Iterable[Node]:
    """The spans of an agent's work that no turn is around, work that another trace's turn took left out."""
    for node in trace.nodes.values():
        taken = node.released and node.role in WORK
        if node.role not in _BESIDE and not taken and trace.place(node).carrier is None:
            yield node
