"""Observations that Langfuse keeps of other instrumentations' spans.

Langfuse takes what a span read and gave out of the attributes that its instrumentation set, and keeps the rest. What
the span is, the rest tells; what it read and gave stands in Langfuse's own attributes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from otel_footprint.dialects import (
    adk,
    anthropic_sdk,
    crewai,
    genai,
    langfuse,
    langsmith,
    openinference,
    openinference_crewai,
    openinference_haystack,
    openinference_smolagents,
    strands,
    traceloop,
    vercel,
)
from otel_footprint.dialects._base import AgentFacts, Dialect, ModelFacts, Nesting, Role, StepFacts, ToolFacts
from otel_footprint.spanview import SpanView

_OTHERS: Final = (
    openinference_crewai.DIALECT,
    openinference_haystack.DIALECT,
    openinference_smolagents.DIALECT,
    openinference.DIALECT,
    langsmith.DIALECT,
    vercel.DIALECT,
    adk.DIALECT,
    strands.DIALECT,
    crewai.DIALECT,
    anthropic_sdk.DIALECT,
    traceloop.DIALECT,
    genai.DIALECT,
)


def _own(span: SpanView) -> tuple[Dialect, Role | None]:
    """The convention that the span's instrumentation speaks, and its role there."""
    for dialect in _OTHERS:
        found = dialect.role(span)
        if found is not None:
            return dialect, found
    return langfuse.DIALECT, None


def role(span: SpanView) -> Role | None:
    """The role in the span's own convention; ``None`` for a span of Langfuse's own or of none that is known."""
    return _own(span)[1] if span.has("langfuse.observation.type") else None


def agent(span: SpanView) -> AgentFacts:
    """An agent's span."""
    facts, kept = _own(span)[0].agent(span), langfuse.agent(span)
    question = facts.question if facts.question.state != "absent" else kept.question
    answer = facts.answer if facts.answer.state != "absent" else kept.answer
    return replace(facts, question=question, answer=answer)


def model(span: SpanView) -> ModelFacts:
    """A model call."""
    facts = _own(span)[0].model(span)
    return facts if facts.input or facts.output else langfuse.model(span)


def tool(span: SpanView) -> ToolFacts:
    """A tool call."""
    own, _ = _own(span)
    facts, kept = own.tool(span), langfuse.tool(span)
    if facts.arguments.state == "absent":
        arguments = langsmith.arguments(kept.arguments) if own is langsmith.DIALECT else kept.arguments
        facts = replace(facts, arguments=arguments, bare=kept.bare)
    result = facts.result if facts.result.state != "absent" else kept.result
    return replace(facts, result=result, failed=facts.failed or kept.failed)


def step(span: SpanView) -> StepFacts | None:
    """A step around a model call."""
    own, _ = _own(span)
    return own.step(span) if own.step is not None else None


def nested(span: SpanView) -> Nesting | None:
    """How an agent's span shows that another agent called it."""
    own, _ = _own(span)
    return own.nested(span) if own.nested is not None else None


DIALECT: Final = replace(
    langfuse.DIALECT,
    name="langfuse-kept",
    title="Langfuse, spans of other instrumentations",
    role=role,
    agent=agent,
    model=model,
    tool=tool,
    step=step,
    nested=nested,
    conversation=(
        *langfuse.DIALECT.conversation,
        *langsmith.DIALECT.conversation,
        "gen_ai.conversation.id",
    ),
)
