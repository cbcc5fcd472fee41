"""What the rules found, as the values of an explanation."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from otel_footprint.explanation import (
    AssessmentExplanation,
    BlockExplanation,
    CallExplanation,
    CheckedExplanation,
    Counts,
    EvidenceExplanation,
    MatchingExplanation,
    ReasonExplanation,
    RecoveryExplanation,
    ScriptExplanation,
    SignalExplanation,
    SupportExplanation,
    UnreachedExplanation,
    UnsupportedExplanation,
)
from otel_footprint.facts import Pointer
from otel_footprint.fold.answer import Answer
from otel_footprint.fold.check_values import Signal, Unreached
from otel_footprint.fold.judging import Judged, ReadCall
from otel_footprint.fold.matching import Shown
from otel_footprint.fold.programs import FiledScript
from otel_footprint.fold.reason_rows import EvidenceFacts
from otel_footprint.fold.reasons import Assessment, Fired
from otel_footprint.fold.recovery import RecoveryClauses, recovery_text
from otel_footprint.fold.wording import Sentence, reason_sentence, script_sentence

MAX_POINTERS = 12
"""Pointers of one reason; its witnesses are all counted."""


def call(read: ReadCall) -> CallExplanation:
    """One call of the turn."""
    reading = read.reading
    return CallExplanation(
        span_id=read.call.span_id,
        tool=read.call.tool,
        call_id=read.call.call_id,
        outcome=read.call.outcome,
        code_run=read.call.code_run is not None,
        result_recorded=read.call.result.recorded,
        emptiness=reading.emptiness if reading is not None else "unknown",
        rows=reading.rows if reading is not None else None,
        undeclared_shape=reading.undeclared_shape if reading is not None else False,
        rows_unread=reading.rows_unread if reading is not None else None,
        notes=read.call.notes,
    )


def script(filed: FiledScript, shown: Shown | None) -> ScriptExplanation:
    """One script row."""
    row, run, program = filed.row, filed.run, filed.program
    text = program.value if program.recorded else None
    proof = run.exit_code_pointer if row.exit_code is not None else filed.call.outcome_pointer
    return ScriptExplanation(
        about=script_sentence(
            row.outcome,
            row.tool,
            exit_code=row.exit_code,
            service_error=row.service_error,
            recorded=text is not None,
        ).text,
        span_id=filed.call.span_id,
        outcome=row.outcome,
        result=row.outcome if row.exit_code is None else f"{row.outcome}:exit:{row.exit_code}",
        exit_code=row.exit_code,
        exit_code_from=run.exit_code_from if row.exit_code is not None else None,
        service_error=row.service_error,
        tool=row.tool,
        call_id=row.tool_call_id,
        dispatch=row.dispatch,
        argument=row.argument,
        language=row.language,
        bytes=row.bytes,
        lines=row.lines,
        sha256=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() if text is not None else None,
        rewritten=row.rewritten,
        result_withheld=row.result_withheld,
        turn=row.turn,
        iteration=row.iteration,
        shown=shown,
        declared_by=run.declared_by,
        exit_code_of=run.shell.exit_code_of if run.shell is not None and row.exit_code is not None else None,
        exit_means=run.shell.exit_means if run.shell is not None and row.exit_code is not None else None,
        argument_is_list=run.argument_is_list,
        program=program.state,
        text=row.text,
        evidence=_pointers((program.pointer, proof)),
        time_ns=filed.call.end_ns or filed.call.start_ns,
    )


def signal(found: Signal, judged: Judged) -> SignalExplanation:
    """One listed signal."""
    return SignalExplanation(
        about=found.sentence.text,
        id=found.id,
        check=found.check,
        tone=found.tone,
        tool=found.tool,
        call_id=_call_id(found, judged),
        evidence=judged.evidence(found.origin, found.ref, coverage=found.check == "existence"),
    )


def unreached(line: Unreached, judged: Judged) -> UnreachedExplanation:
    """One listed line of what could not be checked."""
    return UnreachedExplanation(
        about=line.sentence.text,
        check=line.check,
        missing=line.missing,
        tool=line.tool,
        call_id=_call_id(line, judged),
        enable=line.enable or _declaration_for(line),
        evidence=judged.evidence(line.origin, line.ref, coverage=line.check == "existence"),
    )


def _call_id(found: Signal | Unreached, judged: Judged) -> str | None:
    read = judged.call_of(found.origin, found.ref)
    if read is not None:
        return read.call.call_id
    in_view = found.origin == "in-view" and found.ref is not None
    return judged.turn.in_view[found.ref].call_id if in_view and found.ref is not None else None


def _declaration_for(line: Unreached) -> str | None:
    """What a person declares so that the check can be run; ``None`` when nothing would help."""
    if line.missing != "not-declared":
        return None
    if line.check == "existence":
        return "kind: existence or scope on the items of coverage.not_checked and coverage.cannot_cover"
    return f"rows_at for {line.tool} in the configuration, or coverage.rows_at on its span"


def reason(fired: Fired, answer: Answer) -> ReasonExplanation:
    """One reason against the answer."""
    entry = fired.reason
    values = answer.evidence[-1].values if answer.evidence else ()
    sentence = reason_sentence(entry.reason)
    if entry.reason in _VALUE_REASONS and values:
        sentence = Sentence(id=f"{sentence.id}.named", vars={"values": values})
    return ReasonExplanation(
        about=sentence.text,
        reason=entry.reason,
        reason_class=entry.reason_class,
        layer=entry.layer,
        source=entry.source,
        witnesses=len(fired.witnesses),
        evidence=_pointers(witness.pointer for witness in fired.witnesses)[:MAX_POINTERS],
    )


_VALUE_REASONS = frozenset({"value-unsupported", "value-survived-revision"})


def _pointers(found: Iterable[Pointer | None]) -> tuple[Pointer, ...]:
    return tuple(dict.fromkeys(pointer for pointer in found if pointer is not None))


def assessment(found: Assessment) -> AssessmentExplanation:
    """What the standing rests on."""
    support = found.support
    return AssessmentExplanation(
        assessment=found.assessment,
        checked=tuple(CheckedExplanation(check=c.check, layer=c.layer, ran=c.ran, of=c.of) for c in found.checked),
        support=None
        if support is None
        else SupportExplanation(kind=support.kind, digest=support.digest, evidence=_pointers((support.pointer,))),
        turn_from=found.turn_from,
        kept_out=found.kept_out,
        not_evaluated=found.not_evaluated,
    )


def matching(answer: Answer) -> MatchingExplanation | None:
    """The code that the answer shows."""
    found = answer.matching
    if found is None:
        return None
    return MatchingExplanation(
        blocks=tuple(
            BlockExplanation(
                block=block.block,
                label=block.label,
                dispatch=block.dispatch,
                tool=block.tool,
                call_id=block.tool_call_id,
                exit_code=block.exit_code,
            )
            for block in found.blocks
        ),
        earlier_turn_rows=found.earlier_turn_rows,
        regions_dropped=found.regions_dropped,
    )


def evidence(answer: Answer) -> EvidenceExplanation | None:
    """The verdict on the answer's names and numbers."""
    if not answer.evidence:
        return None
    last = answer.evidence[-1]
    return EvidenceExplanation(
        candidates=last.candidates,
        looked_up=last.looked_up,
        unsupported=tuple(_unsupported(answer, last)),
        truncated=last.truncated,
        capped=last.capped,
        revised=last.revised,
        source="runtime" if answer.own_evidence else "fold",
    )


