"""The dashboard, the alerts and the searches name only what a running sidecar sends.

That the files are what Grafana and Prometheus take is shown by tests/integration/test_grafana_files.py.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path

import aiohttp
import pytest
import yaml
from grafana import BOARD, GRAFANA, expressions, searches, targets
from jaeger_server import free_ports
from otlp import SPANS, spans_of
from prometheus_client.parser import text_string_to_metric_families
from sidecars import JSON, Backend, run

SCRAPED = {"job", "instance"}
"""What Prometheus itself puts on every series."""
DUMPS = ("vercel_ai_v7", "agentfootprint", "claude_code_full", "pydantic_ai", "openai_agents_otel_genai_nocontent")


class Sent:
    """What a sidecar sent: metrics with their labels, and the keys of what it added to spans."""

    def __init__(self, exposition: str, bodies: list[bytes]) -> None:
        self.metrics: dict[str, set[str]] = {}
        self.values: dict[tuple[str, str], set[str]] = {}
        for family in text_string_to_metric_families(exposition):
            name = f"{family.name}_total" if family.type == "counter" else family.name
            self.metrics.setdefault(name, set())
            for sample in family.samples:
                self.metrics.setdefault(sample.name, set()).update(sample.labels)
                for label, value in sample.labels.items():
                    self.values.setdefault((sample.name, label), set()).add(value)
        self.attributes: set[str] = set()
        self.events: set[str] = set()
        self.event_keys: set[str] = set()
        for span in spans_of(*bodies):
            self.attributes.update(attribute.key for attribute in span.attributes)
            for event in span.events:
                self.events.add(event.name)
                self.event_keys.update(attribute.key for attribute in event.attributes)


async def of_a_process(folder: Path) -> Sent:
    """Start the command, give it real agents' spans, and take what it sends and shows."""
    async with Backend().serving() as backend, aiohttp.ClientSession() as session:
        port, telemetry = free_ports(2)
        config = folder / "sidecar.yaml"
        config.write_text(
            f"""\
receivers:
  grpc: {{endpoints: []}}
  http: {{endpoints: "127.0.0.1:{port}"}}
telemetry: {{endpoint: "127.0.0.1:{telemetry}"}}
hold: {{seconds: 0}}
destinations:
  - name: backend
    endpoint: http://127.0.0.1:{backend.port}
    protocol: http/protobuf
""",
            encoding="utf-8",
        )
        command = [sys.executable, "-m", "otel_footprint.cli", "sidecar", "--config", str(config)]
        process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
        try:
            assert process.stderr is not None
            while b"listens on" not in (line := await process.stderr.readline()):
                assert line, "it ended before it listened"
            for name in DUMPS:
                body = (SPANS / f"{name}.otlp.json").read_bytes()
                url = f"http://127.0.0.1:{port}/v1/traces"
                async with session.post(url, data=body, headers={"content-type": JSON}) as answer:
                    assert answer.status == 200
            await backend.until(lambda: len(list(spans_of(*backend("traces")))) >= spans_in(DUMPS))
            text = ""
            # the statistics are those of the last look at the clock, five times a second
            while "footprint_reasons_total{" not in text:
                await asyncio.sleep(0.1)
                async with session.get(f"http://127.0.0.1:{telemetry}/metrics") as answer:
                    text = await answer.text()
        finally:
            process.terminate()
            await process.communicate()
        return Sent(text, backend("traces"))


def spans_in(names: tuple[str, ...]) -> int:
    """How many spans these dumps hold."""
    requests = [json.loads((SPANS / f"{name}.otlp.json").read_bytes()) for name in names]
    scopes = [
        scope for request in requests for resource in request["resourceSpans"] for scope in resource["scopeSpans"]
    ]
    return sum(len(scope["spans"]) for scope in scopes)


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Sent:
    found: list[Sent] = []

    async def ask() -> None:
        found.append(await of_a_process(tmp_path_factory.mktemp("sidecar")))

    run(ask())
    return found[0]


def metrics_in(expression: str) -> set[str]:
    return set(re.findall(r"\bfootprint_[a-z_]+", expression))


@pytest.mark.parametrize("expression", expressions())
def test_every_metric_and_label_of_a_query_is_one_that_a_running_sidecar_sent(sent: Sent, expression: str) -> None:
    assert metrics_in(expression)
    assert metrics_in(expression) <= set(sent.metrics)
    if "footprint_errors_total" in expression:
        # no error happened; its label is that of the table of metrics
        return
    own = set().union(*(sent.metrics[name] for name in metrics_in(expression))) | SCRAPED
    asked = set(re.findall(r"([a-z_]+)(?:=~|!~|!=|=)\"", expression))
    for grouped in re.findall(r"\bby \(([^)]*)\)", expression):
        asked.update(label.strip() for label in grouped.split(","))
    assert asked <= own


