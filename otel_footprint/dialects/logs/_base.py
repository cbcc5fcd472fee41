"""What a log dialect is: what a record names, and a reader for each thing that a record can tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from otel_footprint.dialects._base import ModelFacts, ToolFacts
from otel_footprint.dialects.content import content_of, escape, is_placeholder
from otel_footprint.facts import ABSENT, Content, Pointer
from otel_footprint.logview import LogView


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What a record is about, as far as it says; with its trace and span ids this is all that joins it."""

    kind: Literal["tool", "model", "question"]
    call_id: str | None = None
    tool: str | None = None
    request: str | None = None
    """The id of the request to the model."""
    conversation: str | None = None
    prompt: str | None = None
    is_call: bool = False
    """The runtime documents the record as the call: where no span is found for it, it is one by itself."""
    duration_ns: int = 0
    """How long the call took that the record tells the end of; 0 when it does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogDialect:
    """The log records of one runtime or convention.

    Readers get the record and ``where``, the beginning of the pointers into it, and never raise for any recorded
    value.
    """

    name: str
    names: Callable[[LogView], Names | None]
    """``None``: the record tells nothing of a call or a turn."""
    tool: Callable[[LogView, Pointer], ToolFacts]
    models: Callable[[Sequence[tuple[LogView, Pointer]]], ModelFacts]
    """Of all records of one model call, by time."""
    question: Callable[[LogView, Pointer], Content]
    marks: tuple[str, ...]
    """A record of this dialect has an event's name or a scope that begins with one of these."""


def where_of(view: LogView, span_id: str) -> Pointer:
    """``span_id#log:EVENT@NANOSECONDS``: the record that was joined to a span; keys follow after a slash."""
    return f"{span_id}#log:{escape(view.name)}@{view.time_ns}"


def log_content(view: LogView, key: str, where: Pointer) -> Content:
    """One attribute of a record as content; absent when the record has no such key."""
    return content_of(view.get(key), f"{where}/{key}", "log") if view.has(key) else ABSENT


def log_text(view: LogView, *keys: str) -> str | None:
    """The first of ``keys`` that holds a text that says something."""
    for key in keys:
        value = view.get(key)
        if isinstance(value, str) and value.strip() and not is_placeholder(value):
            return value
    return None


def milliseconds(value: Any) -> int:
    """A duration in nanoseconds out of a number of milliseconds, which may be text; 0 when it is none."""
    try:
        number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else 0.0
    except (ValueError, OverflowError):
        return 0
    return int(number * 1e6) if 0 < number < _A_YEAR else 0


_A_YEAR = 3.2e10


def no_tool(view: LogView, where: Pointer) -> ToolFacts:
    """A dialect whose records tell of no tool call."""
    del view, where
    return ToolFacts()


def no_models(records: Sequence[tuple[LogView, Pointer]]) -> ModelFacts:
    """A dialect whose records tell of no model call."""
    del records
    return ModelFacts()


def no_question(view: LogView, where: Pointer) -> Content:
    """A dialect whose records hold no question."""
    del view, where
    return ABSENT
