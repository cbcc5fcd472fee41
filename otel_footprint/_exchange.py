"""What was said in one turn: the question, the answer, and what lay before the answering model call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from otel_footprint._pairing import Model, plain_id
from otel_footprint.config import Config
from otel_footprint.dialects import AgentFacts, Message, Responded
from otel_footprint.dialects.content import tool_result
from otel_footprint.facts import ABSENT, Content, InViewResult, ToolCall


def answering_model(models: Sequence[Model]) -> Model | None:
    """The model call that ended last; ``None`` when no model call is recorded."""
    return max(models, key=lambda m: (m.node.end_ns, m.node.start_ns, m.node.span_id), default=None)


def question_of(agents: Sequence[AgentFacts], models: Sequence[Model]) -> Content:
    """The last thing a person said in the first model call's input, else what an agent span keeps of it."""
    for model in models[:1]:
        for message in reversed(model.facts.input):
            if message.role == "user" and message.text.state != "absent":
                return message.text
    return _first_content([facts.question for facts in agents])


def answer_of(agents: Sequence[AgentFacts], models: Sequence[Model], *, ended_well: bool) -> Content:
    """What the agent span records as its answer, else the text of the last model call that asked for no tool."""
    if not ended_well:
        return ABSENT
    recorded = _first_content([facts.answer for facts in agents])
    if recorded.state != "absent":
        return recorded
    last = answering_model(models)
    return ABSENT if last is None or last.facts.wants_tools else _final_text(last.facts.output)


def _final_text(output: Sequence[Message]) -> Content:
    if any(not (r.hosted or r.written) for message in output for r in message.requested):
        return ABSENT
    return _first_content([m.text for m in reversed(output) if m.role == "assistant"])


def _first_content(found: Sequence[Content]) -> Content:
    return next((content for content in found if content.state != "absent"), ABSENT)


def in_view_of(
    models: Sequence[Model], calls: Sequence[ToolCall], config: Config, *, redaction: str | None
) -> tuple[tuple[InViewResult, ...], int]:
    """Earlier answers' results in the answering call's input, newest first, and how many are kept out."""
    found: list[InViewResult] = []
    kept_out = 0
    for response, name, distance in _earlier(answering_model(models), calls):
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


def _earlier(answering: Model | None, calls: Sequence[ToolCall]) -> Iterator[tuple[Responded, str | None, int]]:
    """The results in the answering call's input that are none of this turn's calls, newest first.

    Each with its tool's name and the person messages after it.
    """
    messages = answering.facts.input if answering is not None else ()
    if not messages:
        return
    names: dict[str | None, str] = {
        r.call_id: r.name for message in messages for r in message.requested if r.call_id and r.name
    }
    own: Counter[str | None] = Counter(plain_id(c.tool, c.call_id) for c in calls if c.call_id)
    named: Counter[str | None] = Counter(c.tool for c in calls)
    distance = 0
    for message in reversed(messages):
        distance += message.role == "user"
        for response in reversed(message.responded):
            # An id repeats from turn to turn: the newest results of an id are those of this turn's calls.
            call_id = plain_id(response.name, response.call_id)
            if own[call_id]:
                own[call_id] -= 1
            elif response.call_id is None and named[response.name]:
                named[response.name] -= 1
            else:
                yield response, response.name or names.get(response.call_id), distance


def told_of(models: Sequence[Model], calls: Sequence[ToolCall], question: Content) -> tuple[tuple[str, ...], bool]:
    """What the model was told before it answered: system text, the question, and the conversation up to it.

    And whether some of what it had before it is not recorded as text: cut, kept out, an image, a nameless result.
    """
    answering = answering_model(models)
    messages = answering.facts.input if answering is not None else ()
    last = max((index for index, message in enumerate(messages) if message.role == "user"), default=-1)
    heard = [message for index, message in enumerate(messages) if index <= last or message.role == "system"]
    instructions = answering.facts.instructions if answering is not None else ()
    contents = [question, *(message.text for message in heard), *instructions]
    told = dict.fromkeys(str(text.value) for text in contents if text.recorded)
    partly = (
        any(text.state not in {"recorded", "absent"} for text in contents)
        or any(message.role == "user" and message.text.state == "absent" and not message.responded for message in heard)
        or any(name is None or not distance for _, name, distance in _earlier(answering, calls))
    )
    return tuple(told), partly
