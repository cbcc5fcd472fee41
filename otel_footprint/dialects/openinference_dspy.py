"""OpenInference on DSPy: a module's chain is the turn, and a signature's fields are its question and its answer.

A tool's span is named after the method that ran it. A model is asked for fields in a text: it requests no call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from otel_footprint.dialects import openinference
from otel_footprint.dialects._base import AgentFacts, Dialect, Role, Runtime, ToolFacts
from otel_footprint.dialects._openinference_runtimes import NO_CALL_ID, NO_EXIT_FIELD
from otel_footprint.dialects.content import attribute, escape, replaced, structured
from otel_footprint.facts import ABSENT, Content
from otel_footprint.spanview import SpanView

SCOPE: Final = "openinference.instrumentation.dspy"
_METHODS: Final = (".__call__", ".acall")
_ADDED: Final = frozenset({"trajectory", "reasoning"})
"""Output fields that DSPy's own modules add to those of a signature."""


def role(span: SpanView) -> Role | None:
    """By span kind."""
    return openinference.role(span) if span.scope_name.startswith(SCOPE) else None


def agent(span: SpanView) -> AgentFacts:
    """A module's span. Question and answer are told where the signature has one text field for them."""
    read = structured(attribute(span, "input.value"))
    if isinstance(read.value, Mapping) and isinstance(read.value.get("input_args"), Mapping):
        read = replaced(read, read.value["input_args"], "/input_args")
    return AgentFacts(question=_only_field(read), answer=_only_field(structured(attribute(span, "output.value"))))


def _only_field(content: Content) -> Content:
    if not content.recorded or not isinstance(content.value, Mapping):
        return ABSENT if content.recorded else content
    fields = [key for key in content.value if key not in _ADDED]
    if len(fields) != 1 or not isinstance(content.value[fields[0]], str):
        return ABSENT
    return replaced(content, content.value[fields[0]], f"/{escape(fields[0])}")


def tool(span: SpanView) -> ToolFacts:
    """A tool call's span; the tool's name is the span's without the method."""
    facts = openinference.tool(span)
    name = facts.tool or ""
    method = next((method for method in _METHODS if name.endswith(method)), "")
    return replace(facts, tool=name.removesuffix(method) or None)


DIALECT: Final[Dialect] = replace(
    openinference.DIALECT,
    name="openinference-dspy",
    title="OpenInference on DSPy",
    role=role,
    agent=agent,
    tool=tool,
    runtimes=(
        Runtime(
            title="DSPy (OpenInference)",
            scope="",
            versions=("dspy 3.4.1 with openinference-instrumentation-dspy 0.1.48",),
            recognised="Modules as turns, question and answer where the signature has one text field for them, model "
            "calls, tool calls; ReAct's own `finish` is one of them.",
            failure="Status error with an exception event.",
            limits=(
                NO_CALL_ID,
                NO_EXIT_FIELD,
                "Where model calls are recorded the question is the whole prompt that DSPy wrote of the fields.",
            ),
        ),
    ),
)
