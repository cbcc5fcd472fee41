"""Reading Parquet files of spans, as Phoenix's data frames are saved. It needs the extra ``parquet``."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

from otel_footprint.files.documents import Document
from otel_footprint.files.json_file import shape_of, translated
from otel_footprint.files.problems import Problem

MAX_TABLE_BYTES: Final = 1024 * 1024 * 1024
"""A file that unpacks to more, by what it says itself, is refused."""
_MAX_BATCH_BYTES: Final = 256 * 1024 * 1024
"""Bytes that the rows which are read at once may unpack to."""
_BATCH_ROWS: Final = 200
_IN_MEMORY: Final = 16 * 1024 * 1024
_MAGIC: Final = b"PAR1"
_COLUMNS_NAMED: Final = 6
_LONGEST_REASON: Final = 200


def begins_as_parquet(head: bytes) -> bool:
    """Whether the first bytes of a file are those of Parquet."""
    return head.startswith(_MAGIC)


def read_parquet(stream: BinaryIO, name: str) -> Iterator[Document | Problem]:
    """Read the spans of an open file, some rows at a time.

    Args:
        stream: The file, open for reading bytes. It is copied, because its index is at its end.
        name: What the file is called in a problem.

    Yields:
        A document for every few rows, and what is wrong.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 - needs the extra
    except ModuleNotFoundError:
        yield Problem(file=name, message="a Parquet file; pip install 'otel-footprint[parquet]' to read it")
        return
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as copy:
        shutil.copyfileobj(stream, copy)
        try:
            yield from _documents(copy, name)
        except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
            reason = str(error).partition("\n")[0][:_LONGEST_REASON]
            yield Problem(file=name, message=f"Parquet that cannot be read on: {reason}")


def _documents(copy: Any, name: str) -> Iterator[Document | Problem]:
    import pyarrow.parquet as pq  # noqa: PLC0415 - needs the extra

    table = pq.ParquetFile(copy)
    groups = range(table.metadata.num_row_groups)
    if sum(table.metadata.row_group(group).total_byte_size for group in groups) > MAX_TABLE_BYTES:
        yield Problem(file=name, message=f"unpacks to more than {MAX_TABLE_BYTES // 2**20} MiB; split it")
        return
    for batch in table.iter_batches(batch_size=_BATCH_ROWS):
        if batch.nbytes > _MAX_BATCH_BYTES:
            message = (
                f"{_BATCH_ROWS} of its rows are more than {_MAX_BATCH_BYTES // 2**20} MiB; what came first was read"
            )
            yield Problem(file=name, message=message)
            return
        rows = _rows(batch)
        shape = shape_of(rows)
        if shape is None:
            columns = ", ".join(repr(column) for column in batch.schema.names[:_COLUMNS_NAMED])
            yield Problem(
                file=name, message=f"a Parquet file whose rows are no spans; its columns begin with {columns}"
            )
            return
        yield from translated(shape, rows, name, None)


def _rows(batch: Any) -> Any:
    """The rows as JSON has them: times as nanoseconds, what else JSON does not know as text."""
    import pyarrow as pa  # noqa: PLC0415 - needs the extra

    for index, field in enumerate(batch.schema):
        if pa.types.is_timestamp(field.type):
            nanoseconds = batch.column(index).cast(pa.timestamp("ns", tz=field.type.tz)).cast(pa.int64())
            batch = batch.set_column(index, field.name, nanoseconds)
    return json.loads(json.dumps(batch.to_pylist(), default=str))
