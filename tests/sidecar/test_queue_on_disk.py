"""What a queue on disk survives: an end, a kill, a full disk, a spoiled store, a directory that cannot be used."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import lmdb
import pytest

from otel_footprint.sidecar.queue import (
    LmdbQueue,
    MemoryQueue,
    NewEntry,
    Queue,
    QueueBrokenError,
    QueueFullError,
    _opening,
    open_queue,
)
from otel_footprint.sidecar.queue._group import Change, Group
from otel_footprint.sidecar.queue._resident import RELEASE_AFTER_BYTES
from otel_footprint.testing.queues import numbers, request

MIB = 1 << 20
ROOT = Path(__file__).parents[2]


def reopened(directory: Path, *, max_bytes: int = 8 * MIB) -> Queue:
    return open_queue(directory, max_bytes=max_bytes, memory_bytes=MIB)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "queue"


def filled(folder: Path, count: int, *, size: int = 10_000) -> list[int]:
    queue = reopened(folder)
    queue.owe_to({"traces": ["one", "two"]})
    ids = queue.put([request(n, size=size) for n in range(count)])
    queue.close()
    return ids


def data(folder: Path) -> Path:
    return folder / "store" / "data.mdb"


def flip(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 0x10
    path.write_bytes(content)


def test_a_restart_gives_back_what_was_there_held_entries_and_progress_included(folder: Path) -> None:
    queue = reopened(folder)
    queue.owe_to({"traces": ["one", "two"]})
    ids = queue.put([request(1, items=4), request(2), request(3, held=True, items=2), request(4, signal="logs")])
    queue.acknowledge("one", ids[:1])
    queue.close()
    queue = reopened(folder)
    queue.owe_to({"traces": ["two", "one"]})
    assert numbers(queue, destination="one") == [2]
    assert numbers(queue, destination="two") == [1, 2]
    assert numbers(queue, held=True) == [3]
    assert [entry.id for entry in queue.peek("traces", max_bytes=MIB)] == ids[:2]
    found = queue.statistics()
    assert (found.replayed, found.held, dict(found.items)) == (4, 1, {"traces": 7, "metrics": 0, "logs": 1})
    (later,) = queue.put([request(5)])
    assert later > max(ids[:2])


CHILD = """
import os, sys
from pathlib import Path
from otel_footprint.sidecar.queue import open_queue
from otel_footprint.sidecar.queue import NewEntry


def request(number, size, held):
    return NewEntry(signal="traces", body=f"{number:08}".encode().ljust(size, b"."), items=1, held=held)


queue = open_queue(Path(sys.argv[1]), max_bytes=64 << 20, memory_bytes=1 << 20, fsync=sys.argv[2])
queue.owe_to({"traces": ["one"]})
number = int(sys.argv[3])
while True:
    ids = queue.put([request(number + n, 5000, n == 1) for n in range(3)])
    os.write(1, f"{number}\\n".encode())
    if number % 9 == 0:
        queue.replace([ids[1]], [request(number + 1, 5100, False)])
        queue.acknowledge("one", ids[:1])
    number += 3
