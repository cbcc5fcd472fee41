"""OpenTelemetry GenAI messages: the current part lists and the older event and attribute forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from otel_footprint.dialects._base import Message, Requested, Responded
from otel_footprint.dialects.content import MALFORMED, attribute, content_of, parse_json, parse_printed, structured
from otel_footprint.facts import ABSENT, Content, Pointer
from otel_footprint.spanview import SpanView

_RESPONSE_IDS: Final = ("id", "toolCallId", "tool_use_id", "tool_call_id")
_RESPONSE_KEYS: Final = ("response", "result", "content")
_CALL_TYPES: Final = frozenset({"tool_call", "tool-call", "toolUse", "tool_use", "function"})
_RESPONSE_TYPES: Final = frozenset({"tool_call_response", "tool-result", "tool_result"})
_OLD_EVENTS: Final = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}


def list_of(content: Content) -> list[tuple[Mapping[str, Any], Pointer]]:
    """The objects of the recorded list behind a messages attribute, each with where it stands; one alone counts."""
    value = content.value if content.recorded else None
    if isinstance(value, str):
        parsed = parse_json(value)
        value = parse_printed(value) if parsed is MALFORMED else parsed
    where = content.pointer or ""
    if isinstance(value, Mapping):
        return [(value, where)]
    if not isinstance(value, list | tuple):
        return []
    return [(item, f"{where}/{index}") for index, item in enumerate(value) if isinstance(item, Mapping)]


def messages_of(span: SpanView, key: str) -> tuple[Message, ...]:
    """The messages of one attribute (``gen_ai.input.messages`` and its like)."""
    content = attribute(span, key)
    if content.state == "absent":
        return ()
    return tuple([message_of(item, where) for item, where in list_of(content)])


def message_of(item: Mapping[str, Any], where: Pointer) -> Message:
    """One message, in part-list form or with ``content`` and ``tool_calls`` beside its role."""
    parts = item.get("parts")
    if isinstance(parts, list | tuple):
        return _parts_message(_word(item.get("role")), parts, f"{where}/parts")
    return _flat_message(item, where)


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _parts_message(role: str, parts: Sequence[Any], where: Pointer) -> Message:
    """A message of GenAI parts or of a provider's content blocks; an unknown part is passed over."""
    texts: list[str] = []
    text_pointer: Pointer | None = None
    requested: list[Requested] = []
    responded: list[Responded] = []
    for index, part in enumerate(parts):
        if not isinstance(part, Mapping):
            continue
        at = f"{where}/{index}"
        kind = _word(part.get("type", "text"))
        if kind == "text":
            key = "content" if isinstance(part.get("content"), str) else "text"
            if isinstance(part.get(key), str):
                texts.append(part[key])
                text_pointer = text_pointer or f"{at}/{key}"
        elif kind in _CALL_TYPES or kind == "server_tool_call":
            requested.append(request_of(part, at))
        elif kind in _RESPONSE_TYPES:
            responded.append(_response(part, at))
    _pair_hosted(parts, requested, where)
    text = content_of("".join(texts), text_pointer, "messages") if text_pointer else ABSENT
    # A message that only brings results is no person's, though several providers file it under that role.
    role = "tool" if role == "user" and responded and text_pointer is None else role
    return Message(role=role, text=text, requested=tuple(requested), responded=tuple(responded))


def _flat_message(item: Mapping[str, Any], where: Pointer) -> Message:
    """A message with ``content`` and ``tool_calls`` beside its role (the older form)."""
    role, content = _word(item.get("role")), item.get("content")
    if isinstance(content, list | tuple) and role != "tool":
        return _parts_message(role, content, f"{where}/content")
    if role == "tool":
        value = content_of(content, f"{where}/content", "messages") if "content" in item else ABSENT
        call_id = _id(item.get("tool_call_id", item.get("id")))
        return Message(role=role, responded=(Responded(call_id=call_id, value=value, name=_name(item)),))
    text = content_of(content, f"{where}/content", "messages") if isinstance(content, str) else ABSENT
    calls = item.get("tool_calls")
    if isinstance(calls, str):
        calls = parse_json(calls)
    requested = (
        tuple(
            request_of(call, f"{where}/tool_calls/{index}")
            for index, call in enumerate(calls)
            if isinstance(call, Mapping)
        )
        if isinstance(calls, list | tuple)
        else ()
    )
    return Message(role=role, text=text, requested=requested)


