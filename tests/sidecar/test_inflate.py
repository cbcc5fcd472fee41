"""Uncompressing what a sender sent: every member, and never more than is allowed (P8)."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Callable

import pytest
import zstandard

from otel_footprint.sidecar.inflate import inflated
from otel_footprint.sidecar.refusals import RefusedError

MIB = 1024 * 1024
TEXT = b"some text, again and again; " * 10_000


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("", TEXT),
        ("identity", TEXT),
        ("gzip", gzip.compress(TEXT, mtime=0)),
        ("GZip ", gzip.compress(TEXT, mtime=0)),
        ("x-gzip", gzip.compress(TEXT, mtime=0)),
        ("gzip", b"".join(gzip.compress(TEXT[at : at + 50_000], mtime=0) for at in range(0, len(TEXT), 50_000))),
        ("gzip", gzip.compress(b"", mtime=0) + gzip.compress(TEXT, mtime=0)),
        ("zstd", zstandard.compress(TEXT)),
        ("zstd", zstandard.compress(TEXT[:1000]) + zstandard.compress(TEXT[1000:])),
    ],
)
def test_every_member_and_frame_is_read(encoding: str, body: bytes) -> None:
    assert inflated(body, encoding, len(TEXT)) == TEXT


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_an_empty_body_stays_empty(encoding: str) -> None:
    body = gzip.compress(b"") if encoding == "gzip" else zstandard.compress(b"")
    assert inflated(body, encoding, 10) == b""


@pytest.mark.parametrize("encoding", ["", "gzip", "zstd"])
@pytest.mark.parametrize(("size", "fits"), [(99, True), (100, True), (101, False)])
def test_the_limit_is_what_comes_out(encoding: str, size: int, *, fits: bool) -> None:
    plain = b"x" * size
    body = {"": plain, "gzip": gzip.compress(plain), "zstd": zstandard.compress(plain)}[encoding]
    if fits:
        assert inflated(body, encoding, 100) == plain
    else:
        with pytest.raises(RefusedError) as caught:
            inflated(body, encoding, 100)
        assert caught.value.http_status == 413


BOMBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "gzip": ("gzip", lambda: gzip.compress(bytes(256 * MIB), 1)),
    "members": ("gzip", lambda: gzip.compress(bytes(MIB)) * 4_000),
    "zstd": ("zstd", lambda: zstandard.compress(bytes(256 * MIB))),
    "frames": ("zstd", lambda: zstandard.compress(bytes(MIB)) * 4_000),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_takes_no_more_memory_than_the_limit_allows(bomb: str) -> None:
    encoding, make = BOMBS[bomb]
    body = make()
    tracemalloc.start()
    try:
        with pytest.raises(RefusedError) as caught:
            inflated(body, encoding, 8 * MIB)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert caught.value.http_status == 413
    assert peak < 32 * MIB


@pytest.mark.parametrize(
    ("encoding", "empty"), [("gzip", gzip.compress(b"", mtime=0)), ("zstd", zstandard.compress(b""))]
)
def test_members_that_hold_nothing_end_too(encoding: str, empty: bytes) -> None:
    with pytest.raises(RefusedError) as caught:
        inflated(empty * 5_000, encoding, MIB)
    assert caught.value.http_status == 400


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", b"not gzip"),
        ("gzip", gzip.compress(TEXT, mtime=0)[:-1]),
        ("gzip", gzip.compress(TEXT, mtime=0)[:50]),
        ("gzip", gzip.compress(TEXT, mtime=0) + b"trailing"),
        ("gzip", b""),
        ("gzip", zlib.compress(TEXT)),
        ("zstd", b"not zstd"),
    ],
)
def test_what_is_not_compressed_as_it_says_is_refused_for_good(encoding: str, body: bytes) -> None:
    with pytest.raises(RefusedError) as caught:
        inflated(body, encoding, MIB)
    assert (caught.value.http_status, caught.value.retry_seconds) == (400, None)


def test_a_zstd_body_that_is_cut_off_is_refused() -> None:
    with pytest.raises(RefusedError) as caught:
        inflated(zstandard.compress(TEXT)[:-5], "zstd", MIB)
    assert caught.value.http_status == 400


@pytest.mark.parametrize("encoding", ["br", "deflate", "gzip, gzip", "snappy"])
def test_an_encoding_that_is_not_known_is_refused_with_those_that_are(encoding: str) -> None:
    with pytest.raises(RefusedError, match="use identity, gzip, x-gzip, zstd") as caught:
        inflated(b"x", encoding, MIB)
    assert caught.value.http_status == 415
