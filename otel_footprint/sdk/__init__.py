"""The Python SDK as a host: agents in process."""

from __future__ import annotations

from otel_footprint.sdk.exporter import FootprintSpanExporter
from otel_footprint.sdk.helpers import CodeRun, code_run, declare_absence, declare_coverage
from otel_footprint.sdk.logs import FootprintLogRecordProcessor
from otel_footprint.sdk.processor import FootprintSpanProcessor
from otel_footprint.sdk.statistics import Statistics

__all__ = [
    "CodeRun",
    "FootprintLogRecordProcessor",
    "FootprintSpanExporter",
    "FootprintSpanProcessor",
    "Statistics",
    "code_run",
    "declare_absence",
    "declare_coverage",
]
