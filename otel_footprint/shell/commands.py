"""What is known of some commands by their names, and what a statement does with the status before it."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from otel_footprint.shell.program import AndOr, Block, Case, If, Loop, Node, Not, Pipeline, Simple

# fmt: off
QUIET: Final = frozenset(
    {
        ":", "alias", "bg", "break", "clear", "continue", "date", "declare", "disown", "echo", "exec", "exit",
        "export", "hash", "jobs", "local", "printf", "pwd", "readonly", "return", "set", "shift", "shopt", "sleep",
        "times", "trap", "true", "typeset", "umask", "unalias", "unset",
    }
)
# fmt: on
"""Commands that do not fail in practice: never masked, and no owner of a failure where there is another."""

NEVER_MASKED: Final = QUIET | {"[", "[[", "test", "((", "let", "cd", "pushd", "popd"}
"""Also those whose failure is seen in what follows."""

TALK: Final = frozenset({"echo", "printf"})
"""Commands that only print what they read."""

JUMPS: Final = frozenset({"exit", "return", "break", "continue"})
_REPORTS: Final = frozenset({"exit", "return", "break", "false", "kill", "((", "let", "test", "[", "[["})


def looks_at_status(node: Node) -> bool:
    """Whether a node that follows a statement looks at that statement's status; printing it is not looking."""
    if isinstance(node, Case):
        return "?" in node.reads
    first = _first_simple(node)
    if first is None or first.command.name in TALK:
        return False
    if first.command.name in {"exit", "return"}:
        # `exit` alone carries the status on; what `exit $failed` carries is not known.
        return len(first.command.words) == 1 or first.command.words[1].text is None
    return not first.reads.isdisjoint({"?", "PIPESTATUS"})


def may_report(node: Node, functions: Container[str]) -> bool:
    """Whether a branch may tell of the failure that led to it: by a status or by a variable.

    Args:
        node: the branch.
        functions: names of the program's own functions, which may do anything.
    """
    match node:
        case Simple():
            name = node.command.name
            return bool(node.assigned) or name is None or name in _REPORTS or name in functions
        case Pipeline():
            return any(may_report(stage, functions) for stage in node.stages)
        case AndOr():
            return may_report(node.first, functions) or any(may_report(right, functions) for _, right in node.rest)
        case Block():
            return any(may_report(item.node, functions) for item in node.items)
    return True


def _first_simple(node: Node) -> Simple | None:
    """The command that a node runs first, before which no other status comes."""
    while not isinstance(node, Simple):
        match node:
            case Pipeline():
                node = node.stages[0]
            case AndOr():
                node = node.first
            case Not():
                node = node.body
            case Block() if node.items:
                node = node.items[0].node
            case If():
                node = node.branches[0][0]
            case Loop() if node.condition.items:
                node = node.condition
            case _:
                return None
    return node
