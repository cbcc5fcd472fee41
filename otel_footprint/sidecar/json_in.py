"""OTLP JSON as protobuf.

Read leniently, as senders differ: ids in hex of either case or base64, 64-bit integers as text or number, enums as
number or as long or short name, ``snake_case`` keys. A field that is not known has no place in protobuf and is passed
over, as OTLP asks; a value that does not fit its field costs only itself, and is counted.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from otel_footprint.sidecar.queue import Signal
from otel_footprint.sidecar.wire import MalformedError
from otel_footprint.sidecar.wire import field as wire_field
from otel_footprint.spanview_otlp import base64_bytes, hex_id

REQUESTS: Final[Mapping[Signal, Any]] = {
    "traces": ExportTraceServiceRequest,
    "metrics": ExportMetricsServiceRequest,
    "logs": ExportLogsServiceRequest,
}

_ID_BYTES: Final = {"trace_id": 16, "span_id": 8, "parent_span_id": 8}
_MAX_DEPTH: Final = 90
"""Nesting of messages up to which protobuf decodes what it encoded."""
_MAX_INT_TEXT: Final = 20
_FLOATS: Final = frozenset({FieldDescriptor.TYPE_DOUBLE, FieldDescriptor.TYPE_FLOAT})
_ITEMS: Final = frozenset({"spans", "metrics", "log_records"})
_EVENT_NAME: Final = 12
_EVENT_NAMES: Final = ("eventName", "event_name")
_SHORT_NAMES: Final = ("STATUS_CODE_", "SPAN_KIND_", "SEVERITY_NUMBER_", "AGGREGATION_TEMPORALITY_")


@dataclass(slots=True)
class Losses:
    """What of a request has no place in protobuf."""

    items: int = 0
    """Spans, metrics and log records that are no objects."""
    values: int = 0
    """Other values that do not fit their fields."""


class _BadValueError(ValueError):
    """A value does not fit its field."""


def protobuf_of(signal: Signal, text: bytes, losses: Losses) -> bytes:
    """A request in OTLP JSON as protobuf.

    Args:
        signal: what the request exports.
        text: the request's body.
        losses: where it is counted what was left out.

    Raises:
        MalformedError: it is not JSON, or no object.
    """
    try:
        value = _loaded(text, losses)
    except (ValueError, RecursionError) as error:
        said = str(error) if isinstance(error, json.JSONDecodeError) else "too deep, too long a number or not UTF-8"
        raise MalformedError(f"this is not JSON: {said}") from None
    if not isinstance(value, dict):
        raise MalformedError("this is JSON, but no object; an export request is one")
    request = REQUESTS[signal]()
    _fill(request, value, losses, _MAX_DEPTH)
    encoded: bytes = request.SerializeToString()
    return encoded


def _loaded(text: bytes, losses: Losses) -> Any:
    try:
        return json.loads(text)
    except UnicodeDecodeError:
        # some sender cuts texts in the middle of a character; that is no reason to lose the others
        value = json.loads(text.decode("utf-8", "replace"))
        losses.values += 1
        return value


def _fill(message: Any, value: Mapping[str, Any], losses: Losses, depth: int) -> None:
    names = _names(message.DESCRIPTOR)
    for name, content in value.items():
        field = names.get(name)
        if field is None or content is None:
            if field is None and name in _EVENT_NAMES and message.DESCRIPTOR.name == "LogRecord":
                _add_event_name(message, content, losses)
            continue
        if field.message_type is not None and depth <= 0:
            losses.values += 1
        elif isinstance(content, list) and _is_repeated(message, field):
            for item in content:
                _add(message, field, item, losses, depth)
        elif _is_repeated(message, field):
            losses.values += 1
        elif field.message_type is not None:
            if isinstance(content, dict):
                child = getattr(message, field.name)
                child.SetInParent()
                _fill(child, content, losses, depth - 1)
            else:
                losses.values += 1
        else:
            _set(partial(setattr, message, field.name), field, content, losses)


def _add_event_name(record: Any, content: Any, losses: Losses) -> None:
    """Give a record the name of its event in messages that are older than the field."""
    if isinstance(content, str):
        record.MergeFromString(wire_field(_EVENT_NAME, content.encode("utf-8", "replace")))
    else:
        losses.values += 1


def _add(message: Any, field: Any, item: Any, losses: Losses, depth: int) -> None:
    repeated = getattr(message, field.name)
    if field.message_type is None:
        _set(repeated.append, field, item, losses)
    elif isinstance(item, dict):
        _fill(repeated.add(), item, losses, depth - 1)
    elif item is None:
        # An empty value in a list keeps its place.
        repeated.add()
    elif field.name in _ITEMS:
        losses.items += 1
    else:
        losses.values += 1


def _set(put: Callable[[Any], None], field: Any, content: Any, losses: Losses) -> None:
    try:
        put(_scalar(field, content))
    except (ValueError, TypeError, OverflowError):
        # UnicodeEncodeError, of a lone surrogate, is a ValueError
        if isinstance(content, str) and field.type == FieldDescriptor.TYPE_STRING:
            put(content.encode("utf-8", "replace").decode())
        losses.values += 1


def _scalar(field: Any, content: Any) -> Any:
    if field.type == FieldDescriptor.TYPE_STRING:
        return content
    if field.type == FieldDescriptor.TYPE_BYTES:
        return _bytes(field.name, content)
    if field.type == FieldDescriptor.TYPE_BOOL:
        return {"true": True, "false": False}.get(content, content) if isinstance(content, str) else content
    if field.type in _FLOATS:
        if isinstance(content, bool):
            raise _BadValueError
        return float(content)
    if field.enum_type is not None and isinstance(content, str) and not content.lstrip("-").isdigit():
        return _enum(field, content)
    return _integer(content)


def _bytes(name: str, content: Any) -> bytes:
    if not isinstance(content, str):
        raise _BadValueError
    size = _ID_BYTES.get(name)
    if size is None or not content:
        decoded = base64_bytes(content)
    else:
        digits = hex_id(content, size)
        # All zeros are no id, and are passed on as they are.
        decoded = bytes.fromhex(digits) if digits else bytes(size) if not content.strip("0") else b""
    if content and not decoded:
        raise _BadValueError
    return decoded


def _integer(content: Any) -> int:
    if isinstance(content, str) and len(content) <= _MAX_INT_TEXT:
        return int(content)
    if isinstance(content, float) and math.isfinite(content) and content.is_integer():
        return int(content)
    if isinstance(content, int) and not isinstance(content, bool):
        return content
    raise _BadValueError


def _enum(field: Any, content: str) -> int:
    by_name = field.enum_type.values_by_name
    for prefix in ("", *_SHORT_NAMES):
        known = by_name.get(prefix + content.upper())
        if known is not None:
            return int(known.number)
    raise _BadValueError


def _is_repeated(message: Any, field: Any) -> bool:
    return hasattr(getattr(message, field.name), "append") or hasattr(getattr(message, field.name), "add")


_NAMES: Final[dict[str, dict[str, FieldDescriptor]]] = {}


def _names(descriptor: Descriptor) -> dict[str, FieldDescriptor]:
    """The fields of a message by their names in JSON and in protobuf."""
    names = _NAMES.get(descriptor.full_name)
    if names is None:
        names = {name: field for field in descriptor.fields for name in (field.json_name, field.name)}
        _NAMES[descriptor.full_name] = names
    return names
