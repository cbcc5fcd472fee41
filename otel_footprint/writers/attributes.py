"""An explanation as attributes of the turn's span, for search and alerts: small vocabularies and counts."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from otel_footprint import semconv as names
from otel_footprint.explanation import Explanation
from otel_footprint.writers.events import Attributes, worst_first
from otel_footprint.writers.options import WriteOptions
from otel_footprint.writers.text import listed, search, sentence

_FAILED: Final = frozenset({"completed-with-failure", "reported-failure"})
_UNKNOWN: Final = frozenset({"submitted", "returned", "outcome-unknown"})
_LANGFUSE_LEVELS: Final = {"bad": "ERROR", "warn": "WARNING"}
_MAX_WARNINGS: Final = 3


def summary_attributes(
    explanation: Explanation, *, present: Container[str], options: WriteOptions, incomplete: tuple[str, ...]
) -> Attributes:
    """The attributes to add; a key that is already ``present`` is not among them."""
    signals = worst_first(explanation.signals)
    summary = explanation.summary
    values: Attributes = {}
    if options.attributes:
        values = {
            names.FOOTPRINT_TONE: summary.tone,
            names.FOOTPRINT_SUMMARY: search(summary.about),
            names.FOOTPRINT_SIGNALS: listed(dict.fromkeys(signal.id for signal in signals)),
            names.FOOTPRINT_REASONS: listed(dict.fromkeys(reason.reason for reason in explanation.reasons)),
            names.FOOTPRINT_SCRIPTS_TOTAL: explanation.counts.scripts,
            names.FOOTPRINT_SCRIPTS_FAILED: sum(script.outcome in _FAILED for script in explanation.scripts),
            names.FOOTPRINT_SCRIPTS_UNKNOWN: sum(script.outcome in _UNKNOWN for script in explanation.scripts),
            names.FOOTPRINT_INCOMPLETE: bool(incomplete),
        }
        if explanation.notes:
            values[names.FOOTPRINT_NOTES] = listed(dict.fromkeys(note.id for note in explanation.notes))
        if explanation.standing is not None:
            values[names.FOOTPRINT_STANDING] = explanation.standing
    # also without the other attributes: it is what keeps a second pass from writing again
    values[names.FOOTPRINT_SCHEMA] = explanation.schema
    if options.jaeger_warnings and signals:
        values[names.JAEGER_WARNINGS] = tuple(sentence(signal.about) for signal in signals[:_MAX_WARNINGS])
    if options.langfuse_level:
        values[names.LANGFUSE_OBSERVATION_LEVEL] = _LANGFUSE_LEVELS.get(summary.tone, "DEFAULT")
        values[names.LANGFUSE_OBSERVATION_STATUS_MESSAGE] = sentence(summary.about)
    return {key: value for key, value in values.items() if key not in present}
