"""One reading of recorded content.

A value may be JSON text, JSON inside JSON, printed Python, an array of parts, a structured attribute or plain
text: JSON is tried first, printed Python next, and what is neither is text. What stands for a value without being
one (a placeholder, the cut end of a limit, a value nested too deep) is told apart here and never becomes content.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from otel_footprint.dialects._printed import NotPrintedError, TooDeeplyPrintedError, is_cut_literal, read_literal
from otel_footprint.facts import ABSENT, Content, ContentWhere, Pointer
from otel_footprint.fold.strictjson import NotJsonError, TooDeepError, read_json
from otel_footprint.spanview import TOO_DEEP, SpanView

_PLACEHOLDERS: Final = frozenset(
    {
        "<REDACTED>",
        "__REDACTED__",
        "[REDACTED]",
        "<not specified>",
        "<elided>",
        "Tool execution failed. Error details are redacted.",
    }
)
_SCRUBBED: Final = re.compile(r"\[Scrubbed due to '[^']{1,80}'\]")
_CUT_END: Final = re.compile(r"\.\.\.\[TRUNCATED: original length \d+\]$")
_CUT_LINE: Final = "[... telemetry preview truncated ...]"
_WRAPPED: Final = 3
"""How often JSON text inside JSON text is unwrapped for arguments."""

MALFORMED: Final = object()
"""What :func:`parse_json` gives for text that is not JSON."""

# What is left where a literal, a number or an escape was cut in the middle.
_CUT_TAIL: Final = re.compile(
    r"(?:t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?|-|\.|[eE][+-]?|\\?u?[0-9a-fA-F]{0,4})\s*"
)
_JSON_START: Final = re.compile(r'\s*(?:\{\s*"|\[\s*["\[{])')
_OBJECT_START: Final = re.compile(r'\s*"?[{\[]')
_OBJECTS: Final = (dict, Mapping)
"""As ``Mapping`` alone, and quicker for what nearly every object is."""


def parse_json(text: str) -> Any:
    """The strict JSON value of ``text``, :data:`MALFORMED`, or ``TOO_DEEP``; never raises."""
    try:
        return read_json(text)
    except TooDeepError:
        return TOO_DEEP
    except NotJsonError:
        return MALFORMED


def parse_printed(text: str) -> Any:
    """What :func:`parse_json` says, of an object or list that stands as Python prints it; never raises."""
    if text.lstrip()[:1] not in {"{", "["}:
        return MALFORMED
    try:
        return read_literal(text)
    except TooDeeplyPrintedError:
        return TOO_DEEP
    except NotPrintedError:
        return MALFORMED


def ends_early(text: str) -> bool:
    """Whether text that is not JSON begins as JSON and stops before its end: what a length limit leaves."""
    try:
        json.loads(text, parse_int=str)  # the number itself is not wanted, and one too long to convert would raise
    except json.JSONDecodeError as error:
        return error.msg.startswith("Unterminated string") or _CUT_TAIL.fullmatch(text, error.pos) is not None
    return False


def pointer(span: SpanView, key: str, *path: str | int) -> Pointer:
    """``span_id#attribute:KEY`` with a JSON pointer behind it."""
    where = f"{span.span_id}#attribute:{key}"
    return where + "".join([f"/{escape(part)}" for part in path]) if path else where


def escape(part: str | int) -> str:
    """One part of a JSON pointer (RFC 6901)."""
    return str(part).replace("~", "~0").replace("/", "~1")


def whole_number(value: Any) -> bool:
    """Whether ``value`` is a whole number; a boolean is none, an integral float is one."""
    return (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and value.is_integer())


def says_no(value: Any) -> bool:
    """Whether a recorded flag is false; several runtimes write it as text."""
    return value is False or value == "false"


def is_placeholder(value: Any) -> bool:
    """Whether ``value`` is a documented stand-in for content that was kept out, also inside JSON's quotes."""
    if not isinstance(value, str):
        return False
    word = value[1:-1] if value.startswith('"') and value.endswith('"') else value
    return word in _PLACEHOLDERS or (word.startswith("[Scrubbed") and _SCRUBBED.fullmatch(word) is not None)


def content_of(value: Any, where: Pointer, kind: ContentWhere = "span") -> Content:
    """The content of a decoded value that is there, in the state it is in."""
    if value is TOO_DEEP:
        return Content(state="too-deep", pointer=where, where=kind)
    if isinstance(value, bytes):
        return Content(state="unreadable", pointer=where, where=kind)
    if isinstance(value, str):
        if is_placeholder(value):
            return Content(state="redacted", pointer=where, where=kind)
        if value.endswith("]") and (_CUT_END.search(value) or value.endswith(_CUT_LINE)):
            return Content(state="cut", pointer=where, where=kind)
    return Content(state="recorded", value=value, pointer=where, where=kind)


def attribute(span: SpanView, key: str) -> Content:
    """One attribute as content; absent when the span has no such key."""
    return content_of(span.get(key), pointer(span, key)) if span.has(key) else ABSENT


def first_attribute(span: SpanView, keys: Sequence[str]) -> Content:
    """The first of ``keys`` that the span has."""
    for key in keys:
        if span.has(key):
            return attribute(span, key)
    return ABSENT


def text_attribute(span: SpanView, keys: Sequence[str]) -> str | None:
    """The first of ``keys`` that holds a non-blank text; placeholders are no text."""
    for key in keys:
        value = span.get(key)
        if isinstance(value, str) and value.strip() and not is_placeholder(value):
            return str(value)
    return None


