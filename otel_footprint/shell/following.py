"""Whose status becomes the program's exit code, and whose failure it does not tell.

The shell's rules for statuses, applied to a program that is read but not run. Where the way through depends on
what happens, every way is kept: an *owner* is a command together with when the exit code is its own. What is
said of a *masked* command must hold on every way, so a command whose status the program looks at, whatever it
then does, is not called masked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from otel_footprint.shell.commands import JUMPS, NEVER_MASKED, TALK, looks_at_status, may_report
from otel_footprint.shell.owners import (
    NOTHING,
    UNKNOWN,
    Outcome,
    Owner,
    fails,
    if_failed,
    if_zero,
    inverted,
    joined,
    quiet,
    tripping,
    wrapped,
)
from otel_footprint.shell.program import (
    AndOr,
    Block,
    Case,
    Command,
    If,
    Item,
    Loop,
    Node,
    Not,
    Pipeline,
    Simple,
    Word,
)
from otel_footprint.shell.wrappers import set_options

MAX_STEPS: Final = 20_000
"""Commands and statements followed; functions that call functions can have more ways than anyone reads."""

MAX_DEPTH: Final = 80
"""How deep statements and calls of functions may lie in each other."""

MAX_OWNERS: Final = 200
"""More ways to one exit code tell nobody anything."""

_FIXED: Final = {"true": 0, ":": 0, "false": 1}
_BYTE: Final = 256


class TooMuchError(Exception):
    """The program has more ways than are followed."""


@dataclass(slots=True, kw_only=True)
class Flow:
    """Follows one program."""

    is_question: Callable[[Command], bool]
    """Whether a failure of the command is an answer: ``grep``, ``test``."""
    errexit: bool = False
    pipefail: bool = False
    unsure: bool = False
    """What happens depends on the run."""
    trapped: bool = False
    """A trap may report, or change, what is read here."""
    _masked: dict[int, Command] = field(default_factory=dict)
    _functions: dict[str, Node] = field(default_factory=dict)
    _saved: dict[str, tuple[Owner, ...]] = field(default_factory=dict)
    """Variables that hold a status nobody has looked at."""
    _pending: tuple[Owner, ...] = (NOTHING,)
    """The status of the statement before, ``$?``."""
    _stages: tuple[tuple[Owner, ...], ...] = ()
    """The last pipeline, ``PIPESTATUS``."""
    _background: list[Owner] = field(default_factory=list)
    _calls: int = 0
    _depth: int = 0
    _steps: int = 0

    def program(self, block: Block) -> tuple[Owner, ...]:
        """All ways to the program's exit code, the last in the program last.

        Raises:
            TooMuchError: there are too many.
        """
        owners = self._block(block, checked=False).whole
        for saved in self._saved.values():
            self._drop(saved)
        return owners

    def masked(self) -> tuple[Command, ...]:
        """Commands whose failure the exit code does not tell, in the order of the program."""
        return tuple(self._masked[order] for order in sorted(self._masked))

    # -- one kind of node each ----------------------------------------------------------------------------------

    def _follow(self, node: Node, *, checked: bool) -> Outcome:
        """How a node ends.

        Args:
            node: what to follow.
            checked: its status is looked at, so ``set -e`` does not act inside it.
        """
        self._steps += 1
        self._depth += 1
        if self._steps > MAX_STEPS or self._depth > MAX_DEPTH:
            raise TooMuchError
        outcome = self._outcome(node, checked=checked)
        self._depth -= 1
        _few_enough(outcome.whole)
        return outcome

    def _outcome(self, node: Node, *, checked: bool) -> Outcome:  # noqa: PLR0911 - a line for each kind of node
        match node:
            case Simple():
                return self._simple(node, checked=checked)
            case Pipeline():
                return self._pipeline(node, checked=checked)
            case AndOr():
                return self._and_or(node, checked=checked)
            case Not():
                inner = self._follow(node.body, checked=True)
                return replace(inner, ends=tuple(map(inverted, inner.ends)))
            case Block():
                return self._block(node, checked=checked)
            case If():
                return self._if(node, checked=checked)
            case Loop():
                return self._loop(node, checked=checked)
            case Case():
                return self._case(node, checked=checked)
        self._functions[node.name] = node.body
        return Outcome(ends=(NOTHING,))

    def _block(self, block: Block, *, checked: bool) -> Outcome:
        errexit, pipefail = self.errexit, self.pipefail
        self._substitutions(block.inner)
        ends: tuple[Owner, ...] = (NOTHING,)
        exits: list[Owner] = []
        returns: list[Owner] = []
        for index, item in enumerate(block.items):
            if index:
                exits += self._leave(ends, item.node, checked=checked)
            outcome = self._item(item, checked=checked)
            ends = outcome.ends
            exits += outcome.exits
            returns += outcome.returns
            if not ends:
                break
        outcome = Outcome(ends=ends, exits=tuple(exits), returns=tuple(returns))
        if block.subshell:
            self.errexit, self.pipefail = errexit, pipefail
            return Outcome(ends=tripping(outcome.whole))
        return outcome

    def _item(self, item: Item, *, checked: bool) -> Outcome:
        if not item.background:
            return self._follow(item.node, checked=checked)
        owners = self._follow(Block(items=(Item(node=item.node),), subshell=True), checked=True).ends
        self._drop(owners)
        self._background += owners
        return Outcome(ends=(NOTHING,))

    def _leave(self, ends: tuple[Owner, ...], following: Node, *, checked: bool) -> list[Owner]:
        """What becomes of a status when the program goes on to ``following``: the ways that end it there instead."""
        ending: list[Owner] = []
        if self.errexit and not checked:
            ending = [owner for owner in ends if owner.trips and not quiet(owner)]
            ends = (*(owner for owner in ends if not owner.trips or quiet(owner)), *if_zero(ending))
        self._pending = ends
        if not looks_at_status(following):
            self._drop(ends)
        return list(if_failed(ending))

    def _and_or(self, node: AndOr, *, checked: bool) -> Outcome:
        outcome = self._follow(node.first, checked=True)
        ends, exits, returns = outcome.ends, list(outcome.exits), list(outcome.returns)
        for index, (operator, right) in enumerate(node.rest):
            if not ends:
                break
            going, staying = (if_zero, if_failed) if operator == "&&" else (if_failed, if_zero)
            self._pending = going(ends)
            after = self._follow(right, checked=checked or index + 1 < len(node.rest))
            kept = staying(ends)
            if operator == "||" and not may_report(right, self._functions):
                self._drop(owner for owner in ends if not self._questions(owner))
            if operator == "&&" and isinstance(right, Simple) and right.command.name in JUMPS:
                kept = tuple(replace(owner, asked=True) for owner in kept)
            ends = (*(replace(owner, trips=False) for owner in kept), *after.ends)
            _few_enough(ends)
            exits += after.exits
            returns += after.returns
        return Outcome(ends=ends, exits=tuple(exits), returns=tuple(returns))

    def _pipeline(self, node: Pipeline, *, checked: bool) -> Outcome:
        stages = [
            self._follow(Block(items=(Item(node=stage),), subshell=True), checked=checked).ends for stage in node.stages
        ]
        self._stages = tuple(stages)
        names = [next((owner.command.name for owner in reversed(stage) if owner.command), None) for stage in stages]
        last = tuple(replace(owner, writer=names[-2]) for owner in stages[-1])
        if not self.pipefail:
            for stage in stages[:-1]:
                self._drop(stage)
            return Outcome(ends=last)
        ends = [replace(owner, piped=True) for owner in last]
        for stage, reader in reversed(list(zip(stages[:-1], names[1:], strict=True))):
            ends[:0] = [replace(owner, piped=True, reader=reader) for owner in if_failed(stage)]
        return Outcome(ends=tuple(ends))

    def _if(self, node: If, *, checked: bool) -> Outcome:
        self.unsure = True
        parts: list[Outcome] = []
        for condition, body in node.branches:
            asked = self._follow(condition, checked=True)
            parts += [replace(asked, ends=()), self._follow(body, checked=checked)]
            if len(node.branches) == 1:  # of several, a failure leads to the next condition
                self._drop_condition(asked.ends, body, node.otherwise)
        if node.otherwise is None:
            return joined([Outcome(ends=(NOTHING,)), *parts])
        return joined([*parts, self._follow(node.otherwise, checked=checked)])

    def _drop_condition(self, asked: tuple[Owner, ...], body: Block, otherwise: Block | None) -> None:
        """Mask the commands of a condition whose failure leads to a branch that cannot report it."""
        for owner in asked:
            failing = body if owner.inverted else otherwise
            if not self._questions(owner) and (failing is None or not may_report(failing, self._functions)):
                self._drop([replace(owner, inverted=False)])

    def _loop(self, node: Loop, *, checked: bool) -> Outcome:
        self.unsure = True
        self._substitutions(node.inner)
        condition = self._follow(node.condition, checked=True)
        body = self._follow(node.body, checked=checked)
        # Only the last time round is reported.
        exits = self._leave(body.ends, node.body, checked=checked)
        return Outcome(
            ends=(NOTHING, *body.ends),
            exits=(*condition.exits, *exits, *body.exits),
            returns=(*condition.returns, *body.returns),
        )

    def _case(self, node: Case, *, checked: bool) -> Outcome:
        self.unsure = True
        self._substitutions(node.inner)
        self._use(node.reads)
        return joined([Outcome(ends=(NOTHING,)), *(self._follow(body, checked=checked) for body in node.bodies)])

    # -- commands -----------------------------------------------------------------------------------------------

    def _simple(self, node: Simple, *, checked: bool) -> Outcome:
        pending = self._pending
        name = node.command.name
        inside = self._substitutions(node.inner, keep_last=not node.command.words and node.status_inside)
        looks = name not in TALK and name not in {"exit", "return"} and not node.assigned
        for variable, value in node.assigned:
            held = self._held(value, pending)
            if held is None:
                looks = True
            else:
                self._saved[variable] = held
        if looks:
            self._use(node.reads)
        if not node.command.words:
            return Outcome(ends=inside)
        outcome = self._named(node, pending, checked=checked)
        if "exec" in node.command.wrappers:
            return Outcome(exits=outcome.whole)
        return outcome

    def _named(self, node: Simple, pending: tuple[Owner, ...], *, checked: bool) -> Outcome:
        """A command with a name: one that the shell gives a meaning to, else any other."""
        command = node.command
        if node.program is not None:
            return self._given_program(node, node.program, checked=checked)
        if command.name in self._functions:
            return self._called(self._functions[command.name], checked=checked)
        if command.name in {"exit", "return"}:
            owners = self._explicit(command.words[1:], pending)
            inside = command.name == "return" and self._calls
            return Outcome(returns=owners) if inside else Outcome(exits=owners)
        if command.name == "wait" and len(command.words) > 1 and self._background:
            return self._waited()
        self._switch(command)
        return Outcome(ends=(Owner(command=command, fixed=_FIXED.get(command.name or "")),))

    def _switch(self, command: Command) -> None:
        """What a command changes for those after it."""
        if command.name == "set":
            switched = set_options([word.text or "" for word in command.words[1:]])
            self.errexit = switched.get("errexit", self.errexit)
            self.pipefail = switched.get("pipefail", self.pipefail)
        self.trapped = self.trapped or command.name == "trap"
        self.unsure = self.unsure or command.name is None

    def _given_program(self, node: Simple, program: Block, *, checked: bool) -> Outcome:
        outer = self.errexit, self.pipefail
        if node.command.name == "eval":
            return self._block(program, checked=checked)
        self.errexit, self.pipefail = "errexit" in node.flags, "pipefail" in node.flags
        owners = self._block(replace(program, subshell=True), checked=False).ends
        self.errexit, self.pipefail = outer
        around = node.command.wrappers
        return Outcome(ends=tuple(wrapped(owner, around) for owner in owners))

    def _called(self, body: Node, *, checked: bool) -> Outcome:
        self._calls += 1
        outcome = self._follow(body, checked=checked)
        self._calls -= 1
        return Outcome(ends=tripping((*outcome.returns, *outcome.ends)), exits=outcome.exits)

    def _explicit(self, arguments: tuple[Word, ...], pending: tuple[Owner, ...]) -> tuple[Owner, ...]:
        if not arguments:
            return pending
        held = self._held(arguments[0], pending)
        if held is not None:
            self._saved = {name: owners for name, owners in self._saved.items() if owners != held}
            return held
        text = arguments[0].text
        if text is None or not text.isascii() or not text.isdigit() or len(text) > len(str(_BYTE)):
            self.unsure = True
            return (UNKNOWN,)
        return (Owner(command=None, fixed=int(text) % _BYTE, explicit=True),)

    def _held(self, value: Word, pending: tuple[Owner, ...]) -> tuple[Owner, ...] | None:
        """The status that a word holds; ``None`` when it holds none that is known."""
        match value.variable:
            case "?":
                return pending or None
            case str(name) if name.startswith("PIPESTATUS"):
                stage = int(name[len("PIPESTATUS[") : -1])
                owners = self._stages[stage] if stage < len(self._stages) else ()
                self._unmask(owners)
                return owners or None
            case str(name):
                return self._saved.get(name) or None
        return None

    def _waited(self) -> Outcome:
        owners = tuple(self._background)
        self.unsure = self.unsure or len(owners) > 1
        self._unmask(owners)
        return Outcome(ends=owners)

    def _use(self, names: frozenset[str]) -> None:
        """The program looks at variables: a status among them is no longer unseen."""
        if "PIPESTATUS" in names:
            for stage in self._stages:
                self._unmask(stage)
        for name in names & self._saved.keys():
            del self._saved[name]
            self.unsure = True

    def _substitutions(self, programs: tuple[Block, ...], *, keep_last: bool = False) -> tuple[Owner, ...]:
        """Follow the programs of substitutions; their statuses are lost but, where an assignment takes it, the last."""
        pending, errexit = self._pending, self.errexit
        kept: tuple[Owner, ...] = (NOTHING,)
        self.errexit = False
        for index, program in enumerate(programs):
            ends = self._follow(program, checked=True).ends
            if keep_last and index + 1 == len(programs):
                kept = ends
            else:
                self._drop(ends)
        self._pending, self.errexit = pending, errexit
        return kept

    # -- masking ------------------------------------------------------------------------------------------------

    def _drop(self, owners: Iterable[Owner]) -> None:
        for owner in owners:
            command = owner.command
            if command is None or command.name is None or command.name in NEVER_MASKED:
                continue
            if fails(owner) and not owner.inverted and not owner.asked:
                self._masked[command.order] = command

    def _unmask(self, owners: Iterable[Owner]) -> None:
        for owner in owners:
            if owner.command is not None:
                self._masked.pop(owner.command.order, None)

    def _questions(self, owner: Owner) -> bool:
        return owner.command is not None and self.is_question(owner.command)


def _few_enough(owners: tuple[Owner, ...]) -> None:
    if len(owners) > MAX_OWNERS:
        raise TooMuchError
