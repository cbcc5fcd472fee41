"""The sidecar's own metrics are sent for as long as it runs, whatever one of the reports comes to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from sidecars import memory_queue, run

from otel_footprint.environment_variables import FOOTPRINT_TESTING
from otel_footprint.sidecar.reporting import Reporter


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
