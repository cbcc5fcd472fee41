"""The spans of one trace and where each belongs: which span carries a turn, and what is inside it.

A call belongs to its nearest turn ancestor. A tool span starts a fresh segment: the outermost agent or
workflow span inside a segment is a turn of its own; further agent spans of the segment belong to that turn.
An agent that a step calls, or that runs inside the time of a tool call beside it, starts one as well.
Where a segment holds no agent span, its outermost step around a model call stands for the turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from otel_footprint._making import made_quickly
from otel_footprint._tool_times import ToolTimes
from otel_footprint.dialects import Dialect, Group, Nesting, Recognised, Role, recognise
from otel_footprint.dialects._flags import is_part_of_run
from otel_footprint.spanview import SpanView

OpenSpan = Callable[[str, str], "SpanView | None"]
"""Gives a span of this process that has started and not ended; ``None`` when there is none."""

TURN_ROLES: Final = frozenset({Role.AGENT, Role.WORKFLOW})
CONTAINERS: Final = frozenset({Role.AGENT, Role.WORKFLOW, Role.STEP})
WORK: Final = frozenset({Role.MODEL, Role.TOOL, Role.HANDOFF})
_AROUND: Final = "parent_tool_use_id"
"""The id of the tool call that a span's agent runs in, as Anthropic's agent SDK names it."""


@dataclass(slots=True, kw_only=True, eq=False)
class Node:
    """One span in its trace. Spans without a role are kept as bare links of the parent chain."""

    trace_id: str
    span_id: str
    parent_id: str | None
    role: Role | None
    remote: bool = False
    """The parent is in another process."""
    start_ns: int = 0
    end_ns: int = 0
    view: SpanView | None = None
    dialect: Dialect | None = None
    nested: Nesting | None = None
    """How its place tells that another agent called it, other than by standing below a tool call."""
    group: Group | None = None
    """What joins this piece of work with that of other traces; ``None`` where a span does."""
    size: int = 0
    """Approximate bytes of content that this node keeps alive."""
    seen: float = 0.0
    """When it came first."""
    gap: str | None = None
    """The missing ancestor that kept it from being placed when that was last tried."""
    explained: int = 0
    """Revision last given out for the turn this node carries; 0 for none."""
    released: bool = False
    """It may have carried a turn and does not, or another trace's turn took it."""
    claimed: bool = False
    """Work that a turn given out has taken."""
    conflict: bool = False
    """The span came twice with different content."""

    @property
    def order(self) -> tuple[int, str]:
        """Filing order: start time, then span id."""
        return self.start_ns, self.span_id


Inferred = Literal["unique", "ambiguous"]
"""Whether the time of one tool call alone is around a span, or those of several that are not inside each other."""


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Above:
    """What a span's ancestors say of it."""

    turn: Node | None = None
    """The outermost agent or workflow span of its segment, itself included."""
    top: Node | None = None
    """The outermost container of its segment, itself included."""
    tool: Node | None = None
    """The tool span that its segment runs in; the step where a step called it."""
    step: Node | None = None
    """The nearest step below an agent of its segment, itself included."""
    inferred: Inferred | None = None
    """Its own place is not told by its parents but by its time."""
    near: Node | None = None
    """The nearest ancestor that has a role."""
    related: bool = False
    """An ancestor is part of an agent's work."""
    aside: bool = False
    """It is, or is inside, work beside the turn."""
    depth: int = 0
    settled: bool = True
    """The parent chain is known up to its root."""
    gap: str | None = None
    """The ancestor that is not known, by its span id."""
    cycle: bool = False
    cut: bool = False
    """The span stands as the root of a circle of parents."""


class Gap(NamedTuple):
    """A span that had not come when something below it was given out and forgotten."""

    span_id: str
    call: bool
    """That was a call without a turn around it; else a whole turn, which is no part of one whose call it runs in."""


@dataclass(slots=True)
class Place:
    """Where a span stands."""

    carrier: Node | None
    """The span whose turn it is; ``None`` when no turn span is known around it."""
    settled: bool
    """The parent chain is known up to its root."""
    below: bool = False
    """Another container of its segment is around it, so it carries no turn whatever its children are."""
    outer: Node | None = None
    """For a carrier: the turn whose tool call it runs inside."""
    parent_missing: bool = False
    cycle: bool = False
    gap: str | None = None


