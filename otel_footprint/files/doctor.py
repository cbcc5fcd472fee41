"""What the runtimes in a set of files record, what they do not, and the switch that would record it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from otel_footprint.config import Config
from otel_footprint.dialects import Dialect, Role, Runtime, recognise, runtime_of, switch_for
from otel_footprint.dialects.content import is_placeholder, text_attribute
from otel_footprint.explanation import Explanation
from otel_footprint.facts import Content
from otel_footprint.files.record import Progress, Record, explain_files
from otel_footprint.files.sources import Source
from otel_footprint.spanview import SpanView

Kind = Literal[
    "turns",
    "questions",
    "answers",
    "conversations",
    "model calls",
    "messages",
    "tool calls",
    "call ids",
    "arguments",
    "results",
    "programs",
    "exit codes",
]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""In the order in which they are told."""

_SWITCHED: Final[dict[Kind, str]] = {
    "questions": "question",
    "answers": "answer",
    "messages": "messages",
    "arguments": "arguments",
    "results": "result",
    "programs": "arguments",
}
"""What a switch of the runtime can record, by the name that the dialects' tables have for it."""
_BY_HAND: Final[dict[Kind, str]] = {
    "exit codes": "`code_run.exit_code` on the call's span, or `exit_code_at` for the tool in the configuration",
}
"""What no switch records and the application can record itself."""
_MAX_PLACES: Final = 500_000
"""Spans whose runtime is remembered for what is said of them later."""
_NOT_RUN: Final = frozenset({"submitted"})

_Key = tuple[str, str]
"""Name of the dialect and prefix of the scope; the whole scope where the table has no row of its own for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """How much of one kind of content is recorded."""

    kind: Kind
    recorded: int
    of: int
    """How many could have been; 0: there was nothing of this kind to record."""
    redacted: int = 0
    """Kept out or cut, of those that are not recorded."""
    enable: str | None = None
    """The exact switch that would record what is missing; ``None``: nothing is missing, or none is known."""

    @property
    def state(self) -> Literal["recorded", "partly", "not-recorded", "nothing"]:
        """The finding in a word."""
        if not self.of:
            return "nothing"
        if self.recorded == self.of:
            return "recorded"
        return "partly" if self.recorded else "not-recorded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchecked:
    """A check that could not be run in some turns of a runtime, for one reason."""

    check: str
    missing: str
    lines: int
    enable: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeReport:
    """What one runtime records."""

    runtime: str
    dialect: str
    scopes: tuple[str, ...]
    """Its instrumentation scopes that were found, by name."""
    spans: int
    """Its spans that are read."""
    findings: tuple[Finding, ...]
    """One a kind, in the order of :data:`KINDS`."""
    unchecked: tuple[Unchecked, ...]
    limits: tuple[str, ...]
    """What can never be told of this runtime."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What a set of files records."""

    record: Record
    runtimes: tuple[RuntimeReport, ...]
    """Most spans first."""
    unread: int
    """Spans that no dialect reads: they are no part of an agent's work, or of a runtime that is not known."""
    unread_scopes: tuple[tuple[str, int], ...]
    """Their scopes with how many spans of each, most first."""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "spans": self.record.spans,
            "turns": len(self.record.explanations),
            "runtimes": [_runtime(report) for report in self.runtimes],
            "unread": self.unread,
            "unread_scopes": [{"scope": scope, "spans": spans} for scope, spans in self.unread_scopes],
        }


@dataclass(slots=True)
class _Tally:
    dialect: Dialect
    scope: str
    """The first that was found: its other scopes have the same row and the same switches."""
    scopes: set[str] = field(default_factory=set)
    spans: int = 0
    hidden: bool = False
    """A placeholder stands on one of its spans."""
    of: Counter[Kind] = field(default_factory=Counter)
    recorded: Counter[Kind] = field(default_factory=Counter)
    redacted: Counter[Kind] = field(default_factory=Counter)
    unchecked: Counter[tuple[str, str, str | None]] = field(default_factory=Counter)

    def count(self, kind: Kind, *, recorded: bool, redacted: bool = False) -> None:
        self.of[kind] += 1
        self.recorded[kind] += recorded
        self.redacted[kind] += redacted and not recorded

    def content(self, kind: Kind, content: Content) -> None:
        self.count(kind, recorded=content.recorded, redacted=content.state not in {"recorded", "absent"})

    def report(self) -> RuntimeReport:
        runtime: Runtime | None = runtime_of(self.dialect, self.scope)
        return RuntimeReport(
            runtime=runtime.title if runtime is not None else self.dialect.title,
            dialect=self.dialect.name,
            scopes=tuple(sorted(self.scopes)),
            spans=self.spans,
            findings=tuple(self._finding(kind) for kind in KINDS),
            unchecked=tuple(
                Unchecked(check=check, missing=missing, lines=lines, enable=enable)
                for (check, missing, enable), lines in sorted(self.unchecked.items(), key=lambda item: str(item[0]))
            ),
            limits=runtime.limits if runtime is not None else (),
        )

    def _finding(self, kind: Kind) -> Finding:
        recorded, of = self.recorded[kind], self.of[kind]
        enable = self._enable(kind) if recorded < of else None
        return Finding(kind=kind, recorded=recorded, of=of, redacted=self.redacted[kind], enable=enable)

    def _enable(self, kind: Kind) -> str | None:
        if kind not in _SWITCHED:
            return _BY_HAND.get(kind)
        switch = switch_for(self.dialect, self.scope, _SWITCHED[kind])
        if switch is None or (switch.placeholder and not self.hidden):
            return None
        return switch.enable or None


