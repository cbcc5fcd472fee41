from __future__ import annotations

import itertools
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.writers import WriteOptions, Written, write
from otel_footprint.writers.clock import place

START = 1_700_000_000_000_000_000
SECOND = 1_000_000_000


def times(result: Written) -> list[int]:
    return [event.time_ns for event in result.events]


def test_a_script_happens_at_the_end_of_its_call(make: Any) -> None:
    ends = [START + SECOND // 4, START + SECOND // 2]
    scripts = tuple(make.script(dispatch=n, time_ns=end) for n, end in enumerate(ends, 1))
    result = write(
        make.explanation(scripts=scripts), start_ns=START, end_ns=START + SECOND, present=(), options=WriteOptions()
    )
    assert times(result) == [START, *ends]


def test_parallel_scripts_stand_in_the_order_of_their_ends(make: Any) -> None:
    scripts = (make.script(dispatch=1, time_ns=START + 900_000), make.script(dispatch=2, time_ns=START + 400_000))
    result = write(
        make.explanation(scripts=scripts), start_ns=START, end_ns=START + SECOND, present=(), options=WriteOptions()
    )
    assert [e.attributes["footprint.script.dispatch"] for e in result.events[1:]] == [2, 1]
    assert times(result)[1:] == [START + 400_000, START + 900_000]


def test_the_verdict_comes_before_a_script_that_ended_at_once(make: Any) -> None:
    explanation = make.explanation(signals=(make.signal(), make.signal()), scripts=(make.script(time_ns=START),))
    result = write(explanation, start_ns=START, end_ns=START + SECOND, present=(), options=WriteOptions())
    assert times(result) == [START, START + 1000, START + 2000, START + 3000]


def test_a_script_that_ended_after_the_span_is_put_inside_it(make: Any) -> None:
    explanation = make.explanation(scripts=(make.script(time_ns=START + 9 * SECOND),))
    result = write(explanation, start_ns=START, end_ns=START + SECOND, present=(), options=WriteOptions())
    assert times(result)[-1] == START + SECOND


def test_an_end_before_the_start_is_said_and_the_start_counts(make: Any) -> None:
    explanation = make.explanation(signals=(make.signal(),))
    result = write(explanation, start_ns=START, end_ns=START - SECOND, present=(), options=WriteOptions())
    assert times(result) == [START, START + 1]
    assert result.events[0].attributes["footprint.account.incomplete"] == ("clock",)
    assert result.attributes["footprint.incomplete"] is True


@given(st.integers(0, 70), st.integers(0, 5_000), st.integers(0, 2**64 - 1))
def test_no_event_is_after_the_last_time_that_there_is(count: int, before: int, end_ns: int) -> None:
    placed = place([None] * count, 2**64 - 1 - before, end_ns)
    assert all(time < later for time, later in itertools.pairwise(placed))
    assert all(0 <= time < 2**64 for time in placed)


def test_a_negative_start_gives_no_negative_time(make: Any) -> None:
    result = write(make.explanation(), start_ns=-5, end_ns=10, present=(), options=WriteOptions())
    assert times(result) == [0]


@given(
    wishes=st.lists(st.none() | st.integers(0, 3_000_000), min_size=1, max_size=64),
    start=st.integers(0, 1_000_000),
    length=st.integers(-1000, 1_000_000),
)
def test_times_grow_and_stay_inside_the_span_wherever_they_can(
    wishes: list[int | None], start: int, length: int
) -> None:
    placed = place(wishes, start, start + length)
    gaps = [later - earlier for earlier, later in itertools.pairwise(placed)]
    count = len(wishes) - 1
    assert placed[0] >= start
    assert all(gap >= 1 for gap in gaps)
    if length >= count:
        assert placed[-1] <= start + length
    if length >= count * 1000:
        assert all(gap >= 1000 for gap in gaps)


@given(st.lists(st.integers(0, 900), min_size=1, max_size=20, unique=True))
def test_wishes_that_can_be_met_are_met_exactly(steps: list[int]) -> None:
    wishes = sorted(step * 1000 for step in steps)
    assert place(wishes, 0, 1_000_000) == wishes
