"""The explanation for people: a tree of turns, the sentence first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from rich.cells import cell_len
from rich.console import Console, Group
from rich.text import Text
from rich.tree import Tree

from otel_footprint.cli.account import add_account
from otel_footprint.explanation import (
    CallExplanation,
    Explanation,
    NoteExplanation,
    ScriptExplanation,
    SignalExplanation,
    Tone,
    UnreachedExplanation,
)
from otel_footprint.files import Record
from otel_footprint.writers import redact
from otel_footprint.writers.plain import one_line, safe, safe_lines
from otel_footprint.writers.redact import redact_id

_TONES: Final[Mapping[Tone, str]] = {"bad": "bold red", "warn": "bold yellow", "ok": "bold green", "unknown": "bold"}
_STANDINGS: Final[Mapping[str, str]] = {"ask": "yellow", "not-sure": "yellow", "known": "green"}
_QUIET: Final = "dim"
_OUTCOMES: Final[Mapping[str, str]] = {"ran": "", "failed": "red", "refused": "yellow", "declined": "yellow"}
_SCRIPT_OUTCOMES: Final[Mapping[str, str]] = {"completed-with-failure": "red", "outcome-unknown": "yellow"}
_CAME_BACK: Final[Mapping[str, str]] = {
    "declared-absent": "nothing there, and it said what it searched",
    "undeclared-empty": "no rows",
    "clarify": "asked back instead of answering",
}
_NOTES: Final[Mapping[str, str]] = {
    "hosted": "run by the provider",
    "layers-disagree": "another record of it says that it went well",
    "no-span": "asked for, and no execution seen",
    "paused": "stopped to ask a person",
    "protocol-error": "the protocol answered in its place; whether it ran is not recorded",
}
_TITLE_WIDTH: Final = len("incomplete") + 3
_MASKED: Final = "exit-code-masked"
_SHORT: Final = 160
"""Characters of a question or an answer that are shown."""
_MAX_TOOL_WIDTH: Final = 32


def print_record(record: Record, console: Console, *, programs: bool = False) -> None:
    """Print a record's turns and, below them, a line of totals.

    Args:
        record: What was read.
        console: Where to print; its width and colours are used.
        programs: Show the text of the programs too.
    """
    renderer = _Renderer(record, programs=programs)
    for turn in renderer.top:
        console.print(renderer.tree(turn))
        console.print()
    if record.explanations:
        console.print(_totals(record))


class _Renderer:
    """Knows which turns ran inside which calls."""

    def __init__(self, record: Record, *, programs: bool) -> None:
        self._programs = programs
        self._inside: dict[tuple[str, str], list[Explanation]] = {}
        self.top: list[Explanation] = []
        known = {(e.trace_id, e.span_id) for e in record.explanations}
        for explanation in record.explanations:
            key = (explanation.trace_id, explanation.span_id)
            outer = record.ran_in.get(key) or explanation.nested_in
            is_inside = explanation.nested_in is not None and (explanation.trace_id, explanation.nested_in) in known
            if outer is None or not is_inside or explanation.nested_in == explanation.span_id:
                self.top.append(explanation)
            else:
                self._inside.setdefault((explanation.trace_id, outer), []).append(explanation)

    def tree(self, turn: Explanation) -> Tree:
        """A turn with the turns inside it."""
        tree = Tree(_heading(turn), guide_style=_QUIET)
        tree.add(_titled("trace", Text(turn.trace_id, style=_QUIET)))
        self._fill(tree, turn)
        return tree

    def _fill(self, tree: Tree, turn: Explanation) -> None:
        tree.add(_titled("span", _where(turn)))
        tree.add(_titled("asked", _quoted(turn.question, "the question is not recorded")))
        unanswered = "the answer is not recorded" if turn.finished else "not finished: no answer is recorded"
        tree.add(_titled("answered", _quoted(turn.answer, unanswered)))
        self._add_calls(tree, turn)
        for nested in self._inside.get((turn.trace_id, turn.span_id), ()):
            self._add_turn(tree, nested)
        _add_lines(tree, "found", map(_signal, turn.signals), turn.counts.signals_omitted)
        _add_lines(tree, "reasons", (_sentence(reason.about) for reason in turn.reasons))
        _add_lines(tree, "notes", map(_with_switch, turn.notes))
        _add_lines(tree, "not checked", map(_with_switch, turn.unreached), turn.counts.lines_omitted)
        tree.add(_titled("checks", _checks(turn)))
        if turn.standing is not None:
            tree.add(_titled("standing", Text(turn.standing, style=_STANDINGS.get(turn.standing, ""))))
        if turn.account is not None:
            add_account(tree, turn.account)
        if turn.incomplete:
            words = ", ".join(safe(redact(reason)).replace("-", " ") for reason in turn.incomplete)
            tree.add(_titled("incomplete", Text(words, style="yellow")))

    def _add_calls(self, tree: Tree, turn: Explanation) -> None:
        scripts = list(turn.scripts)
        if turn.calls:
            branch = tree.add(_title("calls"))
            tool_width = min(_MAX_TOOL_WIDTH, max(cell_len(_tool(call.tool)) for call in turn.calls))
            outcome_width = max(len(call.outcome) for call in turn.calls)
            for call in turn.calls:
                script = next((one for one in scripts if _is_of(one, call)), None)
                node = branch.add(_call(call, script, tool_width, outcome_width))
                if script is not None:
                    scripts.remove(script)
                    self._add_program(node, script)
                for nested in self._inside.get((turn.trace_id, call.span_id or ""), ()):
                    self._add_turn(node, nested)
        if scripts or turn.counts.scripts_dropped:
            branch = tree.add(_title("programs"))
            for script in scripts:
                self._add_program(branch.add(_sentence(script.about)), script)
            _add_more(branch, turn.counts.scripts_dropped)

    def _add_turn(self, tree: Tree, turn: Explanation) -> None:
        self._fill(tree.add(_heading(turn)), turn)

    def _add_program(self, tree: Tree, script: ScriptExplanation) -> None:
        if script.exit_means is not None:
            tree.add(_sentence(script.exit_means))
        if self._programs and script.text is not None:
            tree.add(Text("\n".join(safe_lines(script.text)), style="cyan"))


def _heading(turn: Explanation) -> Group:
    """The tone and the sentence; below, whose turn it is."""
    tone = turn.summary.tone
    first = Text.assemble((f"● {tone}", _TONES[tone]), "  ", _sentence(turn.summary.about))
    if turn.reasons and tone == "ok":
        # The checks ask other questions than the reasons do: one that is content is no word for the other.
        first.append(" " + _many(len(turn.reasons), "reason") + " not to be sure of the answer.", style="yellow")
    hiding = sum(note.id == _MASKED for note in turn.notes)
    if hiding and tone == "ok":
        # The exit codes that the checks took in do not tell this.
        first.append(f" In {_many(hiding, 'program')} a command may have failed unseen.", style="yellow")
    whose = [
        redact_id(turn.agent) if turn.agent else "unnamed agent",
        f"turn {turn.turn}" if turn.turn is not None else "",
        f"conversation {redact_id(turn.conversation_id)}" if turn.conversation_id else "",
    ]
    return Group(first, Text(safe(" · ".join(filter(None, whose))), style=_QUIET))


def _where(turn: Explanation) -> Text:
    """How to find the turn in its trace."""
    name = f"{redact_id(turn.name)} " if turn.name else ""
    stands_in = ", which stands in for a turn span" if turn.stand_in else ""
    return Text(safe(f"{name}{turn.span_id}{stands_in}"), style=_QUIET)


def _call(call: CallExplanation, script: ScriptExplanation | None, tool_width: int, outcome_width: int) -> Text:
    """One line: the tool, how the call ended, how its program ended, what came back."""
    tool = _tool(call.tool)
    line = Text(tool + " " * (tool_width - cell_len(tool)) + "  ")
    line.append(call.outcome.ljust(outcome_width), style=_OUTCOMES.get(call.outcome, ""))
    separator = "  "
    if script is not None:
        line.append(separator)
        line.append(safe(redact(_without_tool(script))), style=_SCRIPT_OUTCOMES.get(script.outcome, ""))
        separator = "; "
    came_back = _came_back(call)
    if came_back:
        line.append(separator)
        line.append(came_back, style="" if call.emptiness == "undeclared-empty" else _QUIET)
        separator = "; "
    for note in call.notes:
        if note in _NOTES:
            line.append(separator + _NOTES[note], style="yellow" if note == "layers-disagree" else _QUIET)
            separator = "; "
    line.rstrip()
    return line


def _without_tool(script: ScriptExplanation) -> str:
    """The sentence of a script row beside its call, where the tool's name stands already."""
    return script.about.removeprefix(f"{script.tool}: ")


