"""Our own conventions: what a runtime says of itself in ``code_run.*``, ``coverage.*`` and ``footprint.*``.

They stand on spans that speak another dialect too, and win over what is inferred from it. A span that speaks
none is recognised by them alone. A value that does not fit its type is *unreadable*: counted, never coerced.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, get_args

from otel_footprint._making import made_quickly
from otel_footprint.dialects import genai
from otel_footprint.dialects._base import AgentFacts, Dialect, Role, Runtime
from otel_footprint.dialects.content import attribute, pointer, text_attribute, whole_number
from otel_footprint.facts import (
    ABSENT,
    CallOutcome,
    Content,
    Coverage,
    CoverageItem,
    CoverageSection,
    Pointer,
    Settlement,
)
from otel_footprint.fold.coverage import read_items
from otel_footprint.spanview import EventView, SpanView

_MARKS: Final = ("code_run.", "coverage.", "footprint.")
_DECLARED: Final = "coverage.declared"
EMITS: Final = "footprint.emits"
_POLICY: Final = "footprint.redaction.policy"
_OUTCOMES: Final = ("ran", "failed", "refused", "declined", "not-dispatched")
_SENTENCES: Final = ("coverage.looked_for", "coverage.try_instead", "coverage.try_instead_tool")
_TURN_MARKS: Final = ("footprint.question", "footprint.turn", "footprint.answer")
_TOOL_MARKS: Final = ("code_run.argument", "coverage.kind")
_SECTIONS: Final[tuple[tuple[str, CoverageSection], ...]] = (
    ("coverage.checked", "checked"),
    ("coverage.not_checked", "notChecked"),
    ("coverage.cannot_cover", "cannotCover"),
)


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class NativeTool:
    """What a tool span says in our own attributes."""

    argument: str | None = None
    program: Content = ABSENT
    proposed: Content = ABSENT
    language: str | None = None
    exit_code: Any = None
    exit_pointer: Pointer | None = None
    ok: bool | None = None
    service_error: bool | None = None
    settlement: Settlement | None = None
    paused: bool = False
    result_withheld: bool = False
    outcome: CallOutcome | None = None
    outcome_pointer: Pointer | None = None
    refused_by: str | None = None
    withheld_by: str | None = None
    presented: bool = False
    coverage: tuple[Coverage, ...] = ()
    rows: int | None = None
    rows_at: str | None = None
    unreadable: tuple[str, ...] = ()
    """Keys whose value does not fit its type."""


_SILENT: Final = NativeTool()


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class NativeTurn:
    """What a turn's span says in our own attributes."""

    turn: int | None = None
    question: Content = ABSENT
    answer: Content = ABSENT
    resumed: bool = False
    windowed: bool = False
    redaction: str | None = None
    """The redaction policy that the span or its resource names."""
    unreadable: tuple[str, ...] = ()
    """Keys whose value does not fit its type."""


def role(span: SpanView) -> Role | None:
    """A span that speaks only our own attributes."""
    if any(span.has(key) for key in _TOOL_MARKS):
        return Role.TOOL
    return Role.AGENT if any(span.has(key) for key in _TURN_MARKS) else None


def agent(span: SpanView) -> AgentFacts:
    """A turn's span that speaks no other dialect."""
    return AgentFacts(agent=text_attribute(span, ("gen_ai.agent.name",)))


def native_turn(span: SpanView) -> NativeTurn:
    """Our attributes on a turn's span, whatever dialect it speaks."""
    read = _Reader(span)
    return NativeTurn(
        turn=read.whole("footprint.turn", 1),
        question=read.text("footprint.question"),
        answer=read.text("footprint.answer"),
        resumed=read.typed("footprint.resumed", bool) is True,
        windowed=read.typed("footprint.window", bool) is True,
        redaction=_word(read.typed(_POLICY, str)) or _word(span.resource(_POLICY)),
        unreadable=tuple(read.unreadable),
    )


class _Reader:
    """Reads typed attributes and remembers the keys that did not fit."""

    def __init__(self, span: SpanView) -> None:
        self.span = span
        self.unreadable: list[str] = []

    def typed(self, key: str, *types: type) -> Any:
        """The value when it has one of ``types`` exactly (``bool`` is no ``int``), else ``None``."""
        if not self.span.has(key):
            return None
        value = self.span.get(key)
        if type(value) in types or (str in types and isinstance(value, str)):
            return value
        self.unreadable.append(key)
        return None

    def word(self, key: str, words: tuple[str, ...]) -> Any:
        value = self.typed(key, str)
        if value is not None and value not in words:
            self.unreadable.append(key)
            return None
        return value

    def whole(self, key: str, least: int) -> int | None:
        value: int | None = self.typed(key, int)
        if value is not None and value < least:
            self.unreadable.append(key)
            return None
        return value

    def text(self, key: str) -> Content:
        """A text with its state; what is none is counted."""
        content = attribute(self.span, key)
        if content.state == "unreadable" or (content.recorded and not isinstance(content.value, str)):
            self.unreadable.append(key)
            return Content(state="unreadable", pointer=content.pointer)
        return content

    def program(self, key: str) -> Content:
        """A program; a value that is no text is kept as it is, since a call that was handed one ran no program."""
        content = self.text(key)
        if content.state != "unreadable":
            return content
        return Content(state="recorded", value=self.span.get(key), pointer=content.pointer)

    def exit_code(self) -> tuple[Any, Pointer | None]:
        """The exit code and where it stands; nothing when there is none or it is no whole number."""
        key = "code_run.exit_code"
        value = self.span.get(key)
        if whole_number(value):
            return value, pointer(self.span, key)
        if self.span.has(key):
            self.unreadable.append(key)
        return None, None


