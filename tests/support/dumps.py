"""Spans that real agent runtimes made, and what is true of them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from otel_footprint.logview import LogView
from otel_footprint.spanview import SpanView
from otel_footprint.testing import read_logs, read_spans

_DATA = Path(__file__).parents[1] / "data"

NAMES = sorted(path.name.removesuffix(".otlp.json") for path in (_DATA / "spans").glob("*.otlp.json"))
"""Every dump."""

JUDGED = sorted(path.name.removesuffix(".truth.json") for path in (_DATA / "truth").glob("*.truth.json"))
"""The dumps that have a truth file."""

BESIDE = {
    "claude_code_default": "claude_code_default",
    "claude_code_full": "claude_code_full",
    "codex_trimmed": "codex",
    "gemini_cli_default": "gemini_cli_default",
    "gemini_cli_full": "gemini_cli_full",
    "google_adk": "google_adk",
    "google_adk_legacy": "google_adk_legacy",
    "google_adk_semconv": "google_adk_semconv",
    "opencode_trimmed": "opencode",
}
"""Each dump of spans with the dump of logs beside it."""


@cache
def dump(name: str) -> tuple[SpanView, ...]:
    """The spans of a dump."""
    return tuple(read_spans(_DATA / "spans" / f"{name}.otlp.json"))


@cache
def logs(name: str) -> tuple[LogView, ...]:
    """The log records of a dump of logs."""
    return tuple(read_logs(_DATA / "logs" / f"{name}.logs.otlp.json"))


def truth(name: str) -> dict[str, Any]:
    """What is true of a dump."""
    loaded: dict[str, Any] = json.loads((_DATA / "truth" / f"{name}.truth.json").read_text(encoding="utf-8"))
    return loaded
