"""Spans from keyword arguments, in the names of the OpenTelemetry GenAI conventions where a function has a role."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from otel_footprint.spanview import EventView, LinkView, StatusName

TRACE: Final = format(1, "032x")
"""The trace id of a span that names none."""

_SECOND: Final = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltSpan:
    """A span view over plain values."""

    span_id: str
    trace_id: str = TRACE
    parent_id: str | None = None
    parent_is_remote: bool = False
    name: str = ""
    start_ns: int = 0
    end_ns: int = 0
    status: StatusName = "unset"
    status_message: str = ""
    scope_name: str = ""
    dropped: int = 0
    events: Sequence[EventView] = ()
    links: Sequence[LinkView] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    resource_attributes: Mapping[str, Any] = field(default_factory=dict)

    def get(self, key: str) -> Any:
        """The attribute, ``None`` when there is none."""
        return self.attributes.get(key)

    def has(self, key: str) -> bool:
        """Whether there is an attribute of this key."""
        return key in self.attributes

    def keys(self) -> Iterable[str]:
        """The keys of the attributes."""
        return self.attributes.keys()

    def resource(self, key: str) -> Any:
        """The resource's attribute, ``None`` when there is none."""
        return self.resource_attributes.get(key)


def span(  # noqa: PLR0913 - each part of a span goes by its name
    number: int,
    *,
    parent: int | None = None,
    trace: int = 1,
    at: tuple[float, float] = (0, 0),
    name: str = "",
    attributes: Mapping[str, Any] | None = None,
    events: Sequence[tuple[str, Mapping[str, Any]]] = (),
    resource: Mapping[str, Any] | None = None,
    status: StatusName = "unset",
    status_message: str = "",
    scope: str = "",
    dropped: int = 0,
    remote: bool = False,
) -> BuiltSpan:
    """A span of any kind.

    Args:
        number: its span id, as a number.
        parent: the span id of its parent, as a number.
        trace: its trace id, as a number.
        at: its start and its end in seconds; an end of 0 is none.
        name: its name.
        attributes: its attributes.
        events: its events, each a name and attributes; all at its start.
        resource: its resource's attributes.
        status: its status.
        status_message: the status description.
        scope: the name of its instrumentation scope.
        dropped: how many attributes, events and links the emitter's limits dropped.
        remote: its parent is in another process.
    """
    start_ns = round(at[0] * _SECOND)
    return BuiltSpan(
        span_id=format(number, "016x"),
        trace_id=format(trace, "032x"),
        parent_id=None if parent is None else format(parent, "016x"),
        parent_is_remote=remote,
        name=name,
        start_ns=start_ns,
        end_ns=round(at[1] * _SECOND),
        status=status,
        status_message=status_message,
        scope_name=scope,
        dropped=dropped,
        events=tuple(EventView(event, start_ns, values) for event, values in events),
        attributes=dict(attributes or {}),
        resource_attributes=dict(resource or {}),
    )


def agent_span(
    number: int, *, agent: str | None = None, attributes: Mapping[str, Any] | None = None, **rest: Any
) -> BuiltSpan:
    """An ``invoke_agent`` span; ``rest`` goes to :func:`span`."""
    own = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent}
    name = rest.pop("name", f"invoke_agent {agent}" if agent else "invoke_agent")
    return span(number, name=name, attributes=_present(own, attributes), **rest)


def model_span(
    number: int,
    *,
    read: Sequence[Mapping[str, Any]] | None = None,
    said: Sequence[Mapping[str, Any]] | None = None,
    attributes: Mapping[str, Any] | None = None,
    **rest: Any,
) -> BuiltSpan:
    """A ``chat`` span with the messages it ``read`` and those it ``said``; ``rest`` goes to :func:`span`."""
    own = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": None if read is None else json.dumps(read),
        "gen_ai.output.messages": None if said is None else json.dumps(said),
    }
    return span(number, name=rest.pop("name", "chat"), attributes=_present(own, attributes), **rest)


def tool_span(  # noqa: PLR0913 - each part of a call goes by its name
    number: int,
    tool: str | None = None,
    *,
    call_id: str | None = None,
    arguments: Any = None,
    result: Any = None,
    attributes: Mapping[str, Any] | None = None,
    **rest: Any,
) -> BuiltSpan:
    """An ``execute_tool`` span; ``rest`` goes to :func:`span`.

    Args:
        number: its span id, as a number.
        tool: the tool's name.
        call_id: the provider's call id.
        arguments: the arguments; what is no text is written as JSON.
        result: the result; what is no text is written as JSON.
        attributes: further attributes; they win.
        rest: what :func:`span` takes.
    """
    own = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "gen_ai.tool.call.id": call_id,
        "gen_ai.tool.call.arguments": _text(arguments),
        "gen_ai.tool.call.result": _text(result),
    }
    name = rest.pop("name", f"execute_tool {tool}" if tool else "execute_tool")
    return span(number, name=name, attributes=_present(own, attributes), **rest)


def message(role: str, *parts: Mapping[str, Any] | str) -> dict[str, Any]:
    """A message; a text stands for a text part."""
    return {"role": role, "parts": [{"type": "text", "content": p} if isinstance(p, str) else dict(p) for p in parts]}


def call_part(tool: str | None, call_id: str | None = None, arguments: Any = None) -> dict[str, Any]:
    """The part of a model's message that asks for a tool call."""
    return _present({"type": "tool_call", "id": call_id, "name": tool, "arguments": arguments})


def response_part(call_id: str | None, response: Any, **more: Any) -> dict[str, Any]:
    """The part of a message that hands a tool's result to the model; ``more`` are further keys, as ``name``."""
    return {**_present({"type": "tool_call_response", "id": call_id}), "response": response, **more}


def _text(value: Any) -> Any:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _present(own: Mapping[str, Any], more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {**{key: value for key, value in own.items() if value is not None}, **(more or {})}
