"""Reading what a Collector's file exporter writes when it compresses record by record.

Each record, a request in JSON or protobuf, is a zstd frame after its length in four bytes.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import BinaryIO, Final

from otel_footprint.files.compressed import ZSTD, ZSTD_MAGIC, unpacked
from otel_footprint.files.documents import Document
from otel_footprint.files.halves import Half
from otel_footprint.files.json_file import begins_as_json, read_json_lines
from otel_footprint.files.otlp_protobuf import MAX_PREFIX, PREFIX_BYTES, half_record, read_request
from otel_footprint.files.problems import Problem

_MAGIC_END: Final = PREFIX_BYTES + len(ZSTD_MAGIC)


def begins_with_zstd_record(head: bytes) -> bool:
    """Whether the first bytes of a file are a length and the beginning of a zstd frame."""
    return head[PREFIX_BYTES:_MAGIC_END] == ZSTD_MAGIC and 0 < int.from_bytes(head[:PREFIX_BYTES]) <= MAX_PREFIX


def read_zstd_records(stream: BinaryIO, name: str) -> Iterator[Document | Problem | Half]:
    """Read the records of an open file; a line in a problem is the number of a record, from 1 on.

    Args:
        stream: The file, open for reading bytes.
        name: What the file is called in a problem.

    Yields:
        The documents and problems of the records. A damaged record costs only itself.
    """
    problems: list[Problem | Half] = []
    records = _records(stream, name, problems)
    first = next(records, b"")
    every = chain([first], records)
    if begins_as_json(first):
        yield from read_json_lines((record + b"\n" for record in every), name)
    else:
        for record in every:
            yield from read_request(record, name)
    yield from problems


def _read_unpacked(record: bytes, name: str) -> Iterator[Document | Problem]:
    if begins_as_json(record):
        # A line feed at its end: what is cut off here goes on inside of the same frame, not in another file.
        yield from (item for item in read_json_lines([record + b"\n"], name) if not isinstance(item, Half))
    else:
        yield from read_request(record, name)


def _strictly_read(packed: bytes, name: str) -> Sequence[Document | Problem] | None:
    """What a frame holds that is whole and without a problem; ``None`` for any other bytes."""
    content, unpacker = unpacked(io.BytesIO(packed), ZSTD)
    items = list(_read_unpacked(content.read(), name))
    damaged = unpacker.problem is not None or any(isinstance(item, Problem) for item in items)
    return None if damaged or not items else items


def _records(stream: BinaryIO, name: str, problems: list[Problem | Half]) -> Iterator[bytes]:
    """Unpack one record after the other, as much as there is of each; what is wrong is added to the problems."""
    number = 0
    while prefix := stream.read(PREFIX_BYTES):
        number += 1
        length = int.from_bytes(prefix)
        if prefix[0] > MAX_PREFIX >> 24:
            problems.append(Problem(file=name, line=number, message="from here on there are no records with lengths"))
            return
        packed = stream.read(length) if len(prefix) == PREFIX_BYTES else b""
        content, unpacker = unpacked(io.BytesIO(packed), ZSTD)
        record = content.read()
        problem = Problem(file=name, line=number, message=f"this record is {unpacker.problem or 'cut off'}")
        if len(prefix) == PREFIX_BYTES and len(packed) == length:
            yield record
            problems += [] if unpacker.problem is None else [problem]
        else:
            alone = (*_read_unpacked(record, name), problem)
            problems.append(half_record(prefix + packed, alone, _strictly_read, read_zstd_records, ZSTD_MAGIC[:1]))
