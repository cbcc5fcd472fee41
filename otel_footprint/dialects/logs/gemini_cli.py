"""Gemini CLI's events: a call's arguments, success and exit code, and what the person said.

The record of a call has no call id; it is emitted in the span around its batch. A request's messages are in a record
of the model call's span, its answer in one that has no span: the time says which call it is of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from otel_footprint.dialects._base import Message, ModelFacts, ToolFacts
from otel_footprint.dialects._gemini_content import gemini_messages
from otel_footprint.dialects._messages import any_content, list_of
from otel_footprint.dialects.content import says_no, structured, whole_number
from otel_footprint.dialects.logs._base import (
    LogDialect,
    Names,
    log_content,
    log_text,
    milliseconds,
)
from otel_footprint.facts import ABSENT, Content, Pointer
from otel_footprint.logview import LogView

_CALL: Final = "gemini_cli.tool_call"
_PROMPT: Final = "gemini_cli.user_prompt"
_REQUEST: Final = "gemini_cli.api_request"
_RESPONSE: Final = "gemini_cli.api_response"


def names(view: LogView) -> Names | None:
    """By event."""
    conversation, prompt = log_text(view, "session.id"), log_text(view, "prompt_id")
    if view.name == _PROMPT:
        return Names(kind="question", conversation=conversation, prompt=prompt)
    if view.name in {_REQUEST, _RESPONSE}:
        return Names(kind="model", conversation=conversation, prompt=prompt)
    if view.name == _CALL:
        return Names(
            kind="tool",
            tool=log_text(view, "function_name"),
            conversation=conversation,
            prompt=prompt,
            duration_ns=milliseconds(view.get("duration_ms")),
        )
    return None


def tool(view: LogView, where: Pointer) -> ToolFacts:
    """A call's end. A shell's non-zero exit is no failure of the call."""
    failed = says_no(view.get("success")) or view.get("status") == "error"
    facts = ToolFacts(
        tool=log_text(view, "function_name"),
        arguments=structured(log_content(view, "function_args", where)),
        failed=f"{where}/success" if failed else None,
        error_text=log_content(view, "error", where) if failed else ABSENT,
    )
    if view.get("decision") == "reject":
        facts = replace(facts, stopped="declined", stopped_pointer=f"{where}/decision")
    data = structured(log_content(view, "metadata", where)).value
    code = data.get("exitCode") if isinstance(data, Mapping) else None
    if not whole_number(code):
        return facts
    return replace(facts, exit_code=code, exit_pointer=f"{where}/metadata/exitCode", exit_from="result")


def models(records: Sequence[tuple[LogView, Pointer]]) -> ModelFacts:
    """The messages of one request, and its answer, which may have come in pieces."""
    inputs: tuple[Message, ...] = ()
    outputs: tuple[Message, ...] = ()
    for view, where in records:
        if view.name == _REQUEST:
            inputs = gemini_messages(list_of(log_content(view, "request_text", where))) or inputs
        elif view.name == _RESPONSE:
            outputs = _answer(log_content(view, "response_text", where)) or outputs
    return ModelFacts(input=inputs, output=outputs, input_recorded=any_content(inputs))


def _answer(pieces: Content) -> tuple[Message, ...]:
    said = gemini_messages(list(_candidates(pieces)))
    texts = [message.text for message in said if message.text.recorded]
    if not said:
        return ()
    text = replace(texts[0], value="".join(str(one.value) for one in texts)) if texts else said[0].text
    return (Message(role="assistant", text=text, requested=tuple(r for m in said for r in m.requested)),)


def _candidates(pieces: Content) -> Iterator[tuple[Mapping[str, Any], Pointer]]:
    """The first candidate of each piece; further ones are alternatives."""
    for piece, where in list_of(pieces):
        found = piece.get("candidates")
        first = found[0] if isinstance(found, list) and found else None
        if isinstance(first, Mapping) and isinstance(first.get("content"), Mapping):
            yield first["content"], f"{where}/candidates/0/content"


def question(view: LogView, where: Pointer) -> Content:
    """What the person said."""
    return log_content(view, "prompt", where)


DIALECT: Final = LogDialect(
    name="gemini-cli", names=names, tool=tool, models=models, question=question, marks=("gemini_cli.",)
)
