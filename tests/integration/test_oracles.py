"""Two public readers of other people's spans beside ours, on the dumps of real runtimes.

MLflow's translators say what kind of step each span is; Strands Evals' mappers say which spans are tool runs. Where
they say something else than we do, the difference is listed here with its reason, and nothing else may differ. A span
that they do not know is no difference.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from dumps import NAMES, dump

from otel_footprint.dialects import Role, recognise
from otel_footprint.testing import explain_spans

ROOT = Path(__file__).parents[2]
ORACLES = ROOT / "tests" / "oracles"
DUMPS = ROOT / "tests" / "data" / "spans"

pytestmark = pytest.mark.integration

ALIKE = {
    Role.AGENT: {"AGENT", "WORKFLOW", "CHAIN"},
    Role.WORKFLOW: {"AGENT", "WORKFLOW", "CHAIN"},
    Role.MODEL: {"LLM", "CHAT_MODEL"},
    Role.TOOL: {"TOOL"},
    Role.HANDOFF: {"TOOL"},
    Role.STEP: {"CHAIN", "TASK", "AGENT", "WORKFLOW"},
}
"""MLflow's types that say the same as a role of ours. It has no type for a hand-off, nor for a step around a model."""

OTHER_KINDS = {
    ("autogen_native", "create_agent analyst"): "an agent that is made has answered nothing yet",
    ("autogen_openinference", "create_agent analyst"): "an agent that is made has answered nothing yet",
    ("langchain_openllmetry", "create_agent analyst"): "an agent that is made has answered nothing yet",
    ("langchain_openllmetry", "create_agent analyst2"): "an agent that is made has answered nothing yet",
    ("langchain_openllmetry", "create_agent boss"): "an agent that is made has answered nothing yet",
    ("langchain_openllmetry", "create_agent child"): "an agent that is made has answered nothing yet",
    ("langchain_openllmetry", "execute_task child"): "the task is what an agent inside a tool call answers",
    ("langchain_openllmetry", "invoke_agent child"): "it repeats the task around it",
    ("crewai_native", "tool failure"): "it repeats the failed call beside it",
    ("google_adk", "execute_tool (merged)"): "it repeats calls that ran at once; none ran twice",
    ("google_adk_legacy", "execute_tool (merged)"): "it repeats calls that ran at once; none ran twice",
    ("google_adk_semconv", "execute_tool (merged)"): "it repeats calls that ran at once; none ran twice",
    ("opencode_trimmed", "ai.streamText"): "a step of OpenCode's own loop around one request to the model",
    ("spring_ai", "embedding text-embedding-ada-002"): "an embedding answers nobody",
    ("vercel_ai_v5", "ai.generateText"): "the span around the whole loop of models and tools is the turn",
    ("vercel_ai_v7legacy", "ai.generateText"): "the span around the whole loop of models and tools is the turn",
}

STRANDS_READS = frozenset(
    {
        "agent_framework_default",
        "agent_framework_sensitive",
        "agentfootprint",
        "agentfootprint_genai",
        "autogen_native",
        "autogen_openinference",
        "claude_agent_sdk_openinference",
        "google_adk",
        "google_adk_legacy",
        "google_adk_semconv",
        "langchain_langsmith",
        "langchain_openinference",
        "langchain_openllmetry",
        "mcp_native",
        "mcp_openinference",
        "mlflow_genai",
        "openai_agents_openinference",
        "openai_agents_openinference_genai",
        "openai_agents_openllmetry",
        "semantic_kernel_default",
        "semantic_kernel_sensitive",
        "smolagents_openinference",
        "smolagents_openinference_genai",
        "vercel_ai_v7",
    }
)
"""The dumps in which Strands Evals finds tool runs; the conventions of the others it does not read."""

OTHER_CALLS = {
    "autogen_openinference": (4, 4, "of two spans of one call they take the other one"),
    "langchain_openllmetry": (2, 0, "they leave out calls that failed"),
    "mcp_native": (0, 4, "the client's and the server's span are one call"),
    "mcp_openinference": (0, 4, "the client's and the server's span are one call"),
    "openai_agents_openinference": (0, 1, "a hand-off is no tool run"),
    "openai_agents_openinference_genai": (0, 1, "a hand-off is no tool run"),
}
"""How many spans only we, and only they, take for a tool run."""


@cache
def said(script: str) -> dict[str, Any]:
    """What an oracle says of each dump."""
    python = ROOT / ".cache" / "oracles" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(python.parents[1])], check=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--requirement", str(ORACLES / "requirements.txt")], check=True)
    files = [f"{name}.otlp.json" for name in NAMES]
    done = subprocess.run(
        [str(python), str(ORACLES / script), *files], cwd=DUMPS, capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return {name: found[f"{name}.otlp.json"] for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_mlflow_takes_each_span_for_what_we_do(name: str) -> None:
    types = said("mlflow_types.py")[name]
    for span in dump(name):
        _, role = recognise(span)
        theirs = types[span.span_id]
        differs = theirs is not None and (role is None or theirs not in ALIKE.get(role, set()))
        assert differs == ((name, span.name) in OTHER_KINDS and theirs is not None), (span.name, role, theirs)


def test_mlflow_knows_most_of_the_spans() -> None:
    types = [kind for found in said("mlflow_types.py").values() for kind in found.values()]
    assert sum(kind is not None for kind in types) > len(types) / 2


def test_strands_evals_reads_these_dumps() -> None:
    assert {name for name, found in said("strands_sessions.py").items() if found.get("tools")} == STRANDS_READS


@pytest.mark.parametrize("name", sorted(STRANDS_READS))
def test_strands_evals_finds_the_tool_runs_that_we_find(name: str) -> None:
    theirs = set(said("strands_sessions.py")[name]["tools"])
    ours = {call.span_id for turn in explain_spans(dump(name)) for call in turn.calls if call.span_id is not None}
    only_ours, only_theirs, _ = OTHER_CALLS.get(name, (0, 0, ""))
    assert (len(ours - theirs), len(theirs - ours)) == (only_ours, only_theirs)
