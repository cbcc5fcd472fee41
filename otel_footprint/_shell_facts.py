"""What the text of a shell program says of the exit code that is recorded of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from otel_footprint.catalogue.exit_meanings import MAX_CODE, ExitMeanings, shipped_meanings
from otel_footprint.config import Config
from otel_footprint.facts import CodeRun, ShellFacts, ToolCall
from otel_footprint.shell import exit_means, installed, masks, read_shell

LANGUAGES: Final = frozenset({"bash", "sh", "shell"})
"""Languages of a program that a POSIX shell or Bash runs."""

MAX_PROGRAMS: Final = 16
"""Calls of a turn that get a script row; no more programs are read."""


def with_shell_facts(calls: Sequence[ToolCall], config: Config) -> list[ToolCall]:
    """The calls of a turn, those that have a script row with what their program's text says of their exit code."""
    found = list(calls)
    left = MAX_PROGRAMS
    meanings: ExitMeanings | None = None
    for index, call in enumerate(calls):
        run = call.code_run
        if run is None or (run.program.recorded and not isinstance(run.program.value, str)):
            continue
        if left == 0:
            break
        left -= 1
        if _is_to_read(run):
            meanings = meanings or shipped_meanings().extended(config.exit_meanings)
            facts = _facts(run.program.value, run.exit_code, meanings)
            found[index] = replace(call, code_run=replace(run, shell=facts))
    return found


def _is_to_read(run: CodeRun) -> bool:
    code = run.exit_code
    has_exit = isinstance(code, int) and not isinstance(code, bool)
    return has_exit and run.program.recorded and (run.language or "").lower() in LANGUAGES


def _facts(program: str, exit_code: int, meanings: ExitMeanings) -> ShellFacts:
    if not installed():
        return ShellFacts(state="not-installed")
    reading = read_shell(program)
    if reading is None:
        return ShellFacts(state="unread")
    if not 0 <= exit_code <= MAX_CODE:
        # No exit code that a shell reports.
        return ShellFacts(state="read")
    return ShellFacts(
        state="read",
        exit_code_of=reading.reported_by(exit_code),
        exit_means=exit_means(reading, exit_code, meanings),
        hides=reading.masked if masks(reading, exit_code, meanings) else (),
    )
