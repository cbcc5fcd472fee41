"""Whether the answer stands: the table of reasons, what fires each, and what follows (table of assessments)."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.facts import Coverage, CoverageItem
from otel_footprint.fold.assessment import MAX_VALUE_WITNESSES, assess
from otel_footprint.fold.emptiness import Declared, Door, Reading, declared_of, read_emptiness
from otel_footprint.fold.reason_rows import ROW_KINDS, EvidenceFacts, Row, read_row
from otel_footprint.fold.reasons import (
    CHECK_LAYERS,
    FRAMES,
    REASONS,
    AssessedCall,
    Assessment,
    AssessmentInput,
    HistoryMessage,
    Witness,
    turn_start,
)
from otel_footprint.fold.sentences import SENTENCES

ANSWER = hashlib.sha256(b"It is closed.").hexdigest()

EMPTY = Reading(emptiness="undeclared-empty", rows=0, source="library")
ROWS = Reading(emptiness="non-empty", rows=2, source="library")
ABSENT = Reading(emptiness="declared-absent")
UNREAD = Reading(emptiness="unknown", undeclared_shape=True)

PASSED = {"status": "passed", "mode": "enforce", "digest": ANSWER}


def statement(kind: Any, *, gap: bool = False, pointer: str = "span#attribute:coverage.checked") -> Coverage:
    items = [CoverageItem(section="checked", what="the archive")]
    if gap:
        items.append(CoverageItem(section="notChecked", what="the attic"))
    return Coverage(statement=kind, items=tuple(items), pointer=pointer)


def call(reading: Reading | None = None, *coverage: Coverage, **facts: Any) -> AssessedCall:
    return AssessedCall(
        **{"ref": 0, "call_id": "c0", "reading": reading, "coverage": coverage, "pointer": "r", **facts}
    )


def of_value(value: Any, *coverage: Coverage, rows_at: str | None = None) -> AssessedCall:
    """A call as the readers would find it from the value it returned and the statements on its record."""
    door = None
    if coverage:
        kinds = {one.statement for one in coverage}
        door = Door(absent="absence" in kinds, bounded="ledger" in kinds)
    reading = read_emptiness(value, rows_at=rows_at, door=door)
    return call(reading, *coverage, declared=None if coverage else declared_of(value))


def row(kind: str, pointer: str | None = "row", /, **body: Any) -> Row:
    found = read_row(kind, body, pointer=pointer)
    assert found is not None
    return found


def assessed(*calls: AssessedCall, **facts: Any) -> Assessment:
    found = assess(AssessmentInput(**{"calls": calls, "turn": 3, "answer_sha256": ANSWER, **facts}))
    assert found is not None
    return found


def fired(found: Assessment) -> list[str]:
    return [one.reason.reason for one in found.reasons]


def by_rows(*rows: Row, **facts: Any) -> list[str]:
    return fired(assessed(rows=rows, **facts))


def checked(found: Assessment) -> dict[str, tuple[int, int]]:
    return {one.check: (one.ran, one.of) for one in found.checked}


# -- the table --------------------------------------------------------------------------------------


def test_every_reason_is_there_once_with_its_sentence() -> None:
    names = [reason.reason for reason in REASONS]
    assert len(set(names)) == len(names) == 27
    sentences = {key.removesuffix(".named") for key in SENTENCES if key.startswith("reason.")}
    assert {f"reason.{name}" for name in names} == sentences


def test_the_order_is_the_reports_and_not_the_layers() -> None:
    layers = [reason.layer for reason in REASONS]
    assert (layers[0], layers[24], layers[26]) == (None, 3, None)
    assert layers[22:24] == [4, 4]


def test_every_reason_is_read_from_rows_or_named_records() -> None:
    records = {"pause", "coverage", "results", "evidence", "revision", "matching", "stopped-early"}
    assert {source for reason in REASONS for source in reason.read_from} <= records | set(ROW_KINDS)


# -- the scenarios ----------------------------------------------------------------------------------


def test_f01_empty_record_is_not_assessed() -> None:
    found = assess(AssessmentInput())
    assert found is not None
    assert (found.assessment, found.standing, found.turn_from) == ("not-applicable", "not-assessed", "whole-history")
    assert (found.reasons, found.checked, found.support) == ((), (), None)


def test_f02_rows_that_came_back_are_consistent() -> None:
    found = assessed(of_value([1, 2]))
    assert (found.assessment, found.standing) == ("unrefuted", "consistent")
    assert checked(found) == {"tool-coverage": (0, 1), "result-shape": (1, 1)}


def test_f03_enforced_check_of_exactly_this_answer_makes_it_known() -> None:
    found = assessed(rows=(row("answer-check", **PASSED),))
    assert (found.assessment, found.standing) == ("known", "known")
    assert found.support is not None
    assert (found.support.kind, found.support.digest, found.support.pointer) == ("answer-validation", ANSWER, "row")


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({**PASSED, "mode": "observe"}, id="observed-only"),
        pytest.param({"status": "passed", "mode": "enforce"}, id="no-digest"),
        pytest.param({**PASSED, "digest": "0" * 64}, id="another-text"),
        pytest.param({"status": "passed", "digest": ANSWER}, id="no-mode"),
        pytest.param({**PASSED, "check": "agent:tone"}, id="one-check-is-no-report"),
    ],
)
def test_f04_any_other_pass_is_only_consistent(body: dict[str, Any]) -> None:
    found = assessed(rows=(row("answer-check", **body),))
    assert (found.standing, found.support) == ("consistent", None)
    assert checked(found) == {"answer-checks": (1, 1)}


def test_pass_supports_nothing_when_the_answer_is_not_recorded() -> None:
    assert assessed(rows=(row("answer-check", **PASSED),), answer_sha256=None).standing == "consistent"
    assert assessed(rows=(row("answer-check", status="passed", mode="enforce"),), answer_sha256=None).support is None


@pytest.mark.parametrize("key", ["digest", "candidate_digest", "candidateDigest"])
def test_digest_is_compared_without_regard_to_case(key: str) -> None:
    body = {"status": "passed", "mode": "enforce", key: ANSWER.upper()}
    assert assessed(rows=(row("answer-check", **body),)).standing == "known"


def test_f05_a_reason_takes_the_support_away() -> None:
    found = assessed(rows=(row("answer-check", **PASSED),), stopped_early=Witness(pointer="s"))
    assert (fired(found), found.standing, found.support) == (["stopped-early"], "not-sure", None)


def test_f06_a_pause_asks_whatever_else_fired() -> None:
    found = assessed(of_value([]), paused_call_id="c9", pause_pointer="p", ended_in="pause")
    assert fired(found) == ["asked", "empty-undeclared"]
    assert (found.assessment, found.standing) == ("unknown", "ask")
    assert found.reasons[0].witnesses == (Witness(pointer="p", call_id="c9"),)


def test_f07_absence_with_a_gap_fires_both_in_table_order() -> None:
    found = assessed(call(ABSENT, statement("absence", gap=True)))
    assert fired(found) == ["coverage-gap", "declared-absent"]


def test_f08_ledger_around_nothing_is_an_absence_by_the_result() -> None:
    value = {"af_coverage": {"checked": ["the archive"]}, "result": []}
    found = assessed(of_value(value, statement("ledger")))
    assert fired(found) == ["declared-absent"]
    assert found.reasons[0].witnesses[0].pointer == "r"


def test_f09_absence_in_the_value_alone_counts_as_coverage() -> None:
    found = assessed(of_value({"af_absent": True, "checked": ["the archive"]}))
    assert fired(found) == ["declared-absent"]
    assert checked(found)["tool-coverage"] == (1, 1)


BOTH_GAPPED = {
    "af_coverage": {"not_checked": ["the attic"]},
    "result": {"af_absent": True, "checked": ["the archive"], "cannot_cover": [{"what": "the cloud", "why": "no"}]},
}


def test_f10_two_envelopes_without_rows_are_one_witness_each() -> None:
    found = assessed(of_value(BOTH_GAPPED))
    assert [(one.reason.reason, len(one.witnesses)) for one in found.reasons] == [
        ("coverage-gap", 1),
        ("declared-absent", 1),
    ]


def test_f11_two_rows_are_two_witnesses_of_one_call() -> None:
    rows = (statement("ledger", gap=True, pointer="a"), statement("absence", gap=True, pointer="b"))
    found = assessed(of_value(BOTH_GAPPED, *rows))
    assert [(one.reason.reason, [w.pointer for w in one.witnesses], one.calls) for one in found.reasons] == [
        ("coverage-gap", ["a", "b"], 1),
        ("declared-absent", ["b"], 1),
    ]


def test_f12_object_of_undeclared_shape_is_not_assessed() -> None:
    found = assessed(of_value({"volumes": []}))
    assert found.standing == "not-assessed"
    assert checked(found) == {"tool-coverage": (0, 1), "result-shape": (0, 1)}
    assert fired(assessed(of_value({"volumes": []}, rows_at="volumes"))) == ["empty-undeclared"]


CONFLICTS = [
    pytest.param({"witnesses": ["c0", "old"]}, True, id="a-call-of-this-turn"),
    pytest.param({"witnesses": ["old"], "turn": 3}, False, id="F13-only-earlier-calls"),
    pytest.param({"witnesses": ["old"]}, False, id="only-earlier-calls-unstamped"),
    pytest.param({"witnesses": ["gone", "old"], "turn": 3}, True, id="stamped-and-not-provably-earlier"),
    pytest.param({"witnesses": ["gone"]}, False, id="unstamped"),
    pytest.param({"witnesses": ["gone"], "turn": 2}, False, id="stamped-earlier"),
    pytest.param({"witnesses": ["c0"], "turn": 2}, True, id="a-call-of-this-turn-whatever-the-stamp"),
]


@pytest.mark.parametrize(("body", "fires"), CONFLICTS)
def test_f13_conflict_fires_where_it_belongs(body: dict[str, Any], *, fires: bool) -> None:
    found = assessed(call(ROWS), rows=(row("conflict", **body),), earlier_call_ids=frozenset({"old"}))
    assert ("sources-conflict" in fired(found)) is fires


def test_conflict_without_turn_numbers_fires_unless_it_is_all_earlier() -> None:
    facts: dict[str, Any] = {"turn": None, "earlier_call_ids": frozenset({"old"})}
    assert by_rows(row("conflict", witnesses=["gone"]), **facts) == ["sources-conflict"]
    assert by_rows(row("conflict", witnesses=["old"]), **facts) == []


@pytest.mark.parametrize(
    ("revised", "reason"), [(False, "value-unsupported"), (True, "value-survived-revision")], ids=str
)
def test_f14_unsupported_values_before_and_after_a_revision(reason: str, *, revised: bool) -> None:
    found = assessed(evidence=(EvidenceFacts(candidates=4, unsupported=2, revised=revised, pointer="e"),))
    assert fired(found) == [reason]
    assert found.reasons[0].witnesses == (Witness(pointer="e"),) * 2
    assert checked(found) == {"names-and-numbers": (1, 1)}


def test_unsupported_values_are_witnesses_within_a_bound() -> None:
    found = assessed(evidence=(EvidenceFacts(candidates=99, unsupported=10**9),))
    assert len(found.reasons[0].witnesses) == MAX_VALUE_WITNESSES


def history(*messages: tuple[str, str]) -> list[HistoryMessage]:
    return [HistoryMessage(role=role, text=text) for role, text in messages]


def test_f15_an_earlier_turns_empty_result_is_not_this_turns() -> None:
    messages = history(("user", "one"), ("tool", "[]"), ("assistant", "none"), ("user", "two"), ("tool", "[1]"))
    start, turn_from = turn_start(messages)
    results = [of_value(message.text) for message in messages[start:] if message.role == "tool"]
    found = assessed(*results, turn_from=turn_from)
    assert (found.standing, found.turn_from) == ("consistent", "person")


@pytest.mark.parametrize("frame", FRAMES)
def test_f16_a_librarys_frame_does_not_begin_a_turn(frame: str) -> None:
    messages = history(("user", "one"), ("tool", "[]"), ("user", f"{frame}: 3 messages]"), ("tool", "[1]"))
    assert turn_start(messages) == (1, "person")


def test_something_delivered_does_not_begin_a_turn() -> None:
    messages = [HistoryMessage(role="user", text="a file", delivery=True), HistoryMessage(role="tool", text="[]")]
    assert turn_start(messages) == (0, "whole-history")
    assert turn_start([]) == (0, "whole-history")


@pytest.mark.parametrize(
    ("body", "reasons"),
    [
        ({"status": "failed"}, ["answer-check-failed"]),
        ({"status": "unverified"}, ["check-unreachable"]),
        ({"status": "failed", "unreachable": 2}, ["answer-check-failed", "check-unreachable"]),
        ({"status": "failed", "unreachable": 0}, ["answer-check-failed"]),
        ({"status": "failed", "reason": "timed out"}, ["answer-check-failed", "check-unreachable"]),
        ({"status": "failed", "reason": "claim-exceeds-search"}, ["claim-exceeds-search", "answer-check-failed"]),
        ({"status": "failed", "check": "agent:tone", "reason": "too sure"}, ["answer-check-failed"]),
        ({"status": "passed", "reason": "timed out"}, []),
        ({"check": "agent:negative-claims:typed", "reason": "claim-exceeds-search"}, ["claim-exceeds-search"]),
        ({"check": "agent:negative-claims:x", "reason": "declaration-overclaimed"}, ["declaration-overclaimed"]),
        ({"check": "agent:tone", "reason": "declaration-overclaimed"}, []),
        ({"status": "passed", "reason": "declaration-overclaimed"}, []),
    ],
)
def test_f17_answer_checks(body: dict[str, Any], reasons: list[str]) -> None:
    found = assessed(rows=(row("answer-check", **body),))
    assert fired(found) == reasons
    assert ("answer-checks" in checked(found)) is ("status" in body)


def test_a_check_that_could_not_be_run_has_no_layer() -> None:
    found = assessed(rows=(row("answer-check", status="unverified"),))
    assert (found.reasons[0].reason.layer, found.reasons[0].reason.source) == (None, "run")


@pytest.mark.parametrize("looked_up", [0, 3])
def test_f18_a_clean_pass_counts_only_when_it_looked_something_up(looked_up: int) -> None:
    for facts in (
        {"rows": (row("grounded", looked_up=looked_up),)},
        {"evidence": (EvidenceFacts(candidates=5, looked_up=looked_up),)},
    ):
        found = assessed(**facts)
        assert checked(found) == ({"names-and-numbers": (1, 1)} if looked_up else {})
        assert (found.standing, found.support) == ("consistent" if looked_up else "not-assessed", None)


def test_f19_a_later_covered_period_of_the_same_call_replaces_nothing() -> None:
    rows = (row("period", verdict="not-held", tool_call_id="c"), row("period", verdict="covered", tool_call_id="c"))
    found = assessed(rows=rows)
    assert fired(found) == ["period-not-held"]
    assert checked(found) == {"result-period": (2, 2)}


def test_f20_nothing_is_assessed_of_a_record_that_is_kept_out() -> None:
    found = assessed(of_value([]), paused_call_id="c", kept_out=("state", "history"))
    assert (found.assessment, found.standing, found.kept_out) == (
        "not-applicable",
        "not-assessed",
        ("history", "state"),
    )
    assert (found.reasons, found.checked, found.not_evaluated) == ((), (), ())


@pytest.mark.parametrize("call_id", ["", 7, None, ["c"]])
def test_f21_what_is_no_call_id_is_no_pause(call_id: Any) -> None:
    assert fired(assessed(paused_call_id=call_id)) == []


def test_placeholder_of_a_pause_is_no_pause() -> None:
    facts: dict[str, Any] = {"paused_call_id": "[REDACTED]", "is_placeholder": lambda value: value == "[REDACTED]"}
    assert fired(assessed(**facts)) == []
    assert fired(assessed(**{**facts, "paused_call_id": "c"})) == ["asked"]
    assert fired(assessed(**facts, ended_in="pause")) == ["asked"]


def test_a_turn_that_ended_in_a_pause_asks_without_any_id() -> None:
    found = assessed(ended_in="pause", pause_pointer="p")
    assert (found.standing, found.reasons[0].witnesses) == ("ask", (Witness(pointer="p"),))


def test_f22_a_statement_on_the_record_speaks_for_an_empty_result() -> None:
    found = assessed(call(EMPTY, statement("ledger")))
    assert (fired(found), found.standing) == ([], "consistent")


def test_m07_shown_code_that_matches_nothing_is_a_reason() -> None:
    rows = (row("script-shown", block=1, label="unmatched"), row("script-shown", block=2, label="submitted"))
    found = assessed(rows=rows)
    assert (fired(found), len(found.reasons[0].witnesses), found.standing) == (["script-unmatched"], 1, "not-sure")


def test_m08_without_rows_about_shown_code_there_is_no_reason() -> None:
    assert by_rows(row("script-shown", block=1, label="submitted")) == []
    assert "script-unmatched" in assessed().not_evaluated


# -- what fires on arguments ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "reasons"),
    [
        ({"source": "default"}, ["argument-assumed"]),
        ({"source": "default", "source_check": "failed"}, ["argument-assumed", "argument-unverified"]),
        ({"source": "model"}, []),
        ({"source": "model", "ruled": True}, ["argument-unverified"]),
        ({"source": "model", "period": True}, ["argument-unverified"]),
        ({"source": "app", "source_check": "failed"}, ["argument-unverified"]),
        ({"source": "app", "source_check": "passed"}, []),
        ({"source": "said"}, []),
        ({"source": "said", "reading": "last week"}, ["argument-read"]),
        ({"source": "said", "reading": "last week", "source_check": "failed"}, ["argument-unverified"]),
        ({"source": "result"}, []),
        ({"source": "result", "set_aside": ["b"]}, ["value-contingent"]),
        ({"source": "answered", "ruled": True}, []),
        ({"source": "asked"}, ["argument-asked"]),
        ({"source": "default", "ruled": True, "rewrite_origin": "person"}, []),
        ({"source": "default", "ruled": True, "rewrite_origin": "app"}, []),
        ({"source": "said", "ruled": True, "rewrite_origin": "policy"}, ["argument-assumed"]),
        ({"source": "model", "period": True, "rewrite_origin": "policy"}, []),
    ],
)
def test_argument_reasons(body: dict[str, Any], reasons: list[str]) -> None:
    assert by_rows(row("argument", argument="since", **body)) == reasons


def test_question_about_an_argument_asks() -> None:
    found = assessed(argument_ask=Witness(pointer="q"), rows=(row("argument", argument="a", source="asked"),))
    assert found.standing == "ask"
    assert [one.pointer for one in found.reasons[0].witnesses] == ["q", "row"]


def test_the_last_row_of_a_calls_argument_counts() -> None:
    rows = (
        row("argument", argument="since", source="asked", tool_call_id="c"),
        row("argument", argument="until", source="default", tool_call_id="c"),
        row("argument", argument="since", source="answered", tool_call_id="c", source_check="passed"),
    )
    found = assessed(rows=rows)
    assert fired(found) == ["argument-assumed"]
    assert checked(found) == {"argument-rules": (2, 2), "argument-sources": (1, 1)}


def test_rows_without_a_call_are_never_merged() -> None:
    rows = (row("argument", argument="since", source="default"), row("argument", argument="since", source="said"))
    found = assessed(rows=rows)
    assert (fired(found), found.reasons[0].calls) == (["argument-assumed"], 1)
    assert checked(found) == {"argument-rules": (2, 2)}


def test_source_check_that_could_not_be_run_is_no_verdict() -> None:
    rows = (row("argument", argument="a", source="app", source_check="unreachable"),)
    assert checked(assessed(rows=rows))["argument-sources"] == (0, 1)


# -- periods, and rows that are a reason by being there ---------------------------------------------


@pytest.mark.parametrize(
    ("body", "reasons"),
    [
        ({"verdict": "covered"}, []),
        ({"verdict": "partly-held"}, ["period-partly-held"]),
        ({"verdict": "unknown"}, ["period-unknown"]),
        ({"verdict": "undeclared"}, ["period-undeclared"]),
        (
            {"verdict": "not-held", "differs": True, "beyondRetention": True},
            ["period-not-held", "period-differs-from-asked", "period-beyond-retention"],
        ),
        ({"verdict": "covered", "differs": {"asked": "May"}}, ["period-differs-from-asked"]),
    ],
)
def test_period_reasons(body: dict[str, Any], reasons: list[str]) -> None:
    assert by_rows(row("period", **body)) == reasons


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("time-derived", "derived-from-reading"),
        ("steps-unfinished", "steps-unfinished"),
        ("negative-claim", "negative-prose-unverified"),
        ("negative-claim-note", "negative-prose-unverified"),
    ],
)
def test_row_that_is_a_reason_by_being_there(kind: str, reason: str) -> None:
    assert by_rows(row(kind, turn=3)) == [reason]
    assert by_rows(row(kind)) == [reason]
    assert by_rows(row(kind, turn=2)) == []
    assert by_rows(row(kind, turn=2), turn=None) == [reason]


def test_unfinished_steps_may_stand_on_the_turn_itself() -> None:
    found = assessed(steps_unfinished=Witness(pointer="a"), rows=(row("steps-unfinished", "b"),))
    assert [one.pointer for one in found.reasons[0].witnesses] == ["b", "a"]


@pytest.mark.parametrize("kind", ["argument", "period", "grounded", "script-shown", "answer-check", "contingent"])
def test_row_of_an_earlier_turn_says_nothing(kind: str) -> None:
    bodies: dict[str, dict[str, Any]] = {
        "argument": {"argument": "a", "source": "default"},
        "period": {"verdict": "not-held"},
        "grounded": {"looked_up": 2},
        "script-shown": {"block": 1, "label": "unmatched"},
        "answer-check": {"status": "failed"},
    }
    found = assessed(rows=(row(kind, turn=2, **bodies.get(kind, {})),))
    assert (fired(found), checked(found)) == ([], {})


# -- contingent rows --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "turn", "fires"),
    [
        pytest.param([{"turn": 3}], 3, True, id="stamped"),
        pytest.param([{"turn": 2}], 3, False, id="stamped-earlier"),
        pytest.param([{"tool_call_id": "c0"}], 3, True, id="a-call-of-this-turn"),
        pytest.param([{"tool_call_id": "old"}], 3, False, id="a-call-of-an-earlier-turn"),
        pytest.param([{"tool_call_id": "old"}], None, True, id="no-turn-number"),
        pytest.param([{}], 3, True, id="no-stamps-at-all"),
        pytest.param([{}, {"turn": 2}], 1, True, id="first-turn"),
        pytest.param([{}, {"turn": 2}], 3, False, id="among-an-earlier-turns-rows"),
        pytest.param([{"turn": 2}, {}], 3, False, id="nothing-provably-of-this-turn"),
    ],
)
def test_contingent_row_belongs_to_its_turn(rows: list[dict[str, Any]], turn: int | None, *, fires: bool) -> None:
    found = assessed(call(ROWS), rows=tuple(row("contingent", **body) for body in rows), turn=turn)
    assert ("value-contingent" in fired(found)) is fires


def test_unstamped_contingent_row_belongs_to_the_turn_whose_rows_began_before_it() -> None:
    rows = (row("grounded", looked_up=0, turn=2), row("grounded", looked_up=0, turn=3), row("contingent"))
    assert by_rows(*rows) == ["value-contingent"]


# -- witnesses and counts ---------------------------------------------------------------------------


def test_witness_of_a_row_names_the_call_unless_two_share_its_id() -> None:
    period = row("period", verdict="not-held", tool_call_id="c0")
    alone = assessed(call(ROWS), rows=(period,))
    shared = assessed(call(ROWS), call(ROWS, ref=1), rows=(period,))
    assert alone.reasons[0].witnesses == (Witness(pointer="row", ref=0, call_id="c0"),)
    assert shared.reasons[0].witnesses == (Witness(pointer="row", call_id="c0"),)


def test_two_calls_that_share_an_id_are_two() -> None:
    found = assessed(call(EMPTY), call(EMPTY, ref=1), call(EMPTY, ref=2, call_id=None))
    assert (found.reasons[0].calls, len(found.reasons[0].witnesses)) == (3, 3)


def test_statement_without_a_pointer_points_at_the_result() -> None:
    found = assessed(call(ABSENT, Coverage(statement="absence", items=statement("absence", gap=True).items)))
    assert [one.witnesses[0].pointer for one in found.reasons] == ["r", "r"]


def test_gap_in_the_values_own_envelope_counts_without_a_row() -> None:
    gap = Declared(absent=False, bounded=True, gap=True)
    assert fired(assessed(call(ROWS, declared=gap))) == ["coverage-gap"]
    assert fired(assessed(call(ROWS, statement("ledger"), declared=gap))) == []


# -- how the turn ended -----------------------------------------------------------------------------


@pytest.mark.parametrize("ended_in", ["error", "unrecorded"])
def test_turn_without_an_answer_or_a_pause_is_not_assessed_at_all(ended_in: Any) -> None:
    assert assess(AssessmentInput(ended_in=ended_in, calls=(call(EMPTY),))) is None
    paused = assess(AssessmentInput(ended_in=ended_in, paused_call_id="c"))
    assert paused is not None
    assert paused.standing == "ask"


# -- what could not fire ----------------------------------------------------------------------------


def test_reasons_that_nothing_could_show_are_named_in_table_order() -> None:
    found = assessed(call(ROWS, statement("ledger")), evidence=(EvidenceFacts(candidates=0),))
    seen = {"coverage-gap", "declared-absent", "empty-undeclared", "value-unsupported"}
    assert found.not_evaluated == tuple(reason.reason for reason in REASONS if reason.reason not in seen)


def test_what_a_runtime_is_known_to_record_is_evaluated() -> None:
    everything = frozenset(source for reason in REASONS for source in reason.read_from)
    assert assessed(records=everything).not_evaluated == ()
    assert "asked" not in assessed(records=frozenset({"pause"})).not_evaluated


# -- properties -------------------------------------------------------------------------------------

TURNS = st.none() | st.integers(0, 4)
IDS = st.sampled_from(["c0", "c1", "old", ""])
COMMON = {"turn": st.integers(0, 4), "tool_call_id": IDS}
FIELDS: dict[str, dict[str, Any]] = {
    "argument": {
        "argument": st.sampled_from("ab"),
        "source": st.sampled_from(["default", "model", "said", "answered", "result", "app", "asked"]),
    },
    "period": {"verdict": st.sampled_from(["covered", "not-held", "partly-held", "unknown", "undeclared"])},
    "conflict": {"witnesses": st.lists(IDS, min_size=1, max_size=3)},
    "script-shown": {"block": st.just(1), "label": st.sampled_from(["unmatched", "submitted"])},
    "grounded": {"looked_up": st.integers(0, 2)},
    "answer-check": {"status": st.sampled_from(["passed", "failed", "unverified"])},
}
MORE: dict[str, dict[str, Any]] = {
    "argument": {
        "ruled": st.booleans(),
        "reading": st.booleans(),
        "set_aside": st.booleans(),
        "source_check": st.sampled_from(["passed", "failed", "unreachable"]),
        "rewrite_origin": st.sampled_from(["person", "policy"]),
    },
    "period": {"differs": st.booleans(), "beyond_retention": st.booleans()},
    "answer-check": {
        "mode": st.sampled_from(["enforce", "observe"]),
        "digest": st.sampled_from([ANSWER, "0" * 64]),
        "reason": st.sampled_from(["claim-exceeds-search", "declaration-overclaimed", "late"]),
        "unreachable": st.integers(0, 1),
    },
}


@st.composite
def any_row(draw: st.DrawFn) -> Row:
    kind = draw(st.sampled_from(ROW_KINDS))
    optional = {**COMMON, **MORE.get(kind, {})}
    body = draw(st.fixed_dictionaries(FIELDS.get(kind, {}), optional=optional))
    return row(kind, draw(st.sampled_from(["r1", "r2"])), **body)


STATEMENTS = st.builds(statement, st.sampled_from(["absence", "ledger"]), gap=st.booleans())
CALLS = st.builds(
    AssessedCall,
    ref=st.integers(0, 3),
    call_id=st.none() | IDS,
    coverage=st.lists(STATEMENTS, max_size=2).map(tuple),
    declared=st.none() | st.builds(Declared, absent=st.booleans(), bounded=st.booleans(), gap=st.booleans()),
    reading=st.none() | st.sampled_from([EMPTY, ROWS, ABSENT, UNREAD]),
    pointer=st.just("result"),
)
INPUTS = st.builds(
    AssessmentInput,
    turn=TURNS,
    ended_in=st.sampled_from(["answer", "pause", "error", "unrecorded"]),
    paused_call_id=st.none() | IDS | st.integers(),
    pause_pointer=st.just("pause"),
    argument_ask=st.none() | st.just(Witness(pointer="ask")),
    calls=st.lists(CALLS, max_size=3).map(tuple),
    rows=st.lists(any_row(), max_size=6).map(tuple),
    evidence=st.lists(
        st.builds(EvidenceFacts, candidates=st.integers(0, 3), unsupported=st.integers(0, 3), pointer=st.just("e")),
        max_size=2,
    ).map(tuple),
    stopped_early=st.none() | st.just(Witness(pointer="stop")),
    steps_unfinished=st.none() | st.just(Witness(pointer="steps")),
    earlier_call_ids=st.just(frozenset({"old"})),
    answer_sha256=st.none() | st.just(ANSWER),
)


@given(INPUTS)
def test_standing_follows_from_what_fired_and_what_was_checked(facts: AssessmentInput) -> None:
    found = assess(facts)
    if found is None:
        assert facts.ended_in in ("error", "unrecorded")
        return
    classes = {one.reason.reason_class for one in found.reasons}
    ran = any(one.ran for one in found.checked)
    if "ask" in classes:
        expected = ("unknown", "ask")
    elif classes:
        expected = ("unknown", "not-sure")
    elif found.support is not None:
        expected = ("known", "known")
    else:
        expected = ("unrefuted", "consistent") if ran else ("not-applicable", "not-assessed")
    assert (found.assessment, found.standing) == expected
    assert (found.support is not None) is (found.standing == "known")
    assert found.support is None or facts.answer_sha256 == ANSWER
    assert assess(facts) == found


@given(INPUTS)
def test_reasons_keep_the_tables_order_and_point_only_at_the_record(facts: AssessmentInput) -> None:
    found = assess(facts)
    if found is None:
        return
    order = [reason.reason for reason in REASONS]
    assert fired(found) == sorted(fired(found), key=order.index)
    assert not set(fired(found)) & set(found.not_evaluated)
    known = {"result", "pause", "ask", "e", "stop", "steps", "r1", "r2", statement("ledger").pointer}
    for one in found.reasons:
        assert one.witnesses
        assert {witness.pointer for witness in one.witnesses} <= known
        assert 1 <= one.calls <= len(one.witnesses)
    for one_check in found.checked:
        assert 0 <= one_check.ran <= one_check.of
        assert one_check.layer == CHECK_LAYERS[one_check.check]
