"""Names and numbers in a text: its tokens, their one normal form, and which of them can be checked.

A token is a run of ASCII letters and digits with the marks that hold names together (``@ _ . : / + -``);
marks at its ends belong to the sentence. A comma belongs to a token only where it groups the digits of a
number. One normal form stands for every spelling of a value: ``41,200``, ``+41200`` and ``41200.0`` are one.
"""

from __future__ import annotations

import fnmatch
import re
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, NamedTuple

Shape = Literal["number", "identifier"]

IDENTIFIER_CHARACTERS: Final = 4
"""Fewest letters and digits of a checked identifier."""

_MARKS: Final = "@_.:/+-"
TOKEN_CHARACTERS: Final = f"{string.ascii_letters}{string.digits},{_MARKS}"
"""Every character that can stand inside a token."""

_TOKEN: Final = frozenset(TOKEN_CHARACTERS)
_FEW: Final = 8
_PARTED_LOWER: Final = bytes(ord(chr(code).lower() if chr(code) in TOKEN_CHARACTERS else " ") for code in range(256))
# What a run begins or ends with when it holds more than one plain token: marks, a sign, an idle zero.
_UNPLAIN: Final = f"0,{_MARKS}"

# Each pattern has one way to match at a place, so every text is read in one pass.
_RUN: Final = re.compile(rf"[{TOKEN_CHARACTERS}]++")
_RUN_WITH_DIGIT: Final = re.compile(
    rf"(?<![{TOKEN_CHARACTERS}])[{string.ascii_letters},{_MARKS}]*+[0-9][{TOKEN_CHARACTERS}]*+"
)
_PIECE: Final = re.compile(r"(?:(?<!\.)\.)?[^,.]++(?:\.[^,.]++)*+")
_ANY_CASE: Final = re.IGNORECASE | re.ASCII
_DIGITS: Final = r"(?:[0-9]{1,3}(?:,[0-9]{3})++|[0-9]++)"
_NUMBER: Final = re.compile(rf"([+-]?)({_DIGITS})(?:\.([0-9]+))?")
# A number with what is counted: a short unit, or a word after a hyphen or a slash. A hexadecimal number is neither.
_QUANTITY: Final = re.compile(rf"(?!0x)([+-]?{_DIGITS}(?:\.[0-9]++)?)(?:[a-z]{{1,5}}|[/-][a-z]++)", _ANY_CASE)

_BEFORE: Final = " \t\n\r\f\v\"'`([{<$#"
_AFTER: Final = " \t\n\r\f\v\"'`)]}>.,:;!?%"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceOptions:
    """What is checked. Patterns are shell patterns (``*``, ``?``, ``[a-f]``) over a whole value in its normal form.

    Raises:
        ValueError: ``minimum_digits`` is below 1.
    """

    minimum_digits: int = 4
    """Fewest digits of a checked number."""
    shapes: tuple[str, ...] = ()
    """Tokens to check as identifiers although nothing else would make them one, e.g. ``vlan?`` or ``eu-*``."""
    exemptions: tuple[str, ...] = ()
    """Values that are never checked, e.g. ``20[0-9][0-9]`` for years."""

    def __post_init__(self) -> None:
        if self.minimum_digits < 1:
            raise ValueError(f"minimum_digits must be at least 1, not {self.minimum_digits}")


DEFAULT_OPTIONS: Final = EvidenceOptions()


class Candidate(NamedTuple):
    """A value of a text that can be looked up."""

    value: str
    """In its normal form."""
    shape: Shape
    start: int
    end: int
    """Where it stands in the text, in characters; a number without its unit."""


def normal_form(token: str) -> str:
    """One token without the marks around it, in lower case; a number without grouping, plus sign and idle zeros."""
    return _canonical(token.lstrip(_BEFORE).rstrip(_AFTER).lower())


def _canonical(text: str) -> str:
    number = _NUMBER.fullmatch(text)
    if number is None:
        return text
    whole = number[2].replace(",", "").lstrip("0") or "0"
    fraction = (number[3] or "").rstrip("0")
    value = f"{whole}.{fraction}" if fraction else whole
    return f"-{value}" if number[1] == "-" and value != "0" else value


def tokens(text: str) -> tuple[str, ...]:
    """The tokens of a text in order, each in its normal form."""
    return tuple(token for run in _RUN.finditer(text) for token in _run_tokens(run[0]))


