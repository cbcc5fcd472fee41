"""A dialect of one's own: spans of a convention that nobody else has, read as turns.

A package hands ``DIALECT`` out under the entry-point group ``otel_footprint_dialects``, and every host (processor,
sidecar, command line) reads such spans from then on.
"""

from __future__ import annotations

from typing import Final

from otel_footprint.dialects import AgentFacts, Dialect, ModelFacts, Role, Runtime, Switch, ToolFacts
from otel_footprint.dialects.content import attribute
from otel_footprint.spanview import SpanView

ROLES: Final = {"turn": Role.AGENT, "llm": Role.MODEL, "tool": Role.TOOL}


def role(span: SpanView) -> Role | None:
    """What a span is to a turn; ``None`` for spans of other conventions."""
    kind = span.get("acme.kind")
    return ROLES.get(kind) if isinstance(kind, str) else None


def agent(span: SpanView) -> AgentFacts:
    """A turn: who answered what, and how."""
    name = span.get("acme.agent")
    return AgentFacts(
        agent=name if isinstance(name, str) else None,
        question=attribute(span, "acme.question"),
        answer=attribute(span, "acme.answer"),
    )


def model(_: SpanView) -> ModelFacts:
    """A model call, of which this convention records no content."""
    return ModelFacts()


def tool(span: SpanView) -> ToolFacts:
    """A tool call. Its exit code is read where this convention documents it, and nowhere else."""
    name = span.get("acme.tool")
    return ToolFacts(
        tool=name if isinstance(name, str) else None,
        arguments=attribute(span, "acme.in"),
        result=attribute(span, "acme.out"),
        failed=f"{span.span_id}#status" if span.status == "error" else None,
        exit_code=span.get("acme.exit_code"),
        exit_pointer=f"{span.span_id}#attribute:acme.exit_code" if span.has("acme.exit_code") else None,
    )


DIALECT: Final = Dialect(
    name="acme",
    title="Acme tracing",
    role=role,
    agent=agent,
    model=model,
    tool=tool,
    conversation=("acme.session",),
    routing="none",
    switches=(Switch(scope="", enable="ACME_TRACE_CONTENT=1"),),
    runtimes=(
        Runtime(
            title="Acme",
            scope="",
            versions=("acme 1.0",),
            recognised="Turns, model calls and tool calls with their programs.",
            failure="Status error.",
            limits=("What a model read is not recorded.",),
        ),
    ),
    marks=("acme.",),
)
