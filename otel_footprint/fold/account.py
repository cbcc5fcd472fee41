"""The account of one answer: seven rows, each a few sentences that say who vouches for them and where to look.

A pure fold: the same input gives the same bytes. It never raises on what was recorded; a line that cannot be filled
in becomes an unreadable line and is counted. However much was recorded, the account stays within
:data:`MAX_ACCOUNT_BYTES` of JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from otel_footprint.facts import Content
from otel_footprint.fold import account_calls, account_rows
from otel_footprint.fold.account_input import AccountCall, AccountInput, AccountInView
from otel_footprint.fold.account_lines import Draft, Filler, bounded_pointers, not_recorded
from otel_footprint.fold.account_values import (
    TEMPLATES,
    Account,
    AccountRow,
    AccountSummary,
    CallFact,
    CheckedFact,
    Chip,
    Fact,
    Facts,
    InViewFact,
    Line,
    ListedSignal,
    ListedUnreached,
    Part,
    ReasonFact,
    RefusalFact,
    RowId,
    Run,
    Templates,
    Voucher,
    weakest,
)
from otel_footprint.fold.wording import FACT_TEXT_CHARS, WORDING_VERSION, clean

MAX_ACCOUNT_BYTES: Final = 131_072
"""Longest account, in UTF-8 bytes of its JSON text."""

MAX_CALLS: Final = 50
MAX_IN_VIEW_FACTS: Final = 50
MAX_BEFORE_PAUSE_FACTS: Final = 50
MAX_REFUSALS: Final = 12
"""Facts listed of each kind; the rest is counted."""

MAX_QUESTION_CHARS: Final = 2_000
MAX_ANSWER_CHARS: Final = 4_000

MAX_LISTED: Final = 12
"""Signals, and lines of what could not be checked, that are repeated beside the rows."""

_SHORT_TEXT: Final = 500
"""Characters of the question and of the answer that the shortest account keeps."""


class _Row(NamedTuple):
    drafts: Callable[[AccountInput, Filler], Iterator[Draft]]
    chips: Callable[[AccountInput], Iterator[Chip]]


def _no_chips(_given: AccountInput) -> Iterator[Chip]:
    return iter(())


_ROWS: Final[dict[RowId, _Row]] = {
    "asked": _Row(account_rows.asked, _no_chips),
    "understood": _Row(account_rows.understood, _no_chips),
    "checked": _Row(account_calls.checked, _no_chips),
    "not-checked": _Row(account_calls.not_checked, _no_chips),
    "found": _Row(account_calls.found, _no_chips),
    "how-sure": _Row(account_rows.how_sure, _no_chips),
    "anything-wrong": _Row(account_rows.anything_wrong, account_rows.wrong_chips),
}
"""The seven rows, in order."""


def build_account(given: AccountInput) -> Account:
    """Give the account of one answer."""
    return fit(_account(given) if given.in_record else _not_in_record(given))


def _account(given: AccountInput) -> Account:
    filler = Filler(given.pointer)
    rows = tuple(filler.row(row, make.drafts(given, filler), make.chips(given)) for row, make in _ROWS.items())
    summary = AccountSummary(sentence=_summary(given, filler), tone=given.checks.summary.tone)
    unnamed = sum(call.tool is None for call in (*given.calls, *given.before_pause))
    return Account(
        templates=Templates(set=TEMPLATES, version=WORDING_VERSION),
        run=_run(given),
        question=_text(given.question, account_rows.question_voucher(given), MAX_QUESTION_CHARS),
        answer=_text(given.answer, "model", MAX_ANSWER_CHARS),
        facts=_facts(given),
        rows=rows,
        signals=tuple(_signals(given, filler)),
        unreachable=tuple(_unreachable(given, filler)),
        summary=summary,
        unread=given.unread + filler.unread + unnamed,
        foreign=given.foreign,
        scope=given.scope,
    )


def _not_in_record(given: AccountInput) -> Account:
    """The account of a run of which the record holds nothing: it claims nothing."""
    filler = Filler(given.pointer)
    nothing = not_recorded("account.notInRecord", "no-event")
    return Account(
        templates=Templates(set=TEMPLATES, version=WORDING_VERSION),
        run=_run(given),
        question=_text(Content(), "library", MAX_QUESTION_CHARS),
        answer=_text(Content(), "model", MAX_ANSWER_CHARS),
        facts=Facts(),
        rows=tuple(filler.row(row, iter((nothing,))) for row in _ROWS),
        signals=(),
        unreachable=(),
        summary=AccountSummary(sentence=filler.fill(nothing), tone="unknown"),
        unread=given.unread,
        foreign=given.foreign,
        scope=given.scope,
    )


def _run(given: AccountInput) -> Run:
    model = None if given.model is None else clean(given.model)
    return Run(run_id=clean(given.run_id), turn=given.turn, model=model, resumed_leg=given.resumed)


def _summary(given: AccountInput, filler: Filler) -> Line:
    """The one-line summary as one line: as weak as its weakest part, and of the first one's status."""
    checks = given.checks
    pointers = account_rows.padded(given.signal_pointers, len(checks.signals))
    lines: list[Line] = []
    for place, sentence in enumerate(checks.summary.sentences):
        quoted = place < len(checks.signals) and checks.signals[place].sentence == sentence
        draft = (
            account_rows.signal_draft(given, checks.signals[place], pointers[place])
            if quoted
            else account_rows.other_draft(given, sentence)
        )
        lines.append(replace(filler.fill(draft), chips=()))
    first, *others = lines
    for line in others:
        first = replace(
            first,
            text=f"{first.text} {line.text}",
            parts=(*first.parts, Part(type="text", text=" "), *line.parts),
            source=weakest(first.source, line.source),
            clipped=first.clipped or line.clipped,
        )
    return first


