"""What is remembered of traces that are forgotten: of which later turns it has to be said that spans are missing."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from otel_footprint._placing import WORK, Gap, Node, Trace

_TRACES_KEPT: Final = 4096
_GAPS_KEPT: Final = 256
"""Spans that had not come in one trace; of a trace of more, any span may be one."""


class Forgotten:
    """Traces of which something was given out before all that was above it had come. The newest are remembered."""

    def __init__(self) -> None:
        self._gaps: OrderedDict[str, frozenset[Gap] | None] = OrderedDict()
        """By trace id; ``None``: anything of it may be gone."""

    def __len__(self) -> int:
        return len(self._gaps)

    def evicted(self, trace_id: str) -> None:
        """A trace was given out under pressure, wherever it stood."""
        self._remember(trace_id, None)

    def given_out(self, trace: Trace) -> None:
        """A trace is about to be forgotten."""
        gaps = frozenset(gap for node in trace.nodes.values() if (gap := _gap(trace, node)) is not None)
        known = self._gaps.get(trace.trace_id, frozenset())
        if gaps and known is not None:
            self._remember(trace.trace_id, gaps | known if len(gaps | known) <= _GAPS_KEPT else None)

    def gaps(self, trace_id: str) -> frozenset[Gap] | None:
        """What had not come of a trace; ``None``: anything may be gone."""
        return self._gaps.get(trace_id, frozenset())

    def _remember(self, trace_id: str, gaps: frozenset[Gap] | None) -> None:
        self._gaps[trace_id] = gaps
        self._gaps.move_to_end(trace_id)
        if len(self._gaps) > _TRACES_KEPT:
            self._gaps.popitem(last=False)


def _gap(trace: Trace, node: Node) -> Gap | None:
    """The span that had not come above a turn, or above a call that is in none."""
    if not node.explained and node.role not in WORK:
        return None
    missing = trace.above(node).gap
    if missing is None:
        return None
    is_call = node.role in WORK and trace.place(node).carrier is None
    return Gap(missing, is_call) if node.explained or is_call else None
