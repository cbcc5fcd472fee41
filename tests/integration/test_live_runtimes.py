"""Real agent libraries, at a pinned and at their newest version, explained in the process in which they run.

Each has an environment of its own, and a program in ``tests/live`` that asks its agent one question. The agent runs a
program that ends with 3 and searches in vain; the model is the library's own test model, or one that says what it is
told to.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
LIVE = ROOT / "tests" / "live"
ENVIRONMENTS = sorted(path.stem for path in (LIVE / "requirements").glob("*.txt"))

pytestmark = pytest.mark.integration


def installed(environment: str) -> Path:
    """The interpreter of an environment that has the library and our package."""
    home = ROOT / ".cache" / "live" / environment
    python = home / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    wanted = ["--requirement", str(LIVE / "requirements" / f"{environment}.txt"), "--editable", str(ROOT)]
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade"]
    subprocess.run([*pip, *wanted], check=True)
    return python


@cache
def spans_of(environment: str) -> list[dict[str, Any]]:
    """The spans that left the process of a live agent."""
    python = installed(environment)
    left = ROOT / ".cache" / "live" / f"{environment}.json"
    left.unlink(missing_ok=True)
    program = LIVE / f"{environment.rpartition('-')[0]}_agent.py"
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("OTEL_", "FOOTPRINT_", "PYTHON"))}
    done = subprocess.run(
        [str(python), str(program), str(left)], env=clean, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(left.read_text(encoding="utf-8"))
    return found


def explained(environment: str) -> dict[str, Any]:
    """The one span that carries an explanation."""
    (found,) = (span for span in spans_of(environment) if "footprint.tone" in span["attributes"])
    return found


def events(environment: str, name: str) -> list[dict[str, Any]]:
    return [event for event in explained(environment)["events"] if event["name"] == name]


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_turn_is_one_and_its_span_is_the_root(environment: str) -> None:
    assert explained(environment)["parent"] is None
    assert len({span["id"] for span in spans_of(environment)}) == len(spans_of(environment))


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_search_that_found_nothing_without_a_word_is_what_is_wrong(environment: str) -> None:
    said = explained(environment)["attributes"]
    assert (said["footprint.tone"], said["footprint.signals"]) == ("bad", ["undeclared-empty-used"])
    assert said["footprint.summary"].startswith("search_tickets returned no rows")


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_program_that_ran_is_said_with_its_exit_code(environment: str) -> None:
    (script,) = events(environment, "footprint.script")
    assert script["footprint.script.tool"] == "run_python"
    assert (script["footprint.script.outcome"], script["footprint.script.exit_code"]) == ("completed-with-failure", 3)
    assert script["footprint.script.bytes"] == len("import sys\nprint('41 orders failed')\nsys.exit(3)\n")


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_no_value_of_the_answer_is_called_unsupported(environment: str) -> None:
    assert [event["footprint.reason.reason"] for event in events(environment, "footprint.reason")] == [
        "empty-undeclared"
    ]
