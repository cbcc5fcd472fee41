"""Spring AI: kinds, what a thrown exception looks like, and the milestones that kept text in events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from dumps import dump

from otel_footprint.dialects import Role, enable_for, recognise, spring_ai
from otel_footprint.explanation import Explanation
from otel_footprint.testing import BuiltSpan, assert_evidence_resolves, explain_spans, span

BOOT = "org.springframework.boot"
INCLUDE_CONTENT = "spring.ai.tools.observations.include-content=true"
ASKED = "gen_ai.response.finish_reasons"


def kind(number: int, name: str, attributes: Mapping[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    own = {"spring.ai.kind": name, "gen_ai.operation.name": "framework", **(attributes or {})}
    return span(number, attributes=own, scope=BOOT, **rest)


def chat(number: int, attributes: Mapping[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    own = {"gen_ai.operation.name": "chat", **(attributes or {})}
    return span(number, attributes=own, scope=rest.pop("scope", BOOT), **rest)


def called(result: str | None, arguments: str = "{}", tool: str = "t", **rest: Any) -> BuiltSpan:
    own = {"spring.ai.tool.definition.name": tool, "spring.ai.tool.call.arguments": arguments}
    return kind(2, "tool_call", own if result is None else {**own, "spring.ai.tool.call.result": result}, **rest)


@pytest.mark.parametrize(
    ("one", "role"),
    [
        (kind(1, "chat_client"), Role.AGENT),
        (kind(1, "advisor"), Role.STEP),
        (kind(1, "tool_call"), Role.TOOL),
        (kind(1, "tool_call", {"gen_ai.operation.name": "execute_tool"}), Role.TOOL),
        (kind(1, "vector_store"), None),
        (span(1, attributes={"spring.ai.kind": ["chat_client"]}), None),
        (chat(1), Role.MODEL),
        (chat(1, {"gen_ai.operation.name": "embedding"}), None),
        (chat(1, {"gen_ai.operation.name": ["chat"]}), None),
        (chat(1, {"spring.ai.model.request.tool.names": "[]"}, scope="other"), Role.MODEL),
        (chat(1, scope="other"), None),
        (span(1, scope=BOOT, name="http post"), None),
    ],
    ids=str,
)
def test_the_kind_tells_what_a_span_is_and_the_operation_tells_a_model_call(one: BuiltSpan, role: Role | None) -> None:
    assert spring_ai.role(one) is role


def test_a_tool_call_with_genais_operation_is_read_by_its_own_names() -> None:
    one = kind(1, "tool_call", {"gen_ai.operation.name": "execute_tool", "spring.ai.tool.definition.name": "runPython"})
    assert recognise(one) == (spring_ai.DIALECT, Role.TOOL)
    assert spring_ai.tool(one).tool == "runPython"


@pytest.mark.parametrize(
    ("recorded", "value", "decoded"),
    [
        ('"buy milk"', "buy milk", None),
        ("[]", "[]", None),
        ('[{"text": "from a server"}]', "from a server", None),
        ("the price list is locked", "the price list is locked", None),
        ('{"stdout": "1"}', '{"stdout": "1"}', {"stdout": "1"}),
        ("null", "null", None),
    ],
    ids=str,
)
def test_a_text_is_read_out_of_its_quotes_and_every_other_value_as_it_stands(
    recorded: str, value: str, decoded: Any
) -> None:
    result = spring_ai.tool(called(recorded)).result
    assert (result.state, result.value, result.decoded) == ("recorded", value, decoded)


def test_a_program_is_an_argument_and_never_read_as_printed_python() -> None:
    assert spring_ai.tool(called(None, '{"code": "[1]"}')).arguments.value == {"code": "[1]"}
    assert spring_ai.tool(called(None, "{'code': '1'}")).arguments.value == "{'code': '1'}"
    assert spring_ai.tool(called(None, '{"code": "1')).arguments.state == "cut"


def test_an_exception_that_was_not_caught_is_a_failure_with_its_message() -> None:
    facts = spring_ai.tool(called(None, status="error", status_message="locked"))
    assert facts.failed is not None
    assert facts.error_text.value == "locked"


@pytest.mark.parametrize(
    ("reasons", "wants"),
    [
        ('["TOOL_CALLS"]', True),
        ('["tool_use"]', True),
        (["TOOL_CALLS"], True),
        ('["STOP"]', False),
        ("TOOL_CALLS", False),
        ('[["TOOL_CALLS"], 7]', False),
        (7, False),
        (None, False),
    ],
    ids=str,
)
def test_a_model_call_says_that_it_asked_for_tools(reasons: Any, wants: bool) -> None:
    assert spring_ai.model(chat(1, {} if reasons is None else {ASKED: reasons})).wants_tools is wants


def test_a_chat_client_inside_an_advisor_is_a_turn_that_the_other_one_called() -> None:
    spans = [
        kind(1, "chat_client", at=(0, 9)),
        kind(2, "advisor", parent=1, at=(1, 8)),
        kind(3, "chat_client", parent=2, at=(2, 5)),
        chat(4, parent=3, at=(3, 4)),
        chat(5, parent=2, at=(6, 7)),
    ]
    outer, inner = explain_spans(spans)
    assert (outer.span_id, outer.nested_in) == (spans[0].span_id, None)
    assert (inner.span_id, inner.nested_in) == (spans[2].span_id, spans[0].span_id)


@pytest.mark.parametrize(
    ("texts", "answer"),
    [
        (["It is 4."], "It is 4."),
        (("It is 4.",), "It is 4."),
        ([], None),
        ([""], None),
        ([None, 7], None),
        ("It is 4.", None),
        (None, None),
    ],
    ids=str,
)
def test_the_text_of_a_milestones_event_is_the_answer(texts: Any, answer: str | None) -> None:
    event = ("gen_ai.content.completion", {"gen_ai.completion": texts})
    spans = [
        kind(1, "chat_client", {"spring.ai.chat.client.user.text": "2 + 2?"}, at=(0, 9)),
        chat(2, parent=1, at=(1, 2), events=[event]),
    ]
    (turn,) = explain_spans(spans)
    assert_evidence_resolves(turn, spans)
    assert (turn.question, turn.answer) == ("2 + 2?", answer)


def test_only_content_of_tools_has_a_switch() -> None:
    assert {k: enable_for(spring_ai.DIALECT, BOOT, k) for k in ("arguments", "result", "messages", "answer")} == {
        "arguments": INCLUDE_CONTENT,
        "result": INCLUDE_CONTENT,
        "messages": None,
        "answer": None,
    }


# -- real spans ---------------------------------------------------------------------------------------------------


def turns(name: str) -> list[Explanation]:
    found = explain_spans(dump(name))
    for turn in found:
        assert_evidence_resolves(turn, dump(name))
    return found


def calls_of(turn: Explanation) -> list[tuple[str | None, str, str | None]]:
    return [(c.tool, c.outcome, c.emptiness) for c in turn.calls]


OF_BOTH = [
    [("runPython", "ran", "unknown")],
    [("runShell", "ran", "unknown")],
    [("searchOrders", "ran", "undeclared-empty")],
    # It threw. The record says of it what it says of a tool that returned this text.
    [("lookUpPrice", "ran", "unknown")],
    [("searchOrders", "ran", "undeclared-empty"), ("runShell", "ran", "unknown")],
    [("readNote", "ran", "unknown")],
    [("askExpert", "ran", "unknown")],
]
"""The calls of the first turns, each of one person's message."""


