"""Reading OTLP protobuf: a request or file of spans or of log records, or many with length prefixes.

The two have the same outer fields, so what is innermost tells them apart. Every resource's group is read on its
own. One that does not decode is read field by field, so that a text that is not UTF-8, a value that is nested too
deep or a file that is cut off costs only itself.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, BinaryIO, Final, NamedTuple, cast

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError
from opentelemetry.proto.logs.v1.logs_pb2 import ResourceLogs
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, TracesData

from otel_footprint.files.documents import Annotation, Document, Place
from otel_footprint.files.halves import Half, Rejoined, Whole
from otel_footprint.files.problems import Problem
from otel_footprint.files.proto_json import document_text, otlp_json, with_additions
from otel_footprint.logview import LogView
from otel_footprint.spanview_otlp import OtlpProtoSpan, proto_attributes, proto_log

MAX_FILE_BYTES: Final = 256 * 1024 * 1024
"""A larger protobuf file is refused: it has to be in memory as a whole."""

_RESOURCE_SPANS_FIELD: Final = 1
_RESOURCE_SPANS_TAG: Final = 0x0A
PREFIX_BYTES: Final = 4
_PREFIX_AND_TAG: Final = PREFIX_BYTES + 1
MAX_SKIPPED: Final = 64 * 1024 * 1024
"""Bytes in which the next request is looked for, when a file begins in the middle of one."""
MAX_TRIES: Final = 10_000
"""Places that look like the beginning of a request, up to which they are tried."""
_PREFIX: Final = re.compile(rb"(?=[\x00-\x0f][\x00-\xff]{3}\x0a)")
MAX_PREFIX: Final = 0x0FFFFFFF
_MAX_DEPTH: Final = 250
"""Nesting of messages that is still read; past any depth that a value is decoded to."""
_CONTAINERS: Final = frozenset({"ResourceSpans", "ScopeSpans", "ResourceLogs", "ScopeLogs"})
"""What is worth reading when its end is missing; half a span is not."""
_VARINT_BITS: Final = 70
_LENGTH_DELIMITED: Final = 2
_INNER_FIELD: Final = 2
"""Of the scopes in a resource's group, and of the spans or log records in a scope's."""
_IS_LOG: Final[Mapping[tuple[int, int], bool]] = {
    (1, 1): True,
    (1, 2): False,
    (2, 0): True,
    (2, 2): False,
    (7, 1): False,
    (8, 1): False,
    (8, 5): True,
    (10, 2): True,
    (10, 0): False,
    (11, 1): True,
    (11, 2): False,
    (12, 2): True,
    (12, 0): False,
}
"""Whether a field with this number and wire type is one of a log record or of a span; the others are in both."""
_FIXED_BYTES: Final[Mapping[int, int]] = {1: 8, 5: 4}


class OtlpProtoDocument:
    """One ``ResourceSpans`` of a file."""

    __slots__ = ("_group",)

    line: int | None = None

    def __init__(self, group: Any) -> None:
        self._group = group

    def spans(self) -> Iterator[tuple[Place, OtlpProtoSpan]]:
        """Its spans in recorded order."""
        resource = proto_attributes(self._group.resource)
        for scope_index, scope_group in enumerate(self._group.scope_spans):
            for index, span in enumerate(scope_group.spans):
                yield (scope_index, index), OtlpProtoSpan(span, resource, scope_group.scope)

    def annotated(self, annotations: Mapping[Place, Annotation]) -> str:
        """The group as a request in OTLP JSON, with the additions.

        It is written anew, so fields that this version of OTLP does not know are not in it.
        """
        group = otlp_json(self._group)
        return document_text({"resourceSpans": [with_additions(group, annotations) if annotations else group]})


class OtlpProtoLogs:
    """One ``ResourceLogs`` of a file."""

    __slots__ = ("_group",)

    line: int | None = None

    def __init__(self, group: Any) -> None:
        self._group = group

    def spans(self) -> Iterator[tuple[Place, OtlpProtoSpan]]:
        """It has none."""
        return iter(())

    def logs(self) -> Iterator[LogView]:
        """Its log records in recorded order."""
        resource = proto_attributes(self._group.resource)
        for scope_group in self._group.scope_logs:
            for record in scope_group.log_records:
                yield proto_log(record, resource, scope_group.scope)

    def annotated(self, annotations: Mapping[Place, Annotation]) -> str:
        """The group as a request in OTLP JSON."""
        del annotations
        return document_text({"resourceLogs": [otlp_json(self._group)]})


def begins_as_protobuf(head: bytes) -> bool:
    """Whether the first bytes of a file begin a request in protobuf.

    Its first byte is a line feed, so JSON after an empty line is told apart by being free of other
    control characters.
    """
    return head[:1] == bytes([_RESOURCE_SPANS_TAG]) and _has_control_characters(head)


def begins_with_length(head: bytes) -> bool:
    """Whether the first bytes of a file are a length and the beginning of a request in protobuf."""
    length = int.from_bytes(head[:PREFIX_BYTES])
    has_tag = head[PREFIX_BYTES : PREFIX_BYTES + 1] == bytes([_RESOURCE_SPANS_TAG])
    return has_tag and 0 < length <= MAX_PREFIX and _has_control_characters(head)


def _has_control_characters(head: bytes) -> bool:
    return any(byte < ord(" ") and byte not in b"\t\r\n" for byte in head)


def read_otlp_protobuf(stream: BinaryIO, name: str) -> Iterator[Document | Problem | Half]:
    """Read a file that holds one request.

    Args:
        stream: The file, open for reading bytes.
        name: What the file is called in a problem.

    Yields:
        A document for each ``ResourceSpans``, and what was wrong with it.
    """
    data = stream.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        yield Problem(file=name, message=f"longer than {MAX_FILE_BYTES // 2**20} MiB; split it, or give OTLP JSON")
        return
    at = None if _strictly_read(data, name) is not None else _next_record(data, name)
    if at is None:
        yield from read_request(data, name)
        return
    # What looked like a request is the end of one that began in another file, or one whose length stayed there.
    first = _strictly_read(data[:at], name)
    yield from [_skipped(at, name)] if first is None else first
    yield from read_prefixed_protobuf(io.BytesIO(data[at:]), name)


def read_prefixed_protobuf(stream: BinaryIO, name: str) -> Iterator[Document | Problem | Half]:
    """Read a file of requests, each after its length in four bytes, as the Collector's file exporter writes."""
    while prefix := stream.read(PREFIX_BYTES):
        length = int.from_bytes(prefix)
        if prefix[0] > MAX_PREFIX >> 24:
            yield Problem(file=name, message="the rest of the file is not length-prefixed protobuf")
            return
        record = stream.read(length) if len(prefix) == PREFIX_BYTES else b""
        if len(prefix) == PREFIX_BYTES and len(record) == length:
            yield from read_request(record, name)
        else:
            yield half_record(prefix + record, tuple(_of_half(record, name)), _strictly_read, read_prefixed_protobuf)


