"""Our own attributes: each one on its own, of the right type and of the wrong one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_footprint.dialects import Role, native, recognise
from otel_footprint.explanation import Explanation
from otel_footprint.facts import Turn
from otel_footprint.testing import (
    BuiltSpan,
    agent_span,
    assert_consistent,
    assert_evidence_resolves,
    explain_spans,
    model_span,
    span,
    tool_span,
)
from otel_footprint.turns import TurnAssembler

RUN = {"code_run.argument": "code", "code_run.program": "1"}


def explained(*spans: BuiltSpan) -> Explanation:
    (found,) = explain_spans(spans)
    assert_consistent(found)
    assert_evidence_resolves(found, spans)
    return found


def of_call(attributes: dict[str, Any], **rest: Any) -> Explanation:
    return explained(agent_span(1, at=(0, 9)), tool_span(2, "f", parent=1, at=(1, 2), attributes=attributes, **rest))


def turn_of(attributes: dict[str, Any], *inside: BuiltSpan, **rest: Any) -> Turn:
    assembler = TurnAssembler()
    for one in (agent_span(1, at=(0, 9), attributes=attributes, **rest), *inside):
        assembler.add(one, 0.0)
    (turn,) = assembler.close(0.0).turns
    return turn


# -- spans that speak no other convention -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attributes", "role"),
    [
        ({"code_run.argument": "code"}, Role.TOOL),
        ({"coverage.kind": "absence"}, Role.TOOL),
        ({"footprint.question": "q"}, Role.AGENT),
        ({"footprint.turn": 1}, Role.AGENT),
        ({"footprint.answer": "a"}, Role.AGENT),
        ({"footprint.summary": "written by us"}, None),
        ({"code_run.exit_code": 0}, None),
    ],
    ids=str,
)
def test_our_attributes_alone_tell_what_a_span_is(attributes: dict[str, Any], role: Role | None) -> None:
    assert recognise(span(1, attributes=attributes)) == ((native.DIALECT, role) if role is not None else (None, None))


def test_a_turn_in_our_attributes_alone_is_explained() -> None:
    found = explained(
        span(1, at=(0, 9), attributes={"footprint.question": "q", "footprint.answer": "a", "gen_ai.agent.name": "n"}),
        span(2, parent=1, at=(1, 2), name="execute_tool python", attributes={**RUN, "code_run.exit_code": 0}),
    )
    assert (found.agent, found.question, found.answer, found.finished) == ("n", "q", "a", True)
    assert [(s.text, s.exit_code, s.declared_by, s.tool) for s in found.scripts] == [("1", 0, "span", "python")]


# -- on a tool's span: programs -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        (RUN, {"outcome": "returned", "text": "1", "declared_by": "span", "argument": "code"}),
        ({**RUN, "code_run.language": "python"}, {"language": "python"}),
        ({**RUN, "code_run.exit_code": 0}, {"outcome": "completed", "exit_code": 0, "exit_code_from": "attribute"}),
        ({**RUN, "code_run.exit_code": -9}, {"outcome": "completed-with-failure", "exit_code": -9}),
        ({**RUN, "code_run.exit_code": 2.0}, {"outcome": "completed-with-failure", "exit_code": 2}),
        ({**RUN, "process.exit.code": 3}, {"outcome": "completed-with-failure", "exit_code": 3}),
        ({**RUN, "process.exit.code": 3, "code_run.exit_code": 0}, {"outcome": "completed", "exit_code": 0}),
        ({**RUN, "code_run.ok": True}, {"outcome": "reported-success", "exit_code": None}),
        ({**RUN, "code_run.ok": False}, {"outcome": "reported-failure"}),
        ({**RUN, "code_run.service_error": True}, {"outcome": "outcome-unknown", "service_error": True}),
        ({**RUN, "code_run.settlement": "threw"}, {"outcome": "outcome-unknown", "service_error": False}),
        ({**RUN, "code_run.settlement": "not-entered"}, {"outcome": "submitted", "text": "1"}),
        ({**RUN, "code_run.paused": True, "code_run.exit_code": 0}, {"outcome": "submitted", "text": None}),
        ({**RUN, "code_run.result_withheld": "over-ceiling"}, {"result_withheld": "over-ceiling"}),
        ({**RUN, "code_run.proposed": "1"}, {"rewritten": False}),
        ({**RUN, "code_run.proposed": "2"}, {"rewritten": True, "text": "1"}),
        ({"code_run.argument": "code", "code_run.proposed": "2"}, {"rewritten": False, "text": "2"}),
        ({"code_run.argument": "code", "code_run.program": ""}, {"text": "", "bytes": 0, "lines": 0}),
        ({"code_run.argument": "code"}, {"text": None, "bytes": None, "program": "absent"}),
    ],
    ids=str,
)
def test_each_attribute_of_a_program_is_read(attributes: dict[str, Any], expected: dict[str, Any]) -> None:
    (script,) = of_call(attributes).to_dict(programs=True)["scripts"]
    assert {key: script[key] for key in expected} == expected


def test_a_settlement_of_the_runtime_overrides_the_spans_status() -> None:
    found = of_call({**RUN, "code_run.settlement": "returned"}, status="error")
    assert [s.outcome for s in found.scripts] == ["returned"]
    assert found.calls[0].outcome == "failed"


def test_the_declared_argument_is_looked_up_in_the_arguments() -> None:
    found = of_call({"code_run.argument": "script"}, arguments={"script": "ls", "code": "x"})
    assert [(s.text, s.argument) for s in found.scripts] == [("ls", "script")]


def test_the_program_as_it_was_handed_over_wins_over_the_arguments() -> None:
    found = of_call({"code_run.argument": "script", "code_run.program": "ls -a"}, arguments={"script": "ls"})
    assert [s.text for s in found.scripts] == ["ls -a"]


def test_a_known_tool_may_say_what_was_handed_over_without_declaring_itself() -> None:
    call = tool_span(
        2, "run_python", parent=1, arguments={"code": "1"}, attributes={"code_run.program": "2"}, at=(1, 2)
    )
    found = explained(agent_span(1, at=(0, 9)), call)
    assert [(s.text, s.declared_by) for s in found.scripts] == [("2", "catalogue")]


@pytest.mark.parametrize("program", [7, None, ["a"], True, b"print(1)", {"a": 1}], ids=repr)
def test_a_program_that_is_no_text_files_no_row(program: Any) -> None:
    found = of_call({"code_run.argument": "code", "code_run.program": program, "code_run.proposed": "1"})
    assert found.scripts == ()
    assert unreadable_of({"code_run.argument": "code", "code_run.program": program}) == 1


# -- on a tool's span: what came back -----------------------------------------------------------------------------

CHECKED = {"coverage.checked": '["mail"]'}


@pytest.mark.parametrize(
    "items",
    [
        ["mail", "files"],
        ("mail", "files"),
        [{"what": "mail"}, {"what": "files"}],
        '["mail", "files"]',
        '[{"what": "mail"}, "files"]',
    ],
    ids=str,
)
def test_an_item_list_is_read_in_each_form(items: Any) -> None:
    read = native.native_tool(span(1, attributes={"coverage.kind": "absence", "coverage.checked": items}))
    ((statement,), unreadable) = (read.coverage, read.unreadable)
    assert [item.what for item in statement.items] == ["mail", "files"]
    assert (statement.statement, unreadable) == ("absence", ())


def test_an_absence_says_what_was_looked_for_and_where_to_go_instead() -> None:
    (statement,) = native.native_tool(
        span(
            1,
            attributes={
                "coverage.kind": "absence",
                **CHECKED,
                "coverage.looked_for": "invoices",
                "coverage.try_instead": "ask accounting",
                "coverage.try_instead_tool": "search_files",
            },
        )
    ).coverage
    assert (statement.looked_for, statement.try_instead, statement.try_instead_tool) == (
        "invoices",
        "ask accounting",
        "search_files",
    )
    assert statement.pointer == "0000000000000001#attribute:coverage.kind"


def test_a_declared_absence_makes_an_empty_result_no_signal() -> None:
    found = of_call({"coverage.kind": "absence", **CHECKED}, result="[]")
    assert [c.emptiness for c in found.calls] == ["declared-absent"]
    assert (found.signals, found.summary.tone) == ((), "ok")


def test_a_ledger_makes_an_empty_result_a_declared_one_and_its_gaps_signals() -> None:
    gap = {"what": "attachments", "kind": "existence"}
    found = of_call({"coverage.kind": "ledger", "coverage.not_checked": json.dumps([gap])}, result="[]")
    assert [c.emptiness for c in found.calls] == ["declared-absent"]
    assert [(s.id, s.evidence) for s in found.signals] == [
        ("existence-not-checked", ("0000000000000002#attribute:coverage.kind",))
    ]


def test_further_statements_stand_in_events() -> None:
    found = native.native_tool(
        span(
            1,
            attributes={"coverage.kind": "ledger", **CHECKED},
            events=[
                ("log", {"coverage.kind": "absence"}),
                ("coverage.declared", {"coverage.kind": "absence", **CHECKED}),
                ("coverage.declared", {"coverage.kind": "ledger"}),
            ],
        )
    )
    assert [(c.statement, c.pointer) for c in found.coverage] == [
        ("ledger", "0000000000000001#attribute:coverage.kind"),
        ("absence", "0000000000000001#event:1/coverage.kind"),
    ]
    assert found.unreadable == ("coverage.kind",)


@pytest.mark.parametrize(
    "attributes",
    [
        {"coverage.kind": "absence"},
        {"coverage.kind": "absence", "coverage.checked": "[]"},
        {"coverage.kind": "absence", "coverage.not_checked": '["x"]'},
        {"coverage.kind": "ledger"},
        {"coverage.kind": "other", **CHECKED},
        {"coverage.kind": 7, **CHECKED},
        {"coverage.kind": ["absence"], **CHECKED},
    ],
    ids=str,
)
def test_a_statement_that_says_nothing_is_unreadable_and_none(attributes: dict[str, Any]) -> None:
    found = native.native_tool(span(1, attributes=attributes))
    assert (found.coverage, found.unreadable) == ((), ("coverage.kind",))


@pytest.mark.parametrize(
    ("rows", "emptiness"), [(0, "undeclared-empty"), (3, "non-empty"), (10**30, "non-empty")], ids=str
)
def test_a_row_count_stands_for_a_result_that_is_not_recorded(rows: int, emptiness: str) -> None:
    found = of_call({"coverage.rows": rows})
    assert [(c.rows, c.emptiness, c.result_recorded) for c in found.calls] == [(rows, emptiness, False)]


def test_no_rows_under_a_declaration_are_declared() -> None:
    assert of_call({"coverage.rows": 0, "coverage.kind": "ledger", **CHECKED}).calls[0].emptiness == "declared-absent"
    assert of_call({"coverage.rows": 2, "coverage.kind": "ledger", **CHECKED}).calls[0].emptiness == "non-empty"


def test_a_recorded_result_wins_over_a_row_count() -> None:
    assert of_call({"coverage.rows": 5}, result="[]").calls[0].rows == 0


def test_the_key_of_the_rows_is_read() -> None:
    found = of_call({"coverage.rows_at": "hits"}, result={"hits": [], "total": 0})
    assert [(c.emptiness, c.rows) for c in found.calls] == [("undeclared-empty", 0)]


# -- on a tool's span: how it ended -------------------------------------------------------------------------------


@pytest.mark.parametrize("outcome", ["ran", "failed", "refused", "declined", "not-dispatched"])
@pytest.mark.parametrize("status", ["unset", "error"])
def test_the_outcome_of_the_runtime_overrides_the_status(outcome: str, status: Any) -> None:
    found = of_call({**RUN, "footprint.call.outcome": outcome}, status=status)
    assert [c.outcome for c in found.calls] == [outcome]
    entered = {"ran": "returned", "failed": "outcome-unknown"}
    assert [s.outcome for s in found.scripts] == [entered.get(outcome, "submitted")]
    assert "0000000000000002#attribute:footprint.call.outcome" in found.scripts[0].evidence


def test_a_rule_is_named() -> None:
    attributes = {
        "footprint.call.outcome": "refused",
        "footprint.call.refused_by": "r",
        "footprint.call.withheld_by": "w",
    }
    (call,) = turn_of({}, tool_span(2, "f", parent=1, attributes=attributes)).calls
    assert (call.refused_by, call.withheld_by) == ("r", "w")


def test_a_withheld_result_is_counted_and_not_judged() -> None:
    found = of_call({"footprint.call.withheld_by": "w"}, result="[]")
    assert (found.counts.withheld, found.signals) == (1, ())


def test_a_presentation_is_not_judged() -> None:
    assert of_call({"footprint.presentation": True}, result="[]").signals == ()
    assert len(of_call({"footprint.presentation": False}, result="[]").signals) == 1


# -- wrong types --------------------------------------------------------------------------------------------------

WRONG: list[tuple[str, Any]] = [
    *(("code_run.argument", value) for value in (7, None, ["code"], b"code")),
    *(("code_run.proposed", value) for value in (7, b"1")),
    *(("code_run.language", value) for value in (7, ["python"])),
    *(("code_run.exit_code", value) for value in ("0", True, 1.5, float("nan"), float("inf"), None, [0])),
    *(("code_run.ok", value) for value in ("true", 1, None)),
    *(("code_run.service_error", value) for value in ("true", 1)),
    *(("code_run.settlement", value) for value in ("RETURNED", "", 7, ["threw"])),
    *(("code_run.paused", value) for value in ("true", 1)),
    *(("code_run.result_withheld", value) for value in (True, "other")),
    *(("coverage.rows", value) for value in (-1, "0", True, 1.0, None)),
    *(("coverage.rows_at", value) for value in ("", "a/b", "a.b", 7)),
    *(("footprint.call.outcome", value) for value in ("unknown", "RAN", 7)),
    *(("footprint.call.refused_by", value) for value in (7, None)),
    *(("footprint.call.withheld_by", value) for value in (7, True)),
    *(("footprint.presentation", value) for value in ("true", 1)),
]


def unreadable_of(attributes: dict[str, Any]) -> int:
    return turn_of({}, tool_span(2, "f", parent=1, at=(1, 2), attributes=attributes)).unreadable


@pytest.mark.parametrize(("key", "value"), WRONG, ids=lambda value: repr(value)[:40])
def test_a_value_of_the_wrong_type_is_counted_and_costs_nothing_else(key: str, value: Any) -> None:
    base = {**RUN, "coverage.kind": "ledger", **CHECKED}
    right = of_call({k: v for k, v in base.items() if k != key}, result="[]").to_dict(programs=True)
    wrong = of_call({**base, key: value}, result="[]").to_dict(programs=True)
    assert unreadable_of({**base, key: value}) == 1
    assert (wrong["calls"], wrong["scripts"]) == (right["calls"], right["scripts"])
    assert [line["about"] for line in wrong["unreached"] if line["check"] == "record"] != []
    assert wrong["summary"]["tone"] != "ok"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("coverage.looked_for", 7),
        ("coverage.looked_for", " "),
        ("coverage.try_instead", []),
        ("coverage.try_instead_tool", {}),
    ],
    ids=str,
)
def test_a_sentence_of_the_wrong_type_costs_only_itself(key: str, value: Any) -> None:
    found = native.native_tool(span(1, attributes={"coverage.kind": "absence", **CHECKED, key: value}))
    assert (len(found.coverage), found.unreadable) == (1, (key,))


@pytest.mark.parametrize("items", [7, "no json", '{"what": "x"}', [7], [{"why": "x"}], [{"what": " "}]], ids=str)
def test_an_item_that_is_none_is_counted_and_costs_only_itself(items: Any) -> None:
    found = native.native_tool(
        span(1, attributes={"coverage.kind": "ledger", **CHECKED, "coverage.not_checked": items})
    )
    assert [item.what for item in found.coverage[0].items] == ["mail"]
    assert found.unreadable == ("coverage.not_checked",)


# -- on a turn's span ---------------------------------------------------------------------------------------------


def test_each_attribute_of_a_turn_is_read() -> None:
    turn = turn_of(
        {
            "footprint.turn": 3,
            "footprint.question": "q",
            "footprint.answer": "a",
            "footprint.resumed": True,
            "footprint.window": True,
            "footprint.redaction.policy": "p",
        }
    )
    assert (turn.turn, turn.question.value, turn.answer.value) == (3, "q", "a")
    assert (turn.resumed, turn.windowed, turn.redaction, turn.unreadable) == (True, True, "p", 0)


def test_our_question_and_answer_win_over_what_other_spans_record() -> None:
    said = model_span(2, parent=1, at=(1, 2), read=[{"role": "user", "parts": [{"type": "text", "content": "other"}]}])
    assert turn_of({"footprint.question": "q"}, said).question.value == "q"


def test_a_policy_may_stand_on_the_resource() -> None:
    assert turn_of({}, resource={"footprint.redaction.policy": "p"}).redaction == "p"
    assert turn_of({"footprint.redaction.policy": 7}, resource={"footprint.redaction.policy": "p"}).redaction == "p"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("footprint.turn", value) for value in (0, -1, "1", True, 1.0, None)),
        *(("footprint.question", value) for value in (7, None, b"q", ["q"])),
        *(("footprint.answer", value) for value in (7, None, b"a")),
        *(("footprint.resumed", value) for value in ("true", 1)),
        *(("footprint.window", value) for value in ("true", 1)),
        ("footprint.redaction.policy", 7),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_a_value_of_the_wrong_type_on_a_turn_is_counted(key: str, value: Any) -> None:
    turn = turn_of({key: value})
    assert turn.unreadable == 1
    assert (turn.turn, turn.resumed, turn.windowed, turn.redaction) == (None, False, False, None)
    assert not turn.question.recorded
    assert not turn.answer.recorded


# -- on the resource ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("emits", "words"),
    [
        (["coverage", "routing"], ["coverage", "routing"]),
        (("coverage",), ["coverage"]),
        ("coverage", ["coverage"]),
        (["coverage", 7, None], ["coverage"]),
        (7, []),
        (None, []),
        ({"coverage": True}, []),
    ],
    ids=str,
)
def test_what_a_runtime_records_is_read_from_its_resource(emits: Any, words: list[str]) -> None:
    assert native.emits(span(1, resource={"footprint.emits": emits})) == set(words)


def test_where_coverage_is_recorded_no_statement_means_that_none_was_made() -> None:
    envelope = {"af_absent": True, "checked": ["mail"]}
    resource = {"footprint.emits": ["coverage"]}
    assert of_call({}, result=envelope).calls[0].emptiness == "declared-absent"
    assert of_call({}, result=envelope, resource=resource).calls[0].emptiness == "unknown"


def test_where_routing_is_recorded_no_event_means_that_nothing_was_routed() -> None:
    found = explained(agent_span(1, at=(0, 9), resource={"footprint.emits": ["routing"]}))
    assert "decided-delivered" in found.checks.not_applicable