def test_every_label_of_a_legend_is_one_of_its_query() -> None:
    for target in targets():
        for label in re.findall(r"\{\{(\w+)\}\}", target.get("legendFormat", "")):
            grouped = ",".join(re.findall(r"\bby \(([^)]*)\)", target["expr"]))
            assert re.search(rf"\b{label}\b", grouped) or label == "instance" or f'"{label}"' in target["expr"]


def test_the_tones_that_are_asked_for_are_those_of_the_vocabulary(sent: Sent) -> None:
    asked = {tone for expression in expressions() for tone in re.findall(r'tone="(\w+)"', expression)}
    assert asked <= {"ok", "warn", "bad", "unknown"}
    assert "bad" in sent.values["footprint_turns_total", "tone"]


@pytest.mark.parametrize("search", searches())
def test_every_attribute_and_event_of_a_search_is_one_that_a_running_sidecar_sent(sent: Sent, search: str) -> None:
    attributes = set(re.findall(r"span\.(footprint[a-z_.]*)", search))
    keys = set(re.findall(r"event\.(footprint[a-z_.]*)", search))
    assert attributes | keys
    assert attributes <= sent.attributes
    assert keys <= sent.event_keys
    assert set(re.findall(r'event:name = "([^"]+)"', search)) <= sent.events


def test_the_dashboard_shows_what_it_is_for() -> None:
    shown = set().union(*map(metrics_in, (target["expr"] for target in targets() if "expr" in target)))
    assert {
        *("footprint_turns_total", "footprint_signals_total", "footprint_reasons_total", "footprint_scripts_total"),
        *("footprint_unreachable_total", "footprint_destinations_stripped_total"),
    } <= shown


def test_every_panel_says_what_it_shows_and_none_covers_another() -> None:
    cells: set[tuple[int, int]] = set()
    for panel in BOARD["panels"]:
        assert panel["title"]
        assert panel["description"]
        place = panel["gridPos"]
        own = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert max(x for x, _ in own) < 24
        assert not own & cells
        cells |= own
    ids = [panel["id"] for panel in BOARD["panels"]]
    assert len(set(ids)) == len(ids)


def test_every_query_is_narrowed_to_what_was_chosen_at_the_top() -> None:
    chosen = {choice["name"] for choice in BOARD["templating"]["list"]}
    assert chosen == {"metrics", "traces", "job", "instance"}
    for target in targets():
        if "expr" in target:
            assert target["expr"].count('job=~"$job",instance=~"$instance"') == len(
                re.findall(r"\bfootprint_[a-z_]+\{", target["expr"])
            )
        assert target["datasource"]["uid"] in {"${metrics}", "${traces}"}


def test_a_rate_is_taken_over_as_long_as_the_panel_wants() -> None:
    for target in targets():
        for span in re.findall(r"\[([^\]]+)\]", target.get("expr", "")):
            assert span in {"$__rate_interval", "$__range"}


def test_the_data_sources_lead_to_each_other() -> None:
    path = GRAFANA / "provisioning" / "datasources" / "otel-footprint.yaml"
    sources = {source["type"]: source for source in yaml.safe_load(path.read_text(encoding="utf-8"))["datasources"]}
    (exemplar,) = sources["prometheus"]["jsonData"]["exemplarTraceIdDestinations"]
    assert exemplar["datasourceUid"] == sources["tempo"]["uid"]
    leads = sources["tempo"]["jsonData"]["tracesToMetrics"]
    assert leads["datasourceUid"] == sources["prometheus"]["uid"]
    assert all("$$__tags" in query["query"] for query in leads["queries"])
    recipe = yaml.safe_load((GRAFANA.parent / "spanmetrics.yaml").read_text(encoding="utf-8"))
    counted = recipe["connectors"]["spanmetrics"]
    known = [*counted["dimensions"], *counted["events"]["dimensions"]]
    asked = {label for query in leads["queries"] for label in re.findall(r"\bfootprint_\w+", query["query"])}
    assert asked <= {dimension["name"].replace(".", "_") for dimension in known}
    assert counted["exemplars"]["enabled"] is True


def test_the_dashboard_is_found_where_it_is_said_to_be_put() -> None:
    path = GRAFANA / "provisioning" / "dashboards" / "otel-footprint.yaml"
    (provider,) = yaml.safe_load(path.read_text(encoding="utf-8"))["providers"]
    page = (GRAFANA.parents[1] / "docs" / "backends.md").read_text(encoding="utf-8")
    assert f"`{provider['options']['path']}`" in page
