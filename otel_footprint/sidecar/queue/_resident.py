"""Pages of the store that were read count as the process's memory until they are given back.

LMDB reads through a mapping of the whole file, and never unmaps: after a backlog of a gigabyte was sent, the process
would look a gigabyte large for ever. Giving pages back costs no data: they are the file's, and are mapped again when
they are read again.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Final

RELEASE_AFTER_BYTES: Final = 16 * 1024 * 1024
"""What may be read until pages are given back."""
_MAPS: Final = Path("/proc/self/maps")
_ADVICE: Final = getattr(mmap, "MADV_DONTNEED", None)


class ResidentPages:
    """The pages of one mapped file. Where the system cannot tell or take them, nothing is done.

    Args:
        file: as the process has mapped it.
    """

    def __init__(self, file: Path) -> None:
        self._file = str(file.resolve())
        self._read = 0

    def were_read(self, size: int) -> None:
        """Count bytes that were read, and give pages back from time to time."""
        self._read += size
        if self._read >= RELEASE_AFTER_BYTES:
            self._read = 0
            self._release()

    def _release(self) -> None:
        if _ADVICE is None:
            return
        try:
            advise = ctypes.CDLL(None).madvise
            for start, end in self._ranges():
                advise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), _ADVICE)
        except (OSError, AttributeError):
            return

    def _ranges(self) -> Iterator[tuple[int, int]]:
        for line in _MAPS.read_text(encoding="utf-8", errors="surrogateescape").splitlines():
            place, _, rest = line.partition(" ")
            if rest.endswith(f" {self._file}"):
                start, end = place.split("-")
                yield int(start, 16), int(end, 16)
