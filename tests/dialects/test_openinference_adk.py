"""OpenInference on Google ADK: its attributes stand on ADK's own spans."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_footprint.dialects import Role, openinference_adk, recognise
from otel_footprint.testing import BuiltSpan, assert_evidence_resolves, explain_spans, span

ADK, OI = "gcp.vertex.agent", "openinference.instrumentation.google_adk"


def oi(number: int, kind: str, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    own = {k: v if isinstance(v, str) else json.dumps(v) for k, v in (attributes or {}).items()}
    return span(number, attributes={"openinference.span.kind": kind, **own}, **{"scope": ADK, **rest})


def said(text: str) -> dict[str, Any]:
    return {"content": {"role": "model", "parts": [{"text": text}]}}


@pytest.mark.parametrize(
    ("one", "role"),
    [
        (oi(1, "CHAIN", name="invocation [app]", scope=OI), Role.WORKFLOW),
        (oi(1, "CHAIN", name="invoke_workflow x"), Role.WORKFLOW),
        (oi(1, "AGENT", name="agent_run [x]", scope=OI), Role.AGENT),
        (oi(1, "LLM", name="invoke_agent x"), Role.MODEL),
        (oi(1, "TOOL", {"gen_ai.tool.name": "f"}, name="execute_tool f"), Role.TOOL),
        (oi(1, "TOOL", name="execute_tool (merged)"), Role.SKIP),
        (oi(1, "TOOL", {"gcp.vertex.agent.event_id": "e"}, name="execute_tool (merged)", scope=""), Role.SKIP),
    ],
    ids=str,
)
def test_the_kind_and_the_name_tell_what_a_span_is(one: BuiltSpan, role: Role) -> None:
    assert recognise(one) == (openinference_adk.DIALECT, role)


@pytest.mark.parametrize("scope", ["", "other"])
def test_spans_of_others_are_not_adks(scope: str) -> None:
    assert openinference_adk.role(oi(1, "TOOL", name="execute_tool (merged)", scope=scope)) is None


@pytest.mark.parametrize(
    ("output", "result"),
    [
        ({"id": "c1", "name": "f", "response": {"result": []}}, []),
        ({"id": "c1", "name": "f", "response": {"exit_code": 2}}, {"exit_code": 2}),
        ({"response": "x", "other": 1}, '{"response": "x", "other": 1}'),
        ("text", "text"),
    ],
)
def test_a_result_is_inside_the_answer_that_adk_makes_of_it(output: Any, result: Any) -> None:
    assert openinference_adk.tool(oi(1, "TOOL", {"output.value": output, "tool.name": "f"})).result.value == result


def test_one_turn_with_its_question_its_calls_and_its_answer() -> None:
    asked = {
        "role": "model",
        "parts": [{"function_call": {"id": "c1", "name": "run_shell", "args": {"command": "ls"}}}],
    }
    gave = {"role": "user", "parts": [{"function_response": {"id": "c1", "response": {"stdout": "", "exit_code": 2}}}]}
    contents = [{"role": "user", "parts": [{"text": "q"}]}, asked, gave]
    tool = {
        "tool.name": "run_shell",
        "tool.id": "c1",
        "input.value": {"command": "ls"},
        "output.value": {"id": "c1", "name": "run_shell", "response": {"stdout": "", "exit_code": 2}},
    }
    spans = [
        oi(1, "CHAIN", {"input.value": {"new_message": contents[0]}, "output.value": said("a"), "session.id": "s"},
           name="invocation [app]", scope=OI, at=(0, 9)),
        oi(2, "AGENT", {"agent.name": "x"}, name="agent_run [x]", scope=OI, parent=1, at=(1, 8)),
        # Schema 2: the model calls of the agent share its span, which is around its tools.
        oi(3, "LLM", {"input.value": {"contents": contents}, "output.value": said("a")},
           name="invoke_agent x", parent=2, at=(2, 7)),
        oi(4, "TOOL", tool, name="execute_tool run_shell", parent=3, at=(3, 4)),
        oi(5, "TOOL", {"tool.name": "(merged tools)"}, name="execute_tool (merged)", parent=3, at=(4, 5)),
    ]  # fmt: skip
    (turn,) = explain_spans(spans)
    assert_evidence_resolves(turn, spans)
    assert (turn.agent, turn.question, turn.answer, turn.finished, turn.conversation_id) == ("x", "q", "a", True, "s")
    assert [(c.tool, c.call_id, c.outcome) for c in turn.calls] == [("run_shell", "c1", "ran")]
    assert [(s.text, s.outcome, s.exit_code) for s in turn.scripts] == [("ls", "completed-with-failure", 2)]


def test_the_models_own_code_execution_is_in_the_raw_answer() -> None:
    parts = [
        {"executable_code": {"code": "print(6*7)", "language": "PYTHON"}},
        {"code_execution_result": {"outcome": "OUTCOME_FAILED", "output": "no"}},
    ]
    spans = [
        oi(1, "AGENT", name="agent_run [x]", scope=OI, at=(0, 9)),
        oi(2, "LLM", {"input.value": "{}", "output.value": {"content": {"role": "model", "parts": parts}}},
           name="call_llm", parent=1, at=(1, 2)),
    ]  # fmt: skip
    (turn,) = explain_spans(spans)
    assert [(s.text, s.outcome) for s in turn.scripts] == [("print(6*7)", "reported-failure")]
