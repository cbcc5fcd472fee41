"""From the facts of a turn to its explanation."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_footprint.explanation import Explanation
from otel_footprint.facts import (
    CallOutcome,
    CodeRun,
    Content,
    ContentState,
    Coverage,
    CoverageItem,
    Handoff,
    IncompleteReason,
    InViewResult,
    Routing,
    Settlement,
    ToolCall,
    Turn,
)
from otel_footprint.fold.explain import MAX_ANSWER_CHARS, MAX_QUESTION_CHARS, explain
from otel_footprint.testing import assert_consistent

SPAN = format(1, "016x")


def turn(*calls: ToolCall, **facts: Any) -> Turn:
    return Turn(
        **{
            "trace_id": format(1, "032x"),
            "span_id": SPAN,
            "name": "invoke_agent",
            "finished": True,
            "routing": "none",
            "calls": calls,
            **facts,
        }
    )


def call(number: int = 2, tool: str | None = "search", **facts: Any) -> ToolCall:
    span_id = format(number, "016x")
    return ToolCall(
        **{
            "span_id": span_id,
            "carrier_span_id": span_id,
            "tool": tool,
            "start_ns": number,
            "end_ns": number + 1,
            "outcome_pointer": f"{span_id}#status",
            **facts,
        }
    )


def recorded(value: Any, number: int = 2) -> Content:
    return Content(state="recorded", value=value, pointer=f"{format(number, '016x')}#attribute:r")


def run(program: Any = "print(1)", **facts: Any) -> CodeRun:
    submitted = program if isinstance(program, Content) else recorded(program)
    return CodeRun(**{"argument": "code", "declared_by": "span", "submitted": submitted, **facts})


def said(*calls: ToolCall, **facts: Any) -> Explanation:
    found = explain(turn(*calls, **facts))
    assert_consistent(found)
    return found


# -- the turn -----------------------------------------------------------------------------------------------------


def test_the_facts_of_the_turn_are_handed_on() -> None:
    facts: dict[str, Any] = {
        "agent": "a",
        "conversation_id": "c",
        "turn": 3,
        "nested_in": format(9, "016x"),
        "stand_in": True,
        "revision": 2,
        "incomplete": ("idle",),
        "finished": False,
    }
    found = said(**facts)
    assert {key: getattr(found, key) for key in facts} == facts


@pytest.mark.parametrize(
    ("side", "limit"), [("question", MAX_QUESTION_CHARS), ("answer", MAX_ANSWER_CHARS)], ids=["question", "answer"]
)
def test_a_long_text_is_cut_at_its_limit_and_says_so(side: str, limit: int) -> None:
    whole = said(**{side: recorded("x" * limit)})
    cut = said(**{side: recorded("x" * (limit + 1))})
    assert getattr(whole, side) == "x" * limit
    assert getattr(cut, side) == "x" * (limit - 1) + "…"


@pytest.mark.parametrize(
    "content", [Content(), Content(state="redacted"), recorded(7), recorded(None), recorded(["x"])], ids=str
)
def test_what_is_no_recorded_text_is_no_question(content: Content) -> None:
    assert said(question=content).question is None


# -- what came back -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "emptiness", "rows", "undeclared"),
    [
        ({"result": recorded("[]")}, "undeclared-empty", 0, False),
        ({"result": recorded([1])}, "non-empty", 1, False),
        ({"result": recorded({"rows": []})}, "unknown", None, True),
        ({"result": recorded({"rows": []}), "rows_at": "rows"}, "undeclared-empty", 0, False),
        ({"result": recorded("text")}, "unknown", None, False),
        ({"result": recorded(None)}, "unknown", None, False),
        ({"result": Content()}, "unknown", None, False),
        ({"result": Content(), "rows": 0}, "undeclared-empty", 0, False),
        ({"result": Content(), "rows": 4}, "non-empty", 4, False),
        ({"result": recorded([]), "rows": 4}, "undeclared-empty", 0, False),
    ],
    ids=str,
)
def test_each_call_says_what_came_back(
    facts: dict[str, Any], emptiness: str, rows: int | None, undeclared: Any
) -> None:
    (found,) = said(call(**facts)).calls
    assert (found.emptiness, found.rows, found.undeclared_shape) == (emptiness, rows, undeclared)
    assert found.result_recorded == facts["result"].recorded


def ledger(*items: CoverageItem) -> Coverage:
    return Coverage(statement="ledger", items=items, pointer="p#attribute:coverage.kind")


CHECKED = CoverageItem(section="checked", what="mail")
GAP = CoverageItem(section="notChecked", what="files", kind="existence")
ABSENCE = Coverage(statement="absence", items=(CHECKED,), pointer="p#attribute:coverage.kind")


@pytest.mark.parametrize(
    ("statements", "result", "emptiness"),
    [
        ((ABSENCE,), "anything", "declared-absent"),
        ((ledger(CHECKED),), "[]", "declared-absent"),
        ((ledger(CHECKED),), [], "declared-absent"),
        ((ledger(CHECKED),), "[1]", "non-empty"),
        ((ledger(CHECKED),), {"af_coverage": {}, "result": []}, "declared-absent"),
        ((ledger(CHECKED),), '{"af_coverage": {}, "result": [1]}', "non-empty"),
        ((ledger(CHECKED), ABSENCE), "[]", "declared-absent"),
        ((ledger(CHECKED),), "[not json", "unknown"),
    ],
    ids=str,
)
def test_a_declaration_beside_a_result_is_read_with_it(statements: Any, result: Any, emptiness: str) -> None:
    assert said(call(coverage=statements, result=recorded(result))).calls[0].emptiness == emptiness


@pytest.mark.parametrize(("rows", "emptiness"), [(0, "declared-absent"), (1, "non-empty")])
def test_a_declaration_beside_a_row_count_is_read_with_it(rows: int, emptiness: str) -> None:
    assert said(call(coverage=(ledger(CHECKED),), rows=rows)).calls[0].emptiness == emptiness


def test_a_results_own_envelope_speaks_where_declarations_are_not_recorded_apart() -> None:
    envelope = {"af_coverage": {"not_checked": [{"what": "files", "kind": "existence"}]}, "result": [1]}
    assert [s.id for s in said(call(result=recorded(envelope))).signals] == ["existence-not-checked"]
    assert [s.id for s in said(call(result=recorded(json.dumps(envelope)))).signals] == ["existence-not-checked"]
    assert said(call(result=recorded(envelope), coverage_recorded=True)).signals == ()


@pytest.mark.parametrize("word", ["REDACTED", "[REDACTED]", "<REDACTED>", "__REDACTED__"])
def test_a_placeholder_keeps_content_out_only_under_a_policy(word: str) -> None:
    assert said(call(result=recorded(word))).calls[0].rows_unread is None
    assert said(call(result=recorded(word)), redaction="p").calls[0].rows_unread == "redacted"


def test_a_placeholder_test_takes_any_value() -> None:
    rows: dict[str, Any] = {"rows": [{"a": []}]}
    assert said(call(result=recorded(rows), rows_at="rows"), redaction="p").calls[0].rows == 1


# -- signals and lines --------------------------------------------------------------------------------------------


def test_a_signal_names_its_call_and_where_to_look() -> None:
    (signal,) = said(call(call_id="c1", result=recorded([]))).signals
    assert (signal.call_id, signal.tool, signal.evidence) == ("c1", "search", (f"{format(2, '016x')}#attribute:r",))


def test_a_signal_of_a_declaration_points_to_the_declaration() -> None:
    (signal,) = said(call(coverage=(ledger(CHECKED, GAP),), result=recorded([1]))).signals
    assert signal.evidence == ("p#attribute:coverage.kind",)


def test_a_signal_of_a_call_without_a_result_points_to_how_it_ended() -> None:
    (signal,) = said(call(rows=0)).signals
    assert signal.evidence == (f"{format(2, '016x')}#status",)


def test_an_earlier_result_in_view_is_judged_and_named() -> None:
    earlier = InViewResult(tool="look", call_id="c0", distance=2, result=recorded([], 7))
    (signal,) = said(in_view=(earlier,)).signals
    assert (signal.id, signal.call_id, signal.evidence) == (
        "undeclared-empty-in-view",
        "c0",
        (f"{format(7, '016x')}#attribute:r",),
    )


def test_an_earlier_result_that_cannot_be_read_says_which_and_what_would_help() -> None:
    earlier = InViewResult(tool="look", call_id="c0", distance=1, result=Content(state="cut"))
    (line,) = said(in_view=(earlier,), enable="SWITCH=1").unreached
    assert (line.tool, line.call_id, line.evidence) == ("look", "c0", ())


@pytest.mark.parametrize(
    ("state", "missing"),
    [
        ("absent", "no-event"),
        ("redacted", "redacted"),
        ("cut", "unreadable"),
        ("too-deep", "unreadable"),
        ("unreadable", "unreadable"),
    ],
)
def test_a_missing_result_says_how_it_is_missing(state: ContentState, missing: str) -> None:
    (line,) = said(call(result=Content(state=state), enable="SWITCH=1")).unreached
    assert (line.check, line.missing) == ("empty-results", missing)
    assert (line.enable == "SWITCH=1") == (state == "absent")


def test_an_object_without_a_declared_shape_says_what_to_declare() -> None:
    (line,) = said(call(result=recorded({"a": 1}))).unreached
    assert line.missing == "not-declared"
    assert "rows_at for search" in (line.enable or "")


def test_items_without_a_kind_say_what_to_declare() -> None:
    item = CoverageItem(section="notChecked", what="files")
    (line,) = [
        u for u in said(call(coverage=(ledger(item),), result=recorded([1]))).unreached if u.check == "existence"
    ]
    assert (line.missing, "kind" in (line.enable or "")) == ("not-declared", True)


def test_an_unnamed_call_is_said_by_its_span_when_it_has_no_id() -> None:
    (line,) = said(call(tool=None)).unreached
    assert line.missing == "unreadable"
    assert format(2, "016x") in line.about


# -- routing ------------------------------------------------------------------------------------------------------

ARRIVED, LOST = Handoff(target="b", delivered=True), Handoff(target="c", delivered=False)


@pytest.mark.parametrize(
    ("routing", "handoffs", "state"),
    [
        ("none", (LOST,), "not_applicable"),
        ("handoffs", (), "not_applicable"),
        ("handoffs", (ARRIVED,), "reachable"),
        ("handoffs", (ARRIVED, LOST), "reachable"),
        ("unknown", (), "unreachable"),
    ],
    ids=str,
)
def test_routing_is_judged_by_what_can_be_recorded_of_it(routing: Routing, handoffs: Any, state: str) -> None:
    assert "decided-delivered" in getattr(said(routing=routing, handoffs=handoffs).checks, state)


def test_a_hand_off_that_a_whole_record_does_not_hold_never_arrived() -> None:
    assert [s.id for s in said(routing="handoffs", handoffs=(ARRIVED, LOST)).signals] == ["decided-not-delivered"]
    assert said(routing="handoffs", handoffs=(ARRIVED,)).signals == ()
    partial = said(routing="handoffs", handoffs=(LOST,), incomplete=("limits-dropped",))
    assert partial.checks.unreachable == ("decided-delivered",)


# -- losses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", get_args(IncompleteReason))
def test_every_loss_is_said_and_forbids_ok(reason: IncompleteReason) -> None:
    whole = said(call(result=recorded([1])))
    lossy = said(call(result=recorded([1])), incomplete=(reason,), dropped=2)
    assert (whole.summary.tone, lossy.summary.tone) == ("ok", "unknown")
    (line,) = [u for u in lossy.unreached if u.check == "record"]
    assert line.evidence == (f"{SPAN}#status",)


def test_values_that_cannot_be_read_are_a_loss() -> None:
    lossy = said(call(result=recorded([1])), unreadable=3)
    assert lossy.summary.tone == "unknown"
    assert "3" in lossy.unreached[0].about


# -- programs -----------------------------------------------------------------------------------------------------


def test_a_row_says_all_of_its_program() -> None:
    program = "print('ä')\n"
    (row,) = said(
        call(
            tool="python",
            call_id="c1",
            iteration=2,
            code_run=run(program, language="python", exit_code=3, exit_code_from="attribute", exit_code_pointer="p#x"),
        ),
        turn=4,
    ).scripts
    assert (row.tool, row.call_id, row.dispatch, row.turn, row.iteration) == ("python", "c1", 1, 4, 2)
    assert (row.bytes, row.lines, row.text) == (12, 1, program)
    assert row.sha256 == hashlib.sha256(program.encode()).hexdigest()
    assert (row.result, row.exit_code, row.exit_code_from) == ("completed-with-failure:exit:3", 3, "attribute")
    assert row.evidence == (f"{format(2, '016x')}#attribute:r", "p#x")
    assert (row.shown, row.declared_by, row.time_ns) == (None, "span", 3)


@pytest.mark.parametrize(
    ("submitted", "proposed", "text", "state", "rewritten"),
    [
        (recorded("a"), recorded("a"), "a", "recorded", False),
        (recorded("a"), recorded("b"), "a", "recorded", True),
        (Content(), recorded("b"), "b", "recorded", False),
        (Content(state="redacted"), recorded("b"), "b", "recorded", False),
        (Content(state="cut"), recorded("b"), "b", "recorded", False),
        (Content(state="too-deep"), Content(state="cut"), None, "too-deep", False),
        (Content(state="redacted"), Content(), None, "redacted", False),
        (Content(), Content(state="cut"), None, "cut", False),
        (Content(), Content(), None, "absent", False),
    ],
    ids=str,
)
def test_a_row_holds_the_submitted_program_else_what_is_left_of_the_record(
    submitted: Content, proposed: Content, text: str | None, state: str, *, rewritten: bool
) -> None:
    (row,) = said(call(code_run=run(submitted, proposed=proposed))).scripts
    assert (row.text, row.program, row.rewritten) == (text, state, rewritten)
    assert (row.bytes is None) == (row.sha256 is None) == (text is None)


@pytest.mark.parametrize("value", [None, 7, ["a"], True, b"a", {"a": 1}], ids=repr)
def test_a_submitted_value_that_is_no_text_files_no_row_although_text_was_proposed(value: Any) -> None:
    assert said(call(code_run=run(recorded(value), proposed=recorded("a")))).scripts == ()


def test_the_seventeenth_program_is_counted_and_not_listed() -> None:
    found = said(*(call(number, code_run=run(str(number))) for number in range(2, 20)))
    assert [row.dispatch for row in found.scripts] == list(range(1, 17))
    assert (found.counts.scripts, found.counts.scripts_dropped, found.counts.calls) == (16, 2, 18)


def test_a_row_without_an_end_has_the_time_of_its_start() -> None:
    (row,) = said(call(end_ns=0, outcome="unknown", settlement="not-entered", code_run=run())).scripts
    assert (row.time_ns, row.outcome) == (2, "submitted")


@pytest.mark.parametrize("code", [True, "0", 1.5, None, [0], float("nan")], ids=repr)
@pytest.mark.parametrize("settlement", get_args(Settlement))
def test_completed_is_never_said_without_an_exit_code(code: Any, settlement: Settlement) -> None:
    for ok in (None, True, False, "yes"):
        (row,) = said(call(settlement=settlement, code_run=run(exit_code=code, exit_code_from="result", ok=ok))).scripts
        assert row.outcome not in {"completed", "completed-with-failure"}
        assert (row.exit_code, row.exit_code_from) == (None, None)


def test_programs_are_only_in_the_json_form_on_request() -> None:
    found = said(call(code_run=run("secret")))
    assert "secret" not in json.dumps(found.to_dict())
    assert found.to_dict(programs=True)["scripts"][0]["text"] == "secret"


# -- counts -------------------------------------------------------------------------------------------------------


def test_each_outcome_is_counted() -> None:
    outcomes = get_args(CallOutcome)
    calls = [call(number, outcome=outcome) for number, outcome in enumerate(outcomes, start=2)]
    counts = said(*calls, call(99, withheld_by="rule")).counts
    assert counts.calls == 7
    assert (counts.failed, counts.refused, counts.declined, counts.not_dispatched, counts.unknown) == (1, 1, 1, 1, 1)
    assert counts.withheld == 1


def test_signals_past_the_cap_are_counted() -> None:
    counts = said(*(call(number, result=recorded([])) for number in range(2, 7))).counts
    assert (counts.signals, counts.signals_omitted) == (5, 2)


# -- whatever the facts are ---------------------------------------------------------------------------------------

contents = st.builds(
    Content,
    state=st.sampled_from(get_args(ContentState)),
    value=st.sampled_from(
        [None, "", "[]", "[1]", "x", [], [1], {}, {"rows": []}, {"af_absent": True, "checked": [1]}, 7]
    ),
    pointer=st.sampled_from([None, "p#attribute:a"]),
)
runs = st.builds(
    CodeRun,
    argument=st.just("code"),
    declared_by=st.sampled_from(["span", "user", "catalogue"]),
    proposed=contents,
    submitted=contents,
    exit_code=st.sampled_from([None, 0, 3, True, "0", 2.0, float("nan"), []]),
    exit_code_from=st.sampled_from(["attribute", "result"]),
    ok=st.sampled_from([None, True, False, "x"]),
    service_error=st.sampled_from([None, True, False, "x"]),
    paused=st.booleans(),
    result_withheld=st.booleans(),
)
items = st.builds(
    CoverageItem,
    section=st.sampled_from(["checked", "notChecked", "cannotCover"]),
    what=st.just("w"),
    kind=st.sampled_from([None, "existence", "scope"]),
    kept_out=st.booleans(),
)
coverages = st.builds(Coverage, statement=st.sampled_from(["absence", "ledger"]), items=st.tuples(items))
calls = st.builds(
    ToolCall,
    span_id=st.sampled_from([None, SPAN]),
    carrier_span_id=st.just(SPAN),
    tool=st.sampled_from([None, "", "f"]),
    call_id=st.sampled_from([None, "", "c"]),
    end_ns=st.sampled_from([0, 5]),
    outcome=st.sampled_from(get_args(CallOutcome)),
    settlement=st.sampled_from(get_args(Settlement)),
    withheld_by=st.sampled_from([None, "w"]),
    presented=st.booleans(),
    result=contents,
    rows=st.sampled_from([None, 0, 3]),
    rows_at=st.sampled_from([None, "rows"]),
    code_run=st.none() | runs,
    coverage=st.lists(coverages, max_size=2).map(tuple),
    coverage_recorded=st.booleans(),
)
turns = st.builds(
    Turn,
    trace_id=st.just(""),
    span_id=st.just(SPAN),
    name=st.just(""),
    turn=st.sampled_from([None, 1]),
    question=contents,
    answer=contents,
    finished=st.booleans(),
    calls=st.lists(calls, max_size=4).map(tuple),
    in_view=st.lists(
        st.builds(InViewResult, tool=st.just("f"), call_id=st.none(), distance=st.integers(1, 3), result=contents),
        max_size=2,
    ).map(tuple),
    in_view_kept_out=st.sampled_from([0, 0, 2]),
    in_view_unrecorded=st.booleans(),
    redaction=st.sampled_from([None, "p"]),
    routing=st.sampled_from(get_args(Routing)),
    handoffs=st.lists(st.sampled_from([ARRIVED, LOST]), max_size=2).map(tuple),
    resumed=st.booleans(),
    incomplete=st.lists(st.sampled_from(get_args(IncompleteReason)), max_size=2, unique=True).map(tuple),
    dropped=st.sampled_from([0, 2]),
    unreadable=st.sampled_from([0, 1]),
)


@given(turns)
@settings(max_examples=400, deadline=None)
def test_any_facts_give_a_consistent_explanation_and_always_the_same(facts: Turn) -> None:
    found = explain(facts)
    assert_consistent(found)
    assert json.dumps(explain(replace(facts)).to_dict(programs=True)) == json.dumps(found.to_dict(programs=True))
