"""Gemini CLI: recognised by its scope. No span is around a turn: its work is joined by conversation and prompt.

Every request to the model and every batch of tool calls is a trace of its own. A tool's span holds the request and
the result as one object each; its id has the tool's name before the id that the messages have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from otel_footprint.dialects._base import AgentFacts, Dialect, Group, ModelFacts, Role, Runtime, Switch, ToolFacts
from otel_footprint.dialects._gemini_content import gemini_messages, response_text, word
from otel_footprint.dialects._messages import any_content, call_id_of, list_of
from otel_footprint.dialects.content import (
    attribute,
    escape,
    pointer,
    replaced,
    structured,
    text_attribute,
    tool_result,
    whole_number,
)
from otel_footprint.dialects.genai import error_text, failure
from otel_footprint.facts import ABSENT, Content
from otel_footprint.spanview import SpanView

SCOPE: Final = "gemini-cli"
OPERATIONS: Final = {
    "llm_call": Role.MODEL,
    "tool_call": Role.TOOL,
    "agent_call": Role.AGENT,
    "schedule_tool_calls": Role.SKIP,
    "user_prompt": Role.SKIP,
}
_INPUT: Final = "gen_ai.input.messages"
_OUTPUT: Final = "gen_ai.output.messages"
_CONVERSATION: Final = "gen_ai.conversation.id"


def role(span: SpanView) -> Role | None:
    """By operation. One prompt may have several ``user_prompt`` spans, so none of them is a turn."""
    if span.scope_name != SCOPE:
        return None
    operation = span.get("gen_ai.operation.name")
    return OPERATIONS.get(operation) if isinstance(operation, str) else None


def agent(span: SpanView) -> AgentFacts:
    """An agent that a tool call runs."""
    return AgentFacts(agent=text_attribute(span, ("gen_ai.agent.name",)))


def model(span: SpanView) -> ModelFacts:
    """A request to the model."""
    inputs = gemini_messages(list_of(attribute(span, _INPUT)))
    instructions = structured_text(attribute(span, "gen_ai.system_instructions"))
    return ModelFacts(
        input=inputs,
        output=gemini_messages(list_of(attribute(span, _OUTPUT))),
        input_recorded=any_content(inputs),
        instructions=(instructions,) if instructions.state != "absent" else (),
    )


def structured_text(content: Content) -> Content:
    """The text inside JSON quotes; the value as it is when it has none."""
    value = structured(content).value
    parsed = value[1:-1] if isinstance(value, str) and value[:1] == value[-1:] == '"' else None
    return content if parsed is None else replaced(content, parsed)


def tool(span: SpanView) -> ToolFacts:
    """A tool call's span: ``{callId, name, args}`` and ``{status, request, response}``."""
    request, done = structured(attribute(span, _INPUT)), structured(attribute(span, _OUTPUT))
    facts = ToolFacts(
        tool=text_attribute(span, ("gen_ai.tool.name",)),
        call_id=call_id_of(span, ("gen_ai.tool.call_id", "gen_ai.tool.call.id")),
        arguments=_within(request, "args"),
        result=done if done.state not in {"absent", "recorded"} else ABSENT,
        failed=failure(span, ()),
        error_text=error_text(span),
    )
    return _with_end(facts, span, done.value) if isinstance(done.value, Mapping) else facts


def _within(request: Content, key: str) -> Content:
    if request.state in {"absent", "recorded"}:
        value = request.value
        return replaced(request, value[key], f"/{key}") if isinstance(value, Mapping) and key in value else ABSENT
    return request


def _with_end(facts: ToolFacts, span: SpanView, done: Mapping[str, Any]) -> ToolFacts:
    """How a call ended. A shell's non-zero exit is no failure of the call, and the runtime does not call it one."""
    status, response = done.get("status"), done.get("response")
    if status == "cancelled" and done.get("outcome") == "cancel":
        facts = replace(facts, stopped="declined", stopped_pointer=pointer(span, _OUTPUT, "status"))
    elif status in ("error", "cancelled"):
        facts = replace(facts, failed=facts.failed or pointer(span, _OUTPUT, "status"))
    if not isinstance(response, Mapping):
        return facts
    data = response.get("data")
    code = data.get("exitCode") if isinstance(data, Mapping) else None
    if whole_number(code):
        at = pointer(span, _OUTPUT, "response", "data", "exitCode")
        facts = replace(facts, exit_code=code, exit_pointer=at, exit_from="result")
    return replace(facts, result=_result(response, pointer(span, _OUTPUT, "response", "responseParts")))


def _result(response: Mapping[str, Any], where: str) -> Content:
    parts = response.get("responseParts")
    for index, part in enumerate(parts if isinstance(parts, list) else ()):
        found = part.get("functionResponse") if isinstance(part, Mapping) else None
        if isinstance(found, Mapping) and "response" in found:
            at = f"{where}/{index}/{escape('functionResponse')}/response"
            return tool_result(response_text(found["response"], at))
    return ABSENT


def group(span: SpanView) -> Group | None:
    """Conversation and prompt, where the span names them."""
    conversation = text_attribute(span, (_CONVERSATION, "session.id"))
    if conversation is None:
        return None
    prompt = text_attribute(span, ("gen_ai.prompt.name",))
    if prompt is None:
        request = structured(attribute(span, _INPUT)).value
        prompt = word(request.get("prompt_id")) if isinstance(request, Mapping) else None
    return Group(conversation=conversation, prompt=prompt)


DIALECT: Final = Dialect(
    name="gemini-cli",
    title="Gemini CLI",
    role=role,
    agent=agent,
    model=model,
    tool=tool,
    conversation=(_CONVERSATION, "session.id"),
    routing="none",
    marks=(SCOPE,),
    group=group,
    runtimes=(
        Runtime(
            title="Gemini CLI",
            scope="",
            versions=("@google/gemini-cli 0.61.0",),
            recognised="Requests to the model and tool calls, joined to turns by conversation and prompt; log records.",
            failure="Status error, or the status of the result: an error, or cancelled.",
            limits=("No span is around a turn: the first one of its work carries the explanation.",),
        ),
    ),
    switches=(Switch(scope="", enable="telemetry.traces: true and telemetry.logPrompts: true in settings.json"),),
)
