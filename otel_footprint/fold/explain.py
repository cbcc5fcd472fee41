"""From the facts of one turn to its explanation: the only caller of the other rules."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

from otel_footprint.explanation import (
    SCHEMA,
    CallExplanation,
    Checks,
    Counts,
    Explanation,
    ScriptExplanation,
    SignalExplanation,
    Summary,
    UnreachedExplanation,
    WrongLine,
)
from otel_footprint.facts import CodeRun, Content, Coverage, CoverageItem, Pointer, ToolCall, Turn
from otel_footprint.fold.checks import CheckInput, Decided, InView, JudgedCall, Loss, Origin, Signal, Unreached
from otel_footprint.fold.coverage import is_ledger, recognise
from otel_footprint.fold.emptiness import Door, Reading, read_emptiness
from otel_footprint.fold.labels import CodeRunFacts
from otel_footprint.fold.scripts import Ledger, ScriptRow, draft_row
from otel_footprint.fold.strictjson import NotJsonError, read_json
from otel_footprint.fold.verdict import CheckResult, run_checks
from otel_footprint.fold.wording import WORDING_VERSION, script_sentence

MAX_QUESTION_CHARS: Final = 2_000
MAX_ANSWER_CHARS: Final = 4_000

_KEPT_OUT: Final = frozenset({"REDACTED", "[REDACTED]", "<REDACTED>", "__REDACTED__"})
_LOSSES: Final = {
    "evicted": "record.evicted",
    "evicted-before": "record.spansLost",
    "idle": "record.idle",
    "no-turn-span": "record.standIn",
    "parent-missing": "record.parentMissing",
    "queue-dropped": "record.spansLost",
    "shutdown": "record.shutdown",
}
_OTHER: Final = {
    "parent-cycle": "spans name each other as parents",
    "conflicting-duplicate": "a span came twice with different content",
}


def explain(turn: Turn) -> Explanation:
    """Fold one turn. The same turn gives the same explanation; nothing recorded makes it raise."""
    readings = [_reading(call, turn) for call in turn.calls]
    items = [_items(call) for call in turn.calls]
    scripts, dropped = _scripts(turn)
    found = run_checks(_check_input(turn, readings, items))
    return Explanation(
        schema=SCHEMA,
        wording=WORDING_VERSION,
        trace_id=turn.trace_id,
        span_id=turn.span_id,
        name=turn.name,
        agent=turn.agent,
        conversation_id=turn.conversation_id,
        turn=turn.turn,
        nested_in=turn.nested_in,
        question=_text(turn.question, MAX_QUESTION_CHARS),
        answer=_text(turn.answer, MAX_ANSWER_CHARS),
        finished=turn.finished,
        incomplete=turn.incomplete,
        stand_in=turn.stand_in,
        revision=turn.revision,
        calls=tuple(_call(call, reading) for call, reading in zip(turn.calls, readings, strict=True)),
        scripts=tuple(scripts),
        signals=tuple(_signal(signal, turn) for signal in found.signals),
        unreached=tuple(_unreached(line, turn) for line in found.unreached),
        reasons=(),
        checks=Checks(reachable=found.reachable, unreachable=found.unreachable, not_applicable=found.not_applicable),
        wrong=tuple(WrongLine(id=sentence.id, about=sentence.text) for sentence in found.wrong),
        summary=Summary(about=found.summary.text, tone=found.summary.tone),
        counts=_counts(turn, found, scripts, dropped),
        standing=None,
        notes=turn.notes,
    )


def _text(content: Content, limit: int) -> str | None:
    if not content.recorded or not isinstance(content.value, str):
        return None
    return content.value if len(content.value) <= limit else content.value[: limit - 1] + "…"


# -- what came back --------------------------------------------------------------------------------


def _is_placeholder(turn: Turn) -> Any:
    """A placeholder word keeps content out only under a recorded policy; without one it is a value."""
    return (lambda value: isinstance(value, str) and value in _KEPT_OUT) if turn.redaction else None


def _door(call: ToolCall) -> Door | None:
    """What the record says was declared; ``None`` lets the value's own envelope speak."""
    if call.coverage:
        return Door(
            absent=any(c.statement == "absence" for c in call.coverage),
            bounded=any(c.statement == "ledger" for c in call.coverage),
        )
    return Door() if call.coverage_recorded else None


def _reading(call: ToolCall, turn: Turn) -> Reading | None:
    """What the call's result says; ``None`` when no result and no row count are recorded."""
    door = _door(call)
    if not call.result.recorded:
        return _counted(call, door)
    value = call.result.value
    if door is not None and door.bounded and not is_ledger(_decoded(value)):
        # The ledger stands on the span's attributes and the result beside it: the same envelope, laid flat.
        value = {"af_coverage": {}, "result": _decoded(value)}
    return read_emptiness(value, rows_at=call.rows_at, door=door, is_placeholder=_is_placeholder(turn))


