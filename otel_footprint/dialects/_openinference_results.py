"""What LlamaIndex puts around a result, taken off by the shape that it is known for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from otel_footprint.dialects.content import attribute, pointer, replaced, structured
from otel_footprint.facts import Content, Pointer
from otel_footprint.spanview import SpanView

_OUTPUT: Final = "output.value"
_LLAMA: Final = frozenset({"tool_name", "raw_output", "is_error"})
_MARK: Final = '"raw_output"'


def recorded_result(span: SpanView) -> tuple[Content, Pointer | None]:
    """The result as the tool gave it, and where the emitter says in it that the call failed."""
    content = attribute(span, _OUTPUT)
    if not content.recorded or not isinstance(content.value, str) or _MARK not in content.value:
        return content, None
    inner = structured(content, printed=False)
    value = inner.value
    if not inner.recorded or not isinstance(value, Mapping):
        return content, None
    if value.keys() >= _LLAMA:
        # LlamaIndex: the tool's output object.
        failed = pointer(span, _OUTPUT, "is_error") if value["is_error"] is True else None
        return replaced(inner, value["raw_output"], "/raw_output"), failed
    return content, None
