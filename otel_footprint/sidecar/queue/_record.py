"""How an entry lies in the store.

A key is the lane (one byte) and the sequence number (eight bytes, big-endian), so that the entries of a lane lie
together in the order they came. A value is a checksum, the version of this form, the number of items, and the body. The
checksum covers the key too: a record that turns up under another key is damaged.
"""

from __future__ import annotations

import struct
from typing import Final

from isal import isal_zlib

from otel_footprint.sidecar.queue._protocol import SIGNALS, Entry, NewEntry, Signal

FORM: Final = 1
KEY: Final = struct.Struct(">BQ")
_HEAD: Final = struct.Struct("<IB3xI")
HEAD_BYTES: Final = _HEAD.size

LANES: Final = tuple((signal, held) for signal in SIGNALS for held in (False, True))
"""The number of a lane is its place here."""
_LANE_BITS: Final = 3


def lane_of(signal: Signal, *, held: bool) -> int:
    """The lane in which such entries lie."""
    return 2 * SIGNALS.index(signal) + held


def entry_id(lane: int, sequence: int) -> int:
    """The id of the entry at this place."""
    return sequence << _LANE_BITS | lane


def place_of(id_: int) -> tuple[int, int]:
    """Lane and sequence number of an id; a lane that does not exist is that of no entry."""
    return id_ & (1 << _LANE_BITS) - 1, id_ >> _LANE_BITS


def key_of(id_: int) -> bytes:
    """Where the entry with this id lies."""
    return KEY.pack(*place_of(id_))


def _checksum(key: bytes, head: bytes, body: bytes | memoryview) -> int:
    checksum: int = isal_zlib.crc32(body, isal_zlib.crc32(key + head))
    return checksum


def pack(key: bytes, entry: NewEntry) -> bytes:
    """The record of an entry that is to lie at ``key``."""
    tail = _HEAD.pack(0, FORM, entry.items)[4:]
    return b"".join((_checksum(key, tail, entry.body).to_bytes(4, "little"), tail, entry.body))


def items_of(record: memoryview) -> int:
    """The number of items in a record, as it says itself; 0 where it is too short to say."""
    if len(record) < HEAD_BYTES:
        return 0
    items: int = _HEAD.unpack_from(record)[2]
    return items


def is_of_another_form(key: bytes, record: memoryview) -> bool:
    """Whether a record is undamaged and of a form that another version writes."""
    if len(key) != KEY.size or len(record) < HEAD_BYTES:
        return False
    checksum, form, _ = _HEAD.unpack_from(record)
    return bool(form != FORM and checksum == _checksum(key, bytes(record[4:HEAD_BYTES]), record[HEAD_BYTES:]))


def unpack(key: bytes, record: memoryview) -> Entry | None:
    """The entry in a record; ``None`` if it is damaged."""
    if len(key) != KEY.size or len(record) < HEAD_BYTES:
        return None
    checksum, form, items = _HEAD.unpack_from(record)
    body = record[HEAD_BYTES:]
    lane, sequence = KEY.unpack(key)
    if form != FORM or lane >= len(LANES) or checksum != _checksum(key, bytes(record[4:HEAD_BYTES]), body):
        return None
    signal, held = LANES[lane]
    return Entry(id=entry_id(lane, sequence), signal=signal, body=bytes(body), items=items, held=held)
