"""Metrics through the API only: without a meter provider they cost a call that does nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from opentelemetry import metrics
from opentelemetry.metrics import CallbackOptions, Observation

from otel_footprint._version import __version__
from otel_footprint.explanation import Explanation


class FoldMetrics:
    """The instruments that the holders of turns share."""

    def __init__(self, state: Callable[[], dict[str, int]]) -> None:
        meter = metrics.get_meter("otel_footprint", __version__)
        self._turns = meter.create_counter("footprint.turns", "{turn}", "Turns explained.")
        self._signals = meter.create_counter("footprint.signals", "{signal}", "Signals listed.")
        self._reasons = meter.create_counter("footprint.reasons", "{reason}", "Reasons why an answer does not stand.")
        self._scripts = meter.create_counter("footprint.scripts", "{script}", "Programs submitted.")
        self._checks = meter.create_counter("footprint.checks", "{check}", "Checks of a turn, by what became of them.")
        self._unreachable = meter.create_counter(
            "footprint.unreachable", "{check}", "Checks that could not be run, by what the turn's spans follow."
        )
        self._duration = meter.create_histogram("footprint.fold.duration", "s", "Time to explain one turn.")

        def observe(_options: CallbackOptions) -> Iterable[Observation]:
            return [Observation(value, {"state": name}) for name, value in state().items()]

        meter.create_observable_gauge("footprint.holder", [observe], "1", "What is held now, and what was lost so far.")

    def explained(self, explanation: Explanation, seconds: float, *, convention: str) -> None:
        """Count one explained turn of this convention."""
        self._turns.add(1, {"tone": explanation.summary.tone})
        for signal in explanation.signals:
            self._signals.add(1, {"id": signal.id})
        for reason in explanation.reasons:
            self._reasons.add(1, {"reason": reason.reason})
        for script in explanation.scripts:
            self._scripts.add(1, {"outcome": script.outcome})
        states: dict[str, Any] = {
            "reachable": explanation.checks.reachable,
            "unreachable": explanation.checks.unreachable,
            "not-applicable": explanation.checks.not_applicable,
        }
        for state, checks in states.items():
            for check in checks:
                self._checks.add(1, {"check": check, "state": state})
        for check in explanation.checks.unreachable:
            self._unreachable.add(1, {"check": check, "convention": convention})
        self._duration.record(seconds)
