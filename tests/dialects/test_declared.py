"""What a turn says of itself in our own attributes and events, read and not judged."""

from __future__ import annotations

from typing import Any

from otel_footprint.dialects.declared import declarations
from otel_footprint.facts import Content, Declarations
from otel_footprint.spanview import TOO_DEEP
from otel_footprint.testing import agent_span, model_span

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
        ({"by": "decider", "to": "refunds"}, f"{SPAN}#event:0")
    ]
    assert [(one.keys, one.pointer) for one in found.rows] == [
        ({"kind": "period", "body": "{}"}, f"{SPAN}#event:2"),
        ({"kind": 7}, f"{SPAN}#event:3"),
    ]
    assert [one.pointer for one in found.evidence] == [f"{SPAN}#event:4"]


def test_the_last_pause_counts() -> None:
    pauses = [("footprint.pause", {"tool_call_id": name}) for name in ("c1", "c2")]
    pause = declared(None, *pauses).pause
    assert pause is not None
    assert (pause.keys, pause.pointer) == ({"tool_call_id": "c2"}, f"{SPAN}#event:1")


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
