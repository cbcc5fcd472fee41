"""What is wrong with a file of settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from otel_footprint._errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong, and how to set it right. It never quotes what may be a secret."""

    source: str
    """The file's path, or the variable's name."""
    line: int | None
    """In the file, from 1; absent for a variable, and for a file that cannot be read."""
    key: str
    """The setting, as ``destinations[0].endpoint``; empty if it is the whole file."""
    message: str
    """What is wrong."""
    fix: str
    """What to write instead."""
    severity: Literal["error", "warning"] = "error"
    """The sidecar starts in spite of warnings."""

    def __str__(self) -> str:
        place = self.source if self.line is None else f"{self.source}:{self.line}"
        parts = [place, *([self.severity] if self.severity == "warning" else []), *([self.key] if self.key else [])]
        return f"{': '.join(parts)}: {self.message}: {self.fix}"


class SettingsError(ConfigError):
    """The settings cannot be used."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)
        """All that is wrong, in the order of the file."""
