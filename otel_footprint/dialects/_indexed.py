"""OpenInference's flattened messages: ``llm.input_messages.N.message.tool_calls.M.tool_call.function.name``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from otel_footprint.dialects._base import Message, Requested, Responded
from otel_footprint.dialects.content import content_of, structured
from otel_footprint.facts import ABSENT, Content
from otel_footprint.spanview import SpanView

_DEPTH = 12
"""Longest key path that is read; the convention's own need nine parts."""


def indexed_messages(span: SpanView, prefix: str) -> tuple[Message, ...]:
    """The messages under ``prefix`` in the order of their index; gaps in the numbering are passed over."""
    tree: dict[str, Any] = {}
    dotted = prefix + "."
    for key in span.keys():  # noqa: SIM118 - a span view is no mapping
        if key.startswith(dotted):
            _put(tree, key[len(dotted) :].split("."), key)
    return tuple(
        _message(span, node["message"])
        for _, node in sorted(((int(n), node) for n, node in tree.items() if _is_index(n)), key=lambda pair: pair[0])
        if isinstance(node, dict) and isinstance(node.get("message"), dict)
    )


def _is_index(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _DEPTH


def _put(tree: dict[str, Any], path: list[str], key: str) -> None:
    if len(path) > _DEPTH:
        return
    for part in path[:-1]:
        nested = tree.get(part)
        if not isinstance(nested, dict):
            nested = tree[part] = {}
        tree = nested
    tree.setdefault(path[-1], key)


def _leaf(span: SpanView, node: Mapping[str, Any], *path: str) -> Content:
    found: Any = node
    for part in path:
        found = found.get(part) if isinstance(found, dict) else None
    if not isinstance(found, str):
        return ABSENT
    return content_of(span.get(found), f"{span.span_id}#attribute:{found}", "messages")


def _text(content: Content) -> str | None:
    return content.value if content.recorded and isinstance(content.value, str) and content.value else None


def _items(node: Any) -> list[dict[str, Any]]:
    if not isinstance(node, dict):
        return []
    pairs = sorted((int(n), item) for n, item in node.items() if _is_index(n) and isinstance(item, dict))
    return [item for _, item in pairs]


def _message(span: SpanView, node: dict[str, Any]) -> Message:
    role = _text(_leaf(span, node, "role")) or ""
    text = _message_text(span, node)
    if role in {"tool", "function"}:
        call_id = _text(_leaf(span, node, "tool_call_id"))
        # Several contents under one call id may be several calls' results run together: which is whose is not said.
        value = ABSENT if len(_items(node.get("contents"))) > 1 else text
        responded = (Responded(call_id=call_id, value=value, name=_text(_leaf(span, node, "name"))),)
        return Message(role="tool", responded=responded)
    return Message(role=role, text=text, requested=_requests(span, node))


def _message_text(span: SpanView, node: dict[str, Any]) -> Content:
    content = _leaf(span, node, "content")
    if content.state != "absent":
        return content
    # Some emitters index the content itself (message.content.0), others keep a list of typed contents.
    for leaf in (_leaf(span, node, "content", "0"), *_typed(span, node)):
        if leaf.state != "absent":
            return leaf
    return ABSENT


def _typed(span: SpanView, node: dict[str, Any]) -> list[Content]:
    return [_leaf(span, item, "message_content", "text") for item in _items(node.get("contents"))]


def _requests(span: SpanView, node: dict[str, Any]) -> tuple[Requested, ...]:
    found: list[Requested] = []
    for item in _items(node.get("tool_calls")):
        name = _leaf(span, item, "tool_call", "function", "name")
        call_id = _leaf(span, item, "tool_call", "id")
        arguments = structured(_leaf(span, item, "tool_call", "function", "arguments"), printed=True)
        found.append(
            Requested(
                name=_text(name),
                call_id=_text(call_id),
                arguments=arguments,
                pointer=name.pointer or call_id.pointer or arguments.pointer,
            )
        )
    return tuple(found)
