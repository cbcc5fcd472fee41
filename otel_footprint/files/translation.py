"""Spans of another format as OTLP: what a reader makes of one JSON value, and the document it becomes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from otel_footprint.files.documents import Annotation, Place
from otel_footprint.files.proto_json import document_text, with_additions
from otel_footprint.spanview_otlp import OtlpJsonSpan, json_attributes


class Translation:
    """OTLP JSON that is being made of the spans of another format."""

    def __init__(self) -> None:
        self.groups: list[dict[str, Any]] = []
        """``ResourceSpans`` objects, each with the spans of one resource."""
        self.passed_over = 0
        """Places where a span was due and something else stood."""
        self._spans_of: dict[tuple[str, ...], list[Any]] = {}
        self._group_of: dict[str, dict[str, Any]] = {}

    def add(
        self,
        span: Mapping[str, Any],
        *,
        resource: Sequence[Mapping[str, Any]],
        scope: Mapping[str, Any],
        schema_urls: tuple[str | None, str | None] = (None, None),
    ) -> None:
        """Add one span.

        Args:
            span: The span object.
            resource: The attributes of its resource.
            scope: Its scope object.
            schema_urls: Those of its resource and of its scope, where there are any.
        """
        of_resource, of_scope = ({"schemaUrl": url} if url else {} for url in schema_urls)
        resource_key = document_text([resource, of_resource])
        key = (resource_key, document_text([scope, of_scope]))
        if key not in self._spans_of:
            self._spans_of[key] = []
            if resource_key not in self._group_of:
                self._group_of[resource_key] = {"resource": {"attributes": resource}, "scopeSpans": [], **of_resource}
                self.groups.append(self._group_of[resource_key])
            scope_group = {"scope": scope, "spans": self._spans_of[key], **of_scope}
            self._group_of[resource_key]["scopeSpans"].append(scope_group)
        self._spans_of[key].append(span)


class Shape(NamedTuple):
    """A format that is JSON but no OTLP. A new one is one module and one line in the registry."""

    name: str
    """As it is called in a sentence."""
    matches: Callable[[Any], bool]
    """Whether a parsed JSON value is of this format."""
    translate: Callable[[Any], Translation]
    """Reads a value that is; raises nothing, whatever is inside of it."""


class TranslatedDocument:
    """One value of a file in another format. It is written as the OTLP that it was read as."""

    __slots__ = ("_groups", "line")

    def __init__(self, groups: Sequence[Mapping[str, Any]], line: int | None) -> None:
        self._groups = groups
        self.line = line

    def spans(self) -> Iterator[tuple[Place, OtlpJsonSpan]]:
        """Its spans, those of one resource and scope together."""
        for group_index, group in enumerate(self._groups):
            resource = json_attributes(group["resource"])
            for scope_index, scope_group in enumerate(group["scopeSpans"]):
                for index, span in enumerate(scope_group["spans"]):
                    yield (group_index, scope_index, index), OtlpJsonSpan(span, resource, scope_group["scope"])

    def annotated(self, annotations: Mapping[Place, Annotation]) -> str:
        """Its spans as a request in OTLP JSON, with the additions."""
        groups = list(self._groups)
        by_group: dict[Any, dict[Place, Annotation]] = {}
        for (group_index, *place), added in annotations.items():
            by_group.setdefault(group_index, {})[tuple(place)] = added
        for group_index, additions in by_group.items():
            groups[group_index] = with_additions(groups[group_index], additions)
        return document_text({"resourceSpans": groups})


def records(value: Any) -> Sequence[Any]:
    """What a value holds one or many of: the items of a list, those of the list under ``data``, or itself.

    Query APIs answer with such a list under ``data``.
    """
    if isinstance(value, dict) and isinstance(value.get("data"), list):
        value = value["data"]
    return value if isinstance(value, list) else [value]


def first_object(items: Sequence[Any]) -> Mapping[str, Any]:
    """The first object among the items, by which their format is told; an empty one when there is none."""
    return next((item for item in items if isinstance(item, dict)), {})
