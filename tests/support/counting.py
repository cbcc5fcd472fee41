"""How much work a function does, counted instead of timed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def calls_of(function: Callable[[], object]) -> int:
    """How many calls ``function`` makes, those of functions in C included."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count


def growth(work: Callable[[int], object], size: int) -> float:
    """How many times more calls twice the size takes: about 2 when the work is linear, 4 when it is quadratic."""
    return calls_of(lambda: work(2 * size)) / calls_of(lambda: work(size))
