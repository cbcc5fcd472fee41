"""From the tool spans and model calls of one turn to its calls.

A call's identity is its span. The provider's call id repeats, so it only pairs a requested call with its span
inside the window of the model call that asked for it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, Final

from otel_footprint._log_joining import Joined
from otel_footprint._log_store import Held
from otel_footprint._placing import Node
from otel_footprint._programs import CallRecord, code_run_of
from otel_footprint.catalogue import name_words
from otel_footprint.config import Config
from otel_footprint.dialects import ModelFacts, Requested, Responded, ToolFacts, enable_for
from otel_footprint.dialects._flags import answered_by_protocol, raised_to_pause, says_it_went_well
from otel_footprint.dialects.content import tool_result
from otel_footprint.dialects.logs import where_of
from otel_footprint.dialects.native import NativeTool, emits, merged, native_tool
from otel_footprint.facts import ABSENT, CallOutcome, Content, Handoff, Pointer, Settlement, ToolCall

_TRANSFER: Final = "transfer_to_"
_OUTPUT_TOOL: Final = "final_result"
_SETTLEMENTS: Final[Mapping[str, Settlement]] = {"ran": "returned", "failed": "threw", "unknown": "not-entered"}
_NOT_ENTERED: Final = frozenset({"refused", "declined", "not-dispatched"})


@dataclass(slots=True, kw_only=True)
class Model:
    """One model call of the turn, in its order."""

    node: Node
    facts: ModelFacts
    iteration: int
    step: Node | None = None
    """The step right around it."""

    texts: dict[str, list[Responded]] = field(init=False)
    """The tool results of its input by call id, in the recorded order."""
    raws: dict[str, list[Responded]] = field(init=False)
    """The same of the provider's raw items."""
    nameless: dict[str | None, list[Responded]] = field(init=False)
    """The tool results of its input that have no call id, by the tool's name."""

    def __post_init__(self) -> None:
        self.texts, self.raws, self.nameless = {}, {}, {}
        for message in self.facts.input:
            for response in message.responded:
                call_id = plain_id(response.name, response.call_id)
                if call_id is None:
                    self.nameless.setdefault(response.name, []).append(response)
                else:
                    found = self.raws if response.value.where == "raw" else self.texts
                    found.setdefault(call_id, []).append(response)


@dataclass(slots=True, eq=False)
class Ask:
    """A requested call that waits for its span."""

    request: Requested
    model: Model | None
    taken: bool = False
    ambiguous: bool = False
    """Several requests fit one span as well as another; which span answers which is not recorded."""
    nth: int = 0
    """How many requests of the same tool its model call made before it."""
    carrier: Node | None = None
    """The agent's span that it was read from, where no model call is recorded."""
    read: Responded | None = None
    """The result beside it on that span."""

    @property
    def iteration(self) -> int:
        """1-based number of the model call; 0 when the request stands on the agent's own span."""
        return self.model.iteration if self.model is not None else 0


@dataclass(slots=True)
class Work:
    """The parts of a turn that its calls are made of."""

    tools: list[Node]
    models: list[Model]
    asks: list[Ask]
    agents: set[str]
    """Names of the agents of this turn."""
    carrier: Node
    handoff_spans: list[Node] = field(default_factory=list)
    twins: dict[str, list[Node]] = field(default_factory=dict)
    """Tool span id to further spans of the same call."""
    joined: Joined = field(default_factory=Joined)
    """The log records of this turn."""
    seen: dict[tuple[str, int], int] = field(default_factory=lambda: defaultdict(int))
    """How many calls of one model call had a call id so far, by the id and the model call's number."""
    by_id: dict[str | None, list[Ask]] = field(init=False)
    """Requests that no span has answered yet, by their call id."""
    by_name: dict[str | None, list[Ask]] = field(init=False)
    """The same by the tool's name."""
    starts: list[int] = field(init=False)
    """When each model call started."""
    answered: dict[str, list[int]] = field(init=False)
    """The model calls whose input holds a result for a call id, by their index."""
    asked: dict[tuple[int, str | None], int] = field(init=False)
    """How many calls of one tool a model call asked for, by its number and the tool's name."""

    def __post_init__(self) -> None:
        self.by_id, self.by_name, self.asked = defaultdict(list), defaultdict(list), defaultdict(int)
        for ask in self.asks:
            if ask.request.written:
                continue
            ask.nth = self.asked[ask.iteration, ask.request.name]
            self.asked[ask.iteration, ask.request.name] += 1
            self.by_id[_asked_id(ask)].append(ask)
            self.by_name[ask.request.name].append(ask)
        self.starts = [model.node.start_ns for model in self.models]
        self.answered = defaultdict(list)
        for index, model in enumerate(self.models):
            for call_id in model.texts.keys() | model.raws.keys():
                self.answered[call_id].append(index)

    def take(self, ask: Ask) -> None:
        """A span answers this request."""
        ask.taken = True
        self.by_id[_asked_id(ask)].remove(ask)
        self.by_name[ask.request.name].remove(ask)


