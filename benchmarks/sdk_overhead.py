"""What the processor costs beside the stock batch processor, with the same OTLP exporter that really sends.

Spans go over HTTP to a sink in a process of its own. Every round makes the same spans with each
processor on each mix, in a new random order; a figure is the median over the rounds, a ratio the
median of the ratios of one round. ``thread`` is CPU time of the application's thread, ``total`` of
the whole process until the last span is sent.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

from benchmarks.sdk_workload import MIXES, PROCESSORS, make_spans, provider

WARM_UP: Final = 500
MICROSECONDS: Final = 1e6


class Sink(BaseHTTPRequestHandler):
    """Takes every request and keeps nothing."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Read the body and answer that all is well."""
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "application/x-protobuf")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def sink() -> None:
    """Serve on a free port and print it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Sink)
    print(server.server_port, flush=True)
    server.serve_forever()


def measure(kind: str, mix: str, spans: int, endpoint: str) -> tuple[float, float]:
    """Microseconds a span: CPU time of the thread that makes the spans, and of the process."""
    made = provider(kind, OTLPSpanExporter(endpoint=endpoint))
    make_spans(made, mix, WARM_UP)
    made.force_flush(600_000)
    gc.collect()
    thread, total = time.thread_time(), time.process_time()
    make_spans(made, mix, spans)
    thread = time.thread_time() - thread
    made.force_flush(600_000)
    total = time.process_time() - total
    made.shutdown()
    return thread / spans * MICROSECONDS, total / spans * MICROSECONDS


def main() -> None:
    """Print one line a mix."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--spans", type=int, default=5000)
    parser.add_argument("--sink", action="store_true", help="only serve the sink")
    options = parser.parse_args()
    if options.sink:
        sink()
        return
    with subprocess.Popen([sys.executable, __file__, "--sink"], stdout=subprocess.PIPE, text=True) as server:
        if server.stdout is None:
            raise RuntimeError("the sink says nothing")
        endpoint = f"http://127.0.0.1:{int(server.stdout.readline())}/v1/traces"
        try:
            rounds(options.rounds, options.spans, endpoint)
        finally:
            server.terminate()


def rounds(count: int, spans: int, endpoint: str) -> None:
    """Run all rounds and print the figures."""
    figures: defaultdict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for _ in range(count):
        jobs = [(kind, mix) for kind in PROCESSORS for mix in MIXES]
        random.shuffle(jobs)
        for kind, mix in jobs:
            figures[kind, mix].append(measure(kind, mix, spans, endpoint))
    for mix in MIXES:
        stock, ours = figures["stock", mix], figures["footprint", mix]
        for index, what in enumerate(("thread", "total")):
            ratio = statistics.median(b[index] / a[index] for a, b in zip(stock, ours, strict=True))
            base, cost = (statistics.median(pair[index] for pair in pairs) for pairs in (stock, ours))
            print(f"{what:8}{mix:8} stock {base:7.1f} us   footprint {cost:7.1f} us   ratio {ratio:.3f}")


if __name__ == "__main__":
    main()