def _of_half(record: bytes, name: str) -> Iterator[Document | Problem]:
    yield from read_request(record, name)
    yield Problem(file=name, message="the file ends in the middle of a request")


def half_record(
    data: bytes,
    alone: Sequence[Document | Problem],
    read: Callable[[bytes, str], Sequence[Document | Problem] | None],
    read_on: Callable[[BinaryIO, str], Iterator[Document | Problem | Half]],
    tags: bytes = bytes([_RESOURCE_SPANS_TAG]),
) -> Half:
    """The end of a file of records with lengths that is in the middle of one.

    Args:
        data: The record from its length on, as much as there is.
        alone: What is read of it by itself.
        read: Reads a whole record, without its length; ``None`` when it is none.
        read_on: Reads the records that follow.
        tags: First bytes that a record can have.
    """
    name = next((item.file for item in alone if isinstance(item, Problem)), "")

    def complete(half: bytes, stream: BinaryIO) -> Whole | None:
        taken = stream.read(max(PREFIX_BYTES - len(half), 0))
        length = int.from_bytes((half + taken)[:PREFIX_BYTES])
        missing = PREFIX_BYTES + length - len(half)
        taken += stream.read(missing - len(taken) + _PREFIX_AND_TAG)
        items = read((half + taken[:missing])[PREFIX_BYTES:], name) if 0 < missing <= len(taken) else None
        rest = taken[max(missing, 0) :]
        # A file of its own can begin with bytes that happen to complete a record. Then it also begins with a record of
        # its own, or does not go on with one.
        own = taken[PREFIX_BYTES : PREFIX_BYTES + int.from_bytes(taken[:PREFIX_BYTES])]
        begins_itself = len(own) == int.from_bytes(taken[:PREFIX_BYTES]) and read(own, name) is not None
        goes_on = not rest or (len(rest) == _PREFIX_AND_TAG and rest[-1:] in tags and rest[0] <= MAX_PREFIX >> 24)
        return Whole(items, rest) if items is not None and goes_on and not begins_itself else None

    return Half(data=data, alone=alone, complete=complete, read_on=read_on)


