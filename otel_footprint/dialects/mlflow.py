"""MLflow tracing: recognised by ``mlflow.spanType``. Every attribute is JSON text, also ``"TOOL"`` with its quotes.

With its GenAI names switched on, the values still are: a text result has quotes around it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from otel_footprint.dialects import genai
from otel_footprint.dialects._base import AgentFacts, Dialect, Message, ModelFacts, Role, Runtime, ToolFacts
from otel_footprint.dialects._chat import chat_messages, tool_message
from otel_footprint.dialects._envelopes import call_arguments, decoded, decoded_text, only_text, unquoted
from otel_footprint.dialects._messages import any_content, last_text
from otel_footprint.dialects.content import attribute, parse_json, tool_result
from otel_footprint.dialects.genai import error_text, failure
from otel_footprint.spanview import SpanView

KINDS: Final = {
    "AGENT": Role.AGENT,
    "CHAIN": Role.STEP,
    "CHAT_MODEL": Role.MODEL,
    "LLM": Role.MODEL,
    "TOOL": Role.TOOL,
}
_SCOPE: Final = "mlflow.tracing.provider"
_TYPE: Final = "mlflow.spanType"
_INPUT: Final = "mlflow.spanInputs"
_OUTPUT: Final = "mlflow.spanOutputs"


def role(span: SpanView) -> Role | None:
    """By span type; without one, of MLflow's own scope, as GenAI says."""
    kind = span.get(_TYPE)
    if isinstance(kind, str):
        named: Any = parse_json(kind)
        return KINDS.get(named) if isinstance(named, str) else None
    return genai.role(span) if span.scope_name == _SCOPE else None


def agent(span: SpanView) -> AgentFacts:
    """An agent's span, or the chain that stands for one; the agent's name is the span's."""
    if not span.has(_TYPE):
        return genai.agent(span)
    read, said = attribute(span, _INPUT), attribute(span, _OUTPUT)
    question = last_text(chat_messages(decoded(read)), "user")
    if question.state == "absent":
        question = only_text(decoded(read))
    answer = last_text(chat_messages(decoded(said)), "assistant")
    if answer.state == "absent":
        answer = decoded_text(said)
    return AgentFacts(agent=span.name or None if role(span) is Role.AGENT else None, question=question, answer=answer)


def model(span: SpanView) -> ModelFacts:
    """A model call: its provider's request and response."""
    if not span.has(_TYPE):
        return genai.model(span)
    inputs, output = _messages(span, _INPUT, "user"), _messages(span, _OUTPUT, "assistant")
    return ModelFacts(input=inputs, output=output, input_recorded=any_content(inputs))


def _messages(span: SpanView, key: str, by: str) -> tuple[Message, ...]:
    content = decoded(attribute(span, key))
    is_text = isinstance(content.value, str) or content.state not in {"recorded", "absent"}
    return (Message(role=by, text=content),) if is_text else chat_messages(content)


def tool(span: SpanView) -> ToolFacts:
    """A tool call's span; the tool's name is the span's."""
    if not span.has(_TYPE):
        facts = genai.tool(span)
        return replace(facts, result=tool_result(unquoted(facts.result)))
    name = span.name or None
    arguments, bare = call_arguments(decoded(attribute(span, _INPUT)), name)
    return ToolFacts(
        tool=name,
        arguments=arguments,
        bare=bare or (arguments.recorded and not isinstance(arguments.value, Mapping)),
        result=tool_result(tool_message(decoded(attribute(span, _OUTPUT)))),
        failed=failure(span, (_OUTPUT,)),
        error_text=error_text(span),
    )


DIALECT: Final = Dialect(
    name="mlflow",
    title="MLflow",
    role=role,
    agent=agent,
    model=model,
    tool=tool,
    conversation=("gen_ai.conversation.id", "session.id"),
    routing="handoffs",
    marks=("mlflow.",),
    switches=(),
    runtimes=(
        Runtime(
            title="MLflow tracing",
            scope="",
            versions=(
                "mlflow-skinny 3.17.2 (its own names, and GenAI names)",
                "mlflow 3.17.2 (autolog of openai 3.57.0, and of langchain 1.5.2 with langgraph 1.2.24)",
            ),
            recognised="Agents, model calls and tools, with what was recorded of inputs and outputs.",
            failure="Status error with an exception event.",
            limits=("No call has an id, and the session is not on the spans.",),
        ),
    ),
)
