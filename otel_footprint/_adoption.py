"""Work that is not where its parent chain puts it, and the turn that it belongs to.

A tool call or a model call can lose its parent (a thread hop starts a trace of its own); a call of a sub-agent can
hang on the agent around it and name the tool call that started the sub-agent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from otel_footprint._placing import TURN_ROLES, Node, Trace
from otel_footprint.dialects import Role

_SERVICE: Final = ("service.name", "service.instance.id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoptions:
    """Which orphans belong to which turn, as far as one turn alone can have made each."""

    _by_carrier: Mapping[tuple[str, str], tuple[Node, ...]] = field(default_factory=dict)
    _ambiguous: frozenset[tuple[str, str]] = frozenset()

    def of(self, carrier: Node) -> tuple[Node, ...]:
        """The orphans of the turn that ``carrier`` carries."""
        return self._by_carrier.get(_key(carrier), ())

    def is_ambiguous(self, orphan: Node) -> bool:
        """Whether more than one turn can have made it, or more than one call answers the same request."""
        return _key(orphan) in self._ambiguous


def adoptions(traces: Collection[Trace]) -> Adoptions:
    """Match orphaned tool calls and model calls with the turns that are still undecided.

    A tool call fits a turn when a model call of the turn asked for its id; a model call fits a turn when a call of
    the turn has an id that it asked for or read the result of. Both have to be of the same service and inside the
    turn's time. Where two turns fit, none is picked. Work whose parent never came is that of the one turn of its
    trace that was under way, where this turn has none of its own: AutoGen leaves the span between them open.
    """
    orphans: dict[_Key, list[Node]] = defaultdict(list)
    for trace in traces:
        for key, node in _orphaned(trace):
            orphans[key].append(node)
    alone = list(_alone_in_trace(traces))
    if not orphans and not alone:
        return Adoptions()
    pairs = [pair for trace in traces for pair in _fitting(trace, orphans)]
    fits: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for carrier, _, orphan in pairs:
        fits[_key(orphan)].add(_key(carrier))
    calls = Counter((_key(carrier), key) for carrier, key, _ in pairs if key[0] is Role.TOOL)
    by_carrier: dict[tuple[str, str], dict[tuple[str, str], Node]] = defaultdict(dict)
    ambiguous: set[tuple[str, str]] = set()
    for carrier, key, orphan in pairs:
        if len(fits[_key(orphan)]) == 1 and calls[_key(carrier), key] <= 1:
            by_carrier[_key(carrier)][_key(orphan)] = orphan
        else:
            ambiguous.add(_key(orphan))
    for carrier, orphan in alone:
        if not fits[_key(orphan)]:
            by_carrier[_key(carrier)][_key(orphan)] = orphan
    found = {carrier: tuple(taken.values()) for carrier, taken in by_carrier.items()}
    return Adoptions(_by_carrier=found, _ambiguous=frozenset(ambiguous))


def _alone_in_trace(traces: Collection[Trace]) -> Iterator[tuple[Node, Node]]:
    """A turn without work and each orphan of its trace that it alone can have made."""
    for trace in traces:
        places = {node.span_id: trace.place(node) for node in trace.nodes.values() if node.role is not None}
        lost = [trace.nodes[span_id] for span_id, place in places.items() if place.carrier is None and place.gap]
        lost = [node for node in lost if node.role in (Role.MODEL, Role.TOOL)]
        if not lost:
            continue
        # A copy without a role may have taken the place of a span that is still undecided.
        undecided = [trace.nodes[span_id] for span_id in trace.undecided if span_id in places]
        turns = [node for node in undecided if places[node.span_id].carrier is node]
        working = {
            place.carrier.span_id
            for span_id, place in places.items()
            if place.carrier is not None and trace.nodes[span_id].role in (Role.MODEL, Role.TOOL)
        }
        for orphan in lost:
            around = [
                turn
                for turn in turns
                if turn.start_ns <= orphan.start_ns
                and orphan.end_ns <= turn.end_ns
                and _service(turn) == _service(orphan)
                and not _is_around(orphan, turn, trace)
            ]
            # Of an orphan that is inside another one the outer one is taken, and it brings what is inside it.
            if len(around) == 1 and around[0].span_id not in working and not trace.above(orphan).related:
                yield around[0], orphan


_Key = tuple[Role, str]
"""The role of an orphan and a call id that it has to do with."""


def _key(node: Node) -> tuple[str, str]:
    return node.trace_id, node.span_id


def _orphaned(trace: Trace) -> Iterator[tuple[_Key, Node]]:
    """Tool calls and model calls that no turn is around, with the provider's call ids."""
    for node in trace.nodes.values():
        if node.role not in (Role.MODEL, Role.TOOL) or trace.place(node).carrier is not None:
            continue
        ids = _asked(node) | _answered(node) if node.role is Role.MODEL else _own(node)
        for call_id in ids:
            yield (node.role, call_id), node


