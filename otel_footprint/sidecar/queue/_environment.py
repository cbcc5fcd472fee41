"""How a store's files are opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import lmdb

from otel_footprint.sidecar.queue._protocol import Fsync

TABLES: Final = (b"entries", b"taken", b"names")
DATA_FILE: Final = "data.mdb"
_MAX_READERS: Final = 512


def open_environment(directory: Path, *, max_bytes: int, fsync: Fsync, read_only: bool = False) -> Any:
    """The store in this directory, which exists.

    Args:
        directory: where the files are, or will be unless ``read_only``.
        max_bytes: the size of the data file at the most; a file that is larger already stays so.
        fsync: when the disk is asked to keep what was written.
        read_only: no file is made or changed.

    Raises:
        lmdb.Error: it cannot be opened.
    """
    return lmdb.open(
        str(directory),
        map_size=max_bytes,
        max_dbs=len(TABLES),
        max_readers=_MAX_READERS,
        mode=0o600,
        sync=fsync == "always",
        metasync=fsync == "always",
        readonly=read_only,
        lock=not read_only,
        create=not read_only,
        meminit=False,
    )