def request_of(part: Mapping[str, Any], where: Pointer) -> Requested:
    """One requested call: a GenAI part, a provider's content block or an item of ``tool_calls``."""
    server = part.get("server_tool_call")
    function = part.get("function")
    body = server if isinstance(server, Mapping) else function if isinstance(function, Mapping) else part
    arguments = ABSENT
    for key in ("arguments", "input", "args"):
        if key in body:
            inside = "" if body is part else ("/server_tool_call" if body is server else "/function")
            arguments = structured(content_of(body[key], f"{where}{inside}/{key}", "messages"), printed=True)
            break
    else:
        if body is server:
            arguments = content_of(
                {k: v for k, v in body.items() if k != "type"}, f"{where}/server_tool_call", "messages"
            )
    kind = body.get("type") if body is server else None
    name = part.get("name") or part.get("toolName") or body.get("name") or kind
    return Requested(
        name=name if isinstance(name, str) else None,
        call_id=_id(part.get("id", part.get("toolCallId"))),
        arguments=arguments,
        pointer=where,
        hosted=body is server,
    )


def _response(part: Mapping[str, Any], where: Pointer) -> Responded:
    value = ABSENT
    for key in _RESPONSE_KEYS:
        if key in part:
            value = content_of(part[key], f"{where}/{key}", "messages")
            break
    call_id = next((found for key in _RESPONSE_IDS if (found := _id(part.get(key))) is not None), None)
    return Responded(call_id=call_id, value=value, name=_name(part))


def _pair_hosted(parts: Sequence[Any], requested: list[Requested], where: Pointer) -> None:
    """Give each hosted call the response part that the same message holds for it."""
    for index, part in enumerate(parts):
        if not isinstance(part, Mapping) or part.get("type") != "server_tool_call_response":
            continue
        for at, request in enumerate(requested):
            if request.hosted and request.call_id == _id(part.get("id")):
                body = part.get("server_tool_call_response")
                result = content_of(body, f"{where}/{index}/server_tool_call_response", "messages")
                requested[at] = Requested(
                    name=request.name,
                    call_id=request.call_id,
                    arguments=request.arguments,
                    pointer=request.pointer,
                    hosted=True,
                    result=result,
                )


def _id(value: Any) -> str | None:
    """A provider's call id; the placeholder of a missing one is no id."""
    return value if isinstance(value, str) and value and value != "<not specified>" else None


def _name(item: Mapping[str, Any]) -> str | None:
    name = item.get("name")
    return name if isinstance(name, str) and name else None


def event_messages(span: SpanView) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """Input and output messages kept as span events (up to v1.36, and events mode of some runtimes)."""
    if not span.events:
        return (), ()
    return sorted_events((e.name, e.attributes, f"{span.span_id}#event:{i}") for i, e in enumerate(span.events))


def recorded_events(span: SpanView, key: str) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """Input and output messages of an attribute that holds a list of such events, each named in ``event.name``."""
    content = attribute(span, key)
    if content.state == "absent":
        return (), ()
    return sorted_events((_word(item.get("event.name")), item, where) for item, where in list_of(content))


def sorted_events(
    events: Iterable[tuple[str, Mapping[str, Any], Pointer]],
) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """Input and output messages of events, each by its name, its keys and where it stands."""
    inputs: list[Message] = []
    outputs: list[Message] = []
    for name, body, where in events:
        if name in _OLD_EVENTS:
            inputs.append(_event_message(body, _OLD_EVENTS[name], where))
        elif name == "gen_ai.choice":
            outputs.append(_choice(body, where))
        else:
            inputs.extend(_event_list(body, ("gen_ai.input.messages", "gen_ai.prompt"), where))
            outputs.extend(_event_list(body, ("gen_ai.output.messages", "gen_ai.completion"), where))
    return _with_lone_ids(inputs), tuple(outputs)


