"""Vercel AI SDK 4 to 6, and the legacy form of 7: recognised by ``ai.operationId``.

The provider may run a tool inside the model call; no span tells of it. Results are written as JSON text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from otel_footprint.dialects._base import (
    AgentFacts,
    Dialect,
    Message,
    ModelFacts,
    Responded,
    Role,
    Runtime,
    Switch,
    ToolFacts,
)
from otel_footprint.dialects._chat import chat_messages
from otel_footprint.dialects._envelopes import only_text, unquoted
from otel_footprint.dialects._messages import any_content, call_id_of, last_text, list_of, message_of, request_of
from otel_footprint.dialects.content import (
    attribute,
    content_of,
    first_attribute,
    structured,
    text_attribute,
    tool_result,
)
from otel_footprint.dialects.genai import error_text, failure
from otel_footprint.facts import ABSENT, Pointer
from otel_footprint.spanview import SpanView

_GENERATIONS: Final = ("ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject")
OPERATIONS: Final = {
    **dict.fromkeys(_GENERATIONS, Role.AGENT),
    **{f"{name}.{step}": Role.MODEL for name in _GENERATIONS for step in ("doGenerate", "doStream")},
    "ai.toolCall": Role.TOOL,
}
_ANSWER: Final = ("ai.response.text", "ai.response.object")


def role(span: SpanView) -> Role | None:
    """By operation; embeddings and others are none of a turn's."""
    operation = span.get("ai.operationId")
    return OPERATIONS.get(operation) if isinstance(operation, str) else None


def agent(span: SpanView) -> AgentFacts:
    """The span of one generation, which runs its tools; its function id is the agent's name."""
    prompt = structured(attribute(span, "ai.prompt"))
    value = prompt.value
    question = last_text(chat_messages(prompt), "user")
    if question.state == "absent" and isinstance(value, Mapping) and isinstance(value.get("prompt"), str):
        question = content_of(value["prompt"], f"{prompt.pointer}/prompt")
    if question.state == "absent" and not isinstance(value, Mapping):
        question = only_text(prompt)
    return AgentFacts(
        agent=text_attribute(span, ("ai.telemetry.functionId",)),
        question=question,
        answer=first_attribute(span, _ANSWER),
    )


def model(span: SpanView) -> ModelFacts:
    """A step's call of the model."""
    inputs = tuple(_message(item, at) for item, at in list_of(attribute(span, "ai.prompt.messages")))
    calls = tuple(request_of(item, at) for item, at in list_of(attribute(span, "ai.response.toolCalls")))
    said = Message(role="assistant", text=first_attribute(span, _ANSWER), requested=calls)
    output = (said,) if calls or said.text.state != "absent" else ()
    return ModelFacts(input=inputs, output=output, input_recorded=any_content(inputs))


def _message(item: Mapping[str, Any], where: Pointer) -> Message:
    """One message; results stand in parts of it, which its role need not tell."""
    parts = item.get("content")
    if not isinstance(parts, list):
        return message_of(item, where)
    # The generic reader takes the content of a tool's message for its result.
    message = message_of({**item, "role": "assistant"}, where)
    responded = tuple(
        _response(part, f"{where}/content/{index}")
        for index, part in enumerate(parts)
        if isinstance(part, Mapping) and part.get("type") == "tool-result"
    )
    said_by = item.get("role")
    return replace(message, role=said_by if isinstance(said_by, str) else "", responded=responded)


def _response(part: Mapping[str, Any], where: Pointer) -> Responded:
    """A result: the value alone (version 4), or ``output`` with its type beside it."""
    output = part.get("output")
    value = ABSENT
    if isinstance(output, Mapping) and "value" in output:
        value = content_of(output["value"], f"{where}/output/value", "messages")
    elif "result" in part:
        value = content_of(part["result"], f"{where}/result", "messages")
    return Responded(call_id=_word(part.get("toolCallId")), value=value, name=_word(part.get("toolName")))


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def tool(span: SpanView) -> ToolFacts:
    """A tool call's span."""
    return ToolFacts(
        tool=text_attribute(span, ("ai.toolCall.name",)),
        call_id=call_id_of(span, ("ai.toolCall.id",)),
        arguments=structured(attribute(span, "ai.toolCall.args")),
        result=tool_result(unquoted(attribute(span, "ai.toolCall.result"))),
        failed=failure(span, ("ai.toolCall.result",)),
        error_text=error_text(span),
    )


DIALECT: Final = Dialect(
    name="vercel",
    title="Vercel AI SDK 4 to 6",
    role=role,
    agent=agent,
    model=model,
    tool=tool,
    conversation=(
        "ai.telemetry.metadata.sessionId",
        "ai.telemetry.metadata.conversationId",
        "ai.telemetry.metadata.threadId",
        "session.id",
    ),
    routing="none",
    marks=("ai.",),
    switches=(
        Switch(scope="", enable="experimental_telemetry: {isEnabled: true, recordInputs: true, recordOutputs: true}"),
    ),
    runtimes=(
        Runtime(
            title="Vercel AI SDK 4 to 6, and 7 in its legacy form",
            scope="",
            versions=("ai 5.0.277", "ai 7.0.173"),
            recognised="Generations as turns, model calls, tool calls with their ids, messages, nested generations.",
            failure="Status error with an exception event.",
            limits=(
                "A tool that the provider runs has no span.",
                "The legacy form of 7 leaves out the metadata that names the conversation.",
                "An exit code is read where a known tool documents it in its result.",
            ),
        ),
    ),
)
