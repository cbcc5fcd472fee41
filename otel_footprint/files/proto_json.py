"""OTLP protobuf messages as OTLP JSON, which is protobuf's JSON but for ids in hex and enums as numbers."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor

from otel_footprint.files.documents import Annotation

_IDS: Final = frozenset({"trace_id", "span_id", "parent_span_id"})
_INT64_TYPES: Final = frozenset(
    {
        FieldDescriptor.TYPE_INT64,
        FieldDescriptor.TYPE_UINT64,
        FieldDescriptor.TYPE_SINT64,
        FieldDescriptor.TYPE_FIXED64,
        FieldDescriptor.TYPE_SFIXED64,
    }
)


def otlp_json(message: Any) -> dict[str, Any]:
    """Turn a protobuf message into an OTLP JSON object.

    Args:
        message: Any message of OTLP. Fields that its descriptor does not know have no name and so
            no place in JSON; they are left out.
    """
    # One stack frame a message: values may be nested as deep as the decoder goes.
    converted: dict[str, Any] = {}
    for field, value in message.ListFields():
        convert = partial(_scalar, field) if field.message_type is None else otlp_json
        is_single = isinstance(value, str | bytes | bool | int | float) or hasattr(value, "DESCRIPTOR")
        converted[field.json_name] = convert(value) if is_single else list(map(convert, value))
    return converted


def document_text(value: Any) -> str:
    """Print a JSON value on one line, in ASCII when some text in it has no UTF-8."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def with_additions(group: Mapping[str, Any], annotations: Mapping[tuple[Any, ...], Annotation]) -> dict[str, Any]:
    """A ``ResourceSpans`` object with additions to its spans; the one that is given stays as it is.

    Args:
        group: The object.
        annotations: By the indexes of the span's scope group and of the span in it.
    """
    scope_groups = list(group["scopeSpans"])
    for index in {place[0] for place in annotations}:
        scope_groups[index] = {**scope_groups[index], "spans": list(scope_groups[index]["spans"])}
    for (scope_index, index), added in annotations.items():
        spans = scope_groups[scope_index]["spans"]
        grown = {name: [*(spans[index].get(name) or ()), *items] for name, items in added.on_span.items() if items}
        spans[index] = {**spans[index], **grown}
        scope_groups.extend(added.scope_groups)
    return {**group, "scopeSpans": scope_groups}


def _scalar(field: Any, value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex() if field.name in _IDS else base64.b64encode(value).decode("ascii")
    if field.type in _INT64_TYPES:
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
