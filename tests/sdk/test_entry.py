from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.sdk.trace.export import SpanExporter

from otel_footprint._errors import ConfigError
from otel_footprint.sdk.entry import PROTOCOL_VARIABLES, FootprintTracesExporter

TRACES, GENERAL = PROTOCOL_VARIABLES


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (TRACES, GENERAL, "FOOTPRINT_CONFIG", "FOOTPRINT_MAX_EVENTS"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("environment", "kind"),
    [
        ({}, GrpcExporter),
        ({GENERAL: ""}, GrpcExporter),
        ({GENERAL: "grpc"}, GrpcExporter),
        ({GENERAL: "http/protobuf"}, HttpExporter),
        ({GENERAL: "grpc", TRACES: "http/protobuf"}, HttpExporter),
        ({GENERAL: "http/protobuf", TRACES: "grpc"}, GrpcExporter),
    ],
)
def test_the_usual_variables_choose_the_wrapped_exporter(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], kind: type[SpanExporter]
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    exporter = FootprintTracesExporter()
    assert type(exporter._exporter) is kind
    exporter.shutdown()


@pytest.mark.parametrize("variable", PROTOCOL_VARIABLES)
def test_an_unknown_protocol_is_refused_by_the_name_of_its_variable(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "http/json")
    with pytest.raises(ConfigError, match=rf"^{variable} is 'http/json': set it to grpc or http/protobuf$"):
        FootprintTracesExporter()


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTPRINT_MAX_EVENTS", "5")
    exporter = FootprintTracesExporter()
    assert exporter._config.max_events == 5
    exporter.shutdown()


def test_arguments_go_to_the_wrapped_exporter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TRACES, "http/protobuf")
    exporter = FootprintTracesExporter(endpoint="http://127.0.0.1:1/v1/traces")
    assert exporter._exporter._endpoint == "http://127.0.0.1:1/v1/traces"  # type: ignore[attr-defined]
    exporter.shutdown()


def test_the_sdk_takes_it_for_a_span_exporter() -> None:
    assert issubclass(FootprintTracesExporter, SpanExporter)


def test_an_installed_distribution_offers_it_under_its_name() -> None:
    found: Any = entry_points(group="opentelemetry_traces_exporter", name="footprint")
    if not found:
        pytest.skip("the package is not installed here, only importable")
    assert all(entry.load() is FootprintTracesExporter for entry in found)
