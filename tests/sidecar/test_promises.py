"""The promises that want a whole sidecar: a hostile backend, full memory, a huge trace, forks, a long time.

Their long forms are run by ``make soak`` and print figures, which docs/reliability.md holds.
"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from otlp import SECOND, START, TRACE, agent, event_names, named, request, span, spans_of, tool
from sidecars import PROTOBUF, Backend, Holding, Running, run, running, settings
from started_sidecar import Process, resident_mib

from otel_footprint.config import Config
from otel_footprint.sidecar.holding import Caps
from otel_footprint.sidecar.queue import Signal

MIB = 1024 * 1024
SOAK_SECONDS = float(os.environ.get("FOOTPRINT_TEST_SOAK_SECONDS", "3600"))
"""Of the long form of what is run for a time."""
PLANNER = "invoke_agent planner"


# -- P3: nothing is held while somebody else's code runs


class CallsBack(Backend):
    """A backend that answers no request before the sidecar has taken another one from it."""

    def __init__(self) -> None:
        super().__init__()
        self.side: Running | None = None

    async def _take(self, signal: Signal, body: bytes, headers: Mapping[str, str]) -> None:
        if self.side is not None and len(self("traces")) < 10:
            another = request(span(1000 + len(self("traces"))))
            async with (
                aiohttp.ClientSession() as session,
                session.post(f"{self.side.url}/v1/traces", data=another, headers={"content-type": PROTOBUF}) as answer,
            ):
                assert answer.status == 200
        await super()._take(signal, body, headers)


def test_a_backend_that_calls_back_blocks_nobody() -> None:
    """P3."""

    async def check() -> None:
        backend = CallsBack()
        async with backend.serving(), running(settings(backend.destination())) as side:
            backend.side = side
            async with (
                aiohttp.ClientSession() as session,
                session.post(
                    f"{side.url}/v1/traces",
                    data=request(tool(2, 1), agent(1)),
                    headers={"content-type": PROTOBUF},
                ) as answer,
            ):
                assert answer.status == 200
            await backend.until(lambda: len(backend("traces")) >= 10)
            assert "footprint.account" in {name for one in spans_of(*backend("traces")) for name in event_names(one)}

    run(check())


# -- P5: memory


@pytest.mark.parametrize("senders_seconds", [1.0, pytest.param(30.0, marks=pytest.mark.soak)])
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_is_bounded_while_the_backend_is_down(tmp_path: Path, senders_seconds: float) -> None:
    """P5: at most the limit and 32 MiB more than it had at the start, and what was taken is delivered later."""
    limit = 64
    taken: set[int] = set()
    answers: Counter[int] = Counter()

    async def check() -> None:
        async with Backend().serving() as backend:
            backend.answers = [(503, b"", {})] * 100_000
            process = Process(tmp_path, backend, queue=f"memory_bytes: {limit}MiB")
            async with process.started() as running_process, aiohttp.ClientSession() as session:
                before = peak = resident_mib(running_process.pid)
                end = time.monotonic() + senders_seconds

                async def send(first: int) -> None:
                    nonlocal peak
                    number = first
                    while time.monotonic() < end or not answers[503]:
                        filled = span(number, name="x" * 250_000, end=START + number * SECOND)
                        status = await process.post(session, request(filled))
                        answers[status] += 1
                        if status == 200:
                            taken.add(number)
                        number += 4
                        peak = max(peak, resident_mib(running_process.pid))

                await asyncio.gather(*(send(first) for first in range(1, 5)))
                assert set(answers) == {200, 503}
                assert peak - before <= limit + 32
                backend.answers = []
                delivered = await backend.until_spans(len(taken))
                assert {int.from_bytes(one.span_id) for one in delivered} == taken
            _print(
                f"P5: {limit} MiB limit: {before:.0f} MiB resident at the start, {peak:.0f} at the most, "
                f"{answers[200]} taken and delivered, {answers[503]} refused"
            )

    run(check(), seconds=120 + 3 * senders_seconds)


# -- P10: one huge trace


def test_a_huge_trace_costs_no_other_turn_its_place() -> None:
    """P10: the huge one goes as incomplete when it is over its cap; each small one is whole."""
    holding = Holding(Config(hold_seconds=2.0), caps=Caps(per_trace=20_000))
    small = [f"{number:032x}" for number in range(1, 101)]
    for part, trace in enumerate(small):
        first = 10 + part * 50
        holding.take(request(*(agent(number, trace=TRACE) for number in range(first, first + 50))))
        holding.take(request(tool(2, 1, trace=trace), agent(1, trace=trace)))
    holding.let_go()
    whole = {
        one.trace_id.hex()
        for one in spans_of(*holding.sent)
        for event in one.events
        if event.name == "footprint.account"
        and not any(pair.key == "footprint.account.incomplete" for pair in event.attributes)
    }
    assert set(small) <= whole
    assert len(list(spans_of(*holding.sent))) >= 100 * 52


@pytest.mark.soak
def test_the_small_turns_beside_a_huge_one_are_answered_in_time(tmp_path: Path) -> None:
    """P10: 1,000 small turns alone, and beside a trace of 50,000 spans; p99 of their answers at most twice the base."""

    async def check() -> None:
        async with Backend().serving() as backend:
            process = Process(tmp_path, backend)
            async with process.started(), aiohttp.ClientSession() as session:

                async def small(first: int) -> list[float]:
                    took = []
                    for number in range(first, first + 1_000):
                        trace = f"{number:032x}"
                        body = request(tool(2, 1, trace=trace), agent(1, trace=trace))
                        began = time.perf_counter()
                        assert await process.post(session, body) == 200
                        took.append(time.perf_counter() - began)
                        await asyncio.sleep(0.005)
                    return took

                async def huge() -> None:
                    for first in range(2, 50_002, 500):
                        assert await process.post(session, bodies[first]) == 200
                        await asyncio.sleep(0.02)

                bodies = {
                    first: request(*(tool(number, 1) for number in range(first, first + 500)))
                    for first in range(2, 50_002, 500)
                }
                base = statistics.quantiles(await small(1), n=100)[98]
                beside, _ = await asyncio.gather(small(10_001), huge())
                with_huge = statistics.quantiles(beside, n=100)[98]
                _print(f"P10: p99 of 1,000 small turns: {base * 1e3:.1f} ms alone, {with_huge * 1e3:.1f} beside")
                assert with_huge <= 2 * base

    run(check(), seconds=300)


# -- P11: forks

FORKS = """
    import os, sys
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.trace import set_span_in_context

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(sys.argv[1])))
    tracer = provider.get_tracer("forks")
    turn = tracer.start_span(
        "invoke_agent planner", attributes={"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "planner"}
    )
    def call(name):
        attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
        tracer.start_span(f"execute_tool {name}", set_span_in_context(turn), attributes=attributes).end()
        provider.force_flush()
    child = os.fork()
    if child == 0:
        call("inside")
        os._exit(0)
    os.waitpid(child, 0)
    call("outside")
    turn.end()
    provider.shutdown()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_turn_whose_calls_come_from_a_process_and_its_fork_is_explained_once() -> None:
    """P11: the stock SDK in both."""

    async def check() -> None:
        made = settings(backend.destination(), footprint=Config(hold_seconds=1.0))
        async with running(made) as side:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-W", "ignore", "-c", textwrap.dedent(FORKS), f"{side.url}/v1/traces"
            )
            assert await process.wait() == 0
            spans = await backend.until_spans(3)
            turn = named([request(*spans)])[PLANNER]
            (account,) = [event for event in turn.events if event.name == "footprint.account"]
            values = {pair.key: pair.value for pair in account.attributes}
            assert values["footprint.account.calls"].int_value == 2
            assert "footprint.account.incomplete" not in values

    async def serve() -> None:
        async with backend.serving():
            await check()

    backend = Backend()
    run(serve())


