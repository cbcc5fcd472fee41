"""Long work of the event loop in slices, so that what is small does not wait for what is large."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator
from typing import Final, TypeVar

T = TypeVar("T")

SLICE_SECONDS: Final = 0.0005
"""How long one slice takes, about: as long as a small request."""

Steps = Generator[None, None, T]
"""Work that can be left alone for a while wherever it yields; what it returns is its result."""


def at_once(steps: Steps[T]) -> T:
    """The result of some work that nothing gets its turn in between."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result


async def in_slices(steps: Steps[T]) -> T:
    """The result of some work; what waits in the event loop gets its turn after every slice.

    When this is cancelled, the work ends where it is.
    """
    end = time.perf_counter() + SLICE_SECONDS
    while True:
        try:
            next(steps)
        except StopIteration as done:
            result: T = done.value
            return result
        if time.perf_counter() >= end:
            await asyncio.sleep(0)
            end = time.perf_counter() + SLICE_SECONDS