# -- facts ------------------------------------------------------------------------------------------


def _text(content: Content, source: Voucher, limit: int) -> Fact:
    pointers = bounded_pointers((content.pointer,))
    if not content.recorded or not isinstance(content.value, str):
        missing = account_rows.CONTENT_MISSING[content.state]
        return Fact(value=None, source=source, status="not-recorded", pointers=pointers, missing=missing)
    # A lone surrogate cannot be written out as UTF-8.
    value = content.value[:limit].encode("utf-8", "replace").decode()
    clipped = len(content.value) > limit
    return Fact(value=value, source=source, status="recorded", pointers=pointers, clipped=clipped)


def _facts(given: AccountInput) -> Facts:
    refused = account_rows.refusals(given)
    assessment = given.assessment
    reasons = () if assessment is None else assessment.reasons
    return Facts(
        calls=tuple(_call(call) for call in given.calls[:MAX_CALLS]),
        calls_omitted=max(0, len(given.calls) - MAX_CALLS),
        before_pause=tuple(_call(call) for call in given.before_pause[:MAX_BEFORE_PAUSE_FACTS]),
        before_pause_omitted=max(0, len(given.before_pause) - MAX_BEFORE_PAUSE_FACTS),
        in_view=tuple(_in_view(one) for one in given.in_view[:MAX_IN_VIEW_FACTS]),
        in_view_omitted=max(0, len(given.in_view) - MAX_IN_VIEW_FACTS),
        refusals=tuple(_refusal(call) for call in refused[:MAX_REFUSALS]),
        refusals_omitted=max(0, len(refused) - MAX_REFUSALS),
        assessment=None if assessment is None else assessment.assessment,
        standing=None if assessment is None else assessment.standing,
        reasons=tuple(
            ReasonFact(reason=one.reason.reason, calls=one.calls, witnesses=len(one.witnesses)) for one in reasons
        ),
        checked=()
        if assessment is None
        else tuple(CheckedFact(check=one.check, ran=one.ran, of=one.of) for one in assessment.checked),
        not_evaluated=() if assessment is None else assessment.not_evaluated,
        kept_out=() if assessment is None else tuple(clean(key) for key in assessment.kept_out[:MAX_LISTED]),
    )


def _name(name: str | None) -> str | None:
    return None if name is None else clean(name, FACT_TEXT_CHARS)


def _call(call: AccountCall) -> CallFact:
    return CallFact(
        tool=_name(call.tool),
        call_id=_name(call.call_id),
        outcome=call.outcome,
        emptiness=None if call.reading is None else call.reading.emptiness,
        rows=None if call.reading is None else call.reading.rows,
        checked=len(call.items("checked")),
        not_checked=len(call.items("notChecked")),
        cannot_cover=len(call.items("cannotCover")),
        declared=bool(call.statements),
        withheld=call.withheld,
        pointers=bounded_pointers(call.pointers),
    )


def _in_view(one: AccountInView) -> InViewFact:
    return InViewFact(
        tool=clean(one.tool),
        distance=one.distance,
        at_least=one.windowed,
        emptiness=None if one.reading is None else one.reading.emptiness,
        rows=None if one.reading is None else one.reading.rows,
        pointers=bounded_pointers((one.pointer,)),
    )


