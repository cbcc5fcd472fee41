"""Stock SDK → Collector → sidecar → Collector → Jaeger: what arrives is what arrives without the sidecar, explained.

The agents are one in Python and two in Node, over gRPC and over HTTP.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from collector_server import running_collector
from jaeger_server import Jaeger, free_ports, running_jaeger
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Link, SpanKind, StatusCode, format_trace_id, set_span_in_context
from sidecar_process import running_sidecar
from waiting import wait_for

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
RECIPES = ROOT / "collector"
NODE_AGENT = ROOT / "tests" / "backends" / "node-agent"
SERVICE = Resource({"service.name": "chain", "service.version": "1.2"})
TURNS = 3
AGENTS = {"python": TURNS, "node-grpc": 2, "node-http": 2}
"""Turns of each agent."""
SPANS = 4
"""Of each turn's trace."""
ITEMS = 2
"""Metrics, and log records."""
PROGRAM = json.dumps({"command": "pytest -q"})


class Both:
    """An exporter that gives everything to two stock ones, so that the same spans go both ways."""

    def __init__(self, *exporters: Any) -> None:
        self._exporters = exporters

    def __getattr__(self, name: str) -> Any:
        return getattr(self._exporters[0], name)

    def export(self, batch: Any, *arguments: Any, **named: Any) -> Any:
        first, _ = (exporter.export(batch, *arguments, **named) for exporter in self._exporters)
        return first

    def shutdown(self, *arguments: Any, **named: Any) -> None:
        for exporter in self._exporters:
            exporter.shutdown(*arguments, **named)


def agent_works(entrances: Sequence[str]) -> list[str]:
    """Turns of an agent below the span of a server, a metric and two log records; gives the trace ids."""
    provider = TracerProvider(resource=SERVICE, shutdown_on_exit=False)
    exporters: list[Any] = [OTLPSpanExporter(endpoint=entrance, insecure=True) for entrance in entrances]
    both: Any = Both(*exporters)
    provider.add_span_processor(BatchSpanProcessor(both))
    traces = [turn(provider, number) for number in range(TURNS)]
    provider.shutdown()

    metrics: Any = Both(*(OTLPMetricExporter(endpoint=entrance, insecure=True) for entrance in entrances))
    meters = MeterProvider([PeriodicExportingMetricReader(metrics)], resource=SERVICE, shutdown_on_exit=False)
    meters.get_meter("chain", "1").create_counter("turns", "1").add(TURNS, {"gen_ai.agent.name": "helper"})
    meters.get_meter("chain", "1").create_histogram("seconds", "s").record(0.25)
    meters.shutdown()

    logs: Any = Both(*(OTLPLogExporter(endpoint=entrance, insecure=True) for entrance in entrances))
    loggers = LoggerProvider(resource=SERVICE, shutdown_on_exit=False)
    loggers.add_log_record_processor(BatchLogRecordProcessor(logs))
    logger = loggers.get_logger("chain", "1")
    logger.emit(body="it works", attributes={"count": 2, "ok": True})
    logger.emit(event_name="gen_ai.user.message", body={"content": "run the tests"}, attributes={"parts": ["a", "b"]})
    loggers.shutdown()
    return traces