def _with_lone_ids(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Messages where the one result after the one call that a message asks for has that call's id.

    OpenLLMetry's events leave it out. Of several calls the order of their results does not tell which is whose.
    """
    found = list(messages)
    for index, (asking, answering) in enumerate(pairwise(messages)):
        lone = len(asking.requested) == len(answering.responded) == 1
        after = messages[index + 2].responded if index + 2 < len(messages) else ()
        if lone and not after and answering.responded[0].call_id is None and answering.responded[0].name is None:
            response = replace(answering.responded[0], call_id=asking.requested[0].call_id)
            found[index + 1] = replace(answering, responded=(response,))
    return tuple(found)


def _event_list(body: Mapping[str, Any], keys: tuple[str, ...], where: Pointer) -> Iterator[Message]:
    for key in keys:
        if key in body:
            found = list_of(content_of(body[key], f"{where}/{key}", "event"))
            yield from (message_of(item, at) for item, at in found)


def _event_message(body: Mapping[str, Any], role: str, where: Pointer) -> Message:
    blocks = _blocks(body.get("content")) if role != "tool" else None
    if blocks is not None:
        return _parts_message(role, blocks, f"{where}/content")
    return _flat_message({**body, "role": role}, where)


def text_message(role: str, content: Content) -> Message:
    """A message whose recorded text may be the JSON of a provider's content blocks."""
    blocks = _blocks(content.value) if content.recorded else None
    return Message(role=role, text=content) if blocks is None else _parts_message(role, blocks, content.pointer or "")


def _blocks(content: Any) -> list[Any] | None:
    """Content blocks kept as JSON text; ``None`` for any other text."""
    parsed = parse_json(content) if isinstance(content, str) and content.lstrip()[:1] == "[" else None
    return parsed if isinstance(parsed, list) and parsed and all(isinstance(b, Mapping) for b in parsed) else None


def _choice(body: Mapping[str, Any], where: Pointer) -> Message:
    """A model's answer: a message object, as it is or as JSON text, content blocks, or the text alone."""
    message = body.get("message")
    blocks = _blocks(message)
    if blocks is not None:
        return _parts_message("assistant", blocks, f"{where}/message")
    parsed = parse_json(message) if isinstance(message, str) and message.lstrip()[:1] == "{" else message
    if isinstance(parsed, Mapping):
        said = message_of({**parsed, "role": "assistant"}, f"{where}/message")
        # OpenLLMetry's record has the calls beside the message and not in it.
        beside = _flat_message({**body, "role": "assistant", "content": None}, where) if "tool_calls" in body else said
        return said if said.requested else replace(said, requested=beside.requested)
    rest = _flat_message({**body, "role": "assistant", "content": None}, where)
    text = content_of(message, f"{where}/message", "event") if isinstance(message, str) else ABSENT
    return replace(rest, text=text)


def legacy_messages(span: SpanView) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """``gen_ai.prompt`` and ``gen_ai.completion`` as one JSON attribute each (up to v1.27)."""
    return tuple(_whole(span, "gen_ai.prompt")), tuple(_whole(span, "gen_ai.completion"))


def _whole(span: SpanView, key: str) -> Iterator[Message]:
    if isinstance(span.get(key), str):
        yield from messages_of(span, key)


def last_text(messages: tuple[Message, ...], role: str) -> Content:
    """The newest recorded text of a role; absent when there is none."""
    for message in reversed(messages):
        if message.role == role and message.text.state != "absent":
            return message.text
    return ABSENT


def any_content(messages: tuple[Message, ...]) -> bool:
    """Whether any message holds content (hollow messages keep only types and ids)."""
    return any(
        m.text.recorded or any(r.arguments.recorded for r in m.requested) or any(r.value.recorded for r in m.responded)
        for m in messages
    )


def tool_events(span: SpanView) -> tuple[Content, Content, str | None]:
    """Arguments, result and call id that a tool span keeps in ``gen_ai.tool.message`` / ``gen_ai.choice`` events."""
    arguments = result = ABSENT
    call_id: str | None = None
    for index, event in enumerate(span.events):
        where = f"{span.span_id}#event:{index}"
        if event.name == "gen_ai.tool.message" and "content" in event.attributes:
            arguments = structured(content_of(event.attributes["content"], f"{where}/content", "event"))
            call_id = _id(event.attributes.get("id")) or call_id
        elif event.name == "gen_ai.choice" and "message" in event.attributes:
            result = content_of(event.attributes["message"], f"{where}/message", "event")
            call_id = _id(event.attributes.get("id")) or call_id
    return arguments, result, call_id


def call_id_of(span: SpanView, keys: tuple[str, ...]) -> str | None:
    """The first recorded provider call id."""
    for key in keys:
        found = _id(span.get(key))
        if found is not None:
            return found
    return None


def instructions_of(span: SpanView) -> tuple[Content, ...]:
    """The texts of ``gen_ai.system_instructions``."""
    content = attribute(span, "gen_ai.system_instructions")
    if content.state == "absent":
        return ()
    items = list_of(content)
    if not items:
        return (content,) if content.recorded and isinstance(content.value, str) else ()
    return tuple(
        content_of(item["content"], f"{where}/content") for item, where in items if isinstance(item.get("content"), str)
    )
