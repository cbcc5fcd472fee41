"""What the checks are given of a turn: routing, resumed legs, losses; and where a reader can look."""

from __future__ import annotations

from typing import Any

import pytest

from otel_footprint.facts import (
    ABSENT,
    Content,
    Coverage,
    CoverageItem,
    Declarations,
    Delivery,
    Handoff,
    InViewResult,
    RecordedEvent,
    ToolCall,
    Turn,
)
from otel_footprint.fold.judging import Judged, judge
from otel_footprint.fold.routing import ENABLE
from otel_footprint.fold.scripts import build_row

SPAN = format(1, "016x")


def recorded(value: Any, pointer: str = "r#attribute:r") -> Content:
    return Content(state="recorded", value=value, pointer=pointer)


def call(result: Any = (1,), number: int = 2, **facts: Any) -> ToolCall:
    span_id = format(number, "016x")
    content = result if isinstance(result, Content) else recorded(result, f"{span_id}#attribute:r")
    return ToolCall(
        **{
            "span_id": span_id,
            "carrier_span_id": span_id,
            "tool": "search",
            "start_ns": number,
            "end_ns": number + 1,
            "outcome_pointer": f"{span_id}#status",
            "result": content,
            **facts,
        }
    )


def judged(*calls: ToolCall, **facts: Any) -> Judged:
    base = {"trace_id": format(1, "032x"), "span_id": SPAN, "name": "", "finished": True, "routing": "none"}
    return judge(Turn(**{**base, "calls": calls, **facts}))


def states(found: Judged) -> str:
    """R, U or N for decided, existence and empty, in this order."""
    checks = found.found
    letters = {
        **dict.fromkeys(checks.reachable, "R"),
        **dict.fromkeys(checks.unreachable, "U"),
        **dict.fromkeys(checks.not_applicable, "N"),
    }
    return "".join(letters[name] for name in ("decided-delivered", "existence", "empty-results"))


def routed(**keys: Any) -> RecordedEvent:
    return RecordedEvent(keys={"by": "decider", "to": "refunds", **keys}, pointer=f"{SPAN}#event:0")


def given(iteration: int, names: Any, count: Any) -> Delivery:
    found = Content() if names is None else recorded(names)
    return Delivery(iteration=iteration, names=found, count=Content() if count is None else recorded(count))


# -- what was chosen, and whether it arrived ------------------------------------------------------------


@pytest.mark.parametrize(
    ("deliveries", "state", "signal"),
    [
        ((given(1, ["refunds"], 1), given(2, [], 0)), "R", False),
        ((given(1, ["sales"], 1), given(2, [], 0)), "R", True),
        ((given(1, ["sales"], 1),), "U", False),
        ((given(1, ["sales"], 1), given(2, None, 0)), "U", False),
        ((given(1, ["sales"], 1), given(2, ["sales"], 2)), "U", False),
        ((given(1, ["sales"], 1), given(2, "sales", 1)), "U", False),
        ((given(1, ["sales"], 1), given(2, ["sales", 7], 2)), "U", False),
        ((given(1, ["sales"], 1), given(2, ["sales"], count=True)), "U", False),
        ((given(1, ["sales"], 1), given(2, ["sales"], None)), "U", False),
        ((), "U", False),
    ],
    ids=[
        "delivered",
        "proven not delivered",
        "K36 one model call says nothing",
        "no names",
        "fewer names than counted",
        "names that are no list",
        "a name that is no text",
        "a count that is no number",
        "no count",
        "nothing recorded",
    ],
)
def test_what_was_chosen_is_only_missed_in_a_whole_record_of_what_was_given(
    deliveries: tuple[Delivery, ...], state: str, *, signal: bool
) -> None:
    declared = Declarations(routing=(routed(),), deliveries=deliveries)
    found = judged(routing="recorded", declared=declared, model_calls=2)
    assert states(found)[0] == state
    assert [one.id for one in found.found.signals] == (["decided-not-delivered"] if signal else [])
    lossy = judged(routing="recorded", declared=declared, model_calls=2, incomplete=("queue-dropped",))
    assert not lossy.found.signals


