"""The command ``otel-footprint sidecar`` as a process, for tests that end it or measure it."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
from sidecars import PROTOBUF, Backend

SECRET = "s3cret-t0ken"  # noqa: S105 - of a test


def free_port() -> int:
    """A port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Process:
    """A sidecar in a process of its own.

    Args:
        directory: where its files lie.
        backend: its destination.
        queue: the settings of the queue; by default it is on disk.
        more: lines at the end of its settings.
    """

    def __init__(self, directory: Path, backend: Backend, *, queue: str | None = None, more: str = "") -> None:
        queue = queue or f'directory: "{directory}/queue"'
        self.port = free_port()
        self.config = directory / "sidecar.yaml"
        self.config.write_text(
            f"""\
receivers:
  grpc: {{endpoints: []}}
  http:
    endpoints: "127.0.0.1:{self.port}"
    auth: {{bearer: ["${{env:TOKEN}}"]}}
telemetry: {{endpoint: null}}
hold: {{seconds: 0}}
queue: {{{queue}}}
drain_seconds: 5
destinations:
  - name: backend
    endpoint: http://127.0.0.1:{backend.port}
    protocol: http/protobuf
{more}""",
            encoding="utf-8",
        )
        self.log = ""

    @asynccontextmanager
    async def started(self, *arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
        """The process, once it listens; it is ended if it has not been."""
        process = await self.start(*arguments)
        try:
            await self.until(process, "listens on")
            yield process
        finally:
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
            await self.ended(process)

    async def start(self, *arguments: str) -> asyncio.subprocess.Process:
        """The process as soon as it runs."""
        return await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "otel_footprint.cli", "sidecar", "--config", str(self.config), *arguments),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "TOKEN": SECRET},
        )

    async def until(self, process: asyncio.subprocess.Process, says: str) -> None:
        """Read its log until it says this."""
        assert process.stderr is not None
        while says not in self.log:
            line = await process.stderr.readline()
            assert line, self.log
            self.log += line.decode()

    async def ended(self, process: asyncio.subprocess.Process) -> int:
        """Its exit code; the rest of what it wrote is in the log then."""
        out, err = await process.communicate()
        self.log += out.decode() + err.decode()
        assert process.returncode is not None
        return process.returncode

    async def post(self, session: aiohttp.ClientSession, body: bytes) -> int:
        """Send a request for traces and give the answer's status."""
        url = f"http://127.0.0.1:{self.port}/v1/traces"
        headers = {"content-type": PROTOBUF, "authorization": f"Bearer {SECRET}"}
        async with session.post(url, data=body, headers=headers) as answer:
            return answer.status


def resident_mib(pid: int) -> float:
    """Resident memory of a process, as Linux says it."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")) / 1024
