"""Explanations for the traces of AI agents: which programs ran, what was searched, what does not stand."""

from __future__ import annotations

from otel_footprint._errors import ConfigError
from otel_footprint._log_store import LogStatistics
from otel_footprint._version import __version__
from otel_footprint.config import CodeTool, Config
from otel_footprint.dialects import Dialect
from otel_footprint.explanation import Explanation
from otel_footprint.facts import Turn
from otel_footprint.fold.coverage import DeclarationError
from otel_footprint.fold.explain import explain
from otel_footprint.sdk import (
    CodeRun,
    FootprintLogRecordProcessor,
    FootprintSpanExporter,
    FootprintSpanProcessor,
    Statistics,
    code_run,
    declare_absence,
    declare_coverage,
)
from otel_footprint.turns import AssemblerStatistics, Collected, TurnAssembler

__all__ = [
    "AssemblerStatistics",
    "CodeRun",
    "CodeTool",
    "Collected",
    "Config",
    "ConfigError",
    "DeclarationError",
    "Dialect",
    "Explanation",
    "FootprintLogRecordProcessor",
    "FootprintSpanExporter",
    "FootprintSpanProcessor",
    "LogStatistics",
    "Statistics",
    "Turn",
    "TurnAssembler",
    "__version__",
    "code_run",
    "declare_absence",
    "declare_coverage",
    "explain",
]
