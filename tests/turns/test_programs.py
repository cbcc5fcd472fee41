"""The program of a call, how it is known, and where its exit code was read."""

from __future__ import annotations

from typing import Any

import pytest

from otel_footprint.config import CodeTool, Config
from otel_footprint.explanation import ScriptExplanation
from otel_footprint.testing import agent_span, call_part, explain_spans, message, model_span, tool_span


def scripts(config: Config | None = None, tool: str = "run_python", **call: Any) -> tuple[ScriptExplanation, ...]:
    (turn,) = explain_spans([agent_span(1, at=(0, 99)), tool_span(3, tool, parent=1, at=(3, 4), **call)], config)
    return turn.scripts


def script(config: Config | None = None, **call: Any) -> ScriptExplanation:
    (found,) = scripts(config, **call)
    return found


# -- the program --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "arguments", "text", "argument", "is_list"),
    [
        ("run_python", {"code": "1"}, "1", "code", False),
        ("run_python", {"python_code": "1"}, "1", "python_code", False),
        ("run_python", {"script": "1", "code": "2"}, "2", "code", False),
        ("shell", {"commands": ["ls", "pwd -P"]}, "ls\npwd -P", "commands", True),
        ("shell", {"commands": ["ls -l"]}, "ls -l", "commands", True),
        ("shell", {"command": ["ls", "a b"]}, "ls 'a b'", "command", True),
        ("run_python", {"code": ""}, "", "code", False),
        ("execute", {"code": "1"}, "1", "code", False),
    ],
    ids=str,
)
def test_a_known_tools_program_is_in_the_argument_that_holds_one(
    tool: str, arguments: Any, text: str, argument: str, *, is_list: bool
) -> None:
    found = script(tool=tool, arguments=arguments)
    assert (found.text, found.argument, found.argument_is_list, found.declared_by) == (
        text,
        argument,
        is_list,
        "catalogue",
    )


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("run_python", {"query": "x"}),
        ("run_python", {"code": {"a": "b"}}),
        ("run_python", {"code": 7}),
        ("run_python", {"code": []}),
        ("run_python", {"code": ["a", 1]}),
        ("run_python", {}),
        ("search_docs", {"code": "1"}),
        ("execute", None),
        ("execute", {"query": "SELECT 1"}),
        (None, {"code": "1"}),
    ],
    ids=str,
)
def test_a_call_without_a_program_where_one_is_due_is_no_code_run(tool: Any, arguments: Any) -> None:
    assert scripts(tool=tool, arguments=arguments) == ()


def test_a_known_tool_without_recorded_arguments_is_a_code_run_whose_program_is_not_recorded() -> None:
    found = script()
    assert (found.program, found.argument, found.language, found.text) == ("absent", "code", "python", None)


def test_arguments_that_are_no_object_hold_no_program_that_can_be_read() -> None:
    assert script(arguments="print(1)").program == "unreadable"


@pytest.mark.parametrize(
    ("arguments", "language"),
    [
        ({"code": "1"}, "python"),
        ({"code": "1", "language": "ruby"}, "ruby"),
        ({"code": "1", "language": ""}, "python"),
        ({"code": "1", "language": 3}, "python"),
    ],
)
def test_the_arguments_own_language_wins(arguments: Any, language: str) -> None:
    assert script(arguments=arguments).language == language


def test_a_users_declaration_wins_over_the_catalogue() -> None:
    config = Config(code_tools={"run_python": CodeTool(argument="query", language="sql")})
    found = script(config, arguments={"query": "SELECT 1", "code": "1"})
    assert (found.text, found.argument, found.language, found.declared_by) == ("SELECT 1", "query", "sql", "user")


def test_a_declared_argument_that_is_missing_is_a_program_not_recorded() -> None:
    config = Config(code_tools={"f": CodeTool(argument="code")})
    found = script(config, tool="f", arguments={"other": "x"})
    assert (found.program, found.text) == ("absent", None)


@pytest.mark.parametrize("value", [7, None, {"a": 1}, True, []], ids=str)
def test_a_declared_argument_that_is_no_text_files_no_row(value: Any) -> None:
    config = Config(code_tools={"f": CodeTool(argument="code")})
    assert scripts(config, tool="f", arguments={"code": value}) == ()


def test_a_lone_surrogate_is_measured_and_hashed() -> None:
    assert script(arguments={"code": "\ud800"}).bytes == 3


# -- proposed and submitted ---------------------------------------------------------------------------------------


def two_views(submitted: Any, proposed: Any) -> ScriptExplanation:
    asked = model_span(
        2, parent=1, at=(1, 2), said=[message("assistant", call_part("run_shell", "c", {"command": proposed}))]
    )
    call = tool_span(
        3, "run_shell", parent=1, call_id="c", at=(3, 4), arguments={"command": submitted} if submitted else None
    )
    (turn,) = explain_spans([agent_span(1, at=(0, 9)), asked, call])
    (found,) = turn.scripts
    return found


