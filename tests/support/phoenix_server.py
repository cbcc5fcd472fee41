"""A real Phoenix for tests: started on free loopback ports with a store of its own, and read through its own APIs."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from jaeger_server import free_ports
from server_log import STOP_SECONDS, ServerLog, binary_of

READY: Final = b"Application startup complete"
START_SECONDS: Final = 180
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

    address: str
    """``http://host:port``: its pages, its API and OTLP over HTTP."""

    def get(self, path: str) -> Any:
        """The JSON answer to a GET.

        Raises:
            LookupError: Any other status than 200.
        """
        try:
            with urllib.request.urlopen(self.address + path, timeout=ANSWER_SECONDS) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise LookupError(f"{path}: {error.code}") from error

    def spans(self, project: str) -> list[dict[str, Any]]:
        """The spans of a project, each with its attributes and events; none before the project is there."""
        try:
            found: list[dict[str, Any]] = self.get(f"/v1/projects/{project}/spans?limit=1000")["data"]
        except LookupError:
            return []
        return found

    def found(self, project: str, condition: str) -> set[str]:
        """The ids of the spans that its search finds, by the condition that a person writes there."""
        asked = {"project": self.get(f"/v1/projects/{project}")["data"]["id"], "condition": condition}
        request = urllib.request.Request(
            f"{self.address}/graphql",
            json.dumps({"query": FOUND, "variables": asked}).encode(),
            {"content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:
            edges = json.load(answer)["data"]["node"]["spans"]["edges"]
        return {edge["node"]["spanId"] for edge in edges}


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
    process = subprocess.Popen(
        [binary_of("PHOENIX_BINARY"), "serve"],
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "OTEL_"))},
            "PHOENIX_WORKING_DIR": str(folder),
            "PHOENIX_HOST": "127.0.0.1",
            "PHOENIX_PORT": str(port),
            "PHOENIX_GRPC_PORT": str(grpc),
            "PHOENIX_TELEMETRY_ENABLED": "false",
        },
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    log = ServerLog(process.stderr, READY)
    try:
        log.ready_or_ended.wait(START_SECONDS)
        if not log.ready:
            raise RuntimeError("Phoenix did not start:\n" + log.text())
        yield Phoenix(address=f"http://127.0.0.1:{port}")
    finally:
        process.kill()
        process.wait(STOP_SECONDS)
        log.close()
