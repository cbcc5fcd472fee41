"""What is kept is bounded; what goes because of a bound is explained as incomplete, and counted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from random_traces import step_span

from otel_footprint.config import Config
from otel_footprint.facts import Turn
from otel_footprint.fold.explain import explain
from otel_footprint.spanview import SpanView
from otel_footprint.testing import BuiltSpan, agent_span, model_span, span, tool_span
from otel_footprint.turns import LINGER_SECONDS, PARENT_WAIT_SECONDS, TurnAssembler


def waiting(trace: int, **rest: Any) -> BuiltSpan:
    """A nested agent whose parent has not come."""
    return agent_span(1, parent=2, trace=trace, at=(1, 2), **rest)


def feed(assembler: TurnAssembler, spans: Iterable[SpanView], now: float = 0.0) -> tuple[Turn, ...]:
    for one in spans:
        assembler.add(one, now)
    return assembler.collect(now).turns


def traces_of(turns: Iterable[Turn]) -> list[int]:
    return [int(turn.trace_id, 16) for turn in turns]


# -- how many -----------------------------------------------------------------------------------------------------


def test_past_the_most_open_turns_the_one_that_was_quiet_longest_is_explained_as_incomplete() -> None:
    assembler = TurnAssembler(Config(max_open_turns=2))
    assert feed(assembler, [waiting(1), waiting(2)]) == ()
    assert feed(assembler, [span(9, trace=1)]) == ()
    (evicted,) = feed(assembler, [waiting(3)])
    assert traces_of([evicted]) == [2]
    assert evicted.incomplete == ("evicted", "parent-missing")
    assert assembler.statistics().evicted == 1
    assert assembler.statistics().open_turns == 2


def test_open_turns_of_one_trace_are_bounded_too() -> None:
    assembler = TurnAssembler(Config(max_open_turns=3))
    turns = feed(assembler, [agent_span(n, parent=n + 50, at=(n, n)) for n in range(1, 6)])
    assert len(turns) == 5
    assert {turn.incomplete for turn in turns} == {("evicted", "parent-missing")}
    assert assembler.statistics().open_turns == 0


def test_one_trace_out_of_proportion_goes_before_many_small_ones() -> None:
    assembler = TurnAssembler(Config(max_open_turns=10))
    feed(assembler, [waiting(n) for n in range(1, 5)])
    turns = feed(assembler, [agent_span(n, parent=n + 50, trace=9) for n in range(1, 8)])
    assert traces_of(turns) == [9] * 7


def test_explained_traces_go_first_and_cost_no_open_turn() -> None:
    assembler = TurnAssembler(Config(max_open_turns=2))
    assert traces_of(feed(assembler, [agent_span(1, trace=1, at=(0, 1))])) == [1]
    assert feed(assembler, [waiting(2)]) == ()
    assert feed(assembler, [waiting(3)]) == ()
    assert assembler.statistics().traces == 2
    assert assembler.statistics().evicted == 0


def test_no_more_explained_traces_go_than_have_to() -> None:
    assembler = TurnAssembler(Config(max_open_turns=3))
    feed(assembler, [agent_span(1, trace=n, at=(0, 1)) for n in (1, 2, 3)])
    assert feed(assembler, [waiting(4)]) == ()
    assert assembler.statistics().traces == 3


def test_a_held_span_that_carries_no_turn_is_let_go_with_its_evicted_trace() -> None:
    assembler = TurnAssembler(Config(max_bytes=1))
    assembler.add(step_span(1, parent=9), 0.0)
    decided = assembler.collect(0.0)
    assert (decided.turns, decided.released) == ((), ((format(1, "032x"), format(1, "016x")),))


# -- how much -----------------------------------------------------------------------------------------------------

BIG = "x" * 3000


@pytest.mark.parametrize(
    "content",
    [
        {"attributes": {"a": BIG}},
        {"attributes": {"a": [BIG]}},
        {"attributes": {"a": {"b": {"c": BIG}}}},
        {"attributes": {"a": {BIG: 1}}},
        {"attributes": {"a": BIG.encode()}},
        {"events": [("e", {"a": BIG})]},
    ],
    ids=["text", "list", "nested", "key", "bytes", "event"],
)
def test_content_is_counted_wherever_it_stands(content: dict[str, Any]) -> None:
    assembler = TurnAssembler(Config(max_bytes=3000))
    (turn,) = feed(assembler, [waiting(1, **content)])
    assert "evicted" in turn.incomplete
    assert assembler.statistics().bytes == 0


def test_spans_of_no_agent_take_room_too() -> None:
    assembler = TurnAssembler(Config(max_bytes=4000))
    feed(assembler, [span(n, parent=99, attributes={"a": BIG}) for n in range(1, 6)])
    assert 0 < assembler.statistics().bytes <= 4000
    feed(assembler, [span(n, parent=99) for n in range(10, 50)])
    assert assembler.statistics().bytes == 0


def test_bytes_go_back_to_nothing_when_all_is_explained() -> None:
    assembler = TurnAssembler()
    feed(assembler, [tool_span(2, "f", parent=1), tool_span(2, "f", parent=1), agent_span(1, at=(0, 1))])
    assert assembler.statistics().bytes > 0
    assembler.close(0.0)
    assert assembler.statistics().bytes == 0


# -- how long -----------------------------------------------------------------------------------------------------


def test_work_whose_turn_never_ends_is_explained_as_incomplete_when_it_was_idle_for_long_enough() -> None:
    assembler = TurnAssembler(Config(idle_seconds=60))
    assert feed(assembler, [tool_span(2, "f", parent=1, at=(1, 2))]) == ()
    assert assembler.collect(59.0).turns == ()
    (turn,) = assembler.collect(60.0).turns
    assert (turn.stand_in, turn.incomplete) == (True, ("idle", "no-turn-span", "parent-missing"))
    assert explain(turn).summary.tone == "unknown"
    assert assembler.statistics().evicted == 1


def test_a_span_of_the_trace_starts_the_wait_anew() -> None:
    assembler = TurnAssembler(Config(idle_seconds=60))
    feed(assembler, [tool_span(2, "f", parent=1)], now=0.0)
    feed(assembler, [tool_span(3, "g", parent=1)], now=50.0)
    assert assembler.collect(109.0).turns == ()
    (turn,) = assembler.collect(110.0).turns
    assert [call.tool for call in turn.calls] == ["f", "g"]


def test_a_trace_that_stays_open_keeps_no_other_from_its_time() -> None:
    # The first trace waits for ten minutes; the second is done and is forgotten after seconds.
    assembler = TurnAssembler()
    feed(assembler, [tool_span(2, "f", parent=1, trace=1)])
    feed(assembler, [agent_span(1, trace=2, at=(0, 1))])
    assert assembler.statistics().traces == 2
    assembler.collect(LINGER_SECONDS)
    assert assembler.statistics().traces == 1


def test_a_turn_waits_for_its_parent_and_then_says_that_it_never_came() -> None:
    assembler = TurnAssembler()
    assert feed(assembler, [waiting(1)]) == ()
    assert assembler.collect(PARENT_WAIT_SECONDS - 1).turns == ()
    (turn,) = assembler.collect(PARENT_WAIT_SECONDS).turns
    assert turn.incomplete == ("parent-missing",)


def test_a_parent_that_comes_in_time_is_not_missed() -> None:
    assembler = TurnAssembler()
    feed(assembler, [waiting(1)])
    feed(assembler, [tool_span(2, "f", parent=3, trace=1, at=(0, 3))], now=20.0)
    turns = feed(assembler, [agent_span(3, trace=1, at=(0, 9))], now=40.0)
    assert [(t.span_id[-1], t.nested_in, t.incomplete) for t in turns] == [
        ("3", None, ()),
        ("1", format(3, "016x"), ()),
    ]


def test_a_parent_is_not_waited_for_once_the_root_around_it_is_here() -> None:
    assembler = TurnAssembler()
    (turn,) = feed(assembler, [waiting(1), span(3, trace=1, at=(0, 9))])
    assert turn.incomplete == ("parent-missing",)


def test_the_root_of_something_else_in_the_trace_ends_no_wait() -> None:
    assembler = TurnAssembler()
    assert feed(assembler, [waiting(1), span(3, trace=1, at=(5, 9))]) == ()


def test_an_ended_turn_is_held_for_late_children_from_its_own_arrival() -> None:
    assembler = TurnAssembler(Config(hold_seconds=2))
    assert feed(assembler, [agent_span(1, at=(0, 9))], now=10.0) == ()
    # Whatever else goes on in the trace does not keep the turn.
    assert feed(assembler, [tool_span(2, "f", parent=1, at=(1, 2))], now=11.9) == ()
    (turn,) = assembler.collect(12.0).turns
    assert ([call.tool for call in turn.calls], turn.revision) == (["f"], 1)


def test_a_step_is_held_as_long_as_a_model_call_may_make_it_a_turn() -> None:
    assembler = TurnAssembler(Config(hold_seconds=2))
    assembler.add(step_span(1, at=(0, 9)), 0.0)
    assert assembler.collect(1.0).released == ()
    assembler.add(model_span(2, parent=1), 1.5)
    (turn,) = assembler.collect(2.0).turns
    assert (turn.span_id, turn.stand_in) == (format(1, "016x"), False)


def test_a_long_hold_is_kept_although_the_root_is_here() -> None:
    assembler = TurnAssembler(Config(hold_seconds=120))
    feed(assembler, [agent_span(1, at=(0, 9))])
    assert assembler.collect(119.0).turns == ()
    assert len(assembler.collect(120.0).turns) == 1


# -- after an eviction --------------------------------------------------------------------------------------------


def test_a_turn_that_ends_after_its_spans_were_evicted_says_so() -> None:
    assembler = TurnAssembler(Config(max_bytes=1500))
    (evicted,) = feed(assembler, [tool_span(2, "f", parent=1, result=BIG)])
    assert evicted.stand_in
    (turn,) = feed(assembler, [agent_span(1, at=(0, 9))])
    assert turn.incomplete == ("evicted-before",)
    assert explain(turn).summary.tone != "ok"
    assert len(feed(assembler, [tool_span(3, "g", parent=8, at=(3, 4))])) == 0
    (rest,) = assembler.close(0.0).turns
    assert rest.incomplete == ("evicted-before", "no-turn-span", "parent-missing")


OUTER, INNER = (0, 90), (10, 20)


def after_a_pause(first: list[BuiltSpan], then: list[BuiltSpan]) -> list[Turn]:
    """The turns of what comes first and, long after that was given out and forgotten, of the rest."""
    assembler = TurnAssembler()
    feed(assembler, first)
    for now in (PARENT_WAIT_SECONDS + 1, 1_000.0, 1_010.0):
        assembler.collect(now)
    assert assembler.statistics().traces == 0
    for one in then:
        assembler.add(one, 1_020.0)
    return list(assembler.collect(1_030.0).turns)


@pytest.mark.parametrize(
    "first",
    [
        [tool_span(2, "f", parent=1, at=INNER)],
        [agent_span(2, parent=1, at=INNER), tool_span(3, "f", parent=2, at=INNER)],
        [agent_span(2, parent=1, at=INNER, remote=True), tool_span(3, "f", parent=2, at=INNER)],
    ],
)
@pytest.mark.parametrize("between", [[], [span(1, parent=7, at=OUTER)]])
def test_a_turn_that_ends_long_after_some_of_its_work_says_that_spans_are_missing(
    first: list[BuiltSpan], between: list[BuiltSpan]
) -> None:
    """An agent that waited for a person, or for another one, has forgotten calls: it does not claim to have all."""
    top = agent_span(7 if between else 1, agent="outer", at=OUTER)
    (turn,) = after_a_pause(first, [*between, top])
    assert turn.incomplete == ("evicted-before",)
    assert explain(turn).summary.tone != "ok"


def test_a_turn_whose_call_ran_another_turn_long_before_it_ended_has_all_that_is_its_own() -> None:
    inner = [agent_span(2, parent=5, at=INNER, remote=True), tool_span(3, "f", parent=2, at=INNER)]
    outer = [span(5, parent=4, at=INNER), tool_span(4, "ask", parent=1, at=INNER), agent_span(1, at=OUTER)]
    (turn,) = after_a_pause(inner, outer)
    assert turn.incomplete == ()
    (turn,) = after_a_pause([agent_span(2, parent=4, at=INNER, remote=True)], outer)
    assert turn.incomplete == ()


def test_a_later_turn_of_the_same_trace_has_all_that_is_its_own() -> None:
    first = [agent_span(2, parent=1, at=INNER), tool_span(3, "f", parent=2, at=INNER)]
    (turn,) = after_a_pause(first, [agent_span(4, parent=1, at=(30, 40)), span(1, at=OUTER)])
    assert turn.incomplete == ()


def test_a_trace_in_which_too_many_spans_are_missing_may_lack_any() -> None:
    first = [tool_span(number, "f", parent=1000 + number, at=INNER) for number in range(1, 300)]
    (turn,) = after_a_pause(first, [agent_span(900, at=OUTER)])
    assert turn.incomplete == ("evicted-before",)


def test_only_the_newest_evictions_are_remembered() -> None:
    assembler = TurnAssembler(Config(max_bytes=1))
    for trace in range(1, 5000):
        assembler.add(tool_span(2, "f", parent=1, trace=trace), 0.0)
    assembler.collect(0.0)
    assert len(assembler._forgotten) == 4096


def test_traces_that_went_under_pressure_leave_nothing_behind() -> None:
    assembler = TurnAssembler(Config(max_open_turns=1))
    for trace in range(1, 5000):
        assembler.add(tool_span(2, "f", parent=1, trace=trace), 0.0)
        assembler.collect(0.0)
    assert len(assembler._due) < 2000
    assert assembler.statistics().traces == 1


# -- the end of the process ---------------------------------------------------------------------------------------


def test_what_never_came_before_a_shutdown_is_said_on_what_stands_in_for_it() -> None:
    assembler = TurnAssembler()
    feed(assembler, [tool_span(2, "f", parent=1), agent_span(1, trace=2, parent=5)])
    turns = assembler.close(0.0, "shutdown").turns
    assert {turn.trace_id[-1]: turn.incomplete for turn in turns} == {
        "1": ("no-turn-span", "parent-missing", "shutdown"),
        "2": ("parent-missing",),
    }
    assert assembler.statistics().evicted == 0


def test_after_a_close_the_assembler_starts_anew() -> None:
    assembler = TurnAssembler()
    feed(assembler, [waiting(1)])
    assert len(assembler.close(0.0).turns) == 1
    assert assembler.close(0.0).turns == ()
    assert traces_of(feed(assembler, [agent_span(1, trace=7, at=(0, 1))])) == [7]


# -- spans that have not ended ------------------------------------------------------------------------------------


def test_a_turn_inside_a_call_of_an_open_turn_is_explained_before_that_one_ends() -> None:
    open_spans = {s.span_id: s for s in (agent_span(1), tool_span(2, "ask", parent=1))}
    assembler = TurnAssembler(open_span=lambda _, span_id: open_spans.get(span_id))
    (turn,) = feed(assembler, [agent_span(3, parent=2, at=(1, 2))])
    assert (turn.nested_in, turn.incomplete) == (format(1, "016x"), ())


def test_an_agent_below_an_open_agent_is_let_go_at_once() -> None:
    top = agent_span(1)
    assembler = TurnAssembler(open_span=lambda _, span_id: top if span_id == top.span_id else None)
    assembler.add(agent_span(2, parent=1, at=(1, 2)), 0.0)
    decided = assembler.collect(0.0)
    assert (decided.turns, decided.released) == ((), ((top.trace_id, format(2, "016x")),))


def test_a_span_is_waited_for_that_neither_came_nor_is_open() -> None:
    top = tool_span(2, "ask", parent=7)
    assembler = TurnAssembler(open_span=lambda _, span_id: top if span_id == top.span_id else None)
    assert feed(assembler, [agent_span(3, parent=2, at=(1, 2))]) == ()
    assert assembler.collect(1.0).turns == ()
    (turn,) = assembler.collect(PARENT_WAIT_SECONDS).turns
    assert turn.incomplete == ("parent-missing",)
