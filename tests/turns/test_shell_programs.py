"""What the text of a shell program says of its exit code, from spans to the explanation."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from otel_footprint import _shell_facts
from otel_footprint._shell_facts import MAX_PROGRAMS
from otel_footprint.config import CodeTool, Config
from otel_footprint.explanation import Explanation, ScriptExplanation
from otel_footprint.fold.scripts import MAX_SCRIPT_ROWS
from otel_footprint.shell import parsing
from otel_footprint.testing import agent_span, assert_evidence_resolves, explain_spans, tool_span


def turn(*programs: Any, config: Config | None = None, tool: str = "bash", exit_code: Any = 0) -> Explanation:
    calls = [
        tool_span(
            number,
            tool,
            parent=1,
            at=(number, number + 1),
            arguments={"command": program},
            attributes={} if exit_code is None else {"code_run.exit_code": exit_code},
        )
        for number, program in enumerate(programs, start=2)
    ]
    spans = [agent_span(1, at=(0, 99)), *calls]
    (found,) = explain_spans(spans, config)
    assert_evidence_resolves(found, spans)
    return found


def row(program: Any, **more: Any) -> ScriptExplanation:
    (found,) = turn(program, **more).scripts
    return found


def test_tests_in_front_of_a_pipe_do_not_read_as_clean_success() -> None:
    found = turn("pytest -q 2>&1 | tail -15")
    (script,) = found.scripts
    assert (script.outcome, script.exit_code_of) == ("completed", "tail")
    assert script.exit_means == "Exit 0 is that of tail; it does not tell whether pytest failed."
    assert [(note.id, note.tool) for note in found.notes] == [("exit-code-masked", "bash")]


@pytest.mark.parametrize(
    ("program", "exit_code", "of", "means", "notes"),
    [
        ("grep x f", 1, "grep", "grep: found no match (exit 1).", []),
        ("pytest", 0, "pytest", None, []),
        ("cd r && pytest", 1, None, None, []),
        ("make || true", 0, None, "Exit 0 does not tell whether make failed.", ["exit-code-masked"]),
        (["bash", "-lc", "pytest | tail"], 0, "tail", None, ["exit-code-masked"]),
        (["grep", "a | b"], 1, "grep", "grep: found no match (exit 1).", []),
        ("if then", 0, None, None, ["exit-code-not-read"]),
        ("grep x f", None, None, None, []),
        ("grep x f", -1, None, None, []),
        ("grep x f", 256, None, None, []),
        ("grep x f", 2**70, None, None, []),
    ],
    ids=str,
)
def test_a_shell_program_is_read(program: Any, exit_code: Any, of: str, means: str, notes: list[str]) -> None:
    found = turn(program, exit_code=exit_code)
    (script,) = found.scripts
    assert (script.exit_code_of, [note.id for note in found.notes]) == (of, notes)
    assert means is None or script.exit_means == means


@pytest.mark.parametrize(("language", "read"), [("bash", True), ("shell", True), ("sh", True), ("Bash", True)])
def test_a_declared_language_of_the_shell_is_read(language: str, *, read: bool) -> None:
    config = Config(code_tools={"run": CodeTool(argument="command", language=language)})
    assert (row("grep x f", tool="run", config=config).exit_code_of == "grep") is read


@pytest.mark.parametrize("language", ["python", "powershell", "fish", "zsh", None])
def test_a_program_in_another_language_or_none_is_not_read(language: str | None) -> None:
    config = Config(code_tools={"run": CodeTool(argument="command", language=language)})
    found = turn("make || true", tool="run", config=config)
    assert (found.scripts[0].exit_code_of, found.scripts[0].exit_means, found.notes) == (None, None, ())


def test_the_users_table_says_what_an_exit_code_means() -> None:
    config = Config(exit_meanings={"mylint": {"1": "findings"}})
    assert row("mylint src", exit_code=1).exit_means is None
    assert row("mylint src", exit_code=1, config=config).exit_means == "mylint: reported findings (exit 1)."
    assert turn("pytest | mylint", exit_code=1).notes == ()
    assert [note.id for note in turn("pytest | mylint", exit_code=1, config=config).notes] == ["exit-code-masked"]


def test_without_the_extra_nothing_is_read_and_that_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    monkeypatch.setattr(parsing, "_language", parsing._language.__wrapped__)
    found = turn("pytest | tail", "make || true")
    assert [(script.exit_code_of, script.exit_means) for script in found.scripts] == [(None, None)] * 2
    assert [(note.id, note.enable) for note in found.notes] == [
        ("exit-code-not-read", "pip install 'otel-footprint[shell]'")
    ]


def test_no_more_programs_of_a_turn_are_read_than_have_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counting(program: str) -> None:
        read.append(program)

    monkeypatch.setattr(_shell_facts, "read_shell", counting)
    programs = [f"make {number}" for number in range(40)]
    found = turn(*programs)
    assert MAX_PROGRAMS == MAX_SCRIPT_ROWS == len(found.scripts)
    assert read == programs[:MAX_PROGRAMS]


def test_a_turn_without_a_shell_program_never_asks_for_the_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked() -> bool:
        raise AssertionError

    monkeypatch.setattr(_shell_facts, "installed", asked)
    assert turn("grep x f", exit_code=None).scripts[0].exit_code is None
    found = explain_spans(
        [agent_span(1, at=(0, 9)), tool_span(2, "run_python", parent=1, at=(1, 2), arguments={"code": "1"})]
    )
    assert len(found[0].scripts) == 1
