"""From the facts of one turn to its explanation: the only caller of the other rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from otel_footprint.explanation import SCHEMA, Checks, Explanation, Summary, WrongLine
from otel_footprint.facts import Content, Turn
from otel_footprint.fold import present
from otel_footprint.fold.accounting import account_of
from otel_footprint.fold.answer import AnswerSettings, judge_answer
from otel_footprint.fold.judging import judge
from otel_footprint.fold.matching import shown_by_dispatch
from otel_footprint.fold.notes import notes_of
from otel_footprint.fold.programs import file_scripts
from otel_footprint.fold.wording import WORDING_VERSION

MAX_QUESTION_CHARS: Final = 2_000
MAX_ANSWER_CHARS: Final = 4_000


class ExplainSettings(AnswerSettings, Protocol):
    """What a person can set about an explanation; ``Config`` is one."""

    @property
    def account(self) -> bool:
        """Give the seven-row account too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultSettings:
    """The settings of a person who set nothing."""

    evidence: bool = True
    evidence_minimum_digits: int = 4
    evidence_shapes: tuple[str, ...] = ()
    evidence_exemptions: tuple[str, ...] = ()
    matching: bool = True
    account: bool = False


def explain(turn: Turn, settings: ExplainSettings | None = None) -> Explanation:
    """Fold one turn. The same turn gives the same explanation; nothing recorded makes it raise."""
    settings = settings or DefaultSettings()
    judged = judge(turn)
    scripts, dropped = file_scripts(turn)
    rows = [filed.row for filed in scripts]
    answer = judge_answer(
        turn, rows, [read.reading for read in judged.calls], [read.statements for read in judged.calls], settings
    )
    shown = shown_by_dispatch(rows, answer.matching) if answer.matching is not None else {}
    assessment, found = answer.assessment, judged.found
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
        calls=tuple(present.call(read) for read in judged.calls),
        scripts=tuple(present.script(filed, shown.get(filed.row.dispatch)) for filed in scripts),
        signals=tuple(present.signal(signal, judged) for signal in found.signals),
        unreached=tuple(present.unreached(line, judged) for line in found.unreached),
        reasons=() if assessment is None else tuple(present.reason(fired, answer) for fired in assessment.reasons),
        checks=Checks(reachable=found.reachable, unreachable=found.unreachable, not_applicable=found.not_applicable),
        wrong=tuple(WrongLine(id=sentence.id, about=sentence.text) for sentence in found.wrong),
        summary=Summary(about=found.summary.text, tone=found.summary.tone),
        counts=present.counts(judged, len(scripts), dropped),
        standing=None if assessment is None else assessment.standing,
        notes=notes_of(turn, scripts),
        assessment=None if assessment is None else present.assessment(assessment),
        matching=present.matching(answer),
        evidence=present.evidence(answer),
        recovery=present.recovery(answer.recovery),
        account=account_of(judged, answer).to_dict() if settings.account else None,
    )


def _text(content: Content, limit: int) -> str | None:
    if not content.recorded or not isinstance(content.value, str):
        return None
    return content.value if len(content.value) <= limit else content.value[: limit - 1] + "…"
