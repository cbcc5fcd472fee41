"""OpenInference on Google ADK: its attributes stand on ADK's own spans, beside ADK's.

A run gives its last event, a model call its raw request and answer. In ADK's schema 2 the model calls of one agent
share the agent's span, and the flattened messages of all of them are mixed there; the raw ones are the last call's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from otel_footprint.dialects import adk, openinference
from otel_footprint.dialects._base import AgentFacts, Dialect, ModelFacts, Role, Runtime, ToolFacts
from otel_footprint.dialects._messages import last_text
from otel_footprint.dialects.content import attribute, replaced, structured, tool_result
from otel_footprint.dialects.genai import MERGED
from otel_footprint.facts import ABSENT, Content
from otel_footprint.spanview import SpanView

SCOPE: Final = "openinference.instrumentation.google_adk"
_OWN: Final = "gcp.vertex.agent."
_MERGED: Final = "execute_tool (merged)"
_RUNS: Final = ("invocation", "invoke_workflow")
_RESPONSE: Final = frozenset({"id", "name", "response", "scheduling", "will_continue"})
"""The keys of the answer that ADK makes of a result."""


def role(span: SpanView) -> Role | None:
    """By span kind; the runs around an agent are its workflow, a span after parallel calls repeats them."""
    if not span.has("openinference.span.kind") or not _is_adks(span):
        return None
    if span.name == _MERGED or span.get("gen_ai.tool.name") == MERGED:
        return Role.SKIP
    found = openinference.role(span)
    return Role.WORKFLOW if found is Role.STEP and span.name.startswith(_RUNS) else found


def _is_adks(span: SpanView) -> bool:
    if span.scope_name.startswith((SCOPE, adk.SCOPE)):
        return True
    return not span.scope_name and any(key.startswith(_OWN) for key in span.keys())  # noqa: SIM118 - no mapping


def agent(span: SpanView) -> AgentFacts:
    """A run: the message that it was given and the event that it ended with."""
    facts = openinference.agent(span)
    given = structured(attribute(span, "input.value"))
    item = given.value.get("new_message") if given.recorded and isinstance(given.value, Mapping) else None
    asked = (adk.gemini_message(item, f"{given.pointer}/new_message"),) if isinstance(item, Mapping) else ()
    said = tuple(adk.answers(span, "output.value"))
    return replace(
        facts,
        question=_first(last_text(asked, "user"), facts.question),
        answer=_first(last_text(said, "assistant"), facts.answer),
    )


def _first(content: Content, other: Content) -> Content:
    return content if content.state != "absent" else other


def model(span: SpanView) -> ModelFacts:
    """A model call, or the last one of an agent."""
    return adk.raw_model(span, "input.value", "output.value")


def tool(span: SpanView) -> ToolFacts:
    """A tool call; its result is inside the answer that ADK makes of it."""
    facts = openinference.tool(span)
    recorded = structured(attribute(span, "output.value"))
    value: Any = recorded.value
    result = facts.result
    if recorded.recorded and isinstance(value, Mapping) and _answers(value, facts.tool):
        result = tool_result(adk.unwrapped(replaced(recorded, value["response"], "/response")))
    elif recorded.recorded and value is None:
        result = ABSENT
    return replace(facts, result=result)


def _answers(value: Mapping[str, Any], tool: str | None) -> bool:
    """Whether an object is the answer that ADK makes of a result of this tool, and not a result of the same keys."""
    return "response" in value and set(value) <= _RESPONSE and value.get("name", tool) == tool


DIALECT: Final[Dialect] = replace(
    openinference.DIALECT,
    name="openinference-adk",
    title="OpenInference on Google ADK",
    role=role,
    agent=agent,
    model=model,
    tool=tool,
    conversation=("session.id", "gen_ai.conversation.id", "gcp.vertex.agent.session_id"),
    runtimes=(
        Runtime(
            title="Google ADK (OpenInference)",
            scope="",
            versions=("google-adk 2.13.0 with openinference-instrumentation-google-adk 1.0.5",),
            recognised="Turns with question and answer, model calls from their raw requests, tool calls with their "
            "ids, the programs of code executors in messages.",
            failure="Status error with `error.type`; the outcome beside a program.",
            limits=("Where a model has no span of its own, the calls of an agent overwrite each other on one span.",),
        ),
    ),
)
