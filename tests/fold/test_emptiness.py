"""What came back (table of emptiness)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.fold.emptiness import Declared, Door, Reading, declared_of, read_emptiness

REF = "art_" + "a1B2" * 5 + "zZ"
ABSENCE = {"af_absent": True, "looked_for": "x", "checked": [{"what": "db"}]}


def a_ledger(result: Any, **lists: Any) -> dict[str, Any]:
    return {"af_coverage": {"checked": ["db"], **lists}, "result": result}


def a_ticket(rows: Any = None, **keys: Any) -> dict[str, Any]:
    return {"ref": REF, **({} if rows is None else {"rows": rows}), **keys}


def kept_out(value: Any) -> bool:
    return bool(value == "REDACTED")


def unread(why: Any, rows_at: str | None = None, *, shape: bool = False) -> Reading:
    return Reading(emptiness="unknown", rows_unread=why, rows_at=rows_at, undeclared_shape=shape)


UNKNOWN = Reading(emptiness="unknown")
NO_LIST = unread("no-list", "rows", shape=True)
EMPTY = Reading(emptiness="undeclared-empty", rows=0, source="library", counted_at=())


@pytest.mark.parametrize(
    ("value", "options", "expected"),
    [
        pytest.param([], {}, EMPTY, id="E01"),
        pytest.param((), {}, EMPTY, id="E01-tuple"),
        pytest.param([1, 2, 3], {}, Reading(emptiness="non-empty", rows=3, source="library", counted_at=()), id="E02"),
        pytest.param({"rows": []}, {}, Reading(emptiness="unknown", undeclared_shape=True), id="E03-undeclared"),
        pytest.param(
            {"rows": []},
            {"rows_at": "rows"},
            Reading(emptiness="undeclared-empty", rows=0, source="app", rows_at="rows", counted_at=("rows",)),
            id="E03-declared",
        ),
        pytest.param(
            a_ledger([]),
            {"door": Door(bounded=True)},
            Reading(emptiness="declared-absent", rows=0, source="library", counted_at=("result",), bounded=True),
            id="E04",
        ),
        pytest.param(
            json.dumps(a_ledger([])),
            {"door": Door()},
            Reading(emptiness="unknown", undeclared_shape=True),
            id="E05",
        ),
        pytest.param(a_ledger("[]"), {}, Reading(emptiness="unknown", bounded=True), id="E06"),
        pytest.param("Error: host not found", {}, UNKNOWN, id="E07-text"),
        pytest.param(42, {}, UNKNOWN, id="E07-number"),
        pytest.param("[not json", {}, UNKNOWN, id="E07-broken"),
        pytest.param(None, {}, UNKNOWN, id="null"),
        pytest.param([1], {"door": Door(absent=True)}, Reading(emptiness="declared-absent"), id="E08"),
        pytest.param(
            "text",
            {"door": Door(described={"facts": [1, 2], "series": [1], "edges": []})},
            Reading(emptiness="non-empty", source="library", described={"facts": 2, "series": 1}),
            id="E09",
        ),
        pytest.param("text", {"door": Door(described={"clarify": {}})}, Reading(emptiness="clarify"), id="E10"),
        pytest.param([], {"door": Door(described={"facts": []})}, EMPTY, id="E10-nothing-described"),
        pytest.param(
            {"datasets": {"rows": a_ticket(2)}},
            {"rows_at": "rows"},
            Reading(
                emptiness="non-empty",
                rows=2,
                source="app",
                rows_at="rows",
                counted_at=("datasets", "rows", "rows"),
            ),
            id="E11-2",
        ),
        pytest.param(
            {"dataset": a_ticket(0, sourceField="rows")},
            {"rows_at": "rows"},
            Reading(emptiness="undeclared-empty", rows=0, source="app", rows_at="rows", counted_at=("dataset", "rows")),
            id="E11-0",
        ),
        pytest.param(
            {"datasets": {"rows": a_ticket("2")}},
            {"rows_at": "rows"},
            unread("uncounted-ticket", "rows"),
            id="E11-text",
        ),
        pytest.param(
            {"datasets": {"rows": a_ticket()}},
            {"rows_at": "rows"},
            unread("uncounted-ticket", "rows"),
            id="E11-missing",
        ),
        pytest.param(
            {"datasets": {"rows": a_ticket(-1)}},
            {"rows_at": "rows"},
            unread("uncounted-ticket", "rows"),
            id="E11-minus",
        ),
        pytest.param(
            {"datasets": {"rows": a_ticket(1)}},
            {},
            Reading(emptiness="unknown", undeclared_shape=True),
            id="E11-undeclared",
        ),
        pytest.param(
            {"datasets": {"rows": a_ticket(2, sourceField="other")}}, {"rows_at": "rows"}, NO_LIST, id="E12-other-field"
        ),
        pytest.param(
            {"dataset": {"ref": "art_x", "rows": 1, "sourceField": "rows"}}, {"rows_at": "rows"}, NO_LIST, id="E12-ref"
        ),
        pytest.param({"dataset": a_ticket(1)}, {"rows_at": "rows"}, NO_LIST, id="E12-principal"),
        pytest.param({"dataset": "x", "datasets": ["x"]}, {"rows_at": "rows"}, NO_LIST, id="E12-shapes"),
        pytest.param({"dataset": {"ref": 7}}, {"rows_at": "rows"}, NO_LIST, id="E12-ref-number"),
        pytest.param(
            {"rows": [], "datasets": {"rows": a_ticket(2)}},
            {"rows_at": "rows"},
            Reading(emptiness="undeclared-empty", rows=0, source="app", rows_at="rows", counted_at=("rows",)),
            id="E13",
        ),
        pytest.param({"rows": None, "datasets": {"rows": a_ticket(2)}}, {"rows_at": "rows"}, NO_LIST, id="E13-null"),
        pytest.param(
            {"placed": True, "ref": "r", "reason": "large"},
            {"rows_at": "rows"},
            unread("uncounted-ticket"),
            id="E14",
        ),
        pytest.param("REDACTED", {"is_placeholder": kept_out}, unread("redacted"), id="E18-whole"),
        pytest.param(
            {"rows": "REDACTED"},
            {"rows_at": "rows", "is_placeholder": kept_out},
            unread("redacted", "rows"),
            id="E18-rows",
        ),
        pytest.param("REDACTED", {}, UNKNOWN, id="E18-no-policy"),
        pytest.param({"rows": 7}, {"rows_at": "rows", "is_placeholder": kept_out}, NO_LIST, id="not-kept-out"),
        pytest.param(a_ledger(ABSENCE), {}, Reading(emptiness="declared-absent", bounded=True), id="both-envelopes"),
        pytest.param(
            a_ledger([]),
            {"door": Door()},
            Reading(emptiness="unknown", undeclared_shape=True),
            id="marker-without-door",
        ),
        pytest.param("[" * 5_000 + "]" * 5_000, {}, unread("too-deep"), id="deep-text"),
        pytest.param(
            "[" * 5_000 + "]" * 5_000,
            {"door": Door(absent=True)},
            Reading(emptiness="declared-absent"),
            id="deep-text-declared-absent",
        ),
    ],
)
def test_reading_says_what_came_back(value: Any, options: dict[str, Any], expected: Reading) -> None:
    assert read_emptiness(value, **options) == expected


def test_replacement_of_a_result_is_what_is_read() -> None:
    """E17: the caller hands over the value the model read."""
    assert read_emptiness("[]") == EMPTY


@pytest.mark.parametrize(("ledgers", "emptiness"), [(8, "declared-absent"), (9, "unknown"), (500, "unknown")])
def test_ledgers_are_read_through_to_a_fixed_depth(ledgers: int, emptiness: str) -> None:
    """E15."""
    value: Any = []
    for _ in range(ledgers):
        value = a_ledger(value)
    reading = read_emptiness(value)
    assert (reading.emptiness, reading.bounded) == (emptiness, True)


@pytest.mark.parametrize("rows_at", ["", "a.b", "a/b", 3])
def test_key_that_is_not_one_top_level_key_is_a_caller_error(rows_at: Any) -> None:
    """E16."""
    with pytest.raises(ValueError, match="one top-level key"):
        read_emptiness([], rows_at=rows_at)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param([], None, id="plain"),
        pytest.param("text", None, id="text"),
        pytest.param("[" * 5_000, None, id="too-deep"),
        pytest.param(ABSENCE, Declared(absent=True, bounded=False, gap=False), id="absence"),
        pytest.param(json.dumps(ABSENCE), Declared(absent=True, bounded=False, gap=False), id="absence-as-text"),
        pytest.param(a_ledger([]), Declared(absent=False, bounded=True, gap=False), id="ledger"),
        pytest.param(
            a_ledger([], not_checked=["a"]), Declared(absent=False, bounded=True, gap=True), id="ledger-with-gap"
        ),
        pytest.param(
            a_ledger({**ABSENCE, "cannot_cover": ["a"]}),
            Declared(absent=True, bounded=True, gap=True),
            id="gap-in-the-inner-layer",
        ),
        pytest.param(
            a_ledger([], not_checked="a", cannot_cover=[]),
            Declared(absent=False, bounded=True, gap=False),
            id="gap-that-is-no-list",
        ),
    ],
)
def test_own_envelope_tells_what_it_declares(value: Any, expected: Declared | None) -> None:
    assert declared_of(value) == expected


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["[]", "{", "REDACTED"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["rows", "af_coverage", "result", "af_absent", "checked", "dataset", "datasets", "ref", "a"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
DOORS = st.none() | st.builds(
    Door, absent=st.booleans(), bounded=st.booleans(), described=st.none() | st.dictionaries(st.text(), VALUES)
)


@given(VALUES, st.none() | st.just("rows"), DOORS)
def test_every_value_has_one_reading_that_keeps_its_own_rules(
    value: Any, rows_at: str | None, door: Door | None
) -> None:
    reading = read_emptiness(value, rows_at=rows_at, door=door, is_placeholder=kept_out)
    assert (reading.emptiness == "undeclared-empty") <= (reading.rows == 0)
    assert (reading.rows is not None) == (reading.counted_at is not None)
    assert (reading.rows_unread is not None) <= (reading.emptiness == "unknown")
    assert (reading.source == "app") <= (reading.rows_at is not None)


@given(VALUES)
def test_value_and_its_json_text_read_alike(value: Any) -> None:
    try:
        text = json.dumps(value, allow_nan=False)
    except ValueError:
        return
    if isinstance(value, (dict, list)):
        assert read_emptiness(text) == read_emptiness(value)
