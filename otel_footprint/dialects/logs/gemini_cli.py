"""Gemini CLI's events: a call's arguments, success and exit code, and what the person said.

The record of a call has no call id; it is emitted in the span around its batch. The messages of a request are in the
GenAI convention's own event, which the generic reader takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from otel_footprint.dialects._base import ToolFacts
from otel_footprint.dialects.content import structured, whole_number
from otel_footprint.dialects.logs._base import (
    LogDialect,
    Names,
    log_content,
    log_text,
    milliseconds,
    no_models,
    says_no,
)
from otel_footprint.facts import Content, Pointer
from otel_footprint.logview import LogView

_CALL: Final = "gemini_cli.tool_call"
_PROMPT: Final = "gemini_cli.user_prompt"


def names(view: LogView) -> Names | None:
    """By event."""
    conversation, prompt = log_text(view, "session.id"), log_text(view, "prompt_id")
    if view.name == _PROMPT:
        return Names(kind="question", conversation=conversation, prompt=prompt)
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
        error_text=log_content(view, "error", where) if failed else Content(),
    )
    if view.get("decision") == "reject":
        facts = replace(facts, stopped="declined", stopped_pointer=f"{where}/decision")
    data = structured(log_content(view, "metadata", where)).value
    code = data.get("exitCode") if isinstance(data, Mapping) else None
    if not whole_number(code):
        return facts
    return replace(facts, exit_code=code, exit_pointer=f"{where}/metadata/exitCode", exit_from="result")


def question(view: LogView, where: Pointer) -> Content:
    """What the person said."""
    return log_content(view, "prompt", where)


DIALECT: Final = LogDialect(name="gemini_cli", names=names, tool=tool, models=no_models, question=question)
