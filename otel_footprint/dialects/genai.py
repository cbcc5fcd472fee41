"""OpenTelemetry GenAI semantic conventions, current and older names (v1.27 to today).

Recognised by ``gen_ai.operation.name``, never by the scope. Content stands in attributes, in span events,
or nowhere. Vendor values of the operation that are not in the table are ignored, not errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from otel_footprint.dialects._base import AgentFacts, Dialect, Message, ModelFacts, Role, Switch, ToolFacts
from otel_footprint.dialects._genai_runtimes import RUNTIMES
from otel_footprint.dialects._messages import (
    any_content,
    call_id_of,
    event_messages,
    instructions_of,
    last_text,
    legacy_messages,
    messages_of,
    recorded_events,
    tool_events,
)
from otel_footprint.dialects.content import (
    attribute,
    beside_result,
    content_of,
    first_attribute,
    is_schema,
    pointer,
    structured,
    text_attribute,
    tool_result,
    whole_number,
)
from otel_footprint.facts import ABSENT, Content, Pointer
from otel_footprint.spanview import SpanView

OPERATIONS: Final = {
    "invoke_agent": Role.AGENT,
    "invoke_workflow": Role.WORKFLOW,
    "agent_step": Role.STEP,
    "plan": Role.STEP,
    "chat": Role.MODEL,
    "generate_content": Role.MODEL,
    "text_completion": Role.MODEL,
    "execute_tool": Role.TOOL,
}
_NAMES: Final = (
    ("invoke_agent", Role.AGENT),
    ("invoke_workflow", Role.WORKFLOW),
    ("execute_tool ", Role.TOOL),
    ("chat ", Role.MODEL),
)
_OLD_PYDANTIC: Final = {"agent run": Role.AGENT, "running tool": Role.TOOL}
_ARGUMENTS: Final = ("gen_ai.tool.call.arguments", "tool_arguments")
_RESULT: Final = ("gen_ai.tool.call.result", "tool_response")
MERGED: Final = "(merged tools)"


def role(span: SpanView) -> Role | None:
    """By operation; where a count limit took that key, or an old emitter never set it, by the name."""
    operation = span.get("gen_ai.operation.name")
    if operation is not None:
        found = OPERATIONS.get(operation) if isinstance(operation, str) else None
        if found is Role.TOOL and span.get("gen_ai.tool.name") == MERGED:
            return Role.SKIP
        return found
    return _role_by_name(span)


def _role_by_name(span: SpanView) -> Role | None:
    if span.dropped:
        for prefix, found in _NAMES:
            if span.name.startswith(prefix):
                return found
    if span.scope_name == "pydantic-ai":
        # "running 3 tools" is a wrapper around calls; "running tool: x" is a call (InstrumentationSettings 1 and 2).
        head = span.name.split(":", 1)[0]
        return _OLD_PYDANTIC.get(head) or (
            Role.AGENT if span.name.endswith(" run") and span.has("agent_name") else None
        )
    return None


def agent(span: SpanView) -> AgentFacts:
    """The turn's or wrapper's span: name, and the messages some runtimes keep on it."""
    output = messages_of(span, "gen_ai.output.messages")
    inputs = messages_of(span, "gen_ai.input.messages")
    if not output and not inputs and span.events:
        inputs, output = event_messages(span)
    answer = attribute(span, "final_result")
    if answer.state == "absent":
        answer = last_text(output, "assistant")
    question = last_text(inputs, "user")
    if question.state == "absent":
        question = last_text(messages_of(span, "pydantic_ai.all_messages"), "user")
    if question.state == "absent":
        question = last_text(recorded_events(span, "all_messages_events")[0], "user")
    return AgentFacts(
        agent=text_attribute(span, ("gen_ai.agent.name", "agent_name")),
        question=question,
        answer=answer,
        output=output,
    )


def model(span: SpanView) -> ModelFacts:
    """A model call's messages, from attributes, else from events, else from the oldest attributes."""
    inputs = messages_of(span, "gen_ai.input.messages")
    outputs = messages_of(span, "gen_ai.output.messages")
    for older in (event_messages, _pydantic_events, legacy_messages):
        if not inputs and not outputs:
            inputs, outputs = older(span)
    return ModelFacts(
        input=inputs, output=outputs, input_recorded=any_content(inputs), instructions=instructions_of(span)
    )


def _pydantic_events(span: SpanView) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """InstrumentationSettings version 1: the events as one JSON attribute."""
    return recorded_events(span, "events")


