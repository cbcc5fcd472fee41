"""Protobuf's wire form, as far as a request is taken apart and put together without being decoded.

What is not changed is copied as the bytes that came: unknown fields, the order of fields and lengths that another
encoder wrote longer than they need to be all survive.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

LENGTH_DELIMITED: Final = 2
_VARINT: Final = 0
_FIXED_BYTES: Final = {1: 8, 5: 4}
_VARINT_BITS: Final = 70
_MORE: Final = 0x80


class MalformedError(ValueError):
    """The bytes are not the wire form of a message."""


class Field(NamedTuple):
    """Where one field lies in the bytes it was found in."""

    number: int
    start: int
    """Index of its tag."""
    content: int
    """Index of the content of a length-delimited field; -1 for a field of any other type."""
    end: int
    """Index after it."""


def fields(data: bytes, at: int = 0, end: int | None = None) -> list[Field]:
    """The fields of a message that lies in ``data`` from ``at`` to ``end``.

    Raises:
        MalformedError: that is no message.
    """
    end = len(data) if end is None else end
    found: list[Field] = []
    while at < end:
        start = at
        tag = data[at]
        at += 1
        if tag >= _MORE:
            tag, at = _varint(data, start, end)
        number, wire_type = tag >> 3, tag & 7
        content = -1
        if wire_type == LENGTH_DELIMITED:
            length, content = _varint(data, at, end)
            at = content + length
        elif wire_type == _VARINT:
            _, at = _varint(data, at, end)
        elif wire_type in _FIXED_BYTES:
            at += _FIXED_BYTES[wire_type]
        else:
            raise MalformedError(f"byte {start} begins a field of wire type {wire_type}, which no message of OTLP has")
        if not number or at > end:
            raise MalformedError(f"the field at byte {start} has the number 0, or is cut off")
        found.append(Field(number, start, content, at))
    return found


def field(number: int, *parts: bytes) -> bytes:
    """One length-delimited field whose content is ``parts``, one behind the other."""
    return b"".join([varint(number << 3 | LENGTH_DELIMITED), varint(sum(map(len, parts))), *parts])


def without(data: bytes, at: int, end: int, left_out: Iterable[Field]) -> bytes:
    """The message in ``data`` from ``at`` to ``end`` without some of its fields, which are given in their order."""
    pieces: list[bytes] = []
    for gone in left_out:
        pieces.append(data[at : gone.start])
        at = gone.end
    return b"".join([*pieces, data[at:end]])


def varint(value: int) -> bytes:
    """A number that is not negative, in as few bytes as it needs."""
    encoded = bytearray()
    while value >= _MORE:
        encoded.append(value & 0x7F | _MORE)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    value = shift = 0
    start = at
    while at < end and shift < _VARINT_BITS:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < _MORE:
            return value, at
        shift += 7
    raise MalformedError(f"the number at byte {start} is cut off or has more than 64 bits")
