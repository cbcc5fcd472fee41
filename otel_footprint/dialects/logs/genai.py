"""OpenTelemetry GenAI events as log records: one a message (up to v1.36), and the details of a whole inference.

The keys of such an event are the record's attributes; those of the older ones are its body.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from otel_footprint.dialects._base import Message, ModelFacts
from otel_footprint.dialects._messages import any_content, list_of, message_of, sorted_events
from otel_footprint.dialects.content import content_of, structured
from otel_footprint.dialects.logs._base import LogDialect, Names, log_content, log_text, no_question, no_tool
from otel_footprint.facts import Content, Pointer
from otel_footprint.logview import LogView

_DETAILS: Final = "gen_ai.client.inference.operation.details"
_MESSAGES: Final = frozenset(
    {
        "gen_ai.system.message",
        "gen_ai.user.message",
        "gen_ai.assistant.message",
        "gen_ai.tool.message",
        "gen_ai.choice",
        "gen_ai.content.prompt",
        "gen_ai.content.completion",
    }
)
_OF_BLOCKS: Final = "opentelemetry.instrumentation.anthropic"
"""OpenLLMetry's scope for Anthropic: each block of the one answer is a record, and ``index`` is the block's number."""
_INPUT: Final = "gen_ai.input.messages"
_OUTPUT: Final = "gen_ai.output.messages"
_INSTRUCTIONS: Final = "gen_ai.system_instructions"


def names(view: LogView) -> Names | None:
    """By event."""
    if view.name not in _MESSAGES and view.name != _DETAILS:
        return None
    return Names(
        kind="model",
        request=log_text(view, "gen_ai.response.id"),
        conversation=log_text(view, "gen_ai.conversation.id", "session.id"),
    )


def models(records: Sequence[tuple[LogView, Pointer]]) -> ModelFacts:
    """What one model call's records hold together; of several accounts of the whole call the newest counts."""
    inputs, outputs = sorted_events(_events(records))
    instructions: tuple[Content, ...] = ()
    for view, where in records:
        if view.name == _DETAILS:
            inputs = tuple(_list(view, _INPUT, where)) or inputs
            outputs = tuple(_as_said(m) for m in _list(view, _OUTPUT, where)) or outputs
            instructions = tuple(_instructions(view, where)) or instructions
    return ModelFacts(input=inputs, output=outputs, input_recorded=any_content(inputs), instructions=instructions)


def _events(records: Sequence[tuple[LogView, Pointer]]) -> Iterator[tuple[str, Mapping[str, Any], Pointer]]:
    for view, where in records:
        if view.name not in _MESSAGES:
            continue
        body = structured(content_of(view.body, f"{where}/body", "log")).value
        keys, at = (body, f"{where}/body") if isinstance(body, Mapping) and body else (_all(view), where)
        if view.name == "gen_ai.choice" and keys.get("index") not in (None, 0) and view.scope_name != _OF_BLOCKS:
            continue  # an alternative that the runtime did not go on with
        yield view.name, _with_message(view.name, keys), at


def _all(view: LogView) -> dict[str, Any]:
    return {key: view.get(key) for key in view.keys()}  # noqa: SIM118 - a view is no mapping


def _with_message(name: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Some emitters put the whole message, with its parts, where its text is due."""
    content = body.get("content")
    if name == "gen_ai.choice" and "message" not in body:
        return {**body, "message": content} if content is not None else body
    if isinstance(content, Mapping) and isinstance(content.get("parts"), list):
        return {**body, "content": content["parts"]}
    return body


def _list(view: LogView, key: str, where: Pointer) -> Iterator[Message]:
    content = log_content(view, key, where)
    if content.state == "absent" and isinstance(view.body, Mapping) and key in view.body:
        content = content_of(view.body[key], f"{where}/body/{key}", "log")
    yield from (message_of(item, at) for item, at in list_of(content))


def _as_said(message: Message) -> Message:
    """Gemini CLI files what the model said under ``system``; an output is the model's whatever it is filed under."""
    return Message(role="assistant", text=message.text, requested=message.requested, responded=message.responded)


def _instructions(view: LogView, where: Pointer) -> Iterator[Content]:
    content = log_content(view, _INSTRUCTIONS, where)
    items = list_of(content)
    if not items and content.recorded and isinstance(content.value, str):
        yield content
    for item, at in items:
        if isinstance(item.get("content"), str):
            yield content_of(item["content"], f"{at}/content", "log")


DIALECT: Final = LogDialect(
    name="genai", names=names, tool=no_tool, models=models, question=no_question, marks=("gen_ai.",)
)
