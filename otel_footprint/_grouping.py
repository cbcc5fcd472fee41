"""Work of several traces that belongs to turns without a span: joined by its conversation, and split by prompt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from otel_footprint._placing import Above, Node, Trace
from otel_footprint.dialects import Role

JOINED: Final = "joined-by-conversation"
"""The note of a turn whose work is in several traces with no span around it."""

GroupKey = tuple[str, str]
"""The dialect's name and the conversation's id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """Several traces, looked at as one."""

    trace_id: str
    """Of the span that carries the explanation."""
    by_id: Mapping[str, Trace]

    def above(self, node: Node) -> Above:
        """What the ancestors of a span say of it, in its own trace."""
        return self.by_id[node.trace_id].above(node)

    def node(self, trace_id: str, span_id: str) -> Node | None:
        """A span that has come."""
        trace = self.by_id.get(trace_id)
        return None if trace is None else trace.nodes.get(span_id)


@dataclass(slots=True)
class Groups:
    """Which traces hold work of which conversation."""

    _members: dict[GroupKey, dict[str, None]] = field(default_factory=dict)
    _of_trace: dict[str, GroupKey] = field(default_factory=dict)
    _last_seen: dict[GroupKey, float] = field(default_factory=dict)

    def came(self, node: Node, now: float) -> None:
        """Note a span. A trace of several conversations, if there is one, counts to the same in any order."""
        if node.group is None or node.dialect is None:
            return
        key = node.dialect.name, node.group.conversation
        known = self._of_trace.get(node.trace_id)
        if known is not None:
            self._last_seen[known] = now
        if known is not None and known <= key:
            return
        self.forget(node.trace_id)
        self._of_trace[node.trace_id] = key
        self._members.setdefault(key, {})[node.trace_id] = None
        self._last_seen[key] = now

    def last_seen(self, trace_id: str) -> float | None:
        """When something last came for the conversation that a trace is part of; ``None`` for any other trace."""
        key = self._of_trace.get(trace_id)
        return None if key is None else self._last_seen[key]

    def with_trace(self, trace_id: str) -> tuple[str, ...]:
        """The traces of the conversation that a trace is part of, itself included; none for any other trace."""
        key = self._of_trace.get(trace_id)
        return () if key is None else tuple(self._members[key])

    def forget(self, trace_id: str) -> None:
        """A trace is gone."""
        key = self._of_trace.pop(trace_id, None)
        if key is not None:
            del self._members[key][trace_id]
            if not self._members[key]:
                del self._members[key]
                del self._last_seen[key]


def by_prompt(nodes: Iterable[Node]) -> Iterator[list[Node]]:
    """The work of one conversation, one list a prompt, in the order of the prompts.

    A prompt's id begins with the conversation's; other ids are those of requests that the runtime makes for itself,
    which belong to the newest prompt before them, as does work that names no prompt. Where no id begins like this,
    each is a prompt of its own.
    """
    ordered = sorted(nodes, key=lambda n: n.order)
    named = dict.fromkeys(n.group.prompt for n in ordered if n.group is not None and n.group.prompt is not None)
    own = [prompt for prompt in named if any(_is_own(prompt, node) for node in ordered)] or list(named)
    prompts: list[str | None] = [*own] or [None]
    lists: dict[str | None, list[Node]] = {prompt: [] for prompt in prompts}
    current = next(iter(lists))
    for node in ordered:
        prompt = node.group.prompt if node.group is not None else None
        if prompt is not None and prompt in lists:
            lists[prompt].append(node)
            current = prompt if node.role is Role.MODEL else current
        else:
            lists[current].append(node)
    yield from (work for work in lists.values() if work)


def _is_own(prompt: str, node: Node) -> bool:
    return node.group is not None and node.group.prompt == prompt and prompt.startswith(node.group.conversation)


def carrier_of(work: Sequence[Node], traces: Traces) -> Node:
    """The span that stands for such a turn: the last model call that nothing is around, for it has the answer."""
    nears = ((n, traces.above(n).near) for n in work)
    outermost = [n for n, near in nears if near is None or near.role is Role.SKIP] or list(work)
    models = [n for n in outermost if n.role is Role.MODEL]
    return max(models or outermost, key=lambda n: n.order)


def orphans_of(trace: Trace) -> list[Node]:
    """The model and tool calls of a trace that no turn is around or has taken."""
    return [
        n
        for n in trace.nodes.values()
        if n.role in {Role.MODEL, Role.TOOL}
        and not (n.released or trace.above(n).aside)
        and trace.place(n).carrier is None
    ]


def joinable(trace: Trace) -> list[Node]:
    """The orphans that belong to their conversation's turns: nothing was around them, so that nothing is missing."""
    if not trace.open_work:
        return []
    return [n for n in orphans_of(trace) if n.group is not None and not trace.place(n).parent_missing]
