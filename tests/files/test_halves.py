"""Rotated files: a record that one file ends in the middle of and the next goes on with."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from otel_footprint.config import Config
from otel_footprint.files import Record, Source, annotate_files, explain_files, halves
from otel_footprint.files.proto_json import otlp_json


def message(number: int) -> TracesData:
    """A request with one span."""
    made = TracesData()
    made.resource_spans.add().scope_spans.add().spans.add(
        trace_id=bytes([7]) * 16,
        span_id=bytes([number]) * 8,
        name=f"span \N{GREEK SMALL LETTER ALPHA} {number}",
        start_time_unix_nano=number,
        end_time_unix_nano=number + 1,
    )
    return made


def as_lines(count: int) -> bytes:
    return b"".join(json.dumps(otlp_json(message(n)), ensure_ascii=False).encode() + b"\n" for n in range(1, count + 1))


def as_protobuf(count: int) -> bytes:
    return b"".join(_with_length(message(n).SerializeToString()) for n in range(1, count + 1))


def as_zstd(count: int) -> bytes:
    pack = zstandard.ZstdCompressor().compress
    return b"".join(_with_length(pack(message(n).SerializeToString())) for n in range(1, count + 1))


def as_zstd_lines(count: int) -> bytes:
    pack = zstandard.ZstdCompressor().compress
    return b"".join(_with_length(pack(line)) for line in as_lines(count).splitlines())


def _with_length(data: bytes) -> bytes:
    return len(data).to_bytes(4) + data


FORMS: dict[str, Callable[[int], bytes]] = {
    "lines": as_lines,
    "protobuf": as_protobuf,
    "zstd": as_zstd,
    "zstd lines": as_zstd_lines,
}


def sources(files: Sequence[bytes]) -> list[Source]:
    return [Source.of_bytes(f"file{index}", data) for index, data in enumerate(files)]


def record_of(*files: bytes) -> Record:
    return explain_files(sources(files), Config())


def written(*files: bytes) -> list[str]:
    """The first byte of the ids of the spans that ``--format otlp`` writes, in order."""
    inputs = sources(files)
    texts = annotate_files(inputs, explain_files(inputs, Config()), Config())
    return [
        span["spanId"][:2]
        for text in texts
        for group in json.loads(text)["resourceSpans"]
        for scope_group in group.get("scopeSpans", ())
        for span in scope_group.get("spans", ())
    ]


@pytest.mark.parametrize("form", FORMS)
def test_two_halves_are_one_record_wherever_the_cut_is(form: str) -> None:
    whole = FORMS[form](3)
    first = len(FORMS[form](1))
    for cut in range(first, len(FORMS[form](2)) + 1):
        files = whole[:cut], whole[cut:]
        record = record_of(*files)
        assert [str(problem) for problem in record.problems] == [], cut
        assert record.spans == 3
        assert written(*files) == ["01", "02", "03"]


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_a_record_may_be_cut_at_the_end_of_each_file(form: str, data: st.DataObject) -> None:
    whole = FORMS[form](6)
    ends = [len(FORMS[form](n)) for n in (2, 4)]
    first = data.draw(st.integers(ends[0] - 20, ends[0] + 20))
    second = data.draw(st.integers(ends[1] - 20, ends[1] + 20))
    files = whole[:first], whole[first:second], whole[second:]
    assert record_of(*files).spans == 6
    assert written(*files) == ["01", "02", "03", "04", "05", "06"]


def test_a_compressed_half_and_a_plain_one_are_one_record() -> None:
    whole = as_lines(3)
    cut = len(as_lines(1)) + 40
    assert record_of(gzip.compress(whole[:cut]), whole[cut:]).problems == ()


@pytest.mark.parametrize("form", ["lines", "protobuf"])
def test_files_in_another_order_lose_one_record_and_say_so(form: str) -> None:
    whole = FORMS[form](5)
    cut = len(FORMS[form](2)) + 30
    record = record_of(whole[cut:], whole[:cut])
    assert record.incomplete
    assert {problem.file for problem in record.problems if problem.lost} == {"file0", "file1"}
    assert written(whole[cut:], whole[:cut]) == ["04", "05", "01", "02"]


@pytest.mark.parametrize("form", ["lines", "protobuf"])
def test_a_second_half_alone_costs_no_more_than_its_first_record(form: str) -> None:
    whole = FORMS[form](4)
    for cut in range(len(FORMS[form](1)) + 5, len(FORMS[form](2)) - 1):
        record = record_of(whole[cut:])
        # What is cut off may be so little that all of the span is there.
        assert record.spans in {2, 3}, cut
        assert record.incomplete


@pytest.mark.parametrize("form", FORMS)
def test_a_first_half_alone_is_named_and_the_rest_is_kept(form: str) -> None:
    record = record_of(FORMS[form](3)[:-30])
    assert record.incomplete
    assert record.spans == 2
    assert all(problem.file == "file0" for problem in record.problems)


@pytest.mark.parametrize("form", FORMS)
def test_a_whole_file_is_not_taken_for_the_rest_of_another(form: str) -> None:
    for cut in range(len(FORMS[form](1)) + 1, len(FORMS[form](2)) - 1):
        record = record_of(FORMS[form](2)[:cut], FORMS[form](3))
        assert record.incomplete
        assert record.spans - 3 in {1, 2}, cut


def test_a_half_at_the_end_of_a_file_is_named_before_what_is_wrong_with_the_next() -> None:
    record = record_of(as_lines(2)[:-30], b"not json\n" + as_lines(1))
    assert [(problem.file, problem.line) for problem in record.problems] == [("file0", 2), ("file1", 1)]


def test_the_line_of_a_problem_counts_the_half_before_it() -> None:
    whole = as_lines(2) + b"not json\n"
    cut = len(as_lines(1)) + 30
    assert [(p.file, p.line) for p in record_of(whole[:cut], whole[cut:]).problems] == [("file1", 2)]


def test_a_half_that_is_too_long_to_be_kept_is_read_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(halves, "MAX_HALF", 20)
    whole = as_lines(3)
    cut = len(as_lines(1)) + 40
    record = record_of(whole[:cut], whole[cut:])
    assert (record.spans, len(record.problems)) == (2, 2)


def test_a_file_that_holds_half_a_record_only_is_no_file_without_spans() -> None:
    whole = as_protobuf(1)
    assert record_of(whole[:60], whole[60:]).problems == ()
    assert any("in the middle of a request" in str(problem) for problem in record_of(whole[:60]).problems)


@given(first=st.binary(max_size=60), second=st.binary(max_size=60), form=st.sampled_from([*FORMS]), data=st.data())
@settings(max_examples=150, deadline=None)
def test_no_bytes_at_a_cut_raise(first: bytes, second: bytes, form: str, data: st.DataObject) -> None:
    whole = FORMS[form](2)
    cut = data.draw(st.integers(0, len(whole)))
    files = whole[:cut] + first, second + whole[cut:]
    inputs = sources(files)
    for text in annotate_files(inputs, explain_files(inputs, Config()), Config()):
        # What a cut leaves may be a form of OTLP JSON itself, such as a list of groups.
        assert isinstance(json.loads(text), dict | list)
