"""Views over OTLP: a span or log record object of OTLP JSON, and a protobuf ``Span`` or ``LogRecord``.

Both read leniently, because what is found in files and on the wire is not always what the
specification asks for: ids in hex of either case or base64, 64-bit integers as text or as numbers,
enum values as numbers or as long or short names, ``snake_case`` keys, empty values. What cannot be
read costs only itself. Attribute keys are indexed on first access and values are decoded when they
are asked for; when a key is there twice, the last one counts, as if it had been set twice.
"""

from __future__ import annotations

from otel_footprint.spanview_otlp.json_span import OtlpJsonSpan, json_attributes
from otel_footprint.spanview_otlp.log_record import json_log, proto_log
from otel_footprint.spanview_otlp.map_span import MapAttributes, OtlpMapSpan
from otel_footprint.spanview_otlp.proto_span import OtlpProtoSpan, proto_attributes
from otel_footprint.spanview_otlp.shared import base64_bytes, hex_id

__all__ = [
    "MapAttributes",
    "OtlpJsonSpan",
    "OtlpMapSpan",
    "OtlpProtoSpan",
    "base64_bytes",
    "hex_id",
    "json_attributes",
    "json_log",
    "proto_attributes",
    "proto_log",
]
