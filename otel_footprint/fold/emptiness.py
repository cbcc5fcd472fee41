"""What came back? One reading of a finished result, from the value the model read.

The reading claims rows only where the value is a list or a declared key leads to one. Every other
object says that its shape is not declared; plain text is not searched for anything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeGuard

from otel_footprint._making import made_quickly
from otel_footprint.fold.coverage import Placeholder, is_absence, is_ledger
from otel_footprint.fold.labels import whole_number
from otel_footprint.fold.strictjson import NotJsonError, TooDeepError, read_json, trim

Emptiness = Literal["declared-absent", "undeclared-empty", "non-empty", "clarify", "unknown"]

RowsUnread = Literal["no-list", "uncounted-ticket", "redacted", "too-deep"]
"""Why rows were not read: the declared key leads to no list; the rows lie in a store and were not
counted; the value is kept out; its JSON text is nested too deeply to read."""

MAX_LEDGER_DEPTH: Final = 8
"""Deepest nesting of ledgers that is read."""

STORE_REFERENCE: Final = re.compile(r"art_[A-Za-z0-9]{22}", re.ASCII)
"""A well-formed reference into a result store."""

_DESCRIBED_LISTS: Final = ("facts", "series", "edges")


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """What the record, not the value, says a call returned."""

    absent: bool = False
    """The tool declared an absence."""
    bounded: bool = False
    """The tool declared a ledger."""
    described: Mapping[str, Any] | None = None
    """A described result: lists under ``facts``, ``series``, ``edges``, or a ``clarify`` object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What a value's own envelope declares."""

    absent: bool
    bounded: bool
    gap: bool
    """Some ground was declared not checked or out of reach."""


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What came back."""

    emptiness: Emptiness
    rows: int | None = None
    """Rows counted; ``None`` when none were counted, which is not zero."""
    source: Literal["library", "app"] | None = None
    """Who made the count possible: the value's own form, or the app's declared key."""
    rows_at: str | None = None
    """The declared key, when the reading went by it."""
    counted_at: tuple[str, ...] | None = None
    """Path of what was counted inside the value; ``()`` is the value itself."""
    described: Mapping[str, int] | None = None
    """Counts of a described result, by kind; only kinds that are not empty."""
    bounded: bool = False
    """The tool declared what the result covers."""
    undeclared_shape: bool = False
    """An object in which no declaration leads to a list of rows or to what stands for one."""
    rows_unread: RowsUnread | None = None
    """Why the rows were not read; ``None`` when they were, or when nothing tells of rows."""


_UNKNOWN: Final = Reading(emptiness="unknown")
_UNDECLARED: Final = Reading(emptiness="unknown", undeclared_shape=True)
_NO_DOOR: Final = Door()


def read_emptiness(
    value: Any,
    *,
    rows_at: str | None = None,
    door: Door | None = None,
    is_placeholder: Placeholder | None = None,
) -> Reading:
    """Read what came back.

    Args:
        value: the value the model read; JSON text is parsed once, at the top.
        rows_at: the declared top-level key of an object result that holds its rows.
        door: what the record says was returned; ``None`` when it says nothing, so the value's own
            envelope is believed.
        is_placeholder: tells a redaction's placeholder from data.

    Raises:
        ValueError: ``rows_at`` is not one plain top-level key.
    """
    if rows_at is not None and (not isinstance(rows_at, str) or not rows_at or "/" in rows_at or "." in rows_at):
        raise ValueError(f"rows_at must be one top-level key without '/' or '.', not {rows_at!r}")
    try:
        decoded, too_deep = _decode(value), False
    except TooDeepError:
        decoded, too_deep = value, True
    door = door or _door_of(decoded)
    if door.absent:
        return Reading(emptiness="declared-absent", bounded=door.bounded)
    described = _described(door.described)
    if described is not None:
        return described
    if too_deep:
        return replace(_UNKNOWN, rows_unread="too-deep", bounded=door.bounded)
    reader = _Reader(rows_at=rows_at, is_placeholder=is_placeholder)
    return reader.layer(decoded, bounded=door.bounded)


def declared_of(value: Any) -> Declared | None:
    """What the value's own envelope declares; ``None`` when it is no envelope. JSON text is parsed once."""
    try:
        decoded = _decode(value)
    except TooDeepError:
        return None
    return _declared(decoded)


def _decode(value: Any) -> Any:
    if not isinstance(value, str) or not trim(value).startswith(("{", "[")):
        return value
    try:
        return read_json(value)
    except TooDeepError:
        raise
    except NotJsonError:
        return value


def _declared(value: Any) -> Declared | None:
    bounded = is_ledger(value)
    inner = value["result"] if bounded else value
    absent = is_absence(inner)
    if not bounded and not absent:
        return None
    layers = ([value["af_coverage"]] if bounded else []) + ([inner] if absent else [])
    return Declared(absent=absent, bounded=bounded, gap=any(_has_gap(layer) for layer in layers))


