from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from opentelemetry import trace

from otel_footprint.environment_variables import FOOTPRINT_TESTING
from otel_footprint.fold.coverage import DeclarationError
from otel_footprint.sdk import FootprintSpanExporter, code_run, declare_absence, declare_coverage

START = 1_700_000_000_000_000_000


def attributes_of(span: Any) -> dict[str, Any]:
    return dict(span.attributes)


@pytest.fixture
def tool(spans: Any) -> Any:
    return spans.start("execute_tool run", {})


def test_a_run_records_the_program_and_how_it_ended(tool: Any) -> None:
    with trace.use_span(tool), code_run("code", program="print(1)", proposed="print(0)", language="python") as run:
        run.exit(3)
    assert attributes_of(tool) == {
        "code_run.argument": "code",
        "code_run.program": "print(1)",
        "code_run.proposed": "print(0)",
        "code_run.language": "python",
        "code_run.exit_code": 3,
    }


def test_an_exception_in_a_run_is_recorded_and_passes(tool: Any) -> None:
    with trace.use_span(tool, record_exception=False), pytest.raises(TimeoutError), code_run("code", program="x"):
        raise TimeoutError
    assert attributes_of(tool)["code_run.settlement"] == "threw"
    assert "code_run.exit_code" not in attributes_of(tool)


def test_other_ends_of_a_run(tool: Any) -> None:
    with trace.use_span(tool):
        run = code_run("code")
        run.submitted(["ls", "-l"])
        run.verdict(ok=False)
        run.service_error()
        run.paused()
    assert attributes_of(tool) == {
        "code_run.argument": "code",
        "code_run.program": ("ls", "-l"),
        "code_run.ok": False,
        "code_run.service_error": True,
        "code_run.paused": True,
    }


@pytest.mark.parametrize("argument", ["", "  ", None, 3])
def test_a_run_without_an_argument_is_refused_where_it_is_declared(argument: Any) -> None:
    with pytest.raises(DeclarationError, match="name the tool argument"):
        code_run(argument)


def test_coverage_is_set_on_the_current_span(tool: Any) -> None:
    with trace.use_span(tool):
        declare_coverage(checked=["orders 2024"], cannot_cover=[{"what": "archive", "why": "offline", "kind": "scope"}])
    values = attributes_of(tool)
    assert values["coverage.kind"] == "ledger"
    assert json.loads(values["coverage.checked"]) == [{"what": "orders 2024"}]
    assert json.loads(values["coverage.cannot_cover"]) == [{"what": "archive", "why": "offline", "kind": "scope"}]
    assert "coverage.not_checked" not in values


def test_an_absence_says_what_was_looked_for_and_where_to_go(tool: Any) -> None:
    with trace.use_span(tool):
        declaration = declare_absence(
            "invoice 7",
            checked=["orders"],
            try_instead="Ask billing.",
            try_instead_tool={"tool": "billing", "why": "it has older ones"},
        )
    values = attributes_of(tool)
    assert values["coverage.kind"] == "absence"
    assert values["coverage.looked_for"] == "invoice 7"
    assert values["coverage.try_instead"] == "Ask billing."
    assert values["coverage.try_instead_tool"] == "billing"
    assert declaration.envelope()["looked_for"] == "invoice 7"


def test_a_further_statement_on_the_same_call_is_an_event(tool: Any) -> None:
    with trace.use_span(tool):
        declare_coverage(checked=["a"])
        declare_absence("x", checked=["b"])
    assert attributes_of(tool)["coverage.kind"] == "ledger"
    (event,) = tool.events
    assert event.name == "coverage.declared"
    assert event.attributes["coverage.kind"] == "absence"
    assert json.loads(event.attributes["coverage.checked"]) == [{"what": "b"}]


@pytest.mark.parametrize(
    "declare",
    [
        declare_coverage,
        lambda: declare_coverage(checked=[" "]),
        lambda: declare_coverage(checked="orders"),
        lambda: declare_coverage(cannot_cover=[{"what": "a"}]),
        lambda: declare_coverage(not_checked=[{"what": "a", "kind": "other"}]),
        lambda: declare_absence("", checked=["a"]),
        lambda: declare_absence("x", checked=[]),
        lambda: declare_absence("x", checked=["a"], try_instead={"tool": "t"}),
        lambda: declare_absence("x", checked=["a"], try_instead_tool={"tool": " "}),
        lambda: declare_absence("x", checked=["a"], try_instead_tool={"tool": "t", "how": "y"}),
    ],
)
def test_a_malformed_declaration_is_refused_where_it_is_made_and_leaves_no_trace(tool: Any, declare: Any) -> None:
    with trace.use_span(tool, record_exception=False, set_status_on_exception=False), pytest.raises(DeclarationError):
        declare()
    assert attributes_of(tool) == {}


def test_without_a_span_the_helpers_do_nothing() -> None:
    with code_run("code", program="x") as run:
        run.exit(0)
    declare_coverage(checked=["a"])
    declare_absence("x", checked=["a"])


def test_after_the_span_ended_the_helpers_do_nothing(tool: Any) -> None:
    with trace.use_span(tool):
        run = code_run("code")
    tool.end()
    run.exit(0)
    assert "code_run.exit_code" not in attributes_of(tool)


def test_lone_surrogates_are_replaced(tool: Any) -> None:
    with trace.use_span(tool):
        code_run("code", program="print('\ud83e')")
    assert attributes_of(tool)["code_run.program"] == "print('\ufffd')"


def test_a_span_that_raises_is_kept_from_the_application(monkeypatch: pytest.MonkeyPatch, tool: Any) -> None:
    def fail(_: object) -> None:
        raise RuntimeError("broken span")

    monkeypatch.setattr(type(tool), "set_attributes", lambda _self, values: fail(values))
    with trace.use_span(tool):
        with pytest.raises(RuntimeError):
            code_run("code")
        monkeypatch.delenv(FOOTPRINT_TESTING)
        code_run("code").exit(0)
        declare_coverage(checked=["a"])


def test_what_a_helper_recorded_is_what_the_explanation_says(recorder: Any, spans: Any) -> None:
    agent = spans.agent()
    tool = spans.start("execute_tool run", {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "run"}, agent)
    program = "import sys; sys.exit(3)"
    with trace.use_span(tool), code_run("code", program=program, language="python") as run:
        run.exit(subprocess.run([sys.executable, "-c", program], check=False).returncode)
    tool.end(START + 5000)
    agent.end(START + 9000)
    FootprintSpanExporter(recorder).export(spans.ended)
    (script,) = [event for event in recorder.explained[0].events if event.name == "footprint.script"]
    assert script.attributes["footprint.script.result"] == "completed-with-failure:exit:3"
    assert script.timestamp == START + 5000
