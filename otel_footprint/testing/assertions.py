"""What must hold of any explanation, whatever the spans are."""

from __future__ import annotations

import json
from collections.abc import Collection

from otel_footprint.explanation import Explanation
from otel_footprint.logview import LogView
from otel_footprint.spanview import SpanView
from otel_footprint.testing.evidence import evidence_of, resolve

_CHECKS = {"decided-delivered", "existence", "empty-results"}


def assert_consistent(explanation: Explanation) -> None:
    """Check the laws that every explanation keeps.

    Raises:
        AssertionError: one does not hold; the message says which.
    """
    found = explanation.checks
    states = [*found.reachable, *found.unreachable, *found.not_applicable]
    _check(sorted(states) == sorted(_CHECKS), f"each check is in one state: {found}")
    if explanation.summary.tone == "ok":
        _check(not found.unreachable, "tone ok needs every applicable check to have run")
        _check(not explanation.signals, "tone ok has no signal")
        _check(not explanation.incomplete, "tone ok has no loss of the record")
    for script in explanation.scripts:
        exited = script.outcome in {"completed", "completed-with-failure"}
        _check(exited == (script.exit_code is not None), f"an exit is proven by its code alone: {script}")
        _check(exited == (script.exit_code_from is not None), f"an exit code says where it was read: {script}")
        told = script.exit_code_of is not None or script.exit_means is not None
        _check(exited or not told, f"nothing is said of an exit code that is not there: {script}")
        if exited:
            _check((script.outcome == "completed") == (script.exit_code == 0), f"completed is exit 0: {script}")
    counts = explanation.counts
    _check(counts.calls == len(explanation.calls), "every call is counted")
    _check(counts.signals == len(explanation.signals) + counts.signals_omitted, "every signal is counted")
    json.dumps(explanation.to_dict(programs=True), allow_nan=False)


def assert_evidence_resolves(
    explanation: Explanation, spans: Collection[SpanView], logs: Collection[LogView] = ()
) -> None:
    """Check that every evidence pointer points to something in ``spans``, or in ``logs``.

    Raises:
        UnresolvedError: one points to nothing.
    """
    for pointer in evidence_of(explanation):
        resolve(pointer, spans, logs)


def _check(holds: bool, law: str) -> None:  # noqa: FBT001 - as of the assert statement
    if not holds:
        raise AssertionError(law)
