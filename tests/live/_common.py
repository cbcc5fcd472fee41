"""What every live agent shares: its tools, which really run, and the one line that explains its spans."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from otel_footprint import FootprintSpanProcessor

QUESTION = "How many orders failed, and is there a ticket?"
PROGRAM = "import sys\nprint('41 orders failed')\nsys.exit(3)\n"
ANSWER = "41 orders failed. There is no ticket."


def run_python(code: str) -> dict[str, Any]:
    """Run a Python program and return how it ended.

    Args:
        code: the program.
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=30)
    return {"exit_code": done.returncode, "stdout": done.stdout, "stderr": done.stderr}


def search_tickets(query: str) -> list[str]:
    """Search the tickets.

    Args:
        query: what to look for.
    """
    return [ticket for ticket in ("disk full", "printer on fire") if query in ticket]


class _Kept(SpanExporter):
    """Keeps what leaves the process, as plain values."""

    def __init__(self) -> None:
        self.spans: list[dict[str, Any]] = []

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.spans += [
            {
                "name": span.name,
                "id": format(span.context.span_id, "016x"),
                "parent": format(span.parent.span_id, "016x") if span.parent else None,
                "attributes": dict(span.attributes or {}),
                "events": [{"name": event.name, **dict(event.attributes or {})} for event in span.events],
            }
            for span in spans
        ]
        return SpanExportResult.SUCCESS


def traced() -> tuple[TracerProvider, _Kept]:
    """A tracer provider, set for the whole process, whose turns are explained."""
    kept = _Kept()
    provider = TracerProvider()
    provider.add_span_processor(FootprintSpanProcessor(kept))
    trace.set_tracer_provider(provider)
    return provider, kept


def leave(provider: TracerProvider, kept: _Kept) -> None:
    """End the process's traces and leave its spans in the file that the first argument names."""
    provider.shutdown()
    Path(sys.argv[1]).write_text(json.dumps(kept.spans, default=str), encoding="utf-8")
