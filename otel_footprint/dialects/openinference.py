"""OpenInference (Arize Phoenix): recognised by ``openinference.span.kind``.

Arguments and call ids have many homes, one per emitter. Where the GenAI names stand beside its own (dual
emission), its own are read: the copied ones may hold a tool's schema in place of its arguments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from otel_footprint.dialects._base import AgentFacts, Dialect, Message, ModelFacts, Role, Switch, ToolFacts
from otel_footprint.dialects._flags import broke_off
from otel_footprint.dialects._indexed import indexed_messages
from otel_footprint.dialects._messages import any_content, call_id_of, last_text
from otel_footprint.dialects._openinference_results import recorded_result
from otel_footprint.dialects._openinference_runtimes import RUNTIMES
from otel_footprint.dialects._responses import raw_requests, raw_responses
from otel_footprint.dialects.content import (
    attribute,
    beside_result,
    is_schema,
    parse_json,
    replaced,
    structured,
    text_attribute,
    tool_result,
)
from otel_footprint.dialects.genai import error_text, failure, process_exit
from otel_footprint.facts import ABSENT, Content
from otel_footprint.spanview import SpanView

KINDS: Final = {
    "AGENT": Role.AGENT,
    "CHAIN": Role.STEP,
    "LLM": Role.MODEL,
    "TOOL": Role.TOOL,
}
_CALL_IDS: Final = ("tool.id", "tool.call_id", "tool_call.id", "gen_ai.tool.call.id")
_JSON: Final = "application/json"
_HANDOFF: Final = "handoff to "
_CLAUDE: Final = "openinference.instrumentation.claude_agent_sdk"
_LLAMA: Final = "openinference.instrumentation.llama_index"
_PRINTED: Final = re.compile(r"[A-Z][A-Za-z]*\(")
"""What LlamaIndex prints of an object, up to a length: ``StopEvent(result=AgentOutput(...``."""
_POSITIONAL: Final = frozenset({"args", "kwargs", "sanitize_inputs_outputs"})


def role(span: SpanView) -> Role | None:
    """By span kind; a hand-off is a TOOL span without a tool's name."""
    kind = span.get("openinference.span.kind")
    found = KINDS.get(kind.upper()) if isinstance(kind, str) else None
    if found is Role.TOOL and span.name.startswith(_HANDOFF) and not span.has("tool.name"):
        return Role.HANDOFF
    return found


def agent(span: SpanView) -> AgentFacts:
    """An AGENT (or outermost CHAIN) span; emitters without model spans keep the messages here."""
    output = indexed_messages(span, "llm.output_messages")
    inputs = indexed_messages(span, "llm.input_messages")
    answer = last_text(output, "assistant")
    if answer.state == "absent":
        answer = _said(span, "output")
    question = last_text(inputs, "user")
    if question.state == "absent":
        question = _said(span, "input")
    name = text_attribute(span, ("agent.name", "gen_ai.agent.name")) or _langchain_agent(span)
    died = broke_off(answer) if span.scope_name.startswith(_CLAUDE) else None
    return AgentFacts(agent=name, question=question, answer=ABSENT if died else answer, output=output, broke_off=died)


def _said(span: SpanView, side: str) -> Content:
    """``input.value`` / ``output.value`` where it is a text and not a serialised or a printed object."""
    content = attribute(span, f"{side}.value")
    if not content.recorded or not isinstance(content.value, str):
        return content if content.state != "recorded" else ABSENT
    mime = span.get(f"{side}.mime_type")
    if mime == _JSON or (mime is None and _is_object_text(content.value)):
        parsed = parse_json(content.value)
        return replaced(content, parsed) if isinstance(parsed, str) else ABSENT
    if span.scope_name.startswith(_LLAMA) and _PRINTED.match(content.value):
        return ABSENT
    return content


def _langchain_agent(span: SpanView) -> str | None:
    metadata = span.get("metadata")
    if not isinstance(metadata, str) or "lc_agent_name" not in metadata:
        return None
    parsed = parse_json(metadata)
    name = parsed.get("lc_agent_name") if isinstance(parsed, Mapping) else None
    return name if isinstance(name, str) and name else None


def model(span: SpanView) -> ModelFacts:
    """An LLM span: its messages, and the raw items that its messages leave out."""
    inputs = indexed_messages(span, "llm.input_messages")
    outputs = indexed_messages(span, "llm.output_messages")
    named = {request.call_id for message in outputs for request in message.requested if request.call_id}
    unnamed = tuple(r for r in raw_requests(span, "output.value") if r.call_id not in named)
    if unnamed:
        outputs = (*outputs, Message(role="", requested=unnamed))
    raw = raw_responses(span, "input.value")
    if raw:
        inputs = (*inputs, Message(role="tool", responded=raw))
    return ModelFacts(input=inputs, output=outputs, input_recorded=any_content(inputs))


def tool(span: SpanView) -> ToolFacts:
    """A TOOL span."""
    arguments, bare = _arguments(span)
    result, flagged = recorded_result(span)
    exit_code, exit_pointer = process_exit(span)
    return ToolFacts(
        tool=text_attribute(span, ("tool.name", "gen_ai.tool.name")) or span.name or None,
        call_id=call_id_of(span, _CALL_IDS) or _id_in_result(attribute(span, "output.value")),
        arguments=arguments,
        bare=bare,
        result=tool_result(result),
        beside=beside_result(result),
        failed=failure(span, ("output.value",)) or flagged,
        error_text=error_text(span),
        exit_code=exit_code,
        exit_pointer=exit_pointer,
    )


def _arguments(span: SpanView) -> tuple[Content, bool]:
    content = attribute(span, "input.value")
    if not content.recorded:
        # `tool.parameters` is the schema for some emitters and the arguments for others; a schema is no arguments.
        parameters = structured(attribute(span, "tool.parameters")) if content.state == "absent" else content
        return (ABSENT, False) if is_schema(parameters.value) else (parameters, False)
    if span.get("input.mime_type") != _JSON and not _is_object_text(content.value):
        # The bare value of the only argument: a program such as `[]` or `1` is never parsed as JSON.
        return content, True
    found = structured(content, printed=False)
    value = found.value
    if isinstance(value, Mapping):
        return _by_name(found, value), False
    return content, True


def _is_object_text(value: Any) -> bool:
    """Whether a value without a media type is a JSON object (some emitters leave the type out)."""
    return isinstance(value, str) and value.lstrip().startswith("{") and isinstance(parse_json(value), Mapping)


def _by_name(content: Content, value: Mapping[str, Any]) -> Content:
    """Arguments by name, out of the call envelope that some emitters record."""
    if "kwargs" in value and set(value) <= _POSITIONAL:
        if isinstance(value["kwargs"], Mapping) and value["kwargs"]:
            return replaced(content, value["kwargs"], "/kwargs")
        args = value.get("args")
        if isinstance(args, list) and len(args) == 1:
            return replaced(content, args[0], "/args/0")
    return content


def _id_in_result(result: Content) -> str | None:
    """LangChain keeps the call id only inside the recorded tool message."""
    if not isinstance(result.value, str) or '"tool_call_id"' not in result.value:
        return None
    parsed = parse_json(result.value)
    if not isinstance(parsed, Mapping):
        return None
    data = parsed.get("data") if isinstance(parsed.get("data"), Mapping) else parsed
    call_id = data.get("tool_call_id") if isinstance(data, Mapping) else None
    return call_id if isinstance(call_id, str) and call_id else None


DIALECT: Final = Dialect(
    name="openinference",
    title="OpenInference",
    role=role,
    agent=agent,
    model=model,
    tool=tool,
    conversation=("session.id", "gen_ai.conversation.id"),
    routing="handoffs",
    marks=("openinference.",),
    switches=(
        Switch(
            scope="openinference.instrumentation.openai_agents",
            enable="OPENAI_AGENTS_TRACE_INCLUDE_SENSITIVE_DATA=true with OPENINFERENCE_HIDE_INPUTS=false and "
            "OPENINFERENCE_HIDE_OUTPUTS=false",
        ),
        Switch(
            scope="", enable="OPENINFERENCE_HIDE_INPUTS=false and OPENINFERENCE_HIDE_OUTPUTS=false", placeholder=True
        ),
    ),
    runtimes=RUNTIMES,
)
