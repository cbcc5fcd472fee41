"""What is known of tools: which run programs, which argument holds the program, where an exit code stands.

A tool is *declared* code-running by its own span, else by the user's configuration, else by the shipped
list ``tools.toml``; it is never guessed from a result. Exit codes are read from a format that a known tool
documents or, for a code-running tool, from an object with an integer exit code beside its output; there is
no free search for digits.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, Final, Literal

_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PREFIX: Final = re.compile(r"^(?:functions\.|mcp__[^_].*?__|(?=[^-]+-)(?:[A-Za-z0-9]+)-(?=[A-Za-z_]+$))")
EXIT_KEYS: Final = ("exit_code", "exitCode", "returncode", "return_code")
"""Keys of an object result that hold a process's exit code."""
_BESIDE: Final = ("stdout", "stderr", "output")
_MAX_DIGITS: Final = 19
"""Longer digit runs are no exit code (and slow to convert)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeToolEntry:
    """One declared code-running tool."""

    arguments: tuple[str, ...]
    """Where the program may be, in order of preference; never empty."""
    language: str | None = None
    exit_code_at: str | None = None
    """The user's mapping: keys of an object result joined by ``/``."""
    needs_arguments: bool = False
    """The name alone declares nothing: one of :attr:`arguments` must be recorded."""
    declared_by: Literal["user", "catalogue"] = "catalogue"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitText:
    """A text format in which a known tool documents its exit code."""

    tools: frozenset[str]
    where: tuple[str, ...]
    line: Literal["first", "last", "any"]
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitReading:
    """An exit code that a result or a text documents."""

    code: Any
    """As recorded; validated by the label rule."""
    source: Literal["result", "text", "mapping"]
    path: str
    """JSON pointer inside the result; empty for a text."""


@dataclass(frozen=True, slots=True)
class _Names:
    exact: Mapping[str, CodeToolEntry]
    prefixes: tuple[tuple[tuple[str, ...], CodeToolEntry], ...]


def name_words(tool: str) -> tuple[str, ...]:
    """The words of a tool's name: ``runPython``, ``Run-Python`` and ``run_python`` are the same."""
    return tuple(w for w in re.split(r"[^A-Za-z0-9]+", _HUMP.sub("_", tool)) if w)


def _key(tool: str) -> str:
    return "".join(name_words(tool)).lower()


@lru_cache(maxsize=1)
def _shipped() -> tuple[_Names, tuple[ExitText, ...]]:
    data = tomllib.loads(resources.files(__package__).joinpath("tools.toml").read_text(encoding="utf-8"))
    exact: dict[str, CodeToolEntry] = {}
    prefixes: list[tuple[tuple[str, ...], CodeToolEntry]] = []
    for row in data["tool"]:
        entry = CodeToolEntry(
            arguments=tuple(row["arguments"]),
            language=row.get("language"),
            needs_arguments=row.get("needs_arguments", False),
        )
        for name in row["names"]:
            exact[_key(name)] = entry
            if row.get("prefix"):
                prefixes.append((tuple(w.lower() for w in name_words(name)), entry))
    texts = tuple(
        ExitText(
            tools=frozenset(_key(name) for name in row["tools"]),
            where=tuple(row["in"]),
            line=row["line"],
            pattern=re.compile(row["pattern"]),
        )
        for row in data["exit_text"]
    )
    return _Names(exact, tuple(prefixes)), texts


@lru_cache(maxsize=4096)
def shipped_entry(tool: str) -> CodeToolEntry | None:
    """The shipped declaration of ``tool``, by its name; ``None`` when it declares none."""
    names, _ = _shipped()
    for name in (tool, _PREFIX.sub("", tool)):
        entry = names.exact.get(_key(name))
        if entry is not None:
            return entry
        words = tuple(w.lower() for w in name_words(name))
        for prefix, prefixed in names.prefixes:
            if words[: len(prefix)] == prefix:
                return prefixed
    return None


def exit_from_object(value: Any) -> ExitReading | None:
    """The integer exit code of a code-running tool's object result that also holds the program's output."""
    if not isinstance(value, Mapping) or not any(key in value for key in _BESIDE):
        return None
    for key in EXIT_KEYS:
        code = value.get(key)
        if isinstance(code, int) and not isinstance(code, bool):
            return ExitReading(code=code, source="result", path=f"/{key}")
    return None


def exit_from_mapping(value: Any, at: str) -> ExitReading | None:
    """The exit code where the user says it is: keys joined by ``/``; ``None`` when nothing is there."""
    found: Any = value
    for key in at.split("/"):
        if not isinstance(found, Mapping) or key not in found:
            return None
        found = found[key]
    return ExitReading(code=found, source="mapping", path="/" + at.replace("~", "~0"))


def exit_from_text(tool: str, text: str, where: Literal["result", "error"]) -> ExitReading | None:
    """The exit code in a text format that ``tool`` documents; ``None`` when the text holds none."""
    for form in _exit_forms(tool):
        if where in form.where:
            for line in _lines(text, form.line):
                match = form.pattern.fullmatch(line)
                if match and len(match.group(1)) <= _MAX_DIGITS:
                    return ExitReading(code=int(match.group(1)), source="text", path="")
    return None


@lru_cache(maxsize=4096)
def _exit_forms(tool: str) -> tuple[ExitText, ...]:
    _, texts = _shipped()
    keys = {_key(tool), _key(_PREFIX.sub("", tool))}
    return tuple(form for form in texts if keys & form.tools)


def _lines(text: str, which: Literal["first", "last", "any"]) -> Iterable[str]:
    """The lines that may hold the code, without the space around them; blank lines do not count."""
    text = text.strip()
    if which == "first":
        return (text.split("\n", 1)[0].strip(),)
    if which == "last":
        return (text.rsplit("\n", 1)[-1].strip(),)
    return (line.strip() for line in text.split("\n"))
