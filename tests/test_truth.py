"""What is said of spans that real runtimes made equals what is true of them."""

from __future__ import annotations

from typing import Any

import pytest
from dumps import JUDGED, NAMES, dump, truth

from otel_footprint.config import Config
from otel_footprint.explanation import Explanation
from otel_footprint.testing import assert_consistent, assert_evidence_resolves, explain_spans

ATTRIBUTES_ONLY = Config(exit_codes="attributes-only")

TURN_FACTS = ("agent", "conversation_id", "question", "answer", "finished", "nested_in")
SCRIPT_FACTS = {
    "span_id": "span_id",
    "call_id": "call_id",
    "program": "text",
    "argument": "argument",
    "language": "language",
    "exit_code": "exit_code",
    "exit_code_from": "exit_code_from",
    "label": "outcome",
}
"""The facts of a code run by their names in a truth file and in a script row."""
CALL_FACTS = ("span_id", "tool", "call_id", "outcome", "result_recorded", "emptiness", "rows", "undeclared_shape")


def explained(name: str, config: Config | None = None) -> dict[str, dict[str, Any]]:
    """The JSON form of each turn, by its span's id."""
    return {e.span_id: e.to_dict(programs=True) for e in explain_spans(dump(name), config)}


def judged_scripts(turn: dict[str, Any], said: dict[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Each true code run with the script row of it; both are in the order of the calls."""
    runs = [call for call in turn["calls"] if call["is_code_run"]]
    return list(zip(runs, said["scripts"], strict=True))


def judged_turns(name: str, config: Config | None = None) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Each true turn with what is said of it."""
    said = explained(name, config)
    return [(turn, said[carrier(turn)]) for turn in truth(name)["turns"]]


def carrier(turn: dict[str, Any]) -> str:
    """The turn's span, or where the runtime has none the one that can carry its explanation."""
    return str(turn["turn_span_id"] or turn["carrier_candidates"][0])


@pytest.mark.parametrize("name", JUDGED)
def test_the_turns_are_the_true_ones(name: str) -> None:
    said = explained(name)
    assert {carrier(turn): turn["turn_span_name"] for turn in truth(name)["turns"]} == {
        span_id: None if turn["stand_in"] else turn["name"] for span_id, turn in said.items()
    }


@pytest.mark.parametrize("fact", TURN_FACTS)
@pytest.mark.parametrize("name", JUDGED)
def test_what_is_said_of_each_turn_is_true(name: str, fact: str) -> None:
    assert [said[fact] for _, said in judged_turns(name)] == [turn[fact] for turn, _ in judged_turns(name)]


@pytest.mark.parametrize("name", JUDGED)
def test_the_calls_of_each_turn_are_the_true_ones_in_their_order(name: str) -> None:
    for turn, said in judged_turns(name):
        assert [{fact: call[fact] for fact in CALL_FACTS} for call in said["calls"]] == [
            {fact: call[fact] for fact in CALL_FACTS} for call in turn["calls"]
        ]
        assert [call["code_run"] for call in said["calls"]] == [call["is_code_run"] for call in turn["calls"]]


@pytest.mark.parametrize("name", JUDGED)
def test_each_program_and_how_it_ended_is_true(name: str) -> None:
    for turn, said in judged_turns(name):
        for call, script in judged_scripts(turn, said):
            assert {said_as: script[said_as] for said_as in SCRIPT_FACTS.values()} == {
                said_as: call[fact] for fact, said_as in SCRIPT_FACTS.items()
            }


@pytest.mark.parametrize("name", JUDGED)
def test_attributes_alone_prove_only_the_true_exits(name: str) -> None:
    for turn, said in judged_turns(name, ATTRIBUTES_ONLY):
        for call, script in judged_scripts(turn, said):
            assert script["outcome"] == call["label_unmapped"]
            assert script["exit_code"] == (call["exit_code"] if call["exit_code_from"] == "attribute" else None)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_said_is_consistent_and_points_to_what_is_there(name: str) -> None:
    for explanation in explain_spans(dump(name)):
        assert_consistent(explanation)
        assert_evidence_resolves(explanation, dump(name))


# -- dumps without a truth file: read by hand ---------------------------------------------------------------------


def the_turn(name: str, agent: str | None) -> Explanation:
    (found,) = [e for e in explain_spans(dump(name)) if e.agent == agent]
    return found


def test_copilot_without_content_still_knows_each_exit_code() -> None:
    turn = the_turn("copilot_cli_default", None)
    assert [(s.call_id, s.outcome, s.exit_code, s.exit_code_from) for s in turn.scripts] == [
        ("toolu_ok", "completed", 0, "attribute"),
        ("toolu_bad_exit", "completed-with-failure", 2, "attribute"),
        ("toolu_silent", "completed", 0, "attribute"),
        ("toolu_pyerr", "completed-with-failure", 1, "attribute"),
    ]
    assert {(s.program, s.bytes, s.sha256, s.language) for s in turn.scripts} == {("absent", None, None, "shell")}


def test_copilot_without_content_names_the_switch_for_what_it_could_not_check() -> None:
    turn = the_turn("copilot_cli_default", None)
    assert turn.checks.unreachable == ("empty-results",)
    assert {(line.missing, line.enable) for line in turn.unreached} == {
        ("no-event", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true")
    }
    assert turn.summary.tone == "unknown"
    assert (turn.question, turn.answer, turn.finished) == (None, None, True)
    assert turn.conversation_id == "fcca4ad8-4eb6-4798-b4bd-a8cd332301b6"


def test_agent_framework_without_content_knows_outcomes_and_not_one_program() -> None:
    turn = the_turn("agent_framework_default", "analyst")
    assert [(c.tool, c.call_id, c.outcome) for c in turn.calls] == [
        ("run_python", "call_ok", "ran"),
        ("run_shell", "call_bad_exit", "ran"),
        ("search_docs", "call_empty", "ran"),
        ("run_python", "call_exc", "failed"),
        ("child", "call_child", "failed"),
    ]
    assert [(s.outcome, s.program) for s in turn.scripts] == [
        ("returned", "absent"),
        ("returned", "absent"),
        ("outcome-unknown", "absent"),
    ]
    assert {line.enable for line in turn.unreached} == {"ENABLE_SENSITIVE_DATA=true"}


def test_agent_framework_without_content_keeps_the_agent_inside_a_tool_as_its_own_turn() -> None:
    child = the_turn("agent_framework_default", "child")
    assert child.nested_in == the_turn("agent_framework_default", "analyst").span_id
    assert not child.finished


def test_openai_agents_without_content_has_the_turns_and_calls_of_the_dump_with_it() -> None:
    with_content, without = (
        explain_spans(dump(name)) for name in ("openai_agents_otel_genai", "openai_agents_otel_genai_nocontent")
    )
    assert [(e.name, e.agent, [(c.tool, c.outcome) for c in e.calls]) for e in without] == [
        (e.name, e.agent, [(c.tool, c.outcome) for c in e.calls]) for e in with_content
    ]
    assert [e.conversation_id for e in without] == ["thread-42", "thread-42", None, None, None, None]
    assert not any(c.result_recorded for e in without for c in e.calls)
    assert {line.enable for e in without for line in e.unreached} == {
        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY"
    }


def test_a_program_that_logfire_scrubbed_is_taken_from_the_messages() -> None:
    turn = the_turn("pydantic_ai_logfire", "analyst")
    (scrubbed,) = [s for s in turn.scripts if s.call_id == "call_scrub"]
    assert scrubbed.program == "recorded"
    assert scrubbed.text is not None
    assert "session" in scrubbed.text
    assert any("gen_ai.output.messages" in pointer for pointer in scrubbed.evidence)
    assert (scrubbed.outcome, scrubbed.exit_code) == ("completed", 0)
    assert not scrubbed.rewritten


def test_what_logfire_left_alone_reads_as_without_logfire() -> None:
    turn = the_turn("pydantic_ai_logfire", "analyst")
    assert [(s.call_id, s.text, s.exit_code) for s in turn.scripts][1:] == [
        ("call_ok", "print(sum(range(10)))", 0),
        ("call_bad_exit", "ls /nope", 2),
    ]
    assert [(s.id, s.tool) for s in turn.signals] == [("undeclared-empty-used", "search_docs")]
    assert (turn.conversation_id, turn.question, turn.answer) == ("01a22c7b-c8ab-77a3-9767-440971968367", "go", "done")


def timeless(explanation: Explanation) -> dict[str, Any]:
    """What is said of a turn but ids and where it was read."""
    said = explanation.to_dict(programs=True)
    return {
        "agent": said["agent"],
        "question": said["question"],
        "answer": said["answer"],
        "finished": said["finished"],
        "calls": [{k: v for k, v in call.items() if k != "span_id"} for call in said["calls"]],
        "scripts": [(s["text"], s["outcome"], s["exit_code"], s["argument"]) for s in said["scripts"]],
        "signals": [(s["id"], s["about"]) for s in said["signals"]],
        "summary": said["summary"],
    }


@pytest.mark.parametrize("name", ["pydantic_ai_v2", "pydantic_ai_v6"])
def test_every_version_of_pydantic_ai_reads_the_same(name: str) -> None:
    of_v5 = sorted((timeless(e) for e in explain_spans(dump("pydantic_ai"))), key=str)
    assert sorted((timeless(e) for e in explain_spans(dump(name))), key=str) == of_v5
