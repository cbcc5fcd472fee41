"""Gemini's own form of a message, as Gemini CLI records it: parts that hold a text, a call or its response."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from otel_footprint.dialects._base import Message, Requested, Responded
from otel_footprint.dialects.content import content_of
from otel_footprint.facts import ABSENT, Content, Pointer

ROLES: Final = {"model": "assistant"}
_CONTEXT: Final = ("<session_context>", "</session_context>")
"""What the command line puts around its own words in a person's message."""


def gemini_messages(items: Sequence[tuple[Mapping[str, Any], Pointer]]) -> tuple[Message, ...]:
    """The messages of a list of contents; the command line's own words become a system message."""
    return tuple(message for item, where in items for message in _messages(item, where))


def _messages(item: Mapping[str, Any], where: Pointer) -> list[Message]:
    texts: list[str] = []
    told: list[Message] = []
    text_pointer: Pointer | None = None
    requested: list[Requested] = []
    responded: list[Responded] = []
    parts = item.get("parts")
    for index, part in enumerate(parts if isinstance(parts, list | tuple) else ()):
        if not isinstance(part, Mapping):
            continue
        at = f"{where}/parts/{index}"
        text = part.get("text")
        if isinstance(text, str) and part.get("thought") is not True:
            if _is_context(text):
                told.append(Message(role="system", text=content_of(text, f"{at}/text", "messages")))
                continue
            texts.append(text)
            text_pointer = text_pointer or f"{at}/text"
        elif isinstance(part.get("functionCall"), Mapping):
            requested.append(_asked(part["functionCall"], f"{at}/functionCall"))
        elif isinstance(part.get("functionResponse"), Mapping):
            responded.append(_answered(part["functionResponse"], f"{at}/functionResponse"))
    role = word(item.get("role")) or ""
    role = "tool" if responded and text_pointer is None else ROLES.get(role, role)
    said = content_of("".join(texts), text_pointer, "messages") if text_pointer else ABSENT
    if not (told and said.state == "absent" and not requested and not responded):
        told.append(Message(role=role, text=said, requested=tuple(requested), responded=tuple(responded)))
    return told


def _is_context(text: str) -> bool:
    bare = text.strip()
    return bare.startswith(_CONTEXT[0]) and bare.endswith(_CONTEXT[1])


def _asked(call: Mapping[str, Any], where: Pointer) -> Requested:
    arguments = content_of(call["args"], f"{where}/args", "messages") if "args" in call else ABSENT
    return Requested(name=word(call.get("name")), call_id=word(call.get("id")), arguments=arguments, pointer=where)


def _answered(response: Mapping[str, Any], where: Pointer) -> Responded:
    return Responded(
        call_id=word(response.get("id")),
        value=response_text(response.get("response"), f"{where}/response", "response" in response),
        name=word(response.get("name")),
    )


def response_text(response: Any, where: Pointer, there: bool = True) -> Content:  # noqa: FBT001, FBT002 - a key's presence
    """What a tool gave: the text under ``output`` or ``error``, else the object as it is."""
    if not there:
        return ABSENT
    for key in ("output", "error"):
        if isinstance(response, Mapping) and set(response) == {key}:
            return content_of(response[key], f"{where}/{key}", "messages")
    return content_of(response, where, "messages")


def word(value: Any) -> str | None:
    """A text that says something."""
    return value if isinstance(value, str) and value else None
