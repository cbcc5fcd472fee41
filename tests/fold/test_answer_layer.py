"""What an answer stands on: the code it shows, the values it names, the check that proves it."""

from __future__ import annotations

import hashlib
from typing import Any, get_args

import pytest

from otel_footprint.config import Config
from otel_footprint.explanation import Explanation
from otel_footprint.facts import (
    CallOutcome,
    CodeRun,
    Content,
    ContentState,
    Coverage,
    CoverageItem,
    Declarations,
    IncompleteReason,
    InViewResult,
    RecordedEvent,
    ToolCall,
    Turn,
)
from otel_footprint.fold.assessment import assess
from otel_footprint.fold.evidence import FLAGGED_VALUE_CHARS, MAX_INDEX_CHARS, MAX_REPORTED_VALUES
from otel_footprint.fold.explain import explain
from otel_footprint.fold.reason_rows import read_row
from otel_footprint.fold.reasons import AssessedCall, Assessment, AssessmentInput, HistoryMessage, Witness, turn_start
from otel_footprint.testing import assert_consistent

SPAN = format(1, "016x")
ANSWER_AT = f"{SPAN}#attribute:footprint.answer"
LOST: tuple[ContentState, ...] = ("absent", "cut", "redacted", "too-deep", "unreadable")
SHOWN: tuple[CallOutcome, ...] = ("ran", "failed", "unknown")


def recorded(value: Any, pointer: str = ANSWER_AT) -> Content:
    return Content(state="recorded", value=value, pointer=pointer)


def call(result: Any = "INC10007 is open", number: int = 2, **facts: Any) -> ToolCall:
    span_id = format(number, "016x")
    content = result if isinstance(result, Content) else recorded(result, f"{span_id}#attribute:r")
    return ToolCall(
        **{
            "span_id": span_id,
            "carrier_span_id": span_id,
            "tool": "search",
            "call_id": f"c{number}",
            "start_ns": number,
            "end_ns": number + 1,
            "result": content,
            **facts,
        }
    )


def program(text: Any, number: int = 2, **facts: Any) -> ToolCall:
    submitted = text if isinstance(text, Content) else recorded(text, "p#attribute:code")
    run = CodeRun(argument="code", declared_by="span", submitted=submitted, **facts)
    return call("done", number, tool="python", code_run=run)


def said(answer: str | Content | None, *calls: ToolCall, config: Config | None = None, **facts: Any) -> Explanation:
    content = answer if isinstance(answer, Content) else Content() if answer is None else recorded(answer)
    turn = Turn(
        **{
            "trace_id": format(1, "032x"),
            "span_id": SPAN,
            "name": "invoke_agent",
            "finished": True,
            "routing": "none",
            "answer": content,
            "calls": calls,
            **facts,
        }
    )
    found = explain(turn, config or Config(account=True))
    assert_consistent(found)
    return found


def reasons(found: Explanation) -> list[str]:
    return [one.reason for one in found.reasons]


def flagged(found: Explanation) -> list[str]:
    assert found.evidence is not None
    return [one.value for one in found.evidence.unsupported]


def says_nothing_of_values(found: Explanation) -> bool:
    assert found.assessment is not None
    assessed = not found.assessment.kept_out
    return (
        found.evidence is None
        and "value-unsupported" not in reasons(found)
        and ("value-unsupported" in found.assessment.not_evaluated) == assessed
        and "names-and-numbers" not in [one.check for one in found.assessment.checked]
    )


def event(pointer: str = f"{SPAN}#event:0", **keys: Any) -> RecordedEvent:
    return RecordedEvent(keys=keys, pointer=pointer)


# -- a value that no result holds -----------------------------------------------------------------------


