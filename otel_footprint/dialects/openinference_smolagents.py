"""OpenInference on smolagents: code agents write their program into their text and a step's span holds its run.

The agent's name is in its span's name, the person's words follow a fixed line. What a model call read repeats each
call of the steps before it as printed Python, and what it gave as text after a fixed line.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from otel_footprint.dialects import openinference
from otel_footprint.dialects._base import (
    AgentFacts,
    Dialect,
    Message,
    ModelFacts,
    Nesting,
    Requested,
    Responded,
    Role,
    Runtime,
    StepFacts,
)
from otel_footprint.dialects._messages import any_content
from otel_footprint.dialects._printed import LONGEST
from otel_footprint.dialects.content import (
    attribute,
    content_of,
    parse_json,
    parse_printed,
    pointer,
    replaced,
    structured,
)
from otel_footprint.facts import ABSENT, Content
from otel_footprint.spanview import SpanView

SCOPE: Final = "openinference.instrumentation.smolagents"
_RUN: Final = ".run"
_CLASSES: Final = frozenset({"CodeAgent", "MultiStepAgent", "ToolCallingAgent"})
"""An agent without a name runs under its class's."""
_TASK: Final = "New task:\n"
_INTERPRETER: Final = "python_interpreter"
"""The name under which the runtime itself records the run of a code agent's program."""
_CALLING: Final = "Calling tools:\n"
_OBSERVATION: Final = "Observation:\n"
_ERROR: Final = "Error:\n"
_OF_CALL: Final = re.compile(r"Call id: (.+)\n")
_OF_TOOL: Final = re.compile(r"Error:\nError executing tool '([^'\n]+)' with arguments ")
_LOGS: Final = "Execution logs:\n"
"""What a step of a code agent gave begins with this."""
_RAISED: Final = "AgentExecutionError"
_STOPS: Final = '"stop_sequences": '
_CLOSING: Final = re.compile(r"</([^<>]+)>")
_DEFAULT_STOPS: Final = frozenset({"Observation:", "Calling tools:"})
_MARKDOWN: Final = re.compile(r"```(?:python|py)(.*?)\n```", re.DOTALL)


def role(span: SpanView) -> Role | None:
    """By span kind."""
    return openinference.role(span) if span.scope_name.startswith(SCOPE) else None


def nested(_span: SpanView) -> Nesting:
    """An agent below another one's step was called by the step's program, or by the tool call of the step."""
    return "in-step"


def agent(span: SpanView) -> AgentFacts:
    """An agent's span. What a step gave is what its calls gave and no answer."""
    facts = openinference.agent(span)
    if span.name.startswith("Step "):
        return replace(facts, answer=ABSENT)
    task = structured(attribute(span, "input.value"))
    if isinstance(task.value, Mapping) and isinstance(task.value.get("task"), str):
        facts = replace(facts, question=replaced(task, task.value["task"], "/task"))
    name = span.name.removesuffix(_RUN) if span.name.endswith(_RUN) else ""
    return replace(facts, agent=facts.agent or (name if name and name not in _CLASSES else None))


def step(span: SpanView) -> StepFacts | None:
    """A step that ran a program: it gave the program's logs, or the program raised.

    A text in which the runtime finds no program fails its step too, with another error.
    """
    output = attribute(span, "output.value")
    if span.status == "error":
        return StepFacts(outcome="failed", pointer=f"{span.span_id}#status", result=output) if _raised(span) else None
    if not span.end_ns or not isinstance(output.value, str) or not output.value.startswith(_LOGS):
        return None
    return StepFacts(outcome="ran", pointer=pointer(span, "output.value"), result=output)


def _raised(span: SpanView) -> bool:
    kinds = [event.attributes.get("exception.type") for event in span.events if event.name == "exception"]
    named = any(isinstance(kind, str) and kind.rsplit(".", 1)[-1] == _RAISED for kind in kinds)
    return named or span.status_message.startswith(_RAISED)


def model(span: SpanView) -> ModelFacts:
    """A model call, with the program that it wrote and the calls that it read."""
    facts = openinference.model(span)
    inputs = tuple(_read(facts.input))
    closing = _closing_tag(span)
    output = tuple(_with_program(message, closing) for message in facts.output)
    return replace(facts, input=inputs, output=output, input_recorded=any_content(inputs))


# -- the program that a model call wrote -----------------------------------------------------------------------------


def _closing_tag(span: SpanView) -> str | None:
    """What a code agent's program ends with: the stop sequence that only code agents add. ``None``: none is told."""
    request = span.get("input.value")
    at = request.rfind(_STOPS) if isinstance(request, str) else -1
    if at < 0:
        return None
    try:
        stops, _ = json.JSONDecoder().raw_decode(request, at + len(_STOPS))
    except (ValueError, RecursionError):
        return None
    further = [stop for stop in stops if isinstance(stop, str)] if isinstance(stops, list) else []
    return next((stop for stop in further if stop not in _DEFAULT_STOPS), None)


