"""What a host that runs for months asks of the assembler: who is known, what is forgotten, what has to go now."""

from __future__ import annotations

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from otlp import TRACE, agent, span, tool

from otel_footprint import _placing
from otel_footprint.config import Config
from otel_footprint.dialects import recognise
from otel_footprint.spanview_otlp import OtlpProtoSpan
from otel_footprint.turns import TurnAssembler, may_carry_turn


def view(one: Span) -> OtlpProtoSpan:
    return OtlpProtoSpan(one)


def span_id(number: int) -> str:
    return f"{number:016x}"


def test_a_span_is_known_until_its_trace_is_forgotten() -> None:
    assembler = TurnAssembler(Config(hold_seconds=1.0))
    assert not assembler.knows(TRACE, span_id(2))
    assembler.add(view(tool(2, 1)), 0.0)
    assembler.add(view(agent(1)), 0.0)
    assert assembler.knows(TRACE, span_id(2))
    assert not assembler.knows(TRACE, span_id(3))
    assert assembler.collect(1.0).forgotten == ()
    assert assembler.collect(60.0).forgotten == (TRACE,)
    assert not assembler.knows(TRACE, span_id(2))


def test_a_trace_that_has_to_go_is_explained_as_incomplete_and_forgotten() -> None:
    assembler = TurnAssembler(Config(hold_seconds=60.0))
    assembler.add(view(agent(1)), 0.0)
    gone = assembler.evict([TRACE, "0" * 31 + "9"])
    assert [(turn.span_id, turn.incomplete) for turn in gone.turns] == [(span_id(1), ("evicted",))]
    assert gone.forgotten == (TRACE,)
    assert assembler.statistics().traces == 0


def test_changed_settings_hold_for_turns_that_wait() -> None:
    assembler = TurnAssembler(Config(hold_seconds=60.0))
    assembler.add(view(agent(1)), 0.0)
    assert assembler.collect(1.0).turns == ()
    assembler.configure(Config(hold_seconds=1.0))
    assembler.add(view(span(2, 1)), 1.0)
    assert len(assembler.collect(1.0).turns) == 1


def test_the_kind_of_a_span_says_whether_it_may_carry_a_turn() -> None:
    roles = [recognise(view(one))[1] for one in (agent(1), tool(2), span(3))]
    assert [may_carry_turn(role) for role in roles] == [True, False, False]


def test_what_a_host_knows_of_a_span_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = [view(tool(2, 1)), view(agent(1))]
    known = [recognise(one) for one in spans]
    asked = TurnAssembler()
    for one in spans:
        asked.add(one, 0.0)
    told = TurnAssembler()
    monkeypatch.setattr(_placing, "recognise", lambda _: pytest.fail("it was asked"))
    for one, what in zip(spans, known, strict=True):
        told.add(one, 0.0, what)
    assert told.close(1.0) == asked.close(1.0)
