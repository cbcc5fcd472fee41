"""Small traces of every shape, for properties."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from otel_footprint.spanview import SpanView
from otel_footprint.testing import (
    BuiltSpan,
    agent_span,
    call_part,
    message,
    model_span,
    response_part,
    span,
    tool_span,
)

RESULTS = ("[]", "[1, 2]", "{}", "text", '{"exit_code": 3, "stdout": ""}', None)


def step_span(number: int, **rest: Any) -> BuiltSpan:
    return span(number, name="step", attributes={"gen_ai.operation.name": "agent_step"}, **rest)


def handoff_span(number: int, **rest: Any) -> BuiltSpan:
    return span(number, name="handoff to b", attributes={"openinference.span.kind": "TOOL"}, **rest)


def a_tool(number: int, **rest: Any) -> BuiltSpan:
    result = RESULTS[number % len(RESULTS)]
    return tool_span(number, f"run_python_{number}", arguments={"code": f"print({number})"}, result=result, **rest)


def a_model(number: int, **rest: Any) -> BuiltSpan:
    read = [message("user", "q"), message("tool", response_part(f"old{number}", []))]
    return model_span(number, read=read, said=[message("assistant", f"answer {number}")], **rest)


KINDS: Mapping[str, Callable[..., BuiltSpan]] = {
    "agent": agent_span,
    "other agent": lambda number, **rest: agent_span(number, agent=f"agent{number}", **rest),
    "step": step_span,
    "tool": a_tool,
    "model": a_model,
    "handoff": handoff_span,
    "other": span,
}

kinds = st.sampled_from(sorted(KINDS))
times = st.integers(0, 6)
"""Few enough to tie often."""
statuses = st.sampled_from(["unset", "ok", "error"])


@st.composite
def trees(draw: st.DrawFn, *, most: int = 12) -> list[BuiltSpan]:
    """One whole trace under one root, parents before their children and lasting at least as long."""
    count = draw(st.integers(1, most))
    spans: list[BuiltSpan] = []
    windows: list[tuple[int, int]] = []
    for number in range(1, count + 1):
        parent = draw(st.integers(1, number - 1)) if number > 1 else None
        low, high = windows[parent - 1] if parent is not None else (0, 9)
        start = draw(st.integers(low, high))
        end = draw(st.integers(start, high))
        windows.append((start, end))
        make = KINDS[draw(kinds)]
        spans.append(make(number, parent=parent, at=(start, end), status=draw(statuses)))
    return spans


@st.composite
def tangles(draw: st.DrawFn, *, most: int = 9) -> list[BuiltSpan]:
    """Spans with any parents: none, missing ones, themselves, each other; with any times."""
    count = draw(st.integers(1, most))
    return [
        KINDS[draw(kinds)](
            number,
            parent=draw(st.none() | st.integers(1, count + 2)),
            trace=draw(st.integers(1, 2)),
            at=(draw(times), draw(times)),
            status=draw(statuses),
            dropped=draw(st.sampled_from([0, 0, 0, 2])),
            remote=draw(st.sampled_from([False, False, True])),
        )
        for number in range(1, count + 1)
    ]


@st.composite
def arrivals(draw: st.DrawFn, spans: Sequence[SpanView]) -> list[list[SpanView]]:
    """The spans in any order, some of them twice, in batches."""
    twice = draw(st.lists(st.sampled_from(spans), max_size=4))
    order = draw(st.permutations([*spans, *twice]))
    cuts = sorted(draw(st.lists(st.integers(0, len(order)), max_size=4)))
    return [list(order[low:high]) for low, high in zip([0, *cuts], [*cuts, len(order)], strict=True)]


def conversation(*, tool_calls: Sequence[tuple[str, str]]) -> list[BuiltSpan]:
    """A turn that asks for each (call id, result) in one model call of its own, and answers."""
    spans = [agent_span(1, agent="a", at=(0, 100))]
    history = [message("user", "q")]
    for index, (call_id, result) in enumerate(tool_calls):
        number, start = 10 * (index + 1), 10 * index + 1
        asked = message("assistant", call_part("search", call_id, {"q": str(index)}))
        spans.append(model_span(number, parent=1, at=(start, start + 1), read=history, said=[asked]))
        spans.append(tool_span(number + 1, "search", parent=1, call_id=call_id, at=(start + 2, start + 3)))
        history = [*history, asked, message("tool", response_part(call_id, result))]
    spans.append(model_span(9, parent=1, at=(90, 91), read=history, said=[message("assistant", "done")]))
    return spans
