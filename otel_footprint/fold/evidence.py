"""Does the answer name values that nothing returned? A deterministic look-up of its names and numbers.

The tools' results are the evidence; what the model was told (system text, question, conversation) is exempt.
A value stands when a token of either has its normal form. An envelope's own words ground less than data: of an
absence only the ground it declares counts, for what was looked for may be an echo of the model's own arguments.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
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
    found_tokens,
    occurrences,
    stands_alone,
)

MAX_REPORTED_VALUES: Final = 12
"""Unsupported values that are reported."""

FLAGGED_VALUE_CHARS: Final = 200
"""Longest reported value, in characters."""

MAX_INDEX_CHARS: Final = 1_000_000
"""What one index reads, in characters; every value inside a structure counts one more."""

_LARGEST_INTEGER: Final = (1 << 4_096) - 1
"""Largest integer that is printed: the time that takes grows with the square of the digits."""

_MAY_OPEN: Final = frozenset("{[ \t\n\v\f\r\xa0\u2028\u2029\ufeff")

_PLAIN: Final = frozenset({dict, list, tuple, str, int, float, bool, type(None)})

# How lower-case JSON text can spell numbers other than they print: an exponent, more digits than a float holds, two of
# them that read as one in groups.
_EXPONENT: Final = re.compile(r"e(?<=[0-9]e)[+-]?[0-9]")
_TIGHT_COMMA: Final = re.compile(r",(?<=[0-9],)[0-9]")
_LONG_FRACTION: Final = re.compile(r"\.(?:[0-9]{8}|(?<=[0-9]{8}\.))")
# What of the text around a value is quoted with it: its word, and a label or an authorization scheme before that.
_LABEL: Final = re.compile(
    r"(?:[^\s=:]+[\"']?\s{0,3}(?:=>|:=|[=:])\s{0,3})?(?:(?:bearer|basic|token|digest|negotiate|apikey)\s{1,3})?\S*$",
    re.IGNORECASE,
)
_LABEL_CHARS: Final = 80
_REST: Final = re.compile(r"\S*")
_GROUPS: Final = re.compile(r"[0-9]{4}(?:[ -][0-9]{3,4}){3}")
# Shorter than any match, so one within as much on both sides of a value has a part of the value in it.
_GROUPS_CHARS: Final = 15
_BLOCK: Final = "-----BEGIN"
_BLOCK_END: Final = "-----END"
_AROUND: Final = " \t\n\r\"'`*()[]{}<>,;.!?"

Region = Literal["prose", "code"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsupported:
    """A value of the answer that no evidence holds."""

    value: str
    """In its normal form, at most :data:`FLAGGED_VALUE_CHARS` characters."""
    written: str
    """As the answer has it, within the same bound; with the label before it, by which a secret can be told."""
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


@dataclass(frozen=True, slots=True)
class JsonText:
    """A JSON text whose value is known already."""

    text: str
    spelled: Any


class EvidenceIndex:
    """Which of some values stand in what is added, up to a bound of ``limit`` characters.

    Args:
        values: what to look for, in normal form.
        limit: what is read at most.
    """

    __slots__ = ("_left", "_marks", "missing", "truncated")

    missing: set[str]
    """The values that nothing added so far holds."""
    truncated: bool
    """Something was added past the bound, or too long a number, while a value was missing."""

    def __init__(self, values: Iterable[str], *, limit: int = MAX_INDEX_CHARS) -> None:
        self._left = limit
        self._marks: dict[str, str] = {value: value.replace(",", "").lstrip("+-") for value in values}
        self.missing = set(self._marks)
        self.truncated = False

    def add(self, value: Any, spelled: Any = None) -> None:
        """Add what a tool returned: any JSON-like value, or text; JSON text is read as the value it spells.

        Where that value is known already, it is ``spelled``.
        """
        if not self.missing:
            return
        if isinstance(value, str):
            if self._reads_as_it_stands(value):
                self.add_text(value)
                return
            spelled = _decoded(value) if spelled is None else spelled
            if spelled is value:
                self.add_text(value)
                return
            value = spelled
        text = _joined(value, self._left)
        if text is None or len(text) > self._left:
            self._add_in_order(value)
        else:
            self.add_text(text)

    def _reads_as_it_stands(self, text: str) -> bool:
        """Whether a text holds the same values read as text and read as JSON: it is none, or spells them plainly."""
        if text[:1] not in _MAY_OPEN:
            return True
        if len(text) > self._left or "\\u" in text or "\\/" in text:
            return False
        low = text.lower()
        if _EXPONENT.search(low) or _LONG_FRACTION.search(low):
            return False
        if not self._held(low):
            return True
        # A null is no value, although it is spelled like a word.
        spells_other = "\\" in text or "af_" in text or "null" in self.missing
        return not spells_other and _TIGHT_COMMA.search(text) is None

    def _held(self, low: str) -> list[str]:
        """The missing values that may stand in a lower-case text; one that does is there but for grouping commas."""
        flat = low.replace(",", "")
        return [value for value in self.missing if self._marks[value] in flat]

    def _add_in_order(self, value: Any) -> None:
        """Add a value part by part, its beginning first."""
        waiting, texts = [value], list[str]()
        # A stack, so its parts go on it last one first: what is within the bound is the value's beginning.
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                if node[:1] in _MAY_OPEN and (decoded := _decoded(node)) is not node:
                    waiting.append(decoded)
                else:
                    texts.append(node)
            elif isinstance(node, int):
                self.truncated |= abs(node) > _LARGEST_INTEGER
                texts.extend(_printed([node] if abs(node) <= _LARGEST_INTEGER else [], []))
            elif isinstance(node, float):
                texts.extend(_printed([], [node]))
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
        low = text.lower()
        held = self._held(low)
        self.missing.difference_update(value for value in held if stands_alone(value, low))
        if not self.missing.isdisjoint(held):
            self.missing -= found_tokens(text, self.missing.intersection(held))


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
        results: what tools returned, as values, texts or :class:`JsonText`; the evidence.
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
    values = []
    for result in results:
        if isinstance(result, JsonText):
            evidence.add(result.text, result.spelled)
        elif isinstance(result, str):
            evidence.add(result)
        else:
            values.append(result)
    evidence.add(values)  # together, which costs less than one by one
    unsupported = [(value, *place) for value, place in found.items() if value in evidence.missing]
    named = unsupported[:MAX_REPORTED_VALUES]
    return EvidenceVerdict(
        candidates=len(found),
        looked_up=len(exempt.missing),
        unsupported=tuple(
            Unsupported(
                value=value[:FLAGGED_VALUE_CHARS],
                written=_written(answer, candidate),
                shape=candidate.shape,
                region=region,
            )
            for value, candidate, region in named
        ),
        truncated=exempt.truncated or evidence.truncated,
        capped=len(unsupported) >= MAX_REPORTED_VALUES,
    )


def _written(answer: str, candidate: Candidate) -> str:
    """What is quoted of a value: as much of the text around it as tells a reader, and a redaction, what it is.

    Its word with the label before it (``load: 4411``); all of a number in groups; a block of PEM from its beginning.
    """
    block = answer.rfind(_BLOCK, 0, candidate.start)
    if block >= 0 and answer.find(_BLOCK_END, block, candidate.start) < 0:
        return answer[block : block + FLAGGED_VALUE_CHARS]
    groups = _GROUPS.search(answer, max(0, candidate.start - _GROUPS_CHARS), candidate.end + _GROUPS_CHARS)
    if groups is not None:
        return groups[0]
    begin = max(0, candidate.start - _LABEL_CHARS)
    value = answer[candidate.start : candidate.end]
    label = _LABEL.search(answer[begin : candidate.start])
    rest = _REST.match(answer, candidate.end, candidate.end + FLAGGED_VALUE_CHARS)
    # A word that begins before what was looked at is no label.
    before = label[0] if label is not None and (begin == 0 or label.start()) else ""
    word = f"{before}{value}{rest[0] if rest else ''}".strip(_AROUND)
    return word if len(word) <= FLAGGED_VALUE_CHARS else value[:FLAGGED_VALUE_CHARS]


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


def _joined(value: Any, most: int) -> str | None:
    """The parts of a value as one text, in any order; ``None`` when they are more than ``most`` or no plain JSON.

    Reads level by level, so that the work for a part is that of a list comprehension.
    """
    names, texts, integers, floats = set[Any](), list[str](), list[int](), list[float]()
    level = [value]
    while level:
        parts: dict[type, list[Any]] = {
            kind: [part for part in level if type(part) is kind] for kind in set(map(type, level))
        }
        mappings = _grounded(parts.get(dict, []))
        holders = [*parts.get(list, ()), *parts.get(tuple, ()), *(mapping.values() for mapping in mappings)]
        most -= len(level)
        # What holds itself is never read to its end.
        if not parts.keys() <= _PLAIN or sum(map(len, holders)) > most:
            return None
        names.update(*mappings)
        integers += parts.get(int, ())
        floats += parts.get(float, ())
        texts += map(repr, parts.get(bool, ()))
        plain, opened = _opened(parts.get(str, []))
        texts += plain
        level = [*opened, *chain.from_iterable(holders)]
    if integers and max(*integers, -min(integers)) > _LARGEST_INTEGER:
        return None
    return "\n".join([*[name for name in names if isinstance(name, str)], *texts, *_printed(integers, floats)])


def _grounded(mappings: list[dict[Any, Any]]) -> Sequence[Mapping[Any, Any]]:
    declares = not set().union(*mappings).isdisjoint(("af_absent", "af_coverage"))
    return [_grounding(mapping) for mapping in mappings] if declares else mappings


def _opened(texts: list[str]) -> tuple[list[str], list[Any]]:
    """Texts that are texts, and the values that the others spell."""
    suspects = [text for text in texts if text[:1] in _MAY_OPEN]
    if not suspects:
        return texts, []
    decoded = [(text, _decoded(text)) for text in suspects]
    plain = [text for text in texts if text[:1] not in _MAY_OPEN]
    plain += [text for text, value in decoded if value is text]
    return plain, [value for text, value in decoded if value is not text]


def _printed(integers: Iterable[int], floats: Iterable[float]) -> list[str]:
    """Numbers as they print; a float that prints with an exponent also without."""
    texts = [*map(repr, integers)]
    texts += [
        f"{text} {text.replace('e+', 'e')} {Decimal(text):f}" if "e" in text else text for text in map(repr, floats)
    ]
    return texts


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
