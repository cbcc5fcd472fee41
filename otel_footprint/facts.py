"""The canonical facts of a turn: what the spans say, before anything is judged.

Every dialect reads its convention into these values and the fold reads nothing else.
A fact is *yes*, *no* or *not recorded*; "missing", "empty", "cut", "redacted", "too deep" and
"unreadable" are different states of a :class:`Content`, never the same one. Every fact keeps a
pointer to where it was read (``span_id#attribute:KEY/json/pointer``, ``span_id#event:INDEX/KEY``,
``span_id#log:EVENT@NANOSECONDS/KEY``
or ``span_id#status``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from otel_footprint._making import made_quickly

Pointer = str
"""Where a fact was read: ``span_id#attribute:KEY/json/pointer``, ``span_id#event:INDEX/KEY``, ``span_id#status``, or
``span_id#log:EVENT@NANOSECONDS/KEY/json/pointer`` of a log record that was joined to the span."""

ContentState = Literal["recorded", "absent", "cut", "redacted", "too-deep", "unreadable"]
"""What the record holds of a value. ``absent``: no key. ``cut``: a length limit took its end."""

ContentWhere = Literal["span", "messages", "event", "raw", "log"]
"""``span``: the call's own span; ``messages``: a model call's recorded messages; ``raw``: a
provider's raw response kept on a model call."""

Settlement = Literal["not-entered", "returned", "threw"]
"""How the dispatch of a call ended (spec core 1.1)."""

CallOutcome = Literal["ran", "failed", "refused", "declined", "not-dispatched", "unknown"]
"""How a call ended, by the flags the runtime recorded; never read from a result's words."""

Routing = Literal["none", "handoffs", "recorded", "unknown"]
"""What the runtime can record about routing: ``none`` makes decided-delivered not applicable."""

IncompleteReason = Literal[
    "conflicting-duplicate",
    "evicted",
    "evicted-before",
    "idle",
    "limits-dropped",
    "no-turn-span",
    "parent-cycle",
    "parent-missing",
    "queue-dropped",
    "shutdown",
]
"""Why a record is partial. ``evicted-before``: earlier spans of the turn were evicted, or given out and forgotten;
``queue-dropped``: the host's queue dropped spans while the turn ran."""

CoverageSection = Literal["checked", "notChecked", "cannotCover"]

