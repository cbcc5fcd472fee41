"""What a runtime writes for the reasons, read strictly.

A row is one ``footprint.row`` event on the turn's span: its ``kind``, and a ``body`` that is a JSON object. One
value that does not fit, and the whole row is counted as unread and not used; nothing is coerced and nothing raises.
A key with a null is present, and does not fit. Keys that are not named here are left alone. Keys are spelled as
here, or in camel case (``toolCallId``), not both in one row.

Every body may have ``turn`` and ``iteration`` (whole numbers from 0), ``tool_call_id`` and ``tool`` (texts). A row
without ``turn`` belongs to the turn whose span carries it. A *mark* is ``true``, or a text, list or object that is
not empty; what it holds is never read.

===================== ======================================================================================
kind                  the rest of its body; * is needed
===================== ======================================================================================
``argument``          ``argument``* text; ``source``* one of :data:`ARGUMENT_SOURCES`; ``ruled``, ``period``
                      booleans; ``reading``, ``set_aside`` marks; ``source_check`` one of
                      :data:`SOURCE_CHECKS`; ``rewrite_origin`` text
``contingent``        nothing more; without a call it is about the answer
``period``            ``verdict``* one of :data:`PERIOD_VERDICTS`; ``differs``, ``beyond_retention`` marks
``conflict``          ``witnesses``* list of call ids (texts, or objects with ``tool_call_id``), not empty
``time-derived``      nothing more
``script-shown``      ``block``* whole number from 1; ``label``* a script label or ``unmatched``; ``dispatch``
                      whole number from 1; ``exit_code`` exactly with a label that has one
``steps-unfinished``  ``steps`` list of texts
``grounded``          ``looked_up``* whole number from 0
``negative-claim``    nothing more
``negative-claim-note`` nothing more
``answer-check``      ``status`` one of :data:`ANSWER_STATUS` or ``check`` (text), at least one of the two;
                      ``mode`` ``enforce`` or ``observe``; ``digest`` (or ``candidate_digest``) 64 hex digits;
                      ``reason`` text; ``tools`` list of texts; ``unreachable`` whole number from 0
===================== ======================================================================================

An ``answer-check`` without ``check`` is the report on the answer; with it, what one named check found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from otel_footprint.facts import Pointer
from otel_footprint.fold.labels import LABELS, exit_code_fits, whole_number
from otel_footprint.fold.strictjson import NotJsonError, read_json

ARGUMENT_SOURCES: Final = frozenset({"default", "model", "said", "answered", "result", "app", "asked"})
"""Where an argument's value came from; ``asked``: a person was asked for it and has not said it yet."""

SOURCE_CHECKS: Final = frozenset({"passed", "failed", "unreachable"})
"""How the check of an argument against its declared sources ended; ``unreachable`` is no verdict."""

PERIOD_VERDICTS: Final = frozenset({"covered", "not-held", "partly-held", "unknown", "undeclared"})

ANSWER_STATUS: Final = frozenset({"passed", "failed", "unverified"})

UNMATCHED: Final = "unmatched"
"""The label of a shown block that equals no program of the turn."""

_DIGEST: Final = re.compile(r"[0-9a-fA-F]{64}")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row that passed its gate."""

    kind: str
    turn: int | None = None
    """The turn it is stamped with; ``None`` when it has no stamp."""
    call_id: str | None = None
    """The provider's id of the call it is about; ``None`` when it names none."""
    tool: str | None = None
    body: Mapping[str, Any] = field(default_factory=dict)
    """The body by its snake-case keys; every named key holds what the table says."""
    pointer: Pointer | None = None

    def says(self, key: str, *values: Any) -> bool:
        """Whether the body has one of the values under the key."""
        return self.body.get(key) in values

    def marked(self, key: str) -> bool:
        """Whether the body has the mark, or a boolean that is true."""
        return bool(self.body.get(key))


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsRead:
    """The rows of a turn."""

    rows: tuple[Row, ...] = ()
    """In the order in which they were recorded."""
    unread: int = 0
    """Rows that failed their gate."""


def read_rows(events: Iterable[tuple[Any, Any, Pointer | None]]) -> RowsRead:
    """Read the ``footprint.row`` events of a turn: each one's kind, body and pointer, as recorded."""
    rows: list[Row] = []
    unread = 0
    for kind, body, pointer in events:
        row = read_row(kind, body, pointer=pointer)
        if row is None:
            unread += 1
        else:
            rows.append(row)
    return RowsRead(rows=tuple(rows), unread=unread)


def read_row(kind: Any, body: Any, *, pointer: Pointer | None = None) -> Row | None:
    """Read one row; ``None`` when it fails its gate.

    Args:
        kind: the row's kind as recorded.
        body: the JSON text of the body, or the object itself.
        pointer: where the row was read.
    """
    shape = _SHAPES.get(kind) if isinstance(kind, str) else None
    keys = _keys(body)
    if shape is None or keys is None or not shape.fits(keys):
        return None
    return Row(
        kind=str(kind),
        turn=whole_number(keys.get("turn")),
        call_id=keys.get("tool_call_id"),
        tool=keys.get("tool"),
        body=keys,
        pointer=pointer,
    )


def _keys(body: Any) -> dict[str, Any] | None:
    """The body by snake-case keys; ``None`` when it is no object, or says a key twice."""
    if isinstance(body, str):
        try:
            body = read_json(body)
        except NotJsonError:
            return None
    if not isinstance(body, Mapping) or not all(isinstance(key, str) for key in body):
        return None
    keys = {_HUMP.sub("_", key).lower(): value for key, value in body.items()}
    return keys if len(keys) == len(body) else None


# -- the gates ------------------------------------------------------------------------------------

Check = Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_mark(value: Any) -> bool:
    return isinstance(value, (bool, str, list, tuple, Mapping))


