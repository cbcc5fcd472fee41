"""What was chosen for the question, and whether it reached the model: recorded, by hand-off, or neither."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.facts import CoverageItem, Handoff
from otel_footprint.fold.check_values import CheckInput, Decided, JudgedCall
from otel_footprint.fold.emptiness import Reading
from otel_footprint.fold.routing import (
    DECIDERS,
    MAX_GIVEN,
    RoutingFacts,
    RoutingVerdict,
    SkillsDelivery,
    decide,
    read_verdicts,
)
from otel_footprint.fold.verdict import CheckResult, run_checks

REFUNDS = RoutingVerdict(by="intent", to="refunds")
EMPTY = Reading(emptiness="undeclared-empty", rows=0, source="library")
ROWS = Reading(emptiness="non-empty", rows=2, source="library")


def given_to(iteration: int, *names: str, count: int | None = None) -> SkillsDelivery:
    return SkillsDelivery(iteration=iteration, names=names, count=len(names) if count is None else count)


def decided(**facts: Any) -> Decided:
    return decide(RoutingFacts(**facts))


def routed(*deliveries: SkillsDelivery, verdict: RoutingVerdict | None = REFUNDS, **facts: Any) -> Decided:
    return decided(**{"verdict": verdict, "deliveries": deliveries, "answering_iteration": 2, **facts})


def checks(decision: Decided, *readings: Reading, **turn: Any) -> CheckResult:
    calls = tuple(JudgedCall(ref=ref, tool="find", reading=reading) for ref, reading in enumerate(readings))
    return run_checks(CheckInput(**{"decided": decision, "calls": calls, **turn}))


# -- nothing recorded -------------------------------------------------------------------------------


def test_runtime_that_routes_nothing_makes_the_check_not_applicable() -> None:
    assert decided(routing="none").state == "not-applicable"


@pytest.mark.parametrize("routing", ["unknown", "recorded"])
def test_silence_about_routing_is_unreachable(routing: str) -> None:
    found = decided(routing=routing)
    assert (found.state, found.missing, found.verdict_recorded) == ("unreachable", "no-event", False)
    assert found.enable is not None


def test_the_runtimes_own_switch_is_named_first() -> None:
    assert decided(enable="ROUTING=1").enable == "ROUTING=1"


def test_runtime_that_records_every_routing_recorded_none() -> None:
    assert decided(routing="recorded", emits=True).state == "not-applicable"


@pytest.mark.parametrize("facts", [{}, {"state_held": True}, {"emits": True}, {"routing": "handoffs"}])
def test_routing_of_a_resumed_leg_lies_before_the_pause(facts: dict[str, Any]) -> None:
    found = decided(resumed=True, **facts)
    assert (found.state, found.missing, found.routing_lost) == ("unreachable", "before-pause", True)


@pytest.mark.parametrize("facts", [{"emits": True}, {"routing": "handoffs"}])
def test_resumed_leg_whose_first_part_is_held_and_routed_nothing(facts: dict[str, Any]) -> None:
    assert decided(resumed=True, state_held=True, **facts).state == "not-applicable"


def test_resumed_leg_of_a_runtime_that_routes_nothing() -> None:
    assert decided(resumed=True, routing="none").state == "not-applicable"


# -- recorded ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", sorted(DECIDERS))
def test_chosen_and_given_is_reachable(by: str) -> None:
    found = routed(given_to(1, "billing", "refunds"), verdict=RoutingVerdict(by=by, to="refunds"))
    assert (found.state, found.signal, found.chosen) == ("reachable", False, "refunds")


def test_chosen_and_not_given_with_a_whole_record_is_a_signal() -> None:
    found = routed(given_to(1, "billing"), given_to(2, "billing", "search"))
    assert (found.state, found.signal, found.chosen, found.given) == (
        "reachable",
        True,
        "refunds",
        ("billing", "search"),
    )


@pytest.mark.parametrize(
    ("deliveries", "facts"),
    [
        pytest.param((given_to(2, "billing"),), {}, id="K36-an-iteration-has-no-record"),
        pytest.param((given_to(1, "billing"), given_to(2, "billing", count=2)), {}, id="count-says-more"),
        pytest.param((given_to(1, "billing"), SkillsDelivery(iteration=2, count=0)), {}, id="no-names"),
        pytest.param((given_to(1, "a"), SkillsDelivery(iteration=2, names=("a",))), {}, id="no-count"),
        pytest.param((given_to(1, "a"), given_to(2, "a")), {"record_whole": False}, id="spans-lost"),
        pytest.param((given_to(1, "a"), given_to(2, "a")), {"answering_iteration": None}, id="no-answering-call"),
        pytest.param((), {"answering_iteration": 0}, id="no-model-call"),
    ],
)
def test_delivery_with_a_gap_is_never_not_given(deliveries: tuple[SkillsDelivery, ...], facts: dict[str, Any]) -> None:
    found = routed(*deliveries, **facts)
    assert (found.state, found.signal, found.missing, found.verdict_recorded) == (
        "unreachable",
        False,
        "no-event",
        True,
    )
    assert found.enable is not None


def test_record_with_a_gap_can_still_prove_a_delivery() -> None:
    assert routed(given_to(2, "refunds", count=5)).state == "reachable"


@pytest.mark.parametrize("verdict", [RoutingVerdict(by="menu", to="refunds"), RoutingVerdict(by="intent")])
def test_the_models_own_pick_and_no_pick_are_not_applicable(verdict: RoutingVerdict) -> None:
    assert routed(verdict=verdict).state == "not-applicable"


def test_verdict_of_the_paused_leg_counts_on_a_resumed_one_only() -> None:
    facts: dict[str, Any] = {"paused_verdict": REFUNDS, "deliveries": (given_to(1, "refunds"),)}
    assert decided(resumed=True, **facts).state == "reachable"
    assert not decided(**facts).verdict_recorded


def test_delivery_of_a_verdict_from_before_the_pause_is_missing_before_the_pause() -> None:
    found = decided(resumed=True, paused_verdict=REFUNDS)
    assert (found.state, found.missing, found.verdict_recorded) == ("unreachable", "before-pause", True)


def test_names_of_what_was_given_are_bounded() -> None:
    many = tuple(f"skill{n}" for n in range(40))
    assert len(routed(given_to(1, *many), given_to(2)).given) == MAX_GIVEN


# -- hand-offs --------------------------------------------------------------------------------------


def handoffs(*pairs: tuple[str | None, bool], **facts: Any) -> Decided:
    asked = tuple(Handoff(target=target, delivered=delivered) for target, delivered in pairs)
    return decided(**{"routing": "handoffs", "handoffs": asked, **facts})


def test_no_hand_off_is_not_applicable() -> None:
    assert handoffs().state == "not-applicable"


def test_hand_off_whose_agent_ran_was_delivered() -> None:
    found = handoffs(("billing", True), ("refunds", True))
    assert (found.state, found.signal, found.chosen, found.given) == (
        "reachable",
        False,
        "refunds",
        ("billing", "refunds"),
    )


def test_hand_off_whose_agent_never_ran_in_a_whole_record_is_a_signal() -> None:
    found = handoffs(("billing", True), ("refunds", False))
    assert (found.state, found.signal, found.chosen, found.given) == ("reachable", True, "refunds", ("billing",))


@pytest.mark.parametrize(
    ("pairs", "whole"), [([("refunds", False)], False), ([(None, False)], True)], ids=["spans-lost", "unnamed-target"]
)
def test_hand_off_that_cannot_be_followed_is_unreachable(pairs: list[tuple[str | None, bool]], *, whole: bool) -> None:
    found = handoffs(*pairs, record_whole=whole, enable="TRACE=1")
    assert (found.state, found.signal, found.enable) == ("unreachable", False, "TRACE=1")


def test_signal_stands_beside_a_hand_off_that_cannot_be_followed() -> None:
    found = handoffs((None, False), ("refunds", False))
    assert (found.state, found.signal, found.chosen) == ("unreachable", True, "refunds")


def test_hand_offs_count_beside_a_pick_of_the_models_own() -> None:
    assert handoffs(("refunds", False), verdict=RoutingVerdict(by="menu", to="x")).signal


def test_a_recorded_verdict_wins_over_hand_offs() -> None:
    found = handoffs(("refunds", False), verdict=REFUNDS, deliveries=(given_to(1, "refunds"),))
    assert (found.state, found.signal) == ("reachable", False)


def test_configuration_that_routes_nothing_wins_over_hand_offs() -> None:
    assert handoffs(("refunds", False), routing="none").state == "not-applicable"


# -- with the other checks --------------------------------------------------------------------------


def test_k22_not_delivered_and_an_empty_result_are_both_bad_and_both_quoted() -> None:
    result = checks(routed(given_to(1, "a"), given_to(2, "a")), EMPTY)
    assert [(one.id, one.tone) for one in result.signals] == [
        ("decided-not-delivered", "bad"),
        ("undeclared-empty-used", "bad"),
    ]
    assert (result.summary.tone, len(result.summary.sentences)) == ("bad", 2)


def test_k23_unknown_routing_beside_rows_is_partly_checked() -> None:
    result = checks(decided(), ROWS)
    assert ([one.id for one in result.summary.sentences], result.summary.tone) == (["summary.none.partial"], "unknown")


@pytest.mark.parametrize(
    ("readings", "sentences", "tone"),
    [
        pytest.param((ROWS,), ["summary.resumed"], "unknown", id="clean"),
        pytest.param((EMPTY,), ["signal.undeclaredEmptyUsed", "summary.resumed.tail"], "bad", id="signal"),
    ],
)
def test_k26_resumed_leg_without_its_first_part(readings: tuple[Reading, ...], sentences: list[str], tone: str) -> None:
    result = checks(decided(resumed=True), *readings, resumed_leg=True)
    assert ([one.id for one in result.summary.sentences], result.summary.tone) == (sentences, tone)
    assert [one.id for one in result.wrong][-1] == "wrong.beforePause"


def test_k27_resumed_leg_with_its_first_part_and_nothing_wrong_is_ok() -> None:
    result = checks(decided(resumed=True, routing="none"), ROWS, resumed_leg=True, state_held=True)
    assert ([one.id for one in result.summary.sentences], result.summary.tone) == (
        ["summary.none", "summary.resumed.held"],
        "ok",
    )
    assert [one.id for one in result.wrong][-1] == "wrong.beforePause.held.events"


def test_k28_resumed_leg_whose_routing_is_lost_is_partly_checked() -> None:
    result = checks(decided(resumed=True, state_held=True), ROWS, resumed_leg=True, state_held=True)
    assert result.summary.tone == "unknown"
    assert result.summary.sentences[0].id == "summary.none.partial"
    assert [one.id for one in result.wrong][-1] == "wrong.beforePause.held"


def test_k29_empty_result_before_the_pause_is_a_signal() -> None:
    before = (JudgedCall(ref=0, tool="find", reading=EMPTY, items=(CoverageItem(section="checked", what="x"),)),)
    result = checks(decided(resumed=True, routing="none"), resumed_leg=True, state_held=True, before_pause_calls=before)
    assert [one.sentence.id for one in result.signals] == ["signal.undeclaredEmptyUsed.beforePause"]
    assert result.summary.tone == "bad"


# -- reading the events -----------------------------------------------------------------------------


def test_the_last_readable_verdict_counts_and_the_others_are_counted() -> None:
    events: list[tuple[dict[str, Any], str]] = [
        ({"by": "entry", "to": "a"}, "p1"),
        ({"by": 7, "to": "b"}, "p2"),
        ({"by": "intent", "to": "c"}, "p3"),
    ]
    read = read_verdicts(events)
    assert read.verdict == RoutingVerdict(by="intent", to="c", pointer="p3")
    assert read.unread == 1


def test_no_events_are_no_verdict() -> None:
    assert read_verdicts([]).verdict is None


def test_every_key_of_a_verdict_is_read() -> None:
    keys = {"by": "entry", "to": "a", "from": "b", "witness": "money back", "scores": '{"a": 0.9, "b": 1}'}
    verdict = read_verdicts([(keys, None)]).verdict
    assert verdict == RoutingVerdict(by="entry", to="a", from_="b", witness="money back", scores={"a": 0.9, "b": 1})
    assert not verdict.on_top


@pytest.mark.parametrize(
    "scores",
    ["{", "[1]", 3, {"a": "1"}, {"a": True}, {"a": float("nan")}, {"a": 10**400}, {1: 2}, None],
    ids=lambda value: str(value)[:12],
)
def test_scores_that_are_not_all_numbers_are_none(scores: Any) -> None:
    verdict = read_verdicts([({"by": "entry", "to": "a", "scores": scores}, None)]).verdict
    assert verdict == RoutingVerdict(by="entry", to="a")
    assert not verdict.on_top


@pytest.mark.parametrize(("to", "on_top"), [("a", True), ("b", False), ("c", False), (None, False)])
def test_pick_on_top_of_the_scores(to: str | None, *, on_top: bool) -> None:
    assert RoutingVerdict(by="entry", to=to, scores={"a": 2, "b": 1}).on_top is on_top


NAMES = st.sampled_from(["refunds", "billing", ""])
VERDICTS = st.none() | st.builds(RoutingVerdict, by=st.sampled_from(["entry", "menu"]), to=st.none() | NAMES)
FACTS = st.builds(
    RoutingFacts,
    routing=st.sampled_from(["none", "handoffs", "recorded", "unknown"]),
    emits=st.booleans(),
    verdict=VERDICTS,
    paused_verdict=VERDICTS,
    deliveries=st.lists(
        st.builds(
            SkillsDelivery,
            iteration=st.integers(1, 3),
            names=st.none() | st.lists(NAMES).map(tuple),
            count=st.none() | st.integers(0, 3),
        ),
        max_size=4,
    ).map(tuple),
    answering_iteration=st.none() | st.integers(0, 3),
    handoffs=st.lists(st.builds(Handoff, target=st.none() | NAMES, delivered=st.booleans()), max_size=3).map(tuple),
    record_whole=st.booleans(),
    resumed=st.booleans(),
    state_held=st.booleans(),
)


@given(FACTS)
def test_a_signal_needs_a_whole_record_and_a_chosen_name(facts: RoutingFacts) -> None:
    found = decide(facts)
    if found.signal:
        assert facts.record_whole
        assert found.chosen is not None
        assert found.chosen not in found.given or facts.handoffs
    if found.state == "not-applicable":
        assert not found.signal


@given(
    st.dictionaries(st.sampled_from(["by", "to", "from", "witness", "scores"]), st.text() | st.integers() | st.none())
)
def test_no_event_makes_the_reader_raise(keys: dict[str, Any]) -> None:
    read = read_verdicts([(keys, None)])
    assert read.unread == (read.verdict is None)
