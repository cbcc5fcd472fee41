"""When things happened in a turn: what an explanation leaves out and a picture of the turn needs."""

from __future__ import annotations

from dataclasses import dataclass

from otel_footprint.facts import ModelCall, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTime:
    """When one call ran."""

    carrier_span_id: str
    """The span that holds the call: its own, else the model call's that asked for it."""
    iteration: int
    """1-based number of the model call that asked for it; 0 when not known."""
    start_ns: int
    """Unix nanoseconds; the model call's end when the call has no span."""
    end_ns: int
    """Unix nanoseconds; 0 when no end is recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """The times of one turn."""

    start_ns: int
    """Unix nanoseconds; 0 when not recorded."""
    end_ns: int
    """Unix nanoseconds; 0 when no end is recorded."""
    models: tuple[ModelCall, ...]
    calls: tuple[CallTime, ...]
    """One for each of the explanation's calls, in their order."""


def timeline(turn: Turn) -> Timeline:
    """The times of a turn."""
    return Timeline(
        start_ns=turn.start_ns,
        end_ns=turn.end_ns,
        models=turn.models,
        calls=tuple(
            CallTime(
                carrier_span_id=call.carrier_span_id,
                iteration=call.iteration,
                start_ns=call.start_ns,
                end_ns=call.end_ns,
            )
            for call in turn.calls
        ),
    )
