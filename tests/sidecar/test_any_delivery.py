"""However the spans of a trace come to the sidecar while its turns are held, they are explained the same (P9)."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from dumps import BESIDE, NAMES, dump
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from otlp import ours, recorded, recorded_logs, spans_of, without_ours
from sidecars import LATER, Holding

from otel_footprint.sidecar.json_in import Losses, protobuf_of
from otel_footprint.sidecar.queue import LmdbQueue
from otel_footprint.sidecar.requests import single_items
from otel_footprint.testing import explain_spans

SIZES = (1, 1, 2, 3, 5, 20)
"""Of requests, in spans."""
AGAIN, LOOKED_AT, KILLED = 0.2, 0.5, 0.2
OWN = ("footprint", "footprint.addendum")
HELD = 1.9
"""Seconds in which all that belongs to a turn comes; it is held for 2."""


@cache
def singly(*bodies: bytes) -> tuple[bytes, ...]:
    """A request for each item of some requests."""
    return tuple(envelope.around(raw) for body in bodies for envelope, raws in single_items(body) for raw in raws)


def said(spans: Iterable[Span]) -> dict[tuple[bytes, bytes], object]:
    """Our events and attributes by span. A turn's number is left out: it counts what this process saw before."""
    found: dict[tuple[bytes, bytes], object] = {}
    for one in spans:
        events, attributes = ours(one)
        if events:
            numbered = Span(events=[Span.Event.FromString(event) for event in events])
            for event in numbered.events:
                kept = [pair for pair in event.attributes if pair.key != "footprint.script.turn"]
                del event.attributes[:]
                event.attributes.extend(kept)
            assert (one.trace_id, one.span_id) not in found
            found[one.trace_id, one.span_id] = numbered.SerializeToString(deterministic=True), attributes
    return found


def as_json(body: bytes) -> bytes:
    """The same request after it came as OTLP JSON."""
    text = json.dumps(MessageToDict(ExportTraceServiceRequest.FromString(body)))
    losses = Losses()
    made = protobuf_of("traces", text.encode(), losses)
    assert losses == Losses()
    return made


@cache
def conversations(name: str) -> frozenset[str | None]:
    """The conversations of a dump: what a turn says may depend on there being one before it in its own."""
    return frozenset(one.conversation_id for one in explain_spans(dump(name))) - {None}


def delivered(name: str, beside: str | None, chance: random.Random) -> Holding:
    """The spans of a dump and of another one, and log records, over nearly the hold.

    In any order, some twice, in requests of any size.
    """
    other = chance.choice([one for one in NAMES if one != name and not conversations(one) & conversations(name)])
    spans = [*singly(*recorded(name)), *singly(*recorded(other))]
    records = [] if beside is None else singly(*recorded_logs(beside))
    parts = [*((False, one) for one in spans), *((True, one) for one in records)]
    parts += [part for part in parts if chance.random() < AGAIN]
    chance.shuffle(parts)
    holding = Holding()
    at = 0
    while at < len(parts):
        size = chance.choice(SIZES)
        batch = parts[at : at + size]
        at += size
        body = b"".join(one for is_log, one in batch if not is_log)
        holding.take_logs(b"".join(one for is_log, one in batch if is_log))
        holding.take(as_json(body) if chance.random() < AGAIN else body)
        if chance.random() < LOOKED_AT:
            holding.at(HELD * min(at, len(parts)) / len(parts))
    holding.let_go()
    return holding


@cache
def in_order(name: str, beside: str | None = None) -> tuple[bytes, ...]:
    holding = Holding()
    holding.take_logs(*([] if beside is None else recorded_logs(beside)))
    holding.take(*recorded(name))
    holding.let_go()
    return tuple(holding.sent)


def agree(name: str, beside: str | None, shuffles: int) -> None:
    expected = said(spans_of(*in_order(name, beside)))
    came = {one.span_id: one for one in spans_of(*recorded(name))}
    traces = {one.trace_id for one in came.values()}
    assert expected
    for seed in range(shuffles):
        sent = list(spans_of(*delivered(name, beside, random.Random(seed)).sent))  # noqa: S311 - chance of a test
        assert said(one for one in sent if one.trace_id in traces) == expected, seed
        back = [without_ours(one) for one in sent if one.span_id in came]
        assert {one.span_id: one for one in back} == came
        assert all(one == came[one.span_id] for one in back)


SHUFFLES = pytest.mark.parametrize("shuffles", [4, pytest.param(300, marks=pytest.mark.soak)])


@SHUFFLES
@pytest.mark.parametrize("name", NAMES)
def test_what_comes_within_the_hold_is_explained_the_same_however_it_comes(name: str, shuffles: int) -> None:
    agree(name, None, shuffles)


@SHUFFLES
@pytest.mark.parametrize("name", sorted(BESIDE))
def test_log_records_before_and_after_their_spans_add_the_same(name: str, shuffles: int) -> None:
    agree(name, BESIDE[name], shuffles)


def restarted(holding: Holding, path: Path) -> Holding:
    """What goes on after a kill: all that is left is the queue on disk."""
    holding.queue.close()
    after = Holding(queue=lmdb(path))
    after.holder.replay()
    return after


def lmdb(path: Path) -> LmdbQueue:
    queue = LmdbQueue(path, max_bytes=2**24)
    queue.owe_to({"traces": ["backend"]})
    return queue


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", ["pydantic_ai", "claude_code_full", "langchain_openllmetry", "strands", "spring_ai"])
def test_kills_while_turns_wait_change_no_explanation_and_double_none(name: str, seed: int, tmp_path: Path) -> None:
    """P4 and P13."""
    chance = random.Random(seed)  # noqa: S311 - chance of a test
    parts = list(singly(*recorded(name)))
    chance.shuffle(parts)
    holding = Holding(queue=lmdb(tmp_path))
    at = 0
    while at < len(parts):
        size = chance.choice(SIZES)
        holding.take(b"".join(parts[at : at + size]))
        at += size
        if chance.random() < KILLED:
            holding = restarted(holding, tmp_path)
    for seconds in LATER:
        holding.at(seconds)
        if chance.random() < KILLED:
            holding = restarted(holding, tmp_path)
    for seconds in LATER:
        holding.at(holding.now + seconds)
    sent = list(spans_of(*holding.sent))
    assert said(sent) == said(spans_of(*in_order(name)))
    assert len([one for one in sent if one.name not in OWN]) == len(parts)
    assert holding.stored == []
    holding.queue.close()
