"""Explains trace files in a program of one's own: how every program that an agent ran ended.

``python examples/read_traces.py traces.json [MORE…]``, in any format that ``otel-footprint explain`` reads.
"""

from __future__ import annotations

import sys

from otel_footprint import Config
from otel_footprint.files import Source, explain_files


def main(paths: list[str]) -> int:
    """Print a line a turn and a line a program; 2 when some of the input cannot be read."""
    record = explain_files([Source.of(path) for path in paths], Config())
    for problem in record.problems:
        print(f"{problem.file}: {problem.message}", file=sys.stderr)
    for turn in record.explanations:
        print(f"{turn.trace_id} {turn.summary.tone}: {turn.summary.about}")
        for script in turn.scripts:
            code = "no exit code" if script.exit_code is None else f"exit {script.exit_code}"
            print(f"  {script.tool}: {script.outcome}, {code} (read from {script.exit_code_from or 'nowhere'})")
    return 2 if record.problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