def examine_files(sources: Sequence[Source], config: Config, *, progress: Progress | None = None) -> Examination:
    """Read files as one record and say what is recorded in it.

    Args:
        sources: The files, in any order.
        config: The settings.
        progress: Called as bytes are read.

    Returns:
        The examination. What cannot be read is a problem in its record; nothing is raised for bad input.
    """
    examining = _Examining()
    record = explain_files(sources, config, progress=progress, watch=examining.see)
    for explanation in record.explanations:
        examining.hear(explanation)
    return examining.close(record)


class _Examining:
    """The state while spans and then turns are looked at."""

    def __init__(self) -> None:
        self._tallies: dict[_Key, _Tally] = {}
        self._places: dict[tuple[str, str], _Key] = {}
        self._unread: Counter[str] = Counter()

    def see(self, view: SpanView) -> None:
        """One span: what it records itself. A copy of a span says nothing new."""
        if (view.trace_id, view.span_id) in self._places:
            return
        dialect, role = recognise(view)
        if dialect is None or role is None or role is Role.SKIP:
            self._unread[view.scope_name] += 1
            return
        key, tally = self._tally(dialect, view.scope_name)
        tally.spans += 1
        tally.hidden = tally.hidden or any(is_placeholder(view.get(key)) for key in view.keys())  # noqa: SIM118 - a span view is no mapping
        if len(self._places) < _MAX_PLACES:
            self._places[view.trace_id, view.span_id] = key
        if role is Role.TOOL:
            tally.content("arguments", dialect.tool(view).arguments)
        elif role is Role.MODEL:
            tally.count("model calls", recorded=True)
            tally.count("messages", recorded=dialect.model(view).input_recorded)
        elif role in (Role.AGENT, Role.WORKFLOW):
            tally.count("conversations", recorded=text_attribute(view, dialect.conversation) is not None)

    def _tally(self, dialect: Dialect, scope: str) -> tuple[_Key, _Tally]:
        runtime = runtime_of(dialect, scope)
        key = (dialect.name, runtime.scope if runtime is not None and runtime.scope else scope)
        tally = self._tallies.get(key)
        if tally is None:
            tally = self._tallies[key] = _Tally(dialect, scope)
        tally.scopes.add(scope)
        return key, tally

    def hear(self, turn: Explanation) -> None:
        """One explained turn: what is known of it, wherever it was read."""
        own = self._of(turn.trace_id, turn.span_id)
        if own is None:
            return
        own.count("turns", recorded=not turn.stand_in)
        own.count("questions", recorded=turn.question is not None)
        if turn.standing is not None:
            own.count("answers", recorded=turn.answer is not None)
        for call in turn.calls:
            tally = self._of(turn.trace_id, call.span_id) or own
            if "hosted" not in call.notes:
                tally.count("tool calls", recorded=call.span_id is not None)
                tally.count("call ids", recorded=call.call_id is not None)
            if call.outcome == "ran":
                tally.count("results", recorded=call.result_recorded)
        for script in turn.scripts:
            tally = self._of(turn.trace_id, script.span_id) or own
            tally.count("programs", recorded=script.program == "recorded", redacted=script.program != "absent")
            if script.outcome not in _NOT_RUN:
                tally.count("exit codes", recorded=script.exit_code is not None)
        for line in turn.unreached:
            own.unchecked[line.check, line.missing, line.enable] += 1

    def _of(self, trace_id: str, span_id: str | None) -> _Tally | None:
        key = self._places.get((trace_id, span_id)) if span_id is not None else None
        return self._tallies[key] if key is not None else None

    def close(self, record: Record) -> Examination:
        tallies = sorted(self._tallies.values(), key=lambda tally: (-tally.spans, tally.dialect.name, tally.scope))
        return Examination(
            record=record,
            runtimes=tuple(tally.report() for tally in tallies),
            unread=self._unread.total(),
            unread_scopes=tuple(sorted(self._unread.items(), key=lambda item: (-item[1], item[0]))),
        )


def _runtime(report: RuntimeReport) -> dict[str, Any]:
    return {
        "runtime": report.runtime,
        "dialect": report.dialect,
        "scopes": list(report.scopes),
        "spans": report.spans,
        "content": list(_findings(report)),
        "unchecked": [
            {"check": one.check, "missing": one.missing, "lines": one.lines, "enable": one.enable}
            for one in report.unchecked
        ],
        "limits": list(report.limits),
    }


def _findings(report: RuntimeReport) -> Iterator[dict[str, Any]]:
    for one in report.findings:
        yield {
            "kind": one.kind,
            "state": one.state,
            "recorded": one.recorded,
            "of": one.of,
            "redacted": one.redacted,
            "enable": one.enable,
        }
