"""Dumps without a truth file that were made by the program of one that has one say what their twins say."""

from __future__ import annotations

from typing import Any

import pytest
from dumps import dump

from otel_footprint.explanation import Explanation
from otel_footprint.testing import explain_spans


def likeness(explanation: Explanation) -> dict[str, Any]:
    """What is said of a turn but ids, where it was read and what one emitter records more of."""
    turn = explanation.to_dict(programs=True)
    calls = [(c["tool"], c["call_id"], c["outcome"], c["emptiness"], c["rows"]) for c in turn["calls"]]
    programs = [(s["text"], s["argument"], s["language"], s["outcome"], s["exit_code"]) for s in turn["scripts"]]
    return {
        **{fact: turn[fact] for fact in ("agent", "conversation_id", "question", "answer", "finished")},
        "nested": turn["nested_in"] is not None,
        # Calls at once may start in either order.
        "calls": sorted(calls, key=str),
        "scripts": sorted(programs, key=str),
    }


@pytest.mark.parametrize(
    ("name", "twin"),
    [
        ("traceloop_sdk_new", "traceloop_sdk_old"),
        ("langchain_openllmetry", "langchain_langsmith"),
        ("strands_latest", "strands"),
        ("smolagents_openinference_genai", "smolagents_openinference"),
    ],
)
def test_a_dump_without_a_truth_reads_as_its_twin(name: str, twin: str) -> None:
    ours, theirs = ([likeness(e) for e in explain_spans(dump(one))] for one in (name, twin))
    assert sorted(ours, key=str) == sorted(theirs, key=str)


def one_turn(name: str, agent: str | None) -> Explanation:
    (found,) = [e for e in explain_spans(dump(name)) if e.agent == agent]
    return found


def ends(turn: Explanation) -> list[tuple[str | None, str, int | None]]:
    return [(s.text, s.outcome, s.exit_code) for s in turn.scripts]


def test_vercel_5_reads_as_vercel_7() -> None:
    older, newer = (one_turn(name, "analyst") for name in ("vercel_ai_v5", "vercel_ai_v7"))
    assert (older.question, older.answer, older.conversation_id) == (newer.question, newer.answer, "thread-42")
    assert ends(older) == ends(newer)
    assert [(c.tool, c.call_id, c.outcome, c.emptiness) for c in older.calls] == [
        (c.tool, c.call_id, c.outcome, c.emptiness) for c in newer.calls
    ]
    assert one_turn("vercel_ai_v5", "child").nested_in == older.span_id


def test_adks_older_schema_reads_as_the_newer_one() -> None:
    for agent in ("analyst", "analyst2", "child", "coder"):
        older, newer = (one_turn(name, agent) for name in ("google_adk_legacy", "google_adk_semconv"))
        assert {k: v for k, v in likeness(older).items() if k != "conversation_id"} == {
            k: v for k, v in likeness(newer).items() if k != "conversation_id"
        }


def test_adks_older_schema_shows_the_models_own_code_execution() -> None:
    turn = one_turn("google_adk_legacy", "native_coder")
    assert [(s.text, s.language, s.call_id, s.span_id) for s in turn.scripts] == [("print(6*7)", "python", None, None)]
    assert [s.outcome for s in turn.scripts] == ["reported-success"]
    assert [(c.tool, c.outcome, c.notes) for c in turn.calls] == [("code_execution", "ran", ("hosted",))]


def test_mlflow_with_genai_names_reads_its_calls_as_without() -> None:
    plain, renamed = (one_turn(name, "analyst") for name in ("mlflow", "mlflow_genai"))
    assert ends(plain) == ends(renamed)
    assert likeness(plain)["calls"] == likeness(renamed)["calls"]
    # With these names the agent's own answer is not recorded.
    assert (plain.answer, renamed.answer) == ("45", None)


def test_a_crews_retries_are_runs_and_its_note_of_their_failure_is_none() -> None:
    turn = one_turn("crewai_native", "analyst")
    assert [(c.tool, c.outcome, c.emptiness) for c in turn.calls] == [
        ("run_python", "ran", "unknown"),
        ("run_shell", "ran", "unknown"),
        ("search_docs", "ran", "undeclared-empty"),
        *[("run_python", "failed", "unknown")] * 3,
    ]
    assert (turn.question, turn.answer, turn.conversation_id) == ("Sum 0..9", "The sum is 45.", "thread-42")


def test_agentfootprints_own_spans_hold_no_program() -> None:
    turn = explain_spans(dump("agentfootprint"))[0]
    assert turn.scripts
    assert {s.program for s in turn.scripts} == {"absent"}
