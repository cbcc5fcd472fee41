"""The command ``explain``: formats, exit codes, standard streams."""

from __future__ import annotations

import copy
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console

from otel_footprint._version import __version__
from otel_footprint.cli import commands
from otel_footprint.cli.text import print_record
from otel_footprint.config import Config
from otel_footprint.files import Source, annotate_files, explain_files

KEYS = [
    *("schema", "trace_id", "span_id", "name", "agent", "conversation_id", "turn", "nested_in", "question"),
    *("answer", "finished", "incomplete", "calls", "scripts", "signals", "unreached", "checks", "wrong", "summary"),
]
CALL_KEYS = [
    *("span_id", "tool", "call_id", "outcome", "code_run", "result_recorded", "emptiness", "rows"),
    *("undeclared_shape", "rows_unread"),
]


# --- formats -------------------------------------------------------------------------------------


def test_the_version_is_asked_for_by_its_usual_option(program: Any) -> None:
    done = program("--version")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().split()[-1] == __version__


def test_json_is_one_object_a_turn_one_a_line(cli: Any, trace: Path) -> None:
    ended = cli("explain", trace, "--format", "json")
    turns = [json.loads(line) for line in ended.out.splitlines()]
    assert ended.code == 0
    assert ended.err == ""
    assert [turn["summary"]["tone"] for turn in turns] == ["bad", "unknown"]
    for turn in turns:
        assert set(KEYS) <= turn.keys()
        assert all(set(CALL_KEYS) <= call.keys() for call in turn["calls"])


def test_the_programs_are_written_on_request_only(cli: Any, trace: Path) -> None:
    without = json.loads(cli("explain", trace, "--format", "json").out.splitlines()[0])
    with_text = json.loads(cli("explain", trace, "--format", "json", "--programs").out.splitlines()[0])
    assert all("text" not in script for script in without["scripts"])
    assert [script["text"] for script in with_text["scripts"]] == ["print(sum(range(10)))", "ls /nope", "1/0"]


def test_json_is_valid_utf8_whatever_the_spans_hold(cli: Any, write: Any, request_object: Any) -> None:
    text = json.dumps(request_object).replace("Sum 0..9", "Sum \\\\ud83e 0..9")
    ended = cli("explain", write(text.encode().replace(b"The sum", b"The \xff sum")), "--format", "json")
    turn = json.loads(ended.out.splitlines()[0])
    assert turn["question"].startswith("Sum \ufffd 0..9")
    assert turn["answer"].startswith("The \ufffd sum")
    assert "not UTF-8" in ended.err
    assert ended.code == 0


def test_otlp_is_the_input_with_the_turns_annotated(cli: Any, trace: Path) -> None:
    out = cli("explain", trace, "--format", "otlp").out
    assert "footprint.account" in out
    again = cli("explain", trace, "--format", "otlp").out
    assert again == out


def test_otlp_can_be_explained_again_from_standard_input(cli: Any, program: Any, trace: Path) -> None:
    annotated = cli("explain", trace, "--format", "otlp").out
    ended = program("explain", "-", "--format", "otlp", input=annotated.encode())
    assert (ended.returncode, ended.stdout.decode(), ended.stderr) == (0, annotated, b"")


def test_standard_input_and_files_are_one_record(program: Any, write: Any, request_object: Any) -> None:
    spans = request_object["resourceSpans"][0]["scopeSpans"][0]["spans"]
    rest = json.loads(json.dumps(request_object))
    rest["resourceSpans"][0]["scopeSpans"][0]["spans"] = spans[10:]
    del spans[10:]
    whole = program("explain", write(rest), "-", "--format", "json", input=json.dumps(request_object).encode())
    turns = [json.loads(line) for line in whole.stdout.splitlines()]
    assert [len(turn["calls"]) for turn in turns] == [5, 0]


# --- exit codes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("fail_on", "code"), [("bad", 1), ("warn", 1)])
def test_a_bad_turn_fails(cli: Any, trace: Path, fail_on: str, code: int) -> None:
    assert cli("explain", trace, "--fail-on", fail_on).code == code


@pytest.mark.parametrize("fail_on", ["bad", "warn"])
def test_a_turn_that_cannot_be_told_does_not_fail(cli: Any, trace: Path, fail_on: str) -> None:
    unknown = trace.with_name("copilot_cli_full.otlp.json")
    turns = [json.loads(line) for line in cli("explain", unknown, "--format", "json").out.splitlines()]
    assert {turn["summary"]["tone"] for turn in turns} <= {"unknown", "ok"}
    assert cli("explain", unknown, "--fail-on", fail_on).code == 0


