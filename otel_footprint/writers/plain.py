"""Making text that came from spans safe to show, on a terminal or on a page."""

from __future__ import annotations

import unicodedata
from typing import Final

_UNPRINTABLE: Final = frozenset({"Cc", "Cf", "Zl", "Zp", "Co", "Cn"})
"""Controls (escape sequences begin with one), formats (they turn the direction of text or hide it),
line and paragraph separators, and what has no meaning of its own."""
_JOINERS: Final = frozenset("\u200c\u200d")
"""Formats that scripts and emoji are written with, and that can do no harm."""


def safe(text: str) -> str:
    """Escape every character that could do something to a terminal instead of being shown on it.

    Returns:
        The text with control characters written out as in a Python string, lone surrogates as U+FFFD.
    """
    return text if text.isascii() and text.isprintable() else "".join(map(_shown, text))


def safe_lines(text: str) -> list[str]:
    """A text of several lines, each made safe; tabs become spaces."""
    return [safe(line.expandtabs(4).removesuffix("\r")) for line in text.split("\n")]


def one_line(text: str, width: int) -> str:
    """A text in at most ``width`` characters: runs of white space are one space, the end is cut with an ellipsis."""
    text = text.strip()
    words = safe(" ".join(text[: 4 * width].split()))
    is_cut = len(words) > width or len(text) > 4 * width
    return words[: width - 1] + "…" if is_cut else words


def _shown(char: str) -> str:
    category = unicodedata.category(char)
    if category == "Cs":
        return "\ufffd"
    if category not in _UNPRINTABLE or char in _JOINERS:
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004