@pytest.mark.parametrize(
    ("submitted", "proposed", "text", "rewritten", "is_list"),
    [
        ("ls", "ls", "ls", False, False),
        ("ls -l", "ls", "ls -l", True, False),
        (None, "ls", "ls", False, False),
        ("[Scrubbed due to 'auth']", "cat auth", "cat auth", False, False),
        ("[Scrubbed due to 'auth']", ["cat", "auth"], "cat auth", False, True),
        ("<REDACTED>", "<REDACTED>", None, False, False),
        (None, ["ls", "-l"], "ls -l", False, True),
        (["ls", "-l"], ["ls", "-l"], "ls -l", False, True),
    ],
    ids=str,
)
def test_the_submitted_program_counts_else_the_one_that_was_asked_for(
    submitted: Any, proposed: Any, text: str | None, *, rewritten: bool, is_list: bool
) -> None:
    found = two_views(submitted, proposed)
    assert (found.text, found.rewritten, found.argument_is_list) == (text, rewritten, is_list)


def test_a_program_kept_out_in_both_views_says_so() -> None:
    assert two_views("<REDACTED>", "<REDACTED>").program == "redacted"


# -- exit codes ---------------------------------------------------------------------------------------------------

OBJECT = {"stdout": "", "exit_code": 3}


@pytest.mark.parametrize(
    ("tool", "call", "code", "source"),
    [
        ("run_python", {"result": OBJECT}, 3, "result"),
        ("run_python", {"result": {"output": "", "exitCode": 0}}, 0, "result"),
        ("run_python", {"result": {"stderr": "", "returncode": -9}}, -9, "result"),
        ("run_python", {"result": {"stderr": "", "return_code": 1}}, 1, "result"),
        ("run_python", {"result": {"exit_code": 3}}, None, None),
        ("run_python", {"result": {"stdout": "", "exit_code": "3"}}, None, None),
        ("run_python", {"result": {"stdout": "", "exit_code": True}}, None, None),
        ("run_python", {"result": "exit code: 3"}, None, None),
        ("run_python", {"result": '{"stdout": "", "exit_code": 3'}, None, None),
        ("shell", {"result": "$ ls\nstderr:\nexit code: 2\n"}, 2, "text"),
        ("shell", {"result": "exit code: 2\nmore"}, None, None),
        ("bash", {"result": "x\n<shellId: 1 completed with exit code 2>"}, 2, "text"),
        ("bash", {"status": "error", "status_message": "Exit code 2\nls: /nope"}, 2, "text"),
        ("exec_command", {"result": "Chunk\nProcess exited with code 4\nOutput:\n"}, 4, "text"),
        ("run_shell_command", {"result": "Output: x\nExit Code: 5\nSignal: none"}, 5, "text"),
        ("execute", {"result": "x\n[Command failed with exit code 6]"}, 6, "text"),
        ("execute", {"result": "x\n[Command succeeded with exit code 0]"}, 0, "text"),
        ("bash", {"result": {"stdout": "", "exit_code": 1}, "attributes": {"process.exit.code": 2}}, 2, "attribute"),
    ],
    ids=str,
)
def test_an_exit_code_is_read_where_a_tool_documents_one(
    tool: str, call: dict[str, Any], code: int | None, source: str | None
) -> None:
    found = script(tool=tool, arguments={"code": "x", "command": "x", "cmd": "x"}, **call)
    assert (found.exit_code, found.exit_code_from) == (code, source)


def test_attributes_only_reads_no_other_exit_code() -> None:
    config = Config(exit_codes="attributes-only", code_tools={"f": CodeTool(argument="code", exit_code_at="exit_code")})
    assert script(config, tool="f", arguments={"code": "1"}, result=OBJECT).exit_code is None
    assert script(config, arguments={"code": "1"}, result=OBJECT).exit_code is None
    found = script(config, arguments={"code": "1"}, attributes={"process.exit.code": 0})
    assert (found.exit_code, found.exit_code_from) == (0, "attribute")


@pytest.mark.parametrize(
    ("at", "result", "code"),
    [
        ("exit_code", OBJECT, 3),
        ("run/status", {"run": {"status": 4}}, 4),
        ("run/status", {"run": 4}, None),
        ("run/status", [4], None),
        ("missing", OBJECT, None),
        ("exit_code", "text", None),
        ("a~b", {"a~b": 5}, 5),
    ],
    ids=str,
)
def test_a_mapped_exit_code_is_read_where_the_user_says_and_nowhere_else(
    at: str, result: Any, code: int | None
) -> None:
    config = Config(code_tools={"run_python": CodeTool(argument="code", exit_code_at=at)})
    found = script(config, arguments={"code": "1"}, result=result)
    assert (found.exit_code, found.exit_code_from) == (code, None if code is None else "mapping")
