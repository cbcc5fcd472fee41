"""What a turn says of itself in our own attributes and events, read and not judged."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from otel_footprint.dialects.declared import declarations
from otel_footprint.facts import Content, Declarations
from otel_footprint.spanview import TOO_DEEP
from otel_footprint.testing import (
    agent_span,
    assert_consistent,
    assert_evidence_resolves,
    explain_spans,
    model_span,
    tool_span,
)

SPAN = format(1, "016x")


def declared(
    attributes: dict[str, Any] | None = None, *events: tuple[str, dict[str, Any]], **rest: Any
) -> Declarations:
    return declarations(agent_span(1, attributes=attributes, events=events, **rest), [])


def test_a_turn_that_says_nothing_declares_nothing() -> None:
    assert declared() == Declarations()


def test_events_are_kept_in_their_order_by_bare_keys_with_their_place() -> None:
    found = declared(
        None,
        ("footprint.routing", {"by": "decider", "footprint.routing.to": "refunds"}),
        ("other", {"by": "nobody"}),
        ("footprint.row", {"kind": "period", "body": "{}"}),
        ("footprint.row", {"kind": 7}),
        ("footprint.evidence", {"candidates": 1}),
    )
    assert [(one.keys, one.pointer) for one in found.routing] == [
        ({"by": "decider", "to": "refunds"}, f"{SPAN}#event:0/by")
    ]
    assert [(one.keys, one.pointer) for one in found.rows] == [
        ({"kind": "period", "body": "{}"}, f"{SPAN}#event:2/body"),
        ({"kind": 7}, f"{SPAN}#event:3/kind"),
    ]
    assert [one.pointer for one in found.evidence] == [f"{SPAN}#event:4/candidates"]


def test_the_last_pause_counts() -> None:
    pauses = [("footprint.pause", {"tool_call_id": name}) for name in ("c1", "c2")]
    pause = declared(None, *pauses).pause
    assert pause is not None
    assert (pause.keys, pause.pointer) == ({"tool_call_id": "c2"}, f"{SPAN}#event:1/tool_call_id")


def test_an_event_without_its_main_key_is_pointed_at_by_another_and_without_any_by_its_span() -> None:
    found = declared(None, ("footprint.routing", {"footprint.routing.by": "x"}), ("footprint.routing", {}))
    assert [one.pointer for one in found.routing] == [f"{SPAN}#event:0/footprint.routing.by", f"{SPAN}#status"]


def test_an_answer_check_is_one_event_of_the_keys_that_are_there() -> None:
    check = declared({"footprint.answer_check.mode": "enforce", "footprint.answer_check.digest": 7}).answer_check
    assert check is not None
    assert check.keys == {"mode": "enforce", "digest": 7}


def test_an_answer_check_points_to_a_key_that_is_there() -> None:
    for key in ("status", "mode", "digest"):
        check = declared({f"footprint.answer_check.{key}": "x"}).answer_check
        assert check is not None
        assert check.pointer == f"{SPAN}#attribute:footprint.answer_check.{key}"


def test_attributes_are_contents_in_the_state_they_are_in() -> None:
    found = declared({"footprint.stopped_early": "max_turns", "footprint.steps_unfinished": TOO_DEEP})
    assert found.stopped_early == Content(
        state="recorded", value="max_turns", pointer=f"{SPAN}#attribute:footprint.stopped_early"
    )
    assert found.steps_unfinished.state == "too-deep"


def test_only_a_boolean_says_whether_the_question_was_rewritten() -> None:
    for value, said in ((True, True), (False, False), ("true", None), (1, None)):
        assert declared({"footprint.question.rewritten": value}).question_rewritten is said


def test_deliveries_are_those_of_the_model_calls_with_their_numbers() -> None:
    first = model_span(2, attributes={"footprint.skills": ["a"], "footprint.skills.count": 1})
    second = model_span(3)
    found = declarations(agent_span(1), [(1, first), (2, second)]).deliveries
    assert [(one.iteration, one.names.value, one.count.value) for one in found] == [(1, ["a"], 1), (2, None, None)]
    assert [one.names.state for one in found] == ["recorded", "absent"]


def test_what_a_runtime_records_is_on_its_resource() -> None:
    assert declared(resource={"footprint.emits": ["routing", 7]}).emits == {"routing"}


# -- from spans to reasons ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "body", "reason"),
    [
        ("argument", {"argument": "q", "source": "asked"}, "argument-asked"),
        ("argument", {"argument": "q", "source": "default"}, "argument-assumed"),
        ("argument", {"argument": "q", "source": "model", "ruled": True}, "argument-unverified"),
        ("argument", {"argument": "q", "source": "said", "reading": "May"}, "argument-read"),
        ("contingent", {}, "value-contingent"),
        ("period", {"verdict": "not-held"}, "period-not-held"),
        ("period", {"verdict": "covered", "differs": True}, "period-differs-from-asked"),
        ("conflict", {"witnesses": ["c1"]}, "sources-conflict"),
        ("time-derived", {}, "derived-from-reading"),
        ("script-shown", {"block": 1, "label": "unmatched"}, "script-unmatched"),
        ("steps-unfinished", {"steps": ["x"]}, "steps-unfinished"),
        ("negative-claim", {}, "negative-prose-unverified"),
        ("answer-check", {"check": "agent:x", "reason": "claim-exceeds-search"}, "claim-exceeds-search"),
        ("answer-check", {"status": "failed"}, "answer-check-failed"),
        ("answer-check", {"status": "unverified"}, "check-unreachable"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_row_on_the_turns_span_fires_its_reason_and_is_pointed_at(
    kind: str, body: dict[str, Any], reason: str
) -> None:
    row = ("footprint.row", {"footprint.row.kind": kind, "footprint.row.body": json.dumps(body)})
    spans = [
        agent_span(1, at=(0, 9), attributes={"footprint.answer": "yes"}, events=(row,)),
        tool_span(2, "search", parent=1, call_id="c1", at=(1, 2), result="[1]"),
    ]
    (found,) = explain_spans(spans)
    assert_consistent(found)
    assert_evidence_resolves(found, spans)
    assert [(one.reason, one.evidence) for one in found.reasons] == [(reason, (f"{SPAN}#event:0/footprint.row.body",))]


@pytest.mark.parametrize(
    ("attributes", "events", "reason"),
    [
        ({"footprint.stopped_early": "max_turns"}, (), "stopped-early"),
        ({"footprint.steps_unfinished": ["x"]}, (), "steps-unfinished"),
        ({"footprint.answer_check.status": "failed"}, (), "answer-check-failed"),
        ({}, (("footprint.evidence", {"candidates": 1, "unsupported": ["X1"]}),), "value-unsupported"),
        ({}, (("footprint.pause", {"tool_call_id": "c1"}),), "asked"),
    ],
    ids=str,
)
def test_a_declaration_of_the_turns_span_fires_its_reason_and_is_pointed_at(
    attributes: dict[str, Any], events: Any, reason: str
) -> None:
    span = agent_span(1, at=(0, 9), attributes={"footprint.answer": "yes", **attributes}, events=events)
    (found,) = explain_spans([span])
    assert_evidence_resolves(found, [span])
    assert [one.reason for one in found.reasons] == [reason]
    assert found.reasons[0].evidence


@pytest.mark.parametrize(
    ("outcome", "rule", "said"),
    [("ran", None, "ran"), ("refused", "deny-rule", "refused"), ("refused", None, "refused")],
    ids=["gate_open", "deny", "halt"],
)
def test_k35_what_a_permission_rule_did_is_the_outcome_that_the_runtime_records(
    outcome: str, rule: str | None, said: str
) -> None:
    own = {"footprint.call.outcome": outcome, **({"footprint.call.refused_by": rule} if rule else {})}
    (found,) = explain_spans([agent_span(1, at=(0, 9)), tool_span(2, "f", parent=1, at=(1, 2), attributes=own)])
    assert [one.outcome for one in found.calls] == [said]


def test_f03_an_enforced_check_on_the_turns_span_proves_exactly_its_answer() -> None:
    digest = hashlib.sha256("ja \u2713".encode()).hexdigest()
    own = {f"footprint.answer_check.{k}": v for k, v in (("status", "passed"), ("mode", "enforce"), ("digest", digest))}
    for answer, standing in (("ja \u2713", "known"), ("ja \u2713 ", "consistent")):
        (found,) = explain_spans([agent_span(1, at=(0, 9), attributes={"footprint.answer": answer, **own})])
        assert found.assessment is not None
        assert (found.standing, found.assessment.support is not None) == (standing, standing == "known")
