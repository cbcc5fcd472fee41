"""What the explanations said, counted: the metrics that the SDK has too, under the same names."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from otel_footprint.explanation import Explanation

BOUNDS: Final = (0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0)
"""Upper bounds of the buckets for the time that a fold takes, in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """How often values fell where."""

    bounds: tuple[float, ...]
    """The upper bound of each bucket but the last, which has none. A value at a bound is in its bucket."""
    counts: tuple[int, ...]
    """The values in each bucket alone; one more than there are bounds."""
    sum: float
    """All values together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldStatistics:
    """Totals over all explanations since the start, addenda included."""

    signals: Mapping[str, int]
    """Signals listed, by id."""
    reasons: Mapping[str, int]
    """Reasons why an answer does not stand, by reason."""
    scripts: Mapping[str, int]
    """Programs submitted, by outcome."""
    checks: Mapping[str, Mapping[str, int]]
    """By check, how often it was ``reachable``, ``unreachable`` or ``not-applicable``."""
    unreachable: Mapping[str, Mapping[str, int]]
    """By check, how often it could not be run on turns of each convention."""
    duration: Histogram
    """Seconds to explain one turn."""


class FoldCounts:
    """Counts explanations. Not thread-safe; the host that explains counts."""

    def __init__(self) -> None:
        self._signals: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        self._scripts: Counter[str] = Counter()
        self._checks: dict[str, Counter[str]] = {}
        self._unreachable: dict[str, Counter[str]] = {}
        self._buckets = [0] * (len(BOUNDS) + 1)
        self._seconds = 0.0

    def explained(self, explanation: Explanation, seconds: float, *, convention: str) -> None:
        """Count one explanation of a turn of this convention, and the time it took."""
        self._signals.update(signal.id for signal in explanation.signals)
        self._reasons.update(reason.reason for reason in explanation.reasons)
        self._scripts.update(script.outcome for script in explanation.scripts)
        found = explanation.checks
        states = {
            "reachable": found.reachable,
            "unreachable": found.unreachable,
            "not-applicable": found.not_applicable,
        }
        for state, checks in states.items():
            for check in checks:
                self._checks.setdefault(check, Counter())[state] += 1
        for check in found.unreachable:
            self._unreachable.setdefault(check, Counter())[convention] += 1
        self._buckets[bisect_left(BOUNDS, seconds)] += 1
        self._seconds += seconds

    def statistics(self) -> FoldStatistics:
        """The totals so far."""
        return FoldStatistics(
            signals=dict(self._signals),
            reasons=dict(self._reasons),
            scripts=dict(self._scripts),
            checks={check: dict(states) for check, states in self._checks.items()},
            unreachable={check: dict(of) for check, of in self._unreachable.items()},
            duration=Histogram(bounds=BOUNDS, counts=tuple(self._buckets), sum=self._seconds),
        )
