"""What the real servers of the tests share: where they are, and their log, watched for the line that says ready."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import IO, Final

STOP_SECONDS: Final = 20


def binary_of(variable: str) -> Path:
    """The server that a variable names.

    Raises:
        LookupError: It names none.
    """
    path = Path(os.environ.get(variable, ""))
    if not path.is_file():
        raise LookupError(f"{variable} names no file: run these tests by `make integration`, which builds it")
    return path


class ServerLog:
    """Drains a process's log, so that it never blocks on a full pipe, and notices the line that says it is ready.

    Args:
        stream: The process's log.
        ready: What stands in the line that says it is ready.
    """

    def __init__(self, stream: IO[bytes], ready: bytes) -> None:
        self.lines: list[bytes] = []
        self.ready_or_ended = threading.Event()
        self.ready = False
        self._said_when_ready = ready
        self._stream = stream
        self._thread = threading.Thread(target=self._drain, name="server-log", daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        for line in self._stream:
            self.lines.append(line)
            if self._said_when_ready in line:
                self.ready = True
                self.ready_or_ended.set()
        self.ready_or_ended.set()

    def text(self) -> str:
        """What was logged so far."""
        return b"".join(self.lines).decode(errors="replace")

    def close(self) -> None:
        """Wait for the end of the log, which the end of its process is."""
        self._thread.join(STOP_SECONDS)
        self._stream.close()
