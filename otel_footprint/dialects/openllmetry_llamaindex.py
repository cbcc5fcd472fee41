"""OpenLLMetry on LlamaIndex: every span of a run is a ``task``, and what it holds tells what it is.

The task that runs a tool has the tool's name and, in its output, the call's id and what the tool gave. A model call's
messages leave out what the model asked for: this stands in the task's output alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from otel_footprint.dialects import genai, traceloop
from otel_footprint.dialects._base import Dialect, Message, ModelFacts, Role, Runtime, ToolFacts
from otel_footprint.dialects._messages import request_of
from otel_footprint.dialects.content import (
    attribute,
    beside_result,
    pointer,
    replaced,
    structured,
    text_attribute,
    tool_result,
)
from otel_footprint.dialects.genai import error_text, failure
from otel_footprint.facts import ABSENT
from otel_footprint.spanview import SpanView

SCOPE: Final = "opentelemetry.instrumentation.llamaindex"
_TOOL: Final = "tool.name"
_ARGUMENTS: Final = "tool.arguments"
_OUTPUT: Final = "traceloop.entity.output"


def role(span: SpanView) -> Role | None:
    """By span kind; a task with a tool's name and arguments is a call, one with a model's operation is a model call."""
    if not span.scope_name.startswith(SCOPE):
        return None
    found = traceloop.role(span)
    if found is not Role.STEP:
        return found
    if span.has(_TOOL) and span.has(_ARGUMENTS):
        return Role.TOOL
    return Role.MODEL if genai.role(span) is Role.MODEL else found


def model(span: SpanView) -> ModelFacts:
    """A model call: its messages, and what it asked for."""
    facts = traceloop.model(span)
    if any(message.requested for message in facts.output):
        return facts
    output = structured(attribute(span, _OUTPUT))
    message = output.value.get("message") if isinstance(output.value, Mapping) else None
    kept = message.get("additional_kwargs") if isinstance(message, Mapping) else None
    calls = kept.get("tool_calls") if isinstance(kept, Mapping) else None
    where = f"{output.pointer}/message/additional_kwargs/tool_calls"
    requested = tuple(
        request_of(call, f"{where}/{index}")
        for index, call in enumerate(calls if isinstance(calls, list) else ())
        if isinstance(call, Mapping)
    )
    return replace(facts, output=(*facts.output, Message(role="", requested=requested))) if requested else facts


def tool(span: SpanView) -> ToolFacts:
    """A tool call's task."""
    arguments = structured(attribute(span, _ARGUMENTS))
    output = structured(attribute(span, _OUTPUT))
    value = output.value if isinstance(output.value, Mapping) else {}
    call_id, given = value.get("tool_id"), value.get("tool_output")
    result, flagged = ABSENT, None
    if isinstance(given, Mapping) and "raw_output" in given:
        result = replaced(output, given["raw_output"], "/tool_output/raw_output")
        flagged = pointer(span, _OUTPUT, "tool_output", "is_error") if given.get("is_error") is True else None
    return ToolFacts(
        tool=text_attribute(span, (_TOOL,)),
        call_id=call_id if isinstance(call_id, str) and call_id else None,
        arguments=arguments,
        result=tool_result(result),
        beside=beside_result(result),
        failed=failure(span, ()) or flagged,
        error_text=error_text(span),
    )


DIALECT: Final[Dialect] = replace(
    traceloop.DIALECT,
    name="openllmetry-llamaindex",
    title="OpenLLMetry on LlamaIndex",
    role=role,
    model=model,
    tool=tool,
    marks=(SCOPE,),
    runtimes=(
        Runtime(
            title="LlamaIndex (OpenLLMetry)",
            scope="",
            versions=("llama-index-core 0.14.25 with opentelemetry-instrumentation-llamaindex 0.62.4",),
            recognised="Workflows as turns, model calls, tool calls with their ids.",
            failure="Status error, or `is_error` in the recorded output.",
            limits=(
                "The workflow's name is its class: the agent's own name is not read.",
                "A run that dies leaves no span of it.",
            ),
        ),
    ),
)
