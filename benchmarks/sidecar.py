"""Spans a second and latency of the sidecar, beside peers under the same load in the same run.

    python -m benchmarks.sidecar [--rotel PATH/rotel-agent] [--collector .cache/collector] [--nginx nginx] [--rounds 5]

The system under test runs on core 0, the load and the backend on core 1. Every case is run in every round, and ratios
are medians of the rounds' ratios: on a busy machine only they mean something. All compress what they send over HTTP
with gzip, since rotel always does; nginx passes bytes on, so that it is to be compared with ``--out none``. The
Collector runs twice: from OTLP to OTLP, and with a transform processor that sets an attribute on each turn's span,
since OTTL has no way to add an event.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import aiohttp
import grpc
from aiohttp import web

from benchmarks.sidecar_workload import MIXES, requests

_SERVICE: Final = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
_CONNECTIONS: Final = 4
_SIDECAR_CORE: Final = 0
_LOAD_CORE: Final = 1
_START_SECONDS: Final = 20.0
_LOOK_SECONDS: Final = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One load."""

    mix: str
    spans: int
    """Spans a request."""
    protocol: str
    """``http`` or ``grpc``, into the system under test."""
    durable: bool = False
    out: str = "gzip"
    """Compression of what the sidecar sends."""

    def __str__(self) -> str:
        return f"{self.protocol:4} {self.spans:4} spans {self.mix:5} {'durable' if self.durable else 'memory'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What one run of a case came to."""

    spans_per_second: float
    cpu_microseconds: float
    """Of the system under test, a span."""
    p50: float
    """Milliseconds from a request to its answer."""
    p99: float
    memory: float
    """Resident, MiB."""


