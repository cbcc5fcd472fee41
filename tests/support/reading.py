"""Files in memory: what is read of them, what is said of them, and what is written of them."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from otel_footprint.config import Config
from otel_footprint.explanation import Explanation
from otel_footprint.files import Problem, Record, Source, annotate_files, explain_files
from otel_footprint.files.documents import Document
from otel_footprint.files.formats import read_documents
from otel_footprint.spanview import SpanView

DATA = Path(__file__).parents[1] / "data"


def read(data: Any) -> tuple[list[SpanView], list[Problem]]:
    """The spans and problems of a file that holds the bytes, or the value as JSON."""
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    items: Sequence[Document | Problem] = list(read_documents(io.BytesIO(raw), "file"))
    spans = [view for item in items if not isinstance(item, Problem) for _, view in item.spans()]
    return spans, [item for item in items if isinstance(item, Problem)]


def spans(data: Any) -> list[SpanView]:
    """The spans of a file that has no problem."""
    found, problems = read(data)
    assert problems == []
    return found


def span(data: Any) -> SpanView:
    """The one span of a file that has no problem."""
    (found,) = spans(data)
    return found


def attributes(view: SpanView) -> dict[str, Any]:
    """The attributes of a span."""
    return {key: view.get(key) for key in view.keys()}  # noqa: SIM118 - a view is no mapping


def record(data: Any) -> Record:
    """What is said of a file that holds the bytes, or the value as JSON."""
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    return explain_files([Source.of_bytes("file", raw)], Config())


def explained(data: Any) -> tuple[Explanation, ...]:
    """The explanations of a file of which nothing is lost."""
    result = record(data)
    assert [str(problem) for problem in result.problems if problem.lost] == []
    return result.explanations


def as_otlp(data: Any) -> bytes:
    """What ``--format otlp`` writes of a file."""
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    sources = [Source.of_bytes("file", raw)]
    result = explain_files(sources, Config())
    return "\n".join(annotate_files(sources, result, Config())).encode("utf-8", "surrogateescape")


def gist(explanation: Explanation) -> dict[str, Any]:
    """What is said of a turn, without what a format has no room for: the name of a scope, parts of a microsecond."""
    said = explanation.to_dict(programs=True)
    calls = [
        (call["tool"], call["call_id"], call["outcome"], call["emptiness"], call["rows"]) for call in said["calls"]
    ]
    scripts = [(script["text"], script["outcome"], script["exit_code"]) for script in said["scripts"]]
    return {
        **{key: said[key] for key in ("span_id", "name", "agent", "question", "answer", "finished", "nested_in")},
        "calls": calls,
        "scripts": scripts,
        "signals": [signal["id"] for signal in said["signals"]],
    }
