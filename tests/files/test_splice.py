"""Adding to JSON text without touching anything else."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.files.splice import Path, splice

ITEM = {"key": "footprint.tone", "value": {"stringValue": "ok"}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"s":{"attributes":[]}}', '{"s":{"attributes":[1,2]}}'),
        ('{"s":{"attributes":[ ]}}', '{"s":{"attributes":[ 1,2]}}'),
        ('{"s":{"attributes":[0]}}', '{"s":{"attributes":[0,1,2]}}'),
        ('{"s":{"attributes":[ 0 ] } }', '{"s":{"attributes":[ 0 ,1,2] } }'),
        ('{"s":{"attributes":null}}', '{"s":{"attributes":[1,2]}}'),
        ('{"s":{}}', '{"s":{"attributes":[1,2]}}'),
        ('{"s":{ }}', '{"s":{ "attributes":[1,2]}}'),
        ('{"s":{"a":1e3}}', '{"s":{"a":1e3,"attributes":[1,2]}}'),
        ('{"s":{"a":"]}\\""}}', '{"s":{"a":"]}\\"","attributes":[1,2]}}'),
        ('{"s":{"attr\\u0069butes":[0]}}', '{"s":{"attr\\u0069butes":[0,1,2]}}'),
        ('{"s":{"attributes":[0],"attributes":[9]}}', '{"s":{"attributes":[0],"attributes":[9,1,2]}}'),
        ('{"s":{"attributes":{}}}', '{"s":{"attributes":{}}}'),
        ('{"s":{"attributes":"x"}}', '{"s":{"attributes":"x"}}'),
        ('{"t":{}}', '{"t":{}}'),
        ('{"s":5}', '{"s":5}'),
    ],
)
def test_items_are_added_at_the_end_of_a_list_that_is_made_when_missing(text: str, expected: str) -> None:
    assert splice(text, {("s",): {"attributes": [1, 2]}}) == expected


def test_without_additions_the_text_is_as_it_was() -> None:
    text = '{"s" : {"events" : [ ]}}'
    assert splice(text, {}) == text
    assert splice(text, {("s",): {"events": [], "attributes": []}}) == text


def test_two_new_fields_of_one_object_are_separated() -> None:
    text = splice('{"s":{}}', {("s",): {"events": [1], "attributes": [2]}})
    assert json.loads(text) == {"s": {"events": [1], "attributes": [2]}}


def test_objects_in_lists_are_found_by_index() -> None:
    text = '[{"a":[[{"x":1},{"x":2}]]},{"a":[]}]'
    added = splice(text, {(0, "a", 0, 1): {"y": [3]}, (1,): {"a": [4]}})
    assert json.loads(added) == [{"a": [[{"x": 1}, {"x": 2, "y": [3]}]]}, {"a": [4]}]


def test_an_object_and_one_inside_it_can_both_be_added_to() -> None:
    added = splice('{"g":[{"s":[{"e":[]}]}]}', {("g", 0): {"s": [9]}, ("g", 0, "s", 0): {"e": [1], "f": [2]}})
    assert json.loads(added) == {"g": [{"s": [{"e": [1], "f": [2]}, 9]}]}


def test_a_value_too_deep_to_parse_stays_as_it_is() -> None:
    deep = "[" * 50_000 + "]" * 50_000
    added = splice(f'{{"s":{{"deep":{deep},"events":[]}}}}', {("s",): {"events": [1]}})
    assert added == f'{{"s":{{"deep":{deep},"events":[1]}}}}'


def test_what_is_added_is_written_in_ascii_so_that_any_text_can_hold_it() -> None:
    assert splice('{"é":{}}', {("é",): {"a": ["ü\u2028"]}}) == '{"é":{"a":["\\u00fc\\u2028"]}}'


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3) | st.just("events"), inner, max_size=4)
    ),
    max_leaves=20,
)


def objects_in(value: Any, path: Path = ()) -> list[Path]:
    found = [path] if isinstance(value, dict) else []
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return found + [inner for key, child in children for inner in objects_in(child, (*path, key))]


def at(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=4) | st.lists(VALUES, max_size=4), st.data())
def test_splicing_is_the_same_as_parsing_adding_and_printing(value: Any, data: st.DataObject) -> None:
    paths = objects_in(value)
    chosen = data.draw(st.lists(st.sampled_from(paths), unique=True, max_size=3)) if paths else []
    indent = data.draw(st.sampled_from([None, 1, "\t"]))
    expected = copy.deepcopy(value)
    for path in sorted(chosen, key=len, reverse=True):
        owner = at(expected, path)
        if owner.get("events") is None:
            owner["events"] = [ITEM]
        elif isinstance(owner["events"], list):
            owner["events"].append(ITEM)
    text = json.dumps(value, indent=indent, ensure_ascii=data.draw(st.booleans()))
    assert json.loads(splice(text, {path: {"events": [ITEM]} for path in chosen})) == expected
