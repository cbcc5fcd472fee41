"""What a turn says of itself: ``footprint.*`` attributes and events on its span and on its model calls.

Nothing is judged here; the rows and verdicts go through the gates of the fold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from otel_footprint.dialects.content import attribute, pointer
from otel_footprint.dialects.native import emits
from otel_footprint.facts import Declarations, Delivery, Pointer, RecordedEvent
from otel_footprint.spanview import SpanView

_CHECK: Final = ("status", "mode", "digest")


def declarations(turn: SpanView, models: Sequence[tuple[int, SpanView]]) -> Declarations:
    """The declarations of a turn's span, and of its model calls with their numbers."""
    rewritten = turn.get("footprint.question.rewritten")
    pauses = _events(turn, "footprint.pause", "tool_call_id")
    return Declarations(
        routing=_events(turn, "footprint.routing", "by"),
        rows=_events(turn, "footprint.row", "body"),
        evidence=_events(turn, "footprint.evidence", "candidates"),
        pause=pauses[-1] if pauses else None,
        answer_check=_answer_check(turn),
        stopped_early=attribute(turn, "footprint.stopped_early"),
        steps_unfinished=attribute(turn, "footprint.steps_unfinished"),
        question_rewritten=rewritten if isinstance(rewritten, bool) else None,
        deliveries=tuple(_delivery(iteration, span) for iteration, span in models),
        emits=emits(turn),
    )


def _events(span: SpanView, name: str, main: str) -> tuple[RecordedEvent, ...]:
    return tuple(
        RecordedEvent(keys=_bare(event.attributes, name), pointer=_event_pointer(span, index, f"{name}.{main}", main))
        for index, event in enumerate(span.events)
        if event.name == name
    )


def _event_pointer(span: SpanView, index: int, *main: str) -> Pointer:
    """To the main key of an event, else to any; an event without a key is pointed at by its span."""
    keys = span.events[index].attributes
    key = next((key for key in (*main, *keys) if key in keys), None)
    return f"{span.span_id}#status" if key is None else f"{span.span_id}#event:{index}/{key}"


def _bare(attributes: Mapping[str, Any], name: str) -> dict[str, Any]:
    """An event's attributes without the event's name before their keys."""
    return {key.removeprefix(f"{name}."): value for key, value in attributes.items()}


def _answer_check(span: SpanView) -> RecordedEvent | None:
    keys = {name: span.get(f"footprint.answer_check.{name}") for name in _CHECK}
    found = {name: value for name, value in keys.items() if value is not None}
    return (
        RecordedEvent(keys=found, pointer=pointer(span, f"footprint.answer_check.{next(iter(found))}"))
        if found
        else None
    )


def _delivery(iteration: int, span: SpanView) -> Delivery:
    return Delivery(
        iteration=iteration,
        names=attribute(span, "footprint.skills"),
        count=attribute(span, "footprint.skills.count"),
    )
