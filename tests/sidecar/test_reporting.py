"""The sidecar's own metrics are sent for as long as it runs, whatever one of the reports comes to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from sidecars import memory_queue, run

from otel_footprint.environment_variables import FOOTPRINT_TESTING
from otel_footprint.sidecar.reporting import MAX_WAITING, Reporter


def test_reports_that_nobody_fetches_do_not_fill_the_queue() -> None:
    queue = memory_queue()
    reporter = Reporter(queue.statistics, queue, interval_seconds=60.0)
    for _ in range(MAX_WAITING + 10):
        reporter.report()
    waiting = queue.peek("metrics", max_bytes=2**30)
    assert len(waiting) == MAX_WAITING
    assert waiting[-1].id == max(entry.id for entry in waiting)
    assert queue.statistics().removed == 10


def test_no_report_is_made_that_no_destination_takes() -> None:
    queue = memory_queue()
    Reporter(queue.statistics, queue, interval_seconds=60.0, wanted=lambda: False).report()
    assert queue.statistics().put == 0


def test_a_full_queue_costs_a_report_and_nothing_else() -> None:
    queue = memory_queue(max_bytes=100)
    Reporter(queue.statistics, queue, interval_seconds=60.0).report()
    assert (queue.statistics().put, queue.statistics().refused_full) == (0, 1)


def test_a_report_that_cannot_be_made_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FOOTPRINT_TESTING, raising=False)
    queue = memory_queue()
    made = asyncio.Event()

    def snapshots() -> Iterator[object]:
        yield None
        made.set()
        while True:
            yield queue.statistics()

    each = snapshots()

    def snapshot() -> object:
        value = next(each)
        if value is None:
            raise KeyError("a number that nobody has")
        return value

    async def check() -> None:
        reporter = Reporter(snapshot, queue, interval_seconds=0.0)
        reporting = asyncio.create_task(reporter.run())
        await made.wait()
        await asyncio.sleep(0)
        assert not reporting.done()
        assert reporter.errors.counts == {"report": 1}
        reporting.cancel()

    run(check())
    assert queue.statistics().entries["metrics"] >= 1
