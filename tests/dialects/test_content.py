"""What a recorded value is: content, or one of the ways in which content is missing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from otel_footprint.dialects.content import (
    MALFORMED,
    content_of,
    ends_early,
    is_schema,
    parse_json,
    pointer,
    structured,
    text_attribute,
    tool_result,
    whole_number,
)
from otel_footprint.facts import Content
from otel_footprint.spanview import TOO_DEEP
from otel_footprint.testing import span

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
json_objects = st.dictionaries(st.text(), json_values, min_size=1, max_size=3)


def of(value: Any) -> Content:
    return content_of(value, "s#attribute:k")


# -- states -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "state"),
    [
        ("text", "recorded"),
        ("", "recorded"),
        (None, "recorded"),
        ([], "recorded"),
        ({}, "recorded"),
        (TOO_DEEP, "too-deep"),
        (b"\xff\xfe", "unreadable"),
        ("<REDACTED>", "redacted"),
        ("__REDACTED__", "redacted"),
        ("<not specified>", "redacted"),
        ("[Scrubbed due to 'session']", "redacted"),
        ("Tool execution failed. Error details are redacted.", "redacted"),
        ('"__REDACTED__"', "redacted"),
        ("\"[Scrubbed due to 'session']\"", "redacted"),
        ('"', "recorded"),
        ("[Scrubbed due to 'session'] and more", "recorded"),
        ("say __REDACTED__", "recorded"),
        ("abc...[TRUNCATED: original length 20000]", "cut"),
        ("abc\n[... telemetry preview truncated ...]", "cut"),
        ("a list [TRUNCATED]", "recorded"),
    ],
    ids=repr,
)
def test_a_value_is_in_the_state_it_is_in(value: Any, state: str) -> None:
    found = of(value)
    assert found.state == state
    assert found.pointer == "s#attribute:k"
    assert found.value == (value if state == "recorded" else None)


def test_an_absent_an_empty_a_null_and_an_empty_list_of_parts_are_four_things() -> None:
    # F14
    texts = [tool_result(of(value)) for value in ("", None, '{"content":[]}')]
    assert [(c.state, c.value) for c in texts] == [("recorded", ""), ("recorded", None), ("recorded", '{"content":[]}')]
    assert tool_result(Content()).state == "absent"


OTHERS: list[Any] = [True, 2.5, float("nan"), float("inf"), "0", None, []]


@pytest.mark.parametrize(
    ("value", "whole"),
    [
        *((number, True) for number in (0, -9, 2.0, 10**400)),
        *((other, False) for other in OTHERS),
    ],
    ids=str,
)
def test_a_whole_number_is_no_boolean_text_or_fraction(value: Any, *, whole: bool) -> None:
    assert whole_number(value) is whole


def test_the_first_text_that_is_there_counts_and_a_placeholder_is_none() -> None:
    one = span(1, attributes={"a": "<REDACTED>", "b": " ", "c": 3, "d": "x", "e": "y"})
    assert text_attribute(one, ("missing", "a", "b", "c", "d", "e")) == "x"
    assert text_attribute(one, ("a",)) is None


def test_a_part_of_a_pointer_is_escaped() -> None:
    assert pointer(span(255), "k", "a/b~c", 0) == "00000000000000ff#attribute:k/a~1b~0c/0"


# -- JSON ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "x", "{", "NaN", "[NaN]", "{'a': 1}", "[1,]", "\x00", '{"a": 1} x', "1" * 20_000])
def test_text_that_is_not_json_is_malformed_or_a_number(text: str) -> None:
    assert parse_json(text) is MALFORMED or isinstance(parse_json(text), float)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 300 + "]" * 300], ids=["[", "{", "closed"])
def test_text_nested_past_the_bound_is_too_deep(text: str) -> None:
    assert parse_json(text) is TOO_DEEP
    assert structured(of(text)).state == "too-deep"
    assert tool_result(of("[[" + text)).state == "too-deep"


@given(json_objects, st.data())
def test_an_object_cut_anywhere_ends_early(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=data.draw(st.booleans()))
    kept = text[: data.draw(st.integers(1, len(text) - 1))]
    assert ends_early(kept)
    assert structured(of(kept)).state == "cut"


@given(json_objects, st.integers(0, 3))
def test_arguments_inside_text_inside_text_are_the_same_arguments(value: dict[str, Any], wraps: int) -> None:
    text = json.dumps(value)
    for _ in range(wraps):
        text = json.dumps(text)
    assert structured(of(text)).value == value


def test_arguments_wrapped_more_often_stay_text() -> None:
    text = json.dumps({"a": 1})
    for _ in range(4):
        text = json.dumps(text)
    assert structured(of(text)).value == text


def test_cut_arguments_inside_text_are_cut() -> None:
    assert structured(of('"{\\"command\\": \\"ls -')).state == "cut"


@pytest.mark.parametrize("text", ['"a"', "1", "true", "null", "print([])", "{not json", "(1, 2)"])
def test_text_that_holds_no_object_stays_the_text_it_is(text: str) -> None:
    assert structured(of(text)) == of(text)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("{'q': \"what's up\", 'ok': True, 'n': None}", {"q": "what's up", "ok": True, "n": None}),
        ('{"q": "what\'s up", "ok": true, "n": null}', {"q": "what's up", "ok": True, "n": None}),
        ("\"{'a': 1}\"", {"a": 1}),
        ("[{'a': (1, 2)}]", [{"a": [1, 2]}]),
        ("{'a': print(1)}", "{'a': print(1)}"),
        ("{1, 2}", "{1, 2}"),
        ("'a'", "'a'"),
        ("True", "True"),
    ],
)
def test_named_arguments_are_json_else_printed_python_else_text(text: str, read: Any) -> None:
    # F3, F4
    assert structured(of(text), printed=True).value == read


def test_printed_arguments_that_stop_early_are_cut() -> None:
    assert structured(of("{'code': 'print("), printed=True).state == "cut"
    assert structured(of("{'code': 'print("), printed=False).state == "recorded"


@given(json_values)
def test_a_structured_value_is_taken_as_it_is(value: Any) -> None:
    assume(not isinstance(value, str))
    assert structured(of(value)) == of(value)


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ({"type": "object", "properties": {"code": {"type": "string"}}}, True),
        ({"properties": {"a": {}}, "required": ["a"]}, True),
        ({"code": {"type": "string", "description": "d"}}, True),
        ({"code": "print(1)"}, False),
        ({"type": "object"}, False),
        ({"properties": "x", "required": []}, False),
        ({"a": {"type": "string"}, "b": 1}, False),
        ({}, False),
        ([], False),
        ("x", False),
        (None, False),
    ],
    ids=str,
)
def test_a_schema_is_told_from_arguments(value: Any, *, schema: bool) -> None:
    assert is_schema(value) is schema


# -- results ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ('{"content":[{"type":"text","text":"[]"}],"isError":false}', "[]"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "a\nb"),
        ([{"text": "[]"}], "[]"),
        ('[\n  {"type": "text", "text": "x"}\n]', "x"),
        ('{"type":"tool","data":{"content":[],"tool_call_id":"c"}}', []),
        ({"type": "tool", "content": "x", "tool_call_id": "c"}, "x"),
        ('{"type":"tool","data":{"content":"[{\\"type\\":\\"text\\",\\"text\\":\\"deep\\"}]"}}', "deep"),
    ],
    ids=str,
)
def test_the_wrappers_that_runtimes_document_are_taken_off(value: Any, read: Any) -> None:
    assert tool_result(of(value)).value == read


@pytest.mark.parametrize(
    "value",
    [
        '{"content":"text"}',
        '{"content":[{"type":"image","data":"x"}]}',
        '{"content":[],"isError":true}',
        '{"content":[{"type":"text","text":"x"}],"rows":[]}',
        '[{"text":"x","score":1}]',
        '[{"text":1}]',
        '["a", {"text":"b"}]',
        "[not json",
        '{"text": "x"',
        '"a string"',
        "[]",
        "{'content': []}",
        7,
    ],
    ids=str,
)
def test_what_is_no_documented_wrapper_is_left_alone(value: Any) -> None:
    found = tool_result(of(value))
    assert found == of(value) or found.state == "cut"


def test_a_string_result_is_not_unwrapped_into_something_else() -> None:
    assert tool_result(of('"{\\"a\\": 1}"')).value == '"{\\"a\\": 1}"'


@pytest.mark.parametrize("text", ['{"rows": [1, 2', '["a", "b', '[{"a": 1}, {"a"', '{"a": tru'])
def test_a_result_whose_end_is_missing_is_cut(text: str) -> None:
    assert tool_result(of(text)).state == "cut"


def test_wrappers_are_taken_off_a_bounded_number_of_times() -> None:
    value: Any = "x"
    for _ in range(6):
        value = [{"text": json.dumps(value) if isinstance(value, list) else value}]
    found = tool_result(of(value))
    assert found.value != "x"
    assert found.recorded


def test_a_number_too_long_to_convert_hides_no_cut() -> None:
    assert tool_result(of('["a", ' + "9" * 5000)).state == "cut"
    assert not ends_early("[]")


def test_a_placeholder_inside_a_wrapper_is_kept_out() -> None:
    assert tool_result(of({"content": [{"type": "text", "text": "<REDACTED>"}]})).state == "redacted"


def test_a_result_inside_a_wrapper_points_to_where_it_stands() -> None:
    assert tool_result(of({"content": [{"type": "text", "text": "x"}]})).pointer == "s#attribute:k/content/0/text"
    assert tool_result(of({"type": "tool", "data": {"content": []}})).pointer == "s#attribute:k/data/content"
