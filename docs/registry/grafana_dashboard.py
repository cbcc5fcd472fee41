"""Make ``collector/grafana/dashboards/turns.json``, the Grafana dashboard of explained turns.

Run by ``make generate``; ``make check`` runs it on a copy and fails on a difference. What it asks Prometheus for are
metrics of the sidecar; tests compare them with what a running one sends.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

ROOT = Path(__file__).parents[2]
PAGE = Path("collector/grafana/dashboards/turns.json")

PROMETHEUS: Final = {"type": "prometheus", "uid": "${metrics}"}
TEMPO: Final = {"type": "tempo", "uid": "${traces}"}
WIDTH: Final = 24
"""Columns of Grafana's grid."""
HEIGHT: Final = 8

TONES: Final = {"ok": "green", "warn": "orange", "bad": "red", "unknown": "purple"}
CHOSEN: Final = 'job=~"$job",instance=~"$instance"'
"""What every query is narrowed to: the sidecars, or applications, that were chosen at the top."""

Panel = dict[str, Any]


def explore(traceql: str) -> str:
    """The address of Grafana's Explore with a search in Tempo, over the time of the dashboard."""
    query = {"refId": "A", "queryType": "traceql", "query": traceql, "limit": 50}
    panes = {"a": {"datasource": "VARTRACES", "queries": [query], "range": {"from": "VARFROM", "to": "VARTO"}}}
    address = quote(json.dumps(panes, separators=(",", ":")), safe="")
    # Grafana fills these in, so they are not to be quoted
    for word, variable in {"VARTRACES": "${traces}", "VARFROM": "${__from}", "VARTO": "${__to}"}.items():
        address = address.replace(word, variable)
    for label in ("tone", "id", "reason", "outcome", "check"):
        address = address.replace(f"LABEL_{label}", f"${{__field.labels.{label}}}")
    return f"/explore?schemaVersion=1&panes={address}"


def link(traceql: str) -> dict[str, Any]:
    """From a point of a series to the turns behind it; ``LABEL_x`` stands for the label ``x`` of the series."""
    return {"title": "Show these turns", "url": explore(traceql), "targetBlank": True}


def asked(*queries: tuple[str, str], instant: bool = False) -> list[dict[str, Any]]:
    """Queries to Prometheus, each with how its series are called."""
    return [
        {
            "refId": chr(ord("A") + number),
            "datasource": PROMETHEUS,
            "expr": expression,
            "legendFormat": legend,
            "instant": instant,
            "range": not instant,
        }
        for number, (expression, legend) in enumerate(queries)
    ]


