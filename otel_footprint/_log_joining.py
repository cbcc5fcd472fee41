"""Which log record belongs to which span of one turn: by the call's id, by the span it was emitted in, else by time.

Two spans that fit equally are not picked between; such a record is left out, and the turn says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from otel_footprint._log_store import Held
from otel_footprint._placing import Above, Node
from otel_footprint.dialects import Message, ModelFacts, Role, ToolFacts
from otel_footprint.dialects.logs import where_of
from otel_footprint.facts import ABSENT, Content

_ROUNDED_NS: Final = 1_000_000
"""Times of records are often whole milliseconds."""
_BEFORE_NS: Final = 5_000_000_000
"""How long before a turn's first span the message may have been recorded that it answers."""
_INSIDE: Final = 64
"""How far up a span is looked for the call that it is inside of."""


class Placed(Protocol):
    """A trace, or several that are looked at as one."""

    def above(self, node: Node) -> Above:
        """What a span's ancestors say of it."""

    def node(self, trace_id: str, span_id: str) -> Node | None:
        """A span by its ids; ``None`` when it has not come."""


@dataclass(slots=True)
class Joined:
    """The records of one turn."""

    tools: dict[str, list[Held]] = field(default_factory=lambda: defaultdict(list))
    """By the span of the call."""
    models: dict[str, list[Held]] = field(default_factory=lambda: defaultdict(list))
    """By the span of the model call."""
    questions: list[Held] = field(default_factory=list)
    calls: list[Held] = field(default_factory=list)
    """Records that are calls by themselves: no span was found for them."""
    ambiguous: int = 0
    """Records that more than one span fits."""

    def records(self) -> Iterable[Held]:
        """Everything that the turn took."""
        for found in (*self.tools.values(), *self.models.values(), self.questions, self.calls):
            yield from found

    def tool(self, node: Node, facts: ToolFacts) -> ToolFacts:
        """What the span and its records say of a call."""
        for held in self.tools.get(node.span_id, ()):
            facts = filled(facts, held.dialect.tool(held.view, where_of(held.view, node.span_id)))
        return facts

    def model(self, node: Node, facts: ModelFacts) -> ModelFacts:
        """What the span and its records say of a model call; of what both hold the span's counts."""
        found = self.models.get(node.span_id, ())
        for dialect in dict.fromkeys(held.dialect.name for held in found):
            own = [held for held in found if held.dialect.name == dialect]
            more = own[0].dialect.models([(held.view, where_of(held.view, node.span_id)) for held in own])
            facts = _filled_model(facts, more)
        return facts

    def question(self, carrier: Node) -> Content:
        """What the newest record of a message says that the turn answers."""
        for held in reversed(self.questions):
            found = held.dialect.question(held.view, where_of(held.view, held.view.span_id or carrier.span_id))
            if found.state != "absent":
                return found
        return ABSENT


def filled(facts: ToolFacts, more: ToolFacts) -> ToolFacts:
    """What a span says of a call, with what it lacks from a record; a failure on either counts."""
    own, exits = facts.arguments, facts.exit_pointer is not None
    return ToolFacts(
        tool=facts.tool or more.tool,
        call_id=facts.call_id or more.call_id,
        arguments=own if own.recorded or more.arguments.state == "absent" else more.arguments,
        bare=facts.bare if own.recorded or more.arguments.state == "absent" else more.bare,
        result=facts.result if facts.result.recorded or more.result.state == "absent" else more.result,
        failed=facts.failed or more.failed,
        error_text=facts.error_text if facts.error_text.state != "absent" else more.error_text,
        exit_code=facts.exit_code if exits else more.exit_code,
        exit_pointer=facts.exit_pointer or more.exit_pointer,
        exit_from=facts.exit_from if exits else more.exit_from,
        stopped=facts.stopped or more.stopped,
        stopped_pointer=facts.stopped_pointer or more.stopped_pointer,
        cached=facts.cached or more.cached,
    )


def _filled_model(facts: ModelFacts, more: ModelFacts) -> ModelFacts:
    own_input = facts.input_recorded or not more.input_recorded
    return ModelFacts(
        input=facts.input if own_input else more.input,
        output=facts.output if _says_something(facts.output) or not more.output else more.output,
        input_recorded=facts.input_recorded or more.input_recorded,
        instructions=facts.instructions or more.instructions,
        wants_tools=facts.wants_tools or more.wants_tools,
    )


def _says_something(messages: Sequence[Message]) -> bool:
    return any(m.requested or m.text.state != "absent" for m in messages)


