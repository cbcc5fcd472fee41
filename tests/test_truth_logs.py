"""What is said of spans with the log records beside them equals what is true of both, and never less than without."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from dumps import BESIDE, dump, logs, truth
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from otel_footprint.config import Config
from otel_footprint.fold.explain import explain
from otel_footprint.logview import LogView
from otel_footprint.spanview import SpanView
from otel_footprint.testing import assert_consistent, assert_evidence_resolves, explain_spans
from otel_footprint.turns import TurnAssembler

CARRIES_ALL = ("gemini_cli_full", "google_adk_semconv", "google_adk_legacy", "google_adk", "opencode_trimmed")
"""Dumps whose spans already say everything that their log records do."""


def said(name: str, records: Sequence[LogView] | None = None) -> list[dict[str, Any]]:
    beside = logs(BESIDE[name]) if records is None else records
    return [e.to_dict(programs=True) for e in explain_spans(dump(name), logs=beside)]


def scripts(turn: dict[str, Any]) -> list[tuple[Any, ...]]:
    keys = ("call_id", "text", "outcome", "exit_code", "exit_code_from")
    return [tuple(script[key] for key in keys) for script in turn["scripts"]]


@pytest.mark.parametrize("name", ["claude_code_full", "codex_trimmed"])
def test_with_its_log_records_each_call_has_what_they_add(name: str) -> None:
    (turn,) = said(name)
    (true,) = truth(name)["turns"]
    by_id = {script["call_id"]: script for script in turn["scripts"]}
    for call, told in zip(true["calls"], turn["calls"], strict=True):
        more = call.get("with_logs")
        if more is None:
            continue
        script = by_id[call["call_id"]]
        assert script["text"] == more["program"]
        assert script["exit_code"] == more.get("exit_code")
        assert script["exit_code_from"] == more.get("exit_code_from")
        assert script["outcome"] == more.get("label", call["label"])
        assert told["result_recorded"] == more.get("result_recorded", call["result_recorded"])
        assert told["emptiness"] == more.get("emptiness", call["emptiness"])
        assert told["outcome"] == ("ran" if more.get("success", True) else "failed")


def test_the_answer_of_claude_code_is_taken_from_its_log_record() -> None:
    (turn,) = said("claude_code_full")
    assert turn["answer"] == truth("claude_code_full")["turns"][0]["answer_in_logs"]


def test_the_question_of_codex_is_taken_from_its_log_record() -> None:
    (turn,) = said("codex_trimmed")
    assert turn["question"] == truth("codex_trimmed")["turns"][0]["with_logs"]["question"]


def test_gemini_cli_without_content_on_its_spans_says_with_its_log_records_what_it_says_with_it() -> None:
    (without,), (having,) = said("gemini_cli_default"), said("gemini_cli_full")
    assert scripts(without) == scripts(having)
    for fact in ("agent", "question", "answer", "finished"):
        assert without[fact] == having[fact]
    for fact in ("tool", "call_id", "outcome", "result_recorded", "emptiness", "undeclared_shape"):
        assert [call[fact] for call in without["calls"]] == [call[fact] for call in having["calls"]]


def test_claude_code_without_content_keeps_it_out_of_its_log_records_too() -> None:
    assert said("claude_code_default") == said("claude_code_default", ())


@pytest.mark.parametrize("name", CARRIES_ALL)
def test_log_records_that_only_repeat_the_spans_change_nothing(name: str) -> None:
    assert said(name) == said(name, ())


@pytest.mark.parametrize("name", BESIDE)
def test_what_is_said_with_log_records_is_consistent_and_points_to_what_is_there(name: str) -> None:
    for explanation in explain_spans(dump(name), logs=logs(BESIDE[name])):
        assert_consistent(explanation)
        assert_evidence_resolves(explanation, dump(name), logs(BESIDE[name]))


@pytest.mark.parametrize("name", BESIDE)
@given(random=st.randoms(use_true_random=False))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_spans_and_log_records_read_the_same_in_any_order_and_with_copies(name: str, random: Random) -> None:
    items: list[SpanView | LogView] = [*dump(name), *logs(BESIDE[name])]
    items += random.sample(items, k=len(items) // 4)
    random.shuffle(items)
    # A turn is given out as soon as it is whole; without the hold, what comes later would be an addendum.
    assembler = TurnAssembler(Config(hold_seconds=1e9))
    for item in items:
        if isinstance(item, LogView):
            assembler.add_log(item, 0.0)
        else:
            assembler.add(item, 0.0)
        if random.random() < 0.1:
            assert assembler.collect(0.0).turns == ()
    turns = assembler.close(0.0).turns
    assert [explain(turn).to_dict(programs=True) for turn in turns] == said(name)


@pytest.mark.parametrize("name", BESIDE)
def test_every_record_of_a_call_or_turn_is_joined(name: str) -> None:
    assembler = TurnAssembler()
    for record in logs(BESIDE[name]):
        assembler.add_log(record, 0.0)
    for span in dump(name):
        assembler.add(span, 0.0)
    assembler.close(0.0)
    counts = assembler.statistics().logs
    assert (counts.held, counts.bytes, counts.unmatched, counts.evicted) == (0, 0, 0, 0)
    assert counts.joined == counts.taken
    assert counts.taken + counts.other == len(logs(BESIDE[name]))
