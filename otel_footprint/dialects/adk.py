"""Google ADK: its scope is ``gcp.vertex.agent``. Schema 2 speaks GenAI, schema 1 has keys of its own.

A result that is no object is wrapped as ``{"result": X}``. With content switched off, schema 1 writes ``{}`` for
everything; a span after parallel calls repeats them and is skipped. A code executor runs the first fenced program of
a model's text; the next request repeats it fenced as ``tool_code``, and then what it gave as ``tool_output``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
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
    Switch,
    ToolFacts,
)
from otel_footprint.dialects._messages import any_content
from otel_footprint.dialects.content import attribute, content_of, replaced, structured
from otel_footprint.facts import ABSENT, Content, Pointer
from otel_footprint.spanview import SpanView

SCOPE: Final = "gcp.vertex.agent"
_OWN: Final = ("gcp.vertex.agent.event_id", "gcp.vertex.agent.invocation_id")
"""Keys that tell its spans where a file has lost the scope."""
_NAMES: Final = {"invocation": Role.WORKFLOW, "call_llm": Role.MODEL}
_ARGUMENTS: Final = "gcp.vertex.agent.tool_call_args"
_RESPONSE: Final = "gcp.vertex.agent.tool_response"
_REQUEST: Final = "gcp.vertex.agent.llm_request"
_ANSWER: Final = "gcp.vertex.agent.llm_response"
_NOTHING: Final = "<not specified>"
_ROLES: Final = {"model": "assistant"}
_OUTCOMES: Final = {"OUTCOME_OK": True, "OUTCOME_FAILED": False, "OUTCOME_DEADLINE_EXCEEDED": False}
_EXECUTOR: Final = "code_executor"
"""What stands for the name of the executor, which no record names."""
_FENCES: Final = ("```tool_code\n", "```python\n")
_FENCE_END: Final = "\n```"
_REPEATED, _GIVEN = "```tool_code\n", "```tool_output\n"
_RUN: Final = "code_execution"
"""The name under which the catalogue knows a model's own code execution."""
_MADE_ID: Final = re.compile(r"(.+)_[0-9]+", re.DOTALL)
"""What schema 2 writes in a message for a call that its model gave no id: the tool's name and a part's number."""


def role(span: SpanView) -> Role | None:
    """By operation, as GenAI says; schema 1's turn and model call have only their names."""
    if span.scope_name != SCOPE and (span.scope_name or not any(span.has(key) for key in _OWN)):
        return None
    return genai.role(span) or _NAMES.get(span.name)


def agent(span: SpanView) -> AgentFacts:
    """A turn's or an agent's span."""
    return genai.agent(span)


def model(span: SpanView) -> ModelFacts:
    """A model call: schema 1's raw request and answer, else the GenAI messages."""
    return raw_model(span, _REQUEST, _ANSWER)


def raw_model(span: SpanView, request: str, answer: str) -> ModelFacts:
    """A model call whose raw request and answer stand under these keys, else with GenAI messages."""
    facts = genai.model(span)
    if span.has(request):
        inputs, outputs = tuple(_contents(span, request)), tuple(answers(span, answer))
        facts = replace(facts, input=inputs, output=outputs, instructions=_instructions(span, request))
    inputs = tuple(_with_runs(_read_by_model(message) for message in without_made_ids(facts.input)))
    output = tuple(_with_program(message) for message in without_made_ids(facts.output))
    return replace(facts, input=inputs, output=output, input_recorded=any_content(inputs))


def without_made_ids(messages: Iterable[Message]) -> Iterator[Message]:
    """Messages without the ids that schema 2 makes up: no span has them, and every message counts anew."""
    names: set[str] = set()
    for message in messages:
        requested = tuple(
            replace(request, call_id=None) if request.name and _named_by(request.call_id) == request.name else request
            for request in message.requested
        )
        names |= {request.name for request in requested if request.call_id is None and request.name}
        responded = tuple(
            replace(response, call_id=None, name=name) if (name := _named_by(response.call_id)) in names else response
            for response in message.responded
        )
        yield replace(message, requested=requested, responded=responded)


