"""The list of known exit codes, and a user's own table in front of it."""

from __future__ import annotations

import re

import pytest

from otel_footprint.catalogue.exit_meanings import is_question, shipped_meanings, signal_name


def meaning(words: str, exit_code: int, wrappers: tuple[str, ...] = ()) -> str | None:
    found = shipped_meanings().of(words.split(), exit_code, wrappers)
    return found.id if found else None


@pytest.mark.parametrize(
    ("words", "exit_code", "expected"),
    [
        ("/usr/bin/grep x f", 1, "no-match"),
        ("git -C repo -c a=b diff --quiet", 1, "differ"),
        ("git diff", 1, None),
        ("git -C diff log --quiet", 1, None),
        ("git", 1, None),
        ("ruff format", 1, None),
        ("black --check .", 1, "findings"),
        ("black .", 1, None),
        ("grep x f", 0, None),
        ("grep x f", -1, None),
        ("grep x f", 999, None),
        ("unknown", 1, None),
        ("unknown", 127, "no-command"),
        ("", 1, None),
    ],
)
def test_a_code_is_looked_up_by_command_and_arguments(words: str, exit_code: int, expected: str | None) -> None:
    assert meaning(words, exit_code) == expected


@pytest.mark.parametrize(
    ("exit_code", "wrappers", "expected"),
    [
        (124, ("timeout",), "timed-out"),
        (1, ("timeout",), "no-match"),
        (1, ("xargs",), None),
        (123, ("sudo", "xargs"), "part-failed"),
        (127, ("xargs",), "no-command"),
        (124, ("xargs", "timeout"), None),
    ],
)
def test_a_wrapper_has_codes_of_its_own(exit_code: int, wrappers: tuple[str, ...], expected: str | None) -> None:
    assert meaning("grep x f", exit_code, wrappers) == expected


def test_a_word_that_the_shell_computes_matches_nothing() -> None:
    assert shipped_meanings().of([None, "x"], 1) is None
    assert shipped_meanings().of(["git", None, "--exit-code"], 1) is None


@pytest.mark.parametrize(
    ("words", "asks"), [("grep x", True), ("test -f x", True), ("diff a b", True), ("mypy .", False), ("make", False)]
)
def test_a_linter_finds_but_does_not_ask(words: str, asks: bool) -> None:
    assert is_question(words.split()) is asks


@pytest.mark.parametrize(("exit_code", "name"), [(137, "SIGKILL"), (141, "SIGPIPE"), (128, None), (1, None)])
def test_a_signal_is_named_by_its_code(exit_code: int, name: str | None) -> None:
    assert signal_name(exit_code) == name


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"x": {"0": "findings"}}, "x: '0' is no exit code: give a number from 1 to 255"),
        ({"x": {"256": "findings"}}, "x: '256' is no exit code: give a number from 1 to 255"),
        ({"x": {"12345678": "findings"}}, "x: '12345678' is no exit code: give a number from 1 to 255"),
        ({"x": {"one": "findings"}}, "x: 'one' is no exit code: give a number from 1 to 255"),
        ({"x": {"²": "findings"}}, "x: '²' is no exit code: give a number from 1 to 255"),
        ({"x": {"1": "fine"}}, "x: there is no meaning 'fine': use one of differ, error, false, findings,"),
    ],
)
def test_a_table_with_a_fault_says_how_to_set_it_right(table: dict[str, dict[str, str]], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        shipped_meanings().extended(table)


def test_a_users_table_leaves_the_shipped_list_as_it_is() -> None:
    extended = shipped_meanings().extended({"grep": {"1": "error"}})
    found = extended.of(["grep", "x"], 1)
    assert found is not None
    assert (found.id, found.answer) == ("error", False)
    assert meaning("grep x", 1) == "no-match"
