"""What the files in collector/grafana and the page about them ask Prometheus and Tempo for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml
from documents import fenced

GRAFANA = Path(__file__).parents[2] / "collector" / "grafana"
DASHBOARD = GRAFANA / "dashboards" / "turns.json"
BOARD: dict[str, Any] = json.loads(DASHBOARD.read_text(encoding="utf-8"))
ALERTS: dict[str, Any] = yaml.safe_load((GRAFANA / "alerts.yaml").read_text(encoding="utf-8"))


def rules() -> Iterator[Mapping[str, Any]]:
    """The alert rules."""
    for group in ALERTS["groups"]:
        yield from group["rules"]


def targets() -> Iterator[Mapping[str, Any]]:
    """The queries of the dashboard's panels."""
    for panel in BOARD["panels"]:
        yield from panel["targets"]


def expressions() -> list[str]:
    """Every query to Prometheus: of the panels, of the choices at the top, and of the alerts."""
    found = [target["expr"] for target in targets() if "expr" in target]
    found += [choice["query"] for choice in BOARD["templating"]["list"] if choice["type"] == "query"]
    return found + [rule["expr"] for rule in rules()]


def searches() -> list[str]:
    """Every TraceQL search: of the panels, of their links, of the alerts' texts and of the page."""
    found = [target["query"] for target in targets() if target.get("queryType") == "traceql"]
    for rule in rules():
        found += re.findall(r"\{ [^}]*\}(?: \| .*)?", rule["annotations"]["description"])
    for panel in BOARD["panels"]:
        for link in panel["fieldConfig"]["defaults"]["links"]:
            panes = json.loads(parse_qs(urlsplit(link["url"]).query)["panes"][0])
            found += [query["query"] for query in panes["a"]["queries"]]
    return found + fenced("docs/backends.md", "Tempo and Grafana", "traceql")
