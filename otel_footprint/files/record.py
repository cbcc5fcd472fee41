"""Explaining files: all inputs are one record, whose turns come out explained."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import BinaryIO, Final, cast

from otel_footprint.config import Config
from otel_footprint.explanation import Explanation
from otel_footprint.facts import Turn
from otel_footprint.files.annotating import Annotator
from otel_footprint.files.documents import Document, HoldsLogs
from otel_footprint.files.formats import read_documents
from otel_footprint.files.halves import Halves
from otel_footprint.files.problems import Problem
from otel_footprint.files.sources import Source
from otel_footprint.fold.explain import explain
from otel_footprint.spanview import SpanView
from otel_footprint.timeline import Timeline, timeline
from otel_footprint.turns import AssemblerStatistics, Collected, SpanKey, TurnAssembler

MAX_PROBLEMS: Final = 100
"""Problems that are named for one file; the rest is counted."""

MAX_PARENTS: Final = 500_000
"""Spans whose parents are remembered to find the calls that nested turns ran in; past it they hang below their turn."""

PRESSURE_EVERY: Final = 1_000
"""Spans between two looks at whether the bounds of the configuration are kept."""

_NOW: Final = 0.0
"""Files have no clock."""
_FOR_EVER: Final = 1e12

Progress = Callable[[int], None]
"""Told how many bytes more were read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What a set of files holds."""

    explanations: tuple[Explanation, ...] = ()
    """By the turns' start time, then trace and span id."""
    problems: tuple[Problem, ...] = ()
    """In the order of the files and their lines."""
    spans: int = 0
    """Spans with valid ids, duplicates included."""
    ran_in: Mapping[SpanKey, str] = field(default_factory=dict)
    """For a nested turn, by its trace and span id: the span id of the call that it ran inside."""
    timelines: Mapping[SpanKey, Timeline] = field(default_factory=dict)
    """By a turn's trace and span id; empty unless they were asked for."""

    @property
    def incomplete(self) -> bool:
        """Some input could not be read, or there is no span in all of it."""
        return not self.spans or any(problem.lost for problem in self.problems)


def explain_files(  # noqa: PLR0913 - what is asked for goes by its name
    sources: Sequence[Source],
    config: Config,
    *,
    keep: bool = False,
    times: bool = False,
    progress: Progress | None = None,
    watch: Callable[[SpanView], None] | None = None,
    each: Callable[[Turn], None] | None = None,
) -> Record:
    """Read files as one record and explain its turns.

    Args:
        sources: The files, in any order.
        config: The settings.
        keep: Keep what can be read only once for :func:`annotate_files`; the sources are to be
            closed afterwards.
        times: Give each turn's timeline too.
        progress: Called as bytes are read.
        watch: Shown every span with valid ids.
        each: Called with the facts of each turn; what it raises costs that turn.

    Returns:
        The record. What cannot be read is a problem in it; nothing is raised for bad input.
    """
    reading = _Reading(config, keep=keep, times=times, progress=progress, watch=watch, each=each)
    for source in sources:
        reading.read(source)
    return reading.close()


def annotate_files(sources: Sequence[Source], record: Record, config: Config) -> Iterator[str]:
    """Read the same files again and yield their documents as OTLP JSON, the turns' spans annotated.

    OTLP JSON comes out exactly as it came, unknown fields and all, but for what is added; protobuf is
    turned into JSON, where unknown fields have no place, and any other format comes out as the spans
    that were read of it. What could not be read is not in it. A span that is annotated already is left
    as it is. Log records of ours follow the document of their turns as one of their own.

    Args:
        sources: The files; one that cannot be read twice must have been kept.
        record: What :func:`explain_files` made of them.
        config: The settings.

    Yields:
        One document after the other, without line breaks at their ends.
    """
    annotator = Annotator(record.explanations, config)
    halves = Halves()
    for source in sources:
        try:
            with source.open() as stream:
                for item in read_documents(stream, source.name, halves):
                    if not isinstance(item, Problem):
                        yield from annotator.annotate(item)
        except OSError:
            # named when the record was made
            continue
    for item in halves.give_up():
        if not isinstance(item, Problem):
            yield from annotator.annotate(item)