def test_a_value_that_no_result_holds_is_a_reason_that_points_to_the_answer() -> None:
    found = said("INC10007 and INC99999 are open.", call())
    (reason,) = found.reasons
    assert (reason.reason, reason.evidence, found.standing) == ("value-unsupported", (ANSWER_AT,), "not-sure")
    assert "INC99999" in reason.about
    assert "INC10007" not in reason.about
    assert found.evidence is not None
    assert (found.evidence.candidates, found.evidence.looked_up, found.evidence.source) == (2, 2, "fold")
    assert [(one.value, one.shape, one.region) for one in found.evidence.unsupported] == [
        ("INC99999", "identifier", "prose")
    ]


def test_an_answer_whose_values_are_all_held_is_consistent_and_the_look_up_is_named() -> None:
    found = said("INC10007 is open.", call())
    assert (reasons(found), flagged(found), found.standing) == ([], [], "consistent")
    assert found.assessment is not None
    assert ("names-and-numbers", 1, 1) in [(c.check, c.ran, c.of) for c in found.assessment.checked]


@pytest.mark.parametrize(
    "facts",
    [
        {"before_pause": (call("INC99999", 7),), "resumed": True, "paused_leg_held": True},
        {"in_view": (InViewResult(tool="look", call_id="old", distance=1, result=recorded("INC99999")),)},
        {"told": ("What of INC99999?",)},
    ],
    ids=["before the pause", "an earlier answer's result in view", "the question"],
)
def test_a_value_may_come_from_all_that_the_model_had_before_it(facts: dict[str, Any]) -> None:
    assert flagged(said("INC99999 is closed.", call())) == ["INC99999"]
    assert flagged(said("INC99999 is closed.", call(), **facts)) == []


@pytest.mark.parametrize("outcome", ["refused", "declined", "not-dispatched"])
def test_a_recorded_refusal_grounds_what_it_says(outcome: CallOutcome) -> None:
    assert flagged(said("INC99999 is closed.", call(), call("no INC99999 for you", 3, outcome=outcome))) == []


# -- and never a claim from a record with a gap ------------------------------------------------------------


@pytest.mark.parametrize("state", LOST)
@pytest.mark.parametrize("outcome", SHOWN)
@pytest.mark.parametrize("where", ["calls", "before_pause"])
def test_no_value_is_unsupported_beside_a_result_that_is_not_recorded(
    state: ContentState, outcome: CallOutcome, where: str
) -> None:
    lost = call(Content(state=state), 3, outcome=outcome)
    if where == "calls":
        assert says_nothing_of_values(said("INC99999", call(), lost))
    else:
        held: dict[str, Any] = {"resumed": True, "paused_leg_held": True, "before_pause": (lost,)}
        assert says_nothing_of_values(said("INC99999", call(), **held))


@pytest.mark.parametrize("state", LOST)
def test_no_value_is_unsupported_beside_an_earlier_result_in_view_that_is_not_recorded(state: ContentState) -> None:
    earlier = InViewResult(tool="look", call_id="old", distance=1, result=Content(state=state))
    assert says_nothing_of_values(said("INC99999", call(), in_view=(earlier,)))


@pytest.mark.parametrize(
    "facts",
    [
        {"in_view_kept_out": 1},
        {"in_view_unrecorded": True},
        {"told_partly": True},
        {"resumed": True},
        {"stand_in": True},
    ],
    ids=str,
)
def test_no_value_is_unsupported_where_the_model_had_more_before_it_than_is_recorded(facts: dict[str, Any]) -> None:
    assert says_nothing_of_values(said("INC99999", call(), **facts))


@pytest.mark.parametrize("loss", get_args(IncompleteReason))
def test_no_value_is_unsupported_where_a_result_may_be_lost(loss: IncompleteReason) -> None:
    found = said("INC99999", call(), incomplete=(loss,))
    if loss == "parent-missing":  # that is above the turn's span, and every result lies below
        assert flagged(found) == ["INC99999"]
    else:
        assert says_nothing_of_values(found)