def _has_gap(layer: Mapping[str, Any]) -> bool:
    lists = (layer.get("not_checked"), layer.get("cannot_cover"))
    return any(isinstance(one, (list, tuple)) and len(one) > 0 for one in lists)


def _door_of(value: Any) -> Door:
    declared = _declared(value)
    return _NO_DOOR if declared is None else Door(absent=declared.absent, bounded=declared.bounded)


def _described(described: Mapping[str, Any] | None) -> Reading | None:
    if described is None:
        return None
    lists = {kind: described.get(kind) for kind in _DESCRIBED_LISTS}
    counts = {kind: len(one) for kind, one in lists.items() if isinstance(one, (list, tuple)) and one}
    if counts:
        return Reading(emptiness="non-empty", source="library", described=counts)
    return Reading(emptiness="clarify") if isinstance(described.get("clarify"), Mapping) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    rows_at: str | None
    is_placeholder: Placeholder | None

    def layer(self, value: Any, *, bounded: bool, depth: int = 0) -> Reading:
        """Read a value; a ledger the door vouches for is read through, down to a fixed depth."""
        if not bounded or not is_ledger(value):
            return self.bare(value)
        if depth == MAX_LEDGER_DEPTH:
            return replace(_UNKNOWN, bounded=True)
        inner = self.layer(value["result"], bounded=True, depth=depth + 1)
        counted_at = None if inner.counted_at is None else ("result", *inner.counted_at)
        # Zero rows under a declaration of what was searched are an emptiness the tool vouches for.
        emptiness = "declared-absent" if inner.emptiness == "undeclared-empty" else inner.emptiness
        return replace(inner, emptiness=emptiness, counted_at=counted_at, bounded=True)

    def bare(self, value: Any) -> Reading:
        """Read a value that no envelope stands around."""
        if isinstance(value, (list, tuple)):
            return Reading(emptiness=_word(len(value)), rows=len(value), source="library", counted_at=())
        if self.kept_out(value):
            return replace(_UNKNOWN, rows_unread="redacted")
        if not isinstance(value, (dict, Mapping)):
            return _UNKNOWN
        if value.get("placed") is True and isinstance(value.get("ref"), str) and isinstance(value.get("reason"), str):
            return replace(_UNKNOWN, rows_unread="uncounted-ticket")
        if self.rows_at is None:
            return _UNDECLARED
        return self.under_key(value, self.rows_at)

    def under_key(self, value: Mapping[str, Any], key: str) -> Reading:
        """Read the rows that the app declared to lie under a key."""
        if key not in value:
            return self.by_ticket(value, key)
        rows = value[key]
        if isinstance(rows, (list, tuple)):
            return _counted(len(rows), key, (key,))
        if self.kept_out(rows):
            return replace(_UNKNOWN, rows_unread="redacted", rows_at=key)
        return _no_list(key)

    def by_ticket(self, value: Mapping[str, Any], key: str) -> Reading:
        """Read the count off the ticket that stands where the rows were taken away."""
        found = _ticket_for(value, key)
        if found is None:
            return _no_list(key)
        ticket, path = found
        count = whole_number(ticket.get("rows"))
        if count is None or count < 0:
            return replace(_UNKNOWN, rows_unread="uncounted-ticket", rows_at=key)
        return _counted(count, key, (*path, "rows"))

    def kept_out(self, value: Any) -> bool:
        return self.is_placeholder is not None and self.is_placeholder(value)


def _word(rows: int) -> Emptiness:
    return "non-empty" if rows else "undeclared-empty"


def _counted(rows: int, key: str, path: tuple[str, ...]) -> Reading:
    return Reading(emptiness=_word(rows), rows=rows, source="app", rows_at=key, counted_at=path)


def _no_list(key: str) -> Reading:
    return replace(_UNKNOWN, undeclared_shape=True, rows_unread="no-list", rows_at=key)


def _ticket_for(value: Mapping[str, Any], key: str) -> tuple[Mapping[str, Any], tuple[str, ...]] | None:
    """The ticket for the declared key: its own among ``datasets``, else the principal one if it names the key."""
    datasets = value.get("datasets")
    own = datasets.get(key) if isinstance(datasets, Mapping) else None
    if _is_ticket(own) and own.get("sourceField", key) == key:
        return own, ("datasets", key)
    principal = value.get("dataset")
    if _is_ticket(principal) and principal.get("sourceField") == key:
        return principal, ("dataset",)
    return None


def _is_ticket(value: Any) -> TypeGuard[Mapping[str, Any]]:
    ref = value.get("ref") if isinstance(value, Mapping) else None
    return isinstance(ref, str) and STORE_REFERENCE.fullmatch(ref) is not None
