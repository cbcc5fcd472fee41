"""Looks a store over, and takes over what can be read of a spoiled one.

Both are done in a process of its own (``__main__.py``), since a spoiled store can end the process that reads it.
"""

from __future__ import annotations

import errno
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from otel_footprint.sidecar.queue._environment import DATA_FILE, TABLES, open_environment
from otel_footprint.sidecar.queue._protocol import MAX_DESTINATIONS
from otel_footprint.sidecar.queue._record import KEY, LANES, entry_id, is_of_another_form, unpack

SPOILED: Final = "null"
"""What is printed instead of damaged records where the store is not whole."""
_SECONDS: Final = 600.0
_FATAL: Final = frozenset({signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL})
"""How a process ends that a spoiled store has ended."""
_SET_BYTES: Final = 8


class SpoiledError(Exception):
    """A table cannot be read to its end, or holds what was never written there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was found in a store."""

    whole: bool
    """Whether the tables can be read to their end."""
    damaged: tuple[int, ...] = ()
    """Ids of records whose checksum does not fit; known only if the rest is whole."""


def examine(directory: Path) -> Finding:
    """Look the store in a directory over; where there is none yet, that is whole.

    Raises:
        OSError: that cannot be told: the file cannot be read, or the process that looks at it cannot do its work.
    """
    if not (directory / DATA_FILE).exists():
        return Finding(whole=True)
    with (directory / DATA_FILE).open("rb"):
        # one that may not be read is not spoiled
        pass
    done = _run(str(directory))
    if done is None:
        raise TimeoutError(errno.ETIMEDOUT, f"{directory}: it took more than {_SECONDS:.0f} s to look it over")
    said = done.stdout.decode(errors="replace").strip()
    if -done.returncode in _FATAL or (done.returncode == 1 and said == SPOILED):
        return Finding(whole=False)
    if done.returncode != 0:
        why = done.stderr.decode(errors="replace").strip().rpartition("\n")[2] or f"exit code {done.returncode}"
        raise OSError(errno.EIO, f"{directory}: it could not be looked over: {why}")
    return Finding(whole=True, damaged=tuple(json.loads(said)))


def take_over(source: Path, target: Path, *, max_bytes: int) -> None:
    """Copy what can be read of a spoiled store into a new one, first from the beginning, then from the end.

    Raises:
        OSError: no process can be started.
    """
    for direction in ((), ("--backward",)):
        _run(str(source), "--into", str(target), "--max-bytes", str(max_bytes), *direction)


def _run(*arguments: str) -> subprocess.CompletedProcess[bytes] | None:
    command = [sys.executable, "-m", __package__, *arguments]
    try:
        return subprocess.run(  # noqa: S603 - ourselves
            command, capture_output=True, stdin=subprocess.DEVNULL, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return None


def damaged_records(directory: Path) -> list[int]:
    """The ids of the records whose checksum does not fit.

    Raises:
        SpoiledError: what is around them is not whole.
        lmdb.Error: the same, as LMDB notices it.
    """
    damaged: list[int] = []
    environment = _read_only(directory)
    with environment.begin(buffers=True) as txn:
        for table in TABLES:
            handle = environment.open_db(table, txn=txn, create=False)
            count = 0
            last = b""
            for key, value in txn.cursor(handle):
                name = bytes(key)
                if name <= last or not _fits(table, name, value):
                    raise SpoiledError(f"{table.decode()} holds what was never written there")
                if table == b"entries" and unpack(name, value) is None:
                    if is_of_another_form(name, value):
                        # not damaged, so not to be taken out: set aside it waits for the version that wrote it
                        raise SpoiledError("another version wrote records that this one does not know")
                    damaged.append(entry_id(*KEY.unpack(name)))
                last = name
                count += 1
            if count != txn.stat(handle)["entries"]:
                raise SpoiledError(f"{table.decode()} cannot be read to its end")
    return damaged


def copy_records(source: Path, target: Path, *, max_bytes: int, backward: bool) -> None:
    """Copy the records that can be read, each kept at once, until the end or a fatal one.

    Raises:
        lmdb.Error: no more can be read or written.
    """
    old = _read_only(source)
    new = open_environment(target, max_bytes=max_bytes, fsync="never")
    tables = {table: (old.open_db(table, create=False), new.open_db(table)) for table in reversed(TABLES)}
    with old.begin(buffers=True) as txn:
        for table, (old_table, new_table) in tables.items():
            for key, value in _walk(txn.cursor(old_table), backward=backward):
                whole = unpack(key, value) is not None if table == b"entries" else _fits(table, key, value)
                if whole:
                    with new.begin(write=True, db=new_table) as write:
                        write.put(key, bytes(value))


def _walk(cursor: Any, *, backward: bool) -> Iterator[tuple[bytes, memoryview]]:
    for key, value in cursor.iterprev() if backward else cursor.iternext():
        yield bytes(key), value


def _read_only(directory: Path) -> Any:
    size = (directory / DATA_FILE).stat().st_size
    return open_environment(directory, max_bytes=max(size, 1 << 20), fsync="never", read_only=True)


def _fits(table: bytes, key: bytes, value: memoryview) -> bool:
    """Whether such a key and value are ever written to this table; a checksum is not looked at."""
    if table == b"names":
        return len(value) == 1 and value[0] < MAX_DESTINATIONS and _is_text(key)
    if len(key) != KEY.size or key[0] >= len(LANES):
        return False
    return table == b"entries" or len(value) == _SET_BYTES


def _is_text(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True
