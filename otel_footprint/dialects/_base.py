"""What a dialect is: a name, a role for each span, and a reader for each role."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Literal

from otel_footprint._making import made_quickly
from otel_footprint.facts import ABSENT, Content, Pointer, Routing
from otel_footprint.spanview import SpanView

Nesting = Literal["in-step", "in-time"]
"""``in-step``: an agent below a step of another one is called by it. ``in-time``: an agent's span stands beside the
tool call that runs it, and only its time is inside."""
KINDS: Final = ("question", "answer", "messages", "arguments", "result")
"""The kinds of content that a switch can record."""


class Role(Enum):
    """What a span is to a turn."""

    # One object each: the hash of an enum's name is a call into Python for every look into a set of roles.
    __hash__ = object.__hash__

    AGENT = "agent"
    """Answers one message."""
    WORKFLOW = "workflow"
    """Runs around agents; the outermost one is the turn."""
    STEP = "step"
    """A container inside a turn; stands in for the turn when there is no agent span around it."""
    MODEL = "model"
    TOOL = "tool"
    HANDOFF = "handoff"
    PART = "part"
    """A part of the tool call around it (its execution, its wait for a permission); no call of its own."""
    ASIDE = "aside"
    """Work beside the turn (its title, a summary): neither it nor anything inside it is the turn's."""
    SKIP = "skip"
    """Bookkeeping that looks like a call and is none."""


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """A tool call that a model asked for, or that its provider ran itself (``hosted``)."""

    name: str | None
    call_id: str | None
    arguments: Content = ABSENT
    """Decoded: an object, or the text as recorded."""
    pointer: Pointer | None = None
    hosted: bool = False
    """The provider ran it inside the model call: there is no span, and its result is here."""
    result: Content = ABSENT
    ok: bool | None = None
    """The verdict of the provider's runner; ``None`` when it gave none."""
    failed: bool = False
    """What ran a hosted call recorded that it raised, in the place of its result."""
    written: bool = False
    """A program in the model's text that the runtime runs itself: ``arguments`` is its text, and no span is its run.
    Among what a model call read it is the program that ran."""


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Responded:
    """A tool result as a model read it."""

    call_id: str | None
    value: Content
    name: str | None = None
    exit_code: Any = None
    """An exit code that the provider's raw item documents beside the text."""
    exit_pointer: Pointer | None = None
    failed: bool | None = None
    """Whether the runtime recorded beside it that the call failed; ``None`` when it recorded neither."""


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One recorded message of a model call."""

    role: str
    text: Content = ABSENT
    requested: tuple[Requested, ...] = ()
    responded: tuple[Responded, ...] = ()


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What a model call's span records."""

    input: tuple[Message, ...] = ()
    output: tuple[Message, ...] = ()
    input_recorded: bool = False
    """Whether an input with content is recorded."""
    instructions: tuple[Content, ...] = ()
    """System texts that stand beside the messages and not among them."""
    wants_tools: bool = False
    """The record says that the call ended by asking for tools, whether or not it says for which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFacts:
    """What a step's span records of the program that its model call wrote."""

    outcome: Literal["ran", "failed"]
    pointer: Pointer
    """Where the outcome stands."""
    result: Content = ABSENT


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFacts:
    """What a turn's (or a wrapper's) span records."""

    agent: str | None = None
    question: Content = ABSENT
    answer: Content = ABSENT
    output: tuple[Message, ...] = ()
    """Messages kept on the agent span itself; read for calls only where no model call is recorded."""
    broke_off: Pointer | None = None
    """Where the runtime says that its model call died and what stands for the answer is none; ``None``: it does not."""


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFacts:
    """What a tool call's span records."""

    tool: str | None = None
    call_id: str | None = None
    arguments: Content = ABSENT
    """Decoded: an object where the record holds one, else the text as recorded."""
    bare: bool = False
    """The arguments are one argument's bare value, without its name."""
    result: Content = ABSENT
    beside: Content = ABSENT
    """An object that is recorded beside the result that a model reads: MCP's ``structuredContent``."""
    failed: Pointer | None = None
    """Where a failure flag stands; ``None`` when none was recorded."""
    error_text: Content = ABSENT
    """The tool's own error text: status message or exception message."""
    exit_code: Any = None
    exit_pointer: Pointer | None = None
    exit_from: Literal["attribute", "result"] = "attribute"
    """``result``: the code stands beside the result in a form that the runtime documents."""
    stopped: Literal["refused", "declined"] | None = None
    """The call was kept from running, by a rule or by a person."""
    stopped_pointer: Pointer | None = None
    cached: Pointer | None = None
    """Where it stands that an earlier result was given again and nothing ran; ``None`` when nothing says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """What joins the work of one turn where the runtime has no span around it."""

    conversation: str
    prompt: str | None = None
    """The message that the work is for; ``None`` when the span does not say: the newest one before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """What records more in one runtime."""

    scope: str
    """Prefix of the instrumentation scope's name; ``""`` for any."""
    enable: str
    """The exact variable or option that records content."""
    records: tuple[str, ...] = ()
    """The kinds of content that it records, of :data:`KINDS`; empty: all of them."""
    placeholder: bool = False
    """What it keeps out leaves a placeholder, so it records nothing of what is not there at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """One runtime, or one instrumentation of it, that speaks a dialect: a row of ``docs/runtimes.md``."""

    title: str
    scope: str
    """Prefix of the instrumentation scope's name; ``""`` for any."""
    versions: tuple[str, ...]
    """The versions whose real spans were seen, each with its package; empty when it was read from built spans alone."""
    recognised: str
    """What is read of it."""
    failure: str
    """How a failed call is told."""
    limits: tuple[str, ...] = ()
    """What cannot be told, a sentence each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One convention: a table of roles and small readers.

    Readers take a span whose role this dialect gave and never raise for any recorded value.
    """

    name: str
    title: str
    role: Callable[[SpanView], Role | None]
    """``None``: the span does not speak this dialect."""
    agent: Callable[[SpanView], AgentFacts]
    model: Callable[[SpanView], ModelFacts]
    tool: Callable[[SpanView], ToolFacts]
    conversation: tuple[str, ...]
    """Attribute keys of the conversation's id, first recorded wins."""
    routing: Routing
    """What this convention's runtimes can record about routing."""
    switches: tuple[Switch, ...]
    """First matching scope wins."""
    step: Callable[[SpanView], StepFacts | None] | None = None
    """Reads a step around a model call whose text may hold a program; its ``None``: the step ran none."""
    nested: Callable[[SpanView], Nesting | None] | None = None
    """How an agent's span shows that another agent called it, other than by standing below its tool call."""
    runtimes: tuple[Runtime, ...] = ()
    """First matching scope wins; the last one is for any scope."""
    marks: tuple[str, ...] = ("",)
    """A span of this dialect has an attribute key or a scope that begins with one of these, unless a limit took
    attributes from it. Lets a host pass other spans by quickly; the default passes none by."""
    group: Callable[[SpanView], Group | None] | None = None
    """What joins model and tool calls of several traces into a turn that has no span; ``None``: nothing does."""


def enable_for(dialect: Dialect, scope: str, kind: str | None = None) -> str | None:
    """The switch of the runtime behind ``scope`` that records content; ``None`` when there is none.

    With a ``kind`` of :data:`KINDS` it is the one that records this kind, else the first one that fits the scope.
    """
    switch = switch_for(dialect, scope, kind)
    return switch.enable or None if switch is not None else None


def switch_for(dialect: Dialect, scope: str, kind: str | None = None) -> Switch | None:
    """The entry behind :func:`enable_for`, also where it says that there is no switch."""
    for switch in dialect.switches:
        if scope.startswith(switch.scope) and (kind is None or not switch.records or kind in switch.records):
            return switch
    return None


def runtime_of(dialect: Dialect, scope: str) -> Runtime | None:
    """The row of the runtime behind ``scope``; ``None`` where a dialect of another distribution has none."""
    return next((runtime for runtime in dialect.runtimes if scope.startswith(runtime.scope)), None)
