"""Cutting a stream of bytes into JSON values, whatever way they were put one after the other.

One value a line, one value over many lines, values back to back, with a byte order mark, with CRLF.
Lines end at a line feed and nowhere else: U+2028 and its like are part of a string. A spoiled value
costs only itself: reading goes on at the next line that can begin a value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

MAX_VALUE_BYTES: Final = 256 * 1024 * 1024
"""One JSON value may be this long; a longer one is passed over and named."""

MAX_NESTING: Final = 300
"""What is nested deeper in the JSON text is not parsed. It is past any depth that is ever decoded:
an attribute value of 64 nested maps is 267 brackets deep."""

_SPACE: Final = " \t\r\n\ufeff"
STRING: Final = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
"""Pattern of a JSON string, made so that a long one costs no memory."""
_STRINGS: Final = re.compile(STRING, re.DOTALL)
_TOKEN: Final = re.compile(rf'{STRING}|["{{}}\[\]]', re.DOTALL)
_FIRST_KEY: Final = re.compile(rf"[{_SPACE}]*\{{[{_SPACE}]*\"([A-Za-z_]+)\"")
_REQUEST_KEYS: Final = frozenset({"resourceSpans", "resource_spans", "batches"})
_FRESH_LINE: Final = re.compile(r"[\[{]\s*$|\{\s*\"(?:resource|scope|batches|instrumentation)")
"""A line that begins a value rather than going on with one: only asked after a spoiled value. One that looks like a
whole value by itself does so, too."""
_BEFORE_VALUE: Final = frozenset("[,:")
"""The marks after which JSON can have an object or a list."""
_KEY_WITHIN: Final = 400
"""Characters of a line in which its first key is looked for."""
_MAX_INT_DIGITS: Final = 40
_MOST_READ_AGAIN: Final = 8
"""Lines of a value that turns out to be none, up to which they are read again one by one."""
_NEXT_BEGINS: Final = "this JSON value is cut off: the next one begins before its end"


class JsonText(NamedTuple):
    """One JSON value of a stream."""

    line: int
    """The 1-based line it begins on."""
    text: str
    """Exactly as it came; bytes that are not UTF-8 are lone surrogates, as ``surrogateescape`` has it."""
    value: Any
    """The parsed value. What is nested past :data:`MAX_NESTING` is ``None`` in it."""


class Spoiled(NamedTuple):
    """A place that could not be read."""

    line: int
    message: str


def json_texts(lines: Iterable[bytes]) -> Iterator[JsonText | Spoiled]:
    """Cut lines into JSON values.

    Args:
        lines: Lines with their line feeds. A line over :data:`MAX_VALUE_BYTES` may come in parts.

    Yields:
        The values and the spoiled places, in the order of the lines.
    """
    cutter = _Cutter()
    for line in lines:
        yield from cutter.feed(line.decode("utf-8", "surrogateescape"))
    yield from cutter.finish()


class _Cutter:
    """Where the reading stands: at the beginning of a value, inside one, or past a spoiled one."""

    def __init__(self) -> None:
        self._line = 0
        self._first_line = 0
        self._parts: list[str] = []
        self._length = 0
        self._depth = 0
        self._last = ""
        self._skipping = False

    def feed(self, text: str) -> Iterator[JsonText | Spoiled]:
        self._line += 1
        while self._parts and text[:1] in {"{", "["} and self._begins_anew(text):
            yield from self._cut_off(_NEXT_BEGINS)
            self._skipping = False
        if self._skipping and not _is_fresh(text):
            return
        self._skipping = False
        if self._parts:
            yield from self._go_on(text)
        else:
            yield from self._begin(text, 0)

    def finish(self) -> Iterator[JsonText | Spoiled]:
        while self._parts:
            yield from self._cut_off("this JSON value is cut off: the input ends before its end")

    def _begins_anew(self, text: str) -> bool:
        """Whether a line begins a new value although the one before is not closed.

        It does where JSON cannot have a value, and when it begins with the key the open one began with, or with that
        of a request: neither can be inside of the other. In a list, such lines are its items.
        """
        if self._last not in _BEFORE_VALUE:
            return True
        fresh = _FIRST_KEY.match(text[:_KEY_WITHIN])
        opened = _FIRST_KEY.match("".join(part[:_KEY_WITHIN] for part in self._parts[:2]))
        if fresh is None or opened is None:
            return False
        return fresh[1] in _REQUEST_KEYS or (fresh[1] == opened[1] and fresh[1] in {"resource", "scopeSpans"})

    def _swallowed(self) -> list[str]:
        """Lines that were taken for the rest of the open value but may well be values of their own."""
        lines = self._parts[1:] if len(self._parts) <= _MOST_READ_AGAIN else []
        return lines if lines and _is_whole(lines[0]) else []

    def _cut_off(self, message: str) -> Iterator[JsonText | Spoiled]:
        """Give up the open value and read by themselves the lines that it swallowed."""
        again = self._swallowed()
        yield self._drop(message)
        if again:
            line, self._line = self._line, self._first_line
            self._skipping = False
            for text in again:
                yield from self.feed(text)
            self._line = line

    def _begin(self, text: str, start: int) -> Iterator[JsonText | Spoiled]:
        """Read the values that begin on this line."""
        while (start := _skip_space(text, start)) < len(text):
            if text[start] not in "{[":
                yield Spoiled(self._line, f"not JSON: {_excerpt(text[start:])}")
                return
            try:
                value, end = _decode(text, start)
            except json.JSONDecodeError as error:
                if _skip_space(text, error.pos) < len(text):
                    yield Spoiled(self._line, f"not JSON: {error.msg} at column {error.pos + 1}")
                    return
                self._first_line = self._line
                yield from self._go_on(text[start:])
                return
            yield JsonText(self._line, text[start:end], value)
            start = end

    def _go_on(self, text: str) -> Iterator[JsonText | Spoiled]:
        """Take a line of a value that goes over several lines."""
        self._parts.append(text)
        self._length += len(text)
        self._last = text.rstrip()[-1:] or self._last
        if self._length > MAX_VALUE_BYTES:
            yield self._drop(f"this JSON value is longer than {MAX_VALUE_BYTES // 2**20} MiB and was passed over")
            return
        depth = _depth_after(text, self._depth)
        if depth is not None:
            self._depth = depth
            return
        end, self._depth = find_close(text, 0, self._depth)
        if end is None:
            return
        if end < 0:
            yield from self._cut_off(f"not JSON: a text is not closed on line {self._line}")
            return
        whole = "".join(self._parts)
        whole = whole[: len(whole) - len(text) + end]
        first_line = self._first_line
        try:
            value, _ = _decode(whole, 0)
        except json.JSONDecodeError as error:
            if self._swallowed():
                yield from self._cut_off(_NEXT_BEGINS)
                return
            self._reset()
            yield Spoiled(first_line + error.lineno - 1, f"not JSON: {error.msg} at column {error.colno}")
        else:
            self._reset()
            yield JsonText(first_line, whole, value)
        yield from self._begin(text, end)

    def _drop(self, message: str) -> Spoiled:
        """Give up the value that is being read."""
        spoiled = Spoiled(self._first_line, message)
        self._reset()
        self._skipping = True
        return spoiled

    def _reset(self) -> None:
        self._parts = []
        self._length = 0
        self._depth = 0


def _is_fresh(text: str) -> bool:
    return _FRESH_LINE.match(text) is not None or _is_whole(text)


def _is_whole(text: str) -> bool:
    """Whether a line looks like a whole object, or list of objects, by itself."""
    end = text.rstrip()[-1:]
    return (end == "}" and text.startswith('{"')) or (end == "]" and text.startswith("[{"))


def _skip_space(text: str, start: int) -> int:
    while start < len(text) and text[start] in _SPACE:
        start += 1
    return start


def _depth_after(text: str, depth: int) -> int | None:
    """Brackets open after a line that cannot hold the end of the value; ``None`` when it is to be looked at closely."""
    bare = _STRINGS.sub("", text) if '"' in text else text
    closing = bare.count("}") + bare.count("]")
    if '"' in bare or closing >= depth:
        return None
    return depth - closing + bare.count("{") + bare.count("[")


def find_close(text: str, start: int, depth: int = 0) -> tuple[int | None, int]:
    """Find where the value that is open ends.

    Args:
        text: The text to look through, from ``start`` on.
        start: Index to begin at.
        depth: Brackets open before ``start``.

    Returns:
        The index after its last bracket, ``None`` when it goes on after ``text``, -1 when a string
        is not closed; and the brackets open then.
    """
    for token in _TOKEN.finditer(text, start):
        mark = token[0]
        if mark in "{[":
            depth += 1
        elif mark in "}]":
            depth -= 1
            if depth <= 0:
                return token.end(), 0
        elif mark == '"':
            return -1, depth
    return None, depth


def _decode(text: str, start: int) -> tuple[Any, int]:
    """Parse the value at ``start``; the deepest parts of a very deep one become ``None``.

    Raises:
        json.JSONDecodeError: It is no JSON, or its end is not in ``text``.
    """
    try:
        return _DECODER.raw_decode(text, start)
    except RecursionError:
        end, _ = find_close(text, start)
        if end is None or end < 0:
            raise json.JSONDecodeError("the value is not closed", text, len(text)) from None
        value, _ = _DECODER.raw_decode(_prune(text[start:end]))
        return value, end


def _prune(text: str) -> str:
    """Put ``null`` in the place of everything nested past :data:`MAX_NESTING`."""
    kept: list[str] = []
    depth = 0
    copied = 0
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in "{[":
            depth += 1
            if depth == MAX_NESTING + 1:
                kept.append(text[copied : token.start()] + "null")
        elif mark in "}]":
            depth -= 1
            if depth == MAX_NESTING:
                copied = token.end()
    return "".join([*kept, text[copied:]])


def _integer(digits: str) -> Any:
    """Parse an integer; one of absurd length stays text, because parsing it takes absurdly long."""
    return int(digits) if len(digits) <= _MAX_INT_DIGITS else digits


_DECODER: Final = json.JSONDecoder(parse_int=_integer)


def _excerpt(text: str) -> str:
    return repr(text.rstrip("\r\n")[:40])
