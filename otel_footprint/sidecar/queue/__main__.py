"""``python -m otel_footprint.sidecar.queue DIRECTORY``: is the queue in this directory whole?

Prints the ids of damaged records as JSON and exits with 0 if all the rest is whole; prints ``null`` and exits with 1
if it is not; exits with 3 if that cannot be told. The reason is a line on the error stream. With ``--into TARGET`` it
copies what can be read into another directory instead. Either way the directory itself is only read. The sidecar does
both at its start; stop it before you do.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import lmdb

from otel_footprint.sidecar.queue._examine import SPOILED, SpoiledError, copy_records, damaged_records


def main() -> int:
    """Do what the arguments of the process ask for; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m otel_footprint.sidecar.queue", description="Is a queue whole?")
    parser.add_argument("directory", type=Path, help="the queue's directory")
    parser.add_argument("--into", type=Path, metavar="TARGET", help="copy what can be read into this directory")
    parser.add_argument("--max-bytes", type=int, default=1 << 30, help="the size of the copy at the most")
    parser.add_argument("--backward", action="store_true", help="copy from the last record to the first")
    asked = parser.parse_args()
    try:
        if asked.into is None:
            sys.stdout.write(json.dumps(damaged_records(asked.directory)) + "\n")
        else:
            copy_records(asked.directory, asked.into, max_bytes=asked.max_bytes, backward=asked.backward)
    except (lmdb.MemoryError, OSError) as error:
        sys.stderr.write(f"{asked.directory}: {error}\n")
        return 3
    except (SpoiledError, lmdb.Error) as error:
        sys.stderr.write(f"{asked.directory}: {error}\n")
        sys.stdout.write(f"{SPOILED}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
