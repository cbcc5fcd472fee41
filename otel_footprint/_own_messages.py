"""Calls that only an agent's own span tells of, in the messages on it: no model call of the turn is recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from otel_footprint._calls import Ask
from otel_footprint._placing import Node
from otel_footprint.dialects import Message, Requested, Responded

Spoken = tuple[Node, Sequence[Message]]
"""An agent's span with the messages on it."""


def own_asks(spans: Sequence[Spoken]) -> list[Ask]:
    """What the messages on the agents' spans asked for, in the order of the spans.

    A wrapper repeats the messages of the agents inside its time; each of their calls is told once, by the inner one.
    """
    keys = {node.span_id: Counter(map(_key, _requested(messages))) for node, messages in spans}
    found: list[Ask] = []
    for node, messages in spans:
        repeated: Counter[str] = Counter()
        for other, _ in spans:
            if _is_inside(other, node):
                repeated += keys[other.span_id]
        for ask in _asks(node, messages):
            if repeated[_key(ask.request)]:
                repeated[_key(ask.request)] -= 1
            else:
                found.append(ask)
    return found


def _asks(node: Node, messages: Sequence[Message]) -> Iterator[Ask]:
    """The requests on one span, each with the first result of its call id that no earlier request has taken."""
    taken: Counter[str] = Counter()
    results: dict[str, list[Responded]] = {}
    for message in messages:
        for response in message.responded:
            if response.call_id is not None:
                results.setdefault(response.call_id, []).append(response)
    for request in _requested(messages):
        read = None
        if request.call_id is not None:
            own = results.get(request.call_id, [])[taken[request.call_id] :]
            taken[request.call_id] += 1
            read = own[0] if own else None
        yield Ask(request, None, carrier=node, read=read)


def _requested(messages: Sequence[Message]) -> Iterator[Requested]:
    return (request for message in messages for request in message.requested if not request.written)


def _key(request: Requested) -> str:
    return repr((request.name, request.call_id, request.arguments.value))


def _is_inside(inner: Node, outer: Node) -> bool:
    """Whether a span stands inside another one's time; of two with one time the later filed is inside."""
    times = outer.start_ns <= inner.start_ns and inner.end_ns <= outer.end_ns
    same = (outer.start_ns, outer.end_ns) == (inner.start_ns, inner.end_ns)
    return inner is not outer and times and (not same or outer.order < inner.order)
