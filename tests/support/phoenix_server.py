"""A real Phoenix for tests: started on free loopback ports with a store of its own, and read through its own APIs."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from jaeger_server import free_ports
from server_log import binary_of, running_server

READY: Final = b"Application startup complete"
"""Its first start on a cold disk compiles some hundred packages."""
ANSWER_SECONDS: Final = 60

FOUND: Final = """
query ($project: ID!, $condition: String) {
  node(id: $project) { ... on Project {
    spans(first: 100, filterCondition: $condition) { edges { node { spanId } } }
  } }
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phoenix:
    """Where a running Phoenix listens, and its APIs."""

    port: int
    """Of its pages, its APIs and OTLP over HTTP, on the loopback."""

    @property
    def address(self) -> str:
        """``http://host:port``."""
        return f"http://127.0.0.1:{self.port}"

    def ask(self, path: str, body: object = None) -> Any:
        """The JSON answer to a GET, or to a POST of a body as JSON.

        Raises:
            LookupError: Any other status than 200; the text holds the answer.
        """
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_SECONDS)
        with contextlib.closing(connection):
            if body is None:
                connection.request("GET", path)
            else:
                connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
        if answer.status != http.client.OK:
            raise LookupError(f"{path}: {answer.status} {text.decode(errors='replace')}")
        return json.loads(text)

    def project_id(self, project: str) -> str:
        """What its pages and its search call a project."""
        found: str = self.ask(f"/v1/projects/{project}")["data"]["id"]
        return found

    def spans(self, project: str) -> list[dict[str, Any]]:
        """The spans of a project, each with its attributes and events; none before the project is there."""
        try:
            found: list[dict[str, Any]] = self.ask(f"/v1/projects/{project}/spans?limit=1000")["data"]
        except LookupError:
            return []
        return found

    def found(self, project: str, condition: str) -> set[str]:
        """The ids of the spans that its search finds, by the condition that a person writes there."""
        variables = {"project": self.project_id(project), "condition": condition}
        answer = self.ask("/graphql", {"query": FOUND, "variables": variables})
        return {edge["node"]["spanId"] for edge in answer["data"]["node"]["spans"]["edges"]}


@contextlib.contextmanager
def running_phoenix(folder: Path) -> Iterator[Phoenix]:
    """Start Phoenix and end it at the end of the block.

    Args:
        folder: Where it keeps what it has.

    Raises:
        LookupError: There is no binary.
        RuntimeError: It ended or was not ready in time; the text holds its log.
    """
    port, grpc = free_ports(2)
    environ = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "OTEL_"))},
        "PHOENIX_WORKING_DIR": str(folder),
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(grpc),
        "PHOENIX_TELEMETRY_ENABLED": "false",
    }
    with running_server([binary_of("PHOENIX_BINARY"), "serve"], READY, environ=environ, folder=folder):
        yield Phoenix(port=port)