def test_k22_a_routing_signal_points_to_the_verdict_and_every_hand_off() -> None:
    declared = Declarations(routing=(routed(),), deliveries=(given(1, ["sales"], 1),))
    handoff = Handoff(target="refunds", delivered=True, pointer="m#attribute:x")
    found = judged(call([]), routing="recorded", declared=declared, model_calls=1, handoffs=(handoff,))
    assert [one.id for one in found.found.signals] == ["decided-not-delivered", "undeclared-empty-used"]
    assert found.evidence("routing", None, coverage=False) == (f"{SPAN}#event:0", "m#attribute:x")
    assert judged().evidence("routing", None, coverage=False) == ()


def test_a_runtime_that_records_every_routing_and_recorded_none_routed_nothing() -> None:
    assert states(judged(routing="recorded"))[0] == "U"
    assert states(judged(routing="recorded", declared=Declarations(emits=frozenset({"routing"}))))[0] == "N"


def test_a_routing_event_that_does_not_say_who_decided_is_counted_and_said() -> None:
    found = judged(declared=Declarations(routing=(routed(by=7),)))
    assert (found.unread, found.verdict) == (1, None)
    assert [line.sentence.id for line in found.found.unreached] == ["record.unreadable"]


# -- resumed legs ---------------------------------------------------------------------------------------------


def test_k26_without_the_paused_leg_nothing_can_be_concluded() -> None:
    clean, empty = judged(call(), resumed=True), judged(call([]), resumed=True)
    assert ([one.id for one in clean.found.summary.sentences], clean.found.summary.tone) == (
        ["summary.resumed"],
        "unknown",
    )
    assert [one.id for one in empty.found.summary.sentences] == ["signal.undeclaredEmptyUsed", "summary.resumed.tail"]
    assert empty.found.summary.tone == "bad"


def test_k27_with_the_paused_legs_spans_it_is_judged_like_one_turn() -> None:
    found = judged(call(), resumed=True, paused_leg_held=True, before_pause=(call(number=9),))
    assert ([one.id for one in found.found.summary.sentences], found.found.summary.tone) == (["summary.none"], "ok")
    assert not any("beforePause" in line.id for line in found.found.wrong)


def test_k28_a_routing_that_no_leg_records_leaves_the_turn_partly_checked() -> None:
    found = judged(call(), resumed=True, paused_leg_held=True, routing="unknown", before_pause=(call(number=9),))
    assert (states(found), found.found.summary.tone) == ("UNR", "unknown")
    assert [line.missing for line in found.found.unreached] == ["before-pause"]


def test_k29_an_empty_result_before_the_pause_is_a_signal_that_points_to_it() -> None:
    before = call([], 9, call_id="c9")
    found = judged(resumed=True, paused_leg_held=True, before_pause=(before,))
    (signal,) = found.found.signals
    assert (signal.sentence.id, signal.tone, signal.origin) == (
        "signal.undeclaredEmptyUsed.beforePause",
        "bad",
        "before-pause",
    )
    assert found.evidence(signal.origin, signal.ref, coverage=False) == (before.result.pointer,)
    assert found.call_of(signal.origin, signal.ref) is found.before_pause[0]


# -- where a reader can look -----------------------------------------------------------------------------------


def test_evidence_is_the_declaration_else_the_result_else_how_the_call_ended() -> None:
    stated = Coverage(
        statement="ledger", items=(CoverageItem(section="checked", what="mail"),), pointer="s#attribute:coverage.kind"
    )
    found = judged(call(coverage=(stated,)), call(number=3))
    bare = judged(call(Content(), 5), call(Content(), 6, outcome_pointer=None))
    assert found.evidence("call", 0, coverage=True) == ("s#attribute:coverage.kind",)
    assert found.evidence("call", 0, coverage=False) == (found.calls[0].call.result.pointer,)
    assert found.evidence("call", 1, coverage=True) == (found.calls[1].call.result.pointer,)
    assert bare.evidence("call", 0, coverage=False) == (f"{format(5, '016x')}#status",)
    assert bare.evidence("call", 1, coverage=False) == ()


def test_evidence_of_the_rest_is_the_earlier_result_or_the_turns_span() -> None:
    earlier = InViewResult(tool="look", call_id="old", distance=1, result=recorded([], "m#attribute:in"))
    found = judged(in_view=(earlier,))
    assert found.evidence("in-view", 0, coverage=False) == ("m#attribute:in",)
    assert found.evidence("in-view", None, coverage=False) == ()
    assert found.evidence("record", 0, coverage=False) == (f"{SPAN}#status",)


