"""What OpenTelemetry makes into tags where a format has no field for it, the same for every such format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from otel_footprint.files.otlp_values import text

_SCOPE: Final[Mapping[str, str]] = {
    "otel.library.name": "name",
    "otel.library.version": "version",
    "otel.scope.name": "name",
    "otel.scope.version": "version",
}
"""Both names that these tags have had; where both are, the newer one, which comes last, counts."""
_COUNTS: Final[Mapping[str, str]] = {
    "otel.dropped_attributes_count": "droppedAttributesCount",
    "otel.dropped_events_count": "droppedEventsCount",
    "otel.dropped_links_count": "droppedLinksCount",
}
_STATUS_CODE: Final = "otel.status_code"
_CODES: Final[Mapping[str, int]] = {"OK": 1, "ERROR": 2}

TAGS: Final = frozenset({*_SCOPE, *_COUNTS, _STATUS_CODE})
"""The tags that are no attributes of a span."""


def scope_of(tags: Mapping[str, Any]) -> dict[str, str]:
    """The scope object that the tags tell of; an empty one when they tell of none."""
    return {field: value for key, field in _SCOPE.items() if (value := text(tags.get(key))) is not None}


def counts_of(tags: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The fields of a span that count what was dropped from it."""
    for key, field in _COUNTS.items():
        count = tags.get(key)
        yield field, count if isinstance(count, int | str) else None


def status_code_of(tags: Mapping[str, Any]) -> int | None:
    """OTLP's number for the status; ``None`` when it is not recorded."""
    return _CODES.get(text(tags.get(_STATUS_CODE)) or "")
