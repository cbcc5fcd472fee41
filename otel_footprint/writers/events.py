"""An explanation as span events, in the order of importance."""

from __future__ import annotations

from typing import Final, NamedTuple

from otel_footprint import semconv as names
from otel_footprint.explanation import (
    Explanation,
    ReasonExplanation,
    ScriptExplanation,
    SignalExplanation,
    UnreachedExplanation,
)
from otel_footprint.writers.text import identifier, listed, pointers, search, sentence

Value = str | int | bool | tuple[str, ...]
"""An attribute value."""

Attributes = dict[str, Value]


class Draft(NamedTuple):
    """An event that has no time yet."""

    name: str
    wish_ns: int | None
    """When it happened, Unix nanoseconds; ``None``: at no time of its own."""
    attributes: Attributes


PLAIN_END: Final = "completed"
"""The one label that leaves nothing to look at."""


def worst_first(signals: tuple[SignalExplanation, ...]) -> list[SignalExplanation]:
    """The signals, bad before warn, otherwise as they were found."""
    return sorted(signals, key=lambda signal: signal.tone != "bad")


def drafts(
    explanation: Explanation, *, room: int, programs: bool, incomplete: tuple[str, ...]
) -> tuple[list[Draft], int]:
    """At most ``room`` events, and how many were left out.

    The account comes first and counts what was left out. Scripts come last, in the order of their
    ends; if they do not all fit, those that completed plainly go first.
    """
    if room <= 0:
        return [], 1 + len(explanation.signals) + len(explanation.reasons) + len(explanation.unreached) + len(
            explanation.scripts
        )
    said = [_signal(signal) for signal in worst_first(explanation.signals)]
    said += [_reason(reason) for reason in explanation.reasons]
    said += [_unreached(line) for line in explanation.unreached]
    scripts = explanation.scripts
    omitted = max(1 + len(said) + len(scripts) - room, 0)
    said = said[: room - 1]
    shown = sorted(scripts, key=lambda script: script.outcome == PLAIN_END)[: room - 1 - len(said)]
    shown.sort(key=lambda script: (script.time_ns, script.dispatch))
    said += [_script(script, programs=programs) for script in shown]
    return [_account(explanation, omitted, incomplete), *said], omitted


def _account(explanation: Explanation, omitted: int, incomplete: tuple[str, ...]) -> Draft:
    counts, checks = explanation.counts, explanation.checks
    return _draft(
        names.EVENT_ACCOUNT,
        None,
        {
            names.FOOTPRINT_ABOUT: sentence(explanation.summary.about),
            names.FOOTPRINT_TONE: explanation.summary.tone,
            names.FOOTPRINT_STANDING: explanation.standing,
            names.FOOTPRINT_ACCOUNT_CALLS: counts.calls,
            names.FOOTPRINT_ACCOUNT_FAILED: counts.failed,
            names.FOOTPRINT_ACCOUNT_REFUSED: counts.refused,
            names.FOOTPRINT_ACCOUNT_DECLINED: counts.declined,
            names.FOOTPRINT_ACCOUNT_NOT_DISPATCHED: counts.not_dispatched,
            names.FOOTPRINT_ACCOUNT_UNKNOWN: counts.unknown,
            names.FOOTPRINT_ACCOUNT_WITHHELD: counts.withheld,
            names.FOOTPRINT_ACCOUNT_SCRIPTS: counts.scripts,
            names.FOOTPRINT_ACCOUNT_SCRIPTS_DROPPED: counts.scripts_dropped,
            names.FOOTPRINT_ACCOUNT_SIGNALS: counts.signals,
            names.FOOTPRINT_ACCOUNT_SIGNALS_OMITTED: counts.signals_omitted,
            names.FOOTPRINT_ACCOUNT_LINES_OMITTED: counts.lines_omitted,
            names.FOOTPRINT_ACCOUNT_EVENTS_OMITTED: omitted,
            names.FOOTPRINT_ACCOUNT_CHECKS_REACHABLE: checks.reachable,
            names.FOOTPRINT_ACCOUNT_CHECKS_UNREACHABLE: checks.unreachable,
            names.FOOTPRINT_ACCOUNT_CHECKS_NOT_APPLICABLE: checks.not_applicable,
            names.FOOTPRINT_ACCOUNT_INCOMPLETE: listed(incomplete) or None,
            names.FOOTPRINT_ACCOUNT_REVISION: explanation.revision,
            names.FOOTPRINT_SCHEMA: explanation.schema,
        },
    )


