"""Each way to add footprint to an application without a line in it: as docs/zero-code.md shows it, by processes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from installed import ROOT, metadata_in
from otlp_receiver import Received, otlp_receiver

pytestmark = pytest.mark.integration

PAGE = (ROOT / "docs" / "zero-code.md").read_text(encoding="utf-8")

APPLICATION = """
import json

from opentelemetry import trace
from opentelemetry._logs import LogRecord, get_logger

PROGRAM = "import sys\\nprint('done')\\nsys.exit(3)"
ANSWER = [{"role": "assistant", "parts": [{"type": "text", "content": f"I ran:\\n```python\\n{PROGRAM}\\n```"}]}]
tracer = trace.get_tracer("agent")
with tracer.start_as_current_span("invoke_agent helper", attributes={"gen_ai.operation.name": "invoke_agent"}):
    call = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "run_python", "code_run.argument": "code"}
    run = {**call, "code_run.program": PROGRAM, "code_run.exit_code": 3}
    with tracer.start_as_current_span("execute_tool run_python", attributes=run):
        pass
    with tracer.start_as_current_span("chat m", attributes={"gen_ai.operation.name": "chat"}):
        get_logger("agent").emit(
            LogRecord(
                timestamp=1,
                event_name="gen_ai.client.inference.operation.details",
                attributes={
                    "gen_ai.operation.name": "chat",
                    "gen_ai.output.messages": json.dumps(ANSWER),
                },
            )
        )
"""
"""It knows OpenTelemetry's interface only."""

EXPORT = {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf", "OTEL_METRICS_EXPORTER": "none"}


def block(language: str, number: int = 0) -> str:
    """A block of code of the page."""
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return found[number]


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Run the application in a process of its own, until it ends well; what it said on stderr."""
    (tmp_path / "agent.py").write_text(APPLICATION, encoding="utf-8")
    (tmp_path / "metadata").mkdir()
    path = os.pathsep.join([str(metadata_in(tmp_path / "metadata")), str(ROOT)])
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "FOOTPRINT_"))}

    def start(variables: Mapping[str, str]) -> str:
        command = [str(Path(sys.executable).parent / "opentelemetry-instrument"), sys.executable, "agent.py"]
        environment = {**plain, "PYTHONPATH": path, **EXPORT, **variables}
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=100
        )
        assert done.returncode == 0, done.stderr
        return done.stderr

    return start


def turn_of(received: Received) -> Any:
    """The turn's span; each span came once."""
    ids = [span.span_id for span in received.spans]
    assert len(set(ids)) == len(ids) == 3
    (turn,) = [span for span in received.spans if span.name == "invoke_agent helper"]
    return turn


def values(span: Any) -> dict[str, Any]:
    return {pair.key: pair.value for pair in span.attributes}


def assert_explained(received: Received) -> Any:
    turn = turn_of(received)
    assert values(turn)["footprint.scripts.failed"].int_value == 1
    assert turn.events[0].name == "footprint.account"
    return turn


def shown_of(turn: Any) -> str | None:
    """Whether the answer shows the program: what only a log record tells here."""
    (script,) = [event for event in turn.events if event.name == "footprint.script"]
    found = {pair.key: pair.value.string_value for pair in script.attributes}
    return found.get("footprint.script.shown")


def log_events(received: Received) -> list[str]:
    return [record.event_name for record in received.logs]


def test_the_variable_of_the_traces_exporter_is_enough(run: Any) -> None:
    with otlp_receiver() as received:
        run(
            {
                "OTEL_TRACES_EXPORTER": "footprint",
                "OTEL_LOGS_EXPORTER": "none",
                "OTEL_EXPORTER_OTLP_ENDPOINT": received.url,
            }
        )
    assert_explained(received)


def test_by_variables_alone_the_explanation_also_goes_out_as_log_records(run: Any) -> None:
    variables = {
        "OTEL_TRACES_EXPORTER": "footprint",
        "OTEL_LOGS_EXPORTER": "none",
        "FOOTPRINT_WRITERS": "events, attributes, logs, evaluation",
    }
    with otlp_receiver() as received:
        run({**variables, "OTEL_EXPORTER_OTLP_ENDPOINT": received.url})
    turn = assert_explained(received)
    names = log_events(received)
    assert names[0] == "footprint.account"
    assert "gen_ai.evaluation.result" in names
    assert {record.span_id for record in received.logs} == {turn.span_id}


def test_the_instrumentor_that_is_found_shows_log_records_to_the_exporter_that_a_variable_made(run: Any) -> None:
    variables = {"OTEL_TRACES_EXPORTER": "footprint", "OTEL_LOGS_EXPORTER": "otlp"}
    shown: dict[str, Any] = {}
    for disabled in ("", "footprint"):
        more = {"OTEL_PYTHON_DISABLED_INSTRUMENTATIONS": disabled}
        with otlp_receiver() as received:
            run({**variables, **more, "OTEL_EXPORTER_OTLP_ENDPOINT": received.url})
        shown[disabled] = shown_of(assert_explained(received))
        assert log_events(received) == ["gen_ai.client.inference.operation.details"]
    assert shown == {"": "matched", "footprint": None}


def test_an_installed_instrumentor_changes_nothing_without_an_exporter_of_ours(run: Any) -> None:
    with otlp_receiver() as received:
        run({"OTEL_TRACES_EXPORTER": "otlp", "OTEL_LOGS_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT": received.url})
    turn = turn_of(received)
    assert not any(key.startswith("footprint.") for key in values(turn))
    assert list(turn.events) == []


@pytest.mark.parametrize("number", [0, 1], ids=["exporter", "instrumentor"])
def test_a_configuration_file_of_the_page_is_enough(run: Any, tmp_path: Path, number: int) -> None:
    with otlp_receiver() as received:
        text = block("yaml", number).replace("http://127.0.0.1:4318", received.url)
        (tmp_path / "otel.yaml").write_text(text, encoding="utf-8")
        (tmp_path / "footprint.toml").write_text('writers = ["events", "attributes", "logs"]\n', encoding="utf-8")
        said = run({"OTEL_CONFIG_FILE": "otel.yaml"})
    assert shown_of(assert_explained(received)) == "matched"
    assert "footprint.account" in log_events(received)
    assert "Traceback" not in said


def test_an_option_that_the_instrumentor_does_not_have_is_refused_and_the_application_runs(
    run: Any, tmp_path: Path
) -> None:
    with otlp_receiver() as received:
        text = block("yaml", 1).replace("http://127.0.0.1:4318", received.url)
        (tmp_path / "otel.yaml").write_text(text.replace("traces: true", "tracing: true"), encoding="utf-8")
        said = run({"OTEL_CONFIG_FILE": "otel.yaml"})
    assert "Failed to instrument 'footprint'" in said
    assert received.spans == []
