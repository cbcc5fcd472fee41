"""The three checks, their lines and the one-line summary (table of checks)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.facts import CoverageItem
from otel_footprint.fold.check_values import CheckInput, Decided, Finding, InView, JudgedCall, Loss, Signal
from otel_footprint.fold.checks import DETECTORS
from otel_footprint.fold.emptiness import Reading
from otel_footprint.fold.verdict import CheckResult, run_checks
from otel_footprint.fold.wording import Sentence

EMPTY = Reading(emptiness="undeclared-empty", rows=0, source="library")
ROWS = Reading(emptiness="non-empty", rows=2, source="library")
TEXT = Reading(emptiness="unknown")
OBJECT = Reading(emptiness="unknown", undeclared_shape=True)
NO_LIST = Reading(emptiness="unknown", rows_unread="no-list", rows_at="rows", undeclared_shape=True)
PLACED = Reading(emptiness="unknown", rows_unread="uncounted-ticket")
UNCOUNTED = Reading(emptiness="unknown", rows_unread="uncounted-ticket", rows_at="rows")

NOTHING_ROUTED = Decided(state="not-applicable")
NOT_DELIVERED = Decided(state="reachable", signal=True)
UNTOLD = Decided(state="unreachable", missing="no-event")


def call(reading: Reading | None = ROWS, *items: CoverageItem, **facts: Any) -> JudgedCall:
    return JudgedCall(**{"ref": 0, "tool": "find", "call_id": "c", "reading": reading, "items": items, **facts})


def item(kind: Any = None, section: Any = "notChecked", **words: Any) -> CoverageItem:
    return CoverageItem(**{"section": section, "kind": kind, "what": "the archive", **words})


def check(*calls: JudgedCall, **turn: Any) -> CheckResult:
    return run_checks(CheckInput(**{"decided": NOTHING_ROUTED, "calls": calls, **turn}))


def states(result: CheckResult) -> str:
    """R, U or N for decided, existence and empty, in this order."""
    letters = {
        **dict.fromkeys(result.reachable, "R"),
        **dict.fromkeys(result.unreachable, "U"),
        **dict.fromkeys(result.not_applicable, "N"),
    }
    return "".join(letters[name] for name in ("decided-delivered", "existence", "empty-results"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    calls: tuple[JudgedCall, ...] = ()
    turn: dict[str, Any] = field(default_factory=dict)
    states: str
    tone: str
    signals: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    """Lines that must be there, in this order."""
    summary: tuple[str, ...] | None = None
    omitted: tuple[int, int] = (0, 0)


USED = "signal.undeclaredEmptyUsed"
IN_VIEW = "signal.undeclaredEmptyInView"
LEFT_OPEN = "signal.existenceNotChecked.full"

CASES = {
    "K01": Case(states="NNN", tone="unknown", lines=("wrong.notApplicable",), summary=("summary.none.notApplicable",)),
    "K02": Case(
        calls=(call(TEXT),),
        states="NNR",
        tone="ok",
        lines=("wrong.noErrors", "wrong.none"),
        summary=("summary.none",),
    ),
    "K03": Case(
        calls=(call(OBJECT),),
        states="NNU",
        tone="unknown",
        missing=("not-declared",),
        lines=("wrong.noErrors", "wrong.unreachable.all", "unreachable.empty"),
        summary=("summary.none.nothingRun",),
    ),
    "K04": Case(calls=(call(EMPTY),), states="NNR", tone="bad", signals=(USED,), lines=(USED,), summary=(USED,)),
    "K05": Case(
        calls=(call(EMPTY), call(OBJECT)),
        states="NNU",
        tone="bad",
        signals=(USED,),
        missing=("not-declared",),
        lines=(USED, "wrong.unreachable.all", "unreachable.empty"),
        summary=(USED,),
    ),
    "K06": Case(
        calls=(call(EMPTY, item("existence")),),
        states="NRR",
        tone="warn",
        signals=(LEFT_OPEN, USED),
        summary=(LEFT_OPEN, USED),
    ),
    "K07": Case(
        calls=(call(ROWS, item()),),
        states="NUR",
        tone="unknown",
        missing=("not-declared",),
        lines=("wrong.none", "wrong.unreachable", "unreachable.existence"),
        summary=("summary.none.partial",),
    ),
    "K08": Case(
        calls=(call(ROWS, item()), call(ROWS, item("existence"))),
        states="NUR",
        tone="warn",
        signals=(LEFT_OPEN,),
        missing=("not-declared",),
    ),
    "K09": Case(calls=(call(ROWS, item("scope")),), states="NRR", tone="ok"),
    "K09-one-kind-is-enough": Case(calls=(call(ROWS, item("scope"), item()),), states="NRR", tone="ok"),
    "K10": Case(calls=(call(ROWS, item("existence", "checked")),), states="NNR", tone="ok"),
    "K11": Case(
        calls=(call(None, item("existence"), outcome="failed"),),
        states="NRN",
        tone="warn",
        signals=(LEFT_OPEN,),
        lines=(LEFT_OPEN, "wrong.errors"),
    ),
    "K12": Case(
        calls=(call(None, outcome="unknown", ended=False),), states="NNN", tone="unknown", lines=("wrong.noErrors",)
    ),
    "K12-ran-without-end": Case(calls=(call(EMPTY, ended=False),), states="NNN", tone="unknown"),
    "K13": Case(calls=(call(EMPTY, withheld=True),), states="NNN", tone="unknown", lines=("wrong.withheld",)),
    "K14": Case(
        calls=(call(EMPTY),) * 5,
        states="NNR",
        tone="bad",
        signals=(USED,) * 3,
        lines=("wrong.more",),
        omitted=(2, 2),
        summary=(USED, USED),
    ),
    "K15": Case(
        calls=(call(OBJECT),) * 5,
        states="NNU",
        tone="unknown",
        missing=("not-declared",) * 3,
        lines=("wrong.more",),
        omitted=(2, 0),
    ),
    "K16": Case(
        calls=(call(EMPTY),) * 2,
        turn={"in_view": (InView(ref=0, tool="old", distance=1, reading=EMPTY),) * 2},
        states="NNR",
        tone="bad",
        signals=(USED, USED, IN_VIEW),
        omitted=(1, 1),
    ),
    "K17": Case(
        turn={"in_view": (InView(ref=0, tool="old", distance=1, reading=EMPTY),)},
        states="NNR",
        tone="warn",
        signals=(IN_VIEW,),
        lines=(IN_VIEW,),
    ),
    "K18": Case(
        turn={"in_view_kept_out": 2},
        states="NNU",
        tone="unknown",
        missing=("redacted",),
        lines=("unreachable.inView.redacted",),
    ),
    "K19": Case(
        calls=(call(ROWS, item(), tool=None),),
        states="NUU",
        tone="unknown",
        missing=("unreadable",),
        lines=("unreachable.unnamed.both",),
    ),
    "K20": Case(
        calls=(call(ROWS, item("existence"), tool=None, outcome="failed"),),
        states="NUN",
        tone="unknown",
        missing=("unreadable",),
        lines=("unreachable.unnamed.existence",),
    ),
    "unnamed-empty": Case(
        calls=(call(EMPTY, tool=None),),
        states="NNU",
        tone="unknown",
        missing=("unreadable",),
        lines=("unreachable.unnamed",),
    ),
    "unnamed-and-blocking-nothing": Case(
        calls=(call(None, tool=None, outcome="failed"),), states="NNN", tone="unknown"
    ),
    "K21-no-key": Case(
        calls=(call(PLACED),),
        states="NNU",
        tone="unknown",
        missing=("not-built",),
        lines=("unreachable.empty.uncountedTicket",),
    ),
    "K21-declared-key": Case(calls=(call(UNCOUNTED),), states="NNU", tone="unknown", missing=("not-declared",)),
    "no-list": Case(
        calls=(call(NO_LIST),),
        states="NNU",
        tone="unknown",
        missing=("not-declared",),
        lines=("unreachable.empty.noList",),
    ),
    "K22": Case(
        calls=(call(EMPTY),),
        turn={"decided": NOT_DELIVERED},
        states="RNR",
        tone="bad",
        signals=("signal.decidedNotDelivered", USED),
        summary=("signal.decidedNotDelivered", USED),
    ),
    "K23": Case(
        calls=(call(ROWS),),
        turn={"decided": UNTOLD},
        states="UNR",
        tone="unknown",
        missing=("no-event",),
        summary=("summary.none.partial",),
    ),
    "K24": Case(calls=(call(EMPTY, presented=True),), states="NNN", tone="unknown"),
    "K25": Case(
        calls=tuple(
            call(TEXT, outcome=outcome)
            for outcome in ("failed", "refused", "declined", "not-dispatched", "ran", "unknown")
        ),
        states="NNR",
        tone="ok",
        lines=("wrong.errors", "wrong.none"),
    ),
    "K26-no-signal": Case(
        calls=(call(ROWS),),
        turn={"resumed_leg": True},
        states="NNR",
        tone="unknown",
        lines=("wrong.beforePause",),
        summary=("summary.resumed",),
    ),
    "K26-signal": Case(
        calls=(call(EMPTY),),
        turn={"resumed_leg": True},
        states="NNR",
        tone="bad",
        signals=(USED,),
        summary=(USED, "summary.resumed.tail"),
    ),
    "K27": Case(
        calls=(call(ROWS),),
        turn={"resumed_leg": True, "state_held": True},
        states="NNR",
        tone="ok",
        lines=("wrong.beforePause.held.events",),
        summary=("summary.none", "summary.resumed.held"),
    ),
    "K28": Case(
        calls=(call(ROWS),),
        turn={
            "resumed_leg": True,
            "state_held": True,
            "decided": Decided(state="unreachable", missing="before-pause", routing_lost=True, verdict_recorded=False),
        },
        states="UNR",
        tone="unknown",
        missing=("before-pause",),
        lines=("unreachable.routing.beforePause", "wrong.beforePause.held"),
        summary=("summary.none.partial", "summary.resumed.held"),
    ),
    "K29": Case(
        turn={"resumed_leg": True, "state_held": True, "before_pause_calls": (call(EMPTY),)},
        states="NNR",
        tone="bad",
        signals=(f"{USED}.beforePause",),
        summary=(f"{USED}.beforePause", "summary.resumed.held"),
    ),
    "K30": Case(
        calls=(call(EMPTY),),
        turn={"finished": False, "resumed_leg": True, "state_held": True},
        states="NNR",
        tone="unknown",
        signals=(USED,),
        lines=(USED,),
        summary=("summary.unfinished",),
    ),
    "K31": Case(turn={"scope": "unfiltered"}, states="NNN", tone="unknown", lines=("scope.unfiltered",)),
    "K32": Case(
        calls=(call(ROWS, item("existence", kept_out=True, short="a")),),
        states="NRR",
        tone="warn",
        signals=("signal.existenceNotChecked.keptOut",),
    ),
    "K33": Case(
        calls=(*(call(ROWS),) * 53, call(None, outcome="failed"), call(EMPTY)),
        states="NNR",
        tone="bad",
        signals=(USED,),
        lines=("wrong.errors",),
    ),
    "K34": Case(
        calls=(call(ROWS, *(item("scope"),) * 30, item("existence")),), states="NRR", tone="warn", signals=(LEFT_OPEN,)
    ),
    "K36": Case(
        turn={"decided": Decided(state="unreachable")},
        states="UNN",
        tone="unknown",
        missing=("no-event",),
        lines=("wrong.unreachable.all", "unreachable.delivery"),
    ),
    "routing-not-recorded": Case(
        turn={"decided": Decided(state="unreachable", verdict_recorded=False)},
        states="UNN",
        tone="unknown",
        missing=("no-event",),
        lines=("unreachable.routing",),
    ),
    "earlier-input-not-recorded": Case(
        turn={"in_view_unrecorded": True},
        states="NNU",
        tone="unknown",
        missing=("no-event",),
        lines=("unreachable.inView.notRecorded",),
    ),
    "earlier-result-not-read": Case(
        turn={"in_view": (InView(ref=0, tool="old", distance=1, reading=OBJECT),)},
        states="NNU",
        tone="unknown",
        missing=("not-declared",),
        lines=("unreachable.empty",),
    ),
}


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in CASES.items()])
def test_turn_is_judged(case: Case) -> None:
    result = check(*case.calls, **case.turn)
    wrong = [line.id for line in result.wrong]
    assert states(result) == case.states
    assert [signal.sentence.id for signal in result.signals] == list(case.signals)
    assert [line.missing for line in result.unreached] == list(case.missing)
    assert (result.omitted, result.omitted_signals) == case.omitted
    assert [line for line in wrong if line in case.lines][: len(case.lines)] == list(case.lines)
    assert result.summary.tone == case.tone
    if case.summary is not None:
        assert tuple(sentence.id for sentence in result.summary.sentences) == case.summary


def test_error_line_counts_each_kind_of_trouble() -> None:
    """K25."""
    (errors,) = (line for line in check(*CASES["K25"].calls).wrong if line.id == "wrong.errors")
    assert errors.vars == {"n": 4, "failed": 1, "refused": 1, "declined": 1, "not_dispatched": 1}


def test_states_are_said_with_their_counts() -> None:
    """K07."""
    result = check(*CASES["K07"].calls)
    assert result.summary.text == "Nothing wrong turned up, but 1 of 2 checks could not be run."


@pytest.mark.parametrize(
    ("section", "words", "sentence"),
    [
        ("notChecked", {"short": "archive"}, "signal.existenceNotChecked"),
        ("notChecked", {}, "signal.existenceNotChecked.full"),
        ("cannotCover", {"short": "archive", "why": "w"}, "signal.existenceCannotCover"),
        ("cannotCover", {"why": "w"}, "signal.existenceCannotCover.full"),
        ("cannotCover", {"why": "w", "kept_out": True}, "signal.existenceCannotCover.keptOut"),
    ],
)
def test_existence_signal_uses_the_short_form_where_there_is_one(
    section: str, words: dict[str, Any], sentence: str
) -> None:
    (signal,) = check(call(ROWS, item("existence", section, **words))).signals
    assert signal.sentence.id == sentence
    assert ("the archive" in signal.sentence.text) is sentence.endswith(".full")


@pytest.mark.parametrize(
    ("state", "missing", "sentence"),
    [
        ("absent", "no-event", "unreachable.empty.notRecorded"),
        ("cut", "unreadable", "unreachable.empty.cut"),
        ("redacted", "redacted", "unreachable.empty.redacted"),
        ("too-deep", "unreadable", "unreachable.empty.tooDeep"),
        ("unreadable", "unreadable", "unreachable.empty.unreadable"),
    ],
)
def test_result_that_is_not_there_makes_the_check_unreachable(state: Any, missing: str, sentence: str) -> None:
    result = check(call(None, result_state=state, enable="SWITCH", ref=7))
    (line,) = result.unreached
    assert (states(result), line.missing, line.sentence.id) == ("NNU", missing, sentence)
    assert (line.enable, line.ref, line.origin) == ("SWITCH", 7, "call")
    assert result.summary.tone == "unknown"


@pytest.mark.parametrize("why", ["redacted", "too-deep"])
def test_reading_that_was_kept_from_its_rows_is_said_alike(why: Any) -> None:
    found = check(call(Reading(emptiness="unknown", rows_unread=why))).unreached
    assert found == check(call(None, result_state=why)).unreached


@pytest.mark.parametrize(
    ("decided", "sentence"),
    [
        (Decided(state="reachable", signal=True, chosen="refunds"), "signal.decidedNotDelivered.named"),
        (
            Decided(state="reachable", signal=True, chosen="refunds", given=("a", "b")),
            "signal.decidedNotDelivered.instead",
        ),
    ],
)
def test_undelivered_choice_is_named_where_it_is_known(decided: Decided, sentence: str) -> None:
    (signal,) = check(decided=decided).signals
    assert (signal.sentence.id, signal.origin) == (sentence, "routing")
    assert "refunds" in signal.sentence.text


def test_distance_is_a_lower_bound_behind_a_window() -> None:
    (signal,) = check(in_view=(InView(ref=3, tool="old", distance=2, windowed=True, reading=EMPTY),)).signals
    assert "at least 2 answers back" in signal.sentence.text
    assert (signal.origin, signal.ref) == ("in-view", 3)


def test_unnamed_call_without_an_id_is_still_said() -> None:
    (line,) = check(call(ROWS, tool=None, call_id=None)).unreached
    assert line.sentence.text.startswith("Call without an id returned something")


def test_unnamed_calls_are_said_last() -> None:
    result = check(call(ROWS, tool=None, call_id="u"), call(OBJECT), in_view_kept_out=1)
    assert [line.sentence.id for line in result.unreached] == [
        "unreachable.empty",
        "unreachable.inView.redacted",
        "unreachable.unnamed",
    ]


def test_earlier_calls_are_judged_after_this_legs() -> None:
    result = check(
        call(EMPTY, item("existence"), ref=1),
        before_pause_calls=(call(EMPTY, item("existence"), ref=2),),
        resumed_leg=True,
        state_held=True,
    )
    assert [(signal.check, signal.origin, signal.ref) for signal in result.signals] == [
        ("existence", "call", 1),
        ("existence", "before-pause", 2),
        ("empty-results", "call", 1),
        ("empty-results", "before-pause", 2),
    ]


def test_calls_before_the_pause_are_not_counted_as_errors() -> None:
    result = check(before_pause_calls=(call(ROWS, outcome="failed"),), resumed_leg=True, state_held=True)
    assert not {"wrong.errors", "wrong.noErrors"} & {line.id for line in result.wrong}


# -- losses of the record

LOSS = Loss(sentence="record.dropped", vars={"n": 3}, enable="LIMIT")


def test_loss_forbids_ok() -> None:
    result = check(call(ROWS), losses=(LOSS,))
    assert (states(result), result.summary.tone) == ("NNR", "unknown")
    assert [sentence.id for sentence in result.summary.sentences] == ["summary.none.lossy"]
    (line,) = result.unreached
    assert (line.check, line.missing, line.origin, line.ref, line.enable) == (
        "record",
        "no-event",
        "record",
        0,
        "LIMIT",
    )
    assert line.sentence in result.wrong


def test_loss_leaves_a_signal_its_tone() -> None:
    assert check(call(EMPTY), losses=(LOSS,)).summary.tone == "bad"


def test_losses_past_the_bound_are_counted() -> None:
    result = check(losses=(LOSS,) * 5)
    assert (len(result.unreached), result.omitted, result.omitted_signals) == (3, 2, 0)


# -- properties

READINGS = st.sampled_from([EMPTY, ROWS, TEXT, OBJECT, NO_LIST, PLACED, UNCOUNTED, None])
ITEMS = st.lists(
    st.builds(
        CoverageItem,
        section=st.sampled_from(["checked", "notChecked", "cannotCover"]),
        what=st.just("w"),
        kind=st.sampled_from([None, "existence", "scope"]),
        short=st.none() | st.just("s"),
        kept_out=st.booleans(),
    ),
    max_size=4,
).map(tuple)
CALLS = st.lists(
    st.builds(
        JudgedCall,
        ref=st.integers(),
        tool=st.none() | st.text(max_size=3),
        call_id=st.none() | st.text(max_size=3),
        outcome=st.sampled_from(["ran", "failed", "refused", "declined", "not-dispatched", "unknown"]),
        withheld=st.booleans(),
        ended=st.booleans(),
        presented=st.booleans(),
        items=ITEMS,
        reading=READINGS,
    ),
    max_size=6,
).map(tuple)
TURNS = st.builds(
    CheckInput,
    decided=st.sampled_from([NOTHING_ROUTED, NOT_DELIVERED, UNTOLD, Decided(state="reachable")]),
    calls=CALLS,
    in_view=st.lists(
        st.builds(InView, ref=st.integers(), tool=st.just("old"), distance=st.integers(1, 3), reading=READINGS),
        max_size=4,
    ).map(tuple),
    in_view_kept_out=st.integers(0, 2),
    in_view_unrecorded=st.booleans(),
    resumed_leg=st.booleans(),
    state_held=st.booleans(),
    before_pause_calls=CALLS,
    finished=st.booleans(),
    scope=st.sampled_from(["own-run", "unfiltered"]),
    losses=st.lists(st.just(LOSS), max_size=4).map(tuple),
)


@given(TURNS)
def test_every_turn_has_a_result_that_keeps_the_rules(turn: CheckInput) -> None:
    result = run_checks(turn)
    named = [*result.reachable, *result.unreachable, *result.not_applicable]
    assert sorted(named) == ["decided-delivered", "empty-results", "existence"]
    for listed in (result.signals, result.unreached):
        checks = [one.check for one in listed]
        assert all(checks.count(name) <= 3 for name in checks)
    assert result.omitted >= result.omitted_signals >= 0
    assert all(line.text for line in result.wrong)
    assert result.summary.text
    if result.summary.tone == "ok":
        assert (result.signals, result.unreached, turn.losses, turn.finished) == ((), (), (), True)


@given(TURNS)
def test_loss_never_makes_a_turn_look_better(turn: CheckInput) -> None:
    tone = run_checks(CheckInput(**{**_fields(turn), "losses": (LOSS,)})).summary.tone
    without = run_checks(CheckInput(**{**_fields(turn), "losses": ()})).summary.tone
    assert tone == ("unknown" if without == "ok" else without)


def _fields(turn: CheckInput) -> dict[str, Any]:
    return {name: getattr(turn, name) for name in CheckInput.__slots__}


def test_detector_of_ones_own_is_ranked_where_it_stands() -> None:
    def gloomy(_turn: CheckInput) -> Finding:
        sentence = Sentence(id="reason.sources-conflict")
        signal = Signal(id="mood", check="existence", tone="warn", sentence=sentence, origin="record")
        return Finding(check="existence", state="reachable", signals=(signal,))

    turn = CheckInput(decided=NOT_DELIVERED)
    result = run_checks(turn, detectors=(gloomy, *DETECTORS[:1]))
    assert [signal.id for signal in result.signals] == ["mood", "decided-not-delivered"]


def test_result_of_a_hundred_thousand_calls_is_bounded() -> None:
    result = check(*(call(EMPTY),) * 100_000)
    assert (len(result.signals), result.omitted_signals) == (3, 99_997)
