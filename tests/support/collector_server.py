"""A real OpenTelemetry Collector for the integration tests, built by `make` as tests/backends says."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from server_log import ServerLog, binary_of, running_server

BINARY: Final = "COLLECTOR_BINARY"
READY: Final = b"Everything is ready"
# Several run at a time, and its own metrics would all be served on one port.
OWN: Final = ("--set=service.telemetry.metrics.level=none",)


def complaints(configuration: Path) -> str:
    """What the Collector says of a configuration that it does not take; empty if it takes it."""
    done = subprocess.run(
        [binary_of(BINARY), "validate", f"--config={configuration}"], capture_output=True, text=True, check=False
    )
    return done.stderr or done.stdout if done.returncode else ""


@contextlib.contextmanager
def running_collector(configuration: Path, environ: Mapping[str, str]) -> Iterator[ServerLog]:
    """Start a Collector and end it at the end of the block.

    Args:
        configuration: Its file.
        environ: The variables that the file names.

    Yields:
        Its log; it is ready.

    Raises:
        LookupError: There is no binary.
        RuntimeError: It ended or was not ready in time; the text holds its log.
    """
    command: list[str | Path] = [binary_of(BINARY), f"--config={configuration}", *OWN]
    with running_server(command, READY, environ={**os.environ, **environ}, in_order=True) as log:
        yield log