def plain_id(tool: str | None, call_id: str | None) -> str | None:
    """A call's id as messages have it; Gemini CLI puts the tool's name before it elsewhere."""
    return call_id if tool is None or call_id is None else call_id.removeprefix(f"{tool}__")


def _asked_id(ask: Ask) -> str | None:
    return plain_id(ask.request.name, ask.request.call_id)


def asks_of(models: Sequence[Model]) -> list[Ask]:
    """What the models asked for, in order."""
    return [Ask(r, m) for m in models for message in m.facts.output for r in message.requested]


def calls_of(work: Work, config: Config) -> tuple[list[ToolCall], list[Handoff]]:
    """The calls of a turn in filing order, and the hand-offs that its models asked for."""
    calls = [_from_span(node, work, config) for node in sorted(work.tools, key=lambda n: n.order)]
    calls += [_from_record(held, work, config) for held in work.joined.calls]
    handoffs: list[Handoff] = []
    for ask in work.asks:
        if ask.taken or ask.request.written:
            continue
        target = _handoff_target(ask.request, work)
        if target is not None:
            handoffs.append(Handoff(target=target, delivered=_is_agent(target, work), pointer=ask.request.pointer))
        elif not _is_output_tool(ask.request.name):
            calls.append(_from_request(ask, work, config))
    return in_order(calls), handoffs


def in_order(calls: Sequence[ToolCall]) -> list[ToolCall]:
    """Filing order; calls that one message asked for and that have no span keep the order in which it did."""
    return sorted(calls, key=lambda c: (c.start_ns, c.span_id or c.carrier_span_id))


def _read(node: Node, work: Work) -> tuple[ToolFacts, NativeTool, tuple[str, ...]]:
    """What the spans of one call say together, and what has to be noted of it."""
    facts, own = _facts(node), native_tool(_view(node))
    twins = work.twins.get(node.span_id, ())
    for twin in twins:
        facts, own = _merged(facts, _facts(twin)), merged(own, native_tool(_view(twin)))
    facts = work.joined.tool(node, facts)
    views = [_view(node), *(_view(twin) for twin in twins)]
    if facts.failed is None:
        return facts, own, ()
    if raised_to_pause(views):
        return replace(facts, failed=None), replace(own, paused=True), ("paused",)
    noted = {"layers-disagree": says_it_went_well, "protocol-error": answered_by_protocol}
    return facts, own, tuple(note for note, holds in noted.items() if any(map(holds, views)))


def _view(node: Node) -> Any:
    return node.view


def _facts(node: Node) -> ToolFacts:
    return node.dialect.tool(node.view) if node.dialect is not None and node.view is not None else ToolFacts()


def _merged(outer: ToolFacts, inner: ToolFacts) -> ToolFacts:
    """Two spans of one call: what one lacks the other gives, and an error on either wins."""
    return ToolFacts(
        tool=outer.tool or inner.tool,
        call_id=outer.call_id or inner.call_id,
        arguments=outer.arguments if outer.arguments.state != "absent" else inner.arguments,
        bare=outer.bare if outer.arguments.state != "absent" else inner.bare,
        result=inner.result if inner.result.state != "absent" else outer.result,
        beside=inner.beside if inner.beside.state != "absent" else outer.beside,
        failed=outer.failed or inner.failed,
        error_text=outer.error_text if outer.error_text.state != "absent" else inner.error_text,
        exit_code=outer.exit_code if outer.exit_pointer else inner.exit_code,
        exit_pointer=outer.exit_pointer or inner.exit_pointer,
        exit_from=outer.exit_from if outer.exit_pointer else inner.exit_from,
        stopped=outer.stopped or inner.stopped,
        stopped_pointer=outer.stopped_pointer or inner.stopped_pointer,
        cached=outer.cached or inner.cached,
    )


