"""What a file is when it is nothing that can be read, and what to do about it.

Three tables: by a file's first bytes, by what is in them, and by the shape of a JSON value. A format that gets a reader
leaves its table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

_DECOMPRESS: Final = "decompress it first, for example with `{} | otel-footprint explain -`"

_BY_FIRST_BYTES: Final[Mapping[bytes, str]] = {
    b"\x1f\x8b": "compressed twice; decompress it once",
    b"\x28\xb5\x2f\xfd": "compressed twice; decompress it once",
    b"BZh": "compressed with bzip2; " + _DECOMPRESS.format("bunzip2 -c FILE"),
    b"\xfd7zXZ": "compressed with xz; " + _DECOMPRESS.format("xz -dc FILE"),
    b"PK\x03\x04": "a ZIP archive; unpack it first",
    b"SQLite format 3": "an SQLite database; export its traces as OTLP JSON",
    b"\xff\xfe": "text in UTF-16; write it as UTF-8",
    b"\xfe\xff": "text in UTF-16; write it as UTF-8",
}

_JAVASCRIPT: Final = re.compile(rb"[\[\s]*\{\s*[A-Za-z_$][\w$]*\s*:")

_LONGEST_LIST_OF_KEYS: Final = 6


def is_other_text(head: bytes) -> bool:
    """Whether a file is text of no kind that is known here, so that there may be JSON further on."""
    begins_like = (*_BY_FIRST_BYTES, b"<")
    return bool(head.strip()) and b"\x00" not in head and not head.lstrip().startswith(begins_like)


def begins_as_javascript(head: bytes) -> bool:
    """Whether a text begins with an object as JavaScript prints it: its first key has no quotes."""
    return _JAVASCRIPT.match(head) is not None


def is_known(head: bytes) -> bool:
    """Whether a file is of a kind that is refused by the first bytes it has."""
    return head.startswith(tuple(_BY_FIRST_BYTES))


def what_bytes_are(head: bytes) -> str:
    """Say what a file is by its first bytes, when they are of no format that is read."""
    for magic, text in _BY_FIRST_BYTES.items():
        if head.startswith(magic):
            return text
    for is_it, text in _BY_CONTENT:
        if is_it(head):
            return text
    return "neither OTLP JSON nor OTLP protobuf; its first line begins " + repr(
        head.lstrip().splitlines()[0][:40].decode("utf-8", "replace")
    )


def what_json_is(value: Any) -> str:
    """Say what a JSON value is that is no OTLP."""
    for looks_like, text in _BY_SHAPE:
        if looks_like(value):
            return text
    if isinstance(value, list):
        return "a list of something else" if value else "an empty list"
    keys = ", ".join(repr(key) for key in list(value)[:_LONGEST_LIST_OF_KEYS])
    return f"an object with the keys {keys}" if keys else "an object without keys"


_BY_CONTENT: Final[tuple[tuple[Callable[[bytes], bool], str], ...]] = (
    (lambda head: not head.strip(), "empty"),
    (
        begins_as_javascript,
        "objects as JavaScript prints them, which are no JSON; use an OTLP exporter instead of the console's",
    ),
    (
        lambda head: b"ResourceSpans #" in head,
        "what a Collector's debug exporter prints, with values cut; use its file exporter",
    ),
    (
        lambda head: head.lstrip()[:1] == b"<",
        "an HTML or XML page, perhaps the answer of a server that asked for a login",
    ),
    (lambda head: b"\x00" in head, "a binary file of another kind; give OTLP JSON or OTLP protobuf"),
)


def _is_atif(value: Any) -> bool:
    return isinstance(value, dict) and str(value.get("schema_version")).startswith("ATIF")


def _is_query_error(value: Any) -> bool:
    return isinstance(value, dict) and bool(value.get("error") or value.get("errors")) and not value.get("data")


def _is_empty_answer(value: Any) -> bool:
    return isinstance(value, dict) and value.get("data") == []


def _is_search_result(value: Any) -> bool:
    found = value.get("traces") if isinstance(value, dict) else None
    return isinstance(found, list) and any(isinstance(one, dict) and "traceID" in one for one in found)


def _is_old_zipkin(value: Any) -> bool:
    while isinstance(value, list) and value:
        value = value[0]
    return isinstance(value, dict) and "traceId" in value and "binaryAnnotations" in value


_BY_SHAPE: Final[tuple[tuple[Callable[[Any], bool], str], ...]] = (
    (_is_atif, "this is an ATIF trajectory, which holds no spans"),
    (_is_query_error, "this is the error answer of a server"),
    (_is_search_result, "this is what a search in Tempo found, without the spans; ask for each trace by its id"),
    (_is_old_zipkin, "this is Zipkin's JSON of version 1; ask for version 2"),
    (_is_empty_answer, "this is the answer to a query that found nothing"),
)
