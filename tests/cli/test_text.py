"""The text form: what stands where, and what a span can never do to a terminal."""

from __future__ import annotations

import io
import json
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from otel_footprint.cli.text import print_record
from otel_footprint.config import Config
from otel_footprint.files import Record, Source, explain_files
from otel_footprint.testing import agent_span, explain_spans, tool_span
from otel_footprint.writers.plain import one_line, safe, safe_lines

DUMPS = Path(__file__).parents[1] / "data" / "spans"


def record_of(value: Any) -> Record:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return explain_files([Source.of_bytes("file", data)], Config())


def text_of(record: Record, *, programs: bool = False, width: int = 200, **options: Any) -> str:
    out = io.StringIO()
    print_record(record, Console(file=out, width=width, **options), programs=programs)
    return out.getvalue()


def lines_of(trace: Path, *, programs: bool = False) -> list[str]:
    return text_of(record_of(trace.read_bytes()), programs=programs).splitlines()


def test_the_tone_and_the_sentence_come_first_then_whose_turn_it_is(trace: Path) -> None:
    first, second, third, fourth = lines_of(trace)[:4]
    assert first == "● bad  searchDocs returned no rows and did not say what it searched."
    assert second == "analyst"
    assert third == "├── trace        27f779d6a470ad5b6b9d07d0bd62d0e5"
    assert fourth == "├── span         invoke_agent fake-model e29511332e09667e"


def test_question_and_answer_are_quoted_on_a_line(trace: Path) -> None:
    text = "\n".join(lines_of(trace))
    assert "asked        Sum 0..9 and look for quarterly totals" in text
    assert "answered     The sum is 45; no documents matched." in text


def shell_turn(command: str) -> str:
    """The text of a turn that ran one shell program, which ended with 0."""
    spans = [
        agent_span(1, at=(0, 99)),
        tool_span(2, "bash", parent=1, arguments={"command": command}, attributes={"code_run.exit_code": 0}),
    ]
    explanations = tuple(replace(e, summary=replace(e.summary, tone="ok")) for e in explain_spans(spans))
    return text_of(Record(explanations=explanations, spans=2))


def test_an_exit_code_that_hides_a_failure_is_told_in_the_heading_at_its_call_and_among_the_notes() -> None:
    heading, *rest = shell_turn("pytest -q | tail -5").splitlines()
    assert heading.endswith("In 1 program a command may have failed unseen.")
    (at,) = (index for index, line in enumerate(rest) if "completed, exit 0" in line)
    assert rest[at + 1].endswith("└── Exit 0 is that of tail; it does not tell whether pytest failed.")
    (at,) = (index for index, line in enumerate(rest) if line.endswith("── notes"))
    assert rest[at + 1].endswith("└── bash: exit 0 does not tell whether pytest failed.")


def test_a_turn_without_notes_has_no_line_for_them() -> None:
    text = shell_turn("pytest -q")
    assert "notes" not in text
    assert "unseen" not in text


def test_each_call_has_a_line_with_how_it_and_its_program_ended(trace: Path) -> None:
    calls = [line.split("── ")[1] for line in lines_of(trace) if line.startswith("│   ├──")][:4]
    assert calls == [
        "runPython   ran     tool call returned; execution not confirmed",
        "runShell    ran     completed with failure, exit 2",
        "searchDocs  ran     no rows",
        "runPython   failed  outcome unknown",
    ]


@pytest.mark.parametrize(
    ("note", "words"),
    [
        ("layers-disagree", "another record of it says that it went well"),
        ("no-span", "asked for, and no execution seen"),
        ("paused", "stopped to ask a person"),
    ],
)
def test_what_is_noted_of_a_call_stands_in_its_line(trace: Path, note: str, words: str) -> None:
    record = record_of(trace.read_bytes())
    turns = [
        replace(turn, calls=tuple(replace(call, notes=(note, "unheard of")) for call in turn.calls))
        for turn in record.explanations
    ]
    lines = text_of(replace(record, explanations=tuple(turns)), width=400).splitlines()
    assert sum(line.endswith(words) for line in lines) == sum(len(turn.calls) for turn in turns)


def test_a_nested_turn_stands_inside_the_call_it_ran_in(trace: Path) -> None:
    lines = lines_of(trace)
    call = next(index for index, line in enumerate(lines) if "askChild" in line)
    assert lines[call + 1].startswith("│       └── ● unknown  ")
    assert lines[call + 2].strip("│ ") == "child"


