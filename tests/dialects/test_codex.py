"""Codex CLI: which of its many spans is a call, and what says that it failed."""

from __future__ import annotations

from typing import Any

import pytest

from otel_footprint.dialects import Role, codex
from otel_footprint.testing import BuiltSpan, assert_evidence_resolves, explain_spans, span


def did(number: int, name: str, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    return span(number, scope="codex_exec", name=name, attributes=attributes, **rest)


RESULT = {"event.name": "codex.tool_result", "success": "false"}


@pytest.mark.parametrize(
    ("name", "attributes", "role"),
    [
        ("session_task.turn", {"turn.id": "1"}, Role.AGENT),
        ("run_turn", {}, Role.AGENT),
        ("codex.sampling", {}, Role.MODEL),
        ("exec_command", {"tool_name": "exec_command", "call_id": "c1"}, Role.TOOL),
        ("mcp", {"tool_name": "fs__read", "call_id": "c1", "codex.tool.phase": "dispatch"}, Role.TOOL),
        ("unified_exec.exec_command", {"call_id": "c1"}, Role.PART),
        ("handle_responses", {"tool_name": "exec_command"}, None),
        ("handle_tool", {"tool_name": "exec_command", "call_id": "c1"}, None),
        ("codex.exec", {"turn.id": "1"}, None),
        ("turn/start", {"turn.id": "1"}, None),
    ],
)
def test_only_the_span_that_dispatches_a_tool_is_a_call(name: str, attributes: dict[str, Any], role: Any) -> None:
    assert codex.role(did(1, name, attributes)) is role


def test_another_scope_is_not_codex() -> None:
    assert codex.role(span(1, scope="other", name="run_turn")) is None


@pytest.mark.parametrize(
    "spans",
    [
        [did(2, "exec_command", {"tool_name": "exec_command", "call_id": "c1", "aborted": True}, parent=1, at=(1, 2))],
        [
            did(2, "exec_command", {"tool_name": "exec_command", "call_id": "c1"}, parent=1, at=(1, 3)),
            did(3, "dispatch", {}, parent=2, at=(1, 2), events=[("event otel/src/x.rs:1", RESULT)]),
        ],
    ],
    ids=["aborted", "told-by-an-event"],
)
def test_a_call_that_gave_no_output_failed(spans: list[BuiltSpan]) -> None:
    spans = [did(1, "session_task.turn", at=(0, 9)), *spans]
    (turn,) = explain_spans(spans)
    assert [(c.call_id, c.outcome) for c in turn.calls] == [("c1", "failed")]
    assert_evidence_resolves(turn, spans)


def test_a_command_and_its_inner_span_are_one_call_whose_end_proves_no_exit() -> None:
    spans = [
        did(1, "session_task.turn", at=(0, 9)),
        did(2, "run_turn", {"conversation.id": "c"}, parent=1, at=(0, 8)),
        did(3, "exec_command", {"tool_name": "exec_command", "call_id": "c1"}, parent=2, at=(1, 3)),
        did(4, "unified_exec.exec_command", {"call_id": "c1", "outcome": "exited"}, parent=3, at=(1, 2)),
    ]
    (turn,) = explain_spans(spans)
    assert [(s.call_id, s.outcome, s.argument) for s in turn.scripts] == [("c1", "returned", "cmd")]
    assert turn.conversation_id == "c"
    assert {line.enable for line in turn.unreached} == {codex.DIALECT.switches[0].enable}