def _refusal(call: AccountCall) -> RefusalFact:
    return RefusalFact(
        tool=_name(call.tool),
        outcome=call.outcome,
        rule=_name(call.refused_by),
        pointers=bounded_pointers(call.pointers),
    )


def _signals(given: AccountInput, filler: Filler) -> Iterator[ListedSignal]:
    pointers = account_rows.padded(given.signal_pointers, len(given.checks.signals))
    for one, here in list(zip(given.checks.signals, pointers, strict=True))[:MAX_LISTED]:
        line = filler.fill(account_rows.signal_draft(given, one, here))
        yield ListedSignal(id=one.id, check=one.check, tone=one.tone, about=line.text, pointers=line.pointers)


def _unreachable(given: AccountInput, filler: Filler) -> Iterator[ListedUnreached]:
    pointers = account_rows.padded(given.unreached_pointers, len(given.checks.unreached))
    for one, here in list(zip(given.checks.unreached, pointers, strict=True))[:MAX_LISTED]:
        line = filler.fill(account_rows.unreached_draft(one, here))
        yield ListedUnreached(check=one.check, missing=one.missing, about=line.text, pointers=line.pointers)


# -- size -------------------------------------------------------------------------------------------


def json_bytes(account: Account) -> int:
    """How long the account's JSON text is, in UTF-8 bytes."""
    # Only a pointer, which is handed on as it is, can hold a lone surrogate.
    return len(json.dumps(account.to_dict(), ensure_ascii=False).encode("utf-8", "surrogatepass"))


def fit(account: Account, limit: int = MAX_ACCOUNT_BYTES) -> Account:
    """The account, with what weighs most and says least left out until it is within the limit.

    First the facts, which the rows say in words; then the parts and values of sentences, which their text holds;
    then the last lines of the rows and the repeated signals. What is left out is counted.
    """
    for step in _STEPS:
        if json_bytes(account) <= limit:
            return account
        account = replace(step(account), shortened=True)
    return account


def _without_facts(account: Account) -> Account:
    facts = account.facts
    return replace(
        account,
        facts=replace(
            facts,
            calls=(),
            calls_omitted=facts.calls_omitted + len(facts.calls),
            before_pause=(),
            before_pause_omitted=facts.before_pause_omitted + len(facts.before_pause),
            in_view=(),
            in_view_omitted=facts.in_view_omitted + len(facts.in_view),
            refusals=(),
            refusals_omitted=facts.refusals_omitted + len(facts.refusals),
        ),
    )


def _without_parts(account: Account) -> Account:
    return replace(
        account,
        rows=tuple(replace(row, lines=_bare(row.lines)) for row in account.rows),
        signals=tuple(replace(one, pointers=one.pointers[:1]) for one in account.signals),
        unreachable=tuple(replace(one, pointers=one.pointers[:1]) for one in account.unreachable),
        summary=replace(account.summary, sentence=_bare_line(account.summary.sentence)),
    )


def _bare(lines: Sequence[Line]) -> tuple[Line, ...]:
    return tuple(_bare_line(line) for line in lines)


def _bare_line(line: Line) -> Line:
    return replace(line, parts=(), vars=(), pointers=line.pointers[:1])


def _with_short_texts(account: Account) -> Account:
    return replace(account, question=_short(account.question), answer=_short(account.answer))


def _short(fact: Fact) -> Fact:
    if fact.value is None or len(fact.value) <= _SHORT_TEXT:
        return fact
    return replace(fact, value=fact.value[:_SHORT_TEXT], clipped=True)


def _with_lines(kept: int) -> Callable[[Account], Account]:
    def step(account: Account) -> Account:
        return replace(
            account,
            rows=tuple(_shorter(row, kept) for row in account.rows),
            signals=account.signals[:kept],
            unreachable=account.unreachable[:kept],
        )

    return step


def _shorter(row: AccountRow, kept: int) -> AccountRow:
    # The row's own chips come after those that only name who vouches.
    chips = (*row.chips[:kept], *(chip for chip in row.chips[kept:] if chip.mark != "said-by"))
    omitted = row.omitted + max(0, len(row.lines) - kept)
    return replace(row, chips=chips, lines=row.lines[:kept], omitted=omitted)


_STEPS: Final = (
    _without_facts,
    _without_parts,
    _with_lines(24),
    _with_lines(12),
    _with_lines(6),
    _with_short_texts,
    _with_lines(2),
)
"""How an account is made shorter; after the last step any is within the limit."""
