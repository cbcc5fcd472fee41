"""Script rows: the builder, the writer, the reader and the gate (table of rows)."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from counting import growth
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.fold.labels import CodeRunFacts
from otel_footprint.fold.scripts import (
    MAX_SCRIPT_BYTES,
    MAX_SCRIPT_ROWS,
    NOT_CAPTURED,
    Draft,
    Ledger,
    ScriptRow,
    build_row,
    draft_row,
    drop_earlier_text,
    file_row,
    measure,
    read_rows,
    well_formed,
)

EXIT_0 = CodeRunFacts(exit_code=0)


def a_row(**changes: Any) -> Draft | None:
    call: dict[str, Any] = {
        "tool_call_id": "c",
        "tool": "run_code",
        "argument": "code",
        "settlement": "returned",
        "facts": None,
        "turn": 1,
        "iteration": 1,
    }
    return build_row(**{**call, **changes})


def a_draft(text: str = "p", *, turn: int = 1, call_id: str = "c", outcome: Any = "returned") -> Draft:
    return Draft(
        tool_call_id=call_id,
        tool="run_code",
        argument="code",
        bytes=len(text),
        lines=1,
        text=None if outcome == "submitted" else text,
        outcome=outcome,
        turn=turn,
        iteration=1,
    )


def a_full_ledger() -> Ledger:
    ledger = Ledger()
    for _ in range(MAX_SCRIPT_ROWS):
        ledger.file(a_draft())
    return ledger


# -- the builder


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        pytest.param(
            {"proposed": "a\n", "facts": EXIT_0},
            {"bytes": 2, "lines": 1, "text": "a\n", "outcome": "completed", "exit_code": 0, "rewritten": False},
            id="R01",
        ),
        pytest.param({"proposed": "a", "submitted": "b"}, {"text": "b", "rewritten": True}, id="R02"),
        pytest.param({"proposed": "a", "submitted": "a"}, {"text": "a", "rewritten": False}, id="R02-unchanged"),
        pytest.param(
            {"submitted": "b", "settlement": "threw"},
            {"text": "b", "rewritten": True, "outcome": "outcome-unknown", "service_error": False},
            id="R04",
        ),
        pytest.param(
            {"proposed": "a", "paused": True, "withheld": True, "facts": EXIT_0},
            {"outcome": "submitted", "text": None, "exit_code": None, "result_withheld": "over-ceiling", "bytes": 1},
            id="R05",
        ),
        pytest.param(
            {"proposed": "", "settlement": "not-entered"},
            {"bytes": 0, "lines": 0, "text": "", "outcome": "submitted"},
            id="R06",
        ),
        pytest.param({"proposed": "x" * 32_768}, {"text": "x" * 32_768, "bytes": 32_768}, id="R07-kept"),
        pytest.param({"proposed": "x" * 32_769}, {"text": None, "bytes": 32_769}, id="R07-dropped"),
        pytest.param({"proposed": "€" * 10_923}, {"text": None, "bytes": 32_769, "lines": 1}, id="R08"),
        pytest.param(
            {"proposed": "a", "facts": CodeRunFacts(service_error=True)},
            {"outcome": "outcome-unknown", "service_error": True},
            id="service-error",
        ),
        pytest.param({"proposed": "a", "tool_call_id": None, "language": "bash"}, {"language": "bash"}, id="no-id"),
    ],
)
def test_row_holds_what_the_call_shows(call: dict[str, Any], expected: dict[str, Any]) -> None:
    row = a_row(**call)
    assert row is not None
    assert {key: getattr(row, key) for key in expected} == expected


@pytest.mark.parametrize(
    "call",
    [
        pytest.param({"proposed": "a", "submitted": 7}, id="R03-number"),
        pytest.param({"proposed": "a", "submitted": None}, id="R03-null"),
        pytest.param({"proposed": ["a"]}, id="list"),
        pytest.param({}, id="nothing-captured"),
    ],
)
def test_program_that_is_no_text_files_no_row(call: dict[str, Any]) -> None:
    assert a_row(**call) is None


def test_row_of_a_program_that_is_not_recorded_has_no_measures() -> None:
    row = draft_row(
        tool_call_id="c",
        tool="run_code",
        argument="code",
        language=None,
        program=None,
        rewritten=False,
        paused=False,
        settlement="returned",
        facts=EXIT_0,
        withheld=False,
        turn=None,
        iteration=0,
    )
    assert (row.bytes, row.lines, row.text, row.outcome) == (None, None, None, "completed")


@pytest.mark.parametrize(
    ("program", "lines"),
    [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\n\n", 2), ("\n", 1), ("\n\n", 2), ("\r", 1), ("a\r\nb\r\n", 2)],
)
def test_final_line_feed_adds_no_line(program: str, lines: int) -> None:
    assert measure(program) == (len(program), lines)


def test_lone_surrogate_counts_three_bytes() -> None:
    assert measure("\ud800") == (3, 1)


def test_nothing_captured_says_so() -> None:
    assert repr(NOT_CAPTURED) == "NOT_CAPTURED"


# -- the writer and the reader


def test_call_that_settles_after_a_later_one_is_read_after_it() -> None:
    """R09."""
    ledger = Ledger()
    first = ledger.file(a_draft(outcome="submitted"), paused=True)
    ledger.file(a_draft())
    assert ledger.file(a_draft(outcome="reported-success"), join=first) == 1
    reading = read_rows(ledger.rows, 1)
    assert [(row.dispatch, row.outcome) for row in reading.rows] == [(2, "returned"), (1, "reported-success")]


def test_repeated_call_id_is_a_new_dispatch() -> None:
    """R10."""
    ledger = Ledger()
    assert [ledger.file(a_draft(call_id="same")) for _ in range(2)] == [1, 2]


def test_seventeenth_dispatch_is_dropped_and_counted() -> None:
    """R11."""
    ledger = a_full_ledger()
    assert ledger.file(a_draft()) is None
    assert len(ledger.rows) == MAX_SCRIPT_ROWS
    assert ledger.scripts_dropped == {1: 1}


def test_paused_call_past_the_bound_is_counted_once_when_it_settles() -> None:
    """R12 and R13."""
    ledger = a_full_ledger()
    assert ledger.file(a_draft(outcome="submitted"), paused=True) is None
    assert ledger.scripts_dropped == {}
    assert ledger.file(a_draft()) is None
    assert ledger.scripts_dropped == {1: 1}


def test_join_is_filed_in_a_full_turn() -> None:
    """R14."""
    ledger = a_full_ledger()
    assert ledger.file(a_draft(), join=1) == 1
    assert ledger.scripts_dropped == {}


def test_join_of_a_dispatch_the_turn_does_not_hold_joins_nothing() -> None:
    """R15."""
    ledger = a_full_ledger()
    assert ledger.file(a_draft(), join=99) is None
    assert ledger.scripts_dropped == {1: 1}
    assert Ledger().file(a_draft(), join=99) == 1


def test_numbering_restarts_with_the_turn() -> None:
    """R16 and R17."""
    ledger = a_full_ledger()
    assert ledger.file(a_draft(turn=2)) == 1
    reading = read_rows(ledger.rows, 2)
    assert (len(reading.rows), reading.earlier) == (1, 16)


def test_drops_are_counted_by_turn() -> None:
    ledger = a_full_ledger()
    for _ in range(MAX_SCRIPT_ROWS + 2):
        ledger.file(a_draft(turn=2))
    ledger.file(a_draft())
    assert ledger.scripts_dropped == {1: 1, 2: 2}


def test_restore_drops_only_the_text_of_earlier_turns() -> None:
    """R18."""
    ledger = Ledger()
    ledger.file(a_draft("old"))
    ledger.file(a_draft("new", turn=2))
    old, new = drop_earlier_text(ledger.rows, 2)
    assert old == dataclasses.replace(ledger.rows[0], text=None)
    assert new is ledger.rows[1]


def test_restore_with_nothing_to_drop_hands_back_the_same_object() -> None:
    """R18."""
    ledger = Ledger()
    ledger.file(a_draft("new", turn=2))
    rows = ledger.rows
    assert drop_earlier_text(rows, 2) is rows


def test_row_without_a_turn_number_is_never_an_earlier_turn() -> None:
    filed = file_row((), dataclasses.replace(a_draft(), turn=None))
    assert drop_earlier_text(filed.rows, 2) is filed.rows


def test_filing_leaves_the_given_ledger_as_it_is() -> None:
    before = file_row((), a_draft()).rows
    after = file_row(before, a_draft())
    assert (len(before), len(after.rows), after.dispatch, after.dropped) == (1, 2, 2, False)


def test_numbers_of_a_restored_ledger_go_on_after_the_highest() -> None:
    rows = (ScriptRow(dispatch=5, **{f.name: getattr(a_draft(), f.name) for f in dataclasses.fields(Draft)}),)
    assert Ledger(rows).file(a_draft()) == 6
    assert file_row(rows, a_draft()).dispatch == 6


FILINGS = st.lists(st.tuples(st.integers(1, 2), st.none() | st.integers(0, 18), st.booleans()), min_size=0, max_size=60)


@given(FILINGS)
def test_both_writers_have_one_rule(filings: list[tuple[int, int | None, bool]]) -> None:
    ledger, rows, dropped = Ledger(), (), 0  # type: tuple[Ledger, tuple[ScriptRow, ...], int]
    for turn, join, paused in filings:
        filed = file_row(rows, a_draft(turn=turn), join=join, paused=paused)
        assert ledger.file(a_draft(turn=turn), join=join, paused=paused) == filed.dispatch
        rows, dropped = filed.rows, dropped + filed.dropped
    assert ledger.rows == rows
    assert sum(ledger.scripts_dropped.values()) == dropped


@given(FILINGS)
def test_turn_never_holds_more_than_its_bound(filings: list[tuple[int, int | None, bool]]) -> None:
    ledger = Ledger()
    for turn, join, paused in filings:
        ledger.file(a_draft(turn=turn), join=join, paused=paused)
    for turn in (1, 2):
        reading = read_rows(ledger.rows, turn)
        assert len(reading.rows) <= MAX_SCRIPT_ROWS
        assert sorted(row.dispatch for row in reading.rows) == list(range(1, len(reading.rows) + 1))


def test_twice_the_rows_of_one_turn_take_twice_the_work() -> None:
    def file(count: int) -> None:
        ledger = Ledger()
        ledger.file(a_draft(outcome="submitted"), paused=True)
        for _ in range(count):
            ledger.file(a_draft(), join=1)
        assert len(read_rows(ledger.rows, 1).rows) == 1

    assert growth(file, 500) < 2.5


def test_hundred_thousand_calls_of_a_full_turn_are_counted() -> None:
    rows: tuple[ScriptRow, ...] = ()
    draft, dropped = a_draft(), 0
    for _ in range(100_000):
        filed = file_row(rows, draft)
        rows, dropped = filed.rows, dropped + filed.dropped
    assert (len(rows), dropped) == (16, 99_984)


# -- the gate

STORED: dict[str, Any] = {
    "kind": "script",
    "tool_call_id": "c",
    "dispatch": 1,
    "tool": "run_code",
    "argument": "code",
    "bytes": 1,
    "lines": 1,
    "text": "p",
    "outcome": "returned",
    "turn": 1,
    "iteration": 1,
}
ABSENT = object()


def a_stored_row(**changes: Any) -> dict[str, Any]:
    return {key: value for key, value in {**STORED, **changes}.items() if value is not ABSENT}


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({}, id="plain"),
        pytest.param({"bytes": 99_999_999, "text": ABSENT}, id="R20"),
        pytest.param({"lines": 77}, id="R21"),
        pytest.param({"colour": "red", "tool_call_id": ""}, id="R27"),
        pytest.param({"outcome": "completed", "exit_code": 0}, id="completed"),
        pytest.param({"outcome": "outcome-unknown", "service_error": True}, id="service-error"),
        pytest.param({"rewritten": True, "result_withheld": "over-ceiling", "language": "bash"}, id="optional"),
        pytest.param({"text": "x" * MAX_SCRIPT_BYTES, "bytes": MAX_SCRIPT_BYTES}, id="longest-text"),
        pytest.param({"text": "\ud800", "bytes": 3}, id="surrogate"),
    ],
)
def test_gate_lets_a_usable_row_in(changes: dict[str, Any]) -> None:
    assert well_formed(a_stored_row(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"bytes": 2}, id="R19"),
        pytest.param({"text": "x" * 32_769, "bytes": 32_769}, id="R19-too-long"),
        pytest.param({"dispatch": 0}, id="R22-zero"),
        pytest.param({"dispatch": 1.5}, id="R22-fraction"),
        pytest.param({"exit_code": None}, id="R23"),
        pytest.param({"outcome": "completed"}, id="R24"),
        pytest.param({"outcome": "completed", "exit_code": 0, "service_error": True}, id="R25-completed"),
        pytest.param({"outcome": "outcome-unknown", "service_error": False}, id="R25-false"),
        pytest.param({"rewritten": False}, id="R26-rewritten"),
        pytest.param({"result_withheld": "x"}, id="R26-withheld"),
        pytest.param({"language": 3}, id="R26-language"),
        pytest.param({"outcome": "ran"}, id="R26-outcome"),
        pytest.param({"outcome": ["returned"]}, id="outcome-list"),
        pytest.param({"text": None}, id="R26-text"),
        pytest.param({"dispatch": True}, id="R28-dispatch"),
        pytest.param({"turn": True}, id="R28-turn"),
        pytest.param({"turn": float("nan")}, id="turn-nan"),
        pytest.param({"iteration": "1"}, id="iteration-text"),
        pytest.param({"bytes": True}, id="bytes-true"),
        pytest.param({"lines": -1}, id="lines-negative"),
        pytest.param({"kind": "scripts"}, id="kind"),
        *[pytest.param({key: ABSENT}, id=f"no-{key}") for key in STORED if key != "text"],
    ],
)
def test_gate_refuses_a_row_that_cannot_be_used(changes: dict[str, Any]) -> None:
    assert not well_formed(a_stored_row(**changes))


@given(
    st.dictionaries(
        st.sampled_from([*STORED, "exit_code", "service_error", "language", "rewritten"]),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.lists(st.none(), max_size=1),
    )
)
def test_gate_answers_whatever_is_stored(changes: dict[str, Any]) -> None:
    assert well_formed({**STORED, **changes}) in (True, False)


def test_writer_files_nothing_that_its_own_gate_refuses() -> None:
    for settlement in ("returned", "threw", "not-entered"):
        for facts in (
            None,
            EXIT_0,
            CodeRunFacts(exit_code=3),
            CodeRunFacts(service_error=True),
            CodeRunFacts(ok=False),
        ):
            row = a_row(proposed="p", settlement=settlement, facts=facts)
            assert row is not None
            filed = dataclasses.asdict(file_row((), row).rows[0])
            stored = {key: value for key, value in filed.items() if value is not None and value is not False}
            assert well_formed({"kind": "script", **stored})
