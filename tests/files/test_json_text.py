"""Cutting bytes into JSON values, and what spoiled input costs."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.files import json_text
from otel_footprint.files.json_text import MAX_NESTING, JsonText, Spoiled, json_texts

ONE: dict[str, Any] = {"resourceSpans": [{"scopeSpans": []}]}
TWO = {"resourceSpans": [], "note": "two"}


def cut(data: bytes | str) -> list[JsonText | Spoiled]:
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return list(json_texts(io.BytesIO(raw)))


def values(data: bytes | str) -> list[Any]:
    return [item.value for item in cut(data) if isinstance(item, JsonText)]


def spoiled(data: bytes | str) -> list[int]:
    return [item.line for item in cut(data) if isinstance(item, Spoiled)]


@pytest.mark.parametrize(
    "data",
    [
        json.dumps(ONE) + "\n" + json.dumps(TWO),
        json.dumps(ONE) + "\n\n  \n" + json.dumps(TWO) + "\n",
        json.dumps(ONE) + "\r\n" + json.dumps(TWO) + "\r\n",
        json.dumps(ONE) + json.dumps(TWO),
        json.dumps(ONE) + "  " + json.dumps(TWO),
        "\ufeff" + json.dumps(ONE) + "\n\ufeff" + json.dumps(TWO),
        json.dumps(ONE, indent=1) + "\n" + json.dumps(TWO, indent=1),
        json.dumps(ONE, indent=0) + json.dumps(TWO, indent=0),
        json.dumps(ONE, indent=2).replace("\n", "\r\n") + "\r\n" + json.dumps(TWO),
        '{"resourceSpans":[\n{"scopeSpans":[]}\n]}\n' + json.dumps(TWO),
    ],
)
def test_two_values_are_read_however_they_are_put_one_after_the_other(data: str) -> None:
    assert values(data) == [ONE, TWO]
    assert spoiled(data) == []


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c"])
def test_a_line_ends_at_a_line_feed_and_at_nothing_else(separator: str) -> None:
    value = {"name": f"a{separator}b"}
    text = json.dumps(value, ensure_ascii=ord(separator) < 32)
    assert values(text + "\n" + text) == [value, value]


def test_a_value_says_the_line_it_begins_on_and_keeps_its_text() -> None:
    text = '{ "a" : 1.0e3,\r\n "b" : "\\u00e9" }'
    found = cut(f"\n{text}\n[1]")
    assert [(item.line, item.text) for item in found if isinstance(item, JsonText)] == [(2, text), (4, "[1]")]


@pytest.mark.parametrize(
    "bad",
    [
        '{"resourceSpans":[{',
        '{"a":]}',
        '{"a":"unclosed',
        "2024-01-01 INFO started",
        '{"a":1,}',
        '{"a" 1}',
        "}",
        '{"a":tru',
        '127.0.0.1 - "POST /v1/traces" 200',
        '{"a":"\t"}',
        '{"resourceSpans":[{"x":"}]}',
    ],
)
def test_a_spoiled_line_costs_only_itself(bad: str) -> None:
    data = "\n".join([json.dumps(ONE), bad, json.dumps(TWO), json.dumps(ONE)])
    assert values(data) == [ONE, TWO, ONE]
    assert spoiled(data) == [2]


def test_a_cut_value_of_many_lines_costs_only_itself() -> None:
    cut_off = json.dumps({"resourceSpans": [{"resource": {}, "scopeSpans": []}]}, indent=1)[:-8]
    data = cut_off + "\n" + json.dumps(TWO) + "\n"
    assert values(data) == [TWO]
    assert spoiled(data) == [1]


def test_a_broken_line_inside_a_value_of_many_lines_costs_that_value() -> None:
    lines = json.dumps({"resourceSpans": [{"resource": {"a": "text"}}]}, indent=1).split("\n")
    lines[4] = '    "a": "text'
    data = "\n".join([*lines, json.dumps(TWO), json.dumps(ONE, indent=1)])
    assert values(data) == [TWO, ONE]
    assert len(spoiled(data)) == 1


def test_bare_resource_spans_a_line_survive_a_cut_one() -> None:
    good = '{"resource":{},"scopeSpans":[]}'
    data = f'{{"resource":{{}},"scopeSpans":[\n{good}\n{good}'
    assert values(data) == [json.loads(good)] * 2
    assert spoiled(data) == [1]


def test_a_request_laid_out_a_resource_a_line_is_one_value() -> None:
    data = '{"resourceSpans":[\n{"resource":{},"scopeSpans":[]},\n{"resource":{},"scopeSpans":[]}\n]}\n'
    assert values(data) == [json.loads(data)]


def test_a_list_of_requests_a_line_each_is_one_value() -> None:
    data = f"[\n{json.dumps(ONE)},\n{json.dumps(TWO)}\n]"
    assert values(data) == [[ONE, TWO]]


@pytest.mark.parametrize("mark", ["[", ",", ":", "{", '"', "1", "}", "]", "e"])
@pytest.mark.parametrize("after", [1, 2, 3])
@pytest.mark.parametrize("whole", ['{"name":"x","n":{}}', '[{"name":"x"}]'])
def test_a_line_that_is_cut_at_any_mark_costs_none_of_the_next(mark: str, after: int, whole: str) -> None:
    lines = {
        "[": '{"a":[',
        ",": '{"a":1,',
        ":": '{"a":',
        "{": '{"a":{',
        '"': '{"a"',
        "1": '{"a":1',
        "}": '{"a":{}',
        "]": '{"a":[]',
    }
    cut_off = lines.get(mark, '{"a":false')
    data = "\n".join([cut_off, *[whole] * after])
    assert values(data) == [json.loads(whole)] * after
    assert spoiled(data) == [1]


def test_lines_that_a_cut_one_swallowed_are_read_again() -> None:
    data = "\n".join(['{"a":[1,', json.dumps(ONE), "not json", "2]}", json.dumps(TWO)])
    assert values(data) == [ONE, TWO]
    assert spoiled(data) == [1, 3, 4]


def test_input_that_ends_in_the_middle_is_named_at_its_beginning() -> None:
    assert spoiled(json.dumps(ONE) + '\n{"resourceSpans":[\n{') == [2]


def test_the_place_of_an_error_inside_a_value_of_many_lines_is_its_own_line() -> None:
    assert spoiled('{\n"a": 1,\n"b": nope,\n"c": {}\n}\n') == [3]


@pytest.mark.parametrize("brackets", [("[", "]"), ('{"k":', "}")])
@pytest.mark.parametrize("depth", [MAX_NESTING - 2, MAX_NESTING + 2, 1_000, 100_000])
def test_a_very_deep_value_costs_only_its_depth(brackets: tuple[str, str], depth: int) -> None:
    deep = brackets[0] * depth + "1" + brackets[1] * depth
    text = f'{{"deep":{deep},"beside":[1,{{}}]}}'
    found = cut(text + json.dumps(TWO))
    assert [item.text for item in found if isinstance(item, JsonText)] == [text, json.dumps(TWO)]
    assert values(text)[0]["beside"] == [1, {}]


def test_brackets_without_end_are_named() -> None:
    assert spoiled("[" * 100_000) == [1]
    assert spoiled('{"a":' + "[" * 100_000 + "\n" + json.dumps(ONE)) == [1]
    assert values('{"a":' + "[" * 100_000 + "\n" + json.dumps(ONE)) == [ONE]


def test_a_number_of_absurd_length_stays_text() -> None:
    assert values('{"a":' + "9" * 10_000 + ',"b":7}') == [{"a": "9" * 10_000, "b": 7}]


def test_bytes_that_are_not_utf8_come_back_exactly() -> None:
    raw = b'{"name":"\xff\xfe \xed\xa0\xbd"}'
    (found,) = cut(raw)
    assert isinstance(found, JsonText)
    assert found.text.encode("utf-8", "surrogateescape") == raw


def test_a_value_over_the_bound_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "MAX_VALUE_BYTES", 60)
    data = '{"resourceSpans":[\n' + "1,\n" * 40 + "1]}\n" + json.dumps(ONE)
    assert values(data) == [ONE]
    assert spoiled(data) == [1]


OBJECTS = st.dictionaries(
    st.text(max_size=4),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
        max_leaves=10,
    ),
    max_size=4,
)


@given(st.lists(OBJECTS, max_size=4), st.sampled_from(["\n", "\r\n", "", " ", "\n\n"]), st.booleans(), st.booleans())
def test_every_sequence_of_objects_is_read_back(
    objects: list[Any],
    between: str,
    pretty: bool,
    ascii_only: bool,
) -> None:
    data = between.join(json.dumps(item, indent=1 if pretty else None, ensure_ascii=ascii_only) for item in objects)
    assert values(data) == objects
    assert spoiled(data) == []


@given(st.binary() | st.text(alphabet='{}[]":,\\\n 1atr').map(str.encode))
def test_no_bytes_raise(data: bytes) -> None:
    lines = data.count(b"\n") + 1
    for item in cut(data):
        assert 1 <= item.line <= lines
