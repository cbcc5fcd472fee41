"""What every format is read into: documents that hold spans and can be written back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from otel_footprint.logview import LogView
from otel_footprint.spanview import SpanView

Place = tuple[str | int, ...]
"""Where a span is in its document; only the document that gave it out can read it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """What is added to one span, and beside it, as OTLP JSON objects."""

    events: Sequence[Mapping[str, Any]] = ()
    attributes: Sequence[Mapping[str, Any]] = ()
    links: Sequence[Mapping[str, Any]] = ()
    scope_groups: Sequence[Mapping[str, Any]] = ()
    """``ScopeSpans`` objects that join those of the span's resource."""

    @property
    def on_span(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """What the span itself gets, by the list field of OTLP JSON."""
        return {"events": self.events, "attributes": self.attributes, "links": self.links}


class Document(Protocol):
    """A piece of a file that is read, and written back, as a whole."""

    @property
    def line(self) -> int | None:
        """The 1-based line it begins on; ``None`` in a format without lines."""

    def spans(self) -> Iterable[tuple[Place, SpanView]]:
        """Its spans in recorded order, those without a valid id included."""

    def annotated(self, annotations: Mapping[Place, Annotation]) -> str:
        """The document as OTLP JSON text with the additions, ending without a line break."""


@runtime_checkable
class HoldsLogs(Protocol):
    """A document that may hold log records too."""

    def logs(self) -> Iterable[LogView]:
        """Its log records in recorded order."""
