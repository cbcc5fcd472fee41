"""Spans in forms that no usual encoder writes are explained as they are read, and what is theirs stays as it came."""

from __future__ import annotations

import pytest
from otlp import agent, request, tool
from sidecars import Holding

from otel_footprint.sidecar.requests import single_items
from otel_footprint.sidecar.wire import field

SPAN = agent(1).SerializeToString()
GROUP = b"\xfb\x7f\x08\x01\xfc\x7f"
"""A group, as a field that no version of OTLP has."""


def attribute(key: bytes, value: bytes = b"") -> bytes:
    return field(9, field(1, key), value)


def text(value: bytes) -> bytes:
    return field(2, field(1, value))


EXPLAINED = {
    "a group": SPAN + GROUP,
    "a field from the future": SPAN + b"\xfa\x7f\x03new\xf8\x7f\x81\x01",
    "an id twice": field(2, b"\x09" * 8) + SPAN,
    "a status in two pieces": SPAN + field(15, b"\x18\x02") + field(15, field(2, b"boom")),
    "a key twice": SPAN + attribute(b"gen_ai.agent.name", text(b"two")),
    "a key without a value": SPAN + attribute(b"gen_ai.x"),
    "a value without a key": SPAN + field(9, text(b"v")),
    "an empty attribute": SPAN + field(9),
    "an attribute that is a number": SPAN + b"\x48\x05",
    "two values in one": SPAN + attribute(b"gen_ai.z", field(2, field(1, b"x") + b"\x18\x05")),
    "a key that is not UTF-8": SPAN + attribute(b"gen_ai.\xff", text(b"v")),
    "a deep value that is not UTF-8": SPAN
    + attribute(b"gen_ai.y", field(2, field(6, field(1, field(1, b"\xff"), text(b"\xfe"))))),
    "a tag longer than it needs to be": SPAN.replace(b"\x4a", b"\xca\x00", 1),
    "more attributes than a limit allows": SPAN + b"".join(attribute(b"k%d" % n, text(b"v")) for n in range(1_000)),
    "more events than a limit allows": SPAN + field(11, field(2, b"theirs")) * 1_000,
    "a link to itself": SPAN + field(13, field(1, agent(1).trace_id), field(2, agent(1).span_id)),
}
PASSED = {
    "an id of two bytes": SPAN + field(2, b"\x01\x02"),
    "an id of zeros": SPAN + field(2, bytes(8)),
    "no id": SPAN + field(2),
    "an empty mark that it is explained": SPAN + attribute(b"footprint.schema"),
}


def surrounded(raw: bytes) -> bytes:
    scope = field(2, field(1, field(1, b"tests")), field(2, raw), b"\xfa\x7f\x01s")
    return field(1, field(1, attribute(b"service.name", text(b"shop"))), scope, b"\xfa\x7f\x01r")


def taken(body: bytes) -> Holding:
    holding = Holding()
    holding.take(request(tool(2, 1)), body)
    holding.let_go()
    assert holding.holder.statistics().errors == {}
    return holding


@pytest.mark.parametrize("form", EXPLAINED)
def test_what_is_added_stands_behind_the_bytes_that_came(form: str) -> None:
    body = surrounded(EXPLAINED[form])
    ((envelope, _),) = single_items(body)
    sent = [(around, raw) for around, raws in single_items(b"".join(taken(body).sent)) for raw in raws]
    (found,) = [(around, raw) for around, raw in sent if raw.startswith(EXPLAINED[form])]
    assert (found[0].resource, found[0].scope) == (envelope.resource, envelope.scope)
    assert b"footprint.account" in found[1][len(EXPLAINED[form]) :]


@pytest.mark.parametrize("form", PASSED)
def test_what_is_not_to_be_explained_passes_as_the_request_that_came(form: str) -> None:
    body = surrounded(PASSED[form])
    assert body in taken(body).sent


@pytest.mark.parametrize("place", ["request", "resource", "scope"])
def test_a_request_with_a_group_around_its_spans_passes_and_is_counted(place: str) -> None:
    scope = field(2, field(2, SPAN), GROUP if place == "scope" else b"")
    body = field(1, scope, GROUP if place == "resource" else b"") + (GROUP if place == "request" else b"")
    holding = taken(body)
    assert body in holding.sent
    assert holding.holder.statistics().unreadable == 1
