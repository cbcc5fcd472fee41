"""From the placed spans of one turn to its facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from otel_footprint._calls import Model, Work, asks_of, calls_of
from otel_footprint._placing import TURN_ROLES, Node, Trace
from otel_footprint.catalogue import name_words
from otel_footprint.config import Config
from otel_footprint.dialects import AgentFacts, Message, ModelFacts, Role, dialects, enable_for
from otel_footprint.dialects.content import text_attribute, tool_result
from otel_footprint.dialects.native import emits, native_turn
from otel_footprint.facts import ABSENT, Content, IncompleteReason, InViewResult, Routing, ToolCall, Turn


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


def build_turn(trace: Trace, carrier: Node, members: Sequence[Node], config: Config, standing: Standing) -> Turn:
    """The facts of the turn that ``carrier`` stands for; ``members`` are the spans inside it, in any order."""
    ordered = sorted(members, key=lambda n: n.order)
    agents = [carrier, *_outermost_first(trace, ordered)]
    facts = {n.span_id: _agent_facts(n) for n in agents}
    models = _models(trace, ordered)
    tools, twins = _tools(trace, ordered)
    names = {f.agent for f in facts.values() if f.agent}
    own_output = [m for n in agents for m in facts[n.span_id].output]
    work = Work(
        tools=tools,
        models=models,
        asks=asks_of(models, own_output),
        agents=names,
        carrier=carrier,
        handoff_spans=[n for n in ordered if n.role is Role.HANDOFF],
        twins=twins,
    )
    calls, handoffs = calls_of(work, config)
    own = native_turn(_view(carrier))
    question = own.question if own.question.state != "absent" else _question(agents, facts, models)
    ended_well = _ended_well(agents)
    answer = own.answer if own.answer.state != "absent" else _answer(agents, facts, models, ended_well=ended_well)
    content_recorded = _content_recorded(calls, models, question, answer)
    answer_missing = answer.state == "absent" and any(m.facts.input_recorded for m in models)
    in_view, kept_out = _in_view(models, calls, config, redaction=own.redaction)
    return Turn(
        trace_id=trace.trace_id,
        span_id=carrier.span_id,
        name=_view(carrier).name,
        start_ns=carrier.start_ns,
        end_ns=carrier.end_ns,
        agent=next((facts[n.span_id].agent for n in agents if facts[n.span_id].agent), None),
        conversation_id=_conversation(carrier, ordered),
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
        in_view_unrecorded=bool(models) and not models[-1].facts.input_recorded,
        routing=config.routing or _routing(carrier),
        handoffs=tuple(handoffs),
        resumed=own.resumed,
        content_recorded=content_recorded,
        stand_in=standing.stand_in,
        incomplete=tuple(sorted({*standing.incomplete, *_losses([carrier, *ordered])})),
        dropped=sum(_dropped(n) for n in {n.span_id: n for n in (carrier, *ordered)}.values()),
        unreadable=sum(c.unreadable for c in calls) + len(own.unreadable),
        notes=tuple(sorted(standing.notes)),
        enable=_enable(carrier, ordered),
        same_turn_spans=tuple(n.span_id for n in agents if n is not carrier),
        dialects=_dialect_names([carrier, *ordered]),
        revision=standing.revision,
    )


def _view(node: Node) -> Any:
    return node.view


def _agent_facts(node: Node) -> AgentFacts:
    # A stand-in may be a model or tool call; only containers have an agent's facts.
    if node.dialect is None or node.view is None or node.role in {Role.MODEL, Role.TOOL}:
        return AgentFacts()
    return node.dialect.agent(node.view)


def _outermost_first(trace: Trace, members: Sequence[Node]) -> list[Node]:
    agents = [n for n in members if n.role in TURN_ROLES]
    return sorted(agents, key=lambda n: (trace.above(n).depth, n.order))


def _models(trace: Trace, members: Sequence[Node]) -> list[Model]:
    """The model calls in order; of two nested spans of one call (two instrumentations) the one with messages."""
    read = {n.span_id: _model_facts(n) for n in members if n.role is Role.MODEL}
    dropped: set[str] = set()
    for node in members:
        outer = _inside(trace, node, Role.MODEL) if node.role is Role.MODEL else None
        if outer is not None and outer.span_id in read:
            inner_only = _has_messages(read[node.span_id]) and not _has_messages(read[outer.span_id])
            dropped.add(outer.span_id if inner_only else node.span_id)
    kept = [n for n in members if n.span_id in read and n.span_id not in dropped]
    return [Model(node=n, facts=read[n.span_id], iteration=i) for i, n in enumerate(kept, start=1)]


def _model_facts(node: Node) -> ModelFacts:
    return node.dialect.model(node.view) if node.dialect is not None and node.view is not None else ModelFacts()


def _has_messages(facts: ModelFacts) -> bool:
    return bool(facts.input or facts.output)


def _inside(trace: Trace, node: Node, role: Role) -> Node | None:
    """The nearest ancestor of ``role`` with only spans without a role in between."""
    near = trace.above(node).near
    return near if near is not None and near.role is role else None


def _tools(trace: Trace, members: Sequence[Node]) -> tuple[list[Node], dict[str, list[Node]]]:
    """One tool span a call: a span of the same tool right inside another's is the same call seen twice."""
    tools = [n for n in members if n.role is Role.TOOL]
    outer_of: dict[str, str] = {}
    # Outer spans first: spans may start at the same time, and then their order says nothing.
    for node in sorted(tools, key=lambda n: (trace.above(n).depth, n.order)):
        outer = _inside(trace, node, Role.TOOL)
        if outer is not None and _same_tool(outer, node):
            outer_of[node.span_id] = outer_of.get(outer.span_id, outer.span_id)
    twins: dict[str, list[Node]] = {}
    for node in tools:
        if node.span_id in outer_of:
            twins.setdefault(outer_of[node.span_id], []).append(node)
    return [n for n in tools if n.span_id not in outer_of], twins


