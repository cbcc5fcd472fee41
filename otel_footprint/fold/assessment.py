"""Whether the answer stands: the fold over what the readers and the runtime put on the record.

Detectors are plain functions in :data:`DETECTORS`; each yields ``(reason, witness)`` pairs. Silence is never
"known": only a check that a runtime enforced on exactly this answer supports it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from otel_footprint.fold.reason_rows import UNMATCHED, Row, witness_id
from otel_footprint.fold.reasons import (
    CHECK_LAYERS,
    REASONS,
    AssessedCall,
    Assessment,
    AssessmentInput,
    AssessmentWord,
    Checked,
    Fired,
    Standing,
    Support,
    Witness,
)

NEGATIVE_CLAIMS: Final = "agent:negative-claims:"
"""How the names of the checks on "there is none" begin."""

EXCEEDS: Final = "claim-exceeds-search"
OVERCLAIMED: Final = "declaration-overclaimed"

Found = Iterator[tuple[str, Witness]]


def assess(given: AssessmentInput) -> Assessment | None:
    """Assess one turn; ``None`` when it ended without an answer and without a pause, so there is nothing to assess."""
    facts = _Facts(given)
    if given.ended_in in ("error", "unrecorded") and not facts.paused:
        return None
    if given.kept_out:
        return Assessment(
            assessment="not-applicable",
            standing="not-assessed",
            turn_from=given.turn_from,
            kept_out=tuple(sorted(given.kept_out)),
        )
    fired = _fired(facts)
    checked = tuple(_checked(facts))
    support = None if fired else _support(facts)
    assessment, standing = _standing(fired, checked, support)
    return Assessment(
        assessment=assessment,
        standing=standing,
        reasons=fired,
        checked=checked,
        support=support,
        turn_from=given.turn_from,
        not_evaluated=_not_evaluated(facts, {one.reason.reason for one in fired}),
    )


def _fired(facts: _Facts) -> tuple[Fired, ...]:
    witnesses: dict[str, list[Witness]] = {}
    for detect in DETECTORS:
        for reason, witness in detect(facts):
            witnesses.setdefault(reason, []).append(witness)
    return tuple(
        Fired(reason=reason, witnesses=tuple(witnesses[reason.reason]))
        for reason in REASONS
        if reason.reason in witnesses
    )


def _standing(
    fired: Iterable[Fired], checked: Iterable[Checked], support: Support | None
) -> tuple[AssessmentWord, Standing]:
    classes = {one.reason.reason_class for one in fired}
    if "ask" in classes:
        return "unknown", "ask"
    if classes:
        return "unknown", "not-sure"
    if support is not None:
        return "known", "known"
    if any(one.ran for one in checked):
        return "unrefuted", "consistent"
    return "not-applicable", "not-assessed"


# -- whose rows -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Facts:
    """The input, with the rows of this turn sorted out."""

    given: AssessmentInput

    @cached_property
    def paused(self) -> bool:
        """A call waits on a person."""
        call_id = self.given.paused_call_id
        if not isinstance(call_id, str) or not call_id:
            return self.given.ended_in == "pause"
        kept_out = self.given.is_placeholder is not None and self.given.is_placeholder(call_id)
        return not kept_out or self.given.ended_in == "pause"

    @cached_property
    def refs(self) -> dict[str, int | None]:
        """Call id to the call's number; ``None`` where two calls of this turn share the id."""
        refs: dict[str, int | None] = {}
        for call in self.given.calls:
            if call.call_id is not None:
                refs[call.call_id] = None if call.call_id in refs else call.ref
        return refs

    def this_turn(self, row: Row) -> bool:
        """Whether a row belongs to this turn by its stamp; without one it is the turn's whose span carries it."""
        return None in (row.turn, self.given.turn) or row.turn == self.given.turn

    def rows(self, *kinds: str) -> list[Row]:
        """This turn's rows of some kinds, every one: ids repeat, so the last of a call does not replace the others."""
        return [row for row in self.given.rows if row.kind in kinds and self.this_turn(row)]

    @cached_property
    def arguments(self) -> list[Row]:
        """This turn's rows about arguments: of each call's argument the last; a row without a call stands alone."""
        current: dict[tuple[str | int, str], Row] = {}
        for number, row in enumerate(self.rows("argument")):
            key = (number if row.call_id is None else row.call_id, str(row.body["argument"]))
            current.pop(key, None)
            current[key] = row
        return list(current.values())

    @cached_property
    def contingents(self) -> list[Row]:
        """This turn's contingent rows: by stamp, by call, or by their place among the stamped rows."""
        return [
            row
            for place, row in enumerate(self.given.rows)
            if row.kind == "contingent" and self._contingent_here(place, row)
        ]

    def _contingent_here(self, place: int, row: Row) -> bool:
        if row.turn is not None or self.given.turn is None:
            return self.this_turn(row)
        if row.call_id is not None:
            return row.call_id in self.refs
        return self.given.turn == 1 or self._first_stamped is None or place >= self._first_stamped

    @cached_property
    def _first_stamped(self) -> int | None:
        """Place of the first row stamped with this turn; ``None`` when no row has any stamp: the span is the stamp."""
        stamps = [row.turn for row in self.given.rows]
        if all(stamp is None for stamp in stamps):
            return None
        return next((place for place, stamp in enumerate(stamps) if stamp == self.given.turn), len(stamps))

    @cached_property
    def reports(self) -> list[Row]:
        """Reports on the answer as a whole."""
        return [row for row in self.rows("answer-check") if "check" not in row.body]

    def witness(self, row: Row) -> Witness:
        """A row as a witness."""
        ref = None if row.call_id is None else self.refs.get(row.call_id)
        return Witness(pointer=row.pointer, ref=ref, call_id=row.call_id)


