"""Every Collector configuration in collector/ is taken and started by a real Collector, and does what it says."""

from __future__ import annotations

import contextlib
import http.client
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from collector_server import complaints, running_collector
from jaeger_server import Jaeger, free_ports
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.trace import Span, format_trace_id, set_span_in_context
from waiting import wait_for

from otel_footprint import FootprintSpanProcessor

pytestmark = pytest.mark.integration

RECIPES = Path(__file__).parents[2] / "collector"
TURN = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper"}
TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search", "gen_ai.tool.call.arguments": "{}"}


def configurations() -> dict[str, str]:
    """Every Collector configuration, by where it stands."""
    names = ("chain/front.yaml", "chain/back.yaml", "tail-sampling.yaml", "spanmetrics.yaml", "gateway.yaml")
    found = {name: (RECIPES / name).read_text(encoding="utf-8") for name in names}
    for document in yaml.safe_load_all((RECIPES / "kubernetes" / "gateway.yaml").read_text(encoding="utf-8")):
        if document["kind"] == "ConfigMap" and "collector.yaml" in document["data"]:
            found["kubernetes/gateway.yaml"] = document["data"]["collector.yaml"]
    return found


def prepared(name: str, folder: Path) -> Path:
    """The configuration as it is, except for what this Collector or this machine does not have.

    The load balancer is no part of the tests' Collector, since its module cannot be had in this version: what it says
    of the protocol to its sidecars is given to a plain OTLP exporter. Ports that are written out become free ones.
    """
    text = configurations()[name]
    for port in (4317, 4318):
        text = text.replace(f'"0.0.0.0:{port}"', f'"127.0.0.1:{free_ports(1)[0]}"')
    read: dict[str, Any] = yaml.safe_load(text)
    balanced = read["exporters"].pop("loadbalancing", None)
    if balanced is not None:
        host, port = balanced["resolver"]["dns"]["hostname"], balanced["resolver"]["dns"]["port"]
        read["exporters"]["otlp/balanced"] = {"endpoint": f"{host}:{port}", **balanced["protocol"]["otlp"]}
        read["service"]["pipelines"]["traces"]["exporters"] = ["otlp/balanced"]
        text = yaml.safe_dump(read)
    path = folder / "collector.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def own_ports() -> dict[str, str]:
    grpc, http, prometheus = free_ports(3)
    return {
        "LISTEN_GRPC": f"127.0.0.1:{grpc}",
        "LISTEN_HTTP": f"127.0.0.1:{http}",
        "PROMETHEUS": f"127.0.0.1:{prometheus}",
    }


@pytest.mark.parametrize("name", configurations())
def test_every_configuration_is_taken_and_starts(name: str, tmp_path: Path) -> None:
    path = prepared(name, tmp_path)
    assert complaints(path) == ""
    with running_collector(path, own_ports()) as log:
        assert log.ready


@contextlib.contextmanager
def agent(endpoint: str, service: str) -> Iterator[Callable[[str], str]]:
    """An agent that explains its own turns; the function runs one whose tool returned this, and gives its trace id."""
    provider = TracerProvider(resource=Resource({"service.name": service}), shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=endpoint, insecure=True)
    provider.add_span_processor(FootprintSpanProcessor(exporter))
    tracer = provider.get_tracer("recipes")

    def run(result: str) -> str:
        turn: Span = tracer.start_span("invoke_agent helper", attributes=TURN)
        attributes = {**TOOL, "gen_ai.tool.call.result": result}
        tracer.start_span("execute_tool search", set_span_in_context(turn), attributes=attributes).end()
        turn.end()
        provider.force_flush()
        return format_trace_id(turn.get_span_context().trace_id)

    try:
        yield run
    finally:
        provider.shutdown()


def started(name: str, **environ: str) -> contextlib.AbstractContextManager[Any]:
    return running_collector(RECIPES / name, environ)


def names_of(jaeger: Jaeger, trace_id: str) -> set[str]:
    try:
        return {span.name for span in jaeger.trace(trace_id)}
    except LookupError:
        return set()


def has_whole(jaeger: Jaeger, trace_id: str) -> bool:
    return names_of(jaeger, trace_id) == {"invoke_agent helper", "execute_tool search"}


def test_the_two_collectors_of_the_chain_pass_a_trace_on_to_jaeger(jaeger: Jaeger) -> None:
    back, front = own_ports(), own_ports()
    address = jaeger.otlp_grpc.removeprefix("http://")
    with (
        started("chain/back.yaml", **back, JAEGER=address, TEMPO=address),
        started("chain/front.yaml", **front, SIDECAR=back["LISTEN_GRPC"]),
        agent(f"http://{front['LISTEN_GRPC']}", "recipe-chain") as run,
    ):
        trace_id = run("[]")
        wait_for(lambda: has_whole(jaeger, trace_id))
        assert trace_id in jaeger.search("recipe-chain", **{"footprint.tone": "bad"})


