"""``python -m otel_footprint.cli``, for where the script is not on the path."""

from __future__ import annotations

from otel_footprint.cli import main

main()
