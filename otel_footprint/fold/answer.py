"""What the answer itself stands on: the code it shows, the values it names, and the reasons against it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from otel_footprint._making import made_quickly
from otel_footprint.facts import Content, Coverage, Pointer, RecordedEvent, Turn
from otel_footprint.fold.assessment import assess
from otel_footprint.fold.emptiness import Reading
from otel_footprint.fold.evidence import EvidenceVerdict, JsonText, check_evidence
from otel_footprint.fold.matching import MatchVerdict, fences, match_blocks
from otel_footprint.fold.readings import handed_back, own_envelope
from otel_footprint.fold.reason_rows import EvidenceFacts, Row, read_evidence, read_row, read_rows
from otel_footprint.fold.reasons import AssessedCall, Assessment, AssessmentInput, EndedIn, Witness
from otel_footprint.fold.recovery import RecoveryClauses, ShownBlock, recovery_clauses
from otel_footprint.fold.scripts import ScriptRow
from otel_footprint.fold.tokens import EvidenceOptions

_MAY_HAVE_SHOWN: Final = frozenset({"ran", "failed", "unknown"})
"""Outcomes after which a result may have reached the model."""

_ABOVE: Final = frozenset({"parent-missing"})
"""Losses above the turn's span, which take none of its results."""


class AnswerSettings(Protocol):
    """What a person can set about the checks of the answer."""

    @property
    def evidence(self) -> bool:
        """Look the answer's names and numbers up."""

    @property
    def evidence_minimum_digits(self) -> int:
        """Digits from which on a number is looked up."""

    @property
    def evidence_shapes(self) -> tuple[str, ...]:
        """Shell patterns of further words that are looked up."""

    @property
    def evidence_exemptions(self) -> tuple[str, ...]:
        """Shell patterns of values that need no evidence."""

    @property
    def matching(self) -> bool:
        """Match the answer's code against the programs of its turn."""


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was found of one answer."""

    matching: MatchVerdict | None
    """``None``: switched off, or the answer or a program is not recorded."""
    verdict: EvidenceVerdict | None
    """Our own look-up; ``None``: switched off, or the answer or a result is not recorded."""
    evidence: tuple[EvidenceFacts, ...]
    """Every verdict on the answer's values: the runtime's own where it recorded one, else ours."""
    own_evidence: bool
    """The runtime recorded a verdict of its own."""
    assessment: Assessment | None
    recovery: RecoveryClauses | None
    """``None``: no clause applies."""
    unread: int
    """Rows and verdicts of the runtime that failed their gate."""


def judge_answer(
    turn: Turn,
    rows: Sequence[ScriptRow],
    readings: Sequence[Reading | None],
    statements: Sequence[tuple[Coverage, ...]],
    settings: AnswerSettings,
) -> Answer:
    """Judge the answer of a turn; ``readings`` and ``statements`` are those of its calls."""
    text = turn.answer.value if turn.answer.recorded and isinstance(turn.answer.value, str) else None
    matching = _match(turn, text, rows) if settings.matching else None
    verdict = _look_up(turn, text, matching, settings) if settings.evidence else None
    own, unread_verdicts = _runtime_evidence(turn)
    evidence = own or (() if verdict is None else (_as_facts(verdict, turn.answer.pointer),))
    declared = read_rows(
        (event.keys.get("kind"), event.keys.get("body"), event.pointer) for event in turn.declared.rows
    )
    check, bad_check = _answer_check(turn.declared.answer_check)
    given = AssessmentInput(
        turn=turn.turn,
        turn_from="person" if turn.question.recorded else "whole-history",
        ended_in=_ended_in(turn),
        paused_call_id=None if turn.declared.pause is None else turn.declared.pause.keys.get("tool_call_id"),
        pause_pointer=None if turn.declared.pause is None else turn.declared.pause.pointer,
        calls=tuple(_assessed(turn, readings, statements)),
        rows=(*declared.rows, *check, *_shown(turn, matching)),
        evidence=evidence,
        stopped_early=_declared(turn.declared.stopped_early),
        steps_unfinished=_declared(turn.declared.steps_unfinished),
        earlier_call_ids=frozenset(one.call_id for one in turn.in_view if one.call_id is not None),
        answer_sha256=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() if text is not None else None,
        kept_out=("history",) if turn.in_view_kept_out else (),
        records=frozenset(_records(turn, matching, evidence)),
    )
    return Answer(
        matching=matching,
        verdict=verdict,
        evidence=evidence,
        own_evidence=bool(own),
        assessment=assess(given),
        recovery=_recovery(matching, verdict, rows),
        unread=declared.unread + unread_verdicts + bad_check,
    )


# -- the code that the answer shows ------------------------------------------------------------------


def _match(turn: Turn, text: str | None, rows: Sequence[ScriptRow]) -> MatchVerdict | None:
    """The answer's blocks; nothing is said where a program that one of them may be is not recorded."""
    if text is None or any(row.bytes is None for row in rows):
        return None
    return match_blocks(text, rows, turn.earlier_scripts)


def _shown(turn: Turn, matching: MatchVerdict | None) -> Iterator[Row]:
    for block in matching.blocks if matching is not None else ():
        yield Row(
            kind="script-shown",
            turn=turn.turn,
            call_id=block.tool_call_id,
            tool=block.tool,
            body={"block": block.block, "label": block.label},
            pointer=turn.answer.pointer,
        )


# -- the values that the answer names ----------------------------------------------------------------