# -- P4 and P6 for a long time


REFUSALS: list[tuple[int, bytes, Mapping[str, str]]] = [
    (503, b"", {}),
    (503, b"", {"retry-after": "0"}),
    (429, b"", {"retry-after": "-5"}),
    (502, b"<html>", {"content-type": "text/html"}),
]


class Flapping(Backend):
    """A backend that refuses a share of all requests for now."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share
        self.refused = 0
        self._chance = random.Random(6)  # noqa: S311 - chance of a test

    async def _post(self, request: web.Request) -> web.Response:
        if self._chance.random() < self.share:
            self.refused += 1
            self.answers = [self._chance.choice(REFUSALS)]
        return await super()._post(request)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("seconds", [2.0, pytest.param(SOAK_SECONDS, marks=pytest.mark.soak)])
def test_all_that_was_taken_arrives_although_the_backend_is_mostly_away(tmp_path: Path, seconds: float) -> None:
    """P4, P5, P6: 70 % of all requests are refused for now, turns are held and explained, and memory stays."""
    taken = 0

    async def check() -> None:
        nonlocal taken
        backend = Flapping(0.7)
        async with backend.serving():
            process = Process(tmp_path, backend)
            text = process.config.read_text(encoding="utf-8")
            text = text.replace("hold: {seconds: 0}", "hold: {seconds: 0.5}")
            text += "    retry: {initial_seconds: 0.01, max_seconds: 0.1}\n"
            process.config.write_text(text, encoding="utf-8")
            async with process.started() as running_process, aiohttp.ClientSession() as session:
                began = time.monotonic()
                sizes: list[float] = []
                explained = arrived = 0

                def count() -> None:
                    nonlocal explained, arrived
                    for one in spans_of(*backend("traces")):
                        arrived += 1
                        explained += "footprint.account" in event_names(one)
                    backend.requests.clear()

                while time.monotonic() - began < seconds:
                    taken += 1
                    trace = f"{taken:032x}"
                    assert await process.post(session, request(tool(2, 1, trace=trace), agent(1, trace=trace))) == 200
                    await asyncio.sleep(0.01)
                    if taken % 500 == 0:
                        sizes.append(resident_mib(running_process.pid))
                        count()
                while arrived < 2 * taken:
                    await asyncio.sleep(0.05)
                    count()
                sizes.append(resident_mib(running_process.pid))
            count()
            assert (explained, arrived) == (taken, 2 * taken)
            quarter = len(sizes) // 4
            assert sizes[-1] <= sizes[quarter] + 16
            _print(
                f"P4, P5, P6: {seconds:.0f} s, {backend.refused} refusals: {taken} turns taken, {explained} explained, "
                f"{arrived} spans arrived; {sizes[quarter]:.0f} MiB after a quarter, {sizes[-1]:.0f} at the end"
            )

    run(check(), seconds=120 + 2 * seconds)


def _print(figures: str) -> None:
    print(figures)  # noqa: T201 - figures
