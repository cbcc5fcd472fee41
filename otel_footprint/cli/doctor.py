"""What is recorded, for people: a tree a runtime, the switches in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Final

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from otel_footprint.files import Examination, Finding, RuntimeReport, Unchecked
from otel_footprint.writers.plain import one_line, safe
from otel_footprint.writers.redact import redact, redact_id

_STATES: Final[Mapping[str, tuple[str, str]]] = {
    "recorded": ("recorded", "green"),
    "partly": ("in part", "yellow"),
    "not-recorded": ("not recorded", "yellow"),
}
_SPANS: Final = frozenset({"turns", "model calls", "tool calls"})
"""What a runtime has spans of."""
_QUIET: Final = "dim"
_TITLE_WIDTH: Final = len("not recorded") + 3
_SCOPES: Final = 5
"""Scopes of spans that nothing reads that are named."""
_SCOPE_WIDTH: Final = 80


def print_examination(examination: Examination, console: Console) -> None:
    """Print what each runtime records and, below, how much was read."""
    for report in examination.runtimes:
        console.print(_tree(report))
        console.print()
    if examination.record.spans:
        console.print(_totals(examination))


def _tree(report: RuntimeReport) -> Tree:
    tree = Tree(Text(report.runtime, style="bold"), guide_style=_QUIET)
    scopes = ", ".join(one_line(redact_id(scope), _SCOPE_WIDTH) or "no scope" for scope in report.scopes)
    tree.add(_titled("spans", Text(f"{report.spans} of {scopes}, read as {safe(report.dialect)}", style=_QUIET)))
    for state, (title, style) in _STATES.items():
        found = [one for one in report.findings if one.state == state]
        if state == "recorded" and found:
            tree.add(_titled(title, Text(", ".join(map(_amount, found)), style=style)))
        elif found:
            branch = tree.add(Text(title, style=_QUIET))
            for line in _missing(found):
                branch.add(line)
    none = _none_found(report)
    if none:
        tree.add(_titled("none found", Text(", ".join(none), style="yellow")))
    if report.unchecked:
        branch = tree.add(Text("not checked", style=_QUIET))
        for one in report.unchecked:
            branch.add(_unchecked(one))
    if report.limits:
        branch = tree.add(Text("cannot be told", style=_QUIET))
        for sentence in report.limits:
            branch.add(Text(safe(sentence), style=_QUIET))
    return tree


def _unchecked(one: Unchecked) -> Text:
    line = Text(f"{one.check}: {one.missing.replace('-', ' ')}, {_many(one.lines, 'time')}")
    if one.enable:
        line.append("\nswitch on: ", style=_QUIET)
        line.append(safe(redact(one.enable)), style="cyan")
    return line


def _none_found(report: RuntimeReport) -> list[str]:
    """What a runtime that makes turns has no span of."""
    has_turns = any(one.kind == "turns" and one.of for one in report.findings)
    return [one.kind for one in report.findings if has_turns and one.state == "nothing" and one.kind in _SPANS]


def _missing(found: list[Finding]) -> Iterator[Text]:
    """A line a switch, with all that it would record."""
    ordered = sorted(found, key=lambda one: one.enable or "~")
    for enable, group in groupby(ordered, key=lambda one: one.enable):
        line = Text(", ".join(map(_amount, group)), style="yellow")
        line.append("\nswitch on: " if enable else "\nno switch is known", style=_QUIET)
        line.append(safe(enable or ""), style="cyan")
        yield line


def _amount(one: Finding) -> str:
    count = str(one.of) if one.recorded == one.of else f"{one.recorded} of {one.of}"
    kept_out = f" ({one.redacted} kept out or cut)" if one.redacted else ""
    return f"{one.kind} {count}{kept_out}"


def _totals(examination: Examination) -> Text:
    record = examination.record
    text = f"{_many(len(record.explanations), 'turn')} in {_many(record.spans, 'span')}"
    if not examination.unread:
        return Text(text)
    named = [f"{one_line(redact_id(scope), _SCOPE_WIDTH) or 'no scope'} {n}" for scope, n in examination.unread_scopes]
    more = len(named) - _SCOPES
    shown = ", ".join(named[:_SCOPES]) + (f" and {_many(more, 'scope')} more" if more > 0 else "")
    return Text(f"{text}; {_many(examination.unread, 'span')} not read ({shown})")


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" + "s" * (count != 1)


def _titled(title: str, content: Text) -> Text:
    return Text.assemble((title.ljust(_TITLE_WIDTH), _QUIET), content)
