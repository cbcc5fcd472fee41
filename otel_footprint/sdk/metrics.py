"""Metrics through the API only: without a meter provider they cost a call that does nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from opentelemetry import metrics
from opentelemetry.metrics import CallbackOptions, Observation

from otel_footprint import semconv as names
from otel_footprint._version import __version__
from otel_footprint.explanation import Explanation


class FoldMetrics:
    """The instruments that the holders of turns share."""

    def __init__(self, state: Callable[[], dict[str, int]]) -> None:
        meter = metrics.get_meter("otel_footprint", __version__)
        self._turns = meter.create_counter(names.METRIC_TURNS, "{turn}", "Turns explained.")
        self._signals = meter.create_counter(names.METRIC_SIGNALS, "{signal}", "Signals listed.")
        self._reasons = meter.create_counter(names.METRIC_REASONS, "{reason}", "Reasons why an answer does not stand.")
        self._scripts = meter.create_counter(names.METRIC_SCRIPTS, "{script}", "Programs submitted.")
        self._checks = meter.create_counter(names.METRIC_CHECKS, "{check}", "Checks of a turn, by what became of them.")
        self._unreachable = meter.create_counter(
            names.METRIC_UNREACHABLE, "{check}", "Checks that could not be run, by what the turn's spans follow."
        )
        self._duration = meter.create_histogram(names.METRIC_FOLD_DURATION, "s", "Time to explain one turn.")

        def observe(_options: CallbackOptions) -> Iterable[Observation]:
            return [Observation(value, {names.METRIC_HOLDER_STATE: name}) for name, value in state().items()]

        meter.create_observable_gauge(
            names.METRIC_HOLDER, [observe], "1", "What is held now, and what was lost so far."
        )

    def explained(self, explanation: Explanation, seconds: float, *, convention: str) -> None:
        """Count one explained turn of this convention."""
        self._turns.add(1, {names.METRIC_TURNS_TONE: explanation.summary.tone})
        for signal in explanation.signals:
            self._signals.add(1, {names.METRIC_SIGNALS_ID: signal.id})
        for reason in explanation.reasons:
            self._reasons.add(1, {names.METRIC_REASONS_REASON: reason.reason})
        for script in explanation.scripts:
            self._scripts.add(1, {names.METRIC_SCRIPTS_OUTCOME: script.outcome})
        states: dict[str, Any] = {
            "reachable": explanation.checks.reachable,
            "unreachable": explanation.checks.unreachable,
            "not-applicable": explanation.checks.not_applicable,
        }
        for state, checks in states.items():
            for check in checks:
                self._checks.add(1, {names.METRIC_CHECKS_CHECK: check, names.METRIC_CHECKS_STATE: state})
        for check in explanation.checks.unreachable:
            self._unreachable.add(
                1, {names.METRIC_UNREACHABLE_CHECK: check, names.METRIC_UNREACHABLE_CONVENTION: convention}
            )
        self._duration.record(seconds)