def test_tail_sampling_keeps_the_bad_turns_and_leaves_the_others_out(jaeger: Jaeger) -> None:
    ports = own_ports()
    environ = {"BACKEND": jaeger.otlp_grpc.removeprefix("http://"), "DECISION_WAIT": "2s", "KEPT_PERCENT": "0"}
    with (
        started("tail-sampling.yaml", **ports, **environ),
        agent(f"http://{ports['LISTEN_GRPC']}", "recipe-tail") as run,
    ):
        good = [run('["a row"]') for _ in range(3)]
        bad = [run("[]") for _ in range(3)]
        last = run("[]")
        # traces are judged in the order in which they began
        wait_for(lambda: has_whole(jaeger, last))
        assert all(has_whole(jaeger, trace_id) for trace_id in bad)
        assert [names_of(jaeger, trace_id) for trace_id in good] == [set()] * 3


@pytest.mark.parametrize("kept", ["empty-results-used", "bad-turns", "incomplete-turns", "failed-programs"])
def test_each_policy_keeps_by_itself_what_it_is_for(jaeger: Jaeger, tmp_path: Path, kept: str) -> None:
    read = yaml.safe_load((RECIPES / "tail-sampling.yaml").read_text(encoding="utf-8"))
    sampling = read["processors"]["tail_sampling"]
    sampling["policies"] = [policy for policy in sampling["policies"] if policy["name"] == kept]
    path = tmp_path / "one-policy.yaml"
    path.write_text(yaml.safe_dump(read), encoding="utf-8")
    ports = own_ports()
    environ = {**ports, "BACKEND": jaeger.otlp_grpc.removeprefix("http://"), "DECISION_WAIT": "1s"}
    provider = TracerProvider(resource=Resource({"service.name": f"recipe-{kept}"}), shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=f"http://{ports['LISTEN_GRPC']}", insecure=True)
    with running_collector(path, environ):
        ids = {}
        # the one that is kept comes last: traces are judged in the order in which they began
        for name in sorted(WRITTEN, key=lambda name: name == kept):
            attributes, event = WRITTEN[name]
            span = provider.get_tracer("recipes").start_span(name, attributes=attributes)
            if event:
                span.add_event(*event)
            span.end()
            assert isinstance(span, ReadableSpan)
            exporter.export([span])
            ids[name] = format_trace_id(span.get_span_context().trace_id)
        wait_for(lambda: names_of(jaeger, ids[kept]) == {kept})
        assert {name for name, trace_id in ids.items() if names_of(jaeger, trace_id)} == {kept}
    exporter.shutdown()


WRITTEN: Mapping[str, tuple[dict[str, Any], tuple[str, dict[str, Any]] | None]] = {
    "bad-turns": ({"footprint.tone": "bad"}, None),
    "incomplete-turns": ({"footprint.tone": "unknown", "footprint.incomplete": True}, None),
    "empty-results-used": (
        {"footprint.tone": "warn"},
        ("footprint.signal", {"footprint.signal.id": "undeclared-empty-used"}),
    ),
    "failed-programs": (
        {"footprint.tone": "warn"},
        ("footprint.script", {"footprint.script.result": "completed-with-failure:exit:3"}),
    ),
    "another-signal": ({"footprint.tone": "warn"}, ("footprint.signal", {"footprint.signal.id": "another"})),
    "good": ({"footprint.tone": "ok", "footprint.incomplete": False}, None),
}
"""By the policy that is to keep it: attributes and an event of a turn's span."""


def test_spanmetrics_counts_turns_by_tone_and_events_by_signal(jaeger: Jaeger) -> None:
    ports = own_ports()
    environ = {"BACKEND": jaeger.otlp_grpc.removeprefix("http://"), "FLUSH_INTERVAL": "1s"}
    with (
        started("spanmetrics.yaml", **ports, **environ),
        agent(f"http://{ports['LISTEN_GRPC']}", "recipe-metrics") as run,
    ):
        for result in ("[]", "[]", '["a row"]'):
            run(result)

        def shown(*words: str) -> list[float]:
            with urllib.request.urlopen(f"http://{ports['PROMETHEUS']}/metrics", timeout=20) as answer:
                lines = answer.read().decode().splitlines()
            return [float(line.rpartition(" ")[2]) for line in lines if all(word in line for word in words)]

        calls, events = "traces_span_metrics_calls_total{", "traces_span_metrics_events_total{"
        wait_for(lambda: shown(calls, 'footprint_tone="bad"') == [2.0])
        assert sum(shown(calls, 'footprint_tone="')) == 3.0
        assert shown(events, 'footprint_signal_id="undeclared-empty-used"') == [2.0]


def test_spanmetrics_sends_a_turns_trace_id_beside_its_count(jaeger: Jaeger) -> None:
    ports = own_ports()
    environ = {"BACKEND": jaeger.otlp_grpc.removeprefix("http://"), "FLUSH_INTERVAL": "2s"}
    host, _, port = ports["PROMETHEUS"].partition(":")
    with (
        started("spanmetrics.yaml", **ports, **environ),
        agent(f"http://{ports['LISTEN_GRPC']}", "recipe-exemplars") as run,
    ):
        trace_id = run("[]")

        def shown() -> str:
            connection = http.client.HTTPConnection(host, int(port), timeout=20)
            with contextlib.closing(connection):
                connection.request("GET", "/metrics", headers={"Accept": "application/openmetrics-text"})
                return connection.getresponse().read().decode()

        # an exemplar is there for one interval alone
        wait_for(
            lambda: any(
                'footprint_tone="bad"' in line and f'trace_id="{trace_id}"' in line for line in shown().splitlines()
            )
        )
