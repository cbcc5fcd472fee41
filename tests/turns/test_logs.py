"""Which span a log record joins, what is left out, and what is kept while it waits."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from records import record

from otel_footprint.config import Config
from otel_footprint.facts import Turn
from otel_footprint.logview import LogView
from otel_footprint.spanview import SpanView
from otel_footprint.testing import BuiltSpan, agent_span, model_span, span
from otel_footprint.turns import LATE_SETTLE_SECONDS, LINGER_SECONDS, TurnAssembler

DETAILS = "gen_ai.client.inference.operation.details"


def codex(number: int, name: str, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    return span(number, scope="codex_exec", name=name, attributes=attributes, **rest)


def command(number: int, call_id: str, at: tuple[float, float], **rest: Any) -> BuiltSpan:
    return codex(number, "exec_command", {"tool_name": "exec_command", "call_id": call_id}, parent=1, at=at, **rest)


def result(call_id: str | None, code: int, at: float, **rest: Any) -> LogView:
    values = {
        "call_id": call_id,
        "tool_name": "exec_command",
        "conversation.id": "c",
        "output": f"Process exited with code {code}",
        "arguments": json.dumps({"cmd": f"exit {code}"}),
        "success": "true",
        "duration_ms": "1000",
    }
    return record("codex.tool_result", values, at=at, **rest)


TURN = codex(1, "session_task.turn", {"conversation.id": "c"}, at=(0, 100))


def read(spans: Iterable[SpanView], logs: Iterable[LogView]) -> tuple[Turn, TurnAssembler]:
    assembler = TurnAssembler()
    for told in logs:
        assembler.add_log(told, 0.0)
    for one in spans:
        assembler.add(one, 0.0)
    (turn,) = assembler.close(0.0).turns
    return turn, assembler


def exits(turn: Turn) -> list[tuple[str | None, str | None, Any]]:
    return [(c.span_id, c.call_id, c.code_run.exit_code if c.code_run is not None else None) for c in turn.calls]


def hexed(number: int) -> str:
    return format(number, "016x")


# -- calls --------------------------------------------------------------------------------------------------------


def test_a_record_joins_the_call_that_it_names_wherever_it_was_emitted() -> None:
    turn, _ = read([TURN, command(2, "c1", (1, 3)), command(3, "c2", (1, 3))], [result("c2", 2, 2, span=77)])
    assert exits(turn) == [(hexed(2), "c1", None), (hexed(3), "c2", 2)]


def test_an_id_that_was_used_again_is_told_by_the_span_that_the_record_was_emitted_in() -> None:
    inner = codex(9, "dispatch", {}, parent=3, at=(4, 6))
    turn, _ = read(
        [TURN, command(2, "c1", (1, 9)), command(3, "c1", (4, 6)), inner],
        [result("c1", 2, 5, span=9)],
    )
    assert exits(turn) == [(hexed(2), "c1", None), (hexed(3), "c1", 2)]


def test_an_id_that_was_used_again_is_told_by_the_time_else() -> None:
    turn, _ = read([TURN, command(2, "c1", (1, 3)), command(3, "c1", (4, 6))], [result("c1", 2, 5)])
    assert exits(turn) == [(hexed(2), "c1", None), (hexed(3), "c1", 2)]


def test_of_two_calls_that_fit_neither_is_picked_and_the_turn_says_so() -> None:
    turn, assembler = read([TURN, command(2, "c1", (1, 5)), command(3, "c1", (1, 5))], [result("c1", 2, 3)])
    assert exits(turn) == [(hexed(2), "c1", None), (hexed(3), "c1", None)]
    assert "logs-ambiguous" in turn.notes
    assert assembler.statistics().logs.unmatched == 1


def test_a_record_of_another_trace_with_the_same_call_id_is_another_call() -> None:
    turn, assembler = read([TURN, command(2, "c1", (1, 3))], [result("c1", 2, 2, span=5, trace=9)])
    assert exits(turn)[0] == (hexed(2), "c1", 2)  # of this conversation, in a trace that has no such call
    other = record("codex.tool_result", {"call_id": "c1", "conversation.id": "d", "output": "x"}, span=5, trace=9, at=2)
    turn, assembler = read([TURN, command(2, "c1", (1, 3))], [other])
    assert exits(turn) == [(hexed(2), "c1", None)]
    assert assembler.statistics().logs.unmatched == 1


@pytest.mark.parametrize("trace", [None, 1, 2])
def test_an_id_that_another_turn_of_the_conversation_used_is_told_apart(trace: int | None) -> None:
    assembler = TurnAssembler()
    assembler.add_log(result("c1", 2, 12, span=None if trace is None else 2, trace=trace), 0.0)
    for number in (1, 2):
        at = 10 * number
        assembler.add(codex(1, "session_task.turn", {"conversation.id": "c"}, trace=number, at=(at - 9, at - 1)), 0.0)
        assembler.add(command(2, "c1", (at - 8, at - 6), trace=number), 0.0)
    first, second = assembler.close(0.0).turns
    # The record's trace says more than its clock.
    assert exits(first) == [(hexed(2), "c1", 2 if trace == 1 else None)]
    assert exits(second) == [(hexed(2), "c1", None if trace == 1 else 2)]


def test_a_record_that_is_the_call_by_itself_is_one_where_no_span_is() -> None:
    turn, _ = read([TURN, command(2, "c1", (1, 3))], [result("c2", 2, 50)])
    assert exits(turn) == [(hexed(2), "c1", None), (None, "c2", 2)]
    call = turn.calls[1]
    assert (call.start_ns, call.end_ns, call.outcome, call.notes) == (
        49_000_000_000,
        50_000_000_000,
        "ran",
        ("from-log",),
    )


@pytest.mark.parametrize("at", [-50, 500])
def test_a_record_outside_a_turns_time_is_none_of_its_calls(at: float) -> None:
    turn, assembler = read([TURN], [result("c2", 2, at)])
    assert turn.calls == ()
    assert assembler.statistics().logs.unmatched == 1


def test_a_record_of_a_runtime_that_does_not_document_it_as_the_call_is_never_one() -> None:
    turn = span(
        1, scope="com.anthropic.claude_code", attributes={"span.type": "interaction", "session.id": "c"}, at=(0, 9)
    )
    values = {"session.id": "c", "tool_use_id": "t1", "tool_name": "Bash", "success": "true", "tool_input": "{}"}
    read_turn, assembler = read([turn], [record("claude_code.tool_result", values, span=1, at=3)])
    assert read_turn.calls == ()
    assert assembler.statistics().logs.unmatched == 1


def test_the_id_may_be_on_any_span_of_the_call() -> None:
    def claude(number: int, kind: str, attributes: dict[str, Any], **rest: Any) -> BuiltSpan:
        return span(number, scope="com.anthropic.claude_code", attributes={"span.type": kind, **attributes}, **rest)

    spans = [
        claude(1, "interaction", {"session.id": "c"}, at=(0, 9)),
        claude(2, "tool", {"tool_name": "Bash"}, parent=1, at=(1, 4)),
        claude(3, "tool.execution", {"tool_use_id": "t1", "success": True}, parent=2, at=(2, 3)),
    ]
    values = {"session.id": "c", "tool_use_id": "t1", "success": "true", "tool_input": '{"command": "ls"}'}
    turn, _ = read(spans, [record("claude_code.tool_result", values, span=1, at=3)])
    assert [c.code_run.submitted.value for c in turn.calls if c.code_run is not None] == ["ls"]


def test_a_failure_that_only_the_record_tells_is_the_calls() -> None:
    failed = record("codex.tool_result", {"call_id": "c1", "success": "false", "output": "no such tool"}, span=5, at=2)
    turn, _ = read([TURN, command(2, "c1", (1, 3))], [failed])
    assert [(c.outcome, c.outcome_pointer) for c in turn.calls] == [
        ("failed", f"{hexed(2)}#log:codex.tool_result@2000000000/success")
    ]


def scheduled(*calls: BuiltSpan) -> list[SpanView]:
    around = {"gen_ai.operation.name": "schedule_tool_calls", "gen_ai.conversation.id": "s"}
    return [span(1, scope="gemini-cli", attributes=around, at=(0, 9)), *calls]


def gemini(number: int, tool: str, at: tuple[float, float], args: Any = None) -> BuiltSpan:
    values = {
        "gen_ai.operation.name": "tool_call",
        "gen_ai.conversation.id": "s",
        "gen_ai.tool.name": tool,
        "gen_ai.tool.call_id": f"{tool}__{number}",
    }
    if args is not None:
        values["gen_ai.input.messages"] = json.dumps({"args": args})
    return span(number, scope="gemini-cli", parent=1, attributes=values, at=at)


def ended(tool: str, code: int, args: Any) -> LogView:
    values = {
        "function_name": tool,
        "function_args": json.dumps(args),
        "metadata": json.dumps({"exitCode": code}),
        "session.id": "s",
        "success": True,
    }
    return record("gemini_cli.tool_call", values, span=1, at=8)


def test_a_record_without_an_id_joins_the_one_call_of_its_tool_inside_its_span() -> None:
    turn, _ = read(
        scheduled(gemini(2, "run_shell_command", (1, 3)), gemini(3, "glob", (1, 3))),
        [ended("run_shell_command", 2, {"command": "ls"})],
    )
    assert [c.code_run.exit_code for c in turn.calls if c.code_run is not None] == [2]


def test_records_without_ids_of_calls_of_one_tool_are_told_apart_by_their_arguments() -> None:
    turn, _ = read(
        scheduled(
            gemini(2, "run_shell_command", (1, 3), {"command": "a"}),
            gemini(3, "run_shell_command", (1, 3), {"command": "b"}),
        ),
        [ended("run_shell_command", 2, {"command": "b"}), ended("run_shell_command", 1, {"command": "a"})],
    )
    assert [c.code_run.exit_code for c in turn.calls if c.code_run is not None] == [1, 2]


def test_records_without_ids_of_calls_without_arguments_are_not_told_apart() -> None:
    turn, _ = read(
        scheduled(gemini(2, "run_shell_command", (1, 3)), gemini(3, "run_shell_command", (1, 3))),
        [ended("run_shell_command", 2, {"command": "b"}), ended("run_shell_command", 1, {"command": "a"})],
    )
    assert [c.code_run.exit_code for c in turn.calls if c.code_run is not None] == [None, None]
    assert "logs-ambiguous" in turn.notes


# -- model calls and messages -------------------------------------------------------------------------------------


def said(text: str, **rest: Any) -> LogView:
    values = {"gen_ai.output.messages": [{"role": "assistant", "parts": [{"type": "text", "content": text}]}]}
    return record(DETAILS, {**values, **rest.pop("more", {})}, **rest)


def test_a_record_joins_the_model_call_that_it_was_emitted_in() -> None:
    spans = [agent_span(1, at=(0, 9)), model_span(2, parent=1, at=(1, 3)), model_span(3, parent=1, at=(4, 6))]
    turn, _ = read(spans, [said("last", span=3, at=99), said("first", span=2, at=99)])
    assert turn.answer.value == "last"


def test_a_record_of_the_agents_span_joins_the_model_call_of_its_time() -> None:
    spans = [agent_span(1, at=(0, 9)), model_span(2, parent=1, at=(1, 3)), model_span(3, parent=1, at=(4, 6))]
    turn, _ = read(spans, [said("first", span=1, at=2), said("last", span=1, at=6)])
    assert turn.answer.value == "last"


def test_a_record_of_a_time_with_two_model_calls_joins_neither() -> None:
    spans = [agent_span(1, at=(0, 9)), model_span(2, parent=1, at=(1, 5)), model_span(3, parent=1, at=(4, 6))]
    turn, _ = read(spans, [said("which", span=1, at=4.5)])
    assert turn.answer.state == "absent"
    assert "logs-ambiguous" in turn.notes


def test_the_requests_id_tells_model_calls_of_one_time_apart() -> None:
    spans = [
        agent_span(1, at=(0, 9)),
        model_span(2, parent=1, at=(1, 5), attributes={"gen_ai.response.id": "a"}),
        model_span(3, parent=1, at=(4, 6), attributes={"gen_ai.response.id": "b"}),
    ]
    turn, _ = read(spans, [said("b", span=1, at=4.5, more={"gen_ai.response.id": "b"})])
    assert turn.answer.value == "b"


def test_a_record_that_names_a_span_that_did_not_come_is_no_other_model_calls() -> None:
    spans = [agent_span(1, at=(0, 9)), model_span(2, parent=1, at=(1, 5))]
    turn, assembler = read(spans, [said("other", span=50, at=2)])
    assert turn.answer.state == "absent"
    assert assembler.statistics().logs.unmatched == 1


def test_what_the_span_holds_counts_before_the_record() -> None:
    own = [{"role": "assistant", "parts": [{"type": "text", "content": "own"}]}]
    spans = [agent_span(1, at=(0, 9)), model_span(2, parent=1, at=(1, 5), said=own)]
    turn, _ = read(spans, [said("other", span=2, at=2)])
    assert turn.answer.value == "own"


def prompt(text: str, at: float, **rest: Any) -> LogView:
    return record("codex.user_prompt", {"prompt": text, "conversation.id": "c"}, at=at, **rest)


@pytest.mark.parametrize(
    ("one", "question"),
    [
        (prompt("Add.", 3, span=1), "Add."),
        (prompt("Add.", -2), "Add."),
        (prompt("Add.", 3, span=77), "Add."),
        (prompt("Add.", -60), None),
        (prompt("Add.", 300), None),
        (prompt("[REDACTED]", 3, span=1), None),
    ],
    ids=["its-span", "before-it", "a-span-that-did-not-come", "long-before", "after", "kept-out"],
)
def test_a_message_is_the_turns_that_answers_it(one: LogView, question: str | None) -> None:
    turn, _ = read([TURN], [one])
    assert turn.question.value == question


def test_each_turn_of_a_conversation_has_its_own_message() -> None:
    assembler = TurnAssembler()
    for number, text in enumerate(["first", "second"]):
        assembler.add_log(prompt(text, 10 * number), 0.0)
        turn = codex(
            1, "session_task.turn", {"conversation.id": "c"}, trace=number + 1, at=(10 * number + 1, 10 * number + 9)
        )
        assembler.add(turn, 0.0)
    assert [turn.question.value for turn in assembler.close(0.0).turns] == ["first", "second"]


# -- waiting ------------------------------------------------------------------------------------------------------


def test_a_record_that_comes_late_is_in_the_turns_one_addendum() -> None:
    assembler = TurnAssembler()
    for one in (command(2, "c1", (1, 3)), TURN):
        assembler.add(one, 0.0)
    (first,) = assembler.collect(0.0).turns
    assert exits(first) == [(hexed(2), "c1", None)]
    assembler.add_log(result("c1", 2, 2, span=2), 1.0)
    (again,) = assembler.collect(1.0 + LATE_SETTLE_SECONDS).turns
    assert (exits(again), again.revision) == ([(hexed(2), "c1", 2)], 2)


def test_a_record_after_its_trace_is_forgotten_is_counted() -> None:
    assembler = TurnAssembler(Config(idle_seconds=60))
    assembler.add(TURN, 0.0)
    assembler.collect(0.0)
    assembler.collect(LINGER_SECONDS + 1)
    assembler.add_log(result("c1", 2, 2, span=2), LINGER_SECONDS + 2)
    assert assembler.statistics().logs.held == 1
    assembler.collect(LINGER_SECONDS + 70)
    counts = assembler.statistics().logs
    assert (counts.held, counts.evicted, counts.bytes) == (0, 1, 0)


def test_records_take_their_share_of_the_room_and_no_more() -> None:
    assembler = TurnAssembler(Config(max_bytes=40_000))
    for number in range(100):
        assembler.add_log(result(f"c{number}", 1, number), 0.0)
    counts = assembler.statistics().logs
    assert counts.bytes <= 10_000
    assert counts.held + counts.evicted == 100
    assembler.add(TURN, 0.0)
    assert len(assembler.close(0.0).turns[0].calls) == counts.held


def test_a_copy_of_a_record_is_counted_once_even_after_a_turn_took_it() -> None:
    assembler = TurnAssembler()
    one = result("c9", 2, 50)
    assert assembler.add_log(one, 0.0)
    assert not assembler.add_log(one, 0.0)
    assembler.add(TURN, 0.0)
    (turn,) = assembler.collect(0.0).turns
    assert len(turn.calls) == 1
    assembler.collect(LINGER_SECONDS + 1)
    assembler.add_log(one, LINGER_SECONDS + 2)
    counts = assembler.statistics().logs
    assert (counts.taken, counts.joined, counts.duplicates) == (1, 1, 2)


def test_records_of_no_call_or_turn_are_counted_and_not_kept() -> None:
    assembler = TurnAssembler()
    assert not assembler.add_log(record("app.event"), 0.0)
    counts = assembler.statistics().logs
    assert (counts.other, counts.held, counts.taken) == (1, 0, 0)
