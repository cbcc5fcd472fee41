"""The Anthropic SDK's own spans: scope ``com.anthropic.sdk.python``; GenAI but for a tool's result.

A tool that the provider runs has its call and its result in one answer. Content over the SDK's limit is left out:
arguments whole, of a result its last blocks.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from otel_footprint.dialects import genai
from otel_footprint.dialects._base import Dialect, Message, ModelFacts, Role, Runtime, Switch, ToolFacts
from otel_footprint.dialects.content import attribute, pointer, tool_result
from otel_footprint.facts import Content
from otel_footprint.spanview import SpanView

SCOPE: Final = "com.anthropic.sdk"
_RESULT: Final = "anthropic.tool_result.content"
_CUT: Final = "anthropic.content.truncated"


def role(span: SpanView) -> Role | None:
    """By operation, as GenAI says."""
    return genai.role(span) if span.scope_name.startswith(SCOPE) else None


def model(span: SpanView) -> ModelFacts:
    """A model call."""
    facts = genai.model(span)
    return replace(facts, output=tuple(_with_hosted(message) for message in facts.output))


def _with_hosted(message: Message) -> Message:
    """An answer whose calls have their result in it where the provider ran them."""
    results = {response.call_id: response.value for response in message.responded if response.call_id is not None}
    if not results:
        return message
    requested = tuple(
        replace(r, hosted=True, result=results[r.call_id]) if r.call_id in results else r for r in message.requested
    )
    return replace(message, requested=requested)


def tool(span: SpanView) -> ToolFacts:
    """A tool call's span."""
    facts = genai.tool(span)
    arguments = facts.arguments
    result = tool_result(attribute(span, _RESULT)) if span.has(_RESULT) else facts.result
    if span.get(_CUT) is True:
        if arguments.state == "absent":
            arguments = Content(state="cut", pointer=pointer(span, _CUT))
        if result.recorded:
            result = Content(state="cut", pointer=result.pointer)
    return replace(facts, arguments=arguments, result=result)


DIALECT: Final[Dialect] = replace(
    genai.DIALECT,
    name="anthropic-sdk",
    title="Anthropic SDK",
    role=role,
    model=model,
    tool=tool,
    marks=(SCOPE, "anthropic."),
    switches=(
        Switch(scope="", enable='open_telemetry={"traces": {"content_mode": "content"}} (option of the client)'),
    ),
    runtimes=(
        Runtime(
            title="Anthropic Python SDK",
            scope="",
            versions=("anthropic 2.14.0",),
            recognised="Tool runners as turns, model calls, tool calls with their ids, results.",
            failure="Status error with `error.type`.",
            limits=("An exit code is read where a known tool documents it in its result.",),
        ),
    ),
)
