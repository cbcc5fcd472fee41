"""OpenInference on smolagents: programs in texts, their runs in steps, and agents that a step calls."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_footprint.dialects import openinference_smolagents as smolagents
from otel_footprint.explanation import Explanation
from otel_footprint.testing import BuiltSpan, assert_consistent, assert_evidence_resolves, explain_spans, span

SCOPE = "openinference.instrumentation.smolagents"
LOGS = "Execution logs:\n1\nLast output from code snippet:\nNone"
STOPS = json.dumps({"messages": [], "stop_sequences": ["Observation:", "Calling tools:", "</code>"], "kwargs": {}})


def oi(number: int, kind: str, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    return span(number, attributes={"openinference.span.kind": kind, **(attributes or {})}, scope=SCOPE, **rest)


def agent(number: int = 1, name: str = "analyst.run", **rest: Any) -> BuiltSpan:
    return oi(number, "AGENT", name=name, **{"at": (0, 100), **rest})


def step(number: int, at: tuple[float, float], output: str | None = LOGS, **rest: Any) -> BuiltSpan:
    own = {} if output is None else {"output.value": output}
    return oi(number, "CHAIN", own, name="Step 1", at=at, **{"parent": 1, **rest})


def raised(number: int, at: tuple[float, float], kind: str, **rest: Any) -> BuiltSpan:
    event = ("exception", {"exception.type": f"smolagents.utils.{kind}", "exception.message": "no"})
    return step(number, at, None, status="error", status_message=f"{kind}: no", events=[event, event], **rest)


def model(
    number: int, said: str, *read: tuple[str, str], at: tuple[float, float], request: str = STOPS, **rest: Any
) -> BuiltSpan:
    attributes = {"input.value": request}
    for side, messages in (("input", [("user", "New task:\nq"), *read]), ("output", [("assistant", said)])):
        for index, (role, text) in enumerate(messages):
            attributes[f"llm.{side}_messages.{index}.message.role"] = role
            attributes[f"llm.{side}_messages.{index}.message.contents.0.message_content.text"] = text
    return oi(number, "LLM", attributes, name="OpenAIModel.generate", at=at, **rest)


def calling(program: Any, call_id: str = "call_1", name: str = "python_interpreter") -> str:
    return f"Calling tools:\n{[{'id': call_id, 'type': 'function', 'function': {'name': name, 'arguments': program}}]}"


def explained(*spans: BuiltSpan) -> Explanation:
    (found,) = explain_spans(spans)
    assert_consistent(found)
    assert_evidence_resolves(found, spans)
    return found


def ends(turn: Explanation) -> list[tuple[str | None, str | None, str]]:
    return [(s.call_id, s.text, s.outcome) for s in turn.scripts]


# -- the program ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "program"),
    [
        ("Thought: x\n<code>\nprint(1)\n</code>", "print(1)"),
        # The model stopped before the closing tag.
        ("Thought: x\n<code>\nprint(1)\n", "print(1)"),
        ("<code>a = 1</code> then <code>print(a)</code>", "a = 1\n\nprint(a)"),
        ("Thought: x\n```py\nprint(1)\n```", "print(1)"),
        ("Thought: x\n```python\nprint(1)\n```<end_code>", "print(1)"),
        ("print(1)", "print(1)"),
        ('{"thought": "x", "code": "print(1)"}', "print(1)"),
        ('{"thought": "x", "code": "<code>print(1)</code>"}', "print(1)"),
        # A program is never parsed: these are texts.
        ("<code>\n[1, 2]\n</code>", "[1, 2]"),
        ('<code>\n"a"\n</code>', '"a"'),
    ],
)
def test_a_step_that_gave_logs_ran_the_program_in_its_models_text(said: str, program: str) -> None:
    turn = explained(agent(), step(2, (1, 9)), model(3, said, at=(2, 3), parent=2))
    assert ends(turn) == [(None, program, "returned")]
    (script,) = turn.scripts
    assert (script.tool, script.argument, script.language, script.declared_by) == (
        "python_interpreter",
        None,
        "python",
        "catalogue",
    )
    (call,) = turn.calls
    assert (call.span_id, call.outcome, call.result_recorded, call.notes) == (None, "ran", True, ("in-text",))


def test_tags_of_the_agents_own_are_those_it_stops_at() -> None:
    request = STOPS.replace("</code>", "</run>")
    turn = explained(agent(), step(2, (1, 9)), model(3, "<run>1+1", at=(2, 3), parent=2, request=request))
    assert ends(turn) == [(None, "1+1", "returned")]


def test_a_program_that_raised_failed_by_its_step_and_not_by_its_words() -> None:
    turn = explained(agent(), raised(2, (1, 9), "AgentExecutionError"), model(3, "<code>1/0", at=(2, 3), parent=2))
    assert ends(turn) == [(None, "1/0", "outcome-unknown")]
    assert [(c.outcome, c.result_recorded) for c in turn.calls] == [("failed", False)]


@pytest.mark.parametrize("kind", ["AgentParsingError", "AgentGenerationError", "AgentError"])
def test_a_step_that_found_no_program_ran_none(kind: str) -> None:
    turn = explained(agent(), raised(2, (1, 9), kind), model(3, "<code>1/0", at=(2, 3), parent=2))
    assert (turn.calls, turn.scripts) == ((), ())


@pytest.mark.parametrize("output", [None, "45", "__REDACTED__", "Execution"])
def test_a_program_in_a_text_that_no_record_says_ran_is_a_text(output: str | None) -> None:
    turn = explained(agent(), step(2, (1, 9), output), model(3, "Use <code>print(1)</code>", at=(2, 3), parent=2))
    assert (turn.calls, turn.scripts) == ((), ())


def test_a_text_without_a_program_is_none_whatever_its_step_gave() -> None:
    turn = explained(agent(), step(2, (1, 9)), model(3, "no code at all", at=(2, 3), parent=2))
    assert (turn.calls, turn.scripts) == ((), ())


# -- what the next model call reads -----------------------------------------------------------------------------------


def test_the_next_model_call_tells_the_calls_id_and_its_result() -> None:
    spans = (
        agent(),
        step(2, (1, 9)),
        model(3, "<code>print(1)", at=(2, 3), parent=2),
        step(4, (10, 19)),
        model(
            5,
            "<code>print(2)",
            ("assistant", "<code>print(1)</code>"),
            ("tool-call", calling("print(1)")),
            ("tool-response", f"Observation:\n{LOGS}"),
            at=(11, 12),
            parent=4,
        ),
    )
    turn = explained(*spans)
    assert ends(turn) == [("call_1", "print(1)", "returned"), (None, "print(2)", "returned")]
    assert not any(s.rewritten for s in turn.scripts)
    assert (turn.question, turn.checks.unreachable) == ("q", ())


def test_without_the_step_the_next_model_call_says_that_it_ran_or_failed() -> None:
    read = [
        ("tool-call", calling("print(1)")),
        ("tool-response", f"Observation:\n{LOGS}"),
        ("tool-call", calling("1/0", "call_2")),
        ("tool-response", "Call id: call_2\nError:\ndivision by zero\nNow let's retry: ..."),
    ]
    turn = explained(
        agent(),
        model(3, "<code>print(1)", at=(2, 3), parent=1),
        model(4, "<code>1/0", *read[:2], at=(4, 5), parent=1),
        model(5, "done", *read, at=(6, 7), parent=1),
    )
    assert ends(turn) == [("call_1", "print(1)", "returned"), ("call_2", "1/0", "outcome-unknown")]
    assert [c.outcome for c in turn.calls] == ["ran", "failed"]


def test_a_program_that_was_read_again_without_a_result_is_only_submitted() -> None:
    turn = explained(
        agent(),
        model(3, "<code>print(1)", at=(2, 3), parent=1),
        model(4, "done", ("tool-call", calling("print(1)")), at=(4, 5), parent=1),
    )
    assert ends(turn) == [("call_1", "print(1)", "submitted")]
    assert [c.outcome for c in turn.calls] == ["unknown"]


def test_what_the_runtime_made_of_a_program_is_what_was_submitted() -> None:
    turn = explained(
        agent(),
        step(2, (1, 9)),
        model(3, "<code>final_answer = 1", at=(2, 3), parent=2),
        model(5, "done", ("tool-call", calling("final_answer_variable = 1")), at=(11, 12), parent=1),
    )
    assert [(s.text, s.rewritten) for s in turn.scripts] == [("final_answer_variable = 1", True)]


def test_another_program_in_the_next_input_is_the_one_that_ran() -> None:
    turn = explained(
        agent(),
        model(3, "Use <code>print(1)</code>", at=(2, 3), parent=1),
        model(5, "done", ("tool-call", calling("print(2)")), ("tool-response", "Observation:\n"), at=(4, 5), parent=1),
    )
    assert ends(turn) == [("call_1", "print(2)", "returned")]


def test_programs_of_earlier_turns_are_not_this_turns() -> None:
    before = [("tool-call", calling("print(0)")), ("tool-response", f"Observation:\n{LOGS}"), ("user", "New task:\nq2")]
    turn = explained(
        agent(),
        step(2, (1, 9)),
        model(3, "<code>print(0)", *before, at=(2, 3), parent=2),
        model(5, "done", *before, ("tool-call", calling("print(0)", "call_9")), at=(11, 12), parent=1),
    )
    assert ends(turn) == [("call_9", "print(0)", "returned")]


def test_a_program_is_found_again_where_the_input_was_cut_in_between() -> None:
    old = [("tool-call", calling("old()", "call_0")), ("tool-response", "Observation:\nx")]
    turn = explained(
        agent(),
        step(2, (1, 9)),
        model(3, "<code>print(1)", *old, at=(2, 3), parent=2),
        model(5, "done", ("tool-call", calling("print(1)", "call_7")), at=(11, 12), parent=1),
    )
    assert ends(turn) == [("call_7", "print(1)", "returned")]


# -- tool calls -------------------------------------------------------------------------------------------------------


def tool(number: int, name: str, output: str, at: tuple[float, float], **rest: Any) -> BuiltSpan:
    own = {"tool.name": name, "input.value": '{"args": [], "kwargs": {"q": "1"}}', "output.value": output}
    return oi(number, "TOOL", own, name="SimpleTool", at=at, parent=2, **rest)


def asks(number: int, *calls: tuple[str, str], at: tuple[float, float], parent: int = 2) -> BuiltSpan:
    attributes: dict[str, Any] = {"llm.output_messages.0.message.role": "assistant"}
    for index, (name, call_id) in enumerate(calls):
        base = f"llm.output_messages.0.message.tool_calls.{index}.tool_call"
        attributes |= {
            f"{base}.id": call_id,
            f"{base}.function.name": name,
            f"{base}.function.arguments": '{"q": "1"}',
        }
    return oi(number, "LLM", attributes, at=at, parent=parent)


def test_a_call_that_a_program_makes_is_a_call_beside_the_program() -> None:
    turn = explained(
        agent(), step(2, (1, 9)), model(3, "<code>search(q=1)", at=(2, 3), parent=2), tool(4, "search", "[]", (4, 5))
    )
    assert [(c.tool, c.span_id is None, c.emptiness) for c in turn.calls] == [
        ("python_interpreter", True, "unknown"),
        ("search", False, "undeclared-empty"),
    ]


def test_the_one_result_in_a_text_is_the_calls_and_results_run_together_are_no_ones() -> None:
    one = explained(
        agent(),
        step(2, (1, 9), "[1]"),
        asks(3, ("search", "c1"), at=(2, 3)),
        tool(4, "search", "shown otherwise", (4, 5)),
        model(6, "done", ("tool-call", calling({"q": "1"}, "c1", "search")), ("tool-response", "Observation:\n[1]"),
              at=(11, 12), parent=1),
    )  # fmt: skip
    assert [(c.call_id, c.emptiness, c.rows) for c in one.calls] == [("c1", "non-empty", 1)]
    both = "Calling tools:\n" + str(
        [{"id": c, "function": {"name": n, "arguments": {"q": "1"}}} for n, c in (("search", "c1"), ("find", "c2"))]
    )
    two = explained(
        agent(),
        step(2, (1, 9), "[]\n[]"),
        asks(3, ("search", "c1"), ("find", "c2"), at=(2, 3)),
        tool(4, "search", "[]", (4, 5)),
        tool(5, "find", "[1]", (5, 6)),
        model(6, "done", ("tool-call", both), ("tool-response", "Observation:\n[]\n[1]"), at=(11, 12), parent=1),
    )
    assert [(c.call_id, c.rows) for c in two.calls] == [("c1", 0), ("c2", 1)]


def test_the_error_of_a_call_that_is_not_repeated_names_its_tool() -> None:
    error = "Error:\nError executing tool 'search' with arguments {'q': '1'}: no\nNow let's retry: ..."
    failing = oi(4, "TOOL", {"tool.name": "search"}, at=(4, 5), parent=2, status="error")
    turn = explained(
        agent(),
        step(2, (1, 9), None),
        asks(3, ("search", "c1"), at=(2, 3)),
        failing,
        model(6, "done", ("tool-response", error), at=(11, 12), parent=1),
    )
    assert [(c.call_id, c.outcome, c.result_recorded) for c in turn.calls] == [("c1", "failed", True)]


# -- agents -----------------------------------------------------------------------------------------------------------


def test_an_agent_below_another_ones_step_is_a_turn_of_its_own() -> None:
    outer, inner = explain_spans(
        [
            agent(),
            step(2, (1, 50)),
            model(3, "<code>child('hi')", at=(2, 3), parent=2),
            agent(4, "child.run", parent=2, at=(4, 40)),
            step(5, (5, 30), parent=4),
            model(6, "<code>print(1)", at=(6, 7), parent=5),
        ]
    )
    assert (outer.agent, inner.agent, inner.nested_in) == ("analyst", "child", outer.span_id)
    assert [ends(turn) for turn in (outer, inner)] == [
        [(None, "child('hi')", "returned")],
        [(None, "print(1)", "returned")],
    ]
    assert inner.notes == ()


def test_an_agent_right_below_another_one_is_part_of_its_turn() -> None:
    (turn,) = explain_spans([agent(), agent(2, "child.run", parent=1, at=(1, 9))])
    assert turn.agent == "analyst"


@pytest.mark.parametrize(
    "request_text", ["", "{}", '"stop_sequences": [', '"stop_sequences": {}', '"stop_sequences": 1']
)
def test_a_request_that_names_no_stop_leaves_the_usual_tags(request_text: str) -> None:
    one = model(3, "<code>print(1)", at=(2, 3), request=request_text)
    (said,) = smolagents.model(one).output
    assert [r.arguments.value for r in said.requested] == ["print(1)"]
    (prose,) = smolagents.model(model(3, "print(1)", at=(2, 3), request=request_text)).output
    assert prose.requested == ()


def test_what_the_runtime_itself_asks_a_model_is_no_persons_question() -> None:
    plan = oi(
        2,
        "LLM",
        {
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.content": "Below I will present you a task.",
            "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.content": "1. <code>print(1)</code>",
        },
        at=(1, 2),
        parent=1,
    )
    turn = explained(oi(1, "AGENT", {"input.value": '{"task": "q"}'}, name="planner.run", at=(0, 9)), plan)
    assert (turn.question, turn.calls) == ("q", ())


def test_an_observation_of_a_call_without_a_span_says_that_the_call_ran() -> None:
    # A managed agent that another agent calls has a span of its own and no tool's.
    turn = explained(
        agent(),
        step(2, (1, 9), "child says"),
        asks(3, ("child", "m1"), at=(2, 3)),
        model(
            6,
            "done",
            ("tool-call", calling({"q": "1"}, "m1", "child")),
            ("tool-response", "Observation:\nchild says"),
            at=(11, 12),
            parent=1,
        ),
    )
    assert [(c.tool, c.outcome, c.result_recorded, c.notes) for c in turn.calls] == [
        ("child", "ran", True, ("in-messages",))
    ]


@pytest.mark.parametrize("printed", ["", "[", "nonsense", "[1, 2]", "{'id': 1}", "[{'id': 1, 'function': 2}]"])
def test_calls_that_are_printed_otherwise_are_no_calls_of_a_name(printed: str) -> None:
    facts = smolagents.model(model(3, "x", ("tool-call", f"Calling tools:\n{printed}"), at=(2, 3)))
    assert all(r.name is None for message in facts.input for r in message.requested)


def test_a_run_whose_model_call_has_no_span_is_told_by_the_last_ones_input() -> None:
    turn = explained(
        agent(),
        model(
            3,
            "done",
            ("tool-call", calling("old()", "call_1")),
            ("tool-response", "Observation:\nx"),
            ("user", "New task:\nq2"),
            ("tool-call", calling("print(1)", "call_2")),
            ("tool-response", f"Observation:\n{LOGS}"),
            ("tool-call", calling("print(2)", "call_3")),
            at=(2, 3),
            parent=1,
        ),
    )
    # The first is of an earlier turn, the last has no result.
    assert ends(turn) == [("call_2", "print(1)", "returned")]
    assert [s.iteration for s in turn.scripts] == [0]
    assert [c.notes for c in turn.calls] == [("in-text",)]
