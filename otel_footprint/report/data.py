"""What the page gets of a turn: a row for the list of turns, and the rest for when the turn is looked at.

Every text is in its form for being shown (:mod:`otel_footprint.report.shown`), so that the page only has to show it.
Times of day are Unix milliseconds; times inside a turn are microseconds after the turn's start.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from otel_footprint.explanation import Explanation, ScriptExplanation
from otel_footprint.report.shown import evidence, name, optional, passage, program, sentence
from otel_footprint.timeline import Timeline

MAX_LISTED: Final = 2_000
"""Calls, and model calls, of one turn that are listed; the rest is counted. No rule looks at this list."""
MAX_NAMES: Final = 50
"""Names of different tools of one turn that a search finds."""

Row = dict[str, Any]
"""The columns of the list, and what a search looks through; written out in ``web/src/data.ts``."""
Detail = dict[str, Any]
"""The rest of a turn; written out in ``web/src/data.ts``."""


def row_of(turn: Explanation, times: Timeline, *, ran_in: str | None) -> Row:
    """The turn in the list of turns.

    Args:
        turn: The turn.
        times: Its timeline.
        ran_in: For a nested turn the span id of the call it ran inside, as far as that is known.
    """
    start = _base(times)
    return {
        "trace_id": turn.trace_id,
        "span_id": turn.span_id,
        "tone": turn.summary.tone,
        "about": sentence(turn.summary.about),
        "standing": turn.standing,
        "agent": optional(name, turn.agent),
        "turn": turn.turn,
        "conversation": optional(name, turn.conversation_id),
        "nested_in": turn.nested_in,
        "ran_in": ran_in,
        "start": start // 1_000_000 if start else None,
        "duration": _after(start, times.end_ns),
        "question": optional(passage, turn.question),
        "answer": optional(passage, turn.answer),
        "tools": _distinct(name(call.tool) for call in turn.calls if call.tool is not None),
        "signals": _distinct(signal.id for signal in turn.signals),
        "reasons": _distinct(reason.reason for reason in turn.reasons),
        "outcomes": _distinct(script.outcome for script in turn.scripts),
        "unchecked": list(turn.checks.unreachable),
        "calls": turn.counts.calls,
        "failed": turn.counts.failed,
        "programs": turn.counts.scripts + turn.counts.scripts_dropped,
        "incomplete": bool(turn.incomplete),
    }


def detail_of(turn: Explanation, times: Timeline, *, programs: bool) -> Detail:
    """The rest of the turn.

    Args:
        turn: The turn, with its account.
        times: Its timeline.
        programs: Give the text of its programs, as a person asked for it.
    """
    base = _base(times)
    assessment, found = turn.assessment, turn.evidence
    return {
        "name": name(turn.name),
        "schema": turn.schema,
        "wording": turn.wording,
        "finished": turn.finished,
        "stand_in": turn.stand_in,
        "revision": turn.revision,
        "incomplete": [name(why) for why in turn.incomplete],
        "notes": [sentence(note.about) for note in turn.notes],
        "calls": _calls(turn, times, base),
        "calls_omitted": max(len(turn.calls) - MAX_LISTED, 0),
        "models": _models(times, base),
        "models_omitted": max(len(times.models) - MAX_LISTED, 0),
        "scripts": [_script(script, programs=programs) for script in turn.scripts],
        "scripts_dropped": turn.counts.scripts_dropped,
        "signals": [
            {
                "about": sentence(signal.about),
                "id": signal.id,
                "check": signal.check,
                "tone": signal.tone,
                "tool": optional(name, signal.tool),
                "call_id": optional(name, signal.call_id),
                "evidence": evidence(signal.evidence),
            }
            for signal in turn.signals
        ],
        "signals_omitted": turn.counts.signals_omitted,
        "unreached": [
            {
                "about": sentence(line.about),
                "check": line.check,
                "missing": line.missing,
                "tool": optional(name, line.tool),
                "call_id": optional(name, line.call_id),
                "enable": optional(sentence, line.enable),
                "evidence": evidence(line.evidence),
            }
            for line in turn.unreached
        ],
        "lines_omitted": turn.counts.lines_omitted,
        "reasons": [
            {
                "about": sentence(reason.about),
                "reason": reason.reason,
                "class": reason.reason_class,
                "source": sentence(reason.source),
                "witnesses": reason.witnesses,
                "evidence": evidence(reason.evidence),
            }
            for reason in turn.reasons
        ],
        "checks": {
            "reachable": list(turn.checks.reachable),
            "unreachable": list(turn.checks.unreachable),
            "not_applicable": list(turn.checks.not_applicable),
        },
        "wrong": [sentence(line.about) for line in turn.wrong],
        "not_evaluated": [] if assessment is None else list(assessment.not_evaluated),
        "unsupported": [] if found is None else _distinct(sentence(one.value) for one in found.unsupported),
        "unsupported_capped": found is not None and found.capped,
        "account": _account(turn),
    }


def _calls(turn: Explanation, times: Timeline, base: int) -> list[dict[str, Any]]:
    return [
        {
            "span_id": optional(name, call.span_id),
            "carrier": name(time.carrier_span_id),
            "tool": optional(name, call.tool),
            "call_id": optional(name, call.call_id),
            "outcome": call.outcome,
            "code_run": call.code_run,
            "result_recorded": call.result_recorded,
            "emptiness": call.emptiness,
            "rows": call.rows,
            "undeclared_shape": call.undeclared_shape,
            "rows_unread": optional(sentence, call.rows_unread),
            "notes": [name(note) for note in call.notes],
            "iteration": time.iteration,
            "start": _after(base, time.start_ns),
            "end": _after(base, time.end_ns),
        }
        for call, time in zip(turn.calls[:MAX_LISTED], times.calls[:MAX_LISTED], strict=True)
    ]


def _models(times: Timeline, base: int) -> list[dict[str, Any]]:
    return [
        {
            "span_id": name(one.span_id),
            "model": optional(name, one.model),
            "failed": one.failed,
            "start": _after(base, one.start_ns),
            "end": _after(base, one.end_ns),
        }
        for one in times.models[:MAX_LISTED]
    ]


def _script(script: ScriptExplanation, *, programs: bool) -> dict[str, Any]:
    return {
        "about": sentence(script.about),
        "span_id": optional(name, script.span_id),
        "outcome": script.outcome,
        "exit_code": script.exit_code,
        "exit_code_from": script.exit_code_from,
        "exit_code_of": optional(name, script.exit_code_of),
        "exit_means": optional(sentence, script.exit_means),
        "service_error": script.service_error,
        "tool": name(script.tool),
        "call_id": optional(name, script.call_id),
        "dispatch": script.dispatch,
        "argument": optional(name, script.argument),
        "language": optional(name, script.language),
        "bytes": script.bytes,
        "lines": script.lines,
        "sha256": script.sha256,
        "rewritten": script.rewritten,
        "result_withheld": optional(name, script.result_withheld),
        "shown": script.shown,
        "declared_by": script.declared_by,
        "program": script.program,
        "text": optional(program, script.text) if programs else None,
        "evidence": evidence(script.evidence),
    }


def _account(turn: Explanation) -> dict[str, Any] | None:
    if turn.account is None:
        return None
    return {
        "rows": [
            {
                "id": row["id"],
                "omitted": row["omitted"],
                "lines": [
                    {
                        "text": sentence(line["text"]),
                        "source": sentence(line["source"]),
                        "status": line["status"],
                        "item": line["item"],
                        "evidence": evidence(line["pointers"]),
                    }
                    for line in row["lines"]
                ],
            }
            for row in turn.account["rows"]
        ],
        "unread": turn.account["unread"],
    }


def _base(times: Timeline) -> int:
    """The turn's start; where it is not recorded that of the first thing in it, else 0."""
    inside = [*(one.start_ns for one in times.models), *(one.start_ns for one in times.calls)]
    return times.start_ns or min(filter(None, inside), default=0)


def _after(base: int, time_ns: int) -> int | None:
    """Microseconds after the turn's start, before it when a clock says so; ``None`` when it is not recorded."""
    return (time_ns - base) // 1_000 if time_ns and base else None


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))[:MAX_NAMES]
