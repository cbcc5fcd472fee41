"""What is recorded of one call to a code-running tool: its program and its process's exit code."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal

from otel_footprint.catalogue import (
    EXIT_KEYS,
    CodeToolEntry,
    ExitReading,
    exit_from_mapping,
    exit_from_object,
    exit_from_text,
    shipped_entry,
)
from otel_footprint.config import Config
from otel_footprint.dialects import Responded, ToolFacts
from otel_footprint.dialects.content import MALFORMED, content_of, escape, parse_json, parse_printed
from otel_footprint.dialects.native import NativeTool
from otel_footprint.facts import ABSENT, CodeRun, Content, DeclaredBy, Pointer

_COMMAND_LINES = "commands"
"""An argument of this name holds whole command lines, one an element; any other list is one argv."""


@dataclass(frozen=True, slots=True)
class _Exit:
    code: Any = None
    source: Literal["attribute", "result", "text", "mapping"] | None = None
    pointer: Pointer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """All that is recorded of one call, from its span and from its model calls."""

    facts: ToolFacts
    own: NativeTool = field(default_factory=NativeTool)
    asked: Content = ABSENT
    """The arguments as the model asked for them."""
    read: Responded | None = None
    """The result as the model read it."""
    result: Content = ABSENT
    """The one of the two results that is judged."""


def code_run_of(record: CallRecord, config: Config) -> CodeRun | None:
    """The code run of a call, or ``None`` when nothing declares its tool to be code-running."""
    facts, own, asked = record.facts, record.own, record.asked
    known = asked if asked.recorded and (facts.bare or not facts.arguments.recorded) else facts.arguments
    entry = _entry(facts.tool, known, config)
    declared = _declaration(own, entry, known)
    if declared is None:
        return None
    argument, declared_by = declared
    submitted, is_list = _program(facts.arguments, argument, bare=facts.bare)
    proposed, proposed_is_list = _program(asked, argument, bare=False)
    if own.program.state != "absent":
        submitted, is_list = own.program, False
    found = _exit(record, entry, config)
    return CodeRun(
        argument=argument,
        declared_by=declared_by,
        language=own.language or _argument_language(known) or (entry.language if entry is not None else None),
        proposed=proposed if own.proposed.state in {"absent", "unreadable"} else own.proposed,
        submitted=submitted,
        argument_is_list=is_list or (not submitted.recorded and proposed_is_list),
        exit_code=found.code,
        exit_code_from=found.source,
        exit_code_pointer=found.pointer,
        ok=own.ok,
        service_error=own.service_error,
        paused=own.paused,
        result_withheld=own.result_withheld,
    )


def _entry(tool: str | None, arguments: Content, config: Config) -> CodeToolEntry | None:
    """The user's declaration of a tool, else the shipped one where the recorded arguments agree with it."""
    if tool is None:
        return None
    declared = config.code_tools.get(tool)
    if declared is not None:
        return CodeToolEntry(
            arguments=(declared.argument,),
            language=declared.language,
            exit_code_at=declared.exit_code_at,
            declared_by="user",
        )
    entry = shipped_entry(tool)
    if entry is None:
        return None
    names = arguments.value if arguments.recorded and isinstance(arguments.value, Mapping) else None
    if names is not None and not any(_is_program(names.get(name)) for name in entry.arguments):
        return None
    return None if names is None and entry.needs_arguments else entry


def _declaration(own: NativeTool, entry: CodeToolEntry | None, known: Content) -> tuple[str, DeclaredBy] | None:
    """The argument that holds the program, and who says so: the span, then the user, then the catalogue."""
    if own.argument is not None:
        return own.argument, "span"
    if entry is None:
        return None
    if known.recorded and isinstance(known.value, Mapping):
        for name in entry.arguments:
            if _is_program(known.value.get(name)):
                return name, entry.declared_by
    return entry.arguments[0], entry.declared_by