def counted(metric: str, *labels: str, matching: str = "") -> str:
    """How many were counted in each step of the panel, by labels."""
    selector = ",".join(filter(None, [matching, CHOSEN]))
    return f"sum by ({', '.join(labels)}) (increase({metric}{{{selector}}}[$__rate_interval]))"


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How a panel shows its values."""

    width: int = WIDTH // 2
    height: int = HEIGHT
    unit: str = "short"
    custom: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    links: tuple[Mapping[str, Any], ...] = ()
    colours: Mapping[str, str] = field(default_factory=dict)
    """By the name of a series."""


def panel(kind: str, title: str, description: str, targets: list[dict[str, Any]], look: Look) -> Panel:
    """A panel without its place; its data source is that of its first query."""
    overrides = [
        {
            "matcher": {"id": "byName", "options": name},
            "properties": [{"id": "color", "value": {"mode": "fixed", "fixedColor": colour}}],
        }
        for name, colour in look.colours.items()
    ]
    defaults = {"unit": look.unit, "links": list(look.links), "custom": dict(look.custom)}
    return {
        "type": kind,
        "title": title,
        "description": description,
        "datasource": targets[0]["datasource"],
        "gridPos": {"h": look.height, "w": look.width, "x": 0, "y": 0},
        "targets": targets,
        "fieldConfig": {"defaults": defaults, "overrides": overrides},
        "options": dict(look.options),
    }


BARS: Final = {"drawStyle": "bars", "fillOpacity": 80, "lineWidth": 0, "stacking": {"mode": "normal", "group": "A"}}
LINES: Final = {
    "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []},
    "tooltip": {"mode": "multi", "sort": "desc"},
}
NUMBER: Final = {
    "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
    "colorMode": "value",
    "graphMode": "none",
    "justifyMode": "auto",
    "textMode": "auto",
    "orientation": "auto",
    "wideLayout": True,
    "showPercentChange": False,
    "percentChangeColorMode": "standard",
}


def over_time(title: str, description: str, target: tuple[str, str], **look: Any) -> Panel:
    """Counts as stacked bars."""
    return panel("timeseries", title, description, asked(target), Look(custom=BARS, options=LINES, **look))


def total(title: str, description: str, expression: str, *, unit: str = "short") -> Panel:
    """One number over the time of the dashboard."""
    look = Look(width=WIDTH // 6, height=HEIGHT // 2, unit=unit, options=NUMBER)
    return panel("stat", title, description, asked((expression, ""), instant=True), look)


def ranged(metric: str, matching: str = "") -> str:
    """How many there were in the time of the dashboard, 0 included."""
    selector = ",".join(filter(None, [matching, CHOSEN]))
    return f"sum(increase({metric}{{{selector}}}[$__range])) or vector(0)"


def turns(traceql: str, title: str, description: str) -> Panel:
    """A table of turns, each of which opens."""
    query = {
        "refId": "A",
        "datasource": TEMPO,
        "queryType": "traceql",
        "query": traceql,
        "tableType": "spans",
        "limit": 20,
        "filters": [],
    }
    look = Look(custom={"align": "auto", "inspect": False}, options={"frameIndex": 0, "showHeader": True})
    return panel("table", title, description, [query], look)


def panels() -> list[Panel]:
    """All of them, in reading order."""
    return [
        total("Turns", "Agent turns that were explained.", ranged("footprint_turns_total")),
        total("Bad turns", "Turns whose tone is bad.", ranged("footprint_turns_total", 'tone="bad"')),
        total(
            "Not judged",
            "Turns whose tone is unknown: what is recorded of them does not suffice.",
            ranged("footprint_turns_total", 'tone="unknown"'),
        ),
        total(
            "Failed programs",
            "Programs that ended with a failure, or whose runner said so.",
            ranged("footprint_scripts_total", 'outcome=~"completed-with-failure|reported-failure"'),
        ),
        total(
            "Explanations cut",
            "Requests that a backend took only without our events and attributes.",
            ranged("footprint_destinations_stripped_total"),
        ),
        total(
            "Explained in time",
            "95 of 100 turns took no longer to explain.",
            f"histogram_quantile(0.95, sum by (le) (rate(footprint_fold_duration_bucket{{{CHOSEN}}}[$__range])))",
            unit="s",
        ),
        over_time(
            "Turns by tone",
            "A point leads to the turns of its tone.",
            (counted("footprint_turns_total", "tone"), "{{tone}}"),
            links=(link('{ span.footprint.tone = "LABEL_tone" } | select(span.footprint.summary)'),),
            colours=TONES,
        ),
        over_time(
            "Signals",
            "What looked wrong, by its id.",
            (counted("footprint_signals_total", "id"), "{{id}}"),
            links=(link('{ span.footprint.signals = "LABEL_id" } | select(span.footprint.summary)'),),
        ),
        over_time(
            "Reasons",
            "Why answers do not stand.",
            (counted("footprint_reasons_total", "reason"), "{{reason}}"),
            links=(link('{ span.footprint.reasons = "LABEL_reason" } | select(span.footprint.summary)'),),
        ),
        over_time(
            "Programs by outcome",
            "How the programs ended that agents ran.",
            (counted("footprint_scripts_total", "outcome"), "{{outcome}}"),
            links=(link('{ event.footprint.script.outcome = "LABEL_outcome" } | select(span.footprint.summary)'),),
        ),
        over_time(
            "Checks that could not be run, by runtime",
            "By check and by the convention that the runtime's spans follow. Each has a switch: see the turn's"
            " footprint.unreached events.",
            (counted("footprint_unreachable_total", "check", "convention"), "{{check}} · {{convention}}"),
            links=(link('{ event.footprint.unreached.check = "LABEL_check" } | select(span.footprint.summary)'),),
        ),
        over_time(
            "Explanations cut by the backend",
            "Requests that went without our events, items left out of requests that were taken, items refused for"
            " good.",
            (
                " or ".join(
                    f"label_replace({counted(f'footprint_destinations_{what}_total', 'destination')},"
                    f' "what", "{what}", "", "")'
                    for what in ("stripped", "rejected", "refused")
                ),
                "{{destination}} {{what}}",
            ),
        ),
        turns(
            '{ span.footprint.tone = "bad" } | select(span.footprint.summary, span.footprint.signals)',
            "Latest bad turns",
            "From Tempo.",
        ),
        turns(
            '{ event.footprint.script.result =~ "completed-with-failure:.*" } | select(span.footprint.summary)',
            "Latest turns with a failed program",
            "From Tempo.",
        ),
        panel(
            "timeseries",
            "Turns that are open or wait",
            "Turns that are not decided, and requests that wait for a destination.",
            asked(
                (f"sum by (instance) (footprint_assembler_open_turns{{{CHOSEN}}})", "open turns {{instance}}"),
                (f"sum by (instance, signal) (footprint_queue_entries{{{CHOSEN}}})", "waiting {{signal}} {{instance}}"),
            ),
            Look(options=LINES),
        ),
        panel(
            "timeseries",
            "Room of the queue that is taken",
            "At 100 % senders are refused until there is room.",
            asked(
                (f"footprint_queue_bytes{{{CHOSEN}}} / footprint_queue_capacity_bytes{{{CHOSEN}}}", "{{instance}}"),
            ),
            Look(unit="percentunit", options=LINES),
        ),
    ]


def placed(found: Sequence[Panel]) -> list[Panel]:
    """Panels from left to right, as many in a row as fit, with their numbers."""
    x = y = row = 0
    for number, each in enumerate(found, start=1):
        place = each["gridPos"]
        if x + place["w"] > WIDTH:
            x, y, row = 0, y + row, 0
        place["x"], place["y"] = x, y
        x, row = x + place["w"], max(row, place["h"])
        each["id"] = number
    return list(found)


def source(name: str, label: str, kind: str) -> dict[str, Any]:
    """A choice of the data source at the top."""
    return {"type": "datasource", "name": name, "label": label, "query": kind, "refresh": 1, "hide": 0}


def label(name: str, matching: str) -> dict[str, Any]:
    """A choice of a label's values at the top, all of them by default."""
    return {
        "type": "query",
        "name": name,
        "label": name,
        "datasource": PROMETHEUS,
        "query": f"label_values(footprint_turns_total{{{matching}}}, {name})",
        "refresh": 2,
        "includeAll": True,
        "allValue": ".+",
        "multi": True,
        "current": {"text": ["All"], "value": ["$__all"]},
    }


def dashboard() -> dict[str, Any]:
    """The whole of it, as Grafana's JSON model."""
    return {
        "uid": "otel-footprint-turns",
        "title": "Agent turns, explained",
        "description": "What agents' turns did, what looks wrong in them, and what could not be checked.",
        "tags": ["otel-footprint", "genai"],
        "schemaVersion": 39,
        "editable": True,
        "graphTooltip": 1,
        "refresh": "1m",
        "time": {"from": "now-6h", "to": "now"},
        "annotations": {"list": []},
        "templating": {
            "list": [
                source("metrics", "Metrics", "prometheus"),
                source("traces", "Traces", "tempo"),
                label("job", ""),
                label("instance", 'job=~"$job"'),
            ]
        },
        "panels": placed(panels()),
    }


def main() -> None:
    """Write the file below ``--root``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="where the file is written")
    path = parser.parse_args().root / PAGE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(dashboard(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
