"""Files that other tools and projects made: each is read or refused by name, and says what is true of it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from reading import DATA, as_otlp, explained, gist, read, record
from sdk_spans import readable_spans

from otel_footprint.testing import assert_consistent, assert_evidence_resolves

PUBLIC = DATA / "public"
EXPORTS = DATA / "exports"
FILES = sorted(
    path
    for path in [*PUBLIC.glob("*/*"), *EXPORTS.glob("*")]
    if path.suffix != ".md" and not path.name.endswith(".truth.json") and "atif" not in path.parent.name
)
SPANS = {
    "adk_v1_default_S6b.traces.json": 7,
    "claude-agent-2025-12-22.trace.json": 7,
    "claude_live_spans.json": 10,
    "genaiTestTrace.json": 57,
    "go_stdouttrace.jsonl": 2,
    "helm_3.jaeger.json.gz": 125,
    "mcp_tool_call.json": 5,
    "mlflow.json": 4,
    "openai_agents_handoff.json": 7,
    "openai_agents_openinference_adot_spans.json": 16,
    "openllmetry-langchain.json": 9,
    "phoenix_dataframe.jsonl": 6,
    "phoenix_dataframe.parquet": 9,
    "phoenix_spans.json": 24,
    "phoenix_spans_otlpv1.json": 6,
    "pydantic-ai-tools-2025-12-04.trace.json": 12,
    "smolagents_live_spans.json": 7,
    "tempo_export_with_batches.json.zst": 86,
    "tool_error_no_error_type.json": 4,
    "zipkin.json": 18,
}
NO_DIALECT_NEEDED = ["mcp_tool_call", "openai_agents_handoff", "tool_error_no_error_type"]


def data(name: str) -> bytes:
    (path,) = (path for path in FILES if path.name == name)
    return path.read_bytes()


def calls(name: str) -> list[list[tuple[str | None, str]]]:
    """The calls of each turn of a file with how they ended."""
    return [[(call.tool, call.outcome) for call in explanation.calls] for explanation in explained(data(name))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_span_of_a_real_file_is_read(path: Path) -> None:
    found, problems = read(path.read_bytes())
    assert problems == []
    assert len(found) == SPANS[path.name]
    for view in found:
        assert view.trace_id
        assert view.span_id
        assert view.name
        assert 0 < view.start_ns <= view.end_ns
        assert not isinstance(view.parent_id, str) or len(view.parent_id) == 16


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_real_file_written_as_otlp_says_the_same_of_it(path: Path) -> None:
    raw = path.read_bytes()
    once = as_otlp(raw)
    assert explained(once) == explained(raw)
    assert as_otlp(once) == once


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_is_said_of_a_real_file_is_consistent_and_its_evidence_resolves(path: Path) -> None:
    spans, _ = read(path.read_bytes())
    for explanation in explained(path.read_bytes()):
        assert_consistent(explanation)
        assert_evidence_resolves(explanation, spans)


@pytest.mark.parametrize("name", [*NO_DIALECT_NEEDED, "adk_v1_default_S6b.traces"])
def test_turns_calls_and_outcomes_are_those_that_the_origin_states(name: str) -> None:
    truth = json.loads((PUBLIC / "agentevals_hand" / f"{name}.truth.json").read_bytes())
    said = explained(data(f"{name}.json"))
    assert [(turn.question, turn.answer) for turn in said] == [
        (turn["user_text"], turn["final_text"]) for turn in truth["turns"]
    ]
    assert [[(call.tool, call.outcome == "failed") for call in turn.calls] for turn in said] == [
        [(call["name"], call["is_error"]) for call in turn["tool_calls"]] for turn in truth["turns"]
    ]


def test_an_atif_trajectory_is_refused_by_name() -> None:
    path = PUBLIC / "phoenix_client_atif" / "parallel_tools_mixed_results.json"
    found, problems = read(path.read_bytes())
    assert found == []
    assert [(problem.line, problem.lost) for problem in problems] == [(1, True)]
    assert "ATIF trajectory, which holds no spans" in str(problems[0])


# --- what is in them -----------------------------------------------------------------------------


def test_of_jaeger_the_one_call_among_the_noise_is_found() -> None:
    assert calls("helm_3.jaeger.json.gz") == [[("helm_list_releases", "ran")]]
    found, _ = read(data("helm_3.jaeger.json.gz"))
    assert {view.scope_name for view in found} >= {"a2a-python-sdk"}
    assert Counter(view.status for view in found) == {"unset": 80, "ok": 44, "error": 1}
    assert sum(len(view.events) for view in found) == 35
    assert {view.resource("service.name") for view in found} == {"helm_agent"}


def test_of_jaegers_download_a_call_is_not_failed_by_its_child() -> None:
    outer, inner = explained(data("genaiTestTrace.json"))
    assert [call.tool for call in outer.calls] == [*["list_dashboards", "search_traces"] * 3, "summarize_findings"]
    assert {call.outcome for call in outer.calls} == {"ran"}
    assert inner.nested_in == outer.span_id


def test_of_tempo_a_time_given_as_a_number_is_read() -> None:
    found, _ = read(data("tempo_export_with_batches.json.zst"))
    assert min(view.start_ns for view in found) > 1_777_000_000 * 10**9
    assert calls("tempo_export_with_batches.json.zst")[1] == [("helm_list_releases", "ran")]


def test_of_langfuse_both_calls_of_one_tool_are_found() -> None:
    assert calls("claude-agent-2025-12-22.trace.json") == [[("mcp__weather__get_weather", "ran")] * 2]


def test_of_langfuse_each_pydantic_ai_call_is_one_with_the_request_for_it() -> None:
    first, second, third = explained(data("pydantic-ai-tools-2025-12-04.trace.json"))
    assert [(c.tool, c.call_id, c.outcome, c.notes) for c in first.calls] == [
        ("get_pun_suggestion", "call_X0OSgjUukT5inyEQvuZQnHrk", "ran", ()),
        ("get_dad_joke_suggestion", "call_WxZcCvSDhGT4RJHlcU01k10x", "ran", ()),
        ("get_one_liner_suggestion", "call_aRaObiWKKt6GzgDkkUl3bu1Q", "ran", ()),
    ]
    assert [turn.agent for turn in (first, second, third)] == ["joke_agent", "joke_agent", "evaluator_agent"]
    assert (second.calls, third.calls) == ((), ())
    assert second.answer == "Why do programmers hate nature?  \nIt has too many bugs!"


def test_of_langfuse_the_question_and_the_answer_of_langsmiths_spans_are_read() -> None:
    (turn,) = explained(data("claude-agent-2025-12-22.trace.json"))
    assert turn.question == "What's the weather like in Berlin and New York?"
    assert (turn.answer or "").startswith("Great! Here's the current weather")
    assert [call.call_id for call in turn.calls] == [
        "toolu_01TKoqQLvY2UWuC49qnD48y7",
        "toolu_01NtVat4vJLFfVd5TqdLHcA7",
    ]


def test_of_smolagents_the_programs_of_both_steps_are_code_runs() -> None:
    (turn,) = explained(data("smolagents_live_spans.json"))
    assert [(s.tool, s.call_id, s.outcome, s.argument) for s in turn.scripts] == [
        ("python_interpreter", "call_1", "returned", None),
        ("python_interpreter", None, "returned", None),
    ]
    assert turn.scripts[0].text == 'result = web_search(query="population of Tokyo")\nprint(result)'
    assert [call.tool for call in turn.calls] == [
        "python_interpreter",
        "web_search",
        "python_interpreter",
        "final_answer",
    ]


def test_of_flat_spans_the_runs_in_nested_turns_are_found() -> None:
    outer, *inner = explained(data("claude_live_spans.json"))
    assert [call.tool for call in outer.calls] == ["Agent"] * 3
    assert [[call.tool for call in turn.calls] for turn in inner] == [["Bash"]] * 3
    assert {turn.nested_in for turn in inner} == {outer.span_id}


def test_of_mlflow_the_call_that_raised_is_failed() -> None:
    assert calls("mlflow.json") == [[("run_python", "ran"), ("search", "failed")]]


# --- one set of spans in many forms --------------------------------------------------------------


def of_dumps(*names: str) -> dict[str, dict[str, Any]]:
    """The gist of what is said of dumps, by the turns' spans."""
    raw = b"\n".join((DATA / "spans" / f"{name}.otlp.json").read_bytes() for name in names)
    return {explanation.span_id: gist(explanation) for explanation in explained(raw)}


