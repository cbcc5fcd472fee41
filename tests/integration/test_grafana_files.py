"""Grafana's own schema takes the dashboard, and Prometheus' own tool the queries, the rules and the configuration."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from grafana import DASHBOARD, GRAFANA, rules, searches, targets
from server_log import binary_of

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
RULES_TEST = ROOT / "tests" / "data" / "grafana" / "alerts.test.yaml"
TRACEQL = ROOT / "tests" / "backends" / "traceql"
VARIABLES = {"$__rate_interval": "5m", "$__range": "6h", "$job": ".+", "$instance": ".+"}


def said_of(variable: str, *arguments: str | Path) -> str:
    """What a tool says of files; empty if it has nothing against them."""
    done = subprocess.run([binary_of(variable), *arguments], capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr or "no word") if done.returncode else ""


def queries() -> list[str]:
    """The dashboard's, with what Grafana puts in."""
    found = []
    for target in targets():
        text: str = target.get("expr", "")
        for name, value in VARIABLES.items():
            text = text.replace(name, value)
        found += [text] if text else []
    return found


def test_the_schema_has_nothing_against_the_dashboard() -> None:
    assert said_of("DASHBOARD_BINARY", DASHBOARD) == ""


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ('"expr"', '"expression"'),
        ('"description"', '"about"'),
        ('"showHeader": true', '"showHeader": "yes"'),
        ('"refresh": 2', '"refresh": "always"'),
    ],
)
def test_the_schema_notices_a_slip(tmp_path: Path, said: str, instead: str) -> None:
    slip = tmp_path / "slip.json"
    slip.write_text(DASHBOARD.read_text(encoding="utf-8").replace(said, instead), encoding="utf-8")
    assert said_of("DASHBOARD_BINARY", slip) != ""


def test_every_query_of_the_dashboard_is_one_that_prometheus_takes(tmp_path: Path) -> None:
    recorded = [{"record": f"query:{number}", "expr": query} for number, query in enumerate(queries())]
    path = tmp_path / "queries.yaml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "queries", "rules": recorded}]}), encoding="utf-8")
    assert len(recorded) > 12
    assert said_of("PROMTOOL_BINARY", "check", "rules", "--lint=none", path) == ""


def test_the_rules_and_the_configuration_have_no_fault() -> None:
    assert said_of("PROMTOOL_BINARY", "check", "rules", "--lint=all", "--lint-fatal", GRAFANA / "alerts.yaml") == ""
    assert said_of("PROMTOOL_BINARY", "check", "config", "--lint=all", GRAFANA / "prometheus.yaml") == ""


def test_each_alert_fires_when_it_should_and_only_then(tmp_path: Path) -> None:
    shutil.copy(GRAFANA / "alerts.yaml", tmp_path)
    shutil.copy(RULES_TEST, tmp_path)
    assert said_of("PROMTOOL_BINARY", "test", "rules", tmp_path / RULES_TEST.name) == ""


def test_no_alert_is_left_untried() -> None:
    tried: dict[str, Any] = yaml.safe_load(RULES_TEST.read_text(encoding="utf-8"))
    fired = {case["alertname"] for test in tried["tests"] for case in test["alert_rule_test"] if case["exp_alerts"]}
    assert {rule["alert"] for rule in rules()} == fired


def unread(*lines: str) -> list[str]:
    """Those of some searches that Grafana's grammar of TraceQL cannot read."""
    command = [shutil.which("node") or "node", "check.mjs"]
    done = subprocess.run(command, cwd=TRACEQL, input="\n".join(lines), capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_every_search_is_one_that_the_grammar_of_traceql_reads() -> None:
    assert unread(*searches()) == []
    assert unread('{ span.footprint.tone = "bad" }', "{ span.footprint.tone = }") == ["{ span.footprint.tone = }"]
