"""From the placed spans of one turn to its facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

from otel_footprint._calls import calls_of, in_order
from otel_footprint._exchange import answer_of, answering_model, in_view_of, question_of, told_of
from otel_footprint._grouping import Traces
from otel_footprint._log_joining import Identity, Joined, Joiner
from otel_footprint._log_store import LogStore
from otel_footprint._own_messages import own_asks
from otel_footprint._pairing import Model, Work, asks_of
from otel_footprint._placing import TURN_ROLES, Node, Trace
from otel_footprint._shell_facts import with_shell_facts
from otel_footprint._written import written_calls
from otel_footprint.catalogue import name_words
from otel_footprint.config import Config
from otel_footprint.dialects import AgentFacts, ModelFacts, Role, dialects, enable_for
from otel_footprint.dialects.content import text_attribute
from otel_footprint.dialects.declared import declarations
from otel_footprint.dialects.native import emits, native_turn
from otel_footprint.facts import (
    Content,
    Delivery,
    IncompleteReason,
    ModelCall,
    Routing,
    RoutingBeforePause,
    ToolCall,
    Turn,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a turn came to be given out."""

    outer: str | None = None
    """Span id of the turn whose tool call this one runs inside."""
    stand_in: bool = False
    """No turn span is known: the carrier stands in."""
    incomplete: tuple[IncompleteReason, ...] = ()
    revision: int = 1
    notes: tuple[str, ...] = ()
    paused: Sequence[Turn] | None = None
    """The legs that this one resumes, oldest first; ``None`` when they are not in the record."""
    logs: LogStore | None = None
    """The log records from which the turn takes its own."""


def build_turn(
    trace: Trace | Traces,
    carrier: Node,
    members: Sequence[Node],
    config: Config,
    standing: Standing,
) -> Turn:
    """The facts of the turn that ``carrier`` stands for; ``members`` are the spans inside it, in any order."""
    ordered = _seen_once(sorted(members, key=lambda n: n.order))
    agents = [carrier, *_outermost_first(trace, ordered)]
    timed = ordered if isinstance(trace, Traces) else [carrier]
    facts = {n.span_id: _agent_facts(n) for n in agents}
    tools, twins = _tools(trace, ordered)
    conversation = _conversation(carrier, ordered)
    window = min(n.start_ns for n in timed), max(n.end_ns for n in timed)
    joined = Joined()
    records = [] if standing.logs is None else standing.logs.of({n.trace_id for n in (carrier, *ordered)}, conversation)
    if standing.logs is not None and records:
        joiner = Joiner(placed=trace, carrier=carrier, members=ordered, conversation=conversation, window=window)
        joined = joiner.join(records, tools, lambda node: _named_on_any((node, *twins.get(node.span_id, ()))))
        standing.logs.joined(joined.records())
    models = _models(trace, ordered, joined)
    names = {f.agent for f in facts.values() if f.agent}
    work = Work(
        tools=tools,
        models=models,
        asks=asks_of(models) if models else own_asks([(n, facts[n.span_id].output) for n in agents]),
        agents=names,
        carrier=carrier,
        handoff_spans=[n for n in ordered if n.role is Role.HANDOFF],
        twins=twins,
        joined=joined,
    )
    calls, handoffs = calls_of(work, config)
    calls = in_order([*calls, *written_calls(work)])
    calls = with_shell_facts(calls, config)
    own = native_turn(_view(carrier))
    said = [facts[n.span_id] for n in agents]
    question = own.question if own.question.state != "absent" else question_of(said, models)
    if not question.recorded:
        told_in_log = joined.question(carrier)
        question = told_in_log if told_in_log.recorded or question.state == "absent" else question
    ended_well = _ended_well(agents) and not any(f.broke_off for f in said)
    answer = own.answer if own.answer.state != "absent" else answer_of(said, models, ended_well=ended_well)
    content_recorded = _content_recorded(calls, models, question, answer)
    answer_missing = answer.state == "absent" and any(m.facts.input_recorded for m in models)
    in_view, kept_out = in_view_of(models, calls, config, redaction=own.redaction)
    told, told_partly = told_of(models, calls, question)
    return Turn(
        trace_id=trace.trace_id,
        span_id=carrier.span_id,
        name=_view(carrier).name,
        start_ns=window[0],
        end_ns=window[1],
        agent=next((facts[n.span_id].agent for n in agents if facts[n.span_id].agent), None) or _group_agent(carrier),
        conversation_id=conversation,
        turn=own.turn,
        nested_in=standing.outer,
        question=question,
        answer=answer,
        finished=answer.recorded if standing.stand_in else ended_well and not answer_missing,
        calls=tuple(calls),
        in_view=in_view,
        in_view_kept_out=kept_out,
        windowed=own.windowed,
        redaction=own.redaction,
        in_view_unrecorded=_read_unknown(models, answer),
        routing=config.routing or _routing(carrier),
        handoffs=tuple(handoffs),
        resumed=own.resumed,
        paused_leg_held=standing.paused is not None,
        before_pause=tuple(call for leg in standing.paused or () for call in leg.calls),
        routing_before_pause=_routing_before(standing.paused or ()),
        declared=declarations(_view(carrier), [(m.iteration, _view(m.node)) for m in models]),
        told=told,
        told_partly=told_partly,
        model=_model_name(models),
        model_calls=len(models),
        models=tuple(_model_call(m.node) for m in models),
        content_recorded=content_recorded,
        stand_in=standing.stand_in,
        incomplete=tuple(sorted({*standing.incomplete, *_losses([carrier, *ordered])})),
        dropped=sum(_dropped(n) for n in {n.span_id: n for n in (carrier, *ordered)}.values()),
        unreadable=sum(c.unreadable for c in calls) + len(own.unreadable),
        notes=tuple(sorted((*standing.notes, *(("logs-ambiguous",) if joined.ambiguous else ())))),
        enable=_enable([n for n in ordered if n.role is Role.MODEL][-1:] or [carrier, *ordered]),
        same_turn_spans=tuple(n.span_id for n in agents if n is not carrier),
        dialects=_dialect_names([carrier, *ordered]),
        revision=standing.revision,
    )


