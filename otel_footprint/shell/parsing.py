"""The only way to the parser: tree-sitter with its Bash grammar, held to a fixed amount of work.

The parser is native code that was written for editors. What keeps a hostile text from taking the process
along, each measured on such texts:

* It sees ASCII only. Its generated tables read out of bounds on some characters beyond (tree-sitter-bash issue
  337), and to a shell they are letters anyway. Bytes are replaced one by one, so positions stay.
* It is stopped at the first syntax error, since nothing is read from a program that it did not understand.
* It is stopped when it has looked ahead too often or taken too many steps: both grow with the square of some
  texts. Both are counts, not times, so the same text always gives the same answer.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Point

MAX_BYTES: Final = 32 * 1024
"""Longer programs are not read, in bytes of UTF-8."""

MAX_STEPS: Final = 200
"""How often the parser may report progress; it does so every hundred operations."""

CHUNK: Final = 64
"""Bytes handed to the parser at once. Small, so that reading one stretch again and again shows in the count."""

READS_PER_CHUNK: Final = 16
"""How often each chunk may be read on average; programs as people write them need about four."""

_READS_TO_START: Final = 200
_KEPT: Final = frozenset(b"\t\n") | frozenset(range(ord(" "), ord("~") + 1))
_TO_ASCII: Final = bytes(byte if byte in _KEPT else ord(" ") if byte in b"\r\v\f" else ord("x") for byte in range(256))


@cache
def _language() -> Language | None:
    """The grammar; ``None`` without the extra ``shell``."""
    try:
        import tree_sitter_bash  # noqa: PLC0415 - optional
        from tree_sitter import Language  # noqa: PLC0415 - optional
    except ImportError:
        return None
    return Language(tree_sitter_bash.language())


def installed() -> bool:
    """Whether the extra ``shell`` is there, so that programs are read at all."""
    return _language() is not None


def parse(source: bytes) -> Node | None:
    """The syntax tree of a program, without any error in it.

    Returns:
        The root, or ``None``: the parser is not installed, the program is not one that it understands, or it is
        too long or too costly to parse. Positions in the tree are those of ``source``.
    """
    language = _language()
    if language is None or len(source) > MAX_BYTES or b"\0" in source:
        return None
    from tree_sitter import Parser  # noqa: PLC0415 - optional

    budget = _Budget(source.translate(_TO_ASCII))
    try:
        root = Parser(language).parse(budget.read, progress_callback=budget.over).root_node
    except ValueError:  # the parser's word for "stopped"
        return None
    return None if budget.spent or root.has_error else root


class _Budget:
    """Hands a text to the parser and counts what the parser does with it."""

    __slots__ = ("_reads", "_steps", "_text")

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._steps = MAX_STEPS
        self._reads = READS_PER_CHUNK * (len(text) // CHUNK) + _READS_TO_START

    @property
    def spent(self) -> bool:
        return self._reads < 0 or self._steps < 0

    def read(self, offset: int, _point: Point) -> bytes:
        """The bytes from ``offset`` on; none when the budget is spent, so that a long look ahead ends at once."""
        self._reads -= 1
        return b"" if self.spent else self._text[offset : offset + CHUNK]

    def over(self, _offset: int, has_error: bool) -> bool:  # noqa: FBT001 - the parser's own signature
        """Whether the parser shall stop."""
        self._steps -= 1
        return has_error or self.spent
