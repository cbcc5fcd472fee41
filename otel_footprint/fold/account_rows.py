"""The four rows of an account that are about the turn: asked, understood, how sure, anything wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from otel_footprint.facts import ContentState, Pointer
from otel_footprint.fold.account_calls import TROUBLE, call_trouble
from otel_footprint.fold.account_input import AccountCall, AccountInput
from otel_footprint.fold.account_lines import Draft, Filler, Var, not_applicable, not_recorded, ours, quote
from otel_footprint.fold.account_values import Chip, Status, Voucher, tool_voucher
from otel_footprint.fold.check_values import Missing, Signal, Unreached
from otel_footprint.fold.reason_rows import EvidenceFacts
from otel_footprint.fold.reasons import Assessment, Fired
from otel_footprint.fold.wording import Sentence, reason_sentence

MAX_REFUSAL_LINES: Final = 3
"""Refused and declined calls that the understanding names; all are counted."""

INLINE_FLAGGED_VALUES: Final = 3
"""Flagged values that stand inside one line; more of them get a line each."""

MAX_REPORTED_VALUES: Final = 12
"""Flagged values that are counted one by one; from there on the count is "at least"."""

CONTENT_MISSING: Final[Mapping[ContentState, Missing]] = {
    "absent": "no-event",
    "redacted": "redacted",
    "cut": "unreadable",
    "too-deep": "unreadable",
    "unreadable": "unreadable",
    "recorded": "unreadable",
}
"""What is missing of a text that cannot be quoted; ``recorded`` is a value that is no text."""


# -- asked ------------------------------------------------------------------------------------------


def question_voucher(given: AccountInput) -> Voucher:
    """Whose words the recorded question is: the person's only when it is known that no rule changed them."""
    if given.question_held or given.question_rewritten is None:
        return "library"
    return "app" if given.question_rewritten else "person"


def asked(given: AccountInput, _filler: Filler) -> Iterator[Draft]:
    """What the turn was asked."""
    question = given.question
    if not question.recorded or not isinstance(question.value, str):
        missing = CONTENT_MISSING[question.state]
        form = {"no-event": "notRecorded", "redacted": "redacted"}.get(missing, "unreadable")
        yield not_recorded(f"account.asked.{form}", missing, pointers=(question.pointer,))
        return
    voucher = question_voucher(given)
    form = {"person": "own", "app": "app"}.get(voucher, "held" if given.question_held else "recorded")
    words = {"question": quote(question.value, voucher)}
    # Words that a person said are the person's, whoever wrote them down.
    voice = voucher if voucher == "person" else "library"
    yield Draft(id=f"account.asked.{form}", vars=words, voice=voice, pointers=(question.pointer,))
    if voucher == "app":
        yield not_recorded("account.asked.ownNotRecorded", "no-event")


# -- understood -------------------------------------------------------------------------------------


def understood(given: AccountInput, _filler: Filler) -> Iterator[Draft]:
    """What was made of the question: the routing and its delivery, and which calls were not let through."""
    yield from _routing(given)
    yield from (draft for draft in map(call_trouble, refusals(given)[:MAX_REFUSAL_LINES]) if draft is not None)


def refusals(given: AccountInput) -> list[AccountCall]:
    """The named calls that a rule or a person kept from running."""
    return [one for one in given.calls if one.tool is not None and one.outcome in ("refused", "declined")]


def _routing(given: AccountInput) -> Iterator[Draft]:
    verdict, decided = given.verdict, given.decided
    if verdict is not None and verdict.chosen is not None:
        here = (verdict.pointer,)
        by_to = {"by": Var(value=verdict.by), "to": Var(value=verdict.chosen)}
        yield Draft(id="account.routing.chosen", vars=by_to, pointers=here)
        if verdict.witness is not None:
            words = {"words": quote(verdict.witness, "person")}
            yield Draft(id="account.routing.words", vars=words, voice="person", pointers=here)
        if verdict.on_top:
            top = {"to": Var(value=verdict.chosen)}
            yield Draft(id="account.routing.scores", vars=top, voice="app", pointers=here)
        yield from _delivery(given, here)
        yield not_recorded("account.routing.confidence", "no-event")
    elif given.handoffs and decided.state != "not-applicable":
        for handoff in given.handoffs[:MAX_REFUSAL_LINES]:
            form, to = "handoff", {"to": Var(value=handoff.target)}
            if handoff.target is None:
                form, to = "handoffUnnamed", {}
            yield Draft(id=f"account.routing.{form}", vars=to, pointers=(handoff.pointer,))
        yield from _delivery(given, tuple(one.pointer for one in given.handoffs))
    elif verdict is not None:
        yield Draft(id="account.routing.ownPick", pointers=(verdict.pointer,))
    elif decided.state == "not-applicable":
        yield not_applicable("account.routing.nothing" if given.routes else "account.routing.none")
    else:
        before = ".beforePause" if decided.missing == "before-pause" else ""
        yield not_recorded(f"unreachable.routing{before}", decided.missing)


