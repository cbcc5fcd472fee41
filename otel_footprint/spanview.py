"""The one way to read a span: a small protocol, and an adapter for each form spans come in.

Ids are lower-case hex text. Attributes are decoded when they are asked for, one key at a time.
A value nested deeper than :data:`MAX_DEPTH` becomes :data:`TOO_DEEP`; the span survives.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, Protocol

StatusName = Literal["unset", "ok", "error"]

MAX_DEPTH: Final = 64
"""Nesting bound of a decoded value; the wire decoders themselves stop near 48 to 100."""


class _TooDeep:
    """Stands for a value nested past :data:`MAX_DEPTH`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "TOO_DEEP"


TOO_DEEP: Final = _TooDeep()


class EventView(NamedTuple):
    """One span event."""

    name: str
    time_ns: int
    attributes: Mapping[str, Any]


class LinkView(NamedTuple):
    """One span link."""

    trace_id: str
    span_id: str


class SpanView(Protocol):
    """What dialects and the assembler read of a span, whatever form it came in."""

    @property
    def trace_id(self) -> str:
        """32 lower-case hex digits, or ``""`` when the span has no valid one."""

    @property
    def span_id(self) -> str:
        """16 lower-case hex digits, or ``""``."""

    @property
    def parent_id(self) -> str | None:
        """``None`` for a root span."""

    @property
    def parent_is_remote(self) -> bool:
        """The parent is in another process; ``False`` when the form does not say."""

    @property
    def name(self) -> str: ...
    @property
    def start_ns(self) -> int: ...
    @property
    def end_ns(self) -> int:
        """0 when the span has not ended."""

    @property
    def status(self) -> StatusName: ...
    @property
    def status_message(self) -> str: ...
    @property
    def scope_name(self) -> str: ...
    @property
    def dropped(self) -> int:
        """Attributes, events and links that the emitter's limits dropped, added up."""

    @property
    def events(self) -> Sequence[EventView]: ...
    @property
    def links(self) -> Sequence[LinkView]: ...
    def get(self, key: str) -> Any:
        """The decoded attribute, ``None`` when there is none (or it is null: see :meth:`has`)."""

    def has(self, key: str) -> bool: ...
    def keys(self) -> Iterable[str]: ...
    def resource(self, key: str) -> Any:
        """The decoded resource attribute, ``None`` when there is none."""


def _attributes_of(span: Any) -> Mapping[str, Any]:
    try:
        return span.attributes or {}
    except TypeError:
        # SDK 1.20 does so for a span that was made without any
        return {}


class SdkSpan:
    """Adapter over the Python SDK's ``ReadableSpan`` (by shape; the SDK itself is not imported)."""

    __slots__ = ("_attributes", "_events", "dropped", "scope_name", "span", "span_id", "trace_id")

    def __init__(self, span: Any) -> None:
        self.span = span
        context = span.context
        trace_id, span_id = (0, 0) if context is None else (context.trace_id, context.span_id)
        self.trace_id: str = format(trace_id, "032x") if trace_id else ""
        self.span_id: str = format(span_id, "016x") if span_id else ""
        # The public property puts two layers of calls around every access.
        raw = getattr(getattr(span, "_attributes", None), "_dict", None)
        self._attributes: Mapping[str, Any] = raw if raw is not None else _attributes_of(span)
        self._events: tuple[EventView, ...] | None = None
        scope = getattr(span, "instrumentation_scope", None)
        self.scope_name: str = (scope.name or "") if scope is not None else ""
        # A hand-built span may hold plain containers, which older SDKs cannot ask for their count.
        attributes, events, links = map(getattr, (span,) * 3, _DROPPED, (0,) * 3)
        self.dropped: int = int(attributes) + int(events) + int(links)

    @property
    def parent_id(self) -> str | None:
        parent = self.span.parent
        return format(parent.span_id, "016x") if parent is not None and parent.span_id else None

    @property
    def parent_is_remote(self) -> bool:
        parent = self.span.parent
        return parent is not None and bool(parent.is_remote)

    @property
    def name(self) -> str:
        return str(self.span.name)

    @property
    def start_ns(self) -> int:
        return whole(self.span.start_time)

    @property
    def end_ns(self) -> int:
        return whole(self.span.end_time)

    @property
    def status(self) -> StatusName:
        # StatusCode.UNSET, OK and ERROR are 0, 1 and 2 in every SDK.
        code = getattr(self.span.status.status_code, "value", 0)
        return "error" if code == 2 else "ok" if code == 1 else "unset"  # noqa: PLR2004 - the wire's own numbers

    @property
    def status_message(self) -> str:
        return self.span.status.description or ""

    @property
    def events(self) -> Sequence[EventView]:
        if self._events is None:
            # Nearly every span has none, and to see that through the public property takes two more calls.
            recorded = getattr(getattr(self.span, "_events", None), "_dq", None)
            if recorded is not None and not recorded:
                self._events = ()
                return ()
            self._events = tuple(
                EventView(e.name, whole(e.timestamp), {k: _bounded(v) for k, v in (e.attributes or {}).items()})
                for e in self.span.events
            )
        return self._events

    @property
    def links(self) -> Sequence[LinkView]:
        return [
            LinkView(format(link.context.trace_id, "032x"), format(link.context.span_id, "016x"))
            for link in self.span.links
        ]

    def get(self, key: str) -> Any:
        value = self._attributes.get(key)
        return value if type(value) in _SCALARS else _bounded(value)

    def has(self, key: str) -> bool:
        return key in self._attributes

    def keys(self) -> Iterable[str]:
        return list(self._attributes)

    def values(self) -> list[Any]:
        """Every attribute's decoded value."""
        return [value if type(value) in _SCALARS else _bounded(value) for value in self._attributes.values()]

    def resource(self, key: str) -> Any:
        resource = self.span.resource
        if resource is None:
            return None
        # As above; and a key that is not there would cost an exception.
        attributes = resource.attributes
        return _bounded(getattr(attributes, "_dict", attributes).get(key))


_SCALARS: Final = frozenset({str, int, float, bool, bytes, type(None)})
_DROPPED: Final = ("dropped_attributes", "dropped_events", "dropped_links")


def whole(value: Any) -> int:
    """A time as the SDK may hold it: whole nanoseconds, a float by mistake, or nothing."""
    if isinstance(value, float):
        value = int(value) if math.isfinite(value) else 0
    return max(value, 0) if isinstance(value, int) else 0


def _bounded(value: Any) -> Any:
    if type(value) in _SCALARS:
        return value
    return TOO_DEEP if _is_deeper(value, MAX_DEPTH) else value


def _is_deeper(value: Any, depth: int) -> bool:
    if not isinstance(value, list | tuple | Mapping):
        return False
    inner = value.values() if isinstance(value, Mapping) else value
    return depth == 0 or any(_is_deeper(item, depth - 1) for item in inner)
