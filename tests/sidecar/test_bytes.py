"""A user's span is never altered: requests are taken apart and put together as bytes (P1)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from otlp import agent, decoded, request, span, spans_of, tool, without_ours
from sidecars import Holding

from otel_footprint.sidecar.marks import Marks
from otel_footprint.sidecar.requests import agent_spans, count_items, single_items, taken_out, together
from otel_footprint.sidecar.splitting import split, unexplained
from otel_footprint.sidecar.wire import MalformedError, field, fields, varint, without

# Fields that no version of OTLP has, of every wire type.
UNKNOWN = st.sampled_from([b"", b"\xfa\x7f\x03new", b"\xf8\x7f\x81\x01", b"\xfd\x7f1234", b"\xf9\x7f12345678"])
MARKS = Marks()


def long_field(number: int, content: bytes, extra: int) -> bytes:
    """A field whose length is written in more bytes than it needs, as some encoders do."""
    length = bytearray(varint(len(content)))
    for _ in range(extra):
        length[-1] |= 0x80
        length.append(0)
    return varint(number << 3 | 2) + bytes(length) + content


@st.composite
def spans(draw: st.DrawFn) -> bytes:
    number = draw(st.integers(1, 30))
    kind = draw(st.sampled_from([span, agent, tool]))
    made = kind(number, draw(st.one_of(st.none(), st.integers(1, 30))))
    made.trace_state = draw(st.sampled_from(["", "vendor=1"]))
    # the oldest messages of OTLP have no flags, so they stand here as bytes
    flags = draw(st.sampled_from([b"", b"\x85\x01\x01\x03\x00\x00"]))
    made.events.add(name="theirs", time_unix_nano=5)
    encoded: bytes = made.SerializeToString()
    return encoded + flags + draw(UNKNOWN)


@st.composite
def requests(draw: st.DrawFn) -> bytes:
    def grown(number: int, *parts: bytes) -> bytes:
        return long_field(number, b"".join(parts) + draw(UNKNOWN), draw(st.integers(0, 2)))

    body = draw(UNKNOWN)
    for _ in range(draw(st.integers(0, 3))):
        group = grown(1) + field(3, b"https://resource.schema")
        for _ in range(draw(st.integers(0, 3))):
            scope = field(1, field(1, draw(st.sampled_from([b"tests", b"pydantic-ai"]))))
            inside = [grown(2, one) for one in draw(st.lists(spans(), max_size=4))]
            group += grown(2, scope, *inside, field(3, b"https://scope.schema"))
        body += grown(1, group)
    return body + draw(UNKNOWN)


def surroundings(body: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    for envelope, items in single_items(body):
        for item in items:
            yield envelope.resource, envelope.scope, item


@given(requests())
def test_what_is_taken_out_and_what_is_left_is_everything(body: bytes) -> None:
    located = [one for one in agent_spans(body, MARKS, unread=pytest.fail) if one is not None]
    rest = taken_out(body, located)
    assert sorted([*surroundings(rest), *surroundings(together(located))]) == sorted(surroundings(body))
    assert count_items(rest) + len(located) == count_items(body)


@given(requests())
def test_taking_nothing_out_changes_nothing(body: bytes) -> None:
    assert taken_out(body, []) == body


@given(requests())
def test_what_comes_out_minus_ours_is_what_went_in_span_by_span(body: bytes) -> None:
    holding = Holding()
    holding.take(body)
    holding.let_go()
    came = list(spans_of(body))
    ids = {one.span_id for one in came}
    sent = [without_ours(one) for one in spans_of(*holding.sent) if one.span_id in ids]
    # equal copies of a turn's span may be left out, and nothing else
    assert {one.SerializeToString(deterministic=True) for one in sent} == {
        one.SerializeToString(deterministic=True) for one in came
    }
    assert len(came) - len(sent) == holding.holder.statistics().duplicates


@given(requests(), st.integers(1, 2_000))
def test_a_split_request_holds_the_same_spans_in_their_surroundings(body: bytes, limit: int) -> None:
    parts = split(body, limit)
    together_again = [one for part in parts for one in surroundings(part)]
    assert together_again == list(surroundings(body))
    assert all(len(part) <= limit or count_items(part) <= 1 for part in parts)


def test_requests_behind_each_other_are_one_request() -> None:
    first, second = request(span(1)), request(span(2))
    assert decoded(first + second) == decoded(first, second)


def test_our_events_are_what_goes_first_when_a_request_is_too_large() -> None:
    holding = Holding()
    one = agent(1)
    one.events.add(name="footprints in the sand", time_unix_nano=one.start_time_unix_nano)
    one.events.add(name="theirs").attributes.add(key="footprint.like").value.string_value = "x"
    holding.take(request(tool(2, 1), one))
    holding.let_go()
    bare = [left for left in spans_of(unexplained(b"".join(holding.sent))) if left.span_id == one.span_id]
    assert [event.name for event in bare[0].events] == ["footprints in the sand", "theirs"]
    assert without_ours(bare[0]) == one


@pytest.mark.parametrize("length", [0, 1, 127, 128, 16_383, 16_384, 2**21])
def test_a_field_of_any_length_is_found_whole(length: int) -> None:
    data = field(2, b"x" * length)
    (found,) = fields(data)
    assert (found.number, data[found.content : found.end]) == (2, b"x" * length)


@pytest.mark.parametrize(
    "data",
    [
        b"\x0a",  # no length
        b"\x0a\x05ab",  # less than its length
        b"\x02\x00",  # field 0
        b"\x0b",  # a group
        b"\x0f",  # no such type
        b"\x08\xff",  # a number that goes on
        b"\x08" + b"\xff" * 11,  # a number of more than 64 bits
        b"\x09123",  # four bytes of eight
    ],
)
def test_what_is_no_message_is_said_to_be_none(data: bytes) -> None:
    with pytest.raises(MalformedError):
        fields(data)


def test_fields_are_left_out_by_their_place() -> None:
    data = field(1, b"a") + field(2, b"b") + field(3, b"c")
    assert without(data, 0, len(data), [fields(data)[1]]) == field(1, b"a") + field(3, b"c")


@given(st.binary(max_size=60))
def test_any_bytes_are_a_message_or_malformed(data: bytes) -> None:
    try:
        found = fields(data)
    except MalformedError:
        return
    assert [one.start for one in found] == [0, *(one.end for one in found[:-1])][: len(found)]


@pytest.mark.parametrize(
    ("body", "marked"),
    [
        (request(agent(1)), True),
        (request(span(1), scope="pydantic-ai"), True),
        (request(span(1, attributes={"gen_ai." + "x" * 200: ""})), True),
        (request(span(1, attributes={"url": "https://api.openai.com/gen_ai.x"}, name="gen_ai.")), False),
        (request(span(1), resource={"service.name": "the gen_ai. one"}), False),
    ],
)
def test_a_mark_is_the_beginning_of_a_key_or_a_scope(body: bytes, *, marked: bool) -> None:
    assert MARKS.in_request(body) is marked
    assert Marks([""]).in_request(body)


def test_a_value_that_looks_like_a_key_decides_nothing() -> None:
    spoof = Span.FromString(span(1).SerializeToString())
    spoof.attributes.add(key="output").value.bytes_value = agent(2).SerializeToString()
    holding = Holding()
    body = request(spoof)
    assert MARKS.in_request(body)
    holding.take(body)
    assert holding.sent == [body]
