"""What the holder of turns has done and has, as numbers."""

from __future__ import annotations

from dataclasses import dataclass

from otel_footprint.turns import AssemblerStatistics


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldingStatistics:
    """A snapshot, and the totals since the start."""

    held: int
    """Turns' spans that wait."""
    held_bytes: int
    """Their bytes."""
    explained: int
    """Spans that went on with their explanation."""
    added: int
    """Spans of our own: addenda, and explanations without a turn's span to carry them."""
    duplicates: int
    """Copies of a turn's span, equal to the last byte, that were left out."""
    unreadable: int
    """Spans, log records and requests that went on as they came since they do not decode."""
    unwritten: int
    """Explained spans that wait for room in the queue."""
    awaited_parents: int
    """Spans that are missing as parents."""
    tones: dict[str, int]
    """Turns by tone."""
    errors: dict[str, int]
    """Errors of our own by the step that failed."""
    assembler: AssemblerStatistics