@pytest.mark.parametrize("name", ["spring_ai", "spring_ai_v1"])
def test_each_chat_clients_answer_is_a_turn_with_its_calls(name: str) -> None:
    outer = [turn for turn in turns(name) if turn.nested_in is None]
    assert [calls_of(turn) for turn in outer[:7]] == OF_BOTH
    assert {turn.conversation_id for turn in outer[:7]} == {None}
    assert {(turn.question, turn.answer) for turn in outer} == {(None, None)}
    programs = [(s.text, s.language, s.outcome, s.exit_code, s.exit_code_from) for t in outer[:5] for s in t.scripts]
    assert programs == [
        ("print(6 * 7)", "python", "completed", 0, "result"),
        ("ls /missing", "shell", "completed-with-failure", 2, "result"),
        ("date", "shell", "completed", 0, "result"),
    ]


@pytest.mark.parametrize("name", ["spring_ai", "spring_ai_v1"])
def test_a_chat_client_inside_a_tool_is_a_turn_inside_the_turn(name: str) -> None:
    found = turns(name)
    (asker,) = [turn for turn in found if [c.tool for c in turn.calls] == ["askExpert"]]
    (expert,) = [turn for turn in found if turn.nested_in == asker.span_id]
    assert [(s.text, s.exit_code) for s in expert.scripts] == [("print(4)", 0)]


