"""Unpacking what was compressed with gzip or zstd, a little at a time and never further than a trace can be packed.

A file may have many members, one after the other. What comes before a damaged place is read; the damage, a missing end
and a small file that would become a huge one are named.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO, Final, NamedTuple, cast

FREE_BYTES: Final = 64 * 1024 * 1024
"""Unpacked bytes that any input may have."""
MAX_RATIO: Final = 250
"""Unpacked bytes for each packed one past :data:`FREE_BYTES`. Traces pack ten to fifty times; what was made to pack
well, a thousand times and more."""

ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_GZIP_MAGIC: Final = b"\x1f\x8b"
_SKIPPABLE_MAGIC: Final = b"\x2a\x4d\x18"
"""Bytes 1 to 3 of a zstd frame that there is nothing to unpack in; some tools begin with one."""
_LONGEST_MAGIC: Final = 4

_GZIP_WINDOW: Final = zlib.MAX_WBITS | 16
_GZIP_STEP: Final = 4096
_ZSTD_STEP: Final = 512
"""Packed bytes that are unpacked at once. In zstd, which has no bound of its own, they can become 16 MiB."""
_OUTPUT_STEP: Final = 64 * 1024
_ZSTD_WINDOW: Final = 128 * 1024 * 1024
"""The memory that a file may ask for; the zstd command has the same limit."""


class _DamagedError(Exception):
    """The packed bytes are not what they should be; never leaves this module."""


class Codec(NamedTuple):
    """One way to compress."""

    name: str
    begins: Callable[[bytes], bool]
    """Whether bytes are the beginning of a member."""
    open_member: Callable[[], Any]
    """Makes a decompressor of one member. Raises ``ModuleNotFoundError`` when what it needs is not installed."""
    unpack: Callable[[Any, bytes], tuple[bytes, bytes]]
    """Unpacks bytes with a decompressor: what came out, and what is still to be given in."""
    step: int
    """Packed bytes to unpack at once."""


def _unpack_gzip(member: Any, data: bytes) -> tuple[bytes, bytes]:
    try:
        unpacked = member.decompress(data, _OUTPUT_STEP)
    except zlib.error as error:
        raise _DamagedError from error
    return unpacked, member.unused_data if member.eof else member.unconsumed_tail


def _unpack_zstd(member: Any, data: bytes) -> tuple[bytes, bytes]:
    import zstandard  # noqa: PLC0415 - needs the extra

    try:
        return member.decompress(data), member.unused_data
    except zstandard.ZstdError as error:
        raise _DamagedError from error


def _open_zstd() -> Any:
    import zstandard  # noqa: PLC0415 - needs the extra

    return zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()


def _begins_gzip(data: bytes) -> bool:
    return data.startswith(_GZIP_MAGIC)


def _begins_zstd(data: bytes) -> bool:
    is_skippable = b"\x50" <= data[:1] < b"\x60" and data[1:4] == _SKIPPABLE_MAGIC
    return is_skippable or data.startswith(ZSTD_MAGIC)


GZIP: Final = Codec(
    name="gzip",
    begins=_begins_gzip,
    open_member=lambda: zlib.decompressobj(_GZIP_WINDOW),
    unpack=_unpack_gzip,
    step=_GZIP_STEP,
)
ZSTD: Final = Codec(name="zstd", begins=_begins_zstd, open_member=_open_zstd, unpack=_unpack_zstd, step=_ZSTD_STEP)
CODECS: Final = (GZIP, ZSTD)


def unpacked(stream: BinaryIO, codec: Codec) -> tuple[BinaryIO, Unpacker]:
    """Open a stream of the unpacked bytes.

    Args:
        stream: The packed bytes.
        codec: How they were packed.

    Returns:
        The stream, which ends where nothing more can be unpacked, and what knows why it ended there.
    """
    unpacker = Unpacker(stream, codec)
    return cast("BinaryIO", io.BufferedReader(unpacker, _OUTPUT_STEP)), unpacker


class Unpacker(io.RawIOBase):
    """Unpacks while it is read."""

    def __init__(self, stream: BinaryIO, codec: Codec) -> None:
        self.problem: str | None = None
        """Why the bytes end before those that were packed do; ``None`` when they do not."""
        self._stream = stream
        self._codec = codec
        self._packed = b""
        self._unpacked = memoryview(b"")
        self._member: Any = None
        self._taken = 0
        self._given = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read unpacked bytes; 0 at the end of what can be unpacked."""
        if not self._unpacked and self.problem is None:
            self._unpacked = memoryview(self._next())
        size = min(len(buffer), len(self._unpacked))
        buffer[:size] = self._unpacked[:size]
        self._unpacked = self._unpacked[size:]
        return size

    def _next(self) -> bytes:
        """Unpack until something comes out; nothing at the end, or when there is a problem."""
        while self.problem is None:
            if self._member is None and not self._begin():
                return b""
            at_end = not self._fill()
            try:
                data, self._packed = self._codec.unpack(self._member, self._packed)
            except _DamagedError:
                self.problem = f"damaged: {self._codec.name} can unpack only the first {self._given} bytes of it"
                return b""
            if self._member.eof:
                self._member = None
            elif at_end and not data:
                self.problem = f"cut off: its {self._codec.name} data has no end; what is there was read"
            if data:
                return self._bounded(data)
        return b""

    def _fill(self) -> bool:
        """Have packed bytes, at a member's beginning enough to know it by; whether there are any."""
        wanted = 1 if self._member is not None else _LONGEST_MAGIC
        while len(self._packed) < wanted and (more := self._stream.read(self._codec.step)):
            self._taken += len(more)
            self._packed += more
        return bool(self._packed)

    def _begin(self) -> bool:
        """Begin the next member; whether there is one. Zeros between members and after them are padding."""
        while self._fill():
            if self._codec.begins(self._packed):
                return self._open()
            if self._packed[0]:
                self.problem = f"what follows its {self._codec.name} data is something else and was passed over"
                return False
            self._packed = self._packed.lstrip(b"\x00")
        return False

    def _open(self) -> bool:
        try:
            self._member = self._codec.open_member()
        except ModuleNotFoundError:
            install = "pip install 'otel-footprint[cli]' to read it, or decompress it first"
            self.problem = f"compressed with {self._codec.name}; {install}"
        return self._member is not None

    def _bounded(self, data: bytes) -> bytes:
        self._given += len(data)
        if self._given <= max(FREE_BYTES, MAX_RATIO * self._taken):
            return data
        self.problem = (
            f"unpacks to more than {self._given // 2**20} MiB from {self._taken // 2**10} KiB, as no trace does; what "
            "came first was read. If it is meant to, unpack it and give the result"
        )
        return b""