def test_signals_and_what_could_not_be_checked_are_listed_with_the_switch(trace: Path) -> None:
    lines = lines_of(trace)
    found = lines.index("├── found")
    assert lines[found + 1].endswith("✗ searchDocs returned no rows and did not say what it searched.")
    unchecked = lines.index("├── not checked")
    assert "runShell returned an object" in lines[unchecked + 1]
    assert "switch on: rows_at for runShell" in lines[unchecked + 2]


def test_the_last_lines_say_the_checks_and_the_totals(trace: Path) -> None:
    *_, checks, standing, blank, totals = lines_of(trace)
    assert standing == "└── standing     not-sure"
    assert checks == "├── checks       could not be run: empty-results; does not apply: decided-delivered, existence"
    assert blank == ""
    assert totals == "2 turns in 19 spans: 1 bad, 1 unknown"


def test_programs_are_shown_on_request_line_by_line(request_object: Any) -> None:
    text = json.dumps(request_object).replace("print(sum(range(10)))", "for i in range(3):\\\\n\\\\tprint(i)")
    record = record_of(text.encode())
    assert "range(3)" not in text_of(record)
    shown = text_of(record, programs=True).splitlines()
    index = next(i for i, line in enumerate(shown) if "for i in range(3):" in line)
    assert shown[index + 1].strip("│ ") == "print(i)"


def test_no_line_ends_in_spaces_and_a_pipe_gets_no_colour(trace: Path, cli: Any) -> None:
    out = cli("explain", trace).out
    assert "\x1b" not in out
    assert [line for line in out.splitlines() if line != line.rstrip()] == []


def test_a_pipe_gets_a_long_statement_on_one_line(request_object: Any, write: Any, cli: Any) -> None:
    text = json.dumps(request_object).replace('"analyst"', f'"{"analyst " * 20}"')
    out = cli("explain", write(text.encode())).out
    assert ("analyst " * 20).strip() in out


