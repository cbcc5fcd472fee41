"""What the real servers of the tests share: where they are, their start and end, and their log."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Final

START_SECONDS: Final = 300
STOP_SECONDS: Final = 40


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


@contextlib.contextmanager
def running_server(
    command: Sequence[str | Path],
    ready: bytes,
    *,
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
    in_order: bool = False,
) -> Iterator[ServerLog]:
    """Start a server and end it at the end of the block.

    Args:
        command: What is started.
        ready: What stands in the line of its log, on standard error, that says it is ready.
        environ: All of its variables; by default those of the tests.
        folder: Where it is started.
        in_order: Ask it to end, so that what it has is sent, instead of killing it.

    Yields:
        Its log; it is ready.

    Raises:
        RuntimeError: It ended or was not ready in time; the text holds its log.
    """
    process = subprocess.Popen(
        command,
        env=environ,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    log = ServerLog(process.stderr, ready)
    try:
        log.ready_or_ended.wait(START_SECONDS)
        if not log.ready:
            raise RuntimeError(f"{Path(command[0]).name} did not start:\n{log.text()}")
        yield log
        if in_order:
            process.terminate()
            process.wait(STOP_SECONDS)
    finally:
        process.kill()
        process.wait(STOP_SECONDS)
        log.close()
