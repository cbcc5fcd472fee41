"""OpenCode: recognised by its resource. It records one call twice, by itself and through the AI SDK.

Each step of its loop is a generation of the AI SDK with one request to the model, so that none of these is a turn;
the prompt that the steps are for is. The call's content is on the AI SDK's span.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from otel_footprint.dialects import vercel
from otel_footprint.dialects._base import AgentFacts, Dialect, Role, Runtime, Switch, ToolFacts
from otel_footprint.dialects._messages import call_id_of
from otel_footprint.dialects.content import replaced, structured, text_attribute, tool_result, whole_number
from otel_footprint.dialects.genai import error_text, failure
from otel_footprint.facts import Content
from otel_footprint.spanview import SpanView

_SERVICE: Final = "opencode"
_PROMPTS: Final = frozenset({"SessionPrompt.prompt", "SessionPrompt.loop", "SessionPrompt.run"})
_ASIDE: Final = ("SessionPrompt.ensureTitle", "SessionSummary.", "SessionCompaction.")
_OWN_TOOL: Final = "Tool.execute"
_WRAPPED: Final = frozenset({"title", "metadata", "output"})


def role(span: SpanView) -> Role | None:
    """By name for its own spans, by operation for the AI SDK's."""
    if span.scope_name != _SERVICE and span.resource("service.name") != _SERVICE:
        return None
    if span.name in _PROMPTS:
        return Role.AGENT
    if span.name.startswith(_ASIDE):
        return Role.ASIDE
    if span.name == _OWN_TOOL and call_id_of(span, ("tool.call_id",)) is not None:
        return Role.TOOL
    found = vercel.role(span)
    return Role.SKIP if found is Role.AGENT else found


def agent(span: SpanView) -> AgentFacts:
    """The span of one prompt; what was asked and answered is in the model's messages."""
    del span
    return AgentFacts()


def tool(span: SpanView) -> ToolFacts:
    """One of the two spans of a tool call."""
    if span.name == _OWN_TOOL:
        return ToolFacts(
            tool=text_attribute(span, ("tool.name",)),
            call_id=call_id_of(span, ("tool.call_id",)),
            failed=failure(span, ()),
            error_text=error_text(span),
        )
    facts = vercel.tool(span)
    return _with_envelope(facts)


def _with_envelope(facts: ToolFacts) -> ToolFacts:
    """The text that the model reads out of a tool's object, and the exit code that the shell's object holds."""
    envelope = structured(facts.result)
    value = envelope.value
    if not envelope.recorded or not isinstance(value, Mapping) or not _is_envelope(value):
        return facts
    text: Content = tool_result(replaced(envelope, value["output"], "/output"))
    metadata = value.get("metadata")
    code = metadata.get("exit") if isinstance(metadata, Mapping) else None
    if not whole_number(code):
        return replace(facts, result=text)
    at = f"{envelope.pointer}/metadata/exit"
    return replace(facts, result=text, exit_code=code, exit_pointer=at, exit_from="result")


def _is_envelope(value: Mapping[str, object]) -> bool:
    return "metadata" in value and isinstance(value.get("output"), str) and set(value) <= _WRAPPED | {"attachments"}


DIALECT: Final = Dialect(
    name="opencode",
    title="OpenCode",
    role=role,
    agent=agent,
    model=vercel.model,
    tool=tool,
    conversation=("session.id", "ai.telemetry.metadata.sessionId"),
    routing="none",
    marks=("ai.", _SERVICE),
    runtimes=(
        Runtime(
            title="OpenCode",
            scope="",
            versions=("opencode-ai 1.18.33",),
            recognised="Prompts as turns, model calls, tool calls, each with the AI SDK's span of the same call.",
            failure="Status error on either span of the call.",
        ),
    ),
    switches=(Switch(scope="", enable="experimental.openTelemetry: true in opencode.json"),),
)
