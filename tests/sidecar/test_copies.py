"""A turn's span that comes again, in the same bytes or others, or explained already, is explained once."""

from __future__ import annotations

from pathlib import Path

import pytest
from otlp import SECOND, START, TRACE, agent, event_names, named, request, spans_of, tool
from sidecars import LATER, Holding

from otel_footprint.config import Config
from otel_footprint.sidecar.queue import LmdbQueue

PLANNER = "invoke_agent planner"


def lmdb(path: Path) -> LmdbQueue:
    queue = LmdbQueue(path, max_bytes=2**24)
    queue.owe_to({"traces": ["backend"], "logs": ["backend"]})
    return queue


def explained(holding: Holding) -> list[str]:
    return sorted(one.name for one in spans_of(*holding.sent) if "footprint.account" in event_names(one))


def value_of(holding: Holding, name: str, key: str) -> int:
    (event,) = [one for one in named(holding.sent)[name].events if one.name == "footprint.account"]
    return next(pair.value.int_value for pair in event.attributes if pair.key == key)


# -- the same bytes


def test_a_request_that_is_sent_again_long_after_its_turn_went_on_explains_nothing_again() -> None:
    """A sender whose answer was lost waits for ten seconds and more before it tries again."""
    holding = Holding()
    holding.take(request(tool(2, 1)))
    holding.take(request(agent(1)))
    for now in (2.0, 5.0, 10.0):
        holding.at(now)
    assert holding.holder.statistics().assembler.traces == 0
    holding.take(request(agent(1)))
    holding.let_go()
    assert explained(holding) == [PLANNER]
    assert value_of(holding, PLANNER, "footprint.account.calls") == 1
    assert holding.holder.statistics().duplicates == 1


def test_only_so_many_of_those_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("otel_footprint.sidecar.kept_traces.SENT_KEPT", 2)
    holding = Holding()
    bodies = [request(agent(number, trace=f"{number:032x}")) for number in (1, 2, 3)]
    for body in bodies:
        holding.take(body)
        for _ in range(4):
            holding.at(holding.now + 2.5)
    for body in bodies[::-1]:
        holding.take(body)
    assert holding.holder.statistics().duplicates == 2
    assert holding.holder.statistics().held == 1


def test_a_turn_that_was_explained_before_a_restart_is_known_when_it_is_sent_again(tmp_path: Path) -> None:
    before = Holding(queue=lmdb(tmp_path))
    before.take(request(tool(2, 1), agent(1)))
    before.at(2.0)
    before.queue.close()
    after = Holding(queue=lmdb(tmp_path))
    after.holder.replay()
    after.take(request(tool(2, 1), agent(1)))
    after.let_go()
    assert explained(after) == [PLANNER]
    assert [one.name for one in spans_of(*after.sent)].count(PLANNER) == 1


def test_a_late_call_of_a_forgotten_turn_is_no_reason_to_say_less_of_the_turn_than_was_said() -> None:
    """The turn's span is found again for its place alone; the facts of its explanation are gone."""
    holding = Holding()
    holding.take(request(tool(2, 1), agent(1)))
    for now in (2.0, 5.0, 10.0):
        holding.at(now)
    holding.take(request(tool(3, 1)))
    for now in (10.2, 13.0, 15.0):
        holding.at(now)
    holding.take(request(tool(4, 1)))
    holding.at(15.2)
    holding.take(request(tool(5, 1)))
    holding.let_go()
    assert explained(holding) == [PLANNER]


# -- other bytes


@pytest.mark.parametrize("swapped", [False, True])
def test_of_copies_that_differ_the_one_that_ended_later_is_explained_in_any_order(*, swapped: bool) -> None:
    first, second = agent(1), agent(1, end=START + 9 * SECOND)
    holding = Holding()
    holding.take(*(request(one) for one in ((second, first) if swapped else (first, second))))
    holding.let_go()
    sent = list(spans_of(*holding.sent))
    assert len(sent) == 2
    (carrier,) = [one for one in sent if one.events]
    assert carrier.end_time_unix_nano == second.end_time_unix_nano
    (account,) = [event for event in carrier.events if event.name == "footprint.account"]
    assert b"conflicting-duplicate" in account.SerializeToString()
    assert holding.stored == []


def test_each_of_them_is_known_when_it_comes_again() -> None:
    holding = Holding()
    copies = [request(agent(1)), request(agent(1, end=START + 9 * SECOND))]
    holding.take(*copies, *copies)
    holding.let_go()
    holding.take(*copies)
    holding.let_go()
    assert len(list(spans_of(*holding.sent))) == 2


# -- explained already


def test_late_work_of_a_turn_that_came_explained_is_not_told_by_a_second_sidecar_too() -> None:
    first = Holding()
    first.take(request(tool(2, 1), agent(1)))
    first.at(2.1)
    first.take(request(tool(3, 1)))
    first.let_go()
    second = Holding()
    second.take(*[body for body in first.sent if b"span 3" not in body][:2])
    second.at(2.1)
    second.take(*first.sent[2:])
    second.let_go()
    assert sorted(second.sent) == sorted(first.sent)


def test_a_turn_without_a_span_is_told_once_by_a_chain_of_sidecars() -> None:
    first, second = Holding(), Holding()
    first.take(request(tool(2, 9)))
    second.take(*first.sent)
    for seconds in LATER:
        first.at(seconds)
    own = first.sent[1:]
    assert [one.name for one in spans_of(*own)] == ["footprint"]
    second.take(*own)
    second.let_go()
    assert sorted(second.sent) == sorted(first.sent)


# -- what is kept


def test_spans_without_a_valid_trace_id_leave_nothing_in_the_queue_after_a_restart(tmp_path: Path) -> None:
    nobodys = tool(3, 1)
    nobodys.trace_id = bytes(16)
    before = Holding(queue=lmdb(tmp_path))
    before.take(request(tool(2, 1), nobodys))
    before.queue.close()
    after = Holding(queue=lmdb(tmp_path))
    after.holder.replay()
    after.let_go()
    for seconds in LATER:
        after.at(after.now + seconds)
    assert after.stored == []


def test_a_span_that_comes_again_and_again_takes_no_more_room() -> None:
    holding = Holding(Config(hold_seconds=2.0))
    holding.take(*[request(tool(2, 1))] * 50)
    assert len(holding.holder._traces[TRACE].views) == 1