def _from_span(node: Node, work: Work, config: Config) -> ToolCall:
    facts, own, notes = _read(node, work)
    ask = _pair(node, facts, work)
    call_id = facts.call_id or (ask.request.call_id if ask is not None and not ask.ambiguous else None)
    iteration = _iteration_of(node, ask, work)
    read = _what_the_model_read(plain_id(facts.tool, call_id), node, ask, work)
    result = read.value if read is not None and read.value.state != "absent" else facts.result
    result = tool_result(result)
    outcome, settlement = outcome_of(facts, own, ended=node.end_ns > 0 and "paused" not in notes)
    asked = ask.request.arguments if ask is not None and not ask.ambiguous else ABSENT
    code_run = code_run_of(CallRecord(facts=facts, own=own, asked=asked, read=read, result=result), config)
    return ToolCall(
        span_id=node.span_id,
        carrier_span_id=node.span_id,
        tool=facts.tool,
        call_id=call_id,
        start_ns=node.start_ns,
        end_ns=node.end_ns,
        outcome=outcome,
        outcome_pointer=own.outcome_pointer or _flag(facts) or f"{node.span_id}#status",
        settlement=settlement,
        arguments=facts.arguments if facts.arguments.state != "absent" else asked,
        refused_by=own.refused_by,
        withheld_by=own.withheld_by,
        presented=own.presented,
        result=result,
        rows=own.rows,
        rows_at=own.rows_at or config.rows_at.get(facts.tool or ""),
        code_run=code_run,
        coverage=own.coverage,
        coverage_recorded="coverage" in emits(_view(node)),
        iteration=iteration,
        enable=enable_for(node.dialect, _view(node).scope_name) if node.dialect is not None else None,
        notes=notes,
        unreadable=len(own.unreadable),
    )


def _flag(facts: ToolFacts) -> Pointer | None:
    return facts.stopped_pointer or facts.failed or facts.cached


def outcome_of(facts: ToolFacts, own: NativeTool, *, ended: bool) -> tuple[CallOutcome, Settlement]:
    """The runtime's own word first, then the recorded flags; no end is no outcome, and a pause is none yet."""
    outcome: CallOutcome
    if own.outcome is not None:
        outcome = own.outcome
    elif facts.stopped is not None:
        outcome = facts.stopped
    elif facts.failed is not None:
        outcome = "failed"
    elif facts.cached is not None:
        outcome = "not-dispatched"
    else:
        outcome = "ran" if ended else "unknown"
    if own.settlement is not None:
        return outcome, own.settlement
    if outcome in _NOT_ENTERED or outcome == "unknown":
        return outcome, "not-entered"
    return outcome, "threw" if outcome == "failed" else "returned"


def _iteration_of(node: Node, ask: Ask | None, work: Work) -> int:
    """The number of the model call that asked for a call, else of the newest one that had started; 0: not known."""
    if ask is not None and ask.ambiguous:
        return 0
    if ask is not None and ask.iteration:
        return ask.iteration
    newest = _newest_before(node, work)
    return newest.iteration if newest is not None else 0


def _newest_before(node: Node, work: Work) -> Model | None:
    started = bisect_right(work.starts, node.start_ns)
    return work.models[started - 1] if started else None


