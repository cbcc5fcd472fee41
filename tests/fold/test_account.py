"""The account of an answer: seven rows, who vouches for each line, where it points, and how long it may be."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from otel_footprint.facts import Content, Coverage, CoverageItem, Handoff
from otel_footprint.fold import account as account_module
from otel_footprint.fold.account import MAX_ACCOUNT_BYTES, build_account, fit, json_bytes
from otel_footprint.fold.account_input import AccountCall, AccountInput, AccountInView
from otel_footprint.fold.account_lines import ITEM_BUDGET_ITEMS, LONG_TEXT_BUDGET, MAX_POINTER_CHARS, SHORT_TEXT_CHARS
from otel_footprint.fold.account_values import KIND, Account, AccountRow, Chip, Line, rank, weakest
from otel_footprint.fold.assessment import assess
from otel_footprint.fold.check_values import CheckInput, Decided, InView, JudgedCall, Loss
from otel_footprint.fold.emptiness import Reading
from otel_footprint.fold.reason_rows import EvidenceFacts
from otel_footprint.fold.reasons import REASONS, AssessedCall, AssessmentInput, Support, Witness
from otel_footprint.fold.routing import RoutingFacts, RoutingVerdict, SkillsDelivery, decide
from otel_footprint.fold.verdict import run_checks
from otel_footprint.fold.wording import WORDING_VERSION

TURN = "turn#status"
NOTHING = Decided(state="not-applicable")

EMPTY = Reading(emptiness="undeclared-empty", rows=0, source="library")
ROWS = Reading(emptiness="non-empty", rows=2, source="library")
ABSENT = Reading(emptiness="declared-absent")
TEXT = Reading(emptiness="unknown")

IDS = ["asked", "understood", "checked", "not-checked", "found", "how-sure", "anything-wrong"]


def text(value: Any, pointer: str | None = "turn#attribute:q") -> Content:
    return Content(state="recorded", value=value, pointer=pointer)


def item(section: Any = "checked", what: str = "the archive", **more: Any) -> CoverageItem:
    return CoverageItem(section=section, what=what, **more)


def said(*items: CoverageItem, statement: Any = "ledger", **more: Any) -> Coverage:
    return Coverage(**{"statement": statement, "items": items, "pointer": "call#attribute:coverage.checked", **more})


def call(reading: Reading | None = ROWS, *statements: Coverage, **facts: Any) -> AccountCall:
    state = "absent" if reading is None else "recorded"
    return AccountCall(
        **{
            "tool": "find",
            "call_id": "c1",
            "reading": reading,
            "result_state": state,
            "result_pointer": "call#attribute:result",
            "statements": statements,
            **facts,
        }
    )


def judged(calls: tuple[AccountCall, ...]) -> tuple[JudgedCall, ...]:
    return tuple(
        JudgedCall(
            ref=ref,
            tool=one.tool,
            call_id=one.call_id,
            outcome=one.outcome,
            withheld=one.withheld,
            ended=one.outcome != "unknown",
            presented=one.presented,
            items=tuple(each for statement in one.statements for each in statement.items),
            reading=one.reading,
            result_state=one.result_state,
        )
        for ref, one in enumerate(calls)
    )


def inputs(*calls: AccountCall, **facts: Any) -> AccountInput:
    """An input whose checks were really run on its calls."""
    decided = facts.pop("decided", NOTHING)
    turn = facts.pop("check", {})
    in_view = facts.get("in_view", ())
    checks = run_checks(
        CheckInput(
            **{
                "decided": decided,
                "calls": judged(calls),
                "before_pause_calls": judged(facts.get("before_pause", ())),
                "resumed_leg": facts.get("resumed", False),
                "state_held": facts.get("state_held", False),
                "in_view": tuple(
                    InView(ref=ref, tool=one.tool, distance=one.distance, windowed=one.windowed, reading=one.reading)
                    for ref, one in enumerate(in_view)
                ),
                **turn,
            }
        )
    )
    return AccountInput(
        **{"run_id": "trace/turn", "pointer": TURN, "checks": checks, "decided": decided, "calls": calls, **facts}
    )


def account(*calls: AccountCall, **facts: Any) -> Account:
    return build_account(inputs(*calls, **facts))


def row(found: Account, name: str) -> AccountRow:
    return found.rows[IDS.index(name)]


def ids(found: Account, name: str) -> list[str]:
    return [line.id for line in row(found, name).lines]


def texts(found: Account, name: str) -> list[str]:
    return [line.text for line in row(found, name).lines]


def only(found: Account, name: str) -> Line:
    lines = row(found, name).lines
    assert len(lines) == 1, [line.id for line in lines]
    return lines[0]


# -- the envelope -----------------------------------------------------------------------------------


def test_seven_rows_always_in_order() -> None:
    found = account()
    assert [one.id for one in found.rows] == IDS
    assert (found.kind, found.shape, found.templates.version) == (KIND, 1, WORDING_VERSION)


def test_every_key_is_in_the_json_form_and_it_is_plain_json() -> None:
    found = account(call(EMPTY, said(item())), turn=3, model="m", foreign=2, unread=1, scope="unfiltered")
    out = json.loads(json.dumps(found.to_dict()))
    assert out == found.to_dict()
    assert out["run"] == {"run_id": "trace/turn", "turn": 3, "model": "m", "resumed_leg": False}
    assert (out["foreign"], out["unread"], out["scope"], out["shortened"]) == (2, 1, "unfiltered", False)
    assert set(out["rows"][0]["lines"][0]) == {
        "id",
        "text",
        "parts",
        "vars",
        "source",
        "status",
        "pointers",
        "missing",
        "chips",
        "item",
        "clipped",
    }


def test_k38_other_runs_are_counted_and_never_read() -> None:
    found = account(call(), foreign=4)
    assert (found.foreign, found.scope, len(found.facts.calls)) == (4, "own-run", 1)


def test_k39_of_a_run_that_is_not_in_the_record_nothing_is_claimed() -> None:
    found = account(call(EMPTY), in_record=False, question=text("hi"), answer=text("yes"))
    assert {line.id for one in found.rows for line in one.lines} == {"account.notInRecord"}
    assert {one.status for one in found.rows} == {"not-recorded"}
    assert (found.summary.tone, found.summary.sentence.id) == ("unknown", "account.notInRecord")
    assert (found.question.value, found.answer.value, found.facts.calls, found.signals) == (None, None, (), ())


def test_question_and_answer_are_facts_within_bounds() -> None:
    found = account(question=text("q" * 2_001), answer=text("a" * 4_000 + "\ud800"))
    assert (len(found.question.value or ""), found.question.clipped) == (2_000, True)
    assert (found.answer.value, found.answer.source, found.answer.clipped) == ("a" * 4_000, "model", True)
    assert account(answer=text("\ud800")).answer.value == "?"


@pytest.mark.parametrize(
    ("content", "missing"),
    [
        (Content(), "no-event"),
        (Content(state="redacted", pointer="p"), "redacted"),
        (Content(state="cut", pointer="p"), "unreadable"),
        (text(7), "unreadable"),
    ],
)
def test_text_that_is_not_recorded_says_how(content: Content, missing: str) -> None:
    found = account(answer=content).answer
    assert (found.value, found.status, found.missing) == (None, "not-recorded", missing)


# -- who vouches ------------------------------------------------------------------------------------


def test_vouchers_are_ranked_and_the_weakest_counts() -> None:
    assert [rank(one) for one in ("person", "library", "tool:find", "model", "app", "rumour")] == [0, 1, 2, 3, 4, 4]
    assert weakest("person", "tool:a", "library", "tool:b") == "tool:a"


def test_a_tools_claim_is_the_tools_and_its_name_the_librarys() -> None:
    lines = row(account(call(ROWS, said(item()))), "checked").lines
    assert [(line.id, line.source) for line in lines] == [
        ("account.checked.items", "tool:find"),
        ("account.item", "tool:find"),
    ]
    assert [(var.name, var.text, var.source) for var in lines[0].vars] == [("tool", "find", "library")]


def test_count_under_a_key_that_the_app_declared_is_the_apps() -> None:
    reading = Reading(emptiness="undeclared-empty", rows=0, source="app", rows_at="rows")
    found = account(call(reading))
    assert only(found, "found").source == "app"
    assert row(found, "anything-wrong").lines[0].source == "app"
    assert found.summary.sentence.source == "app"


def test_row_chips_name_each_voucher_of_its_recorded_lines_once() -> None:
    calls = (call(ROWS, said(item())), call(ROWS, said(item())), call(tool="read"))
    assert [chip.about for chip in row(account(*calls), "checked").chips] == ["tool:find", "library"]


def test_parts_are_the_text_and_say_whose_words_they_are() -> None:
    line = row(account(call(ROWS, said(item(what="the {tool} archive")))), "checked").lines[1]
    assert "".join(part.text for part in line.parts) == line.text == "Ground: the {tool} archive"
    assert [part.type for part in line.parts] == ["text", "quote"]


# -- asked ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "sentence", "source"),
    [
        ({"question_rewritten": False}, "account.asked.own", "person"),
        ({"question_rewritten": None}, "account.asked.recorded", "library"),
        ({"question_rewritten": True}, "account.asked.app", "app"),
        ({"question_held": True, "question_rewritten": False}, "account.asked.held", "library"),
    ],
)
def test_question_is_the_persons_only_when_that_is_known(facts: dict[str, Any], sentence: str, source: str) -> None:
    line = row(account(question=text("Is it\nopen?"), **facts), "asked").lines[0]
    assert (line.id, line.source, line.text.endswith("Is it open?")) == (sentence, source, True)


def test_persons_own_words_are_never_made_up() -> None:
    lines = row(account(question=text("q"), question_rewritten=True), "asked").lines
    assert (lines[1].id, lines[1].missing) == ("account.asked.ownNotRecorded", "no-event")


@pytest.mark.parametrize(
    ("content", "sentence", "missing"),
    [
        (Content(), "account.asked.notRecorded", "no-event"),
        (Content(state="redacted"), "account.asked.redacted", "redacted"),
        (Content(state="too-deep"), "account.asked.unreadable", "unreadable"),
        (text(["q"]), "account.asked.unreadable", "unreadable"),
    ],
)
def test_question_that_cannot_be_quoted(content: Content, sentence: str, missing: str) -> None:
    found = account(question=content)
    assert (only(found, "asked").id, only(found, "asked").missing) == (sentence, missing)
    assert row(found, "asked").status == "not-recorded"


# -- understood -------------------------------------------------------------------------------------


def routed(verdict: RoutingVerdict | None = None, **facts: Any) -> dict[str, Any]:
    handoffs = facts.get("handoffs", ())
    decided = decide(RoutingFacts(verdict=verdict, **facts))
    return {"decided": decided, "verdict": verdict, "handoffs": handoffs}


REFUNDS = RoutingVerdict(by="intent", to="refunds", pointer="turn#event:0/to")


@pytest.mark.parametrize(("routes", "sentence"), [(False, "account.routing.none"), (True, "account.routing.nothing")])
def test_nothing_routed_does_not_apply(sentence: str, *, routes: bool) -> None:
    found = account(routes=routes)
    assert (only(found, "understood").id, row(found, "understood").status) == (sentence, "not-applicable")


@pytest.mark.parametrize(
    ("facts", "sentence", "missing"),
    [
        ({}, "unreachable.routing", "no-event"),
        ({"resumed": True}, "unreachable.routing.beforePause", "before-pause"),
    ],
)
def test_routing_that_is_not_recorded(facts: dict[str, Any], sentence: str, missing: str) -> None:
    line = only(account(**routed(**facts)), "understood")
    assert (line.id, line.status, line.missing) == (sentence, "not-recorded", missing)


def test_chosen_and_given() -> None:
    verdict = replace(REFUNDS, witness="money back", scores={"refunds": 2, "billing": 1})
    given_to = (SkillsDelivery(iteration=1, names=("refunds",), count=1),)
    lines = row(account(**routed(verdict, deliveries=given_to)), "understood").lines
    assert [(line.id.removeprefix("account.routing."), line.source) for line in lines] == [
        ("chosen", "library"),
        ("words", "person"),
        ("scores", "app"),
        ("given", "library"),
        ("confidence", "library"),
    ]
    assert lines[0].text == "Chosen for this question by intent: refunds."
    assert lines[0].pointers == ("turn#event:0/to",)
    assert [(chip.mark, chip.tone) for chip in lines[3].chips] == [("decided-delivered", "ok")]


def test_chosen_and_not_given_names_what_was_given() -> None:
    given_to = (SkillsDelivery(iteration=1, names=("billing",), count=1),)
    found = account(**routed(REFUNDS, deliveries=given_to, answering_iteration=1))
    line = row(found, "understood").lines[1]
    assert line.text.endswith("refunds; the model was given billing.")
    assert [(chip.mark, chip.tone) for chip in line.chips] == [("decided-not-delivered", "bad")]


def test_chosen_and_nobody_knows_whether_given() -> None:
    line = row(account(**routed(REFUNDS)), "understood").lines[1]
    assert (line.id, line.status) == ("unreachable.delivery", "not-recorded")


def test_the_models_own_pick_is_said() -> None:
    assert only(account(**routed(RoutingVerdict(by="menu", to="x"))), "understood").id == "account.routing.ownPick"


def test_hand_offs_are_named_with_their_delivery() -> None:
    asked = (Handoff(target="refunds", delivered=True), Handoff(target=None, delivered=True))
    found = account(**routed(routing="handoffs", handoffs=asked))
    assert [one.removeprefix("account.routing.") for one in ids(found, "understood")] == [
        "handoff",
        "handoffUnnamed",
        "givenUnnamed",
    ]


def test_signal_and_doubt_about_two_hand_offs_are_both_said() -> None:
    asked = (Handoff(target=None, delivered=False), Handoff(target="refunds", delivered=False))
    found = account(**routed(routing="handoffs", handoffs=asked))
    assert ids(found, "understood")[2:] == ["signal.decidedNotDelivered.named", "unreachable.delivery"]


def test_refused_and_declined_calls_are_named_and_all_counted() -> None:
    refused = call(None, outcome="refused", refused_by="no-writes", outcome_pointer="call#status")
    found = account(refused, *[call(None, outcome="declined") for _ in range(14)])
    assert ids(found, "understood")[1:] == ["account.call.refusedBy", "account.call.declined", "account.call.declined"]
    assert (len(found.facts.refusals), found.facts.refusals_omitted) == (12, 3)
    assert (found.facts.refusals[0].rule, found.facts.refusals[0].pointers) == ("no-writes", ("call#status",))


# -- checked ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "sentence", "status"),
    [
        ({"outcome": "failed"}, "account.call.failed", "recorded"),
        ({"outcome": "refused"}, "account.call.refused", "recorded"),
        ({"outcome": "refused", "refused_by": "rule"}, "account.call.refusedBy", "recorded"),
        ({"outcome": "declined"}, "account.call.declined", "recorded"),
        ({"outcome": "not-dispatched"}, "account.call.notDispatched", "recorded"),
        ({"outcome": "unknown"}, "account.call.unknown", "not-recorded"),
        ({"tool": None}, "account.call.unnamed", "not-recorded"),
        ({"tool": None, "call_id": None}, "account.call.unnamed", "not-recorded"),
        ({}, "account.checked.undeclared", "recorded"),
        ({"statements": (said(item("notChecked")),)}, "account.checked.silent", "recorded"),
    ],
)
def test_each_call_has_its_line(facts: dict[str, Any], sentence: str, status: str) -> None:
    line = only(account(call(**facts)), "checked")
    assert (line.id, line.status) == (sentence, status)


def test_line_about_an_outcome_points_at_what_tells_it() -> None:
    assert only(account(call(outcome="failed", outcome_pointer="call#status")), "checked").pointers == ("call#status",)
    assert only(account(call(outcome="failed", result_pointer=None)), "checked").pointers == (TURN,)


def test_unnamed_call_is_counted_unread() -> None:
    assert account(call(tool=None), call()).unread == 1


def test_declared_items_with_their_reason_short_form_and_kind() -> None:
    items = (
        item("notChecked", what="the long name of the attic", short="the attic", kind="existence"),
        item("notChecked", what="the cellar", why="locked", kind="scope"),
        item("notChecked", kept_out=True),
    )
    lines = row(account(call(ROWS, said(*items))), "not-checked").lines
    assert [line.text for line in lines] == [
        "find says that it did not check:",
        "Ground: the attic",
        "Ground: the cellar (because: locked)",
        "Items kept out of this record: 1.",
    ]
    assert [line.item for line in lines] == [False, True, True, True]
    assert [chip for line in lines[1:3] for chip in line.chips] == [
        Chip(mark="kind", tone="warn", about="existence"),
        Chip(mark="kind", tone="plain", about="scope"),
    ]
    assert lines[3].missing == "redacted"


def test_items_past_the_budget_are_counted() -> None:
    found = account(call(ROWS, said(*[item(what=f"shelf {n}") for n in range(20)])))
    lines = row(found, "checked").lines
    assert sum(line.id == "account.item" for line in lines) == ITEM_BUDGET_ITEMS
    assert lines[-1].text == "Items left out here: 8."
    assert found.facts.calls[0].checked == 20


def test_items_share_their_budget_of_characters() -> None:
    found = account(call(ROWS, said(item(what="x" * 2_000), item(what="y" * 1_500), item(what="z"))))
    lines = row(found, "checked").lines
    assert [line.text[:9] for line in lines[1:]] == ["Ground: x", "Ground: z", "Items lef"]


def test_k33_five_calls_are_listed_fifty_are_facts_and_all_are_judged() -> None:
    calls = [call() for _ in range(55)]
    calls[53] = call(None, outcome="failed")
    calls[54] = call(EMPTY)
    found = account(*calls)
    assert (len(found.facts.calls), found.facts.calls_omitted) == (50, 5)
    assert texts(found, "checked")[-1] == "Calls left out here: 50."
    assert texts(found, "not-checked")[-1] == "Calls that ran and are not listed here: 49."
    assert [one.id for one in found.signals] == ["undeclared-empty-used"]


def test_no_call_is_said_and_a_resumed_leg_never_says_it() -> None:
    assert only(account(), "checked").id == "account.calls.none"
    held = account(resumed=True, state_held=True)
    assert only(held, "checked").id == "account.calls.noneThisPart"
    lost = account(resumed=True)
    for name in ("checked", "found"):
        assert only(lost, name).missing == "before-pause"
    named = account(resumed=True, before_pause_tools=("a", "b", "c", "d"))
    assert only(named, "checked").text == "Tools called before the pause, by the history: a, b and c."


def test_calls_before_the_pause_come_after_and_are_marked() -> None:
    before = tuple(call(EMPTY, tool=f"old{n}") for n in range(4))
    found = account(call(), resumed=True, state_held=True, before_pause=before)
    assert texts(found, "checked")[-1] == "Calls left out here: 1."
    marks = [[chip.mark for chip in line.chips] for line in row(found, "found").lines]
    assert marks[:4] == [[], *[["undeclared-empty", "before-pause"]] * 3]
    assert texts(found, "not-checked")[-1] == "Calls that ran and are not listed here: 1."
    assert (len(found.facts.before_pause), found.facts.before_pause_omitted) == (4, 0)
    assert "before-pause" in {chip.mark for chip in row(found, "anything-wrong").lines[0].chips}


# -- not checked ------------------------------------------------------------------------------------


def test_nothing_ran_so_nothing_was_left_unchecked() -> None:
    for found in (account(), account(call(None, outcome="failed"), call(tool=None))):
        assert (only(found, "not-checked").id, row(found, "not-checked").status) == (
            "account.notChecked.nothing",
            "not-applicable",
        )


def test_calls_that_ran_past_the_list_are_said() -> None:
    failed = [call(None, outcome="failed") for _ in range(5)]
    assert only(account(*failed, call()), "not-checked").text == "Calls that ran and are not listed here: 1."
    assert only(account(*failed, call(None, outcome="failed")), "not-checked").id == "account.notChecked.nothing"


def test_limits_and_the_other_tool_are_said_by_the_tool() -> None:
    statement = said(
        item(), item("cannotCover", what="the cloud", why="no key"), try_instead_tool="grep", try_instead="ask Ann"
    )
    lines = row(account(call(ROWS, statement)), "not-checked").lines
    assert [line.id.removeprefix("account.") for line in lines] == [
        "notChecked.undeclared",
        "cannotCover.items",
        "item.why",
        "notChecked.tool",
        "notChecked.place",
    ]
    assert {line.source for line in lines[1:]} == {"tool:find"}
    assert lines[0].chips == ()


def test_call_without_any_declaration_is_marked() -> None:
    assert [chip.mark for chip in only(account(call()), "not-checked").chips] == ["not-declared"]


# -- found ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"outcome": "failed"}, "find failed, so what it would have found is not known."),
        ({"outcome": "refused"}, "find did not run, so it found nothing."),
        ({"outcome": "unknown"}, "find was called, and how that ended is not recorded."),
        ({"tool": None}, "Call c1 is in this record, and nothing names its tool."),
        ({"withheld": True, "reading": EMPTY}, "find returned something that a rule kept from the model."),
        ({"presented": True}, "find showed something; what it returned is a receipt."),
        ({"reading": None}, "find ran, and its result is not recorded."),
        ({"reading": None, "result_state": "cut"}, "find ran, and its result was cut by a length limit."),
        ({"reading": Reading(emptiness="unknown", rows_unread="redacted")}, "find returned something that is kept out"),
        ({"reading": Reading(emptiness="unknown", rows_unread="no-list")}, "find returned a result."),
        ({"reading": EMPTY}, "find returned no rows and did not say what it searched."),
        ({"reading": ROWS}, "find returned rows: 2."),
        ({"reading": Reading(emptiness="non-empty", described={"facts": 2, "edges": 1})}, "facts 2 and edges 1."),
        ({"reading": Reading(emptiness="non-empty")}, "find returned a result."),
        ({"reading": Reading(emptiness="clarify")}, "find returned a question instead of a result."),
        ({"reading": TEXT}, "find returned a result."),
        ({"reading": ABSENT}, "find looked and found nothing."),
        (
            {"reading": ABSENT, "statements": (said(item(), statement="absence", looked_for="a key"),)},
            "find looked and found nothing of this: a key",
        ),
    ],
)
def test_what_came_back_by_how_the_call_ended(facts: dict[str, Any], expected: str) -> None:
    assert expected in only(account(call(**facts)), "found").text


IN_VIEW: list[tuple[Reading | None, bool, str]] = [
    (EMPTY, False, "find returned no rows in the previous answer without saying"),
    (EMPTY, True, "find returned no rows at least 1 answers back without saying"),
    (ROWS, False, "find returned rows in the previous answer, and they were still before the model: 2."),
    (ROWS, True, "find returned rows at least 1 answers back, and they"),
    (ABSENT, False, "find found nothing in the previous answer, and that"),
    (ABSENT, True, "find found nothing at least 1 answers back, and that"),
    (TEXT, False, "find returned a result in the previous answer that"),
    (None, True, "find returned a result at least 1 answers back that"),
]


@pytest.mark.parametrize(("reading", "windowed", "expected"), IN_VIEW)
def test_what_the_model_still_had_before_it(reading: Reading | None, expected: str, *, windowed: bool) -> None:
    earlier = AccountInView(tool="find", distance=1, windowed=windowed, reading=reading, pointer="p")
    line = row(account(in_view=(earlier,)), "found").lines[1]
    assert line.text.startswith(expected)
    assert line.pointers == ("p",)


def test_earlier_results_are_listed_within_a_bound_and_counted() -> None:
    app = Reading(emptiness="non-empty", rows=1, source="app", rows_at="rows")
    earlier = tuple(AccountInView(tool="find", distance=n, reading=app) for n in range(1, 61))
    found = account(in_view=earlier, in_view_kept_out=2, in_view_unrecorded=True)
    assert texts(found, "found")[-3:] == [
        "Earlier results left out here: 57.",
        "Earlier results before the model are kept out of this record: 2.",
        "Whether earlier results were still before the model is not recorded.",
    ]
    assert row(found, "found").lines[1].source == "app"
    assert (len(found.facts.in_view), found.facts.in_view_omitted) == (50, 10)


# -- how sure ---------------------------------------------------------------------------------------


def sure(evidence: EvidenceFacts | None = None, **facts: Any) -> Account:
    assessment = assess(AssessmentInput(**{"records": frozenset({"pause"}), **facts}))
    return account(assessment=assessment, evidence=evidence, evidence_state="off", ended=assessment is not None)


def test_standing_comes_first_then_each_reason_in_calls() -> None:
    empty = AssessedCall(ref=0, call_id="c", reading=EMPTY, pointer="r")
    lines = row(sure(calls=(empty, replace(empty, ref=1)), stopped_early=Witness(pointer="s")), "how-sure").lines
    assert [line.text for line in lines[:3]] == [
        "Reasons not to be sure of the answer: 2.",
        "Reason, in calls (2): A tool returned no rows and did not say what it searched.",
        "The turn was stopped by a limit.",
    ]
    assert [line.pointers for line in lines[1:3]] == [("r",), ("s",)]
    assert lines[3].id == "account.sure.notEvaluated"


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ({"paused_call_id": "c"}, "account.sure.ask"),
        ({}, "account.sure.not-assessed"),
        ({"calls": (AssessedCall(ref=0, reading=ROWS),)}, "account.sure.consistent"),
        ({"kept_out": ("history",)}, "account.sure.redacted"),
        ({"ended_in": "unrecorded"}, "account.sure.untold"),
    ],
)
def test_standing_in_words(facts: dict[str, Any], sentence: str) -> None:
    assert ids(sure(**facts), "how-sure")[0] == sentence


def test_kept_out_state_says_what_is_kept_out_and_stays_a_fact() -> None:
    found = sure(kept_out=("history",))
    assert row(found, "how-sure").lines[0].missing == "redacted"
    assert (found.facts.kept_out, found.facts.standing) == (("history",), "not-assessed")


def test_known_points_at_the_report() -> None:
    assessment = assess(AssessmentInput())
    assert assessment is not None
    known = replace(assessment, standing="known", support=Support(digest="d", pointer="p"))
    line = row(account(assessment=known), "how-sure").lines[0]
    assert (line.id, line.pointers) == ("account.sure.known", ("p",))


def test_runtime_that_records_everything_has_nothing_left_unevaluated() -> None:
    everything = frozenset(source for reason in REASONS for source in reason.read_from)
    assert "account.sure.notEvaluated" not in ids(sure(records=everything), "how-sure")


def test_turn_that_was_not_assessed_says_so() -> None:
    assert row(account(), "how-sure").lines[0].id == "account.sure.notAssessed"


def test_facts_name_reasons_checks_and_what_was_not_evaluated() -> None:
    facts = sure(calls=(AssessedCall(ref=0, reading=EMPTY),)).facts
    assert [(one.reason, one.calls, one.witnesses) for one in facts.reasons] == [("empty-undeclared", 1, 1)]
    assert [(one.check, one.ran, one.of) for one in facts.checked] == [("tool-coverage", 0, 1), ("result-shape", 1, 1)]
    assert (facts.assessment, facts.standing) == ("unknown", "not-sure")
    assert "period-unknown" in facts.not_evaluated


VALUES: list[tuple[EvidenceFacts, list[str]]] = [
    (EvidenceFacts(candidates=0), ["The answer holds no names or numbers to look up."]),
    (EvidenceFacts(candidates=3), ["No name or number of the answer was without support."]),
    (EvidenceFacts(candidates=3, looked_up=0), ["No name or number of the answer needed looking up."]),
    (
        EvidenceFacts(candidates=3, looked_up=3, revised=True, truncated=True),
        [
            "Names and numbers of the answer that were looked up and found: 3.",
            "The answer had been revised once before that.",
            "Only a part of the tool results could be searched for them.",
        ],
    ),
    (
        EvidenceFacts(candidates=3, unsupported=2, values=("4711", "0815")),
        ["Values of the answer that no tool result supports: 4711 and 0815."],
    ),
    (
        EvidenceFacts(candidates=9, unsupported=4, values=("1001", "1002", "1003", "1004")),
        ["Values of the answer that no tool result supports: 4.", *[f"Value: {n}" for n in range(1001, 1005)]],
    ),
    (EvidenceFacts(candidates=9, unsupported=2), ["Values of the answer that no tool result supports: 2."]),
    (
        EvidenceFacts(candidates=9, unsupported=2, values=("4711", "0815"), capped=True),
        ["Values of the answer that no tool result supports, at least: 2.", "Value: 4711", "Value: 0815"],
    ),
    (
        EvidenceFacts(candidates=99, unsupported=13, values=tuple(f"10{n:02}" for n in range(13))),
        [
            "Values of the answer that no tool result supports, at least: 13.",
            *[f"Value: 10{n:02}" for n in range(12)],
        ],
    ),
    (
        EvidenceFacts(candidates=9, unsupported=4, values=("x" * 2_000, "y" * 2_000, "z", "w")),
        ["Values of the answer that no tool result supports: 4.", "Value: x", "Value: z", "Value: w", "Items left out"],
    ),
]


@pytest.mark.parametrize(("evidence", "expected"), VALUES)
def test_names_and_numbers_in_words(evidence: EvidenceFacts, expected: list[str]) -> None:
    lines = texts(account(evidence=evidence), "how-sure")[1:]
    assert len(lines) == len(expected)
    assert all(line.startswith(words) for line, words in zip(lines, expected, strict=True))


def test_a_flagged_value_is_the_models_word() -> None:
    found = account(evidence=EvidenceFacts(candidates=1, unsupported=1, values=("4711",), pointer="e"))
    line = row(found, "how-sure").lines[1]
    assert (line.source, line.pointers, line.parts[1].type) == ("model", ("e",), "quote")


@pytest.mark.parametrize(
    ("state", "status"), [("off", "not-applicable"), ("unreadable", "not-recorded"), ("unknown", "not-recorded")]
)
def test_no_verdict_on_names_and_numbers(state: Any, status: str) -> None:
    assert row(account(evidence_state=state), "how-sure").lines[1].status == status


# -- anything wrong ---------------------------------------------------------------------------------


def test_lines_of_the_checks_with_pointers_and_the_rows_chip() -> None:
    calls = (
        call(EMPTY),
        call(None, outcome="failed", outcome_pointer="call#status"),
        call(withheld=True),
        call(None),
        call(ROWS, said(item("notChecked", short="the attic", kind="existence"))),
    )
    facts: dict[str, Any] = {"signal_pointers": (("cov",), ("res",)), "unreached_pointers": (("gone",),)}
    found = account(*calls, **facts)
    lines = {line.id: line for line in row(found, "anything-wrong").lines}
    assert lines["signal.existenceNotChecked"].source == "tool:find"
    assert lines["signal.existenceNotChecked"].pointers == ("cov",)
    assert lines["signal.undeclaredEmptyUsed"].pointers == ("res",)
    assert lines["wrong.errors"].pointers == ("call#status",)
    assert lines["wrong.withheld"].pointers == ("call#attribute:result",)
    assert (lines["wrong.unreachable"].status, lines["wrong.unreachable"].missing) == ("not-recorded", "not-declared")
    assert (lines["unreachable.empty.notRecorded"].missing, lines["unreachable.empty.notRecorded"].pointers) == (
        "no-event",
        ("gone",),
    )
    assert row(found, "anything-wrong").chips[-1] == Chip(mark="signals", tone="warn", count=2)
    assert [(one.id, one.pointers) for one in found.signals] == [
        ("existence-not-checked", ("cov",)),
        ("undeclared-empty-used", ("res",)),
    ]
    assert [(one.missing, one.pointers) for one in found.unreachable] == [("no-event", ("gone",))]


def test_nothing_found_is_marked_ok() -> None:
    found = account(call())
    assert [chip for line in row(found, "anything-wrong").lines for chip in line.chips] == [
        Chip(mark="none-found", tone="ok")
    ]
    assert (found.summary.tone, found.summary.sentence.status) == ("ok", "recorded")


def test_losses_of_the_record_are_lines_that_are_not_recorded() -> None:
    found = account(call(), check={"losses": (Loss(sentence="record.dropped", vars={"n": 3}),)})
    line = row(found, "anything-wrong").lines[-1]
    assert (line.id, line.status, line.item) == ("record.dropped", "not-recorded", True)
    assert (found.summary.sentence.id, found.summary.sentence.status) == ("summary.none.lossy", "not-recorded")


def test_signals_from_elsewhere_know_their_voucher() -> None:
    app = Reading(emptiness="undeclared-empty", rows=0, source="app", rows_at="rows")
    before = account(resumed=True, state_held=True, before_pause=(call(app),))
    assert row(before, "anything-wrong").lines[0].source == "app"
    in_view = account(in_view=(AccountInView(tool="find", distance=1, reading=app),))
    assert row(in_view, "anything-wrong").lines[0].source == "app"


def test_signal_of_a_call_that_the_account_does_not_hold_is_the_librarys() -> None:
    found = build_account(replace(inputs(call(EMPTY)), calls=()))
    assert row(found, "anything-wrong").lines[0].source == "library"


def test_summary_joins_two_signals_with_the_weaker_voucher() -> None:
    app = Reading(emptiness="undeclared-empty", rows=0, source="app", rows_at="rows")
    limit = said(item("notChecked", kind="existence", what="the attic"))
    found = account(call(ROWS, limit), call(app), signal_pointers=(("cov",), ("res",)))
    sentence = found.summary.sentence
    assert (sentence.source, sentence.status, sentence.pointers) == ("app", "recorded", ("cov",))
    assert "".join(part.text for part in sentence.parts) == sentence.text
    assert sentence.text.count("find") == 2


def test_two_signals_of_one_sentence_are_both_quoted() -> None:
    limits = said(
        item("notChecked", kind="existence", what="the attic"), item("notChecked", kind="existence", what="b")
    )
    text_of = account(call(ROWS, limits)).summary.sentence.text
    assert "the attic" in text_of
    assert "open: b" in text_of


# -- what fails -------------------------------------------------------------------------------------


class Broken(str):
    """A value that cannot be printed."""

    __slots__ = ()

    def __str__(self) -> str:
        raise RuntimeError("broken")


class Unmeasured(str):
    """A value that cannot even be measured."""

    __slots__ = ()

    def __len__(self) -> int:
        raise RuntimeError("broken")


def test_line_whose_value_cannot_be_printed_is_unreadable_and_counted() -> None:
    found = account(call(ROWS, said(item(what=Broken("x")), item(what="the attic"))))
    lines = row(found, "checked").lines
    assert [line.id for line in lines] == ["account.checked.items", "account.unreadable", "account.item"]
    assert (lines[1].status, lines[1].missing) == ("not-recorded", "unreadable")
    assert found.unread == 1


def test_row_that_breaks_keeps_its_lines_so_far_and_the_other_rows() -> None:
    found = account(call(ROWS, said(item(what=Unmeasured("x")))), unread=2)
    assert ids(found, "checked") == ["account.checked.items", "account.unreadable"]
    assert ids(found, "found") == ["account.found.rows"]
    assert found.unread == 3


def test_sentence_that_is_not_in_the_table_is_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    from otel_footprint.fold import account_lines

    def no_sentence(*_: Any) -> Any:
        raise KeyError("account.calls.none")

    monkeypatch.setattr(account_lines, "pieces", no_sentence)
    found = account()
    assert {line.id for one in found.rows for line in one.lines} == {"account.unreadable"}
    assert found.unread == sum(len(one.lines) for one in found.rows) + 1


# -- bounds -----------------------------------------------------------------------------------------


def test_long_quotes_share_one_budget_and_say_that_they_were_cut() -> None:
    statements = tuple(call(ABSENT, said(item(), statement="absence", looked_for=char * 1_900)) for char in "abc")
    lines = row(account(*statements), "found").lines
    shown = [len(line.vars[-1].text) for line in lines]
    assert shown == [1_900, 1_700, SHORT_TEXT_CHARS]
    assert sum(size - SHORT_TEXT_CHARS for size in shown) == LONG_TEXT_BUDGET
    assert [line.clipped for line in lines] == [False, True, True]


def test_names_are_cut_and_said_to_be() -> None:
    line = only(account(call(tool="t" * 500)), "checked")
    assert (len(line.vars[0].text), line.clipped) == (200, True)


def test_pointers_of_a_line_are_few_each_once_and_never_cut() -> None:
    many = [call(None, outcome="failed", outcome_pointer=f"s{n}#status") for n in range(30)]
    found = account(*many, *many, call(None, outcome="failed", outcome_pointer="x" * (MAX_POINTER_CHARS + 1)))
    line = next(line for line in row(found, "anything-wrong").lines if line.id == "wrong.errors")
    assert line.pointers == tuple(f"s{n}#status" for n in range(12))


def test_long_lists_of_names_are_bounded() -> None:
    verdict = RoutingVerdict(by="entry", to="a")
    decided = Decided(state="reachable", signal=True, chosen="a", given=tuple("n" * 100 + str(n) for n in range(90)))
    line = row(account(decided=decided, verdict=verdict), "understood").lines[1]
    assert line.clipped
    assert len(line.text) < 30 * 63 + 200


HUGE = "\N{FIRE}" * 4_000


def worst() -> AccountInput:
    items = tuple(item(section, what=HUGE[:1_990], why=HUGE[:1_000]) for section in ("checked", "notChecked") * 10)
    pointers = tuple("\N{FIRE}" * (MAX_POINTER_CHARS - 3) + f"{n:03}" for n in range(99))
    calls = tuple(
        call(
            Reading(emptiness="declared-absent"),
            *[
                said(*items, looked_for=HUGE, try_instead=HUGE, try_instead_tool=HUGE, pointer=one)
                for one in pointers[:9]
            ],
            tool=f"{n}{HUGE}",
            call_id=HUGE,
            result_pointer=pointers[n % 99],
            outcome_pointer=pointers[(n + 1) % 99],
        )
        for n in range(60)
    )
    earlier = tuple(AccountInView(tool=HUGE, distance=n + 1, reading=EMPTY, pointer=pointers[n]) for n in range(60))
    refused = tuple(
        call(None, tool=HUGE, outcome="refused", refused_by=HUGE, outcome_pointer=pointers[n]) for n in range(60)
    )
    decided = Decided(state="reachable", signal=True, chosen=HUGE, given=(HUGE,) * 60)
    evidence = EvidenceFacts(candidates=99, unsupported=99, values=(HUGE[:200],) * 12, pointer=pointers[0])
    given_input = inputs(
        *refused[:1],
        *calls,
        *refused,
        resumed=True,
        state_held=True,
        before_pause=calls,
        in_view=earlier,
        decided=decided,
        verdict=RoutingVerdict(by="entry", to=HUGE, witness=HUGE, scores={HUGE: 1.0}, pointer=pointers[0]),
        question=text("\x01" * 4_000, pointers[0]),
        answer=text("\x01" * 9_000, pointers[1]),
        evidence=evidence,
        model=HUGE,
    )
    assessment = assess(
        AssessmentInput(
            calls=tuple(
                AssessedCall(ref=n, coverage=one.statements, reading=one.reading, pointer=one.result_pointer)
                for n, one in enumerate(calls)
            )
        )
    )
    return replace(
        given_input,
        run_id=HUGE,
        assessment=assessment,
        signal_pointers=(pointers,) * 9,
        unreached_pointers=(pointers,) * 9,
    )


def test_the_worst_account_is_within_its_bound_and_says_that_it_was_shortened() -> None:
    found = build_account(worst())
    assert json_bytes(found) <= MAX_ACCOUNT_BYTES
    assert found.shortened
    assert (found.facts.calls, found.facts.calls_omitted) == ((), 121)
    assert all(one.lines for one in found.rows)
    assert any(one.omitted for one in found.rows)


def test_account_is_shortened_step_by_step_and_no_further_than_needed() -> None:
    whole = build_account(inputs(*[call(ROWS, said(item())) for _ in range(5)], question=text("q" * 900)))
    first = fit(whole, json_bytes(whole) - 1)
    assert (first.facts.calls, first.facts.calls_omitted, first.shortened) == ((), 5, True)
    assert first.rows == whole.rows
    second = fit(whole, json_bytes(first) - 1)
    assert all(not line.parts and not line.vars for one in second.rows for line in one.lines)
    assert [texts(second, name) for name in IDS] == [texts(whole, name) for name in IDS]
    third = fit(whole, json_bytes(second) - 1)
    assert json_bytes(third) < json_bytes(second)
    assert third.question == whole.question


def test_smallest_account_counts_the_lines_that_it_left_out() -> None:
    whole = build_account(inputs(*[call(ROWS, said(item())) for _ in range(5)], question=text("q" * 900)))
    smallest = fit(whole, 0)
    assert (len(smallest.question.value or ""), smallest.question.clipped) == (500, True)
    assert [len(one.lines) for one in smallest.rows] == [1, 1, 2, 2, 2, 2, 2]
    assert row(smallest, "checked").omitted == len(row(whole, "checked").lines) - 2


def test_shortest_account_keeps_the_chip_that_counts_signals() -> None:
    calls = [call(EMPTY, tool=f"t{n}") for n in range(3)]
    smallest = fit(build_account(inputs(*calls)), 0)
    assert row(smallest, "anything-wrong").chips[-1].mark == "signals"
    declared = [call(ROWS, said(item()), tool=f"t{n}") for n in range(4)]
    assert len(row(fit(build_account(inputs(*declared)), 0), "checked").chips) == 2


def test_account_that_fits_is_left_as_it_is() -> None:
    found = build_account(inputs(call()))
    assert fit(found) is found
    assert not found.shortened


# -- properties -------------------------------------------------------------------------------------

WORDS = st.text(max_size=6) | st.sampled_from(["find", "\ud800", "\u202e", "x" * 700])
READINGS = st.sampled_from(
    [
        None,
        EMPTY,
        ROWS,
        ABSENT,
        TEXT,
        Reading(emptiness="clarify"),
        Reading(emptiness="unknown", rows_unread="too-deep"),
        Reading(emptiness="undeclared-empty", rows=0, source="app", rows_at="rows"),
        Reading(emptiness="non-empty", described={"facts": 1}),
    ]
)
POINTERS = st.sampled_from(["p1", "p2", "p3", "x" * 301])
ITEMS = st.builds(
    CoverageItem,
    section=st.sampled_from(["checked", "notChecked", "cannotCover"]),
    what=WORDS,
    why=st.none() | WORDS,
    kind=st.sampled_from([None, "existence", "scope"]),
    short=st.none() | WORDS,
    kept_out=st.booleans(),
)
STATEMENTS = st.builds(
    Coverage,
    statement=st.sampled_from(["absence", "ledger"]),
    items=st.lists(ITEMS, max_size=3).map(tuple),
    looked_for=st.none() | WORDS,
    try_instead=st.none() | WORDS,
    try_instead_tool=st.none() | WORDS,
    pointer=st.none() | POINTERS,
)
CALLS = st.builds(
    AccountCall,
    tool=st.none() | WORDS,
    call_id=st.none() | WORDS,
    outcome=st.sampled_from(["ran", "ran", "failed", "refused", "declined", "not-dispatched", "unknown"]),
    outcome_pointer=st.none() | POINTERS,
    refused_by=st.none() | WORDS,
    withheld=st.booleans(),
    presented=st.booleans(),
    statements=st.lists(STATEMENTS, max_size=2).map(tuple),
    reading=READINGS,
    result_state=st.sampled_from(["recorded", "absent", "cut", "redacted", "too-deep", "unreadable"]),
    result_pointer=st.none() | POINTERS,
)
CONTENTS = st.builds(
    Content,
    state=st.sampled_from(["recorded", "absent", "cut", "redacted"]),
    value=WORDS | st.none() | st.integers(),
    pointer=st.none() | POINTERS,
)
DECISIONS = st.builds(
    RoutingFacts,
    routing=st.sampled_from(["none", "handoffs", "unknown"]),
    verdict=st.none()
    | st.builds(RoutingVerdict, by=st.sampled_from(["entry", "menu"]), to=WORDS, pointer=st.none() | POINTERS),
    handoffs=st.lists(st.builds(Handoff, target=st.none() | WORDS, delivered=st.booleans()), max_size=2).map(tuple),
    resumed=st.booleans(),
)
FACTS: Mapping[str, st.SearchStrategy[Any]] = {
    "before_pause": st.lists(CALLS, max_size=4).map(tuple),
    "in_view": st.lists(
        st.builds(
            AccountInView,
            tool=WORDS,
            distance=st.integers(1, 3),
            windowed=st.booleans(),
            reading=READINGS,
            pointer=st.none() | POINTERS,
        ),
        max_size=4,
    ).map(tuple),
    "resumed": st.booleans(),
    "state_held": st.booleans(),
    "before_pause_tools": st.lists(WORDS, max_size=4).map(tuple),
    "question": CONTENTS,
    "question_rewritten": st.none() | st.booleans(),
    "question_held": st.booleans(),
    "answer": CONTENTS,
    "signal_pointers": st.lists(st.lists(POINTERS, max_size=2).map(tuple), max_size=2).map(tuple),
    "evidence": st.none()
    | st.builds(
        EvidenceFacts,
        candidates=st.integers(0, 3),
        unsupported=st.integers(0, 14),
        values=st.lists(WORDS, max_size=14).map(tuple),
        revised=st.booleans(),
        pointer=st.none() | POINTERS,
    ),
}


@st.composite
def any_input(draw: st.DrawFn) -> AccountInput:
    routing = draw(DECISIONS)
    facts = {name: draw(strategy) for name, strategy in FACTS.items()}
    routed_facts = {"decided": decide(routing), "verdict": routing.verdict, "handoffs": routing.handoffs}
    return inputs(*draw(st.lists(CALLS, max_size=7)), **facts, **routed_facts)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(any_input())
def test_any_account_is_whole_bounded_and_points_only_at_the_record(given_input: AccountInput) -> None:
    found = build_account(given_input)
    assert json_bytes(found) <= MAX_ACCOUNT_BYTES
    assert found.unread == sum(call.tool is None for call in (*given_input.calls, *given_input.before_pause))
    assert [one.id for one in found.rows] == IDS
    for one in found.rows:
        assert one.lines
        for line in one.lines:
            assert "".join(part.text for part in line.parts) == line.text
            assert set(line.pointers) <= {"p1", "p2", "p3", TURN}
            assert len(line.pointers) <= 12
            assert line.pointers or line.status != "recorded"
            assert (line.missing is not None) is (line.status == "not-recorded")
            assert line.text.encode()
    assert json.dumps(found.to_dict()) == json.dumps(build_account(given_input).to_dict())


def test_the_rows_table_is_the_seven_rows() -> None:
    assert list(account_module._ROWS) == IDS
