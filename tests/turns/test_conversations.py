"""Turn numbers by conversation, what of it lay before the model, and what the model was told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from otel_footprint import _conversations
from otel_footprint._conversations import Conversations
from otel_footprint.explanation import Explanation
from otel_footprint.facts import CodeRun, ToolCall, Turn
from otel_footprint.spanview import SpanView
from otel_footprint.testing import (
    BuiltSpan,
    agent_span,
    assert_consistent,
    call_part,
    explain_spans,
    message,
    model_span,
    response_part,
    tool_span,
)
from otel_footprint.turns import TurnAssembler


def said(number: int, conversation: str | None = "a", **rest: Any) -> BuiltSpan:
    own = {"footprint.answer": "x", **({} if conversation is None else {"gen_ai.conversation.id": conversation})}
    return agent_span(number, trace=number, at=(number, number + 0.5), attributes={**own, **rest})


def numbers(*spans: SpanView) -> list[int | None]:
    found = explain_spans(spans)
    for one in found:
        assert_consistent(one)
    return [one.turn for one in found]


# -- numbers ------------------------------------------------------------------------------------------------


def test_turns_are_numbered_in_their_conversation() -> None:
    assert numbers(said(1), said(2, "b"), said(3), said(4, "b"), said(5)) == [1, 1, 2, 2, 3]


def test_files_are_numbered_by_time_whatever_the_order_of_arrival() -> None:
    assert numbers(said(3), said(1), said(2)) == [1, 2, 3]


def test_without_a_conversation_there_is_no_number() -> None:
    assert numbers(said(1, None), said(2, None)) == [None, None]


def test_a_recorded_number_wins_and_counting_goes_on_from_it() -> None:
    recorded: dict[str, Any] = {"footprint.turn": 7}
    assert numbers(said(1), said(2, **recorded), said(3)) == [1, 7, 8]


def test_a_turn_inside_a_call_is_no_turn_of_the_conversation() -> None:
    inner = agent_span(12, trace=1, parent=11, at=(1.2, 1.3), attributes={"gen_ai.conversation.id": "a"})
    call = tool_span(11, "ask", trace=1, parent=1, at=(1.1, 1.4))
    assert numbers(said(1), call, inner, said(2)) == [1, None, 2]


def turn(number: int, conversation: str = "a", programs: int = 0) -> Turn:
    run = CodeRun(argument="code", declared_by="span")
    calls = [ToolCall(span_id=None, carrier_span_id="x", tool="python", code_run=run) for _ in range(programs)]
    return Turn(
        trace_id=format(number, "032x"),
        span_id=format(number, "016x"),
        name="",
        conversation_id=conversation,
        calls=tuple(calls),
        model_calls=1,
    )


def test_an_addendum_keeps_its_turns_number_and_counts_no_program_twice() -> None:
    known = Conversations()
    assert [known.numbered(turn(1, programs=2)).turn, known.numbered(turn(2, programs=1)).turn] == [1, 2]
    again = known.numbered(replace(turn(2, programs=3), revision=2))
    assert (again.turn, again.earlier_scripts) == (2, 2)
    assert known.numbered(turn(3)).earlier_scripts == 3


def test_the_conversation_that_is_quiet_longest_is_forgotten_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_conversations, "MAX_CONVERSATIONS", 2)
    known = Conversations()
    for number, name in enumerate("abacb", start=1):
        last = known.numbered(turn(number, name))
    assert (len(known), known.forgotten, last.turn) == (2, 2, 1)


def test_only_the_newest_turns_of_a_conversation_keep_their_numbers_for_an_addendum(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_conversations, "_NUMBERED_KEPT", 2)
    known = Conversations()
    assert [known.numbered(turn(number)).turn for number in (1, 2, 3)] == [1, 2, 3]
    assert [known.numbered(turn(number)).turn for number in (3, 2, 1)] == [3, 2, 4]


def test_the_assembler_counts_what_it_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_conversations, "MAX_CONVERSATIONS", 1)
    assembler = TurnAssembler()
    for one in (said(1), said(2, "b")):
        assembler.add(one, 0.0)
    assembler.close(0.0)
    found = assembler.statistics()
    assert (found.conversations, found.conversations_forgotten) == (1, 1)


def test_a_later_turn_without_a_recorded_input_cannot_say_that_nothing_was_in_view() -> None:
    first, second = explain_spans([said(1), said(2)])
    assert (first.checks.unreachable, second.checks.unreachable) == ((), ("empty-results",))


def test_programs_of_earlier_turns_are_counted() -> None:
    run = tool_span(11, "run_python", trace=1, parent=1, at=(1.1, 1.2), arguments={"code": "print(1)"})
    shows = said(2, **{"footprint.answer": "```\nprint(1)\n```"})
    _, second = explain_spans([said(1), run, shows])
    assert second.matching is not None
    assert ([b.label for b in second.matching.blocks], second.matching.earlier_turn_rows) == (["unmatched"], 1)


# -- in view, and told ------------------------------------------------------------------------------------------


def one_turn(*read: dict[str, Any], answer: str = "INC99999 is closed.", **model: Any) -> Explanation:
    """A turn with one call of its own that returned ``INC10007``."""
    history = [
        *read,
        message("assistant", call_part("search", "own", {})),
        message("tool", response_part("own", ["INC10007"])),
    ]
    spans = [
        agent_span(1, at=(0, 9)),
        tool_span(3, "search", parent=1, call_id="own", at=(1, 2)),
        model_span(2, parent=1, at=(3, 4), read=history, said=[message("assistant", answer)], **model),
    ]
    (found,) = explain_spans(spans)
    assert_consistent(found)
    return found


def flagged(found: Explanation) -> list[str] | None:
    return None if found.evidence is None else [one.value for one in found.evidence.unsupported]


ASKED = message("user", "what is closed?")


def test_a_value_that_nothing_told_and_nothing_returned_is_flagged() -> None:
    assert flagged(one_turn(ASKED)) == ["INC99999"]
    assert flagged(one_turn(ASKED, answer="INC10007 is closed.")) == []


@pytest.mark.parametrize(
    "read",
    [
        (message("system", "You look after INC99999."), ASKED),
        (message("user", "INC99999?"), message("assistant", "yes?"), ASKED),
        (message("user", "hm?"), message("assistant", "INC99999."), ASKED),
        (message("user", "what of INC99999?"),),
    ],
    ids=["system text", "an earlier question", "an earlier answer", "the question"],
)
def test_what_the_model_was_told_needs_no_evidence(read: tuple[dict[str, Any], ...]) -> None:
    assert flagged(one_turn(*read)) == []


def test_system_instructions_beside_the_messages_need_no_evidence() -> None:
    told = {"gen_ai.system_instructions": '[{"type": "text", "content": "You look after INC99999."}]'}
    assert flagged(one_turn(ASKED, attributes=told)) == []


@pytest.mark.parametrize(
    "read",
    [
        (message("system", "<REDACTED>"), ASKED),
        (message("user", "<REDACTED>"),),
        (message("user", {"type": "blob", "mime_type": "image/png"}),),
        (message("tool", response_part("old", "INC10008")), ASKED),
    ],
    ids=["a system text kept out", "a question kept out", "an image", "an earlier result that nothing names"],
)
def test_of_what_is_not_recorded_as_text_nothing_is_claimed(read: tuple[dict[str, Any], ...]) -> None:
    assert flagged(one_turn(*read)) is None


def test_o14_an_earlier_named_result_in_view_holds_values_and_says_how_far_back_it_is() -> None:
    old = [
        message("user", "look"),
        message("assistant", call_part("look", "old", {})),
        message("tool", response_part("old", [])),
        message("user", "and?"),
    ]
    found = one_turn(*old, ASKED)
    (signal,) = found.signals
    assert (signal.id, signal.tool, signal.call_id) == ("undeclared-empty-in-view", "look", "old")
    assert "2 answers back" in signal.about
    held = [old[0], old[1], message("tool", response_part("old", ["INC99999"])), old[3]]
    assert flagged(one_turn(*held, ASKED)) == []


def test_where_the_answering_calls_input_is_not_recorded_nothing_is_claimed() -> None:
    spans = [
        agent_span(1, at=(0, 9), attributes={"footprint.answer": "INC99999"}),
        tool_span(3, "search", parent=1, at=(1, 2), result="[1]"),
        model_span(2, parent=1, at=(3, 4)),
    ]
    (found,) = explain_spans(spans)
    assert flagged(found) is None
