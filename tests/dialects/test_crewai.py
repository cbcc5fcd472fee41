"""CrewAI: its own spans, and OpenInference's of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_footprint.dialects import Role, crewai, openinference_crewai, recognise
from otel_footprint.testing import BuiltSpan, assert_evidence_resolves, explain_spans, span

REMINDER = "\n\n\nYou ONLY have access to the following tools, and should NEVER make up tools"
BRIDGE = "openinference.instrumentation.crewai"


def did(number: int, operation: str, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    own = {"gen_ai.operation.name": operation, **(attributes or {})}
    return span(number, attributes=own, scope=rest.pop("scope", "crewai"), **rest)


@pytest.mark.parametrize(
    ("one", "role"),
    [
        (did(1, "invoke_workflow"), Role.WORKFLOW),
        (did(1, "execute_task"), Role.WORKFLOW),
        (did(1, "invoke_agent"), Role.AGENT),
        (did(1, "execute_tool"), Role.TOOL),
        (did(1, "execute_tool", {"crewai.event_name": "tool_usage_error"}), Role.TOOL),
        (did(1, "execute_tool", {"crewai.event_name": "tool_failure_detected"}), Role.SKIP),
        (did(1, "chat"), Role.MODEL),
        (did(1, "execute_tool", scope="crewai.telemetry"), None),
    ],
    ids=str,
)
def test_the_operation_tells_what_a_span_is(one: BuiltSpan, role: Role | None) -> None:
    assert crewai.role(one) is role


@pytest.mark.parametrize(
    ("recorded", "value"),
    [
        (json.dumps("[]" + REMINDER), "[]"),
        (json.dumps("text\n"), "text\n"),
        ("45", "45"),
        ("[]", "[]"),
        (json.dumps(REMINDER), ""),
    ],
    ids=str,
)
def test_a_result_is_the_tools_own_words(recorded: str, value: str) -> None:
    result = crewai.tool(did(1, "execute_tool", {"gen_ai.tool.call.result": recorded})).result
    assert (result.state, result.value) == ("recorded", value)


def test_a_value_that_the_emitter_cut_is_cut() -> None:
    facts = crewai.tool(
        did(
            1,
            "execute_tool",
            {
                "gen_ai.tool.call.result": '"whole"',
                "gen_ai.tool.call.result.truncated": True,
                "gen_ai.tool.call.arguments": '{"code": "1"}',
                "gen_ai.tool.call.arguments.truncated": False,
            },
        )
    )
    assert (facts.result.state, facts.arguments.value) == ("cut", {"code": "1"})


def test_a_cached_result_ran_nothing() -> None:
    arguments = {"gen_ai.tool.name": "run_python", "gen_ai.tool.call.arguments": '{"code": "1"}'}
    spans = [
        did(1, "invoke_agent", {"crewai.agent.role": "analyst", "gen_ai.agent.name": "57b3"}, at=(0, 9)),
        did(2, "execute_tool", {**arguments, "crewai.tool.from_cache": True}, parent=1, at=(1, 2)),
        did(3, "execute_tool", {**arguments, "crewai.tool.from_cache": False}, parent=1, at=(3, 4)),
    ]
    (turn,) = explain_spans(spans)
    assert_evidence_resolves(turn, spans)
    assert turn.agent == "analyst"
    assert [c.outcome for c in turn.calls] == ["not-dispatched", "ran"]
    assert [s.outcome for s in turn.scripts] == ["submitted", "returned"]


def test_the_crews_question_is_its_tasks() -> None:
    values = '[{"role": "user", "parts": [{"type": "text", "content": "null"}]}]'
    (turn,) = explain_spans(
        [
            did(1, "invoke_workflow", {"gen_ai.input.messages": values}, at=(0, 9)),
            did(2, "execute_task", {"gen_ai.input.messages": values.replace("null", "q")}, parent=1, at=(1, 8)),
        ]
    )
    assert turn.question == "q"


# -- OpenInference ------------------------------------------------------------------------------------------------


def bridged(number: int, kind: str, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    own = {"openinference.span.kind": kind, **(attributes or {})}
    return span(number, attributes=own, scope=rest.pop("scope", BRIDGE), **rest)


@pytest.mark.parametrize(
    ("one", "role"),
    [
        (bridged(1, "CHAIN", name="Crew_1.kickoff"), Role.WORKFLOW),
        (bridged(1, "CHAIN", name="Crew_1.kickoff", scope=f"{BRIDGE}._event_listener"), Role.WORKFLOW),
        (bridged(1, "CHAIN", name="step"), Role.STEP),
        (bridged(1, "AGENT", name="analyst._execute_core"), Role.AGENT),
        (bridged(1, "TOOL", name="t.run"), Role.TOOL),
        (bridged(1, "CHAIN", name="Crew_1.kickoff", scope="other"), None),
    ],
    ids=str,
)
def test_a_chain_that_starts_a_crew_is_the_turn(one: BuiltSpan, role: Role | None) -> None:
    assert openinference_crewai.role(one) is role


@pytest.mark.parametrize(
    ("tasks", "question"),
    [
        ([{"description": "q"}], "q"),
        ([{"description": "q"}, {"description": "r"}], None),
        ([], None),
        ([{}], None),
        ({"description": "q"}, None),
    ],
    ids=str,
)
def test_the_one_tasks_description_is_the_question(tasks: Any, question: str | None) -> None:
    crew = {"crew_tasks": json.dumps(tasks), "output.value": '{"raw": "a"}', "output.mime_type": "application/json"}
    spans = [
        bridged(1, "CHAIN", crew, name="Crew_1.kickoff", at=(0, 9)),
        bridged(2, "AGENT", {"graph.node.id": "analyst"}, name="analyst._execute_core", parent=1, at=(1, 8)),
    ]
    (turn,) = explain_spans(spans)
    assert_evidence_resolves(turn, spans)
    assert (turn.agent, turn.question, turn.answer, turn.finished) == ("analyst", question, "a", True)


def test_the_reminder_of_the_tools_is_no_part_of_a_result() -> None:
    one = bridged(1, "TOOL", {"tool.name": "t", "output.value": "[]" + REMINDER})
    dialect, _ = recognise(one)
    assert dialect is openinference_crewai.DIALECT
    assert openinference_crewai.tool(one).result.value == "[]"