def count_spans(data: bytes) -> tuple[int, str | None]:
    """How many spans a file holds, and what is first wrong with it; ``None``: all of it can be read."""
    spans = 0
    for item in read_documents(io.BytesIO(data), "request"):
        if not isinstance(item, Problem):
            spans += sum(1 for _ in item.spans())
        elif item.lost:
            return spans, item.message
    return spans, None


@dataclass(slots=True)
class _Problems:
    """Collects the problems of one file, the first ones word by word."""

    file: str
    kept: list[Problem] = field(default_factory=list)
    more: int = 0

    def add(self, problem: Problem) -> None:
        if len(self.kept) < MAX_PROBLEMS:
            self.kept.append(problem)
        else:
            self.more += 1

    def all(self) -> Iterator[Problem]:
        yield from self.kept
        if self.more:
            yield Problem(file=self.file, message=f"{self.more} more of these")


class _Reading:
    """The state while files are read."""

    def __init__(  # noqa: PLR0913 - as explain_files
        self,
        config: Config,
        *,
        keep: bool,
        times: bool,
        progress: Progress | None,
        watch: Callable[[SpanView], None] | None,
        each: Callable[[Turn], None] | None,
    ) -> None:
        self._watch = watch
        self._config = config
        self._keep = keep
        self._times = times
        self._progress = progress
        self._each = each
        # All files are one record: no turn is due before the last of them is read.
        self._assembler = TurnAssembler(replace(config, hold_seconds=_FOR_EVER))
        self._explained: dict[SpanKey, tuple[int, Explanation]] = {}
        self._timelines: dict[SpanKey, Timeline] = {}
        self._parents: dict[SpanKey, str] = {}
        self._problems: list[Problem] = []
        self._defects = _Problems("explain")
        self._halves = Halves()
        self._spans = 0
        self._logs = 0

    def read(self, source: Source) -> None:
        problems = _Problems(source.name)
        found, logs_before = 0, self._logs
        try:
            if self._keep:
                source.keep()
            with source.open() as stream:
                counted = cast("BinaryIO", _CountingStream(stream, self._progress)) if self._progress else stream
                for item in read_documents(counted, source.name, self._halves):
                    if isinstance(item, Problem):
                        problems.add(item)
                    else:
                        found += self._take(item, problems)
        except OSError as error:
            problems.add(Problem(file=source.name, message=error.strerror or str(error)))
        if not found and not self._halves.waits and not any(problem.lost for problem in problems.kept):
            logs = self._logs - logs_before
            message = f"holds {_number_of(logs, 'log record')} and no spans" if logs else "holds no spans"
            problems.add(Problem(file=source.name, message=message, lost=False))
        self._problems.extend(problems.all())

    def _take(self, document: Document, problems: _Problems) -> int:
        """Hand a document's spans on; returns how many have valid ids."""
        found = 0
        without_id: list[str] = []
        for _, view in document.spans():
            if not view.trace_id or not view.span_id:
                without_id.append(view.name)
                continue
            found += 1
            with _defect_is_a_problem(problems, f"span {view.span_id}", document.line):
                self._add(view)
        if isinstance(document, HoldsLogs):
            for record in document.logs():
                self._logs += 1
                with _defect_is_a_problem(problems, f"log record {self._logs}", document.line):
                    self._assembler.add_log(record, _NOW)
                if self._logs % PRESSURE_EVERY == 0:
                    self._relieve()
        if without_id:
            message = f"{_number_of(len(without_id), 'span')} without a valid trace and span id: {without_id[0][:80]!r}"
            if len(without_id) > 1:
                message += " first"
            if not found:
                message += "; perhaps these are logs or metrics, not spans"
            problems.add(Problem(file=problems.file, line=document.line, message=message))
        return found

    def _add(self, view: SpanView) -> None:
        self._assembler.add(view, _NOW)
        self._spans += 1
        if self._watch is not None:
            self._watch(view)
        if view.parent_id is not None and len(self._parents) < MAX_PARENTS:
            self._parents[view.trace_id, view.span_id] = view.parent_id
        if self._spans % PRESSURE_EVERY == 0:
            self._relieve()

    def _relieve(self) -> None:
        """Keep within the bounds. Without need nothing is given out before all files are read."""
        held = self._assembler.statistics()
        if held.bytes > self._config.max_bytes or held.traces > self._config.max_open_turns:
            self._take_turns(self._assembler.collect)

    def _take_turns(self, of_assembler: Callable[[float], Collected]) -> None:
        """Explain the turns that a call to the assembler gives out."""
        turns: tuple[Turn, ...] = ()
        with _defect_is_a_problem(self._defects, "the record of turns", None):
            turns = of_assembler(_NOW).turns
        for turn in turns:
            with _defect_is_a_problem(self._defects, f"the turn of span {turn.span_id}", None):
                self._explained[turn.trace_id, turn.span_id] = (turn.start_ns, explain(turn, self._config))
                if self._each is not None:
                    self._each(turn)
                if self._times:
                    self._timelines[turn.trace_id, turn.span_id] = timeline(turn)

    def close(self) -> Record:
        problems = _Problems("explain")
        for item in self._halves.give_up():
            if isinstance(item, Problem):
                problems.add(item)
            else:
                self._take(item, problems)
        self._problems.extend(problems.all())
        self._take_turns(self._assembler.close)
        self._say_of_logs(self._assembler.statistics())
        order = sorted(self._explained, key=lambda key: (self._explained[key][0], key))
        explanations = tuple(self._explained[key][1] for key in order)
        return Record(
            explanations=explanations,
            problems=(*self._problems, *self._defects.all()),
            spans=self._spans,
            ran_in=self._ran_in(explanations),
            timelines=self._timelines,
        )

    def _say_of_logs(self, statistics: AssemblerStatistics) -> None:
        """Name the log records that tell of a call or a turn and are in none."""
        logs = statistics.logs
        if logs.taken and not self._spans:
            message = "log records are read to be joined to spans, and no file holds any: give the traces too"
            self._defects.add(Problem(file="logs", message=message, lost=False))
        if logs.unmatched and self._spans:
            message = f"{_number_of(logs.unmatched, 'log record')} of {logs.taken} that tell of calls and turns fit "
            message += "none of these spans, or more than one"
            self._defects.add(Problem(file="logs", message=message, lost=False))
        if logs.evicted:
            message = f"{_number_of(logs.evicted, 'log record')} given up to keep within max_bytes"
            self._defects.add(Problem(file="logs", message=message))

    def _ran_in(self, explanations: Iterable[Explanation]) -> dict[SpanKey, str]:
        calls = {(e.trace_id, call.span_id) for e in explanations for call in e.calls}
        found: dict[SpanKey, str] = {}
        for explanation in explanations:
            if explanation.nested_in is None:
                continue
            above = self._parents.get((explanation.trace_id, explanation.span_id))
            passed = {explanation.span_id}
            while above is not None and above not in passed and (explanation.trace_id, above) not in calls:
                passed.add(above)
                above = self._parents.get((explanation.trace_id, above))
            if above is not None and (explanation.trace_id, above) in calls:
                found[explanation.trace_id, explanation.span_id] = above
        return found


@contextmanager
def _defect_is_a_problem(problems: _Problems, what: str, line: int | None) -> Iterator[None]:
    """Let a fault of ours cost the span or turn it was met at, and nothing else."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - whatever it is, the rest is still to be explained
        message = f"{what} could not be read because of a defect of otel-footprint: {type(error).__name__}: {error}"
        problems.add(Problem(file=problems.file, line=line, message=message))


def _number_of(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


class _CountingStream:
    """A stream that tells how much of it was read."""

    def __init__(self, stream: BinaryIO, progress: Progress) -> None:
        self._stream = stream
        self._progress = progress

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._progress(len(data))
        return data

    def readline(self, limit: int) -> bytes:
        data = self._stream.readline(limit)
        self._progress(len(data))
        return data
