"""An agent whose span lies beside the tool call that runs it: only its time is inside."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_traces import arrivals

from otel_footprint.config import Config
from otel_footprint.explanation import Explanation
from otel_footprint.facts import Turn
from otel_footprint.fold.explain import explain
from otel_footprint.spanview import SpanView
from otel_footprint.testing import BuiltSpan, assert_consistent, call_part, explain_spans, message, span
from otel_footprint.turns import TurnAssembler

SCOPE = "opentelemetry.instrumentation.openai_agents"


def traced(number: int, kind: str, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    return span(number, attributes={"traceloop.span.kind": kind, **(attributes or {})}, **{"scope": SCOPE, **rest})


def workflow(number: int = 1, **rest: Any) -> BuiltSpan:
    return traced(number, "workflow", name="Agent Workflow", **{"at": (0, 100), **rest})


def agent(number: int, name: str, **rest: Any) -> BuiltSpan:
    return traced(number, "agent", {"gen_ai.agent.name": name}, name=f"{name}.agent", **{"parent": 1, **rest})


def tool(number: int, name: str, **rest: Any) -> BuiltSpan:
    return traced(number, "tool", {"gen_ai.tool.name": name}, name=f"{name}.tool", **rest)


def model(number: int, said: str | dict[str, Any], **rest: Any) -> BuiltSpan:
    own = {"gen_ai.operation.name": "chat", "gen_ai.output.messages": json.dumps([message("assistant", said)])}
    return span(number, attributes=own, scope=SCOPE, **rest)


def noted(turn: Explanation) -> list[str]:
    return [note.id for note in turn.notes]


def turns(*spans: BuiltSpan) -> dict[int, Explanation]:
    found = explain_spans(spans)
    for explanation in found:
        assert_consistent(explanation)
    return {int(e.span_id, 16): e for e in found}


DELEGATED = (
    workflow(),
    agent(2, "main", at=(1, 90)),
    model(3, call_part("ask_helper", "c1", {"input": "hi"}), parent=2, at=(2, 5)),
    tool(4, "ask_helper", parent=2, at=(10, 30)),
    model(6, "all done", parent=2, at=(40, 50)),
    agent(5, "helper", at=(11, 29)),
    model(7, "helper says hi", parent=5, at=(12, 20)),
)


def test_its_turn_is_nested_and_the_nesting_is_said_to_be_inferred() -> None:
    found = turns(*DELEGATED)
    assert list(found) == [1, 5]
    assert (found[1].agent, found[1].answer, found[1].notes) == ("main", "all done", ())
    assert (found[5].agent, found[5].answer, found[5].nested_in) == ("helper", "helper says hi", found[1].span_id)
    assert noted(found[5]) == ["parent-inferred"]
    assert [c.tool for c in found[1].calls] == ["ask_helper"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"at": (11, 31)}, "it ends after the call"),
        ({"at": (9, 29)}, "it starts before the call"),
        ({"at": (11, 0)}, "it has not ended"),
        ({"scope": "opentelemetry.instrumentation.langchain"}, "another instrumentation nests its spans"),
    ],
)
def test_an_agent_that_no_tool_calls_time_is_around_is_of_the_same_turn(change: dict[str, Any], why: str) -> None:
    found = turns(*DELEGATED[:5], agent(5, "helper", **{"at": (11, 29), **change}))
    assert list(found) == [1], why


def test_a_hand_offs_target_runs_after_and_not_inside_a_call() -> None:
    found = turns(
        workflow(),
        agent(2, "main", at=(1, 40)),
        tool(4, "search", parent=2, at=(10, 30)),
        traced(6, "handoff", parent=2, at=(31, 32)),
        agent(5, "target", at=(41, 90)),
    )
    assert list(found) == [1]
    assert found[1].agent == "main"


def test_an_agent_below_its_tool_call_needs_no_time() -> None:
    found = turns(workflow(), agent(2, "main", at=(1, 90)), tool(4, "ask", parent=2, at=(10, 30)),
                  agent(5, "helper", parent=4, at=(11, 29)))  # fmt: skip
    assert (found[5].nested_in, found[5].notes) == (found[1].span_id, ())


def test_its_own_calls_are_not_around_it() -> None:
    found = turns(workflow(), agent(2, "main", at=(1, 90)), tool(4, "slow", parent=2, at=(1, 90)))
    assert list(found) == [1]


def test_the_innermost_of_calls_inside_each_other_runs_it() -> None:
    found = turns(
        *DELEGATED,
        tool(8, "ask_deeper", parent=5, at=(21, 28)),
        agent(9, "deep", at=(22, 27)),
    )
    assert {number: (turn.nested_in, noted(turn)) for number, turn in found.items()} == {
        1: (None, []),
        5: (found[1].span_id, ["parent-inferred"]),
        9: (found[5].span_id, ["parent-inferred"]),
    }


def test_of_two_calls_at_once_neither_is_picked_and_both_are_of_one_turn() -> None:
    found = turns(*DELEGATED, tool(8, "other", parent=2, at=(9, 31)))
    assert (found[5].nested_in, noted(found[5])) == (found[1].span_id, ["parent-ambiguous"])


def test_of_two_calls_of_different_turns_none_is_said_to_run_it() -> None:
    found = turns(
        *DELEGATED,
        # Beside the first helper's own call, the other call of the main agent is around it too.
        tool(8, "ask_deeper", parent=5, at=(21, 28)),
        tool(10, "ask_other", parent=2, at=(15, 30)),
        agent(9, "deep", at=(22, 27)),
    )
    assert (found[9].nested_in, noted(found[9])) == (None, ["parent-ambiguous"])


def test_spans_of_one_time_do_not_go_round() -> None:
    found = turns(
        workflow(),
        agent(2, "a", at=(1, 9)),
        tool(3, "f", parent=2, at=(1, 9)),
        agent(4, "b", at=(1, 9)),
        tool(5, "g", parent=4, at=(1, 9)),
    )
    assert set(found) <= {1, 2, 4}


# -- any order --------------------------------------------------------------------------------------------------------


MAKERS: Sequence[Callable[..., BuiltSpan]] = (agent, tool, model)


@st.composite
def delegations(draw: st.DrawFn) -> list[BuiltSpan]:
    """Agents, tools and model calls of this instrumentation below each other, with times that tie often."""
    count = draw(st.integers(2, 9))
    spans = [workflow(at=(0, 9))]
    for number in range(2, count + 1):
        start = draw(st.integers(0, 8))
        at = (start, draw(st.integers(start, 9)))
        parent = draw(st.integers(1, number - 1))
        make: Callable[..., BuiltSpan] = draw(st.sampled_from(MAKERS))
        spans.append(make(number, f"n{number}", parent=parent, at=at))
    return spans


def said(spans: list[list[SpanView]]) -> str:
    assembler = TurnAssembler(Config(hold_seconds=1e9))
    found: list[Turn] = []
    for batch in spans:
        for one in batch:
            assembler.add(one, 0.0)
        found += assembler.collect(0.0).turns
    found += assembler.close(0.0).turns
    ordered = sorted(found, key=lambda turn: (turn.start_ns, turn.trace_id, turn.span_id, turn.revision))
    return json.dumps([explain(turn).to_dict(programs=True) for turn in ordered])


@given(data=st.data(), spans=delegations())
@settings(max_examples=300, deadline=None)
def test_it_reads_the_same_in_any_order_with_copies_and_in_batches(data: st.DataObject, spans: list[BuiltSpan]) -> None:
    assert said(data.draw(arrivals(spans))) == said([list(spans)])


@given(spans=delegations())
@settings(max_examples=200, deadline=None)
def test_every_call_stands_in_exactly_one_turn(spans: list[BuiltSpan]) -> None:
    calls = sorted(call.span_id for turn in explain_spans(spans) for call in turn.calls if call.span_id)
    assert calls == sorted(s.span_id for s in spans if s.get("traceloop.span.kind") == "tool")


@pytest.mark.parametrize("size", [1, 2])
def test_it_reads_the_same_while_its_spans_stream_in_as_they_end(size: int) -> None:
    order = sorted(DELEGATED, key=lambda one: one.end_ns)
    assembler = TurnAssembler()
    found: list[Turn] = []
    for low in range(0, len(order), size):
        for one in order[low : low + size]:
            assembler.add(one, 0.0)
        found += assembler.collect(0.0).turns
    assert sorted(turn.span_id for turn in found) == [format(1, "016x"), format(5, "016x")]
    assert [explain(turn).to_dict() for turn in found] == [e.to_dict() for e in explain_spans(DELEGATED)]


def test_while_the_workflow_is_open_it_waits_for_the_call_around_it() -> None:
    open_spans = {DELEGATED[0].span_id: workflow(at=(0, 0))}
    assembler = TurnAssembler(open_span=lambda _trace, span_id: open_spans.get(span_id))
    found: list[Turn] = []
    for one in sorted(DELEGATED, key=lambda one: one.end_ns):
        open_spans.pop(one.span_id, None)
        assembler.add(one, 0.0)
        found += assembler.collect(0.0).turns
    assert sorted(turn.span_id for turn in found) == [format(1, "016x"), format(5, "016x")]
    (helper,) = [turn for turn in found if turn.span_id == format(5, "016x")]
    assert helper.nested_in == format(1, "016x")