class Chains:
    """The parent chains of a trace as it stands now. Each span is looked at once, however deep the trace is."""

    def __init__(self, trace: Trace, open_span: OpenSpan | None = None) -> None:
        # Not the trace itself: it keeps its chains, and in a circle with them it would stay, with all its content,
        # until somebody looks for circles.
        self._trace_id = trace.trace_id
        self._nodes = trace.nodes
        self._children = trace.children
        self._open_span = open_span
        self._open: dict[str, Node | None] = {}
        self._above: dict[str, Above] = {}
        self._around: dict[str, Node | None] = {}
        self._stands: dict[str, bool] = {}
        self._around_tools = ToolTimes(trace.nodes)

    def place(self, node: Node) -> Place:
        """Where ``node`` stands: the carrier of its turn, and for a carrier the turn around it."""
        above = self.above(node)
        carrier = self._carrier(above)
        outer = self._carrier(self.above(above.tool)) if carrier is node and above.tool is not None else None
        if carrier is node and above.inferred == "ambiguous" and len(self._callers(node)) > 1:
            outer = None
        return Place(
            carrier=carrier,
            settled=above.settled,
            below=node.nested != "in-time"
            and any(around is not None and around is not node for around in (above.turn, above.top)),
            outer=outer,
            parent_missing=not above.settled,
            cycle=above.cycle,
            gap=above.gap,
        )

    def _callers(self, node: Node) -> set[str]:
        """The turns whose tool calls may run ``node``."""
        carriers = [self._carrier(self.above(tool)) for tool in self._around_tools.of(node)]
        return {carrier.span_id for carrier in carriers if carrier is not None}

    def above(self, node: Node) -> Above:
        """What the ancestors of ``node`` say of it."""
        known = self._above.get(node.span_id)
        if known is not None:
            return known
        path: list[Node] = []
        on_path: dict[str, int] = {}
        parent: Node | None = node
        while parent is not None and parent.span_id not in self._above and parent.span_id not in on_path:
            on_path[parent.span_id] = len(path)
            path.append(parent)
            parent = self._parent(parent)
        cycle = parent is not None and parent.span_id in on_path
        if cycle:
            # A circle has no top of its own: its earliest span stands as the root.
            path = _cut(path, on_path)
        for current in reversed(path):
            cut = cycle and current is path[-1]
            self._above[current.span_id] = self._below(current, None if cut else self._parent(current), cut=cut)
        return self._above[node.span_id]

    def stands_for_turn(self, step: Node) -> bool:
        """Whether a step without an agent span around it has a model call and no agent span in its segment.

        One step of a run whose span never came is no turn: the work of all its steps is that of one.
        """
        if step.span_id not in self._stands:
            roles = {node.role for node in _segment(step, self._nodes, self._children)}
            stands = Role.MODEL in roles and not roles & TURN_ROLES
            lost = stands and step.parent_id is not None and not self.knows(step.parent_id)
            part = lost and step.view is not None and is_part_of_run(step.view)
            self._stands[step.span_id] = stands and not part
        return self._stands[step.span_id]

    def came(self, node: Node) -> None:
        """A new span that is no one's missing parent: all it can change is whether its segment's step is a turn."""
        if not self._stands:
            return
        top = self.above(node).top
        stood = self._stands.get(top.span_id) if top is not None else None
        if top is not None and (
            (stood is False and node.role is Role.MODEL) or (stood is True and node.role in TURN_ROLES)
        ):
            del self._stands[top.span_id]
            self._around.clear()

    def knows(self, span_id: str) -> bool:
        """Whether a span has come or is open."""
        return span_id in self._nodes or self._open_node(span_id) is not None

    def _parent(self, node: Node) -> Node | None:
        if node.parent_id is None:
            return None
        return self._nodes.get(node.parent_id) or self._open_node(node.parent_id)

    def _open_node(self, span_id: str) -> Node | None:
        if self._open_span is None:
            return None
        if span_id not in self._open:
            view = self._open_span(self._trace_id, span_id)
            self._open[span_id] = node_of(view) if view is not None else None
        return self._open[span_id]

    def _below(self, node: Node, parent: Node | None, *, cut: bool) -> Above:
        turn = node if node.role in TURN_ROLES else None
        top = node if node.role in CONTAINERS else None
        if parent is None:
            # A parent in another process ends the chain here; a parent of this one should have come.
            missing = node.parent_id is not None and not cut
            return Above(
                turn=turn,
                top=top,
                aside=node.role is Role.ASIDE,
                settled=not missing or node.remote,
                gap=node.parent_id if missing else None,
                cycle=cut,
                cut=cut,
            )
        above = self._above[parent.span_id]
        around = self._around_tools.of(node) if node.nested == "in-time" else ()
        fresh, tool = parent.role is Role.TOOL, parent
        if not fresh and node.nested == "in-step" and above.step is not None:
            fresh, tool = True, above.step
        elif not fresh and around:
            fresh, tool = True, around[0]
        found = turn if fresh else above.turn or turn
        # The tool call that may be around it ends after it, and before the span they both stand under.
        early = node.nested == "in-time" and parent.span_id not in self._nodes
        step = node if node.role is Role.STEP and found is not None else None if fresh or turn else above.step
        return Above(
            turn=found,
            top=top if fresh else above.top or top,
            tool=tool if fresh else above.tool,
            step=step,
            inferred=("unique" if len(around) == 1 else "ambiguous") if around and tool is around[0] else None,
            near=parent if parent.role is not None else above.near,
            related=above.related or parent.role not in (None, Role.SKIP),
            aside=above.aside or node.role is Role.ASIDE,
            depth=above.depth + 1,
            settled=above.settled and not early,
            gap=above.gap or (parent.span_id if early else None),
            cycle=above.cycle,
        )

    def _carrier(self, above: Above) -> Node | None:
        """The turn of a segment, else the one around the tool call that the segment runs in."""
        passed: list[str] = []
        while True:
            found = above.turn
            if found is None and above.top is not None and self.stands_for_turn(above.top):
                found = above.top
            if found is not None or above.tool is None:
                break
            if above.tool.span_id in self._around:
                found = self._around[above.tool.span_id]
                break
            passed.append(above.tool.span_id)
            above = self.above(above.tool)
        for span_id in passed:
            self._around[span_id] = found
        return found


