"""Claude Code's events: a call's arguments and success, the question, what the model said, and the raw requests.

Only the raw bodies have the results as the model read them; in these a failed shell's text begins with its exit code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from otel_footprint.dialects._base import Message, ModelFacts, ToolFacts
from otel_footprint.dialects._messages import any_content, list_of, message_of
from otel_footprint.dialects.claude_code import SCOPE
from otel_footprint.dialects.content import content_of, replaced, says_no, structured
from otel_footprint.dialects.logs._base import LogDialect, Names, log_content, log_text, milliseconds
from otel_footprint.facts import ABSENT, Content, Pointer
from otel_footprint.logview import LogView

_PREFIX: Final = "claude_code."
_REQUEST: Final = "api_request_body"
_RESPONSE: Final = "api_response_body"
_REMINDER: Final = ("<system-reminder>", "</system-reminder>")
"""What the runtime puts around its own words in a person's message."""
_BY_A_RULE: Final = ("config", "hook")


def names(view: LogView) -> Names | None:
    """By event, whose name has no prefix in newer versions; a decision counts where it kept the call from running."""
    name = view.name
    if not (view.scope_name.startswith(SCOPE) or name.startswith(_PREFIX)):
        return None
    event = name.removeprefix(_PREFIX)
    conversation, prompt = log_text(view, "session.id"), log_text(view, "prompt.id")
    if event == "user_prompt":
        return Names(kind="question", conversation=conversation, prompt=prompt)
    if event == "assistant_response":
        return Names(kind="model", request=log_text(view, "request_id"), conversation=conversation, prompt=prompt)
    if event in {_REQUEST, _RESPONSE}:
        return Names(kind="model", request=log_text(view, "request_id"), conversation=conversation, prompt=prompt)
    if event == "tool_result" or (event == "tool_decision" and view.get("decision") == "reject"):
        return Names(
            kind="tool",
            call_id=log_text(view, "tool_use_id"),
            tool=log_text(view, "tool_name"),
            conversation=conversation,
            prompt=prompt,
            duration_ns=milliseconds(view.get("duration_ms")),
        )
    return None


def tool(view: LogView, where: Pointer) -> ToolFacts:
    """A call's end, or the decision that kept it from running."""
    named = log_text(view, "tool_name")
    if view.get("decision") == "reject":
        by_rule = view.get("source") in _BY_A_RULE
        return ToolFacts(tool=named, stopped="refused" if by_rule else "declined", stopped_pointer=f"{where}/decision")
    failed = says_no(view.get("success"))
    return ToolFacts(
        tool=named,
        call_id=log_text(view, "tool_use_id"),
        arguments=_arguments(view, where),
        failed=f"{where}/success" if failed else None,
        error_text=log_content(view, "error", where) if failed else ABSENT,
    )


def _arguments(view: LogView, where: Pointer) -> Content:
    """``tool_input`` is what the tool got; of ``tool_parameters`` only the shell's command is an argument."""
    given = structured(log_content(view, "tool_input", where))
    if given.state != "absent":
        return given
    told = structured(log_content(view, "tool_parameters", where))
    value = told.value
    if not isinstance(value, dict) or not isinstance(value.get("full_command"), str):
        return ABSENT
    return Content(state="recorded", value={"command": value["full_command"]}, pointer=told.pointer, where="log")


def models(records: Sequence[tuple[LogView, Pointer]]) -> ModelFacts:
    """What the model was given and said in one request; without the raw bodies only the text that it said."""
    inputs: tuple[Message, ...] = ()
    instructions: tuple[Content, ...] = ()
    outputs: tuple[Message, ...] = ()
    said: list[Message] = []
    for view, where in records:
        event = view.name.removeprefix(_PREFIX)
        body = structured(log_content(view, "body", where))
        if event == _REQUEST and isinstance(body.value, Mapping):
            inputs = tuple(_messages(body)) or inputs
            instructions = tuple(_system(body)) or instructions
        elif event == _RESPONSE and isinstance(body.value, Mapping):
            outputs = (message_of(body.value, body.pointer or ""),)
        elif event == "assistant_response":
            said.append(Message(role="assistant", text=log_content(view, "response", where)))
    return ModelFacts(
        input=inputs,
        output=outputs or tuple(message for message in said if message.text.state != "absent"),
        input_recorded=any_content(inputs),
        instructions=instructions,
    )


def _messages(body: Content) -> Iterator[Message]:
    found = body.value.get("messages")
    for item, at in list_of(replaced(body, found, "/messages")):
        content = item.get("content")
        if item.get("role") == "user" and isinstance(content, list):
            # What is taken out must not move what is behind it.
            kept = [None if _is_reminder(block) else block for block in content]
            yield from (
                Message(role="system", text=content_of(block["text"], f"{at}/content/{index}/text", "messages"))
                for index, block in enumerate(content)
                if _is_reminder(block)
            )
            if any(block is not None for block in kept):
                yield message_of({**item, "content": kept}, at)
        else:
            yield message_of(item, at)


def _is_reminder(block: Any) -> bool:
    text = block.get("text") if isinstance(block, Mapping) else None
    return isinstance(text, str) and text.strip().startswith(_REMINDER[0]) and text.strip().endswith(_REMINDER[1])


def _system(body: Content) -> Iterator[Content]:
    system = body.value.get("system")
    if isinstance(system, str):
        yield replaced(body, system, "/system")
    for index, block in enumerate(system if isinstance(system, list) else ()):
        if isinstance(block, Mapping) and isinstance(block.get("text"), str):
            yield replaced(body, block["text"], f"/system/{index}/text")


def question(view: LogView, where: Pointer) -> Content:
    """What the person said; kept out unless switched on."""
    return log_content(view, "prompt", where)


DIALECT: Final = LogDialect(
    name="claude-code", names=names, tool=tool, models=models, question=question, marks=(SCOPE, _PREFIX)
)