@pytest.mark.parametrize("case", [("warn", "bad", 0), ("warn", "warn", 1), ("ok", "warn", 0), ("unknown", "warn", 0)])
def test_the_tone_decides(cli: Any, trace: Path, monkeypatch: pytest.MonkeyPatch, case: tuple[Any, str, int]) -> None:
    tone, fail_on, code = case
    explain_files = vars(commands)["explain_files"]

    def with_tone(*arguments: Any, **options: Any) -> Any:
        record = explain_files(*arguments, **options)
        turns = [replace(e, summary=replace(e.summary, tone=tone)) for e in record.explanations]
        return replace(record, explanations=tuple(turns))

    monkeypatch.setattr(commands, "explain_files", with_tone)
    assert cli("explain", trace, "--fail-on", fail_on).code == code


def test_unusable_input_goes_before_fail_on_and_the_rest_is_explained(cli: Any, write: Any, trace: Path) -> None:
    path = write(b"not json\n" + trace.read_bytes())
    ended = cli("explain", path, "--fail-on", "bad", "--format", "json")
    assert ended.code == 2
    assert ended.err.startswith(f"{path}:1: not JSON")
    assert len(ended.out.splitlines()) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["explain"],
        ["explain", "x", "--format", "xml"],
        ["explain", "x", "--fail-on", "ok"],
        ["explain", "/no/such/file"],
        ["explain", "x", "--config", "/no/such/file"],
        ["nonsense"],
        [],
    ],
)
def test_what_cannot_be_used_ends_with_2_and_says_why(cli: Any, arguments: list[str]) -> None:
    ended = cli(*arguments)
    assert ended.code == 2
    assert ended.err
    assert "Traceback" not in ended.err


def test_a_trace_without_a_turn_is_said(cli: Any, write: Any) -> None:
    span = {"traceId": "1" * 32, "spanId": "2" * 16, "name": "GET /"}
    ended = cli("explain", write({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}))
    assert (ended.code, ended.out, ended.err) == (0, "", "note: no agent turn in 1 spans\n")


def test_control_characters_of_the_input_do_not_reach_the_terminal_by_a_message(cli: Any, write: Any) -> None:
    ended = cli("explain", write(b"\x1b[31mred\n", "odd\x1b]0;name.json"))
    assert "\x1b" not in ended.err
    assert "\\x1b" in ended.err


# --- configuration -------------------------------------------------------------------------------


def test_settings_are_read_from_the_file(cli: Any, write: Any, trace: Path) -> None:
    config = write(b'exit_codes = "attributes-only"\n[rows_at]\nrunShell = "out"\n', "settings.toml")
    turn = json.loads(cli("explain", trace, "--config", config, "--format", "json").out.splitlines()[0])
    assert [script["outcome"] for script in turn["scripts"]] == ["returned", "returned", "outcome-unknown"]


def test_a_wrong_setting_is_named_with_its_file(cli: Any, write: Any, trace: Path) -> None:
    config = write(b"exit_code = 1\n", "settings.toml")
    ended = cli("explain", trace, "--config", config)
    assert ended.code == 2
    assert f"{config}" in ended.err
    assert "exit_codes" in ended.err


# --- help, version, missing extra ----------------------------------------------------------------


def test_help_says_what_a_person_needs(cli: Any) -> None:
    text = " ".join(cli("explain", "--help").out.split())
    for words in (
        "--fail-on",
        "- is standard input",
        "Several files are one record",
        "Exit codes: 0",
        "may hold secrets",
    ):
        assert words in text


def test_the_version_is_printed(cli: Any) -> None:
    assert cli("version") == (0, f"{__version__}\n", "")


@pytest.mark.parametrize("missing", ["click", "rich"])
def test_without_the_extra_a_message_says_what_to_install(missing: str, trace: Path) -> None:
    code = (
        f"import sys; sys.modules['{missing}'] = None; sys.argv = ['otel-footprint', 'explain', {str(trace)!r}]\n"
        "import otel_footprint.cli; otel_footprint.cli.main()"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, timeout=60)
    assert ended.returncode == 2
    assert b"pip install 'otel-footprint[cli]'" in ended.stderr
    assert b"Traceback" not in ended.stderr