DeclaredBy = Literal["span", "user", "catalogue"]
"""Who declared a tool to be code-running: its own span, the user's configuration, the shipped catalogue."""


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A recorded value, or the precise way in which it is not recorded."""

    state: ContentState = "absent"
    value: Any = None
    """The decoded value; only meaningful when ``state`` is ``recorded``. ``None`` there is a recorded null."""
    pointer: Pointer | None = None
    """Where it was read; ``None`` when absent."""
    where: ContentWhere = "span"
    decoded: Mapping[str, Any] | list[Any] | None = field(default=None, compare=False, repr=False)
    """What a recorded JSON text spells, where its reader had to decode it anyway; ``None`` otherwise."""

    @property
    def spelled(self) -> Any:
        """:attr:`value`, or what it spells where that is known."""
        return self.value if self.decoded is None else self.decoded

    @property
    def recorded(self) -> bool:
        """Whether :attr:`value` is the whole recorded value."""
        return self.state == "recorded"


ABSENT: Final = Content()
"""The one value for "no key at all"."""


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageItem:
    """One item of a coverage declaration (spec core 5.1)."""

    section: CoverageSection
    what: str
    why: str | None = None
    kind: Literal["existence", "scope"] | None = None
    short: str | None = None
    kept_out: bool = False
    """The item's words are kept out by a redaction policy: counted, never quoted."""


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """One statement a tool made about what its result stands on."""

    statement: Literal["absence", "ledger"]
    items: tuple[CoverageItem, ...] = ()
    looked_for: str | None = None
    try_instead: str | None = None
    try_instead_tool: str | None = None
    pointer: Pointer | None = None


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class ShellFacts:
    """What the text of a shell program says of its recorded exit code."""

    state: Literal["read", "unread", "not-installed"]
    """``unread``: the text is not one that is understood; ``not-installed``: nothing is there that could read it."""
    exit_code_of: str | None = None
    """Name of the one command whose exit code it is; ``None`` when it can be that of several, or of none."""
    exit_means: str | None = None
    """What the exit code says, in one or two sentences; ``None`` when there is nothing to add to the number."""
    hides: tuple[str, ...] = ()
    """Names of the commands whose failure an exit code that looks harmless does not tell, in their order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeRun:
    """What is recorded of one call to a declared code-running tool."""

    argument: str | None
    """The tool argument that holds the program; ``None`` when it stands in the model's own text."""
    declared_by: DeclaredBy
    language: str | None = None
    proposed: Content = ABSENT
    """The program as the model asked for it."""
    submitted: Content = ABSENT
    """The program as it was handed to the runner."""
    argument_is_list: bool = False
    """The recorded argument was a list of strings, joined as a shell would show it."""
    exit_code: Any = None
    """As recorded, unvalidated (the label rule decides); ``None`` when nothing was recorded."""
    exit_code_from: Literal["attribute", "result", "text", "mapping"] | None = None
    exit_code_pointer: Pointer | None = None
    ok: Any = None
    """The runner's verdict as recorded; proves no exit."""
    service_error: Any = None
    paused: bool = False
    result_withheld: bool = False
    shell: ShellFacts | None = None
    """``None``: no shell program, no text or no exit code, or one of the calls past those that get a script row."""

    @property
    def program(self) -> Content:
        """The submitted program; the one that the model asked for where the record of the submitted one is lost."""
        if self.submitted.recorded or (self.submitted.state != "absent" and not self.proposed.recorded):
            return self.submitted
        return self.proposed


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One tool call. Its identity is its span; the provider's call id repeats and is only a label."""

    span_id: str | None
    """The call's span; ``None`` when the call is known from messages or a raw response only."""
    carrier_span_id: str
    """The span whose attributes hold the call: its own, else the model call's."""
    tool: str | None
    """``None``: no record names the tool (kept, counted unread)."""
    call_id: str | None = None
    start_ns: int = 0
    """Unix nanoseconds; the model call's end when the call has no span."""
    end_ns: int = 0
    """Unix nanoseconds; 0 when no end is recorded."""
    outcome: CallOutcome = "ran"
    outcome_pointer: Pointer | None = None
    settlement: Settlement = "returned"
    arguments: Content = ABSENT
    """What the tool was called with, as its own span holds it, else as the model asked for it."""
    refused_by: str | None = None
    withheld_by: str | None = None
    presented: bool = False
    """The call showed something; its return is a receipt, not data."""
    result: Content = ABSENT
    """The value the model read where that is separately recorded, else what the call's span holds."""
    rows: int | None = None
    """``coverage.rows``: how many rows came back, when the result itself is not recorded."""
    rows_at: str | None = None
    """The declared top-level key of an object result that holds its rows."""
    code_run: CodeRun | None = None
    coverage: tuple[Coverage, ...] = ()
    coverage_recorded: bool = False
    """This runtime is known to record coverage, so no statement means none was made."""
    iteration: int = 0
    """1-based number of the model call that asked for it; 0 when not known."""
    enable: str | None = None
    """The switch of this runtime that would record what is missing here."""
    notes: tuple[str, ...] = ()
    """``hosted``: the provider ran it inside the model call; ``in-text``: a program in the model's text that its
    runtime ran; ``in-messages``: only messages tell how it ended; ``no-span``: asked for, no execution seen;
    ``paused``: it stopped to ask a person; ``layers-disagree``: one record of it says that it failed, another that it
    went well; ``protocol-error``: the protocol answered in the tool's place, and whether the tool ran is not
    recorded; ``from-log``: told by a log record that the runtime documents as the call, with no span."""
    unreadable: int = 0
    """Values in our own attributes on this span that do not fit their type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One call to a model, for a timeline; the rules read its messages elsewhere."""

    span_id: str
    model: str | None
    """The model's name; ``None`` when not recorded."""
    start_ns: int
    """Unix nanoseconds; 0 when not recorded."""
    end_ns: int
    """Unix nanoseconds; 0 when no end is recorded."""
    failed: bool
    """Its span's status is an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handoff:
    """A hand-off to another agent that a model call asked for; it is never a tool call."""

    target: str | None
    """The agent's name as recorded; ``None`` when no record names it."""
    delivered: bool
    """The target agent's span is in this turn."""
    pointer: Pointer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InViewResult:
    """An earlier answer's result that lay in the answering model call's input."""

    tool: str
    call_id: str | None
    distance: int
    """Person messages after it, the current one included; >= 1."""
    result: Content
    rows_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedEvent:
    """One ``footprint.*`` event of a turn's span, as recorded."""

    keys: Mapping[str, Any]
    """By bare keys: ``by``, not ``footprint.routing.by``."""
    pointer: Pointer


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What one model call says it was given (``footprint.skills``)."""

    iteration: int
    names: Content = ABSENT
    count: Content = ABSENT


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Declarations:
    """What a turn's span says of itself in our own attributes and events, unjudged."""

    routing: tuple[RecordedEvent, ...] = ()
    rows: tuple[RecordedEvent, ...] = ()
    """``footprint.row``: keys ``kind`` and ``body``."""
    evidence: tuple[RecordedEvent, ...] = ()
    pause: RecordedEvent | None = None
    """The last ``footprint.pause``."""
    answer_check: RecordedEvent | None = None
    """``footprint.answer_check.*`` as keys ``status``, ``mode`` and ``digest``."""
    stopped_early: Content = ABSENT
    steps_unfinished: Content = ABSENT
    question_rewritten: bool | None = None
    """``None``: not recorded."""
    deliveries: tuple[Delivery, ...] = ()
    emits: frozenset[str] = frozenset()
    """What this runtime says it records (``footprint.emits``)."""


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingBeforePause:
    """What the spans of the legs before a pause say of routing; empty without them."""

    routing: tuple[RecordedEvent, ...] = ()
    """``footprint.routing``, in order."""
    deliveries: tuple[Delivery, ...] = ()
    """Counted like :attr:`model_calls`: through all legs."""
    handoffs: tuple[Handoff, ...] = ()
    model_calls: int = 0
    """Recorded model calls before the pause."""


