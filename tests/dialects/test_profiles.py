"""Runtimes that speak a convention of others in a way of their own, on spans built as their real ones are."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cases import turn_of
from dumps import dump

from otel_footprint.dialects import Role, enable_for, openinference_adk, recognise, runtime_of
from otel_footprint.explanation import Explanation
from otel_footprint.testing import BuiltSpan, agent_span, explain_spans, span, tool_span

JSON = {"input.mime_type": "application/json", "output.mime_type": "application/json"}
PREFIX = "openinference.instrumentation."
FOUR = [("run_python", "ran"), ("run_shell", "ran"), ("search_docs", "ran"), ("run_python", "failed")]
PROGRAMS = [("print(sum(range(10)))", None), ("ls /nope", 2), ("1/0", None)]


def oi(number: int, kind: str, attributes: dict[str, Any] | None = None, **rest: Any) -> BuiltSpan:
    return span(number, attributes={"openinference.span.kind": kind, **(attributes or {})}, **rest)


def called(scope: str, tool: str, arguments: Any, result: Any, **rest: Any) -> Explanation:
    """The turn of one call, its result recorded as it is."""
    text = result if isinstance(result, str) else json.dumps(result)
    own = {"tool.name": tool, "input.value": json.dumps(arguments), "output.value": text, **JSON}
    own.update(rest.pop("attributes", {}))
    return turn_of(oi(1, "AGENT", at=(0, 9), scope=scope), oi(2, "TOOL", own, parent=1, at=(1, 2), scope=scope, **rest))


# -- LlamaIndex ---------------------------------------------------------------------------------------------------

LLAMA = PREFIX + "llama_index"


def llama(tool: str, raw: Any, **more: Any) -> dict[str, Any]:
    return {"blocks": [], "tool_name": tool, "raw_input": {}, "raw_output": raw, "is_error": False, **more}


@pytest.mark.parametrize(("raw", "rows"), [([], 0), ("[]", 0), ([1, 2], 2), ("text", None)])
def test_llamaindex_gives_a_tools_raw_output_as_its_result(raw: Any, rows: int | None) -> None:
    (call,) = called(LLAMA, "search", {"kwargs": {"q": "x"}}, llama("search", raw)).calls
    assert (call.outcome, call.rows) == ("ran", rows)


@pytest.mark.parametrize(("flag", "outcome"), [(True, "failed"), (False, "ran"), ("true", "ran"), (None, "ran")])
def test_llamaindex_flags_a_failed_call_in_its_output(flag: Any, outcome: str) -> None:
    (call,) = called(LLAMA, "search", {"kwargs": {}}, llama("search", "boom", is_error=flag)).calls
    assert call.outcome == outcome


def test_llamaindex_runs_a_code_agents_program_as_a_tool_whose_errors_are_ordinary_results() -> None:
    turn = called(LLAMA, "execute", {"kwargs": {"code": "1/0"}}, llama("execute", "Error: division by zero"))
    assert [(s.text, s.argument, s.outcome, s.exit_code) for s in turn.scripts] == [("1/0", "code", "returned", None)]


def test_an_output_that_only_looks_like_llamaindexes_is_left_as_it_is() -> None:
    (call,) = called("other", "search", {}, {"raw_output": [], "note": "mine"}).calls
    assert call.undeclared_shape


# -- Agno ---------------------------------------------------------------------------------------------------------

AGNO = PREFIX + "agno"


@pytest.mark.parametrize(
    ("tool", "arguments", "program", "language"),
    [
        ("run_python_code", {"code": "1/0"}, "1/0", "python"),
        ("run_shell_command", {"args": ["ls", "/no pe"]}, "ls '/no pe'", "shell"),
    ],
)
def test_agno_says_a_programs_error_in_words_alone(
    tool: str, arguments: dict[str, Any], program: str, language: str
) -> None:
    turn = called(AGNO, tool, arguments, "Error running it", status="ok")
    assert [(s.text, s.language, s.outcome, s.exit_code) for s in turn.scripts] == [
        (program, language, "returned", None)
    ]
    assert [c.outcome for c in turn.calls] == ["ran"]


# -- AutoGen ------------------------------------------------------------------------------------------------------


def test_autogens_own_span_inside_openinferences_is_one_call_and_its_error_wins() -> None:
    scope = PREFIX + "autogen_agentchat"
    given = {"tool.name": "run_python", "tool.parameters": '{"code": "1/0"}', "input.value": '{"code": "1/0"}', **JSON}
    native = {"gen_ai.system": "autogen"}
    turn = turn_of(
        oi(1, "AGENT", at=(0, 9), scope=scope),
        oi(2, "TOOL", given, parent=1, at=(1, 4), scope=scope, status="ok"),
        tool_span(
            3,
            "run_python",
            parent=2,
            call_id="c1",
            at=(2, 3),
            scope="autogen-core",
            status="error",
            attributes=native,
            events=[("exception", {"exception.type": "ZeroDivisionError"})] * 2,
        ),
    )
    assert [(c.call_id, c.outcome, c.notes) for c in turn.calls] == [("c1", "failed", ("layers-disagree",))]
    assert [(s.text, s.outcome) for s in turn.scripts] == [("1/0", "outcome-unknown")]


def test_creating_an_autogen_agent_is_no_turn() -> None:
    created = span(1, scope="autogen-core", name="create_agent a", attributes={"gen_ai.operation.name": "create_agent"})
    assert recognise(created)[1] is None


# -- Semantic Kernel ----------------------------------------------------------------------------------------------


def test_semantic_kernel_names_a_tool_by_its_plugin_and_prints_its_result() -> None:
    scope = "semantic_kernel.functions.kernel_function"
    turn = turn_of(
        agent_span(1, at=(0, 9), scope="semantic_kernel.agents"),
        span(5, parent=1, at=(1, 8), name="AutoFunctionInvocationLoop", scope="semantic_kernel.connectors"),
        tool_span(
            2,
            "code-run_shell",
            parent=5,
            call_id="c1",
            at=(1, 2),
            scope=scope,
            arguments={"command": "ls /nope"},
            result="{'stdout': '', 'stderr': \"can't\", 'exit_code': 2}",
        ),
        tool_span(3, "docs-search", parent=5, call_id="c2", at=(3, 4), scope=scope, arguments={"q": "x"}, result="[]"),
    )
    assert [(c.tool, c.outcome, c.rows) for c in turn.calls] == [
        ("code-run_shell", "ran", None),
        ("docs-search", "ran", 0),
    ]
    assert [(s.text, s.outcome, s.exit_code, s.exit_code_from) for s in turn.scripts] == [
        ("ls /nope", "completed-with-failure", 2, "result")
    ]


# -- OpenInference on other runtimes' own spans -------------------------------------------------------------------


@pytest.mark.parametrize(("response", "rows"), [({"result": []}, 0), ({"result": "[]"}, 0), ({"result": "x"}, None)])
def test_adks_function_response_is_taken_off_a_result(response: Any, rows: int | None) -> None:
    result = {"id": "c1", "name": "search", "response": response}
    (call,) = called("gcp.vertex.agent", "search", {"q": "x"}, result, attributes={"tool.id": "c1"}).calls
    assert (call.call_id, call.rows, call.undeclared_shape) == ("c1", rows, False)


def test_adks_function_response_keeps_its_exit_code() -> None:
    result = {"id": "c1", "name": "run_shell", "response": {"stdout": "", "exit_code": 2}}
    (script,) = called("gcp.vertex.agent", "run_shell", {"command": "ls /nope"}, result).scripts
    assert (script.exit_code, script.exit_code_from) == (2, "result")


def test_an_object_of_the_same_keys_for_another_tool_is_no_function_response() -> None:
    (call,) = called("gcp.vertex.agent", "search", {}, {"id": 1, "name": "Ann", "response": []}).calls
    assert call.undeclared_shape


def test_adks_phantom_of_merged_calls_is_no_call() -> None:
    phantom = oi(
        1, "TOOL", {"tool.name": "(merged tools)", "gen_ai.tool.name": "(merged tools)"}, scope="gcp.vertex.agent"
    )
    assert openinference_adk.role(phantom) is Role.SKIP


def test_strands_under_openinference_keeps_its_list_of_parts() -> None:
    (call,) = called(
        "strands.telemetry.tracer", "search", {"q": "x"}, [{"text": "[]"}], attributes={"tool.call_id": "c1"}
    ).calls
    assert (call.call_id, call.rows) == ("c1", 0)


# -- Vercel 7 in its legacy form ----------------------------------------------------------------------------------


def test_vercel_7_in_its_legacy_form_reads_as_version_5_without_the_conversation() -> None:
    (turn,) = explain_spans(dump("vercel_ai_v7legacy"))
    assert (turn.agent, turn.conversation_id) == ("analyst", None)
    assert turn.question == "Sum 0..9 and look for quarterly totals"
    assert turn.answer == "The sum is 45; no documents matched."
    assert [(c.tool, c.call_id, c.outcome, c.rows) for c in turn.calls] == [
        ("runPython", "call_0", "ran", None),
        ("runShell", "call_1", "ran", None),
        ("searchDocs", "call_2", "ran", 0),
        ("runPython", "call_3", "failed", None),
    ]
    assert [(s.text, s.exit_code) for s in turn.scripts] == PROGRAMS


# -- agentfootprint -----------------------------------------------------------------------------------------------


def test_agentfootprint_says_the_same_in_both_of_its_naming_modes() -> None:
    named, plain = (
        [[(c.tool, c.call_id, c.outcome, c.result_recorded) for c in e.calls] for e in explain_spans(dump(name))]
        for name in ("agentfootprint_genai", "agentfootprint")
    )
    assert [calls for calls in named if calls] == [calls for calls in plain if calls]


def test_agentfootprint_never_records_content_and_no_switch_is_named() -> None:
    for turn in explain_spans(dump("agentfootprint_genai")):
        assert not any(call.result_recorded for call in turn.calls)
        assert {line.enable for line in turn.unreached if line.missing == "no-event"} <= {None}


# -- which row ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "title"),
    [
        (oi(1, "TOOL", scope=LLAMA), "LlamaIndex (OpenInference)"),
        (oi(1, "TOOL", scope=AGNO), "Agno (OpenInference)"),
        (oi(1, "TOOL", scope=PREFIX + "autogen_agentchat"), "AutoGen (OpenInference)"),
        (oi(1, "TOOL", scope=PREFIX + "google_adk"), "Google ADK (OpenInference)"),
        (oi(1, "TOOL", scope=PREFIX + "openai"), "Any other OpenInference instrumentation"),
        (tool_span(1, "f", scope="autogen-core"), "AutoGen (native)"),
        (tool_span(1, "f", scope="semantic_kernel.agents"), "Semantic Kernel"),
        (tool_span(1, "f", scope="agent_framework"), "Microsoft Agent Framework"),
        (tool_span(1, "f", scope="gen_ai"), "Vercel AI SDK 7"),
        (tool_span(1, "f", scope="mine"), "Any other emitter of the GenAI conventions"),
    ],
)
def test_each_runtime_has_its_row(one: BuiltSpan, title: str) -> None:
    dialect, _ = recognise(one)
    assert dialect is not None
    runtime = runtime_of(dialect, one.scope_name)
    assert runtime is not None
    assert runtime.title == title


def test_semantic_kernel_has_its_own_switch() -> None:
    dialect, _ = recognise(tool_span(1, "f", scope="semantic_kernel.agents"))
    assert dialect is not None
    assert enable_for(dialect, "semantic_kernel.agents") == (
        "SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE=true"
    )


# -- real spans of these runtimes ---------------------------------------------------------------------------------

WITHOUT = [(None, None)] * 3


@pytest.mark.parametrize(
    ("name", "said", "programs", "notes"),
    [
        ("agno_openinference", ("analyst", True, True), PROGRAMS, ()),
        ("autogen_openinference", ("analyst", False, False), PROGRAMS, ("layers-disagree",)),
        ("autogen_native", ("analyst", False, False), WITHOUT, ()),
        ("semantic_kernel_sensitive", ("analyst", True, True), PROGRAMS, ()),
        ("semantic_kernel_default", ("analyst", False, False), WITHOUT, ()),
        ("llamaindex_openinference", (None, False, False), PROGRAMS, ()),
        ("strands_openinference", ("analyst", True, True), PROGRAMS, ()),
    ],
)
def test_what_is_said_of_a_real_run_is_true(
    name: str,
    said: tuple[str | None, bool, bool],
    programs: list[tuple[str | None, int | None]],
    notes: tuple[str, ...],
) -> None:
    # One program made all of them: a program that prints, one that exits with 2, an empty search, one that raises.
    (turn,) = explain_spans(dump(name))
    asked = turn.question == "Sum 0..9 and look for quarterly totals"
    # Strands ends its answer with a line break under OpenInference.
    answered = (turn.answer or "").strip() == "The sum is 45; no documents matched."
    assert (turn.agent, asked, answered, turn.finished) == (*said, True)
    assert [((c.tool or "").rpartition("-")[2], c.outcome) for c in turn.calls] == FOUR
    assert [(s.text, s.exit_code) for s in turn.scripts] == programs
    assert [c.rows for c in turn.calls if (c.tool or "").endswith("search_docs")] == [
        0 if programs is PROGRAMS else None
    ]
    assert turn.calls[-1].notes == notes
    assert (turn.question is None, turn.answer is None) == (not asked, not answered)


def test_what_is_said_of_a_real_run_of_adk_under_openinference_is_true() -> None:
    (turn,) = explain_spans(dump("google_adk_openinference"))
    assert (turn.agent, turn.conversation_id, turn.finished) == ("analyst", "s-1", True)
    assert turn.question == "Sum 0..9 and look for quarterly totals"
    assert turn.answer == "The sum is 45; no documents matched."
    assert [(c.call_id, c.outcome, c.rows) for c in turn.calls] == [
        ("call_0", "ran", None),
        ("call_1", "ran", None),
        ("call_2", "ran", 0),
        ("call_3", "ran", None),
    ]
    assert [(s.text, s.exit_code) for s in turn.scripts] == PROGRAMS


def test_what_is_said_of_a_real_run_of_crewai_in_listener_mode_is_true() -> None:
    (turn,) = explain_spans(dump("crewai_openinference"))
    assert (turn.agent, turn.finished) == ("analyst", True)
    assert turn.question == "Sum 0..9 and look for quarterly totals"
    assert turn.answer == "The sum is 45; no documents matched."
    assert [(c.tool, c.outcome, c.rows) for c in turn.calls] == [
        *((*c, None) for c in FOUR[:2]),
        ("search_docs", "ran", 0),
    ]
    assert [(s.text, s.exit_code) for s in turn.scripts] == PROGRAMS[:2]
