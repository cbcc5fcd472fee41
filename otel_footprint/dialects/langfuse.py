"""Langfuse's own spans: recognised by ``langfuse.observation.type``.

A text is recorded as it is, any other value as JSON; the decorator writes a call's input as positional and named
arguments. The tool's and the agent's name is the span's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from otel_footprint.dialects._base import AgentFacts, Dialect, Message, ModelFacts, Role, Runtime, Switch, ToolFacts
from otel_footprint.dialects._chat import chat_messages, tool_message
from otel_footprint.dialects._envelopes import call_arguments, only_text
from otel_footprint.dialects._messages import any_content, last_text
from otel_footprint.dialects.content import attribute, pointer, structured, tool_result
from otel_footprint.dialects.genai import error_text, failure
from otel_footprint.facts import ABSENT, Content
from otel_footprint.spanview import SpanView

KINDS: Final = {
    "agent": Role.AGENT,
    "chain": Role.STEP,
    "span": Role.STEP,
    "generation": Role.MODEL,
    "tool": Role.TOOL,
}
_TYPE: Final = "langfuse.observation.type"
_INPUT: Final = "langfuse.observation.input"
_OUTPUT: Final = "langfuse.observation.output"
_LEVEL: Final = "langfuse.observation.level"
_MESSAGE: Final = "langfuse.observation.status_message"


def role(span: SpanView) -> Role | None:
    """By observation type; retrievers, guardrails and evaluators are none of a turn's calls."""
    kind = span.get(_TYPE)
    return KINDS.get(kind) if isinstance(kind, str) else None


def agent(span: SpanView) -> AgentFacts:
    """An agent's observation, or the chain that stands for one."""
    read, said = attribute(span, _INPUT), attribute(span, _OUTPUT)
    question = last_text(chat_messages(structured(read)), "user")
    if question.state == "absent":
        question = only_text(structured(read))
    answer = last_text(chat_messages(structured(said)), "assistant")
    if answer.state == "absent":
        answer = _text(said)
    return AgentFacts(agent=span.name or None if role(span) is Role.AGENT else None, question=question, answer=answer)


def _text(content: Content) -> Content:
    """A recorded text that is no serialised object."""
    inner = structured(content)
    return ABSENT if inner.recorded and not isinstance(inner.value, str) else inner


def model(span: SpanView) -> ModelFacts:
    """A generation; a prompt or an answer may be a text without a role."""
    inputs, output = _messages(span, _INPUT, "user"), _messages(span, _OUTPUT, "assistant")
    return ModelFacts(input=inputs, output=output, input_recorded=any_content(inputs))


def _messages(span: SpanView, key: str, by: str) -> tuple[Message, ...]:
    content = attribute(span, key)
    text = _text(content)
    if text.state != "absent":
        return (Message(role=by, text=text),)
    return chat_messages(structured(content))


def tool(span: SpanView) -> ToolFacts:
    """A tool's observation."""
    name = span.name or None
    recorded = structured(attribute(span, _INPUT))
    arguments, bare = call_arguments(recorded, name)
    output = attribute(span, _OUTPUT)
    inner = tool_message(structured(output))
    error = error_text(span)
    return ToolFacts(
        tool=name,
        arguments=arguments,
        bare=bare or (arguments.recorded and not isinstance(arguments.value, Mapping)),
        result=tool_result(output if inner.pointer == output.pointer else inner),
        failed=failure(span, (_OUTPUT,)) or (pointer(span, _LEVEL) if span.get(_LEVEL) == "ERROR" else None),
        error_text=attribute(span, _MESSAGE) if error.state == "absent" and span.get(_LEVEL) == "ERROR" else error,
    )


DIALECT: Final = Dialect(
    name="langfuse",
    title="Langfuse",
    role=role,
    agent=agent,
    model=model,
    tool=tool,
    conversation=("session.id",),
    routing="handoffs",
    marks=("langfuse.",),
    switches=(Switch(scope="", enable="LANGFUSE_OBSERVE_DECORATOR_IO_CAPTURE_ENABLED=true"),),
    runtimes=(
        Runtime(
            title="Langfuse SDK",
            scope="",
            versions=("langfuse 5.0.4",),
            recognised="Agents, generations and tools, with what the decorators recorded of arguments and results; the "
            "session.",
            failure="Level `ERROR`, or status error.",
            limits=("No call has an id.", "Its processor exports only scopes that it knows."),
        ),
    ),
)