def _same_tool(outer: Node, inner: Node) -> bool:
    a, b = _tool_identity(outer), _tool_identity(inner)
    return a[0] == b[0] != () and (a[1] is None or b[1] is None or a[1] == b[1])


def _tool_identity(node: Node) -> tuple[tuple[str, ...], str | None]:
    facts = node.dialect.tool(node.view) if node.dialect is not None and node.view is not None else None
    if facts is None or facts.tool is None:
        return (), None
    plain = facts.tool.rsplit("__", 1)[-1]
    return name_words(plain.lower()), facts.call_id


def _question(agents: Sequence[Node], facts: dict[str, AgentFacts], models: Sequence[Model]) -> Content:
    """The last thing a person said in the first model call's input, else what an agent span keeps of it."""
    for model in models[:1]:
        for message in reversed(model.facts.input):
            if message.role == "user" and message.text.state != "absent":
                return message.text
    return _first_content([facts[n.span_id].question for n in agents])


def _answer(
    agents: Sequence[Node], facts: dict[str, AgentFacts], models: Sequence[Model], *, ended_well: bool
) -> Content:
    """What the agent span records as its answer, else the text of the last model call that asked for no tool."""
    if not ended_well:
        return ABSENT
    recorded = _first_content([facts[n.span_id].answer for n in agents])
    if recorded.state != "absent" or not models:
        return recorded
    last = max(models, key=lambda m: (m.node.end_ns, m.node.start_ns, m.node.span_id))
    return _final_text(last.facts.output)


def _final_text(output: Sequence[Message]) -> Content:
    if any(not r.hosted for message in output for r in message.requested):
        return ABSENT
    return _first_content([m.text for m in reversed(output) if m.role == "assistant"])


def _first_content(found: Sequence[Content]) -> Content:
    return next((content for content in found if content.state != "absent"), ABSENT)


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


def _in_view(
    models: Sequence[Model], calls: Sequence[ToolCall], config: Config, *, redaction: str | None
) -> tuple[tuple[InViewResult, ...], int]:
    """Earlier answers' results in the answering call's input, newest first, and how many are kept out."""
    if not models:
        return (), 0
    answering = max(models, key=lambda m: (m.node.end_ns, m.node.start_ns, m.node.span_id))
    messages = answering.facts.input
    names: dict[str | None, str] = {
        r.call_id: r.name for message in messages for r in message.requested if r.call_id and r.name
    }
    own: Counter[str | None] = Counter(c.call_id for c in calls if c.call_id)
    found: list[InViewResult] = []
    kept_out = distance = 0
    for message in reversed(messages):
        distance += message.role == "user"
        for response in reversed(message.responded):
            # An id repeats from turn to turn: the newest results of an id are those of this turn's calls.
            if own[response.call_id]:
                own[response.call_id] -= 1
                continue
            name = response.name or names.get(response.call_id)
            if name is None or not distance:
                continue
            if redaction and response.value.state == "redacted":
                kept_out += 1
                continue
            found.append(
                InViewResult(
                    tool=name,
                    call_id=response.call_id,
                    distance=distance,
                    result=tool_result(response.value),
                    rows_at=config.rows_at.get(name),
                )
            )
    return tuple(found), kept_out


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


def _enable(carrier: Node, members: Sequence[Node]) -> str | None:
    for node in (carrier, *members):
        if node.dialect is not None and node.view is not None:
            return enable_for(node.dialect, node.view.scope_name)
    return None


def _dialect_names(nodes: Sequence[Node]) -> tuple[str, ...]:
    used = {n.dialect.name for n in nodes if n.dialect is not None}
    return tuple(d.name for d in dialects() if d.name in used)