def _of_call(call: AssessedCall, pointer: str | None) -> Witness:
    return Witness(pointer=pointer, ref=call.ref, call_id=call.call_id)


# -- detectors --------------------------------------------------------------------------------------


def _asks(facts: _Facts) -> Found:
    given = facts.given
    if facts.paused:
        call_id = given.paused_call_id if isinstance(given.paused_call_id, str) and given.paused_call_id else None
        yield "asked", Witness(pointer=given.pause_pointer, call_id=call_id)
    if given.argument_ask is not None:
        yield "argument-asked", given.argument_ask
    for row in facts.arguments:
        if row.says("source", "asked"):
            yield "argument-asked", facts.witness(row)


def _arguments(facts: _Facts) -> Found:
    for row in facts.arguments:
        for reason in _argument_reasons(row):
            yield reason, facts.witness(row)


def _argument_reasons(row: Row) -> Iterator[str]:
    if "rewrite_origin" in row.body:
        # What a rule put in its place replaces what was said of the argument before.
        if row.marked("ruled") and not row.says("rewrite_origin", "person", "app"):
            yield "argument-assumed"
        return
    if row.says("source", "default"):
        yield "argument-assumed"
    judged = row.marked("ruled") or row.marked("period")
    if (row.says("source", "model") and judged) or row.says("source_check", "failed"):
        yield "argument-unverified"
    elif row.says("source", "said") and row.marked("reading"):
        yield "argument-read"
    elif row.says("source", "result") and row.marked("set_aside"):
        yield "value-contingent"


def _contingents(facts: _Facts) -> Found:
    for row in facts.contingents:
        yield "value-contingent", facts.witness(row)


def _results(facts: _Facts) -> Found:
    for call in facts.given.calls:
        yield from _gaps(call)
        yield from _absences(call)
        if not call.coverage and call.reading is not None and call.reading.emptiness == "undeclared-empty":
            yield "empty-undeclared", _of_call(call, call.pointer)


def _gaps(call: AssessedCall) -> Found:
    for statement in call.coverage:
        if any(item.section != "checked" for item in statement.items):
            yield "coverage-gap", _of_call(call, statement.pointer or call.pointer)
    if not call.coverage and call.declared is not None and call.declared.gap:
        yield "coverage-gap", _of_call(call, call.pointer)


def _absences(call: AssessedCall) -> Found:
    absences = [statement for statement in call.coverage if statement.statement == "absence"]
    for statement in absences:
        yield "declared-absent", _of_call(call, statement.pointer or call.pointer)
    if not absences and call.reading is not None and call.reading.emptiness == "declared-absent":
        yield "declared-absent", _of_call(call, call.pointer)


def _periods(facts: _Facts) -> Found:
    for row in facts.rows("period"):
        witness = facts.witness(row)
        if not row.says("verdict", "covered"):
            yield f"period-{row.body['verdict']}", witness
        if row.marked("differs"):
            yield "period-differs-from-asked", witness
        if row.marked("beyond_retention"):
            yield "period-beyond-retention", witness


def _conflicts(facts: _Facts) -> Found:
    for row in facts.given.rows:
        if row.kind == "conflict" and _conflict_here(facts, row):
            yield "sources-conflict", facts.witness(row)


def _conflict_here(facts: _Facts, row: Row) -> bool:
    ids = {witness_id(one) for one in row.body["witnesses"]}
    if ids & facts.refs.keys():
        return True
    stamped = facts.given.turn is None or row.turn == facts.given.turn
    return stamped and not ids <= facts.given.earlier_call_ids


def _values(facts: _Facts) -> Found:
    for verdict in facts.given.evidence:
        reason = "value-survived-revision" if verdict.revised else "value-unsupported"
        for _ in range(min(verdict.unsupported, MAX_VALUE_WITNESSES)):
            yield reason, Witness(pointer=verdict.pointer)