def _came_back(call: CallExplanation) -> str:
    if not call.result_recorded and call.rows is None:
        return "result not recorded" if call.outcome == "ran" else ""
    if call.emptiness == "non-empty":
        return "" if call.rows is None else f"{call.rows} row" + "s" * (call.rows != 1)
    return _CAME_BACK.get(call.emptiness, "")


def _is_of(script: ScriptExplanation, call: CallExplanation) -> bool:
    """Whether a script row is that of a call: by its span, else by the provider's id; those without stand in order."""
    if script.tool != (call.tool or script.tool):
        return False
    if call.span_id is not None:
        return script.span_id == call.span_id
    if call.call_id is None:
        return call.code_run and script.span_id is None and script.call_id is None
    return script.call_id == call.call_id


def _signal(signal: SignalExplanation) -> Text:
    mark = ("✗ ", "red") if signal.tone == "bad" else ("! ", "yellow")
    return Text.assemble(mark, _sentence(signal.about))


def _with_switch(line: UnreachedExplanation | NoteExplanation) -> Text:
    text = _sentence(line.about)
    if line.enable:
        text.append("\nswitch on: ", style=_QUIET)
        text.append(safe(redact(line.enable)), style="cyan")
    return text


def _checks(turn: Explanation) -> Text:
    parts = (
        ("ran", turn.checks.reachable, "green"),
        ("could not be run", turn.checks.unreachable, "yellow"),
        ("does not apply", turn.checks.not_applicable, _QUIET),
    )
    line = Text()
    for title, names, style in parts:
        if names:
            line.append("; " if line else "")
            line.append(f"{title}: ", style=_QUIET)
            line.append(", ".join(names), style=style)
    return line


