"""Explained turns as one page for a browser, which needs no network and runs nothing that a trace holds."""

from __future__ import annotations

from otel_footprint.report.data import Detail, Row, detail_of, row_of
from otel_footprint.report.page import Problem, Reported, live_page, write_page

__all__ = ["Detail", "Problem", "Reported", "Row", "detail_of", "live_page", "row_of", "write_page"]
