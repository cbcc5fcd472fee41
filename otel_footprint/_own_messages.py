"""Calls that only an agent's own span tells of, in the messages on it: no model call of the turn is recorded."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from otel_footprint._pairing import Ask
from otel_footprint._placing import Node
from otel_footprint.dialects import Message, Requested, Responded

Spoken = tuple[Node, Sequence[Message]]
"""An agent's span with the messages on it."""


def own_asks(spans: Sequence[Spoken]) -> list[Ask]:
    """What the messages on the agents' spans asked for, in the order of the spans.

    A wrapper repeats the messages of the agents inside its time; each of their calls is told once, by the inner one.
    """
    asked = [list(_asks(node, messages)) for node, messages in spans]
    # From the innermost span outwards; for each request, the ends of the spans that hold it and were looked at.
    ends: defaultdict[str, list[int]] = defaultdict(list)
    own: list[list[Ask]] = [[] for _ in spans]
    for index in sorted(range(len(spans)), key=lambda i: _from_outside(spans[i][0]), reverse=True):
        until = spans[index][0].end_ns
        keys = [_key(ask.request) for ask in asked[index]]
        repeated = {key: bisect_right(ends[key], until) for key in set(keys)}
        for key, ask in zip(keys, asked[index], strict=True):
            if repeated[key]:
                repeated[key] -= 1
            else:
                own[index].append(ask)
        for key in keys:
            insort(ends[key], until)
    return [ask for asks in own for ask in asks]


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


def _from_outside(node: Node) -> tuple[int, int, tuple[int, str]]:
    """Sorts a span before those inside its time; of two with one time the later filed is inside."""
    return node.start_ns, -node.end_ns, node.order
