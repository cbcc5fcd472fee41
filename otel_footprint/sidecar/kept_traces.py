"""What is kept of the traces whose turns wait or went on, and which spans came as copies."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from otel_footprint.spanview_otlp import OtlpMapSpan

SENT_KEPT: Final = 16_384
"""Turns' spans that are kept no longer and are known again when they come a second time."""


def digest_of(raw: bytes) -> bytes:
    """What tells the bytes of a span from all others; its ids are among them."""
    return hashlib.blake2b(raw, digest_size=16).digest()


@dataclass(slots=True, eq=False)
class KeptTrace:
    """What is kept of a trace until the assembler forgets it."""

    views: dict[str, OtlpMapSpan] = field(default_factory=dict)
    """By span id, what the assembler reads of it; of copies that is one."""
    resources: dict[str, bytes] = field(default_factory=dict)
    """By span id, the fields of its resource's group."""
    sent: set[bytes] = field(default_factory=set)
    """Of the turns' spans that went on: digests of the bytes they came as."""
    held_bytes: int = 0
    """Of its turns' spans that wait."""
    explained_before: dict[str, bytes] = field(default_factory=dict)
    """By id, the spans of which nothing more is to be said: they came explained by the SDK or another sidecar, or went
    on before a restart or before their trace was forgotten. With the bytes they came as, empty where those are gone."""

    def rest(self) -> None:
        """Keep nothing but bytes of the spans that were read."""
        for view in self.views.values():
            view.rest()


class SentBefore:
    """What went on and is kept no longer: a sender that got no answer sends it again, perhaps much later."""

    def __init__(self) -> None:
        self._digests: OrderedDict[bytes, None] = OrderedDict()

    def __contains__(self, digest: bytes) -> bool:
        return digest in self._digests

    def add(self, digests: Iterable[bytes]) -> None:
        """Remember these in the place of the oldest."""
        self._digests.update(dict.fromkeys(digests))
        while len(self._digests) > SENT_KEPT:
            self._digests.popitem(last=False)
