"""Passes by what has nothing to do with agents, which in most applications is nearly every span.

Of such a span only its place below its parent is kept, for a while and in a few words: it may turn out
to stand between two spans of an agent. Once a trace has a span of an agent, all of it is read in full.
"""

# ruff: noqa: SLF001 - see PlainSpans.rest
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

_LINK_SIZE: Final = 4

# A span context is a tuple.
_TRACE_ID: Final = 0


class PlainSpans:
    """Tells plain spans from others, and remembers where they stand."""

    def __init__(self) -> None:
        self._marks = tuple(mark for dialect in dialects() for mark in dialect.marks)
        self._plain_keys: set[str] = set()
        self._plain_scopes: dict[int, Any] = {}
        """By identity; the object is kept, so that no other takes its place."""
        self._links: OrderedDict[int, list[Any]] = OrderedDict()
        """By trace id, of each span its context and its parent's, its start and its end, one behind the other."""
        self._count = 0
        self._agent_traces: OrderedDict[int, None] = OrderedDict()

    def rest(self, batch: Sequence[ReadableSpan]) -> list[tuple[int, ReadableSpan]]:
        """The spans of a batch that cannot be passed by, each with its index; of the others the place is kept."""
        # Nearly every span of an application comes through here, so its fields are read without the
        # calls of their properties; a span that has no such fields is read in full.
        rest: list[tuple[int, ReadableSpan]] = []
        agent_traces, scopes = self._agent_traces, self._plain_scopes
        are_plain = self._plain_keys.issuperset
        newest, links = None, list[Any]()
        for index, span in enumerate(batch):
            try:
                attributes, context, scope = span._attributes, span._context, span._instrumentation_scope
                trace_id = context[_TRACE_ID]  # type: ignore[index]
                if type(attributes) is not BoundedAttributes or attributes.dropped or trace_id in agent_traces:
                    rest.append((index, span))
                    continue
                known = id(scope) in scopes and are_plain(attributes._dict)
                place = context, span._parent, span._start_time, span._end_time
            except (AttributeError, TypeError):
                rest.append((index, span))
                continue
            if not known and not self._learn(attributes, scope):
                rest.append((index, span))
                continue
            if trace_id != newest:
                newest, links = trace_id, self._links.setdefault(trace_id, [])
            links += place
        self._count += len(batch) - len(rest)
        while self._count > _MAX_LINKS:
            self._count -= len(self._links.popitem(last=False)[1]) // _LINK_SIZE
        return rest

    def recalled(self, span: ReadableSpan) -> Iterator[BareSpan]:
        """The plain spans of the trace of ``span`` that were passed by before; from now on none are."""
        trace_id = span.context.trace_id
        if trace_id in self._agent_traces:
            return iter(())
        self._agent_traces[trace_id] = None
        if len(self._agent_traces) > _MAX_TRACES:
            self._agent_traces.popitem(last=False)
        links = self._links.pop(trace_id, [])
        self._count -= len(links) // _LINK_SIZE
        return (BareSpan(*links[at : at + _LINK_SIZE]) for at in range(0, len(links), _LINK_SIZE))

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
