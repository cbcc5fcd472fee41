"""What the oldest messages of OTLP that we run with do not have."""

from __future__ import annotations

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

KNOWS_FLAGS = "flags" in Span.DESCRIPTOR.fields_by_name

needs_flags = pytest.mark.skipif(not KNOWS_FLAGS, reason="the messages of this version have no flags")
