"""What known commands say with their exit codes: the shipped list ``exit_codes.toml`` and a user's own table."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any, Final

ANSWERS: Final = frozenset({"no-match", "differ", "false", "not-found", "findings"})
"""Meanings that are what the command was asked for, not a failure of it."""

_QUESTIONS: Final = ANSWERS - {"findings"}
"""Answers that programs ask for to choose their way; a linter's findings are a result."""

FAILURES: Final = frozenset(
    {
        "tests-failed",
        "no-tests",
        "interrupted",
        "usage",
        "error",
        "timed-out",
        "part-failed",
        "no-connection",
        "not-executable",
        "no-command",
    }
)
"""Meanings that are failures."""

MAX_CODE: Final = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What one exit code of one command means."""

    id: str
    """One of :data:`ANSWERS` or :data:`FAILURES`."""

    @property
    def answer(self) -> bool:
        """Whether it is an answer rather than a failure."""
        return self.id in ANSWERS


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    after: tuple[str, ...] = ()
    valued: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    codes: Mapping[int, Meaning]

    def fits(self, arguments: Sequence[str | None]) -> bool:
        if self.needs and self.needs.isdisjoint(arguments):
            return False
        return not self.after or _plain(arguments, self.valued, len(self.after)) == self.after


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitMeanings:
    """Known exit codes."""

    rows: Mapping[str, tuple[_Row, ...]]
    """By command; the first that fits wins."""
    wrappers: Mapping[str, Mapping[int, Meaning]]
    hiding: frozenset[str]
    anywhere: Mapping[int, Meaning]

    def of(self, words: Sequence[str | None], exit_code: int, wrappers: Sequence[str] = ()) -> Meaning | None:
        """What an exit code means.

        Args:
            words: the command's name or path and its arguments; ``None`` for a word that the shell computes.
            exit_code: 0 to 255; anything else means nothing.
            wrappers: names of the commands that ran it, outermost first.

        Returns:
            ``None`` when nothing is known of this code.
        """
        for wrapper in wrappers:
            own = self.wrappers.get(wrapper, {}).get(exit_code)
            if own is not None:
                return own
            if wrapper in self.hiding:
                return self.anywhere.get(exit_code)
        name = (words[0] or "").rpartition("/")[2] if words else ""
        for row in self.rows.get(name, ()):
            if exit_code in row.codes and row.fits(words[1:]):
                return row.codes[exit_code]
        return self.anywhere.get(exit_code)

    def extended(self, table: Mapping[str, Mapping[str, str]]) -> ExitMeanings:
        """These meanings with a user's own in front.

        Args:
            table: command to its codes, each with the name of a meaning: ``{"mylint": {"1": "findings"}}``.

        Raises:
            ValueError: a code is not a number from 1 to 255, or there is no such meaning; the message says how to
                set it right.
        """
        rows = dict(self.rows)
        for command, codes in table.items():
            rows[command] = (_Row(codes=_codes(codes, command)), *rows.get(command, ()))
        return replace(self, rows=MappingProxyType(rows))


@cache
def shipped_meanings() -> ExitMeanings:
    """The shipped list."""
    data = _shipped()
    rows: dict[str, tuple[_Row, ...]] = {}
    for entry in data["command"]:
        row = _Row(
            after=tuple(entry.get("after", ())),
            valued=frozenset(entry.get("valued", ())),
            needs=frozenset(entry.get("needs", ())),
            codes=_codes(entry["codes"], entry["names"][0]),
        )
        for name in entry["names"]:
            rows[name] = (*rows.get(name, ()), row)
    return ExitMeanings(
        rows=MappingProxyType(rows),
        wrappers=MappingProxyType({name: _codes(codes, name) for name, codes in data["wrapper"].items()}),
        hiding=frozenset(data["wrapper_hides"]["names"]),
        anywhere=_codes(data["any"], "any"),
    )


def is_question(words: Sequence[str | None]) -> bool:
    """Whether the command's exit code 1 is an answer by which programs choose their way: ``grep``, ``test``."""
    meaning = shipped_meanings().of(words, 1)
    return meaning is not None and meaning.id in _QUESTIONS


def signal_name(exit_code: int) -> str | None:
    """The signal that a shell reports by this exit code, usually; ``None`` for any other code."""
    name: str | None = _shipped()["signals"].get(str(exit_code))
    return name


@cache
def _shipped() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("exit_codes.toml").read_text(encoding="utf-8"))


def _codes(table: Mapping[str, str], command: str) -> Mapping[int, Meaning]:
    found: dict[int, Meaning] = {}
    for code, meaning in table.items():
        if not (code.isascii() and code.isdigit() and 1 <= int(code[:4]) <= MAX_CODE):
            raise ValueError(f"{command}: {code!r} is no exit code: give a number from 1 to {MAX_CODE}")
        if meaning not in ANSWERS | FAILURES:
            raise ValueError(f"{command}: there is no meaning {meaning!r}: use one of {', '.join(_all())}")
        found[int(code)] = Meaning(id=meaning)
    return MappingProxyType(found)


def _all() -> Iterable[str]:
    return sorted(ANSWERS | FAILURES)


def _plain(arguments: Sequence[str | None], valued: frozenset[str], count: int) -> tuple[str | None, ...]:
    """The first arguments that are no options."""
    found: list[str | None] = []
    skip = False
    for argument in arguments:
        if skip:
            skip = False
        elif argument is not None and argument.startswith("-"):
            skip = argument in valued
        else:
            found.append(argument)
        if len(found) == count:
            break
    return tuple(found)
