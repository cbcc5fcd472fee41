"""A program can be any text: it is read or not, with a bounded amount of work, and never takes the process along."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest
from counting import growth
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.shell import exit_means, masks, parsing, read_shell
from otel_footprint.shell.converting import convert

PIECES = [
    "a", "|", "&&", "||", ";", "\n", "(", ")", "{ ", "}", "if ", "then ", "fi", "while ", "do ", "done", "$(", "`",
    '"', "'", "<<A", "\nA\n", "$x", "${", "[[ ", "]]", "((", "))", "=", "! ", " & ", ">", "#", "case ", "esac", ";;",
    "\\", "f()", "é", "\U00031860", "\ud800", "\0", "\x01", " ", "bash -c ", "eval ", "exit ", "$?", "set -e\n",
]  # fmt: skip

HOSTILE = [
    "(", "{ ", "$(", "`", '"', "'", '"$(', "if ", "<<A ", "cat <<E\n", "a|", "a&&", "a&&a||", "[[ ", "(( ", "${a",
    "case x in ", "\\", "f()", "f(){ ", ">", "<", "$", "! ", "&", "{a,", "while a; do ", "@(", "a?", "a@", "a[\n",
    "?`&>", 'eval "', "bash -c '", "\0", "{\U00031860", "é-|",
]  # fmt: skip


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join)))
def test_any_text_is_read_or_not_and_twice_the_same(text: str) -> None:
    reading = read_shell(text)
    read_shell.cache_clear()
    assert read_shell(text) == reading
    if reading is not None:
        for code in (None, 0, 1, 2, 126, 137, 141, 255, -1, 2**70):
            assert masks(reading, code) in {True, False}
            assert exit_means(reading, code) != ""


@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("size", [1_000, 32 * 1024])
def test_a_hostile_text_is_given_up_before_it_costs_much(
    piece: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = {"reads": 0, "steps": 0}
    budget = parsing._Budget

    class Counting(budget):  # type: ignore[misc, valid-type]  # a class taken at run time
        def read(self, offset: int, point: object) -> bytes:
            counts["reads"] += not self.spent
            given_out: bytes = super().read(offset, point)
            return given_out

        def over(self, offset: int, has_error: bool) -> bool:
            counts["steps"] += 1
            stop: bool = super().over(offset, has_error)
            return stop

    monkeypatch.setattr(parsing, "_Budget", Counting)
    text = (piece * (size // len(piece)))[:size]
    parsing.parse(text.encode())
    assert counts["reads"] <= parsing.READS_PER_CHUNK * (2 * len(text.encode()) // parsing.CHUNK) + 300
    assert counts["steps"] <= parsing.MAX_STEPS + 1


@pytest.mark.parametrize("line", ["a | b || true\n", "x=$(a; b)\n", "if a; then b; fi\n", "echo a b c d\n"])
def test_twice_as_long_a_program_is_twice_the_work(line: str) -> None:
    assert growth(lambda size: convert((line * size).encode()), 40) < 2.5


def test_a_character_that_crashes_the_grammar_does_not_reach_it() -> None:
    # In a process of its own: what this guards against cannot be caught.
    code = (
        "from otel_footprint.shell import read_shell\n"
        "for text in ('{\\U00031860', 'echo {\\U00031860 | tail', '<<<&\\u00e9,' * 500):\n"
        "    read_shell(text)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_characters_beyond_ascii_are_letters() -> None:
    reading = read_shell("echo größe\u00a0x | größer")
    assert reading is not None
    assert reading.exit_code_of == "größer"


def test_a_program_of_many_lines_is_read() -> None:
    body = "".join(f"row {n} | of a table, with $(no) program\n" for n in range(500))
    reading = read_shell(f"cat > notes.md <<'EOF'\n{body}EOF\npytest | tail")
    assert reading is not None
    assert reading.masked == ("cat", "pytest")


def test_a_statement_of_a_grammar_to_come_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    new = SimpleNamespace(type="try_statement", is_named=True, children=[])
    monkeypatch.setattr(parsing, "parse", lambda _source: SimpleNamespace(children=[new]))
    assert convert(b"try make") is None


def test_without_the_extra_nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_bash", None)
    parsing._language.cache_clear()
    read_shell.cache_clear()
    try:
        assert read_shell("pytest | tail") is None
    finally:
        parsing._language.cache_clear()
        read_shell.cache_clear()
