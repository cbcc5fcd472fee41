"""Spring AI: a chat client's answer, its advisors and its tool calls say what they are in ``spring.ai.kind``.

A model call has GenAI's names and no message. A tool that throws is recorded as one that gave its exception's message
(status ok), since the model is to read that; whether a text came from the tool or from an exception is not recorded.
The milestones of 1.0 keep a model's text in span events: the texts that it gave, and those that it read without roles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from otel_footprint.dialects import genai
from otel_footprint.dialects._base import (
    AgentFacts,
    Dialect,
    Message,
    ModelFacts,
    Nesting,
    Role,
    Runtime,
    Switch,
    ToolFacts,
)
from otel_footprint.dialects._envelopes import unquoted
from otel_footprint.dialects._messages import call_id_of
from otel_footprint.dialects.content import attribute, content_of, structured, text_attribute, tool_result
from otel_footprint.dialects.genai import error_text, failure
from otel_footprint.spanview import SpanView

KINDS: Final = {"chat_client": Role.AGENT, "advisor": Role.STEP, "tool_call": Role.TOOL}
MODELS: Final = frozenset({"chat", "text_completion"})
SCOPE: Final = "org.springframework.boot"
"""The scope of every observation of a Spring Boot application, Spring AI's or not."""
_KIND: Final = "spring.ai.kind"
_TOOLS_OFFERED: Final = "spring.ai.model.request.tool.names"
_COMPLETION: Final = ("gen_ai.content.completion", "gen_ai.completion")
_WANTS_TOOLS: Final = frozenset({"tool_calls", "tool_use"})


def role(span: SpanView) -> Role | None:
    """By kind; a model call has none and is told by its operation. A search in a vector store is no call."""
    if span.has(_KIND):
        kind = span.get(_KIND)
        return KINDS.get(kind) if isinstance(kind, str) else None
    operation = span.get("gen_ai.operation.name")
    is_model = isinstance(operation, str) and operation in MODELS
    return Role.MODEL if is_model and (span.scope_name == SCOPE or span.has(_TOOLS_OFFERED)) else None


def agent(span: SpanView) -> AgentFacts:
    """A chat client's answer, or an advisor that stands for one. Only milestones of 1.0 keep the person's text."""
    return AgentFacts(question=attribute(span, "spring.ai.chat.client.user.text"))


def nested(_: SpanView) -> Nesting:
    """An advisor that asks another chat client is a step of the chat client around it, and calls the other one."""
    return "in-step"


def model(span: SpanView) -> ModelFacts:
    """A model call; what it asked for is not recorded, only that it ended by asking."""
    facts = genai.model(span)
    reasons = structured(attribute(span, "gen_ai.response.finish_reasons")).value
    named = reasons if isinstance(reasons, list | tuple) else ()
    return replace(
        facts,
        output=facts.output or tuple(_completions(span)),
        wants_tools=any(isinstance(one, str) and one.lower() in _WANTS_TOOLS for one in named),
    )


def _completions(span: SpanView) -> Iterator[Message]:
    """The texts that milestones of 1.0 keep of an answer, one for each that the model was asked for."""
    name, key = _COMPLETION
    for number, event in enumerate(span.events):
        texts = event.attributes.get(key) if event.name == name else None
        for index, text in enumerate(texts if isinstance(texts, list | tuple) else ()):
            if isinstance(text, str) and text:
                where = f"{span.span_id}#event:{number}/{key}/{index}"
                yield Message(role="assistant", text=content_of(text, where, "event"))


def tool(span: SpanView) -> ToolFacts:
    """A tool call's span. A tool's value is written as JSON, a text in its quotes; an exception's message is not."""
    return ToolFacts(
        tool=text_attribute(span, ("spring.ai.tool.definition.name",)),
        call_id=call_id_of(span, ("spring.ai.tool.call.id",)),
        arguments=structured(attribute(span, "spring.ai.tool.call.arguments"), printed=False),
        result=tool_result(unquoted(attribute(span, "spring.ai.tool.call.result"))),
        failed=failure(span, ()),
        error_text=error_text(span),
    )


DIALECT: Final = Dialect(
    name="spring-ai",
    title="Spring AI",
    role=role,
    agent=agent,
    model=model,
    tool=tool,
    nested=nested,
    conversation=("spring.ai.chat.client.conversation.id",),
    # A chat client hands nothing over: another one runs inside a tool or an advisor and gives its answer back.
    routing="none",
    marks=("spring.ai.", SCOPE),
    switches=(
        Switch(
            scope="",
            enable="spring.ai.tools.observations.include-content=true",
            records=("arguments", "result"),
        ),
        Switch(scope="", enable="", records=("question", "answer", "messages")),
    ),
    runtimes=(
        Runtime(
            title="Spring AI",
            scope="",
            versions=(
                "spring-ai 1.1.2 with spring-boot 3.5.9",
                "spring-ai 2.0.1 with spring-boot 4.0.7",
                "spring-ai 1.0.0-M6, 1.0.0-M8 (no tool spans)",
            ),
            recognised="Turns (a chat client's call), a chat client inside a tool or an advisor as a turn inside the "
            "turn, model calls, tool calls (from 2.0 with their ids), the conversation.",
            failure="Status error, only with `spring.ai.tools.throw-exception-on-error=true` and of an error that is "
            "not caught.",
            limits=(
                "Questions, answers and messages are on no span; `log-prompt` and `log-completion` write to a log.",
                "By default a tool that threw ran, and its exception's message is its result: nothing says otherwise.",
                "A call of a tool that does not exist has no span.",
                "In 1.1 a streamed turn's tool call has no parent without `spring.reactor.context-propagation=auto`.",
                "In 1.1 the model calls of a streamed turn lie inside the first one and count as one.",
                "Beside the OpenTelemetry Java agent no span has a parent unless both share one `OpenTelemetry`.",
            ),
        ),
    ),
)
