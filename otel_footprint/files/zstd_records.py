"""Reading what a Collector's file exporter writes when it compresses record by record.

Each record, a request in JSON or protobuf, is a zstd frame after its length in four bytes.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO, Final

from otel_footprint.files.compressed import ZSTD, ZSTD_MAGIC, unpacked
from otel_footprint.files.documents import Document
from otel_footprint.files.json_file import begins_as_json, read_json_lines
from otel_footprint.files.otlp_protobuf import MAX_PREFIX, PREFIX_BYTES, read_request
from otel_footprint.files.problems import Problem

_MAGIC_END: Final = PREFIX_BYTES + len(ZSTD_MAGIC)


def begins_with_zstd_record(head: bytes) -> bool:
    """Whether the first bytes of a file are a length and the beginning of a zstd frame."""
    return head[PREFIX_BYTES:_MAGIC_END] == ZSTD_MAGIC and 0 < int.from_bytes(head[:PREFIX_BYTES]) <= MAX_PREFIX


def read_zstd_records(stream: BinaryIO, name: str) -> Iterator[Document | Problem]:
    """Read the records of an open file; a line in a problem is the number of a record, from 1 on.

    Args:
        stream: The file, open for reading bytes.
        name: What the file is called in a problem.

    Yields:
        The documents and problems of the records. A damaged record costs only itself.
    """
    problems: list[Problem] = []
    records = _records(stream, name, problems)
    first = next(records, b"")
    every = chain([first], records)
    if begins_as_json(first):
        yield from read_json_lines((record + b"\n" for record in every), name)
    else:
        for record in every:
            yield from read_request(record, name)
    yield from problems


def _records(stream: BinaryIO, name: str, problems: list[Problem]) -> Iterator[bytes]:
    """Unpack one record after the other, as much as there is of each; what is wrong is added to the problems."""
    number = 0
    while prefix := stream.read(PREFIX_BYTES):
        number += 1
        length = int.from_bytes(prefix)
        if len(prefix) < PREFIX_BYTES or length > MAX_PREFIX:
            problems.append(Problem(file=name, line=number, message="from here on there are no records with lengths"))
            return
        packed = stream.read(length)
        content, unpacker = unpacked(io.BytesIO(packed), ZSTD)
        yield content.read()
        if unpacker.problem is not None:
            problems.append(Problem(file=name, line=number, message=f"this record is {unpacker.problem}"))
