"""JSON text, read strictly: what other readers refuse is refused here too.

``NaN`` and infinities are not JSON. Nesting is bounded by a fixed number, so the same text gives the
same reading whatever the depth of the caller's own stack.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

MAX_JSON_DEPTH: Final = 200
"""Deepest nesting that is read."""

_MAX_INT_DIGITS: Final = 400
"""Past this an integer is read as a float, as a reader with one number type does."""

_SPACE: Final = "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
_SPACE_AND_MARK: Final = _SPACE + "\u2028\u2029\u202f\u205f\u3000\ufeff"
"""What is trimmed before reading; the byte order mark is in it, the C0 separators are not."""

# Possessive, and a string without an end takes the rest: one pass whatever the text.
_BRACKETS: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)

_NO_BRACKETS: Final = bytes(code for code in range(256) if code not in b"[]{}")


class NotJsonError(ValueError):
    """The text is not strict JSON."""


class TooDeepError(NotJsonError):
    """The text is nested deeper than :data:`MAX_JSON_DEPTH`."""


def trim(text: str) -> str:
    """The text without the white space around it."""
    return text.strip(_SPACE_AND_MARK)


def read_json(text: str) -> Any:
    """Decode strict JSON text.

    Of two equal keys the last one counts, and an integer of more than 400 digits becomes a float.

    Raises:
        NotJsonError: the text is not strict JSON.
        TooDeepError: it is nested deeper than :data:`MAX_JSON_DEPTH`.
    """
    if _brackets(text) > MAX_JSON_DEPTH and not _surely_flat(text) and _depth(text) > MAX_JSON_DEPTH:
        raise TooDeepError(text[:40])
    decoder = _LONG_INTEGERS if _LONG_RUN.search(text[::_STEP]) else _DECODER
    try:
        trimmed = trim(text)
        value, end = decoder.raw_decode(trimmed)
    except RecursionError as error:
        raise TooDeepError(text[:40]) from error
    except ValueError as error:
        raise NotJsonError(text[:40]) from error
    if end != len(trimmed):
        raise NotJsonError(text[:40])
    return value


def _brackets(text: str) -> int:
    # To find that there is none is several times quicker than to count.
    return sum([text.count(bracket) for bracket in "[{" if bracket in text])


def _refuse(name: str) -> Any:
    raise ValueError(name)


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MAX_INT_DIGITS else float(digits)


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)
_LONG_INTEGERS: Final = json.JSONDecoder(parse_constant=_refuse, parse_int=_integer)

# A function of ours for each integer would cost more than all the rest. A run of digits that is too long for an
# integer is seen in a sample of the text, which few others are.
_STEP: Final = 20
_LONG_RUN: Final = re.compile(f"[0-9]{{{_MAX_INT_DIGITS // _STEP}}}")


def _surely_flat(text: str) -> bool:
    """Whether the text is not too deep, seen without looking at each bracket: many rows are no deep nesting."""
    if "\\" in text:
        text = text.replace("\\\\", "").replace('\\"', "")
    brackets = "".join(text.split('"')[::2]).encode("ascii", "ignore").translate(None, _NO_BRACKETS)
    # Each round takes away the innermost pairs, two levels of them at the most.
    for _ in range(MAX_JSON_DEPTH // 2):
        if not brackets:
            return True
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    return False


def _depth(text: str) -> int:
    deepest = depth = 0
    for token in _BRACKETS.finditer(text):
        match token.group()[0]:
            case "[" | "{":
                depth += 1
                deepest = max(deepest, depth)
            case "]" | "}":
                depth -= 1
    return deepest