def _is_texts(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value)


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def _is_witnesses(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(witness_id(one) is not None for one in value)


def witness_id(witness: Any) -> str | None:
    """The call id of one witness of a conflict; ``None`` when it names none."""
    if isinstance(witness, Mapping):
        witness = witness.get("tool_call_id", witness.get("toolCallId"))
    return witness if isinstance(witness, str) else None


def _from(least: int) -> Check:
    def check(value: Any) -> bool:
        number = whole_number(value)
        return number is not None and number >= least

    return check


def _one_of(values: Iterable[str]) -> Check:
    known = frozenset(values)
    return lambda value: isinstance(value, str) and value in known


def _anything(_keys: Mapping[str, Any]) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """The gate of one kind."""

    needed: Mapping[str, Check] = field(default_factory=dict)
    optional: Mapping[str, Check] = field(default_factory=dict)
    agrees: Callable[[Mapping[str, Any]], bool] = _anything
    """Read only when every single key fits."""

    def fits(self, keys: Mapping[str, Any]) -> bool:
        checks = {**_EVERYWHERE, **self.optional, **self.needed}
        return (
            self.needed.keys() <= keys.keys()
            and all(check(keys[key]) for key, check in checks.items() if key in keys)
            and self.agrees(keys)
        )


def _label_agrees(keys: Mapping[str, Any]) -> bool:
    return exit_code_fits(keys["label"], keys.get("exit_code"), present="exit_code" in keys)


def _reports(keys: Mapping[str, Any]) -> bool:
    return "status" in keys or "check" in keys


_EVERYWHERE: Final[Mapping[str, Check]] = {
    "turn": _from(0),
    "iteration": _from(0),
    "tool_call_id": _is_text,
    "tool": _is_text,
}

_SHAPES: Final[Mapping[str, _Shape]] = {
    "argument": _Shape(
        needed={"argument": _is_text, "source": _one_of(ARGUMENT_SOURCES)},
        optional={
            "ruled": _is_flag,
            "period": _is_flag,
            "reading": _is_mark,
            "set_aside": _is_mark,
            "source_check": _one_of(SOURCE_CHECKS),
            "rewrite_origin": _is_text,
        },
    ),
    "contingent": _Shape(),
    "period": _Shape(
        needed={"verdict": _one_of(PERIOD_VERDICTS)},
        optional={"differs": _is_mark, "beyond_retention": _is_mark},
    ),
    "conflict": _Shape(needed={"witnesses": _is_witnesses}),
    "time-derived": _Shape(),
    "script-shown": _Shape(
        needed={"block": _from(1), "label": _one_of((*LABELS, UNMATCHED))},
        optional={"dispatch": _from(1)},
        agrees=_label_agrees,
    ),
    "steps-unfinished": _Shape(optional={"steps": _is_texts}),
    "grounded": _Shape(needed={"looked_up": _from(0)}),
    "negative-claim": _Shape(),
    "negative-claim-note": _Shape(),
    "answer-check": _Shape(
        optional={
            "status": _one_of(ANSWER_STATUS),
            "check": _is_text,
            "mode": _one_of(("enforce", "observe")),
            "digest": _is_digest,
            "candidate_digest": _is_digest,
            "reason": _is_text,
            "tools": _is_texts,
            "unreachable": _from(0),
        },
        agrees=_reports,
    ),
}

ROW_KINDS: Final = tuple(_SHAPES)
"""Every kind of row, in a fixed order."""


# -- the runtime's own evidence verdict -------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceFacts:
    """What a check of the answer's names and numbers found, whoever made it."""

    candidates: int
    """Names and numbers that the answer holds."""
    looked_up: int | None = None
    """Those that were looked up; ``None`` when the verdict does not tell them apart."""
    unsupported: int = 0
    """Those that no tool result supports."""
    values: tuple[str, ...] = ()
    """The unsupported ones that are named."""
    capped: bool = False
    """There may be more unsupported ones than are counted."""
    revised: bool = False
    """The answer had been revised once before this verdict."""
    truncated: bool = False
    """Only a part of the tool results could be searched."""
    pointer: Pointer | None = None


def read_evidence(keys: Mapping[str, Any], *, pointer: Pointer | None = None) -> EvidenceFacts | None:
    """Read a ``footprint.evidence`` event by its bare keys; ``None`` when one of them does not fit.

    ``candidates``, ``looked_up`` and ``unsupported`` are each a number, or a list of what is counted; only
    ``candidates`` is needed.
    """
    counted = {key: _counted(keys[key]) for key in ("candidates", "looked_up", "unsupported") if key in keys}
    flags = [keys[key] for key in ("revised", "truncated", "capped") if key in keys]
    candidates, unsupported = counted.get("candidates"), counted.get("unsupported", (0, ()))
    if candidates is None or unsupported is None or not all(isinstance(flag, bool) for flag in flags):
        return None
    looked_up = counted.get("looked_up", (None, ()))
    if looked_up is None:
        return None
    return EvidenceFacts(
        candidates=candidates[0],
        looked_up=looked_up[0],
        unsupported=unsupported[0],
        values=unsupported[1],
        capped=keys.get("capped", False),
        revised=keys.get("revised", False),
        truncated=keys.get("truncated", False),
        pointer=pointer,
    )


def _counted(value: Any) -> tuple[int, tuple[str, ...]] | None:
    """How many, and those of them that are named."""
    if isinstance(value, str):
        try:
            value = read_json(value)
        except NotJsonError:
            return None
    if isinstance(value, (list, tuple)):
        named = [one.get("value") if isinstance(one, Mapping) else one for one in value]
        return len(value), tuple(one for one in named if isinstance(one, str))
    number = whole_number(value)
    return None if number is None or number < 0 else (number, ())
