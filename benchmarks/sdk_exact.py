"""Instructions a span under callgrind: the same on every run to a fraction of a per cent.

Without arguments, counts both processors on every mix and prints the ratios. Each figure is the
difference between two numbers of spans, so start-up and shutdown fall out of it. ``thread`` counts
what the application's thread does alone (nothing is exported before the count ends), ``total`` also
the export thread with a real OTLP encoder.

``sdk_exact.py --count PROCESSOR MIX WHAT SPANS`` is what runs under callgrind.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import subprocess
import sys
from typing import Final

from benchmarks.sdk_workload import MIXES, PROCESSORS, EncodingExporter, make_spans, provider
from otel_footprint.sdk.background import Flusher

FEW: Final = 300
MANY: Final = 900
COUNTED: Final = ("thread", "total")
TARGETS: Final = {("thread", mix): 1.03 for mix in MIXES} | {("total", "none"): 1.02, ("total", "mixed"): 1.10}


def count(kind: str, mix: str, what: str, spans: int) -> None:
    """Make the spans; for ``thread`` leave at once, with all of them still in the queue.

    For ``total`` they are exported in one batch after that, so that no two threads run at a time and
    every run takes the same way.
    """
    # a flush at a turn's end follows the clock, which callgrind slows down fifty times
    Flusher.ask = lambda _: None  # type: ignore[assignment, method-assign]
    made = provider(kind, EncodingExporter(), idle=True)
    # one more full collection over all that was imported would be more than what is to be measured
    gc.collect()
    gc.freeze()
    make_spans(made, mix, spans)
    if what == "total":
        made.force_flush(600_000)
    os._exit(0)


def instructions(kind: str, mix: str, what: str, spans: int) -> int:
    """What callgrind collected in a process of its own."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable, __file__]
    done = subprocess.run(
        [*command, "--count", kind, mix, what, str(spans)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )
    found = re.search(r"Collected : (\d+)", done.stderr)
    if found is None:
        raise RuntimeError(done.stderr)
    return int(found[1])


def main() -> None:
    """Print one line a mix and kind of count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", nargs=4, metavar=("PROCESSOR", "MIX", "WHAT", "SPANS"))
    parser.add_argument("--mix", choices=MIXES, action="append")
    parser.add_argument("--what", choices=COUNTED, action="append")
    options = parser.parse_args()
    if options.count:
        kind, mix, what, spans = options.count
        count(kind, mix, what, int(spans))
        return
    print(f"{'':16}" + "".join(f"{kind:>14}" for kind in PROCESSORS) + f"{'ratio':>10}{'target':>10}", flush=True)
    for what in options.what or COUNTED:
        for mix in options.mix or MIXES:
            figures = [
                (instructions(kind, mix, what, MANY) - instructions(kind, mix, what, FEW)) / (MANY - FEW)
                for kind in PROCESSORS
            ]
            target = TARGETS.get((what, mix))
            print(
                f"{what:8}{mix:8}"
                + "".join(f"{figure:14,.0f}" for figure in figures)
                + f"{figures[1] / figures[0]:10.3f}{f'{target:.2f}' if target else '-':>10}",
                flush=True,
            )


if __name__ == "__main__":
    main()