_FROM_OTHER_TRACES: Final = frozenset({"parent-inferred", "joined-by-conversation"})
"""Notes of turns that may hold spans of more than one trace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message, one answer: everything recorded of it, in a fixed order."""

    trace_id: str
    """32 lower-case hex digits."""
    span_id: str
    """The span that carries the explanation, 16 lower-case hex digits."""
    name: str
    start_ns: int = 0
    end_ns: int = 0
    agent: str | None = None
    conversation_id: str | None = None
    turn: int | None = None
    """1-based number in its conversation; ``None`` when not recorded."""
    nested_in: str | None = None
    """The span id of the turn whose tool call this turn runs inside."""
    question: Content = ABSENT
    answer: Content = ABSENT
    finished: bool = False
    """The turn reached its end normally and no recorded content says that an answer is missing."""
    calls: tuple[ToolCall, ...] = ()
    """In filing order: start time, then span id."""
    in_view: tuple[InViewResult, ...] = ()
    """Newest first."""
    in_view_kept_out: int = 0
    windowed: bool = False
    """The model's input was cut to a window, so a distance is a floor."""
    redaction: str | None = None
    """The redaction policy under which this record was made; without one a placeholder word is a value."""
    in_view_unrecorded: bool = False
    """An earlier turn is known or possible and the answering call's input is not recorded."""
    routing: Routing = "unknown"
    handoffs: tuple[Handoff, ...] = ()
    resumed: bool = False
    """The turn goes on after a pause."""
    paused_leg_held: bool = False
    """On a resumed leg: the paused turn's spans are in the record."""
    before_pause: tuple[ToolCall, ...] = ()
    """The calls of the paused leg, where its spans are in the record."""
    routing_before_pause: RoutingBeforePause = RoutingBeforePause()
    declared: Declarations = Declarations()
    told: tuple[str, ...] = ()
    """What the model was told before it answered: system text, question and conversation; its values need no
    evidence."""
    told_partly: bool = False
    """Some of what the model was told, or still had before it, is not recorded as text: a value may be from there."""
    model: str | None = None
    """The answering model call's model; ``None`` when not recorded."""
    model_calls: int = 0
    """Recorded model calls of this turn."""
    models: tuple[ModelCall, ...] = ()
    """The same one by one, by start time, then span id; the first is iteration 1."""
    earlier_scripts: int = 0
    """Programs of this conversation's earlier turns that were seen."""
    content_recorded: bool = True
    """Whether any content (arguments, results, messages) of this turn is recorded."""
    stand_in: bool = False
    """No turn span exists: the top-most agent-related span stands in."""
    incomplete: tuple[IncompleteReason, ...] = ()
    """Why the record of this turn is known to be partial; empty when nothing says so."""
    dropped: int = 0
    """Attributes, events and links of this turn's spans that the emitter's limits dropped."""
    unreadable: int = 0
    """Values in our own attributes that do not fit their type."""
    notes: tuple[str, ...] = ()
    """``parent-inferred``: spans of another trace were joined by call id, or the tool call that runs the turn is told
    by its time alone; ``parent-ambiguous``: several fit; ``joined-by-conversation``: work of several traces with no
    span around it; ``logs-ambiguous``: log records that fit several calls were left out; ``late-spans``: an
    addendum."""
    enable: str | None = None
    """The switch of the answering model call's instrumentation that records what it read."""
    same_turn_spans: tuple[str, ...] = field(default=())
    """Wrapper or sibling agent spans that belong to this turn, outermost first."""
    dialects: tuple[str, ...] = ()
    """The conventions that were read, in the order of the registry."""
    revision: int = 1
    """2 when a later span changed what was already written."""

    @property
    def linkable(self) -> list[str]:
        """The spans of its calls that links may go to; none where some may be of another trace."""
        if _FROM_OTHER_TRACES.intersection(self.notes):
            return []
        return [span_id for call in self.calls for span_id in (call.span_id, call.carrier_span_id) if span_id]

    @property
    def convention(self) -> str:
        """The conventions that were read in one word, as metrics have it; ``none`` where there are none."""
        return "+".join(self.dialects) or "none"
