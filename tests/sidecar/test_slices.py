"""What is large or without end keeps nobody waiting: requests are taken in slices, folding stops for what is due."""

from __future__ import annotations

import asyncio
import contextlib

import pytest
from otlp import agent, event_names, request, span, spans_of, tool
from sidecars import Holding, memory_queue, run

from otel_footprint.config import Config
from otel_footprint.sidecar import slicing
from otel_footprint.sidecar.folding import FoldThread
from otel_footprint.sidecar.holding import TurnHolder
from otel_footprint.sidecar.intake import SMALL_BYTES, Intake
from otel_footprint.sidecar.places import MAX_KEPT_BYTES
from otel_footprint.sidecar.refusals import RefusedError
from otel_footprint.sidecar.taking import MAX_WAITING_BYTES, Stored

SMALL = request(tool(2, 1, trace=f"{1:032x}"), agent(1, trace=f"{1:032x}"))


@pytest.fixture(autouse=True)
def slices_of_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slicing, "SLICE_SECONDS", 0.0)


def large(first: int, number: int = 200) -> bytes:
    body = request(*(tool(one, 1) for one in range(first, first + number)), agent(1))
    assert len(body) > SMALL_BYTES
    return body


def intake_of(holding: Holding) -> Intake:
    return Intake(holding.holder.taker, holding.holder.log_taker, holding.queue)


def test_a_small_request_goes_by_a_large_one() -> None:
    async def check() -> None:
        taken: list[str] = []

        async def take(name: str, body: bytes) -> None:
            await intake.take("traces", body)
            taken.append(name)

        await asyncio.gather(take("large", large(2)), take("another", large(1_000)), take("small", SMALL))
        assert taken == ["small", "large", "another"]

    holding = Holding()
    intake = intake_of(holding)
    run(check())
    holding.holder.work()
    holding.let_go()
    assert len({(one.trace_id, one.span_id) for one in spans_of(*holding.sent)}) == 2 * 200 + 1 + 2


def test_of_a_request_that_is_given_up_in_the_middle_nothing_is_stored() -> None:
    async def check() -> None:
        taking = asyncio.create_task(intake.take("traces", large(2)))
        for _ in range(10):
            await asyncio.sleep(0)
        taking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await taking
        assert taking.cancelled()
        await intake.take("traces", large(2))

    holding = Holding()
    intake = intake_of(holding)
    run(check())
    assert holding.queue.statistics().put == 2
    assert intake.statistics().items["traces"] == 201


def test_what_waits_to_be_taken_is_bounded() -> None:
    async def check() -> None:
        half = request(span(1, name="x" * (MAX_WAITING_BYTES // 2)))
        first = asyncio.create_task(intake.take("traces", large(2)))
        second = asyncio.create_task(intake.take("traces", half))
        await asyncio.sleep(0)
        with pytest.raises(RefusedError) as refused:
            await intake.take("traces", half)
        assert refused.value.retry_seconds
        await intake.take("traces", SMALL)
        await asyncio.gather(first, second)
        await intake.take("traces", half)

    holding = Holding()
    intake = intake_of(holding)
    run(check())
    assert intake.statistics().requests["traces"] == 4


def test_what_comes_without_end_keeps_no_turn_from_its_explanation(monkeypatch: pytest.MonkeyPatch) -> None:
    """P10: there is always another request to fold."""

    async def check() -> None:
        looked = asyncio.Event()
        folding = FoldThread(holder, looked.set, tick_seconds=0.02)
        folding.start()
        while "footprint.account" not in {name for one in spans_of(*sent()) for name in event_names(one)}:
            looked.clear()
            await looked.wait()
        assert await folding.end(10)

    def sent() -> list[bytes]:
        return [entry.body for entry in queue.peek("traces", max_bytes=2**40)]

    queue = memory_queue()
    holder = TurnHolder(queue, Config(hold_seconds=0.0))
    slicing.at_once(holder.taker.take(SMALL))
    first = iter([holder.backlog.take()])
    monkeypatch.setattr(holder.backlog, "take", lambda: next(first, Stored(body=b"")))
    run(check(), seconds=20)


def test_while_a_fold_takes_long_turns_are_refused_and_all_else_goes_on() -> None:
    """P10: what nobody folds meanwhile is bounded, and spans of no agent leave at once."""
    plain = request(span(1, name="x" * (MAX_WAITING_BYTES // 4)))
    big = {"gen_ai.operation.name": "execute_tool", "filler": "x" * (MAX_WAITING_BYTES // 2)}
    turns = request(span(2, 1, attributes=big))

    async def check() -> None:
        for _ in range(2):
            await intake.take("traces", turns)
        with pytest.raises(RefusedError, match="faster than they are explained"):
            await intake.take("traces", SMALL)
        for _ in range(8):
            await intake.take("traces", plain)

    holding = Holding()
    intake = intake_of(holding)
    run(check())
    kept = iter(holding.holder.backlog.take_plain, None)
    assert sum(map(len, kept)) <= MAX_KEPT_BYTES
    assert len(list(spans_of(*holding.sent))) == 2 + 8
