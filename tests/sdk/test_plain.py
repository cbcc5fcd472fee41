"""Spans that have nothing to do with agents are passed by, and the explanation is the same as if they were read."""

from __future__ import annotations

import random
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, SpanLimits

from otel_footprint.sdk import FootprintSpanExporter
from otel_footprint.sdk import plain as plain_module
from otel_footprint.sdk.plain import PlainSpans
from otel_footprint.turns import TurnAssembler

SECOND = 1_000_000_000
START = 1_700_000_000 * SECOND


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the spans that the assembler was shown, in order."""
    seen: list[str] = []
    real = TurnAssembler.add

    def add(self: TurnAssembler, span: Any, now: float) -> bool:
        seen.append(span.span_id)
        return real(self, span, now)

    monkeypatch.setattr(TurnAssembler, "add", add)
    return seen


def test_a_trace_without_an_agent_is_not_read(recorder: Any, spans: Any, read: list[str]) -> None:
    with_parent = spans.start("GET /", {"http.request.method": "GET"})
    spans.run("SELECT", {"db.system": "x"}, with_parent)
    with_parent.end()
    FootprintSpanExporter(recorder).export(spans.ended)
    assert read == []
    assert recorder.spans == spans.ended


def test_a_trace_with_an_agent_is_read_whole_also_what_came_before(recorder: Any, spans: Any, read: list[str]) -> None:
    root = spans.start("GET /", {})
    before = spans.run("SELECT", {}, root)
    agent = spans.agent(parent=root)
    agent.end(START + SECOND)
    after = spans.run("SELECT", {}, root)
    root.end(START + SECOND)
    FootprintSpanExporter(recorder).export(spans.ended)
    # what was passed by comes before the first span that is not
    ids = [format(span.context.span_id, "016x") for span in (before, after, root, agent)]
    assert read == ids


def test_an_agent_below_a_plain_span_that_came_before_is_placed_by_it(recorder: Any, spans: Any) -> None:
    outer = spans.agent("invoke_agent outer")
    between = spans.start("plain", {}, outer)
    inner = spans.agent("invoke_agent inner", between)
    between.end(START + SECOND)
    inner.end(START + SECOND)
    outer.end(START + SECOND)
    FootprintSpanExporter(recorder).export(spans.ended)
    assert [span.name for span in recorder.explained] == ["invoke_agent outer"]


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("x", {"gen_ai.operation.name": "invoke_agent"}),
        ("x", {"openinference.span.kind": "AGENT"}),
        ("x", {"footprint.question": "Why?"}),
        ("x", {"code_run.argument": "code"}),
        ("x", {"plain": 1, "coverage.kind": "absence"}),
    ],
)
def test_a_key_of_any_dialect_makes_a_span_be_read(spans: Any, name: str, attributes: dict[str, Any]) -> None:
    plain = PlainSpans()
    assert plain.rest([spans.run("x", {"plain": 1})]) == []
    span = spans.run(name, attributes)
    assert plain.rest([span]) == [(0, span)]


def test_a_scope_of_a_dialect_makes_a_span_be_read(spans: Any) -> None:
    tracer = spans.provider.get_tracer("pydantic-ai")
    tracer.start_span("agent run").end()
    assert PlainSpans().rest(spans.ended) == [(0, spans.ended[0])]


def test_a_span_that_lost_attributes_is_read(make_spans: Any) -> None:
    spans = make_spans(span_limits=SpanLimits(max_span_attributes=2))
    assert PlainSpans().rest([spans.run("x", {"a": 1, "b": 2, "c": 3})])


def test_a_span_made_by_hand_is_read(spans: Any) -> None:
    context = spans.run("x", {}).context
    assert PlainSpans().rest([ReadableSpan("x", context, attributes={"a": 1})])
    assert PlainSpans().rest([ReadableSpan("x")])


def test_a_dialect_that_names_no_marks_is_asked_about_every_span(monkeypatch: pytest.MonkeyPatch, spans: Any) -> None:
    from dataclasses import replace

    from otel_footprint.dialects import dialects

    more = (replace(dialects()[0], name="theirs", marks=("",)), *dialects())
    monkeypatch.setattr(plain_module, "dialects", lambda: more)
    assert PlainSpans().rest([spans.run("x", {"a": 1})])


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch, spans: Any) -> None:
    for name in ("_MAX_LINKS", "_MAX_KNOWN", "_MAX_TRACES"):
        monkeypatch.setattr(plain_module, name, 10)
    plain = PlainSpans()
    for number in range(100):
        assert plain.rest([spans.run("x", {f"key.{number}": 1})]) == []
        list(plain.recalled(spans.run("agent", {})))
    assert sum(map(len, plain._links.values())) <= 10 * 4
    assert len(plain._plain_keys) <= 11
    assert len(plain._agent_traces) <= 10


def grow(spans: Any, chance: random.Random) -> list[ReadableSpan]:
    """A random trace, with agents, tools, model calls and plain spans below each other."""
    started = [spans.start("root", {})]
    for number in range(chance.randint(3, 25)):
        parent = chance.choice(started)
        kind = chance.choice(["plain", "plain", "agent", "tool", "chat"])
        attributes = {
            "plain": {"http.route": "/"},
            "agent": {"gen_ai.operation.name": "invoke_agent"},
            "tool": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "t", "gen_ai.tool.call.result": "[]"},
            "chat": {"gen_ai.operation.name": "chat"},
        }[kind]
        started.append(spans.start(kind, attributes, parent, number))
    before = len(spans.ended)
    for number, span in enumerate(reversed(started)):
        span.end(START + SECOND + number)
    ended = spans.ended[before:]
    if chance.random() < 0.5:
        chance.shuffle(ended)
    return list(ended)


def outcome(exporter: FootprintSpanExporter, recorder: Any, batches: list[list[ReadableSpan]]) -> list[Any]:
    for batch in batches:
        exporter.export(batch)
    exporter.shutdown()
    return sorted(
        (
            s.name,
            s.context.span_id,
            s.parent.span_id if s.parent else 0,
            dict(s.attributes),
            [(e.name, e.timestamp, dict(e.attributes)) for e in s.events],
        )
        for s in recorder.spans
    )


@pytest.mark.parametrize("seed", range(60))
def test_passing_spans_by_changes_no_explanation(
    monkeypatch: pytest.MonkeyPatch, recorder: Any, spans: Any, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - a test's choice of a tree
    ended = grow(spans, chance)
    cuts = sorted(chance.sample(range(len(ended)), chance.randint(0, 2)))
    batches = [ended[a:b] for a, b in zip([0, *cuts], [*cuts, len(ended)], strict=True)]
    quick = outcome(FootprintSpanExporter(recorder, clock=lambda: 0.0), recorder, batches)
    other = type(recorder)()
    monkeypatch.setattr(PlainSpans, "rest", lambda _self, batch: list(enumerate(batch)))
    monkeypatch.setattr(PlainSpans, "recalled", lambda _self, _span: ())
    full = outcome(FootprintSpanExporter(other, clock=lambda: 0.0), other, batches)
    assert quick == full
