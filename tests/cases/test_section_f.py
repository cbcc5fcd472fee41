"""Faults of others with what content looks like: what is right, for each kind of fault."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cases import turn_of
from hypothesis import given
from hypothesis import strategies as st
from reading import DATA, explained

from otel_footprint.config import Config
from otel_footprint.dialects._printed import LONGEST
from otel_footprint.dialects.content import MALFORMED, attribute, parse_printed, structured
from otel_footprint.explanation import Explanation
from otel_footprint.facts import Content
from otel_footprint.spanview import TOO_DEEP
from otel_footprint.testing import BuiltSpan, agent_span, explain_spans, span, tool_span
from otel_footprint.writers import WriteOptions, write

TOP = agent_span(1, at=(0, 100))


def ran(tool: str = "f", **call: Any) -> Explanation:
    return turn_of(TOP, tool_span(2, tool, parent=1, at=(1, 2), **call))


def arguments_of(text: Any) -> Content:
    return structured(attribute(tool_span(2, "f", arguments=text), "gen_ai.tool.call.arguments"))


# -- F1: encoded more than once -----------------------------------------------------------------------------------


@pytest.mark.parametrize("times", [0, 1, 2, 3])
def test_f1_arguments_that_were_encoded_more_than_once_are_the_same_arguments(times: int) -> None:
    text = json.dumps({"command": "ls"})
    for _ in range(times):
        text = json.dumps(text)
    (script,) = ran("bash", arguments=text, result='"\\"45\\""').scripts
    assert script.text == "ls"


def test_f1_a_result_that_is_a_quoted_text_stays_what_it_is() -> None:
    assert [c.emptiness for c in ran(result='"[]"').calls] == ["unknown"]
    assert [c.emptiness for c in ran(result="[]").calls] == ["undeclared-empty"]


# -- F3, F4: printed Python ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': True, 'b': None}", {"a": True, "b": None}),
        ("""{'q': "what's up", 'ok': True, 'n': None}""", {"q": "what's up", "ok": True, "n": None}),
        ("""{"q": "what's up", "ok": true, "n": null}""", {"q": "what's up", "ok": True, "n": None}),
        ("{'q': 'say \"hi\"', 'at': (1, -2.5, 1e-05)}", {"q": 'say "hi"', "at": [1, -2.5, 1e-05]}),
        ("{'q': 'a\\nb\\\\c\\x00\\u2028'}", {"q": "a\nb\\c\0\u2028"}),
        (" {'a': {'b': [{}]}} ", {"a": {"b": [{}]}}),
    ],
)
def test_f3_f4_arguments_are_read_as_json_and_then_as_python_prints_them(text: str, value: Any) -> None:
    assert arguments_of(text).value == value


@pytest.mark.parametrize(
    "text",
    [
        "{'a': __import__('os').getcwd()}",
        "{'a': open}",
        "{'a': f'{1}'}",
        "{'a': b'x'}",
        "{'a': 1 + 1}",
        "{'a': 1or 2}",
        "{'a': '\\d'}",
        "{'a': {1, 2}}",
        "{1: 'a'}",
        "{'a'}",
        "{'a': 'b'} # c",
        "{**{'a': 1}}",
        "{'a': " + "9" * 5_000 + "}",
        "{'a': '" + "x" * LONGEST + "'}",
        "print({'a': 1})",
        "",
    ],
    ids=lambda text: text[:20],
)
def test_f3_f4_what_is_no_printed_object_stays_the_text_it_is(text: str) -> None:
    assert parse_printed(text) is MALFORMED
    assert arguments_of(text).value == text


def test_f3_f4_printed_arguments_that_stop_early_are_cut() -> None:
    assert arguments_of("{'a': 'b}").state == "cut"


def test_f3_f4_a_printed_object_past_the_bound_of_depth_is_too_deep() -> None:
    text = "{'a': " + "[" * 100 + "]" * 100 + "}"
    assert parse_printed(text) is TOO_DEEP
    assert arguments_of(text).state == "too-deep"


def test_f3_f4_brackets_inside_a_text_are_no_depth() -> None:
    text = "{'a': '" + "[" * 100 + "'}"
    assert arguments_of(text).value == {"a": "[" * 100}


JSON_LIKE = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(-1e9, 1e9) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(max_size=8), JSON_LIKE, max_size=4))
def test_f3_f4_whatever_python_prints_of_an_object_reads_back(value: dict[str, Any]) -> None:
    assert parse_printed(repr(value)) == value


@given(st.text(alphabet="{}[](),:'\"\\ndTrueNo1-.e ", max_size=200).map("{".__add__))
def test_f3_f4_no_text_raises_or_warns(text: str) -> None:
    found = parse_printed(text)
    assert found is MALFORMED or found is TOO_DEEP or isinstance(found, dict | list)


def test_f4_a_program_in_printed_arguments_runs_through_unchanged() -> None:
    (script,) = ran("bash", arguments="""{'command': "echo 'it is' && ls"}""").scripts
    assert (script.text, script.argument) == ("echo 'it is' && ls", "command")


# -- F7: one framework, other names by version --------------------------------------------------------------------

VERSIONS = {
    "names of today": (
        {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "f"},
        "execute_tool f",
        ("gen_ai.tool.call.arguments", "gen_ai.tool.call.result"),
    ),
    "names of yesterday": (
        {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "f"},
        "running tool",
        ("tool_arguments", "tool_response"),
    ),
    "without an operation": ({"gen_ai.tool.name": "f"}, "running tool", ("tool_arguments", "tool_response")),
    "by the span's name alone": ({}, "running tool: f", ("tool_arguments", "tool_response")),
}


@pytest.mark.parametrize("version", VERSIONS)
def test_f7_every_version_of_a_runtime_is_explained_the_same(version: str) -> None:
    own, name, (arguments, result) = VERSIONS[version]
    call = span(
        2,
        parent=1,
        at=(1, 2),
        name=name,
        scope="pydantic-ai",
        attributes={**own, arguments: '{"a": 1}', result: "[]", "gen_ai.tool.call.id": "c1"},
    )
    turn = turn_of(TOP, call)
    assert [(c.tool, c.call_id, c.outcome, c.rows) for c in turn.calls] == [("f", "c1", "ran", 0)]


# -- F8: spans that only look like model calls --------------------------------------------------------------------


def test_f8_a_span_that_names_a_system_and_no_operation_is_no_model_call() -> None:
    crew = span(
        2, parent=1, at=(1, 9), name="Research " * 25, scope="opentelemetry.instrumentation.crewai",
        attributes={"gen_ai.system": "crewai", "crewai.task.name": "x"},
    )  # fmt: skip
    turn = turn_of(TOP, crew)
    assert (turn.calls, turn.counts.calls) == ((), 0)
    assert [line.check for line in turn.unreached] == [line.check for line in turn_of(TOP).unreached]


# -- F10: the schema in the place of the arguments ----------------------------------------------------------------

SCHEMA = {"code": {"type": "string", "description": "the program"}}


@pytest.mark.parametrize(
    ("attributes", "program"),
    [
        ({"tool.parameters": json.dumps(SCHEMA), "input.value": '{"code": "1"}'}, "1"),
        ({"tool.parameters": '{"code": "2"}', "input.value": '{"code": "1"}'}, "1"),
        ({"tool.parameters": '{"code": "2"}'}, "2"),
        ({"tool.parameters": json.dumps(SCHEMA)}, None),
        ({"gen_ai.tool.call.arguments": json.dumps(SCHEMA), "input.value": '{"code": "1"}'}, "1"),
    ],
)
def test_f10_a_schema_is_never_shown_as_what_a_call_was_given(attributes: dict[str, str], program: str | None) -> None:
    own = {"openinference.span.kind": "TOOL", "tool.name": "run_python", "input.mime_type": "application/json"}
    (script,) = turn_of(TOP, span(2, parent=1, at=(1, 2), attributes={**own, **attributes})).scripts
    assert script.text == program


@pytest.mark.parametrize("name", ["smolagents_live_spans", "claude_live_spans"])
def test_f10_no_call_of_a_real_file_is_given_a_schema(name: str) -> None:
    for turn in explained((DATA / "public" / "strands_evals" / f"{name}.json").read_bytes()):
        assert not [script for script in turn.scripts if '"type"' in (script.text or "")]


# -- F14: four different nothings ---------------------------------------------------------------------------------


def test_f14_an_empty_list_of_parts_an_empty_text_a_null_and_no_result_are_four_statements() -> None:
    def read(result: Any) -> tuple[Any, ...]:
        (turn,) = explain_spans([TOP, result_span(result)], Config())
        (call,) = turn.calls
        content = attribute(result_span(result), "gen_ai.tool.call.result")
        return call.result_recorded, call.undeclared_shape, content.state, content.value

    found = [read(result) for result in ('{"content":[]}', "", "null", None)]
    assert len(set(found)) == 4
    assert [recorded for recorded, *_ in found] == [True, True, True, False]


def result_span(result: Any) -> BuiltSpan:
    return tool_span(2, "f", parent=1, at=(1, 2), result=result)


def test_f14_no_content_is_a_success() -> None:
    assert [c.outcome for c in ran(result='{"content":[]}').calls] == ["ran"]


# -- F15: content that is too big ---------------------------------------------------------------------------------


def test_f15_what_is_written_of_ten_megabytes_keeps_to_a_budget() -> None:
    text = "x" * 10_000_000
    turn = ran("bash", arguments={"command": text}, result=text)
    written = write(turn, start_ns=0, end_ns=100_000_000_000, present=(), options=WriteOptions())
    assert written.events
    assert max(len(json.dumps(dict(event.attributes))) for event in written.events) <= 16_384


# -- F17: a runtime whose model calls end after the tools they asked for ------------------------------------------


def test_f17_a_real_file_of_the_older_adk_says_what_is_true_of_it() -> None:
    folder = DATA / "public" / "agentevals_hand"
    found = explained((folder / "adk_v1_default_S6b.traces.json").read_bytes())
    calls = [(turn.question, turn.answer, c.tool, c.outcome) for turn in found for c in turn.calls]
    truth = json.loads((folder / "adk_v1_default_S6b.traces.truth.json").read_text(encoding="utf-8"))
    assert calls == [
        (turn["user_text"], turn["final_text"], call["name"], "failed" if call["is_error"] else "ran")
        for turn in truth["turns"]
        for call in turn["tool_calls"]
    ]
