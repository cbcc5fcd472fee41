from __future__ import annotations

from pathlib import Path

import pytest

from otel_footprint.sidecar.queue import Fsync, LmdbQueue, MemoryQueue, Queue
from otel_footprint.testing.queues import QueueConformance, numbers, request


class TestMemoryQueue(QueueConformance):
    def open(self) -> Queue:
        return MemoryQueue(max_bytes=self.MAX_BYTES)


@pytest.mark.parametrize("fsync", ["never", "always"])
class TestLmdbQueue(QueueConformance):
    @pytest.fixture
    def queue(self, tmp_path: Path, fsync: Fsync) -> Queue:
        return LmdbQueue(tmp_path, max_bytes=self.MAX_BYTES, fsync=fsync)


@pytest.mark.parametrize("on_disk", [True, False])
def test_what_only_a_destination_that_is_gone_had_not_taken_is_dropped_and_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, *, on_disk: bool
) -> None:
    queue: Queue = LmdbQueue(tmp_path, max_bytes=2**20) if on_disk else MemoryQueue(max_bytes=2**20)
    queue.owe_to({"traces": ["away", "here"]})
    ids = queue.put([request(1), request(2), request(3)])
    queue.acknowledge("here", ids[:2])
    assert caplog.messages == []
    queue.owe_to({"traces": ["here"]})
    assert numbers(queue) == [3]
    assert caplog.messages == ["2 queued requests are dropped: only destinations that are gone had not taken them"]
    queue.owe_to({"traces": ["here"]})
    assert len(caplog.messages) == 1