@pytest.mark.parametrize("name", ["spring_ai", "spring_ai_v1", "spring_ai_nocontent", "spring_ai_milestone"])
def test_two_turns_of_one_memory_are_one_conversation(name: str) -> None:
    found = [turn for turn in turns(name) if turn.conversation_id is not None]
    assert [(turn.conversation_id, turn.turn) for turn in found] == [("conv-1", 1), ("conv-1", 2)]


def test_from_2_0_a_call_has_its_id() -> None:
    ids = [c.call_id for turn in turns("spring_ai") for c in turn.calls]
    assert ids
    assert None not in ids
    assert {c.call_id for turn in turns("spring_ai_v1") for c in turn.calls} == {None}


def test_a_turn_that_asked_for_a_tool_that_is_not_there_ended_in_an_error() -> None:
    (turn,) = [turn for turn in turns("spring_ai") if not turn.finished]
    assert calls_of(turn) == []


def test_an_advisors_own_chat_client_is_a_turn_inside_the_turn() -> None:
    inside = [turn for turn in turns("spring_ai") if turn.nested_in is not None and not turn.calls]
    assert len(inside) == 2
    assert len({turn.nested_in for turn in inside}) == 1


def test_the_model_calls_of_a_streamed_turn_of_1_1_lie_inside_each_other_and_its_tool_call_in_the_first() -> None:
    (turn,) = [t for t in turns("spring_ai_v1") if [s.text for s in t.scripts] == ["print('streamed')"]]
    mine = {one.span_id: one for one in dump("spring_ai_v1") if one.trace_id == turn.trace_id}
    first, _ = sorted((one for one in mine.values() if recognise(one)[1] is Role.MODEL), key=lambda one: one.start_ns)
    inside = [recognise(one)[1] for one in mine.values() if one.parent_id == first.span_id]
    assert sorted(str(role) for role in inside) == [str(Role.MODEL), str(Role.TOOL)]
    assert (turn.finished, calls_of(turn)) == (True, [("runPython", "ran", "unknown")])


def test_a_tool_call_that_lost_its_turn_is_told_and_said_to_stand_in_for_it() -> None:
    # A streamed turn of 1.1 runs its tools in a thread that does not know of it.
    lost = called('{"stdout": "1", "exit_code": 0}', '{"code": "print(1)"}', "runPython", at=(2, 3), trace=2)
    turn, other = sorted(
        explain_spans([kind(1, "chat_client", at=(0, 9)), lost]),
        key=lambda one: one.stand_in,
    )
    assert (turn.stand_in, calls_of(turn)) == (False, [])
    assert (other.stand_in, [(s.text, s.exit_code) for s in other.scripts]) == (True, [("print(1)", 0)])


def test_without_content_each_call_is_known_and_its_switch_named() -> None:
    found = turns("spring_ai_nocontent")
    assert [[c[:2] for c in calls_of(turn)] for turn in found] == [
        [("runPython", "ran")],
        [("searchOrders", "ran")],
        [("runPython", "ran")],
        [],
    ]
    assert [(s.program, s.outcome, s.exit_code) for turn in found for s in turn.scripts] == [
        ("absent", "returned", None)
    ] * 2
    named = {(line.tool, line.enable) for turn in found for line in turn.unreached}
    # What the model had before it cannot be recorded.
    assert named == {("runPython", INCLUDE_CONTENT), ("searchOrders", INCLUDE_CONTENT), (None, None)}


def test_a_milestone_keeps_question_and_answer_and_no_tool_call() -> None:
    assert [(turn.question, turn.answer, calls_of(turn)) for turn in turns("spring_ai_milestone")] == [
        ("[code] Please do it.", "The program printed 42.", []),
        ("[two] Please do it.", "Done.", []),
        ("[first] What is it?", "It is 1024.", []),
        ("[second] What is it?", "As I said, it is 1024.", []),
    ]


def test_the_attributes_of_the_dumps_are_texts_as_micrometer_writes_them() -> None:
    finish = [one.get(ASKED) for one in dump("spring_ai") if recognise(one)[1] is Role.MODEL]
    assert all(isinstance(json.loads(reasons), list) for reasons in finish if reasons is not None)
