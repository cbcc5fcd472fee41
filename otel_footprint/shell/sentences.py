"""Every sentence about a shell program's exit code, in one closed and versioned table.

A sentence starts with fixed words or with a command's name. Values are cleaned and bounded as those of the fold's
sentences are. They are part of the wording of an explanation: a change of any word needs a new version of
:data:`otel_footprint.fold.wording.WORDING_VERSION`; a test holds each version to its digest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from otel_footprint.fold.wording import clean

MAX_NAMES: Final = 3
"""Names listed in one sentence; the rest is counted."""

PHRASES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "no-match": "found no match",
        "differ": "found differences",
        "false": "the answer is no",
        "not-found": "found nothing by that name",
        "findings": "reported findings",
        "tests-failed": "tests failed",
        "no-tests": "collected no tests",
        "interrupted": "was interrupted",
        "usage": "did not accept its arguments",
        "error": "reported an error of its own",
        "timed-out": "was stopped by its time limit",
        "part-failed": "at least one run of it failed",
        "no-connection": "the connection failed",
        "not-executable": "usually cannot be executed",
        "no-command": "usually is not there to be run",
    }
)
"""What an exit code means, by the ids of the catalogue; each goes on a command's name and a colon."""

SENTENCES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "own": "{command}: {phrase} (exit {exit_code}).",
        "own.shared": "{command}: {phrase}, if exit {exit_code} is its own; the program has other ways to it.",
        "signal": "{command}: usually ended by {signal} (exit {exit_code}).",
        "signal.shared": "Exit {exit_code} usually means that a command was ended by {signal}.",
        "pipe-closed": (
            "{command}: usually stopped because {reader} had read enough, which is no failure "
            "({signal}, exit {exit_code})."
        ),
        "explicit": "The program itself states exit {exit_code}.",
        "inverted.zero": "{command}: did not end with 0, which the program turns into exit 0.",
        "inverted.one": "{command}: ended with 0, which the program turns into exit 1.",
        "masked": "Exit {exit_code} does not tell whether {commands} failed.",
        "masked.owner": "Exit {exit_code} is that of {command}; it does not tell whether {commands} failed.",
    }
)


def render(sentence_id: str, /, **values: Any) -> str:
    """Fill a sentence in; what a value spells is never read as a template.

    Raises:
        KeyError: the table has no such sentence, or a variable of it has no value.
    """
    return SENTENCES[sentence_id].format(**{name: _fill(value) for name, value in values.items()})


def wording_digest() -> str:
    """SHA-256 of both tables, lower-case hex."""
    canonical = json.dumps([dict(SENTENCES), dict(PHRASES)], sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _fill(value: Any) -> str:
    if isinstance(value, str) or not isinstance(value, Sequence):
        return clean(value)
    names = [clean(name) for name in value[:MAX_NAMES]]
    more = len(value) - len(names)
    if more:
        names.append(f"{more} more")
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
