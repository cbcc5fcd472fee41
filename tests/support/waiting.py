"""Waiting for what another process does."""

from __future__ import annotations

import time
from collections.abc import Callable

WAIT_SECONDS = 60.0


def wait_for(holds: Callable[[], bool]) -> None:
    """Ask until it holds.

    Raises:
        TimeoutError: It did not within :data:`WAIT_SECONDS`.
    """
    end = time.monotonic() + WAIT_SECONDS
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError("it did not come true in time")
        time.sleep(0.1)
