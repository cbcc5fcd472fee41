"""What a word of the parser's tree is worth: its value where the text alone gives it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from otel_footprint.shell.program import Word

if TYPE_CHECKING:
    from tree_sitter import Node as Tree

_VARIABLE: Final = re.compile(r'"?\$\{?([A-Za-z_]\w*|\?|!|PIPESTATUS\[\d{1,4}\])\}?"?')
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_QUOTED_ESCAPE: Final = re.compile(r'\\(["\\$`])')
_ANSI_ESCAPE: Final = re.compile(r"\\([nt'\"\\])")
_ANSI: Final = {"n": "\n", "t": "\t"}
_EXPANSIONS: Final = frozenset({"simple_expansion", "expansion", "command_substitution", "arithmetic_expansion"})


def text_of(source: bytes, node: Tree) -> str:
    """A node as it is written."""
    return source[node.start_byte : node.end_byte].decode(errors="replace")


def word_of(source: bytes, node: Tree) -> Word:
    """A name or an argument of a command, or the value of an assignment."""
    inside = node.children[0] if node.type == "command_name" and node.child_count == 1 else node
    written = text_of(source, node)
    variable = _VARIABLE.fullmatch(written)
    return Word(
        text=_value(source, inside),
        template=_unquoted(written) if inside.type == "string" else written if inside.type == "concatenation" else None,
        variable=variable.group(1) if variable else None,
    )


def _value(source: bytes, node: Tree) -> str | None:
    """The value of a word; ``None`` when the shell computes it."""
    written = text_of(source, node)
    match node.type:
        case "word" | "number" | "extglob_pattern" | "test_operator":
            return _ESCAPE.sub(r"\1", written.replace("\\\n", ""))
        case "raw_string":
            return written[1:-1]
        case "ansi_c_string":
            return _ANSI_ESCAPE.sub(lambda found: _ANSI.get(found.group(1), found.group(1)), written[2:-1])
        case "string" if not any(child.type in _EXPANSIONS for child in node.children):
            return _unquoted(written)
        case "concatenation":
            values = (_value(source, part) if part.is_named else text_of(source, part) for part in node.children)
            parts = [value for value in values if value is not None]
            return "".join(parts) if len(parts) == node.child_count else None
    return None


def _unquoted(written: str) -> str:
    """The inside of a text in double quotes."""
    return _QUOTED_ESCAPE.sub(r"\1", written[1:-1].replace("\\\n", ""))
