"""OTLP protobuf messages as OTLP JSON, which is protobuf's JSON but for ids in hex and enums as numbers."""

from __future__ import annotations

import base64
import json
import math
from functools import partial
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor

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
    """Print a JSON value on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _scalar(field: Any, value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex() if field.name in _IDS else base64.b64encode(value).decode("ascii")
    if field.type in _INT64_TYPES:
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
