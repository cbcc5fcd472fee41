"""What the checks add up to: what is listed, what is counted, the lines and the one-line summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

from otel_footprint._making import made_quickly
from otel_footprint.fold.check_values import CheckInput, CheckState, Signal, Unreached
from otel_footprint.fold.checks import DETECTORS, Detector, losses, unnamed_calls
from otel_footprint.fold.wording import Sentence, texts

MAX_LINES_PER_CHECK: Final = 3
"""Signals listed of one check, and lines listed of what kept it from being run; the rest is counted."""

MAX_QUOTED_SIGNALS: Final = 2
"""Signals quoted in the summary."""

Tone = Literal["ok", "warn", "bad", "unknown"]

_TROUBLE: Final = ("failed", "refused", "declined", "not-dispatched")


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The one-line summary: its sentences in order, and its tone."""

    tone: Tone
    sentences: tuple[Sentence, ...]

    @property
    def text(self) -> str:
        """The summary in words."""
        return texts(self.sentences)


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """Everything the checks say of one turn."""

    signals: tuple[Signal, ...]
    """The listed signals, by rank."""
    unreached: tuple[Unreached, ...]
    """The listed lines of what kept checks from being run; losses of the record last."""
    omitted: int
    """Signals and lines not listed."""
    omitted_signals: int
    """Signals among them."""
    reachable: tuple[str, ...]
    unreachable: tuple[str, ...]
    not_applicable: tuple[str, ...]
    """The three lists are disjoint and name every check once, in the order of the detectors."""
    wrong: tuple[Sentence, ...]
    """The lines of "anything wrong", in order."""
    summary: Summary


def run_checks(turn: CheckInput, *, detectors: tuple[Detector, ...] = DETECTORS) -> CheckResult:
    """Run the checks over a turn. Every call and item is judged; only what is listed is bounded."""
    findings = [detect(turn) for detect in detectors]
    signals = [signal for finding in findings for signal in finding.signals]
    lines = [line for finding in findings for line in finding.unreached]
    lines += [*unnamed_calls(turn), *losses(turn)]
    states: dict[CheckState, tuple[str, ...]] = {
        state: tuple(finding.check for finding in findings if finding.state == state)
        for state in ("reachable", "unreachable", "not-applicable")
    }
    listed_signals, listed_lines = _capped(signals), _capped(lines)
    omitted_signals = len(signals) - len(listed_signals)
    facts = _Facts(
        turn=turn,
        signals=listed_signals,
        unreached=listed_lines,
        omitted=omitted_signals + len(lines) - len(listed_lines),
        reachable=len(states["reachable"]),
        unreachable=len(states["unreachable"]),
    )
    return CheckResult(
        signals=listed_signals,
        unreached=listed_lines,
        omitted=facts.omitted,
        omitted_signals=omitted_signals,
        reachable=states["reachable"],
        unreachable=states["unreachable"],
        not_applicable=states["not-applicable"],
        wrong=tuple(_wrong_lines(facts)),
        summary=_summary(facts),
    )


_Listed = TypeVar("_Listed", Signal, Unreached)


def _capped(found: Iterable[_Listed]) -> tuple[_Listed, ...]:
    listed: list[_Listed] = []
    taken: dict[str, int] = {}
    for one in found:
        taken[one.check] = taken.get(one.check, 0) + 1
        if taken[one.check] <= MAX_LINES_PER_CHECK:
            listed.append(one)
    return tuple(listed)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    """What the lines and the summary are made from."""

    turn: CheckInput
    signals: tuple[Signal, ...]
    unreached: tuple[Unreached, ...]
    omitted: int
    reachable: int
    unreachable: int

    @property
    def applicable(self) -> int:
        return self.reachable + self.unreachable


def _wrong_lines(facts: _Facts) -> Iterator[Sentence]:
    yield from (signal.sentence for signal in facts.signals)
    yield from _call_lines(facts.turn)
    if facts.reachable and not facts.signals:
        yield Sentence(id="wrong.none", vars={"reachable": facts.reachable})
    if facts.unreachable and not facts.reachable:
        yield Sentence(id="wrong.unreachable.all")
    elif facts.unreachable:
        counts = {"unreachable": facts.unreachable, "applicable": facts.applicable}
        yield Sentence(id="wrong.unreachable", vars=counts)
    yield from (line.sentence for line in facts.unreached)
    if facts.omitted:
        yield Sentence(id="wrong.more", vars={"n": facts.omitted})
    if not facts.applicable and not facts.signals:
        yield Sentence(id="wrong.notApplicable")
    if facts.turn.resumed_leg:
        yield _before_pause_line(facts.turn)
    if facts.turn.scope == "unfiltered":
        yield Sentence(id="scope.unfiltered")


def _call_lines(turn: CheckInput) -> Iterator[Sentence]:
    outcomes = [call.outcome for call in turn.calls]
    trouble = {outcome.replace("-", "_"): outcomes.count(outcome) for outcome in _TROUBLE}
    if any(trouble.values()):
        yield Sentence(id="wrong.errors", vars={"n": sum(trouble.values()), **trouble})
    elif turn.calls:
        yield Sentence(id="wrong.noErrors")
    withheld = sum(call.withheld for call in turn.calls)
    if withheld:
        yield Sentence(id="wrong.withheld", vars={"n": withheld})


def _before_pause_line(turn: CheckInput) -> Sentence:
    if not turn.state_held:
        return Sentence(id="wrong.beforePause")
    return Sentence(id="wrong.beforePause.held" if turn.decided.routing_lost else "wrong.beforePause.held.events")


def _summary(facts: _Facts) -> Summary:
    turn = facts.turn
    if not turn.finished:
        return Summary(tone="unknown", sentences=(Sentence(id="summary.unfinished"),))
    lost = turn.resumed_leg and not turn.state_held
    if facts.signals:
        # The tone is that of the signal that comes first, not of the worst.
        tone: Tone = facts.signals[0].tone
        sentences = tuple(signal.sentence for signal in facts.signals[:MAX_QUOTED_SIGNALS])
        if lost:
            sentences += (Sentence(id="summary.resumed.tail"),)
    else:
        tone, sentence = ("unknown", Sentence(id="summary.resumed")) if lost else _nothing_found(facts)
        sentences = (sentence,)
    if turn.resumed_leg and turn.state_held:
        sentences += (Sentence(id="summary.resumed.held"),)
    return Summary(tone=tone, sentences=sentences)


def _nothing_found(facts: _Facts) -> tuple[Tone, Sentence]:
    if facts.unreachable and not facts.reachable:
        return "unknown", Sentence(id="summary.none.nothingRun")
    if facts.unreachable:
        counts = {"unreachable": facts.unreachable, "applicable": facts.applicable}
        return "unknown", Sentence(id="summary.none.partial", vars=counts)
    if not facts.reachable:
        return "unknown", Sentence(id="summary.none.notApplicable")
    if facts.turn.losses:
        return "unknown", Sentence(id="summary.none.lossy")
    return "ok", Sentence(id="summary.none")
