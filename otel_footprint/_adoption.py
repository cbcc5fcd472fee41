"""Tool calls that lost their parent (a thread hop starts a trace of its own), and the turns that asked for them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from otel_footprint._placing import Node, Trace
from otel_footprint.dialects import Role

_SERVICE: Final = ("service.name", "service.instance.id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoptions:
    """Which orphaned calls belong to which turn, as far as one turn alone can have made each."""

    _by_carrier: Mapping[tuple[str, str], tuple[Node, ...]] = field(default_factory=dict)
    _ambiguous: frozenset[tuple[str, str]] = frozenset()

    def of(self, carrier: Node) -> tuple[Node, ...]:
        """The orphaned calls of the turn that ``carrier`` carries."""
        return self._by_carrier.get(_key(carrier), ())

    def is_ambiguous(self, orphan: Node) -> bool:
        """Whether more than one turn can have made the call, or more than one call answers the same request."""
        return _key(orphan) in self._ambiguous


def adoptions(traces: Collection[Trace]) -> Adoptions:
    """Match orphaned tool calls with the turns that are still undecided.

    A call fits a turn when a model call of the turn asked for its id, and the same service recorded it inside
    the turn's time. Where two fit, none is picked.
    """
    orphans: dict[str, list[Node]] = defaultdict(list)
    for trace in traces:
        for call_id, node in _orphaned(trace):
            orphans[call_id].append(node)
    if not orphans:
        return Adoptions()
    pairs = [pair for trace in traces for pair in _fitting(trace, orphans)]
    turns = Counter(_key(orphan) for _, _, orphan in pairs)
    calls = Counter((_key(carrier), call_id) for carrier, call_id, _ in pairs)
    by_carrier: dict[tuple[str, str], tuple[Node, ...]] = {}
    ambiguous: set[tuple[str, str]] = set()
    for carrier, call_id, orphan in pairs:
        if turns[_key(orphan)] == 1 and calls[_key(carrier), call_id] == 1:
            by_carrier[_key(carrier)] = (*by_carrier.get(_key(carrier), ()), orphan)
        else:
            ambiguous.add(_key(orphan))
    return Adoptions(_by_carrier=by_carrier, _ambiguous=frozenset(ambiguous))


def _key(node: Node) -> tuple[str, str]:
    return node.trace_id, node.span_id


def _orphaned(trace: Trace) -> Iterator[tuple[str, Node]]:
    """Tool calls that no turn is around, with the provider's call id."""
    for node in trace.nodes.values():
        if node.role is not Role.TOOL or node.dialect is None or node.view is None:
            continue
        if trace.place(node).carrier is None:
            call_id = node.dialect.tool(node.view).call_id
            if call_id is not None:
                yield call_id, node


def _fitting(trace: Trace, orphans: Mapping[str, list[Node]]) -> Iterator[tuple[Node, str, Node]]:
    for span_id in sorted(trace.undecided):
        carrier = trace.nodes[span_id]
        if trace.place(carrier).carrier is not carrier:
            continue
        for call_id in sorted(_asked_ids(trace.inside(carrier)) & orphans.keys()):
            for orphan in orphans[call_id]:
                during = carrier.start_ns <= orphan.start_ns <= carrier.end_ns
                if during and _service(orphan) == _service(carrier) and not _is_around(orphan, carrier, trace):
                    yield carrier, call_id, orphan


def _is_around(orphan: Node, carrier: Node, trace: Trace) -> bool:
    """Whether the turn runs inside the orphaned call, which it then cannot have made."""
    tool = trace.above(carrier).tool
    while tool is not None and tool is not orphan:
        tool = trace.above(tool).tool
    return tool is not None


def _asked_ids(members: Iterable[Node]) -> set[str]:
    asked: set[str] = set()
    for node in members:
        if node.role is Role.MODEL and node.dialect is not None and node.view is not None:
            for message in node.dialect.model(node.view).output:
                asked.update(r.call_id for r in message.requested if r.call_id)
    return asked


def _service(node: Node) -> tuple[str, ...]:
    return tuple("" if node.view is None else str(node.view.resource(key)) for key in _SERVICE)
