"""The command ``otel-footprint sidecar`` for the integration tests: started as a user starts it, and ended in order."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from server_log import ServerLog

START_SECONDS: Final = 60
END_SECONDS: Final = 40
READY: Final = b"listens on"


@contextlib.contextmanager
def running_sidecar(configuration: Path, environ: Mapping[str, str]) -> Iterator[ServerLog]:
    """Start a sidecar and end it at the end of the block.

    Args:
        configuration: Its file.
        environ: The variables that the file names.

    Yields:
        Its log; it listens.

    Raises:
        RuntimeError: It ended or did not listen in time; the text holds its log.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "otel_footprint.cli", "sidecar", "--config", str(configuration)],
        env={**os.environ, **environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    log = ServerLog(process.stderr, READY)
    try:
        log.ready_or_ended.wait(START_SECONDS)
        if not log.ready:
            raise RuntimeError("the sidecar did not start:\n" + log.text())
        yield log
    finally:
        process.terminate()
        process.wait(END_SECONDS)
        log.close()
