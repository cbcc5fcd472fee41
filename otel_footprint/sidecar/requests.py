"""Taking an export request apart at its spans, and putting requests together, as bytes.

The three signals have one shape: a request of resources, a resource of scopes, a scope of items. Only the lengths
around what is taken out or added change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from google.protobuf.message import DecodeError

from otel_footprint.dialects import Recognised
from otel_footprint.sidecar import schema
from otel_footprint.sidecar.marks import Marks
from otel_footprint.sidecar.wire import Field, MalformedError, field, fields, without
from otel_footprint.spanview_otlp import MapAttributes, OtlpMapSpan

RESOURCES: Final = 1
"""The field of a request that holds what one resource sent."""
_RESOURCE: Final = 1
_SCOPES: Final = 2
_SCOPE: Final = 1
ITEMS: Final = 2
"""The field of a scope's group that holds its spans, metrics or log records."""


@dataclass(frozen=True, slots=True, eq=False)
class Envelope:
    """What stands around a span in its request, as bytes."""

    resource: bytes
    """All fields of the resource's group but its scopes."""
    scope: bytes
    """All fields of the scope's group but its spans."""

    def around(self, *spans: bytes) -> bytes:
        """A request of these spans."""
        group = b"".join([self.scope, *(field(ITEMS, span) for span in spans)])
        return field(RESOURCES, self.resource, field(_SCOPES, group))


@dataclass(frozen=True, slots=True, eq=False)
class _ScopeGroup:
    field: Field
    resource: _ResourceGroup
    items: int
    envelope: Envelope


@dataclass(frozen=True, slots=True, eq=False)
class _ResourceGroup:
    field: Field
    scopes: int


@dataclass(slots=True, eq=False)
class Located:
    """A span that may belong to an agent, and where it lies in its request."""

    view: OtlpMapSpan
    raw: bytes
    field: Field
    group: _ScopeGroup
    known: Recognised | None = None
    """What it is, once somebody asked."""

    @property
    def envelope(self) -> Envelope:
        """What stands around it."""
        return self.group.envelope


def count_items(body: bytes) -> int:
    """How many spans, metrics or log records a request holds.

    Raises:
        MalformedError: it is no request.
    """
    try:
        request = schema.RequestSkeleton.FromString(body)
    except DecodeError:
        raise MalformedError("this is not the protobuf form of an export request") from None
    return sum(len(group.items) for resource in request.resources for group in resource.scopes)


def agent_spans(body: bytes, marks: Marks, *, unread: Callable[[], None]) -> Iterator[Located | None]:
    """The spans of a request that have a mark, or whose scope has one, in the order of the request.

    For every other span that was looked at, ``None`` is given, so that whoever reads can pause there.

    Args:
        body: an export request for traces.
        marks: what to look for.
        unread: called for every span with a mark that cannot be decoded.

    Raises:
        MalformedError: it is no request.
    """
    for top in fields(body):
        if top.number == RESOURCES and top.content >= 0 and marks.in_request(body[top.start : top.end]):
            yield from _in_resource(body, top, marks, unread)


def taken_out(body: bytes, spans: Sequence[Located]) -> bytes:
    """The request without some of its spans, which are given in their order; groups that this empties go too."""
    outer: list[tuple[Field, bytes]] = []
    for resource, of_resource in groupby(spans, key=lambda span: span.group.resource):
        inner: list[tuple[Field, bytes]] = []
        emptied = 0
        for group, of_group in groupby(of_resource, key=lambda span: span.group):
            gone = [span.field for span in of_group]
            left = without(body, group.field.content, group.field.end, gone)
            is_empty = len(gone) == group.items
            emptied += is_empty
            inner.append((group.field, b"" if is_empty else field(_SCOPES, left)))
        content = _replaced(body, resource.field.content, resource.field.end, inner)
        outer.append((resource.field, b"" if emptied == resource.scopes else field(RESOURCES, content)))
    return _replaced(body, 0, len(body), outer)


def together(spans: Iterable[Located]) -> bytes:
    """A request of some spans of another."""
    return b"".join(
        group.envelope.around(*(span.raw for span in of_group))
        for group, of_group in groupby(spans, key=lambda span: span.group)
    )


def single_items(body: bytes) -> Iterator[tuple[Envelope, list[bytes]]]:
    """The items of a request, those of one resource and scope together.

    Raises:
        MalformedError: it is no request.
    """
    for resource in _of(fields(body), RESOURCES):
        inside = fields(body, resource.content, resource.end)
        groups = list(_of(inside, _SCOPES))
        around = without(body, resource.content, resource.end, groups)
        for group in groups:
            items = list(_of(fields(body, group.content, group.end), ITEMS))
            envelope = Envelope(around, without(body, group.content, group.end, items))
            yield envelope, [body[item.content : item.end] for item in items]


def surroundings(envelope: Envelope) -> tuple[MapAttributes, Any]:
    """The resource's attributes and the scope that an envelope holds; empty where they do not decode."""
    resource = _decoded(schema.Resource, envelope.resource, fields(envelope.resource), _RESOURCE)
    scope = _decoded(schema.Scope, envelope.scope, fields(envelope.scope), _SCOPE)
    return MapAttributes(resource), scope


def _in_resource(body: bytes, top: Field, marks: Marks, unread: Callable[[], None]) -> Iterator[Located | None]:
    inside = fields(body, top.content, top.end)
    groups = list(_of(inside, _SCOPES))
    around = without(body, top.content, top.end, groups)
    resource = _ResourceGroup(top, len(groups))
    attributes: MapAttributes | None = None
    for group in groups:
        if not marks.in_request(body[group.start : group.end]):
            continue
        if attributes is None:
            attributes = MapAttributes(_decoded(schema.Resource, body, inside, _RESOURCE))
        in_group = fields(body, group.content, group.end)
        items = list(_of(in_group, ITEMS))
        scope_fields = without(body, group.content, group.end, items)
        scope = _decoded(schema.Scope, body, in_group, _SCOPE)
        whole_scope = marks.in_span(scope_fields, 0, len(scope_fields))
        place = _ScopeGroup(group, resource, len(items), Envelope(around, scope_fields))
        for item in items:
            if not whole_scope and not marks.in_span(body, item.content, item.end):
                yield None
                continue
            raw = body[item.content : item.end]
            view = _view(raw, attributes, scope)
            if view is None:
                unread()
            yield Located(view, raw, item, place) if view is not None else None


def _view(raw: bytes, resource: MapAttributes, scope: Any) -> OtlpMapSpan | None:
    """The span, or ``None`` when it does not decode. What is not UTF-8 in it costs only itself."""
    for decode in (schema.span_of, schema.mended_span):
        try:
            return OtlpMapSpan(raw, decode, resource, scope)
        except DecodeError:
            pass
    return None


def _of(found: Iterable[Field], number: int) -> Iterator[Field]:
    return (one for one in found if one.number == number and one.content >= 0)


def _decoded(message: Any, body: bytes, found: Iterable[Field], number: int) -> Any:
    """A message from all fields that hold it; protobuf merges one that is there twice. Empty if it does not decode."""
    raw = b"".join(body[one.content : one.end] for one in _of(found, number))
    try:
        return message.FromString(raw)
    except DecodeError:
        return message()


def _replaced(body: bytes, at: int, end: int, replacements: Iterable[tuple[Field, bytes]]) -> bytes:
    pieces: list[bytes] = []
    for old, new in replacements:
        pieces += (body[at : old.start], new)
        at = old.end
    return b"".join([*pieces, body[at:end]])
