"""``FootprintSpanExporter``: wraps any span exporter and exports each turn's span with its explanation."""

from __future__ import annotations

import inspect
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanLimits
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from otel_footprint._errors import ConfigError
from otel_footprint.config import Config
from otel_footprint.explanation import Explanation
from otel_footprint.facts import IncompleteReason, Turn
from otel_footprint.fold.explain import explain
from otel_footprint.internal_errors import InternalErrors
from otel_footprint.sdk.background import Helper, after_fork_in_child
from otel_footprint.sdk.live import LiveSpans
from otel_footprint.sdk.logs import Inbox
from otel_footprint.sdk.metrics import FoldMetrics
from otel_footprint.sdk.nudge import Nudge, without_nudges
from otel_footprint.sdk.own_logs import OwnLogs, SendsLogs
from otel_footprint.sdk.plain import PlainSpans
from otel_footprint.sdk.repair import REFUSALS, repaired
from otel_footprint.sdk.spans import Limits, annotated, context_of, from_record
from otel_footprint.sdk.statistics import Statistics, state_of
from otel_footprint.spanview import SdkSpan
from otel_footprint.turns import Collected, SpanKey, TurnAssembler
from otel_footprint.writers import WriteOptions, child_span, log_records, write

DEFAULT_TIMEOUT_MILLIS: Final = 30_000

QUEUE_DROPPED: Final[IncompleteReason] = "queue-dropped"
"""Said among the reasons for ``incomplete`` when the batch queue lost spans of the turn's trace."""


class _Decided(NamedTuple):
    """A span that is held no more, a turn that is whole, or both."""

    key: SpanKey
    span: ReadableSpan | None
    turn: Turn | None


class _Final(NamedTuple):
    """What is exported in the place of a held span; without a key, a span of our own."""

    key: SpanKey | None
    span: ReadableSpan


