"""Compressed files: unpacked as they are read, bounded, and damaged in every way."""

from __future__ import annotations

import gzip
import io
import json
import sys
import tracemalloc
from collections.abc import Callable

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from reading import DATA, as_otlp, explained, read

from otel_footprint.files import compressed
from otel_footprint.files.formats import read_documents

TRACE = "4a1b2c3d4e5f60718293a4b5c6d7e8f9"
DUMP = (DATA / "spans" / "vercel_ai_v7.otlp.json").read_bytes()

Pack = Callable[[bytes], bytes]


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


def zstd_stream(data: bytes) -> bytes:
    """Without the length of the content in its header, as a stream is written."""
    packer = zstandard.ZstdCompressor().compressobj()
    return packer.compress(data) + packer.flush()


CODECS: list[Pack] = [gzip.compress, zstd, zstd_stream]


def line(index: int) -> bytes:
    span = {"traceId": TRACE, "spanId": f"{index:016x}", "name": f"span {index}"}
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode() + b"\n"


def message(index: int) -> bytes:
    request = ExportTraceServiceRequest()
    span = request.resource_spans.add().scope_spans.add().spans.add(name=f"span {index}")
    span.trace_id, span.span_id = bytes.fromhex(TRACE), index.to_bytes(8)
    return request.SerializeToString()


def names(data: bytes) -> list[str]:
    return [view.name for view in read(data)[0]]


def problems(data: bytes) -> list[str]:
    return [str(problem) for problem in read(data)[1]]


@pytest.mark.parametrize("pack", CODECS)
def test_a_compressed_file_says_what_is_in_it(pack: Pack) -> None:
    assert explained(pack(DUMP)) == explained(DUMP)
    assert as_otlp(pack(DUMP)) == as_otlp(DUMP)


@pytest.mark.parametrize("pack", CODECS)
def test_a_compressed_file_may_hold_any_format(pack: Pack) -> None:
    whole = message(1)
    assert names(pack(whole)) == ["span 1"]
    assert names(pack(len(whole).to_bytes(4) + whole)) == ["span 1"]
    assert len(names(pack((DATA / "exports" / "phoenix_dataframe.parquet").read_bytes()))) == 9


@pytest.mark.parametrize("pack", CODECS)
@pytest.mark.parametrize("between", [b"", b"\x00" * 5, b"\x00" * 10_000])
def test_members_are_read_one_after_the_other(pack: Pack, between: bytes) -> None:
    both = line(1) + line(2)
    # a line may begin in one member and end in the next
    data = between.join([pack(both[:10]), pack(b""), pack(both[10:]), pack(line(3))]) + between
    assert names(data) == ["span 1", "span 2", "span 3"]
    assert problems(data) == []


def test_a_zstd_frame_with_nothing_to_unpack_is_passed_over() -> None:
    skippable = b"\x50\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"any."
    assert names(skippable + zstd(line(1)) + skippable) == ["span 1"]


@pytest.mark.parametrize("pack", CODECS)
def test_of_a_file_that_is_cut_off_what_is_there_is_read(pack: Pack) -> None:
    data = pack(line(1) * 3) + pack(line(2))
    assert names(data[:-8]) == ["span 1"] * 3 + ["span 2"] * (names(data[:-8]).count("span 2"))
    assert "cut off" in problems(data[:-8])[-1]


@pytest.mark.parametrize("pack", CODECS)
def test_what_follows_and_is_not_compressed_is_named(pack: Pack) -> None:
    data = pack(line(1)) + b"something else"
    assert names(data) == ["span 1"]
    assert "something else and was passed over" in problems(data)[-1]


NO_BLOCK: dict[Pack, bytes] = {
    gzip.compress: b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x07",
    zstd: b"\x28\xb5\x2f\xfd\x00\x58\xff\xff\xff",
}
"""A header, and a block of a kind that there is none of."""


@pytest.mark.parametrize("pack", NO_BLOCK)
def test_what_comes_before_damage_is_read(pack: Pack) -> None:
    data = pack(line(1)) + NO_BLOCK[pack] + bytes(20)
    assert names(data) == ["span 1"]
    assert "damaged" in problems(data)[-1]


