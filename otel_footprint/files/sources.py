"""Where bytes come from: files by name, and standard input."""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import IO, BinaryIO, Final, cast

STANDARD_INPUT: Final = "-"
_IN_MEMORY: Final = 16 * 1024 * 1024
"""Bytes of a kept stream that stay in memory; the rest goes to a temporary file."""


OpenStream = Callable[[], AbstractContextManager[IO[bytes]]]


class Source:
    """One input, which can be opened as often as needed once it is kept."""

    def __init__(self, name: str, open_stream: OpenStream, *, size: int = 0, reopens: bool = True) -> None:
        """Name an input; nothing is opened yet.

        Args:
            name: What it is called in a problem.
            open_stream: Opens it for reading bytes; may raise ``OSError``.
            size: Its length in bytes when it is known, else 0.
            reopens: ``open_stream`` begins at the beginning every time.
        """
        self.name = name
        self.size = size
        self._open_stream = open_stream
        self._reopens = reopens
        self._kept: IO[bytes] | None = None

    @classmethod
    def of(cls, argument: str) -> Source:
        """The input that a command line argument names; ``-`` is standard input."""
        if argument == STANDARD_INPUT:
            return cls("standard input", lambda: nullcontext(sys.stdin.buffer), reopens=False)
        path = Path(argument)
        return cls(argument, lambda: path.open("rb"), size=_size(path), reopens=path.is_file())

    @classmethod
    def of_bytes(cls, name: str, data: bytes) -> Source:
        """An input that is in memory already."""
        return cls(name, lambda: io.BytesIO(data), size=len(data))

    def keep(self) -> None:
        """Make an input that can be read once, such as a pipe, readable again until it is closed.

        Raises:
            OSError: It cannot be read, or there is no room for a copy.
        """
        if self._reopens or self._kept is not None:
            return
        kept = cast("IO[bytes]", tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY))  # noqa: SIM115 - until close()
        with self._open_stream() as stream:
            shutil.copyfileobj(stream, kept)
        self._kept = kept

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open it at its beginning.

        Raises:
            OSError: It cannot be opened.
        """
        if self._kept is not None:
            self._kept.seek(0)
            yield cast("BinaryIO", self._kept)
            return
        with self._open_stream() as stream:
            yield cast("BinaryIO", stream)

    def close(self) -> None:
        """Give up the copy of a kept input."""
        if self._kept is not None:
            self._kept.close()
            self._kept = None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