"""


@pytest.mark.parametrize(
    ("fsync", "kills"),
    [
        ("never", 3),
        ("always", 2),
        pytest.param("never", 150, marks=pytest.mark.soak),
        pytest.param("always", 50, marks=pytest.mark.soak),
    ],
)
def test_what_was_acknowledged_is_there_after_a_kill(folder: Path, fsync: str, kills: int) -> None:
    chance = random.Random(fsync)  # noqa: S311 - a test's choice of moments
    stored: set[int] = set()
    first = acknowledged = 0
    for kill in range(1, kills + 1):
        done = killed_after(chance.randint(1, 400), folder, fsync, first)
        first = done[-1] + 3 + 3
        stored.update(number + n for number in done for n in range(3))
        if kill % 10 == 0 or kill == kills:
            acknowledged += len(stored)
            assert_there(folder, stored)
            stored.clear()
    print(f"{fsync}: {kills} kills, {acknowledged} acknowledged, 0 lost")  # noqa: T201 - the figures of a promise


def assert_there(folder: Path, stored: set[int]) -> None:
    """All of these but what the child acknowledged itself; the queue is emptied."""
    queue = reopened(folder, max_bytes=64 * MIB)
    found = numbers(queue) + numbers(queue, held=True)
    sent = {number for number in stored if number % 9 == 0}
    assert stored - sent <= set(found)
    assert len(found) == len(set(found))
    assert queue.statistics().spoiled == 0
    assert queue.statistics().set_aside is None
    queue.remove([e.id for held in (False, True) for e in queue.peek("traces", max_bytes=64 * MIB, held=held)])
    assert numbers(queue) == numbers(queue, held=True) == []
    queue.close()


def killed_after(lines: int, folder: Path, fsync: str, first: int) -> list[int]:
    """What a child said was stored, until it was killed while it went on."""
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, str(folder), fsync, str(first)],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    ) as child:
        assert child.stdout is not None
        said = [child.stdout.readline() for _ in range(lines)]
        child.send_signal(signal.SIGKILL)
        rest = child.stdout.read().split(b"\n")[:-1]
    return [int(line) for line in [*said, *rest]]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    mounted = tmp_path / "disk"
    mounted.mkdir()
    mount, umount = shutil.which("mount"), shutil.which("umount")
    command = [str(mount), "-t", "tmpfs", "-o", "size=1M", "tmpfs", str(mounted)]
    if not mount or not umount or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a file system")
    try:
        yield mounted
    finally:
        subprocess.run([umount, str(mounted)], check=True)


def fill(queue: Queue) -> int:
    size = 20_000
    count = 0
    while size:
        try:
            queue.put([request(count, size=size)])
            count += 1
        except QueueFullError:
            size //= 2
    return count


def test_a_full_disk_is_a_full_queue_and_recovers(small_disk: Path) -> None:
    queue = open_queue(small_disk / "queue", max_bytes=1 << 30, memory_bytes=MIB)
    queue.owe_to({"traces": ["one"]})
    count = fill(queue)
    assert numbers(queue) == list(range(count))
    assert queue.statistics().refused_full > 0
    assert queue.statistics().refused_broken == 0
    for entry in queue.peek("traces", max_bytes=MIB):
        queue.acknowledge("one", [entry.id])
    assert queue.statistics().unremoved == 0
    queue.put([request(7, size=20_000)])
    assert numbers(queue) == [7]
    queue.close()


def test_a_store_whose_destinations_cannot_be_noted_keeps_the_old_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = LmdbQueue(tmp_path, max_bytes=MIB)
    queue.owe_to({"traces": ["one", "two"]})
    ids = queue.put([request(1), request(2)])
    queue.acknowledge("one", ids[:1])
    with monkeypatch.context() as patched:
        patched.setattr(queue, "_number", no_room)
        with pytest.raises(QueueBrokenError, match="cannot be noted"):
            queue.owe_to({"traces": ["one"]})
    assert numbers(queue, destination="two") == [1, 2]
    with monkeypatch.context() as patched:
        patched.setattr(queue, "_commit", fails)
        queue.owe_to({"traces": ["one"]})
    assert numbers(queue, destination="one") == [2]
    queue.put([request(3)])
    assert numbers(queue) == [2, 3]


def test_a_full_disk_at_the_start_gives_a_queue_in_memory_that_says_so(small_disk: Path) -> None:
    (small_disk / "other").write_bytes(b"x" * (MIB - 16_384))
    queue = open_queue(small_disk / "queue", max_bytes=1 << 30, memory_bytes=MIB)
    assert isinstance(queue, MemoryQueue)
    assert "queue" in str(queue.statistics().problem)
    queue.put([request(1)])


def test_what_cannot_be_noted_for_want_of_room_is_noted_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    queue = LmdbQueue(tmp_path, max_bytes=MIB)
    queue.owe_to({"traces": ["one", "two"]})
    ids = queue.put([request(1), request(2), request(3)])
    monkeypatch.setattr(queue, "_delete", no_room)
    monkeypatch.setattr(queue, "_take", no_room)
    queue.acknowledge("one", ids[:1])
    queue.remove(ids[1:2])
    with pytest.raises(QueueFullError):
        queue.put([request(4)])
    assert queue.statistics().unremoved == 2
    assert numbers(queue, destination="one") == [3]
    assert numbers(queue, destination="two") == [1, 3]
    monkeypatch.undo()
    queue.put([request(4)])
    assert queue.statistics().unremoved == 0
    assert queue.statistics().entries["traces"] == 3
    assert numbers(queue, destination="one") == [3, 4]


def test_a_late_note_of_a_destination_that_is_gone_is_no_note_of_one_that_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = LmdbQueue(tmp_path, max_bytes=MIB)
    queue.owe_to({"traces": ["one", "two"]})
    ids = queue.put([request(1)])
    monkeypatch.setattr(queue, "_take", no_room)
    queue.acknowledge("one", ids)
    monkeypatch.undo()
    queue.owe_to({"traces": ["three", "two"]})
    queue.acknowledge("two", ids)
    assert numbers(queue, destination="three") == [1]


def test_names_can_be_used_up_by_many_changes_and_are_there_again_after_a_restart(folder: Path) -> None:
    queue = reopened(folder)
    for number in range(64):
        queue.owe_to({"traces": [f"name-{number}"]})
    with pytest.raises(ValueError, match="restart to name more"):
        queue.owe_to({"traces": ["one-more"]})
    ids = queue.put([request(1)])
    queue.acknowledge("name-63", ids)
    assert numbers(queue) == []
    queue.close()
    reopened(folder).owe_to({"traces": ["one-more"]})


def no_room(*_: object) -> None:
    raise lmdb.MapFullError("no room")


def fails(*_: object) -> None:
    raise lmdb.Error("Input/output error")


def test_a_writer_that_fails_unexpectedly_lets_nobody_believe_that_it_wrote() -> None:
    entered, leave = threading.Event(), threading.Event()

    def fails(_: Sequence[Change]) -> None:
        entered.set()
        assert leave.wait(30)
        raise RuntimeError("unexpected")

    group = Group(fails)
    errors: list[BaseException] = []

    def submit() -> None:
        try:
            group.submit(Change(put=[request(1)]))
        except (RuntimeError, QueueBrokenError) as error:
            errors.append(error)

    threads = [threading.Thread(target=submit) for _ in range(3)]
    threads[0].start()
    assert entered.wait(30)
    for thread in threads[1:]:
        thread.start()
    while len(group._waiting) < 2:
        threading.Event().wait(0.001)
    leave.set()
    for thread in threads:
        thread.join()
    assert sorted(type(error).__name__ for error in errors) == ["QueueBrokenError", "RuntimeError", "RuntimeError"]


@pytest.mark.parametrize("fails_with", [MemoryError, RuntimeError])
def test_what_was_written_with_one_that_fails_unexpectedly_is_not_taken_for_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails_with: type[Exception]
) -> None:
    queue = LmdbQueue(tmp_path, max_bytes=MIB)
    group = [Change(put=[request(1)]), Change(put=[request(2)])]

    def fails(*_: object) -> bytes:
        raise fails_with

    monkeypatch.setattr("otel_footprint.sidecar.queue._lmdb.pack", fails)
    with pytest.raises(fails_with):
        queue._write(group)
    assert [change.done for change in group] == [False, False]
    monkeypatch.undo()
    assert numbers(queue) == []


def test_what_a_store_that_fails_for_a_moment_could_not_note_is_noted_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody acknowledges a second time: else it would lie there, and take up room, until the next start."""
    queue = LmdbQueue(tmp_path, max_bytes=MIB)
    queue.owe_to({"traces": ["one"]})
    ids = queue.put([request(1), request(2)])

    monkeypatch.setattr(queue, "_commit", fails)
    for _ in range(2):
        with pytest.raises(QueueBrokenError, match="Input/output"):
            queue.acknowledge("one", ids[:1])
        with pytest.raises(QueueBrokenError, match="Input/output"):
            queue.put([request(3)])
    assert [record.getMessage().partition(": ")[2] for record in caplog.records] == [
        "the store cannot be written (Input/output error); senders are refused until it can"
    ]
    monkeypatch.undo()
    queue.put([request(4)])
    assert numbers(queue) == [2, 4]
    assert queue.statistics().unremoved == 0


