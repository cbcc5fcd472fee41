"""What real traces show of tools that nobody declared: lists in their results, programs in their arguments.

It is counted, not concluded: what comes out is a proposal, which a person accepts by putting it into a configuration.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from otel_footprint.catalogue import EXIT_KEYS, exit_from_object
from otel_footprint.config import is_rows_key
from otel_footprint.facts import Content, ToolCall, Turn
from otel_footprint.fold.readings import reading_of
from otel_footprint.fold.strictjson import NotJsonError, read_json

MAX_TOOLS: Final = 1_000
"""Tools that are looked at; calls of further ones are counted."""
MAX_KEYS: Final = 200
"""Keys of one tool's results or arguments that are counted; results keyed by ids have new ones in each."""

PROGRAM_ARGUMENTS: Final = frozenset({"cmd", "code", "command", "commands", "js", "python_code", "script"})
"""Names of arguments that nearly always hold a program."""

_LEDGER: Final = "result"
"""Where the envelope of a ledger keeps the result that it is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lists:
    """A key of a tool's object results under which a list was found."""

    key: str
    results: int
    """In how many results."""
    empty: int
    """In how many of them the list was empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An argument that holds a program, or a path to an exit code, and in how many calls it was there."""

    name: str
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultShape:
    """The object results of a tool whose rows nobody declared."""

    tool: str
    results: int
    """Object results of calls that ran."""
    lists: tuple[Lists, ...]
    """Most results first, then by key; empty when no key holds a list."""

    @property
    def rows_at(self) -> str | None:
        """The key to propose; ``None`` when there is none, or more than one to choose from."""
        return self.lists[0].key if len(self.lists) == 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallShape:
    """The calls of a tool that seems to run programs, or whose exit codes are not found where the tool has them."""

    tool: str
    calls: int
    """Calls with recorded arguments."""
    arguments: tuple[Found, ...]
    """Texts that may be the program, most calls first, then by name."""
    exits: tuple[Found, ...]
    """Keys of the results, joined by ``/``, under which an exit code was found that is not read as things are."""
    results: int
    """Results with an exit code, whether it is read as things are or under one of :attr:`exits`."""
    language: str | None
    """The declared language, which a new declaration must repeat; ``None`` when there is none."""
    declared: bool
    """The shipped catalogue declares the tool already."""

    @property
    def argument(self) -> str | None:
        """The argument to propose; ``None`` without an exit code in any result, or with several to choose from."""
        return self.arguments[0].name if self.results and len(self.arguments) == 1 else None

    @property
    def exit_code_at(self) -> str | None:
        """The path to propose; ``None`` when there is none, or more than one to choose from."""
        return self.exits[0].name if len(self.exits) == 1 else None


@dataclass(slots=True)
class _Tool:
    """What was counted of one tool."""

    objects: int = 0
    lists: Counter[str] = field(default_factory=Counter)
    empty: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    arguments: Counter[str] = field(default_factory=Counter)
    exits: Counter[str] = field(default_factory=Counter)
    exit_codes: int = 0
    language: str | None = None
    declared: str | None = None
    settled: bool = False
    """Its span or the configuration declares it to run programs."""


class Shapes:
    """Counts the shapes of the calls of turns; bounded, whatever the tools return."""

    def __init__(self) -> None:
        self._tools: dict[str, _Tool] = {}
        self.calls = 0
        """Calls that were looked at."""
        self.left_out = 0
        """Calls of tools past :data:`MAX_TOOLS`, and calls whose tool is not named."""

    @property
    def tools(self) -> int:
        """Tools that were looked at."""
        return len(self._tools)

    def add(self, turn: Turn) -> None:
        """Look at the calls of a turn."""
        for call in turn.calls:
            if call.tool is None or (call.tool not in self._tools and len(self._tools) >= MAX_TOOLS):
                self.left_out += 1
                continue
            self.calls += 1
            tool = self._tools.setdefault(call.tool, _Tool())
            result = _object(call.result) if call.outcome == "ran" and not call.presented else None
            if result is not None:
                _count_lists(tool, call, turn, result)
            _count_programs(tool, call, result)

    def results(self) -> tuple[ResultShape, ...]:
        """The tools with object results whose rows nobody declared, by name."""
        return tuple(
            ResultShape(
                tool=name,
                results=tool.objects,
                lists=tuple(
                    Lists(key=key, results=count, empty=tool.empty[key]) for key, count in _by_count(tool.lists)
                ),
            )
            for name, tool in sorted(self._tools.items())
            if tool.objects
        )

    def programs(self) -> tuple[CallShape, ...]:
        """By name: tools that seem to run programs and are not declared, and tools whose exit codes are not read."""
        return tuple(
            shape
            for name, tool in sorted(self._tools.items())
            if not tool.settled and (shape := _call_shape(name, tool)) is not None
        )


