"""Notes: what the text of a program says of its exit code, and what is known of the record."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from otel_footprint.explanation import Explanation
from otel_footprint.facts import CodeRun, Content, ShellFacts, ToolCall, Turn
from otel_footprint.fold.explain import explain

SPAN = format(1, "016x")
HIDING = ShellFacts(state="read", exit_code_of="tail", exit_means="words", hides=("pytest",))
NOT_INSTALLED = ShellFacts(state="not-installed")


def call(shell: ShellFacts | None, *, number: int = 2, **run: Any) -> ToolCall:
    span_id = format(number, "016x")
    facts: dict[str, Any] = {
        "argument": "command",
        "declared_by": "catalogue",
        "language": "shell",
        "submitted": Content(state="recorded", value="pytest | tail", pointer=f"{span_id}#attribute:a"),
        "exit_code": 0,
        "exit_code_from": "attribute",
        "exit_code_pointer": f"{span_id}#attribute:code_run.exit_code",
        "shell": shell,
    }
    return ToolCall(
        span_id=span_id,
        carrier_span_id=span_id,
        tool="bash",
        call_id=f"c{number}",
        start_ns=number,
        code_run=CodeRun(**{**facts, **run}),
    )


def said(*calls: ToolCall, **facts: Any) -> Explanation:
    return explain(
        Turn(
            **{
                "trace_id": format(1, "032x"),
                "span_id": SPAN,
                "name": "invoke_agent",
                "finished": True,
                "routing": "none",
                "calls": calls,
                **facts,
            }
        )
    )


def test_an_exit_code_that_hides_a_failure_is_a_note_with_its_program_and_its_exit_code_as_evidence() -> None:
    (note,) = said(call(HIDING)).notes
    assert (note.id, note.tool, note.call_id, note.enable) == ("exit-code-masked", "bash", "c2", None)
    assert note.about == "bash: exit 0 does not tell whether pytest failed."
    span = format(2, "016x")
    assert note.evidence == (f"{span}#attribute:a", f"{span}#attribute:code_run.exit_code")


def test_the_row_says_whose_exit_code_it_is_and_what_it_means() -> None:
    (script,) = said(call(HIDING)).scripts
    assert (script.exit_code_of, script.exit_means) == ("tail", "words")


def test_what_a_program_says_changes_nothing_but_the_two_fields_of_its_row_and_the_notes() -> None:
    with_it, without = said(call(HIDING)), said(call(None))
    rows = tuple(replace(row, exit_code_of=None, exit_means=None) for row in with_it.scripts)
    assert replace(with_it, scripts=rows, notes=()) == without
    assert with_it.scripts[0].outcome == "completed"


@pytest.mark.parametrize("exit_code", [None, True, "0", 1.5], ids=str)
def test_a_row_without_an_exit_code_has_no_note_and_no_words(exit_code: Any) -> None:
    found = said(call(HIDING, exit_code=exit_code))
    assert found.scripts[0].exit_code is None
    assert (found.scripts[0].exit_code_of, found.scripts[0].exit_means, found.notes) == (None, None, ())


def test_many_hidden_commands_are_named_up_to_a_bound_and_then_counted() -> None:
    (note,) = said(call(replace(HIDING, hides=("a", "b", "c", "d", "e")))).notes
    assert note.about == "bash: exit 0 does not tell whether a, b, c or 2 more failed."


def test_a_program_that_could_not_be_read_is_said_to_be_so() -> None:
    (note,) = said(call(ShellFacts(state="unread"))).notes
    assert (note.id, note.tool, note.enable) == ("exit-code-not-read", "bash", None)
    assert note.about == "bash: the program could not be read, so whose exit 0 is remains open."


def test_that_nothing_reads_programs_is_said_once_with_what_to_install() -> None:
    (note,) = said(call(NOT_INSTALLED), call(NOT_INSTALLED, number=3)).notes
    assert (note.id, note.tool, note.call_id, note.evidence) == ("exit-code-not-read", None, None, ())
    assert note.enable == "pip install 'otel-footprint[shell]'"


@pytest.mark.parametrize(
    ("note", "about"),
    [
        ("late-spans", "Spans of this turn came after it was explained for the first time."),
        ("parent-inferred", "The turn of some spans was inferred: they do not name a parent inside it."),
        ("parent-ambiguous", "The turn of some spans cannot be told: more than one could be theirs."),
        ("of-a-later-version", "The record of this turn is not whole: of-a-later-version."),
    ],
)
def test_a_note_on_the_record_comes_first_and_in_words(note: str, about: str) -> None:
    first, second = said(call(HIDING), notes=(note,)).notes
    assert (first.id, first.about, first.evidence) == (note, about, ())
    assert second.id == "exit-code-masked"
