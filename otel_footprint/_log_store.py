"""Log records that wait for the spans that they tell of: bounded, each counted once.

A record usually comes before its span has ended, and in files after it. Nothing is joined here.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final

from otel_footprint.dialects.logs import LogDialect, Names, recognise_log
from otel_footprint.logview import LogView

_RECORD_BYTES: Final = 500
_SEEN_KEPT: Final = 10_000


@dataclass(slots=True, eq=False)
class Held:
    """One record that tells of a call or a turn."""

    view: LogView
    dialect: LogDialect
    names: Names
    digest: str
    """Of all that is read of it."""
    size: int
    seen: float
    joined: bool = False
    """A turn has it; a later revision of that turn has it again."""

    @property
    def order(self) -> tuple[int, str, str]:
        """By time; equal times must not depend on the order of arrival."""
        return self.view.time_ns, self.view.name, self.digest


@dataclass(frozen=True, slots=True, kw_only=True)
class LogStatistics:
    """A snapshot of what is known of log records, and the totals."""

    held: int
    bytes: int
    taken: int
    """Records that tell of a call or a turn, duplicates not counted."""
    joined: int
    """Records that a turn took."""
    unmatched: int
    """Records that named no span or call that came, or more than one; they are in no turn."""
    duplicates: int
    evicted: int
    """Records that were given up to keep within the bounds, or because nothing came for them for too long."""
    other: int
    """Records of any other kind."""


class LogStore:
    """Keeps records until their turn is built, oldest out first.

    Args:
        max_bytes: What the records may take.
        has_come: Whether a trace is there, by its id; its records are then of no other trace's turns.
    """

    def __init__(self, max_bytes: int, has_come: Callable[[str], bool]) -> None:
        self._max_bytes = max_bytes
        self._has_come = has_come
        self._held: OrderedDict[str, Held] = OrderedDict()
        """By digest, in the order of arrival."""
        self._by_trace: dict[str, dict[str, None]] = defaultdict(dict)
        self._by_conversation: dict[str, dict[str, None]] = defaultdict(dict)
        self._gone: OrderedDict[str, None] = OrderedDict()
        self._counts: Counter[str] = Counter()
        self.bytes = 0

    def add(self, view: LogView, now: float) -> Held | None:
        """Take a record; ``None`` when it tells nothing, or came before."""
        known = recognise_log(view)
        if known is None:
            self._counts["other"] += 1
            return None
        dialect, names = known
        digest, size = _digest(view), view.size()
        if digest in self._held or digest in self._gone:
            self._counts["duplicates"] += 1
            return None
        held = self._held[digest] = Held(view, dialect, names, digest, _RECORD_BYTES + size, now)
        self._counts["taken"] += 1
        self.bytes += held.size
        if view.trace_id:
            self._by_trace[view.trace_id][digest] = None
        if names.conversation is not None:
            self._by_conversation[names.conversation][digest] = None
        while self.bytes > self._max_bytes:
            self._drop(next(iter(self._held.values())), "evicted")
        return held

    def of(self, trace_ids: Collection[str], conversation: str | None) -> list[Held]:
        """The records of some traces, and those of a conversation that are in no trace that has come; by time."""
        found: dict[str, None] = {}
        for trace_id in trace_ids:
            found.update(self._by_trace.get(trace_id, {}))
        if conversation is not None:
            for digest in self._by_conversation.get(conversation, {}):
                if not self._has_come(self._held[digest].view.trace_id):
                    found[digest] = None
        return sorted((self._held[digest] for digest in found), key=lambda held: held.order)

    def joined(self, records: Iterable[Held]) -> None:
        """A turn took these."""
        for held in records:
            if not held.joined:
                held.joined = True
                self._counts["joined"] += 1

    def forget(self, trace_id: str) -> None:
        """A trace is gone, and with it all that only it could have taken."""
        for digest in list(self._by_trace.get(trace_id, ())):
            self._drop(self._held[digest], "unmatched")

    def expire(self, before: float) -> None:
        """Give up what came before a time and found nothing, and what a turn has taken and no trace keeps."""
        while self._held and (oldest := next(iter(self._held.values()))).seen < before:
            self._drop(oldest, "evicted")

    def close(self) -> None:
        """No more spans come."""
        for held in list(self._held.values()):
            self._drop(held, "unmatched")
        self._gone.clear()

    def statistics(self) -> LogStatistics:
        """A snapshot."""
        counts = self._counts
        return LogStatistics(
            held=len(self._held),
            bytes=self.bytes,
            taken=counts["taken"],
            joined=counts["joined"],
            unmatched=counts["unmatched"],
            duplicates=counts["duplicates"],
            evicted=counts["evicted"],
            other=counts["other"],
        )

    def _drop(self, held: Held, why: str) -> None:
        del self._held[held.digest]
        self.bytes -= held.size
        if not held.joined:
            self._counts[why] += 1
        self._gone[held.digest] = None
        if len(self._gone) > _SEEN_KEPT:
            self._gone.popitem(last=False)
        _discard(self._by_trace, held.view.trace_id, held.digest)
        if held.names.conversation is not None:
            _discard(self._by_conversation, held.names.conversation, held.digest)


def _discard(index: dict[str, dict[str, None]], key: str, digest: str) -> None:
    if key in index:
        index[key].pop(digest, None)
        if not index[key]:
            del index[key]


def _digest(view: LogView) -> str:
    """What tells a record from every other one."""
    attributes: Mapping[str, Any] = {key: view.get(key) for key in sorted(view.keys())}
    # repr of plain values: text, so that different types still have an order
    text = repr((view.trace_id, view.span_id, view.time_ns, view.name, view.scope_name, view.body, attributes))
    return blake2b(text.encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()
