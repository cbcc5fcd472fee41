"""Passes by what has nothing to do with agents, which in most applications is nearly every span.

Of such a span only its place below its parent is kept, for a while and in a few words: it may turn out
to stand between two spans of an agent. Once a trace has a span of an agent, all of it is read in full.
"""

# ruff: noqa: SLF001 - see PlainSpans.passes
from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from opentelemetry.attributes import BoundedAttributes
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanContext

from otel_footprint.dialects import dialects
from otel_footprint.spanview import EventView, LinkView, StatusName, whole

_MAX_LINKS: Final = 20_000
_MAX_KNOWN: Final = 10_000
_MAX_TRACES: Final = 10_000

# A span context is a tuple.
_TRACE_ID: Final = 0


class PlainSpans:
    """Tells plain spans from others, and remembers where they stand."""

    def __init__(self) -> None:
        self._marks = tuple(mark for dialect in dialects() for mark in dialect.marks)
        self._plain_keys: set[str] = set()
        self._plain_scopes: dict[int, Any] = {}
        """By identity; the object is kept, so that no other takes its place."""
        self._links: OrderedDict[int, list[Link]] = OrderedDict()
        self._count = 0
        self._agent_traces: OrderedDict[int, None] = OrderedDict()

    def passes(self, span: ReadableSpan) -> bool:
        """Whether ``span`` can be passed by; its place is kept then."""
        # Nearly every span of an application comes through here, so its fields are read without the
        # calls of their properties; a span that has no such fields is read in full.
        try:
            attributes, context, scope = span._attributes, span._context, span._instrumentation_scope
            link: Link = (context, span._parent, span._start_time, span._end_time)  # type: ignore[assignment]
            trace_id = context[_TRACE_ID]  # type: ignore[index]
            if type(attributes) is not BoundedAttributes or attributes.dropped or trace_id in self._agent_traces:
                return False
            known = id(scope) in self._plain_scopes and self._plain_keys.issuperset(attributes._dict)
        except (AttributeError, TypeError):
            return False
        if not known and not self._learn(attributes, scope):
            return False
        links = self._links.get(trace_id)
        if links is None:
            self._links[trace_id] = [link]
        else:
            links.append(link)
        self._count += 1
        if self._count > _MAX_LINKS:
            self._count -= len(self._links.popitem(last=False)[1])
        return True

    def recalled(self, span: ReadableSpan) -> Iterator[BareSpan]:
        """The plain spans of the trace of ``span`` that were passed by before; from now on none are."""
        trace_id = span.context.trace_id
        if trace_id in self._agent_traces:
            return iter(())
        self._agent_traces[trace_id] = None
        if len(self._agent_traces) > _MAX_TRACES:
            self._agent_traces.popitem(last=False)
        links = self._links.pop(trace_id, [])
        self._count -= len(links)
        return (BareSpan(*link) for link in links)

    def _learn(self, attributes: Mapping[str, Any], scope: Any) -> bool:
        words = [*attributes, *(() if scope is None else (scope.name,))]
        if any(not isinstance(word, str) or word.startswith(self._marks) for word in words):
            return False
        for known in (self._plain_keys, self._plain_scopes):
            if len(known) > _MAX_KNOWN:
                known.clear()
        self._plain_keys.update(attributes)
        self._plain_scopes[id(scope)] = scope
        return True


Link = tuple[SpanContext, "SpanContext | None", "int | None", "int | None"]
"""A span's context and its parent's, its start and its end."""


class BareSpan:
    """A span of which only its place is known."""

    __slots__ = ("end_ns", "parent_id", "parent_is_remote", "span_id", "start_ns", "trace_id")

    name = ""
    status: StatusName = "unset"
    status_message = ""
    scope_name = ""
    dropped = 0
    events: Sequence[EventView] = ()
    links: Sequence[LinkView] = ()

    def __init__(self, context: SpanContext, parent: SpanContext | None, start: int | None, end: int | None) -> None:
        self.trace_id = format(context.trace_id, "032x")
        self.span_id = format(context.span_id, "016x")
        self.parent_id = None if parent is None else format(parent.span_id, "016x")
        self.parent_is_remote = parent is not None and parent.is_remote
        self.start_ns = whole(start)
        self.end_ns = whole(end)

    def get(self, key: str) -> Any:
        """No attribute is known."""
        del key

    def has(self, key: str) -> bool:
        """No attribute is known."""
        del key
        return False

    def keys(self) -> Iterable[str]:
        """No attribute is known."""
        return ()

    def resource(self, key: str) -> Any:
        """No attribute is known."""
        del key
