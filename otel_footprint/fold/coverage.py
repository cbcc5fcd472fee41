"""What a tool declares about the ground its result stands on.

A tool author's declaration is refused where it is made (:func:`mint_absence`, :func:`mint_ledger`); a
declaration read from a span or an envelope is used as far as it is valid. Both ask the same validity
functions, so nothing is minted that a reader would drop.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from otel_footprint.facts import Coverage, CoverageItem, CoverageSection, Pointer
from otel_footprint.fold.strictjson import NotJsonError, read_json
from otel_footprint.fold.wording import render

MAX_SHORT_CHARS: Final = 80
"""Longest short form of an item, in characters."""

ItemKind = Literal["existence", "scope"]

_KINDS: Final[Mapping[str, ItemKind]] = {"existence": "existence", "scope": "scope"}

WIRE_KEYS: Final[Mapping[CoverageSection, str]] = {
    "checked": "checked",
    "notChecked": "not_checked",
    "cannotCover": "cannot_cover",
}
"""The key of each list in an envelope or an attribute."""

_INVISIBLE: Final = frozenset({"Cc", "Cf", "Zl", "Zp"})

Placeholder = Callable[[Any], bool]
"""Tells whether a recorded value only stands where a redaction policy kept the real one out."""


class DeclarationError(ValueError):
    """A declaration that cannot be made; the message tells how to make it right."""


# -- validity, shared by mint and read ------------------------------------------------------------


def text_problem(value: Any) -> str | None:
    """Why the value is not a non-blank text, or ``None`` when it is."""
    if isinstance(value, str) and value.strip():
        return None
    return "give a text that is not blank"


def short_problem(short: Any, what: str) -> str | None:
    """Why ``short`` cannot stand for ``what``, or ``None`` when it can; a null is an omission."""
    if short is None:
        return None
    problem = text_problem(short)
    if problem:
        return problem
    trimmed = short.strip()
    if len(trimmed) > MAX_SHORT_CHARS:
        return f"keep it within {MAX_SHORT_CHARS} characters"
    if len(trimmed) > len(what.strip()):
        return "make it no longer than what it stands for"
    if any(unicodedata.category(char) in _INVISIBLE for char in short):
        return "use one line of visible characters"
    return None


def kind_problem(kind: Any, section: CoverageSection) -> str | None:
    """Why ``kind`` cannot stand on an item of this list, or ``None`` when it can; a null is an omission."""
    if kind is None:
        return None
    if section == "checked":
        return "leave it out: only ground that was not covered has a kind"
    if not isinstance(kind, str) or kind not in _KINDS:
        return "use 'existence' or 'scope'"
    return None


def why_problem(why: Any, section: CoverageSection) -> str | None:
    """Why the reason is not acceptable in this list, or ``None`` when it is."""
    if why is None:
        return "say why no call to this tool reaches it" if section == "cannotCover" else None
    return text_problem(why)


# -- minting --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """A valid declaration: what is put on the record, and the envelope the model may read."""

    coverage: Coverage
    try_instead_why: str | None = None

    def record(self) -> dict[str, list[dict[str, str]]]:
        """The non-empty lists by wire key, with everything that is only for the record."""
        return self._lists(("what", "why", "kind", "short"))

    def envelope(self, result: Any = None) -> dict[str, Any]:
        """The envelope the tool returns; around ``result`` when this is a ledger.

        ``kind`` and ``short`` are for the record only and are not in it.
        """
        lists = self._lists(("what", "why"))
        if self.coverage.statement == "ledger":
            return {"af_coverage": {**lists, "note": render("note.ledger")}, "result": result}
        envelope: dict[str, Any] = {
            "af_absent": True,
            "outcome": "nothing_found",
            "looked_for": self.coverage.looked_for,
            **lists,
            "retry_returns_the_same": True,
        }
        if self.coverage.try_instead is not None:
            envelope["try_instead"] = self.coverage.try_instead
        if self.coverage.try_instead_tool is not None:
            why = {} if self.try_instead_why is None else {"why": self.try_instead_why}
            envelope["try_instead_tool"] = {"tool": self.coverage.try_instead_tool, **why}
        envelope["note"] = render("note.absence")
        return envelope

    def _lists(self, keys: tuple[str, ...]) -> dict[str, list[dict[str, str]]]:
        lists: dict[str, list[dict[str, str]]] = {}
        for item in self.coverage.items:
            present = {key: getattr(item, key) for key in keys if getattr(item, key) is not None}
            lists.setdefault(WIRE_KEYS[item.section], []).append(present)
        return lists


def mint_absence(  # noqa: PLR0913 -- each part of the declaration goes by its name
    *,
    looked_for: str,
    checked: Sequence[Any],
    not_checked: Sequence[Any] = (),
    cannot_cover: Sequence[Any] = (),
    try_instead: Any = None,
    try_instead_tool: Mapping[str, Any] | None = None,
) -> Declaration:
    """Declare that a tool looked and found nothing.

    Args:
        looked_for: what was looked for.
        checked: the ground searched: texts, or maps with ``what``, ``why``, ``short``; at least one.
        not_checked: ground this call could have searched and did not; maps may have a ``kind``.
        cannot_cover: ground no call to this tool reaches; maps with ``what`` and ``why``.
        try_instead: one sentence about where to go instead; blank is none.
        try_instead_tool: ``{"tool": ..., "why": ...}``, the reason optional; recorded, never looked up.

    Raises:
        DeclarationError: a part is not acceptable; the message tells the fix.
    """
    _refuse("looked_for", text_problem(looked_for))
    items = _mint_lists(checked, not_checked, cannot_cover)
    if not any(item.section == "checked" for item in items):
        _refuse("checked", "name the ground that was searched: an absence without any says nothing")
    if isinstance(try_instead, Mapping):
        _refuse("try_instead", "give one sentence here, and the tool as try_instead_tool")
    sentence = try_instead.strip() if isinstance(try_instead, str) else ""
    tool, why = _mint_other_tool(try_instead_tool)
    coverage = Coverage(
        statement="absence",
        items=items,
        looked_for=looked_for.strip(),
        try_instead=sentence or None,
        try_instead_tool=tool,
    )
    return Declaration(coverage=coverage, try_instead_why=why)


def mint_ledger(
    *, checked: Sequence[Any] = (), not_checked: Sequence[Any] = (), cannot_cover: Sequence[Any] = ()
) -> Declaration:
    """Declare what a result covers and what it does not; the lists are those of :func:`mint_absence`.

    Raises:
        DeclarationError: a part is not acceptable, or all three lists are empty.
    """
    items = _mint_lists(checked, not_checked, cannot_cover)
    if not items:
        _refuse("the ledger", "name at least one item in checked, not_checked or cannot_cover")
    return Declaration(coverage=Coverage(statement="ledger", items=items))


def _refuse(where: str, problem: str | None) -> None:
    if problem:
        raise DeclarationError(f"{where}: {problem}")


def _mint_lists(checked: Any, not_checked: Any, cannot_cover: Any) -> tuple[CoverageItem, ...]:
    items: list[CoverageItem] = []
    sections: tuple[tuple[CoverageSection, Any], ...] = (
        ("checked", checked),
        ("notChecked", not_checked),
        ("cannotCover", cannot_cover),
    )
    for section, entries in sections:
        if not isinstance(entries, (list, tuple)):
            _refuse(WIRE_KEYS[section], "give a list, empty when there is nothing to name")
        items.extend(_mint_item(entry, section, f"{WIRE_KEYS[section]}[{n}]") for n, entry in enumerate(entries))
    return tuple(items)


def _mint_item(entry: Any, section: CoverageSection, where: str) -> CoverageItem:
    fields = entry if isinstance(entry, Mapping) else {"what": entry}
    _refuse(f"{where}.what", text_problem(fields.get("what")))
    _refuse(f"{where}.why", why_problem(fields.get("why"), section))
    _refuse(f"{where}.kind", kind_problem(fields.get("kind"), section))
    _refuse(f"{where}.short", short_problem(fields.get("short"), fields["what"]))
    return _item(fields, section, kind=fields.get("kind"), short=fields.get("short"))


def _mint_other_tool(other: Any) -> tuple[str | None, str | None]:
    if other is None:
        return None, None
    if not isinstance(other, Mapping):
        _refuse("try_instead_tool", "give one map with 'tool' and, if wanted, 'why'")
    unknown = sorted(str(key) for key in other if key not in ("tool", "why"))
    if unknown:
        _refuse("try_instead_tool", f"leave out {', '.join(unknown)}: only 'tool' and 'why' are known")
    _refuse("try_instead_tool.tool", text_problem(other.get("tool")))
    why = other.get("why")
    _refuse("try_instead_tool.why", None if why is None else text_problem(why))
    return other["tool"].strip(), None if why is None else why.strip()


# -- reading --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemList:
    """One item list as read."""

    items: tuple[CoverageItem, ...] = ()
    unreadable: int = 0
    """Values that are no item: not a text or a map with a ``what``, or a needed reason missing."""
    dropped: int = 0
    """Invalid ``short`` and ``kind`` values left out of items that were kept."""


def read_items(value: Any, section: CoverageSection, *, is_placeholder: Placeholder | None = None) -> ItemList:
    """Read an item list: a list of texts, a list of maps, or one JSON text of either; ``None`` is no list.

    Nothing is repaired: what does not fit is counted, and an item loses at most its ``short`` or ``kind``.
    """
    if value is None:
        return ItemList()
    entries = value
    if isinstance(value, str):
        try:
            entries = read_json(value)
        except NotJsonError:
            return ItemList(unreadable=1)
    if not isinstance(entries, (list, tuple)):
        return ItemList(unreadable=1)
    items: list[CoverageItem] = []
    dropped = 0
    for entry in entries:
        read = _read_item(entry, section, is_placeholder)
        if read is not None:
            items.append(read[0])
            dropped += read[1]
    return ItemList(items=tuple(items), unreadable=len(entries) - len(items), dropped=dropped)


def _read_item(
    entry: Any, section: CoverageSection, is_placeholder: Placeholder | None
) -> tuple[CoverageItem, int] | None:
    fields = entry if isinstance(entry, Mapping) else {"what": entry}
    what = fields.get("what")
    if not isinstance(what, str) or text_problem(what) or why_problem(fields.get("why"), section):
        return None
    kind, short = fields.get("kind"), fields.get("short")
    bad_kind, bad_short = kind_problem(kind, section) is not None, short_problem(short, what) is not None
    item = _item(
        fields,
        section,
        kind=None if bad_kind else kind,
        short=None if bad_short else short,
        kept_out=is_placeholder is not None and is_placeholder(what),
    )
    return item, bad_kind + bad_short


def _item(
    fields: Mapping[str, Any],
    section: CoverageSection,
    *,
    kind: ItemKind | None,
    short: str | None,
    kept_out: bool = False,
) -> CoverageItem:
    why = fields.get("why")
    return CoverageItem(
        section=section,
        what=fields["what"].strip(),
        why=None if why is None else why.strip(),
        kind=kind,
        short=None if short is None else short.strip(),
        kept_out=kept_out,
    )


# -- a result's own envelope ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognised:
    """The statements found in a result's own envelope."""

    statements: tuple[Coverage, ...] = ()
    """None, one, or a ledger with the absence it stands around; a call with two is still one call."""
    unreadable: int = 0
    dropped: int = 0
    """As in :class:`ItemList`, over every list."""


