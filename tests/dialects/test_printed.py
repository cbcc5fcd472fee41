"""Printed Python is read without running any of it, and only what ``repr`` writes is taken for it."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.dialects._printed import (
    LONGEST,
    NotPrintedError,
    Printed,
    is_cut_literal,
    read_literal,
    read_objects,
)

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(values)
def test_what_repr_writes_is_the_value_again(value: Any) -> None:
    assert read_literal(repr(value)) == value
    assert read_objects(repr(value)) == value


def test_a_tuple_is_a_list_and_words_with_quotes_keep_them() -> None:
    assert read_literal("{'q': \"what's up\", 'ok': True, 'n': None, 't': (1, 2)}") == {
        "q": "what's up",
        "ok": True,
        "n": None,
        "t": [1, 2],
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "print(1)",
        "__import__('os').system('x')",
        "{1: 2}",
        "{'a'}",
        "{'a': b'x'}",
        "{'a': f'{x}'}",
        "{'a': x}",
        "{'a': 1 + 1}",
        "{'a': 0x10}",
        "{'a': 1and 2}",
        "{'a': '\\d'}",
        "{**{}}",
        "[nan]",
        "'a'.upper()",
        "lambda: 1",
        "{'a': 1",
        "1\n",
        "[" * 70 + "]" * 70,
        "[" * 60_000,
        "9" * 5_000,
    ],
)
def test_what_repr_does_not_write_is_not_read_and_warns_nobody(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for read in (read_literal, read_objects):
            with pytest.raises(NotPrintedError):
                read(text)


def test_a_text_that_is_too_long_is_not_read() -> None:
    assert read_literal(repr("a" * (LONGEST - 2))) == "a" * (LONGEST - 2)
    with pytest.raises(NotPrintedError):
        read_literal(repr("a" * (LONGEST - 1)))
    with pytest.raises(NotPrintedError):
        read_objects(f"A(b={'a' * LONGEST!r})")


@given(st.text() | st.text(alphabet="{}[]()'\"\\,:=<>. abcTrue1-xn\n"))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (read_literal, read_objects):
        try:
            read(text)
        except NotPrintedError:
            continue
    is_cut_literal(text)


def test_a_printed_object_is_its_class_and_its_fields() -> None:
    found = read_objects("Message(role=<Role.USER: 'us<A.B: 1>er'>, n=<N.X: 3>, parts=[Text(text='<Role.USER: 1>')])")
    assert found == Printed(
        "Message", {"role": "us<A.B: 1>er", "n": 3, "parts": [Printed("Text", {"text": "<Role.USER: 1>"})]}
    )


@pytest.mark.parametrize("text", ["A('x')", "a.B(c=1)", "A(**{})", "A(b=c)", "A(b=<object at 0x7f>)", "A(b=B)", "A"])
def test_other_printed_objects_are_not_read(text: str) -> None:
    with pytest.raises(NotPrintedError):
        read_objects(text)


@given(st.dictionaries(st.text(min_size=1), values, min_size=1, max_size=3), st.data())
def test_a_dictionary_that_is_cut_anywhere_is_seen_to_be_cut(value: dict[str, Any], data: st.DataObject) -> None:
    text = repr(value)
    assert not is_cut_literal(text)
    end = data.draw(st.integers(3, len(text) - 1))
    # A word that is cut is no word of the language.
    if text[end - 1] not in "TrueFalsoNn-.e":
        assert is_cut_literal(text[:end])


@pytest.mark.parametrize("text", ["", "{", "{not", "'a", "['a", "{'a': print(1)}", "{'a': x", "a" * 9])
def test_other_texts_are_not_cut_dictionaries(text: str) -> None:
    assert not is_cut_literal(text)
