"""What every queue must do: inherit from :class:`QueueConformance` in a test module to prove that yours does.

::

    class TestMyQueue(QueueConformance):
        def open(self) -> Queue:
            return MyQueue(max_bytes=self.MAX_BYTES)
"""

from __future__ import annotations

import contextlib
import threading
from typing import Final

import pytest

from otel_footprint.sidecar.queue import SIGNALS, NewEntry, Queue, QueueBrokenError, QueueFullError, Signal

_MANY: Final = 1 << 30


def request(number: int, *, signal: Signal = "traces", size: int = 100, items: int = 1, held: bool = False) -> NewEntry:
    """An entry whose body says which it is.

    Args:
        number: what tells it from others.
        signal: its signal.
        size: bytes of the body.
        items: what it says of its items.
        held: whether it waits for an explanation.
    """
    return NewEntry(signal=signal, body=f"{number:08}".encode().ljust(size, b"."), items=items, held=held)


def numbers(
    queue: Queue, *, signal: Signal = "traces", held: bool = False, destination: str | None = None
) -> list[int]:
    """Which of the entries made by :func:`request` a queue gives, in its order."""
    found = queue.peek(signal, max_bytes=_MANY, held=held, destination=destination)
    return [int(entry.body[:8]) for entry in found]


class QueueConformance:
    """The behaviour that each implementation shares."""

    MAX_BYTES = 1 << 20
    """How large the queue is that :meth:`open` gives; room for ten entries of a tenth of it is not asked for."""

    def open(self) -> Queue:
        """An empty queue of :attr:`MAX_BYTES`."""
        raise NotImplementedError

    @pytest.fixture
    def queue(self) -> Queue:
        """The queue under test."""
        return self.open()

    def test_what_was_put_is_given_back_as_it_was(self, queue: Queue) -> None:
        """Body, signal, items and the mark of a held entry."""
        new = [NewEntry(signal=signal, body=b"\x00\xff" + signal.encode(), items=7) for signal in SIGNALS]
        ids = queue.put(new)
        found = [entry for signal in SIGNALS for entry in queue.peek(signal, max_bytes=_MANY)]
        assert [entry.id for entry in found] == ids
        assert [(e.signal, e.body, e.items, e.held) for e in found] == [(n.signal, n.body, 7, False) for n in new]

    def test_an_empty_body_is_an_entry_too(self, queue: Queue) -> None:
        """An export request without anything in it is valid OTLP."""
        queue.put([NewEntry(signal="logs", body=b"", items=0)])
        assert [entry.body for entry in queue.peek("logs", max_bytes=0)] == [b""]

    def test_entries_come_in_the_order_they_were_put(self, queue: Queue) -> None:
        """Over several calls."""
        queue.put([request(1), request(2)])
        queue.put([request(3)])
        assert numbers(queue) == [1, 2, 3]

    def test_reading_takes_nothing_out(self, queue: Queue) -> None:
        """Only an acknowledgement does."""
        queue.put([request(1)])
        assert numbers(queue) == numbers(queue) == [1]

    def test_reading_goes_on_after_an_id(self, queue: Queue) -> None:
        """So that a sender can have several requests on their way."""
        first, second = queue.put([request(1), request(2)])
        assert [entry.id for entry in queue.peek("traces", max_bytes=_MANY, after_id=first)] == [second]
        assert queue.peek("traces", max_bytes=_MANY, after_id=second) == []

    def test_reading_stops_at_the_bytes_asked_for(self, queue: Queue) -> None:
        """The sum of the bodies counts."""
        queue.put([request(n, size=100) for n in range(5)])
        assert len(queue.peek("traces", max_bytes=300)) == 3
        assert len(queue.peek("traces", max_bytes=299)) == 2

    def test_the_first_entry_is_given_however_large_it_is(self, queue: Queue) -> None:
        """Else it would never be sent."""
        queue.put([request(1, size=5000), request(2)])
        assert len(queue.peek("traces", max_bytes=10)) == 1

    def test_held_entries_are_given_only_when_they_are_asked_for(self, queue: Queue) -> None:
        """A sender must not see them."""
        queue.put([request(1), request(2, held=True)])
        assert numbers(queue) == [1]
        assert numbers(queue, held=True) == [2]

    def test_a_removed_entry_is_gone(self, queue: Queue) -> None:
        """And removing it again changes nothing."""
        first, _ = queue.put([request(1), request(2)])
        queue.remove([first])
        queue.remove([first, 1 << 40, 7])
        assert numbers(queue) == [2]
        assert queue.statistics().removed == 1

    def test_replacing_takes_out_and_puts_in(self, queue: Queue) -> None:
        """A held span leaves, an explained one comes."""
        ids = queue.put([request(1, held=True), request(2, held=True)])
        queue.replace(ids[:1], [request(3)])
        assert numbers(queue) == [3]
        assert numbers(queue, held=True) == [2]

    def test_the_only_destination_ends_an_entry(self, queue: Queue) -> None:
        """There is nobody else to wait for."""
        queue.owe_to({"traces": ["one"]})
        ids = queue.put([request(1), request(2)])
        queue.acknowledge("one", ids[:1])
        assert numbers(queue) == [2]

    def test_an_entry_stays_until_every_destination_has_it(self, queue: Queue) -> None:
        """Each sees what it has not taken."""
        queue.owe_to({"traces": ["one", "two"]})
        ids = queue.put([request(1), request(2)])
        queue.acknowledge("one", ids)
        assert numbers(queue, destination="one") == []
        assert numbers(queue, destination="two") == [1, 2]
        queue.acknowledge("two", ids[:1])
        assert numbers(queue) == numbers(queue, destination="two") == [2]

    def test_acknowledging_twice_is_no_second_destination(self, queue: Queue) -> None:
        """A repeated answer must not end what another waits for."""
        queue.owe_to({"traces": ["one", "two"]})
        ids = queue.put([request(1)])
        queue.acknowledge("one", [*ids, *ids])
        queue.acknowledge("one", ids)
        assert numbers(queue, destination="two") == [1]

    def test_a_name_that_takes_no_part_acknowledges_nothing(self, queue: Queue) -> None:
        """Neither does one of another signal."""
        queue.owe_to({"traces": ["one"], "logs": ["two"]})
        ids = queue.put([request(1)])
        queue.acknowledge("three", ids)
        queue.acknowledge("two", ids)
        assert numbers(queue) == [1]

    def test_an_entry_that_is_owed_to_nobody_stays(self, queue: Queue) -> None:
        """Nobody took it."""
        queue.owe_to({"logs": ["one"]})
        ids = queue.put([request(1)])
        queue.acknowledge("one", ids)
        queue.owe_to({})
        assert numbers(queue) == [1]

    def test_a_new_destination_gets_what_is_queued(self, queue: Queue) -> None:
        """Until then nothing of it was dropped."""
        queue.owe_to({"traces": ["one", "two"]})
        ids = queue.put([request(1), request(2)])
        queue.acknowledge("one", ids)
        queue.owe_to({"traces": ["one", "two", "three"]})
        queue.acknowledge("two", ids)
        assert numbers(queue, destination="three") == [1, 2]
        assert numbers(queue, destination="one") == []

    def test_a_destination_that_is_gone_is_not_waited_for(self, queue: Queue) -> None:
        """What the rest had goes; what they had not stays."""
        queue.owe_to({"traces": ["one", "two"]})
        ids = queue.put([request(1), request(2)])
        queue.acknowledge("one", ids[:1])
        queue.owe_to({"traces": ["one"]})
        assert numbers(queue, destination="one") == [2]
        assert numbers(queue) == [2]

    def test_a_name_that_comes_back_starts_anew(self, queue: Queue) -> None:
        """At least once, not at most once."""
        queue.owe_to({"traces": ["one", "two"]})
        ids = queue.put([request(1)])
        queue.acknowledge("one", ids)
        queue.owe_to({"traces": ["two", "three"]})
        queue.owe_to({"traces": ["one", "two"]})
        assert numbers(queue, destination="one") == [1]

    def test_more_destinations_than_it_can_tell_apart_are_refused(self, queue: Queue) -> None:
        """At once, not when one of them is forgotten."""
        with pytest.raises(ValueError, match="more than 64"):
            queue.owe_to({"traces": [f"name-{n}" for n in range(65)]})

    def test_a_full_queue_refuses_all_of_a_call_and_keeps_what_it_has(self, queue: Queue) -> None:
        """The refusal is counted."""
        kept = self.fill(queue)
        before = queue.statistics()
        with pytest.raises(QueueFullError):
            queue.put([request(1), request(2, size=self.MAX_BYTES)])
        assert numbers(queue) == kept
        after = queue.statistics()
        assert after.refused_full == before.refused_full + 2
        assert after.bytes <= after.capacity_bytes <= self.MAX_BYTES

    def test_a_full_queue_takes_again_what_fits_once_there_is_room(self, queue: Queue) -> None:
        """Over and over: no room is lost on the way."""
        queue.owe_to({"traces": ["one"]})
        for _ in range(5):
            self.fill(queue)
            queue.acknowledge("one", [entry.id for entry in queue.peek("traces", max_bytes=_MANY)])
            assert numbers(queue) == []
        assert queue.statistics().unremoved == 0

    def test_a_full_queue_can_still_replace_what_it_holds(self, queue: Queue) -> None:
        """An explained span is a little larger than it was."""
        held = queue.put([request(0, held=True, size=20_000)])
        self.fill(queue)
        queue.replace(held, [request(99, size=21_000)])
        assert numbers(queue, held=True) == []
        assert numbers(queue)[-1] == 99

    def test_a_replacement_that_does_not_fit_changes_nothing(self, queue: Queue) -> None:
        """The held entry is still there to be sent as it is."""
        held = queue.put([request(5, held=True)])
        with pytest.raises(QueueFullError):
            queue.replace(held, [request(6, size=2 * self.MAX_BYTES)])
        assert numbers(queue, held=True) == [5]
        assert numbers(queue) == []

    def test_the_statistics_say_what_is_there_and_what_passed(self, queue: Queue) -> None:
        """By signal, and in all."""
        ids = queue.put([request(1, items=3), request(2, items=4, held=True), request(3, signal="logs", items=5)])
        queue.remove(ids[:1])
        found = queue.statistics()
        assert dict(found.entries) == {"traces": 1, "metrics": 0, "logs": 1}
        assert dict(found.items) == {"traces": 4, "metrics": 0, "logs": 5}
        assert (found.held, found.put, found.removed, found.replayed) == (1, 3, 1, 0)
        assert found.bytes > 0

    def test_a_closed_queue_says_so(self, queue: Queue) -> None:
        """To every call but that for its statistics; closing again is no error."""
        ids = queue.put([request(1)])
        queue.close()
        queue.close()
        for call in (
            lambda: queue.put([request(2)]),
            lambda: queue.peek("traces", max_bytes=1),
            lambda: queue.remove(ids),
            lambda: queue.replace(ids, [request(2)]),
            lambda: queue.acknowledge("one", ids),
            lambda: queue.owe_to({}),
        ):
            with pytest.raises(QueueBrokenError, match="closed"):
                call()
        assert queue.statistics().refused_broken == 2

    def test_many_threads_lose_and_mix_nothing(self, queue: Queue) -> None:
        """Each put returns the ids of its own entries."""
        given: dict[int, int] = {}

        def work(worker: int) -> None:
            for n in range(20):
                number = 100 * worker + n
                while number not in given:
                    # a small store may have no room while others read what was taken out of it
                    with contextlib.suppress(QueueFullError):
                        (given[number],) = queue.put([request(number)])
                queue.peek("traces", max_bytes=1000)

        threads = [threading.Thread(target=work, args=(worker,)) for worker in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = {entry.id: int(entry.body[:8]) for entry in queue.peek("traces", max_bytes=_MANY)}
        assert found == {id_: number for number, id_ in given.items()}
        assert len(found) == 120

    def fill(self, queue: Queue) -> list[int]:
        """Put entries until there is no room; the numbers of those that are there."""
        size = self.MAX_BYTES // 10
        for number in range(1000):
            try:
                queue.put([request(number, size=size)])
            except QueueFullError:
                # what is left is filled by ever smaller ones
                size //= 2
                if not size:
                    break
        return numbers(queue)