def test_a_wrong_checksum_is_damage() -> None:
    data = bytearray(gzip.compress(line(1)))
    data[-8] ^= 1
    assert "damaged" in problems(bytes(data))[-1]


@pytest.mark.parametrize("pack", CODECS)
def test_what_is_compressed_twice_is_refused_by_name(pack: Pack) -> None:
    assert problems(gzip.compress(pack(line(1)))) == ["file: compressed twice; decompress it once"]


@pytest.mark.parametrize("data", [gzip.compress(b"", mtime=0), zstd(b"")])
def test_a_compressed_file_with_nothing_in_it_is_empty(data: bytes) -> None:
    assert problems(data) == ["file: empty"]


@pytest.mark.parametrize("pack", CODECS)
@pytest.mark.parametrize("unit", [b"[", b'{"a":', b"[],", line(1)])
def test_a_small_file_that_would_become_a_huge_one_is_cut_off_and_named(
    pack: Pack, unit: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compressed, "FREE_BYTES", 2**18)
    monkeypatch.setattr(compressed, "MAX_RATIO", 20)
    size = 2**23
    data = pack(unit * (size // len(unit)))
    tracemalloc.start()
    found = problems(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "as no trace does" in found[-1]
    assert peak < size * 3


def test_many_tiny_members_take_no_longer_than_their_bytes() -> None:
    data = gzip.compress(b"") * 20_000 + gzip.compress(line(1))
    assert names(data) == ["span 1"]


def test_a_zstd_window_past_the_bound_is_refused() -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=28, enable_ldm=True)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    assert "damaged" in problems(packer.compress(line(1)) + packer.flush())[-1]


def test_without_the_zstd_package_the_problem_tells_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    whole = zstd_stream(line(1))
    for data in (whole, len(whole).to_bytes(4) + whole):
        assert names(data) == []
        assert "pip install 'otel-footprint[cli]'" in problems(data)[-1]


# --- a Collector's records -----------------------------------------------------------------------


def records(*contents: bytes) -> bytes:
    return b"".join(len(packed).to_bytes(4) + packed for packed in map(zstd, contents))


@pytest.mark.parametrize("make", [line, message])
def test_records_of_a_collector_are_read(make: Callable[[int], bytes]) -> None:
    data = records(*(make(index).rstrip() for index in (1, 2, 3)))
    assert names(data) == ["span 1", "span 2", "span 3"]
    assert problems(data) == []


@pytest.mark.parametrize("make", [line, message])
def test_a_damaged_record_costs_only_itself(make: Callable[[int], bytes]) -> None:
    contents = [zstd(make(index).rstrip()) for index in (1, 2, 3)]
    contents[1] = contents[1][:8] + b"\xff" * (len(contents[1]) - 8)
    data = b"".join(len(packed).to_bytes(4) + packed for packed in contents)
    assert names(data) == ["span 1", "span 3"]
    assert problems(data)[-1].startswith("file:2: this record is damaged")


@pytest.mark.parametrize("make", [line, message])
def test_a_last_record_that_is_cut_off_is_named(make: Callable[[int], bytes]) -> None:
    data = records(*(make(index).rstrip() for index in (1, 2)))
    assert names(data[:-3])[0] == "span 1"
    assert "file:2: this record is cut off" in problems(data[:-3])[-1]
    assert "file:3: this record is cut off" in problems(data + b"\x00\x00")[-1]
    assert "file:3: from here on there are no records" in problems(data + b"\xff\x00")[-1]


def test_a_record_in_json_says_its_number() -> None:
    data = records(line(1).rstrip(), b"not json", line(3).rstrip())
    assert names(data) == ["span 1", "span 3"]
    assert problems(data) == ["file:2: not JSON: 'not json'"]


# --- whatever comes ------------------------------------------------------------------------------


@given(st.data())
def test_no_damage_to_a_compressed_file_raises(data: st.DataObject) -> None:
    packs: list[Pack] = [gzip.compress, zstd, records]
    pack = data.draw(st.sampled_from(packs))
    whole = pack(line(1) + line(2))
    at = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(at, len(whole)))
    noise = data.draw(st.binary(max_size=4))
    for item in read_documents(io.BytesIO(whole[:at] + noise + whole[end:]), "file"):
        assert item is not None
