"""Model Context Protocol: three spans of one call, and the two ways in which a call can fail."""

from __future__ import annotations

from typing import Any

import pytest
from cases import number_of, turn_of
from dumps import dump

from otel_footprint.dialects import Role, mcp, recognise
from otel_footprint.testing import BuiltSpan, agent_span, explain_spans, span

CALL = {"mcp.method.name": "tools/call"}
TOP = agent_span(1, at=(0, 9))


def request(number: int, parent: int, name: str, scope: str = "", **rest: Any) -> BuiltSpan:
    attributes = {**CALL, **rest.pop("attributes", {})}
    return span(number, parent=parent, name=name, scope=scope, at=(1, 2), attributes=attributes, **rest)


@pytest.mark.parametrize(
    ("method", "role"),
    [("tools/call", Role.TOOL), ("tools/list", None), ("initialize", None), ("server/discover", None), (7, None)],
)
def test_of_the_protocols_requests_only_a_tool_call_is_a_turns(method: Any, role: Role | None) -> None:
    assert recognise(span(1, attributes={"mcp.method.name": method}))[1] is role


@pytest.mark.parametrize(
    ("name", "attributes", "tool"),
    [
        ("tools/call f", {}, "f"),
        ("MCP send tools/call f", {}, "f"),
        ("tools/call", {}, None),
        ("tools/call g", {"gen_ai.tool.name": "f"}, "f"),
        ("POST", {}, None),
    ],
)
def test_the_tool_is_named_by_its_attribute_else_by_the_spans_name(
    name: str, attributes: dict[str, Any], tool: str | None
) -> None:
    assert mcp.tool(request(1, 0, name, attributes=attributes)).tool == tool


THREE = [
    request(2, 1, "tools/call f", "fastmcp"),
    request(3, 2, "MCP send tools/call f", "mcp-python-sdk"),
    request(4, 3, "tools/call f", "fastmcp", remote=True),
]


def test_the_spans_of_client_library_and_server_are_one_call() -> None:
    assert [number_of(c.span_id) for c in turn_of(TOP, *THREE).calls] == [2]


def test_the_client_librarys_span_alone_is_a_call() -> None:
    (call,) = turn_of(TOP, request(3, 1, "MCP send tools/call f", "mcp-python-sdk")).calls
    assert (call.tool, call.outcome) == ("f", "ran")


def test_a_framework_that_calls_over_the_protocol_makes_one_call() -> None:
    outer = span(
        5, parent=1, at=(1, 2), attributes={"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "mcp__s__f"}
    )
    inner = request(2, 5, "tools/call f", "fastmcp")
    assert [c.tool for c in turn_of(TOP, outer, inner).calls] == ["mcp__s__f"]


def test_a_result_that_says_it_is_an_error_is_the_tools_own_failure() -> None:
    failed = {"error.type": "tool_error"}
    (call,) = turn_of(TOP, request(2, 1, "tools/call f", attributes=failed, status="error")).calls
    assert (call.outcome, call.notes) == ("failed", ())


@pytest.mark.parametrize("status", ["error", "unset"])
def test_an_error_of_the_protocol_says_that_nobody_knows_whether_the_tool_ran(status: Any) -> None:
    code = {"rpc.response.status_code": "-32602"}
    (call,) = turn_of(TOP, *THREE[:2], request(4, 3, "tools/call f", attributes=code, status=status)).calls
    assert (call.outcome, call.notes) == ("failed", ("protocol-error",))


@pytest.mark.parametrize("name", ["mcp_native", "mcp_openinference"])
def test_no_switch_is_named_where_there_is_none(name: str) -> None:
    (turn,) = explain_spans(dump(name))
    assert len(turn.calls) == 4
    assert {line.enable for line in turn.unreached} == {None}


def test_another_instrumentation_has_the_conventions_switch() -> None:
    (turn,) = explain_spans([TOP, request(2, 1, "tools/call f", "other")])
    assert {line.enable for line in turn.unreached} == {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY"}