# --- pipes and interrupts ------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["text", "json", "otlp"])
def test_a_reader_that_goes_away_is_no_error(form: str, trace: Path) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "wb") as out:
        command = [sys.executable, "-m", "otel_footprint.cli", "explain", str(trace), "--format", form]
        ended = subprocess.run(
            [*command, "--fail-on", "bad"], stdout=out, stderr=subprocess.PIPE, check=False, timeout=60
        )
    assert (ended.returncode, ended.stderr) == (1, b"")


def test_an_interrupt_is_neither_a_failed_gate_nor_unusable_input(
    cli: Any, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("otel_footprint.cli.commands.explain_files", interrupted)
    assert cli("explain", trace).code == 130


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_shown_on_long_input_at_a_terminal_and_never_otherwise(
    cli: Callable[..., Any], trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("explain", trace).err == ""
    monkeypatch.setattr("otel_footprint.cli.commands._LONG_INPUT", 1_000)
    assert cli("explain", trace).err == ""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    cli("explain", trace)
    assert "reading" in terminal.getvalue()


# --- whatever comes ------------------------------------------------------------------------------


def all_forms(data: bytes) -> None:
    """Read, explain and print in every form; a defect of ours would be named as one."""
    sources = [Source.of_bytes("file", data)]
    record = explain_files(sources, Config())
    assert [str(problem) for problem in record.problems if "defect" in problem.message] == []
    print_record(record, Console(file=io.StringIO()), programs=True)
    for explanation in record.explanations:
        json.dumps(explanation.to_dict(programs=True))
    for document in annotate_files(sources, record, Config()):
        document.encode("utf-8", "surrogateescape")


@given(st.binary(max_size=300))
def test_no_bytes_end_in_a_traceback(data: bytes) -> None:
    all_forms(data)


@given(st.data())
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_damage_to_a_trace_ends_in_a_traceback(trace: Path, data: st.DataObject) -> None:
    whole = trace.read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    end = min(len(whole), at + data.draw(st.integers(0, 200)))
    all_forms(whole[:at] + data.draw(st.binary(max_size=8)) + whole[end:])


@given(st.data())
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_value_in_a_trace_ends_in_a_traceback(request_object: Any, data: st.DataObject) -> None:
    spans = copy.deepcopy(request_object["resourceSpans"][0]["scopeSpans"][0]["spans"])
    for _ in range(data.draw(st.integers(1, 6))):
        span = data.draw(st.sampled_from(spans))
        if data.draw(st.booleans()):
            data.draw(st.sampled_from(span["attributes"]))["value"] = data.draw(ANY_VALUES)
        else:
            span[data.draw(st.sampled_from([key for key in span if key != "attributes"]))] = data.draw(SCALARS)
    request = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    all_forms(json.dumps(request).encode("utf-8", "surrogatepass"))


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
ANY_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.builds(dict, stringValue=SCALARS)
    | st.builds(
        dict, stringValue=st.sampled_from(["{", "[]", "null", "[1]", '{"exit_code":true}', '"\\ud83e"', "\ud83e"])
    )
    | st.builds(dict, intValue=SCALARS)
    | st.builds(dict, doubleValue=SCALARS)
    | st.builds(dict)
    | SCALARS,
    lambda inner: (
        st.builds(dict, arrayValue=st.builds(dict, values=st.lists(inner, max_size=3)))
        | st.builds(
            dict,
            kvlistValue=st.builds(
                dict, values=st.lists(st.builds(dict, key=st.text(max_size=4), value=inner), max_size=3)
            ),
        )
    ),
    max_leaves=6,
)


def test_no_secret_that_a_span_holds_is_printed_as_json(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    span = {
        "traceId": "11" * 16,
        "spanId": "22" * 8,
        "name": f"invoke_agent {secret}",
        "startTimeUnixNano": "1",
        "endTimeUnixNano": "2",
        "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "invoke_agent"}},
            {"key": "gen_ai.agent.name", "value": {"stringValue": f"agent {secret}"}},
            {"key": "footprint.question", "value": {"stringValue": f"my key is {secret}"}},
            {"key": "footprint.answer", "value": {"stringValue": f"noted: {secret}"}},
        ],
    }
    file = tmp_path / "trace.json"
    file.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "otel_footprint.cli", "explain", "--format", "json", file],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert json.loads(done.stdout)["span_id"] == "22" * 8
    assert secret not in done.stdout
