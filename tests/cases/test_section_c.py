"""Faults of others with parents, roots and traces: what is right, for each kind of fault."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from cases import number_of, turn_of, turns_of
from reading import DATA, explained

from otel_footprint.testing import (
    BuiltSpan,
    agent_span,
    call_part,
    message,
    model_span,
    response_part,
    span,
    tool_span,
)
from otel_footprint.turns import TurnAssembler

APP = {"service.name": "app"}


def asking(number: int, *parts: dict[str, Any], **rest: Any) -> BuiltSpan:
    return model_span(number, said=[message("assistant", *parts)], **rest)


def reading(number: int, *parts: dict[str, Any], **rest: Any) -> BuiltSpan:
    return model_span(
        number, read=[message("user", "q"), message("tool", *parts)], said=[message("assistant", "done")], **rest
    )


# -- C1, C5: work that lost its parent ----------------------------------------------------------------------------

THREADED = [
    agent_span(1, at=(0, 10), resource=APP),
    asking(2, call_part("f", "c1", {}), parent=1, at=(1, 2), resource=APP),
    tool_span(9, "f", trace=2, call_id="c1", at=(2, 3), resource=APP),
]


def test_c1_a_tool_span_that_a_thread_made_a_root_is_a_call_of_the_turn_that_asked() -> None:
    turn = turn_of(*THREADED)
    assert [(number_of(c.span_id), c.outcome) for c in turn.calls] == [(9, "ran")]
    assert [note.id for note in turn.notes] == ["parent-inferred"]


def test_c1_of_two_agents_that_may_have_asked_none_is_picked() -> None:
    rival = [
        agent_span(11, trace=3, at=(0, 10), resource=APP),
        asking(12, call_part("f", "c1", {}), trace=3, parent=11, at=(1, 2), resource=APP),
    ]
    found = turns_of(*THREADED, *rival)
    assert [(e.stand_in, [note.id for note in e.notes]) for e in found if any(c.span_id for c in e.calls)] == [
        (True, ["parent-ambiguous"])
    ]


def orphan_models(trace: int = 2) -> list[BuiltSpan]:
    """Both model calls of a turn, each a root without a parent."""
    return [
        model_span(
            7,
            read=[message("user", "q")],
            said=[message("assistant", call_part("f", "c1", {"a": 1}))],
            trace=trace,
            at=(1, 2),
            resource=APP,
        ),
        reading(8, response_part("c1", "[]"), trace=trace + 1, at=(4, 5), resource=APP),
    ]


AROUND = [
    agent_span(1, agent="a", at=(0, 10), resource=APP),
    tool_span(3, "f", parent=1, call_id="c1", at=(3, 4), resource=APP),
]


def test_c5_a_model_call_without_a_parent_belongs_to_the_turn_whose_calls_it_asked_for_and_read() -> None:
    turn = turn_of(*AROUND, *orphan_models())
    assert [note.id for note in turn.notes] == ["parent-inferred"]
    assert [(number_of(c.span_id), c.call_id) for c in turn.calls] == [(3, "c1")]
    assert (turn.question, turn.answer) == ("q", "done")
    assert [s.id for s in turn.signals] == ["undeclared-empty-used"]


@pytest.mark.parametrize("order", list(itertools.permutations(range(4)))[::5])
def test_c5_whatever_order_the_spans_come_in(order: Sequence[int]) -> None:
    spans = [*AROUND, *orphan_models()]
    assert turn_of(*(spans[i] for i in order)) == turn_of(*spans)


def test_c5_a_model_call_that_two_turns_may_have_made_is_given_to_neither() -> None:
    rival = [
        agent_span(11, trace=5, at=(0, 10), resource=APP),
        tool_span(13, "f", trace=5, parent=11, call_id="c1", at=(3, 4), resource=APP),
    ]
    found = turns_of(*AROUND, *rival, *orphan_models())
    assert [[note.id for note in e.notes] for e in found if e.stand_in] == [["parent-ambiguous"]] * 2
    assert [e.notes for e in found if not e.stand_in] == [(), ()]


@pytest.mark.parametrize(
    "change",
    [{"at": (20, 21)}, {"resource": {"service.name": "other"}}, {"call": "c9"}],
    ids=["another time", "another service", "another id"],
)
def test_c5_a_model_call_that_does_not_fit_is_explained_apart(change: dict[str, Any]) -> None:
    call = call_part("f", change.get("call", "c1"), {})
    model = asking(7, call, trace=2, at=change.get("at", (1, 2)), resource=change.get("resource", APP))
    assert sorted(e.stand_in for e in turns_of(*AROUND, model)) == [False, True]


# -- C2: asked for, and no execution seen -------------------------------------------------------------------------


def test_c2_a_parallel_call_whose_span_is_missing_is_requested_and_not_succeeded() -> None:
    turn = turn_of(
        agent_span(1, at=(0, 10)),
        asking(2, *(call_part("f", f"c{n}", {"n": n}) for n in (1, 2, 3)), parent=1, at=(1, 2)),
        tool_span(3, "f", parent=1, call_id="c1", at=(3, 4)),
        tool_span(4, "f", parent=1, call_id="c3", at=(3, 4)),
    )
    assert {c.call_id: (c.outcome, c.notes) for c in turn.calls} == {
        "c1": ("ran", ()),
        "c2": ("unknown", ("no-span",)),
        "c3": ("ran", ()),
    }


# -- C3, C4: every step a trace of its own ------------------------------------------------------------------------


def test_c3_steps_without_anything_that_ties_them_are_each_explained_and_make_no_turn_together() -> None:
    spans = [tool_span(n, "f", trace=n, at=(n, n + 1), result=f"r{n}") for n in range(1, 10)]
    found = turns_of(*spans)
    assert [(e.stand_in, [number_of(c.span_id) for c in e.calls]) for e in found] == [(True, [n]) for n in range(1, 10)]
    assert {e.incomplete for e in found} == {("no-turn-span",)}


def test_c4_a_real_file_of_such_traces_makes_no_turn_of_them() -> None:
    found = explained((DATA / "public" / "kagua" / "openllmetry-langchain.json").read_bytes())
    assert len({e.trace_id for e in found}) == len(found) > 1
    assert all(e.stand_in for e in found)


# -- C8, C9: a sub-agent's calls ----------------------------------------------------------------------------------

SUB_AGENT = [
    agent_span(1, agent="main", at=(0, 20)),
    tool_span(2, "Agent", parent=1, call_id="p", at=(1, 10)),
    agent_span(3, agent="sub", parent=2, at=(2, 9)),
]
NAMED = {"parent_tool_use_id": "p"}


def calls(*spans: BuiltSpan) -> dict[str | None, list[int | None]]:
    return {e.agent: [number_of(c.span_id) for c in e.calls] for e in turns_of(*spans)}


def test_c8_the_id_of_the_call_around_a_sub_agent_wins_over_the_parent() -> None:
    inner = tool_span(5, "Grep", parent=4, at=(5, 6))
    bash = tool_span(4, "Bash", parent=1, at=(4, 6), attributes=NAMED)
    assert calls(*SUB_AGENT, bash, inner) == {"main": [2], "sub": [4, 5]}
    assert calls(inner, bash, *reversed(SUB_AGENT)) == {"main": [2], "sub": [4, 5]}


def test_c8_the_nearest_agent_counts_where_no_id_says_more() -> None:
    assert calls(*SUB_AGENT, tool_span(4, "Bash", parent=3, at=(4, 6))) == {"main": [2], "sub": [4]}
    assert calls(*SUB_AGENT, tool_span(4, "Bash", parent=1, at=(4, 6))) == {"main": [2, 4], "sub": []}


@pytest.mark.parametrize("said", ["q", "", 7, None])
def test_c8_an_id_that_names_no_call_changes_nothing(said: Any) -> None:
    bash = tool_span(4, "Bash", parent=1, at=(4, 6), attributes={"parent_tool_use_id": said})
    assert calls(*SUB_AGENT, bash) == {"main": [2, 4], "sub": []}


def test_c8_an_id_that_two_calls_have_names_neither() -> None:
    other = [tool_span(6, "Agent", parent=1, call_id="p", at=(11, 15)), agent_span(7, agent="o", parent=6, at=(12, 14))]
    bash = tool_span(4, "Bash", parent=1, at=(4, 6), attributes=NAMED)
    assert calls(*SUB_AGENT, *other, bash) == {"main": [2, 4, 6], "sub": [], "o": []}


def test_c8_an_id_of_a_call_without_a_sub_agent_changes_nothing() -> None:
    bash = tool_span(4, "Bash", parent=1, at=(4, 6), attributes=NAMED)
    assert calls(*SUB_AGENT[:2], bash) == {"main": [2, 4]}


# -- C11, C12: the root never came --------------------------------------------------------------------------------


def test_c11_spans_whose_agent_never_came_are_one_explanation_on_the_top_most_of_them() -> None:
    spans: list[BuiltSpan] = [tool_span(n, "f", parent=99, at=(n, n + 1)) for n in range(10, 15)]
    spans += [model_span(n, parent=99, at=(n - 15, n - 14)) for n in range(20, 23)]
    turn = turn_of(*spans)
    assert (number_of(turn.span_id), turn.stand_in, len(turn.calls)) == (20, True, 5)
    assert turn.incomplete == ("no-turn-span", "parent-missing")


# -- C15: a span that stays current across a yield ----------------------------------------------------------------


def test_c15_a_tool_under_a_model_call_that_is_still_streaming_is_of_the_turn() -> None:
    turn = turn_of(
        agent_span(1, at=(0, 30)),
        asking(2, call_part("f", "c1", {}), parent=1, at=(0, 20)),
        tool_span(3, "f", parent=2, call_id="c1", at=(3, 4), result="r"),
        reading(4, response_part("c1", "r"), parent=3, at=(5, 6)),
    )
    assert [(number_of(c.span_id), c.outcome, c.result_recorded) for c in turn.calls] == [(3, "ran", True)]
    assert turn.nested_in is None


# -- C16, C17: children past the end of their root ----------------------------------------------------------------


def test_c16_a_call_that_ends_after_its_turn_makes_an_addendum_and_no_second_turn() -> None:
    assembler = TurnAssembler()
    assembler.add(agent_span(1, at=(0, 5)), 0.0)
    assert [(t.revision, len(t.calls)) for t in assembler.collect(0.0).turns] == [(1, 0)]
    for late in (tool_span(2, "f", parent=1, at=(4, 9)), tool_span(3, "g", parent=1, at=(6, 7))):
        assembler.add(late, 1.0)
    (again,) = assembler.collect(9.0).turns
    assert (again.revision, again.notes) == (2, ("late-spans",))
    assert [c.tool for c in again.calls] == ["f", "g"]


# -- C18: a turn over two batches ---------------------------------------------------------------------------------


def test_c18_a_turn_that_came_in_two_batches_reads_as_in_one() -> None:
    spans = [agent_span(1, at=(0, 9)), tool_span(2, "f", parent=1, at=(1, 2)), tool_span(3, "g", parent=1, at=(3, 4))]
    assembler = TurnAssembler()
    for one in spans[1:]:
        assembler.add(one, 0.0)
    assert assembler.collect(0.0).turns == ()
    assembler.add(spans[0], 4.0)
    (turn,) = assembler.collect(4.0).turns
    together = TurnAssembler()
    for one in spans:
        together.add(one, 0.0)
    assert together.collect(0.0).turns == (turn,)


# -- C20: siblings ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("call_ids", "known"), [(("c1", "c2"), ["c1", "c2"]), ((None, None), [None, None])])
def test_c20_without_an_id_it_is_not_said_which_of_two_model_calls_asked(
    call_ids: tuple[str | None, str | None], known: list[str | None]
) -> None:
    turn = turn_of(
        agent_span(1, at=(0, 9)),
        asking(2, call_part("f", "c1", {"a": 1}), parent=1, at=(1, 3)),
        asking(3, call_part("f", "c2", {"a": 1}), parent=1, at=(2, 4)),
        *(
            tool_span(n, "f", parent=1, at=(5, 6), call_id=call_id, arguments={"a": 1})
            for n, call_id in zip((4, 5), call_ids, strict=True)
        ),
    )
    assert [c.call_id for c in turn.calls] == known


# -- C21, C22: hand-offs ------------------------------------------------------------------------------------------


def test_c21_an_agent_that_a_hand_off_never_closed_leaves_the_other_one_explained() -> None:
    assembler = TurnAssembler()
    handed = [agent_span(2, agent="b", trace=2, at=(3, 6)), tool_span(3, "f", trace=2, parent=2, at=(4, 5))]
    for one in [tool_span(9, "g", parent=1, at=(1, 2)), *handed]:
        assembler.add(one, 0.0)
    assert [t.agent for t in assembler.collect(0.0).turns] == ["b"]
    (left,) = assembler.collect(100_000.0).turns
    assert (left.stand_in, left.finished) == (True, False)
    assert set(left.incomplete) == {"idle", "no-turn-span", "parent-missing"}


@pytest.mark.parametrize("status", ["unset", "error"])
def test_c22_a_hand_off_filed_as_a_tool_is_no_call_and_no_failed_one(status: Any) -> None:
    kind = {"openinference.span.kind": "TOOL"}
    turn = turn_of(
        agent_span(1, at=(0, 9)),
        tool_span(2, "f", parent=1, at=(1, 2)),
        span(3, parent=1, at=(3, 4), name="handoff to b", status=status, attributes=kind),
    )
    assert ([c.tool for c in turn.calls], turn.counts.failed) == (["f"], 0)


def test_c22_of_a_real_hand_off_only_the_real_tool_is_a_call() -> None:
    path = DATA / "public" / "strands_evals" / "openai_agents_openinference_adot_spans.json"
    found = [call.tool or "" for turn in explained(path.read_bytes()) for call in turn.calls]
    assert found
    assert not [tool for tool in found if "handoff" in tool or tool.startswith("transfer_to_")]


# -- C24: the same span twice -------------------------------------------------------------------------------------


def test_c24_an_exact_copy_counts_once_and_of_copies_that_differ_the_later_end_counts_and_is_flagged() -> None:
    top, call = agent_span(1, at=(0, 9)), tool_span(2, "f", parent=1, at=(1, 2), result="short")
    other = tool_span(2, "f", parent=1, at=(1, 5), result="longer", status="error")
    once = turn_of(top, call)
    assert turn_of(top, call, call) == once
    for order in ([top, call, other], [other, call, top]):
        turn = turn_of(*order)
        assert ([c.outcome for c in turn.calls], turn.incomplete) == (["failed"], ("conflicting-duplicate",))
