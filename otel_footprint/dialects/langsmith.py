"""LangSmith's OpenTelemetry export: recognised by ``langsmith.span.kind``.

``gen_ai.prompt`` and ``gen_ai.completion`` hold whatever the run read and gave: messages, a graph's state, a tool's
arguments and its result. A failed run gives ``{}``, which is no value. The chain spans of middleware repeat the call
that they wrap and are no calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from otel_footprint.dialects._base import AgentFacts, Dialect, ModelFacts, Role, Runtime, Switch, ToolFacts
from otel_footprint.dialects._chat import call_id_in, chat_messages, tool_message
from otel_footprint.dialects._envelopes import only_text
from otel_footprint.dialects._messages import any_content, call_id_of, last_text
from otel_footprint.dialects.content import attribute, replaced, structured, text_attribute, tool_result
from otel_footprint.dialects.genai import error_text, failure
from otel_footprint.facts import ABSENT, Content
from otel_footprint.spanview import SpanView

KINDS: Final = {"chain": Role.STEP, "llm": Role.MODEL, "tool": Role.TOOL}
_KIND: Final = "langsmith.span.kind"
_AGENT_NAME: Final = "langsmith.metadata.lc_agent_name"


def role(span: SpanView) -> Role | None:
    """By span kind; the chain that has the agent's name is the agent's run."""
    kind = span.get(_KIND)
    if not isinstance(kind, str):
        return None
    if kind == "chain" and span.name and span.get(_AGENT_NAME) == span.name:
        return Role.AGENT
    return KINDS.get(kind)


def agent(span: SpanView) -> AgentFacts:
    """An agent's run, or the chain that stands for one."""
    read, said = _state(span, "gen_ai.prompt"), _state(span, "gen_ai.completion")
    question = last_text(chat_messages(read), "user")
    if question.state == "absent":
        question = only_text(read)
    answer = last_text(chat_messages(said), "assistant")
    if answer.state == "absent":
        answer = _output(said)
    return AgentFacts(agent=text_attribute(span, (_AGENT_NAME,)), question=question, answer=answer)


def _state(span: SpanView, key: str) -> Content:
    """What a run read or gave, decoded; the empty object of a failed run is absent."""
    content = structured(attribute(span, key))
    return ABSENT if content.recorded and content.value == {} else content


def _output(content: Content) -> Content:
    """A run's one text."""
    if content.recorded and isinstance(content.value, Mapping):
        content = replaced(content, content.value.get("output"), "/output")
    return content if not content.recorded or isinstance(content.value, str) else ABSENT


def model(span: SpanView) -> ModelFacts:
    """A model call."""
    inputs = chat_messages(_state(span, "gen_ai.prompt"))
    output = chat_messages(_state(span, "gen_ai.completion"))
    return ModelFacts(input=inputs, output=output, input_recorded=any_content(inputs))


def tool(span: SpanView) -> ToolFacts:
    """A tool's run."""
    result = _state(span, "gen_ai.completion")
    return ToolFacts(
        tool=text_attribute(span, ("gen_ai.tool.name",)) or span.name or None,
        call_id=call_id_of(span, ("gen_ai.tool.call.id",)) or call_id_in(result),
        arguments=arguments(_state(span, "gen_ai.prompt")),
        result=tool_result(tool_message(result)),
        failed=failure(span, ()),
        error_text=error_text(span),
    )


def arguments(content: Content) -> Content:
    """A tool's arguments, out of the ``{"input": {...}}`` that tracers of other runtimes put them in."""
    value = content.value
    is_wrapped = content.recorded and isinstance(value, Mapping) and set(value) == {"input"}
    return (
        replaced(content, value["input"], "/input") if is_wrapped and isinstance(value["input"], Mapping) else content
    )


DIALECT: Final = Dialect(
    name="langsmith",
    title="LangSmith",
    role=role,
    agent=agent,
    model=model,
    tool=tool,
    # The exporter's own session is the project that the traces are filed under, not a conversation.
    conversation=(
        "langsmith.metadata.thread_id",
        "langsmith.metadata.session_id",
        "langsmith.metadata.conversation_id",
    ),
    routing="handoffs",
    marks=("langsmith.",),
    switches=(Switch(scope="", enable="LANGSMITH_HIDE_INPUTS=false and LANGSMITH_HIDE_OUTPUTS=false"),),
    runtimes=(
        Runtime(
            title="LangSmith (OpenTelemetry export)",
            scope="",
            versions=("langsmith 0.15.1 with langchain 1.5.2, langgraph 1.2.24",),
            recognised="Turns (the run that has the agent's name), model calls, tool calls with their ids, the thread.",
            failure="Status error; the exception's class is never recorded.",
            limits=(
                "After an error `{}` stands for no result.",
                "An exit code is read where a known tool documents it in its result.",
            ),
        ),
    ),
)
