"""What every writer must keep: :func:`check_writer` tries one on explanations made to break it.

The rules are those of ``docs/conventions.md`` and of what the backends do to what they are sent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from otel_footprint import semconv as names
from otel_footprint.config import MAX_EVENTS
from otel_footprint.testing.explanations import MARKS, SECRETS, events_of, subjects
from otel_footprint.writers import EventRecord, LogRecord, SpanRecord, Subject, Writer, Written
from otel_footprint.writers.text import MAX_SEARCH_BYTES, MAX_VALUE_BYTES

_MAX_NAME: Final = 20
_NAME: Final = re.compile(r"[a-z0-9._]+")
_SPAN_ID: Final = re.compile(r"(?!0{16})[0-9a-f]{16}")
_INT64: Final = 1 << 63
_MAX_SEVERITY: Final = 24
_MICROSECOND: Final = 1_000


class WriterError(AssertionError):
    """A writer breaks a rule; the message names the rule, the example and what was written."""


def check_writer(writer: Writer) -> None:
    """Try a writer on examples; it returns when each rule was kept.

    The rules, by the word that the error begins with:

    - ``raises``: a writer raises nothing.
    - ``repeatable``: equal subjects give equal bytes, in whatever order their sets are.
    - ``second pass``: nothing is added to a span that has ``footprint.schema``.
    - ``present``: no key that the span has is written again.
    - ``name``: an event's name has at most 20 lower-case ASCII characters.
    - ``sentence``: ``footprint.about`` is the first key of a ``footprint.*`` event or record, and sorts first.
    - ``type``: a value is a text, an integer of 64 bits, a truth value, or a tuple of texts, without a lone surrogate.
    - ``bound``: a value has at most 2,000 UTF-8 bytes, one of a ``footprint.*`` attribute of the span 255.
    - ``search``: such an attribute begins with neither ``{`` nor ``[``.
    - ``secret``: nothing that looks like a secret is written.
    - ``limit``: at most ``max_events`` events, never more than 64, of a span or as log records.
    - ``count``: what did not fit is counted in ``omitted``, and in the account's own number.
    - ``time``: times are inside the span and strictly increase, a microsecond apart where the span has room.
    - ``link``: a link goes once to a span that was seen.
    - ``span``: an added span is a child of the turn's with valid ids, is linked to it and ends after it started.
    - ``record``: a log record has a severity of OTLP and a body.

    Raises:
        WriterError: a rule is broken.
    """
    for example, subject in subjects():
        for rule, detail in _broken(writer, subject):
            raise WriterError(f"{rule}: {detail} (example: {example})")


def _broken(writer: Writer, subject: Subject) -> Iterator[tuple[str, str]]:
    """The rules that are broken, each with what shows it."""
    try:
        written = writer(subject)
        again = writer(replace(subject, present=_shuffled(subject.present), seen=_shuffled(subject.seen)))
        marked = writer(replace(subject, present=subject.present | {names.FOOTPRINT_SCHEMA}))
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        yield "raises", f"{type(error).__name__}: {error}"
        return
    text = _encoded(written)
    if text != _encoded(again):
        yield "repeatable", "the same subject was written in two ways"
    if marked != Written():
        yield "second pass", f"{marked!r:.200} was added to a span that is explained"
    for secret in SECRETS:
        if secret in text:
            yield "secret", f"{secret[:6]}... was written"
    yield from _on_the_span(written, subject)
    yield from _counts(written, subject)
    yield from _times(written, subject)
    for span in written.spans:
        yield from _span(span, subject)
    for record in written.logs:
        if not 1 <= record.severity <= _MAX_SEVERITY or not record.body:
            yield "record", f"{record.name} has severity {record.severity} and body {record.body!r}"


def _on_the_span(written: Written, subject: Subject) -> Iterator[tuple[str, str]]:
    for key in written.attributes:
        if key in subject.present:
            yield "present", f"{key} is there already"
    yield from _names_and_sentences(written)
    for place, key, value in _values(written):
        yield from _value(place, key, value)
    yield from _links(written.links, subject)


def _shuffled(texts: frozenset[str]) -> frozenset[str]:
    """An equal set, filled in another order."""
    return frozenset(sorted(texts, reverse=True))


def _encoded(written: Written) -> str:
    parts = [written.events, list(written.attributes.items()), written.omitted, written.links, written.logs]
    spans = [[getattr(span, name) for name in SpanRecord.__slots__] for span in written.spans]
    return json.dumps([*parts, spans], ensure_ascii=False, default=repr)


def _all_events(written: Written) -> Iterator[EventRecord]:
    yield from written.events
    for span in written.spans:
        yield from span.events


def _names_and_sentences(written: Written) -> Iterator[tuple[str, str]]:
    for event in _all_events(written):
        if len(event.name) > _MAX_NAME or not _NAME.fullmatch(event.name):
            yield "name", f"{event.name!r}"
    said: list[EventRecord | LogRecord] = [*_all_events(written), *written.logs]
    for one in said:
        keys = list(one.attributes)
        if one.name.startswith("footprint.") and (keys[:1] != [names.FOOTPRINT_ABOUT] or min(keys) != keys[0]):
            yield "sentence", f"the keys of {one.name} are {keys}"


def _values(written: Written) -> Iterator[tuple[str, str, Any]]:
    """Every value with the place it stands in and its key."""
    groups: list[tuple[str, Mapping[str, Any]]] = [("attribute", written.attributes)]
    groups += [("attribute", span.attributes) for span in written.spans]
    groups += [(event.name, event.attributes) for event in _all_events(written)]
    groups += [(record.name, {**record.attributes, "body": record.body}) for record in written.logs]
    for place, attributes in groups:
        for key, value in attributes.items():
            yield place, key, value


def _value(place: str, key: str, value: Any) -> Iterator[tuple[str, str]]:
    where = f"{place} {key}"
    texts = value if isinstance(value, tuple) else (value,) if isinstance(value, str) else ()
    right = all(isinstance(text, str) for text in texts) if isinstance(value, str | tuple) else _is_number(value)
    if not right or any(_has_surrogate(text) for text in texts):
        yield "type", f"{where} is {value!r:.80}"
        return
    sizes = [len(text.encode()) for text in texts]
    if sum(sizes) > MAX_VALUE_BYTES:
        yield "bound", f"{where} has {sum(sizes)} bytes"
    if place == "attribute" and key.startswith("footprint."):
        if any(size > MAX_SEARCH_BYTES for size in sizes):
            yield "bound", f"{where} has {max(sizes)} bytes"
        if any(text.startswith(("{", "[")) for text in texts):
            yield "search", f"{where} begins as JSON does"


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and -_INT64 <= value < _INT64


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _counts(written: Written, subject: Subject) -> Iterator[tuple[str, str]]:
    limit = min(subject.options.max_events, MAX_EVENTS)
    records = [record for record in written.logs if record.name in MARKS]
    groups: list[Sequence[EventRecord | LogRecord]] = [written.events, records]
    groups += [span.events for span in written.spans]
    for group in groups:
        if len(group) > limit:
            yield "limit", f"{len(group)} where {limit} are allowed"
        yield from _account(group, subject)
    said = max(sum(event.name in MARKS for event in written.events), len(records))
    if said and said + written.omitted != events_of(subject.explanation):
        yield "count", f"{said} written and {written.omitted} omitted of {events_of(subject.explanation)}"


def _account(group: Iterable[EventRecord | LogRecord], subject: Subject) -> Iterator[tuple[str, str]]:
    known = [one for one in group if one.name in MARKS]
    counted = [one.attributes.get(names.FOOTPRINT_ACCOUNT_EVENTS_OMITTED) for one in known[:1]]
    missing = events_of(subject.explanation) - len(known)
    if known and counted != [missing]:
        yield "count", f"the account says {counted} of {missing} that are left out"


def _times(written: Written, subject: Subject) -> Iterator[tuple[str, str]]:
    start, end = subject.start_ns, subject.end_ns
    groups = [
        [event.time_ns for event in written.events],
        [record.time_ns for record in written.logs],
        *([event.time_ns for event in span.events] for span in written.spans),
    ]
    for times in groups:
        if any(second <= first for first, second in pairwise(times)):
            yield "time", f"{times} do not increase"
        # nothing is written before 1970, and a span shorter than that has no room for it
        if not times or start < 0 or end - start < len(times) * _MICROSECOND:
            continue
        if times[0] < start or times[-1] > end:
            yield "time", f"{times[0]} to {times[-1]} is not inside {start} to {end}"
        if any(second - first < _MICROSECOND for first, second in pairwise(times)):
            yield "time", f"{times} are less than a microsecond apart"
    if any(time < 0 for times in groups for time in times):
        yield "time", "a time is before 1970"


def _links(links: Sequence[str], subject: Subject) -> Iterator[tuple[str, str]]:
    if len(set(links)) != len(links):
        yield "link", f"{links} has one twice"
    for link in links:
        if link not in subject.seen or link == subject.explanation.span_id:
            yield "link", f"{link} is not a span that was seen"


def _span(span: SpanRecord, subject: Subject) -> Iterator[tuple[str, str]]:
    explanation = subject.explanation
    own = _SPAN_ID.fullmatch(span.span_id) is not None and span.span_id not in {explanation.span_id, *subject.seen}
    placed = (span.trace_id, span.parent_id) == (explanation.trace_id, explanation.span_id)
    timed = 0 <= span.start_ns <= span.end_ns
    if not own or not placed or not timed or span.links[:1] != (explanation.span_id,):
        yield "span", f"{span.name} {span.span_id} below {span.parent_id}"
    yield from _links(span.links[1:], subject)
