"""How a code run ended: one label from the runner's facts and the dispatch's settlement.

Evidence of the run comes first, the settlement second, and what later happened to the result never:
a payload that was replaced changes nothing about what ran.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

Label = Literal[
    "submitted",
    "returned",
    "reported-success",
    "reported-failure",
    "completed",
    "completed-with-failure",
    "outcome-unknown",
]
"""The seven ways in which a submitted program is known to have ended."""

LABELS: Final[tuple[Label, ...]] = get_args(Label)
"""Every label, in its fixed order."""

_INT64: Final = 2**63

_WORDS: Final[dict[str, str]] = {
    "submitted": "submitted",
    "returned": "tool call returned; execution not confirmed",
    "reported-success": "runner reported success; no exit code",
    "reported-failure": "runner reported failure; no exit code",
    "completed": "completed, exit 0",
    "completed-with-failure": "completed with failure",
    "outcome-unknown": "outcome unknown",
}

_WITHOUT_EVIDENCE: Final[dict[str, Label]] = {
    "returned": "returned",
    "threw": "outcome-unknown",
    "not-entered": "submitted",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeRunFacts:
    """What the code runner reported, as recorded: values of a wrong type prove nothing."""

    exit_code: Any = None
    """The process's own exit code; the only proof that the program reached an exit."""
    ok: Any = None
    """The runner's verdict; proves no exit."""
    service_error: Any = None
    """``True``: the execution service itself failed, so the outcome is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A label with the facts that go with it."""

    label: Label
    exit_code: int | None = None
    """Only with ``completed`` (0) and ``completed-with-failure`` (not 0)."""
    service_error: bool = False
    """Only with ``outcome-unknown``."""


def whole_number(value: Any) -> int | None:
    """The value as an ``int``, or ``None`` when it is not a whole number within 64 bits.

    A float without a fraction is whole. A boolean is never a number. The bound is that of every
    integer a span can carry.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, float) and not value.is_integer():
        return None
    number = int(value)
    return number if -_INT64 <= number < _INT64 else None


def valid_exit_code(value: Any) -> int | None:
    """The exit code, negative ones included; ``None`` when the value is none (text is never parsed)."""
    return whole_number(value)


def label_outcome(settlement: str, facts: CodeRunFacts | None) -> Outcome:
    """Label one code call.

    Args:
        settlement: ``not-entered``, ``returned`` or ``threw``.
        facts: what the runner reported; ``None`` when it reported nothing.

    Raises:
        ValueError: the settlement is none of the three.
    """
    if settlement not in _WITHOUT_EVIDENCE:
        raise ValueError(f"unknown settlement {settlement!r}: use one of {', '.join(_WITHOUT_EVIDENCE)}")
    evidence = _from_evidence(facts) if facts is not None else None
    return evidence or Outcome(label=_WITHOUT_EVIDENCE[settlement])


def _from_evidence(facts: CodeRunFacts) -> Outcome | None:
    exit_code = valid_exit_code(facts.exit_code)
    if exit_code is not None:
        return Outcome(label="completed" if exit_code == 0 else "completed-with-failure", exit_code=exit_code)
    if facts.service_error is True:
        return Outcome(label="outcome-unknown", service_error=True)
    if facts.ok is True:
        return Outcome(label="reported-success")
    if facts.ok is False:
        return Outcome(label="reported-failure")
    return None


def label_words(label: str, exit_code: Any = None) -> str:
    """The one phrase for a label; it names no exit number that was not given.

    Raises:
        ValueError: the label is none of :data:`LABELS`.
    """
    if label not in _WORDS:
        raise ValueError(f"unknown label {label!r}: use one of {', '.join(LABELS)}")
    number = valid_exit_code(exit_code)
    if label == "completed-with-failure" and number is not None:
        return f"{_WORDS[label]}, exit {number}"
    return _WORDS[label]


def exit_code_fits(label: str, exit_code: Any = None, *, present: bool) -> bool:
    """Whether a row's exit code agrees with its label.

    Args:
        label: the row's label.
        exit_code: the value under the key, if there is one.
        present: whether the row has the key at all; an explicit null is present.
    """
    number = valid_exit_code(exit_code)
    if label == "completed":
        return present and number == 0
    if label == "completed-with-failure":
        return present and number is not None and number != 0
    return not present
