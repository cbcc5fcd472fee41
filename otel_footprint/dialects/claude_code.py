"""Claude Code: recognised by its scope. A call's outcome stands on the span inside it, its output in a span event.

A tool's span has parts: the wait for a permission, which may end in a refusal, and the execution. Prompts and
answers are in log records unless switched on. Older versions have no span of a message where nobody sits at the
terminal; then its session joins the work.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal

from otel_footprint.dialects import genai
from otel_footprint.dialects._base import (
    AgentFacts,
    Dialect,
    Group,
    Message,
    ModelFacts,
    Role,
    Runtime,
    Switch,
    ToolFacts,
)
from otel_footprint.dialects._messages import call_id_of
from otel_footprint.dialects.content import attribute, content_of, pointer, says_no, structured, text_attribute
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
_READER: Final = "Read"
"""The tool that puts a file's text out; of the others that name a file, ``content`` is what they were given."""
_CONVERSATION: Final = ("gen_ai.conversation.id", "session.id")
_BY_A_RULE: Final = ("config", "hook")


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
    facts = genai.model(span)
    said = attribute(span, "response.model_output")
    if not facts.output and said.state != "absent":
        facts = replace(facts, output=(Message(role="assistant", text=said),))
    return replace(facts, wants_tools="tool_use" in stopped_for)


def tool(span: SpanView) -> ToolFacts:
    """A tool call's span or a part of it."""
    stopped, bare = _stopped(span), span.has("full_command")
    named = text_attribute(span, ("tool_name", "gen_ai.tool.name"))
    return ToolFacts(
        tool=named,
        call_id=call_id_of(span, ("tool_use_id", "gen_ai.tool.call.id")),
        arguments=attribute(span, "full_command") if bare else structured(attribute(span, "tool_input")),
        bare=bare,
        result=_output(span, "content" if named == _READER else "output"),
        failed=_failed(span),
        error_text=_error(span),
        stopped=stopped,
        stopped_pointer=pointer(span, "decision") if stopped is not None else None,
    )


def _failed(span: SpanView) -> str | None:
    return failure(span, ()) or (pointer(span, "success") if says_no(span.get("success")) else None)


def _error(span: SpanView) -> Content:
    # The status has a fixed word; the attribute has the whole message where details are switched on.
    said = attribute(span, "error")
    return said if said.state != "absent" else error_text(span)


def _output(span: SpanView, key: str) -> Content:
    """What the tool put out, of the tools that record it; a failed call has none."""
    for index, event in enumerate(span.events):
        if event.name == _OUTPUT and key in event.attributes:
            where = f"{span.span_id}#event:{index}/{key}"
            if event.attributes.get(f"{key}_truncated") is True:
                return Content(state="cut", pointer=where, where="event")
            return content_of(event.attributes[key], where, "event")
    return ABSENT


def group(span: SpanView) -> Group | None:
    """The session, where no span is around a message."""
    session = text_attribute(span, _CONVERSATION)
    return None if session is None else Group(conversation=session)


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
    conversation=_CONVERSATION,
    routing="none",
    marks=(SCOPE,),
    group=group,
    runtimes=(
        Runtime(
            title="Claude Code",
            scope="",
            versions=("Claude Code 2.1.332",),
            recognised="Messages as turns, requests to the model, tool calls and their permissions; log records.",
            failure="Status error or a success flag that is false on the span inside the call; a refused permission.",
            limits=("Prompts and answers are in log records unless they are switched on.",),
        ),
    ),
    switches=(
        Switch(
            scope="",
            enable="OTEL_LOG_USER_PROMPTS=1, OTEL_LOG_ASSISTANT_RESPONSES=1, OTEL_LOG_TOOL_DETAILS=1, "
            "OTEL_LOG_TOOL_CONTENT=1",
        ),
    ),
)
