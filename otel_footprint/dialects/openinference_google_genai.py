"""OpenInference on the Google Gen AI SDK: a call's raw request and answer.

The SDK can run a model's tools itself (automatic function calling). All of that is one call then, with one span, and
stands in its answer as a history: the contents of the request, and after them each call with what came of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from otel_footprint.dialects import adk, openinference
from otel_footprint.dialects._base import Dialect, Message, ModelFacts, Requested, Responded, Role, Runtime
from otel_footprint.dialects._openinference_runtimes import NO_CALL_ID, NO_EXIT_FIELD
from otel_footprint.dialects.content import attribute, replaced, structured
from otel_footprint.facts import Content
from otel_footprint.spanview import SpanView

SCOPE: Final = "openinference.instrumentation.google_genai"
_HISTORY: Final = "automatic_function_calling_history"


def role(span: SpanView) -> Role | None:
    """By span kind."""
    return openinference.role(span) if span.scope_name.startswith(SCOPE) else None


def model(span: SpanView) -> ModelFacts:
    """A model call, and the calls of tools that the SDK ran inside it."""
    facts = openinference.model(span)
    ran = tuple(_ran(span))
    output = tuple(_without(_assistants(message), list(ran)) for message in facts.output)
    return replace(
        facts,
        input=tuple(_given(_assistants(message)) for message in facts.input),
        output=(*output, Message(role="", requested=ran)) if ran else output,
    )


def _assistants(message: Message) -> Message:
    return replace(message, role="assistant") if message.role == "model" else message


def _without(message: Message, ran: list[Requested]) -> Message:
    """A message without the requests of calls that the SDK ran: a stream's output holds those of all its steps."""
    left: list[Requested] = []
    for request in message.requested:
        same = next((one for one in ran if _call(one) == _call(request)), None)
        if same is None:
            left.append(request)
        else:
            ran.remove(same)
    return replace(message, requested=tuple(left))


def _call(request: Requested) -> tuple[str | None, str | None, Any]:
    return request.call_id, request.name, request.arguments.value


def _given(message: Message) -> Message:
    return replace(message, responded=tuple(replace(one, value=_result(one.value)) for one in message.responded))


def _result(content: Content) -> Content:
    """What a function returned: the SDK keeps it under ``result``, and what it raised under ``error``."""
    inner = structured(content)
    if inner.recorded and isinstance(inner.value, Mapping):
        for key in ("result", "error"):
            if set(inner.value) == {key}:
                return replaced(inner, inner.value[key], f"/{key}")
    return content


def _ran(span: SpanView) -> Iterator[Requested]:
    """The calls of the history that the request did not hold yet, each with the response after it."""
    waiting: list[Requested] = []
    for item, where in _history(span):
        message = adk.gemini_message(item, where)
        for response in message.responded:
            asked = next((one for one in waiting if _answers(response, one)), None)
            if asked is not None:
                waiting.remove(asked)
                failed = isinstance(response.value.value, Mapping) and set(response.value.value) == {"error"}
                yield replace(asked, hosted=True, result=_result(response.value), failed=failed)
        waiting.extend(message.requested)
    yield from (replace(one, hosted=True) for one in waiting)


def _answers(response: Responded, asked: Requested) -> bool:
    return (response.call_id, response.name) == (asked.call_id, asked.name)


def _history(span: SpanView) -> Iterator[tuple[Mapping[str, Any], str]]:
    said, asked = structured(attribute(span, "output.value")), structured(attribute(span, "input.value"))
    items = said.value.get(_HISTORY) if isinstance(said.value, Mapping) else None
    given = asked.value.get("contents") if isinstance(asked.value, Mapping) else None
    if not isinstance(items, list) or not isinstance(given, list):
        return
    # Each step of a stream gives the history anew from its start: the last one is whole.
    count = len(given)
    start = max((at for at in range(len(items)) if items[at : at + count] == items[:count]), default=0)
    for index, item in enumerate(items[start + count :], start + count):
        if isinstance(item, Mapping):
            yield item, f"{said.pointer}/{_HISTORY}/{index}"


DIALECT: Final[Dialect] = replace(
    openinference.DIALECT,
    name="openinference-google-genai",
    title="OpenInference on the Google Gen AI SDK",
    role=role,
    model=model,
    runtimes=(
        Runtime(
            title="Google Gen AI SDK (OpenInference)",
            scope="",
            versions=("google-genai 3.6.1 with openinference-instrumentation-google-genai 1.4.14",),
            recognised="Model calls with their messages; the tools that the SDK ran inside a call, with their results.",
            failure="The `error` that the SDK gives the model in a result's place.",
            limits=(
                "A call of a tool that the SDK did not run has no span, and how it ended is not recorded.",
                NO_CALL_ID,
                NO_EXIT_FIELD,
            ),
        ),
    ),
)