def _is_program(value: Any) -> bool:
    return isinstance(value, str) or (
        isinstance(value, list | tuple) and bool(value) and all(isinstance(v, str) for v in value)
    )


def _program(arguments: Content, argument: str, *, bare: bool) -> tuple[Content, bool]:
    """The program inside a call's arguments; true with it when it was recorded as a list of strings."""
    if not arguments.recorded:
        return arguments, False
    if bare:
        return arguments, False
    value = arguments.value
    if not isinstance(value, Mapping):
        # Text where an object is due: the only argument's bare value, or arguments that cannot be read.
        return (Content(state="unreadable", pointer=arguments.pointer, where=arguments.where), False)
    if argument not in value:
        return ABSENT, False
    found = value[argument]
    where = f"{arguments.pointer}/{escape(argument)}"
    if isinstance(found, list | tuple) and found and all(isinstance(part, str) for part in found):
        return content_of(_joined(argument, list(found)), where, arguments.where), True
    return content_of(found, where, arguments.where), False


def _joined(argument: str, parts: list[str]) -> str:
    """A list of strings as a shell would show it: command lines as lines, an argv quoted."""
    if len(parts) == 1:
        return parts[0]
    return "\n".join(parts) if argument == _COMMAND_LINES else shlex.join(parts)


def _argument_language(arguments: Content) -> str | None:
    value = arguments.value.get("language") if isinstance(arguments.value, Mapping) else None
    return value if isinstance(value, str) and value else None


def _exit(record: CallRecord, entry: CodeToolEntry | None, config: Config) -> _Exit:
    """The first documented exit code: attribute, user's mapping, object result, text format, raw item."""
    facts, own, read, result = record.facts, record.own, record.read, record.result
    if own.exit_pointer is not None:
        return _Exit(own.exit_code, "attribute", own.exit_pointer)
    if facts.exit_pointer is not None and facts.exit_from == "attribute":
        return _Exit(facts.exit_code, "attribute", facts.exit_pointer)
    if config.exit_codes == "attributes-only":
        return _Exit()
    if entry is not None and entry.exit_code_at is not None:
        return _first(_mapped(content, entry.exit_code_at) for content in (facts.result, result))
    if facts.exit_pointer is not None:
        return _Exit(facts.exit_code, "result", facts.exit_pointer)
    results = (facts.result,) if facts.result == result else (facts.result, result)
    raw = _Exit(read.exit_code, "result", read.exit_pointer) if read is not None and read.exit_pointer else None
    objects = (
        _at(exit_from_object(_object(content)), content) for content in (*results, facts.beside) if _names_exit(content)
    )
    texts = (
        _at(_text_exit(facts.tool or "", content, where), content)
        for content, where in (*((content, "result") for content in results), (facts.error_text, "error"))
    )
    return _first(chain(objects, texts, (raw,)))


def _names_exit(content: Content) -> bool:
    """Whether a text can be an object with an exit code at all; spares most texts the decoding."""
    return not isinstance(content.value, str) or any(key in content.value for key in EXIT_KEYS)


def _first(found: Any) -> _Exit:
    return next((exit_ for exit_ in found if exit_ is not None), _Exit())


def _mapped(content: Content, at: str) -> _Exit | None:
    return _at(exit_from_mapping(_object(content), at), content)


def _at(reading: ExitReading | None, content: Content) -> _Exit | None:
    return None if reading is None else _Exit(reading.code, reading.source, f"{content.pointer}{reading.path}")


def _object(content: Content) -> Any:
    """The object behind a result, also where it is recorded as JSON text or as printed Python."""
    value = content.spelled if content.recorded else None
    if isinstance(value, str):
        text = value if value.lstrip().startswith("{") else ""
        value = parse_json(text)
        value = parse_printed(text) if value is MALFORMED else value
    return value if value is not MALFORMED else None


def _text_exit(tool: str, content: Content, where: Any) -> ExitReading | None:
    if not content.recorded or not isinstance(content.value, str):
        return None
    return exit_from_text(tool, content.value, where)
