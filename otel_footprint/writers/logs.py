"""An explanation as OTLP log records: the events of the turn's span, and ``gen_ai.evaluation.result``.

For a store of logs, and for a backend that drops the events of spans. Each record has the trace and the span of its
turn, so that it is found from there.
"""

from __future__ import annotations

from typing import Final

from otel_footprint import semconv as names
from otel_footprint.config import MAX_EVENTS
from otel_footprint.explanation import Explanation
from otel_footprint.writers.clock import place
from otel_footprint.writers.events import Attributes, Draft, drafts
from otel_footprint.writers.options import WriteOptions
from otel_footprint.writers.records import LogRecord, incomplete_of
from otel_footprint.writers.text import sentence

_INFO: Final = 9
_SEVERITIES: Final = {"bad": 17, "warn": 13}
_TONES: Final = (names.FOOTPRINT_TONE, names.FOOTPRINT_SIGNAL_TONE)


def log_records(
    explanation: Explanation, *, start_ns: int, end_ns: int, options: WriteOptions
) -> tuple[tuple[LogRecord, ...], int]:
    """The records that ``options`` ask for, and how many events did not fit.

    ``start_ns`` and ``end_ns`` are the turn's times in Unix nanoseconds. The evaluations come last and are never left
    out: there are two at the most.
    """
    start_ns = max(start_ns, 0)
    incomplete = incomplete_of(explanation, start_ns, end_ns)
    room = min(options.max_events, MAX_EVENTS) if options.logs else 0
    drafted, omitted = drafts(explanation, room=room, programs=options.programs, incomplete=incomplete)
    drafted += _evaluations(explanation) if options.evaluation else []
    times = place([draft.wish_ns for draft in drafted], start_ns, end_ns)
    records = tuple(_record(draft, time_ns) for draft, time_ns in zip(drafted, times, strict=True))
    return records, omitted if options.logs else 0


def _record(draft: Draft, time_ns: int) -> LogRecord:
    attributes = draft.attributes
    tone = next((attributes[key] for key in _TONES if key in attributes), None)
    body = attributes.get(names.FOOTPRINT_ABOUT) or attributes.get(names.GEN_AI_EVALUATION_EXPLANATION) or draft.name
    return LogRecord(draft.name, time_ns, _SEVERITIES.get(str(tone), _INFO), str(body), attributes)


def _evaluations(explanation: Explanation) -> list[Draft]:
    """The tone and, where it was assessed, the standing. Neither is a number, so there is no score."""
    labels: dict[str, str | None] = {
        names.FOOTPRINT_TONE: explanation.summary.tone,
        names.FOOTPRINT_STANDING: explanation.standing,
    }
    about = sentence(explanation.summary.about)
    return [_evaluation(name, label, about) for name, label in labels.items() if label is not None]


def _evaluation(name: str, label: str, about: str) -> Draft:
    attributes: Attributes = {
        names.GEN_AI_EVALUATION_EXPLANATION: about,
        names.GEN_AI_EVALUATION_NAME: name,
        names.GEN_AI_EVALUATION_SCORE_LABEL: label,
    }
    return Draft(names.EVENT_EVALUATION, None, attributes)
