"""A receiver of OTLP over HTTP that keeps what it is sent."""

from __future__ import annotations

import contextlib
import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

_REQUESTS: Final[dict[str, Any]] = {"/v1/traces": ExportTraceServiceRequest, "/v1/logs": ExportLogsServiceRequest}


class Received:
    """What came, in its order."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.requests: list[Any] = []

    @property
    def spans(self) -> list[Any]:
        """Every span."""
        groups = [group for request in self.requests for group in getattr(request, "resource_spans", ())]
        return [span for group in groups for scope in group.scope_spans for span in scope.spans]

    @property
    def logs(self) -> list[Any]:
        """Every log record."""
        groups = [group for request in self.requests for group in getattr(request, "resource_logs", ())]
        return [record for group in groups for scope in group.scope_logs for record in scope.log_records]


@contextlib.contextmanager
def otlp_receiver() -> Iterator[Received]:
    """Receive on a free port of loopback until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            known = _REQUESTS.get(self.path)
            if known is not None:
                received.requests.append(known.FromString(body))
            self.send_response(200 if known is not None else 404)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    received = Received(server.server_port)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield received
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