def _routing_before(legs: Sequence[Turn]) -> RoutingBeforePause:
    deliveries: list[Delivery] = []
    calls = 0
    for leg in legs:
        deliveries += [replace(one, iteration=one.iteration + calls) for one in leg.declared.deliveries]
        calls += leg.model_calls
    return RoutingBeforePause(
        routing=tuple(event for leg in legs for event in leg.declared.routing),
        deliveries=tuple(deliveries),
        handoffs=tuple(handoff for leg in legs for handoff in leg.handoffs),
        model_calls=calls,
    )


def _model_name(models: Sequence[Model]) -> str | None:
    answering = answering_model(models)
    return text_attribute(_view(answering.node), _MODEL_NAMES) if answering is not None else None


def _model_call(node: Node) -> ModelCall:
    return ModelCall(
        span_id=node.span_id,
        model=text_attribute(_view(node), _MODEL_NAMES),
        start_ns=node.start_ns,
        end_ns=node.end_ns,
        failed=_view(node).status == "error",
    )


_MODEL_NAMES: Final = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name")


def _group_agent(carrier: Node) -> str | None:
    """The agent that a runtime without a turn's span names on all its work."""
    return text_attribute(_view(carrier), ("gen_ai.agent.name",)) if carrier.group is not None else None


def _view(node: Node) -> Any:
    return node.view


def _agent_facts(node: Node) -> AgentFacts:
    # A stand-in may be a model or tool call; only containers have an agent's facts.
    if node.dialect is None or node.view is None or node.role in {Role.MODEL, Role.TOOL}:
        return AgentFacts()
    return node.dialect.agent(node.view)


def _outermost_first(trace: Trace | Traces, members: Sequence[Node]) -> list[Node]:
    agents = [n for n in members if n.role in TURN_ROLES]
    return sorted(agents, key=lambda n: (trace.above(n).depth, n.order))