def _named_by(call_id: str | None) -> str | None:
    """The tool whose name an id begins with, if the id is of the form that is made up."""
    made = _MADE_ID.fullmatch(call_id or "")
    return made[1] if made is not None else None


def _with_program(message: Message) -> Message:
    """A model's text with the program that an executor would run: the first one that is fenced for it."""
    text = message.text.value if message.text.recorded and message.role == "assistant" else None
    if not isinstance(text, str):
        return message
    fenced = [
        (start, start + len(fence), end)
        for fence in _FENCES
        if (start := text.find(fence)) >= 0 and (end := text.find(_FENCE_END, start + len(fence))) >= 0
    ]
    if not fenced:
        return message
    _, start, end = min(fenced)
    return replace(message, requested=(*message.requested, _program(message.text, text[start:end])))


def _program(text: Content, program: str) -> Requested:
    return Requested(
        name=_EXECUTOR, call_id=None, arguments=replaced(text, program), pointer=text.pointer, written=True
    )


def _with_runs(messages: Iterable[Message]) -> Iterator[Message]:
    """Messages with the programs that ran before: each at the end of a text, and what it gave in the next one."""
    ran = False
    for message in messages:
        text = message.text.value if message.text.recorded else None
        if not isinstance(text, str) or not text.endswith(_FENCE_END):
            ran = False
            yield message
        elif message.role == "assistant" and (start := text.rfind(_REPEATED)) >= 0:
            ran = True
            program = text[start + len(_REPEATED) : -len(_FENCE_END)]
            yield replace(message, requested=(*message.requested, _program(message.text, program)))
        elif ran and message.role == "user" and text.startswith(_GIVEN):
            ran = False
            value = replaced(message.text, text[len(_GIVEN) : -len(_FENCE_END)])
            given = Responded(call_id=None, value=value, name=_EXECUTOR)
            yield Message(role="tool", responded=(*message.responded, given))
        else:
            ran = False
            yield message


def _read_by_model(message: Message) -> Message:
    """Results out of their wrapping."""
    return replace(message, responded=tuple(replace(r, value=unwrapped(r.value)) for r in message.responded))


def unwrapped(content: Content) -> Content:
    """What a tool returned, out of ``{"result": X}``; the word for "nothing" there is no result."""
    inner = structured(content)
    value = inner.value
    if not inner.recorded or not isinstance(value, Mapping) or set(value) != {"result"}:
        return content
    return ABSENT if value["result"] == _NOTHING else replaced(inner, value["result"], "/result")


def _contents(span: SpanView, key: str) -> Iterator[Message]:
    request = structured(attribute(span, key))
    contents = request.value.get("contents") if isinstance(request.value, Mapping) else None
    for index, item in enumerate(contents if isinstance(contents, list) else ()):
        if isinstance(item, Mapping):
            yield gemini_message(item, f"{request.pointer}/contents/{index}")


def answers(span: SpanView, key: str) -> Iterator[Message]:
    """The one message of a raw answer, or of the event that a run gives."""
    answer = structured(attribute(span, key))
    item = answer.value.get("content") if isinstance(answer.value, Mapping) else None
    if isinstance(item, Mapping):
        yield gemini_message(item, f"{answer.pointer}/content")


def _instructions(span: SpanView, key: str) -> tuple[Content, ...]:
    request = structured(attribute(span, key))
    config = request.value.get("config") if isinstance(request.value, Mapping) else None
    text = config.get("system_instruction") if isinstance(config, Mapping) else None
    return (replaced(request, text, "/config/system_instruction"),) if isinstance(text, str) else ()


