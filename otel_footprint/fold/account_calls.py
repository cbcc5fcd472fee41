"""The three rows of an account that go through the calls: checked, not checked, found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from otel_footprint.facts import CoverageSection
from otel_footprint.fold.account_input import AccountCall, AccountInput, AccountInView
from otel_footprint.fold.account_lines import Draft, Filler, Var, not_applicable, not_recorded, ours, quote
from otel_footprint.fold.account_values import Chip, Status, tool_voucher
from otel_footprint.fold.check_values import Missing
from otel_footprint.fold.emptiness import Reading

MAX_LISTED_CALLS: Final = 5
"""Calls listed in one row; all are counted."""

MAX_BEFORE_PAUSE_NAMES: Final = 3
MAX_IN_VIEW_LISTED: Final = 3

_BEFORE_PAUSE: Final = Chip(mark="before-pause")

_NOT_THROUGH: Final[Mapping[str, str]] = {
    "failed": "account.call.failed",
    "refused": "account.call.refused",
    "declined": "account.call.declined",
    "not-dispatched": "account.call.notDispatched",
}

TROUBLE: Final = frozenset(_NOT_THROUGH)
"""Outcomes of calls that did not go through."""


def call_trouble(call: AccountCall) -> Draft | None:
    """The line of a call that did not simply run; ``None`` when it did."""
    if call.tool is None:
        shown = Var(value=call.call_id or "without an id")
        return not_recorded("account.call.unnamed", "unreadable", vars={"id": shown}, pointers=call.pointers)
    tool = {"tool": Var(value=call.tool)}
    if call.outcome == "unknown":
        return not_recorded("account.call.unknown", "no-event", vars=tool, pointers=call.pointers)
    if call.outcome not in _NOT_THROUGH:
        return None
    if call.outcome == "refused" and call.refused_by is not None:
        return Draft(
            id="account.call.refusedBy", vars={**tool, "rule": Var(value=call.refused_by)}, pointers=call.pointers
        )
    return Draft(id=_NOT_THROUGH[call.outcome], vars=tool, pointers=call.pointers)


# -- checked ----------------------------------------------------------------------------------------


def checked(given: AccountInput, filler: Filler) -> Iterator[Draft]:
    """What each call says that it checked."""
    for call, chips in _listed(given):
        for draft in _checked_of(call, filler):
            yield _with_chips(draft, chips)
    yield from _left_out(given)
    yield from _nothing_called(given, "recorded")


def _checked_of(call: AccountCall, filler: Filler) -> Iterator[Draft]:
    trouble = call_trouble(call)
    if trouble is not None:
        yield trouble
        return
    tool = str(call.tool)
    if not call.statements:
        chips = (Chip(mark="not-declared"),)
        yield Draft(
            id="account.checked.undeclared", vars={"tool": Var(value=tool)}, pointers=call.pointers, chips=chips
        )
    elif not call.items("checked"):
        pointers = tuple(one.pointer for one in call.statements)
        yield Draft(id="account.checked.silent", vars={"tool": Var(value=tool)}, pointers=pointers)
    else:
        yield from _list(call, "checked", "account.checked.items", filler)


def _list(call: AccountCall, section: CoverageSection, heading: str, filler: Filler) -> Iterator[Draft]:
    """A heading in the tool's voice, and a bullet for each item that the budget has room for."""
    tool = str(call.tool)
    voice = tool_voucher(tool)
    items = call.items(section)
    pointers = tuple(pointer for _, pointer in items)
    declared = (Chip(mark="declared"),)
    yield Draft(id=heading, vars={"tool": Var(value=tool)}, voice=voice, pointers=pointers, chips=declared)
    left_out = 0
    for item, pointer in items:
        words = item.short or item.what
        if item.kept_out:
            continue
        if not filler.take((words, item.why)):
            left_out += 1
            continue
        values = {"what": quote(words, voice)}
        if item.why is not None:
            values["why"] = quote(item.why, voice)
        chips = () if item.kind is None else (_kind_chip(item.kind),)
        sentence = "account.item" if item.why is None else "account.item.why"
        yield Draft(id=sentence, vars=values, voice=voice, pointers=(pointer,), chips=chips, item=True)
    kept_out = sum(item.kept_out for item, _ in items)
    if kept_out:
        yield not_recorded("account.items.keptOut", "redacted", vars={"n": ours(kept_out)}, item=True)
    if left_out:
        yield Draft(id="account.items.more", vars={"n": ours(left_out)}, pointers=pointers, item=True)


def _kind_chip(kind: str) -> Chip:
    return Chip(mark="kind", tone="warn" if kind == "existence" else "plain", about=kind)


