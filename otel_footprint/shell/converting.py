"""From the parser's tree to the values of :mod:`otel_footprint.shell.program`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal

from otel_footprint.shell import parsing, wrappers
from otel_footprint.shell.program import (
    AndOr,
    Block,
    Case,
    Command,
    Function,
    If,
    Item,
    Loop,
    Node,
    Not,
    Pipeline,
    Simple,
    Word,
)
from otel_footprint.shell.words import text_of, word_of

if TYPE_CHECKING:
    from tree_sitter import Node as Tree

MAX_DEPTH: Final = 40
"""How deep statements, substitutions and programs in programs may lie in each other."""

_READS: Final = re.compile(r"\$\{?#?([A-Za-z_]\w*|\?|!)")
_NAMES: Final = re.compile(r"[A-Za-z_]\w*")

_SUBSTITUTIONS: Final = frozenset({"command_substitution", "process_substitution"})
_REDIRECTS: Final = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
_NOT_A_NAME: Final = frozenset({"!", "{", "}", "coproc", "then", "fi", "do", "done", "else", "elif", "esac"})
"""Words that the parser takes for a command's name where the shell reads them as syntax."""


class UnreadError(Exception):
    """The tree holds something that is not understood: better no reading than a wrong one."""


def convert(source: bytes) -> Block | None:
    """The program in ``source``; ``None`` when it cannot be read."""
    root = parsing.parse(source)
    if root is None:
        return None
    try:
        return _Converter(source, _Numbers(), 0).block(root.children)
    except UnreadError:
        return None


class _Numbers:
    """Counts the commands of a program and of the programs inside it."""

    __slots__ = ("_next",)

    def __init__(self) -> None:
        self._next = 0

    def take(self) -> int:
        self._next += 1
        return self._next


