"""The gates of the rows that a runtime writes for the reasons: what does not fit is counted and never used."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.fold.labels import LABELS
from otel_footprint.fold.reason_rows import (
    ROW_KINDS,
    EvidenceFacts,
    Row,
    read_evidence,
    read_row,
    read_rows,
    witness_id,
)

DIGEST = "0123456789abcdef" * 4

SMALLEST: dict[str, dict[str, Any]] = {
    "argument": {"argument": "since", "source": "model"},
    "contingent": {},
    "period": {"verdict": "covered"},
    "conflict": {"witnesses": ["c1"]},
    "time-derived": {},
    "script-shown": {"block": 1, "label": "unmatched"},
    "steps-unfinished": {},
    "grounded": {"looked_up": 0},
    "negative-claim": {},
    "negative-claim-note": {},
    "answer-check": {"status": "passed"},
}

FITS: list[tuple[str, dict[str, Any]]] = [
    ("argument", {"ruled": True, "period": False, "reading": "last week", "set_aside": ["a"]}),
    ("argument", {"source_check": "unreachable", "rewrite_origin": "policy"}),
    ("argument", {"source": "asked"}),
    ("contingent", {"turn": 0, "iteration": 2.0, "tool_call_id": "", "tool": "find", "more": None}),
    ("period", {"verdict": "partly-held", "differs": True, "beyond_retention": {"days": 3}}),
    ("conflict", {"witnesses": [{"tool_call_id": "c1"}, {"toolCallId": "c2"}, "c3"]}),
    ("script-shown", {"label": "completed-with-failure", "exit_code": 7, "dispatch": 1}),
    ("script-shown", {"label": "completed", "exit_code": 0}),
    ("steps-unfinished", {"steps": ["tell them"]}),
    ("answer-check", {"mode": "observe", "digest": DIGEST.upper(), "candidate_digest": DIGEST}),
    ("answer-check", {"check": "n", "reason": "r", "tools": ["find"], "unreachable": 2}),
    ("answer-check", {"candidateDigest": DIGEST}),
]

FAILS: list[tuple[str, dict[str, Any]]] = [
    *[(kind, {"turn": wrong}) for kind in SMALLEST for wrong in (-1, 1.5, "1", True, None)],
    *[(kind, {"iteration": "1"}) for kind in SMALLEST],
    *[(kind, {"tool_call_id": wrong}) for kind in SMALLEST for wrong in (7, None)],
    *[(kind, {"tool": []}) for kind in SMALLEST],
    ("argument", {"source": "guess"}),
    ("argument", {"source": ["model"]}),
    ("argument", {"argument": None}),
    ("argument", {"ruled": 1}),
    ("argument", {"period": "yes"}),
    ("argument", {"reading": 3}),
    ("argument", {"set_aside": None}),
    ("argument", {"source_check": "maybe"}),
    ("argument", {"rewrite_origin": None}),
    ("period", {"verdict": "lost"}),
    ("period", {"differs": 1}),
    ("period", {"beyond_retention": None}),
    ("conflict", {"witnesses": []}),
    ("conflict", {"witnesses": "c1"}),
    ("conflict", {"witnesses": ["c1", 2]}),
    ("conflict", {"witnesses": [{}]}),
    ("script-shown", {"block": 0}),
    ("script-shown", {"label": "ran"}),
    ("script-shown", {"label": "completed"}),
    ("script-shown", {"exit_code": 1}),
    ("script-shown", {"label": "returned", "exit_code": None}),
    ("script-shown", {"dispatch": 0}),
    ("steps-unfinished", {"steps": ["a", 1]}),
    ("steps-unfinished", {"steps": "a"}),
    ("grounded", {"looked_up": -1}),
    ("answer-check", {"status": "unknown"}),
    ("answer-check", {"mode": "both"}),
    ("answer-check", {"digest": DIGEST[:-1]}),
    ("answer-check", {"reason": None}),
    ("answer-check", {"tools": "find"}),
    ("answer-check", {"unreachable": -1}),
    ("answer-check", {"check": 1}),
]


def test_every_kind_has_a_smallest_row() -> None:
    assert set(SMALLEST) == set(ROW_KINDS)


@pytest.mark.parametrize("kind", ROW_KINDS)
def test_smallest_row_is_read_from_text_and_from_an_object(kind: str) -> None:
    row = read_row(kind, SMALLEST[kind], pointer="p")
    assert row == read_row(kind, json.dumps(SMALLEST[kind]), pointer="p")
    assert row is not None
    assert (row.kind, row.turn, row.call_id, row.pointer) == (kind, None, None, "p")


@pytest.mark.parametrize("kind", [kind for kind in ROW_KINDS if SMALLEST[kind]])
def test_row_without_what_it_needs_fails(kind: str) -> None:
    for key in SMALLEST[kind]:
        assert read_row(kind, {name: value for name, value in SMALLEST[kind].items() if name != key}) is None


@pytest.mark.parametrize(("kind", "body"), FITS)
def test_row_that_fits_is_read(kind: str, body: dict[str, Any]) -> None:
    assert read_row(kind, {**SMALLEST[kind], **body}) is not None


@pytest.mark.parametrize(("kind", "body"), FAILS)
def test_one_value_that_does_not_fit_fails_the_row(kind: str, body: dict[str, Any]) -> None:
    assert read_row(kind, {**SMALLEST[kind], **body}) is None


@pytest.mark.parametrize("kind", ["script", "mood", "", None, 3, ["argument"]])
def test_unknown_kind_fails(kind: Any) -> None:
    assert read_row(kind, {}) is None


@pytest.mark.parametrize("body", ["", "[]", "{", "null", "NaN", 3, None, [], {1: 2}, '{"turn": 1} x'])
def test_body_that_is_no_object_fails(body: Any) -> None:
    assert read_row("contingent", body) is None


def test_body_nested_too_deeply_fails() -> None:
    assert read_row("contingent", '{"a":' + "[" * 5000 + "]" * 5000 + "}") is None


def test_keys_may_be_in_camel_case() -> None:
    body = {"argument": "since", "source": "result", "setAside": True, "toolCallId": "c1", "sourceCheck": "failed"}
    row = read_row("argument", body)
    assert row is not None
    assert (row.call_id, row.marked("set_aside"), row.says("source_check", "failed")) == ("c1", True, True)


def test_key_in_both_spellings_fails() -> None:
    assert read_row("contingent", {"toolCallId": "a", "tool_call_id": "a"}) is None


def test_stamps_and_names_are_taken_out_of_the_body() -> None:
    row = read_row("contingent", {"turn": 3, "tool_call_id": "c", "tool": "find"})
    assert row is not None
    assert (row.turn, row.call_id, row.tool) == (3, "c", "find")


@pytest.mark.parametrize("value", [False, "", [], {}])
def test_mark_that_is_empty_is_no_mark(value: Any) -> None:
    row = read_row("period", {"verdict": "covered", "differs": value})
    assert row is not None
    assert not row.marked("differs")


@pytest.mark.parametrize("label", LABELS)
def test_shown_script_has_an_exit_code_exactly_with_its_label(label: str) -> None:
    code = {"completed": 0, "completed-with-failure": 7}.get(label)
    body = {"block": 2, "label": label}
    assert (read_row("script-shown", body) is not None) is (code is None)
    assert (read_row("script-shown", {**body, "exit_code": code}) is not None) is (code is not None)


@pytest.mark.parametrize(
    ("witness", "found"), [("c", "c"), ({"tool_call_id": "c"}, "c"), ({"id": "c"}, None), (1, None)]
)
def test_witness_names_a_call(witness: Any, found: str | None) -> None:
    assert witness_id(witness) == found


def test_rows_keep_their_order_and_the_others_are_counted() -> None:
    read = read_rows([("contingent", "{}", "p0"), ("mood", "{}", "p1"), ("time-derived", "{}", "p2")])
    assert ([row.pointer for row in read.rows], read.unread) == (["p0", "p2"], 1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
KEYS = st.sampled_from(
    [
        *("turn", "iteration", "tool_call_id", "tool", "argument", "source", "ruled", "reading", "setAside"),
        *("witnesses", "verdict", "differs", "block", "label", "exit_code", "looked_up", "status", "check", "digest"),
    ]
)
BODIES = st.dictionaries(KEYS | st.text(max_size=4), JSON | st.sampled_from(["model", "passed", "covered"]), max_size=6)


@given(st.sampled_from(ROW_KINDS), BODIES | JSON | st.text() | BODIES.map(json.dumps))
def test_no_body_makes_a_gate_raise(kind: str, body: Any) -> None:
    row = read_row(kind, body)
    assert row is None or isinstance(row, Row)
    assert read_rows([(kind, body, None)]).unread == (row is None)


# -- the runtime's own evidence verdict -------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"candidates": 3}, EvidenceFacts(candidates=3)),
        ({"candidates": ["a", "b"], "looked_up": 2}, EvidenceFacts(candidates=2, looked_up=2)),
        (
            {"candidates": 3, "looked_up": 2, "unsupported": 1, "revised": True},
            EvidenceFacts(candidates=3, looked_up=2, unsupported=1, revised=True),
        ),
        (
            {"candidates": 3, "unsupported": '["4711", {"value": "0815", "region": "code"}, {}]'},
            EvidenceFacts(candidates=3, unsupported=3, values=("4711", "0815")),
        ),
        (
            {"candidates": 30, "unsupported": 12, "truncated": True, "capped": True},
            EvidenceFacts(candidates=30, unsupported=12, truncated=True, capped=True),
        ),
    ],
)
def test_evidence_verdict_is_read(keys: dict[str, Any], expected: EvidenceFacts) -> None:
    assert read_evidence(keys) == expected


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"candidates": -1},
        {"candidates": None},
        {"candidates": "many"},
        {"candidates": True},
        {"candidates": 1, "looked_up": "x"},
        {"candidates": 1, "unsupported": None},
        {"candidates": 1, "revised": 1},
    ],
)
def test_evidence_verdict_of_another_shape_is_none(keys: dict[str, Any]) -> None:
    assert read_evidence(keys) is None


@given(st.dictionaries(st.sampled_from(["candidates", "looked_up", "unsupported", "revised"]), JSON))
def test_no_evidence_event_makes_the_reader_raise(keys: dict[str, Any]) -> None:
    found = read_evidence(keys)
    assert found is None or found.candidates >= 0
