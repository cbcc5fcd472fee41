"""Proposed declarations: what is counted, and that the configuration is one that can be given to ``--config``."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.cli.shapes import MAX_CHOICES, as_json, as_toml
from otel_footprint.config import CodeTool, Config
from otel_footprint.files import Shapes
from otel_footprint.files.shapes import MAX_KEYS, MAX_TOOLS
from otel_footprint.testing import agent_span, explain_spans, tool_span
from otel_footprint.turns import TurnAssembler

SPANS = Path(__file__).parents[1] / "data" / "spans"


def spans(calls: Sequence[tuple[str, Any, Any]]) -> list[Any]:
    """A turn whose calls are given as tool, arguments and result."""
    made = [
        tool_span(number, tool, parent=1, at=(number, number + 1), arguments=arguments, result=result)
        for number, (tool, arguments, result) in enumerate(calls, start=2)
    ]
    return [agent_span(1, at=(0, 99_999)), *made]


def shapes(*calls: tuple[str, Any, Any], config: Config | None = None) -> Shapes:
    assembler = TurnAssembler(config)
    for one in spans(calls):
        assembler.add(one, 0.0)
    found = Shapes()
    for turn in assembler.close(0.0).turns:
        found.add(turn)
    return found


def proposed(*calls: tuple[str, Any, Any], config: Config | None = None) -> dict[str, Any]:
    """The settings of the proposed configuration, which the two forms say alike."""
    found = shapes(*calls, config=config)
    settings: dict[str, Any] = tomllib.loads(as_toml(found))
    said = json.loads(as_json(found))["config"]
    assert {key: value for key, value in settings.items() if value} == {k: v for k, v in said.items() if v}
    return settings


def accepted(path: Path, *calls: tuple[str, Any, Any]) -> Config:
    """The configuration as it is read from the proposal."""
    path.write_text(as_toml(shapes(*calls)), encoding="utf-8")
    return Config.load(path, environ={})


# -- rows ---------------------------------------------------------------------------------------------------------


def test_the_one_key_that_holds_a_list_is_proposed_with_its_counts() -> None:
    calls = [("search", None, {"hits": [1], "took": 3}), ("search", None, {"hits": []}), ("search", None, {"error": 1})]
    text = as_toml(shapes(*calls))
    assert '# a list in 2 of 3 object results, empty in 1\nsearch = "hits"' in text
    assert proposed(*calls) == {"rows_at": {"search": "hits"}}


def test_of_more_than_one_key_a_person_chooses() -> None:
    calls = [("search", None, {"hits": [1], "facets": []}), ("search", None, {"hits": [2]})]
    text = as_toml(shapes(*calls))
    assert '# search = "hits"  # a list in 2 of 2 object results, empty in 0' in text
    assert '# search = "facets"  # a list in 1 of 2 object results, empty in 1' in text
    assert proposed(*calls) == {"rows_at": {}}


def test_an_object_without_a_list_is_counted_and_nothing_is_proposed() -> None:
    assert "# get_user: 1 object result, and no key holds a list" in as_toml(shapes(("get_user", None, {"name": "x"})))
    assert proposed(("get_user", None, {"name": "x"})) == {"rows_at": {}}


@pytest.mark.parametrize("result", ["text", [1], [], None, 7, "[]", '{"a": [', '{"a": NaN}'], ids=str)
def test_what_is_no_object_proposes_nothing(result: Any) -> None:
    assert "# There is nothing to declare." in as_toml(shapes(("search", None, result)))


def test_an_object_that_is_recorded_as_text_is_one() -> None:
    assert proposed(("search", None, '{"hits": []}')) == {"rows_at": {"search": "hits"}}


@pytest.mark.parametrize("key", ["a.b", "a/b", "", " "])
def test_a_key_that_a_configuration_cannot_name_is_not_proposed(key: str) -> None:
    assert proposed(("search", None, {key: []})) == {"rows_at": {}}


def test_a_result_of_a_call_that_failed_is_no_evidence() -> None:
    failed = tool_span(2, "search", parent=1, result={"errors": []}, status="error")
    assembler = TurnAssembler()
    for one in [agent_span(1, at=(0, 9)), failed]:
        assembler.add(one, 0.0)
    found = Shapes()
    (turn,) = assembler.close(0.0).turns
    found.add(turn)
    assert (found.calls, found.results()) == (1, ())


def test_what_is_declared_is_not_proposed_again() -> None:
    assert proposed(("search", None, {"hits": []}), config=Config(rows_at={"search": "hits"})) == {}


def test_the_accepted_configuration_makes_rows_of_what_was_an_undeclared_shape(tmp_path: Path) -> None:
    calls = [("search", None, {"hits": []}), ('odd "na.me" é', None, {"rows": [1, 2]})]
    config = accepted(tmp_path / "footprint.toml", *calls)
    (before,), (after,) = explain_spans(spans(calls)), explain_spans(spans(calls), config)
    assert [(call.undeclared_shape, call.rows) for call in before.calls] == [(True, None)] * 2
    assert [(call.undeclared_shape, call.rows) for call in after.calls] == [(False, 0), (False, 2)]
    assert ([signal.id for signal in before.signals], [signal.id for signal in after.signals]) == (
        [],
        ["undeclared-empty-used"],
    )


# -- programs -----------------------------------------------------------------------------------------------------


def test_a_tool_whose_results_have_an_exit_code_is_proposed_with_the_argument_that_holds_a_program() -> None:
    call = ("my_runner", {"script": "x", "dir": "/"}, {"stdout": "", "exit_code": 0})
    assert proposed(call) == {"rows_at": {}, "code_tools": {"my_runner": {"argument": "script"}}}


def test_where_an_exit_code_is_not_where_it_would_be_read_its_path_is_proposed() -> None:
    call = ("my_runner", {"src": "x"}, {"state": {"exitCode": 1}, "log": "x"})
    assert proposed(call)["code_tools"] == {"my_runner": {"argument": "src", "exit_code_at": "state/exitCode"}}


def test_a_tool_of_the_catalogue_gets_only_what_is_missing_and_keeps_its_language() -> None:
    calls = [("bash", {"command": "ls"}, {"state": {"exit_code": 1}}), ("bash", {"command": "ls"}, {"state": 3})]
    assert proposed(*calls)["code_tools"] == {
        "bash": {"argument": "command", "exit_code_at": "state/exit_code", "language": "shell"}
    }
    assert "code_tools" not in proposed(("bash", {"command": "ls"}, {"stdout": "", "exit_code": 1}))


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        ({"code": "x"}, "printed"),
        ({"code": "x", "command": "y"}, {"stdout": "", "exit_code": 0}),
        ({"a": "x", "b": "y"}, {"stdout": "", "exit_code": 0}),
        ({"code": "DE", "name": "Germany"}, {"name": "Germany"}),
    ],
    ids=str,
)
def test_where_it_is_not_plain_a_person_chooses(arguments: Any, result: Any) -> None:
    text = as_toml(shapes(("my_runner", arguments, result)))
    assert "code_tools" not in proposed(("my_runner", arguments, result))
    assert "# [code_tools.my_runner]" in text
    assert all(f'# argument = "{name}"' in text for name in arguments if len(name) == 1 or name in {"code", "command"})


@pytest.mark.parametrize("arguments", [None, {}, "text", {"q": "x"}, {"code": 7}, {"script": {"a": 1}}], ids=str)
def test_a_tool_that_shows_neither_program_nor_exit_code_is_not_named(arguments: Any) -> None:
    assert "code_tools" not in as_toml(shapes(("lookup", arguments, "x")))


def test_a_tool_that_its_span_or_the_configuration_declares_is_not_proposed_again() -> None:
    call = ("my_runner", {"script": "x"}, {"stdout": "", "exit_code": 0})
    declared = Config(code_tools={"my_runner": CodeTool(argument="script")})
    assert "code_tools" not in proposed(call, config=declared)


def test_the_accepted_configuration_makes_a_script_row_with_its_exit_code(tmp_path: Path) -> None:
    calls = [("my_runner", {"src": "x"}, {"state": {"exit_code": 3}})]
    config = accepted(tmp_path / "footprint.toml", *calls)
    (before,), (after,) = explain_spans(spans(calls)), explain_spans(spans(calls), config)
    assert before.scripts == ()
    assert [(s.outcome, s.exit_code, s.declared_by) for s in after.scripts] == [("completed-with-failure", 3, "user")]


# -- what tools and traces can hold --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789", "a\ud800"])
def test_a_name_that_is_a_secret_or_no_text_is_counted_and_not_shown(name: str) -> None:
    text = as_toml(shapes((name, None, {"hits": []})))
    assert name not in text
    assert "Left out, because the name looks like a secret or is no valid text: 1." in text


def test_more_keys_than_are_listed_are_counted() -> None:
    found = shapes(("search", None, {f"k{number:03}": [] for number in range(MAX_KEYS + 50)}))
    assert f"# and {MAX_KEYS - MAX_CHOICES} more" in as_toml(found)


def test_more_tools_than_are_looked_at_are_counted() -> None:
    found = shapes(*((f"t{number}", None, {"rows": []}) for number in range(MAX_TOOLS + 3)))
    assert (found.tools, found.left_out) == (MAX_TOOLS, 3)
    assert "# Not looked at: 3 calls" in as_toml(found)


ANY_TEXT = st.text(st.characters(), max_size=12)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=10,
)


@given(st.lists(st.tuples(ANY_TEXT.filter(bool), ANYTHING, ANYTHING), max_size=4))
def test_whatever_tools_return_the_proposal_is_one_that_is_accepted(calls: list[tuple[str, Any, Any]]) -> None:
    settings = proposed(*calls)
    tools = {tool: CodeTool(**fields) for tool, fields in settings.get("code_tools", {}).items()}
    assert Config(rows_at=settings.get("rows_at", {}), code_tools=tools).rows_at == settings.get("rows_at", {})


# -- the command ---------------------------------------------------------------------------------------------------


def test_the_command_prints_a_configuration_and_reads_what_was_accepted(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    files = sorted(SPANS.glob("*.otlp.json"))
    first = cli("shapes", *files)
    assert (first.code, first.err) == (0, "")
    assert tomllib.loads(first.out)["rows_at"] == {"Glob": "filenames"}
    path = tmp_path / "footprint.toml"
    path.write_text(first.out, encoding="utf-8")
    assert tomllib.loads(cli("shapes", "--config", path, *files).out)["rows_at"] == {}
    assert cli("explain", "--config", path, SPANS / "claude_agent_sdk_openinference.otlp.json").code == 0


def test_the_counts_are_printed_as_json(cli: Callable[..., Any], trace: Path) -> None:
    ended = cli("shapes", "--format", "json", trace)
    said = json.loads(ended.out)
    assert (ended.code, said["calls"], said["config"]) == (0, 5, {"rows_at": {}, "code_tools": {}})
    assert [one["tool"] for one in said["rows_at"]] == ["runShell"]


@pytest.mark.parametrize("arguments", [("none.json",), ("--config", "none.toml", "x.json")])
def test_what_cannot_be_read_is_named(cli: Callable[..., Any], arguments: tuple[str, ...]) -> None:
    ended = cli("shapes", *arguments)
    assert ended.code == 2
    assert "none." in ended.err