def _signal(signal: SignalExplanation) -> Draft:
    return _draft(
        names.EVENT_SIGNAL,
        None,
        {
            names.FOOTPRINT_ABOUT: sentence(signal.about),
            names.FOOTPRINT_SIGNAL_ID: signal.id,
            names.FOOTPRINT_SIGNAL_CHECK: signal.check,
            names.FOOTPRINT_SIGNAL_TONE: signal.tone,
            names.FOOTPRINT_SIGNAL_TOOL: _search(signal.tool),
            names.FOOTPRINT_SIGNAL_CALL_ID: _identifier(signal.call_id),
            names.FOOTPRINT_SIGNAL_EVIDENCE: pointers(signal.evidence),
        },
    )


def _reason(reason: ReasonExplanation) -> Draft:
    return _draft(
        names.EVENT_REASON,
        None,
        {
            names.FOOTPRINT_ABOUT: sentence(reason.about),
            names.FOOTPRINT_REASON_REASON: search(reason.reason),
            names.FOOTPRINT_REASON_CLASS: search(reason.reason_class),
            names.FOOTPRINT_REASON_LAYER: reason.layer,
            names.FOOTPRINT_REASON_SOURCE: search(reason.source),
            names.FOOTPRINT_REASON_WITNESSES: reason.witnesses,
            names.FOOTPRINT_REASON_EVIDENCE: pointers(reason.evidence),
        },
    )


def _unreached(line: UnreachedExplanation) -> Draft:
    return _draft(
        names.EVENT_UNREACHED,
        None,
        {
            names.FOOTPRINT_ABOUT: sentence(line.about),
            names.FOOTPRINT_UNREACHED_CHECK: line.check,
            names.FOOTPRINT_UNREACHED_MISSING: line.missing,
            names.FOOTPRINT_UNREACHED_TOOL: _search(line.tool),
            names.FOOTPRINT_UNREACHED_CALL_ID: _identifier(line.call_id),
            names.FOOTPRINT_UNREACHED_ENABLE: None if line.enable is None else sentence(line.enable),
            names.FOOTPRINT_UNREACHED_EVIDENCE: pointers(line.evidence),
        },
    )


def _script(script: ScriptExplanation, *, programs: bool) -> Draft:
    text = script.text if programs else None
    return _draft(
        names.EVENT_SCRIPT,
        script.time_ns or None,
        {
            names.FOOTPRINT_ABOUT: sentence(script.about),
            names.FOOTPRINT_SCRIPT_OUTCOME: script.outcome,
            names.FOOTPRINT_SCRIPT_RESULT: search(script.result),
            names.FOOTPRINT_SCRIPT_EXIT_CODE: script.exit_code,
            names.FOOTPRINT_SCRIPT_EXIT_CODE_FROM: script.exit_code_from,
            names.FOOTPRINT_SCRIPT_EXIT_CODE_OF: _search(script.exit_code_of),
            names.FOOTPRINT_SCRIPT_EXIT_MEANS: None if script.exit_means is None else sentence(script.exit_means),
            names.FOOTPRINT_SCRIPT_SERVICE_ERROR: script.service_error,
            names.FOOTPRINT_SCRIPT_TOOL: search(script.tool),
            names.FOOTPRINT_SCRIPT_CALL_ID: _identifier(script.call_id),
            names.FOOTPRINT_SCRIPT_SPAN_ID: script.span_id,
            names.FOOTPRINT_SCRIPT_DISPATCH: script.dispatch,
            names.FOOTPRINT_SCRIPT_ARGUMENT: _search(script.argument),
            names.FOOTPRINT_SCRIPT_ARGUMENT_IS_LIST: script.argument_is_list,
            names.FOOTPRINT_SCRIPT_LANGUAGE: _search(script.language),
            names.FOOTPRINT_SCRIPT_BYTES: script.bytes,
            names.FOOTPRINT_SCRIPT_LINES: script.lines,
            names.FOOTPRINT_SCRIPT_SHA256: script.sha256,
            names.FOOTPRINT_SCRIPT_PROGRAM: script.program,
            names.FOOTPRINT_SCRIPT_TEXT: None if text is None else sentence(text),
            names.FOOTPRINT_SCRIPT_REWRITTEN: script.rewritten,
            names.FOOTPRINT_SCRIPT_RESULT_WITHHELD: script.result_withheld,
            names.FOOTPRINT_SCRIPT_TURN: script.turn,
            names.FOOTPRINT_SCRIPT_ITERATION: script.iteration,
            names.FOOTPRINT_SCRIPT_SHOWN: script.shown,
            names.FOOTPRINT_SCRIPT_DECLARED_BY: script.declared_by,
            names.FOOTPRINT_SCRIPT_EVIDENCE: pointers(script.evidence),
        },
    )


def _draft(name: str, wish_ns: int | None, values: dict[str, Value | None]) -> Draft:
    return Draft(name, wish_ns, {key: value for key, value in values.items() if value is not None})


def _search(text: str | None) -> str | None:
    return None if text is None else search(text)


def _identifier(text: str | None) -> str | None:
    return None if text is None else identifier(text)