def _seen_once(members: list[Node]) -> list[Node]:
    """The spans but those of a model call that another instrumentation records beside them, at the same time.

    Both have the id of its response; the one with messages stays, else the first.
    """
    by_response: dict[str, list[Node]] = defaultdict(list)
    for node in members:
        response = text_attribute(_view(node), _RESPONSE_IDS) if node.role is Role.MODEL else None
        if response is not None:
            by_response[response].append(node)
    dropped: set[str] = set()
    for same in by_response.values():
        for first, second in pairwise(same):
            if _view(first).scope_name != _view(second).scope_name and second.start_ns < first.end_ns:
                only_second = _has_messages(_model_facts(second)) and not _has_messages(_model_facts(first))
                dropped.add((first if only_second else second).span_id)
    return [node for node in members if node.span_id not in dropped] if dropped else members


_RESPONSE_IDS: Final = ("gen_ai.response.id",)


def _models(trace: Trace | Traces, members: Sequence[Node], joined: Joined) -> list[Model]:
    """The model calls in order; of two nested spans of one call (two instrumentations) the one with messages."""
    read = {n.span_id: joined.model(n, _model_facts(n)) for n in members if n.role is Role.MODEL}
    dropped: set[str] = set()
    for node in members:
        outer = _inside(trace, node, Role.MODEL) if node.role is Role.MODEL else None
        if outer is not None and outer.span_id in read:
            inner_only = _has_messages(read[node.span_id]) and not _has_messages(read[outer.span_id])
            dropped.add(outer.span_id if inner_only else node.span_id)
    kept = [n for n in members if n.span_id in read and n.span_id not in dropped]
    return [
        Model(node=n, facts=read[n.span_id], iteration=i, step=_inside(trace, n, Role.STEP))
        for i, n in enumerate(kept, start=1)
    ]


def _model_facts(node: Node) -> ModelFacts:
    return node.dialect.model(node.view) if node.dialect is not None and node.view is not None else ModelFacts()


def _has_messages(facts: ModelFacts) -> bool:
    return bool(facts.input or facts.output)


def _inside(trace: Trace | Traces, node: Node, role: Role) -> Node | None:
    """The nearest ancestor of ``role`` with only spans without a role in between."""
    near = trace.above(node).near
    return near if near is not None and near.role is role else None


def _tools(trace: Trace | Traces, members: Sequence[Node]) -> tuple[list[Node], dict[str, list[Node]]]:
    """One tool span a call: a span of the same tool right inside another's is the same call seen twice."""
    tools = [n for n in members if n.role is Role.TOOL]
    outer_of = _seen_beside(tools)
    # Outer spans first: spans may start at the same time, and then their order says nothing.
    for node in sorted(tools, key=lambda n: (trace.above(n).depth, n.order)):
        outer = _inside(trace, node, Role.TOOL)
        if outer is not None and _same_tool(outer, node):
            outer_of[node.span_id] = outer_of.get(outer.span_id, outer.span_id)
    for node in members:
        whole = _whole(trace, node) if node.role is Role.PART else None
        if whole is not None:
            outer_of[node.span_id] = outer_of.get(whole.span_id, whole.span_id)
    twins: dict[str, list[Node]] = {}
    for node in members:
        if node.span_id in outer_of:
            twins.setdefault(outer_of[node.span_id], []).append(node)
    return [n for n in tools if n.span_id not in outer_of], twins


def _whole(trace: Trace | Traces, part: Node) -> Node | None:
    """The tool call that a span is a part of."""
    near = trace.above(part).near
    while near is not None and near.role is Role.PART:
        near = trace.above(near).near
    return near if near is not None and near.role is Role.TOOL else None


