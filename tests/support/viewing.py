"""A running ``otel-footprint view`` for tests, and requests to it."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import uvicorn
from jaeger_server import free_ports

from otel_footprint.config import Config
from otel_footprint.viewer import Refresher, Store, application

SECONDS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """A server that runs."""

    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """One request; ``content_type`` stands for ``Content-Type``."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        with contextlib.closing(connection):
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return Answer(
                status=answer.status,
                headers={name.lower(): value for name, value in answer.getheaders()},
                body=answer.read(),
            )

    def send(self, request: Any, **headers: str) -> Answer:
        """Send a request of OTLP: bytes are protobuf, anything else is made JSON."""
        is_protobuf = isinstance(request, bytes)
        body = request if is_protobuf else json.dumps(request).encode()
        media_type = "application/x-protobuf" if is_protobuf else "application/json"
        return self.ask("POST", "/v1/traces", body, **{"content_type": media_type, **headers})

    def changes(self, *, after: int = 0, turns: int) -> Any:
        """The answer of ``/api/turns`` once it tells of that many turns."""
        give_up = time.monotonic() + SECONDS
        while True:
            answer = self.ask("GET", f"/api/turns?after={after}").json
            if len(answer["rows"]) + len(answer["removed"]) >= turns or time.monotonic() > give_up:
                return answer
            time.sleep(0.02)


@contextlib.contextmanager
def running_viewer(store: Store, config: Config | None = None) -> Iterator[Viewer]:
    """Serve a store on a free port until the end of the block."""
    [port] = free_ports(1)
    with Refresher(store, config or Config()) as refresher:
        settings = uvicorn.Config(
            application(store, refresher), host="127.0.0.1", port=port, log_level="warning", lifespan="off", ws="none"
        )
        server = uvicorn.Server(settings)
        thread = threading.Thread(target=server.run, name="viewer")
        thread.start()
        try:
            give_up = time.monotonic() + SECONDS
            while not server.started and time.monotonic() < give_up:
                time.sleep(0.01)
            yield Viewer(port=port)
        finally:
            server.should_exit = True
            thread.join(SECONDS)