def _unsupported(answer: Answer, last: EvidenceFacts) -> list[UnsupportedExplanation]:
    if answer.own_evidence or answer.verdict is None:
        return [UnsupportedExplanation(value=value, shape="unknown", region="unknown") for value in last.values]
    if last.truncated:
        return []
    return [
        UnsupportedExplanation(value=one.written, shape=one.shape, region=one.region)
        for one in answer.verdict.unsupported
    ]


def recovery(clauses: RecoveryClauses | None) -> RecoveryExplanation | None:
    """What a runtime may say when it asks for a revision."""
    if clauses is None:
        return None
    return RecoveryExplanation(
        unmatched=clauses.unmatched,
        tools_named=clauses.tools_named,
        kept_calls=tuple(kept.tool_call_id for kept in clauses.kept_calls),
        text=recovery_text(clauses),
    )


def counts(judged: Judged, scripts: int, scripts_dropped: int) -> Counts:
    """Totals over everything that was judged."""
    calls, found = judged.turn.calls, judged.found
    outcomes = [one.outcome for one in calls]
    return Counts(
        calls=len(calls),
        failed=outcomes.count("failed"),
        refused=outcomes.count("refused"),
        declined=outcomes.count("declined"),
        not_dispatched=outcomes.count("not-dispatched"),
        unknown=outcomes.count("unknown"),
        withheld=sum(1 for one in calls if one.withheld_by is not None),
        scripts=scripts,
        scripts_dropped=scripts_dropped,
        signals=len(found.signals) + found.omitted_signals,
        signals_omitted=found.omitted_signals,
        lines_omitted=found.omitted,
    )
