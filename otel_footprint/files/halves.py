"""Records that a rotated file ends in the middle of: their other half is at the beginning of the next file.

A Collector that writes through a buffer rotates wherever the buffer was full. Two halves are put together only where
the next file, as the files are given, goes on with exactly the rest of a whole record; else each file is read by
itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO, Final, NamedTuple, cast

from otel_footprint.files.documents import Document
from otel_footprint.files.problems import Problem

MAX_HALF: Final = 64 * 1024 * 1024
"""A longer half is not kept."""


class Whole(NamedTuple):
    """A record that was put together."""

    items: Sequence[Document | Problem]
    """What is read of it."""
    rest: bytes
    """What was read of the next file past the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Half:
    """The end of a file that is in the middle of a record. A reader gives it as its last item."""

    data: bytes
    alone: Sequence[Document | Problem]
    """What is read of it when no file goes on with the rest."""
    complete: Callable[[bytes, BinaryIO], Whole | None]
    """Reads the rest of the record from the next file; ``None`` when that does not go on with it."""
    read_on: Callable[[BinaryIO, str], Iterable[Document | Problem | Half]]
    """Reads what follows the record in the next file."""


class Halves:
    """Hands what is left at the end of one file to the next."""

    def __init__(self) -> None:
        self._half: Half | None = None

    @property
    def waits(self) -> bool:
        """Whether the last file ended in the middle of a record."""
        return self._half is not None

    def keep(self, half: Half) -> Sequence[Document | Problem]:
        """Keep the end of a file; comes back as what it is alone when it is too long for that."""
        if len(half.data) > MAX_HALF:
            return half.alone
        self._half = half
        return ()

    def give_up(self) -> Sequence[Document | Problem]:
        """What the kept half is alone; nothing when there is none."""
        half, self._half = self._half, None
        return () if half is None else half.alone

    def join(self, stream: BinaryIO, name: str) -> tuple[Iterable[Document | Problem | Half] | None, BinaryIO]:
        """Try the kept half on the next file.

        Returns:
            What is read of the record and the file, or ``None`` and the stream at its beginning. The half stays kept
            when the file does not go on with it.
        """
        half = self._half
        if half is None:
            return None, stream
        recorder = _Recorder(stream)
        whole = half.complete(half.data, cast("BinaryIO", recorder))
        if whole is None:
            return None, cast("BinaryIO", Rejoined(bytes(recorder.taken), stream))
        self._half = None
        rest = cast("BinaryIO", Rejoined(whole.rest, stream))
        return chain(whole.items, half.read_on(rest, name)), rest


class _Recorder:
    """A stream that remembers what was read of it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.taken = bytearray()

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self.taken += data
        return data

    def readline(self, limit: int) -> bytes:
        data = self._stream.readline(limit)
        self.taken += data
        return data


class Rejoined:
    """A stream whose first bytes were read already, put back together."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = head
        self._rest = rest

    def read(self, size: int) -> bytes:
        """At most ``size`` bytes; fewer only at the end."""
        taken, self._head = self._head[:size], self._head[size:]
        return taken + self._rest.read(size - len(taken)) if len(taken) < size else taken

    def readline(self, limit: int) -> bytes:
        """The bytes up to and with the next line feed, at most ``limit``."""
        if not self._head:
            return self._rest.readline(limit)
        end = self._head.find(b"\n") + 1
        if end:
            return self.read(min(end, limit))
        taken, self._head = self._head, b""
        return taken + self._rest.readline(limit - len(taken))
