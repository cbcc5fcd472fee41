"""The sidecar and its peers as processes on a core of their own, and the backend that they send to."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

SYSTEM_CORE: Final = 0
LOAD_CORE: Final = 1
OURS: Final = "memory", "durable", "plain"
"""Our own with the queue in memory and on disk, and in memory with nothing of what it sends compressed."""
PEERS: Final = "rotel", "collector", "transform", "nginx"
START_SECONDS: Final = 30.0
ARRIVE_SECONDS: Final = 120.0
LOOK_SECONDS: Final = 0.02
QUIET_SECONDS: Final = 0.3

_OWN_SCOPE: Final = "otel_footprint"


class Backend:
    """Takes everything and keeps it as it came, so that counting costs nothing while a load runs.

    Attributes:
        port: where it listens.
        up: whether it takes anything; else it answers 503.
    """

    def __init__(self) -> None:
        self.port = 0
        self.up = True
        self._last = 0.0
        self._kept: list[tuple[float, bool, bytes]] = []

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Backend]:
        """Serve on a free port for the length of the block."""
        application = web.Application(client_max_size=2**30)
        application.router.add_post("/v1/traces", self._take)
        runner = web.AppRunner(application, auto_decompress=False, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.port = runner.addresses[0][1]
        try:
            yield self
        finally:
            await runner.cleanup()

    async def _take(self, request: web.Request) -> web.Response:
        if not self.up:
            return web.Response(status=503)
        body = await request.read()
        self._last = time.perf_counter()
        self._kept.append((self._last, request.headers.get("content-encoding") == "gzip", body))
        return web.Response(content_type="application/x-protobuf")

    def arrived(self) -> Iterator[tuple[float, Span]]:
        """Give up what came so far: when, and each span; those of our own are left out."""
        kept, self._kept = self._kept, []
        for when, packed, body in kept:
            request = ExportTraceServiceRequest.FromString(gzip.decompress(body) if packed else body)
            for group in request.resource_spans:
                for scope in group.scope_spans:
                    if scope.scope.name != _OWN_SCOPE:
                        for span in scope.spans:
                            yield when, span

    async def until(self, enough: Callable[[], bool]) -> None:
        """Wait until enough came. It is asked while nothing comes, so that asking costs the load nothing.

        Raises:
            TimeoutError: it did not come.
        """
        end = time.monotonic() + ARRIVE_SECONDS
        while True:
            await asyncio.sleep(QUIET_SECONDS)
            if time.perf_counter() - self._last >= QUIET_SECONDS and enough():
                return
            if time.monotonic() > end:
                raise TimeoutError(f"not all spans arrived within {ARRIVE_SECONDS:.0f} s")

    async def until_arrived(self, spans: int) -> float:
        """Wait until so many spans came, which are then given up.

        Returns:
            When the last of them came, on the clock of :func:`time.perf_counter`.

        Raises:
            TimeoutError: fewer came.
        """
        times: list[float] = []

        def enough() -> bool:
            times.extend(when for when, _ in self.arrived())
            return len(times) >= spans

        await self.until(enough)
        return max(times)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Where a system under test is to listen."""

    http: int
    grpc: int
    telemetry: int
    """The sidecar's own pages."""

    @classmethod
    def free(cls) -> Ports:
        """Ports that nobody listens on."""
        with contextlib.ExitStack() as held:
            sockets = [held.enter_context(socket.socket()) for _ in range(3)]
            for each in sockets:
                each.bind(("127.0.0.1", 0))
            http, over_grpc, telemetry = (each.getsockname()[1] for each in sockets)
        return cls(http=http, grpc=over_grpc, telemetry=telemetry)


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A system under test that listens."""

    pid: int
    ports: Ports

    def cpu_seconds(self) -> float:
        """What it has used of its core, in and out of the kernel."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_mib(self, kind: str = "VmRSS") -> float:
        """What it has in memory; ``RssAnon``: without the pages of files, which the kernel can take back."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(f"{kind}:")) / 1024


_COLLECTOR: Final = """\
receivers: {{otlp: {{protocols: {{grpc: {{endpoint: "127.0.0.1:{grpc}"}}, http: {{endpoint: "127.0.0.1:{http}"}}}}}}}}
processors:
  transform:
    trace_statements:
      - set(span.attributes["tone"], "ok") where span.attributes["gen_ai.operation.name"] == "invoke_agent"
exporters: {{otlphttp: {{endpoint: "http://127.0.0.1:{backend}", compression: gzip}}}}
service:
  pipelines: {{traces: {{receivers: [otlp], processors: [{processors}], exporters: [otlphttp]}}}}
  telemetry: {{metrics: {{level: none}}}}
