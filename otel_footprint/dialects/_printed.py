"""Python values in their printed form (``repr``), as some runtimes record what they hold.

Only what ``repr`` writes is taken: the text is looked over first, so that nothing else reaches Python's own parser,
which reads literals and never runs anything. Texts of more than :data:`LONGEST` characters are not read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from otel_footprint.spanview import MAX_DEPTH

LONGEST: Final = 65_536
"""Characters of the longest text that is read as printed Python."""

_ESCAPE: Final = r"""\\(?:[\\'"nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})"""
_STRING: Final = rf"""'(?:[^'\\\n]|{_ESCAPE})*+'|"(?:[^"\\\n]|{_ESCAPE})*+\""""
_NUMBER: Final = r"-?\d{1,4000}(?:\.\d+)?(?:e[+-]?\d{1,9})?(?![\w.'\"])"
_WORD: Final = r"(?:True|False|None)(?![\w'\"])"
_MEMBER: Final = rf"<\w+(?:\.\w+)*: (?P<value>{_STRING}|{_NUMBER})>"
"""A member of an enumeration: its value counts."""
_LITERAL: Final = re.compile(rf"(?:{_STRING}|{_NUMBER}|{_WORD}|[{{}}\[\](),:]| )*+")
_OBJECTS: Final = re.compile(rf"(?:{_STRING}|{_MEMBER}|{_NUMBER}|[A-Za-z_]\w*+(?!['\"])|[{{}}\[\](),:=]| )*+")
_OPEN: Final = re.compile(rf"""(?:'(?:[^'\\\n]|{_ESCAPE})*+|"(?:[^"\\\n]|{_ESCAPE})*+)(?:\\\w{{0,8}})?""")
"""A text that was cut before its closing quote."""
_STRINGS: Final = re.compile(_STRING)
_MEMBERS: Final = re.compile(rf"(?P<kept>{_STRING})|{_MEMBER}")


class NotPrintedError(ValueError):
    """The text is no printed value, or a longer one than is read."""


class TooDeeplyPrintedError(NotPrintedError):
    """The value is nested past :data:`~otel_footprint.spanview.MAX_DEPTH`."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed object of a class of its own."""

    name: str
    fields: Mapping[str, Any]
    """Its values by the names before them."""


def read_literal(text: str) -> Any:
    """The value of a printed dictionary, list, tuple, text, number, truth value or ``None``; tuples are lists.

    Raises:
        NotPrintedError: the text is none of these.
    """
    if len(text) > LONGEST or _LITERAL.fullmatch(text) is None:
        raise NotPrintedError
    return _value_of(text)


def is_cut_literal(text: str) -> bool:
    """Whether a text begins as a printed dictionary and stops before its end: what a length limit leaves."""
    if not text.startswith(("{'", '{"')) or len(text) > LONGEST:
        return False
    whole = _LITERAL.match(text)
    rest = text[whole.end() :] if whole is not None else text
    return _OPEN.fullmatch(rest) is not None if rest else _depth(text) > 0


def read_objects(text: str) -> Any:
    """The value of a printed object, such as ``Message(role=<Role.USER: 'user'>, parts=[Text(text='hi')])``.

    Raises:
        NotPrintedError: the text is no printed object or literal.
    """
    if len(text) > LONGEST or _OBJECTS.fullmatch(text) is None:
        raise NotPrintedError
    return _value_of(_MEMBERS.sub(lambda found: found["kept"] or found["value"], text))


def _value_of(text: str) -> Any:
    if text.count("{") + text.count("[") + text.count("(") > MAX_DEPTH and _depth(text, deepest=True) > MAX_DEPTH:
        raise TooDeeplyPrintedError
    try:
        return _read(ast.parse(text.strip(" "), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotPrintedError from error


def _depth(text: str, *, deepest: bool = False) -> int:
    """How many brackets are open at the end, or where most of them are."""
    depth = most = 0
    for mark in _STRINGS.sub("", text):
        depth += (mark in "([{") - (mark in ")]}")
        most = max(most, depth)
    return most if deepest else depth


def _read(node: ast.expr) -> Any:
    match node:
        case ast.Dict(keys=keys, values=values):
            return {_key(key): _read(value) for key, value in zip(keys, values, strict=True)}
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_read(item) for item in items]
        case ast.Call(func=ast.Name(id=name), args=[], keywords=keywords):
            return Printed(name, {keyword.arg: _read(keyword.value) for keyword in keywords if keyword.arg})
        case _:
            value = ast.literal_eval(node)
            if not isinstance(value, str | int | float | bool | None):
                raise NotPrintedError
            return value


def _key(node: ast.expr | None) -> str:
    key = ast.literal_eval(node) if node is not None else None
    if not isinstance(key, str):
        raise NotPrintedError
    return key
