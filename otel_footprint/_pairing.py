"""Which request of a model a tool's span answers, and what the model read of the call.

A call's identity is its span. The provider's call id repeats, so it only pairs a requested call with its span
inside the window of the model call that asked for it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from otel_footprint._log_joining import Joined
from otel_footprint._placing import Node
from otel_footprint.dialects import ModelFacts, Requested, Responded, ToolFacts
from otel_footprint.facts import Content


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


# -- pairing a span with the request for it ------------------------------------------------------------------


def pair(node: Node, facts: ToolFacts, work: Work) -> Ask | None:
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


def what_the_model_read(call_id: str | None, node: Node, ask: Ask | None, work: Work) -> Responded | None:
    """The result of this call in the first later model call's input that holds one."""
    model = ask.model if ask is not None else None
    if model is None:
        if call_id is None:
            return None
        return _first_answer(call_id, newest_before(node, work), bisect_left(work.starts, node.end_ns), work)
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


def read_of_request(ask: Ask, work: Work) -> Responded | None:
    """The result that the model read of a call without a span; ``None`` where its messages hold none."""
    if ask.model is None:
        return ask.read
    call_id = _asked_id(ask)
    read = _first_answer(call_id, ask.model, ask.model.iteration, work) if call_id is not None else None
    return read or _nameless_answer(ask, ask.model, work)


def newest_before(node: Node, work: Work) -> Model | None:
    """The last model call that had started when a span did; ``None`` where none had."""
    started = bisect_right(work.starts, node.start_ns)
    return work.models[started - 1] if started else None
