"""What an evidence pointer points to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from otel_footprint.dialects._printed import NotPrintedError, Printed, read_objects
from otel_footprint.explanation import Explanation
from otel_footprint.facts import Pointer
from otel_footprint.logview import LogView
from otel_footprint.spanview import SpanView

_WRAPPED: Final = 4
"""How often text inside text is opened on the way."""


class UnresolvedError(LookupError):
    """A pointer that points to nothing."""


def evidence_of(explanation: Explanation) -> Iterator[Pointer]:
    """Every evidence pointer of an explanation."""
    for found in (explanation.signals, explanation.unreached, explanation.reasons, explanation.scripts):
        for one in found:
            yield from one.evidence
    for note in explanation.notes:
        yield from note.evidence


def resolve(pointer: Pointer, spans: Iterable[SpanView], logs: Iterable[LogView] = ()) -> Any:
    """The value that ``pointer`` points to.

    Args:
        pointer: ``span_id#attribute:KEY/json/pointer``, ``span_id#event:INDEX/KEY/json/pointer``,
            ``span_id#log:EVENT@NANOSECONDS/KEY/json/pointer`` or ``span_id#status``. JSON text and printed Python on
            the way are opened.
        spans: where to look; of several spans of one id the first that has the value counts.
        logs: the log records to look in.

    Raises:
        UnresolvedError: there is no such value, or the pointer has none of the four forms.
    """
    span_id, _, place = pointer.partition("#")
    for span in spans:
        if span.span_id == span_id:
            try:
                return _in_log(logs, place) if place.startswith("log:") else _in_span(span, place)
            except LookupError:
                continue
    raise UnresolvedError(pointer)


def _in_span(span: SpanView, place: str) -> Any:
    if place == "status":
        return span.status
    form, _, rest = place.partition(":")
    if form == "attribute":
        return _keyed({key: span.get(key) for key in span.keys()}, rest)  # noqa: SIM118 - a span view is no mapping
    if form == "event":
        index, _, rest = rest.partition("/")
        return _keyed(span.events[int(index)].attributes, rest)
    raise LookupError(place)


def _in_log(logs: Iterable[LogView], place: str) -> Any:
    which, _, rest = place.removeprefix("log:").partition("/")
    for record in logs:
        if which == f"{record.name}@{record.time_ns}":
            values = {key: record.get(key) for key in record.keys()}  # noqa: SIM118 - a view is no mapping
            try:
                return _keyed({**values, "body": record.body}, rest) if rest else record
            except LookupError:
                continue
    raise LookupError(place)


def _keyed(values: Mapping[str, Any], rest: str) -> Any:
    """The key may hold slashes itself, so the longest one that fits counts."""
    parts = rest.split("/")
    for length in range(len(parts), 0, -1):
        key = "/".join(parts[:length])
        if key in values:
            return _at(values[key], [p.replace("~1", "/").replace("~0", "~") for p in parts[length:]])
    raise LookupError(rest)


def _at(value: Any, path: list[str]) -> Any:
    for part in path:
        value = _opened(value.fields if isinstance(value, Printed) else value)
        if isinstance(value, Mapping):
            value = value[part]
        elif isinstance(value, list | tuple) and part.isdecimal():
            value = value[int(part)]
        else:
            raise LookupError(part)
    return value


def _opened(value: Any) -> Any:
    for _ in range(_WRAPPED):
        if not isinstance(value, str):
            break
        try:
            value = json.loads(value)
        except ValueError as error:
            try:
                value = read_objects(value)
            except NotPrintedError:
                raise LookupError(value[:40]) from error
            value = value.fields if isinstance(value, Printed) else value
    return value
