"""A server for one person on one machine: takes spans over OTLP/HTTP and shows the explained turns in a browser.

It needs the extra ``view``.
"""

from __future__ import annotations

from otel_footprint.viewer.app import application
from otel_footprint.viewer.refreshing import Refresher
from otel_footprint.viewer.serving import serve
from otel_footprint.viewer.store import IN_MEMORY, Store

__all__ = ["IN_MEMORY", "Refresher", "Store", "application", "serve"]
