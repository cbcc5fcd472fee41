"""What the pages of docs/ show as code, for tests that run it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def fenced(page: str, section: str, language: str) -> list[str]:
    """The lines of the fenced blocks of one language in one section of a page.

    Args:
        page: Below the root.
        section: The text of a heading of the second level.
        language: What stands behind the opening fence.

    Raises:
        LookupError: There is no such block.
    """
    text = (ROOT / page).read_text(encoding="utf-8")
    _, _, below = text.partition(f"\n## {section}\n")
    own = below.partition("\n## ")[0]
    lines = [
        line
        for block in re.findall(rf"^```{language}\n(.*?)^```", own, re.MULTILINE | re.DOTALL)
        for line in block.splitlines()
        if line.strip()
    ]
    if not lines:
        raise LookupError(f"{page} shows no {language} below {section!r}")
    return lines
