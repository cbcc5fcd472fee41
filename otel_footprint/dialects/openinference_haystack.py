"""OpenInference on Haystack: a pipeline's run is the turn, and the tool calls of an agent in it have no spans.

Its messages stand in the printed form of Python objects inside JSON. An agent gives back the messages that it was
given too; only the others are its turn's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from otel_footprint.dialects import openinference
from otel_footprint.dialects._base import AgentFacts, Dialect, Message, Requested, Responded, Role, Runtime
from otel_footprint.dialects._messages import last_text
from otel_footprint.dialects._printed import NotPrintedError, Printed, read_objects
from otel_footprint.dialects.content import attribute, content_of, escape, structured
from otel_footprint.facts import ABSENT, Content, Pointer
from otel_footprint.spanview import SpanView

SCOPE: Final = "openinference.instrumentation.haystack"
_LISTS: Final = ("messages", "replies")
"""Where components take and give messages."""
_DEPTH: Final = 3
_MESSAGE: Final = "ChatMessage("


def role(span: SpanView) -> Role | None:
    """By span kind; a chain is the run of a pipeline or of an agent in it."""
    if not span.scope_name.startswith(SCOPE):
        return None
    found = openinference.role(span)
    return Role.WORKFLOW if found is Role.STEP and span.name.endswith(".run") else found


def agent(span: SpanView) -> AgentFacts:
    """A pipeline's or an agent's run."""
    facts = openinference.agent(span)
    given = list(_printed(span, "input.value"))
    taken = Counter(text for text, _ in given)
    added: list[tuple[str, Pointer]] = []
    for text, where in _printed(span, "output.value"):
        if taken[text]:
            taken[text] -= 1
        else:
            added.append((text, where))
    inputs = tuple(_messages(given))
    output = tuple(_messages(added))
    question, answer = facts.question, facts.answer
    if question.state == "absent":
        question = last_text(inputs, "user")
    if answer.state == "absent" and output and not output[-1].requested:
        answer = last_text(output[-1:], "assistant")
    return replace(facts, question=question, answer=answer, output=facts.output or output)


def _printed(span: SpanView, key: str) -> Iterator[tuple[str, Pointer]]:
    """The printed messages of a run's input or output, each with where it stands."""
    content = structured(attribute(span, key))
    if content.recorded:
        yield from _held(content.value, content.pointer or "", _DEPTH)


def _held(value: Any, where: Pointer, depth: int) -> Iterator[tuple[str, Pointer]]:
    if not isinstance(value, Mapping):
        return
    for name, inner in value.items():
        at = f"{where}/{escape(name)}"
        if name in _LISTS and isinstance(inner, list):
            for index, item in enumerate(inner):
                if isinstance(item, str) and item.startswith(_MESSAGE):
                    yield item, f"{at}/{index}"
        elif depth:
            yield from _held(inner, at, depth - 1)


def _messages(texts: list[tuple[str, Pointer]]) -> Iterator[Message]:
    for text, where in texts:
        try:
            printed = read_objects(text)
        except NotPrintedError:
            continue
        if isinstance(printed, Printed):
            yield _message(printed, where)


def _message(printed: Printed, where: Pointer) -> Message:
    """One message; older releases print its fields without an underscore and its content as one text."""
    key = "_content" if "_content" in printed.fields else "content"
    content, said_by = printed.fields.get(key), printed.fields.get(key.replace("content", "role"))
    parts = [(part, f"{where}/{key}/{i}") for i, part in enumerate(_items(content)) if isinstance(part, Printed)]
    texts = [(part.fields["text"], f"{at}/text") for part, at in parts if isinstance(part.fields.get("text"), str)]
    if isinstance(content, str):
        texts = [(content, f"{where}/{key}")]
    return Message(
        role=said_by if isinstance(said_by, str) else "",
        text=content_of("".join(text for text, _ in texts), texts[0][1], "messages") if texts else ABSENT,
        requested=tuple(_request(part, at) for part, at in parts if part.name == "ToolCall"),
        responded=tuple(_response(part, at) for part, at in parts if part.name == "ToolCallResult"),
    )


def _request(call: Printed, where: Pointer) -> Requested:
    name = call.fields.get("tool_name")
    return Requested(
        name=name if isinstance(name, str) else None,
        call_id=_call_id(call),
        arguments=_field(call, "arguments", where),
        pointer=where,
    )


def _response(result: Printed, where: Pointer) -> Responded:
    call, failed = result.fields.get("origin"), result.fields.get("error")
    name = call.fields.get("tool_name") if isinstance(call, Printed) else None
    return Responded(
        call_id=_call_id(call) if isinstance(call, Printed) else None,
        value=_field(result, "result", where),
        name=name if isinstance(name, str) else None,
        failed=failed if isinstance(failed, bool) else None,
    )


def _call_id(call: Printed) -> str | None:
    found = call.fields.get("id")
    return found if isinstance(found, str) and found else None


def _field(printed: Printed, name: str, where: Pointer) -> Content:
    """A field's value; the text of a list of texts. Another printed object in it makes it *unreadable*."""
    if name not in printed.fields:
        return ABSENT
    value = printed.fields[name]
    texts = [part.fields.get("text") if isinstance(part, Printed) else None for part in _items(value)]
    if texts and all(isinstance(text, str) for text in texts):
        value = "".join(str(text) for text in texts)
    if _holds_objects(value):
        return Content(state="unreadable", pointer=f"{where}/{name}", where="messages")
    return content_of(value, f"{where}/{name}", "messages")


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _holds_objects(value: Any) -> bool:
    if isinstance(value, Printed):
        return True
    inner = value.values() if isinstance(value, Mapping) else _items(value)
    return any(_holds_objects(item) for item in inner)


DIALECT: Final[Dialect] = replace(
    openinference.DIALECT,
    name="openinference-haystack",
    title="OpenInference on Haystack",
    role=role,
    agent=agent,
    runtimes=(
        Runtime(
            title="Haystack (OpenInference)",
            scope="",
            versions=("haystack-ai 3.4.1 with openinference-instrumentation-haystack 0.1.46",),
            recognised="Pipelines and agents as turns, model calls, the calls that printed messages tell of.",
            failure="Status error of the turn; the error flag of a printed result.",
            limits=("No tool call has a span: when it ran is not recorded.",),
        ),
    ),
)
