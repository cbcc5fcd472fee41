"""From the tool spans and model calls of one turn to its calls."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from otel_footprint._log_store import Held
from otel_footprint._pairing import Ask, Work, newest_before, pair, plain_id, read_of_request, what_the_model_read
from otel_footprint._placing import Node
from otel_footprint._programs import CallRecord, code_run_of
from otel_footprint.catalogue import name_words
from otel_footprint.config import Config
from otel_footprint.dialects import Requested, Responded, ToolFacts, enable_for
from otel_footprint.dialects._flags import answered_by_protocol, raised_to_pause, says_it_went_well
from otel_footprint.dialects.content import tool_result
from otel_footprint.dialects.logs import where_of
from otel_footprint.dialects.native import NativeTool, emits, merged, native_tool
from otel_footprint.facts import ABSENT, CallOutcome, Handoff, Pointer, Settlement, ToolCall

_TRANSFER: Final = "transfer_to_"
_OUTPUT_TOOL: Final = "final_result"
_SETTLEMENTS: Final[Mapping[str, Settlement]] = {"ran": "returned", "failed": "threw", "unknown": "not-entered"}
_NOT_ENTERED: Final = frozenset({"refused", "declined", "not-dispatched"})


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
    ask = pair(node, facts, work)
    call_id = facts.call_id or (ask.request.call_id if ask is not None and not ask.ambiguous else None)
    iteration = _iteration_of(node, ask, work)
    read = what_the_model_read(plain_id(facts.tool, call_id), node, ask, work)
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
    newest = newest_before(node, work)
    return newest.iteration if newest is not None else 0


def _from_request(ask: Ask, work: Work, config: Config) -> ToolCall:
    """A call without a span: run by the provider, or asked for with no execution seen."""
    request = ask.request
    carrier = ask.model.node if ask.model is not None else ask.carrier or work.carrier
    read = read_of_request(ask, work)
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
