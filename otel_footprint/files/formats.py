"""The registry of formats that are read, told apart by what is in a file and never by its name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Final, cast

from otel_footprint.files.documents import Document, Format
from otel_footprint.files.otlp_json import begins_as_json, read_otlp_json
from otel_footprint.files.otlp_protobuf import (
    begins_as_protobuf,
    begins_with_length,
    read_otlp_protobuf,
    read_prefixed_protobuf,
)
from otel_footprint.files.problems import Problem
from otel_footprint.files.refusals import is_other_text, what_bytes_are

HEAD_BYTES: Final = 4096
"""How much of a file is looked at to tell its format."""
_MAX_HELD: Final = 100

FORMATS: Final = (
    Format(name="OTLP protobuf", matches=begins_as_protobuf, read=read_otlp_protobuf),
    Format(name="OTLP protobuf with lengths", matches=begins_with_length, read=read_prefixed_protobuf),
    Format(name="OTLP JSON", matches=begins_as_json, read=read_otlp_json),
)
"""In the order they are tried."""


def read_documents(stream: BinaryIO, name: str) -> Iterator[Document | Problem]:
    """Read an open file of any format of the registry.

    Args:
        stream: The file, open for reading bytes; it need not be seekable.
        name: What the file is called in a problem.

    Yields:
        Its documents and problems in the order of the file. A file of no known format is one problem.
    """
    head = stream.read(HEAD_BYTES)
    whole = _Rejoined(head, stream)
    for known in FORMATS:
        if known.matches(head):
            yield from known.read(cast("BinaryIO", whole), name)
            return
    if is_other_text(head):
        yield from _text_with_json_in_it(whole, head, name)
    else:
        yield Problem(file=name, message=what_bytes_are(head))


def _text_with_json_in_it(whole: _Rejoined, head: bytes, name: str) -> Iterator[Document | Problem]:
    """Read a text that does not begin as JSON: a spoiled first line costs only itself.

    When there is no document in it at all, its lines are not worth naming one by one.
    """
    held: list[Problem] | None = []
    for item in read_otlp_json(cast("BinaryIO", whole), name):
        if held is None:
            yield item
        elif not isinstance(item, Problem):
            yield from held
            yield item
            held = None
        elif len(held) < _MAX_HELD:
            held.append(item)
    if held is not None:
        yield Problem(file=name, message=what_bytes_are(head))


class _Rejoined:
    """A stream whose first bytes were read already, put back together."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = head
        self._rest = rest

    def read(self, size: int) -> bytes:
        taken, self._head = self._head[:size], self._head[size:]
        return taken + self._rest.read(size - len(taken)) if len(taken) < size else taken

    def readline(self, limit: int) -> bytes:
        if not self._head:
            return self._rest.readline(limit)
        end = self._head.find(b"\n") + 1
        if end:
            return self.read(min(end, limit))
        taken, self._head = self._head, b""
        return taken + self._rest.readline(limit - len(taken))
