from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from otel_footprint import environment_variables as variables
from otel_footprint._errors import ConfigError
from otel_footprint.config import CodeTool, Config

FILE = """
exit_codes = "attributes-only"
routing = "handoffs"
max_open_turns = 5
max_bytes = 1000
idle_seconds = 30
hold_seconds = 1.5
writers = ["events"]
max_events = 7
programs = true
preset = "jaeger"
evidence_links = true
evidence = false
evidence_minimum_digits = 6
evidence_shapes = ["INC*"]
evidence_exemptions = ["v*"]
matching = false
account = true

[code_tools.my_runner]
argument = "script"
language = "bash"
exit_code_at = "status/code"

[rows_at]
search = "hits"

[exit_meanings.mylint]
1 = "findings"
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "footprint.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_without_file_or_variable_everything_has_its_default() -> None:
    config = Config.load(environ={})
    assert config == Config()
    assert config.source("max_events") == "default"


def test_a_file_can_set_everything_and_is_named_as_the_source(tmp_path: Path) -> None:
    path = write(tmp_path, FILE)
    config = Config.load(path, environ={})
    assert config == Config(
        code_tools={"my_runner": CodeTool(argument="script", language="bash", exit_code_at="status/code")},
        rows_at={"search": "hits"},
        exit_meanings={"mylint": {"1": "findings"}},
        exit_codes="attributes-only",
        routing="handoffs",
        max_open_turns=5,
        max_bytes=1000,
        idle_seconds=30,
        hold_seconds=1.5,
        writers=("events",),
        max_events=7,
        programs=True,
        preset="jaeger",
        evidence_links=True,
        evidence=False,
        evidence_minimum_digits=6,
        evidence_shapes=("INC*",),
        evidence_exemptions=("v*",),
        matching=False,
        account=True,
    )
    assert {config.source(f.name) for f in fields(Config) if f.name != "sources"} == {str(path)}


def test_a_variable_names_the_file_and_another_wins_over_it(tmp_path: Path) -> None:
    path = write(tmp_path, "max_events = 7\nprograms = true\n")
    config = Config.load(environ={"FOOTPRINT_CONFIG": str(path), "FOOTPRINT_MAX_EVENTS": "9"})
    assert (config.max_events, config.programs) == (9, True)
    assert config.source("max_events") == "FOOTPRINT_MAX_EVENTS"
    assert config.source("programs") == str(path)
    assert config.source("preset") == "default"


def test_every_variable_sets_its_setting() -> None:
    config = Config.load(
        environ={
            "FOOTPRINT_EXIT_CODES": "attributes-only",
            "FOOTPRINT_ROUTING": "recorded",
            "FOOTPRINT_MAX_OPEN_TURNS": "5",
            "FOOTPRINT_MAX_BYTES": "1000",
            "FOOTPRINT_IDLE_SECONDS": "30",
            "FOOTPRINT_HOLD_SECONDS": "0.5",
            "FOOTPRINT_WRITERS": "events, child_span",
            "FOOTPRINT_MAX_EVENTS": "7",
            "FOOTPRINT_PROGRAMS": "True",
            "FOOTPRINT_PRESET": "tempo",
            "FOOTPRINT_EVIDENCE_LINKS": "on",
        }
    )
    assert config == Config(
        exit_codes="attributes-only",
        routing="recorded",
        max_open_turns=5,
        max_bytes=1000,
        idle_seconds=30,
        hold_seconds=0.5,
        writers=("events", "child_span"),
        max_events=7,
        programs=True,
        preset="tempo",
        evidence_links=True,
    )


def test_a_variable_that_is_set_to_nothing_is_not_set() -> None:
    assert Config.load(environ={"FOOTPRINT_MAX_EVENTS": " ", "FOOTPRINT_CONFIG": ""}) == Config()


def test_the_environment_of_the_process_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTPRINT_MAX_EVENTS", "3")
    assert Config.load().max_events == 3


@pytest.mark.parametrize(
    ("name", "value", "fix"),
    [
        ("FOOTPRINT_MAX_EVENTS", "many", "a whole number"),
        ("FOOTPRINT_MAX_EVENTS", "65", "from 1 to 64"),
        ("FOOTPRINT_MAX_EVENTS", "0", "from 1 to 64"),
        ("FOOTPRINT_HOLD_SECONDS", "-1", "of at least 0"),
        ("FOOTPRINT_HOLD_SECONDS", "nan", "of at least 0"),
        ("FOOTPRINT_IDLE_SECONDS", "soon", "a number of seconds"),
        ("FOOTPRINT_PROGRAMS", "maybe", "true or false"),
        ("FOOTPRINT_EXIT_CODES", "all", "catalogue, attributes-only"),
        ("FOOTPRINT_ROUTING", "some", "none, handoffs, recorded"),
        ("FOOTPRINT_PRESET", "zipkin", "jaeger, tempo, phoenix, langfuse, honeycomb"),
        ("FOOTPRINT_WRITERS", "events,log", "events, attributes, links, child_span, logs, evaluation"),
        ("FOOTPRINT_MAX_BYTES", "0", "of at least 1"),
        ("FOOTPRINT_MAX_OPEN_TURNS", "1.5", "a whole number"),
    ],
)
def test_a_bad_variable_is_named_with_what_to_give(name: str, value: str, fix: str) -> None:
    with pytest.raises(ConfigError, match=rf"^{name}.*give.*{re.escape(fix)}"):
        Config.load(environ={name: value})


def test_a_slip_in_a_variables_name_is_told() -> None:
    with pytest.raises(ConfigError, match=r"FOOTPRINT_EXIT_CODE is not a variable.*FOOTPRINT_EXIT_CODES"):
        Config.load(environ={"FOOTPRINT_EXIT_CODE": "catalogue"})


@pytest.mark.parametrize("name", ["FOOTPRINT_SERVICE_HOST", "FOOTPRINT_PORT", "FOOTPRINT_PORT_4317_TCP_ADDR"])
def test_what_a_platform_sets_for_a_service_of_our_name_is_no_slip(name: str) -> None:
    assert Config.load(environ={name: "10.0.0.1"}) == Config()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max_event = 3", "no setting 'max_event': it looks like 'max_events'"),
        ("colour = 3", "no setting 'colour': the settings are"),
        ("sources = {}", "no setting 'sources'"),
        ("max_events = '3'", "max_events is '3': give a whole number"),
        ("max_events = true", "max_events is True: give a whole number"),
        ("programs = 1", "programs is 1: give true or false"),
        ("writers = 'events'", "writers is 'events': make it a list"),
        ("writers = [['events']]", "writers is"),
        ("rows_at = 3", r"rows_at is 3: make it a table, \[rows_at\]"),
        ("[rows_at]\nsearch = ''", "rows_at.search is '': name the key"),
        ("[rows_at]\nsearch = 'a.b'", "rows_at.search is 'a.b': name one key at the top of the result"),
        ("[rows_at]\nsearch = 'a/b'", "rows_at.search is 'a/b': name one key at the top of the result"),
        ("code_tools = 3", r"code_tools is 3: make it a table"),
        ("[code_tools]\nx = 3", r"code_tools.x is 3: make it a table"),
        ("[code_tools.x]\nlanguage = 'bash'", "code_tools.x: argument is None: name the tool argument"),
        ("[code_tools.x]\nargument = 'a'\nlang = 'b'", "no key 'lang' in code_tools.x: it looks like 'language'"),
        ("[code_tools.x]\nargument = 'a'\nlanguage = ' '", "code_tools.x: language is ' '"),
        ("exit_meanings = 3", r"exit_meanings is 3: make it a table"),
        ("[exit_meanings]\nmylint = 'findings'", r"exit_meanings.mylint is 'findings': make it a table"),
        (
            "[exit_meanings.mylint]\none = 'findings'",
            "exit_meanings.mylint: 'one' is no exit code: give a number",
        ),
        (
            "[exit_meanings.mylint]\n256 = 'findings'",
            "exit_meanings.mylint: '256' is no exit code: give a number",
        ),
        ("[exit_meanings.mylint]\n1 = 'fine'", "exit_meanings.mylint: there is no meaning 'fine': use one of differ,"),
        ("[exit_meanings.mylint]\n1 = 3", "exit_meanings.mylint.1 is 3: give the name of a meaning"),
        ("[exit_meanings.mylint]\n1 = ['x']", r"exit_meanings.mylint.1 is \['x'\]: give the name of a meaning"),
        ("max_events = ", "is not TOML"),
    ],
)
def test_a_bad_file_is_named_with_the_key_and_the_fix(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError, match=f"^{re.escape(str(path))}: .*{message}"):
        Config.load(path, environ={})


def test_a_file_that_is_not_there_or_not_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        Config.load(tmp_path / "missing.toml", environ={})
    bad = tmp_path / "bad.toml"
    bad.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="is not TOML in UTF-8"):
        Config.load(bad, environ={})


@pytest.mark.parametrize(
    "values",
    [{"max_events": 0}, {"preset": "x"}, {"hold_seconds": "1"}, {"programs": "yes"}, {"writers": ("nothing",)}],
)
def test_a_value_given_in_code_is_checked_too(values: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        Config(**values)


def test_an_exit_code_given_in_code_is_text_as_in_a_file() -> None:
    with pytest.raises(ConfigError, match=r"exit_meanings.mylint has the code 1: give it as text, '1'"):
        Config(exit_meanings={"mylint": {1: "findings"}})  # type: ignore[dict-item] # what is refused


def test_where_a_value_came_from_makes_no_difference_between_settings() -> None:
    assert Config(max_events=5) == Config.load(environ={"FOOTPRINT_MAX_EVENTS": "5"})


def test_every_variable_is_listed_and_described() -> None:
    source = Path(variables.__file__).read_text(encoding="utf-8")
    constants = {name for name in vars(variables) if name.startswith("FOOTPRINT_")}
    assert constants == set(variables.ALL)
    assert all(f".. envvar:: {name}\n" in source for name in constants)
    assert all(getattr(variables, name) == name for name in constants)