@pytest.mark.parametrize(
    "calls",
    [(), (call(Content(), outcome="refused"),), (call("a receipt", presented=True),)],
    ids=["no call", "a refused call", "a presentation"],
)
def test_no_value_is_unsupported_where_no_call_returned_anything(calls: tuple[ToolCall, ...]) -> None:
    assert says_nothing_of_values(said("INC99999", *calls))


@pytest.mark.parametrize(
    "facts", [{"outcome": "refused"}, {"outcome": "declined"}, {"outcome": "not-dispatched"}, {"presented": True}]
)
def test_a_call_that_showed_the_model_nothing_takes_nothing_away(facts: dict[str, Any]) -> None:
    assert flagged(said("INC99999", call(), call(Content(), 3, **facts))) == ["INC99999"]


@pytest.mark.parametrize("answer", [None, *(Content(state=state) for state in LOST), recorded(["INC99999"])], ids=str)
def test_an_answer_that_is_not_recorded_names_nothing(answer: Content | None) -> None:
    found = said(answer, call())
    assert (found.evidence, found.matching) == (None, None)


def test_of_results_that_could_not_all_be_searched_nothing_is_claimed() -> None:
    found = said("INC99999", call("word " * (MAX_INDEX_CHARS // 5 + 1)))
    assert found.evidence is not None
    assert (found.evidence.truncated, found.evidence.unsupported, reasons(found)) == (True, (), [])
    assert found.recovery is None


def test_the_look_up_can_be_switched_off_and_set() -> None:
    assert said("INC99999", call(), config=Config(evidence=False)).evidence is None
    assert flagged(said("of 321 in eu-west", call(), config=Config(evidence_minimum_digits=3))) == ["321"]
    assert flagged(said("of 321 in eu-west", call(), config=Config(evidence_shapes=("eu-*",)))) == ["eu-west"]
    assert flagged(said("INC99999", call(), config=Config(evidence_exemptions=("inc9*",)))) == []


# -- the runtime's own verdict -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "values", "reason"),
    [
        ({"candidates": 2, "looked_up": 2, "unsupported": []}, [], []),
        ({"candidates": 2, "unsupported": ["X1"]}, ["X1"], ["value-unsupported"]),
        ({"candidates": 2, "unsupported": ["X1"], "revised": True}, ["X1"], ["value-survived-revision"]),
        ({"candidates": 2, "unsupported": 3}, [], ["value-unsupported"]),
    ],
    ids=str,
)
def test_the_runtimes_own_verdict_wins(keys: dict[str, Any], values: list[str], reason: list[str]) -> None:
    found = said("INC99999", call(), declared=Declarations(evidence=(event(**keys),)))
    assert found.evidence is not None
    assert (found.evidence.source, flagged(found), reasons(found)) == ("runtime", values, reason)
    assert {(one.shape, one.region) for one in found.evidence.unsupported} <= {("unknown", "unknown")}
    assert all(one.evidence == (f"{SPAN}#event:0",) for one in found.reasons)


def test_the_runtimes_last_verdict_counts() -> None:
    first, last = event(candidates=1, unsupported=["X1"]), event(candidates=1, unsupported=[])
    assert reasons(said("INC99999", call(), declared=Declarations(evidence=(first, last)))) == []


def test_a_verdict_that_cannot_be_read_is_counted_and_ours_stands() -> None:
    found = said("INC99999", call(), declared=Declarations(evidence=(event(candidates="many"),)))
    assert found.evidence is not None
    assert found.account is not None
    assert (found.evidence.source, flagged(found), found.account["unread"]) == ("fold", ["INC99999"], 1)


# -- what is quoted --------------------------------------------------------------------------------------------


def test_a_long_value_is_quoted_within_its_bound() -> None:
    found = said("a1" * 5_000, call())
    assert [len(value) for value in flagged(found)] == [FLAGGED_VALUE_CHARS]
    assert len(found.reasons[0].about) < 2 * FLAGGED_VALUE_CHARS


def test_many_values_are_quoted_up_to_the_bound_and_it_says_that_there_may_be_more() -> None:
    found = said(" ".join(f"X{number}" for number in range(1000, 1099)), call())
    assert found.evidence is not None
    assert (len(found.evidence.unsupported), found.evidence.capped) == (MAX_REPORTED_VALUES, True)
    assert found.reasons[0].witnesses == MAX_REPORTED_VALUES


@pytest.mark.parametrize(
    ("answer", "quoted"),
    [
        ("the host INC99999, (closed).", "INC99999"),
        ("load: 41,200 ms", "load: 41,200"),
        ("4111 2222 3333 4445", "4111 2222 3333 4445"),
        ("0000 1111 2222 3333 and INC99999", "INC99999"),
        ("**41,200**", "41,200"),
        ("key=abc1$def", "key=abc1$def"),
        ("Authorization: Bearer abc12345", "Authorization: Bearer abc12345"),
        (f"x{'=' * 300}abc12345", "abc12345"),
    ],
    ids=lambda text: text[:20],
)
def test_a_value_is_quoted_as_written_with_the_label_by_which_a_secret_can_be_told(answer: str, quoted: str) -> None:
    assert set(flagged(said(answer, call("0000 1111 2222 3333")))) == {quoted}


# -- the code that the answer shows ----------------------------------------------------------------------------

BLOCK = "See:\n```python\nprint(41200)\n```\n"


@pytest.mark.parametrize(
    ("facts", "label", "exit_code"),
    [
        ({"exit_code": 0, "exit_code_from": "attribute"}, "completed", 0),
        ({"exit_code": 7, "exit_code_from": "attribute"}, "completed-with-failure", 7),
        ({}, "returned", None),
    ],
    ids=str,
)
def test_m01_a_block_that_is_a_submitted_program_has_its_label_and_needs_no_evidence(
    facts: dict[str, Any], label: str, exit_code: int | None
) -> None:
    found = said(BLOCK, program("print(41200)", **facts))
    assert found.matching is not None
    (block,) = found.matching.blocks
    assert (block.block, block.label, block.exit_code, block.dispatch) == (1, label, exit_code, 1)
    assert (block.tool, block.call_id) == ("python", "c2")
    assert (reasons(found), flagged(found)) == ([], [])
    assert [script.shown for script in found.scripts] == ["matched"]


@pytest.mark.parametrize(
    ("calls", "earlier"),
    [
        ((program("print(41201)"),), 0),
        ((call(),), 0),
        ((program("print(41200) "),), 0),
        ((program("print(1)"),), 3),
        ((program(f"print(41200)#{'x' * 40_000}"),), 0),
    ],
    ids=["M02 another program", "M05 no program", "M02 one space", "M03 maybe an earlier turn's", "M04 too long"],
)
def test_m07_a_block_that_is_no_submitted_program_is_a_reason_and_is_checked_like_prose(
    calls: tuple[ToolCall, ...], earlier: int
) -> None:
    found = said(BLOCK, *calls, earlier_scripts=earlier)
    assert found.matching is not None
    assert ([b.label for b in found.matching.blocks], found.matching.earlier_turn_rows) == (["unmatched"], earlier)
    assert reasons(found) == ["value-unsupported", "script-unmatched"]
    assert found.standing == "not-sure"
    assert found.evidence is not None
    assert [(one.value, one.region) for one in found.evidence.unsupported] == [("print(41200", "code")]
    assert {script.shown for script in found.scripts} <= {"not-shown", None}


def test_m06_a_block_that_is_what_the_model_proposed_and_a_rewrite_replaced_is_unmatched() -> None:
    run = program("print(1)", proposed=recorded("print(41200)"))
    assert "script-unmatched" in reasons(said(BLOCK, run))


def test_m08_with_matching_switched_off_a_block_is_no_reason() -> None:
    found = said(BLOCK, program("print(1)"), config=Config(matching=False, evidence=False))
    assert (found.matching, reasons(found)) == (None, [])
    assert found.assessment is not None
    assert "script-unmatched" in found.assessment.not_evaluated


@pytest.mark.parametrize("state", LOST)
def test_where_a_program_is_not_recorded_no_block_is_judged_and_nothing_in_it_flagged(state: ContentState) -> None:
    found = said(f"INC99999\n{BLOCK}", program(Content(state=state)))
    assert found.matching is None
    assert (reasons(found), flagged(found)) == (["value-unsupported"], ["INC99999"])


def test_regions_past_the_bound_are_counted() -> None:
    found = said("```\na\n```\n" * 18, program("a"))
    assert found.matching is not None
    assert (len(found.matching.blocks), found.matching.regions_dropped) == (16, 2)


# -- what a runtime may say when it asks for a revision ----------------------------------------------------------


def test_m10_an_unmatched_block_with_a_flagged_value_says_what_is_to_be_shown() -> None:
    found = said(BLOCK, program("print(1)"))
    assert found.recovery is not None
    assert (found.recovery.unmatched, found.recovery.tools_named) == (True, ("python",))
    assert "python" in found.recovery.text


def test_m12_a_matched_block_beside_a_flagged_value_says_that_it_stays() -> None:
    found = said(f"INC99999\n{BLOCK}", program("print(41200)", exit_code=7, exit_code_from="attribute"))
    assert found.recovery is not None
    assert (found.recovery.unmatched, found.recovery.kept_calls) == (False, ("c2",))
    assert "completed with failure, exit 7" in found.recovery.text


@pytest.mark.parametrize("answer", ["INC10007", BLOCK, "INC99999"], ids=["held", "M13 matched only", "no block"])
def test_m09_otherwise_nothing_is_to_be_said(answer: str) -> None:
    assert said(answer, program("print(41200)"), call()).recovery is None


# -- the check that proves ------------------------------------------------------------------------------------------

ANSWER = "INC10007 is open."
DIGEST = hashlib.sha256(ANSWER.encode()).hexdigest()
PASSED = {"status": "passed", "mode": "enforce", "digest": DIGEST}


@pytest.mark.parametrize("digest", [DIGEST, DIGEST.upper()])
def test_f03_an_enforced_check_of_exactly_this_answer_supports_it(digest: str) -> None:
    check = event(f"{SPAN}#attribute:footprint.answer_check.status", **{**PASSED, "digest": digest})
    found = said(ANSWER, call(), declared=Declarations(answer_check=check))
    assert (found.standing, reasons(found)) == ("known", [])
    assert found.assessment is not None
    assert found.assessment.support is not None
    assert found.assessment.support.digest == DIGEST
    assert found.assessment.support.evidence == (check.pointer,)


@pytest.mark.parametrize(
    ("changed", "standing"),
    [
        ({"mode": "observe"}, "consistent"),
        ({"digest": hashlib.sha256(b"INC10007 is open").hexdigest()}, "consistent"),
        ({"digest": None}, "consistent"),
        ({"mode": None}, "consistent"),
        ({"status": "failed"}, "not-sure"),
        ({"status": "unverified"}, "not-sure"),
        ({"status": "surely"}, "consistent"),
        ({"digest": DIGEST[:-1]}, "consistent"),
    ],
    ids=str,
)
def test_f04_any_other_check_supports_nothing(changed: dict[str, Any], standing: str) -> None:
    keys = {key: value for key, value in {**PASSED, **changed}.items() if value is not None}
    found = said(ANSWER, call(), declared=Declarations(answer_check=event(**keys)))
    assert found.assessment is not None
    assert (found.standing, found.assessment.support) == (standing, None)


def test_a_check_of_an_answer_that_is_not_recorded_whole_supports_nothing() -> None:
    found = said(Content(state="cut"), call(), declared=Declarations(answer_check=event(**PASSED)))
    assert found.standing == "consistent"


def test_a_check_that_fails_its_gate_is_counted() -> None:
    found = said(ANSWER, call(), declared=Declarations(answer_check=event(status=7)))
    assert found.account is not None
    assert found.account["unread"] == 1


def test_f05_a_reason_goes_before_any_support() -> None:
    declared = Declarations(answer_check=event(**PASSED), stopped_early=recorded("max_turns"))
    found = said(ANSWER, call(), declared=declared)
    assert found.assessment is not None
    assert (found.standing, reasons(found), found.assessment.support) == ("not-sure", ["stopped-early"], None)


# -- how the turn ended ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "standing"),
    [
        ({"finished": False, "declared": Declarations(pause=event(tool_call_id="c2"))}, "ask"),
        ({"finished": False, "end_ns": 9}, None),
        ({"finished": False, "end_ns": 0}, None),
        ({"finished": False, "end_ns": 9, "stand_in": True}, None),
        ({"finished": True}, "not-assessed"),
    ],
    ids=["a pause", "an error", "no end", "a stand-in", "an answer that is not recorded"],
)
def test_what_stands_depends_on_how_the_turn_ended(facts: dict[str, Any], standing: str | None) -> None:
    found = said(None, call(), **facts)
    assert (found.standing, found.assessment is None) == (standing, standing is None)


def test_f06_a_pause_is_a_question_and_points_to_it() -> None:
    pause = event(f"{SPAN}#event:4", tool_call_id="c2")
    found = said(None, call([]), finished=False, declared=Declarations(pause=pause))
    assert (reasons(found), found.standing) == (["asked", "empty-undeclared"], "ask")
    assert found.reasons[0].evidence == (f"{SPAN}#event:4",)


@pytest.mark.parametrize("value", ["", [], None])
def test_an_empty_declaration_declares_nothing(value: Any) -> None:
    declared = Declarations(stopped_early=recorded(value), steps_unfinished=recorded(value))
    assert reasons(said(ANSWER, call(), declared=declared)) == []


def test_steps_left_undone_are_a_reason() -> None:
    declared = Declarations(steps_unfinished=recorded(["ask Bob"]))
    assert reasons(said(ANSWER, call(), declared=declared)) == ["steps-unfinished"]


@pytest.mark.parametrize(
    ("facts", "evaluated"),
    [
        ({}, []),
        ({"resumed": True, "paused_leg_held": True}, ["asked"]),
        ({"declared": Declarations(emits=frozenset({"coverage"}))}, []),
        ({"declared": Declarations(stopped_early=Content(state="cut"))}, ["stopped-early"]),
        ({"declared": Declarations(answer_check=event(**PASSED))}, ["answer-check-failed", "check-unreachable"]),
    ],
    ids=str,
)
def test_what_the_record_could_have_shown_is_told_from_what_it_could_not(
    facts: dict[str, Any], evaluated: list[str]
) -> None:
    plain, found = said(ANSWER, call()), said(ANSWER, call(), **facts)
    assert plain.assessment is not None
    assert found.assessment is not None
    assert set(evaluated) <= set(plain.assessment.not_evaluated) - set(found.assessment.not_evaluated)


def test_coverage_of_a_runtime_that_records_it_could_have_been_a_gap() -> None:
    unread = call(Content())
    silent, telling = said(ANSWER, unread), said(ANSWER, unread, declared=Declarations(emits=frozenset({"coverage"})))
    assert silent.assessment is not None
    assert telling.assessment is not None
    assert "coverage-gap" in silent.assessment.not_evaluated
    assert "coverage-gap" not in telling.assessment.not_evaluated


def test_f20_a_history_that_is_kept_out_is_not_assessed() -> None:
    found = said(ANSWER, call(), in_view_kept_out=2)
    assert found.assessment is not None
    assert (found.standing, found.assessment.kept_out) == ("not-assessed", ("history",))


def test_f13_a_conflict_of_earlier_calls_only_is_nothing() -> None:
    def rows(*ids: str) -> Declarations:
        return Declarations(rows=(event(kind="conflict", body={"witnesses": list(ids)}),))

    earlier = (InViewResult(tool="look", call_id="old", distance=1, result=recorded("x")),)
    assert reasons(said(ANSWER, call(), turn=2, in_view=earlier, declared=rows("old"))) == []
    assert reasons(said(ANSWER, call(), turn=2, in_view=earlier, declared=rows("old", "c2"))) == ["sources-conflict"]


def test_a_row_that_fails_its_gate_is_counted_and_fires_nothing() -> None:
    found = said(ANSWER, call(), declared=Declarations(rows=(event(kind="period", body="{}"),)))
    assert found.account is not None
    assert (reasons(found), found.account["unread"]) == ([], 1)


# -- what the assessment says of its input ---------------------------------------------------------------------------


def assessed(**facts: Any) -> Assessment:
    found = assess(AssessmentInput(**facts))
    assert found is not None
    return found


@pytest.mark.parametrize("value", ["", 7, None, ["c"]], ids=repr)
def test_f21_a_pause_that_names_no_call_is_about_none(value: Any) -> None:
    (asked,) = assessed(ended_in="pause", paused_call_id=value).reasons
    assert [(one.call_id, asked.calls) for one in asked.witnesses] == [(None, 1)]
    (named,) = assessed(ended_in="pause", paused_call_id="c").reasons
    assert [one.call_id for one in named.witnesses] == ["c"]


def test_a_reason_counts_its_calls_and_a_witness_without_one_by_itself() -> None:
    gap = Coverage(statement="ledger", items=(CoverageItem(section="notChecked", what="x"),))
    absent = Coverage(statement="absence", items=(CoverageItem(section="notChecked", what="x"),))
    calls = (
        AssessedCall(ref=0, call_id="c0", coverage=(gap, absent)),
        AssessedCall(ref=1, coverage=(gap,)),
        AssessedCall(ref=2, call_id="c0", coverage=(gap,)),
    )
    found = {one.reason.reason: one for one in assessed(calls=calls).reasons}
    assert (found["coverage-gap"].calls, len(found["coverage-gap"].witnesses)) == (3, 4)
    assert [(one.ref, one.call_id) for one in found["coverage-gap"].witnesses] == [
        (0, "c0"),
        (0, "c0"),
        (1, None),
        (2, "c0"),
    ]
    rows = [read_row("contingent", body) for body in ({}, {}, {}, {"tool_call_id": "gone"}, {"tool_call_id": "gone"})]
    (contingent,) = assessed(rows=tuple(row for row in rows if row is not None)).reasons
    assert (contingent.calls, len(contingent.witnesses)) == (4, 5)


def test_a_statement_beside_a_result_that_is_not_recorded_was_checked_and_could_have_named_a_gap() -> None:
    stated = Coverage(statement="ledger", items=(CoverageItem(section="checked", what="x"),))
    found = assessed(calls=(AssessedCall(ref=0, coverage=(stated,)), AssessedCall(ref=1)))
    assert [(one.check, one.ran, one.of) for one in found.checked] == [("tool-coverage", 1, 2)]
    assert "coverage-gap" not in found.not_evaluated
    assert "empty-undeclared" in found.not_evaluated


def test_a_reason_makes_the_assessment_unknown_and_says_where_the_turn_begins() -> None:
    doubted = assessed(stopped_early=Witness(), turn_from="person")
    assert (doubted.assessment, doubted.standing, doubted.turn_from) == ("unknown", "not-sure", "person")
    assert assessed(kept_out=("history",), turn_from="person").turn_from == "person"


def test_a_turn_begins_after_the_last_message_though_that_is_the_persons() -> None:
    said_last = [HistoryMessage(role="assistant"), HistoryMessage(role="user", text="hi")]
    assert turn_start(said_last) == (2, "person")
    assert turn_start(said_last[1:]) == (1, "person")
