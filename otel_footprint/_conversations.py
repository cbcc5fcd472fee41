"""Turn numbers by conversation: in the order in which a conversation's turns are seen, within a bound."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import Final

from otel_footprint.facts import Turn

MAX_CONVERSATIONS: Final = 10_000
"""Conversations that are counted at one time; the one quiet longest is forgotten first."""

_NUMBERED_KEPT: Final = 64
"""Turns of one conversation whose numbers are kept for their addenda."""


@dataclass(slots=True)
class _Conversation:
    turns: int = 0
    scripts: int = 0
    """Programs of the turns so far."""
    numbers: OrderedDict[tuple[str, str], tuple[int, int]] = field(default_factory=OrderedDict)
    """Carrier to its turn's number and the programs before it."""


class Conversations:
    """Numbers turns. A number that the record holds wins, and counting goes on from it."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, _Conversation] = OrderedDict()
        self.forgotten = 0

    def __len__(self) -> int:
        return len(self._known)

    def numbered(self, turn: Turn) -> Turn:
        """The turn with its number; as it is where no conversation is recorded, or inside another turn's call."""
        if turn.conversation_id is None or turn.nested_in is not None:
            return turn
        known = self._known.get(turn.conversation_id)
        if known is None:
            known = self._known[turn.conversation_id] = _Conversation()
            if len(self._known) > MAX_CONVERSATIONS:
                self._known.popitem(last=False)
                self.forgotten += 1
        self._known.move_to_end(turn.conversation_id)
        key = turn.trace_id, turn.span_id
        number, earlier = known.numbers.get(key) or self._next(known, turn, key)
        return replace(
            turn,
            turn=turn.turn or number,
            earlier_scripts=earlier,
            # An earlier turn is known, so without a recorded input nobody can say that nothing of it was in view.
            in_view_unrecorded=turn.in_view_unrecorded or (number > 1 and turn.model_calls == 0),
        )

    @staticmethod
    def _next(known: _Conversation, turn: Turn, key: tuple[str, str]) -> tuple[int, int]:
        known.turns = turn.turn or known.turns + 1
        found = known.numbers[key] = known.turns, known.scripts
        known.scripts += sum(call.code_run is not None for call in turn.calls)
        if len(known.numbers) > _NUMBERED_KEPT:
            known.numbers.popitem(last=False)
        return found