def tool(span: SpanView) -> ToolFacts:
    """A tool call's span."""
    arguments = structured(first_attribute(span, _ARGUMENTS), printed=True)
    result = first_attribute(span, _RESULT)
    call_id = call_id_of(span, ("gen_ai.tool.call.id", "gen_ai.tool.call_id"))
    if arguments.state == "absent" and result.state == "absent" and span.events:
        arguments, result, event_id = tool_events(span)
        call_id = call_id or event_id
    if is_schema(arguments.value):
        arguments = ABSENT
    exit_code, exit_pointer = process_exit(span)
    return ToolFacts(
        tool=tool_name(span),
        call_id=call_id,
        arguments=arguments,
        result=tool_result(result),
        beside=beside_result(result),
        failed=failure(span, _RESULT),
        error_text=error_text(span),
        exit_code=exit_code,
        exit_pointer=exit_pointer,
    )


def process_exit(span: SpanView) -> tuple[Any, Pointer | None]:
    """``process.exit.code`` and where it stands; nothing when it is no whole number."""
    code = span.get("process.exit.code")
    return (code, pointer(span, "process.exit.code")) if whole_number(code) else (None, None)


def tool_name(span: SpanView) -> str | None:
    """The recorded name, else what the span's name says after its fixed words."""
    name = text_attribute(span, ("gen_ai.tool.name",))
    if name is not None:
        return name
    for prefix in ("execute_tool ", "running tool: ", "tools/call "):
        if span.name.startswith(prefix) and span.name[len(prefix) :].strip():
            return span.name[len(prefix) :].strip()
    return None


def failure(span: SpanView, results: tuple[str, ...]) -> Pointer | None:
    """The strongest recorded failure flag: status, ``error.type``, an escaped exception, a documented tool status.

    ``results`` are the keys of the tool's result, which may be MCP's own.
    """
    if span.status == "error":
        return f"{span.span_id}#status"
    if span.get("error.type"):
        return pointer(span, "error.type")
    for index, event in enumerate(span.events):
        if event.name == "exception" and _is_true(event.attributes.get("exception.escaped")):
            return f"{span.span_id}#event:{index}/exception.escaped"
    status = span.get("gen_ai.tool.status")
    if isinstance(status, str) and status in {"error", "failure"}:
        return pointer(span, "gen_ai.tool.status")
    return _flagged_result(span, results)


def _is_true(value: Any) -> bool:
    return value is True or (isinstance(value, str) and value.lower() == "true")


def _flagged_result(span: SpanView, keys: tuple[str, ...]) -> Pointer | None:
    """MCP says in the result itself that the tool failed: ``isError`` exactly true, or an error in its object."""
    for key in keys:
        value = span.get(key)
        if isinstance(value, str) and not any(mark in value for mark in ('"isError"', '"structuredContent"')):
            continue
        parsed = structured(attribute(span, key)).value
        if not isinstance(parsed, Mapping):
            continue
        if parsed.get("isError") is True:
            return pointer(span, key, "isError")
        inner = parsed.get("structuredContent")
        if isinstance(inner, Mapping) and parsed.get("isError") is None:
            if inner.get("status") == "error":
                return pointer(span, key, "structuredContent", "status")
            if inner.get("error"):
                return pointer(span, key, "structuredContent", "error")
    return None


def error_text(span: SpanView) -> Content:
    """The tool's own error text, of a failed span only."""
    if span.status == "error" and span.status_message:
        return content_of(span.status_message, f"{span.span_id}#status")
    for index, event in enumerate(span.events):
        message = event.attributes.get("exception.message") if event.name == "exception" else None
        if isinstance(message, str) and message:
            return content_of(message, f"{span.span_id}#event:{index}/exception.message", "event")
    return ABSENT


DIALECT: Final = Dialect(
    name="genai",
    title="OpenTelemetry GenAI semantic conventions",
    role=role,
    agent=agent,
    model=model,
    tool=tool,
    conversation=("gen_ai.conversation.id", "session.id"),
    routing="handoffs",
    marks=("gen_ai.", "pydantic-ai"),
    switches=(
        Switch(scope="pydantic-ai", enable="InstrumentationSettings(include_content=True)"),
        Switch(scope="agent_framework", enable="ENABLE_SENSITIVE_DATA=true"),
        Switch(scope="github.copilot", enable="OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true"),
        Switch(scope="gen_ai", enable="recordInputs: true, recordOutputs: true (telemetry options of the AI SDK)"),
        Switch(scope="agentfootprint", enable=""),
        Switch(scope="autogen-core", enable=""),
        Switch(
            scope="semantic_kernel",
            enable="SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE=true",
            records=("question", "answer", "arguments", "result"),
        ),
        Switch(scope="semantic_kernel", enable="", records=("messages",)),
        Switch(scope="logfire.openai", enable=""),
        Switch(
            scope="opentelemetry.instrumentation.openai_v2",
            enable="OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY with "
            "OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental",
        ),
        Switch(scope="", enable="OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY"),
    ),
    runtimes=RUNTIMES,
)
