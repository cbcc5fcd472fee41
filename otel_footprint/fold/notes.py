"""Notes: what to know when a turn is read. They change no label, no check and no tone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from otel_footprint.explanation import NoteExplanation
from otel_footprint.facts import Turn
from otel_footprint.fold.programs import FiledScript
from otel_footprint.fold.wording import Sentence

MASKED: Final = "exit-code-masked"
NOT_READ: Final = "exit-code-not-read"
MAX_COMMANDS: Final = 3
"""Commands named in one note; the rest is counted."""

_EXTRA: Final = "pip install 'otel-footprint[shell]'"
_ON_RECORD: Final[Mapping[str, str]] = {
    "joined-by-conversation": "note.joinedByConversation",
    "late-spans": "note.lateSpans",
    "logs-ambiguous": "note.logsAmbiguous",
    "parent-ambiguous": "record.parentAmbiguous",
    "parent-inferred": "record.parentInferred",
}


def notes_of(turn: Turn, scripts: Sequence[FiledScript]) -> tuple[NoteExplanation, ...]:
    """The notes on the record, then those on programs in the order of their rows.

    That nothing is installed that reads shell programs is said once a turn.
    """
    found = [*map(_on_record, turn.notes), *_on_programs(scripts)]
    if any(_state(filed) == "not-installed" for filed in scripts):
        found.append(_note(NOT_READ, Sentence(id="note.exitCodeNotRead.noReader"), enable=_EXTRA))
    return tuple(found)


def _on_record(note: str) -> NoteExplanation:
    known = _ON_RECORD.get(note)
    return _note(note, Sentence(id="record.other", vars={"why": note}) if known is None else Sentence(id=known))


def _on_programs(scripts: Iterable[FiledScript]) -> Iterator[NoteExplanation]:
    for filed in scripts:
        shell, values = filed.run.shell, {"tool": filed.row.tool, "exit_code": filed.row.exit_code}
        if shell is not None and _state(filed) == "read" and shell.hides:
            named = [*shell.hides[:MAX_COMMANDS]]
            more = len(shell.hides) - len(named)
            named += [f"{more} more"] if more else []
            yield _note(MASKED, Sentence(id="note.exitCodeMasked", vars={**values, "commands": named}), filed)
        elif _state(filed) == "unread":
            yield _note(NOT_READ, Sentence(id="note.exitCodeNotRead", vars=values), filed)


def _state(filed: FiledScript) -> str | None:
    """How far a program was read; ``None`` when its row has no exit code that it could tell of."""
    shell = filed.run.shell
    return None if shell is None or filed.row.exit_code is None else shell.state


def _note(
    note: str, sentence: Sentence, filed: FiledScript | None = None, *, enable: str | None = None
) -> NoteExplanation:
    pointers = () if filed is None else (filed.program.pointer, filed.run.exit_code_pointer)
    return NoteExplanation(
        about=sentence.text,
        id=note,
        tool=None if filed is None else filed.row.tool,
        call_id=None if filed is None else filed.row.tool_call_id,
        enable=enable,
        evidence=tuple(dict.fromkeys(pointer for pointer in pointers if pointer is not None)),
    )
