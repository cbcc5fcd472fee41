"""The registry of formats that are read, told apart by what is in a file and never by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final, cast

from otel_footprint.files.compressed import CODECS, unpacked
from otel_footprint.files.documents import Document
from otel_footprint.files.halves import Half, Halves, Rejoined
from otel_footprint.files.json_file import begins_as_json, read_json
from otel_footprint.files.otlp_protobuf import (
    begins_as_protobuf,
    begins_with_length,
    read_from_next_record,
    read_otlp_protobuf,
    read_prefixed_protobuf,
)
from otel_footprint.files.parquet import begins_as_parquet, read_parquet
from otel_footprint.files.problems import Problem
from otel_footprint.files.refusals import is_known, is_other_text, what_bytes_are
from otel_footprint.files.zstd_records import begins_with_zstd_record, read_zstd_records

HEAD_BYTES: Final = 4096
"""How much of a file is looked at to tell its format."""
_MAX_HELD: Final = 100
_Item = Document | Problem | Half


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format that can be read. A new one is one module and one line in the registry."""

    name: str
    """As it is called in a sentence."""
    matches: Callable[[bytes], bool]
    """Whether the first bytes of a file are of this format."""
    read: Callable[[BinaryIO, str], Iterable[Document | Problem | Half]]
    """Reads an open file of the given name; a half comes last, where the file ends in the middle of a record."""


FORMATS: Final = (
    Format(name="OTLP protobuf", matches=begins_as_protobuf, read=read_otlp_protobuf),
    Format(name="OTLP in zstd with lengths", matches=begins_with_zstd_record, read=read_zstd_records),
    Format(name="OTLP protobuf with lengths", matches=begins_with_length, read=read_prefixed_protobuf),
    Format(name="Parquet", matches=begins_as_parquet, read=read_parquet),
    Format(name="JSON", matches=begins_as_json, read=read_json),
)
"""In the order they are tried. What is JSON has its shapes, in :data:`json_file.SHAPES`."""


def read_documents(stream: BinaryIO, name: str, halves: Halves | None = None) -> Iterator[Document | Problem]:
    """Read an open file of any format of the registry, which may be compressed.

    Args:
        stream: The file, open for reading bytes; it need not be seekable.
        name: What the file is called in a problem.
        halves: What the file before ended with, and what this one ends with. What stays in it after the last file is
            to be given up.

    Yields:
        Its documents and problems in the order of the file, after those of the half before it that it does not go on
        with. A file of no known format is one problem.
    """
    for item in _read_file(stream, name, Halves() if halves is None else halves):
        if not isinstance(item, Half):
            yield item
        else:
            yield from item.alone if halves is None else halves.keep(item)


def _read_file(stream: BinaryIO, name: str, halves: Halves) -> Iterator[_Item]:
    # The rest of a record may look like anything, so it is tried before the file's form is told.
    joined, stream = halves.join(stream, name)
    if joined is not None:
        yield from joined
        return
    head = stream.read(HEAD_BYTES)
    whole = cast("BinaryIO", Rejoined(head, stream))
    codec = next((codec for codec in CODECS if codec.begins(head)), None)
    if codec is None:
        yield from halves.give_up()
        yield from _read(whole, head, name)
        return
    content, unpacker = unpacked(whole, codec)
    joined, content = halves.join(content, name)
    if joined is not None:
        yield from joined
    else:
        yield from halves.give_up()
        head = content.read(HEAD_BYTES)
        if head or unpacker.problem is None:
            yield from _read(cast("BinaryIO", Rejoined(head, content)), head, name)
    if unpacker.problem is not None:
        yield Problem(file=name, message=unpacker.problem)


def _read(whole: BinaryIO, head: bytes, name: str) -> Iterator[_Item]:
    for known in FORMATS:
        if known.matches(head):
            yield from known.read(whole, name)
            return
    if is_other_text(head):
        yield from _text_with_json_in_it(whole, head, name)
    elif b"\0" in head and not is_known(head):
        yield from read_from_next_record(whole, name, what_bytes_are(head))
    else:
        yield Problem(file=name, message=what_bytes_are(head))


def _text_with_json_in_it(whole: BinaryIO, head: bytes, name: str) -> Iterator[_Item]:
    """Read a text that does not begin as JSON: a spoiled first line costs only itself.

    When there is no document in it at all, its lines are not worth naming one by one.
    """
    held: list[_Item] | None = []
    for item in read_json(whole, name):
        if held is None:
            yield item
        elif not isinstance(item, Problem | Half):
            yield from held
            yield item
            held = None
        elif len(held) < _MAX_HELD:
            held.append(item)
    if held is not None:
        yield Problem(file=name, message=what_bytes_are(head))
