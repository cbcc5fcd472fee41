"""Dumps that are read in part equal the truth but for what is named here; dumps without a truth equal their twins."""

from __future__ import annotations

from typing import Any

import pytest
from dumps import PARTLY, dump, truth

from otel_footprint.config import Config
from otel_footprint.explanation import Explanation
from otel_footprint.testing import assert_consistent, assert_evidence_resolves, explain_spans

TURN_FACTS = ("agent", "conversation_id", "question", "answer", "finished", "nested_in")
CALL_FACTS = ("span_id", "tool", "call_id", "outcome", "result_recorded", "emptiness", "rows", "undeclared_shape")
SCRIPT_FACTS = {
    "program": "text",
    "argument": "argument",
    "language": "language",
    "exit_code": "exit_code",
    "exit_code_from": "exit_code_from",
    "label": "outcome",
}

UNREAD_TURNS = {
    # Its agent's span lies beside the tool call that runs it; only its time is inside.
    "openai_agents_openllmetry": {"b17a72323fb64f80"},
    # A code agent's programs are steps, and the agent that one of them calls has no tool's span around it.
    "smolagents_openinference": {"f75e8eafa027a90a", "095eef31d2a73dac"},
}
SPAN_ONLY_RESULTS = {
    # The result is in the text of a message without a call id.
    "ab0aa3b42535713a"
}


def expected(name: str) -> dict[str, dict[str, Any]]:
    """The true turns by their span's id, without what is not read."""
    turns = {turn["turn_span_id"]: turn for turn in truth(name)["turns"]}
    return {
        span_id: {**turn, **_strict(turn), "calls": [_as_read(call) for call in turn["calls"] if _is_seen(call)]}
        for span_id, turn in turns.items()
        if span_id not in UNREAD_TURNS.get(name, ())
    }


def _strict(turn: dict[str, Any]) -> dict[str, Any]:
    """The question and answer where they stand in printed Python objects."""
    return {fact: turn["strict"][fact] for fact in ("question", "answer")} if "strict" in turn else {}


def _is_seen(call: dict[str, Any]) -> bool:
    """Whether the call is more than a text: fenced programs and printed objects are not read."""
    return not call.get("span_only", {}).get("absent", False)


def _as_read(call: dict[str, Any]) -> dict[str, Any]:
    return {**call, "result_recorded": False} if call["span_id"] in SPAN_ONLY_RESULTS else call


def said(name: str, config: Config | None = None) -> dict[str, dict[str, Any]]:
    unread = UNREAD_TURNS.get(name, ())
    return {e.span_id: e.to_dict(programs=True) for e in explain_spans(dump(name), config) if e.span_id not in unread}


def scripts(turn: dict[str, Any]) -> dict[tuple[str | None, str | None], dict[str, Any]]:
    return {(s["span_id"], s["call_id"]): s for s in turn["scripts"]}


@pytest.mark.parametrize("name", sorted(PARTLY))
def test_the_turns_are_the_true_ones(name: str) -> None:
    assert {span_id: turn["name"] for span_id, turn in said(name).items()} == {
        span_id: turn["turn_span_name"] for span_id, turn in expected(name).items()
    }


@pytest.mark.parametrize("fact", TURN_FACTS)
@pytest.mark.parametrize("name", sorted(PARTLY))
def test_what_is_said_of_each_turn_is_true(name: str, fact: str) -> None:
    assert {span_id: turn[fact] for span_id, turn in said(name).items()} == {
        span_id: turn[fact] for span_id, turn in expected(name).items()
    }


@pytest.mark.parametrize("name", sorted(PARTLY))
def test_the_calls_and_how_their_programs_ended_are_true(name: str) -> None:
    found = said(name)
    for span_id, turn in expected(name).items():
        assert [{fact: call[fact] for fact in CALL_FACTS} for call in found[span_id]["calls"]] == [
            {fact: call[fact] for fact in CALL_FACTS} for call in turn["calls"]
        ]
        own = scripts(found[span_id])
        assert {key: {fact: script[at] for fact, at in SCRIPT_FACTS.items()} for key, script in own.items()} == {
            (call["span_id"], call["call_id"]): {fact: call[fact] for fact in SCRIPT_FACTS}
            for call in turn["calls"]
            if call["is_code_run"]
        }


@pytest.mark.parametrize("name", sorted(PARTLY))
def test_attributes_alone_prove_only_the_true_exits(name: str) -> None:
    found = said(name, Config(exit_codes="attributes-only"))
    for span_id, turn in expected(name).items():
        assert {key: script["outcome"] for key, script in scripts(found[span_id]).items()} == {
            (call["span_id"], call["call_id"]): call["label_unmapped"] for call in turn["calls"] if call["is_code_run"]
        }


@pytest.mark.parametrize("name", sorted(PARTLY))
def test_what_is_said_is_consistent_and_points_to_what_is_there(name: str) -> None:
    for explanation in explain_spans(dump(name)):
        assert_consistent(explanation)
        assert_evidence_resolves(explanation, dump(name))


# -- dumps without a truth file that were made by the program of one that has one -------------------------------------


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
