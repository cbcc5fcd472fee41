"""What a span holds: how many bytes it keeps alive, and whether two copies of it are the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from otel_footprint._placing import Node
from otel_footprint.spanview import SpanView

_VALUE_BYTES: Final = 16
_READ_OF_RESOURCE: Final = ("footprint.emits", "footprint.redaction.policy", "service.name", "service.instance.id")


def content_bytes(span: SpanView) -> int:
    """About how many bytes the content of a span keeps alive: attributes and events, nested values included."""
    total = 0
    values: list[Any] = [span.get(key) for key in span.keys()]  # noqa: SIM118 - a span view is no mapping
    for event in span.events:
        values.extend(event.attributes.values())
    while values:
        value = values.pop()
        total += _VALUE_BYTES
        if isinstance(value, str | bytes):
            total += len(value)
        elif isinstance(value, Mapping):
            values.extend(value.keys())
            values.extend(value.values())
        elif isinstance(value, list | tuple):
            values.extend(value)
    return total


def fingerprint(node: Node) -> tuple[str, ...]:
    """All that is read of a span; text, so that different types still have an order."""
    view = node.view
    head = (str(node.start_ns), str(node.end_ns), str(node.parent_id), str(node.remote), str(node.role))
    if view is None:
        return head
    attributes = [f"{key}={view.get(key)!r}" for key in sorted(view.keys())]
    events = [f"{e.name}@{e.time_ns} {sorted((k, repr(v)) for k, v in e.attributes.items())}" for e in view.events]
    resource = [f"{key}={view.resource(key)!r}" for key in _READ_OF_RESOURCE]
    about = (view.name, view.status, view.status_message, view.scope_name, str(view.dropped))
    return (*head, *about, *resource, *events, *attributes)
