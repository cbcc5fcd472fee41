"""Reading OTLP JSON: requests, bare ``ResourceSpans`` and ``ResourceLogs`` objects, lists of either."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from otel_footprint.files.documents import Annotation, Document, Place
from otel_footprint.files.json_text import JsonText
from otel_footprint.files.problems import Problem
from otel_footprint.files.splice import splice
from otel_footprint.logview import LogView
from otel_footprint.spanview_otlp import OtlpJsonSpan, json_attributes, json_log

_RESOURCE_SPANS: Final = ("resourceSpans", "resource_spans", "batches")
"""``batches`` is what Tempo's API calls the same list."""
_WRAPPERS: Final = ("result", "trace")
"""The query APIs of Jaeger (version 3) and Tempo (version 2) put one of these around a request."""
_SCOPE_SPANS: Final = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans")
"""Before OTLP 1.0 a scope was called an instrumentation library."""
_SCOPE: Final = ("scope", "instrumentationLibrary", "instrumentation_library")
_RESOURCE_LOGS: Final = ("resourceLogs", "resource_logs")
_SCOPE_LOGS: Final = ("scopeLogs", "scope_logs")
_LOG_RECORDS: Final = ("logRecords", "log_records")
_OTHER_SIGNALS: Final[Mapping[str, str]] = {
    "resourceMetrics": "metrics",
    "resource_metrics": "metrics",
    "resourceProfiles": "profiles",
    "resource_profiles": "profiles",
}


class OtlpJsonDocument:
    """One JSON value of a file that holds spans or log records, or another signal's data that is passed through."""

    __slots__ = ("_logs", "_spans", "_text", "line", "malformed")

    def __init__(self, text: JsonText) -> None:
        self._text = text
        self.line: int | None = text.line
        self.malformed = 0
        """Places where a list or an object was due and something else stood."""
        self._spans = list(self._find(text.value))
        self._logs = list(self._find_logs(text.value))

    def spans(self) -> Sequence[tuple[Place, OtlpJsonSpan]]:
        """Its spans in recorded order."""
        return self._spans

    def logs(self) -> Sequence[LogView]:
        """Its log records in recorded order."""
        return self._logs

    def annotated(self, annotations: Mapping[Place, Annotation]) -> str:
        """Its text exactly as it came, with the additions put in."""
        additions: dict[Place, dict[str, list[Any]]] = {}
        for place, added in annotations.items():
            *resource_group, scope_list, _, _, _ = place
            _extend(additions, place, added.on_span)
            _extend(additions, tuple(resource_group), {str(scope_list): added.scope_groups})
        return splice(self._text.text, additions) if additions else self._text.text

    def _find(self, value: Any) -> Iterator[tuple[Place, OtlpJsonSpan]]:
        for path, group in self._groups(value, (), _RESOURCE_SPANS, _SCOPE_SPANS):
            resource = json_attributes(group.get("resource"))
            for scope_path, scope_group in self._children(group, path, _SCOPE_SPANS):
                scope = next((scope_group[name] for name in _SCOPE if name in scope_group), None)
                for span_path, span in self._children(scope_group, scope_path, ("spans",)):
                    yield span_path, OtlpJsonSpan(span, resource, scope)

    def _find_logs(self, value: Any) -> Iterator[LogView]:
        for path, group in self._groups(value, (), _RESOURCE_LOGS, _SCOPE_LOGS):
            resource = json_attributes(group.get("resource"))
            for scope_path, scope_group in self._children(group, path, _SCOPE_LOGS):
                for _, record in self._children(scope_group, scope_path, _LOG_RECORDS):
                    yield json_log(record, resource, scope_group.get("scope"))

    def _groups(
        self, value: Any, path: Place, lists: tuple[str, ...], scopes: tuple[str, ...]
    ) -> Iterator[tuple[Place, dict[str, Any]]]:
        """The ``ResourceSpans`` or ``ResourceLogs`` objects of a value and where they are."""
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from self._groups(item, (*path, index), lists, scopes)
        elif isinstance(value, dict):
            if _has(value, scopes):
                yield path, value
            yield from self._children(value, path, lists)
            for name in _WRAPPERS:
                if isinstance(value.get(name), dict):
                    yield from self._groups(value[name], (*path, name), lists, scopes)

    def _children(
        self, owner: dict[str, Any], path: Place, names: tuple[str, ...]
    ) -> Iterator[tuple[Place, dict[str, Any]]]:
        """The objects in the lists that an object holds under any of the names."""
        for name in names:
            items = owner.get(name)
            if items is None:
                continue
            if not isinstance(items, list):
                self.malformed += 1
                continue
            for index, item in enumerate(items):
                if isinstance(item, dict):
                    yield (*path, name, index), item
                else:
                    self.malformed += 1


def _extend(additions: dict[Place, dict[str, list[Any]]], place: Place, lists: Mapping[str, Iterable[Any]]) -> None:
    at_place = additions.setdefault(place, {})
    for name, items in lists.items():
        at_place.setdefault(name, []).extend(items)


def otlp_document(text: JsonText, name: str) -> Iterator[Document | Problem]:
    """The document that a JSON value of OTLP is, and what is wrong with it."""
    document = OtlpJsonDocument(text)
    yield document
    if document.malformed:
        message = f"{document.malformed} places do not have the shape of OTLP JSON and were passed over"
        yield Problem(file=name, line=text.line, message=message)
    yield from not_utf8(text, name)


def not_utf8(text: JsonText, name: str) -> Iterator[Problem]:
    """A note about a JSON value when some of it is not UTF-8."""
    try:
        text.text.encode()
    except UnicodeEncodeError:
        message = "holds bytes that are not UTF-8; they are read as U+FFFD"
        yield Problem(file=name, line=text.line, message=message, lost=False)


def is_otlp(value: Any) -> bool:
    """Whether a value is OTLP JSON of any signal; a list is when all of its items are."""
    if isinstance(value, list):
        return bool(value) and all(isinstance(item, dict) and is_otlp(item) for item in value)
    if not isinstance(value, dict):
        return False
    wrapped = (value.get(name) for name in _WRAPPERS)
    return _has(value, (*_RESOURCE_SPANS, *_SCOPE_SPANS, *_RESOURCE_LOGS, *_SCOPE_LOGS, *_OTHER_SIGNALS)) or any(
        isinstance(inner, dict) and _has(inner, _RESOURCE_SPANS) for inner in wrapped
    )


def other_signals(value: Any) -> set[str]:
    """What a value of OTLP holds that is not read: ``metrics``, ``profiles``."""
    objects = value if isinstance(value, list) else [value]
    return {_OTHER_SIGNALS[key] for item in objects for key in item if key in _OTHER_SIGNALS}


def _has(value: dict[str, Any], names: tuple[str, ...]) -> bool:
    return any(name in value for name in names)
