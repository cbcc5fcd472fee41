"""What the writers are told: one frozen value, and the named sets of it that fit one backend each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from otel_footprint.config import Config


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """What is written, and how much of it."""

    events: bool = True
    """Write the explanation as span events."""
    attributes: bool = True
    """Write the summary as span attributes, for search and alerts."""
    child_span: bool = False
    """Write the explanation a second time, on an own small span below the turn's, for a backend that drops events."""
    logs: bool = False
    """Write the explanation as log records, an event of the turn's span each."""
    evaluation: bool = False
    """Write tone and standing as log records ``gen_ai.evaluation.result``."""
    max_events: int = 32
    """Events a turn, or log records in their place, :data:`MAX_EVENTS` at the most; 0 writes none. What does not fit is
    counted."""
    programs: bool = False
    """Write the programs' text."""
    evidence_links: bool = False
    """Offer links to the spans that the evidence points to."""
    jaeger_warnings: bool = False
    """Add the signals' sentences as ``@jaeger@warnings``."""
    langfuse_level: bool = False
    """Add ``langfuse.observation.level`` and ``langfuse.observation.status_message``."""
    openinference_kind: bool = False
    """Set ``openinference.span.kind`` on every span that is added."""

    @classmethod
    def from_config(cls, config: Config) -> WriteOptions:
        """The options of a configuration: the preset's, then what the configuration itself says."""
        base = PRESETS[config.preset] if config.preset else cls()
        return replace(
            base,
            events="events" in config.writers,
            attributes="attributes" in config.writers,
            child_span=base.child_span or "child_span" in config.writers,
            logs="logs" in config.writers,
            evaluation="evaluation" in config.writers,
            # a preset may only lower the bound: events are what some backends bill
            max_events=min(base.max_events, config.max_events) if config.preset else config.max_events,
            programs=config.programs,
            evidence_links=config.evidence_links or "links" in config.writers,
        )


PRESETS: Final[Mapping[str, WriteOptions]] = {
    "jaeger": WriteOptions(jaeger_warnings=True),
    "tempo": WriteOptions(),
    "phoenix": WriteOptions(openinference_kind=True),
    "langfuse": WriteOptions(langfuse_level=True, child_span=True),
    "honeycomb": WriteOptions(max_events=8),
}
"""A preset is these options under a name, never a way of its own through the code."""