def _count_lists(tool: _Tool, call: ToolCall, turn: Turn, result: Mapping[str, Any]) -> None:
    reading = reading_of(call, turn)
    if reading is None or not reading.undeclared_shape:
        return
    tool.objects += 1
    for key in _keys(result):
        # What a declaration would lead to is asked of the rule that reads it.
        declared = reading_of(replace(call, rows_at=key), turn)
        if declared is not None and declared.rows is not None and _has_room(tool.lists, key):
            tool.lists[key] += 1
            tool.empty[key] += declared.rows == 0


def _keys(result: Mapping[str, Any]) -> list[str]:
    inner = result.get(_LEDGER)
    owners = (result, inner) if isinstance(inner, Mapping) else (result,)
    found = (key for owner in owners for key, value in owner.items() if isinstance(value, list) and is_rows_key(key))
    return list(dict.fromkeys(found))


def _count_programs(tool: _Tool, call: ToolCall, result: Mapping[str, Any] | None) -> None:
    run = call.code_run
    if run is not None and run.declared_by != "catalogue":
        tool.settled = True
        return
    if run is not None:
        tool.declared = run.argument
        tool.language = tool.language or run.language
    arguments = call.arguments.value if call.arguments.recorded else None
    if isinstance(arguments, Mapping):
        tool.calls += 1
        for name, value in arguments.items():
            if _is_text(value) and _has_room(tool.arguments, name):
                tool.arguments[name] += 1
    if result is None or (run is not None and run.exit_code_from is not None):
        return
    if run is None and exit_from_object(result) is not None:
        tool.exit_codes += 1
        return
    paths = list(_exit_paths(result))
    tool.exit_codes += bool(paths)
    for path in paths:
        if _has_room(tool.exits, path):
            tool.exits[path] += 1


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (
        isinstance(value, list) and bool(value) and all(isinstance(part, str) for part in value)
    )


def _exit_paths(result: Mapping[str, Any]) -> Iterator[str]:
    """Where an object keeps an exit code: at its top, or one level down."""
    yield from _exit_keys(result)
    for key, inner in result.items():
        if isinstance(inner, Mapping) and "/" not in key:
            yield from (f"{key}/{found}" for found in _exit_keys(inner))


def _exit_keys(owner: Mapping[str, Any]) -> Iterable[str]:
    return (key for key in EXIT_KEYS if isinstance(owner.get(key), int) and not isinstance(owner[key], bool))


def _call_shape(name: str, tool: _Tool) -> CallShape | None:
    if tool.declared is not None:
        # What is missing is only where its exit codes are.
        if not tool.exits:
            return None
        arguments = {tool.declared: tool.arguments[tool.declared]}
    else:
        named = {key: count for key, count in tool.arguments.items() if key in PROGRAM_ARGUMENTS}
        arguments = named or (dict(tool.arguments) if tool.exit_codes else {})
        if not arguments:
            return None
    return CallShape(
        tool=name,
        calls=tool.calls,
        arguments=tuple(Found(name=key, calls=count) for key, count in _by_count(arguments)),
        exits=tuple(Found(name=key, calls=count) for key, count in _by_count(tool.exits)),
        results=tool.exit_codes,
        language=tool.language,
        declared=tool.declared is not None,
    )


def _by_count(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))


def _has_room(counts: Mapping[str, int], key: Any) -> bool:
    return isinstance(key, str) and (key in counts or len(counts) < MAX_KEYS)


def _object(content: Content) -> Mapping[str, Any] | None:
    """The object that a result is or spells; ``None`` for any other."""
    value = content.spelled if content.recorded else None
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        try:
            value = read_json(value)
        except NotJsonError:
            return None
    return value if isinstance(value, Mapping) else None