def test_one_request_that_is_too_large_costs_those_beside_it_nothing(tmp_path: Path) -> None:
    queue = LmdbQueue(tmp_path, max_bytes=MIB)
    small, large = Change(put=[request(1)]), Change(put=[request(2, size=2 * MIB)], may_use_reserve=True)
    queue._write([small, large])
    assert (small.error, small.done, large.done) == (None, True, True)
    assert isinstance(large.error, QueueFullError)
    assert numbers(queue) == [1]


def test_a_record_whose_bits_were_flipped_is_taken_out_and_counted(folder: Path) -> None:
    filled(folder, 10)
    flip(data(folder), data(folder).read_bytes().index(request(4, size=10_000).body))
    queue = reopened(folder)
    assert numbers(queue) == [0, 1, 2, 3, 5, 6, 7, 8, 9]
    assert queue.statistics().spoiled == 1
    assert queue.statistics().set_aside is None


def test_a_record_that_spoils_while_it_waits_is_taken_out_when_it_is_read(folder: Path) -> None:
    queue = reopened(folder)
    queue.put([request(n, size=10_000) for n in range(3)])
    content = data(folder).read_bytes()
    with data(folder).open("r+b") as file:
        file.seek(content.index(request(1, size=10_000).body))
        file.write(b"X")
    assert numbers(queue) == [0, 2]
    assert numbers(queue) == [0, 2]
    assert (queue.statistics().spoiled, queue.statistics().entries["traces"]) == (1, 2)


