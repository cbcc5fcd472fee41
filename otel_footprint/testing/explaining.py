"""From spans to explanations in one call."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from otel_footprint.config import Config
from otel_footprint.explanation import Explanation
from otel_footprint.fold.explain import explain
from otel_footprint.spanview import SpanView
from otel_footprint.spanview_otlp import OtlpJsonSpan
from otel_footprint.turns import TurnAssembler


def explain_spans(spans: Iterable[SpanView], config: Config | None = None) -> list[Explanation]:
    """The explanations of all turns in ``spans``, by start time, then trace id and span id."""
    assembler = TurnAssembler(config)
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


def _spans(document: Any) -> Iterator[SpanView]:
    for resource in document.get("resourceSpans", ()):
        for scope in resource.get("scopeSpans", ()):
            for span in scope.get("spans", ()):
                yield OtlpJsonSpan(span, resource.get("resource"), scope.get("scope"))
