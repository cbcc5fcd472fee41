"""The pure rules: values in, values out; no input or output, clock, thread or logger.

Nothing here imports anything outside this package, :mod:`otel_footprint.facts` and the standard
library; only ``explain`` also knows :mod:`otel_footprint.explanation`, and only ``explain`` calls
the rest.
"""