def node_works(entrances: Sequence[str]) -> list[str]:
    """The same turns of an agent in Node, without the metric and the records; gives the trace ids."""
    command = [shutil.which("node") or "node", "agent.mjs", *entrances]
    done = subprocess.run(command, cwd=NODE_AGENT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def turn(provider: TracerProvider, number: int) -> str:
    tracer = provider.get_tracer("chain", "1", schema_url="https://opentelemetry.io/schemas/1.37.0")
    server = tracer.start_span("POST /ask", kind=SpanKind.SERVER, attributes={"http.request.method": "POST"})
    agent = tracer.start_span(
        "invoke_agent helper",
        set_span_in_context(server),
        attributes={"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper", "order": [1, 2, 3]},
        links=[Link(server.get_span_context(), {"why": "asked"})],
    )
    within = set_span_in_context(agent)
    asked: dict[str, str | int] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "large",
        "gen_ai.usage.input_tokens": 12,
    }
    chat = tracer.start_span("chat large", within, kind=SpanKind.CLIENT, attributes=asked)
    chat.add_event("gen_ai.choice", {"finish_reason": "tool_calls"})
    chat.end()
    tool = tracer.start_span(
        "execute_tool bash",
        within,
        attributes={
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "bash",
            "gen_ai.tool.call.id": f"call-{number}",
            "gen_ai.tool.call.arguments": PROGRAM,
            "gen_ai.tool.call.result": json.dumps({"exit_code": number, "stdout": "1 failed"}),
        },
    )
    if number:
        tool.set_status(StatusCode.ERROR, "it failed")
    tool.end()
    agent.end()
    server.end()
    return format_trace_id(server.get_span_context().trace_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to a backend: where it begins, its Jaeger, and the file with all that reached the last Collector."""

    grpc: str
    http: str
    jaeger: Jaeger
    file: Path

    def spans(self, trace_id: str) -> dict[str, Any]:
        """The spans of a trace by id, each with its resource and scope; none before it came."""
        try:
            groups = self.jaeger.otlp(trace_id)
        except LookupError:
            return {}
        return {
            one["spanId"]: {**one, "of": [group["resource"], scope["scope"]]}
            for group in groups
            for scope in group["scopeSpans"]
            for one in scope["spans"]
        }

    def items(self, signal: str) -> list[str]:
        """The metrics or log records that came, each with its resource and scope, as JSON in one order."""
        groups, scopes, each = {
            "metrics": ("resourceMetrics", "scopeMetrics", "metrics"),
            "logs": ("resourceLogs", "scopeLogs", "logRecords"),
        }[signal]
        lines = self.file.read_text(encoding="utf-8").splitlines() if self.file.exists() else []
        return sorted(
            json.dumps([group["resource"], scope["scope"], item], sort_keys=True)
            for line in lines
            for group in json.loads(line).get(groups, ())
            for scope in group[scopes]
            for item in scope[each]
        )


@contextlib.contextmanager
def back_collector(folder: Path) -> Iterator[tuple[str, Jaeger, Path]]:
    """The recipe's Collector before a Jaeger; metrics and logs go to a file."""
    folder.mkdir()
    configuration: dict[str, Any] = yaml.safe_load((RECIPES / "chain" / "back.yaml").read_text(encoding="utf-8"))
    file = folder / "arrived.json"
    configuration["exporters"]["file"] = {"path": str(file), "flush_interval": "100ms"}
    pipelines = configuration["service"]["pipelines"]
    pipelines["traces"]["exporters"] = ["otlp/jaeger"]
    pipelines["metrics"]["exporters"] = pipelines["logs"]["exporters"] = ["file"]
    path = folder / "back.yaml"
    path.write_text(yaml.safe_dump(configuration), encoding="utf-8")
    (port,) = free_ports(1)
    entrance = f"127.0.0.1:{port}"
    with (
        running_jaeger(folder) as jaeger,
        running_collector(path, {"LISTEN_GRPC": entrance, "JAEGER": jaeger.otlp_grpc.removeprefix("http://")}),
    ):
        yield entrance, jaeger, file


def has_all(way: Way, traces: Sequence[str]) -> bool:
    return all(len(way.spans(trace_id)) == SPANS for trace_id in traces) and all(
        len(way.items(signal)) == ITEMS for signal in ("metrics", "logs")
    )


@pytest.fixture(scope="module")
def arrived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Way, Way, dict[str, list[str]]]]:
    """Both ways after the agents worked, through the sidecar and without it, and the trace ids by agent."""
    folder = tmp_path_factory.mktemp("chain")
    sidecar, front, front_http, plain, plain_http = (f"127.0.0.1:{port}" for port in free_ports(5))
    recipe = RECIPES / "chain"
    with (
        back_collector(folder / "with") as (back, jaeger, file),
        back_collector(folder / "without") as (plain_back, plain_jaeger, plain_file),
        running_sidecar(
            recipe / "sidecar.yaml",
            {
                "LISTEN_GRPC": sidecar,
                "QUEUE_DIRECTORY": str(folder / "queue"),
                "TELEMETRY": "127.0.0.1:0",
                "BACK_COLLECTOR": back,
            },
        ),
        running_collector(recipe / "front.yaml", {"LISTEN_GRPC": front, "LISTEN_HTTP": front_http, "SIDECAR": sidecar}),
        running_collector(
            recipe / "front.yaml", {"LISTEN_GRPC": plain, "LISTEN_HTTP": plain_http, "SIDECAR": plain_back}
        ),
    ):
        through = Way(grpc=front, http=front_http, jaeger=jaeger, file=file)
        beside = Way(grpc=plain, http=plain_http, jaeger=plain_jaeger, file=plain_file)
        ways = (through, beside)
        traces = {
            "python": agent_works([f"http://{way.grpc}" for way in ways]),
            "node-grpc": node_works([f"grpc://{way.grpc}" for way in ways]),
            "node-http": node_works([f"http://{way.http}" for way in ways]),
        }
        for way in ways:
            wait_for(partial(has_all, way, [trace_id for of_agent in traces.values() for trace_id in of_agent]))
        yield through, beside, traces


