"""What the fold says of a turn: a frozen value, and its JSON form.

The JSON form is the protobuf JSON mapping of ``proto/footprint/v1/explanation.proto`` with the
proto's own snake_case names. Every key is always there; ``null`` means *not recorded*.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Final, Literal

from otel_footprint._making import made_quickly
from otel_footprint.facts import CallOutcome, Pointer

SCHEMA: Final = "footprint/1"
"""The version of this shape and of the wording, written as ``footprint.schema``."""

Tone = Literal["ok", "warn", "bad", "unknown"]
CheckName = Literal["decided-delivered", "existence", "empty-results"]
Missing = Literal["no-event", "not-built", "not-declared", "before-pause", "redacted", "unreadable"]


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class CallExplanation:
    """One call of the turn, in filing order."""

    span_id: str | None
    tool: str | None
    call_id: str | None
    outcome: CallOutcome
    code_run: bool
    result_recorded: bool
    emptiness: str
    """One of the five words of spec core 6; ``unknown`` also when no result is recorded."""
    rows: int | None
    undeclared_shape: bool
    rows_unread: str | None
    notes: tuple[str, ...] = ()


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptExplanation:
    """One script row: a program that was submitted, and how it ended."""

    about: str
    span_id: str | None
    outcome: str
    """One of the seven labels (spec core 1.6)."""
    result: str
    """The joint fact for search, e.g. ``completed-with-failure:exit:3``."""
    exit_code: int | None
    exit_code_from: str | None
    service_error: bool
    tool: str
    call_id: str | None
    dispatch: int
    argument: str | None
    """``None`` when the program stands in the model's own text."""
    language: str | None
    bytes: int | None
    """UTF-8 bytes of the program; ``None`` when the program is not recorded."""
    lines: int | None
    sha256: str | None
    """Lower-case hex of the program's UTF-8 bytes; ``None`` when the program is not recorded."""
    rewritten: bool
    result_withheld: str | None
    turn: int | None
    iteration: int
    shown: str | None
    """``matched`` or ``not-shown``; ``None`` when the answer was not matched against programs."""
    declared_by: str
    exit_code_of: str | None
    """Name of the command whose exit code it is; ``None`` when that cannot be told from a shell program's text."""
    exit_means: str | None
    """What the exit code of a shell program says, in words; ``None`` when there is nothing to add to the number."""
    argument_is_list: bool
    program: str
    """``recorded``, else the state of the program's text: ``absent``, ``cut``, ``redacted``, ..."""
    text: str | None
    """The program; written out only on request."""
    evidence: tuple[Pointer, ...]
    time_ns: int
    """When the call ended, else when it started; Unix nanoseconds."""


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class SignalExplanation:
    """One listed signal."""

    about: str
    id: str
    check: CheckName
    tone: Literal["warn", "bad"]
    tool: str | None
    call_id: str | None
    evidence: tuple[Pointer, ...]


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class UnreachedExplanation:
    """One listed line of a check that could not be run."""

    about: str
    check: str
    """One of the three checks, or ``record`` for a loss that touches all of them."""
    missing: Missing
    tool: str | None
    call_id: str | None
    enable: str | None
    """What to switch on so that it can be run."""
    evidence: tuple[Pointer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteExplanation:
    """Something to know when the turn is read. It changes no label, no check and no tone."""

    about: str
    id: str
    """``exit-code-masked``, ``exit-code-not-read``, or a note on the record: ``joined-by-conversation``,
    ``late-spans``, ``logs-ambiguous``, ``parent-ambiguous``, ``parent-inferred``."""
    tool: str | None
    call_id: str | None
    enable: str | None
    """What to install so that what is said to be open can be told."""
    evidence: tuple[Pointer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonExplanation:
    """One reason why the answer does not stand (spec core 10)."""

    about: str
    reason: str
    reason_class: str
    layer: int | None
    source: str
    witnesses: int
    evidence: tuple[Pointer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedExplanation:
    """One kind of check that the assessment rests on."""

    check: str
    layer: int
    ran: int
    of: int
    """How many there were; ``ran`` of them could be checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportExplanation:
    """What proves the answer."""

    kind: str
    digest: str
    """The answer's SHA-256, lower-case hex."""
    evidence: tuple[Pointer, ...]


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class AssessmentExplanation:
    """What the standing rests on (spec core 10.2)."""

    assessment: str
    checked: tuple[CheckedExplanation, ...]
    support: SupportExplanation | None
    turn_from: str
    kept_out: tuple[str, ...]
    not_evaluated: tuple[str, ...]
    """Reasons that nothing on this record could show, in report order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockExplanation:
    """One fenced block of the answer against the programs of its turn."""

    block: int
    """1-based, in order of appearance."""
    label: str
    """The label of the program it equals, else ``unmatched``."""
    dispatch: int | None
    tool: str | None
    call_id: str | None
    exit_code: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchingExplanation:
    """The code that the answer shows."""

    blocks: tuple[BlockExplanation, ...]
    earlier_turn_rows: int
    """Programs of earlier turns, one of which an unmatched block may be."""
    regions_dropped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsupportedExplanation:
    """A value of the answer that no tool result holds."""

    value: str
    shape: str
    region: str
    """``prose`` or ``code``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceExplanation:
    """What the look-up of the answer's names and numbers found."""

    candidates: int
    looked_up: int | None
    """``None``: the runtime's own verdict does not tell."""
    unsupported: tuple[UnsupportedExplanation, ...]
    truncated: bool
    """Some result was past the bound of what is searched."""
    capped: bool
    """There may be more unsupported values than are listed."""
    revised: bool
    source: str
    """``fold``: looked up here; ``runtime``: the runtime's own ``footprint.evidence``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryExplanation:
    """What a runtime may say when it asks the model for a revision (spec core 4)."""

    unmatched: bool
    tools_named: tuple[str, ...]
    kept_calls: tuple[str, ...]
    """Call ids of the programs that the answer shows unchanged."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongLine:
    """One line of "anything wrong", in the order of spec core 8.1."""

    id: str
    """The id of the sentence in the wording table."""
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """The state of each check; the three lists are disjoint and name every check once."""

    reachable: tuple[str, ...]
    unreachable: tuple[str, ...]
    not_applicable: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The one-line summary and its tone."""

    about: str
    tone: Tone


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Totals over everything judged; listing caps do not touch them."""

    calls: int
    failed: int
    refused: int
    declined: int
    not_dispatched: int
    unknown: int
    withheld: int
    scripts: int
    scripts_dropped: int
    """Rows past the bound of 16 a turn."""
    signals: int
    """Listed and omitted."""
    signals_omitted: int
    lines_omitted: int


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Everything that is said of one turn."""

    schema: str
    wording: str
    """Version of the wording table the sentences come from."""
    trace_id: str
    span_id: str
    name: str
    agent: str | None
    conversation_id: str | None
    turn: int | None
    nested_in: str | None
    question: str | None
    answer: str | None
    finished: bool
    incomplete: tuple[str, ...]
    stand_in: bool
    revision: int
    calls: tuple[CallExplanation, ...]
    scripts: tuple[ScriptExplanation, ...]
    signals: tuple[SignalExplanation, ...]
    unreached: tuple[UnreachedExplanation, ...]
    reasons: tuple[ReasonExplanation, ...]
    checks: Checks
    wrong: tuple[WrongLine, ...]
    summary: Summary
    counts: Counts
    standing: str | None
    """``known``, ``consistent``, ``not-sure``, ``ask`` or ``not-assessed``; ``None``: the turn ended without an
    answer and without a pause, so there is nothing that could stand."""
    notes: tuple[NoteExplanation, ...]
    """Those on the record first, then those on programs in the order of their rows."""
    assessment: AssessmentExplanation | None = None
    """As :attr:`standing`."""
    matching: MatchingExplanation | None = None
    """``None``: the answer or the programs are not recorded."""
    evidence: EvidenceExplanation | None = None
    """``None``: it was switched off, or the answer or every result is not recorded."""
    recovery: RecoveryExplanation | None = None
    """``None``: no clause applies."""
    account: dict[str, Any] | None = None
    """The seven-row account (spec core 9); ``None`` unless it was asked for."""

    def to_dict(self, *, programs: bool = False) -> dict[str, Any]:
        """The JSON form; ``programs`` adds each script's ``text``."""
        out: dict[str, Any] = _plain(self)
        if not programs:
            for script in out["scripts"]:
                del script["text"]
        for script in out["scripts"]:
            del script["time_ns"]
        for reason in out["reasons"]:
            reason["class"] = reason.pop("reason_class")
        return out


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    return value
