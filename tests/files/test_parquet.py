"""Parquet files of spans."""

from __future__ import annotations

import datetime as dt
import io
import sys
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import DATA, attributes, read, span, spans

from otel_footprint.files import parquet

TRACE = "4a1b2c3d4e5f60718293a4b5c6d7e8f9"
REAL = (DATA / "exports" / "phoenix_dataframe.parquet").read_bytes()
START = 1796042861784656123


def table(columns: dict[str, Any], **options: Any) -> bytes:
    written = io.BytesIO()
    pq.write_table(pa.table(columns), written, **options)
    return written.getvalue()


def rows(count: int, **columns: Any) -> dict[str, Any]:
    return {
        "context.trace_id": [TRACE] * count,
        "context.span_id": [f"{index:016x}" for index in range(1, count + 1)],
        "name": ["op"] * count,
        **columns,
    }


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
def test_a_time_is_read_in_every_unit(unit: str, zone: str | None) -> None:
    size = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[unit]
    times = pa.array([START // size], pa.timestamp(unit, zone))
    assert span(table(rows(1, start_time=times))).start_ns == START // size * size


def test_many_rows_are_read_some_at_a_time() -> None:
    found = spans(table(rows(1_000), row_group_size=300))
    assert [view.span_id for view in found] == [f"{index:016x}" for index in range(1, 1_001)]


def test_flat_spans_in_columns_are_read() -> None:
    columns = {"trace_id": [TRACE], "span_id": ["00000000000000a1"], "name": ["op"], "start_time": [START]}
    assert span(table(columns)).start_ns == START


def test_values_that_json_does_not_know_become_text() -> None:
    columns = rows(1, **{"attributes.day": [dt.date(2026, 1, 2)], "attributes.n": pa.array([7], pa.int64())})
    assert attributes(span(table(columns))) == {"day": "2026-01-02", "n": 7}


def test_a_table_without_spans_names_its_columns() -> None:
    found, problems = read(table({"a": [1], "b": [2]}))
    assert found == []
    assert [str(problem) for problem in problems] == [
        "file: a Parquet file whose rows are no spans; its columns begin with 'a', 'b'"
    ]


def test_a_table_that_says_it_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "MAX_TABLE_BYTES", 100)
    found, problems = read(REAL)
    assert found == []
    assert "unpacks to more than" in str(problems[0])


def test_rows_that_unpack_to_too_much_are_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "_MAX_BATCH_BYTES", 100_000)
    columns = rows(400, **{"attributes.x": [""] * 200 + ["x" * 1_000] * 200})
    found, problems = read(table(columns, compression="zstd"))
    assert len(found) == 200
    assert "what came first was read" in str(problems[0])


def test_without_the_extra_the_problem_tells_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    found, problems = read(REAL)
    assert found == []
    assert "pip install 'otel-footprint[parquet]'" in str(problems[0])


@pytest.mark.parametrize("data", [b"PAR1", b"PAR1\x15\x00", REAL[:-10], REAL[: len(REAL) // 2], REAL[:4] + REAL[-200:]])
def test_a_damaged_file_is_named(data: bytes) -> None:
    _, problems = read(data)
    assert problems[-1].lost
    assert "Parquet that cannot be read on" in str(problems[-1])


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_no_damage_raises(data: st.DataObject) -> None:
    small = table(rows(3, start_time=pa.array([START] * 3, pa.timestamp("ns"))))
    at = data.draw(st.integers(4, len(small) - 1))
    noise = data.draw(st.binary(min_size=1, max_size=4))
    read(small[:at] + noise + small[at + len(noise) :])
