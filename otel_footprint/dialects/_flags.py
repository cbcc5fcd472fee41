"""What spans say beyond their role: a pause that looks like an error, two layers that disagree, a part of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from otel_footprint.dialects.content import parse_json
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
_NODE: Final = "langgraph_node"
_LANGSMITH_NODE: Final = "langsmith.metadata.langgraph_node"
_PARTS: Final = (
    ("openinference.instrumentation.smolagents", "Step "),
    ("openinference.instrumentation.llama_index", "BaseWorkflowAgent."),
    ("opentelemetry.instrumentation.llamaindex", "BaseWorkflowAgent."),
)
"""Scopes and names of the steps that a runtime makes inside a run alone."""


def is_part_of_run(span: SpanView) -> bool:
    """Whether a step is one that its runtime makes inside a run alone, so that its parent was that run or a part of it.

    LangGraph's nodes have their own name as the graph's node; what a node calls has the node's name too, and its own.
    """
    if span.get("gen_ai.operation.name") == "agent_step":
        return True
    if any(span.scope_name.startswith(scope) and span.name.startswith(name) for scope, name in _PARTS):
        return True
    node = span.get(_LANGSMITH_NODE)
    metadata = span.get("metadata")
    if node is None and isinstance(metadata, str) and _NODE in metadata:
        parsed = parse_json(metadata)
        node = parsed.get(_NODE) if isinstance(parsed, Mapping) else None
    return node is not None and node == span.name


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