# -- not checked ------------------------------------------------------------------------------------


def not_checked(given: AccountInput, filler: Filler) -> Iterator[Draft]:
    """What each call that ran says that it left out."""
    listed = [(call, chips) for call, chips in _listed(given) if call.ran]
    for call, chips in listed:
        for draft in _not_checked_of(call, filler):
            yield _with_chips(draft, chips)
    past = [call for call in given.calls[MAX_LISTED_CALLS:] if call.ran]
    past += [call for call in given.before_pause[MAX_BEFORE_PAUSE_NAMES:] if call.ran]
    if past:
        pointers = tuple(pointer for call in past for pointer in call.pointers)
        yield Draft(id="account.notChecked.pastList", vars={"n": ours(len(past))}, pointers=pointers)
    yield from _before_pause(given)
    if not listed and not past:
        yield not_applicable("account.notChecked.nothing")


def _not_checked_of(call: AccountCall, filler: Filler) -> Iterator[Draft]:
    tool = str(call.tool)
    if call.items("notChecked"):
        yield from _list(call, "notChecked", "account.notChecked.items", filler)
    else:
        chips = () if call.statements else (Chip(mark="not-declared"),)
        pointers = (*(one.pointer for one in call.statements), *call.pointers)
        yield Draft(id="account.notChecked.undeclared", vars={"tool": Var(value=tool)}, pointers=pointers, chips=chips)
    if call.items("cannotCover"):
        yield from _list(call, "cannotCover", "account.cannotCover.items", filler)
    voice = tool_voucher(tool)
    for one in call.statements:
        for sentence, other in (
            ("account.notChecked.tool", one.try_instead_tool),
            ("account.notChecked.place", one.try_instead),
        ):
            if other is not None:
                values = {"tool": Var(value=tool), "other": quote(other, voice)}
                yield Draft(id=sentence, vars=values, voice=voice, pointers=(one.pointer,))


# -- found ------------------------------------------------------------------------------------------


def found(given: AccountInput, _filler: Filler) -> Iterator[Draft]:
    """What came back from each call, and what the model still had before it."""
    for call, chips in _listed(given):
        yield _with_chips(_found_of(call), chips)
    yield from _left_out(given)
    yield from _nothing_called(given, "not-applicable")
    for earlier in given.in_view[:MAX_IN_VIEW_LISTED]:
        yield _in_view(earlier)
    more = len(given.in_view) - MAX_IN_VIEW_LISTED
    if more > 0:
        pointers = tuple(one.pointer for one in given.in_view[MAX_IN_VIEW_LISTED:])
        yield Draft(id="account.inView.more", vars={"n": ours(more)}, pointers=pointers)
    if given.in_view_kept_out:
        yield not_recorded("unreachable.inView.redacted", "redacted", vars={"n": ours(given.in_view_kept_out)})
    if given.in_view_unrecorded:
        yield not_recorded("unreachable.inView.notRecorded", "no-event")


_UNREAD: Final[Mapping[str, tuple[Missing, str]]] = {
    "absent": ("no-event", "notRecorded"),
    "cut": ("unreadable", "cut"),
    "redacted": ("redacted", "redacted"),
    "too-deep": ("unreadable", "tooDeep"),
    "unreadable": ("unreadable", "unreadable"),
    "recorded": ("unreadable", "unreadable"),
}
"""Why a result was not read, to what is missing and the form of the check's own sentence."""


def _found_of(call: AccountCall) -> Draft:
    """By how the call ended first: one that did not run found nothing because it did not run."""
    trouble = call_trouble(call)
    if trouble is not None and trouble.status != "recorded":
        return trouble
    tool = {"tool": Var(value=call.tool)}
    if trouble is not None:
        sentence = "account.found.failed" if call.outcome == "failed" else "account.found.didNotRun"
        return Draft(id=sentence, vars=tool, pointers=call.pointers)
    if call.withheld or call.presented:
        sentence = "account.found.withheld" if call.withheld else "account.found.presented"
        return Draft(id=sentence, vars=tool, pointers=call.pointers)
    unread = call.result_state if call.reading is None else call.reading.rows_unread
    if unread is not None and unread in _UNREAD:
        missing, form = _UNREAD[unread]
        return not_recorded(f"unreachable.empty.{form}", missing, vars=tool, pointers=(call.result_pointer,))
    return _came_back(call, tool, call.reading or Reading(emptiness="unknown"))


