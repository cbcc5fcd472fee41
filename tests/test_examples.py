"""The programs of ``examples/`` run as their own words say, and print what the README shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
SPANS = ROOT / "tests" / "data" / "spans"


def ended(example: str, *arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "FOOTPRINT_TESTING": "true"}
    environ.pop("OTEL_EXPORTER_OTLP_ENDPOINT", None)
    return subprocess.run(
        [sys.executable, EXAMPLES / example, *arguments],
        cwd=cwd,
        env=environ,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def printed(example: str, *arguments: str | Path, cwd: Path) -> list[str]:
    done = ended(example, *arguments, cwd=cwd)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_each_example_is_run_here() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert [path.name for path in EXAMPLES.glob("*.py") if path.stem not in text] == []


def test_own_tools_say_how_their_program_ended_and_where_they_did_not_look(tmp_path: Path) -> None:
    lines = printed("own_tools.py", cwd=tmp_path)
    assert lines[0] == "warn: search_orders did not look at this, so whether it exists is open: the archive."
    assert "footprint.script: run_python: completed with failure, exit 1" in lines


def test_a_pydantic_ai_agent_is_explained_by_one_line(tmp_path: Path) -> None:
    pytest.importorskip("pydantic_ai", reason="the extra demo is not installed")
    assert printed("pydantic_ai_agent.py", cwd=tmp_path) == [
        "invoke_agent night-watch: bad: search_tickets returned no rows and did not say what it searched."
    ]


def test_files_are_read_and_each_program_has_its_outcome(tmp_path: Path) -> None:
    lines = printed("read_traces.py", SPANS / "vercel_ai_v7.otlp.json", cwd=tmp_path)
    assert "  runShell: completed-with-failure, exit 2 (read from result)" in lines
    assert [line.split()[1] for line in lines if not line.startswith(" ")] == ["bad:", "unknown:"]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no trace", encoding="utf-8")
    done = ended("read_traces.py", "notes.txt", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("notes.txt: ")


@pytest.fixture
def acme(tmp_path: Path) -> Path:
    """A folder with a distribution that hands the example's dialect out, and a trace that speaks it."""
    info = tmp_path / "acme_tracing-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-tracing\nVersion: 1.0\n", encoding="utf-8")
    entry = "[otel_footprint_dialects]\nacme = own_dialect:DIALECT\n"
    (info / "entry_points.txt").write_text(entry, encoding="utf-8")
    (tmp_path / "trace.json").write_text(ACME_TRACE, encoding="utf-8")
    return tmp_path


ACME_TRACE = """{"resourceSpans": [{"scopeSpans": [{"spans": [
{"traceId": "0123456789abcdef0123456789abcdef", "spanId": "00000000000000a1", "name": "turn",
 "startTimeUnixNano": "1000", "endTimeUnixNano": "9000", "attributes": [
  {"key": "acme.kind", "value": {"stringValue": "turn"}},
  {"key": "acme.agent", "value": {"stringValue": "roadrunner"}},
  {"key": "acme.answer", "value": {"stringValue": "Nothing was found."}}]},
{"traceId": "0123456789abcdef0123456789abcdef", "spanId": "00000000000000a2",
 "parentSpanId": "00000000000000a1", "name": "search", "startTimeUnixNano": "2000", "endTimeUnixNano": "3000",
 "attributes": [
  {"key": "acme.kind", "value": {"stringValue": "tool"}},
  {"key": "acme.tool", "value": {"stringValue": "search"}},
  {"key": "acme.out", "value": {"stringValue": "[]"}}]}
]}]}]}"""


def explained(folder: Path, *paths: Path) -> str:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, *paths)))}
    command = [sys.executable, "-P", "-m", "otel_footprint.cli", "explain", "trace.json"]
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout


def test_a_dialect_of_another_distribution_is_read_by_the_command_line(acme: Path) -> None:
    """The entry point alone makes the difference: ``own_dialect`` is importable both times."""
    assert "search returned no rows" in explained(acme, acme, EXAMPLES)
    assert "search returned no rows" not in explained(acme, EXAMPLES)


def test_the_demo_prints_what_the_readme_shows(tmp_path: Path) -> None:
    pytest.importorskip("pydantic_ai", reason="the extra demo is not installed")
    lines = printed("demo.py", cwd=tmp_path)
    [shown] = re.findall(r"^```text\n(● bad.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert [line for line in shown.splitlines() if line != "..." and line not in lines] == []
