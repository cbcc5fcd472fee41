"""The shorthand of the cases: what is said of a few spans, checked against the laws that hold of anything said."""

from __future__ import annotations

from otel_footprint.explanation import Explanation
from otel_footprint.spanview import SpanView
from otel_footprint.testing import assert_consistent, assert_evidence_resolves, explain_spans


def turns_of(*spans: SpanView) -> list[Explanation]:
    """Every turn of these spans, consistent, with evidence that resolves."""
    found = explain_spans(spans)
    for turn in found:
        assert_consistent(turn)
        assert_evidence_resolves(turn, spans)
    return found


def turn_of(*spans: SpanView) -> Explanation:
    """The one turn of these spans."""
    (turn,) = turns_of(*spans)
    return turn


def number_of(span_id: str | None) -> int | None:
    """The number that a span was built with."""
    return None if span_id is None else int(span_id, 16)
