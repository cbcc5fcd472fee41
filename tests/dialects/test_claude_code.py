"""Claude Code: the outcome on the parts of a call, its output in an event, and sessions without a message's span."""

from __future__ import annotations

from typing import Any

import pytest

from otel_footprint.dialects import Role, claude_code
from otel_footprint.explanation import Explanation
from otel_footprint.testing import BuiltSpan, assert_evidence_resolves, explain_spans, span

SCOPE = "com.anthropic.claude_code.tracing"


def did(number: int, kind: str, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    own = {"span.type": kind, "session.id": "s1", **(attributes or {})}
    return span(number, scope=SCOPE, name=f"claude_code.{kind}", attributes=own, **rest)


def call(*parts: BuiltSpan, **attributes: Any) -> Explanation:
    spans = [
        did(1, "interaction", at=(0, 9)),
        did(2, "tool", {"tool_name": "Bash", "tool_use_id": "t1", **attributes}, parent=1, at=(1, 5)),
        *parts,
    ]
    (turn,) = explain_spans(spans)
    assert_evidence_resolves(turn, spans)
    return turn


@pytest.mark.parametrize(
    ("kind", "role"),
    [
        ("interaction", Role.AGENT),
        ("llm_request", Role.MODEL),
        ("tool", Role.TOOL),
        ("tool.execution", Role.PART),
        ("tool.blocked_on_user", Role.PART),
        ("hook", None),
        ("anything", None),
    ],
)
def test_the_type_tells_what_a_span_is(kind: str, role: Role | None) -> None:
    assert claude_code.role(did(1, kind)) is role


def test_without_a_type_the_name_tells_it() -> None:
    assert claude_code.role(span(1, scope=SCOPE, name="claude_code.tool")) is Role.TOOL
    assert claude_code.role(span(1, scope="other", name="claude_code.tool")) is None


@pytest.mark.parametrize(
    "part",
    [
        {"success": False},
        {"success": "false"},
        {"error.type": "tool_error"},
    ],
)
def test_a_failure_on_the_execution_is_the_calls(part: dict[str, Any]) -> None:
    turn = call(did(3, "tool.execution", {"tool_use_id": "t1", **part}, parent=2, at=(2, 4)))
    assert [(c.call_id, c.outcome) for c in turn.calls] == [("t1", "failed")]


def test_a_failed_shell_whose_message_is_recorded_has_its_exit_code() -> None:
    execution = did(
        3,
        "tool.execution",
        {"success": False, "error": "Exit code 2\nls: cannot access '/nope'"},
        parent=2,
        at=(2, 4),
        status="error",
        status_message="Shell command failed",
    )
    turn = call(execution, full_command="ls /nope")
    assert [(s.text, s.outcome, s.exit_code, s.exit_code_from) for s in turn.scripts] == [
        ("ls /nope", "completed-with-failure", 2, "text")
    ]


@pytest.mark.parametrize(
    ("source", "outcome"), [("config", "refused"), ("hook", "refused"), ("user_reject", "declined"), (None, "declined")]
)
def test_a_call_that_was_not_allowed_did_not_run(source: str | None, outcome: str) -> None:
    turn = call(did(3, "tool.blocked_on_user", {"decision": "reject", "source": source}, parent=2, at=(2, 4)))
    assert [c.outcome for c in turn.calls] == [outcome]
    assert turn.counts.failed == 0


def test_an_allowed_call_ran() -> None:
    turn = call(did(3, "tool.blocked_on_user", {"decision": "accept", "source": "config"}, parent=2, at=(2, 4)))
    assert [c.outcome for c in turn.calls] == ["ran"]


def test_a_command_that_is_json_is_still_a_program() -> None:
    assert [s.text for s in call(full_command='{"a": 1}').scripts] == ['{"a": 1}']


@pytest.mark.parametrize(
    ("tool", "values", "state", "value"),
    [
        ("Bash", {"output": "45"}, "recorded", "45"),
        ("Bash", {"output": ""}, "recorded", ""),
        ("Bash", {"output": "4", "output_truncated": True}, "cut", None),
        ("Bash", {"content": "given"}, "absent", None),
        ("Write", {"content": "given"}, "absent", None),
        ("Read", {"content": "text"}, "recorded", "text"),
    ],
)
def test_the_output_is_in_an_event(tool: str, values: dict[str, Any], state: str, value: Any) -> None:
    result = claude_code.tool(did(1, "tool", {"tool_name": tool}, events=[("tool.output", values)])).result
    assert (result.state, result.value) == (state, value)


def test_the_calls_of_a_subagent_are_calls_of_their_own() -> None:
    spans = [
        did(1, "interaction", at=(0, 9)),
        did(2, "tool", {"tool_name": "Agent", "tool_use_id": "t1"}, parent=1, at=(1, 8)),
        did(3, "tool.execution", {"tool_use_id": "t1", "success": True}, parent=2, at=(1, 8)),
        did(4, "llm_request", parent=3, at=(2, 3)),
        did(5, "tool", {"tool_name": "Agent", "tool_use_id": "t2"}, parent=3, at=(4, 6)),
        did(6, "tool.execution", {"tool_use_id": "t2", "success": False}, parent=5, at=(4, 6)),
    ]
    (turn,) = explain_spans(spans)
    assert [(c.call_id, c.outcome) for c in turn.calls] == [("t1", "ran"), ("t2", "failed")]


def test_a_session_without_a_messages_span_is_one_turn_that_says_so() -> None:
    spans = [
        did(1, "llm_request", {"stop_reason": "tool_use"}, trace=1, at=(1, 2)),
        did(2, "tool", {"tool_name": "Bash", "tool_use_id": "t1", "full_command": "true"}, trace=2, at=(3, 5)),
        did(3, "tool.execution", {"tool_use_id": "t1", "success": False}, parent=2, trace=2, at=(3, 5)),
        did(4, "llm_request", {"response.model_output": "done"}, trace=3, at=(6, 7)),
        did(5, "llm_request", {"session.id": "s2"}, trace=4, at=(1, 2)),
    ]
    first, second = sorted(explain_spans(spans), key=lambda e: e.conversation_id or "")
    assert first.stand_in
    assert [(c.call_id, c.outcome) for c in first.calls] == [("t1", "failed")]
    assert (first.answer, first.span_id) == ("done", format(4, "016x"))
    assert second.conversation_id == "s2"
    assert second.calls == ()


def test_work_whose_message_span_is_missing_is_not_joined_with_another_turns() -> None:
    spans = [
        did(1, "llm_request", parent=50, trace=1, at=(1, 2)),
        did(2, "llm_request", parent=60, trace=2, at=(3, 4)),
    ]
    turns = explain_spans(spans)
    assert [turn.incomplete for turn in turns] == [("no-turn-span", "parent-missing")] * 2


def test_what_a_model_said_before_it_asked_for_tools_is_no_answer() -> None:
    spans = [
        did(1, "interaction", at=(0, 9)),
        did(2, "llm_request", {"stop_reason": "tool_use", "response.model_output": "Let me see."}, parent=1, at=(1, 2)),
    ]
    (turn,) = explain_spans(spans)
    assert turn.answer is None
