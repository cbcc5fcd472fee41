"""Values of other formats as OTLP JSON has them."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.files.otlp_values import (
    any_value,
    attributes,
    hex_of,
    json_text,
    kind_number,
    microseconds,
    present,
    pruned,
    time_ns,
)
from otel_footprint.spanview import MAX_DEPTH, TOO_DEEP
from otel_footprint.spanview_otlp import json_attributes

INT64 = st.integers(-(2**63), 2**63 - 1)
VALUES = st.recursive(
    st.none() | st.booleans() | INT64 | st.floats(allow_nan=False) | st.text(max_size=6) | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=4), VALUES, max_size=4))
def test_a_value_is_read_back_as_it_was(values: dict[str, Any]) -> None:
    written = json.loads(json.dumps(attributes(values), allow_nan=False))
    assert dict(json_attributes({"attributes": written})) == values


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_json_has_not_is_read_back(value: float) -> None:
    assert str(json_attributes({"attributes": attributes({"n": value})})["n"]) == str(value)


def test_an_integer_past_64_bits_is_text() -> None:
    assert any_value(2**63) == {"stringValue": str(2**63)}


@pytest.mark.parametrize("depth", [MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1, 300])
def test_what_is_too_deep_is_read_as_too_deep_and_nothing_else_is(depth: int) -> None:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    read = json_attributes({"attributes": attributes({"deep": value})})["deep"]
    assert (read is TOO_DEEP) == (depth > MAX_DEPTH)


def test_a_value_too_deep_to_print_is_printed_in_part() -> None:
    value: Any = "x"
    for _ in range(100_000):
        value = {"a": value}
    text = json_text(value)
    assert text.startswith('{"a": {"a": ')
    assert text.count("{") > MAX_DEPTH
    assert pruned([1, {"a": [2]}], 2) == [1, {"a": None}]


@pytest.mark.parametrize(
    ("value", "size", "digits"),
    [
        ("0xAB", 8, "00000000000000ab"),
        ("ab", 16, "ab".zfill(32)),
        ("0000000000000001", 8, "0000000000000001"),
        ("q6urq6urq6s=", 8, "q6urq6urq6s="),
        ("a" * 17, 8, "a" * 17),
        ("0x", 8, "0x"),
        ("", 8, ""),
        (171, 8, None),
        (None, 8, None),
    ],
)
def test_an_id_is_filled_up_when_it_is_hex(value: Any, size: int, digits: Any) -> None:
    assert hex_of(value, size) == digits


@pytest.mark.parametrize(
    ("value", "nanoseconds"),
    [
        ("2026-07-31T21:20:28.134675Z", 1785532828134675000),
        ("2026-07-31T21:20:28.134675123Z", 1785532828134675123),
        ("2026-07-31T21:20:28.1346751239999Z", 1785532828134675123),
        ("2026-07-31 23:20:28.5+02:00", 1785532828500000000),
        ("2026-07-31T23:20:28+0200", 1785532828000000000),
        ("2026-07-31T21:20:28", 1785532828000000000),
        ("2026-07-31T21:20", 1785532800000000000),
        (1785532828134675123, 1785532828134675123),
        ("1785532828134675123", 1785532828134675123),
        (1785532828134675, 1785532828134675000),
        (1785532828134, 1785532828134000000),
        (1785532828, 1785532828000000000),
        (1785532828.5, 1785532828500000000),
        ("1785532828.5", 1785532828500000000),
    ],
)
def test_a_time_is_read_in_every_form(value: Any, nanoseconds: int) -> None:
    assert time_ns(value) == str(nanoseconds)


@pytest.mark.parametrize(
    "value",
    [
        *(
            None,
            True,
            0,
            -1,
            2**64,
            math.nan,
            math.inf,
            [],
            {},
            "",
            "now",
            "2026-13-01T00:00:00Z",
            "1969-12-31T00:00:00Z",
        ),
        *(
            "9" * 39,
            "9" * 100,
            "2026-07-31T21:20:28.134675Z" + " " * 50,
            "9999-12-31T23:59:59Z",
            "2026-07-31T21:20:28+99:99",
        ),
    ],
)
def test_what_is_no_time_is_none(value: Any) -> None:
    assert time_ns(value) is None


@given(st.text(max_size=45) | st.integers() | st.floats())
def test_no_time_raises(value: Any) -> None:
    found = time_ns(value)
    assert found is None or 0 < int(found) < 2**64


@pytest.mark.parametrize(
    ("value", "nanoseconds"),
    [(5, 5000), ("5", 5000), (1.5, 1500), ("1.5", 1500), (0, 0), (-1, None), (2**62, None), (True, None), (None, None)],
)
def test_microseconds_become_nanoseconds(value: Any, nanoseconds: int | None) -> None:
    assert microseconds(value) == nanoseconds


@pytest.mark.parametrize("name", ["CLIENT", "client", "SPAN_KIND_CLIENT", "SpanKind.CLIENT"])
def test_a_kind_is_known_by_each_of_its_names(name: str) -> None:
    assert kind_number(name) == 3
    assert kind_number("odd") is None
    assert kind_number(3) is None


def test_what_has_no_value_is_left_out_and_what_is_false_is_not() -> None:
    fields: list[tuple[str, Any]] = [("a", None), ("b", ""), ("c", []), ("d", {}), ("e", 0), ("f", False), ("g", "x")]
    assert present(fields) == {"e": 0, "f": False, "g": "x"}
