"""What an explained turn is sent as: its span with the explanation, a span of our own, or both."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from otel_footprint.config import Config
from otel_footprint.explanation import Explanation
from otel_footprint.facts import Turn
from otel_footprint.fold.explain import explain
from otel_footprint.internal_errors import InternalErrors
from otel_footprint.sidecar.annotate import additions, own_logs, own_span
from otel_footprint.sidecar.fold_counts import FoldCounts
from otel_footprint.sidecar.queue import NewEntry
from otel_footprint.sidecar.taking import Held
from otel_footprint.writers import WriteOptions, child_span, log_records, write


class Explainer:
    """Explains turns and writes what is said of them.

    Args:
        config: settings of the fold and the writers.
        errors: counts errors of our own.
    """

    def __init__(self, config: Config, errors: InternalErrors) -> None:
        self._errors = errors
        self.fold_counts = FoldCounts()
        """What the explanations said."""
        self.tones: Counter[str] = Counter()
        """Turns by tone."""
        self.explained = 0
        """Spans that were given their explanation."""
        self.added = 0
        """Spans of our own."""
        self.configure(config)

    def configure(self, config: Config) -> None:
        """Let other settings hold from now on."""
        self._config = config
        self._options = WriteOptions.from_config(config)

    def entries(self, turn: Turn, held: Held | None, resource: bytes) -> list[NewEntry]:
        """The requests that carry the explanation; of a turn whose span is held, its own first.

        Args:
            turn: what is explained.
            held: its span; ``None`` if that went on or never was.
            resource: the fields of the resource's group that a span of our own joins.
        """
        started = time.perf_counter()
        explanation = explain(turn, self._config)
        seconds = time.perf_counter() - started
        seen = turn.linkable
        requests: list[bytes] = []
        if held is not None:
            requests.append(self._annotated(held, explanation, seen))
        if held is None or self._options.child_span:
            record = child_span(
                explanation, start_ns=turn.start_ns, end_ns=turn.end_ns, options=self._options, seen=seen
            )
            requests.append(own_span(record, resource))
            self.added += 1
        self.tones[explanation.summary.tone] += 1
        with self._errors.handle_internal_errors("metrics"):
            self.fold_counts.explained(explanation, seconds, convention=turn.convention)
        entries = [NewEntry(signal="traces", body=body, items=1) for body in requests]
        logs, _ = log_records(explanation, start_ns=turn.start_ns, end_ns=turn.end_ns, options=self._options)
        if logs:
            entries.append(NewEntry(signal="logs", body=own_logs(explanation, logs, resource), items=len(logs)))
        return entries

    def _annotated(self, held: Held, explanation: Explanation, seen: Sequence[str]) -> bytes:
        view = held.view
        written = write(
            explanation,
            start_ns=view.start_ns,
            end_ns=view.end_ns,
            present=frozenset(view.keys()),
            options=self._options,
            seen=seen,
        )
        self.explained += 1
        return held.envelope.around(held.raw + additions(view.trace_id, written))