def _came_back(call: AccountCall, tool: Mapping[str, Var], reading: Reading) -> Draft:
    basis = ("app",) if reading.source == "app" else ()
    pointers = (call.result_pointer, *(one.pointer for one in call.statements))
    match reading.emptiness:
        case "declared-absent":
            return _absent(call, tool, pointers)
        case "undeclared-empty":
            chips = (Chip(mark="undeclared-empty", tone="warn"),)
            return Draft(id="signal.undeclaredEmptyUsed", vars=tool, basis=basis, pointers=pointers, chips=chips)
        case "non-empty" if reading.described:
            counts = ours([f"{kind} {number}" for kind, number in reading.described.items()])
            return Draft(id="account.found.described", vars={**tool, "counts": counts}, pointers=pointers)
        case "non-empty" if reading.rows is not None:
            rows = {**tool, "n": ours(reading.rows)}
            return Draft(id="account.found.rows", vars=rows, basis=basis, pointers=pointers)
        case "clarify":
            return Draft(id="account.found.clarify", vars=tool, pointers=pointers)
        case _:
            return Draft(id="account.found.result", vars=tool, pointers=pointers)


def _absent(call: AccountCall, tool: Mapping[str, Var], pointers: tuple[str | None, ...]) -> Draft:
    voice = tool_voucher(str(call.tool))
    chips = (Chip(mark="declared"),)
    looked_for = [one.looked_for for one in call.statements if one.looked_for is not None]
    if not looked_for:
        return Draft(id="account.found.absent", vars=tool, voice=voice, pointers=pointers, chips=chips)
    values = {**tool, "what": quote(looked_for[0], voice)}
    return Draft(id="account.found.absentOf", vars=values, voice=voice, pointers=pointers, chips=chips)


def _in_view(earlier: AccountInView) -> Draft:
    values = {"tool": Var(value=earlier.tool), "distance": ours(earlier.distance)}
    reading = earlier.reading
    chips: tuple[Chip, ...] = ()
    form = "account.inView.result"
    if reading is not None and reading.emptiness == "undeclared-empty":
        form, chips = "signal.undeclaredEmptyInView", (Chip(mark="undeclared-empty", tone="warn"),)
    elif reading is not None and reading.emptiness == "declared-absent":
        form = "account.inView.absent"
    elif reading is not None and reading.rows is not None:
        form = "account.inView.rows"
        values["n"] = ours(reading.rows)
    return Draft(
        id=f"{form}.atLeast" if earlier.windowed else form,
        vars=values,
        basis=("app",) if reading is not None and reading.source == "app" else (),
        pointers=(earlier.pointer,),
        chips=chips,
    )


# -- shared -----------------------------------------------------------------------------------------


def _listed(given: AccountInput) -> list[tuple[AccountCall, tuple[Chip, ...]]]:
    """The calls that a row goes through, with what marks those before the pause."""
    here: list[tuple[AccountCall, tuple[Chip, ...]]] = [(call, ()) for call in given.calls[:MAX_LISTED_CALLS]]
    return here + [(call, (_BEFORE_PAUSE,)) for call in given.before_pause[:MAX_BEFORE_PAUSE_NAMES]]


def _with_chips(draft: Draft, chips: tuple[Chip, ...]) -> Draft:
    return replace(draft, chips=(*draft.chips, *chips)) if chips else draft


def _left_out(given: AccountInput) -> Iterator[Draft]:
    rest: Sequence[AccountCall] = (*given.calls[MAX_LISTED_CALLS:], *given.before_pause[MAX_BEFORE_PAUSE_NAMES:])
    if rest:
        pointers = tuple(pointer for call in rest for pointer in call.pointers)
        yield Draft(id="account.calls.more", vars={"n": ours(len(rest))}, pointers=pointers)


def _nothing_called(given: AccountInput, status: Status) -> Iterator[Draft]:
    """A resumed leg never says that no tool was called: the part before the pause may have."""
    yield from _before_pause(given)
    if given.calls or given.before_pause or (given.resumed and not given.state_held):
        return
    none = "account.calls.noneThisPart" if given.resumed else "account.calls.none"
    yield Draft(id=none) if status == "recorded" else not_applicable(none)


def _before_pause(given: AccountInput) -> Iterator[Draft]:
    if not given.resumed or given.state_held:
        return
    if given.before_pause_tools:
        names = Var(value=given.before_pause_tools[:MAX_BEFORE_PAUSE_NAMES])
        yield Draft(id="account.calls.beforePauseNames", vars={"tools": names}, chips=(_BEFORE_PAUSE,))
    else:
        yield not_recorded("account.calls.beforePauseLost", "before-pause", chips=(_BEFORE_PAUSE,))
