"""What tracing decorators put around a call: everything as JSON text, arguments by position and by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from otel_footprint.catalogue import shipped_entry
from otel_footprint.dialects.content import MALFORMED, ends_early, escape, parse_json, replaced, structured
from otel_footprint.facts import ABSENT, Content

_POSITIONAL: Final = frozenset({"args", "kwargs"})


def decoded(content: Content) -> Content:
    """The value behind an attribute that its emitter always writes as JSON text.

    Text that stops early is *cut*; text that is no JSON, which such an emitter would not write, stays as it is.
    """
    value = content.value
    if not content.recorded or not isinstance(value, str) or not value.strip():
        return content
    parsed = parse_json(value)
    if parsed is not MALFORMED:
        return replaced(content, parsed)
    return Content(state="cut", pointer=content.pointer, where=content.where) if ends_early(value) else content


def decoded_text(content: Content) -> Content:
    """The text behind such an attribute; a number is the text it was recorded as, an object is no text."""
    inner = decoded(content)
    if inner.recorded and not isinstance(inner.value, str):
        return ABSENT if isinstance(inner.value, Mapping | list | tuple) or inner.value is None else content
    return inner


def unquoted(content: Content) -> Content:
    """The text inside JSON quotes; a value without them stays as it is."""
    quoted = content.recorded and isinstance(content.value, str) and content.value.startswith('"')
    return decoded(content) if quoted else content


def call_arguments(content: Content, tool: str | None) -> tuple[Content, bool]:
    """Arguments out of ``{"args": [...], "kwargs": {...}}``; true with them when they are one bare value.

    ``content`` is decoded. Several arguments by position are *unreadable*: no record says which is which.
    """
    value = content.value
    if not content.recorded or not isinstance(value, Mapping) or set(value) != _POSITIONAL:
        return content, False
    args, kwargs = value["args"] or [], value["kwargs"] or {}
    if not isinstance(args, list | tuple) or not isinstance(kwargs, Mapping):
        return content, False
    if not args or (kwargs and not _program_by_position(kwargs, tool)):
        return replaced(content, kwargs, "/kwargs"), False
    if len(args) == 1 and not kwargs:
        return replaced(content, args[0], "/args/0"), not isinstance(args[0], Mapping)
    return Content(state="unreadable", pointer=content.pointer, where=content.where), False


def _program_by_position(kwargs: Mapping[str, Any], tool: str | None) -> bool:
    """Whether the named arguments lack the one that a known code-running tool takes its program in."""
    entry = shipped_entry(tool) if tool is not None else None
    return entry is not None and not any(name in kwargs for name in entry.arguments)


def only_text(content: Content) -> Content:
    """The text of a turn's input: a text, or the one argument of a call that is a text; else absent."""
    if not content.recorded:
        return content
    found, _ = call_arguments(content, None)
    value = found.value
    if isinstance(value, Mapping) and len(value) == 1:
        ((name, inner),) = value.items()
        found = replaced(found, inner, f"/{escape(name)}") if isinstance(inner, str) else ABSENT
    if found.recorded:
        return found if isinstance(found.value, str) else ABSENT
    return ABSENT if found.state == "unreadable" else found


def only_task(content: Content) -> Content:
    """The description of the one task that a crew was given; a crew of several tasks has no one question."""
    tasks = structured(content)
    value = tasks.value
    if not tasks.recorded:
        return tasks
    if not isinstance(value, list) or len(value) != 1 or not isinstance(value[0], Mapping):
        return ABSENT
    text = value[0].get("description")
    return replaced(tasks, text, "/0/description") if isinstance(text, str) else ABSENT
