"""What an emitter of OpenInference puts around a value, taken off by the shape that it is known for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from otel_footprint.dialects.content import attribute, pointer, replaced, structured
from otel_footprint.facts import ABSENT, Content, Pointer
from otel_footprint.spanview import SpanView

_OUTPUT: Final = "output.value"
_LLAMA: Final = frozenset({"tool_name", "raw_output", "is_error"})
_ADK: Final = frozenset({"id", "name", "response"})
_ADK_SCOPE: Final = "openinference.instrumentation.google_adk"
_SAID: Final = {"input": "new_message", "output": "content"}
_MARKS: Final = ('"raw_output"', '"response"')


def recorded_result(span: SpanView) -> tuple[Content, Pointer | None]:
    """The result as the tool gave it, and where the emitter says in it that the call failed."""
    content = attribute(span, _OUTPUT)
    if not content.recorded or not isinstance(content.value, str) or not any(m in content.value for m in _MARKS):
        return content, None
    inner = structured(content, printed=False)
    value = inner.value
    if not inner.recorded or not isinstance(value, Mapping):
        return content, None
    if value.keys() >= _LLAMA:
        # LlamaIndex: the tool's output object.
        failed = pointer(span, _OUTPUT, "is_error") if value["is_error"] is True else None
        return replaced(inner, value["raw_output"], "/raw_output"), failed
    if value.keys() == _ADK and value["name"] == span.get("tool.name"):
        # Google ADK: Gemini's function response.
        return _unwrapped(replaced(inner, value["response"], "/response")), None
    return content, None


def _unwrapped(content: Content) -> Content:
    """ADK wraps what is no object in one of the key ``result``."""
    value = content.value
    wrapped = isinstance(value, Mapping) and value.keys() == {"result"}
    return replaced(content, value["result"], "/result") if wrapped else content


def adk_text(span: SpanView, side: str) -> Content:
    """What was said to ADK's agent (``input``) or by it (``output``), out of its event; else absent."""
    if not span.scope_name.startswith(_ADK_SCOPE):
        return ABSENT
    event = structured(attribute(span, f"{side}.value"), printed=False)
    said = event.value.get(_SAID[side]) if isinstance(event.value, Mapping) else None
    parts = said.get("parts") if isinstance(said, Mapping) else None
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)] if isinstance(parts, list) else []
    words = [text for text in texts if isinstance(text, str)]
    return replaced(event, "".join(words), f"/{_SAID[side]}/parts") if words else ABSENT
