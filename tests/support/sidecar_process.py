"""The command ``otel-footprint sidecar`` for the integration tests: started as a user starts it, and ended in order."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from server_log import ServerLog, running_server

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
    command = [sys.executable, "-m", "otel_footprint.cli", "sidecar", "--config", str(configuration)]
    with running_server(command, READY, environ={**os.environ, **environ}, in_order=True) as log:
        yield log
