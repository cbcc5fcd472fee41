"""OpenInference on Haystack: a pipeline's chain is the turn, and nothing inside it has a span.

Its messages stand in the printed form of Python objects, which is not read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from otel_footprint.dialects import openinference
from otel_footprint.dialects._base import Dialect, Role
from otel_footprint.spanview import SpanView

SCOPE: Final = "openinference.instrumentation.haystack"


def role(span: SpanView) -> Role | None:
    """By span kind; a chain is the run of a pipeline or of an agent in it."""
    if not span.scope_name.startswith(SCOPE):
        return None
    found = openinference.role(span)
    return Role.WORKFLOW if found is Role.STEP and span.name.endswith(".run") else found


DIALECT: Final[Dialect] = replace(
    openinference.DIALECT, name="openinference-haystack", title="OpenInference on Haystack", role=role
)
