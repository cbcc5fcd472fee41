"""Reading a shell program without running it: whose exit code it has, and whose failure the exit code hides."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from otel_footprint.catalogue.exit_meanings import is_question
from otel_footprint.shell import following
from otel_footprint.shell.converting import convert
from otel_footprint.shell.following import Flow
from otel_footprint.shell.owners import Owner, quiet
from otel_footprint.shell.parsing import MAX_BYTES
from otel_footprint.shell.program import Command

_EVEN_QUIET: Final = frozenset({0, 141})
"""Exit codes that a command which does not fail can have too: 141 when nobody reads what it prints."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellReading:
    """What a program's text says of its exit code.

    It is read as a shell without options of its own would run it; a runner that sets ``pipefail`` for every
    program cannot be seen from the text.
    """

    exit_code_of: str | None
    """Name of the command whose exit code the shell reports when the program runs to its end.

    ``None``: an explicit ``exit 3`` or an assignment, a name that cannot be told, or, under ``pipefail``, any of
    several stages."""
    masked: tuple[str, ...]
    """Names of the commands whose failure the shell does not report, each once, in the order of the program."""
    certain: bool
    """Whether :attr:`exit_code_of` holds however the run went; ``False`` when the way through the program depends
    on it."""
    owners: tuple[Owner, ...]
    """Each way to the exit code, the last in the program last; not empty."""

    def owners_of(self, exit_code: int) -> tuple[Owner, ...]:
        """The ways by which this exit code can have come; empty when it does not fit the program."""
        ways = tuple(owner for owner in self.owners if owner.can_be(exit_code))
        telling = tuple(owner for owner in ways if not quiet(owner))
        return telling if telling and exit_code not in _EVEN_QUIET else ways

    def reported_by(self, exit_code: int) -> str | None:
        """Name of the one command whose exit code this is; ``None`` when it can be that of several, or of none."""
        names = {owner.command.name if owner.command else None for owner in self.owners_of(exit_code)}
        return names.pop() if len(names) == 1 else None


@lru_cache(maxsize=64)
def read_shell(program: str) -> ShellReading | None:
    """Read a program for a POSIX shell or Bash.

    Never raises, takes a bounded amount of work, and gives the same reading for the same text.

    Returns:
        ``None``: the extra ``shell`` is not installed, the text is longer than 32 KiB, is not a program that the
        parser understands, holds no command, or has more ways through it than are followed.
    """
    if len(program) > MAX_BYTES:
        return None
    block = convert(program.encode(errors="replace"))
    if block is None or not block.items:
        return None
    flow = Flow(is_question=_asks)
    try:
        owners = flow.program(block)
    except following.TooMuchError:
        return None
    masked = () if flow.trapped else tuple(dict.fromkeys(name for c in flow.masked() if (name := c.name)))
    last = owners[-1]
    several_stages = last.piped and sum(owner.piped and not quiet(owner) for owner in owners) > 1
    return ShellReading(
        exit_code_of=None if several_stages or last.command is None else last.command.name,
        masked=masked,
        certain=len(owners) == 1 and not flow.unsure and not flow.trapped,
        owners=owners,
    )


def _asks(command: Command) -> bool:
    return is_question([word.text for word in command.words])