"""
_NGINX: Final = """\
daemon off; master_process off; pid {directory}/pid; error_log {directory}/error; worker_processes 1;
events {{}}
http {{
  access_log off; client_max_body_size 64m; client_body_buffer_size 16m; client_body_temp_path {directory}/body;
  upstream backend {{ server 127.0.0.1:{backend}; keepalive 8; }}
  server {{
    listen 127.0.0.1:{http};
    location / {{ proxy_pass http://backend; proxy_http_version 1.1; proxy_set_header Connection ""; }}
  }}
}}
"""
_SIDECAR: Final = """\
receivers: {{grpc: {{endpoints: "127.0.0.1:{grpc}"}}, http: {{endpoints: "127.0.0.1:{http}"}}}}
telemetry: {{endpoint: "127.0.0.1:{telemetry}"}}
hold: {{seconds: {hold}}}
queue: {{{queue}}}
destinations:
  - name: backend
    endpoint: "http://127.0.0.1:{backend}"
    protocol: http/protobuf
    compression: {out}
    retry: {{initial_seconds: 100ms, max_seconds: 1s}}
{more}"""


@asynccontextmanager
async def sidecar(  # noqa: PLR0913 - what of its settings the measurements differ in
    backend: Backend, *, queue: str = "memory", hold: float = 0, out: str = "gzip", room: str = "1GiB", more: str = ""
) -> AsyncIterator[Running]:
    """Our own.

    Args:
        backend: where it sends to.
        queue: ``memory`` or ``durable``.
        hold: seconds that turns' spans wait.
        out: compression of what it sends.
        room: the most that the queue takes.
        more: lines at the end of its settings.
    """
    ports = Ports.free()
    with tempfile.TemporaryDirectory() as name:
        place = f'directory: "{name}/queue", max_bytes: {room}' if queue == "durable" else f"memory_bytes: {room}"
        config = Path(name) / "sidecar.yaml"
        text = _SIDECAR.format(
            grpc=ports.grpc,
            http=ports.http,
            telemetry=ports.telemetry,
            hold=hold,
            queue=place,
            backend=backend.port,
            out=out,
            more=more,
        )
        config.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "otel_footprint.cli", "sidecar", "--config", str(config)]
        with _process(command, Path(name)) as process:
            await _listens(process, (ports.http, ports.grpc), Path(name))
            yield Running(pid=process.pid, ports=ports)


@asynccontextmanager
async def peer(name: str, binary: str, backend: Backend) -> AsyncIterator[Running]:
    """One of :data:`PEERS`, started from its binary."""
    ports = Ports.free()
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        with _process(_command(name, binary, backend.port, ports, directory), directory) as process:
            await _listens(process, (ports.http,) if name == "nginx" else (ports.http, ports.grpc), directory)
            yield Running(pid=process.pid, ports=ports)


def _command(name: str, binary: str, backend: int, ports: Ports, directory: Path) -> list[str]:
    config = directory / "config"
    if name == "rotel":
        return [
            *(binary, "start", "--otlp-grpc-endpoint", f"127.0.0.1:{ports.grpc}", "--otlp-http-endpoint"),
            *(f"127.0.0.1:{ports.http}", "--exporter", "otlp", "--otlp-exporter-protocol", "http"),
            *("--otlp-exporter-endpoint", f"http://127.0.0.1:{backend}"),
        ]
    if name == "nginx":
        config.write_text(_NGINX.format(directory=directory, backend=backend, http=ports.http), encoding="utf-8")
        return [binary, "-c", str(config), "-e", str(directory / "error")]
    processors = "transform" if name == "transform" else ""
    text = _COLLECTOR.format(grpc=ports.grpc, http=ports.http, backend=backend, processors=processors)
    config.write_text(text, encoding="utf-8")
    return [binary, f"--config={config}"]


def found(binaries: Mapping[str, str | None]) -> dict[str, str]:
    """The peers that were named, each with the whole path of its binary.

    Raises:
        LookupError: a named one is no program.
    """
    paths = {name: (binary, shutil.which(binary)) for name, binary in binaries.items() if binary}
    missing = [f"--{name}: {binary} is no program" for name, (binary, path) in paths.items() if path is None]
    if missing:
        raise LookupError("; ".join(missing))
    return {name: path for name, (_, path) in paths.items() if path is not None}


@contextmanager
def _process(command: Sequence[str], directory: Path) -> Iterator[subprocess.Popen[bytes]]:
    with (directory / "log").open("wb") as log:
        # from its first thread on, and Go takes the number of cores for its own from it
        process = subprocess.Popen(["/usr/bin/taskset", "-c", str(SYSTEM_CORE), *command], stdout=log, stderr=log)
    try:
        yield process
    finally:
        # in order, it would wait for a backend that serves nothing while it is waited for here
        process.kill()
        process.wait()


async def _listens(process: subprocess.Popen[bytes], ports: Iterable[int], directory: Path) -> None:
    end = time.monotonic() + START_SECONDS
    for port in ports:
        while not await _answers(port):
            if process.poll() is not None or time.monotonic() > end:
                said = (directory / "log").read_text(encoding="utf-8", errors="replace")
                raise RuntimeError(f"it did not start: {process.args!r}\n{said}")
            await asyncio.sleep(LOOK_SECONDS)


async def _answers(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True
