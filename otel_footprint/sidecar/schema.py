"""A slim form of OTLP's spans and log records, for reading.

A map has the same wire form as a repeated message of key and value, so a span's attributes are declared as one and
found by key inside the decoder, without a Python object for each of them. A map knows neither order nor duplicates (the
last one counts), so nothing is ever written with these messages.
"""

from __future__ import annotations

from typing import Any, Final

from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

_STRICT: Final = "footprint.slim"
_LENIENT: Final = "footprint.lenient"
"""The same with every text as bytes, which need not be UTF-8; and no maps, whose keys have to be texts."""
_ONE: Final = FieldDescriptorProto.LABEL_OPTIONAL
_MANY: Final = FieldDescriptorProto.LABEL_REPEATED
_TYPES: Final = {
    "bool": FieldDescriptorProto.TYPE_BOOL,
    "bytes": FieldDescriptorProto.TYPE_BYTES,
    "double": FieldDescriptorProto.TYPE_DOUBLE,
    "fixed32": FieldDescriptorProto.TYPE_FIXED32,
    "fixed64": FieldDescriptorProto.TYPE_FIXED64,
    "int32": FieldDescriptorProto.TYPE_INT32,
    "int64": FieldDescriptorProto.TYPE_INT64,
    "string": FieldDescriptorProto.TYPE_STRING,
    "uint32": FieldDescriptorProto.TYPE_UINT32,
}

# name: number, type; a type in brackets is repeated, "map" is attributes.
_MESSAGES: Final[dict[str, dict[str, tuple[int, str]]]] = {
    "AnyValue": {
        "string_value": (1, "string"),
        "bool_value": (2, "bool"),
        "int_value": (3, "int64"),
        "double_value": (4, "double"),
        "array_value": (5, "ArrayValue"),
        "kvlist_value": (6, "KeyValueList"),
        "bytes_value": (7, "bytes"),
    },
    "ArrayValue": {"values": (1, "[AnyValue]")},
    "KeyValueList": {"values": (1, "[KeyValue]")},
    "KeyValue": {"key": (1, "string"), "value": (2, "AnyValue")},
    "Resource": {"attributes": (1, "map")},
    "Scope": {"name": (1, "string")},
    "Event": {"time_unix_nano": (1, "fixed64"), "name": (2, "string"), "attributes": (3, "map")},
    "Link": {"trace_id": (1, "bytes"), "span_id": (2, "bytes")},
    "Status": {"message": (2, "string"), "code": (3, "int32")},
    "Span": {
        "trace_id": (1, "bytes"),
        "span_id": (2, "bytes"),
        "parent_span_id": (4, "bytes"),
        "name": (5, "string"),
        "start_time_unix_nano": (7, "fixed64"),
        "end_time_unix_nano": (8, "fixed64"),
        "attributes": (9, "map"),
        "dropped_attributes_count": (10, "uint32"),
        "events": (11, "[Event]"),
        "dropped_events_count": (12, "uint32"),
        "links": (13, "[Link]"),
        "dropped_links_count": (14, "uint32"),
        "status": (15, "Status"),
        "flags": (16, "fixed32"),
    },
    "LogRecord": {
        "time_unix_nano": (1, "fixed64"),
        "body": (5, "AnyValue"),
        "attributes": (6, "[KeyValue]"),
        "trace_id": (9, "bytes"),
        "span_id": (10, "bytes"),
        "observed_time_unix_nano": (11, "fixed64"),
        "event_name": (12, "string"),
    },
    # Only where a span stands; what else a span holds is passed over inside the decoder.
    "Place": {
        "trace_id": (1, "bytes"),
        "span_id": (2, "bytes"),
        "parent_span_id": (4, "bytes"),
        "start_time_unix_nano": (7, "fixed64"),
        "end_time_unix_nano": (8, "fixed64"),
        "flags": (16, "fixed32"),
    },
    # The one shape of all three signals, down to the items and no further.
    "ScopeSkeleton": {"items": (2, "[bytes]")},
    "ResourceSkeleton": {"scopes": (2, "[ScopeSkeleton]")},
    "RequestSkeleton": {"resources": (1, "[ResourceSkeleton]")},
    # The answers of all three signals.
    "PartialSuccess": {"rejected": (1, "int64"), "message": (2, "string")},
    "Answer": {"partial_success": (1, "PartialSuccess")},
    "ScopePlaces": {"spans": (2, "[Place]")},
    "ResourcePlaces": {"scope_spans": (2, "[ScopePlaces]")},
    "RequestPlaces": {"resource_spans": (1, "[ResourcePlaces]")},
}
_ONE_OF: Final = {"AnyValue": "value"}


