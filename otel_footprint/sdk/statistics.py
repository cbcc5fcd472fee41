"""What an exporter says of itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from otel_footprint.turns import AssemblerStatistics


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """A snapshot of what an exporter holds, and its totals since it was made."""

    held: int
    """Spans held until it is decided whether they carry an explanation."""
    explained: int
    """Turns whose own span carries the explanation."""
    added: int
    """Spans of our own that were exported: addenda, and turns without a span that could carry it."""
    repaired: int
    """Batches that were encodable only after a value was repaired."""
    lost: int
    """Spans that the batch queue dropped; 0 also when nothing can tell."""
    open: int
    """Spans that started and have not come to the exporter; 0 also when nothing can tell."""
    logs_lost: int
    """Log records that were given up because too many waited for an export; the rest is in ``assembler.logs``."""
    errors: Mapping[str, int]
    """Errors of our own, by the step that failed. The spans were exported as they were."""
    assembler: AssemblerStatistics


def state_of(statistics: Callable[[], Statistics] | None) -> dict[str, int]:
    """The numbers a metric shows, by name; none when there is nothing left to ask."""
    if statistics is None:
        return {}
    now = statistics()
    assembler = now.assembler
    return {
        "held": now.held,
        "open_spans": now.open,
        "open_turns": assembler.open_turns,
        "bytes": assembler.bytes,
        "evicted": assembler.evicted,
        "late": assembler.late,
        "lost": now.lost,
        "errors": sum(now.errors.values()),
    }