def _counted(call: ToolCall, door: Door | None) -> Reading | None:
    if door is not None and door.absent:
        return Reading(emptiness="declared-absent", bounded=door.bounded)
    if call.rows is None:
        return None
    bounded = door is not None and door.bounded
    if call.rows:
        return Reading(emptiness="non-empty", rows=call.rows, source="library", bounded=bounded)
    return Reading(
        emptiness="declared-absent" if bounded else "undeclared-empty", rows=0, source="library", bounded=bounded
    )


def _decoded(value: Any) -> Any:
    if isinstance(value, str) and value.strip()[:1] in {"{", "["}:
        try:
            return read_json(value)
        except NotJsonError:
            return value
    return value


def _statements(call: ToolCall) -> tuple[Coverage, ...]:
    if call.coverage or call.coverage_recorded or not call.result.recorded:
        return call.coverage
    if isinstance(call.result.value, str) and "af_" not in call.result.value:
        return ()  # no envelope of ours is spelled in it
    return recognise(_decoded(call.result.value), pointer=call.result.pointer).statements


def _items(call: ToolCall) -> tuple[CoverageItem, ...]:
    return tuple(item for statement in _statements(call) for item in statement.items)


# -- the checks ------------------------------------------------------------------------------------


def _check_input(
    turn: Turn, readings: Sequence[Reading | None], items: Sequence[tuple[CoverageItem, ...]]
) -> CheckInput:
    calls = tuple(
        JudgedCall(
            ref=ref,
            tool=call.tool,
            call_id=call.call_id or call.span_id,
            outcome=call.outcome,
            withheld=call.withheld_by is not None,
            ended=call.end_ns > 0,
            presented=call.presented,
            items=items[ref],
            reading=readings[ref],
            result_state=call.result.state,
            enable=call.enable if call.result.state == "absent" else None,
        )
        for ref, call in enumerate(turn.calls)
    )
    in_view = tuple(
        InView(
            ref=ref,
            tool=earlier.tool,
            distance=earlier.distance,
            windowed=turn.windowed,
            reading=read_emptiness(earlier.result.value, rows_at=earlier.rows_at, is_placeholder=_is_placeholder(turn))
            if earlier.result.recorded
            else None,
            result_state=earlier.result.state,
            enable=turn.enable,
        )
        for ref, earlier in enumerate(turn.in_view)
    )
    return CheckInput(
        decided=_decided(turn),
        calls=calls,
        in_view=in_view,
        in_view_kept_out=turn.in_view_kept_out,
        in_view_unrecorded=turn.in_view_unrecorded,
        resumed_leg=turn.resumed,
        finished=turn.finished,
        losses=tuple(_losses(turn)),
        enable=turn.enable,
    )


def _decided(turn: Turn) -> Decided:
    """Routing by what this runtime can record of it; a hand-off asked for counts as decided."""
    if turn.routing == "none":
        return Decided(state="not-applicable")
    if turn.routing == "handoffs":
        if not turn.handoffs:
            return Decided(state="not-applicable")
        if all(handoff.delivered for handoff in turn.handoffs):
            return Decided(state="reachable", chosen=turn.handoffs[-1].target)
        return Decided(state="unreachable", enable=turn.enable)
    return Decided(
        state="unreachable",
        verdict_recorded=False,
        enable="routing: none in the configuration, or footprint.routing events",
    )


def _losses(turn: Turn) -> list[Loss]:
    found = []
    for reason in turn.incomplete:
        if reason == "limits-dropped":
            found.append(Loss(sentence="record.dropped", vars={"n": turn.dropped}, enable=_LIMITS))
        elif reason in _LOSSES:
            found.append(Loss(sentence=_LOSSES[reason], vars={}))
        else:
            found.append(Loss(sentence="record.other", vars={"why": _OTHER[reason]}))
    if turn.unreadable:
        found.append(Loss(sentence="record.unreadable", vars={"n": turn.unreadable}))
    return found


_LIMITS: Final = "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT, OTEL_SPAN_EVENT_COUNT_LIMIT and OTEL_SPAN_LINK_COUNT_LIMIT"


def _signal(signal: Signal, turn: Turn) -> SignalExplanation:
    return SignalExplanation(
        about=signal.sentence.text,
        id=signal.id,
        check=signal.check,
        tone=signal.tone,
        tool=signal.tool,
        call_id=_call_id(signal.origin, signal.ref, turn),
        evidence=_evidence(signal.origin, signal.ref, turn, coverage=signal.check == "existence"),
    )


def _unreached(line: Unreached, turn: Turn) -> UnreachedExplanation:
    return UnreachedExplanation(
        about=line.sentence.text,
        check=line.check,
        missing=line.missing,
        tool=line.tool,
        call_id=_call_id(line.origin, line.ref, turn),
        enable=line.enable or _declaration_for(line),
        evidence=_evidence(line.origin, line.ref, turn, coverage=line.check == "existence"),
    )


