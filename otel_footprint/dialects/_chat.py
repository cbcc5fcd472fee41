"""Messages as frameworks write their own state: LangChain's serialised ones, and a provider's request and response."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from otel_footprint.dialects._base import Message
from otel_footprint.dialects._messages import message_of
from otel_footprint.dialects.content import content_of, replaced
from otel_footprint.facts import ABSENT, Content, Pointer

_ROLES: Final = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant", "function": "tool"}
_AROUND: Final = ("inputs", "outputs", "output")
_PAIR: Final = 2
"""``["user", "the text"]``: LangChain's short form of a message."""


def chat_messages(content: Content) -> tuple[Message, ...]:
    """The messages inside a decoded request, response or state; empty when it holds none."""
    return tuple(_found(content.value, content.pointer or "")) if content.recorded else ()


def _found(value: Any, where: Pointer) -> Iterator[Message]:
    if isinstance(value, list | tuple):
        yield from _listed(value, where)
    elif isinstance(value, Mapping):
        yield from _held(value, where)


def _held(value: Mapping[str, Any], where: Pointer) -> Iterator[Message]:
    """The messages of an object: a state or request, a response, or one message."""
    if isinstance(value.get("messages"), list):
        yield from _listed(value["messages"], f"{where}/messages")
        return
    for key in ("choices", "generations"):
        if isinstance(value.get(key), list):
            yield from _chosen(value[key], f"{where}/{key}")
            return
    for key in _AROUND:
        if isinstance(value.get(key), Mapping):
            yield from _held(value[key], f"{where}/{key}")
            return
    found = _message(value, where)
    if found is not None:
        yield found


def _listed(items: list[Any] | tuple[Any, ...], where: Pointer) -> Iterator[Message]:
    for index, item in enumerate(items):
        at = f"{where}/{index}"
        if isinstance(item, list) and not _is_pair(item):
            # A batch holds one list of messages for each input; a traced call has one input.
            yield from (found for i, one in enumerate(item) if (found := _message(one, f"{at}/{i}")) is not None)
        elif (found := _message(item, at)) is not None:
            yield found


def _chosen(items: list[Any], where: Pointer) -> Iterator[Message]:
    """The first answer of a response; further ones are alternatives."""
    item, at = (items[0], f"{where}/0") if items else (None, where)
    if isinstance(item, list):
        item, at = (item[0], f"{at}/0") if item else (None, at)
    if isinstance(item, Mapping) and (found := _message(item.get("message"), f"{at}/message")) is not None:
        yield found


def _is_pair(item: list[Any]) -> bool:
    return len(item) == _PAIR and all(isinstance(part, str) for part in item)


def _message(item: Any, where: Pointer) -> Message | None:
    if isinstance(item, list) and _is_pair(item):
        said_by = str(item[0])
        return Message(role=_ROLES.get(said_by, said_by), text=content_of(item[1], f"{where}/1", "messages"))
    if not isinstance(item, Mapping):
        return None
    if isinstance(item.get("kwargs"), Mapping) and "lc" in item:
        item, where = item["kwargs"], f"{where}/kwargs"
    role = item.get("role", item.get("type"))
    if not isinstance(role, str) or not ("content" in item or "tool_calls" in item or "parts" in item):
        return None
    return message_of({**item, "role": _ROLES.get(role, role)}, where)


def tool_message(content: Content) -> Content:
    """A tool's result out of a LangChain tool message and the run's output around it.

    An empty object there stands for a run that gave no output; it is no result.
    """
    value = content.value
    if not content.recorded or not isinstance(value, Mapping):
        return content
    if not value:
        return ABSENT
    if "output" in value and set(value) <= {"output", "kwargs"}:
        content = replaced(content, value["output"], "/output")
        value = content.value
    if isinstance(value, Mapping) and "lc" in value and isinstance(value.get("kwargs"), Mapping):
        content = replaced(content, value["kwargs"], "/kwargs")
        value = content.value
    if isinstance(value, Mapping) and value.get("type") == "tool" and "content" in value:
        return replaced(content, value["content"], "/content")
    return content


def call_id_in(content: Content) -> str | None:
    """The call id that a decoded result keeps in its LangChain tool message."""
    value = content.value.get("output") if content.recorded and isinstance(content.value, Mapping) else None
    if isinstance(value, Mapping) and isinstance(value.get("kwargs"), Mapping):
        value = value["kwargs"]
    found = value.get("tool_call_id") if isinstance(value, Mapping) else None
    return found if isinstance(found, str) and found else None
