"""What stands on the pages that people read: fenced blocks, commands, links."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "collector" / "README.md"]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!`)\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_MARK = re.compile(r"<!-- (/?)([a-z-]+) -->")
_ASSIGNMENT = re.compile(r"([A-Z][A-Z0-9_]*)=(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    text: str
    section: str | None
    """The name of the ``<!-- name -->`` that it stands behind; ``None`` outside of such a section."""

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One line of a shell block."""

    variables: dict[str, str]
    words: list[str]
    """Empty for a line that only sets variables."""
    output: str | None
    """The file that its output is sent to."""


def blocks(*languages: str) -> list[Block]:
    """The fenced blocks of all pages in these languages; without any, all of them."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in _FENCE.finditer(text):
            if not languages or match[1] in languages:
                line = text.count("\n", 0, match.start()) + 1
                section = _section(text[: match.start()])
                found.append(Block(page=page, line=line, language=match[1], text=match[2], section=section))
    return found


def _section(before: str) -> str | None:
    *_, (closed, name) = [("/", ""), *_MARK.findall(before)]
    return None if closed else name


def commands(block: Block) -> Iterator[Command]:
    """The commands of a shell block, comments left out."""
    for line in block.text.replace("\\\n", " ").splitlines():
        words = shlex.split(line.removeprefix("$ ").removeprefix("export "), comments=True)
        variables = {}
        while words and (match := _ASSIGNMENT.fullmatch(words[0])):
            variables[match[1]] = match[2]
            del words[0]
        output = words[-1] if words[-2:-1] == [">"] else None
        if words or variables:
            yield Command(variables=variables, words=words[:-2] if output else words, output=output)


def links(page: Path) -> list[str]:
    """What a page links to, fenced blocks left out."""
    return _LINK.findall(_FENCE.sub("", page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """The names by which a page's headings are linked to."""
    headings = _HEADING.findall(_FENCE.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}
