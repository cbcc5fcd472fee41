"""From spans to explanations in one call."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from otel_footprint.config import Config
from otel_footprint.explanation import Explanation
from otel_footprint.fold.explain import explain
from otel_footprint.logview import LogView
from otel_footprint.spanview import SpanView
from otel_footprint.spanview_otlp import OtlpJsonSpan, json_attributes, json_log
from otel_footprint.turns import TurnAssembler


def explain_spans(
    spans: Iterable[SpanView], config: Config | None = None, *, logs: Iterable[LogView] = ()
) -> list[Explanation]:
    """The explanations of all turns in ``spans``, with what ``logs`` tell, by start time, then trace id and span id."""
    assembler = TurnAssembler(config)
    for record in logs:
        assembler.add_log(record, 0.0)
    for span in spans:
        assembler.add(span, 0.0)
    return [explain(turn, config) for turn in assembler.close(0.0).turns]


def read_spans(path: str | Path) -> list[SpanView]:
    """The spans of a file that holds one object of OTLP JSON.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not JSON.
    """
    return list(_spans(json.loads(Path(path).read_text(encoding="utf-8"))))


def read_logs(path: str | Path) -> list[LogView]:
    """The log records of a file that holds one object of OTLP JSON.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not JSON.
    """
    return list(_logs(json.loads(Path(path).read_text(encoding="utf-8"))))


def _logs(document: Any) -> Iterator[LogView]:
    for group in document.get("resourceLogs", ()):
        resource = json_attributes(group.get("resource"))
        for scope in group.get("scopeLogs", ()):
            for record in scope.get("logRecords", ()):
                yield json_log(record, resource, scope.get("scope"))


def _spans(document: Any) -> Iterator[SpanView]:
    for resource in document.get("resourceSpans", ()):
        for scope in resource.get("scopeSpans", ()):
            for span in scope.get("spans", ()):
                yield OtlpJsonSpan(span, resource.get("resource"), scope.get("scope"))