def _message(name: str, package: str) -> DescriptorProto:
    message = DescriptorProto(name=name)
    if name in _ONE_OF:
        message.oneof_decl.add(name=_ONE_OF[name])
    for field, (number, declared) in _MESSAGES[name].items():
        kind = declared if package == _STRICT else {"map": "[KeyValue]", "string": "bytes"}.get(declared, declared)
        added = message.field.add(name=field, number=number, label=_MANY if kind[0] == "[" or kind == "map" else _ONE)
        if kind == "map":
            entry = message.nested_type.add(name="AttributesEntry")
            entry.options.map_entry = True
            entry.field.add(name="key", number=1, label=_ONE, type=_TYPES["string"])
            entry.field.add(
                name="value",
                number=2,
                label=_ONE,
                type=FieldDescriptorProto.TYPE_MESSAGE,
                type_name=_full(package, "AnyValue"),
            )
            added.type, added.type_name = FieldDescriptorProto.TYPE_MESSAGE, _full(package, f"{name}.AttributesEntry")
        elif kind.strip("[]") in _TYPES:
            added.type = _TYPES[kind.strip("[]")]
        else:
            added.type, added.type_name = FieldDescriptorProto.TYPE_MESSAGE, _full(package, kind.strip("[]"))
        if name in _ONE_OF:
            added.oneof_index = 0
    return message


def _full(package: str, name: str) -> str:
    return f".{package}.{name}"


def _pool() -> DescriptorPool:
    pool = DescriptorPool()
    for package in (_STRICT, _LENIENT):
        file = FileDescriptorProto(name=f"{package}.proto", package=package, syntax="proto3")
        file.message_type.extend(_message(name, package) for name in _MESSAGES)
        pool.Add(file)
    return pool


_POOL: Final = _pool()


def _class(name: str, package: str = _STRICT) -> Any:
    return GetMessageClass(_POOL.FindMessageTypeByName(f"{package}.{name}"))


Resource: Final = _class("Resource")
Scope: Final = _class("Scope")
Span: Final = _class("Span")
span_of: Final = Span.FromString
"""Decodes a span. One function for all: a class of protobuf makes a new one whenever it is asked for it."""
LogRecord: Final = _class("LogRecord")
Answer: Final = _class("Answer")
RequestSkeleton: Final = _class("RequestSkeleton")
RequestPlaces: Final = _class("RequestPlaces")
"""A request of which only the spans' ids, parents and times are read."""

_LenientSpan: Final = _class("Span", _LENIENT)
_LenientLogRecord: Final = _class("LogRecord", _LENIENT)


def mended_span(raw: bytes) -> Any:
    """A span some of whose texts are not UTF-8: what is not is replaced, for reading only.

    Raises:
        DecodeError: it is no span for another reason.
    """
    return _mended(raw, _LenientSpan, Span)


def mended_log_record(raw: bytes) -> Any:
    """A log record some of whose texts are not UTF-8: what is not is replaced, for reading only.

    Raises:
        DecodeError: it is no log record for another reason.
    """
    return _mended(raw, _LenientLogRecord, LogRecord)


def _mended(raw: bytes, lenient: Any, strict: Any) -> Any:
    message = lenient.FromString(raw)
    _mend(message)
    return strict.FromString(message.SerializeToString())


def _mend(message: Any) -> None:
    declared = _MESSAGES[message.DESCRIPTOR.name]
    for field, value in message.ListFields():
        if declared[field.name][1] == "string":
            setattr(message, field.name, value.decode("utf-8", "replace").encode())
        elif field.message_type is not None:
            for child in [value] if hasattr(value, "DESCRIPTOR") else value:
                _mend(child)