MAX_VALUE_WITNESSES: Final = 12
"""Unsupported values that are counted one by one."""

_ROW_REASONS: Final = {
    "time-derived": "derived-from-reading",
    "steps-unfinished": "steps-unfinished",
    "negative-claim": "negative-prose-unverified",
    "negative-claim-note": "negative-prose-unverified",
}
"""Kinds of rows of which each one is a reason."""


def _single_rows(facts: _Facts) -> Found:
    for row in facts.rows(*_ROW_REASONS):
        yield _ROW_REASONS[row.kind], facts.witness(row)
    for row in facts.rows("script-shown"):
        if row.says("label", UNMATCHED):
            yield "script-unmatched", facts.witness(row)


def _run(facts: _Facts) -> Found:
    if facts.given.stopped_early is not None:
        yield "stopped-early", facts.given.stopped_early
    if facts.given.steps_unfinished is not None:
        yield "steps-unfinished", facts.given.steps_unfinished


def _answer_checks(facts: _Facts) -> Found:
    for row in facts.rows("answer-check"):
        for reason in _check_reasons(row):
            yield reason, facts.witness(row)


def _check_reasons(row: Row) -> Iterator[str]:
    check = row.body.get("check")
    if row.says("reason", EXCEEDS):
        yield EXCEEDS
    if row.says("reason", OVERCLAIMED) and check is not None and check.startswith(NEGATIVE_CLAIMS):
        yield OVERCLAIMED
    failed = row.says("status", "failed")
    if failed:
        yield "answer-check-failed"
    # A reason on the report itself says why the validator did not finish; on one check it is what that check found.
    unfinished = check is None and "reason" in row.body and not row.says("reason", EXCEEDS, OVERCLAIMED)
    if row.says("status", "unverified") or (failed and (row.marked("unreachable") or unfinished)):
        yield "check-unreachable"


Detector = Callable[[_Facts], Found]

DETECTORS: Final[tuple[Detector, ...]] = (
    _asks,
    _arguments,
    _contingents,
    _results,
    _periods,
    _conflicts,
    _values,
    _single_rows,
    _run,
    _answer_checks,
)
"""Everything that can fire a reason."""


# -- what was checked, and what proves --------------------------------------------------------------


def _checked(facts: _Facts) -> Iterator[Checked]:
    for check, ran, of in _counts(facts):
        if of:
            yield Checked(check=check, layer=CHECK_LAYERS[check], ran=ran, of=of)


def _counts(facts: _Facts) -> Iterator[tuple[str, int, int]]:
    """Each check with how many it ran on, and how many there were; 0 of 0 is none."""
    calls, arguments = facts.given.calls, facts.arguments
    judged = [row for row in arguments if "source_check" in row.body]
    readings = [call.reading for call in calls if call.reading is not None]
    periods = len(facts.rows("period"))
    looked = _looked_up(facts)
    reports = any("status" in row.body for row in facts.rows("answer-check"))
    yield "argument-rules", len(arguments), len(arguments)
    yield "argument-sources", sum(not row.says("source_check", "unreachable") for row in judged), len(judged)
    yield "tool-coverage", sum(bool(call.coverage) or call.declared is not None for call in calls), len(calls)
    yield "result-shape", sum(reading.emptiness != "unknown" for reading in readings), len(readings)
    yield "result-period", periods, periods
    yield "names-and-numbers", looked, looked
    yield "answer-checks", reports, reports


def _looked_up(facts: _Facts) -> bool:
    """Whether a value of the answer was looked up: a pass that had none to look up did not apply."""
    verdicts = any(one.unsupported or one.looked_up for one in facts.given.evidence)
    return verdicts or any(row.marked("looked_up") for row in facts.rows("grounded"))


def _support(facts: _Facts) -> Support | None:
    """The report that an enforced check passed exactly this answer."""
    for row in facts.reports:
        digest = str(row.body.get("digest", row.body.get("candidate_digest", ""))).lower()
        passed = row.says("status", "passed") and row.says("mode", "enforce")
        if passed and digest == facts.given.answer_sha256:
            return Support(digest=digest, pointer=row.pointer)
    return None


def _not_evaluated(facts: _Facts, fired: set[str]) -> tuple[str, ...]:
    """The reasons that nothing on this record could have let fire."""
    given = facts.given
    seen = {row.kind for row in given.rows} | given.records
    seen |= {"coverage" for call in given.calls if call.coverage}
    seen |= {"results" for call in given.calls if call.reading is not None}
    seen |= {"evidence" for _ in given.evidence}
    return tuple(
        reason.reason for reason in REASONS if reason.reason not in fired and seen.isdisjoint(reason.read_from)
    )