@dataclass(slots=True, kw_only=True)
class Joiner:
    """Joins the records of one turn to its spans."""

    placed: Placed
    carrier: Node
    members: Sequence[Node]
    conversation: str | None
    window: tuple[int, int]
    """Start and end of the turn."""
    _ids: set[tuple[str, str]] = field(init=False)
    _traces: set[str] = field(init=False)
    _prompts: set[str] = field(init=False)

    def __post_init__(self) -> None:
        nodes = (self.carrier, *self.members)
        self._ids = {(n.trace_id, n.span_id) for n in nodes}
        self._traces = {n.trace_id for n in nodes}
        self._prompts = {n.group.prompt for n in nodes if n.group is not None and n.group.prompt is not None}

    def join(self, records: Sequence[Held], tools: Sequence[Node], identity: Callable[[Node], Identity]) -> Joined:
        """Join ``records``, which are in order; ``tools`` are one span a call, ``identity`` reads one's name and id."""
        joined = Joined()
        models = [n for n in self.members if n.role is Role.MODEL]
        named = [(node, *identity(node)) for node in tools]
        for held in records:
            if held.names.kind == "question":
                if self._is_asked(held):
                    joined.questions.append(held)
            elif held.names.kind == "model":
                self._add(joined, joined.models, held, self._models_of(held, models))
            else:
                found = self._tools_of(held, named)
                if not found and held.names.is_call and held.names.call_id is not None and self._is_here(held):
                    joined.calls.append(held)
                else:
                    self._add(joined, joined.tools, held, found)
        return joined

    @staticmethod
    def _add(joined: Joined, to: dict[str, list[Held]], held: Held, found: Sequence[Node]) -> None:
        if len(found) == 1:
            to[found[0].span_id].append(held)
        elif found:
            joined.ambiguous += 1

    # -- a call's record

    def _tools_of(self, held: Held, tools: Sequence[NamedTool]) -> list[Node]:
        """The calls that a record may be of: one when it is known, several when it is ambiguous."""
        names = held.names
        if names.call_id is None:
            fits = [node for node, words, _ in tools if names.tool is None or words == names.tool]
            around = self._node(held)
            if around is None:
                return []
            near = [node for node in fits if self._has_inside(node, around)]
            return near or self._by_arguments(held, [node for node in fits if self._has_inside(around, node)])
        same = [node for node, _, call_id in tools if call_id == names.call_id]
        # An id is used again in other turns, so that outside the record's own trace its time has to fit too.
        same = [node for node in same if node.trace_id == held.view.trace_id] or (
            same if self._is_of_conversation(held) and self._is_during(held) else []
        )
        if len(same) > 1:
            around = self._node(held)
            inside = [node for node in same if around is not None and self._has_inside(node, around)]
            same = inside or self._at_time(held, same)
        return same

    def _by_arguments(self, held: Held, fits: list[Node]) -> list[Node]:
        if len(fits) < 2:  # noqa: PLR2004 - nothing to choose between
            return fits
        given = held.dialect.tool(held.view, "").arguments
        same = [
            node
            for node in fits
            if node.dialect is not None
            and node.view is not None
            and given.recorded
            and node.dialect.tool(node.view).arguments.value == given.value
        ]
        return same or fits

    # -- a model call's record

    def _models_of(self, held: Held, models: Sequence[Node]) -> list[Node]:
        own = [node for node in models if (node.trace_id, node.span_id) == (held.view.trace_id, held.view.span_id)]
        if own:
            return own
        request = held.names.request
        if request is not None:
            asked = [node for node in models if node.view is not None and request in _request_ids(node)]
            asked = asked if len(asked) < 2 else self._at_time(held, asked)  # noqa: PLR2004 - as above
            if asked and self._is_here(held):
                return asked
        # A span that is named and has not come may be of any other call.
        names_other = held.view.span_id != "" and self._node(held) is None
        return self._at_time(held, models) if not names_other and self._is_here(held) else []

    # -- a message's record

    def _is_asked(self, held: Held) -> bool:
        view, names = held.view, held.names
        if (view.trace_id, view.span_id) in self._ids:
            return True
        if names.prompt is not None and self._prompts and names.prompt not in self._prompts:
            return False
        start, end = self.window
        near = start - _BEFORE_NS <= view.time_ns <= end
        if view.trace_id in self._traces:
            return near and self.placed.node(view.trace_id, view.span_id) is None
        return near and not view.trace_id and self._is_of_conversation(held)

    # -- where and when

    def _is_here(self, held: Held) -> bool:
        """Whether a record is of this turn, by its trace or conversation and its time."""
        during = self._is_during(held)
        around = self._node(held)
        if around is not None:
            return during and (around.trace_id, around.span_id) in self._ids
        return during and (held.view.trace_id in self._traces or self._is_of_conversation(held))

    def _is_during(self, held: Held) -> bool:
        start, end = self.window
        return start - _ROUNDED_NS <= held.view.time_ns <= end + _ROUNDED_NS

    def _is_of_conversation(self, held: Held) -> bool:
        return self.conversation is not None and held.names.conversation == self.conversation

    def _node(self, held: Held) -> Node | None:
        return self.placed.node(held.view.trace_id, held.view.span_id)

    def _has_inside(self, outer: Node, inner: Node) -> bool:
        current: Node | None = inner
        for _ in range(_INSIDE):
            if current is outer:
                return True
            if current is None or current.parent_id is None:
                return False
            current = self.placed.node(current.trace_id, current.parent_id)
        return False

    @staticmethod
    def _at_time(held: Held, nodes: Iterable[Node]) -> list[Node]:
        at = held.view.time_ns
        near = [n for n in nodes if n.start_ns - _ROUNDED_NS <= at <= n.end_ns + _ROUNDED_NS]
        return [n for n in near if n.start_ns <= at <= n.end_ns] or near


def _request_ids(node: Node) -> tuple[object, ...]:
    return () if node.view is None else (node.view.get("request_id"), node.view.get("gen_ai.response.id"))


Identity = tuple[str | None, str | None]
"""A tool's name and the call's id, as far as the span has them."""

NamedTool = tuple[Node, str | None, str | None]