def _from_request(ask: Ask, work: Work, config: Config) -> ToolCall:
    """A call without a span: run by the provider, or asked for with no execution seen."""
    request = ask.request
    carrier = ask.model.node if ask.model is not None else ask.carrier or work.carrier
    read = _read_of_request(ask, work)
    result = request.result if request.hosted else (read.value if read is not None else ABSENT)
    result = tool_result(result)
    outcome, pointer = _outcome_of_request(request, read)
    facts = ToolFacts(tool=request.name, call_id=request.call_id, arguments=request.arguments, result=result)
    return ToolCall(
        span_id=None,
        carrier_span_id=carrier.span_id,
        tool=request.name,
        call_id=request.call_id,
        start_ns=carrier.end_ns,
        end_ns=0 if outcome == "unknown" else carrier.end_ns,
        outcome=outcome,
        outcome_pointer=pointer,
        settlement=_SETTLEMENTS[outcome],
        arguments=request.arguments,
        result=result,
        rows_at=config.rows_at.get(request.name or ""),
        code_run=code_run_of(CallRecord(facts=facts, own=NativeTool(ok=request.ok), read=read, result=result), config),
        iteration=ask.iteration,
        enable=enable_for(carrier.dialect, _view(carrier).scope_name) if carrier.dialect is not None else None,
        notes=("hosted" if request.hosted else "no-span" if outcome == "unknown" else "in-messages",),
    )


def _outcome_of_request(request: Requested, read: Responded | None) -> tuple[CallOutcome, Pointer | None]:
    """What the provider did itself, and what a runtime recorded beside the result; a result alone is no outcome."""
    if request.hosted and request.failed:
        return "failed", request.result.pointer or request.pointer
    if request.hosted:
        return ("ran" if request.result.state != "absent" else "unknown"), request.pointer
    if read is None or read.failed is None:
        return "unknown", request.pointer
    return ("failed" if read.failed else "ran"), read.value.pointer or request.pointer


def _from_record(held: Held, work: Work, config: Config) -> ToolCall:
    """A call that a log record is by itself, where the runtime documents it so and no span of it came."""
    carrier, view = work.carrier, held.view
    where = where_of(view, view.span_id or carrier.span_id)
    facts = held.dialect.tool(view, where)
    outcome, settlement = outcome_of(facts, NativeTool(), ended=True)
    started = view.time_ns - held.names.duration_ns
    return ToolCall(
        span_id=None,
        carrier_span_id=carrier.span_id,
        tool=facts.tool,
        call_id=facts.call_id,
        start_ns=started,
        end_ns=view.time_ns,
        outcome=outcome,
        outcome_pointer=_flag(facts) or where,
        settlement=settlement,
        result=facts.result,
        rows_at=config.rows_at.get(facts.tool or ""),
        code_run=code_run_of(CallRecord(facts=facts, result=facts.result), config),
        iteration=bisect_right(work.starts, started),
        enable=enable_for(carrier.dialect, _view(carrier).scope_name) if carrier.dialect is not None else None,
        notes=("from-log",),
    )


def _read_of_request(ask: Ask, work: Work) -> Responded | None:
    if ask.model is None:
        return ask.read
    call_id = _asked_id(ask)
    read = _first_answer(call_id, ask.model, ask.model.iteration, work) if call_id is not None else None
    return read or _nameless_answer(ask, ask.model, work)


def _is_output_tool(name: str | None) -> bool:
    """Whether a request is a runtime's way to give its final answer, which runs no tool."""
    return name is not None and (name == _OUTPUT_TOOL or name.startswith(_OUTPUT_TOOL + "_"))


# -- hand-offs ---------------------------------------------------------------------------------------------------


def _handoff_target(request: Requested, work: Work) -> str | None:
    """The agent a request hands over to; ``None`` when the request is an ordinary tool call.

    Known by the hand-off tool's fixed prefix together with an agent of that name in this turn, or with the
    runtime's own hand-off span.
    """
    name = request.name or ""
    if not name.startswith(_TRANSFER):
        return None
    target = name[len(_TRANSFER) :]
    for agent in sorted(work.agents):
        if name_words(agent.lower()) == name_words(target.lower()):
            return agent
    return target if work.handoff_spans else None


def _is_agent(target: str, work: Work) -> bool:
    return any(name_words(agent.lower()) == name_words(target.lower()) for agent in work.agents)


# -- pairing a span with the request for it ------------------------------------------------------------------