# -- whose calls, and how many --------------------------------------------------------------------------------


def test_k33_every_call_is_judged_however_many_are_listed() -> None:
    calls = [call(number=number) for number in range(2, 55)]
    calls += [call(number=55, outcome="failed"), call([], 56)]
    found = judged(*calls)
    assert [one.id for one in found.found.signals] == ["undeclared-empty-used"]
    assert any(line.id == "wrong.errors" for line in found.found.wrong)


def test_k34_every_declared_item_is_judged() -> None:
    items = [CoverageItem(section="notChecked", what=f"w{n}", kind="scope") for n in range(30)]
    items.append(CoverageItem(section="notChecked", what="w30", kind="existence"))
    found = judged(call(coverage=(Coverage(statement="ledger", items=tuple(items)),)))
    assert [one.id for one in found.found.signals] == ["existence-not-checked"]


def test_k37_without_a_model_call_nothing_is_in_view_and_that_is_no_gap() -> None:
    assert states(judged()) == "NNN"


@pytest.mark.parametrize(
    ("state", "missing"), [("redacted", "redacted"), ("cut", "unreadable"), ("absent", "no-event")]
)
def test_an_earlier_result_that_cannot_be_read_is_said(state: Any, missing: str) -> None:
    earlier = InViewResult(tool="look", call_id="old", distance=1, result=Content(state=state))
    found = judged(in_view=(earlier,), enable="SWITCH")
    assert [(line.missing, line.enable) for line in found.found.unreached] == [(missing, "SWITCH")]


def test_a_windowed_input_makes_a_distance_a_floor() -> None:
    earlier = InViewResult(tool="look", call_id="old", distance=2, result=recorded([]))
    found = judged(in_view=(earlier,), windowed=True)
    assert [one.sentence.id for one in found.found.signals] == ["signal.undeclaredEmptyInView.atLeast"]


# -- what is read of a value ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        {"placed": False, "ref": "x", "reason": "y"},
        {"placed": True, "ref": 7, "reason": "y"},
        {"placed": True, "ref": "x", "reason": 7},
    ],
    ids=str,
)
def test_what_only_looks_like_a_placement_ticket_is_an_object_without_a_declared_shape(value: Any) -> None:
    found = judged(call(value))
    assert [(line.missing, line.sentence.id) for line in found.found.unreached] == [
        ("not-declared", "unreachable.empty")
    ]


def test_what_is_too_deep_to_be_read_keeps_what_was_declared_of_it() -> None:
    stated = Coverage(statement="ledger", items=(CoverageItem(section="checked", what="x"),))
    deep: Any = []
    for _ in range(9):
        deep = {"af_coverage": {}, "result": deep}
    text = "[" * 201 + "]" * 201
    for value, unread in ((deep, None), (text, "too-deep")):
        for statements in ((stated,), ()):
            reading = judged(call(value, coverage=statements)).calls[0].reading
            assert reading is not None
            bounded = bool(statements) or value is deep
            assert (reading.emptiness, reading.rows_unread, reading.bounded) == ("unknown", unread, bounded)


# -- what a signal and a line say of their call -------------------------------------------------------------------


def test_a_signal_and_a_line_name_their_check_their_tool_and_their_call() -> None:
    def limited(**words: Any) -> tuple[Coverage, ...]:
        return (Coverage(statement="ledger", items=(CoverageItem(section="notChecked", what="mail", **words),)),)

    named = judged(call(coverage=limited(kind="existence", short="mail"), call_id="c2"))
    (signal,) = named.found.signals
    assert (signal.id, signal.check, signal.tool, signal.call_id, signal.ref) == (
        "existence-not-checked",
        "existence",
        "search",
        "c2",
        0,
    )
    assert signal.sentence.vars == {"tool": "search", "short": "mail"}
    kindless = judged(call(coverage=limited(), call_id="c2"))
    assert [(line.check, line.tool, line.call_id) for line in kindless.found.unreached] == [
        ("existence", "search", "c2")
    ]
    unnamed = judged(call(tool=None, call_id="c2"))
    assert [(line.check, line.origin, line.call_id) for line in unnamed.found.unreached] == [
        ("empty-results", "call", "c2")
    ]


