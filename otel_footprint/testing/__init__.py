"""Helpers for tests: spans from keyword arguments, explanations of them, and what must hold of any explanation.

Nothing here is needed to run the product.
"""

from __future__ import annotations

from otel_footprint.testing.assertions import assert_consistent, assert_evidence_resolves
from otel_footprint.testing.evidence import UnresolvedError, evidence_of, resolve
from otel_footprint.testing.explaining import explain_spans, read_logs, read_spans
from otel_footprint.testing.spans import (
    TRACE,
    BuiltSpan,
    agent_span,
    call_part,
    message,
    model_span,
    response_part,
    span,
    tool_span,
)
from otel_footprint.testing.writers import WriterError, check_writer

__all__ = [
    "TRACE",
    "BuiltSpan",
    "UnresolvedError",
    "WriterError",
    "agent_span",
    "assert_consistent",
    "assert_evidence_resolves",
    "call_part",
    "check_writer",
    "evidence_of",
    "explain_spans",
    "message",
    "model_span",
    "read_logs",
    "read_spans",
    "resolve",
    "response_part",
    "span",
    "tool_span",
]
