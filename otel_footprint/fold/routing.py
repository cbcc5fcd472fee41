"""What was chosen for the question, and whether it reached the model.

Three forms, the first that the record holds: a routing verdict of the runtime (``footprint.routing``) with what
each model call was given (``footprint.skills``); hand-offs, where asking for one is the choice and the target
agent's span is its delivery; or neither, and then what is known of the runtime decides whether that means
"nothing was routed" or "not recorded".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from otel_footprint._making import made_quickly
from otel_footprint.facts import Handoff, Pointer, Routing
from otel_footprint.fold.check_values import Decided
from otel_footprint.fold.strictjson import NotJsonError, read_json

DECIDERS: Final = frozenset({"entry", "intent", "continuity", "decider"})
"""Who decides for the model; any other ``by`` is the model's own pick from what it was given."""

ENABLE: Final = "routing: none in the configuration, or footprint.routing events"
"""What makes the routing known where nothing tells of it."""

ENABLE_DELIVERY: Final = "footprint.skills and footprint.skills.count on every model call's span"


MAX_GIVEN: Final = 12
"""Names of what reached the model that are handed on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingVerdict:
    """One recorded decision about where the question goes."""

    by: str
    """Who decided."""
    to: str | None = None
    """What was chosen; ``None`` when nothing was."""
    from_: str | None = None
    """Where the conversation was before."""
    witness: str | None = None
    """The person's words, or the rule, on which the decision rests."""
    scores: Mapping[str, float] = field(default_factory=dict)
    """The app's score of each candidate; empty when not recorded."""
    pointer: Pointer | None = None

    @property
    def chosen(self) -> str | None:
        """What was chosen for the model; ``None`` when the pick was the model's own, or none."""
        return self.to if self.by in DECIDERS else None

    @property
    def on_top(self) -> bool:
        """The app's own scores put what was chosen first."""
        score = None if self.to is None else self.scores.get(self.to)
        return score is not None and score == max(self.scores.values())


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class SkillsDelivery:
    """What one model call was given, as its span records it."""

    iteration: int
    """1-based number of the model call in the turn."""
    names: tuple[str, ...] | None = None
    """``None``: not recorded, which is not "none"."""
    count: int | None = None
    """How many the runtime says it gave; ``None`` when not recorded."""
    pointer: Pointer | None = None

    @property
    def whole(self) -> bool:
        """The names are all the names."""
        return self.names is not None and self.count == len(self.names)


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingFacts:
    """Everything that is recorded about the routing of one turn."""

    routing: Routing = "unknown"
    """What this runtime can record of routing."""
    emits: bool = False
    """The runtime says that it records every routing (``footprint.emits``), so no event means that there was none."""
    verdict: RoutingVerdict | None = None
    """The verdict of this leg."""
    paused_verdict: RoutingVerdict | None = None
    """On a resumed leg: the verdict that the paused leg's record holds."""
    deliveries: tuple[SkillsDelivery, ...] = ()
    """One for each recorded model call, the paused leg's first where its spans are in the record."""
    answering_iteration: int | None = None
    """The last model call before the answer, counted like the deliveries; ``None`` when not known."""
    handoffs: tuple[Handoff, ...] = ()
    """Every hand-off that a model call asked for."""
    record_whole: bool = True
    """Nothing of this turn is known to be lost."""
    resumed: bool = False
    """The turn goes on after a pause."""
    state_held: bool = False
    """On a resumed leg: the paused leg is in the record."""
    enable: str | None = None
    """The switch of this runtime that records what is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictsRead:
    """The routing events of a turn."""

    verdict: RoutingVerdict | None = None
    """The last one that can be read: where the question went in the end."""
    unread: int = 0
    """Events that do not say who decided."""


def read_verdicts(events: Sequence[tuple[Mapping[str, Any], Pointer | None]]) -> VerdictsRead:
    """Read the ``footprint.routing`` events of a turn, in order.

    Args:
        events: each event's attributes by their bare keys, and the event's pointer.
    """
    verdicts = [_verdict(keys, pointer) for keys, pointer in events]
    readable = [verdict for verdict in verdicts if verdict is not None]
    return VerdictsRead(verdict=readable[-1] if readable else None, unread=len(verdicts) - len(readable))


def _verdict(keys: Mapping[str, Any], pointer: Pointer | None) -> RoutingVerdict | None:
    by = keys.get("by")
    if not isinstance(by, str):
        return None
    return RoutingVerdict(
        by=by,
        to=_name(keys.get("to")),
        from_=_name(keys.get("from")),
        witness=_name(keys.get("witness")),
        scores=_scores(keys.get("scores")),
        pointer=pointer,
    )


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _scores(value: Any) -> Mapping[str, float]:
    """The scores by candidate; empty unless every one is a finite number, for a part of them proves no order."""
    if isinstance(value, str):
        try:
            value = read_json(value)
        except NotJsonError:
            return {}
    if not isinstance(value, Mapping):
        return {}
    numbers = [isinstance(one, (int, float)) and not isinstance(one, bool) for one in value.values()]
    if not all(numbers) or not all(isinstance(name, str) for name in value):
        return {}
    # A number that is none is not within any bound either.
    return dict(value) if all(abs(one) <= _LARGEST for one in value.values()) else {}


_LARGEST: Final = 1e15
"""Largest score that is read: one that any reader of numbers holds exactly enough to put it in order."""


def decide(facts: RoutingFacts) -> Decided:
    """Whether what was chosen reached the model; never "it did not" from a record that has a gap."""
    verdict = facts.verdict or (facts.paused_verdict if facts.resumed else None)
    if verdict is not None and verdict.chosen is not None:
        return _by_verdict(facts, verdict.chosen)
    if facts.handoffs and facts.routing != "none":
        return _by_handoffs(facts)
    if verdict is not None or _known_to_route_nothing(facts):
        return Decided(state="not-applicable")
    if facts.resumed:
        return Decided(
            state="unreachable",
            missing="before-pause",
            verdict_recorded=False,
            routing_lost=True,
            enable=facts.enable or ENABLE,
        )
    return Decided(state="unreachable", verdict_recorded=False, enable=facts.enable or ENABLE)


def _known_to_route_nothing(facts: RoutingFacts) -> bool:
    if facts.routing == "none":
        return True
    # The part before a pause that is not in the record may hold the routing.
    seen = not facts.resumed or facts.state_held
    return seen and (facts.emits or facts.routing == "handoffs")


def _by_verdict(facts: RoutingFacts, chosen: str) -> Decided:
    given = tuple(dict.fromkeys(name for delivery in facts.deliveries for name in delivery.names or ()))
    if chosen in given:
        return Decided(state="reachable", chosen=chosen, given=given[:MAX_GIVEN])
    if _delivery_whole(facts):
        return Decided(state="reachable", signal=True, chosen=chosen, given=given[:MAX_GIVEN])
    return Decided(
        state="unreachable",
        missing="no-event" if facts.verdict is not None else "before-pause",
        chosen=chosen,
        enable=facts.enable or ENABLE_DELIVERY,
    )


def _delivery_whole(facts: RoutingFacts) -> bool:
    """Every model call up to the answering one is recorded with all it was given."""
    if not facts.record_whole or not facts.answering_iteration:
        return False
    whole = {delivery.iteration for delivery in facts.deliveries if delivery.whole}
    return all(iteration in whole for iteration in range(1, facts.answering_iteration + 1))


def _by_handoffs(facts: RoutingFacts) -> Decided:
    given = tuple(one.target for one in facts.handoffs if one.delivered and one.target is not None)[:MAX_GIVEN]
    missed = [one for one in facts.handoffs if not one.delivered]
    if not missed:
        return Decided(state="reachable", chosen=facts.handoffs[-1].target, given=given)
    proven = [one.target for one in missed if one.target is not None and facts.record_whole]
    return Decided(
        # A target that no record names cannot be looked for among the spans.
        state="reachable" if len(proven) == len(missed) else "unreachable",
        signal=bool(proven),
        chosen=proven[0] if proven else missed[0].target,
        given=given,
        enable=None if len(proven) == len(missed) else facts.enable,
    )
