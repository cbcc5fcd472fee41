"""What spans say of an end beyond one failure flag: a pause that looks like an error, a contradiction, a dead model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from otel_footprint.facts import Content, Pointer
from otel_footprint.spanview import SpanView

PROTOCOL_ERROR: Final = "rpc.response.status_code"
"""The code of a JSON-RPC error that came in the place of a result."""
_API_ERROR: Final = "API Error: "
PAUSES: Final = frozenset(
    {
        "langgraph.errors.GraphInterrupt",
        "langgraph.errors.NodeInterrupt",
        "pydantic_ai.exceptions.ApprovalRequired",
        "pydantic_ai.exceptions.CallDeferred",
    }
)
"""Exceptions by which a runtime stops a call to ask a person. Whole names: another class may be named like one."""


def raised_to_pause(spans: Iterable[SpanView]) -> bool:
    """Whether all exceptions on the spans of one call are pauses, and there is one."""
    types = [
        event.attributes.get("exception.type") for span in spans for event in span.events if event.name == "exception"
    ]
    return bool(types) and all(isinstance(name, str) and name in PAUSES for name in types)


def says_it_went_well(span: SpanView) -> bool:
    """Whether the span says in so many words that its call succeeded; an unset status says nothing."""
    return span.status == "ok" or span.get("gen_ai.tool.status") == "success"


def answered_by_protocol(span: SpanView) -> bool:
    """Whether the protocol itself answered with an error, so that not even a failed tool's own result is there."""
    return span.has("mcp.method.name") and span.get(PROTOCOL_ERROR) is not None


def broke_off(answer: Content) -> Pointer | None:
    """Where Claude's agent puts the error of a model call that died in the place of its answer; ``None``: nowhere."""
    died = answer.recorded and isinstance(answer.value, str) and answer.value.startswith(_API_ERROR)
    return answer.pointer if died else None
