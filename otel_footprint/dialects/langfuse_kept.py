"""Observations that Langfuse keeps of other instrumentations' spans.

Langfuse takes what a span read and gave out of the attributes that its instrumentation set, and keeps the rest. What
the span is, the rest tells; what it read and gave stands in Langfuse's own attributes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from otel_footprint.dialects import langfuse, langsmith
from otel_footprint.dialects._base import AgentFacts, Dialect, ModelFacts, Nesting, Role, StepFacts, ToolFacts
from otel_footprint.spanview import SpanView


def over(dialects: Iterable[Dialect]) -> Dialect:
    """The dialect of such observations, for spans that speak one of ``dialects``."""
    kept = _Kept(tuple(dialect for dialect in dialects if dialect is not langfuse.DIALECT))
    return replace(
        langfuse.DIALECT,
        name="langfuse-kept",
        title="Langfuse, spans of other instrumentations",
        role=kept.role,
        agent=kept.agent,
        model=kept.model,
        tool=kept.tool,
        step=kept.step,
        nested=kept.nested,
        conversation=(
            *langfuse.DIALECT.conversation,
            *langsmith.DIALECT.conversation,
            "gen_ai.conversation.id",
        ),
    )


@dataclass(frozen=True, slots=True)
class _Kept:
    others: tuple[Dialect, ...]

    def _own(self, span: SpanView) -> tuple[Dialect, Role | None]:
        """The convention that the span's instrumentation speaks, and its role there."""
        for dialect in self.others:
            found = dialect.role(span)
            if found is not None:
                return dialect, found
        return langfuse.DIALECT, None

    def role(self, span: SpanView) -> Role | None:
        """The role in the span's own convention; ``None`` for a span of Langfuse's own or of none that is known."""
        return self._own(span)[1] if span.has("langfuse.observation.type") else None

    def agent(self, span: SpanView) -> AgentFacts:
        """An agent's span."""
        facts, kept = self._own(span)[0].agent(span), langfuse.agent(span)
        question = facts.question if facts.question.state != "absent" else kept.question
        answer = facts.answer if facts.answer.state != "absent" else kept.answer
        return replace(facts, question=question, answer=answer)

    def model(self, span: SpanView) -> ModelFacts:
        """A model call."""
        facts = self._own(span)[0].model(span)
        return facts if facts.input or facts.output else langfuse.model(span)

    def tool(self, span: SpanView) -> ToolFacts:
        """A tool call."""
        own, _ = self._own(span)
        facts, kept = own.tool(span), langfuse.tool(span)
        if facts.arguments.state == "absent":
            arguments = langsmith.arguments(kept.arguments) if own is langsmith.DIALECT else kept.arguments
            facts = replace(facts, arguments=arguments, bare=kept.bare)
        result = facts.result if facts.result.state != "absent" else kept.result
        return replace(facts, result=result, failed=facts.failed or kept.failed)

    def step(self, span: SpanView) -> StepFacts | None:
        """A step around a model call."""
        own, _ = self._own(span)
        return own.step(span) if own.step is not None else None

    def nested(self, span: SpanView) -> Nesting | None:
        """How an agent's span shows that another agent called it."""
        own, _ = self._own(span)
        return own.nested(span) if own.nested is not None else None
