"""The Anthropic SDK's own spans: scope ``com.anthropic.sdk.python``; GenAI but for a tool's result."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from otel_footprint.dialects import genai
from otel_footprint.dialects._base import Dialect, Role, ToolFacts
from otel_footprint.dialects.content import attribute, tool_result
from otel_footprint.facts import Content
from otel_footprint.spanview import SpanView

SCOPE: Final = "com.anthropic.sdk"
_RESULT: Final = "anthropic.tool_result.content"
_CUT: Final = "anthropic.content.truncated"


def role(span: SpanView) -> Role | None:
    """By operation, as GenAI says."""
    return genai.role(span) if span.scope_name.startswith(SCOPE) else None


def tool(span: SpanView) -> ToolFacts:
    """A tool call's span. Where content was cut, which one is not said: neither is taken for whole."""
    facts = genai.tool(span)
    result = tool_result(attribute(span, _RESULT)) if span.has(_RESULT) else facts.result
    if span.get(_CUT) is True:
        return replace(facts, arguments=_cut(facts.arguments), result=_cut(result))
    return replace(facts, result=result)


def _cut(content: Content) -> Content:
    return Content(state="cut", pointer=content.pointer, where=content.where) if content.recorded else content


DIALECT: Final[Dialect] = replace(
    genai.DIALECT,
    name="anthropic-sdk",
    title="Anthropic SDK",
    role=role,
    tool=tool,
    marks=("com.anthropic.sdk", "anthropic.", "gen_ai."),
)
