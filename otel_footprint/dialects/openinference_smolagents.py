"""OpenInference on smolagents: the agent's name is in its span's name, the person's words follow a fixed line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from otel_footprint.dialects import openinference
from otel_footprint.dialects._base import AgentFacts, Dialect, Message, ModelFacts, Role, Runtime
from otel_footprint.dialects.content import attribute, replaced, structured
from otel_footprint.spanview import SpanView

SCOPE: Final = "openinference.instrumentation.smolagents"
_RUN: Final = ".run"
_CLASSES: Final = frozenset({"CodeAgent", "MultiStepAgent", "ToolCallingAgent"})
"""An agent without a name runs under its class's."""
_TASK: Final = "New task:\n"


def role(span: SpanView) -> Role | None:
    """By span kind."""
    return openinference.role(span) if span.scope_name.startswith(SCOPE) else None


def agent(span: SpanView) -> AgentFacts:
    """An agent's span."""
    facts = openinference.agent(span)
    task = structured(attribute(span, "input.value"))
    if isinstance(task.value, Mapping) and isinstance(task.value.get("task"), str):
        facts = replace(facts, question=replaced(task, task.value["task"], "/task"))
    name = span.name.removesuffix(_RUN) if span.name.endswith(_RUN) else ""
    return replace(facts, agent=facts.agent or (name if name and name not in _CLASSES else None))


def model(span: SpanView) -> ModelFacts:
    """A model call."""
    facts = openinference.model(span)
    return replace(facts, input=tuple(_own_words(message) for message in facts.input))


def _own_words(message: Message) -> Message:
    """A person's message without the line that the runtime puts before it."""
    value = message.text.value
    if message.role != "user" or not isinstance(value, str) or not value.startswith(_TASK):
        return message
    return replace(message, text=replaced(message.text, value.removeprefix(_TASK)))


DIALECT: Final[Dialect] = replace(
    openinference.DIALECT,
    name="openinference-smolagents",
    title="OpenInference on smolagents",
    role=role,
    agent=agent,
    model=model,
    runtimes=(
        Runtime(
            title="smolagents (OpenInference)",
            scope="",
            versions=("smolagents 1.26.0 with openinference-instrumentation-smolagents 0.1.43",),
            recognised="Agents as turns, model calls, tool calls.",
            failure="Status error with an exception event.",
            limits=("A code agent's program is no tool call: it stands in the model's words.", "No call has an id."),
        ),
    ),
)
