"""OpenLLMetry (Traceloop): recognised by ``traceloop.span.kind``, on model calls also by ``llm.request.type``.

Decorators write a call's input as positional and named arguments and everything as JSON text; LangChain's
callbacks write envelopes around both. Model calls keep their messages flattened (up to 0.4x) or in the GenAI
attributes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from otel_footprint.dialects import genai
from otel_footprint.dialects._base import (
    AgentFacts,
    Dialect,
    Message,
    ModelFacts,
    Nesting,
    Requested,
    Responded,
    Role,
    Runtime,
    Switch,
    ToolFacts,
)
from otel_footprint.dialects._chat import call_id_in, chat_messages, tool_message
from otel_footprint.dialects._envelopes import call_arguments, decoded, decoded_text, only_task, only_text
from otel_footprint.dialects._messages import any_content, call_id_of, last_text, text_message
from otel_footprint.dialects.content import (
    attribute,
    first_attribute,
    pointer,
    replaced,
    structured,
    text_attribute,
    tool_result,
)
from otel_footprint.dialects.genai import error_text, failure
from otel_footprint.facts import ABSENT, Content, Pointer
from otel_footprint.spanview import SpanView

KINDS: Final = {
    "workflow": Role.WORKFLOW,
    "agent": Role.AGENT,
    "task": Role.STEP,
    "tool": Role.TOOL,
    "handoff": Role.HANDOFF,
}
_REQUEST_TYPES: Final = frozenset({"chat", "completion"})
_ANY_SCOPE: Final = "opentelemetry.instrumentation."
_SCOPES: Final = tuple(_ANY_SCOPE + name for name in ("anthropic", "crewai", "langchain", "openai.v1", "openai_agents"))
"""Scopes whose spans in GenAI names are OpenLLMetry's; OpenTelemetry's own have others."""
_AGENTS_SCOPE: Final = _ANY_SCOPE + "openai_agents"
_RUN_NAME: Final = "traceloop.association.properties.lc_agent_name"
_INPUT: Final = ("gen_ai.tool.call.arguments", "traceloop.entity.input")
_CREW: Final = ("crewai.crew.tasks", "crewai.crew.result")


def role(span: SpanView) -> Role | None:
    """By span kind; a model call by its request type; other spans of these instrumentations as GenAI says."""
    kind = span.get("traceloop.span.kind")
    if isinstance(kind, str):
        # A LangChain run that has the agent's name is the agent, whatever runs it.
        is_agent = kind == "task" and span.has(_RUN_NAME) and span.get("traceloop.entity.name") == span.get(_RUN_NAME)
        return Role.AGENT if is_agent else KINDS.get(kind)
    if not span.scope_name.startswith(_ANY_SCOPE):
        return None
    if any(span.has(key) for key in _CREW):
        return Role.WORKFLOW
    request = span.get("llm.request.type")
    if isinstance(request, str) and request in _REQUEST_TYPES:
        return Role.MODEL
    return _as_genai(span) if span.scope_name.startswith(_SCOPES) else None


def nested(span: SpanView) -> Nesting | None:
    """The openai-agents instrumentation ends every agent's span under its workflow, also a tool call's."""
    return "in-time" if span.scope_name.startswith(_AGENTS_SCOPE) else None


def _as_genai(span: SpanView) -> Role | None:
    found = genai.role(span)
    if found is Role.AGENT and span.has("gen_ai.workflow.nodes"):
        # The span around a graph's run: the outermost one is the turn; inside a tool call the run itself stands
        # beside it.
        return Role.WORKFLOW if span.parent_id is None else Role.SKIP
    return found


def agent(span: SpanView) -> AgentFacts:
    """A workflow's or agent's span. A workflow's own name is no agent's."""
    facts = genai.agent(span)
    read, said = decoded(attribute(span, "traceloop.entity.input")), attribute(span, "traceloop.entity.output")
    inputs, outputs = chat_messages(read), chat_messages(decoded(said))
    question = _first(
        facts.question, last_text(inputs, "user"), only_text(read), only_task(attribute(span, "crewai.crew.tasks"))
    )
    answer = _first(
        facts.answer, last_text(outputs, "assistant"), decoded_text(said), attribute(span, "crewai.crew.result")
    )
    named: tuple[str, ...] = ("gen_ai.agent.name", _RUN_NAME)
    if span.get("traceloop.span.kind") == "agent":
        named = (*named, "traceloop.entity.name")
    return replace(facts, agent=text_attribute(span, named), question=question, answer=answer)


def _first(*contents: Content) -> Content:
    return next((content for content in contents if content.state != "absent"), ABSENT)


def model(span: SpanView) -> ModelFacts:
    """A model call: the GenAI attributes, else the flattened messages."""
    facts = genai.model(span)
    if facts.input or facts.output:
        return facts
    inputs = _flattened(span, "gen_ai.prompt", "user")
    return ModelFacts(
        input=inputs,
        output=_flattened(span, "gen_ai.completion", "assistant"),
        input_recorded=any_content(inputs),
        instructions=facts.instructions,
    )


_NUMBERED: Final = re.compile(r"(\d{1,9})\.(role|content|tool_call_id|tool_calls\.(\d{1,9})\.(id|name|arguments))")


def _flattened(span: SpanView, prefix: str, role_by_default: str) -> tuple[Message, ...]:
    """The messages under ``prefix.N``, in the order of their numbers."""
    found: dict[int, dict[str, str]] = {}
    calls: dict[int, dict[int, dict[str, str]]] = {}
    for key in span.keys():  # noqa: SIM118 - a span view is no mapping
        if not key.startswith(prefix + ".") or (match := _NUMBERED.fullmatch(key, len(prefix) + 1)) is None:
            continue
        number = int(match[1])
        fields = found.setdefault(number, {})
        if match[3] is None:
            fields[match[2]] = key
        else:
            calls.setdefault(number, {}).setdefault(int(match[3]), {})[match[4]] = key
    return tuple(
        _message(span, fields, [call for _, call in sorted(calls.get(number, {}).items())], role_by_default)
        for number, fields in sorted(found.items())
    )


def _message(span: SpanView, keys: Mapping[str, str], calls: list[dict[str, str]], role_by_default: str) -> Message:
    said = _leaf(span, keys, "role").value
    by = said if isinstance(said, str) and said else role_by_default
    content = _leaf(span, keys, "content")
    if by == "tool":
        return Message(role=by, responded=(Responded(call_id=_word(_leaf(span, keys, "tool_call_id")), value=content),))
    message = text_message(by, content)
    return replace(message, requested=(*message.requested, *(_request(span, call) for call in calls)))


def _request(span: SpanView, keys: Mapping[str, str]) -> Requested:
    name, call_id, arguments = (_leaf(span, keys, key) for key in ("name", "id", "arguments"))
    return Requested(
        name=_word(name),
        call_id=_word(call_id),
        arguments=structured(arguments),
        pointer=name.pointer or call_id.pointer or arguments.pointer,
    )


def _leaf(span: SpanView, keys: Mapping[str, str], key: str) -> Content:
    return replace(attribute(span, keys[key]), where="messages") if key in keys else ABSENT


def _word(content: Content) -> str | None:
    return content.value if content.recorded and isinstance(content.value, str) and content.value else None


def tool(span: SpanView) -> ToolFacts:
    """A tool call's span."""
    name = (
        text_attribute(span, ("gen_ai.tool.name", "traceloop.entity.name")) or span.name.removesuffix(".tool") or None
    )
    recorded = decoded(first_attribute(span, _INPUT))
    arguments, bare = _arguments(recorded, name)
    result = _result(span)
    call_id = call_id_of(span, ("gen_ai.tool.call.id",)) or _id_in_envelope(recorded) or call_id_in(result)
    return ToolFacts(
        tool=name,
        call_id=call_id,
        arguments=arguments,
        bare=bare,
        result=tool_result(tool_message(result)),
        failed=failure(span, ("gen_ai.tool.call.result",)) or _failed_task(span),
        error_text=error_text(span),
    )