@pytest.mark.parametrize(
    ("export", "dumps", "turns"),
    [
        ("zipkin.json", ["pydantic_ai_v6"], 4),
        ("phoenix_dataframe.parquet", ["pydantic_ai_openinference"], 1),
        ("phoenix_dataframe.jsonl", ["pydantic_ai_openinference"], 2),
        ("phoenix_spans.json", ["pydantic_ai_openinference", "claude_agent_sdk_openinference"], 5),
        ("phoenix_spans_otlpv1.json", ["claude_agent_sdk_openinference"], 1),
    ],
)
def test_what_went_through_another_tool_says_the_same(export: str, dumps: list[str], turns: int) -> None:
    before = of_dumps(*dumps)
    after = {explanation.span_id: gist(explanation) for explanation in explained(data(export))}
    assert len(after) == turns
    assert after == {span_id: before[span_id] for span_id in after}


@pytest.mark.parametrize("indent", [None, 4])
@pytest.mark.parametrize(
    "name", ["pydantic_ai", "vercel_ai_v7", "openai_agents_openinference", "claude_agent_sdk_openinference"]
)
def test_what_the_sdk_prints_of_spans_says_the_same(name: str, indent: int | None) -> None:
    views, _ = read((DATA / "spans" / f"{name}.otlp.json").read_bytes())
    printed = "\n".join(span.to_json(indent=indent) for span in readable_spans(views)).encode()
    assert {explanation.span_id: gist(explanation) for explanation in explained(printed)} == of_dumps(name)


def test_files_of_many_forms_are_one_record() -> None:
    views, _ = read(data("phoenix_dataframe.parquet"))
    assert {view.trace_id for view in views} == {"b35f415191fd3c9b8092391f0a696d0a"}
    lines = as_otlp(data("phoenix_dataframe.parquet")) + b"\n" + data("phoenix_dataframe.jsonl")
    assert len(record(lines).explanations) == 3
