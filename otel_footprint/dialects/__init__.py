"""The conventions that agent runtimes speak, and the registry that knows them.

A dialect is a table plus small readers (:class:`Dialect`). More are found under the entry-point group
``otel_footprint_dialects``: each entry loads a :class:`Dialect`. Their order is: found ones by name, then ours.
"""

from __future__ import annotations

import logging
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Final

from otel_footprint.dialects import (
    adk,
    anthropic_sdk,
    claude_code,
    codex,
    crewai,
    gemini_cli,
    genai,
    langfuse,
    langfuse_kept,
    langsmith,
    mcp,
    mlflow,
    native,
    opencode,
    openinference,
    openinference_adk,
    openinference_crewai,
    openinference_dspy,
    openinference_google_genai,
    openinference_haystack,
    openinference_smolagents,
    openllmetry_llamaindex,
    spring_ai,
    strands,
    traceloop,
    vercel,
)
from otel_footprint.dialects._base import (
    AgentFacts,
    Dialect,
    Group,
    Message,
    ModelFacts,
    Nesting,
    Requested,
    Responded,
    Role,
    Runtime,
    StepFacts,
    Switch,
    ToolFacts,
    enable_for,
    runtime_of,
    switch_for,
)
from otel_footprint.spanview import SpanView

__all__ = [
    "GROUP",
    "NO_AGENT",
    "AgentFacts",
    "Dialect",
    "Group",
    "Message",
    "ModelFacts",
    "Nesting",
    "Recognised",
    "Requested",
    "Responded",
    "Role",
    "Runtime",
    "StepFacts",
    "Switch",
    "ToolFacts",
    "built_in",
    "dialects",
    "enable_for",
    "recognise",
    "runtime_of",
    "switch_for",
]

GROUP: Final = "otel_footprint_dialects"
"""The entry-point group of further dialects."""

_BUILT_IN: Final = (
    claude_code.DIALECT,
    codex.DIALECT,
    gemini_cli.DIALECT,
    opencode.DIALECT,
    openinference_adk.DIALECT,
    openinference_crewai.DIALECT,
    openinference_dspy.DIALECT,
    openinference_google_genai.DIALECT,
    openinference_haystack.DIALECT,
    openinference_smolagents.DIALECT,
    openinference.DIALECT,
    langsmith.DIALECT,
    langfuse.DIALECT,
    mlflow.DIALECT,
    vercel.DIALECT,
    adk.DIALECT,
    strands.DIALECT,
    crewai.DIALECT,
    spring_ai.DIALECT,
    anthropic_sdk.DIALECT,
    openllmetry_llamaindex.DIALECT,
    traceloop.DIALECT,
    mcp.DIALECT,
    genai.DIALECT,
    native.DIALECT,
)
_KEPT: Final = langfuse_kept.over(_BUILT_IN)
_logger = logging.getLogger(__name__)


def built_in() -> tuple[Dialect, ...]:
    """The dialects of this distribution, in the order in which they are asked."""
    return _BUILT_IN


@lru_cache(maxsize=1)
def dialects() -> tuple[Dialect, ...]:
    """Every known dialect in the order in which they are asked.

    An entry that cannot be loaded or is no :class:`Dialect` is left out and logged once; it costs nothing else.
    """
    found: list[Dialect] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda e: e.name):
        try:
            loaded = entry.load()
        except Exception:  # a foreign module may raise anything while it is imported
            _logger.exception("dialect %r (%s) could not be loaded; it is left out", entry.name, entry.value)
            continue
        if isinstance(loaded, Dialect):
            found.append(loaded)
        else:
            _logger.error(
                "dialect %r (%s) is no otel_footprint.dialects.Dialect; it is left out", entry.name, entry.value
            )
    return (*found, _KEPT, *_BUILT_IN)


Recognised = tuple[Dialect | None, Role | None]
"""What a span is and who says so; both or neither."""

NO_AGENT: Final[Recognised] = (None, None)
"""What a span is that no dialect gives a role."""

_MANY_KEYS: Final = 64
"""What is known of longer lists of keys is not kept."""


def recognise(span: SpanView) -> Recognised:
    """The first dialect that gives the span a role, and the role; :data:`NO_AGENT` for any other span."""
    keys = tuple(span.keys())
    if span.dropped:
        asked = dialects()
    elif len(keys) > _MANY_KEYS:
        asked = _marked(span.scope_name, keys)
    else:
        asked = _known(span.scope_name, keys)
    for dialect in asked:
        role = dialect.role(span)
        if role is not None:
            return dialect, role
    return NO_AGENT


def _marked(scope: str, keys: tuple[str, ...]) -> tuple[Dialect, ...]:
    """The dialects that a span with this scope and these keys may speak."""
    texts = (scope, *(key for key in keys if isinstance(key, str)))
    return tuple(dialect for dialect in dialects() if any(text.startswith(dialect.marks) for text in texts))


# A runtime's spans of one kind have the same keys, and asking every dialect about every span is not cheap.
_known = lru_cache(maxsize=1_024)(_marked)
