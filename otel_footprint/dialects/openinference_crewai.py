"""OpenInference on CrewAI: the crew's chain is the turn, its one task's description the question.

By default there are no spans of tool calls; the listener mode has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from otel_footprint.dialects import openinference
from otel_footprint.dialects._base import AgentFacts, Dialect, Role, Runtime, ToolFacts
from otel_footprint.dialects._envelopes import only_task
from otel_footprint.dialects.content import attribute, replaced, structured, text_attribute
from otel_footprint.dialects.crewai import observation
from otel_footprint.spanview import SpanView

SCOPE: Final = "openinference.instrumentation.crewai"
_KICKOFF: Final = ".kickoff"


def role(span: SpanView) -> Role | None:
    """By span kind; a chain that starts a crew is a workflow."""
    if not span.scope_name.startswith(SCOPE):
        return None
    found = openinference.role(span)
    return Role.WORKFLOW if found is Role.STEP and span.name.endswith(_KICKOFF) else found


def agent(span: SpanView) -> AgentFacts:
    """A crew's or an agent's span."""
    facts = openinference.agent(span)
    output = structured(attribute(span, "output.value"))
    answer = facts.answer
    if answer.state == "absent" and isinstance(output.value, Mapping) and isinstance(output.value.get("raw"), str):
        answer = replaced(output, output.value["raw"], "/raw")
    return replace(
        facts,
        agent=facts.agent or text_attribute(span, ("graph.node.id",)),
        question=facts.question if facts.question.state != "absent" else only_task(attribute(span, "crew_tasks")),
        answer=answer,
    )


def tool(span: SpanView) -> ToolFacts:
    """A tool call's span."""
    facts = openinference.tool(span)
    return replace(facts, result=observation(facts.result))


DIALECT: Final[Dialect] = replace(
    openinference.DIALECT,
    name="openinference-crewai",
    title="OpenInference on CrewAI",
    role=role,
    agent=agent,
    tool=tool,
    runtimes=(
        Runtime(
            title="CrewAI (OpenInference)",
            scope="",
            versions=("crewai 1.15.30 with openinference-instrumentation-crewai 1.1.21 (wrappers and listener)",),
            recognised="Crews as turns, agents; tool calls in the listener mode alone.",
            failure="Status error.",
            limits=("The default mode records no tool call at all.",),
        ),
    ),
)