def native_tool(span: SpanView) -> NativeTool:
    """Our attributes on a tool's span, whatever dialect it speaks."""
    if not _marked(span.keys()) and all(event.name != _DECLARED for event in span.events):
        return _SILENT
    read = _Reader(span)
    exit_code, exit_pointer = read.exit_code()
    rows_at = read.typed("coverage.rows_at", str)
    if rows_at is not None and (not rows_at or "/" in rows_at or "." in rows_at):
        read.unreadable.append("coverage.rows_at")
        rows_at = None
    outcome = read.word("footprint.call.outcome", _OUTCOMES)
    return NativeTool(
        argument=read.typed("code_run.argument", str),
        program=read.program("code_run.program"),
        proposed=read.text("code_run.proposed"),
        language=read.typed("code_run.language", str),
        exit_code=exit_code,
        exit_pointer=exit_pointer,
        ok=read.typed("code_run.ok", bool),
        service_error=read.typed("code_run.service_error", bool),
        settlement=read.word("code_run.settlement", get_args(Settlement)),
        paused=read.typed("code_run.paused", bool) is True,
        result_withheld=read.word("code_run.result_withheld", ("over-ceiling",)) is not None,
        outcome=outcome,
        outcome_pointer=None if outcome is None else pointer(span, "footprint.call.outcome"),
        refused_by=read.typed("footprint.call.refused_by", str),
        withheld_by=read.typed("footprint.call.withheld_by", str),
        presented=read.typed("footprint.presentation", bool) is True,
        coverage=_coverage(span, read),
        rows=read.whole("coverage.rows", 0),
        rows_at=rows_at,
        unreadable=tuple(read.unreadable),  # the last: the others are read before it
    )


def merged(outer: NativeTool, inner: NativeTool) -> NativeTool:
    """What two spans of one call say together: the outer one's word, the inner one's where it has none."""
    said = {f.name for f in fields(NativeTool) if getattr(outer, f.name) != f.default}
    both = {f.name: getattr(outer if f.name in said else inner, f.name) for f in fields(NativeTool)}
    return NativeTool(**{**both, "unreadable": outer.unreadable + inner.unreadable})


def _marked(keys: Iterable[str]) -> bool:
    return bool([key for key in keys if isinstance(key, str) and key.startswith(_MARKS)])


def _coverage(span: SpanView, read: _Reader) -> tuple[Coverage, ...]:
    statements: list[Coverage] = []
    if span.has("coverage.kind"):
        found = _statement(span.get, span.has, f"{span.span_id}#attribute:", read)
        if found is not None:
            statements.append(found)
    for index, event in enumerate(span.events):
        if event.name == _DECLARED:
            statements.extend(_event_statement(event, f"{span.span_id}#event:{index}/", read))
    return tuple(statements)


def _event_statement(event: EventView, where: str, read: _Reader) -> tuple[Coverage, ...]:
    values: Mapping[str, Any] = event.attributes
    found = _statement(values.get, lambda key: key in values, where, read)
    return () if found is None else (found,)


def _statement(get: Any, has: Any, where: str, read: _Reader) -> Coverage | None:
    kind = get("coverage.kind")
    items: list[CoverageItem] = []
    for key, section in _SECTIONS:
        if has(key):
            found = read_items(get(key), section)
            items.extend(found.items)
            read.unreadable.extend([key] * found.unreadable)
    words = {key: get(key) for key in _SENTENCES if has(key)}
    read.unreadable.extend(key for key, value in words.items() if _word(value) is None)
    # An absence without searched ground is a null in disguise, and a ledger without items says nothing.
    searched = any(item.section == "checked" for item in items)
    if kind not in ("absence", "ledger") or (kind == "absence" and not searched) or not items:
        read.unreadable.append("coverage.kind")
        return None
    return Coverage(
        statement=kind,
        items=tuple(items),
        looked_for=_word(words.get("coverage.looked_for")) if kind == "absence" else None,
        try_instead=_word(words.get("coverage.try_instead")),
        try_instead_tool=_word(words.get("coverage.try_instead_tool")),
        pointer=f"{where}coverage.kind",
    )


def _word(value: Any) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def emits(span: SpanView) -> frozenset[str]:
    """What the resource says that this runtime records (``footprint.emits``)."""
    value = span.resource(EMITS)
    if isinstance(value, str):
        value = [value]
    return frozenset(v for v in value if isinstance(v, str)) if isinstance(value, list | tuple) else frozenset()


DIALECT: Final = Dialect(
    name="native",
    title="otel_footprint's own conventions",
    role=role,
    agent=agent,
    model=genai.model,
    tool=genai.tool,
    conversation=("gen_ai.conversation.id", "session.id"),
    routing="unknown",
    marks=_MARKS,
    switches=(),
    runtimes=(
        Runtime(
            title="Our own conventions",
            scope="",
            versions=("0.1",),
            recognised="`code_run.*`, `coverage.*` and `footprint.*`, on spans of any runtime.",
            failure="`footprint.call.outcome`, else status error.",
            limits=("What nobody declares.",),
        ),
    ),
)