def _declaration_for(line: Unreached) -> str | None:
    """What a person declares so that the check can be run; ``None`` when nothing would help."""
    if line.missing != "not-declared":
        return None
    if line.check == "existence":
        return "kind: existence or scope on the items of coverage.not_checked and coverage.cannot_cover"
    return f"rows_at for {line.tool} in the configuration, or coverage.rows_at on its span"


def _call_id(origin: Origin, ref: int | None, turn: Turn) -> str | None:
    if origin == "call" and ref is not None:
        return turn.calls[ref].call_id
    return turn.in_view[ref].call_id if origin == "in-view" and ref is not None else None


def _evidence(origin: Origin, ref: int | None, turn: Turn, *, coverage: bool) -> tuple[Pointer, ...]:
    """Where a reader can look: the result or the declaration, else the flag that tells how the call ended."""
    found: list[Pointer | None] = []
    if origin == "call" and ref is not None:
        call = turn.calls[ref]
        if coverage:
            found = [statement.pointer for statement in _statements(call)]
        found = found or [call.result.pointer or call.outcome_pointer]
    elif origin == "in-view" and ref is not None:
        found = [turn.in_view[ref].result.pointer]
    elif origin == "record":
        found = [f"{turn.span_id}#status"]
    return tuple(pointer for pointer in found if pointer is not None)


# -- calls and programs ------------------------------------------------------------------------------


def _call(call: ToolCall, reading: Reading | None) -> CallExplanation:
    return CallExplanation(
        span_id=call.span_id,
        tool=call.tool,
        call_id=call.call_id,
        outcome=call.outcome,
        code_run=call.code_run is not None,
        result_recorded=call.result.recorded,
        emptiness=reading.emptiness if reading is not None else "unknown",
        rows=reading.rows if reading is not None else None,
        undeclared_shape=reading.undeclared_shape if reading is not None else False,
        rows_unread=reading.rows_unread if reading is not None else None,
        notes=call.notes,
    )


def _scripts(turn: Turn) -> tuple[list[ScriptExplanation], int]:
    """The script rows in filing order, and how many the bound dropped."""
    ledger = Ledger()
    filed: dict[int, tuple[ToolCall, CodeRun]] = {}
    for call in turn.calls:
        run = call.code_run
        if run is None:
            continue
        program = _program(run)
        if program.recorded and not isinstance(program.value, str):
            continue
        draft = draft_row(
            tool_call_id=call.call_id,
            tool=call.tool or "",
            argument=run.argument,
            language=run.language,
            program=program.value if program.recorded else None,
            rewritten=_rewritten(run),
            paused=run.paused,
            settlement=call.settlement,
            facts=CodeRunFacts(exit_code=run.exit_code, ok=run.ok, service_error=run.service_error),
            withheld=run.result_withheld,
            turn=turn.turn,
            iteration=call.iteration,
        )
        dispatch = ledger.file(draft, paused=run.paused)
        if dispatch is not None:
            filed[dispatch] = (call, run)
    rows = [_script(row, *filed[row.dispatch]) for row in ledger.rows]
    return rows, ledger.scripts_dropped.get(turn.turn, 0)


def _program(run: CodeRun) -> Content:
    """The submitted program; the one that the model asked for where the record of the submitted one is lost."""
    if run.submitted.recorded or (run.submitted.state != "absent" and not run.proposed.recorded):
        return run.submitted
    return run.proposed


def _rewritten(run: CodeRun) -> bool:
    """Only told where both the proposed and the submitted program are recorded."""
    return run.proposed.recorded and run.submitted.recorded and run.proposed.value != run.submitted.value


def _script(row: ScriptRow, call: ToolCall, run: CodeRun) -> ScriptExplanation:
    program = _program(run)
    text = program.value if program.recorded else None
    evidence = (program.pointer, run.exit_code_pointer if row.exit_code is not None else call.outcome_pointer)
    return ScriptExplanation(
        about=script_sentence(
            row.outcome,
            row.tool,
            exit_code=row.exit_code,
            service_error=row.service_error,
            recorded=text is not None,
        ).text,
        span_id=call.span_id,
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
        shown=None,
        declared_by=run.declared_by,
        argument_is_list=run.argument_is_list,
        program=program.state,
        text=row.text,
        evidence=tuple(pointer for pointer in evidence if pointer is not None),
        time_ns=call.end_ns or call.start_ns,
    )


def _counts(turn: Turn, found: CheckResult, scripts: Sequence[ScriptExplanation], scripts_dropped: int) -> Counts:
    def outcome(word: str) -> int:
        return sum(1 for call in turn.calls if call.outcome == word)

    return Counts(
        calls=len(turn.calls),
        failed=outcome("failed"),
        refused=outcome("refused"),
        declined=outcome("declined"),
        not_dispatched=outcome("not-dispatched"),
        unknown=outcome("unknown"),
        withheld=sum(1 for call in turn.calls if call.withheld_by is not None),
        scripts=len(scripts),
        scripts_dropped=scripts_dropped,
        signals=len(found.signals) + found.omitted_signals,
        signals_omitted=found.omitted_signals,
        lines_omitted=found.omitted,
    )
