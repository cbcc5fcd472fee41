"""`doctor`: what each runtime records, what it does not, and the switch that would record it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dumps import NAMES, dump
from rich.console import Console

from otel_footprint.cli.doctor import print_examination
from otel_footprint.config import Config
from otel_footprint.dialects import dialects
from otel_footprint.files import Examination, Source, examine_files, explain_files

SPANS = Path(__file__).parents[1] / "data" / "spans"


def examined(*names: str) -> Examination:
    return examine_files([Source.of(str(SPANS / f"{name}.otlp.json")) for name in names], Config())


def contents(name: str, runtime: str) -> dict[str, tuple[str, int, int, str | None]]:
    """By kind: the state, how many are recorded of how many, and the switch."""
    found = [report for report in examined(name).to_dict()["runtimes"] if report["runtime"] == runtime]
    return {
        one["kind"]: (one["state"], one["recorded"], one["of"], one["enable"])
        for report in found
        for one in report["content"]
        if one["of"]
    }


def text_of(examination: Examination, width: int = 200, **options: Any) -> str:
    out = io.StringIO()
    print_examination(examination, Console(file=out, width=width, **options))
    return out.getvalue()


def test_what_is_not_recorded_has_the_exact_switch_of_its_runtime() -> None:
    switch = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true"
    assert contents("copilot_cli_default", "GitHub Copilot CLI") == {
        "turns": ("recorded", 1, 1, None),
        "questions": ("not-recorded", 0, 1, switch),
        "answers": ("not-recorded", 0, 1, switch),
        "conversations": ("recorded", 1, 1, None),
        "model calls": ("recorded", 5, 5, None),
        "messages": ("not-recorded", 0, 5, switch),
        "tool calls": ("recorded", 5, 5, None),
        "call ids": ("recorded", 5, 5, None),
        "arguments": ("not-recorded", 0, 5, switch),
        "results": ("not-recorded", 0, 5, switch),
        "programs": ("not-recorded", 0, 4, switch),
        "exit codes": ("recorded", 4, 4, None),
    }


def test_with_content_nothing_is_missing_and_no_switch_is_named() -> None:
    found = contents("copilot_cli_full", "GitHub Copilot CLI")
    assert {kind: one for kind, one in found.items() if one[0] != "recorded" or one[3] is not None} == {}


def test_an_exit_code_that_no_switch_records_can_be_recorded_by_hand() -> None:
    state, recorded, of, enable = contents("claude_agent_sdk_openinference", "Claude Agent SDK (OpenInference)")[
        "exit codes"
    ]
    assert (state, recorded, of) == ("partly", 2, 4)
    assert enable is not None
    assert "code_run.exit_code" in enable


def test_each_runtime_of_a_turn_is_told_apart() -> None:
    found = {report.scopes[0]: report for report in examined("mcp_native").runtimes}
    assert {scope: report.runtime for scope, report in found.items()} == {
        "fastmcp": "MCP clients and servers",
        "mcp-python-sdk": "MCP clients and servers",
        "app": "Any other emitter of the GenAI conventions",
    }
    results = {finding.kind: finding for finding in found["fastmcp"].findings}["results"]
    assert (results.recorded, results.of, results.enable) == (0, 3, None)


def test_the_scopes_of_one_runtime_are_one_report() -> None:
    (report,) = examined("semantic_kernel_sensitive").runtimes
    assert (report.runtime, len(report.scopes), report.spans) == ("Semantic Kernel", 3, 10)
    assert {one.kind: (one.recorded, one.of, one.enable) for one in report.findings}["messages"] == (0, 5, None)


@pytest.mark.parametrize(("value", "enable"), [("__REDACTED__", True), ("a text", False)])
def test_a_switch_that_leaves_a_placeholder_is_named_only_where_one_was_found(
    write: Callable[..., Path], value: str, *, enable: bool
) -> None:
    attributes = {"openinference.span.kind": "AGENT", "input.value": value}
    span = {
        "traceId": "0" * 31 + "1",
        "spanId": "0" * 15 + "1",
        "name": "run",
        "startTimeUnixNano": "1",
        "endTimeUnixNano": "2",
        "attributes": [{"key": key, "value": {"stringValue": text}} for key, text in attributes.items()],
    }
    request = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    (report,) = examine_files([Source.of(str(write(request)))], Config()).runtimes
    (answers,) = [one for one in report.findings if one.kind == "answers"]
    assert (answers.recorded, answers.of) == (0, 1)
    assert (answers.enable is not None) is enable


def test_the_checks_that_could_not_be_run_are_those_of_the_explanation() -> None:
    found = examined("copilot_cli_default")
    (report,) = found.runtimes
    assert sum(one.lines for one in report.unchecked) == sum(len(e.unreached) for e in found.record.explanations)
    assert {(one.check, one.missing) for one in report.unchecked} == {("empty-results", "no-event")}


def test_a_call_that_was_asked_for_and_has_no_span_is_one_that_is_not_recorded(write: Callable[..., Path]) -> None:
    request = json.loads((SPANS / "pydantic_ai.otlp.json").read_bytes())
    dropped = 0
    for scope in (scope for resource in request["resourceSpans"] for scope in resource["scopeSpans"]):
        kept = [span for span in scope["spans"] if span["name"] != "execute_tool search_docs"]
        dropped += len(scope["spans"]) - len(kept)
        scope["spans"] = kept
    assert dropped
    (report, *_) = examine_files([Source.of(str(write(request)))], Config()).runtimes
    calls = {finding.kind: finding for finding in report.findings}["tool calls"]
    assert calls.of - calls.recorded == dropped


def test_a_file_given_twice_says_the_same_but_for_its_spans() -> None:
    once, twice = examined("pydantic_ai"), examined("pydantic_ai", "pydantic_ai")
    assert twice.runtimes == once.runtimes


@pytest.mark.parametrize("name", NAMES)
def test_of_every_dump_the_numbers_hold_and_the_switches_are_those_of_the_tables(name: str) -> None:
    found = examined(name)
    switches = {switch.enable for dialect in dialects() for switch in dialect.switches}
    assert sum(report.spans for report in found.runtimes) + found.unread == len(
        {(view.trace_id, view.span_id) for view in dump(name)}
    )
    for report in found.runtimes:
        for one in report.findings:
            assert 0 <= one.recorded <= one.of
            assert one.redacted <= one.of - one.recorded
            assert one.enable is None or one.recorded < one.of
            assert one.kind == "exit codes" or one.enable is None or one.enable in switches
    record = explain_files([Source.of(str(SPANS / f"{name}.otlp.json"))], Config())
    assert found.record.explanations == record.explanations
    turns = [finding for report in found.runtimes for finding in report.findings if finding.kind == "turns"]
    assert sum(finding.of for finding in turns) == len(record.explanations)


@pytest.mark.parametrize("name", NAMES)
def test_every_dump_can_be_looked_at_on_a_narrow_terminal(name: str) -> None:
    lines = text_of(examined(name), width=60).splitlines()
    assert lines
    assert max(map(len, lines)) <= 60


def test_a_terminal_shows_the_state_and_below_it_the_switch() -> None:
    lines = text_of(examined("copilot_cli_default")).splitlines()
    assert lines[0] == "GitHub Copilot CLI"
    at = lines.index("├── not recorded")
    assert lines[at + 1].startswith("│   └── questions 0 of 1, answers 0 of 1, messages 0 of 5")
    assert lines[at + 2].strip("│ ") == "switch on: OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true"
    assert lines[-1] == "1 turn in 11 spans"


def test_a_runtime_without_tool_spans_says_that_none_was_found() -> None:
    text = text_of(examined("smolagents_otel_genai"))
    assert "none found     model calls, tool calls" in text
    assert "Neither tool calls nor model calls are recorded." in text


def test_spans_that_nothing_reads_are_counted_with_their_scopes(write: Callable[..., Path]) -> None:
    spans = [
        {"traceId": "0" * 31 + "1", "spanId": f"{n:016x}", "name": "GET", "startTimeUnixNano": "1"} for n in range(1, 9)
    ]
    scopes = [{"scope": {"name": f"http.{n}\x1b[31m"}, "spans": [span]} for n, span in enumerate(spans)]
    found = examine_files([Source.of(str(write({"resourceSpans": [{"scopeSpans": scopes}]})))], Config())
    assert (found.runtimes, found.unread) == ((), 8)
    text = text_of(found)
    assert text.startswith("0 turns in 8 spans; 8 spans not read (http.0")
    assert "and 3 scopes more)" in text
    assert "\x1b" not in text


# -- the command --------------------------------------------------------------------------------------------------


def test_the_command_prints_json_that_says_what_the_text_says(cli: Any, trace: Path) -> None:
    ended = cli("doctor", "--format", "json", trace)
    assert (ended.code, ended.err) == (0, "")
    (line,) = ended.out.splitlines()
    said = json.loads(line)
    assert said == examine_files([Source.of(str(trace))], Config()).to_dict()
    assert [report["runtime"] for report in said["runtimes"]] == ["Vercel AI SDK 7"]


def test_the_command_prints_text_for_people(cli: Any, trace: Path) -> None:
    ended = cli("doctor", trace)
    assert ended.code == 0
    assert ended.out.startswith("Vercel AI SDK 7\n")


@pytest.mark.parametrize("form", ["text", "json"])
def test_input_that_cannot_be_used_is_named_and_ends_with_two(
    cli: Any, trace: Path, write: Callable[..., Path], form: str
) -> None:
    bad = write(b"not a trace", "bad.txt")
    ended = cli("doctor", "--format", form, bad, trace)
    assert ended.code == 2
    assert "bad.txt" in ended.err
    assert "Vercel AI SDK 7" in ended.out


def test_a_configuration_that_cannot_be_used_ends_with_two(cli: Any, trace: Path, tmp_path: Path) -> None:
    assert cli("doctor", "--config", tmp_path / "missing.toml", trace).code == 2
