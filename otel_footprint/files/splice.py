"""Adding to the spans of a JSON text without touching anything else in it.

The text is not parsed and printed again: what is added is put in at the right index, so numbers,
escapes, white space, unknown keys and values too deep to parse stay exactly as they came.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from otel_footprint.files.json_text import STRING, find_close

Path = tuple[str | int, ...]
"""Keys and indexes from the outermost value of a text to a value in it."""

Additions = Mapping[str, Sequence[Any]]
"""What one object gets: new items by the list field that they are added to the end of."""

_STRING: Final = re.compile(STRING, re.DOTALL)
_SCALAR: Final = re.compile(r"[^\s,\]}]+")
_BETWEEN: Final = re.compile(r"[\s,:]*")


@dataclass(frozen=True, slots=True)
class _Object:
    """Where an object and its fields lie in the text."""

    end: int
    """Index after its closing bracket."""
    fields: dict[str | int, tuple[int, int]] = field(default_factory=dict)
    """Start and end of each field's value; of a key that is there twice, the last, as parsers have it."""


def splice(text: str, additions: Mapping[Path, Additions]) -> str:
    """Add items to list fields of objects in a JSON text.

    Args:
        text: One JSON value without space around it.
        additions: By the path of the object. A path that is not there is passed over. A field that
            the object does not have is made; one that holds neither a list nor null is left alone.

    Returns:
        The text, changed in the places of the additions only.
    """
    locator = _Locator(text, additions)
    locator.container(0, ())
    edits = [edit for path, found in locator.found.items() for edit in _edits(text, found, additions[path])]
    pieces: list[str] = []
    copied = 0
    for start, end, inserted in sorted(edits):
        pieces += (text[copied:start], inserted)
        copied = end
    return "".join([*pieces, text[copied:]])


def _edits(text: str, found: _Object, additions: Additions) -> Iterator[tuple[int, int, str]]:
    """The replacements for one object: start, end, the new text."""
    fresh: list[str] = []
    for name, items in additions.items():
        printed = ",".join(map(_print, items))
        start, end = found.fields.get(name, (found.end, found.end))
        if not printed:
            continue
        if start == end:
            fresh.append(f"{_print(name)}:[{printed}]")
        elif text[start] == "[":
            is_empty = not text[start + 1 : end - 1].strip()
            yield end - 1, end - 1, printed if is_empty else f",{printed}"
        elif text[start:end] == "null":
            yield start, end, f"[{printed}]"
    if fresh:
        yield found.end - 1, found.end - 1, ",".join(["", *fresh] if found.fields else fresh)


def _print(value: Any) -> str:
    """Print a value compactly; everything outside ASCII is escaped, so that any text can hold it."""
    return json.dumps(value, separators=(",", ":"))


class _Locator:
    """Finds objects by their paths in one pass; recurses along those paths only, never into values."""

    def __init__(self, text: str, wanted: Mapping[Path, Any]) -> None:
        self._text = text
        self._wanted = wanted
        self._on_the_way = {path[:length] for path in wanted for length in range(len(path) + 1)}
        self.found: dict[Path, _Object] = {}

    def container(self, start: int, path: Path) -> int:
        """Read the object or list at ``start``; return the index after its closing bracket."""
        is_object = self._text[start] == "{"
        fields: dict[str | int, tuple[int, int]] = {}
        at = self._skip(start + 1)
        while self._text[at] not in "]}":
            key: str | int = len(fields)
            if is_object:
                key_end = self._string_end(at)
                key = json.loads(self._text[at:key_end], strict=False)
                at = self._skip(key_end)
            end = self._value(at, (*path, key))
            fields[key] = (at, end)
            at = self._skip(end)
        if path in self._wanted:
            self.found[path] = _Object(at + 1, fields)
        return at + 1

    def _value(self, start: int, path: Path) -> int:
        """Pass over the value at ``start``; return the index after it."""
        mark = self._text[start]
        if mark == '"':
            return self._string_end(start)
        if mark not in "{[":
            scalar = _SCALAR.match(self._text, start)
            return start if scalar is None else scalar.end()
        if path in self._on_the_way:
            return self.container(start, path)
        end, _ = find_close(self._text, start)
        return len(self._text) if end is None else end

    def _string_end(self, start: int) -> int:
        string = _STRING.match(self._text, start)
        return len(self._text) if string is None else string.end()

    def _skip(self, start: int) -> int:
        between = _BETWEEN.match(self._text, start)
        return start if between is None else between.end()
