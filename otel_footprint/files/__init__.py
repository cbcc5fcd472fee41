"""Trace files: read leniently, explained as one record, written back with the explanations on them."""

from __future__ import annotations

from otel_footprint.files.doctor import Examination, Finding, RuntimeReport, Unchecked, examine_files
from otel_footprint.files.problems import Problem
from otel_footprint.files.record import Progress, Record, annotate_files, count_spans, explain_files
from otel_footprint.files.shapes import Shapes
from otel_footprint.files.sources import Source

__all__ = [
    "Examination",
    "Finding",
    "Problem",
    "Progress",
    "Record",
    "RuntimeReport",
    "Shapes",
    "Source",
    "Unchecked",
    "annotate_files",
    "count_spans",
    "examine_files",
    "explain_files",
]
