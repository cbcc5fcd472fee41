"""A shell program as far as its exit code goes: which commands it holds and how their statuses are put together.

The values hold no quoting, no redirection and no expansion; a substitution is kept as the program inside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word of a command."""

    text: str | None
    """Its value; ``None`` when the shell computes it."""
    template: str | None = None
    """The word with its expansions as written, without the quotes around it; ``None`` for one that is an expansion."""
    variable: str | None = None
    """The one variable whose value the word is (``rc``, ``?``, ``PIPESTATUS[0]``); ``None`` for any other word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command by its name, without what was put in front of it."""

    name: str | None
    """The last part of its path, ``$NAME`` for a name kept in a variable; ``None`` when it cannot be told."""
    words: tuple[Word, ...]
    """The name and the arguments; empty for assignments and redirections alone."""
    wrappers: tuple[str, ...] = ()
    """The commands that ran it, outermost first: ``timeout``, ``sudo``, ``python``."""
    order: int
    """Where it stands among the commands of the whole program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Simple:
    """A simple command, a test, a declaration, or assignments alone."""

    command: Command
    assigned: tuple[tuple[str, Word], ...] = ()
    """Variables set here, with their values."""
    inner: tuple[Block, ...] = ()
    """The programs of its substitutions."""
    status_inside: bool = False
    """The last of :attr:`inner` is a command substitution, so an assignment alone takes its status."""
    reads: frozenset[str] = frozenset()
    """Names of the variables it may read."""
    program: Block | None = None
    """The program handed to a shell: ``bash -c '...'``, ``eval '...'``."""
    flags: frozenset[Literal["errexit", "pipefail"]] = frozenset()
    """Options of the shell that runs :attr:`program`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """Commands joined by ``|``; at least two."""

    stages: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AndOr:
    """Commands joined by ``&&`` and ``||``, from left to right."""

    first: Node
    rest: tuple[tuple[Literal["&&", "||"], Node], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Not:
    """``! command``."""

    body: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One statement of a block."""

    node: Node
    background: bool = False
    """It is followed by ``&``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Statements one after another."""

    items: tuple[Item, ...] = ()
    subshell: bool = False
    """It runs in a shell of its own."""
    inner: tuple[Block, ...] = ()
    """Programs of substitutions in its redirections."""


@dataclass(frozen=True, slots=True, kw_only=True)
class If:
    """``if``, each ``elif`` and ``else``."""

    branches: tuple[tuple[Block, Block], ...]
    """Condition and body; at least one."""
    otherwise: Block | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """``for``, ``while``, ``until`` or ``select``."""

    body: Block
    condition: Block = Block()
    """Empty for loops over words."""
    inner: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """``case``."""

    bodies: tuple[Block, ...]
    inner: tuple[Block, ...] = ()
    reads: frozenset[str] = frozenset()
    """Names of the variables its subject may read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """The definition of a function."""

    name: str
    body: Node


Node = Simple | Pipeline | AndOr | Not | Block | If | Loop | Case | Function
"""Anything that has an exit status."""
