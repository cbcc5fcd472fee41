"""What an exit code says of a program, in words, and when it hides a failure."""

from __future__ import annotations

import re

import pytest

from otel_footprint.catalogue.exit_meanings import ANSWERS, FAILURES, shipped_meanings
from otel_footprint.fold.wording import WORDING_VERSION
from otel_footprint.shell import ShellReading, exit_means, masks, read_shell
from otel_footprint.shell.sentences import PHRASES, SENTENCES, render, wording_digest

DIGESTS = {"2": "fbbbe5c64a5239a8031c8281a7b28d11ec307e9c57f7b015aa84af53f50c47aa"}
"""Each released version of the wording, and what it must hash to."""


STOPPED = "yes: usually stopped because head had read enough, which is no failure (SIGPIPE, exit 141)."


def read(program: str) -> ShellReading:
    reading = read_shell(program)
    assert reading is not None
    return reading


@pytest.mark.parametrize(
    ("program", "exit_code", "words"),
    [
        # A search, a comparison or a test that ends with 1 gave its answer.
        ("grep x f", 1, "grep: found no match (exit 1)."),
        ("grep x f", 2, "grep: reported an error of its own (exit 2)."),
        ("grep x f", 3, None),
        ("rg -n x src", 1, "rg: found no match (exit 1)."),
        ("git -C repo --no-pager grep x", 1, "git: found no match (exit 1)."),
        ("diff a b", 1, "diff: found differences (exit 1)."),
        ("cmp a b", 1, "cmp: found differences (exit 1)."),
        ("git diff --exit-code", 1, "git: found differences (exit 1)."),
        ("git diff", 1, None),
        ("git push", 128, "git: reported an error of its own (exit 128)."),
        ("[ -f x ]", 1, "[: the answer is no (exit 1)."),
        ("[[ -f x ]]", 1, "[[: the answer is no (exit 1)."),
        ("test -f x", 1, "test: the answer is no (exit 1)."),
        ("(( x > 3 ))", 1, "((: the answer is no (exit 1)."),
        ("command -v make", 1, "command: found nothing by that name (exit 1)."),
        ("ruff check .", 1, "ruff: reported findings (exit 1)."),
        ("python -m pytest -q", 1, "pytest: tests failed (exit 1)."),
        ("pytest -k none", 5, "pytest: collected no tests (exit 5)."),
        # Wrappers have codes of their own.
        ("timeout 5 make", 124, "make: was stopped by its time limit (exit 124)."),
        ("timeout 5 grep x f", 1, "grep: found no match (exit 1)."),
        ("find . | xargs grep x", 123, "grep: at least one run of it failed (exit 123)."),
        ("xargs grep x", 1, None),
        ("timeout 5 bash -c 'grep x f'", 124, "grep: was stopped by its time limit (exit 124)."),
        # What a shell reports is usual, not sure.
        ("make", 126, "make: usually cannot be executed (exit 126)."),
        ("mkae", 127, "mkae: usually is not there to be run (exit 127)."),
        ("make", 137, "make: usually ended by SIGKILL (exit 137)."),
        ("make && pytest", 137, "Exit 137 usually means that a command was ended by SIGKILL."),
        ("make", 200, None),
        # A writer whose reader stopped did not fail.
        ("yes | head", 141, STOPPED),
        ("set -o pipefail; yes | head -1", 141, STOPPED),
        ("set -o pipefail; a | b | c", 141, "Exit 141 usually means that a command was ended by SIGPIPE."),
        ("make", 141, "make: usually ended by SIGPIPE (exit 141)."),
        # Several commands can have given it.
        ("cd r && grep x f", 1, "grep: found no match, if exit 1 is its own; the program has other ways to it."),
        ("grep x f && grep y f", 1, "grep: found no match, if exit 1 is its own; the program has other ways to it."),
        ("grep x f && diff a b", 1, None),
        ("make && pip install x", 1, None),
        ("grep -q x f && echo yes", 1, "grep: found no match (exit 1)."),
        # The program changes or states the status.
        ("! grep x f", 1, "grep: ended with 0, which the program turns into exit 1."),
        ("! grep x f", 0, "grep: did not end with 0, which the program turns into exit 0."),
        ("! grep x f", 2, None),
        ("! (! grep x f)", 1, None),
        ("exit 3", 3, "The program itself states exit 3."),
        ("exit 0", 0, None),
        ("pytest || exit 1", 1, "The program itself states exit 1."),
        ("false", 1, None),
        ("$(which make) all", 1, None),
        ("$(which make) all", 127, "A command: usually is not there to be run (exit 127)."),
        ("make", 0, None),
        ("make", None, None),
        ("make | tail", None, None),
        # What the exit code hides.
        ("pytest -q 2>&1 | tail -15", 0, "Exit 0 is that of tail; it does not tell whether pytest failed."),
        ("make || true", 0, "Exit 0 does not tell whether make failed."),
        ("make; echo done", 0, "Exit 0 is that of echo; it does not tell whether make failed."),
        ("make &", 0, "Exit 0 does not tell whether make failed."),
        ("pytest | grep failed", 1, "grep: found no match (exit 1). Exit 1 does not tell whether pytest failed."),
        ("for f in *; do pytest $f; done", 0, "Exit 0 does not tell whether pytest failed."),
        ("a; b; c", 0, "Exit 0 is that of c; it does not tell whether a or b failed."),
        ("a; b; c; d", 0, "Exit 0 is that of d; it does not tell whether a, b or c failed."),
        ("a; b; c; d; e; f", 0, "Exit 0 is that of f; it does not tell whether a, b, c or 2 more failed."),
    ],
)  # fmt: skip
def test_an_exit_code_is_told_in_words(program: str, exit_code: int | None, words: str | None) -> None:
    assert exit_means(read(program), exit_code) == words


