"""Every sentence that is ever written, in one closed and versioned table.

A template names its variables as ``{name}`` or ``{name:form}``. Values are cleaned, bounded and filled
in once: what a value spells is never read as a template. A change of any word needs a new
:data:`WORDING_VERSION`; a test holds each version to its digest.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from otel_footprint.fold.sentences import SENTENCES

WORDING_VERSION: Final = "2"
"""Version of the table; goes up when any sentence, id or variable changes."""

FACT_TEXT_CHARS: Final = 200
"""Longest value inside a sentence, in characters; a longer one is cut and ends with an ellipsis."""

_PLACEHOLDER: Final = re.compile(r"\{([a-z_]+)(?::([a-z]+))?\}")
_TO_SPACE: Final = frozenset({"Cc", "Zl", "Zp"})
_NO_LIMITS: Final[Mapping[str, int]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence of the table with its values."""

    id: str
    """Id in the table."""
    vars: Mapping[str, Any] = field(default_factory=dict)
    """One value for each variable of the template: text, a whole number, or a list of texts."""

    @property
    def text(self) -> str:
        """The sentence in words."""
        return "".join([text for _, text in pieces(self)])


def variables(sentence_id: str) -> frozenset[str]:
    """The names of the variables of a sentence.

    Raises:
        KeyError: the table has no such sentence.
    """
    return _template(sentence_id)[1]


@cache
def _template(sentence_id: str) -> tuple[tuple[Any, ...], frozenset[str]]:
    """A sentence cut at its holes (text, name, form, text, name, form, ..., text), and the names in them."""
    parts = _PLACEHOLDER.split(SENTENCES[sentence_id])
    return tuple(parts), frozenset(parts[1::3])


def render(sentence_id: str, /, **values: Any) -> str:
    """Fill a sentence in.

    Raises:
        KeyError: the table has no such sentence.
        ValueError: the values given are not exactly the sentence's variables.
    """
    return Sentence(id=sentence_id, vars=values).text


def pieces(sentence: Sentence, limits: Mapping[str, int] = _NO_LIMITS) -> list[tuple[str | None, str]]:
    """A sentence cut at its variables: each piece with the variable whose value it is, fixed words with ``None``.

    Args:
        sentence: the sentence to fill in.
        limits: by variable, the longest value in characters where it is not :data:`FACT_TEXT_CHARS`.

    Raises:
        KeyError: the table has no such sentence.
        ValueError: the values given are not exactly the sentence's variables.
    """
    parts, wanted = _template(sentence.id)
    if wanted != sentence.vars.keys():
        raise ValueError(f"{sentence.id} takes {sorted(wanted)}, not {sorted(sentence.vars)}")
    found: list[tuple[str | None, str]] = [(None, parts[0])]
    for name, form, words in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        found.append((name, _fill(sentence.vars[name], form, limits.get(name, FACT_TEXT_CHARS))))
        found.append((None, words))
    return found


def wording_digest() -> str:
    """SHA-256 of the table, lower-case hex."""
    canonical = json.dumps(dict(SENTENCES), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def clean(value: Any, limit: int = FACT_TEXT_CHARS) -> str:
    """A value as it stands in a sentence: one line of visible text within ``limit`` characters, never empty."""
    text = str(value)
    if text.isascii() and text.isprintable() and len(text) <= limit:
        return text.strip() or "(empty)"
    shown = "".join(_visible(char) for char in text[:limit]).strip()
    if len(text) > limit:
        return shown[: limit - 1] + "…"
    return shown or "(empty)"


def _visible(char: str) -> str:
    category = unicodedata.category(char)
    if category in _TO_SPACE:
        return " "
    if category == "Cf":
        return ""
    # A lone surrogate cannot be written out as UTF-8.
    return "\N{REPLACEMENT CHARACTER}" if category == "Cs" else char


def _fill(value: Any, form: str | None, limit: int) -> str:
    match form:
        case "or" | "and":
            return _listed([clean(one, limit) for one in value], form)
        case "back":
            return "in the previous answer" if value == 1 else f"{clean(value)} answers back"
        case _:
            return clean(value, limit)


def _listed(parts: list[str], word: str) -> str:
    if len(parts) == 1:
        return parts[0]
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def script_sentence(
    label: str, tool: str, *, exit_code: int | None = None, service_error: bool = False, recorded: bool = True
) -> Sentence:
    """The sentence of a script row.

    Args:
        label: the row's label.
        tool: the tool's name.
        exit_code: the row's exit code; printed only when there is one.
        service_error: the execution service itself failed.
        recorded: the program is recorded.
    """
    values: dict[str, Any] = {"tool": tool}
    variant = ""
    if label == "completed-with-failure":
        if exit_code is None:
            variant = ".noExit"
        else:
            values["exit_code"] = exit_code
    elif label == "outcome-unknown" and service_error:
        variant = ".serviceError"
    return Sentence(id=f"script.{label}{variant}{'' if recorded else '.notRecorded'}", vars=values)


def reason_sentence(reason: str) -> Sentence:
    """The sentence of a reason.

    Raises:
        KeyError: the reason is not in the table.
    """
    sentence = Sentence(id=f"reason.{reason}")
    variables(sentence.id)
    return sentence


def texts(sentences: Iterable[Sentence]) -> str:
    """Several sentences as one running text."""
    return " ".join(sentence.text for sentence in sentences)