def gemini_message(item: Mapping[str, Any], where: Pointer) -> Message:
    """One content of Gemini's own form."""
    texts: list[str] = []
    text_pointer: Pointer | None = None
    requested: list[Requested] = []
    responded: list[Responded] = []
    parts = item.get("parts")
    for index, part in enumerate(parts if isinstance(parts, list) else ()):
        if not isinstance(part, Mapping):
            continue
        at = f"{where}/parts/{index}"
        if isinstance(part.get("text"), str) and part.get("thought") is not True:
            texts.append(part["text"])
            text_pointer = text_pointer or f"{at}/text"
        elif isinstance(part.get("function_call"), Mapping):
            requested.append(_asked(part["function_call"], f"{at}/function_call"))
        elif isinstance(part.get("function_response"), Mapping):
            responded.append(_answered(part["function_response"], f"{at}/function_response"))
        elif isinstance(part.get("executable_code"), Mapping):
            requested.append(_hosted(part["executable_code"], f"{at}/executable_code"))
        elif isinstance(part.get("code_execution_result"), Mapping) and requested and requested[-1].hosted:
            # The result follows its program; neither has an id.
            requested[-1] = _ended(requested[-1], part["code_execution_result"], f"{at}/code_execution_result")
    by = "tool" if responded and text_pointer is None else _word(item.get("role")) or ""
    text = content_of("".join(texts), text_pointer, "messages") if text_pointer else ABSENT
    return Message(role=_ROLES.get(by, by), text=text, requested=tuple(requested), responded=tuple(responded))


def _asked(call: Mapping[str, Any], where: Pointer) -> Requested:
    arguments = content_of(call["args"], f"{where}/args", "messages") if "args" in call else ABSENT
    return Requested(name=_word(call.get("name")), call_id=_word(call.get("id")), arguments=arguments, pointer=where)


def _answered(response: Mapping[str, Any], where: Pointer) -> Responded:
    value = content_of(response["response"], f"{where}/response", "messages") if "response" in response else ABSENT
    return Responded(call_id=_word(response.get("id")), value=value, name=_word(response.get("name")))


def _hosted(code: Mapping[str, Any], where: Pointer) -> Requested:
    language = code.get("language")
    arguments = {**code, "language": language.lower()} if isinstance(language, str) else dict(code)
    return Requested(name=_RUN, call_id=None, arguments=content_of(arguments, where, "raw"), pointer=where, hosted=True)


def _ended(request: Requested, result: Mapping[str, Any], where: Pointer) -> Requested:
    # An empty output may be left out.
    outcome = result.get("outcome")
    return replace(
        request,
        result=content_of(result.get("output", ""), where, "raw"),
        ok=_OUTCOMES.get(outcome) if isinstance(outcome, str) else None,
    )


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value and value != _NOTHING else None


def tool(span: SpanView) -> ToolFacts:
    """A tool call's span."""
    facts = genai.tool(span)
    if span.has(_ARGUMENTS) or span.has(_RESPONSE):
        arguments, result = structured(attribute(span, _ARGUMENTS)), attribute(span, _RESPONSE)
        if _is_empty(arguments) and _is_empty(result):
            # Both are written like this with content off; a call that really had neither cannot be told from it.
            arguments = result = ABSENT
        facts = replace(facts, arguments=arguments, result=result)
    return replace(facts, result=unwrapped(facts.result))


def _is_empty(content: Content) -> bool:
    return content.state == "absent" or structured(content).value == {}


DIALECT: Final = Dialect(
    name="adk",
    title="Google ADK",
    role=role,
    agent=agent,
    model=model,
    tool=tool,
    conversation=("gen_ai.conversation.id", "gcp.vertex.agent.session_id"),
    routing="handoffs",
    marks=("gcp.vertex.agent",),
    switches=(
        Switch(
            scope="",
            enable="OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_AND_EVENT (schema 1: "
            "ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS=true)",
        ),
    ),
    runtimes=(
        Runtime(
            title="Google ADK",
            scope="",
            versions=("google-adk 2.13.0 (schemas 1 and 2)", "google-adk 2.10"),
            recognised="Workflows, agents, model calls, tool calls with their ids, nested agents; programs that Gemini "
            "ran, in schema 1.",
            failure="Status error with `error.type`.",
            limits=("What a code executor runs has no span.", "With content off, `{}` stands for no content."),
        ),
    ),
)
