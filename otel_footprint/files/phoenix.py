"""Reading spans as Phoenix exports them: rows of its data frames, lines of JSON, answers of its query API.

Phoenix keeps attributes as a tree, and an export shows some of it: columns named ``attributes.`` and a key, with lists
and objects in them where keys went on. They become the flat keys again that the span was sent with. A data frame has
every column in every row, so a null or a NaN in one is a key that is not there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from otel_footprint.files.flat_spans import add_flat_span
from otel_footprint.files.otlp_values import attributes, json_text, mapping, objects
from otel_footprint.files.translation import Shape, Translation, first_object, records
from otel_footprint.spanview import MAX_DEPTH

_TRACE_ID: Final = "context.trace_id"
_SPAN_ID: Final = "context.span_id"
_PREFIX: Final = "attributes."
_KIND: Final = "openinference.span.kind"
_NO_KIND: Final = "UNKNOWN"
"""What Phoenix shows for a span without a kind."""
_COUNTS: Final = "llm.token_count."
_JSON_TEXT: Final = ("metadata", "document.metadata", "llm.prompt_template.variables", "tool.parameters")
"""Keys, or ends of keys, whose value is sent as JSON text and shown as an object."""


def _matches(value: Any) -> bool:
    span = first_object(records(value))
    is_row = _TRACE_ID in span and _SPAN_ID in span
    return is_row or ("span_kind" in span and "trace_id" in mapping(span.get("context")))


def _translate(value: Any) -> Translation:
    made = Translation()
    items = records(value)
    rows = objects(items)
    made.passed_over = len(items) - len(rows)
    for row in rows:
        context = {"trace_id": row.get(_TRACE_ID), "span_id": row.get(_SPAN_ID), **mapping(row.get("context"))}
        add_flat_span(made, {**row, "context": context}, attributes(_attributes(row)))
    return made


def _attributes(row: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(_flattened("", mapping(row.get("attributes"))))
    for column, value in row.items():
        if column.startswith(_PREFIX):
            found.update(_flattened(column.removeprefix(_PREFIX), value))
    kind = row.get("span_kind")
    if isinstance(kind, str) and kind != _NO_KIND:
        found.setdefault(_KIND, kind)
    return found


def _flattened(key: str, value: Any, levels: int = MAX_DEPTH) -> Iterator[tuple[str, Any]]:
    """The keys and values of a tree whose root has a key."""
    if _is_missing(value) or value == {}:
        return
    if isinstance(value, dict) and key.endswith(_JSON_TEXT):
        yield key, json_text(_without_missing(value, MAX_DEPTH))
    elif isinstance(value, dict) and levels:
        for name, inner in value.items():
            yield from _flattened(f"{key}.{name}" if key else name, inner, levels - 1)
    elif isinstance(value, list) and levels and any(isinstance(item, dict) for item in value):
        for index, inner in enumerate(value):
            yield from _flattened(f"{key}.{index}", inner, levels - 1)
    elif isinstance(value, float) and key.startswith(_COUNTS) and value.is_integer():
        # a column of counts in which one is missing is a column of floats
        yield key, int(value)
    else:
        yield key, value


def _without_missing(value: Any, levels: int) -> Any:
    """An object as it was before all rows got the keys of each other."""
    if isinstance(value, dict) and levels:
        return {key: _without_missing(inner, levels - 1) for key, inner in value.items() if not _is_missing(inner)}
    if isinstance(value, list) and levels:
        return [_without_missing(inner, levels - 1) for inner in value]
    return value


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


SHAPE: Final = Shape(name="Phoenix's spans", matches=_matches, translate=_translate)