def _strictly_read(record: bytes, name: str) -> Sequence[Document | Problem] | None:
    """What a request holds that decodes without any loss; ``None`` for any other bytes."""
    try:
        decoded = TracesData.FromString(record)
    except DecodeError:
        return None
    return list(read_request(record, name)) if decoded.resource_spans else None


def read_from_next_record(stream: BinaryIO, name: str, what: str) -> Iterator[Document | Problem | Half]:
    """Read a file that begins in the middle of a request with a length, from the next request on.

    Args:
        stream: The file, open for reading bytes.
        name: What the file is called in a problem.
        what: What the file is if there is no request in it.
    """
    data = stream.read(MAX_SKIPPED)
    at = _next_record(data, name)
    if at is None:
        yield Problem(file=name, message=what)
        return
    yield _skipped(at, name)
    yield from read_prefixed_protobuf(cast("BinaryIO", Rejoined(data[at:], stream)), name)


def _skipped(count: int, name: str) -> Problem:
    return Problem(file=name, message=f"its first {count} bytes are the end of a request that began in another file")


def _next_record(data: bytes, name: str) -> int | None:
    """Where the first whole request after its length begins; ``None`` when there is none."""
    for found in islice(_PREFIX.finditer(data), MAX_TRIES):
        at = found.start()
        end = at + PREFIX_BYTES + int.from_bytes(data[at : at + PREFIX_BYTES])
        goes_on = end == len(data) or _PREFIX.match(data, end) is not None
        if goes_on and _strictly_read(data[at + PREFIX_BYTES : end], name) is not None:
            return at
    return None


def read_request(data: bytes, name: str) -> Iterator[Document | Problem]:
    """Read one request: a document for each of its ``ResourceSpans``, and what was wrong with it."""
    for found in _wire_fields(data):
        if found is None:
            yield Problem(file=name, message="the rest of the request is not protobuf")
        elif found.number == _RESOURCE_SPANS_FIELD and found.payload is not None:
            is_logs = _holds_logs(found.payload)
            group = ResourceLogs() if is_logs else ResourceSpans()
            lost = _salvage(group, found.payload) + found.cut
            yield OtlpProtoLogs(group) if is_logs else OtlpProtoDocument(group)
            if lost:
                message = f"{lost} fields do not decode (not UTF-8, nested too deep or cut off); the rest was read"
                yield Problem(file=name, message=message)


