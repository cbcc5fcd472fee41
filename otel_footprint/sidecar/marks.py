"""Whether bytes may hold a span of an agent: one search for the marks that the dialects have.

An attribute's key and a scope's name both stand behind the tag of field 1 and their length. So do some values, and a
mark at the beginning of one costs a look and decides nothing; a key that has one is never missed, whatever encoder
wrote it. A span whose marked attributes a limit took is passed by. A log record is known by its event's name, which is
such a value or stands in field 12.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import re2

from otel_footprint.dialects import dialects
from otel_footprint.dialects.logs import log_dialects

# A length below 128 is one byte, a longer one two or more; no text that begins with a mark is longer than two say.
_LENGTH: Final = rb"(?:[\x00-\x7f]|[\x80-\xff].)"
_FIELD_1: Final = b"\n"
_FIELD_12: Final = b"b"


class Marks:
    """Searches bytes for the marks of the dialects; found ones of other distributions included."""

    def __init__(self, marks: Sequence[str] | None = None, *, tags: bytes = _FIELD_1) -> None:
        """Compile the search.

        Args:
            marks: what to look for; by default the marks of every known dialect. An empty mark is in everything.
            tags: one of these bytes stands before the length.
        """
        marks = [mark for dialect in dialects() for mark in dialect.marks] if marks is None else marks
        needed = sorted({mark.encode() for mark in marks})
        self._everything = b"" in needed
        pattern = b"[" + tags + b"]" + _LENGTH + b"(?:" + b"|".join(map(re.escape, needed)) + b")"
        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1
        options.dot_nl = True
        self._fast = re2.compile(pattern, options)
        self._small = re.compile(pattern, re.DOTALL)

    def in_request(self, body: bytes) -> bool:
        """Whether there is a mark anywhere in a request."""
        return self._everything or self._fast.search(body) is not None

    def in_span(self, data: bytes, at: int, end: int) -> bool:
        """Whether there is a mark in a small part of a request, from ``at`` to ``end``."""
        return self._everything or self._small.search(data, at, end) is not None


def log_marks() -> Marks:
    """A search for the log records that a dialect knows."""
    return Marks([mark for dialect in log_dialects() for mark in dialect.marks], tags=_FIELD_1 + _FIELD_12)