def test_a_truncated_store_is_set_aside_and_what_can_be_read_is_taken_over(folder: Path) -> None:
    filled(folder, 20)
    whole = data(folder).read_bytes()
    last = max(whole.index(request(n, size=10_000).body) for n in range(20))
    data(folder).write_bytes(whole[: last // 4096 * 4096])
    queue = reopened(folder)
    aside = folder / "store.spoiled-1"
    assert queue.statistics().set_aside == str(aside)
    assert (aside / "data.mdb").stat().st_size == last // 4096 * 4096
    assert numbers(queue) == list(range(19))
    queue.put([request(20)])


@pytest.mark.parametrize("step", ["take_over", "_set_aside"])
def test_a_start_that_ends_while_a_store_is_taken_over_costs_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    filled(folder, 20)
    whole = data(folder).read_bytes()
    last = max(whole.index(request(n, size=10_000).body) for n in range(20))
    data(folder).write_bytes(whole[: last // 4096 * 4096])
    does = getattr(_opening, step)

    def is_the_last(*arguments: Any, **options: Any) -> None:
        does(*arguments, **options)
        raise OSError

    with monkeypatch.context() as patched:
        patched.setattr(_opening, step, is_the_last)
        assert isinstance(reopened(folder), MemoryQueue)
    assert numbers(reopened(folder)) == list(range(19))


FAILING = {
    "no module": "import sys; sys.exit('No module named otel_footprint')",
    "killed": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "ended": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
}


@pytest.mark.parametrize("failing", FAILING)
def test_a_store_that_nobody_could_look_over_is_not_taken_for_spoiled(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    """A package that is not found there, too little memory, an end of all processes: a whole store stays as it is."""
    filled(folder, 3)
    python = tmp_path / "python"
    python.write_text(f"#!{sys.executable}\n{FAILING[failing]}\n", encoding="utf-8")
    python.chmod(0o755)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "executable", str(python))
        queue = reopened(folder)
    assert isinstance(queue, MemoryQueue)
    assert "could not be looked over" in str(queue.statistics().problem)
    assert sorted(path.name for path in folder.iterdir()) == ["store"]
    assert numbers(reopened(folder)) == [0, 1, 2]


def test_a_store_that_may_not_be_read_is_not_taken_for_spoiled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(folder, 3)

    def refuses(path: Path, *_: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", refuses)
        queue = reopened(folder)
    assert "Permission denied" in str(queue.statistics().problem)
    assert numbers(reopened(folder)) == [0, 1, 2]


def test_records_of_another_version_are_set_aside_and_not_dropped(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(folder, 2)
    with monkeypatch.context() as patched:
        patched.setattr("otel_footprint.sidecar.queue._record.FORM", 2)
        other = LmdbQueue(folder / "store", max_bytes=8 * MIB)
        other.put([request(2)])
        other.close()
    queue = reopened(folder)
    assert numbers(queue) == [0, 1]
    assert queue.statistics().spoiled == 0
    aside = folder / "store.spoiled-1"
    assert queue.statistics().set_aside == str(aside)
    assert request(2).body in (aside / "data.mdb").read_bytes()


def test_a_file_that_is_no_store_is_set_aside(folder: Path) -> None:
    filled(folder, 3)
    data(folder).write_bytes(b"\0" * 100_000)
    queue = reopened(folder)
    assert numbers(queue) == []
    assert queue.statistics().set_aside == str(folder / "store.spoiled-1")
    queue.close()
    data(folder).write_bytes(b"no store")
    assert reopened(folder).statistics().set_aside == str(folder / "store.spoiled-2")


def test_any_flipped_bit_costs_what_it_hit_and_never_the_start(folder: Path) -> None:
    ids = filled(folder, 30, size=3000)
    bodies = {request(n, size=3000).body for n in range(30)}
    whole = data(folder).read_bytes()
    used = [at for at in range(0, len(whole), 4096) if any(whole[at : at + 4096])]
    chance = random.Random(14)  # noqa: S311 - a test's choice of bits
    kept = []
    for _ in range(5):
        # the heads of pages: what tells LMDB where things lie
        data(folder).write_bytes(whole)
        flip(data(folder), chance.choice(used) + chance.randrange(64))
        queue = reopened(folder)
        found = queue.peek("traces", max_bytes=8 * MIB)
        assert {entry.body for entry in found} <= bodies
        assert {entry.id for entry in found} <= set(ids)
        queue.put([request(99)])
        kept.append(len(found))
        queue.close()
    print(f"requests kept of 30: {kept}")  # noqa: T201 - the figures of a promise
    assert sum(kept) > 0


def test_a_directory_that_cannot_be_made_gives_a_queue_in_memory_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    queue = open_queue(tmp_path / "file" / "queue", max_bytes=MIB, memory_bytes=MIB)
    found = queue.statistics()
    assert (found.store, found.survives) == ("memory", "nothing")
    assert found.problem is not None
    assert str(tmp_path / "file") in found.problem
    queue.put([request(1)])
    assert numbers(queue) == [1]


UNPRIVILEGED = """
import os, sys
from pathlib import Path
from otel_footprint.sidecar.queue import open_queue
if os.geteuid() == 0:
    os.setuid(65534)
print(open_queue(Path(sys.argv[1]), max_bytes=1 << 20, memory_bytes=1 << 20).statistics().problem)
"""


def test_a_directory_without_permission_gives_a_queue_in_memory_that_says_so() -> None:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", UNPRIVILEGED, str(Path(name) / "queue")],
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert "Permission denied" in done.stdout
    assert "in memory" in done.stderr


def test_two_sidecars_never_share_a_directory(folder: Path) -> None:
    first = reopened(folder)
    second = reopened(folder)
    assert "another process" in str(second.statistics().problem)
    first.put([request(1)])
    assert numbers(second) == []
    first.close()
    assert numbers(reopened(folder)) == [1]


def test_without_a_directory_it_says_that_requests_are_in_memory(caplog: pytest.LogCaptureFixture) -> None:
    queue = open_queue(None, max_bytes=MIB, memory_bytes=MIB)
    assert queue.statistics().survives == "nothing"
    assert "lost with this process" in caplog.text


def test_what_the_store_survives_is_said(tmp_path: Path) -> None:
    assert LmdbQueue(tmp_path, max_bytes=MIB, fsync="never").statistics().survives == "process"
    (tmp_path / "synced").mkdir()
    assert LmdbQueue(tmp_path / "synced", max_bytes=MIB, fsync="always").statistics().survives == "machine"


def test_a_file_too_small_to_hold_anything_is_refused(folder: Path) -> None:
    with pytest.raises(ValueError, match="give at least"):
        open_queue(folder, max_bytes=1000, memory_bytes=MIB)
    assert isinstance(reopened(folder), LmdbQueue)


def test_the_file_never_grows_beyond_its_bound(folder: Path) -> None:
    queue = open_queue(folder, max_bytes=4 * MIB, memory_bytes=MIB)
    chance = random.Random(5)  # noqa: S311 - a test's choice of sizes
    for _ in range(300):
        try:
            queue.put([NewEntry(signal="traces", body=chance.randbytes(chance.randrange(60_000)), items=1)])
        except QueueFullError:
            queue.remove([entry.id for entry in queue.peek("traces", max_bytes=MIB)])
    assert data(folder).stat().st_size <= 4 * MIB
    assert queue.statistics().refused_full > 0
    assert queue.statistics().unremoved == 0


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="needs Linux to tell")
def test_a_backlog_that_was_read_does_not_stay_in_memory(tmp_path: Path) -> None:
    queue = LmdbQueue(tmp_path, max_bytes=128 * MIB)
    queue.put([request(n, size=MIB) for n in range(80)])
    largest = last = 0
    while found := queue.peek("traces", max_bytes=4 * MIB, after_id=last):
        last = found[-1].id
        largest = max(largest, resident(tmp_path / "data.mdb"))
    assert 4 * MIB < largest <= RELEASE_AFTER_BYTES + 8 * MIB
    assert numbers(queue) == list(range(80))


def resident(file: Path) -> int:
    """Bytes of a mapped file that are in this process's memory."""
    lines = Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines()
    at = next(number for number, line in enumerate(lines) if line.endswith(str(file)))
    (size,) = [line.split()[1] for line in lines[at : at + 6] if line.startswith("Rss:")]
    return int(size) * 1024


def test_what_waits_together_is_written_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    queue = LmdbQueue(tmp_path, max_bytes=8 * MIB, fsync="always")
    commits: list[int] = []
    entered, leave = threading.Event(), threading.Event()
    commit = queue._commit

    def slow(changes: Sequence[Change]) -> None:
        commits.append(len(changes))
        entered.set()
        assert leave.wait(30)
        commit(changes)

    monkeypatch.setattr(queue, "_commit", slow)
    threads = [threading.Thread(target=queue.put, args=([request(n)],)) for n in range(9)]
    threads[0].start()
    assert entered.wait(30)
    for thread in threads[1:]:
        thread.start()
    while len(queue._group._waiting) < 8:
        threading.Event().wait(0.001)
    leave.set()
    for thread in threads:
        thread.join()
    assert commits == [1, 8]
    assert sorted(numbers(queue)) == list(range(9))


def look_over(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "otel_footprint.sidecar.queue", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )


def test_a_person_can_look_a_store_over_and_copy_what_can_be_read(folder: Path, tmp_path: Path) -> None:
    ids = filled(folder, 10)
    done = look_over(folder / "store")
    assert (done.returncode, done.stdout) == (0, "[]\n")
    flip(data(folder), data(folder).read_bytes().index(request(4, size=10_000).body))
    done = look_over(folder / "store")
    assert (done.returncode, done.stdout) == (0, f"[{ids[4]}]\n")
    copy = tmp_path / "copy" / "store"
    copy.mkdir(parents=True)
    assert look_over(folder / "store", "--into", copy).returncode == 0
    assert numbers(reopened(tmp_path / "copy")) == [0, 1, 2, 3, 5, 6, 7, 8, 9]
    done = look_over(tmp_path / "missing")
    assert done.returncode == 3
    assert str(tmp_path / "missing") in done.stderr
