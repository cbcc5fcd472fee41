"""The way to a queue that works, whatever is found on the disk."""

from __future__ import annotations

import fcntl
import itertools
import logging
import os
import shutil
from pathlib import Path
from typing import Final

import lmdb

from otel_footprint.sidecar.queue._examine import examine, take_over
from otel_footprint.sidecar.queue._lmdb import LmdbQueue
from otel_footprint.sidecar.queue._memory import MemoryQueue
from otel_footprint.sidecar.queue._protocol import Fsync, Queue

_log = logging.getLogger("otel_footprint.sidecar")

STORE: Final = "store"
"""The folder of the store inside the queue's directory, so that it can be renamed on a mounted volume."""


def open_queue(directory: Path | None, *, max_bytes: int, memory_bytes: int, fsync: Fsync = "never") -> Queue:
    """The queue in a directory; in memory without one, or if the directory cannot be used.

    A store that is spoiled is neither written to nor deleted: its folder is renamed (``store.spoiled-1``, ``-2``, …),
    what can be read of it is taken over into a new one, and the statistics say where it lies. Whatever keeps requests
    from outliving the process is said in the log and in the statistics.

    It may take a while: every record is read and its checksum compared.

    Args:
        directory: for one sidecar alone; made if it is not there. ``None`` for a queue in memory.
        max_bytes: the size of the file on disk at the most.
        memory_bytes: the size of a queue in memory at the most.
        fsync: see :data:`Fsync`.

    Raises:
        ValueError: ``max_bytes`` is too small to hold anything.
    """
    if directory is None:
        _log.warning("no queue directory is set: acknowledged requests are in memory, and lost with this process")
        return MemoryQueue(max_bytes=memory_bytes)
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        owner = _own(directory)
    except OSError as error:
        return _instead(directory, error, memory_bytes)
    set_aside: Path | None = None
    store = directory / STORE
    try:
        new = store.with_name(f"{STORE}.new")
        if new.exists() and not store.exists():
            # an earlier start ended between its last two steps
            new.rename(store)
        finding = examine(store)
        if not finding.whole:
            # the spoiled one keeps its place until the new one has all, or a start that is killed would lose it
            shutil.rmtree(new, ignore_errors=True)
            new.mkdir(mode=0o700)
            take_over(store, new, max_bytes=max_bytes)
            set_aside = _set_aside(store)
            new.rename(store)
            _log.error("%s was spoiled and is %s now; what could be read of it was taken over", store, set_aside)
        store.mkdir(mode=0o700, exist_ok=True)
        return LmdbQueue(
            store,
            max_bytes=max_bytes,
            fsync=fsync,
            set_aside=str(set_aside) if set_aside else None,
            spoiled=finding.damaged,
            owner=owner,
        )
    except (OSError, lmdb.Error) as error:
        os.close(owner)
        return _instead(directory, error, memory_bytes, set_aside)
    except ValueError:
        os.close(owner)
        raise


def _own(directory: Path) -> int:
    """A handle that keeps other sidecars out until it is closed, or the process ends.

    Raises:
        OSError: the directory cannot be opened, or another process has it.
    """
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(handle)
        raise OSError(error.errno, "another process uses this queue") from error
    except OSError:
        os.close(handle)
        raise
    return handle


def _set_aside(store: Path) -> Path:
    for number in itertools.count(1):
        aside = store.with_name(f"{STORE}.spoiled-{number}")
        if not aside.exists():
            break
    store.rename(aside)
    return aside


def _instead(directory: Path, error: Exception, memory_bytes: int, set_aside: Path | None = None) -> MemoryQueue:
    problem = f"{directory}: {getattr(error, 'strerror', None) or error}"
    _log.error("the queue is in memory, and lost with this process, since its directory cannot be used: %s", problem)
    return MemoryQueue(max_bytes=memory_bytes, problem=problem, set_aside=str(set_aside) if set_aside else None)
