"""Strands Agents: its scope is ``strands.telemetry.tracer``; it speaks GenAI.

By default content stands in span events, as Bedrock's blocks (``toolUse``, ``toolResult``). The answer on the agent's
span is the printed form of the result, which ends in a newline that the model never wrote.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from otel_footprint.dialects import genai
from otel_footprint.dialects._base import (
    AgentFacts,
    Dialect,
    Message,
    ModelFacts,
    Requested,
    Responded,
    Role,
    Runtime,
    ToolFacts,
)
from otel_footprint.dialects._messages import any_content, list_of
from otel_footprint.dialects.content import content_of, parse_json, replaced, structured
from otel_footprint.facts import ABSENT, Content, Pointer
from otel_footprint.spanview import SpanView

SCOPE: Final = "strands.telemetry.tracer"
_EVENTS: Final = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_INSTRUCTIONS: Final = "gen_ai.system_instructions"


def role(span: SpanView) -> Role | None:
    """By operation, as GenAI says; the event loop's cycles repeat what is on the calls inside them."""
    return genai.role(span) if span.scope_name == SCOPE else None


def agent(span: SpanView) -> AgentFacts:
    """An agent's span."""
    facts = genai.agent(span)
    value = facts.answer.value
    if facts.answer.recorded and isinstance(value, str):
        return replace(facts, answer=replace(facts.answer, value=value.removesuffix("\n")))
    return facts


def model(span: SpanView) -> ModelFacts:
    """A model call: Bedrock's blocks in events, else the GenAI messages."""
    inputs, outputs = tuple(_read(span)), tuple(_said(span))
    if not inputs and not outputs:
        return replace(genai.model(span), instructions=tuple(_instructions(span)))
    return ModelFacts(input=inputs, output=outputs, input_recorded=any_content(inputs))


def _read(span: SpanView) -> Iterator[Message]:
    for index, event in enumerate(span.events):
        by = _EVENTS.get(event.name)
        if by is not None and "content" in event.attributes:
            yield _message(by, event.attributes["content"], f"{span.span_id}#event:{index}/content")


def _said(span: SpanView) -> Iterator[Message]:
    for index, event in enumerate(span.events):
        if event.name == "gen_ai.choice" and "message" in event.attributes:
            yield _message("assistant", event.attributes["message"], f"{span.span_id}#event:{index}/message")


def _message(by: str, value: Any, where: Pointer) -> Message:
    """One message: JSON text of a list of blocks, or its text alone."""
    blocks = parse_json(value) if isinstance(value, str) else value
    if not isinstance(blocks, list):
        return Message(role=by, text=content_of(value, where, "messages"))
    texts: list[str] = []
    text_pointer: Pointer | None = None
    requested: list[Requested] = []
    responded: list[Responded] = []
    for index, block in enumerate(blocks):
        at = f"{where}/{index}"
        if not isinstance(block, Mapping):
            continue
        if isinstance(block.get("text"), str):
            texts.append(block["text"])
            text_pointer = text_pointer or f"{at}/text"
        elif isinstance(block.get("toolUse"), Mapping):
            requested.append(_asked(block["toolUse"], f"{at}/toolUse"))
        elif isinstance(block.get("toolResult"), Mapping):
            responded.append(_answered(block["toolResult"], f"{at}/toolResult"))
    text = content_of("".join(texts), text_pointer, "messages") if text_pointer else ABSENT
    only_results = bool(responded) and text_pointer is None
    return Message(
        role="tool" if only_results else by, text=text, requested=tuple(requested), responded=tuple(responded)
    )


def _asked(use: Mapping[str, Any], where: Pointer) -> Requested:
    arguments = structured(content_of(use["input"], f"{where}/input", "messages")) if "input" in use else ABSENT
    return Requested(
        name=_word(use.get("name")), call_id=_word(use.get("toolUseId")), arguments=arguments, pointer=where
    )


def _answered(result: Mapping[str, Any], where: Pointer) -> Responded:
    value = content_of(result["content"], f"{where}/content", "messages") if "content" in result else ABSENT
    return Responded(call_id=_word(result.get("toolUseId")), value=_unwrapped(value))


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _unwrapped(content: Content) -> Content:
    """The object out of ``[{"json": {...}}]``; a list of texts is taken apart with every other runtime's."""
    inner = structured(content)
    blocks = inner.value
    if not inner.recorded or not isinstance(blocks, list) or len(blocks) != 1:
        return content
    block = blocks[0]
    is_json = isinstance(block, Mapping) and set(block) == {"json"}
    return replaced(inner, block["json"], "/0/json") if is_json else content


def _instructions(span: SpanView) -> Iterator[Content]:
    """The system texts of the newer form, which keeps them in an event."""
    for index, event in enumerate(span.events):
        if _INSTRUCTIONS in event.attributes:
            held = content_of(event.attributes[_INSTRUCTIONS], f"{span.span_id}#event:{index}/{_INSTRUCTIONS}", "event")
            for item, where in list_of(held):
                if isinstance(item.get("content"), str):
                    yield content_of(item["content"], f"{where}/content", "event")


def tool(span: SpanView) -> ToolFacts:
    """A tool call's span."""
    facts = genai.tool(span)
    return replace(facts, result=_unwrapped(facts.result))


DIALECT: Final = Dialect(
    name="strands",
    title="Strands Agents",
    role=role,
    agent=agent,
    model=model,
    tool=tool,
    conversation=("session.id", "gen_ai.conversation.id"),
    routing="handoffs",
    marks=(SCOPE,),
    switches=(),
    runtimes=(
        Runtime(
            title="Strands Agents",
            scope="",
            versions=("strands-agents 1.62.0 (events and attributes)",),
            recognised="Turns, model calls, tool calls with their ids, content in events or attributes, nested agents.",
            failure="Status error, or `gen_ai.tool.status`.",
            limits=(
                "A shell call that exits with an error is a success of its tool; the exit code stands in its result.",
            ),
        ),
    ),
)
