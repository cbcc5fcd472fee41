"""No value of any key that the dialects of the command lines read makes anything raise."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_footprint.dialects import Dialect, claude_code, codex, gemini_cli, opencode
from otel_footprint.testing import assert_consistent, explain_spans, span

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.binary(max_size=3)
PARTS = st.sampled_from(
    ["args", "callId", "status", "response", "responseParts", "functionResponse", "functionCall", "data", "exitCode",
     "output", "error", "parts", "role", "text", "user", "model", "cancelled", "metadata", "exit", "title", "command"]
)  # fmt: skip
VALUES = st.recursive(
    SCALARS | PARTS | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(PARTS, inner, max_size=4),
    max_leaves=10,
)
ANY = VALUES | VALUES.map(lambda value: json.dumps(value, default=str))

RUNTIMES: dict[str, tuple[Dialect, str, tuple[str, ...], tuple[str, ...]]] = {
    "claude-code": (
        claude_code.DIALECT,
        claude_code.SCOPE,
        ("claude_code.tool", "claude_code.llm_request", "claude_code.interaction", "claude_code.tool.execution"),
        ("span.type", "tool_name", "tool_use_id", "full_command", "tool_input", "success", "error", "decision",
         "source", "user_prompt", "stop_reason", "gen_ai.response.finish_reasons", "response.model_output",
         "session.id"),
    ),
    "codex": (
        codex.DIALECT,
        "codex_exec",
        ("session_task.turn", "exec_command", "run_turn", "codex.sampling"),
        ("tool_name", "call_id", "aborted", "conversation.id", "codex.tool.phase"),
    ),
    "gemini-cli": (
        gemini_cli.DIALECT,
        gemini_cli.SCOPE,
        ("llm_call", "tool_call", "agent_call"),
        ("gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.tool.call_id", "gen_ai.input.messages",
         "gen_ai.output.messages", "gen_ai.system_instructions", "gen_ai.prompt.name", "gen_ai.conversation.id"),
    ),
    "opencode": (
        opencode.DIALECT,
        "opencode",
        ("Tool.execute", "SessionPrompt.prompt", "SessionPrompt.ensureTitle", "ai.toolCall"),
        ("ai.operationId", "ai.toolCall.name", "ai.toolCall.id", "ai.toolCall.args", "ai.toolCall.result", "tool.name",
         "tool.call_id", "session.id", "ai.prompt.messages", "ai.response.text"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("runtime", RUNTIMES)
@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_no_recorded_value_raises(runtime: str, data: st.DataObject) -> None:
    dialect, scope, names, keys = RUNTIMES[runtime]
    spans = [
        span(
            number,
            scope=scope,
            name=data.draw(st.sampled_from(names)),
            parent=number - 1 or None,
            at=(number, number + 1),
            attributes={
                **({"gen_ai.operation.name": data.draw(st.sampled_from(names))} if runtime == "gemini-cli" else {}),
                **data.draw(st.dictionaries(st.sampled_from(keys), ANY, max_size=5)),
            },
            events=data.draw(
                st.just([]) | ANY.map(lambda value: [("tool.output", {"output": value, "event.name": value})])
            ),
        )
        for number in range(1, 4)
    ]
    for one in spans:
        dialect.role(one)
        dialect.agent(one)
        dialect.model(one)
        dialect.tool(one)
        if dialect.group is not None:
            dialect.group(one)
    for explanation in explain_spans(spans):
        assert_consistent(explanation)


def every_key_once() -> dict[str, Any]:
    return {key: [] for _, _, _, keys in RUNTIMES.values() for key in keys}


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_list_where_a_word_is_due_is_no_word(runtime: str) -> None:
    dialect, scope, names, _ = RUNTIMES[runtime]
    for name in names:
        one = span(1, scope=scope, name=name, attributes=every_key_once())
        dialect.role(one)
        assert dialect.tool(one).tool is None
        assert dialect.tool(one).call_id is None
