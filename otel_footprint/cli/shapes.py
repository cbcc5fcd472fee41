"""Proposed declarations, as a configuration that can be given to ``--config`` and as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from otel_footprint.files.shapes import CallShape, Found, Lists, ResultShape, Shapes
from otel_footprint.writers.redact import redact_id

MAX_CHOICES: Final = 8
"""Keys or arguments that are listed of one tool; the rest is counted."""

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_UNSEEN: Final = re.compile("[\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""What JSON leaves as it is and TOML forbids, or what changes how a line is shown."""


def as_toml(shapes: Shapes) -> str:
    """The proposals as a configuration; what a person has to choose stands there as comments."""
    counted = f"{_many(shapes.calls, 'call')} of {_many(shapes.tools, 'tool')}"
    lines = [
        f"# Proposed by otel-footprint shapes, from what is recorded of {counted}.",
        "# Keep what is right, and give the file to --config.",
    ]
    if shapes.left_out:
        lines.append(f"# Not looked at: {_many(shapes.left_out, 'call')} of unnamed tools or past the bound of tools.")
    results = [shape for shape in shapes.results() if _can_be_written(shape.tool)]
    programs = [shape for shape in shapes.programs() if _can_be_written(shape.tool)]
    unwritten = len(shapes.results()) + len(shapes.programs()) - len(results) - len(programs)
    if unwritten:
        lines.append(f"# Left out, because the name looks like a secret or is no valid text: {unwritten}.")
    if results:
        lines += ["", "# The key of an object result that holds its rows.", "[rows_at]"]
        lines += [line for shape in results for line in _rows_at(shape)]
    if programs:
        lines += ["", "# Tools that run programs, and the argument that holds the program."]
        lines += [line for shape in programs for line in _code_tool(shape)]
    if not results and not programs:
        lines.append("# There is nothing to declare.")
    return "\n".join(lines)


def as_json(shapes: Shapes) -> str:
    """The counts and the proposals as one JSON object; ``config`` holds the settings that are proposed."""
    results = [shape for shape in shapes.results() if _can_be_written(shape.tool)]
    programs = [shape for shape in shapes.programs() if _can_be_written(shape.tool)]
    value = {
        "calls": shapes.calls,
        "tools": shapes.tools,
        "left_out": shapes.left_out,
        "unwritten": len(shapes.results()) + len(shapes.programs()) - len(results) - len(programs),
        "rows_at": [
            {
                "tool": shape.tool,
                "results": shape.results,
                "lists": [
                    {"key": one.key, "results": one.results, "empty": one.empty} for one in _writable(shape.lists)
                ],
            }
            for shape in results
        ],
        "code_tools": [
            {
                "tool": shape.tool,
                "calls": shape.calls,
                "results_with_exit_code": shape.results,
                "declared": shape.declared,
                "arguments": [{"name": one.name, "calls": one.calls} for one in _writable(shape.arguments)],
                "exit_codes_at": [{"path": one.name, "results": one.calls} for one in _writable(shape.exits)],
            }
            for shape in programs
        ],
        "config": {
            "rows_at": {shape.tool: key for shape in results if (key := _proposed(shape.rows_at)) is not None},
            "code_tools": {shape.tool: dict(fields) for shape in programs if (fields := _fields(shape))},
        },
    }
    return json.dumps(value, ensure_ascii=False)


def _rows_at(shape: ResultShape) -> Iterator[str]:
    key = _proposed(shape.rows_at)
    if key is not None:
        (found,) = shape.lists
        yield f"# {_list_in(found, shape)}"
        yield f"{_key(shape.tool)} = {_text(key)}"
    elif not shape.lists:
        yield f"# {_key(shape.tool)}: {_many(shape.results, 'object result')}, and no key holds a list"
    else:
        yield f"# {_key(shape.tool)}: choose one"
        for found in _writable(shape.lists)[:MAX_CHOICES]:
            yield f"# {_key(shape.tool)} = {_text(found.key)}  # {_list_in(found, shape)}"
        yield from _more(shape.lists)


def _list_in(found: Lists, shape: ResultShape) -> str:
    return f"a list in {found.results} of {_many(shape.results, 'object result')}, empty in {found.empty}"


def _code_tool(shape: CallShape) -> Iterator[str]:
    fields = _fields(shape)
    mark = "" if fields else "# "
    yield ""
    yield f"# {_many(shape.calls, 'call')}; exit codes in {_many(shape.results, 'result')}" + (
        "" if fields else ": choose, if it runs programs"
    )
    yield f"{mark}[code_tools.{_key(shape.tool)}]"
    for found in _writable(shape.arguments)[:MAX_CHOICES]:
        yield f"{mark}argument = {_text(found.name)}  # a text in {found.calls} of {_many(shape.calls, 'call')}"
    yield from _more(shape.arguments)
    chosen = "exit_code_at" in fields
    for found in _writable(shape.exits)[:MAX_CHOICES]:
        line = f"exit_code_at = {_text(found.name)}  # in {_many(found.calls, 'result')}"
        yield line if chosen else f"# {line}"
    yield from _more(shape.exits)
    if shape.language is not None:
        yield f"{mark}language = {_text(shape.language)}"
    else:
        yield '# language = "bash"'


def _fields(shape: CallShape) -> Mapping[str, str]:
    """What is proposed of a tool; empty when a person has to choose first."""
    argument, exit_code_at = _proposed(shape.argument), _proposed(shape.exit_code_at)
    if argument is None or (shape.declared and exit_code_at is None):
        return {}
    found = {"argument": argument, "exit_code_at": exit_code_at, "language": shape.language}
    return {name: value for name, value in found.items() if value is not None}


def _proposed(name: str | None) -> str | None:
    return name if name is not None and _can_be_written(name) else None


def _writable(found: Iterable[Any]) -> list[Any]:
    return [one for one in found if _can_be_written(one.key if isinstance(one, Lists) else one.name)]


def _more(found: Iterable[Lists | Found]) -> Iterator[str]:
    left = len(list(found)) - min(len(_writable(found)), MAX_CHOICES)
    if left:
        yield f"# and {left} more"


def _can_be_written(name: str) -> bool:
    """A name must be written as it is or not at all: as TOML can hold it, and with no secret in it."""
    return not _SURROGATE.search(name) and redact_id(name) == name


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(value: str) -> str:
    """A basic string of TOML: JSON's, with what that leaves unescaped and TOML forbids."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" + "s" * (count != 1)
