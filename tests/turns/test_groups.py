"""Turns that no span is around: the work of several traces, joined by its conversation and split by its prompt."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from otel_footprint.config import Config
from otel_footprint.facts import Turn
from otel_footprint.spanview import SpanView
from otel_footprint.testing import BuiltSpan, span
from otel_footprint.turns import LINGER_SECONDS, TurnAssembler

IDLE = Config(idle_seconds=60)


def did(number: int, operation: str, at: tuple[float, float], *, conversation: str = "s", **rest: Any) -> BuiltSpan:
    own = {
        "gen_ai.operation.name": operation,
        "gen_ai.conversation.id": conversation,
        "gen_ai.agent.name": "gemini-cli",
        **rest.pop("attributes", {}),
    }
    return span(
        number, scope="gemini-cli", name=operation, attributes=own, at=at, trace=rest.pop("trace", number), **rest
    )


def asked(number: int, at: tuple[float, float], prompt: str | None = None, **rest: Any) -> BuiltSpan:
    return did(number, "llm_call", at, attributes={"gen_ai.prompt.name": prompt} if prompt else {}, **rest)


def ran(number: int, at: tuple[float, float], **rest: Any) -> BuiltSpan:
    values = {"gen_ai.tool.name": "glob", "gen_ai.tool.call_id": f"glob__{number}"}
    return did(number, "tool_call", at, attributes=values, **rest)


def turns(spans: Iterable[SpanView]) -> list[Turn]:
    assembler = TurnAssembler()
    for one in spans:
        assembler.add(one, 0.0)
    return list(assembler.close(0.0).turns)


def gist(turn: Turn) -> tuple[str | None, str, list[int]]:
    return turn.conversation_id, turn.span_id.lstrip("0"), [int(c.span_id or "0", 16) for c in turn.calls]


def test_the_work_of_a_conversation_is_one_turn_on_its_last_model_call() -> None:
    (turn,) = turns([asked(1, (1, 2)), ran(2, (3, 4)), asked(3, (5, 6)), ran(4, (7, 8)), asked(5, (9, 10))])
    assert gist(turn) == ("s", "5", [2, 4])
    assert (turn.stand_in, turn.notes, turn.agent) == (True, ("joined-by-conversation",), "gemini-cli")
    assert (turn.start_ns, turn.end_ns) == (1_000_000_000, 10_000_000_000)
    assert turn.incomplete == ("no-turn-span",)


def test_two_conversations_are_two_turns() -> None:
    spans = [asked(1, (1, 2)), asked(2, (1, 2), conversation="t"), ran(3, (3, 4), conversation="t"), ran(4, (3, 4))]
    assert sorted(map(gist, turns(spans)), key=str) == [("s", "1", [4]), ("t", "2", [3])]


def test_each_prompt_of_a_conversation_is_a_turn() -> None:
    spans = [
        asked(1, (1, 2), "s########1"),
        ran(2, (3, 4)),
        asked(3, (5, 6), "s########1"),
        asked(4, (10, 11), "s########2"),
        ran(5, (12, 13)),
    ]
    assert [gist(turn) for turn in turns(spans)] == [("s", "3", [2]), ("s", "4", [5])]
    assert [turn.turn for turn in turns(spans)] == [1, 2]


def test_a_request_that_the_runtime_makes_for_itself_is_no_turn() -> None:
    spans = [asked(1, (1, 2), "s########1"), asked(2, (2, 3), "utility_router"), ran(3, (3, 4))]
    assert [gist(turn)[0::2] for turn in turns(spans)] == [("s", [3])]


def test_prompts_whose_ids_say_nothing_of_the_conversation_are_turns_all_the_same() -> None:
    spans = [asked(1, (1, 2), "9f3a"), ran(2, (3, 4)), asked(3, (5, 6), "77b1"), ran(4, (7, 8))]
    assert [gist(turn) for turn in turns(spans)] == [("s", "1", [2]), ("s", "3", [4])]


def test_an_agent_that_a_call_runs_is_a_turn_of_its_own() -> None:
    spans = [
        asked(1, (1, 2)),
        ran(2, (3, 9)),
        did(3, "agent_call", (4, 8), parent=2, trace=2),
        asked(4, (5, 6), parent=3, trace=2),
        asked(5, (10, 11)),
    ]
    nested, outer = sorted(turns(spans), key=lambda t: t.stand_in)
    assert (nested.span_id, nested.stand_in) == (format(3, "016x"), False)
    assert gist(outer) == ("s", "5", [2])
    assert outer.model_calls == 2


@pytest.mark.parametrize("wrapper", ["user_prompt", "schedule_tool_calls"])
def test_a_span_around_some_of_the_work_does_not_split_it(wrapper: str) -> None:
    spans = [
        did(1, wrapper, (0, 3), trace=1),
        asked(2, (1, 2), parent=1, trace=1),
        did(3, wrapper, (4, 9), trace=3),
        ran(4, (5, 6), parent=3, trace=3),
        asked(5, (7, 8), parent=3, trace=3),
    ]
    assert [gist(turn) for turn in turns(spans)] == [("s", "5", [4])]


# -- as it comes --------------------------------------------------------------------------------------------------


def test_a_turn_is_given_out_when_its_conversation_has_been_quiet_for_long_enough() -> None:
    assembler = TurnAssembler(IDLE)
    for number, now in enumerate([0.0, 40.0, 80.0], start=1):
        assembler.add(asked(number, (now, now + 1)), now)
        assert assembler.collect(now).turns == ()
    assert assembler.collect(130.0).turns == ()
    (turn,) = assembler.collect(141.0).turns
    assert turn.model_calls == 3
    assert assembler.statistics().traces == 0
    assert assembler.statistics().bytes == 0


def test_under_pressure_a_whole_conversation_goes_and_says_so() -> None:
    assembler = TurnAssembler(Config(max_open_turns=2, idle_seconds=60))
    for number in (1, 2):
        assembler.add(asked(number, (number, number + 1)), 0.0)
    assembler.add(asked(3, (3, 4), conversation="t"), 0.0)
    (turn,) = assembler.collect(0.0).turns
    assert (turn.conversation_id, turn.model_calls, turn.incomplete) == ("s", 2, ("evicted", "no-turn-span"))
    assert assembler.statistics().evicted == 1
    assembler.add(asked(1, (1, 2), trace=1), 1.0)
    (rest, other) = sorted(assembler.close(2.0).turns, key=lambda t: t.conversation_id or "")
    assert "evicted-before" in rest.incomplete
    assert other.conversation_id == "t"


def test_what_no_span_was_around_does_not_hold_up_a_turn_of_its_session() -> None:
    def claude(number: int, kind: str, **rest: Any) -> BuiltSpan:
        return span(
            number,
            scope="com.anthropic.claude_code",
            attributes={"span.type": kind, "session.id": "s"},
            **rest,
        )

    assembler = TurnAssembler(IDLE)
    assembler.add(claude(1, "llm_request", trace=1, at=(1, 2)), 0.0)
    for one in (claude(2, "llm_request", parent=3, trace=2, at=(4, 5)), claude(3, "interaction", trace=2, at=(3, 6))):
        assembler.add(one, 0.0)
    (turn,) = assembler.collect(0.0).turns
    assert (turn.trace_id, turn.stand_in) == (format(2, "032x"), False)
    assembler.collect(LINGER_SECONDS + 1)
    assert assembler.statistics().traces == 1
    (rest,) = assembler.collect(70.0).turns
    assert rest.stand_in


def test_an_open_turn_of_a_session_is_not_ended_by_work_beside_it() -> None:
    def claude(number: int, kind: str, **rest: Any) -> BuiltSpan:
        return span(
            number, scope="com.anthropic.claude_code", attributes={"span.type": kind, "session.id": "s"}, **rest
        )

    assembler = TurnAssembler(IDLE)
    assembler.add(claude(1, "llm_request", trace=1, at=(1, 2)), 0.0)
    assembler.add(claude(2, "llm_request", parent=3, trace=2, at=(4, 5)), 50.0)
    assert assembler.collect(61.0).turns == ()  # the session was not quiet
    assembler.add(claude(3, "interaction", trace=2, at=(3, 6)), 62.0)
    (turn,) = assembler.collect(62.0).turns
    assert (turn.span_id, turn.model_calls) == (format(3, "016x"), 1)
