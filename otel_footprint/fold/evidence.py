"""Does the answer name values that nothing returned? A deterministic look-up of its names and numbers.

The tools' results are the evidence; what the model was told (system text, question, conversation) is exempt.
A value stands when a token of either has its normal form. An envelope's own words ground less than data: of an
absence only the ground it declares counts, for what was looked for may be an echo of the model's own arguments.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal

from otel_footprint.fold.coverage import WIRE_KEYS, is_absence, is_ledger, read_items
from otel_footprint.fold.matching import fences
from otel_footprint.fold.strictjson import NotJsonError, read_json, trim
from otel_footprint.fold.tokens import (
    DEFAULT_OPTIONS,
    TOKEN_CHARACTERS,
    Candidate,
    EvidenceOptions,
    Shape,
    distinct_tokens,
    occurrences,
)

MAX_REPORTED_VALUES: Final = 12
"""Unsupported values that are reported."""

FLAGGED_VALUE_CHARS: Final = 200
"""Longest reported value, in characters."""

MAX_INDEX_CHARS: Final = 1_000_000
"""What one index reads, in characters; every value inside a structure counts one more."""

_MAX_INTEGER_BITS: Final = 4_096

_MAY_OPEN: Final = frozenset("{[ \t\n\v\f\r\xa0\u2028\u2029\ufeff")

Region = Literal["prose", "code"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsupported:
    """A value of the answer that no evidence holds."""

    value: str
    """In its normal form, at most :data:`FLAGGED_VALUE_CHARS` characters."""
    shape: Shape
    region: Region
    """Where the value first stands: inside a fenced block, or outside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceVerdict:
    """What the look-up found."""

    candidates: int
    """Distinct values of the answer that can be checked."""
    looked_up: int
    """Those of them that are not exempt; when 0 the check did not apply."""
    unsupported: tuple[Unsupported, ...]
    """In the order of the answer, at most :data:`MAX_REPORTED_VALUES`."""
    truncated: bool
    """Some content was past the index's bound, so an unsupported value may stand there."""
    capped: bool
    """The list is full: say "at least"."""


class EvidenceIndex:
    """Which of some values stand in what is added, up to a bound of ``limit`` characters.

    Args:
        values: what to look for, in normal form.
        limit: what is read at most.
    """

    __slots__ = ("_left", "missing", "truncated")

    missing: set[str]
    """The values that nothing added so far holds."""
    truncated: bool
    """Something was added past the bound, or too long a number, while a value was missing."""

    def __init__(self, values: Iterable[str], *, limit: int = MAX_INDEX_CHARS) -> None:
        self._left = limit
        self.missing = set(values)
        self.truncated = False

    def add(self, value: Any) -> None:
        """Add what a tool returned: any JSON-like value, or text; JSON text is read as the value it spells."""
        # A stack, so its parts go on it last one first: what is within the bound is the value's beginning.
        waiting, texts = [value] if self.missing else [], list[str]()
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                if node[:1] in _MAY_OPEN and (decoded := _decoded(node)) is not node:
                    waiting.append(decoded)
                else:
                    texts.append(node)
            elif isinstance(node, (int, float)):
                texts.append(self._spelled(node))
            elif len(texts) > self._left:
                # Only what holds other values can hold itself: it counts too, so that the reading ends.
                self.truncated = True
                break
            elif isinstance(node, (dict, Mapping)):
                grounding = _grounding(node)
                texts += ["", *(key for key in grounding if isinstance(key, str))]
                waiting += reversed([*grounding.values()])
            elif isinstance(node, (list, tuple)):
                texts.append("")
                waiting += reversed(node)
        self.add_text("\n".join(texts))

    def add_text(self, text: str) -> None:
        """Add a text as it stands."""
        if not self.missing:
            return
        if len(text) > self._left:
            self.truncated = True
            # The piece of a token that the cut leaves is a value that nobody returned.
            text = text[: self._left].rstrip(TOKEN_CHARACTERS)
            self._left = len(text)
        self._left -= len(text)
        self.missing -= distinct_tokens(text)

    def _spelled(self, number: float) -> str:
        """A number as it prints; a float that prints with an exponent also without."""
        if isinstance(number, int):
            if number.bit_length() <= _MAX_INTEGER_BITS:
                return str(number)
            self.truncated = True
            return ""
        text = repr(number)
        return f"{text} {text.replace('e+', 'e')} {Decimal(text):f}" if "e" in text else text


def check_evidence(
    *,
    answer: str,
    results: Iterable[Any],
    exempt_texts: Iterable[str] = (),
    matched_regions: Collection[tuple[int, int]] = (),
    options: EvidenceOptions = DEFAULT_OPTIONS,
) -> EvidenceVerdict:
    """Look up the answer's names and numbers in what tools returned.

    Args:
        answer: the answer's text.
        results: what tools returned, as values or texts; the evidence.
        exempt_texts: what the model was told: its values need no evidence.
        matched_regions: start and end of the blocks that equal a submitted program
            (:attr:`~otel_footprint.fold.matching.MatchVerdict.matched_regions`); their contents are not checked.
        options: what counts as a checked value.
    """
    found = _first_places(answer, matched_regions, options)
    exempt = EvidenceIndex(found)
    for text in exempt_texts:
        exempt.add_text(text)
    evidence = EvidenceIndex(exempt.missing)
    for result in results:
        evidence.add(result)
    unsupported = [
        Unsupported(value=value[:FLAGGED_VALUE_CHARS], shape=candidate.shape, region=region)
        for value, (candidate, region) in found.items()
        if value in evidence.missing
    ]
    return EvidenceVerdict(
        candidates=len(found),
        looked_up=len(exempt.missing),
        unsupported=tuple(unsupported[:MAX_REPORTED_VALUES]),
        truncated=exempt.truncated or evidence.truncated,
        capped=len(unsupported) >= MAX_REPORTED_VALUES,
    )


def _first_places(
    answer: str, matched: Collection[tuple[int, int]], options: EvidenceOptions
) -> dict[str, tuple[Candidate, Region]]:
    """Every distinct value that is to be checked, with where it first stands."""
    places: dict[str, tuple[Candidate, Region]] = {}
    regions = iter(fences(answer))
    fence = next(regions, None)
    for candidate in occurrences(answer, options):
        while fence is not None and candidate.start >= fence.end:
            fence = next(regions, None)
        region: Region = "prose"
        if fence is not None and candidate.start >= fence.start:
            in_body = fence.body_start <= candidate.start < fence.body_end
            if not in_body or (fence.start, fence.end) in matched:
                continue  # a fence line is markup: it names a language, not a value
            region = "code"
        places.setdefault(candidate.value, (candidate, region))
    return places


def _decoded(text: str) -> Any:
    """The value that JSON text spells; the same text when it spells none."""
    if not trim(text).startswith(("{", "[")):
        return text
    try:
        return read_json(text)
    except NotJsonError:
        return text


def _grounding(node: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The mapping as evidence: an envelope's declaration is no more than its items."""
    if "af_absent" in node and is_absence(node):
        return {"af_absent": _items(node)}
    if "af_coverage" in node and is_ledger(node):
        return {**node, "af_coverage": _items(node["af_coverage"])}
    return node


def _items(lists: Mapping[str, Any]) -> list[Any]:
    read = (read_items(lists.get(key), section).items for section, key in WIRE_KEYS.items())
    return [text for items in read for item in items for text in (item.what, item.why)]
