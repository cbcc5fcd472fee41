"""The form of everything that is written: valid Unicode, no secret, and short enough for every backend."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from otel_footprint.writers.redact import redact, redact_id

MAX_VALUE_BYTES: Final = 2_000
"""UTF-8 bytes of a value; the tightest backend cuts at 2,048 and says nothing."""

MAX_SEARCH_BYTES: Final = 255
"""UTF-8 bytes of a value that is searched for; an index of a common store takes fewer than 256."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_SPAN_ID: Final = re.compile("[0-9a-f]{16}")
_JSON_START: Final = ("{", "[")


def valid(text: str) -> str:
    """``text`` with each lone surrogate replaced by U+FFFD, so that it has a UTF-8 form."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def cut(text: str, limit: int, *, more: int = 0) -> str:
    """``text`` in at most ``limit`` UTF-8 bytes, cut between two characters and saying how much was cut.

    ``more`` is the number of bytes that followed ``text`` and were cut before.
    """
    size = len(text) if text.isascii() else len(text.encode())
    if size <= limit and not more:
        return text
    # the widest note there can be decides the room, so that the note never makes the value too long
    room = limit - len(_note(size + more))
    kept = text.encode()[:room].decode(errors="ignore")
    return kept + _note(size - len(kept.encode()) + more)


def sentence(text: str) -> str:
    """A value that people read."""
    return bounded(text, MAX_VALUE_BYTES, redact)


def search(text: str) -> str:
    """A value that people search for."""
    return bounded(text, MAX_SEARCH_BYTES, _searched)


def identifier(text: str) -> str:
    """An id that people search for; it may look random."""
    return bounded(text, MAX_SEARCH_BYTES, _identified)


def listed(texts: Iterable[str]) -> tuple[str, ...]:
    """Values for search in one attribute, as many from the front as fit :data:`MAX_VALUE_BYTES` together."""
    return _fitting(search(text) for text in texts)


def pointers(evidence: Iterable[str]) -> tuple[str, ...]:
    """Those pointers that can be written whole: a cut or redacted pointer would resolve to nothing."""
    return _fitting(p for p in map(valid, evidence) if len(p) <= MAX_VALUE_BYTES and _names_no_secret(p))


def _note(count: int) -> str:
    return f"... (cut: {count} bytes more)"


def bounded(text: str, limit: int, form: Callable[[str], str]) -> str:
    """``form(text)`` in at most ``limit`` UTF-8 bytes, however long the text is."""
    text = valid(text)
    if len(text) <= limit:
        # nearly every text; what stands for a secret may be longer than the secret, so the form has a say
        written = form(text)
        return written if len(written) <= limit and written.isascii() else cut(written, limit)
    # a secret that the cut would end in is still seen whole, and no text is too long for the patterns
    head, tail = text[: 2 * limit], text[2 * limit :]
    return cut(form(head), limit, more=len(tail.encode()))


def _names_no_secret(pointer: str) -> bool:
    # the span's id, which is never the same again, is looked at apart from the key, which nearly always is
    span_id, _, key = pointer.partition("#")
    plain = _SPAN_ID.fullmatch(span_id) is not None or redact_id(span_id) == span_id
    return plain and redact_id(key) == key


def _searched(text: str) -> str:
    return _no_json(redact(text))


def _identified(text: str) -> str:
    return _no_json(redact_id(text))


def _no_json(text: str) -> str:
    return f"~{text}" if text.startswith(_JSON_START) else text


def _fitting(texts: Iterable[str]) -> tuple[str, ...]:
    kept: list[str] = []
    room = MAX_VALUE_BYTES
    for text in texts:
        room -= len(text.encode())
        if room < 0:
            break
        kept.append(text)
    return tuple(kept)
