"""The form of every text that a page shows: no secret in it, bounded, and nothing that acts instead of being seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from otel_footprint.writers.plain import safe, safe_lines
from otel_footprint.writers.redact import redact, redact_id
from otel_footprint.writers.text import bounded

MAX_NAME_BYTES: Final = 255
MAX_SENTENCE_BYTES: Final = 2_000
MAX_TEXT_BYTES: Final = 16_000
"""Of a question or an answer; an explanation holds 4,000 characters at most."""
MAX_PROGRAM_BYTES: Final = 100_000


def name(text: str) -> str:
    """A name or an id; it may look random."""
    return safe(bounded(text, MAX_NAME_BYTES, redact_id))


def sentence(text: str) -> str:
    """One line that people read."""
    return safe(bounded(text, MAX_SENTENCE_BYTES, redact))


def passage(text: str) -> str:
    """A text of several lines that people read."""
    return _lines(text, MAX_TEXT_BYTES, redact)


def program(text: str) -> str:
    """A program, which a person asked for; what has the shape of a known secret is kept out all the same."""
    return _lines(text, MAX_PROGRAM_BYTES, redact_id)


def optional(form: Callable[[str], str], text: str | None) -> str | None:
    """``form(text)``, or ``None`` for what is not recorded."""
    return None if text is None else form(text)


def evidence(pointers: Iterable[str]) -> list[str]:
    """Pointers, whose span's id stands before the first ``#``."""
    parted = (pointer.partition("#") for pointer in pointers)
    return [f"{name(span)}#{name(at)}" for span, _, at in parted]


def _lines(text: str, limit: int, form: Callable[[str], str]) -> str:
    return "\n".join(safe_lines(bounded(text, limit, form)))