@pytest.mark.parametrize(
    ("program", "exit_code", "hidden"),
    [
        ("pytest | tail", 0, True),
        ("make || true", 0, True),
        ("make; echo done", 0, True),
        ("make &", 0, True),
        ("pytest | grep failed", 1, True),
        ("pytest | ruff check -", 1, True),
        ("pytest | grep failed", 2, False),
        ("pytest | tail", 1, False),
        ("pytest | tail", None, False),
        ("(make; exit 4)", 4, False),
        ("(make; exit 4)", 0, False),
        ("make; a && grep x f", 1, False),
        ("pytest", 0, False),
        ("pytest", 1, False),
        ("set -o pipefail; pytest | tail", 0, False),
        ("make && pytest", 0, False),
    ],
)
def test_only_an_exit_code_that_looks_harmless_hides_a_failure(
    program: str, exit_code: int | None, hidden: bool
) -> None:
    assert masks(read(program), exit_code) is hidden


def test_the_users_own_table_is_used() -> None:
    meanings = shipped_meanings().extended({"mylint": {"1": "findings"}, "grep": {"1": "error"}})
    assert exit_means(read("mylint src"), 1, meanings) == "mylint: reported findings (exit 1)."
    assert exit_means(read("grep x f"), 1, meanings) == "grep: reported an error of its own (exit 1)."
    assert masks(read("pytest | mylint"), 1, meanings)
    assert not masks(read("pytest | mylint"), 1)


def test_a_sentence_starts_with_fixed_words_or_with_a_commands_name() -> None:
    assert all(re.match(r"[A-Z]|\{command\}", template) for template in SENTENCES.values())


def test_every_meaning_has_its_words() -> None:
    assert PHRASES.keys() == ANSWERS | FAILURES


def test_a_value_is_never_read_as_a_template() -> None:
    told = render("masked", exit_code=0, commands=("{exit_code}", "a\u202eb\ud800"))
    assert told == "Exit 0 does not tell whether {exit_code} or ab\N{REPLACEMENT CHARACTER} failed."


def test_a_change_of_the_wording_has_a_new_version() -> None:
    assert DIGESTS[WORDING_VERSION] == wording_digest()