def stands_alone(value: str, low: str) -> bool:
    """Whether a value in normal form is a whole run of a lower-case text, and so a token; only the first few count."""
    at = low.find(value)
    for _ in range(_FEW):
        if at < 0:
            return False
        end = at + len(value)
        if low[at - 1 : at] not in _TOKEN and low[end : end + 1] not in _TOKEN:
            return True
        at = low.find(value, at + 1)
    return False


def found_tokens(text: str, values: Iterable[str]) -> set[str]:
    """Those of some values in normal form that are tokens of a text; for long texts."""
    runs = set(text.encode("ascii", "replace").translate(_PARTED_LOWER).decode("ascii").split())
    # A run that is a value in normal form is that token; in any other a value stands among marks, zeros or commas.
    wanted = set(values)
    found = wanted & runs
    wanted -= found
    if wanted:
        unplain = [run for run in runs if run[0] in _UNPLAIN or run[-1] in _UNPLAIN or "," in run or ".." in run]
        found |= wanted.intersection(token for run in unplain for token in _run_tokens(run))
    return found


def _run_tokens(run: str) -> list[str]:
    return [_canonical(token.lower()) for _, token in _pieces(run)]


def candidates(text: str, options: EvidenceOptions = DEFAULT_OPTIONS) -> tuple[Candidate, ...]:
    """The distinct values of a text that can be looked up, each where it first stands."""
    found: dict[str, Candidate] = {}
    for candidate in occurrences(text, options):
        found.setdefault(candidate.value, candidate)
    return tuple(found.values())


def occurrences(text: str, options: EvidenceOptions = DEFAULT_OPTIONS) -> Iterator[Candidate]:
    """Every value of a text that can be looked up, as often as it stands there."""
    read: dict[str, list[tuple[str, Shape, int, int]]] = {}
    for run in (_RUN if options.shapes else _RUN_WITH_DIGIT).finditer(text):
        written = run[0]
        if written not in read:
            read[written] = list(_checkable(written, options))
        for value, shape, start, end in read[written]:
            yield Candidate(value, shape, run.start() + start, run.start() + end)


def _pieces(run: str) -> list[tuple[int, str]]:
    """The tokens of a run as written, with their offsets: commas that group no number and ellipses part it."""
    if "," not in run and ".." not in run:
        return _trimmed(0, run)
    whole = _trimmed(len(run) - len(run.lstrip(",")), run.strip(","))
    if whole and _counts(whole[0][1]):
        return whole
    return [token for piece in _PIECE.finditer(run) for token in _trimmed(piece.start(), piece[0])]


def _trimmed(start: int, piece: str) -> list[tuple[int, str]]:
    """A piece without the marks at its ends, unless it is all marks; a number keeps its sign or its leading point."""
    body = piece.strip(_MARKS)
    if len(body) == len(piece):
        return [(start, piece)]
    if not body:
        return []
    at = piece.index(body[0])
    before = piece[:at]
    if (before in ("+", "-") and _counts(body)) or (before.endswith(".") and body.isdigit()):
        at -= 1
    return [(start + at, piece[at : piece.rindex(body[-1]) + 1])]


def _counts(token: str) -> bool:
    return _NUMBER.fullmatch(token) is not None or _QUANTITY.fullmatch(token) is not None


def _checkable(run: str, options: EvidenceOptions) -> Iterator[tuple[str, Shape, int, int]]:
    """The values of a run that are to be checked, each with its shape and its place in the run."""
    for start, token in _pieces(run):
        value, length = normal_form(token), len(token)
        shape: Shape = "identifier"
        if not _fits(value, options.shapes):
            quantity = _QUANTITY.fullmatch(token)
            if quantity is not None:
                value, length = normal_form(quantity[1]), quantity.end(1)
            if quantity is not None or _NUMBER.fullmatch(token) is not None:
                shape, checked = "number", sum(map(str.isdigit, value)) >= options.minimum_digits
            else:
                checked = sum(map(str.isalnum, value)) >= IDENTIFIER_CHARACTERS and any(map(str.isdigit, value))
            if not checked:
                continue
        if not _fits(value, options.exemptions):
            yield value, shape, start, start + length


def _fits(value: str, patterns: tuple[str, ...]) -> bool:
    return bool(patterns) and _compiled(patterns).match(value) is not None


@lru_cache(maxsize=64)
def _compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    # Values are in lower case, and so is what is asked of them.
    return re.compile("|".join(fnmatch.translate(pattern.lower()) for pattern in patterns))
