"""The one way to read a log record, whatever form it came in: OTLP JSON, OTLP protobuf, the Python SDK's objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from otel_footprint.spanview import MAX_DEPTH, TOO_DEEP, whole

MAX_PARTS: Final = 50_000
"""Values in one body or attribute that are copied; what has more becomes ``TOO_DEEP``."""

_VALUE_BYTES: Final = 16
_EVENT_NAME: Final = "event.name"
_BODY: Final = "body"
_NOTHING: Final[Mapping[str, Any]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class LogView:
    """One log record. Values are decoded when they are asked for."""

    trace_id: str = ""
    """32 lower-case hex digits, or ``""``."""
    span_id: str = ""
    """16 lower-case hex digits of the span it was emitted in, or ``""``."""
    time_ns: int = 0
    """Unix nanoseconds: when it happened, else when it was observed; 0 when neither is recorded."""
    event_name: str = ""
    """The record's own field; :attr:`name` is what to read."""
    scope_name: str = ""
    body_of: Mapping[str, Any] = field(default_factory=dict)
    """The body under the key ``body``, so that it too is decoded late."""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    resource_attributes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The event's name: ``event.name``, which was there before the field of its own; ``""`` for a plain log."""
        named = self.get(_EVENT_NAME)
        return named if isinstance(named, str) and named else self.event_name

    @property
    def body(self) -> Any:
        """The decoded body; ``None`` when there is none."""
        return self.body_of.get(_BODY)

    def get(self, key: str) -> Any:
        """The decoded attribute; ``None`` when there is none, or when it is recorded as null."""
        return self.attributes.get(key)

    def has(self, key: str) -> bool:
        """Whether there is an attribute of this key, a null included."""
        return key in self.attributes

    def keys(self) -> Iterable[str]:
        """The attribute keys."""
        return self.attributes.keys()

    def size(self) -> int:
        """About how many bytes its body and attributes keep alive."""
        return value_bytes([self.body, *(self.get(key) for key in self.keys())])

    def resource(self, key: str) -> Any:
        """The decoded resource attribute, ``None`` when there is none."""
        return self.resource_attributes.get(key)


def value_bytes(values: Iterable[Any]) -> int:
    """About how many bytes decoded values keep alive."""
    total, left = 0, list(values)
    while left:
        value = left.pop()
        total += _VALUE_BYTES + (len(value) if isinstance(value, str | bytes) else 0)
        if isinstance(value, Mapping):
            left += [*value.keys(), *value.values()]
        elif isinstance(value, list | tuple):
            left += value
    return total


def sdk_log(record: Any, *, copy: bool = True) -> LogView:
    """The view of a log record of the Python SDK, by its shape.

    What may change after the record was handed on is copied; a value with too many parts, or a circle, becomes
    ``TOO_DEEP``.

    Args:
        record: ``LogRecord``, or what holds one as ``log_record`` (``LogData``, ``ReadWriteLogRecord``).
        copy: ``False`` for a short look at a record: its values are then the record's own.
    """
    inner = getattr(record, "log_record", record)
    scope = getattr(record, "instrumentation_scope", None)
    resource = getattr(record, "resource", None) or getattr(inner, "resource", None)
    attributes = getattr(inner, "attributes", None)
    attributes = attributes if isinstance(attributes, Mapping) else _NOTHING
    found = getattr(resource, "attributes", None)
    body = getattr(inner, "body", None)
    return LogView(
        trace_id=_hex(getattr(inner, "trace_id", None), 32),
        span_id=_hex(getattr(inner, "span_id", None), 16),
        time_ns=whole(getattr(inner, "timestamp", None)) or whole(getattr(inner, "observed_timestamp", None)),
        event_name=_text(getattr(inner, "event_name", None)),
        scope_name=_text(getattr(scope, "name", None)),
        body_of={_BODY: copied(body) if copy else body},
        attributes={k: copied(v) for k, v in attributes.items() if isinstance(k, str)} if copy else attributes,
        resource_attributes=found if isinstance(found, Mapping) else {},
    )


def _hex(value: Any, digits: int) -> str:
    usable = isinstance(value, int) and 0 < value < 16**digits
    return format(value, f"0{digits}x") if usable else ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def copied(value: Any) -> Any:
    """A value that nobody else can change, of what a log record may hold; ``TOO_DEEP`` for what is past the bounds."""
    left = [MAX_PARTS]
    try:
        return _copied(value, MAX_DEPTH, left)
    except _TooMuchError:
        return TOO_DEEP


class _TooMuchError(Exception):
    """A value has more levels or parts than are copied."""


def _copied(value: Any, depth: int, left: list[int]) -> Any:
    left[0] -= 1
    if left[0] < 0:
        raise _TooMuchError
    if isinstance(value, str | bytes | bool | int | float) or value is None:
        return value
    if depth == 0:
        raise _TooMuchError
    if isinstance(value, Mapping):
        return {k: _copied(v, depth - 1, left) for k, v in value.items() if isinstance(k, str)}
    if isinstance(value, list | tuple):
        return [_copied(item, depth - 1, left) for item in value]
    # Whatever else it is would not survive an exporter either.
    return None
