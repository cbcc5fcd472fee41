"""The Python SDK as a host: agents in process."""

from __future__ import annotations

from otel_footprint.sdk.exporter import FootprintSpanExporter, Statistics
from otel_footprint.sdk.helpers import CodeRun, code_run, declare_absence, declare_coverage
from otel_footprint.sdk.processor import FootprintSpanProcessor

__all__ = [
    "CodeRun",
    "FootprintSpanExporter",
    "FootprintSpanProcessor",
    "Statistics",
    "code_run",
    "declare_absence",
    "declare_coverage",
]