class Backend:
    """Takes everything and counts bytes."""

    def __init__(self) -> None:
        self.bytes = 0
        self.last = 0.0
        self.port = 0

    async def start(self) -> web.AppRunner:
        """Serve on a free port."""
        application = web.Application(client_max_size=2**30)
        application.router.add_post("/v1/traces", self._take)
        runner = web.AppRunner(application, auto_decompress=False, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.port = runner.addresses[0][1]
        return runner

    async def _take(self, request: web.Request) -> web.Response:
        self.bytes += len(await request.read())
        self.last = time.perf_counter()
        return web.Response(content_type="application/x-protobuf")


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def sidecar(case: Case, backend: int, http: int, over_grpc: int, directory: Path) -> Iterator[int]:
    """Our own; gives its process id."""
    place = f"directory: {directory}/queue, max_bytes: 2GiB" if case.durable else "memory_bytes: 1GiB"
    config = directory / "sidecar.yaml"
    config.write_text(
        f"""\
receivers: {{grpc: {{endpoints: "127.0.0.1:{over_grpc}"}}, http: {{endpoints: "127.0.0.1:{http}"}}}}
telemetry: {{endpoint: null}}
hold: {{seconds: 0}}
queue: {{{place}}}
destinations:
  - {{name: backend, endpoint: "http://127.0.0.1:{backend}", protocol: http/protobuf, compression: {case.out}}}
""",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "otel_footprint.cli", "sidecar", "--config", str(config)]
    with _process(command, directory) as pid:
        yield pid


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


@contextmanager
def collector(  # noqa: PLR0913, PLR0917 - as the others, and what it does
    binary: str, backend: int, http: int, over_grpc: int, directory: Path, processors: str
) -> Iterator[int]:
    """The OpenTelemetry Collector; gives its process id."""
    config = directory / "collector.yaml"
    text = _COLLECTOR.format(grpc=over_grpc, http=http, backend=backend, processors=processors)
    config.write_text(text, encoding="utf-8")
    with _process([binary, f"--config={config}"], directory) as pid:
        yield pid


@contextmanager
def nginx(binary: str, backend: int, http: int, directory: Path) -> Iterator[int]:
    """A proxy that looks at nothing, over HTTP; gives its process id."""
    config = directory / "nginx.conf"
    config.write_text(_NGINX.format(directory=directory, backend=backend, http=http), encoding="utf-8")
    with _process([binary, "-c", str(config), "-e", str(directory / "error")], directory) as pid:
        yield pid


@contextmanager
def rotel(binary: str, backend: int, http: int, over_grpc: int, directory: Path) -> Iterator[int]:
    """The peer; gives its process id."""
    command = [
        *(binary, "start", "--otlp-grpc-endpoint", f"127.0.0.1:{over_grpc}", "--otlp-http-endpoint"),
        *(f"127.0.0.1:{http}", "--exporter", "otlp", "--otlp-exporter-protocol", "http"),
        *("--otlp-exporter-endpoint", f"http://127.0.0.1:{backend}"),
    ]
    with _process(command, directory) as pid:
        yield pid


@contextmanager
def _process(command: Sequence[str], directory: Path) -> Iterator[int]:
    with (directory / "log").open("wb") as log:
        # from its first thread on, and Go takes the number of cores for its own from it
        process = subprocess.Popen(["/usr/bin/taskset", "-c", str(_SIDECAR_CORE), *command], stdout=log, stderr=log)
    try:
        yield process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


async def listens(port: int) -> None:
    """Wait until somebody listens on a port."""
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(_LOOK_SECONDS)
        else:
            writer.close()
            return
    raise TimeoutError(f"nobody listens on {port}")


async def load(case: Case, bodies: Sequence[bytes], port: int) -> list[float]:
    """Send all the requests; gives how long each took to be answered, in milliseconds."""
    waiting = iter(bodies)
    took: list[float] = []

    async def over_http() -> None:
        async with aiohttp.ClientSession(headers={"content-type": "application/x-protobuf"}) as session:
            for body in waiting:
                while True:
                    begin = time.perf_counter()
                    async with session.post(f"http://127.0.0.1:{port}/v1/traces", data=body) as answer:
                        await answer.read()
                    took.append((time.perf_counter() - begin) * 1e3)
                    if answer.status == 200:  # noqa: PLR2004 - HTTP's own number
                        break
                    await asyncio.sleep(_LOOK_SECONDS)

    async def over_grpc() -> None:
        options = [("grpc.use_local_subchannel_pool", 1)]
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=options) as channel:
            export: Any = channel.unary_unary(_SERVICE)
            for body in waiting:
                begin = time.perf_counter()
                await export(body)
                took.append((time.perf_counter() - begin) * 1e3)

    one = over_http if case.protocol == "http" else over_grpc
    await asyncio.gather(*(one() for _ in range(_CONNECTIONS)))
    return took


def started(  # noqa: PLR0913, PLR0917 - what a system needs to be started
    case: Case, peer: str, binary: str, backend: int, http: int, over_grpc: int, directory: Path
) -> AbstractContextManager[int]:
    """The system under test by its name; the empty one is ours."""
    match peer:
        case "":
            return sidecar(case, backend, http, over_grpc, directory)
        case "rotel":
            return rotel(binary, backend, http, over_grpc, directory)
        case "nginx":
            return nginx(binary, backend, http, directory)
        case _:
            processors = "transform" if peer == "transform" else ""
            return collector(binary, backend, http, over_grpc, directory, processors)


async def measure(case: Case, bodies: Sequence[bytes], peer: str = "", binary: str = "") -> Figures:
    """One run of a case, by ours or a peer."""
    backend = Backend()
    runner = await backend.start()
    http, over_grpc = free_port(), free_port()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        with started(case, peer, binary, backend.port, http, over_grpc, directory) as pid:
            port = http if case.protocol == "http" else over_grpc
            await listens(port)
            await load(case, bodies[:2], port)
            await _quiet(backend)
            before = cpu_seconds(pid)
            begin = time.perf_counter()
            took = await load(case, bodies[2:], port)
            await _quiet(backend)
            spans = case.spans * (len(bodies) - 2)
            figures = Figures(
                spans_per_second=spans / (backend.last - begin),
                cpu_microseconds=(cpu_seconds(pid) - before) / spans * 1e6,
                p50=statistics.median(took),
                p99=statistics.quantiles(took, n=100)[-1],
                memory=resident_mib(pid),
            )
    await runner.cleanup()
    return figures


