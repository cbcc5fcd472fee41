"""Codex CLI's events: the arguments and outputs of its calls, and what the person said.

``codex.tool_result`` is the call as Codex documents it. Its ``success`` says that the tool gave an output; a shell's
exit code is in the output's text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from otel_footprint.dialects._base import ToolFacts
from otel_footprint.dialects.content import replaced, says_no, structured, tool_result, whole_number
from otel_footprint.dialects.logs._base import (
    LogDialect,
    Names,
    log_content,
    log_text,
    milliseconds,
    no_models,
)
from otel_footprint.facts import ABSENT, Content, Pointer
from otel_footprint.logview import LogView

_RESULT: Final = "codex.tool_result"
_DECISION: Final = "codex.tool_decision"
_PROMPT: Final = "codex.user_prompt"
_DENIED: Final = ("denied", "abort", "timed_out")
_BY_A_RULE: Final = "config"


def names(view: LogView) -> Names | None:
    """By event; a decision counts where it kept the call from running."""
    name, conversation = view.name, log_text(view, "conversation.id")
    if name == _PROMPT:
        return Names(kind="question", conversation=conversation)
    if name == _RESULT or (name == _DECISION and view.get("decision") in _DENIED):
        return Names(
            kind="tool",
            call_id=log_text(view, "call_id"),
            tool=log_text(view, "tool_name"),
            conversation=conversation,
            is_call=name == _RESULT,
            duration_ns=milliseconds(view.get("duration_ms")),
        )
    return None


def tool(view: LogView, where: Pointer) -> ToolFacts:
    """A call's end, or the decision that kept it from running."""
    named = log_text(view, "tool_name")
    if view.name == _DECISION:
        by_rule = str(view.get("source")).lower() == _BY_A_RULE
        return ToolFacts(tool=named, stopped="refused" if by_rule else "declined", stopped_pointer=f"{where}/decision")
    result = log_content(view, "output", where)
    if view.get("output_truncated") is True and result.recorded:
        result = Content(state="cut", pointer=result.pointer, where=result.where)
    code, at, result = _enveloped(result)
    return ToolFacts(
        tool=named,
        call_id=log_text(view, "call_id"),
        arguments=structured(log_content(view, "arguments", where)),
        result=tool_result(result),
        failed=f"{where}/success" if says_no(view.get("success")) else None,
        error_text=log_content(view, "output", where) if says_no(view.get("success")) else ABSENT,
        exit_code=code,
        exit_pointer=at,
        exit_from="result",
    )


def _enveloped(result: Content) -> tuple[Any, Pointer | None, Content]:
    """Exit code, its place and the output out of ``{"output", "metadata": {"exit_code"}}``, an older shell's form."""
    value = structured(result).value
    metadata = value.get("metadata") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(metadata, Mapping) or not isinstance(value.get("output"), str):
        return None, None, result
    code = metadata.get("exit_code")
    at = f"{result.pointer}/metadata/exit_code" if whole_number(code) else None
    return (code if at else None), at, replaced(result, value["output"], "/output")


def question(view: LogView, where: Pointer) -> Content:
    """What the person said; kept out unless switched on."""
    return log_content(view, "prompt", where)


DIALECT: Final = LogDialect(
    name="codex", names=names, tool=tool, models=no_models, question=question, marks=("codex.",)
)