def _holds_logs(group: bytes) -> bool:
    """Whether a group is a ``ResourceLogs``, by the first field that only one of the two kinds has."""
    for scope in _wire_fields(group):
        if scope is None or scope.number != _INNER_FIELD or scope.payload is None:
            continue
        for item in _wire_fields(scope.payload):
            if item is None or item.number != _INNER_FIELD or item.payload is None:
                continue
            for found in _wire_fields(item.payload):
                # The lowest bits of a field's first byte are its wire type.
                kind = None if found is None else _IS_LOG.get((found.number, found.whole[0] & 7))
                if kind is not None:
                    return kind
    return False


class _WireField(NamedTuple):
    """One field of an encoded message."""

    number: int
    whole: bytes
    """Its tag and value."""
    payload: bytes | None
    """The content of a length-delimited field."""
    cut: bool
    """The data ends before the field does."""


def _salvage(message: Any, data: bytes) -> int:
    """Decode into an empty message as much as there is.

    Returns:
        How many fields were lost, or are not exactly what was sent.
    """
    lost = 0
    waiting = [(message, data, _MAX_DEPTH)]
    # Without recursion: what does not decode may be nested deeper than Python's stack goes.
    while waiting:
        target, encoded, depth = waiting.pop()
        try:
            target.MergeFromString(encoded)
        except DecodeError:
            target.Clear()
            for found in _wire_fields(encoded):
                child = _child_of(target, found) if depth else None
                if child is None or found is None or found.payload is None:
                    lost += _set_field(target, found)
                else:
                    lost += found.cut
                    waiting.append((child, found.payload, depth - 1))
    return lost


def _child_of(message: Any, found: _WireField | None) -> Any:
    """A new message for a field that holds one; ``None`` for every other field and for half a message."""
    field = None if found is None else message.DESCRIPTOR.fields_by_number.get(found.number)
    if found is None or found.payload is None or field is None or field.message_type is None:
        return None
    if found.cut and field.message_type.name not in _CONTAINERS:
        return None
    child = getattr(message, field.name)
    if hasattr(child, "add"):
        return child.add()
    child.SetInParent()
    return child


def _set_field(message: Any, found: _WireField | None) -> int:
    """Decode one field that holds no message; 1 when that did not go without loss, else 0."""
    field = None if found is None else message.DESCRIPTOR.fields_by_number.get(found.number)
    if found is None or field is None or found.cut or field.message_type is not None:
        return 1
    if field.type == FieldDescriptor.TYPE_STRING and found.payload is not None:
        text = found.payload.decode("utf-8", "replace")
        _set_text(message, field.name, text)
        return int("\ufffd" in text)
    try:
        message.MergeFromString(found.whole)
    except DecodeError:
        return 1
    return 0


def _set_text(message: Any, name: str, text: str) -> None:
    """Set a text field, or add to a repeated one."""
    if isinstance(getattr(message, name), str):
        setattr(message, name, text)
    else:
        getattr(message, name).append(text)


def _wire_fields(data: bytes) -> Iterator[_WireField | None]:
    """Cut an encoded message into its fields; ``None`` and no more where it is not protobuf."""
    at = 0
    while at < len(data):
        start = at
        tag, at = _varint(data, at)
        wire_type = tag & 7
        if wire_type == _LENGTH_DELIMITED:
            length, at = _varint(data, at)
            end = at + length
        elif wire_type == 0:
            _, end = _varint(data, at)
        else:
            end = at + _FIXED_BYTES.get(wire_type, 0)
        if at < 0 or end < 0 or not tag >> 3 or (wire_type not in _FIXED_BYTES and wire_type not in {0, 2}):
            yield None
            return
        payload = data[at:end] if wire_type == _LENGTH_DELIMITED else None
        yield _WireField(tag >> 3, data[start:end], payload, end > len(data))
        at = end


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Read a variable-length integer; the index after it is negative when there is none."""
    value = shift = 0
    while 0 <= at < len(data) and shift < _VARINT_BITS:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:  # noqa: PLR2004 - the bit that says that more follows
            return value, at
        shift += 7
    return 0, -1
