from __future__ import annotations

from pathlib import Path

import pytest

from otel_footprint.sidecar.queue import Fsync, LmdbQueue, MemoryQueue, Queue
from otel_footprint.testing.queues import QueueConformance


class TestMemoryQueue(QueueConformance):
    def open(self) -> Queue:
        return MemoryQueue(max_bytes=self.MAX_BYTES)


@pytest.mark.parametrize("fsync", ["never", "always"])
class TestLmdbQueue(QueueConformance):
    @pytest.fixture
    def queue(self, tmp_path: Path, fsync: Fsync) -> Queue:
        return LmdbQueue(tmp_path, max_bytes=self.MAX_BYTES, fsync=fsync)
