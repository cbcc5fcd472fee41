"""One frozen settings object; validated when it is made, with where each value came from."""

from __future__ import annotations

import difflib
import math
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final, Literal, get_args

from otel_footprint import environment_variables as variables
from otel_footprint._errors import ConfigError
from otel_footprint.catalogue.exit_meanings import shipped_meanings

ExitCodes = Literal["catalogue", "attributes-only"]
RoutingRecord = Literal["none", "handoffs", "recorded"]

PRESET_NAMES: Final = ("jaeger", "tempo", "phoenix", "langfuse", "honeycomb")
WRITER_NAMES: Final = ("events", "attributes", "links", "child_span", "logs", "evaluation")
MAX_EVENTS: Final = 64
"""Events a turn, whatever else is said."""

DEFAULT: Final = "default"
"""The source of a value that nobody set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeTool:
    """The user's declaration of a code-running tool."""

    argument: str
    """The tool argument that holds the program."""
    language: str | None = None
    """Of the program, e.g. ``python``; ``None``: not known."""
    exit_code_at: str | None = None
    """Where an object result keeps the process's exit code: a key, or keys joined by ``/``."""

    def __post_init__(self) -> None:
        _check_text("argument", self.argument, "name the tool argument that holds the program")
        for name in ("language", "exit_code_at"):
            if getattr(self, name) is not None:
                _check_text(name, getattr(self, name), "give a text that is not blank, or leave it out")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Everything a person can set. Defaults are those of the design.

    Raises:
        ConfigError: a value is not one that its setting can have.
    """

    code_tools: Mapping[str, CodeTool] = field(default_factory=dict)
    """By tool name; wins over the shipped catalogue."""
    rows_at: Mapping[str, str] = field(default_factory=dict)
    """Tool name to the top-level key of its object result that holds the rows."""
    exit_meanings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Command to what its exit codes mean, each by the name of a meaning: ``{"mylint": {"1": "findings"}}``. Wins over
    the shipped list; the meanings are those of :mod:`otel_footprint.catalogue.exit_meanings`."""
    exit_codes: ExitCodes = "catalogue"
    """``attributes-only`` reads no exit code from results or texts."""
    routing: RoutingRecord | None = None
    """Overrides what each dialect says its runtime can record."""
    max_open_turns: int = 10_000
    """How many turns may be open at a time; the oldest beyond it is explained as incomplete."""
    max_bytes: int = 64 * 1024 * 1024
    """How many bytes open turns may take up together."""
    idle_seconds: float = 600.0
    """A turn without a span for so long is explained as incomplete."""
    hold_seconds: float = 0.0
    """How long an ended turn waits for late children. In process: 0."""
    writers: tuple[str, ...] = ("events", "attributes")
    """How the explanation is written: ``events``, ``attributes``, ``links``, ``child_span``, ``logs`` and
    ``evaluation``."""
    max_events: int = 32
    """Events a turn, 64 at the most; the rest is counted."""
    programs: bool = False
    """Write the programs' text. Off by default: it may hold secrets."""
    evidence: bool = True
    """Look the answer's names and numbers up in what tools returned."""
    evidence_minimum_digits: int = 4
    """Digits from which on a number is looked up."""
    evidence_shapes: tuple[str, ...] = ()
    """Shell patterns of further words that are looked up, e.g. ``INC*``."""
    evidence_exemptions: tuple[str, ...] = ()
    """Shell patterns of values that need no evidence."""
    matching: bool = True
    """Match the answer's code blocks against the programs of its turn."""
    account: bool = False
    """Give the seven-row account with each explanation."""
    preset: str | None = None
    """``jaeger``, ``tempo``, ``phoenix``, ``langfuse`` or ``honeycomb``: a named set of writer options."""
    evidence_links: bool = False
    """Link the turn's span to the spans that its evidence points to, as the writer ``links`` does."""
    sources: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Setting to where its value was read: a file's path or a variable's name. One that is missing
    has its default, or was given in code."""

    def __post_init__(self) -> None:
        _check_choice("exit_codes", self.exit_codes, get_args(ExitCodes))
        if self.routing is not None:
            _check_choice("routing", self.routing, get_args(RoutingRecord))
        if self.preset is not None:
            _check_choice("preset", self.preset, PRESET_NAMES)
        for writer in self.writers:
            _check_choice("writers", writer, WRITER_NAMES)
        _check_number("max_events", self.max_events, 1, MAX_EVENTS, whole=True)
        _check_number("max_open_turns", self.max_open_turns, 1, math.inf, whole=True)
        _check_number("max_bytes", self.max_bytes, 1, math.inf, whole=True)
        _check_number("idle_seconds", self.idle_seconds, 0, math.inf)
        _check_number("hold_seconds", self.hold_seconds, 0, math.inf)
        _check_number("evidence_minimum_digits", self.evidence_minimum_digits, 1, math.inf, whole=True)
        for name in ("evidence_shapes", "evidence_exemptions"):
            for pattern in getattr(self, name):
                _check_text(name, pattern, "give shell patterns that are not blank, such as INC*")
        for name in ("programs", "evidence", "matching", "account", "evidence_links"):
            if not isinstance(getattr(self, name), bool):
                raise ConfigError(f"{name} is {getattr(self, name)!r}: give true or false")
        for tool, key in self.rows_at.items():
            _check_text(f"rows_at.{tool}", key, "name the key of the result that holds its rows")
            if not is_rows_key(key):
                raise ConfigError(f"rows_at.{tool} is {key!r}: name one key at the top of the result, without . or /")
        _check_exit_meanings(self.exit_meanings)

    def source(self, setting: str) -> str:
        """Where the value of ``setting`` was read: a path, a variable, or :data:`DEFAULT`."""
        return self.sources.get(setting, DEFAULT)

    @classmethod
    def load(cls, path: str | Path | None = None, *, environ: Mapping[str, str] | None = None) -> Config:
        """Settings from a TOML file and from ``FOOTPRINT_*`` variables, which win over the file.

        Args:
            path: the file; by default the one that ``FOOTPRINT_CONFIG`` names, if any.
            environ: the variables; by default those of the process.

        Raises:
            ConfigError: the file cannot be read, or a key or value in it or in a variable is wrong.
        """
        environ = os.environ if environ is None else environ
        path = path or environ.get(variables.FOOTPRINT_CONFIG) or None
        table = {} if path is None else _read_file(Path(path))
        return cls.from_table(table, source=str(path), environ=environ)

    @classmethod
    def from_table(cls, table: Mapping[str, Any], *, source: str, environ: Mapping[str, str]) -> Config:
        """Settings from what a file in any format said, and from ``FOOTPRINT_*`` variables, which win over it.

        Args:
            table: by the name of the setting, with values as TOML has them.
            source: the file's path, as errors name it.
            environ: the variables.

        Raises:
            ConfigError: a key or value in the table or in a variable is wrong.
        """
        found: dict[str, tuple[Any, str]] = {name: (value, source) for name, value in _settings(table, source).items()}
        found.update(_read_variables(environ))
        for name, (value, where) in found.items():
            _check_alone(cls, name, value, where)
        return cls(
            **{name: value for name, (value, _) in found.items()},
            sources={name: where for name, (_, where) in found.items()},
        )


def is_rows_key(key: Any) -> bool:
    """Whether ``rows_at`` can name a key: one at the top of a result, so not a path."""
    return isinstance(key, str) and bool(key.strip()) and "." not in key and "/" not in key


def _check_alone(cls: type[Config], name: str, value: Any, source: str) -> None:
    try:
        cls(**{name: value})
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from None


def _read_file(path: Path) -> dict[str, Any]:
    try:
        read = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}): give the path of a TOML file") from error
    except ValueError as error:
        raise ConfigError(f"{path}: is not TOML in UTF-8 ({error}): set it right there") from error
    return read


def _settings(table: Mapping[str, Any], path: str) -> dict[str, Any]:
    known = {f.name for f in fields(Config)} - {"sources"}
    for name in table:
        if name not in known:
            raise ConfigError(f"{path}: there is no setting {name!r}: {_nearest(name, known)}")
    return {name: _FROM_TOML.get(name, _same)(value, path) for name, value in table.items()}


def _same(value: Any, _path: str) -> Any:
    return value


def _code_tools(value: Any, path: str) -> dict[str, CodeTool]:
    known = {f.name for f in fields(CodeTool)}
    tools: dict[str, CodeTool] = {}
    for tool, entry in _table("code_tools", value, path).items():
        for key in _table(f"code_tools.{tool}", entry, path):
            if key not in known:
                raise ConfigError(f"{path}: there is no key {key!r} in code_tools.{tool}: {_nearest(key, known)}")
        try:
            tools[tool] = CodeTool(**{"argument": None, **entry})
        except ConfigError as error:
            raise ConfigError(f"{path}: code_tools.{tool}: {error}") from None
    return tools


def _exit_meanings(value: Any, path: str) -> dict[str, dict[str, Any]]:
    table = _table("exit_meanings", value, path)
    return {command: _table(f"exit_meanings.{command}", codes, path) for command, codes in table.items()}


def _table(name: str, value: Any, path: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: {name} is {value!r}: make it a table, [{name}]")
    return value


def _list(name: str, of: str) -> Callable[[Any, str], tuple[str, ...]]:
    def read(value: Any, path: str) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise ConfigError(f"{path}: {name} is {value!r}: make it a list of {of}")
        return tuple(value)

    return read


_FROM_TOML: Final[Mapping[str, Callable[[Any, str], Any]]] = {
    "code_tools": _code_tools,
    "rows_at": lambda value, path: _table("rows_at", value, path),
    "exit_meanings": _exit_meanings,
    "writers": _list("writers", ", ".join(WRITER_NAMES)),
    "evidence_shapes": _list("evidence_shapes", "shell patterns"),
    "evidence_exemptions": _list("evidence_exemptions", "shell patterns"),
}


def _boolean(text: str) -> bool:
    words = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
    return words[text.lower()]


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))


_FROM_VARIABLES: Final[Mapping[str, tuple[str, Callable[[str], Any], str]]] = {
    variables.FOOTPRINT_EXIT_CODES: ("exit_codes", str, ""),
    variables.FOOTPRINT_ROUTING: ("routing", str, ""),
    variables.FOOTPRINT_MAX_OPEN_TURNS: ("max_open_turns", int, "a whole number"),
    variables.FOOTPRINT_MAX_BYTES: ("max_bytes", int, "a whole number"),
    variables.FOOTPRINT_IDLE_SECONDS: ("idle_seconds", float, "a number of seconds"),
    variables.FOOTPRINT_HOLD_SECONDS: ("hold_seconds", float, "a number of seconds"),
    variables.FOOTPRINT_WRITERS: ("writers", _parts, ""),
    variables.FOOTPRINT_MAX_EVENTS: ("max_events", int, "a whole number"),
    variables.FOOTPRINT_PROGRAMS: ("programs", _boolean, "true or false"),
    variables.FOOTPRINT_EVIDENCE: ("evidence", _boolean, "true or false"),
    variables.FOOTPRINT_EVIDENCE_MINIMUM_DIGITS: ("evidence_minimum_digits", int, "a whole number"),
    variables.FOOTPRINT_EVIDENCE_SHAPES: ("evidence_shapes", _parts, ""),
    variables.FOOTPRINT_EVIDENCE_EXEMPTIONS: ("evidence_exemptions", _parts, ""),
    variables.FOOTPRINT_MATCHING: ("matching", _boolean, "true or false"),
    variables.FOOTPRINT_ACCOUNT: ("account", _boolean, "true or false"),
    variables.FOOTPRINT_PRESET: ("preset", str, ""),
    variables.FOOTPRINT_EVIDENCE_LINKS: ("evidence_links", _boolean, "true or false"),
}
"""By variable: its setting, how its text is read, and what to give instead of a text that cannot be read."""


def _read_variables(environ: Mapping[str, str]) -> dict[str, tuple[Any, str]]:
    found: dict[str, tuple[Any, str]] = {}
    for variable, text in environ.items():
        if variable in _FROM_VARIABLES and text.strip():
            setting, read, expected = _FROM_VARIABLES[variable]
            try:
                found[setting] = read(text.strip()), variable
            except (ValueError, KeyError):
                raise ConfigError(f"{variable} is {text!r}: give {expected}") from None
        elif variable.startswith("FOOTPRINT_") and variable not in variables.ALL:
            _refuse_slip(variable)
    return found


def _refuse_slip(variable: str) -> None:
    # Only what looks like a slip: a platform sets variables of this prefix for a service of our name.
    meant = difflib.get_close_matches(variable, variables.ALL, n=1, cutoff=0.88)
    if meant:
        raise ConfigError(f"{variable} is not a variable that is read: it looks like {meant[0]}")


def _nearest(name: str, known: Iterable[str]) -> str:
    meant = difflib.get_close_matches(name, list(known), n=1)
    return f"it looks like {meant[0]!r}" if meant else f"the settings are {', '.join(sorted(known))}"


def _check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ConfigError(f"{name} is {value!r}: give one of {', '.join(choices)}")


def _check_number(name: str, value: Any, low: float, high: float, *, whole: bool = False) -> None:
    number = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
    if not number or not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        raise ConfigError(
            f"{name} is {value!r}: give {kind} {f'from {low} to {high}' if high < math.inf else f'of at least {low}'}"
        )


def _check_exit_meanings(table: Mapping[str, Mapping[str, str]]) -> None:
    for command, codes in table.items():
        for code, meaning in codes.items():
            if not isinstance(code, str):
                raise ConfigError(f"exit_meanings.{command} has the code {code!r}: give it as text, {str(code)!r}")
            _check_text(f"exit_meanings.{command}.{code}", meaning, 'give the name of a meaning, such as "findings"')
    try:
        if table:  # the shipped list is read only by those who add to it, or have a program to read
            shipped_meanings().extended(table)
    except ValueError as error:
        raise ConfigError(f"exit_meanings.{error}") from None


def _check_text(name: str, value: Any, fix: str) -> None:
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"{name} is {value!r}: {fix}")