def _with_program(message: Message, closing: str | None) -> Message:
    if message.role != "assistant" or not message.text.recorded or not isinstance(message.text.value, str):
        return message
    program = _program(message.text.value, closing)
    if program is None:
        return message
    request = Requested(
        name=_INTERPRETER,
        call_id=None,
        arguments=replaced(message.text, program),
        pointer=message.text.pointer,
        written=True,
    )
    return replace(message, requested=(*message.requested, request))


def _program(text: str, closing: str | None) -> str | None:
    """The program in a text as the runtime takes it out: between tags, else fenced, else a text that is one."""
    if text.startswith("{"):
        # With structured outputs the text is an object that holds the program.
        parsed = parse_json(text)
        if isinstance(parsed, Mapping) and isinstance(parsed.get("code"), str):
            return _tagged(parsed["code"], closing) or str(parsed["code"])
    found = _tagged(text, closing) or _joined(_MARKDOWN.findall(text))
    if found is not None or closing is None or len(text) > LONGEST:
        return found
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return text


def _tagged(text: str, closing: str | None) -> str | None:
    closing = closing or "</code>"
    tag = _CLOSING.fullmatch(closing)
    if tag is None:
        return None
    opening = f"<{tag[1]}>"
    # A model stops before the closing tag; the runtime puts it back.
    whole = text if text.rstrip().endswith(closing) else text + closing
    parts = whole.split(opening)[1:]
    return _joined(part.split(closing)[0] for part in parts if closing in part)


def _joined(parts: Iterable[str]) -> str | None:
    found = [part.strip() for part in parts]
    return "\n\n".join(found) if found else None


# -- the calls that a model call read --------------------------------------------------------------------------------


def _read(messages: Iterable[Message]) -> Iterator[Message]:
    """Messages with the calls and results that are in their texts."""
    asked: tuple[Requested, ...] = ()
    for message in messages:
        text = message.text.value if message.text.recorded else None
        if not isinstance(text, str):
            yield message
        elif message.role in {"assistant", "tool-call"} and text.startswith(_CALLING):
            asked = _calls(message.text, text.removeprefix(_CALLING))
            yield Message(role="assistant", requested=asked)
        elif message.role in {"tool-response", "user"} and (read := _responses(message, text, asked)) is not None:
            yield read
        else:
            # A person's next words end the calls before them.
            asked = ()
            yield _own_words(message)


def _calls(content: Content, printed: str) -> tuple[Requested, ...]:
    items = parse_printed(printed)
    return tuple(_call(item, content) for item in items if isinstance(item, Mapping)) if isinstance(items, list) else ()


def _call(item: Mapping[str, Any], content: Content) -> Requested:
    function = item.get("function")
    body = function if isinstance(function, Mapping) else item
    name, arguments = _word(body.get("name")), body.get("arguments")
    is_program = name == _INTERPRETER and isinstance(arguments, str)
    return Requested(
        name=name,
        call_id=_word(item.get("id")),
        arguments=content_of(arguments, content.pointer or "", content.where),
        pointer=content.pointer,
        written=is_program,
    )


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _responses(message: Message, text: str, asked: tuple[Requested, ...]) -> Message | None:
    """What the calls before a text gave; ``None`` for a text that is not the runtime's.

    The results of several calls run together in one text, and which is whose is not said.
    """
    named = _OF_CALL.match(text)
    rest = text[named.end() :] if named is not None else text
    failed = rest.startswith(_ERROR)
    if message.role != "tool-response" and not (asked and (failed or rest.startswith(_OBSERVATION))):
        return None
    if failed and named is None:
        # A tool call that raised is not repeated before its error, which names its tool.
        of_tool = _OF_TOOL.match(rest)
        failure = Responded(call_id=None, value=message.text, name=of_tool[1] if of_tool else None, failed=True)
        return Message(role="tool", responded=(failure,) if of_tool else ())
    if len(asked) != 1:
        return Message(role="tool")
    value = replaced(message.text, rest.removeprefix(_OBSERVATION))
    response = Responded(call_id=asked[0].call_id, value=value, name=asked[0].name, failed=failed)
    return Message(role="tool", responded=(response,))


def _own_words(message: Message) -> Message:
    """A person's message without the line that the runtime puts before it; without the line it is the runtime's own.

    It asks for plans, and for the answer when no step is left.
    """
    value = message.text.value
    if message.role != "user" or not isinstance(value, str):
        return message
    if not value.startswith(_TASK):
        return replace(message, role="system")
    return replace(message, text=replaced(message.text, value.removeprefix(_TASK)))


DIALECT: Final[Dialect] = replace(
    openinference.DIALECT,
    name="openinference-smolagents",
    title="OpenInference on smolagents",
    role=role,
    agent=agent,
    model=model,
    step=step,
    nested=nested,
    runtimes=(
        Runtime(
            title="smolagents (OpenInference)",
            scope="",
            versions=("smolagents 1.26.0 with openinference-instrumentation-smolagents 0.1.43",),
            recognised="Agents as turns, also one that a step calls; model calls, tool calls, the programs of steps.",
            failure="Status error with an exception event; an error in the observation of a step.",
            limits=(
                "No call has an id.",
                "The exit of a step's program is not recorded: it runs in the agent's process.",
            ),
        ),
    ),
)