def _totals(record: Record) -> Text:
    tones = [explanation.summary.tone for explanation in record.explanations]
    line = Text(f"{_many(len(tones), 'turn')} in {_many(record.spans, 'span')}: ")
    counted = [(tone, tones.count(tone)) for tone in _TONES if tone in tones]
    for index, (tone, count) in enumerate(counted):
        line.append(", " if index else "")
        line.append(f"{count} {tone}", style=_TONES[tone])
    return line


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" + "s" * (count != 1)


def _tool(tool: str | None) -> str:
    return "unnamed tool" if tool is None else one_line(redact_id(tool), _MAX_TOOL_WIDTH)


def _sentence(about: str) -> Text:
    return Text(safe(redact(about)))


def _quoted(text: str | None, without: str) -> Text:
    return Text(without, style=_QUIET) if text is None else Text(one_line(redact(text), _SHORT))


def _title(title: str) -> Text:
    return Text(title, style=_QUIET)


def _titled(title: str, content: Text) -> Text:
    return Text.assemble((title.ljust(_TITLE_WIDTH), _QUIET), content)


def _add_lines(tree: Tree, title: str, lines: Iterable[Text], omitted: int = 0) -> None:
    shown = list(lines)
    if shown or omitted:
        branch = tree.add(_title(title))
        for line in shown:
            branch.add(line)
        _add_more(branch, omitted)


def _add_more(tree: Tree, count: int) -> None:
    if count:
        tree.add(Text(f"and {count} more", style=_QUIET))
