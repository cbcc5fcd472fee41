"""Faults of others in telling one call from another: what is right, for each kind of fault."""

from __future__ import annotations

from typing import Any

import pytest
from cases import number_of, turn_of
from reading import DATA, explained

from otel_footprint.testing import (
    BuiltSpan,
    agent_span,
    call_part,
    message,
    model_span,
    response_part,
    tool_span,
)

TOP = agent_span(1, at=(0, 100))


def asking(number: int, *parts: dict[str, Any], at: tuple[float, float] = (1, 2)) -> BuiltSpan:
    return model_span(number, parent=1, at=at, said=[message("assistant", *parts)])


@pytest.mark.parametrize("call_id", ["call_0", "bash:0", "call_0_0", ""])
def test_d1_to_d4_a_call_id_that_repeats_or_is_empty_hides_no_call(call_id: str) -> None:
    turn = turn_of(
        TOP,
        asking(2, call_part("bash", call_id, {"command": "ls"})),
        tool_span(3, "bash", parent=1, call_id=call_id, at=(3, 4), arguments={"command": "ls"}, result="a"),
        asking(4, call_part("bash", call_id, {"command": "pytest"}), at=(5, 6)),
        tool_span(
            5,
            "bash",
            parent=1,
            call_id=call_id,
            at=(7, 8),
            arguments={"command": "pytest"},
            status="error",
            status_message="Exit code 1",
        ),
    )
    assert [(number_of(c.span_id), c.call_id, c.outcome) for c in turn.calls] == [
        (3, call_id or None, "ran"),
        (5, call_id or None, "failed"),
    ]
    assert [(s.text, s.exit_code) for s in turn.scripts] == [("ls", None), ("pytest", 1)]


def test_d4_two_calls_of_one_message_without_ids_are_told_apart_by_what_they_were_asked() -> None:
    turn = turn_of(
        TOP,
        asking(2, call_part("f", "", {"a": 1}), call_part("f", "", {"a": 2})),
        tool_span(3, "f", parent=1, call_id="", at=(3, 4), arguments={"a": 2}, status="error"),
        tool_span(4, "f", parent=1, call_id="", at=(5, 6), arguments={"a": 1}),
    )
    assert [(number_of(c.span_id), c.outcome) for c in turn.calls] == [(3, "failed"), (4, "ran")]


def test_d6_three_equal_calls_are_three_attempts_and_the_third_one_passed() -> None:
    spans: list[BuiltSpan] = [TOP]
    for index, code in enumerate((1, 1, 0)):
        at = 10 * index
        spans += [
            asking(10 + index, call_part("run_shell", f"c{index}", {"command": "t"}), at=(at + 1, at + 2)),
            tool_span(
                20 + index,
                "run_shell",
                parent=1,
                at=(at + 3, at + 4),
                arguments={"command": "t"},
                attributes={"process.exit.code": code},
            ),
        ]
    turn = turn_of(*spans)
    assert [(s.dispatch, s.exit_code) for s in turn.scripts] == [(1, 1), (2, 1), (3, 0)]
    assert (turn.counts.calls, turn.counts.scripts) == (3, 3)


def test_d8_a_framework_span_around_an_mcp_span_is_one_call_with_the_inner_result_and_the_outer_time() -> None:
    turn = turn_of(
        TOP,
        tool_span(2, "mcp__s__f", parent=1, at=(1, 8), result='{"content":[{"type":"text","text":"[1]"}]}'),
        tool_span(3, "f", parent=2, at=(3, 4), name="tools/call f", result="[]"),
    )
    assert [(number_of(c.span_id), c.rows, c.emptiness) for c in turn.calls] == [(2, 0, "undeclared-empty")]


def test_d8_a_real_file_with_both_spans_has_one_call() -> None:
    (turn,) = explained((DATA / "public" / "agentevals_hand" / "mcp_tool_call.json").read_bytes())
    assert [c.outcome for c in turn.calls] == ["ran"]


@pytest.mark.parametrize("hosted", [False, True], ids=["never dispatched", "run by the provider"])
def test_d11_d12_a_call_without_a_span_is_a_call_that_says_so(hosted: bool) -> None:
    part = (
        {"type": "server_tool_call", "id": "1", "name": "f", "server_tool_call": {"type": "f"}}
        if hosted
        else call_part("f", "1", {})
    )
    read = [message("user", "q"), message("tool", response_part("1", "validation error: no such field"))]
    turn = turn_of(TOP, asking(2, part), model_span(3, parent=1, at=(5, 6), read=read))
    (call,) = turn.calls
    assert (call.span_id, call.outcome) == (None, "unknown")
    assert call.notes == (("hosted",) if hosted else ("no-span",))
    # What was read of it is what the model read, and the row points there.
    assert call.result_recorded is not hosted


def test_d13_without_content_a_call_has_no_result_and_no_empty_one() -> None:
    turn = turn_of(TOP, tool_span(2, "search", parent=1, at=(1, 2)))
    (call,) = turn.calls
    assert (call.outcome, call.result_recorded, call.emptiness, call.rows) == ("ran", False, "unknown", None)
    (line,) = [one for one in turn.unreached if one.check == "empty-results"]
    assert (line.missing, bool(line.enable)) == ("no-event", True)
    assert turn.signals == ()
