"""Claude Code's events: a call's arguments and success, the question, and what the model said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from otel_footprint.dialects._base import Message, ModelFacts, ToolFacts
from otel_footprint.dialects.claude_code import SCOPE
from otel_footprint.dialects.content import structured
from otel_footprint.dialects.logs._base import LogDialect, Names, log_content, log_text, milliseconds, says_no
from otel_footprint.facts import Content, Pointer
from otel_footprint.logview import LogView

_PREFIX: Final = "claude_code."
_BY_A_RULE: Final = frozenset({"config", "hook"})


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
        error_text=log_content(view, "error", where) if failed else Content(),
    )


def _arguments(view: LogView, where: Pointer) -> Content:
    """``tool_input`` is what the tool got; of ``tool_parameters`` only the shell's command is an argument."""
    given = structured(log_content(view, "tool_input", where))
    if given.state != "absent":
        return given
    told = structured(log_content(view, "tool_parameters", where))
    value = told.value
    if not isinstance(value, dict) or not isinstance(value.get("full_command"), str):
        return Content()
    return Content(state="recorded", value={"command": value["full_command"]}, pointer=told.pointer, where="log")


def models(records: Sequence[tuple[LogView, Pointer]]) -> ModelFacts:
    """What the model said in one request; the calls that it asked for are not in it."""
    said = (log_content(view, "response", where) for view, where in records)
    return ModelFacts(output=tuple(Message(role="assistant", text=text) for text in said if text.state != "absent"))


def question(view: LogView, where: Pointer) -> Content:
    """What the person said; kept out unless switched on."""
    return log_content(view, "prompt", where)


DIALECT: Final = LogDialect(name="claude-code", names=names, tool=tool, models=models, question=question)
