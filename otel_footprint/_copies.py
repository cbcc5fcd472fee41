"""What a span holds: how many bytes it keeps alive, and whether two copies of it are the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, Final

from otel_footprint._placing import Node
from otel_footprint.spanview import SdkSpan, SpanView

_VALUE_BYTES: Final = 16
_READ_OF_RESOURCE: Final = ("footprint.emits", "footprint.redaction.policy", "service.name", "service.instance.id")


def content_bytes(span: SpanView) -> int:
    """About how many bytes the content of a span keeps alive: attributes and events, nested values included.

    A view that was decoded from bytes may say how many, as ``wire_bytes``; then its values need not be looked at.
    """
    decoded_from: int | None = getattr(span, "wire_bytes", None)
    if decoded_from is not None:
        return decoded_from
    # In process this is done for every span of an agent, and there all values can be had at once.
    values: list[Any] = (
        span.values() if isinstance(span, SdkSpan) else [span.get(key) for key in span.keys()]  # noqa: SIM118 - a span view is no mapping
    )
    for event in span.events:
        values.extend(event.attributes.values())
    total = 0
    # Level by level: most values are texts, and adding up their lengths is all that they cost.
    while values:
        total += _VALUE_BYTES * len(values) + sum([len(value) for value in values if isinstance(value, _TEXTS)])
        if _FLAT.issuperset(map(type, values)):
            break
        holders = [value for value in values if type(value) not in _FLAT and isinstance(value, _HOLDERS)]
        values = [part for value in holders for part in _parts(value)]
    return total


_TEXTS: Final = (str, bytes)
_FLAT: Final = frozenset({str, bytes, bool, int, float, type(None)})
_HOLDERS: Final = (dict, list, tuple, Mapping)


def _parts(value: Mapping[Any, Any] | list[Any] | tuple[Any, ...]) -> Iterable[Any]:
    return chain(value.keys(), value.values()) if isinstance(value, Mapping) else value


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
