"""What is set of Jaeger's interface is taken by a real Jaeger, and every search we write down finds the bad turn."""

from __future__ import annotations

import json
import re
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from documents import fenced
from jaeger_server import INTERFACE, Jaeger
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import format_trace_id, set_span_in_context

from otel_footprint import FootprintSpanProcessor
from otel_footprint import semconv as names
from otel_footprint.config import Config

pytestmark = pytest.mark.integration

SERVICE = "jaeger-interface"
SETTINGS: dict[str, Any] = json.loads(INTERFACE.read_text(encoding="utf-8"))
PAGE = "docs/backends.md"
MENU = {item["label"]: item["url"] for item in SETTINGS["menu"][0]["items"]}


def turn(provider: TracerProvider, *results: str, **program: Any) -> str:
    """The trace id of a turn whose tools returned this; one without a result is not recorded."""
    tracer = provider.get_tracer("interface")
    span = tracer.start_span("invoke_agent x", attributes={"gen_ai.operation.name": "invoke_agent"})
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find", "gen_ai.tool.call.id": "c1"}
    within = set_span_in_context(span)
    for result in results or (None,):
        recorded = {} if result is None else {"gen_ai.tool.call.result": result}
        tracer.start_span("execute_tool find", within, attributes={**tool, **recorded}).end()
    for _ in range(2 if program else 0):
        run = {**tool, "gen_ai.tool.name": "run", "gen_ai.tool.call.id": "c2", "code_run.argument": "code", **program}
        tracer.start_span("execute_tool run", within, attributes=run).end()
    span.end()
    return format_trace_id(span.get_span_context().trace_id)


@pytest.fixture(scope="module")
def turns(jaeger: Jaeger) -> dict[str, str]:
    """The trace id of a turn of each tone."""
    provider = TracerProvider(resource=Resource({"service.name": SERVICE}), shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=jaeger.otlp_grpc, insecure=True)
    provider.add_span_processor(FootprintSpanProcessor(exporter, Config(preset="jaeger")))
    program = {"code_run.program": "exit 3", "code_run.exit_code": 3}
    found = {
        "bad": turn(provider, "[]", **program),
        "ok": turn(provider, '["a row"]'),
        "unknown": turn(provider),
    }
    provider.shutdown()
    return found


@pytest.mark.parametrize("line", fenced(PAGE, "Jaeger", "logfmt"))
def test_each_search_of_the_page_finds_the_bad_turn_and_no_other(
    jaeger: Jaeger, turns: dict[str, str], line: str
) -> None:
    tags = dict(pair.split("=", 1) for pair in line.split())
    assert jaeger.search(SERVICE, **tags) == {turns["bad"]}


@pytest.mark.parametrize("label", MENU)
def test_each_entry_of_the_menu_is_a_search_that_finds_its_turn(
    jaeger: Jaeger, turns: dict[str, str], label: str
) -> None:
    address = urlsplit(MENU[label])
    assert address.path == "/search"
    tags = json.loads(parse_qs(address.query)["tags"][0])
    tone = "unknown" if "not be judged" in label else "bad"
    assert jaeger.search(SERVICE, **tags) == {turns[tone]}


def test_the_preset_shows_the_signals_as_warnings_of_the_span(jaeger: Jaeger, turns: dict[str, str]) -> None:
    data = jaeger.get(f"/api/traces/{turns['bad']}")["data"]
    warnings = [span["warnings"] for trace in data for span in trace["spans"] if span["warnings"]]
    assert warnings == [["find returned no rows and did not say what it searched."]]


def test_the_interface_is_served_with_what_we_set(jaeger: Jaeger) -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{jaeger.query_port}/", timeout=20) as answer:
        page = answer.read().decode()
    said = re.search(r"JAEGER_CONFIG = (\{.*\});", page)
    assert said is not None
    assert json.loads(said[1]) == SETTINGS


def test_every_link_begins_at_a_key_of_ours_that_is_its_value() -> None:
    known = {value for name, value in vars(names).items() if name.startswith("FOOTPRINT_")}
    for pattern in SETTINGS["linkPatterns"]:
        assert pattern["key"] in known
        assert set(re.findall(r"#\{([^}]+)\}", pattern["url"])) == {"traceID", pattern["key"]}
        assert Path(pattern["url"]).parts[:2] == ("/", "trace")
