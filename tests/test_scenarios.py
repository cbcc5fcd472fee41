"""What is said of runs whose story is known: each file is of one real run, and the story is written here."""

from __future__ import annotations

from pathlib import Path

import pytest

from otel_footprint.explanation import Explanation
from otel_footprint.testing import assert_consistent, assert_evidence_resolves, explain_spans, read_logs, read_spans

_SCENARIOS = Path(__file__).parent / "data" / "scenarios"
NAMES = sorted(
    path.name.removesuffix(".otlp.json") for path in _SCENARIOS.glob("*.otlp.json") if ".logs." not in path.name
)


def told(name: str, *, logs: bool = False) -> list[Explanation]:
    """What is said of a run, with its log records or without them."""
    records = read_logs(_SCENARIOS / f"{name}.logs.otlp.json") if logs else ()
    return explain_spans(read_spans(_SCENARIOS / f"{name}.otlp.json"), logs=records)


def the_turn(name: str, *, logs: bool = False) -> Explanation:
    (turn,) = told(name, logs=logs)
    return turn


def calls(turn: Explanation) -> list[tuple[str | None, str, str, int | None]]:
    return [(c.tool, c.outcome, c.emptiness, c.rows) for c in turn.calls]


def exits(turn: Explanation) -> list[tuple[str | None, str, int | None]]:
    return [(s.text, s.outcome, s.exit_code) for s in turn.scripts]


BOTH_ENDED = [("print(6*7)", "completed", 0), ("ls /nope", "completed-with-failure", 2)]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_said_is_consistent_and_points_to_what_is_there(name: str) -> None:
    for explanation in told(name):
        assert_consistent(explanation)
        assert_evidence_resolves(explanation, read_spans(_SCENARIOS / f"{name}.otlp.json"))


def test_ids_that_adk_makes_up_for_its_messages_do_not_double_the_calls() -> None:
    turn = the_turn("adk_without_ids")
    assert calls(turn) == [
        ("search_docs", "ran", "non-empty", 1),
        ("search_docs", "ran", "non-empty", 1),
        ("run_python", "ran", "unknown", None),
        ("run_python", "ran", "unknown", None),
    ]
    assert exits(turn) == [("print(1)", "completed", 0), ("print(1)", "completed", 0)]
    assert all(c.call_id is not None and c.call_id.startswith("adk-") for c in turn.calls)


def test_a_model_call_that_anthropics_sdk_records_too_is_one() -> None:
    turn = the_turn("openllmetry_anthropic")
    assert [(s.text, s.exit_code, s.iteration) for s in turn.scripts] == [("print(6*7)", 0, 1), ("ls /nope", 2, 2)]
    assert not [line for line in turn.unreached if "earlier results" in line.about]


def test_each_block_of_an_anthropic_answer_is_a_record_and_none_is_an_alternative() -> None:
    turn = the_turn("openllmetry_anthropic_events", logs=True)
    assert [(c.tool, c.call_id) for c in turn.calls] == [
        ("search_docs", "toolu_00110"),
        ("search_docs", "toolu_00111"),
        ("run_python", "toolu_00120"),
        ("run_python", "toolu_00121"),
    ]
    assert exits(turn) == [("print(1)", "completed", 0), ("print(1)", "completed", 0)]
    assert turn.answer == "Both gave the same."
    assert turn.notes == ()


def test_calls_beside_the_message_of_a_choice_are_read_and_a_lone_result_is_that_of_the_lone_call() -> None:
    turn = the_turn("openllmetry_openai_events", logs=True)
    assert [(c.tool, c.outcome, c.result_recorded) for c in turn.calls] == [
        ("run_python", "unknown", True),
        ("run_shell", "unknown", True),
    ]
    assert exits(turn) == BOTH_ENDED


def test_without_its_log_records_the_switch_is_that_of_the_instrumentation_of_the_model() -> None:
    assert [line.enable for line in the_turn("openllmetry_openai_events").unreached] == ["TRACELOOP_TRACE_CONTENT=true"]


def test_llama_indexs_tasks_are_model_calls_and_tool_calls() -> None:
    turn = the_turn("openllmetry_llamaindex")
    assert [(c.tool, c.outcome) for c in turn.calls] == [("run_python", "ran"), ("run_shell", "ran")]
    assert exits(turn) == BOTH_ENDED
    assert (turn.question, turn.answer, turn.finished) == (
        "[S:exit] please do the exit thing",
        "The product is 42; the listing failed.",
        True,
    )


def test_a_llama_index_tool_that_raised_failed_though_its_task_did_not() -> None:
    assert calls(the_turn("openllmetry_llamaindex_raises")) == [("boom", "failed", "unknown", None)]


