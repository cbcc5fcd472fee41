"""Ways to an exit code: which command's status it is, and when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal

from otel_footprint.shell.commands import QUIET
from otel_footprint.shell.program import Command

When = Literal["any", "zero", "nonzero"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """One way to the exit code."""

    command: Command | None
    """``None``: no command's, such as that of an assignment or an explicit ``exit 3``."""
    when: When = "any"
    """For which exit codes this way is open."""
    fixed: int | None = None
    """The only status it can have; ``None``: any."""
    explicit: bool = False
    """The program states the status itself: ``exit 3``."""
    inverted: bool = False
    """``!`` turned the command's own status."""
    reader: str | None = None
    """The command that reads its output, where ``pipefail`` lets an earlier stage decide."""
    writer: str | None = None
    """The command whose output it reads, of a pipeline's last stage."""
    piped: bool = False
    """It is a stage of a pipeline of which, by ``pipefail``, any stage may decide."""
    trips: bool = True
    """Under ``set -e`` its failure ends the program."""
    asked: bool = False
    """Its status steers the program."""

    def can_be(self, exit_code: int) -> bool:
        """Whether the exit code can have come this way."""
        if self.fixed is not None and self.fixed != exit_code:
            return False
        if self.inverted and exit_code not in {0, 1}:
            return False
        return self.when == "any" or (self.when == "zero") == (exit_code == 0)


NOTHING: Final = Owner(command=None, fixed=0)
"""A status of 0 that is no command's own."""

UNKNOWN: Final = Owner(command=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a statement ends."""

    ends: tuple[Owner, ...] = ()
    """It ends and the program goes on; empty when it never does."""
    exits: tuple[Owner, ...] = ()
    """It ends the program, or the shell it runs in."""
    returns: tuple[Owner, ...] = ()
    """It ends the function it stands in."""

    @property
    def whole(self) -> tuple[Owner, ...]:
        """All ways, for a statement with a shell of its own."""
        return (*self.exits, *self.returns, *self.ends)


def quiet(owner: Owner) -> bool:
    """Whether its command does not fail in practice."""
    return owner.command is not None and owner.command.name in QUIET and not owner.inverted


def joined(outcomes: Iterable[Outcome]) -> Outcome:
    """All ways of several statements of which any may run."""
    all_of = list(outcomes)
    return Outcome(
        ends=tuple(owner for outcome in all_of for owner in outcome.ends),
        exits=tuple(owner for outcome in all_of for owner in outcome.exits),
        returns=tuple(owner for outcome in all_of for owner in outcome.returns),
    )


def inverted(owner: Owner) -> Owner:
    """The way with ``!`` before it."""
    when: dict[When, When] = {"any": "any", "zero": "nonzero", "nonzero": "zero"}
    # Turned twice, only whether it failed is left of a status: no longer the command's own code.
    command = None if owner.inverted else owner.command
    fixed = None if owner.fixed is None else int(owner.fixed == 0)
    return replace(owner, command=command, when=when[owner.when], fixed=fixed, inverted=True, trips=False)


def fails(owner: Owner) -> bool:
    """Whether this way can end with a failure."""
    return owner.when != "zero" and owner.fixed != 0


def if_failed(owners: Iterable[Owner]) -> tuple[Owner, ...]:
    """The ways that are left when the status was not 0."""
    return tuple(replace(owner, when="nonzero") for owner in owners if fails(owner))


def if_zero(owners: Iterable[Owner]) -> tuple[Owner, ...]:
    """The ways that are left when the status was 0."""
    return tuple(replace(owner, when="zero") for owner in owners if owner.when != "nonzero" and not owner.fixed)


def tripping(owners: Iterable[Owner]) -> tuple[Owner, ...]:
    """The ways of one command, such as a subshell or a function: however it failed, ``set -e`` sees it fail."""
    return tuple(replace(owner, trips=True) for owner in owners)


def wrapped(owner: Owner, wrappers: tuple[str, ...]) -> Owner:
    """The way of a command that others ran, outermost first."""
    if owner.command is None or not wrappers:
        return owner
    return replace(owner, command=replace(owner.command, wrappers=(*wrappers, *owner.command.wrappers)))
