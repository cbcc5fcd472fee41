"""What the shipped list knows of tools, and the formats in which an exit code is documented."""

from __future__ import annotations

from typing import Any

import pytest
from counting import growth
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.catalogue import (
    exit_from_mapping,
    exit_from_object,
    exit_from_text,
    name_words,
    shipped_entry,
)

# -- names --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("run_python", ("run", "python")),
        ("runPython", ("run", "Python")),
        ("Run-Python", ("Run", "Python")),
        ("run python", ("run", "python")),
        ("HTTPGet", ("HTTP", "Get")),
        ("python3", ("python3",)),
        ("", ()),
        ("___", ()),
    ],
)
def test_a_name_is_taken_apart_into_words(name: str, words: tuple[str, ...]) -> None:
    assert name_words(name) == words


@pytest.mark.parametrize(
    ("tool", "first_argument", "language"),
    [
        ("bash", "command", "shell"),
        ("Bash", "command", "shell"),
        ("run_python", "code", "python"),
        ("runPython", "code", "python"),
        ("Run-Python", "code", "python"),
        ("run_python_checked", "code", "python"),
        ("functions.exec_command", "cmd", "shell"),
        ("mcp__sandbox__run_python", "code", "python"),
        ("sandbox-bash", "command", "shell"),
        ("python_repl_ast", "query", "python"),
        ("PowerShell", "command", "powershell"),
        ("container.exec", "commands", "shell"),
        ("execute", "code", None),
        ("run_code", "code", None),
        ("js", "code", "javascript"),
    ],
)
def test_known_tools_are_known_under_each_spelling(tool: str, first_argument: str, language: str | None) -> None:
    entry = shipped_entry(tool)
    assert entry is not None
    assert (entry.arguments[0], entry.language, entry.declared_by) == (first_argument, language, "catalogue")


@pytest.mark.parametrize(
    "tool",
    [
        "search_docs",
        "get_weather",
        "bashful",
        "bash_history",
        "runner",
        "python_docs",
        "transfer_to_bash",
        "",
        "__",
        "é",
        "mcp__bash__search",
        "search-bash-history",
    ],
)
def test_other_tools_are_not_known(tool: str) -> None:
    assert shipped_entry(tool) is None


def test_an_ambiguous_name_alone_declares_nothing() -> None:
    entry = shipped_entry("execute")
    assert entry is not None
    assert entry.needs_arguments


@given(st.text())
def test_any_name_can_be_asked_for(tool: str) -> None:
    entry = shipped_entry(tool)
    assert entry is None or entry.arguments


# -- results ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["exit_code", "exitCode", "returncode", "return_code"])
@pytest.mark.parametrize("beside", ["stdout", "stderr", "output"])
def test_an_integer_exit_code_beside_an_output_is_one(key: str, beside: str) -> None:
    found = exit_from_object({beside: "", key: 3})
    assert found is not None
    assert (found.code, found.source, found.path) == (3, "result", f"/{key}")


@pytest.mark.parametrize(
    "value",
    [
        {"exit_code": 3},
        {"stdout": "", "code": 3},
        {"stdout": "", "exit_code": "3"},
        {"stdout": "", "exit_code": True},
        {"stdout": "", "exit_code": 3.0},
        {"stdout": "", "exit_code": None},
        {"result": {"stdout": "", "exit_code": 3}},
        ["stdout", "exit_code"],
        "exit_code: 3",
        None,
    ],
    ids=str,
)
def test_anything_else_in_a_result_is_data(value: Any) -> None:
    assert exit_from_object(value) is None


@pytest.mark.parametrize(
    ("value", "at", "code"),
    [
        ({"a": 3}, "a", 3),
        ({"a": {"b": 3}}, "a/b", 3),
        ({"a": {"b": "x"}}, "a/b", "x"),
        ({"a": None}, "a", None),
    ],
)
def test_a_mapped_exit_code_is_what_stands_there(value: Any, at: str, code: Any) -> None:
    found = exit_from_mapping(value, at)
    assert found is not None
    assert (found.code, found.source, found.path) == (code, "mapping", f"/{at}")


@pytest.mark.parametrize(
    ("value", "at"), [({}, "a"), ({"a": 3}, "a/b"), ([3], "0"), ("a", "a"), (None, "a"), ({"a": {}}, "a/b")]
)
def test_a_mapping_that_leads_nowhere_gives_no_exit_code(value: Any, at: str) -> None:
    assert exit_from_mapping(value, at) is None


# -- texts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "where", "text", "code"),
    [
        ("shell", "result", "$ ls\nexit code: 2", 2),
        ("shell", "result", "$ ls\nexit code: 2\n\n  \n", 2),
        ("local_shell", "result", "exit code: -9", -9),
        ("Bash", "error", "Exit code 127\nnot found", 127),
        ("bash", "result", "\nExit code 1\nx", 1),
        ("powershell", "result", "x\n<command 3 completed with exit code 0>", 0),
        ("bash", "result", "x\n<shellId: 1 completed with exit code 2>", 2),
        ("write_stdin", "result", "a\nProcess exited with code 3\nb", 3),
        ("run_shell_command", "result", "a\nExit Code: 4\nb", 4),
        ("shell", "result", "x\nExit code: 5", 5),
        ("execute", "result", "x\n[Command failed with exit code 6]", 6),
        ("mcp__box__bash", "result", "[Command succeeded with exit code 0]", 0),
        ("functions.exec_command", "result", "Process exited with code 7", 7),
    ],
)
def test_each_documented_format_is_read(tool: str, where: Any, text: str, code: int) -> None:
    found = exit_from_text(tool, text, where)
    assert found is not None
    assert (found.code, found.source) == (code, "text")


@pytest.mark.parametrize(
    ("tool", "where", "text"),
    [
        ("search", "result", "Process exited with code 1"),
        ("bash", "result", "x\nExit code 1"),
        ("bash", "result", "Exit code 1 of 3"),
        ("bash", "result", "the Exit code 1"),
        ("shell", "error", "exit code: 2"),
        ("shell", "result", "exit code: 2\nmore"),
        ("shell", "result", "exit code: two"),
        ("execute", "result", "[Command failed with exit code 6] x"),
        ("bash", "result", "<shellId: 1 completed with exit code 2>x"),
        ("bash", "result", "Exit code " + "9" * 20),
        ("bash", "result", ""),
        ("bash", "result", " \n\n"),
    ],
)
def test_a_number_in_any_other_text_is_data(tool: str, where: Any, text: str) -> None:
    assert exit_from_text(tool, text, where) is None


@given(st.text(), st.sampled_from(["bash", "shell", "execute", "exec_command", "run_shell_command", "x"]))
def test_any_text_can_be_looked_at(text: str, tool: str) -> None:
    found = exit_from_text(tool, text, "result")
    assert found is None or isinstance(found.code, int)


@pytest.mark.parametrize(
    "line", ["<shellId", "<command completed with exit code ", "Exit code ", "[Command failed with exit code ", " "]
)
def test_no_line_makes_the_formats_slow(line: str) -> None:
    # Counted in calls, so a pattern that backtracks would only show in time: the line is long enough to hang then.
    assert exit_from_text("bash", line * 20_000, "result") is None
    assert growth(lambda size: exit_from_text("bash", (line + "\n") * size, "result"), 1000) < 2.5
