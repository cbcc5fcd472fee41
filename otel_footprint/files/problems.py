"""What a reader says about input that it could not read, or not read as it stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong with the input, at a place a person can go to."""

    file: str
    """The file as it was named; ``standard input`` for ``-``."""
    line: int | None = None
    """1-based; ``None`` when the input has no lines, or when the whole file is meant."""
    message: str
    """What it is and, where there is something to do, what to do; no full stop."""
    lost: bool = True
    """Something was not read. ``False``: everything was read, but a person should know this."""

    def __str__(self) -> str:
        """``file:line: message``, as compilers write it."""
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.message}"