def _delivery(given: AccountInput, here: tuple[Pointer | None, ...]) -> Iterator[Draft]:
    decided = given.decided
    if decided.signal:
        sentence = next(one.sentence for one in given.checks.signals if one.check == "decided-delivered")
        chips = (Chip(mark="decided-not-delivered", tone="bad"),)
        yield Draft(id=sentence.id, vars=_vars(sentence), pointers=here, chips=chips)
    if decided.state == "unreachable":
        yield not_recorded("unreachable.delivery", decided.missing)
    elif not decided.signal:
        chips = (Chip(mark="decided-delivered", tone="ok"),)
        if decided.chosen is None:
            yield Draft(id="account.routing.givenUnnamed", pointers=here, chips=chips)
        else:
            to = {"to": Var(value=decided.chosen)}
            yield Draft(id="account.routing.given", vars=to, pointers=here, chips=chips)


# -- how sure ---------------------------------------------------------------------------------------


def how_sure(given: AccountInput, filler: Filler) -> Iterator[Draft]:
    """Whether the answer stands, with every reason against it, and what was found of its names and numbers."""
    if given.assessment is not None:
        yield from _standing(given.assessment)
    elif given.ended:
        yield not_recorded("account.sure.notAssessed", "not-built")
    else:
        yield not_recorded("account.sure.untold", "no-event")
    yield from _values(given, filler)


def _standing(assessment: Assessment) -> Iterator[Draft]:
    if assessment.kept_out:
        keys = {"keys": Var(value=assessment.kept_out)}
        yield not_recorded("account.sure.redacted", "redacted", vars=keys)
        return
    values = {"n": ours(len(assessment.reasons))} if assessment.standing == "not-sure" else {}
    support = assessment.support
    pointers = () if support is None else (support.pointer,)
    yield Draft(id=f"account.sure.{assessment.standing}", vars=values, pointers=pointers)
    for fired in assessment.reasons:
        yield _reason(fired)
    if assessment.not_evaluated:
        reasons = {"reasons": Var(value=assessment.not_evaluated)}
        yield not_recorded("account.sure.notEvaluated", "not-built", vars=reasons)


def _reason(fired: Fired) -> Draft:
    """One reason; what it is about is counted in calls, for one call may have several rows."""
    sentence = reason_sentence(fired.reason.reason)
    pointers = tuple(one.pointer for one in fired.witnesses)
    if fired.reason.source != "calls":
        return Draft(id=sentence.id, pointers=pointers, item=True)
    values = {"reason": ours(sentence.text), "n": ours(fired.calls)}
    return Draft(id="account.sure.reason", vars=values, pointers=pointers, item=True)


def _values(given: AccountInput, filler: Filler) -> Iterator[Draft]:
    verdict = given.evidence
    if verdict is None:
        match given.evidence_state:
            case "off":
                yield not_applicable("account.values.off")
            case "unreadable":
                yield not_recorded("account.values.unreadable", "unreadable")
            case _:
                yield not_recorded("account.values.notRecorded", "no-event")
        return
    here = (verdict.pointer,)
    if not verdict.candidates and not verdict.unsupported:
        yield Draft(id="account.values.none", pointers=here)
    elif verdict.unsupported:
        yield from _unsupported(verdict, filler)
    elif verdict.looked_up is None:
        yield Draft(id="account.values.supported", pointers=here)
    elif verdict.looked_up:
        yield Draft(id="account.values.found", vars={"n": ours(verdict.looked_up)}, pointers=here)
    else:
        yield Draft(id="account.values.noneNeeded", pointers=here)
    if verdict.revised:
        yield Draft(id="account.values.revised", pointers=here)
    if verdict.truncated:
        yield Draft(id="account.values.truncated", pointers=here)


def _unsupported(verdict: EvidenceFacts, filler: Filler) -> Iterator[Draft]:
    here = (verdict.pointer,)
    values = verdict.values[:MAX_REPORTED_VALUES]
    at_least = verdict.capped or verdict.unsupported >= MAX_REPORTED_VALUES
    inline = values[:INLINE_FLAGGED_VALUES]
    if len(inline) == verdict.unsupported and not at_least and filler.take(inline, len(inline)):
        named = {"values": Var(value=inline, source="model", type="quote")}
        yield Draft(id="account.values.unsupported", vars=named, pointers=here)
        return
    counted = "account.values.unsupportedAtLeast" if at_least else "account.values.unsupportedCount"
    yield Draft(id=counted, vars={"n": ours(verdict.unsupported)}, pointers=here)
    left_out = 0
    for value in values:
        if filler.take((value,)):
            named = {"value": quote(value, "model")}
            yield Draft(id="account.values.value", vars=named, pointers=here, item=True)
        else:
            left_out += 1
    if left_out:
        yield Draft(id="account.items.more", vars={"n": ours(left_out)}, pointers=here, item=True)


# -- anything wrong ---------------------------------------------------------------------------------

_BEFORE_PAUSE: Final = Chip(mark="before-pause")