def replaced(content: Content, value: Any, path: str = "") -> Content:
    """``content`` with a value found inside it."""
    return content_of(value, f"{content.pointer}{path}", content.where)


def structured(content: Content, *, printed: bool = True) -> Content:
    """Arguments: JSON text (also inside JSON text) becomes its value, else what Python prints of an object does.

    Cut JSON becomes *cut*; other text stays text. Without ``printed`` Python's form stays text too: for a place where
    one argument's bare value may stand, which may be a program.
    """
    value = content.value
    if not content.recorded or not isinstance(value, str):
        return content
    for _ in range(_WRAPPED + 1):
        if not isinstance(value, str) or value.lstrip()[:1] not in {"{", "[", '"'}:
            break
        parsed = parse_json(value)
        if parsed is MALFORMED:
            spelled = parse_printed(value) if printed else MALFORMED
            if spelled is not MALFORMED:
                value = spelled
                break
            if value is content.value and _OBJECT_START.match(value) and ends_early(value):
                return Content(state="cut", pointer=content.pointer, where=content.where)
            if printed and is_cut_literal(value):
                return Content(state="cut", pointer=content.pointer, where=content.where)
            break
        value = parsed
    # Text that was quoted and holds no object is the text as it came.
    return replaced(content, value) if isinstance(value, (dict, list, Mapping)) or value is TOO_DEEP else content


def is_schema(value: Any) -> bool:
    """Whether an arguments value is a tool's JSON schema, or the properties of one, put in the wrong place."""
    if not isinstance(value, _OBJECTS) or not value:
        return False
    if isinstance(value.get("properties"), _OBJECTS) and (value.get("type") == "object" or "required" in value):
        return True
    return all(
        type(v) is not str and isinstance(v, _OBJECTS) and isinstance(v.get("type"), str) for v in value.values()
    )


def tool_result(content: Content) -> Content:
    """A result with the transport wrappers that runtimes document taken off (bounded), and its JSON text decoded.

    What is decoded once has been through here: it is not looked at again.
    """
    for _ in range(4):
        if not content.recorded or content.decoded is not None:
            return content
        step = _unwrap(content)
        if step is content:
            break
        content = step
    value = content.value
    # Only a text that begins as JSON really begins (`{"` or `["`, `[{`) can be cut JSON; `[not json` is text.
    if isinstance(value, str) and _JSON_START.match(value):
        parsed = parse_json(value)
        if parsed is TOO_DEEP:
            return replaced(content, parsed)
        if parsed is MALFORMED and ends_early(value):
            return Content(state="cut", pointer=content.pointer, where=content.where)
        return _with_decoded(content, parsed)
    return content


def beside_result(content: Content) -> Content:
    """The object that an MCP result holds beside the parts that a model reads; absent when it holds none."""
    value = content.value
    if not content.recorded or (isinstance(value, str) and '"structuredContent"' not in value):
        return ABSENT
    whole = structured(content, printed=False)
    inner = whole.value.get("structuredContent") if isinstance(whole.value, Mapping) else None
    return replaced(whole, inner, "/structuredContent") if isinstance(inner, Mapping) else ABSENT


def _with_decoded(content: Content, parsed: Any) -> Content:
    if not isinstance(parsed, dict | list):
        return content
    return Content(
        state=content.state, value=content.value, pointer=content.pointer, where=content.where, decoded=parsed
    )


def _unwrap(content: Content) -> Content:
    value = content.value
    if isinstance(value, str):
        # Decoded first: to look for a wrapper's keys in the text would take as long as a part of that.
        parsed = parse_json(value) if _JSON_START.match(value) else MALFORMED
        if parsed is MALFORMED or parsed is TOO_DEEP:
            return content
        inner = _unwrap_value(content, parsed)
        return _with_decoded(content, parsed) if inner is content else inner
    return _unwrap_value(content, value)


def _unwrap_value(content: Content, value: Any) -> Content:
    if isinstance(value, _OBJECTS):
        return _unwrap_object(content, value)
    if isinstance(value, (list, tuple)):
        text = _joined_text(value)
        return content if text is None else replaced(content, text, "/0/text" if len(value) == 1 else "")
    return content


def _unwrap_object(content: Content, value: Mapping[str, Any]) -> Content:
    if value.get("type") == "tool" and isinstance(value.get("data"), Mapping) and "content" in value["data"]:
        return replaced(content, value["data"]["content"], "/data/content")
    if value.get("type") == "tool" and "content" in value and "tool_call_id" in value:
        return replaced(content, value["content"], "/content")
    if "content" in value and set(value) <= {"content", "isError", "structuredContent", "_meta", "meta"}:
        parts = value["content"]
        if isinstance(parts, list) and parts and _joined_text(parts) is not None:
            return replaced(content, parts, "/content")
    return content


def _joined_text(parts: Sequence[Any]) -> str | None:
    """The text of a content list; ``None`` when it is an ordinary list."""
    texts: list[str] = []
    for part in parts:
        if not isinstance(part, _OBJECTS) or not isinstance(part.get("text"), str):
            return None
        if part.get("type", "text") != "text" or not set(part) <= {"type", "text", "annotations", "_meta"}:
            return None
        texts.append(part["text"])
    return "\n".join(texts) if texts else None
