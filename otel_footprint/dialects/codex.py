"""Codex CLI: recognised by its scope. A tool's span has the tool's name, and no span has any content.

Arguments, outputs and prompts are in log records. Most of a session's spans are internal; of those that mention a
tool only the one that dispatches it is the call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from otel_footprint.dialects._base import AgentFacts, Dialect, ModelFacts, Role, Runtime, Switch, ToolFacts
from otel_footprint.dialects._messages import call_id_of
from otel_footprint.dialects.content import pointer, says_no, text_attribute
from otel_footprint.dialects.genai import error_text, failure
from otel_footprint.facts import Pointer
from otel_footprint.spanview import SpanView

SCOPE: Final = "codex"
_NAMES: Final = {
    "session_task.turn": Role.AGENT,
    "run_turn": Role.AGENT,
    "codex.sampling": Role.MODEL,
}
RESULT: Final = "codex.tool_result"


def role(span: SpanView) -> Role | None:
    """By name; a tool's span by its call id and its own name."""
    if not span.scope_name.startswith(SCOPE):
        return None
    found = _NAMES.get(span.name)
    if found is not None:
        return found
    if call_id_of(span, ("call_id",)) is None:
        # The result of a call is also told by an event of the span that dispatches it.
        return Role.PART if _result_event(span) is not None else None
    tool_name = span.get("tool_name")
    if tool_name is None:
        return Role.PART
    return Role.TOOL if tool_name == span.name or span.get("codex.tool.phase") == "dispatch" else None


def agent(span: SpanView) -> AgentFacts:
    """A turn's span; it says nothing of the message or the answer."""
    del span
    return AgentFacts()


def model(span: SpanView) -> ModelFacts:
    """A request to the model; its messages are in no span."""
    del span
    return ModelFacts()


def tool(span: SpanView) -> ToolFacts:
    """A tool call's span or a part of it."""
    return ToolFacts(
        tool=text_attribute(span, ("tool_name",)),
        call_id=call_id_of(span, ("call_id",)),
        failed=_failed(span),
        error_text=error_text(span),
    )


def _failed(span: SpanView) -> Pointer | None:
    if span.get("aborted") is True:
        return pointer(span, "aborted")
    index = _result_event(span)
    if index is not None and says_no(span.events[index].attributes.get("success")):
        return f"{span.span_id}#event:{index}/success"
    return failure(span, ())


def _result_event(span: SpanView) -> int | None:
    for index, event in enumerate(span.events):
        if _names_result(event.attributes):
            return index
    return None


def _names_result(attributes: Mapping[str, Any]) -> bool:
    return attributes.get("event.name") == RESULT


DIALECT: Final = Dialect(
    name="codex",
    title="Codex CLI",
    role=role,
    agent=agent,
    model=model,
    tool=tool,
    conversation=("conversation.id",),
    routing="none",
    marks=(SCOPE,),
    runtimes=(
        Runtime(
            title="Codex CLI",
            scope="",
            versions=("@openai/codex 0.171.0",),
            recognised="Turns, requests to the model, tool calls; arguments, outputs and prompts from log records.",
            failure="An aborted call, a result event whose success flag is false, else status error.",
            limits=("Spans have no content: without the log records no program and no result can be told.",),
        ),
    ),
    switches=(
        Switch(
            scope="",
            enable="the log records, given beside the spans: [otel] exporter in config.toml (log_user_prompt = true "
            "for the question)",
        ),
    ),
)
