"""The seven-row account for people: each sentence with who vouches for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rich.text import Text
from rich.tree import Tree

from otel_footprint.writers import redact
from otel_footprint.writers.plain import safe

_QUIET: Final = "dim"
_TITLES: Final[Mapping[str, str]] = {
    "asked": "what was asked",
    "understood": "how it was understood",
    "checked": "what was checked",
    "not-checked": "what was not checked",
    "found": "what was found",
    "how-sure": "how sure it is",
    "anything-wrong": "anything wrong",
}


def add_account(tree: Tree, account: Mapping[str, Any]) -> None:
    """Add the account of one answer under its turn."""
    branch = tree.add(Text("account", style=_QUIET))
    for row in account["rows"]:
        lines = branch.add(Text(_TITLES[row["id"]], style=_QUIET))
        for line in row["lines"]:
            lines.add(_line(line))
        if row["omitted"]:
            lines.add(Text(f"and {row['omitted']} more", style=_QUIET))
    if account["unread"]:
        branch.add(Text(f"recorded values that could not be read: {account['unread']}", style=_QUIET))


def _line(line: Mapping[str, Any]) -> Text:
    text = Text("  - " if line["item"] else "")
    text.append(safe(redact(line["text"])), style="" if line["status"] == "recorded" else _QUIET)
    # Our own words need no voucher beside them; whose claim another sentence is, a reader has to see.
    if line["status"] == "recorded" and line["source"] != "library":
        text.append(f"  ({safe(redact(line['source']))})", style="cyan")
    return text
