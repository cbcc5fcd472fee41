"""OpenInference on Haystack: a pipeline's chain is the turn, and nothing inside it has a span.

Its messages stand in the printed form of Python objects, which is not read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from otel_footprint.dialects import openinference
from otel_footprint.dialects._base import Dialect, Role, Runtime
from otel_footprint.spanview import SpanView

SCOPE: Final = "openinference.instrumentation.haystack"


def role(span: SpanView) -> Role | None:
    """By span kind; a chain is the run of a pipeline or of an agent in it."""
    if not span.scope_name.startswith(SCOPE):
        return None
    found = openinference.role(span)
    return Role.WORKFLOW if found is Role.STEP and span.name.endswith(".run") else found


DIALECT: Final[Dialect] = replace(
    openinference.DIALECT,
    name="openinference-haystack",
    title="OpenInference on Haystack",
    role=role,
    runtimes=(
        Runtime(
            title="Haystack (OpenInference)",
            scope="",
            versions=("haystack-ai 3.4.1 with openinference-instrumentation-haystack 0.1.46",),
            recognised="Pipelines and agents as turns, model calls.",
            failure="Status error of the turn.",
            limits=("No tool call is recorded.", "An answer that is only printed as a Python object is not read."),
        ),
    ),
)
