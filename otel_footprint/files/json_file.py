"""Reading JSON files: each value of a file is told by its shape, OTLP first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any, BinaryIO, Final

from otel_footprint.files import flat_spans, go_spans, jaeger, langfuse, mlflow, phoenix, zipkin
from otel_footprint.files.documents import Document
from otel_footprint.files.halves import Half, Whole
from otel_footprint.files.json_text import MAX_VALUE_BYTES, JsonText, Spoiled, json_texts
from otel_footprint.files.otlp_json import is_otlp, not_utf8, other_signals, otlp_document
from otel_footprint.files.problems import Problem
from otel_footprint.files.refusals import begins_as_javascript, what_json_is
from otel_footprint.files.translation import Shape, TranslatedDocument

SHAPES: Final[tuple[Shape, ...]] = (
    jaeger.SHAPE,
    langfuse.SHAPE,
    mlflow.SHAPE,
    zipkin.SHAPE,
    phoenix.SHAPE,
    go_spans.SHAPE,
    flat_spans.SHAPE,
)
"""In the order they are tried: the last is the least particular."""


def begins_as_json(head: bytes) -> bool:
    """Whether the first bytes of a file begin a JSON object or list."""
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
    return head[:1] in {b"{", b"["} and not begins_as_javascript(head)


def read_json(stream: BinaryIO, name: str) -> Iterator[Document | Problem | Half]:
    """Read the documents of an open file, line by line.

    Args:
        stream: The file, open for reading bytes.
        name: What the file is called in a problem.

    Yields:
        A document for every JSON value that holds spans, a problem for everything else.
    """
    yield from read_json_lines(_lines(stream), name)


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    return iter(lambda: stream.readline(MAX_VALUE_BYTES), b"")


def read_json_lines(lines: Iterable[bytes], name: str) -> Iterator[Document | Problem | Half]:
    """Read the documents of lines that end with their line feeds; see :func:`read_json`."""
    signals: set[str] = set()
    counted = _Counted(lines)
    for text in json_texts(counted):
        if isinstance(text, Spoiled):
            problem = Problem(file=name, line=text.line, message=text.message)
            yield _half_of(counted.last, problem) if counted.is_cut_off(text.line) else problem
        elif is_otlp(text.value):
            yield from otlp_document(text, name)
            for signal in sorted(other_signals(text.value) - signals):
                signals.add(signal)
                message = f"OTLP {signal}, which are not read: only spans and log records are"
                yield Problem(file=name, line=text.line, message=message, lost=False)
        else:
            yield from _other(text, name)


class _Counted:
    """Lines, and which is the last one that was read."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines = lines
        self._count = 0
        self.last = b""

    def __iter__(self) -> Iterator[bytes]:
        for line in self._lines:
            self._count += 1
            self.last = line
            yield line

    def is_cut_off(self, line: int) -> bool:
        """Whether a line is the last of all, begins a value, and has no line feed at its end."""
        return line == self._count and begins_as_json(self.last) and not self.last.endswith(b"\n")


def _half_of(line: bytes, problem: Problem) -> Half:
    return Half(data=line, alone=(problem,), complete=partial(_whole_line, problem), read_on=_read_on)


def _whole_line(problem: Problem, half: bytes, stream: BinaryIO) -> Whole | None:
    """The half of a line with the first line of the next file, when that makes a value of OTLP."""
    found = list(json_texts([half + stream.readline(MAX_VALUE_BYTES)]))
    if len(found) != 1 or isinstance(found[0], Spoiled) or not is_otlp(found[0].value):
        return None
    return Whole(list(otlp_document(found[0]._replace(line=problem.line or 1), problem.file)), b"")


def _read_on(stream: BinaryIO, name: str) -> Iterator[Document | Problem | Half]:
    """Read the lines after the first, which is counted and belongs to a value of the file before."""
    return read_json_lines(chain([b"\n"], _lines(stream)), name)


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