def _seen_beside(tools: Sequence[Node]) -> dict[str, str]:
    """Tool spans that another one of the same call lies beside, by the span that began first.

    Two layers of one runtime record a call under the same id and tool, at the same time and each in its own kind of
    span. Of one kind of span, two are two runs.
    """
    if len({_kind(node) for node in tools}) < 2:  # noqa: PLR2004 - spans of one kind are not worth reading for this
        return {}
    by_call: dict[tuple[tuple[str, ...], str | None], list[Node]] = defaultdict(list)
    for node in sorted(tools, key=lambda n: n.order):
        identity = _tool_identity(node)
        if identity[0] and identity[1] is not None:
            by_call[identity].append(node)
    found: dict[str, str] = {}
    for same in by_call.values():
        newest: dict[tuple[str, str], Node] = {}
        for node in same:
            kind = _kind(node)
            others = [n for other, n in newest.items() if other != kind and node.start_ns < n.end_ns]
            if others:
                found[node.span_id] = min(others, key=lambda n: n.order).span_id
            else:
                newest.pop(kind, None)
                newest[kind] = node
                if len(newest) > _LAYERS:
                    del newest[next(iter(newest))]
    return found


def _kind(node: Node) -> tuple[str, str]:
    return _view(node).scope_name, _view(node).name.partition(" ")[0]


_LAYERS: Final = 4
"""Kinds of spans in which one call is looked for; more than two have not been seen."""


def _same_tool(outer: Node, inner: Node) -> bool:
    a, b = _tool_identity(outer), _tool_identity(inner)
    return a[0] == b[0] != () and (a[1] is None or b[1] is None or a[1] == b[1])


def _named(node: Node) -> Identity:
    facts = node.dialect.tool(node.view) if node.dialect is not None and node.view is not None else None
    return (None, None) if facts is None else (facts.tool, facts.call_id)


def _named_on_any(spans: Sequence[Node]) -> Identity:
    """A call's tool and id, from the first of its spans that has each."""
    found = [_named(node) for node in spans]
    return next((tool for tool, _ in found if tool), None), next((call_id for _, call_id in found if call_id), None)


def _tool_identity(node: Node) -> tuple[tuple[str, ...], str | None]:
    tool, call_id = _named(node)
    if tool is None:
        return (), None
    plain = tool.rsplit("__", 1)[-1]
    return name_words(plain.lower()), call_id


def _ended_well(agents: Sequence[Node]) -> bool:
    """The turn's span and the agent that spoke last ended, and neither in an error."""
    carrier = agents[0]
    last = max(agents, key=lambda n: n.order) if len(agents) > 1 else carrier
    return all(n.end_ns > 0 and _view(n).status != "error" for n in (carrier, last))


def _content_recorded(calls: Sequence[ToolCall], models: Sequence[Model], question: Content, answer: Content) -> bool:
    return (
        question.recorded
        or answer.recorded
        or any(m.facts.input_recorded for m in models)
        or any(c.result.recorded or (c.code_run is not None and c.code_run.submitted.recorded) for c in calls)
    )


def _read_unknown(models: Sequence[Model], answer: Content) -> bool:
    """Whether the input of the answering model call is not recorded; a call that died and gave nothing answered not."""
    if not models or models[-1].facts.input_recorded:
        return False
    return answer.state != "absent" or _view(models[-1].node).status != "error"


def _conversation(carrier: Node, members: Sequence[Node]) -> str | None:
    """The carrier's own conversation id, else the first one recorded inside the turn."""
    for node in (carrier, *members):
        if node.dialect is not None and node.view is not None:
            found = text_attribute(node.view, node.dialect.conversation)
            if found is not None:
                return found
    return None


def _routing(carrier: Node) -> Routing:
    if "routing" in emits(_view(carrier)):
        return "recorded"
    return carrier.dialect.routing if carrier.dialect is not None else "unknown"


def _dropped(node: Node) -> int:
    return node.view.dropped if node.view is not None else 0


def _losses(nodes: Sequence[Node]) -> list[IncompleteReason]:
    found: list[IncompleteReason] = []
    if any(_dropped(n) for n in nodes):
        found.append("limits-dropped")
    if any(n.conflict for n in nodes):
        found.append("conflicting-duplicate")
    return found


def _enable(nodes: Sequence[Node]) -> str | None:
    for node in nodes:
        if node.dialect is not None and node.view is not None:
            return enable_for(node.dialect, node.view.scope_name, "messages")
    return None


def _dialect_names(nodes: Sequence[Node]) -> tuple[str, ...]:
    used = {n.dialect.name for n in nodes if n.dialect is not None}
    return tuple(d.name for d in dialects() if d.name in used)