def _arguments(content: Content, name: str | None) -> tuple[Content, bool]:
    """Arguments out of the decorators' or the LangChain callbacks' envelope."""
    value = content.value
    if not content.recorded or not isinstance(value, Mapping) or "input_str" not in value:
        return call_arguments(content, name)
    if isinstance(value.get("inputs"), Mapping):
        return replaced(content, value["inputs"], "/inputs"), False
    return replaced(content, value["input_str"], "/input_str"), True


def _id_in_envelope(content: Content) -> str | None:
    around = content.value.get("kwargs") if isinstance(content.value, Mapping) else None
    found = around.get("tool_call_id") if isinstance(around, Mapping) and "input_str" in content.value else None
    return found if isinstance(found, str) and found else None


def _result(span: SpanView) -> Content:
    """The result as the tool gave it: GenAI's attribute holds text, the decorators' JSON text."""
    result = attribute(span, "gen_ai.tool.call.result")
    if result.state == "absent":
        return decoded(attribute(span, "traceloop.entity.output"))
    inner = decoded(result)
    return inner if isinstance(inner.value, Mapping) and "output" in inner.value else result


def _failed_task(span: SpanView) -> Pointer | None:
    return pointer(span, "gen_ai.task.status") if span.get("gen_ai.task.status") == "failure" else None