class FootprintSpanExporter(SpanExporter):
    """Wraps any span exporter and exports each turn's span with its explanation.

    Every other span passes at once and in order. A span that may carry a turn is held until that is
    decided, which is within the same call unless a span around it is still missing. Nothing of ours
    raises: a step that fails leaves the spans as they were.

    Args:
        exporter: what really exports.
        config: settings; by default all defaults, not those of the environment.
        span_limits: limits for what is added, where a span does not show those it was recorded
            under; by default those of the ``OTEL_*`` variables.
        log_exporter: what sends log records of our own; needed for the writers ``logs`` and ``evaluation``.
        live: what the application's threads tell, when a :class:`FootprintSpanProcessor` is in use.
        clock: seconds that only grow.

    Raises:
        ConfigError: the configuration asks for log records and there is no ``log_exporter``.
    """

    def __init__(  # noqa: PLR0913 - all but two go by their names
        self,
        exporter: SpanExporter,
        config: Config | None = None,
        *,
        span_limits: SpanLimits | None = None,
        log_exporter: SendsLogs | None = None,
        live: LiveSpans | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._exporter = exporter
        self._config = config or Config()
        self._options = WriteOptions.from_config(self._config)
        if (self._options.logs or self._options.evaluation) and log_exporter is None:
            raise ConfigError(f"writers is {self._config.writers!r}: give log_exporter, which sends log records")
        self._limits = span_limits or SpanLimits()
        self._live = live
        self._clock = clock
        self.errors = InternalErrors("sdk", clock)
        """Errors of our own; also those of the processor around this exporter."""
        self._own_logs = OwnLogs(log_exporter, self.errors)
        self._helper = Helper()
        self._explained = self._added = self._repaired = 0
        self._forked_at_ns = 0
        self._inherited: frozenset[str] = frozenset()
        self._closed = False
        self._begin()
        # the meter keeps its callback for good, and must not keep the exporter
        own = weakref.WeakMethod(self.statistics)
        self._metrics = FoldMetrics(lambda: state_of(own()))
        after_fork_in_child(self._reset_in_child)
        _LIVE.add(self)

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._owner: int | None = None
        self._sending: set[object] = set()
        self._held: dict[SpanKey, ReadableSpan] = {}
        self._resource: Resource | None = None
        self._forget()
        self._own_logs.forget()
        self._inbox = Inbox(self._config.max_bytes // 4)

    def _forget(self) -> None:
        self._plain = PlainSpans()
        self._assembler = TurnAssembler(
            self._config,
            open_span=self._live.open_span if self._live is not None else None,
            errors=self.errors,
        )

    def _reset_in_child(self) -> None:
        # What the parent holds the parent exports. The lock may have been taken by a thread that is not here.
        self._forked_at_ns = time.time_ns()
        if self._live is not None:
            self._inherited |= self._live.reset()
        self._helper.reset()
        self._begin()

    # -- the exporter's interface

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Export a batch, each turn's span with its explanation.

        Raises whatever the wrapped exporter raises, and nothing else.
        """
        # after the end, or called by what we call while the lock is ours: a dialect, a log handler
        if self._closed or self._owner == threading.get_ident():
            return self._send(without_nudges(spans))
        out: Sequence[ReadableSpan] | None = None
        with self.errors.handle_internal_errors("export"):
            self._helper.start()
            out = self._folded(spans)
        sent = self._send(self._everything(spans) if out is None else out)
        self._own_logs.send()
        return sent

    def force_flush(self, timeout_millis: int = DEFAULT_TIMEOUT_MILLIS) -> bool:
        """Export what is held only for late children, then flush the wrapped exporter.

        ``False`` when that failed or took longer than ``timeout_millis``.
        """

        def flush() -> bool:
            sent = self.export([Nudge(ends_holds=True)])
            return sent is SpanExportResult.SUCCESS and self._exporter.force_flush(timeout_millis) is not False

        return self._closed or self._helper.run(flush, timeout_millis / 1e3)

    def shutdown(self, timeout_millis: float = DEFAULT_TIMEOUT_MILLIS) -> None:
        """Explain what is open as incomplete, export all that is held, and shut the wrapped exporter down.

        Returns after ``timeout_millis`` at the latest. A second call does nothing.
        """
        if self._closed:
            return
        end = time.monotonic() + timeout_millis / 1e3
        rest: Sequence[ReadableSpan] = ()
        with self.errors.handle_internal_errors("shutdown"):
            rest = self._closing()
        self._closed = True
        # an export that is still running is stuck: another would be too
        if (rest or self._own_logs.waits) and not self._sending:
            self._helper.run(lambda: self._send_rest(rest), end - time.monotonic())
        self._helper.run(lambda: self._shut_down(end), end - time.monotonic())
        self._helper.stop()

    def _send_rest(self, rest: Sequence[ReadableSpan]) -> bool:
        try:
            return self._send(rest) is SpanExportResult.SUCCESS
        finally:
            self._own_logs.send()

    def _shut_down(self, end: float) -> bool:
        shutdown: Callable[..., None] = self._exporter.shutdown
        if "timeout_millis" in inspect.signature(shutdown).parameters:
            shutdown(timeout_millis=max(end - time.monotonic(), 0.0) * 1e3)
        else:
            shutdown()
        self._own_logs.shutdown()
        return True

    def add_log(self, record: object) -> None:
        """Take a log record of the SDK, of which a copy is kept until the spans that it tells of are explained.

        For :class:`FootprintLogRecordProcessor`; it may be called on any thread and never raises.
        """
        if self._closed:
            return
        with self.errors.handle_internal_errors("log"):
            self._inbox.put(record)

    # -- what is held

    @property
    def waits(self) -> bool:
        """Whether something is held or kept that a later look at the clock may decide."""
        return bool(self._held) or self.statistics().assembler.traces > 0

    @property
    def closed(self) -> bool:
        """Whether it is shut down."""
        return self._closed

    def statistics(self) -> Statistics:
        """A snapshot."""
        with self._lock:
            assembler = self._assembler.statistics()
        live = self._live
        return Statistics(
            held=len(self._held),
            explained=self._explained,
            added=self._added,
            repaired=self._repaired,
            lost=live.lost if live is not None else 0,
            open=live.open if live is not None else 0,
            logs_lost=self._inbox.lost,
            errors=self.errors.counts,
            assembler=assembler,
        )

    # -- folding

    def _folded(self, spans: Sequence[ReadableSpan]) -> Sequence[ReadableSpan]:
        """What to export in the place of ``spans``."""
        batch = without_nudges(spans)
        ends_holds = batch is not spans and any(isinstance(span, Nudge) and span.ends_holds for span in spans)
        now = self._clock() + (self._config.hold_seconds if ends_holds else 0.0)
        out: list[ReadableSpan | None] = list(batch)
        with self._lock:
            self._owner = threading.get_ident()
            try:
                self._take_logs(now)
                places = self._take(batch, out, now)
                decided = self._decide(lambda: self._assembler.collect(now))
            finally:
                self._owner = None
        if not places and not decided:
            return batch
        before: list[ReadableSpan] = []
        after: list[ReadableSpan] = []
        for final in self._write(decided):
            if final.key is None:
                after.append(final.span)
            elif final.key in places:
                out[places[final.key]] = final.span
            else:
                before.append(final.span)
        return [*before, *(span for span in out if span is not None), *after]

    def _take(self, batch: Sequence[ReadableSpan], out: list[ReadableSpan | None], now: float) -> dict[SpanKey, int]:
        """Show the batch to the assembler; take out of it what is to be held, and say where it was."""
        if self._live is not None:
            with self.errors.handle_internal_errors("live"):
                self._live.received(batch)
        places: dict[SpanKey, int] = {}
        plain, assembler = self._plain, self._assembler
        for index, span in plain.rest(batch):
            try:
                for bare in plain.recalled(span):
                    assembler.add(bare, now)
                view = SdkSpan(span)
                held = assembler.add(view, now)
            except Exception as error:  # noqa: BLE001 - one span that cannot be read must not cost another
                self.errors.report("read", error)
                continue
            key = view.trace_id, view.span_id
            # the same span sent twice is the application's own doing: the second copy is not ours to keep
            if held and key not in self._held:
                self._held[key] = span
                places[key] = index
                out[index] = None
        if batch:
            self._resource = batch[-1].resource
        return places

    def _take_logs(self, now: float) -> None:
        """Show the assembler the log records that came since the last time."""
        for view in self._inbox.take():
            with self.errors.handle_internal_errors("log"):
                self._assembler.add_log(view, now)

    def _decide(self, collect: Callable[[], Collected]) -> list[_Decided]:
        """What is decided; after an error all that is held, for then nobody else would let it go."""
        collected: Collected | None = None
        with self.errors.handle_internal_errors("collect"):
            collected = collect()
        if collected is None:
            held, self._held = self._held, {}
            self._forget()
            return [_Decided(key, span, None) for key, span in held.items()]
        decided = [_Decided(key, self._held.pop(key, None), None) for key in collected.released]
        for turn in collected.turns:
            key = turn.trace_id, turn.span_id
            decided.append(_Decided(key, self._held.pop(key, None), turn))
        return [one for one in decided if one.span is not None or one.turn is not None]

    def _write(self, decided: Sequence[_Decided]) -> list[_Final]:
        """What to export for everything that was decided, each span with its explanation if it has one."""
        finals: list[_Final] = []
        for key, span, turn in decided:
            own, extra = span, None
            with self.errors.handle_internal_errors("explain"):
                if turn is not None and not self._is_inherited(turn):
                    own, extra = self._explain(span, turn)
            if own is not None:
                finals.append(_Final(key, own))
            if extra is not None:
                finals.append(_Final(None, extra))
        return finals

    def _explain(self, span: ReadableSpan | None, turn: Turn) -> tuple[ReadableSpan | None, ReadableSpan | None]:
        """The turn's span with its explanation, and the span of our own, if either is called for."""
        started = time.perf_counter()
        if self._live is not None and self._live.lost_in(turn.trace_id):
            turn = replace(turn, incomplete=tuple(sorted({*turn.incomplete, QUEUE_DROPPED})))
        explanation = explain(turn, self._config)
        seen = turn.linkable if self._options.evidence_links else []
        extra = None
        if span is None or self._options.child_span:
            extra = self._own_span(explanation, turn, span, seen)
        final = None if span is None else self._annotated(span, explanation, seen)
        if final is not span or span is None:
            self._log(explanation, turn, span)
        with self.errors.handle_internal_errors("metrics"):
            self._metrics.explained(explanation, time.perf_counter() - started, convention=turn.convention)
        self._explained += final is not span
        self._added += extra is not None
        return final, extra

    def _annotated(self, span: ReadableSpan, explanation: Explanation, seen: Sequence[str]) -> ReadableSpan:
        limits = Limits.of(span, self._limits)
        room = limits.event_room(span)
        wanted = self._options.max_events
        options = self._options if room is None or room >= wanted else replace(self._options, max_events=room)
        view = SdkSpan(span)
        written = write(
            explanation,
            start_ns=view.start_ns,
            end_ns=view.end_ns,
            present=span.attributes or {},
            options=options,
            seen=seen,
        )
        if not written.events and not written.attributes:
            return span
        short = min(len(written.events) + written.omitted, wanted) - len(written.events)
        return annotated(span, written, limits, dropped_events=short)

    def _own_span(
        self, explanation: Explanation, turn: Turn, span: ReadableSpan | None, seen: Sequence[str]
    ) -> ReadableSpan:
        record = child_span(explanation, start_ns=turn.start_ns, end_ns=turn.end_ns, options=self._options, seen=seen)
        resource = span.resource if span is not None else self._resource
        return from_record(record, resource or Resource.get_empty(), self._limits)

    def _log(self, explanation: Explanation, turn: Turn, span: ReadableSpan | None) -> None:
        records, _ = log_records(explanation, start_ns=turn.start_ns, end_ns=turn.end_ns, options=self._options)
        if records:
            resource = span.resource if span is not None else self._resource
            self._own_logs.add(records, context_of(explanation), resource or Resource.get_empty())

    def _is_inherited(self, turn: Turn) -> bool:
        """Whether the turn began before this process was forked: then its parent process explains it."""
        if self._live is not None:
            return turn.span_id in self._inherited
        return turn.start_ns < self._forked_at_ns

    def _closing(self) -> list[ReadableSpan]:
        """All that is left: open turns explained as incomplete, and every span that is held."""
        with self._lock:
            now = self._clock()
            self._take_logs(now)
            decided = self._decide(lambda: self._assembler.close(now, "shutdown"))
            held, self._held = self._held, {}
        return [*held.values(), *(final.span for final in self._write(decided))]

    def _everything(self, spans: Sequence[ReadableSpan]) -> list[ReadableSpan]:
        """The batch and all that is held, as they were."""
        held, self._held = self._held, {}
        batch = without_nudges(spans)
        known = {id(span) for span in batch}
        return [*(span for span in held.values() if id(span) not in known), *batch]

    # -- the wrapped exporter; no lock is held in here

    def _send(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        if not spans:
            return SpanExportResult.SUCCESS
        token = object()
        self._sending.add(token)
        try:
            return self._exporter.export(spans)
        except REFUSALS:
            mended = None
            with self.errors.handle_internal_errors("repair"):
                mended = repaired(spans)
            if mended is None:
                raise
            self._repaired += 1
            return self._exporter.export(mended)
        finally:
            self._sending.discard(token)


_LIVE: Final[weakref.WeakSet[FootprintSpanExporter]] = weakref.WeakSet()


def live_exporters() -> list[FootprintSpanExporter]:
    """Those of this process that are not shut down, for who has only the SDK's providers in hand."""
    return [exporter for exporter in list(_LIVE) if not exporter.closed]
