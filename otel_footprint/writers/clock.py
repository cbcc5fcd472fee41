"""When each event is said to have happened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_MICROSECOND: Final = 1_000
_LAST: Final = 2**64 - 1
"""The last time that OTLP has room for."""


def place(wishes: Sequence[int | None], start_ns: int, end_ns: int) -> list[int]:
    """Times for events in their order of importance: inside the span, strictly increasing.

    Backends sort by time, so importance decides first: an event may not come before the one in
    front of it. A wish (Unix nanoseconds) is then met as nearly as that allows; ``None`` is the
    earliest time possible. Two events are a microsecond apart. In a span too short for that they
    share it evenly; in one shorter than its events in nanoseconds, or with an end before its
    start, they follow the start by a nanosecond each. None is after the last time that there is, so those of a span
    that starts then are before its start.
    """
    start_ns, end_ns = min(start_ns, _LAST - max(len(wishes) - 1, 0)), min(end_ns, _LAST)
    length = max(end_ns - start_ns, 0)
    gaps = max(len(wishes) - 1, 1)
    step = max(min(_MICROSECOND, length // gaps), 1)
    last = max(end_ns, start_ns + step * (len(wishes) - 1))
    times: list[int] = []
    for index, wish in enumerate(wishes):
        earliest = times[-1] + step if times else start_ns
        latest = last - step * (len(wishes) - 1 - index)
        times.append(min(max(wish or 0, earliest), latest))
    return times
