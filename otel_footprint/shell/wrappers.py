"""Commands that run another command and end as it ends: whose words start where."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from otel_footprint.shell.program import Word

MAX_NAME: Final = 100
"""A longer word is no name that a person would recognise, in characters."""

SHELLS: Final = frozenset({"bash", "sh", "dash", "ash", "zsh", "ksh"})

_VARIABLE: Final = re.compile(r"[A-Za-z_]\w*")
_PLAIN_NAME: Final = re.compile(r"[\w.+-]+")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_FLAGS_WITH_C: Final = re.compile(r"-[A-Za-z]*c[A-Za-z]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wrapper:
    after: tuple[str, ...] = ()
    """Words that must follow its name for it to run a command."""
    valued: frozenset[str] = frozenset()
    """Options whose value is the next word."""
    positional: int = 0
    """Arguments of its own before the command."""
    alone: frozenset[str] = frozenset()
    """Options with which it runs no command."""


def _with_values(*options: str) -> _Wrapper:
    return _Wrapper(valued=frozenset(options))


_PYTHON: Final = _Wrapper(after=("-m",))
_RUN: Final = _Wrapper(
    after=("run",), valued=frozenset({"--with", "--extra", "--group", "--python", "-p", "--env-file"})
)
_QUERY: Final = _Wrapper(alone=frozenset({"-v", "-V"}))

WRAPPERS: Final = {
    "builtin": _Wrapper(),
    "command": _QUERY,
    "doas": _with_values("-u", "-C"),
    "env": _with_values("-u", "--unset", "-C", "--chdir"),
    "exec": _with_values("-a"),
    "hatch": _RUN,
    "ionice": _with_values("-c", "-n", "-p"),
    "nice": _with_values("-n"),
    "nohup": _Wrapper(),
    "npx": _with_values("-p", "--package"),
    "pdm": _RUN,
    "pipenv": _RUN,
    "poetry": _RUN,
    "python": _PYTHON,
    "python3": _PYTHON,
    "setsid": _Wrapper(),
    "stdbuf": _with_values("-i", "-o", "-e"),
    "sudo": _with_values("-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U"),
    "time": _with_values("-f", "-o"),
    "timeout": _Wrapper(valued=frozenset({"-k", "--kill-after", "-s", "--signal"}), positional=1),
    "uv": _RUN,
    "xargs": _with_values("-I", "-n", "-P", "-L", "-d", "-a", "-s", "-E"),
}
"""By name. An option that stands with its value in one word needs no entry."""


def name_of(word: Word) -> str | None:
    """The name that a command's first word gives it: the last part of a path, ``$NAME`` for a variable."""
    if word.text is not None:
        name = word.text.rpartition("/")[2]
        return name if 0 < len(name) <= MAX_NAME and name.isprintable() else None
    if word.variable is not None:
        name = word.variable
        return f"${name}" if _VARIABLE.fullmatch(name) and len(name) < MAX_NAME else None
    # `$VENV/bin/pytest`: what is computed is the folder.
    _, folder, name = (word.template or "").rpartition("/")
    return name if folder and _PLAIN_NAME.fullmatch(name) and len(name) <= MAX_NAME else None


def unwrap(words: Sequence[Word]) -> tuple[tuple[str, ...], int]:
    """The wrappers in front of a command, outermost first, and the index of its first own word."""
    found: list[str] = []
    at = 0
    while at < len(words):
        name = name_of(words[at])
        wrapper = WRAPPERS.get(name or "")
        start = None if wrapper is None else _command_in(words, at + 1, wrapper)
        if name is None or start is None:
            break
        found.append(name)
        at = start
    return tuple(found), at


def _command_in(words: Sequence[Word], at: int, wrapper: _Wrapper) -> int | None:
    """Where the command that a wrapper runs starts; ``None`` when it runs none."""
    for word in wrapper.after:
        if at >= len(words) or words[at].text != word:
            return None
        at += 1
    left = wrapper.positional
    while at < len(words):
        text = words[at].text or ""
        if text in wrapper.alone:
            return None
        if text == "--":
            at += 1
            break
        if text.startswith("-"):
            at += 1 + (text in wrapper.valued)
        elif _ASSIGNMENT.match(text):
            at += 1
        elif left:
            left -= 1
            at += 1
        else:
            break
    return at + left if at + left < len(words) else None


def shell_program(words: Sequence[Word]) -> tuple[int, str] | None:
    """For ``bash -euo pipefail -c PROGRAM``: the index of the program's word and the options before it.

    Returns:
        ``None`` when the words run no program of their own. The options are one text of letters and names, as
        ``set`` takes them.
    """
    if not words or name_of(words[0]) not in SHELLS:
        return None
    options: list[str] = []
    runs = False
    for index, word in enumerate(words[1:], start=1):
        text = word.text or ""
        if text.startswith("-"):
            runs = runs or bool(_FLAGS_WITH_C.fullmatch(text))
        elif not (options and options[-1].endswith("o") and not options[-1].startswith("--")):
            return (index, " ".join(options)) if runs else None
        options.append(text)
    return None


def set_options(words: Sequence[str]) -> dict[str, bool]:
    """What ``set`` switches: ``errexit`` and ``pipefail``, where the words name them."""
    switched: dict[str, bool] = {}
    named: bool | None = None
    for word in words:
        if named is not None:
            if word in {"errexit", "pipefail"}:
                switched[word] = named
            named = None
        elif word[:1] not in {"-", "+"} or word == "--":
            break
        elif not word.startswith("--"):
            on = word[0] == "-"
            if "e" in word:
                switched["errexit"] = on
            if word.endswith("o"):
                named = on
    return switched
