"""Export requests for the sidecar's tests, and what is ours in those that come out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from otel_footprint.sidecar.json_in import Losses, protobuf_of
from otel_footprint.sidecar.queue import Signal

SPANS = Path(__file__).parents[1] / "data" / "spans"
LOGS = Path(__file__).parents[1] / "data" / "logs"
TRACE = "0af7651916cd43dd8448eb211c80319c"
SECOND = 1_000_000_000
START = 1_700_000_000 * SECOND


def span(number: int, parent: int | None = None, *, trace: str = TRACE, end: int | None = None, **fields: Any) -> Span:
    """A plain span; its id is its number, it starts that many seconds after :data:`START` and ends a second later."""
    start = START + number * SECOND
    made = Span(
        trace_id=bytes.fromhex(trace),
        span_id=number.to_bytes(8),
        parent_span_id=b"" if parent is None else parent.to_bytes(8),
        name=fields.pop("name", f"span {number}"),
        start_time_unix_nano=start,
        end_time_unix_nano=start + SECOND if end is None else end,
    )
    for key, value in fields.pop("attributes", {}).items():
        attribute = made.attributes.add(key=key)
        attribute.value.string_value = value
    assert not fields
    return made


def agent(number: int, parent: int | None = None, **fields: Any) -> Span:
    """A span that carries a turn."""
    attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "planner"}
    return span(number, parent, name="invoke_agent planner", attributes=attributes, **fields)


def tool(number: int, parent: int | None = None, *, name: str = "search", **fields: Any) -> Span:
    """A span of a tool call."""
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": f"call-{number}",
    }
    return span(number, parent, name=f"execute_tool {name}", attributes=attributes, **fields)


def request(*spans: Span, scope: str = "tests", resource: Mapping[str, str] | None = None) -> bytes:
    """An export request of some spans."""
    made = ExportTraceServiceRequest()
    group = made.resource_spans.add(resource=Resource())
    for key, value in (resource or {"service.name": "tests"}).items():
        group.resource.attributes.add(key=key).value.string_value = value
    inner = group.scope_spans.add()
    inner.scope.name = scope
    inner.spans.extend(spans)
    return made.SerializeToString()


@cache
def recorded(name: str) -> tuple[bytes, ...]:
    """The requests of a dump."""
    return _requests("traces", SPANS / f"{name}.otlp.json")


@cache
def recorded_logs(name: str) -> tuple[bytes, ...]:
    """The requests of a dump of logs."""
    return _requests("logs", LOGS / f"{name}.logs.otlp.json")


def _requests(signal: Signal, path: Path) -> tuple[bytes, ...]:
    text = path.read_text(encoding="utf-8")
    try:
        values = [json.loads(text)]
    except ValueError:
        values = [json.loads(line) for line in text.splitlines() if line.strip()]
    losses = Losses()
    bodies = tuple(protobuf_of(signal, json.dumps(value).encode(), losses) for value in values)
    assert losses == Losses()
    return bodies


def decoded(*bodies: bytes) -> ExportTraceServiceRequest:
    """Several requests as one message."""
    return ExportTraceServiceRequest.FromString(b"".join(bodies))


def spans_of(*bodies: bytes) -> Iterator[Span]:
    """Every span of some requests."""
    for group in decoded(*bodies).resource_spans:
        for scope in group.scope_spans:
            yield from scope.spans


def named(bodies: Iterable[bytes]) -> dict[str, Span]:
    """The spans by name; none twice."""
    found: dict[str, Span] = {}
    for one in spans_of(*bodies):
        assert one.name not in found
        found[one.name] = one
    return found


def event_names(one: Span) -> list[str]:
    """The names of a span's events."""
    return [event.name for event in one.events]


def without_ours(one: Span) -> Span:
    """A span without everything that the sidecar may have added."""
    bare = Span.FromString(one.SerializeToString())
    events = [event for event in one.events if not event.name.startswith("footprint.")]
    attributes = [pair for pair in one.attributes if not pair.key.startswith("footprint.")]
    del bare.events[:], bare.attributes[:]
    bare.events.extend(events)
    bare.attributes.extend(attributes)
    return bare


def ours(one: Span) -> tuple[list[bytes], list[bytes]]:
    """What of a span is an explanation: its events and its attributes, each encoded."""
    events = [
        event.SerializeToString(deterministic=True) for event in one.events if event.name.startswith("footprint.")
    ]
    attributes = [
        pair.SerializeToString(deterministic=True) for pair in one.attributes if pair.key.startswith("footprint.")
    ]
    return events, attributes