def test_work_under_a_span_that_autogen_leaves_open_is_that_of_the_one_turn_around_it() -> None:
    turn = the_turn("autogen_open_span")
    assert [(c.tool, c.outcome) for c in turn.calls] == [("run_python", "ran"), ("run_shell", "ran")]
    assert exits(turn) == BOTH_ENDED
    assert turn.question == "[S:exit] please do the exit thing"
    assert [note.id for note in turn.notes] == ["parent-inferred"]
    assert not turn.stand_in


def test_an_earlier_result_of_an_undeclared_shape_asks_for_a_declaration_and_not_for_content() -> None:
    earlier = told("agent_framework_two_turns")[1]
    lines = {(line.tool, line.enable) for line in earlier.unreached if line.missing == "not-declared"}
    assert lines == {
        (tool, f"rows_at for {tool} in the configuration, or coverage.rows_at on its span")
        for tool in ("search_docs", "run_python", "run_shell")
    }


def test_no_switch_is_named_where_none_would_put_the_messages_on_the_span() -> None:
    turn = the_turn("semantic_kernel")
    assert turn.answer == "Hello there."
    assert [line.enable for line in turn.unreached] == [None]


def test_a_model_call_that_died_answered_nothing_and_had_nothing_in_view() -> None:
    turn = the_turn("pydantic_ai_dead_model")
    assert (turn.answer, turn.finished) == (None, False)
    assert [line.missing for line in turn.unreached] == ["not-declared"]


@pytest.mark.parametrize("name", ["langgraph_cut", "vercel_cut"])
def test_the_steps_of_a_run_whose_span_was_lost_are_one_turn_and_each_call_is_one(name: str) -> None:
    turn = the_turn(name)
    assert [(c.tool, c.outcome) for c in turn.calls] == [("run_python", "ran"), ("run_shell", "ran")]
    assert exits(turn) == BOTH_ENDED
    assert (turn.stand_in, turn.incomplete) == (True, ("no-turn-span", "parent-missing"))
    assert (turn.question, turn.answer) == (
        "[S:exit] please do the exit thing",
        "The product is 42; the listing failed.",
    )


def test_what_a_smolagents_step_gave_is_no_answer_where_the_runs_span_was_lost() -> None:
    turn = the_turn("smolagents_cut")
    assert [(c.tool, c.outcome) for c in turn.calls] == [
        ("run_python", "ran"),
        ("run_shell", "ran"),
        ("final_answer", "ran"),
    ]
    assert (turn.answer, turn.finished) == (None, False)


def test_an_empty_result_that_a_model_read_is_judged_though_the_call_has_no_span() -> None:
    turn = the_turn("otel_openai_quiet")
    assert calls(turn) == [("search_docs", "unknown", "undeclared-empty", 0)]
    assert [s.id for s in turn.signals] == ["undeclared-empty-used"]
    assert [r.reason for r in turn.reasons] == ["empty-undeclared"]


def test_a_text_from_a_call_without_a_span_may_be_an_error_and_checks_nothing() -> None:
    turn = the_turn("otel_openai_retry")
    assert calls(turn) == [("flaky", "unknown", "unknown", None)] * 2
    assert (turn.signals, turn.summary.tone) == ((), "unknown")


def test_a_dspy_tool_is_named_without_its_method_and_the_answer_is_the_signatures_field() -> None:
    turn = the_turn("dspy_openinference")
    assert calls(turn) == [("search_docs", "ran", "undeclared-empty", 0), ("finish", "ran", "unknown", None)]
    assert turn.answer == "There are 17 documents."


def test_tools_that_the_google_sdk_ran_inside_a_streamed_call_are_each_told_once() -> None:
    turn = the_turn("google_genai_stream")
    assert [(c.tool, c.outcome, c.notes) for c in turn.calls] == [
        ("run_python", "ran", ("hosted",)),
        ("run_shell", "ran", ("hosted",)),
    ]
    assert exits(turn) == BOTH_ENDED
    assert turn.answer == "The product is 42; the listing failed."


def test_what_a_function_raised_stands_in_the_place_of_its_result() -> None:
    turn = the_turn("google_genai_retry")
    assert [(c.tool, c.outcome) for c in turn.calls] == [("flaky", "failed"), ("flaky", "ran")]
    assert turn.answer == "It worked the second time."


def test_the_switch_of_the_older_openai_instrumentation_is_both_of_its_variables() -> None:
    (line,) = the_turn("otel_openai_v2_nocontent").unreached
    assert line.enable == (
        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY with "
        "OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental"
    )
