"""Reading JSON files: each value of a file is told by its shape, OTLP first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, Final

from otel_footprint.files import flat_spans, jaeger, langfuse, mlflow, phoenix, zipkin
from otel_footprint.files.documents import Document
from otel_footprint.files.json_text import MAX_VALUE_BYTES, JsonText, Spoiled, json_texts
from otel_footprint.files.otlp_json import is_otlp, not_utf8, other_signals, otlp_document
from otel_footprint.files.problems import Problem
from otel_footprint.files.refusals import what_json_is
from otel_footprint.files.translation import Shape, TranslatedDocument

SHAPES: Final[tuple[Shape, ...]] = (
    jaeger.SHAPE,
    langfuse.SHAPE,
    mlflow.SHAPE,
    zipkin.SHAPE,
    phoenix.SHAPE,
    flat_spans.SHAPE,
)
"""In the order they are tried: the last is the least particular."""


def begins_as_json(head: bytes) -> bool:
    """Whether the first bytes of a file begin a JSON object or list."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")[:1] in {b"{", b"["}


def read_json(stream: BinaryIO, name: str) -> Iterator[Document | Problem]:
    """Read the documents of an open file, line by line.

    Args:
        stream: The file, open for reading bytes.
        name: What the file is called in a problem.

    Yields:
        A document for every JSON value that holds spans, a problem for everything else.
    """
    yield from read_json_lines(iter(lambda: stream.readline(MAX_VALUE_BYTES), b""), name)


def read_json_lines(lines: Iterable[bytes], name: str) -> Iterator[Document | Problem]:
    """Read the documents of lines that end with their line feeds; see :func:`read_json`."""
    signals: set[str] = set()
    for text in json_texts(lines):
        if isinstance(text, Spoiled):
            yield Problem(file=name, line=text.line, message=text.message)
        elif is_otlp(text.value):
            yield from otlp_document(text, name)
            for signal in sorted(other_signals(text.value) - signals):
                signals.add(signal)
                message = f"OTLP {signal}, which are not read: only spans and log records are"
                yield Problem(file=name, line=text.line, message=message, lost=False)
        else:
            yield from _other(text, name)


def _other(text: JsonText, name: str) -> Iterator[Document | Problem]:
    shape = shape_of(text.value)
    if shape is None:
        message = f"no spans of a known format: {what_json_is(text.value)}"
        yield Problem(file=name, line=text.line, message=message)
    else:
        yield from translated(shape, text.value, name, text.line)
        yield from not_utf8(text, name)


def shape_of(value: Any) -> Shape | None:
    """The shape that a value has, when it is a known one."""
    return next((shape for shape in SHAPES if shape.matches(value)), None)


def translated(shape: Shape, value: Any, name: str, line: int | None) -> Iterator[Document | Problem]:
    """The document that a value of a shape becomes, and what in it was no span.

    Args:
        shape: The shape of the value.
        value: The parsed value.
        name: What the file is called in a problem.
        line: The line that it begins on.
    """
    made = shape.translate(value)
    yield TranslatedDocument(made.groups, line)
    if made.passed_over:
        what = "1 item that is" if made.passed_over == 1 else f"{made.passed_over} items that are"
        message = f"{what} no span of {shape.name}, passed over"
        yield Problem(file=name, line=line, message=message)
