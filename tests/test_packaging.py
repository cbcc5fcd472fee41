"""What a person installs: versions, dependencies, extras, entry points, and what the built distribution holds."""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from otel_footprint._version import __version__

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]


def lower_bounds(requirements: list[str]) -> dict[str, str]:
    bounds = [re.fullmatch(r"([a-z0-9-]+)>=([0-9.]+)", requirement) for requirement in requirements]
    return {bound[1]: bound[2] for bound in bounds if bound}


def test_the_core_needs_three_distributions_only() -> None:
    assert set(lower_bounds(PROJECT["project"]["dependencies"])) == {
        "opentelemetry-sdk",
        "opentelemetry-exporter-otlp",
        "protobuf",
    }


def test_the_lower_bounds_are_the_versions_that_are_tested() -> None:
    text = (ROOT / "tests" / "constraints-lowest.txt").read_text(encoding="utf-8")
    tested = dict(line.split("==") for line in text.splitlines() if line and not line.startswith("#"))
    assert tested == lower_bounds(PROJECT["project"]["dependencies"]) | lower_bounds(
        EXTRAS["cli"] + EXTRAS["parquet"] + EXTRAS["shell"] + EXTRAS["sidecar"] + EXTRAS["test"] + EXTRAS["view"]
    )


def test_the_generated_code_comes_from_a_protoc_that_the_lowest_protobuf_reads() -> None:
    code = ROOT / "otel_footprint" / "_proto" / "footprint" / "v1" / "explanation_pb2.py"
    made_for = re.search(r"Protobuf Python Version: (\d+)\.(\d+)", code.read_text(encoding="utf-8"))
    assert made_for is not None
    lowest = lower_bounds(PROJECT["project"]["dependencies"])["protobuf"].split(".")
    assert [int(part) for part in made_for.groups()] <= [int(part) for part in lowest[:2]]


def test_the_version_has_one_place() -> None:
    assert importlib.metadata.version("otel-footprint") == __version__
    assert "version" not in PROJECT["project"]


def test_every_version_is_in_the_changelog_or_still_unreleased() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[(Unreleased|{re.escape(__version__)})\]", changelog, re.MULTILINE)


def test_every_entry_point_of_the_project_loads() -> None:
    own = list(importlib.metadata.distribution("otel-footprint").entry_points)
    assert {(entry.group, entry.name) for entry in own} == {
        ("console_scripts", "otel-footprint"),
        ("opentelemetry_instrumentor", "footprint"),
        ("opentelemetry_traces_exporter", "footprint"),
    }
    # only who has instrumentors asks for ours
    missing = {"opentelemetry_instrumentor"} if find_spec("opentelemetry.instrumentation") is None else set()
    assert all(callable(entry.load()) for entry in own if entry.group not in missing)


def test_every_lint_exception_has_its_reason_beside_it() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    lint = text[text.index("[tool.ruff.lint]") : text.index("[tool.ruff.lint.pydocstyle]")]
    exceptions = re.findall(r'^.*"[A-Z]+[0-9]*".*$', lint, re.MULTILINE)
    unexplained = [line for line in exceptions if "#" not in line and '["ALL"]' not in line and "D102" not in line]
    assert unexplained == []