def _cut(path: list[Node], at: dict[str, int]) -> list[Node]:
    """A path from a span up into a circle of parents, so turned that the circle's earliest span comes last."""
    entry = at[path[-1].parent_id or ""]
    circle = path[entry:]
    first = circle.index(min(circle, key=lambda n: n.order)) + 1
    return [*path[:entry], *circle[first:], *circle[:first]]


def _segment(top: Node, nodes: Mapping[str, Node], children: Mapping[str, Iterable[str]]) -> Iterator[Node]:
    seen = {top.span_id}
    stack = list(children.get(top.span_id, ()))
    while stack:
        node = nodes[stack.pop()]
        if node.span_id in seen:
            continue
        seen.add(node.span_id)
        yield node
        if node.role is not Role.TOOL:
            stack.extend(children.get(node.span_id, ()))


@dataclass(slots=True, eq=False)
class Trace:
    """All that is kept of one trace."""

    trace_id: str
    nodes: dict[str, Node] = field(default_factory=dict)
    children: dict[str, dict[str, None]] = field(default_factory=dict)
    """By the parent's span id, which need not have come: span ids in the order of their arrival."""
    undecided: set[str] = field(default_factory=set)
    """Span ids that may carry a turn and are not decided."""
    last_seen: float = 0.0
    due: float | None = None
    """When the assembler looks at it next."""
    size: int = 0
    open_work: int = 0
    """Model calls, tool calls and hand-offs that no turn given out has taken."""
    explained: int = 0
    """Turns given out, addenda included."""
    root: tuple[int, int] | None = None
    """Start and end of the longest root span that has come."""
    paused: bool = False
    """A turn given out waits on a person."""
    evicted: bool = False
    """Earlier spans of this trace were evicted."""
    gaps: frozenset[Gap] = frozenset()
    """Below which of its spans something was before, that was given out and forgotten."""
    revise_at: dict[str, float] = field(default_factory=dict)
    """Carrier span id to the time its addendum is due."""
    timed: bool = False
    """Some agent's place is told by the time of a tool call."""
    named: dict[str, dict[str, None]] = field(default_factory=dict)
    """Call id to the span ids of the work that names this call as the one around it."""
    _chains: Chains | None = None

    @property
    def chains(self) -> Chains:
        """The parent chains of what has come so far."""
        if self._chains is None:
            self._chains = Chains(self)
        return self._chains

    def put(self, node: Node) -> None:
        """Add or replace a span."""
        known = self.nodes.get(node.span_id)
        self.timed = self.timed or node.nested == "in-time"
        if known is not None or node.span_id in self.children or (self.timed and node.role is Role.TOOL):
            self._chains = None
        if known is not None:
            self.size -= known.size
            node.seen = known.seen
            node.explained, node.released, node.claimed = known.explained, known.released, known.claimed
            self.open_work -= known.role in WORK and not known.claimed
            if known.parent_id is not None:
                self.children[known.parent_id].pop(node.span_id, None)
        self.nodes[node.span_id] = node
        around = node.view.get(_AROUND) if node.view is not None and node.role in WORK else None
        if isinstance(around, str) and around:
            self.named.setdefault(around, {})[node.span_id] = None
        self.size += node.size
        self.open_work += node.role in WORK and not node.claimed
        if node.parent_id is not None:
            self.children.setdefault(node.parent_id, {})[node.span_id] = None
        if self._chains is not None:
            self._chains.came(node)
        if node.parent_id is None or node.remote:
            window = node.start_ns, node.end_ns
            self.root = max(self.root or window, window, key=lambda w: (w[1] - w[0], w))

    def rooted(self, node: Node) -> bool:
        """Whether the root has come under which ``node`` ran, so that all between the two should have come."""
        return self.root is not None and self.root[0] <= node.start_ns and node.end_ns <= self.root[1]

    def claim(self, node: Node) -> None:
        """Count a piece of work as taken by a turn."""
        if node.role in WORK and not node.claimed:
            node.claimed = True
            self.open_work -= 1

    def segment(self, top: Node) -> Iterator[Node]:
        """Every span below ``top`` down to the tool calls, those included."""
        return _segment(top, self.nodes, self.children)

    def inside(self, top: Node) -> Iterator[Node]:
        """Every span below the carrier ``top`` that is not below another turn; a nested carrier is not given."""
        chains = self.chains
        stack = list(self.children.get(top.span_id, ()))
        while stack:
            node = self.nodes[stack.pop()]
            above = chains.above(node)
            if node is top or above.cut or (node.role in CONTAINERS and chains.place(node).carrier is node):
                continue
            yield node
            stack.extend(self.children.get(node.span_id, ()))

    def lacks(self, carrier: Node) -> bool:
        """Whether something of this turn was given out before, and forgotten."""
        return self.evicted or any(self._is_of(self.nodes.get(gap.span_id), carrier, gap) for gap in self.gaps)

    def _is_of(self, node: Node | None, carrier: Node, gap: Gap) -> bool:
        if node is None:
            return False
        if gap.call:
            return self.place(node).carrier is carrier
        return node.role is not Role.TOOL and self.above(node).turn is carrier

    def node(self, trace_id: str, span_id: str) -> Node | None:
        """A span that has come."""
        return self.nodes.get(span_id) if trace_id == self.trace_id else None

    def place(self, node: Node) -> Place:
        """Where ``node`` stands among the spans that have come."""
        return self.chains.place(node)

    def above(self, node: Node) -> Above:
        """What the ancestors of a span say of it; nothing of a span of another trace."""
        return self.chains.above(node) if node.trace_id == self.trace_id else Above()


def node_of(view: SpanView, known: Recognised | None = None) -> Node:
    """The node of a span, with its role in the first dialect that knows it; that is ``known`` where it was asked."""
    dialect, role = recognise(view) if known is None else known
    nested = dialect.nested(view) if dialect is not None and dialect.nested is not None else None
    return Node(
        trace_id=view.trace_id,
        span_id=view.span_id,
        parent_id=view.parent_id,
        remote=view.parent_is_remote,
        role=role,
        start_ns=view.start_ns,
        end_ns=view.end_ns,
        view=view if role is not None else None,
        dialect=dialect,
        nested=nested if role is Role.AGENT else None,
        group=dialect.group(view) if dialect is not None and dialect.group is not None and role in WORK else None,
    )
