"""A span that is none: it goes through a batch processor so that the exporter behind it looks at its clock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanContext, TraceFlags

_NO_RESOURCE: Final = Resource.get_empty()


class Nudge(ReadableSpan):
    """Goes through a batch processor like a sampled span, makes the exporter look at its clock, and is not exported."""

    def __init__(self, *, ends_holds: bool = False) -> None:
        flags = TraceFlags(TraceFlags.SAMPLED)
        super().__init__(
            "footprint.nudge", SpanContext(1, 1, is_remote=False, trace_flags=flags), resource=_NO_RESOURCE
        )
        self.ends_holds = ends_holds


def without_nudges(spans: Sequence[ReadableSpan]) -> Sequence[ReadableSpan]:
    """The spans without what is not to be exported; the same object when that is all of them."""
    if Nudge not in set(map(type, spans)):
        return spans
    return [span for span in spans if type(span) is not Nudge]
