"""Model Context Protocol: the spans of a tool call on its client and on its server, recognised by ``mcp.method.name``.

One call has up to three spans, one inside the other; they are one call. A result with ``isError`` is the tool's own
word that it failed. An error of the protocol (``rpc.response.status_code``) is not: whether the tool ran at all is
then not recorded.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from otel_footprint.dialects import genai
from otel_footprint.dialects._base import Dialect, Role, Runtime, Switch, ToolFacts
from otel_footprint.dialects._flags import PROTOCOL_ERROR
from otel_footprint.dialects.content import pointer
from otel_footprint.spanview import SpanView

METHOD: Final = "mcp.method.name"
_CALL: Final = "tools/call"


def role(span: SpanView) -> Role | None:
    """A tool call by its method; every other request of the protocol is none of a turn's."""
    return Role.TOOL if span.get(METHOD) == _CALL else None


def tool(span: SpanView) -> ToolFacts:
    """A tool call's span. The client library of the protocol names the tool in the span's name alone."""
    facts = genai.tool(span)
    name = facts.tool or span.name.partition(f"{_CALL} ")[2].strip() or None
    failed = facts.failed
    if failed is None and span.get(PROTOCOL_ERROR) is not None:
        failed = pointer(span, PROTOCOL_ERROR)
    return replace(facts, tool=name, failed=failed)


DIALECT: Final = Dialect(
    name="mcp",
    title="Model Context Protocol",
    role=role,
    agent=genai.agent,
    model=genai.model,
    tool=tool,
    conversation=genai.DIALECT.conversation,
    routing="handoffs",
    marks=("mcp.",),
    switches=(
        Switch(scope="fastmcp", enable=""),
        Switch(scope="mcp-python-sdk", enable=""),
        Switch(scope="", enable="OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY"),
    ),
    runtimes=(
        Runtime(
            title="MCP clients and servers",
            scope="",
            versions=("mcp 2.3.0", "fastmcp 4.2.3", "openinference-instrumentation-mcp 2.0.13 (adds no spans)"),
            recognised="Tool calls: the spans of client, library and server are one call.",
            failure="Status error; `tool_error` is the tool's own word, `rpc.response.status_code` the protocol's.",
            limits=(
                "These libraries record neither arguments nor results.",
                "After an error of the protocol nobody knows whether the tool ran.",
            ),
        ),
    ),
)