def cpu_seconds(pid: int) -> float:
    """What a process has used of its core, in and out of the kernel."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mib(pid: int) -> float:
    """What a process has in memory."""
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


async def _quiet(backend: Backend) -> None:
    """Wait until the backend has had nothing for a while."""
    seen = -1
    while seen != backend.bytes:
        seen = backend.bytes
        await asyncio.sleep(1.5)


def main() -> None:
    """Run all cases and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for peer in ("rotel", "collector", "nginx"):
        parser.add_argument(f"--{peer}", help="the binary of this peer, which is run beside the sidecar")
    parser.add_argument("--out", choices=["gzip", "none"], default="gzip", help="compression of what the sidecar sends")
    parser.add_argument("--queue", choices=["memory", "durable"], action="append")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--mix", choices=MIXES, action="append")
    parser.add_argument("--protocol", choices=["http", "grpc"], action="append")
    parser.add_argument("--spans", type=int, action="append", help="spans a request; 512 and 10 by default")
    parser.add_argument("--requests", type=int, default=0, help="requests a run; by default what takes some seconds")
    chosen = parser.parse_args()
    os.sched_setaffinity(0, {_LOAD_CORE})
    peers = {name: binary for name in ("rotel", "nginx") if (binary := getattr(chosen, name))}
    if chosen.collector:
        peers |= {"collector": chosen.collector, "transform": chosen.collector}
    cases = [
        Case(mix=mix, spans=spans, protocol=protocol, durable=queue == "durable", out=chosen.out)
        for mix, spans, protocol, queue in itertools.product(
            chosen.mix or MIXES,
            chosen.spans or (512, 10),
            chosen.protocol or ("http", "grpc"),
            chosen.queue or ("memory", "durable"),
        )
    ]
    ours: dict[Case, list[Figures]] = {case: [] for case in cases}
    ratios: dict[tuple[Case, str], list[tuple[float, float]]] = {(case, peer): [] for case in cases for peer in peers}
    for _ in range(chosen.rounds):
        random.shuffle(cases)
        for case in cases:
            bodies = requests(case.mix, case.spans, (chosen.requests or 40_000 // case.spans) + 2)
            figures = asyncio.run(measure(case, bodies))
            ours[case].append(figures)
            for peer, binary in peers.items():
                if peer != "nginx" or case.protocol == "http":
                    other = asyncio.run(measure(case, bodies, peer, binary))
                    faster = figures.spans_per_second / other.spans_per_second
                    ratios[case, peer].append((faster, other.cpu_microseconds / figures.cpu_microseconds))
    print_table(sorted(cases, key=str), ours, ratios, list(peers))


def print_table(
    cases: Sequence[Case],
    ours: Mapping[Case, Sequence[Figures]],
    ratios: Mapping[tuple[Case, str], Sequence[tuple[float, float]]],
    peers: Sequence[str],
) -> None:
    """Medians of our own figures, and of the ratios to each peer: of spans a second, and a second of CPU time."""
    columns = "".join(f" {'x ' + peer:>15}" for peer in peers)
    print(f"{'case':34} {'spans/s':>9} {'CPU us':>7} {'p50 ms':>7} {'p99 ms':>7} {'MiB':>5}{columns}")
    for case in cases:
        middle = [statistics.median(getattr(one, name) for one in ours[case]) for name in Figures.__slots__]
        rate, cpu, p50, p99, memory = middle
        beside = "".join(f" {_medians(ratios[case, peer]):>15}" for peer in peers)
        print(f"{case!s:34} {rate:9.0f} {cpu:7.1f} {p50:7.1f} {p99:7.1f} {memory:5.0f}{beside}")


def _medians(pairs: Sequence[tuple[float, float]]) -> str:
    return ", ".join(f"{statistics.median(values):.2f}" for values in zip(*pairs, strict=True)) or "-"


if __name__ == "__main__":
    main()
