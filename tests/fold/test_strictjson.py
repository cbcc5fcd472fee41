"""Strict JSON text, with bounded nesting."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.fold.strictjson import MAX_JSON_DEPTH, NotJsonError, TooDeepError, read_json, trim

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(JSON)
def test_what_was_written_is_read(value: Any) -> None:
    assert read_json(json.dumps(value)) == value


@pytest.mark.parametrize("text", ["NaN", "[NaN]", "[Infinity]", '{"a": -Infinity}', "[1,]", "[1", "'a'", "", "[] x"])
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(NotJsonError) as refused:
        read_json(text)
    assert not isinstance(refused.value, TooDeepError)


def test_deepest_nesting_is_read_and_one_more_is_not() -> None:
    assert read_json("[" * MAX_JSON_DEPTH + "]" * MAX_JSON_DEPTH)
    with pytest.raises(TooDeepError):
        read_json("[" * (MAX_JSON_DEPTH + 1) + "]" * (MAX_JSON_DEPTH + 1))


def test_brackets_inside_strings_are_not_nesting() -> None:
    text = json.dumps(["[{" * 500, 'a"[', "\\"])
    assert read_json(text) == json.loads(text)


def test_wide_values_are_not_deep() -> None:
    assert read_json("[" + "[]," * 500 + "{}]")[0] == []


def test_stack_that_is_nearly_used_up_reads_as_too_deep(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_stack(*_args: Any, **_options: Any) -> Any:
        raise RecursionError

    monkeypatch.setattr(json.JSONDecoder, "raw_decode", no_stack)
    with pytest.raises(TooDeepError):
        read_json("[]")


def test_string_that_never_ends_takes_linear_time() -> None:
    started = time.process_time()
    with pytest.raises(NotJsonError):
        read_json("[" * 201 + '"' + r"\"" * 500_000)
    assert time.process_time() - started < 10


@pytest.mark.parametrize(("digits", "kind"), [(400, int), (401, float), (5000, float)])
def test_longest_integers_are_read_as_floats(digits: int, kind: type) -> None:
    assert type(read_json("[" + "1" * digits + "]")[0]) is kind


def test_byte_order_mark_is_trimmed_and_a_separator_is_not() -> None:
    assert trim("\ufeff\xa0 [] \u2028\n") == "[]"
    assert trim("\x1c[]") == "\x1c[]"