_NO_EXIT: Final = "An exit code is read where a known tool documents it in its result."

DIALECT: Final = Dialect(
    name="traceloop",
    title="OpenLLMetry (Traceloop)",
    role=role,
    agent=agent,
    model=model,
    tool=tool,
    conversation=(
        "gen_ai.conversation.id",
        "traceloop.association.properties.thread_id",
        "traceloop.association.properties.session_id",
    ),
    routing="handoffs",
    nested=nested,
    marks=("traceloop.", "llm.request.type", "gen_ai.", "crewai.crew."),
    switches=(Switch(scope="", enable="TRACELOOP_TRACE_CONTENT=true"),),
    runtimes=(
        Runtime(
            title="LangChain, LangGraph (OpenLLMetry)",
            scope="opentelemetry.instrumentation.langchain",
            versions=("langchain 1.5.2, langgraph 1.2.24 with opentelemetry-instrumentation-langchain 0.62.4",),
            recognised="Turns (the run that has the agent's name), model calls, tool calls with their ids.",
            failure="Status error, or `gen_ai.task.status`; LangGraph's interrupts are pauses.",
            limits=("Runs without a parent are each explained apart.", _NO_EXIT),
        ),
        Runtime(
            title="OpenAI Agents SDK (OpenLLMetry)",
            scope="opentelemetry.instrumentation.openai_agents",
            versions=("openai-agents 0.24.0 with opentelemetry-instrumentation-openai-agents 0.62.4",),
            recognised="Turns, model calls, tool calls, hand-offs.",
            failure="Status error.",
            limits=("An agent that runs as a tool lies beside its call and not inside it.", "No call has an id."),
        ),
        Runtime(
            title="CrewAI (OpenLLMetry)",
            scope="opentelemetry.instrumentation.crewai",
            versions=("crewai 1.15.30 with opentelemetry-instrumentation-crewai 0.62.4",),
            recognised="Crews as turns, agents.",
            failure="Status error of the turn.",
            limits=("No tool call is recorded.",),
        ),
        Runtime(
            title="Traceloop SDK decorators, and any other OpenLLMetry instrumentation",
            scope="",
            versions=("traceloop-sdk 0.62.4 and 0.40.14",),
            recognised="Workflows and agents as turns, tasks, tools, model calls with flattened or GenAI messages.",
            failure="Status error.",
            limits=("A decorated call has no id.", "Several arguments by position have no names.", _NO_EXIT),
        ),
    ),
)