def _look_up(
    turn: Turn, text: str | None, matching: MatchVerdict | None, settings: AnswerSettings
) -> EvidenceVerdict | None:
    """Our own look-up; ``None`` where something that may have given the model a value is not recorded."""
    if text is None or not _all_recorded(turn):
        return None
    options = EvidenceOptions(
        minimum_digits=settings.evidence_minimum_digits,
        shapes=settings.evidence_shapes,
        exemptions=settings.evidence_exemptions,
    )
    results = [call.result for call in (*turn.before_pause, *turn.calls)] + [one.result for one in turn.in_view]
    return check_evidence(
        answer=text,
        results=[
            result.value if result.decoded is None else JsonText(result.value, result.decoded)
            for result in results
            if result.recorded
        ],
        exempt_texts=turn.told,
        matched_regions=_unchecked(text, matching) if settings.matching else frozenset(),
        options=options,
    )


def _all_recorded(turn: Turn) -> bool:
    """Whether a call is recorded, and all that may have given the model a value."""
    calls = [
        call for call in (*turn.before_pause, *turn.calls) if call.outcome in _MAY_HAVE_SHOWN and not call.presented
    ]
    lost = turn.stand_in or not _ABOVE.issuperset(turn.incomplete) or (turn.resumed and not turn.paused_leg_held)
    unseen = turn.in_view_kept_out or turn.in_view_unrecorded or turn.told_partly
    results = [*(call.result for call in calls), *(one.result for one in turn.in_view)]
    return bool(calls) and not lost and not unseen and all(result.recorded for result in results)


def _unchecked(text: str, matching: MatchVerdict | None) -> frozenset[tuple[int, int]]:
    """The blocks whose contents need no evidence: submitted programs, and any that may be one that is not recorded."""
    if matching is not None:
        return matching.matched_regions
    return frozenset((fence.start, fence.end) for fence in fences(text))


def _runtime_evidence(turn: Turn) -> tuple[tuple[EvidenceFacts, ...], int]:
    read = [read_evidence(event.keys, pointer=event.pointer) for event in turn.declared.evidence]
    found = tuple(one for one in read if one is not None)
    # Of several verdicts on one answer the last one counts; the ones before it asked for its revision.
    return found[-1:], len(read) - len(found)


def _as_facts(verdict: EvidenceVerdict, pointer: Pointer | None) -> EvidenceFacts:
    return EvidenceFacts(
        candidates=verdict.candidates,
        looked_up=verdict.looked_up,
        # A value that may stand in what could not be searched is not unsupported.
        unsupported=0 if verdict.truncated else len(verdict.unsupported),
        values=() if verdict.truncated else tuple(one.written for one in verdict.unsupported),
        capped=verdict.capped,
        truncated=verdict.truncated,
        pointer=pointer,
    )


def _recovery(
    matching: MatchVerdict | None, verdict: EvidenceVerdict | None, rows: Sequence[ScriptRow]
) -> RecoveryClauses | None:
    if matching is None or verdict is None or verdict.truncated:
        return None
    blocks = (
        ShownBlock(label=b.label, tool=b.tool, tool_call_id=b.tool_call_id, exit_code=b.exit_code)
        for b in matching.blocks
    )
    clauses = recovery_clauses(
        blocks, (one.region for one in verdict.unsupported), dict.fromkeys(row.tool for row in rows)
    )
    return clauses if clauses.unmatched or clauses.kept_calls else None


# -- the assessment ------------------------------------------------------------------------------------


def _ended_in(turn: Turn) -> EndedIn:
    if turn.declared.pause is not None and not turn.answer.recorded:
        return "pause"
    if turn.finished or turn.answer.recorded:
        return "answer"
    return "error" if turn.end_ns and not turn.stand_in else "unrecorded"


def _assessed(
    turn: Turn, readings: Sequence[Reading | None], statements: Sequence[tuple[Coverage, ...]]
) -> Iterator[AssessedCall]:
    for ref, (call, reading, stated) in enumerate(zip(turn.calls, readings, statements, strict=True)):
        came_back = call.outcome == "ran" or handed_back(call)
        judged = came_back and call.withheld_by is None and not call.presented
        yield AssessedCall(
            ref=ref,
            call_id=call.call_id,
            coverage=stated,
            declared=None if stated else own_envelope(call),
            reading=reading if judged else None,
            pointer=call.result.pointer,
        )


def _answer_check(event: RecordedEvent | None) -> tuple[tuple[Row, ...], int]:
    """The turn's own answer check as a row, and 1 when it fails the gate."""
    if event is None:
        return (), 0
    row = read_row("answer-check", event.keys, pointer=event.pointer)
    return ((), 1) if row is None else ((row,), 0)


def _declared(content: Content) -> Witness | None:
    """A declaration of the turn's span; a text or list that is empty declares nothing."""
    return Witness(pointer=content.pointer) if content.recorded and content.value else None


def _records(turn: Turn, matching: MatchVerdict | None, evidence: Sequence[EvidenceFacts]) -> Iterator[str]:
    """What this record is known to hold, so that a reason read from it could have fired."""
    if turn.declared.pause is not None or turn.resumed:
        yield "pause"
    if "coverage" in turn.declared.emits or any(call.coverage for call in turn.calls):
        yield "coverage"
    if any(call.result.recorded for call in turn.calls):
        yield "results"
    if evidence:
        yield "evidence"
    if any(one.revised for one in evidence):
        yield "revision"
    if matching is not None:
        yield "matching"
    if turn.declared.stopped_early.state != "absent":
        yield "stopped-early"
    if turn.declared.answer_check is not None:
        yield "answer-check"
