"""What it costs to queue a request: beside one written plainly to a file, and in memory.

Each round stores, reads and acknowledges the same bodies in every queue, in an order that changes from round to round.
Times are wall times; a ratio is the median of the ratios of one round. `plain` appends the bodies to a file without a
sync, which is what the disk's cache takes at the most.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from otel_footprint.sidecar.queue import Fsync, LmdbQueue, MemoryQueue, NewEntry, Queue, open_queue

SIZES: Final = (16_600, 248_000)
"""Bytes of a request of 10 and of 160 agent spans."""
MIB: Final = 1 << 20
THREADS: Final = 16


def bodies(size: int, count: int) -> list[NewEntry]:
    """Requests that no two compress alike."""
    chance = random.Random(size)  # noqa: S311 - a benchmark's bytes
    return [NewEntry(signal="traces", body=chance.randbytes(size), items=10) for _ in range(count)]


def through(queue: Queue, entries: list[NewEntry]) -> tuple[float, float]:
    """Seconds to store the entries one by one, and to store, read and acknowledge them."""
    queue.owe_to({"traces": ["backend"]})
    begin = time.perf_counter()
    for entry in entries:
        queue.put([entry])
    stored = time.perf_counter()
    while found := queue.peek("traces", max_bytes=4 * MIB):
        queue.acknowledge("backend", [entry.id for entry in found])
    end = time.perf_counter()
    queue.close()
    return stored - begin, end - begin


def together(queue: Queue, entries: list[NewEntry]) -> float:
    """Seconds to store the entries from several threads."""
    shares = [entries[at::THREADS] for at in range(THREADS)]

    def work(share: list[NewEntry]) -> None:
        for entry in share:
            queue.put([entry])

    threads = [threading.Thread(target=work, args=(share,)) for share in shares]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    end = time.perf_counter()
    queue.close()
    return end - begin


def plain(folder: Path, entries: list[NewEntry]) -> float:
    """Seconds to append the bodies to a file."""
    begin = time.perf_counter()
    with (folder / "plain").open("wb", buffering=0) as file:
        for entry in entries:
            file.write(entry.body)
    return time.perf_counter() - begin


def on_disk(folder: Path, fsync: Fsync) -> Queue:
    """A queue with room for all of it."""
    return LmdbQueue(folder, max_bytes=2048 * MIB, fsync=fsync)


def measure(size: int, count: int, rounds: int, folder: Path) -> None:
    """Print the figures for requests of one size."""
    entries = bodies(size, count)
    ways: dict[str, Callable[[Path], tuple[float, float]]] = {
        "plain": lambda place: (plain(place, entries),) * 2,
        "memory": lambda _: through(MemoryQueue(max_bytes=2048 * MIB), entries),
        "lmdb never": lambda place: through(on_disk(place, "never"), entries),
        "lmdb always": lambda place: through(on_disk(place, "always"), entries),
        f"always, {THREADS} threads": lambda place: (together(on_disk(place, "always"), entries),) * 2,
    }
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(rounds):
        order = list(ways)
        random.shuffle(order)
        for name in order:
            with tempfile.TemporaryDirectory(dir=folder) as place:
                times[name].append(ways[name](Path(place)))
    print(f"{size} bytes, {count} requests, {rounds} rounds")
    for name, found in times.items():
        put = statistics.median(count / seconds for seconds, _ in found)
        whole = statistics.median(count / seconds for _, seconds in found)
        ratio = statistics.median(base / own for (base, _), (own, _) in zip(times["plain"], found, strict=True))
        print(f"  {name:20} stored {put:8.0f}/s  through {whole:8.0f}/s  {ratio:5.2f} of plain")


def start(folder: Path, size: int, count: int) -> None:
    """Print how long the start takes with a backlog, for every record is read and compared."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        queue = open_queue(Path(name), max_bytes=2048 * MIB, memory_bytes=MIB)
        for entry in bodies(size, count):
            queue.put([entry])
        queue.close()
        begin = time.perf_counter()
        open_queue(Path(name), max_bytes=2048 * MIB, memory_bytes=MIB).close()
        print(f"a start with {count * size / MIB:.0f} MiB queued: {time.perf_counter() - begin:.2f} s")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--requests", type=int, default=300)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()), help="on the disk to measure")
    asked = parser.parse_args()
    for size in SIZES:
        measure(size, asked.requests, asked.rounds, asked.folder)
    for count in (0, 1000, 4000):
        start(asked.folder, SIZES[1], count)


if __name__ == "__main__":
    main()