def _fitting(trace: Trace, orphans: Mapping[_Key, list[Node]]) -> Iterator[tuple[Node, _Key, Node]]:
    for span_id in sorted(trace.undecided):
        carrier = trace.nodes[span_id]
        if trace.place(carrier).carrier is not carrier:
            continue
        members = list(trace.inside(carrier))
        keys = {(Role.TOOL, call_id) for node in members for call_id in _asked(node)}
        keys |= {(Role.MODEL, call_id) for node in members for call_id in _own(node)}
        for key in sorted(keys & orphans.keys(), key=lambda k: (k[0].value, k[1])):
            for orphan in orphans[key]:
                during = carrier.start_ns <= orphan.start_ns <= carrier.end_ns
                if during and _service(orphan) == _service(carrier) and not _is_around(orphan, carrier, trace):
                    yield carrier, key, orphan


def _is_around(orphan: Node, carrier: Node, trace: Trace) -> bool:
    """Whether the turn runs inside the orphaned call, which it then cannot have made."""
    tool = trace.above(carrier).tool
    while tool is not None and tool is not orphan:
        tool = trace.above(tool).tool
    return tool is not None


def _asked(node: Node) -> set[str]:
    """The calls that a model call asked for."""
    if node.role is not Role.MODEL or node.dialect is None or node.view is None:
        return set()
    return {r.call_id for message in node.dialect.model(node.view).output for r in message.requested if r.call_id}


def _answered(node: Node) -> set[str]:
    """The calls whose results a model call read."""
    if node.dialect is None or node.view is None:
        return set()
    return {r.call_id for message in node.dialect.model(node.view).input for r in message.responded if r.call_id}


def _own(node: Node) -> set[str]:
    """The id of a tool call."""
    if node.role is not Role.TOOL or node.dialect is None or node.view is None:
        return set()
    call_id = node.dialect.tool(node.view).call_id
    return set() if call_id is None else {call_id}


def _service(node: Node) -> tuple[str, ...]:
    return tuple("" if node.view is None else str(node.view.resource(key)) for key in _SERVICE)


def moved(trace: Trace, carrier: Node) -> tuple[list[Node], set[str]]:
    """The work that names the tool call around a sub-agent, and hangs on the agent that made that call.

    Returns:
        What so belongs to the turn of ``carrier``, and the span ids of what so belongs to another turn.
    """
    gained: dict[str, Node] = {}
    lost: set[str] = set()
    for call_id, agents in _sub_agents(trace).items():
        # A repeated id, or two agents inside one call, names nobody.
        if len(agents) != 1:
            continue
        for span_id in trace.named[call_id]:
            node = trace.nodes[span_id]
            if trace.place(node).carrier is agents[0]:
                continue
            work = [node, *(inner for inner in trace.inside(node) if inner.role is not None)]
            if agents[0] is carrier:
                gained.update((inner.span_id, inner) for inner in work)
            else:
                lost.update(inner.span_id for inner in work)
    return list(gained.values()), lost


def _sub_agents(trace: Trace) -> Mapping[str, list[Node]]:
    """The turns inside each tool call that some work names."""
    found: dict[str, list[Node]] = defaultdict(list)
    for tool in trace.nodes.values() if trace.named else ():
        for call_id in _own(tool) & trace.named.keys():
            inside = [n for n in trace.segment(tool) if n.role in TURN_ROLES and trace.place(n).carrier is n]
            found[call_id].extend(inside)
    return found
