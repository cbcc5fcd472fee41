"""A real Jaeger for tests: started on free loopback ports with its memory storage, and read through its own API."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from server_log import binary_of, running_server

READY = b"Everything is ready"
"""What the Collector, on which Jaeger is built, logs after every receiver listens."""

INTERFACE = Path(__file__).parents[2] / "collector" / "jaeger" / "ui-config.json"
"""What is set of its interface."""

ANSWER_SECONDS = 20

CONFIGURATION = """
service:
  extensions: [jaeger_storage, jaeger_query]
  pipelines:
    traces:
      receivers: [otlp]
      exporters: [jaeger_storage_exporter]
  telemetry:
    metrics:
      level: none
extensions:
  jaeger_storage:
    backends:
      memory:
        memory:
          max_traces: 10000
  jaeger_query:
    storage:
      traces: memory
    ui:
      config_file: {interface}
    http:
      endpoint: 127.0.0.1:{query}
    grpc:
      endpoint: 127.0.0.1:{query_grpc}
receivers:
  otlp:
    protocols:
      grpc:
        endpoint: 127.0.0.1:{grpc}
      http:
        endpoint: 127.0.0.1:{http}
exporters:
  jaeger_storage_exporter:
    trace_storage: memory
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class JaegerEvent:
    """A span event; Jaeger calls it a log and keeps the event's name as its field ``event``."""

    name: str
    time_us: int
    fields: tuple[tuple[str, Any], ...]
    """Key and value in the order of the API, without the name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JaegerSpan:
    """A span as Jaeger's interface gets it."""

    trace_id: str
    span_id: str
    name: str
    service: str
    start_us: int
    tags: Mapping[str, Any]
    """Attributes, the ones that Jaeger adds included (``span.kind``, ``otel.status_code``, ...)."""
    events: tuple[JaegerEvent, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Jaeger:
    """Where a running Jaeger listens, and its query API."""

    otlp_grpc: str
    """``http://host:port`` for the gRPC exporter."""
    otlp_http: str
    """``http://host:port`` for the HTTP exporter; it wants ``/v1/traces`` behind it when set in code."""
    query_port: int

    def get(self, path: str, **parameters: str) -> Any:
        """The JSON answer to a GET of the query API.

        Args:
            path: Begins with ``/api/``.
            parameters: The query.

        Raises:
            LookupError: Any other status than 200; the text holds the answer.
        """
        connection = http.client.HTTPConnection("127.0.0.1", self.query_port, timeout=ANSWER_SECONDS)
        with contextlib.closing(connection):
            connection.request("GET", f"{path}?{urlencode(parameters)}" if parameters else path)
            answer = connection.getresponse()
            body = answer.read()
        if answer.status != http.client.OK:
            raise LookupError(f"{path}: {answer.status} {body.decode(errors='replace')}")
        return json.loads(body)

    def trace(self, trace_id: str) -> tuple[JaegerSpan, ...]:
        """The spans of a trace by start time.

        Raises:
            LookupError: There is no such trace.
        """
        spans = _spans(self.get(f"/api/traces/{trace_id}")["data"])
        return tuple(sorted(spans, key=lambda span: (span.start_us, span.span_id)))

    def search(self, service: str, **tags: str) -> frozenset[str]:
        """The ids of the traces that have a span with all of these tags.

        Args:
            service: The service's name.
            tags: Looked for in attributes and in the fields of events.
        """
        found = self.get("/api/traces", service=service, tags=json.dumps(tags), limit="1000", lookback="1h")
        return frozenset(trace["traceID"] for trace in found["data"])

    def otlp(self, trace_id: str) -> list[dict[str, Any]]:
        """The trace as ``resourceSpans`` of OTLP JSON.

        Raises:
            LookupError: There is no such trace.
        """
        found: list[dict[str, Any]] = self.get(f"/api/v3/traces/{trace_id}")["result"]["resourceSpans"]
        return found


def _spans(traces: list[dict[str, Any]]) -> Iterator[JaegerSpan]:
    for trace in traces:
        for span in trace["spans"]:
            yield JaegerSpan(
                trace_id=span["traceID"],
                span_id=span["spanID"],
                name=span["operationName"],
                service=trace["processes"][span["processID"]]["serviceName"],
                start_us=span["startTime"],
                tags={tag["key"]: tag["value"] for tag in span["tags"]},
                events=tuple(_event(log) for log in span["logs"] or ()),
            )


def _event(log: dict[str, Any]) -> JaegerEvent:
    fields = [(field["key"], field["value"]) for field in log["fields"]]
    return JaegerEvent(
        name=dict(fields).get("event", ""),
        time_us=log["timestamp"],
        fields=tuple(field for field in fields if field[0] != "event"),
    )


def free_ports(count: int) -> tuple[int, ...]:
    """Loopback ports that nothing listens on; all are held until the last is found, so they differ."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return tuple(each.getsockname()[1] for each in sockets)


@contextlib.contextmanager
def running_jaeger(folder: Path) -> Iterator[Jaeger]:
    """Start Jaeger and end it at the end of the block.

    Args:
        folder: Where its configuration is written.

    Yields:
        A Jaeger that answers on all of its ports.

    Raises:
        LookupError: There is no binary.
        RuntimeError: It ended or was not ready in time; the text holds its log.
    """
    grpc, http_port, query, query_grpc = free_ports(4)
    configuration = folder / "jaeger.yaml"
    text = CONFIGURATION.format(grpc=grpc, http=http_port, query=query, query_grpc=query_grpc, interface=INTERFACE)
    configuration.write_text(text, encoding="utf-8")
    # Nothing in its memory is worth the ten seconds that an orderly stop takes.
    with running_server([binary_of("JAEGER_BINARY"), "--config", configuration], READY):
        yield Jaeger(otlp_grpc=f"http://127.0.0.1:{grpc}", otlp_http=f"http://127.0.0.1:{http_port}", query_port=query)
