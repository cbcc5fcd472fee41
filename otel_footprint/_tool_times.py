"""The tool calls whose time is around a span that stands beside them.

Some instrumentations end every agent's span under one root, also that of an agent that a tool call runs. Its time
alone tells the tool call then.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING

from otel_footprint.dialects import Role

if TYPE_CHECKING:
    from otel_footprint._placing import Node


class ToolTimes:
    """The tool calls of a trace by their time; they are sorted when they are first asked for."""

    def __init__(self, nodes: Mapping[str, Node]) -> None:
        self._nodes = nodes
        self._tools: list[Node] | None = None
        self._starts: list[int] = []
        self._latest: list[int] = []
        """The latest end of the tool calls up to each one."""

    def of(self, node: Node) -> tuple[Node, ...]:
        """The innermost tool calls around the time of ``node``, in their order; several when none is inside another.

        A call above or below ``node`` is not beside it, and a span that has not ended has no time yet.
        """
        if not node.end_ns:
            return ()
        found = [tool for tool in self._around(node) if not self._is_related(tool, node)]
        inner = [tool for tool in found if not any(self._runs(tool, other) for other in found)]
        return tuple(sorted(inner, key=lambda n: n.order))

    def _around(self, node: Node) -> Iterator[Node]:
        if self._tools is None:
            self._tools = sorted((n for n in self._nodes.values() if n.role is Role.TOOL), key=lambda n: n.order)
            self._starts = [tool.start_ns for tool in self._tools]
            self._latest = list(accumulate((tool.end_ns for tool in self._tools), max))
        at = bisect_right(self._starts, node.start_ns) - 1
        while at >= 0 and self._latest[at] >= node.end_ns:
            if self._tools[at].end_ns >= node.end_ns:
                yield self._tools[at]
            at -= 1

    def _is_related(self, tool: Node, node: Node) -> bool:
        return node in self._upwards(tool) or tool in self._upwards(node)

    def _runs(self, outer: Node, tool: Node) -> bool:
        """Whether ``outer`` is around the agent that made the call ``tool``, beside it or above it."""
        if tool is outer:
            return False
        agent = next((n for n in self._upwards(tool) if n.role is Role.AGENT), None)
        beside = agent is not None and agent.nested == "in-time" and outer not in self._upwards(agent)
        is_own = agent is not None and agent in self._upwards(outer)
        in_time = agent is not None and outer.start_ns <= agent.start_ns and agent.end_ns <= outer.end_ns
        return (beside and in_time and not is_own) or outer in self._upwards(tool)

    def _upwards(self, node: Node) -> list[Node]:
        """The ancestors that have come, nearest first."""
        found: list[Node] = []
        seen = {node.span_id}
        parent = self._nodes.get(node.parent_id or "")
        while parent is not None and parent.span_id not in seen:
            seen.add(parent.span_id)
            found.append(parent)
            parent = self._nodes.get(parent.parent_id or "")
        return found
