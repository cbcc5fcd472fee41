"""Uncompressing requests: every member and frame, never more than is allowed."""

from __future__ import annotations

from typing import Final

import zstandard
from isal import isal_zlib

from otel_footprint.sidecar.refusals import RefusedError, malformed, too_large

ENCODINGS: Final = ("identity", "gzip", "x-gzip", "zstd")

_GZIP: Final = 31
"""The window's size as zlib takes it, and a gzip header around."""
_CHUNK: Final = 64 * 1024
_ZSTD_CHUNK: Final = 512
"""The decoder has no limit of its own, and makes at most 128 KiB of every four bytes."""
_MAX_MEMBERS: Final = 4_096
"""Nothing that compresses for real makes so many; each costs time and may hold nothing."""
_MAX_WINDOW: Final = 64 * 1024 * 1024


def inflated(body: bytes, encoding: str, limit: int) -> bytes:
    """A request's body without its compression.

    Args:
        body: as it came.
        encoding: the header ``Content-Encoding``, in any case; empty for none.
        limit: bytes that it may have.

    Raises:
        RefusedError: it is larger than that, is not compressed like it says, or the encoding is not known.
    """
    encoding = encoding.strip().lower()
    if encoding in {"", "identity"}:
        if len(body) > limit:
            raise too_large(limit)
        return body
    if encoding in {"gzip", "x-gzip"}:
        return _gunzip(body, limit)
    if encoding == "zstd":
        return _unzstd(body, limit)
    raise RefusedError(
        "INVALID_ARGUMENT", 415, f"the content encoding {encoding[:40]!r} is not known; use {', '.join(ENCODINGS)}"
    )


def _gunzip(body: bytes, limit: int) -> bytes:
    pieces: list[bytes] = []
    room = limit + 1
    view = memoryview(body)
    at = 0
    for _ in range(_MAX_MEMBERS):
        member = isal_zlib.decompressobj(wbits=_GZIP)
        while not member.eof:
            # What a call leaves over is copied, so it gets no more at a time than is cheap to copy.
            data = member.unconsumed_tail or view[at : at + _CHUNK]
            if not member.unconsumed_tail:
                at += len(data)
            try:
                piece = member.decompress(data, room)
            except isal_zlib.error as error:  # type: ignore[misc] # its stub takes the class for an instance
                raise malformed(f"the body is not gzip: {error}") from None
            pieces.append(piece)
            room -= len(piece)
            if room <= 0:
                raise too_large(limit)
            if not piece and not member.eof and at >= len(body) and not member.unconsumed_tail:
                raise malformed("the body is gzip that is cut off")
        at -= len(member.unused_data)
        if at >= len(body):
            return pieces[0] if len(pieces) == 1 else b"".join(pieces)
    raise malformed(f"the body has more than {_MAX_MEMBERS} gzip members; send one")


def _unzstd(body: bytes, limit: int) -> bytes:
    decompressor = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW)
    pieces: list[bytes] = []
    room = limit
    at = 0
    try:
        for _ in range(_MAX_MEMBERS):
            frame = decompressor.decompressobj()
            while not frame.eof:
                if at >= len(body):
                    raise malformed("the body is zstd that is cut off")
                piece = frame.decompress(body[at : at + _ZSTD_CHUNK])
                at += _ZSTD_CHUNK
                room -= len(piece)
                if room < 0:
                    raise too_large(limit)
                pieces.append(piece)
            at = min(at, len(body)) - len(frame.unused_data)
            if at >= len(body):
                return b"".join(pieces)
    except zstandard.ZstdError as error:
        raise malformed(f"the body is not zstd: {error}") from None
    raise malformed(f"the body has more than {_MAX_MEMBERS} zstd frames; send one")