def is_ours(part: dict[str, Any]) -> bool:
    """Whether an event or an attribute is one of ours."""
    return str(part.get("name", part.get("key"))).startswith("footprint.")


def parts(one: dict[str, Any]) -> list[dict[str, Any]]:
    return [*one.get("events", ()), *one.get("attributes", ())]


def without_ours(one: dict[str, Any]) -> dict[str, Any]:
    """The span as it was sent. Jaeger adds a warning of its own each time it is asked for a span of another clock."""
    kept = {key: [part for part in one.get(key, ()) if not is_ours(part)] for key in ("events", "attributes")}
    kept["attributes"] = [part for part in kept["attributes"] if not part["key"].startswith("@jaeger@")]
    return {**one, **kept}


@pytest.mark.parametrize("agent", AGENTS)
def test_the_trace_in_jaeger_is_the_one_without_the_sidecar_and_the_explanation(
    arrived: tuple[Way, Way, dict[str, list[str]]], agent: str
) -> None:
    through, beside, traces = arrived
    assert len(traces[agent]) == AGENTS[agent]
    for trace_id in traces[agent]:
        explained, plain = through.spans(trace_id), beside.spans(trace_id)
        assert explained.keys() == plain.keys()
        for span_id, one in plain.items():
            assert without_ours(explained[span_id]) == without_ours(one)
        ours = [one["name"] for one in explained.values() if any(map(is_ours, parts(one)))]
        assert ours == ["invoke_agent helper"]


@pytest.mark.parametrize("agent", AGENTS)
def test_the_explanation_says_what_the_program_came_to(
    arrived: tuple[Way, Way, dict[str, list[str]]], agent: str
) -> None:
    through, _, traces = arrived
    failed = []
    for trace_id in traces[agent]:
        (turns,) = [span for span in through.jaeger.trace(trace_id) if span.name == "invoke_agent helper"]
        assert [event.name for event in turns.events if event.name == "footprint.account"]
        failed.append(turns.tags["footprint.scripts.failed"])
    assert failed == [0, 1, 1][: AGENTS[agent]]


@pytest.mark.parametrize("signal", ["metrics", "logs"])
def test_metrics_and_logs_arrive_unchanged(arrived: tuple[Way, Way, dict[str, list[str]]], signal: str) -> None:
    through, beside, _ = arrived
    assert through.items(signal) == beside.items(signal)
    assert len(through.items(signal)) == ITEMS
