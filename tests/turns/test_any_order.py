"""The same spans give the same explanation, however they come."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import pytest
from dumps import NAMES, dump
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_traces import arrivals, tangles, trees

from otel_footprint.config import Config
from otel_footprint.facts import Turn
from otel_footprint.fold.explain import explain
from otel_footprint.spanview import SpanView
from otel_footprint.testing import explain_spans
from otel_footprint.turns import TurnAssembler

KEEPS_ALL = Config(hold_seconds=1e9)


def said(turns: Iterable[Turn]) -> str:
    """The bytes of all explanations, in the assembler's order."""
    ordered = sorted(turns, key=lambda t: (t.start_ns, t.trace_id, t.span_id, t.revision))
    return json.dumps([explain(turn).to_dict(programs=True) for turn in ordered])


def at_once(spans: Sequence[SpanView]) -> str:
    return json.dumps([e.to_dict(programs=True) for e in explain_spans(spans)])


def in_batches(batches: Iterable[Sequence[SpanView]], config: Config) -> list[Turn]:
    assembler = TurnAssembler(config)
    turns: list[Turn] = []
    for batch in batches:
        for span in batch:
            assembler.add(span, 0.0)
        turns += assembler.collect(0.0).turns
    return [*turns, *assembler.close(0.0).turns]


def children_first(spans: Sequence[SpanView]) -> list[SpanView]:
    """A trace as its spans end: each after all that is below it."""
    known = {span.span_id for span in spans}
    below: dict[str | None, list[SpanView]] = {}
    for span in spans:
        below.setdefault(span.parent_id if span.parent_id in known else None, []).append(span)
    order: list[SpanView] = []
    stack = list(below.get(None, ()))
    while stack:
        span = stack.pop()
        order.append(span)
        stack.extend(below.get(span.span_id, ()))
    return order[::-1]


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.data_too_large, HealthCheck.too_slow])
def test_a_real_trace_reads_the_same_in_any_order_with_copies_and_in_batches(name: str, data: st.DataObject) -> None:
    batches = data.draw(arrivals(dump(name)))
    assert said(in_batches(batches, KEEPS_ALL)) == at_once(dump(name))


@given(data=st.data(), spans=trees() | tangles())
@settings(max_examples=300, deadline=None)
def test_any_trace_reads_the_same_in_any_order_with_copies_and_in_batches(
    data: st.DataObject, spans: list[SpanView]
) -> None:
    batches = data.draw(arrivals(spans))
    assert said(in_batches(batches, KEEPS_ALL)) == at_once(spans)


@given(data=st.data(), spans=tangles(), others=tangles())
@settings(max_examples=200, deadline=None)
def test_of_copies_that_differ_the_same_one_is_kept_in_any_order(
    data: st.DataObject, spans: list[SpanView], others: list[SpanView]
) -> None:
    both = [*spans, *others]
    assert at_once(data.draw(st.permutations(both))) == at_once(both)


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("name", NAMES)
def test_a_real_trace_reads_the_same_while_it_streams_in_as_its_spans_end(name: str, size: int) -> None:
    order = children_first(dump(name))
    batches = [order[low : low + size] for low in range(0, len(order), size)]
    assert said(in_batches(batches, Config())) == at_once(dump(name))


@given(spans=trees(), size=st.integers(1, 4))
@settings(max_examples=300, deadline=None)
def test_any_whole_trace_reads_the_same_while_it_streams_in_as_its_spans_end(spans: list[SpanView], size: int) -> None:
    order = children_first(spans)
    batches = [order[low : low + size] for low in range(0, len(order), size)]
    assert said(in_batches(batches, Config())) == at_once(spans)


@given(spans=trees() | tangles())
@settings(max_examples=300, deadline=None)
def test_every_tool_call_stands_in_exactly_one_turn(spans: list[SpanView]) -> None:
    calls = sorted((e.trace_id, call.span_id) for e in explain_spans(spans) for call in e.calls if call.span_id)
    tools = sorted((s.trace_id, s.span_id) for s in spans if s.get("gen_ai.operation.name") == "execute_tool")
    assert calls == tools


@given(data=st.data(), spans=trees() | tangles())
@settings(max_examples=200, deadline=None)
def test_every_span_that_is_held_is_given_back_once(data: st.DataObject, spans: list[SpanView]) -> None:
    assembler = TurnAssembler()
    held, back = set(), []
    for batch in data.draw(arrivals(spans)):
        held |= {(s.trace_id, s.span_id) for s in batch if assembler.add(s, 0.0)}
        decided = assembler.collect(0.0)
        back += [(t.trace_id, t.span_id) for t in decided.turns if t.revision == 1 and not t.stand_in]
        back += decided.released
    decided = assembler.close(0.0)
    back += [(t.trace_id, t.span_id) for t in decided.turns if t.revision == 1 and not t.stand_in]
    back += decided.released
    assert sorted(back) == sorted(held)


@given(data=st.data(), spans=trees() | tangles())
@settings(max_examples=200, deadline=None)
def test_the_statistics_add_up(data: st.DataObject, spans: list[SpanView]) -> None:
    assembler = TurnAssembler()
    turns = added = 0
    for batch in data.draw(arrivals(spans)):
        added += len(batch)
        for span in batch:
            assembler.add(span, 0.0)
        turns += len(assembler.collect(0.0).turns)
    turns += len(assembler.close(0.0).turns)
    found = assembler.statistics()
    assert found.spans == added
    assert added - found.duplicates - found.conflicts == len(spans)
    assert found.turns == turns
    assert (found.open_turns, found.traces, found.bytes) == (0, 0, 0)
