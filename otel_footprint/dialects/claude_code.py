"""Claude Code: recognised by its scope. A call's outcome stands on the span inside it, its output in a span event.

A tool's span has parts: the wait for a permission, which may end in a refusal, and the execution. Prompts and
answers are in log records unless switched on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, Literal

from otel_footprint.dialects import genai
from otel_footprint.dialects._base import AgentFacts, Dialect, ModelFacts, Role, Switch, ToolFacts
from otel_footprint.dialects._messages import call_id_of
from otel_footprint.dialects.content import attribute, content_of, pointer, text_attribute
from otel_footprint.dialects.genai import error_text, failure
from otel_footprint.facts import ABSENT, Content
from otel_footprint.spanview import SpanView

SCOPE: Final = "com.anthropic.claude_code"
_NAME: Final = "claude_code."
KINDS: Final = {
    "interaction": Role.AGENT,
    "llm_request": Role.MODEL,
    "tool": Role.TOOL,
    "tool.execution": Role.PART,
    "tool.blocked_on_user": Role.PART,
}
_OUTPUT: Final = "tool.output"
_BY_A_RULE: Final = frozenset({"config", "hook"})


def role(span: SpanView) -> Role | None:
    """By ``span.type``, which older versions only have in the span's name."""
    if not span.scope_name.startswith(SCOPE):
        return None
    kind = span.get("span.type")
    return KINDS.get(kind if isinstance(kind, str) else span.name.removeprefix(_NAME))


def agent(span: SpanView) -> AgentFacts:
    """The span of one message; the answer is in no span."""
    return AgentFacts(question=attribute(span, "user_prompt"))


def model(span: SpanView) -> ModelFacts:
    """A request to the model; its messages are in no span of the versions seen."""
    reasons = span.get("gen_ai.response.finish_reasons")
    stopped_for = [span.get("stop_reason"), *(reasons if isinstance(reasons, list | tuple) else ())]
    return replace(genai.model(span), wants_tools="tool_use" in stopped_for)


def tool(span: SpanView) -> ToolFacts:
    """A tool call's span or a part of it."""
    stopped = _stopped(span)
    return ToolFacts(
        tool=text_attribute(span, ("tool_name", "gen_ai.tool.name")),
        call_id=call_id_of(span, ("tool_use_id", "gen_ai.tool.call.id")),
        arguments=attribute(span, "full_command"),
        bare=span.has("full_command"),
        result=_output(span),
        failed=_failed(span),
        error_text=_error(span),
        stopped=stopped,
        stopped_pointer=pointer(span, "decision") if stopped is not None else None,
    )


def _failed(span: SpanView) -> str | None:
    return failure(span, ()) or (pointer(span, "success") if _is_false(span.get("success")) else None)


def _is_false(value: Any) -> bool:
    return value is False or value == "false"


def _error(span: SpanView) -> Content:
    said = error_text(span)
    return said if said.state != "absent" else attribute(span, "error")


def _output(span: SpanView) -> Content:
    """What the tool put out, of the tools that record it; a failed call has none."""
    for index, event in enumerate(span.events):
        if event.name == _OUTPUT and "output" in event.attributes:
            where = f"{span.span_id}#event:{index}/output"
            if event.attributes.get("output_truncated") is True:
                return Content(state="cut", pointer=where, where="event")
            return content_of(event.attributes["output"], where, "event")
    return ABSENT


def _stopped(span: SpanView) -> Literal["refused", "declined"] | None:
    if span.get("decision") != "reject":
        return None
    return "refused" if span.get("source") in _BY_A_RULE else "declined"


DIALECT: Final = Dialect(
    name="claude-code",
    title="Claude Code",
    role=role,
    agent=agent,
    model=model,
    tool=tool,
    conversation=("gen_ai.conversation.id", "session.id"),
    routing="none",
    marks=(SCOPE,),
    switches=(
        Switch(
            scope="",
            enable="OTEL_LOG_USER_PROMPTS=1, OTEL_LOG_ASSISTANT_RESPONSES=1, OTEL_LOG_TOOL_DETAILS=1, "
            "OTEL_LOG_TOOL_CONTENT=1",
        ),
    ),
)
