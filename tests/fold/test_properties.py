"""What holds of every turn, whatever its facts are and whatever its spans hold."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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
    Delivery,
    Handoff,
    IncompleteReason,
    InViewResult,
    RecordedEvent,
    Routing,
    Settlement,
    ToolCall,
    Turn,
)
from otel_footprint.fold import strictjson
from otel_footprint.fold.account import MAX_ACCOUNT_BYTES
from otel_footprint.fold.evidence import EvidenceIndex, check_evidence
from otel_footprint.fold.explain import explain
from otel_footprint.fold.reason_rows import ROW_KINDS
from otel_footprint.fold.tokens import tokens
from otel_footprint.spanview import EventView, LinkView
from otel_footprint.testing import (
    BuiltSpan,
    agent_span,
    assert_consistent,
    assert_evidence_resolves,
    call_part,
    explain_spans,
    message,
    model_span,
    response_part,
    tool_span,
)

SPAN = format(1, "016x")
QUICK = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])

# -- facts ---------------------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    ["", "x", "INC10007", "41,200", "a\u0000\ud800", "[]", "print(1)", "<b>", "REDACTED", "w" * 5_000]
)
ANSWERS = st.lists(
    st.sampled_from(
        ["INC10007", "INC99999", "41200", "```\nprint(1)\n```", "~~~py\nx\n", "password=hunter22222", "\ud800", "."]
    ),
    max_size=6,
).map("\n".join)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | WORDS
KEYS = st.sampled_from(
    ["a", "rows", "result", "checked", "af_absent", "af_coverage", "not_checked", "what", "INC10007"]
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=4
)
ANYTHING = VALUES | VALUES.filter(lambda value: not isinstance(value, float)).map(json.dumps)
POINTERS = st.sampled_from([None, f"{SPAN}#attribute:a"])


def contents(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Content]:
    lost = st.builds(Content, state=st.sampled_from(get_args(ContentState)), value=values, pointer=POINTERS)
    return st.builds(Content, state=st.just("recorded"), value=values, pointer=POINTERS) | lost


EVENTS = st.builds(
    RecordedEvent,
    keys=st.dictionaries(
        st.sampled_from(
            ["by", "to", "candidates", "looked_up", "unsupported", "revised", "tool_call_id", "status", "mode"]
        ),
        ANYTHING | st.sampled_from(["decider", "passed", "enforce", "c", ["X1"], 3]),
        max_size=5,
    ),
    pointer=st.just(f"{SPAN}#event:0"),
)
ROWS = st.builds(
    RecordedEvent,
    keys=st.fixed_dictionaries(
        {
            "kind": st.sampled_from([*ROW_KINDS, "other", 7]),
            "body": ANYTHING | st.dictionaries(st.sampled_from(["status", "verdict", "turn", "source"]), SCALARS),
        }
    ),
    pointer=st.just(f"{SPAN}#event:1"),
)
DECLARED = st.builds(
    Declarations,
    routing=st.lists(EVENTS, max_size=2).map(tuple),
    rows=st.lists(ROWS, max_size=3).map(tuple),
    evidence=st.lists(EVENTS, max_size=2).map(tuple),
    pause=st.none() | EVENTS,
    answer_check=st.none() | EVENTS,
    stopped_early=contents(ANYTHING),
    steps_unfinished=contents(ANYTHING),
    question_rewritten=st.sampled_from([None, True, False]),
    deliveries=st.lists(
        st.builds(Delivery, iteration=st.integers(0, 3), names=contents(ANYTHING), count=contents(ANYTHING)), max_size=2
    ).map(tuple),
    emits=st.frozensets(st.sampled_from(["routing", "coverage", "code_run"])),
)
RUNS = st.builds(
    CodeRun,
    argument=WORDS,
    declared_by=st.sampled_from(["span", "user", "catalogue"]),
    proposed=contents(WORDS),
    submitted=contents(ANYTHING),
    exit_code=st.sampled_from([None, 0, 3, -9, True, "0", 2.0, -0.0, float("nan"), []]),
    exit_code_from=st.sampled_from(["attribute", "result"]),
    ok=st.sampled_from([None, True, False, "x"]),
    service_error=st.sampled_from([None, True, False, "x"]),
    paused=st.booleans(),
    result_withheld=st.booleans(),
)
COVERAGES = st.builds(
    Coverage,
    statement=st.sampled_from(["absence", "ledger"]),
    items=st.lists(
        st.builds(
            CoverageItem,
            section=st.sampled_from(["checked", "notChecked", "cannotCover"]),
            what=WORDS,
            kind=st.sampled_from([None, "existence", "scope"]),
            kept_out=st.booleans(),
        ),
        max_size=3,
    ).map(tuple),
    pointer=POINTERS,
)
CALLS = st.builds(
    ToolCall,
    span_id=st.sampled_from([None, SPAN]),
    carrier_span_id=st.just(SPAN),
    tool=st.none() | WORDS,
    call_id=st.sampled_from([None, "", "c"]),
    end_ns=st.sampled_from([0, 5]),
    outcome=st.sampled_from(get_args(CallOutcome)),
    outcome_pointer=POINTERS,
    settlement=st.sampled_from(get_args(Settlement)),
    refused_by=st.none() | WORDS,
    withheld_by=st.none() | WORDS,
    presented=st.booleans(),
    result=contents(ANYTHING),
    rows=st.sampled_from([None, 0, 3]),
    rows_at=st.sampled_from([None, "rows"]),
    code_run=st.none() | RUNS,
    coverage=st.lists(COVERAGES, max_size=2).map(tuple),
    coverage_recorded=st.booleans(),
)
TURNS = st.builds(
    Turn,
    trace_id=st.just(format(1, "032x")),
    span_id=st.just(SPAN),
    name=WORDS,
    turn=st.sampled_from([None, 1, 2]),
    end_ns=st.sampled_from([0, 9]),
    question=contents(ANYTHING),
    answer=contents(ANSWERS | ANYTHING),
    finished=st.booleans(),
    calls=st.lists(CALLS, max_size=4).map(tuple),
    before_pause=st.lists(CALLS, max_size=2).map(tuple),
    in_view=st.lists(
        st.builds(
            InViewResult, tool=WORDS, call_id=st.none() | WORDS, distance=st.integers(1, 3), result=contents(ANYTHING)
        ),
        max_size=2,
    ).map(tuple),
    in_view_kept_out=st.sampled_from([0, 0, 2]),
    in_view_unrecorded=st.booleans(),
    windowed=st.booleans(),
    redaction=st.sampled_from([None, "p"]),
    routing=st.sampled_from(get_args(Routing)),
    handoffs=st.lists(st.builds(Handoff, target=st.none() | WORDS, delivered=st.booleans()), max_size=2).map(tuple),
    resumed=st.booleans(),
    paused_leg_held=st.booleans(),
    declared=DECLARED,
    told=st.lists(WORDS, max_size=2).map(tuple),
    told_partly=st.sampled_from([False, False, True]),
    model=st.none() | WORDS,
    model_calls=st.integers(0, 3),
    earlier_scripts=st.integers(0, 2),
    stand_in=st.sampled_from([False, False, True]),
    incomplete=st.lists(st.sampled_from(get_args(IncompleteReason)), max_size=2, unique=True).map(tuple),
    dropped=st.sampled_from([0, 2]),
    unreadable=st.sampled_from([0, 1]),
)
SETTINGS = st.builds(
    Config,
    account=st.just(value=True),
    matching=st.booleans(),
    evidence=st.booleans(),
    evidence_minimum_digits=st.sampled_from([1, 4]),
    evidence_shapes=st.sampled_from([(), ("p*",)]),
    evidence_exemptions=st.sampled_from([(), ("inc*",)]),
)


def account_of(found: Explanation) -> dict[str, Any]:
    assert found.account is not None
    return found.account


@given(TURNS, SETTINGS)
@QUICK
def test_any_facts_give_an_explanation_that_keeps_every_law(turn: Turn, config: Config) -> None:
    found = explain(turn, config)
    assert_consistent(found)
    assert len(found.checks.reachable + found.checks.unreachable + found.checks.not_applicable) == 3
    if found.summary.tone == "ok":
        assert not any((turn.incomplete, turn.unreadable, found.checks.unreachable, found.signals))


@given(TURNS, SETTINGS)
@QUICK
def test_the_account_has_its_seven_rows_within_its_bound(turn: Turn, config: Config) -> None:
    account = account_of(explain(turn, config))
    ids = ["asked", "understood", "checked", "not-checked", "found", "how-sure", "anything-wrong"]
    assert [row["id"] for row in account["rows"]] == ids
    assert len(json.dumps(account, ensure_ascii=False).encode("utf-8", "surrogatepass")) <= MAX_ACCOUNT_BYTES


@given(TURNS, SETTINGS)
@QUICK
def test_the_same_turn_gives_the_same_bytes(turn: Turn, config: Config) -> None:
    first, second = (json.dumps(explain(one, config).to_dict(programs=True)) for one in (turn, replace(turn)))
    assert first == second


@given(TURNS, SETTINGS)
@QUICK
def test_completed_is_only_said_of_an_explicit_exit_code(turn: Turn, config: Config) -> None:
    codes = {call.code_run.exit_code for call in turn.calls if call.code_run and _is_whole(call.code_run.exit_code)}
    for script in explain(turn, config).scripts:
        if script.outcome in {"completed", "completed-with-failure"}:
            assert script.exit_code in codes
            assert (script.outcome == "completed") == (script.exit_code == 0)


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value  # noqa: PLR0124 - no NaN


@given(TURNS, SETTINGS)
@QUICK
def test_support_names_the_digest_of_exactly_the_recorded_answer(turn: Turn, config: Config) -> None:
    support = getattr(explain(turn, config).assessment, "support", None)
    if support is not None:
        assert turn.answer.recorded
        assert support.digest == hashlib.sha256(turn.answer.value.encode("utf-8", "surrogatepass")).hexdigest()


@given(TURNS, st.booleans())
@QUICK
def test_an_exact_enforced_check_supports_unless_a_reason_fired(turn: Turn, exact: bool) -> None:
    digest = hashlib.sha256(b"yes" if exact else b"no").hexdigest()
    check = RecordedEvent(keys={"status": "passed", "mode": "enforce", "digest": digest}, pointer=f"{SPAN}#status")
    answered = replace(
        turn,
        answer=Content(state="recorded", value="yes"),
        in_view_kept_out=0,
        declared=replace(turn.declared, answer_check=check, rows=()),
    )
    found = explain(answered).assessment
    assert found is not None
    assert (found.support is not None) == (exact and not explain(answered).reasons)


@given(TURNS)
@QUICK
def test_a_value_is_only_flagged_by_us_in_a_record_without_a_gap(turn: Turn) -> None:
    found = explain(replace(turn, declared=replace(turn.declared, evidence=())))
    if found.evidence is None or not found.evidence.unsupported:
        assert "value-unsupported" not in [one.reason for one in found.reasons]
        return
    shown = [c for c in (*turn.before_pause, *turn.calls) if c.outcome in {"ran", "failed", "unknown"}]
    assert all(call.result.recorded for call in shown if not call.presented)
    assert all(one.result.recorded for one in turn.in_view)
    assert not any((turn.in_view_kept_out, turn.in_view_unrecorded, turn.told_partly, turn.stand_in))
    assert set(turn.incomplete) <= {"parent-missing"}
    assert not turn.resumed or turn.paused_leg_held
    held = {
        token for text in _leaves([c.result.value for c in turn.calls if c.result.recorded]) for token in tokens(text)
    }
    assert not held.intersection(one.value.lower() for one in found.evidence.unsupported)


def _leaves(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [*map(str, value), *(leaf for one in value.values() for leaf in _leaves(one))]
    if isinstance(value, (list, tuple)):
        return [leaf for one in value for leaf in _leaves(one)]
    return []  # texts may be JSON, and an envelope's own words ground nothing: see the look-up's own tests


# -- the quick look-up -----------------------------------------------------------------------------------------

LINES = st.text(alphabet='aZ0149,.-+e:/@_ \n\t\\"{[u\u00e9', max_size=20)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | LINES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(LINES, inner, max_size=4),
    max_leaves=12,
)


@given(PLAIN, st.lists(LINES, max_size=4))
@settings(max_examples=150, deadline=None)
def test_a_value_read_at_once_and_read_part_by_part_hold_the_same(value: Any, others: list[str]) -> None:
    text = json.dumps(value, ensure_ascii=False)
    near = {token for one in (text, text.replace(",", " , "), *others) for token in tokens(one)}
    at_once, in_order = EvidenceIndex(near), EvidenceIndex(near)
    at_once.add(value)
    in_order._add_in_order(value)
    assert at_once.missing == in_order.missing
    if isinstance(value, (list, dict)):
        spelled, escaped = EvidenceIndex(near), EvidenceIndex(near)
        spelled.add(text)
        escaped.add(json.dumps(value).replace("/", "\\/"))
        assert spelled.missing == escaped.missing == at_once.missing


@given(st.lists(PLAIN, max_size=3), LINES)
@QUICK
def test_what_the_results_hold_is_never_unsupported(results: list[Any], answer: str) -> None:
    assert check_evidence(answer=answer, results=[*results, answer]).unsupported == ()


def test_of_a_value_past_the_bound_the_beginning_is_read() -> None:
    index = EvidenceIndex(["inc10007", "inc99999"], limit=60)
    index.add(["INC10007", '["x"]', *["word"] * 20, "INC99999"])
    assert (index.missing, index.truncated) == ({"inc99999"}, True)


def test_a_value_that_holds_itself_ends_the_look_up() -> None:
    ring: list[Any] = ["INC10007"]
    ring.append(ring)
    index = EvidenceIndex(["inc10007", "inc99999"], limit=10_000)
    index.add(ring)
    assert (index.missing, index.truncated) == ({"inc99999"}, True)


@given(
    st.text(alphabet='[]{}",a\\\\\u00e9', max_size=40), st.integers(0, 220), st.sampled_from(["[]", '{"a":}', '["]",]'])
)
@QUICK
def test_many_brackets_are_only_called_flat_where_they_are(noise: str, depth: int, layer: str) -> None:
    half = len(layer) - 1
    text = f"[{json.dumps(noise)},{layer[:half] * depth}1{layer[half:] * depth},{'[],' * 201}{noise}]"
    assert not strictjson._surely_flat(text) or strictjson._depth(text) <= strictjson.MAX_JSON_DEPTH


# -- from spans --------------------------------------------------------------------------------------------------

RESULTS = st.sampled_from(
    ["[]", '["INC10007"]', "{}", "text 41,200", "<REDACTED>", '{"exit_code": 3, "stdout": ""}', None]
)
ROLES = st.sampled_from(["user", "assistant", "system", "tool"])


@st.composite
def conversations(draw: st.DrawFn) -> list[BuiltSpan]:
    """Turns of one conversation, each with some calls; some pause, some go on from the one before."""
    spans: list[BuiltSpan] = []
    history: list[dict[str, Any]] = []
    for number in range(1, draw(st.integers(1, 3)) + 1):
        base = 100 * number
        own: dict[str, Any] = {"gen_ai.conversation.id": "c", "footprint.answer": draw(ANSWERS.filter(str.isprintable))}
        events = [("footprint.pause", {"tool_call_id": "c1"})] if draw(st.booleans()) else []
        links = [LinkView(format(number - 1, "032x"), format(base - 100, "016x"))]
        if draw(st.booleans()):
            own["footprint.resumed"] = True
        if draw(st.booleans()):
            own |= {"footprint.answer_check.status": "passed", "footprint.answer_check.mode": "enforce"}
        agent = agent_span(base, trace=number, at=(base, base + 99), attributes=own, events=events)
        spans.append(replace(agent, links=tuple(links), dropped=draw(st.sampled_from([0, 0, 1]))))
        history.append(message(draw(ROLES), "INC10007?"))
        for place in range(1, draw(st.integers(0, 3)) + 1):
            call_id, result = f"c{place}", draw(RESULTS)
            asked = message("assistant", call_part("run_python", call_id, {"code": "print(1)"}))
            model = model_span(
                base + 10 * place,
                trace=number,
                parent=base,
                at=(base + place, base + place),
                read=history,
                said=[asked],
            )
            tool = tool_span(
                base + 10 * place + 1,
                "run_python",
                trace=number,
                parent=base,
                call_id=call_id,
                at=(base + place, base + place + 1),
                result=result,
                attributes={"coverage.kind": "ledger", "coverage.checked": '["x"]'} if draw(st.booleans()) else None,
            )
            spans += draw(st.lists(st.sampled_from([model, tool]), max_size=2, unique_by=id))
            history += [asked, message("tool", response_part(call_id, result))]
        row = EventView("footprint.row", 0, {"kind": draw(st.sampled_from(ROW_KINDS)), "body": "{}"})
        spans[-1] = replace(spans[-1], events=(*spans[-1].events, row))
    return spans


@given(conversations())
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_pointer_of_an_explanation_of_spans_resolves(spans: list[BuiltSpan]) -> None:
    for found in explain_spans(spans, Config(account=True)):
        assert_consistent(found)
        assert_evidence_resolves(found, spans)


@given(conversations(), st.randoms(use_true_random=False))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_spans_in_any_order_give_the_same_bytes(spans: list[BuiltSpan], random: Any) -> None:
    shuffled = random.sample(spans, len(spans))
    config = Config(account=True)
    first, second = ([json.dumps(one.to_dict()) for one in explain_spans(some, config)] for some in (spans, shuffled))
    assert first == second
