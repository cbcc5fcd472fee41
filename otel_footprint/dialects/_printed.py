r"""Objects that a runtime recorded as Python prints them: ``{'q': "what's up", 'ok': True, 'n': None}``.

Nothing is evaluated. Only text that is made of literals alone, in the escapes that Python itself prints, goes to
``ast.literal_eval``, and only up to a length.
"""

from __future__ import annotations

import ast
import re
from typing import Any, Final

from otel_footprint.spanview import MAX_DEPTH, TOO_DEEP

MAX_CHARS: Final = 65_536
"""Longest text that is read, in characters."""

_ESCAPE: Final = r"\\(?:[\\'\"nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})"
# Possessive throughout: a text that does not fit is given up after one pass.
_LITERALS: Final = re.compile(
    r"\s*+\{(?:[\[\]{}(),:\s]|True|False|None|-?\d++(?:\.\d++)?(?:e[+-]?\d++)?"
    rf"|'(?:[^'\\\n]|{_ESCAPE})*+'"
    rf'|"(?:[^"\\\n]|{_ESCAPE})*+")*+'
)
_STRINGS: Final = re.compile(r"'(?:[^'\\]|\\.)*+'" + r'|"(?:[^"\\]|\\.)*+"')


class _UnlikeJsonError(ValueError):
    """A part has no counterpart among JSON's values."""


def read_printed(text: str) -> Any:
    """The printed dictionary that ``text`` is, ``None`` when it is none, ``TOO_DEEP`` past the bound of depth.

    Tuples in it become lists. A dictionary with a set in it, or with keys that are not all texts, is none of ours.
    """
    if len(text) > MAX_CHARS or _LITERALS.fullmatch(text) is None:
        return None
    if _depth(_STRINGS.sub("", text)) > MAX_DEPTH:
        return TOO_DEEP
    try:
        value = ast.literal_eval(text.strip())
        return _plain(value) if isinstance(value, dict) else None
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _depth(brackets: str) -> int:
    deepest = depth = 0
    for char in brackets:
        if char in "[{(":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "]})":
            depth -= 1
    return deepest


def _plain(value: Any) -> Any:
    """The value in JSON's types."""
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise _UnlikeJsonError
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, set):
        raise _UnlikeJsonError
    return value