def _pair(node: Node, facts: ToolFacts, work: Work) -> Ask | None:
    """The request that this span answers: by call id, else by name and arguments; the newest one before it.

    A runtime may give a call its own id and leave it out of the messages: such a span answers a request without one.
    """
    by_id = _before(node, work.by_id[plain_id(facts.tool, facts.call_id)]) if facts.call_id is not None else []
    before = by_id or _alike(node, facts, work)
    if not before:
        return None
    newest = before[-1].iteration
    ask = next(a for a in before if a.iteration == newest)
    work.take(ask)
    if not by_id:
        compared = facts.arguments.recorded and ask.request.arguments.recorded
        for rival in before:
            if rival is not ask and (not compared if rival.iteration == newest else _at_once(rival, ask)):
                ask.ambiguous = rival.ambiguous = True
    return ask


def _alike(node: Node, facts: ToolFacts, work: Work) -> list[Ask]:
    """The requests before a span that its name and arguments fit; of two ids that differ neither is the other's."""
    if facts.tool is None:
        return []
    named = _before(node, work.by_name[facts.tool])
    return [
        ask
        for ask in named
        if not ask.request.hosted
        and (facts.call_id is None or ask.request.call_id is None)
        and _may_agree(facts, ask.request.arguments)
    ]


def _before(node: Node, asks: Sequence[Ask]) -> list[Ask]:
    """The requests of model calls that had started; ``asks`` are in the order of these."""
    return list(takewhile(lambda ask: ask.model is None or ask.model.node.start_ns <= node.start_ns, asks))


def _at_once(earlier: Ask, later: Ask) -> bool:
    """Whether the two model calls ran at the same time."""
    return (
        earlier.model is not None and later.model is not None and earlier.model.node.end_ns > later.model.node.start_ns
    )


def _may_agree(facts: ToolFacts, asked: Content) -> bool:
    """Whether a call's arguments are those of a request, as far as both are recorded."""
    if not facts.arguments.recorded or not asked.recorded:
        return True
    if facts.bare and isinstance(asked.value, Mapping):
        values = list(asked.value.values())
        return len(values) == 1 and values[0] == facts.arguments.value
    return bool(facts.arguments.value == asked.value)


# -- what the model read ---------------------------------------------------------------------------------------


def _what_the_model_read(call_id: str | None, node: Node, ask: Ask | None, work: Work) -> Responded | None:
    """The result of this call in the first later model call's input that holds one."""
    model = ask.model if ask is not None else None
    if model is None:
        if call_id is None:
            return None
        return _first_answer(call_id, _newest_before(node, work), bisect_left(work.starts, node.end_ns), work)
    read = _first_answer(call_id, model, model.iteration, work) if call_id is not None else None
    return read or (_nameless_answer(ask, model, work) if ask is not None and not ask.ambiguous else None)


def _nameless_answer(ask: Ask, asking: Model, work: Work) -> Responded | None:
    """The result of a call in a message without a call id: the tool's name and the order tell whose it is.

    Only where the next model call that reads such results reads as many new ones as were asked for.
    """
    name = ask.request.name
    had, asked = len(asking.nameless.get(name, ())), work.asked[asking.iteration, name]
    for model in work.models[asking.iteration :]:
        new = model.nameless.get(name, [])[had:]
        if new:
            return new[ask.nth] if len(new) == asked else None
    return None


def _first_answer(call_id: str, asking: Model | None, later: int, work: Work) -> Responded | None:
    """One reading of a call's responses: the text that the model read, with a raw item's exit code beside it.

    ``later`` is the index of the first model call that can have read them.

    An id repeats. What the asking model call had in its own input already are results of earlier calls, and of
    several calls of one id that it asked for, the responses stand in their order.
    """
    number = asking.iteration if asking is not None else 0
    nth = work.seen[call_id, number]
    work.seen[call_id, number] += 1
    old_texts, old_raws = (len(asking.texts.get(call_id, ())), len(asking.raws.get(call_id, ()))) if asking else (0, 0)
    answered = work.answered.get(call_id, [])
    for index in answered[bisect_left(answered, later) :]:
        model = work.models[index]
        texts = model.texts.get(call_id, [])[old_texts + nth :]
        raws = model.raws.get(call_id, [])[old_raws + nth :]
        if texts and raws and raws[0].exit_pointer is not None:
            return replace(texts[0], exit_code=raws[0].exit_code, exit_pointer=raws[0].exit_pointer)
        if texts or raws:
            return (texts or raws)[0]
    return None