def test_what_was_chosen_and_not_delivered_belongs_to_its_check_and_says_what_to_switch_on() -> None:
    declared = Declarations(routing=(routed(),), deliveries=(given(1, ["sales"], 1),))
    (signal,) = judged(routing="recorded", declared=declared, model_calls=1).found.signals
    assert (signal.check, signal.origin) == ("decided-delivered", "routing")
    (line,) = judged(routing="unknown").found.unreached
    assert (line.check, line.origin, line.enable) == ("decided-delivered", "routing", ENABLE)


def test_a_program_whose_result_was_not_withheld_does_not_say_that_it_was() -> None:
    drafted = build_row(
        tool_call_id="c",
        tool="python",
        argument="code",
        proposed="1",
        settlement="returned",
        facts=None,
        turn=1,
        iteration=1,
    )
    assert drafted is not None
    assert drafted.result_withheld is None


def test_every_signal_of_an_empty_result_names_its_tool_its_call_and_whence_it_is() -> None:
    earlier = InViewResult(tool="look", call_id="old", distance=1, result=recorded([]))
    before = call([], 9, call_id="c9", tool="fetch")
    found = judged(
        call([], call_id="c2"), in_view=(earlier,), resumed=True, paused_leg_held=True, before_pause=(before,)
    )
    assert [(one.check, one.tool, one.call_id, one.origin, one.ref) for one in found.found.signals] == [
        ("empty-results", "search", "c2", "call", 0),
        ("empty-results", "fetch", "c9", "before-pause", 0),
        ("empty-results", "look", None, "in-view", 0),
    ]


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"in_view_kept_out": 2}, ("redacted", None, None, None)),
        ({"in_view_unrecorded": True}, ("no-event", None, None, "SWITCH")),
        (
            {"in_view": (InViewResult(tool="look", call_id="old", distance=1, result=Content(state="cut")),)},
            ("unreadable", "look", 0, "SWITCH"),
        ),
    ],
    ids=["kept out", "not recorded", "cut"],
)
def test_every_line_of_what_was_in_view_says_what_it_is_about(
    facts: dict[str, Any], expected: tuple[str, str | None, int | None, str | None]
) -> None:
    found = judged(enable="SWITCH", **facts)
    (line,) = found.found.unreached
    assert (line.missing, line.tool, line.ref, line.enable) == expected
    assert (line.check, line.origin, states(found)) == ("empty-results", "in-view", "NNU")


def test_lines_of_calls_before_the_pause_say_so() -> None:
    limit = (Coverage(statement="ledger", items=(CoverageItem(section="notChecked", what="mail"),)),)
    before = (
        call(number=7, call_id="c7", coverage=limit),
        call(number=8, call_id="c8", tool=None, coverage=limit),
        call(number=9, call_id="c9", tool=None, coverage=limit, outcome="failed"),
        call(number=10, call_id="c10", tool=None),
    )
    found = judged(resumed=True, paused_leg_held=True, before_pause=before)
    assert [(line.check, line.call_id, line.origin, line.ref) for line in found.found.unreached] == [
        ("existence", "c7", "before-pause", 0),
        ("empty-results", "c8", "before-pause", 1),
        ("existence", "c9", "before-pause", 2),
        ("empty-results", "c10", "before-pause", 3),
    ]


def test_an_envelope_that_is_too_deep_to_be_read_declares_nothing() -> None:
    text = '{"af_absent": true, "checked": ["x"], "more": ' + "[" * 201 + "]" * 201 + "}"
    read = judged(call(text)).calls[0]
    assert read.statements == ()
    assert read.reading is not None
    assert read.reading.rows_unread == "too-deep"


@pytest.mark.parametrize(
    ("result", "state"),
    [
        ([], "NNR"),
        ([1], "NNR"),
        ({"a": 1}, "NNU"),
        ("Error: kaput", "NNN"),
        (Content(state="cut"), "NNU"),
        (ABSENT, "NNN"),
    ],
)
def test_what_a_model_read_of_a_call_without_a_span_is_judged_unless_it_may_tell_an_error(
    result: Any, state: str
) -> None:
    found = judged(call(result, span_id=None, outcome="unknown", settlement="not-entered", end_ns=0))
    assert states(found) == state


def test_a_call_whose_span_has_no_end_is_not_judged_by_what_it_holds() -> None:
    assert states(judged(call([], outcome="unknown", settlement="not-entered", end_ns=0))) == "NNN"
