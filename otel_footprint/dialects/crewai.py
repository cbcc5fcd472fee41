"""CrewAI's own tracing: its scope is ``crewai``; it speaks GenAI.

A failure that the crew noticed is written once more as a span that looks like a call. A result is JSON text, with a
reminder of the tools added to some, and a result out of the cache ran nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from otel_footprint.dialects import genai
from otel_footprint.dialects._base import AgentFacts, Dialect, ModelFacts, Role, Runtime, ToolFacts
from otel_footprint.dialects._envelopes import unquoted
from otel_footprint.dialects.content import pointer, replaced, text_attribute, tool_result
from otel_footprint.facts import ABSENT, Content
from otel_footprint.spanview import SpanView

SCOPE: Final = "crewai"
_FAILURE_NOTED: Final = "tool_failure_detected"
_ARGUMENTS: Final = "gen_ai.tool.call.arguments"
_RESULT: Final = "gen_ai.tool.call.result"
_CACHED: Final = "crewai.tool.from_cache"
_REMINDER: Final = "\n\n\nYou ONLY have access to the following tools"


def role(span: SpanView) -> Role | None:
    """By operation, as GenAI says; a task is part of the crew's turn."""
    if span.scope_name != SCOPE:
        return None
    if span.get("crewai.event_name") == _FAILURE_NOTED:
        return Role.SKIP
    return Role.WORKFLOW if span.get("gen_ai.operation.name") == "execute_task" else genai.role(span)


def agent(span: SpanView) -> AgentFacts:
    """A crew's, task's or agent's span. A crew is given values for its tasks' texts; its question is the task's."""
    facts = genai.agent(span)
    is_crew = span.get("gen_ai.operation.name") == "invoke_workflow"
    return replace(
        facts,
        agent=text_attribute(span, ("crewai.agent.role",)) or facts.agent,
        question=ABSENT if is_crew else facts.question,
    )


def model(span: SpanView) -> ModelFacts:
    """A model call."""
    return genai.model(span)


def tool(span: SpanView) -> ToolFacts:
    """A tool call's span."""
    facts = genai.tool(span)
    return replace(
        facts,
        arguments=_whole(span, _ARGUMENTS, facts.arguments),
        result=_whole(span, _RESULT, observation(tool_result(unquoted(facts.result)))),
        cached=pointer(span, _CACHED) if span.get(_CACHED) is True else None,
    )


def _whole(span: SpanView, key: str, content: Content) -> Content:
    """A value that the emitter says it cut is cut, also where it still reads well."""
    if content.state == "absent" or span.get(f"{key}.truncated") is not True:
        return content
    return Content(state="cut", pointer=content.pointer, where=content.where)


def observation(content: Content) -> Content:
    """A result without the reminder of the tools that CrewAI adds to what the model reads."""
    value = content.value
    if not content.recorded or not isinstance(value, str) or _REMINDER not in value:
        return content
    return replaced(content, value.split(_REMINDER, 1)[0])


DIALECT: Final = Dialect(
    name="crewai",
    title="CrewAI",
    role=role,
    agent=agent,
    model=model,
    tool=tool,
    conversation=("gen_ai.conversation.id",),
    routing="handoffs",
    marks=(SCOPE,),
    switches=(),
    runtimes=(
        Runtime(
            title="CrewAI (native)",
            scope="",
            versions=("crewai 1.15.30",),
            recognised="Crews as turns, agents, model calls, tool calls; a retry is a call of its own; a call answered "
            "from the cache ran nothing.",
            failure="Status error; the span `tool failure` beside it is no call.",
            limits=(
                "No call has an id.",
                "The framework's own words behind a result are taken off only in the form that was seen.",
            ),
        ),
    ),
)