class _Converter:
    __slots__ = ("_depth", "_numbers", "_source")

    def __init__(self, source: bytes, numbers: _Numbers, depth: int) -> None:
        self._source = source
        self._numbers = numbers
        self._depth = depth

    # -- statements ---------------------------------------------------------------------------------------------

    def block(self, nodes: Sequence[Tree], *, subshell: bool = False) -> Block:
        """Statements and what separates them."""
        items: list[Item] = []
        for node in nodes:
            if node.type == "&" and items:
                items[-1] = Item(node=items[-1].node, background=True)
            elif node.is_named and node.type != "comment":
                items.append(Item(node=self.statement(node)))
        return Block(items=tuple(items), subshell=subshell)

    def statement(self, node: Tree) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise UnreadError
        try:
            return self._statement(node)
        finally:
            self._depth -= 1

    def _statement(self, node: Tree) -> Node:  # noqa: C901, PLR0911 - a line for each kind of statement
        match node.type:
            case "pipeline":
                return self._pipeline([child for child in node.children if child.is_named])
            case "list":
                return self._and_or(node)
            case "redirected_statement":
                return self._redirected(node)
            case "negated_command":
                return Not(body=self.statement(node.children[-1]))
            case "compound_statement" if node.children[0].type == "((":
                return self._test(node)
            case "compound_statement" | "subshell":
                return self.block(node.children[1:-1], subshell=node.type == "subshell")
            case "if_statement":
                return self._if(node)
            case "for_statement" | "c_style_for_statement" | "while_statement":
                return self._loop(node)
            case "case_statement":
                return self._case(node)
            case "function_definition":
                return self._function(node)
        return self._simple(node)

    def _and_or(self, node: Tree) -> Node:
        # A long list leans to the left: walked down here, so that its length is no depth.
        rest: list[tuple[Literal["&&", "||"], Tree]] = []
        while node.type == "list":
            left, right = (child for child in node.children if child.is_named and child.type != "comment")
            rest.append(("&&" if any(child.type == "&&" for child in node.children) else "||", right))
            node = left
        first = self.statement(node)
        return AndOr(first=first, rest=tuple((operator, self.statement(right)) for operator, right in reversed(rest)))

    def _pipeline(self, stages: Sequence[Tree]) -> Node:
        stages = [stage for stage in stages if stage.type != "comment"]
        if stages[0].type == "negated_command":
            # The parser hangs `!` on the first stage; the shell turns the status of the whole pipeline.
            first = self.statement(stages[0].children[-1])
            return Not(body=Pipeline(stages=(first, *map(self.statement, stages[1:]))))
        return Pipeline(stages=tuple(map(self.statement, stages)))

    def _redirected(self, node: Tree) -> Node:
        body: Node | None = None
        inner: list[Block] = []
        tails: list[Tree] = []
        for child in node.children:
            if child.type not in _REDIRECTS:
                body = self.statement(child)
                continue
            tails += [child] if child.type == "heredoc_redirect" else []
            inner += self._inner(_redirect_parts(child))
        if body is None:
            body = self._command(words=(), inner=tuple(inner))
        elif inner:
            body = Block(items=(Item(node=body),), inner=tuple(inner))
        for tail in tails:
            body = self._after_heredoc(body, tail)
        return body

    def _after_heredoc(self, body: Node, redirect: Tree) -> Node:
        """What follows ``<<EOF`` on its line, which the parser puts inside the redirection."""
        operator: Literal["&&", "||"] = "&&"
        for child in redirect.children:
            if child.type == "||":
                operator = "||"
            elif child.type == "pipeline":
                stages = [stage for stage in child.children if stage.is_named]
                body = _piped(body, self.statement(stages[0]) if len(stages) == 1 else self._pipeline(stages))
        right = redirect.child_by_field_name("right")
        return body if right is None else AndOr(first=body, rest=((operator, self.statement(right)),))

    def _if(self, node: Tree) -> If:
        branches = [self._branch(node)]
        otherwise: Block | None = None
        for child in node.children:
            if child.type == "elif_clause":
                branches.append(self._branch(child))
            elif child.type == "else_clause":
                otherwise = self.block(child.children[1:])
        return If(branches=tuple(branches), otherwise=otherwise)

    def _branch(self, node: Tree) -> tuple[Block, Block]:
        children = [child for child in node.children if child.type not in {"elif_clause", "else_clause"}]
        middle = next(index for index, child in enumerate(children) if child.type == "then")
        return self.block(children[1:middle]), self.block(children[middle + 1 :])

    def _loop(self, node: Tree) -> Loop:
        body = node.children[-1]
        condition = Block()
        inner: list[Block] = []
        if node.type == "while_statement":
            condition = self.block(node.children_by_field_name("condition"))
        else:
            inner = self._inner([child for child in node.children if child != body])
        return Loop(body=self.block(body.children[1:-1]), condition=condition, inner=tuple(inner))

    def _case(self, node: Tree) -> Case:
        subject = node.children[1]
        items = [child for child in node.children if child.type == "case_item"]
        bodies = []
        for item in items:
            close = next(index for index, child in enumerate(item.children) if child.type == ")")
            bodies.append(self.block(item.children[close + 1 :]))
        return Case(
            bodies=tuple(bodies),
            inner=tuple(self._inner([subject])),
            reads=frozenset(_READS.findall(text_of(self._source, subject))),
        )

    def _function(self, node: Tree) -> Function:
        [name], [body] = node.children_by_field_name("name"), node.children_by_field_name("body")
        return Function(name=text_of(self._source, name), body=self.statement(body))

    # -- commands -----------------------------------------------------------------------------------------------

    def _simple(self, node: Tree) -> Simple:
        match node.type:
            case "command":
                return self._plain_command(node)
            case "declaration_command" | "unset_command":
                return self._declaration(node)
            case "test_command":
                return self._test(node)
            case "variable_assignment" | "variable_assignments":
                return self._assignments(node)
        raise UnreadError

    def _test(self, node: Tree) -> Simple:
        name = text_of(self._source, node.children[0])
        # Only `[` needs a dollar sign before a variable's name.
        bare = frozenset(() if name == "[" else _NAMES.findall(text_of(self._source, node)))
        inner = tuple(self._inner([node]))
        return self._command(words=(Word(text=name),), inner=inner, reads=self._reads(node) | bare)

    def _assignments(self, node: Tree) -> Simple:
        return self._command(
            words=(),
            assigned=self._assigned([node] if node.type == "variable_assignment" else node.children),
            inner=tuple(self._inner([node])),
            status_inside=self._ends_in_substitution(node),
            reads=self._reads(node),
        )

    def _plain_command(self, node: Tree) -> Simple:
        parts = [child for child in node.children if child.type not in _REDIRECTS and child.is_named]
        words = tuple(word_of(self._source, part) for part in parts if part.type != "variable_assignment")
        if words[0].text in _NOT_A_NAME or any(part.type == "subshell" for part in parts):
            raise UnreadError
        return self._command(
            words=words,
            inner=tuple(self._inner([node])),
            status_inside=self._ends_in_substitution(node),
            reads=self._reads(node),
        )

    def _declaration(self, node: Tree) -> Simple:
        rest = node.children[1:]
        words = [Word(text=text_of(self._source, node.children[0]))]
        words += [
            word_of(self._source, child) for child in rest if child.is_named and child.type != "variable_assignment"
        ]
        return self._command(
            words=tuple(words),
            assigned=self._assigned(rest),
            inner=tuple(self._inner([node])),
            reads=self._reads(node),
        )

    def _command(
        self,
        *,
        words: tuple[Word, ...],
        assigned: tuple[tuple[str, Word], ...] = (),
        inner: tuple[Block, ...] = (),
        status_inside: bool = False,
        reads: frozenset[str] = frozenset(),
    ) -> Simple:
        outer, start = wrappers.unwrap(words)
        words = words[start:]
        name = wrappers.name_of(words[0]) if words else None
        command = Command(name=name, words=words, wrappers=outer, order=self._numbers.take())
        program, flags = self._program_of(name, words)
        return Simple(
            command=command,
            assigned=assigned,
            inner=inner,
            status_inside=status_inside,
            reads=reads,
            program=program,
            flags=flags,
        )

    def _program_of(
        self, name: str | None, words: tuple[Word, ...]
    ) -> tuple[Block | None, frozenset[Literal["errexit", "pipefail"]]]:
        """The program that a shell, or ``eval``, is given as text, with the options of that shell."""
        options = ""
        if name == "eval":
            text = " ".join(word.text or "" for word in words[1:]) if all(word.text for word in words) else None
        else:
            found = wrappers.shell_program(words)
            if found is None:
                return None, frozenset()
            word = words[found[0]]
            text, options = word.text if word.text is not None else word.template, found[1]
        if text is None:
            return None, frozenset()
        source = text.encode(errors="replace")
        root = parsing.parse(source)
        if root is None:
            return None, frozenset()
        block = _Converter(source, self._numbers, self._depth).block(root.children)
        switched = wrappers.set_options(options.split())
        on: set[Literal["errexit", "pipefail"]] = set()
        if switched.get("errexit"):
            on.add("errexit")
        if switched.get("pipefail"):
            on.add("pipefail")
        return block, frozenset(on)

    def _assigned(self, nodes: Sequence[Tree]) -> tuple[tuple[str, Word], ...]:
        found = []
        for node in nodes:
            if node.type == "variable_assignment":
                value = node.child_by_field_name("value")
                word = Word(text="") if value is None else word_of(self._source, value)
                found.append((text_of(self._source, node.children[0]), word))
        return tuple(found)

    def _reads(self, node: Tree) -> frozenset[str]:
        # Over all the text, quoted or not: a variable named once too often only makes the reading more careful.
        text = text_of(self._source, node)
        return frozenset(_READS.findall(text)) | frozenset(_NAMES.findall(text) if "((" in text else ())

    # -- substitutions ------------------------------------------------------------------------------------------

    def _inner(self, nodes: Sequence[Tree]) -> list[Block]:
        """The programs of the substitutions under ``nodes``, in their order."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise UnreadError
        found = [self._substituted(node) for node in _substitutions(nodes)]
        self._depth -= 1
        return found

    def _substituted(self, node: Tree) -> Block:
        children = [child for child in node.children if child.type not in _REDIRECTS]
        return self.block(children[1:-1], subshell=True)

    def _ends_in_substitution(self, node: Tree) -> bool:
        last = next(reversed(list(_substitutions([node]))), None)
        return last is not None and last.type == "command_substitution"


def _substitutions(nodes: Sequence[Tree]) -> Iterator[Tree]:
    """The outermost substitutions under ``nodes``."""
    waiting = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        if node.type in _SUBSTITUTIONS:
            yield node
        else:
            waiting.extend(reversed(node.children))


def _redirect_parts(redirect: Tree) -> list[Tree]:
    """What a redirection expands; the commands that the parser puts into it are statements of their own."""
    right = redirect.child_by_field_name("right")
    return [child for child in redirect.children if child.type != "pipeline" and child != right]


def _piped(head: Node, tail: Node) -> Node:
    """``head | tail``, where ``tail`` may itself be a pipeline or a list that starts with one."""
    match tail:
        case AndOr():
            return AndOr(first=_piped(head, tail.first), rest=tail.rest)
        case Pipeline():
            return Pipeline(stages=(head, *tail.stages))
        case _:
            return Pipeline(stages=(head, tail))