def is_absence(value: Any) -> bool:
    """Whether the value is an absence envelope; JSON text is not read here."""
    return (
        isinstance(value, (dict, Mapping))
        and value.get("af_absent") is True
        and isinstance(value.get("checked"), (list, tuple))
        and len(value["checked"]) > 0
    )


def is_ledger(value: Any) -> bool:
    """Whether the value is a ledger envelope around a result; JSON text is not read here."""
    return isinstance(value, (dict, Mapping)) and isinstance(value.get("af_coverage"), Mapping) and "result" in value


def recognise(value: Any, *, pointer: Pointer | None = None, is_placeholder: Placeholder | None = None) -> Recognised:
    """Read the statements of the value a tool returned; a text is data, whatever it spells.

    Args:
        value: the returned value.
        pointer: where it was read; kept on each statement.
        is_placeholder: tells a redaction's placeholder, so that an item's words count as kept out.
    """
    layers: list[tuple[Literal["absence", "ledger"], Mapping[str, Any]]] = []
    inner = value
    if is_ledger(value):
        layers.append(("ledger", value["af_coverage"]))
        inner = value["result"]
    if is_absence(inner):
        layers.append(("absence", inner))
    statements: list[Coverage] = []
    unreadable = dropped = 0
    for statement, layer in layers:
        lists = [
            read_items(layer.get(key), section, is_placeholder=is_placeholder) for section, key in WIRE_KEYS.items()
        ]
        unreadable += sum(one.unreadable for one in lists)
        dropped += sum(one.dropped for one in lists)
        statements.append(
            Coverage(
                statement=statement,
                items=tuple(item for one in lists for item in one.items),
                looked_for=_text(layer.get("looked_for")) if statement == "absence" else None,
                try_instead=_text(layer.get("try_instead")),
                try_instead_tool=_tool_name(layer.get("try_instead_tool")),
                pointer=pointer,
            )
        )
    return Recognised(statements=tuple(statements), unreadable=unreadable, dropped=dropped)


def _text(value: Any) -> str | None:
    return None if text_problem(value) else value.strip()


def _tool_name(value: Any) -> str | None:
    return _text(value.get("tool") if isinstance(value, Mapping) else value)