def test_a_terminal_is_coloured_unless_no_color_is_set(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    record = record_of(trace.read_bytes())
    assert "\x1b[1;31m● bad" in text_of(record, force_terminal=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;31m" not in text_of(record, force_terminal=True)


def test_text_fits_the_width(trace: Path) -> None:
    assert max(map(len, text_of(record_of(trace.read_bytes()), width=60).splitlines())) <= 60


def test_an_output_that_cannot_show_a_character_is_no_error(program: Any, trace: Path) -> None:
    ended = program("explain", trace, env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"})
    assert ended.returncode == 0
    assert b"bad  searchDocs" in ended.stdout


NASTY = (
    "\x1b[2J\x1b]0;owned\x07 \u202egnp.exe\u202c \u2066x\u2069 \u2028 \x9b31m \ud83e \U000e0041"
    " [bold red]markup[/] :smile:"
)


def test_nothing_that_a_span_holds_can_act_on_the_terminal(request_object: Any) -> None:
    value = json.loads(
        json.dumps(request_object)
        .replace('"analyst"', json.dumps(NASTY))
        .replace('"invoke_agent fake-model"', json.dumps(NASTY))
        .replace("searchDocs", json.dumps(NASTY)[1:-1])
        .replace('"print(sum(range(10)))"', json.dumps(NASTY))
    )
    out = text_of(record_of(value), programs=True, color_system=None)
    assert {c for c in out if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp", "Co"}} <= {"\n"}
    assert "[bold red]markup[/]" in out
    assert ":smile:" in out
    assert "\\x1b[2J" in out


def test_secrets_in_questions_and_names_are_not_shown(request_object: Any) -> None:
    secret = "sk-" + "a1B2" * 10
    text = json.dumps(request_object).replace("Sum 0..9", f"Use {secret}").replace('"analyst"', f'"{secret}"')
    assert secret not in text_of(record_of(text.encode()))


def test_what_is_not_recorded_is_said(trace: Path) -> None:
    text = text_of(record_of(trace.with_name("pydantic_ai_nocontent.otlp.json").read_bytes()))
    assert "the question is not recorded" in text
    assert "result not recorded" in text
    assert "program not recorded" in text


def test_a_nested_turn_whose_outer_turn_is_not_there_stands_alone(request_object: Any) -> None:
    spans = request_object["resourceSpans"][0]["scopeSpans"][0]["spans"]
    spans[:] = [span for span in spans if span["spanId"] != "e29511332e09667e"]
    assert "child" in text_of(record_of(request_object))


def test_a_nested_turn_whose_call_is_not_known_stands_below_its_turn(trace: Path) -> None:
    lines = text_of(replace(record_of(trace.read_bytes()), ran_in={})).splitlines()
    assert "├── ● unknown  None of the checks applies to this turn." in lines


def test_programs_without_a_call_and_what_was_left_out_are_listed(trace: Path) -> None:
    record = record_of(trace.read_bytes())
    turn = record.explanations[0]
    counts = replace(turn.counts, scripts_dropped=3, signals_omitted=2, lines_omitted=1)
    lines = text_of(replace(record, explanations=(replace(turn, calls=(), counts=counts),))).splitlines()
    programs = lines.index("├── programs")
    assert [line.split("── ")[1] for line in lines[programs + 1 : programs + 5]] == [
        "runPython: tool call returned; execution not confirmed",
        "runShell: completed with failure, exit 2",
        "runPython: outcome unknown",
        "and 3 more",
    ]
    assert lines[lines.index("├── found") + 2] == "│   └── and 2 more"
    assert lines[lines.index("├── not checked") + 3] == "│   └── and 1 more"


def test_a_call_without_a_span_is_paired_with_its_program_by_the_call_id(trace: Path) -> None:
    record = record_of(trace.read_bytes())
    turn = record.explanations[0]
    calls = tuple(replace(call, span_id=None) for call in turn.calls)
    shown = text_of(replace(record, explanations=(replace(turn, calls=calls),)))
    assert "runShell    ran     completed with failure, exit 2" in shown
    assert "programs" not in shown


def test_why_a_record_is_incomplete_and_what_came_back_is_said(trace: Path) -> None:
    record = record_of(trace.read_bytes())
    turn = record.explanations[0]
    calls = (
        replace(turn.calls[2], emptiness="non-empty", rows=1),
        replace(turn.calls[2], emptiness="non-empty", rows=12, tool=None),
        replace(turn.calls[2], emptiness="declared-absent", rows=0, outcome="refused"),
    )
    turn = replace(turn, calls=calls, scripts=(), incomplete=("parent-missing", "late-spans"), turn=3, stand_in=True)
    shown = text_of(replace(record, explanations=(turn,)))
    assert "analyst · turn 3" in shown
    assert "which stands in for a turn span" in shown
    assert "incomplete   parent missing, late spans" in shown
    assert "searchDocs    ran      1 row\n" in shown
    assert "unnamed tool  ran      12 rows\n" in shown
    assert "refused  nothing there, and it said what it searched" in shown


# --- characters ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("é ü 漢字 🙂", "é ü 漢字 🙂"),
        ("\x1b[0m", "\\x1b[0m"),
        ("\x7f\x85\xad", "\\x7f\\x85\\xad"),
        ("\u202e\u2066\u200b\ufeff", "\\u202e\\u2066\\u200b\\ufeff"),
        ("\U000e0041", "\\U000e0041"),
        ("\ud83e", "\ufffd"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("a\tb\nc\rd", "a\\x09b\\x0ac\\x0dd"),
    ],
)
def test_what_acts_on_a_terminal_is_written_out(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_lines_are_kept_apart_and_tabs_become_spaces() -> None:
    assert safe_lines("a\tb\r\nc\x1b\u2028d") == ["a   b", "c\\x1b\\u2028d"]


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("a  b\n c", 10, "a b c"),
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abcde…"),
        (" " * 100 + "x", 6, "x"),
        ("", 5, ""),
    ],
)
def test_a_short_form_is_one_line(text: str, width: int, shown: str) -> None:
    assert one_line(text, width) == shown


@given(st.text(alphabet=st.characters(codec=None)))
def test_no_text_leaves_anything_that_acts_on_a_terminal(text: str) -> None:
    for shown in (safe(text), one_line(text, 20), *safe_lines(text)):
        assert all(unicodedata.category(c) not in {"Cc", "Cs", "Zl", "Zp"} for c in shown)
        shown.encode()


def test_a_place_that_is_inferred_is_said_to_be() -> None:
    shown = text_of(record_of(DUMPS.joinpath("openai_agents_openllmetry.otlp.json").read_bytes()))
    assert shown.count("The turn of some spans was inferred: they do not name a parent inside it.") == 1


def test_programs_without_a_span_and_an_id_stand_beside_their_calls_in_order() -> None:
    shown = text_of(record_of(DUMPS.joinpath("google_adk_semconv.otlp.json").read_bytes()), programs=True)
    rows = [line.strip("│├└─ ") for line in shown.splitlines()]
    first = rows.index("code_executor  ran  tool call returned; execution not confirmed")
    assert rows[first + 1] == "print(sum(range(10)))"
    assert rows[first + 2] == "code_executor  ran  tool call returned; execution not confirmed"
    assert rows[first + 3] == "1/0"