def anything_wrong(given: AccountInput, _filler: Filler) -> Iterator[Draft]:
    """The lines of the checks, with who vouches for each and where a reader can look."""
    signals = list(zip(given.checks.signals, padded(given.signal_pointers, len(given.checks.signals)), strict=True))
    lines = iter(
        zip(given.checks.unreached, padded(given.unreached_pointers, len(given.checks.unreached)), strict=True)
    )
    for place, sentence in enumerate(given.checks.wrong):
        if place < len(signals):
            yield signal_draft(given, *signals[place])
        elif sentence.id.startswith(("unreachable.", "record.")):
            line, pointers = next(lines)
            yield unreached_draft(line, pointers)
        else:
            yield other_draft(given, sentence)


def padded(pointers: tuple[tuple[Pointer, ...], ...], length: int) -> list[tuple[Pointer, ...]]:
    """One tuple of pointers for each listed thing, whatever the caller had."""
    return [*pointers[:length], *([()] * (length - len(pointers)))]


def signal_draft(given: AccountInput, signal: Signal, pointers: tuple[Pointer, ...]) -> Draft:
    """A signal's sentence, vouched for by whoever decides that it is true."""
    chips = () if signal.origin != "before-pause" else (_BEFORE_PAUSE,)
    return Draft(
        id=signal.sentence.id,
        vars=_vars(signal.sentence),
        basis=_signal_basis(given, signal),
        pointers=pointers,
        chips=(Chip(mark="signals", tone=signal.tone), *chips),
    )


def unreached_draft(line: Unreached, pointers: tuple[Pointer, ...]) -> Draft:
    """The sentence of something that could not be checked."""
    return not_recorded(line.sentence.id, line.missing, vars=_vars(line.sentence), pointers=pointers, item=True)


def _signal_basis(given: AccountInput, signal: Signal) -> tuple[Voucher, ...]:
    if signal.check == "existence":
        return (tool_voucher(str(signal.tool)),)
    sources = {
        "call": [one.reading for one in given.calls],
        "before-pause": [one.reading for one in given.before_pause],
        "in-view": [one.reading for one in given.in_view],
    }
    readings = sources.get(signal.origin, [])
    if signal.ref is None or signal.ref >= len(readings):
        return ()
    reading = readings[signal.ref]
    return ("app",) if reading is not None and reading.source == "app" else ()


_OTHER: Final[Mapping[str, tuple[Status, Missing | None, tuple[Chip, ...]]]] = {
    "wrong.none": ("recorded", None, (Chip(mark="none-found", tone="ok"),)),
    "wrong.unreachable": ("not-recorded", "not-declared", (Chip(mark="not-recorded"),)),
    "wrong.unreachable.all": ("not-recorded", "not-declared", (Chip(mark="not-recorded"),)),
    "wrong.notApplicable": ("not-applicable", None, ()),
    "wrong.beforePause": ("not-recorded", "before-pause", (_BEFORE_PAUSE,)),
    "wrong.beforePause.held": ("not-recorded", "before-pause", (_BEFORE_PAUSE,)),
    "wrong.beforePause.held.events": ("not-recorded", "before-pause", (_BEFORE_PAUSE,)),
    "summary.none.lossy": ("not-recorded", "no-event", ()),
    "summary.none.notApplicable": ("not-applicable", None, ()),
    "summary.none.nothingRun": ("not-recorded", "not-declared", ()),
    "summary.none.partial": ("not-recorded", "not-declared", ()),
    "summary.resumed": ("not-recorded", "before-pause", ()),
    "summary.resumed.tail": ("not-recorded", "before-pause", ()),
    "summary.resumed.held": ("not-recorded", "before-pause", ()),
    "summary.unfinished": ("not-recorded", "no-event", ()),
}
"""Lines that are not simply recorded, and their chips."""


def other_draft(given: AccountInput, sentence: Sentence) -> Draft:
    """The draft of a sentence of the checks that is neither a signal nor about one thing that was not checked."""
    status, missing, chips = _OTHER.get(sentence.id, ("recorded", None, ()))
    pointers: tuple[Pointer, ...] = ()
    if sentence.id == "wrong.errors":
        pointers = _pointers_of(one for one in given.calls if one.outcome in TROUBLE)
    elif sentence.id == "wrong.withheld":
        pointers = _pointers_of(one for one in given.calls if one.withheld)
    return Draft(id=sentence.id, vars=_vars(sentence), status=status, missing=missing, pointers=pointers, chips=chips)


def _pointers_of(calls: Iterable[AccountCall]) -> tuple[Pointer, ...]:
    return tuple(pointer for call in calls for pointer in call.pointers)


def _vars(sentence: Sentence) -> dict[str, Var]:
    return {name: Var(value=value) for name, value in sentence.vars.items()}


def wrong_chips(given: AccountInput) -> Iterator[Chip]:
    """The row's own chip: how many signals there are, in the tone of the first."""
    signals = given.checks.signals
    if signals:
        count = len(signals) + given.checks.omitted_signals
        yield Chip(mark="signals", tone=signals[0].tone, count=count)
