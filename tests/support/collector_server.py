"""A real OpenTelemetry Collector for the integration tests, built by `make` as tests/backends says."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from server_log import STOP_SECONDS, ServerLog, binary_of

BINARY: Final = "COLLECTOR_BINARY"
START_SECONDS: Final = 60
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
    process = subprocess.Popen(
        [binary_of(BINARY), f"--config={configuration}", *OWN],
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
            raise RuntimeError("the Collector did not start:\n" + log.text())
        yield log
    finally:
        # in order, so that what it has batched is sent
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(STOP_SECONDS)
        log.close()
