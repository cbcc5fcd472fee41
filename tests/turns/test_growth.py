"""Deep and wide traces cost what their spans cost, counted in calls and not in seconds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from counting import growth
from random_traces import step_span

from otel_footprint.testing import (
    BuiltSpan,
    agent_span,
    call_part,
    explain_spans,
    message,
    model_span,
    span,
    tool_span,
)
from otel_footprint.turns import TurnAssembler

LINEAR = 2.7
"""Twice the spans take about twice the calls; four times would be quadratic."""
SIZE = 300


def tool(number: int, **rest: Any) -> BuiltSpan:
    return tool_span(number, f"tool{number}", **rest)


def alternating(*makers: Callable[..., BuiltSpan]) -> Callable[..., BuiltSpan]:
    return lambda number, **rest: makers[number % len(makers)](number, **rest)


KINDS: dict[str, Callable[..., BuiltSpan]] = {
    "spans of no agent": span,
    "agents": agent_span,
    "tools": tool,
    "models": model_span,
    "steps": step_span,
    "agents in tools": alternating(agent_span, tool),
    "steps in tools": alternating(step_span, tool, model_span),
    "anything": alternating(agent_span, step_span, tool, model_span, span),
}


def chain(kind: str, size: int) -> list[BuiltSpan]:
    return [
        KINDS[kind](number, parent=number - 1 if number > 1 else None, at=(number, 2 * size - number))
        for number in range(1, size + 1)
    ]


def streamed(spans: list[BuiltSpan], batch: int) -> None:
    assembler = TurnAssembler()
    for index, one in enumerate(spans):
        assembler.add(one, 0.0)
        if index % batch == 0:
            assembler.collect(0.0)
    assembler.close(0.0)


def late(spans: list[BuiltSpan]) -> None:
    """The spans come after the turn around them was given out."""
    assembler = TurnAssembler()
    top = agent_span(10**9, at=(0, 10**9))
    assembler.add(top, 0.0)
    assembler.collect(0.0)
    for one in spans:
        assembler.add(one if one.parent_id is not None else replace(one, parent_id=top.span_id), 0.0)
    assembler.close(0.0)


def both_ways(spans: list[BuiltSpan], *, up: bool) -> list[BuiltSpan]:
    return spans[::-1] if up else spans


@pytest.fixture(autouse=True)
def _warm() -> None:
    explain_spans(chain("anything", 20))


@pytest.mark.parametrize("up", [False, True], ids=["parents first", "children first"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_deep_chain_costs_what_its_spans_cost(kind: str, *, up: bool) -> None:
    assert growth(lambda size: explain_spans(both_ways(chain(kind, size), up=up)), SIZE) < LINEAR


@pytest.mark.parametrize("up", [False, True], ids=["parents first", "children first"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_deep_chain_costs_what_its_spans_cost_while_it_streams_in(kind: str, *, up: bool) -> None:
    assert growth(lambda size: streamed(both_ways(chain(kind, size), up=up), size // 4), SIZE) < LINEAR


@pytest.mark.parametrize("up", [False, True], ids=["parents first", "children first"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_deep_chain_of_late_spans_costs_what_its_spans_cost(kind: str, *, up: bool) -> None:
    assert growth(lambda size: late(both_ways(chain(kind, size), up=up)), SIZE) < LINEAR


@pytest.mark.parametrize("kind", KINDS)
def test_a_circle_of_many_spans_costs_what_its_spans_cost(kind: str) -> None:
    def circle(size: int) -> list[BuiltSpan]:
        first, *rest = chain(kind, size)
        return [replace(first, parent_id=rest[-1].span_id), *rest]

    assert growth(lambda size: explain_spans(circle(size)), SIZE) < LINEAR


@pytest.mark.parametrize("kind", KINDS)
def test_a_wide_trace_costs_what_its_spans_cost(kind: str) -> None:
    def wide(size: int) -> list[BuiltSpan]:
        root = step_span(1, at=(0, 10**6))
        return [root, *(KINDS[kind](number, parent=1, at=(number, number + 1)) for number in range(2, size))]

    assert growth(lambda size: explain_spans(wide(size)), SIZE) < LINEAR


@pytest.mark.parametrize("call_id", [None, "call_0", "call_{}"], ids=str)
@pytest.mark.parametrize("content", [False, True], ids=["without content", "with content"])
def test_a_busy_turn_costs_what_its_spans_cost(call_id: str | None, *, content: bool) -> None:
    def busy(size: int) -> list[BuiltSpan]:
        spans = [agent_span(1, at=(0, 10 * size))]
        for number in range(1, size):
            own, arguments = call_id and call_id.format(number), {"n": number}
            asked = [message("assistant", call_part("search", own, arguments))] if content else None
            spans.append(model_span(2 * number, parent=1, at=(10 * number, 10 * number + 1), said=asked))
            spans.append(
                tool_span(
                    2 * number + 1,
                    "search",
                    parent=1,
                    call_id=own,
                    at=(10 * number + 2, 10 * number + 3),
                    arguments=arguments if content else None,
                )
            )
        return spans

    assert growth(lambda size: explain_spans(busy(size)), SIZE) < LINEAR


def test_many_copies_that_differ_cost_what_they_are() -> None:
    def copies(size: int) -> list[BuiltSpan]:
        return [agent_span(1), *(tool(2, parent=1 + number, at=(number, number + 1)) for number in range(size))]

    assert growth(lambda size: explain_spans(copies(size)), SIZE) < LINEAR


def test_many_open_traces_cost_what_they_are_while_others_stream_in() -> None:
    def waiting(size: int) -> None:
        assembler = TurnAssembler()
        for number in range(size):
            assembler.add(agent_span(1, parent=2, trace=number + 1), 0.0)
            if number % (size // 4) == 0:
                assembler.collect(0.0)

    assert growth(waiting, SIZE) < LINEAR


@pytest.mark.parametrize("kind", KINDS)
def test_a_chain_of_ten_thousand_spans_needs_no_deep_stack(kind: str) -> None:
    spans = chain(kind, 10_000)[::-1]
    assembler = TurnAssembler()
    for one in spans:
        assembler.add(one, 0.0)
    turns = assembler.close(0.0).turns
    assert sum(len(turn.calls) for turn in turns) == sum("tool" in one.name for one in spans)
