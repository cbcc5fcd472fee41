"""Explains what the store holds anew whenever something came, on a thread of its own.

All requests are one record, read by the same code as files are: what is shown never depends on the order or the
grouping in which spans came, and is the same after a restart. The price is that each time everything is read again,
which the store's bound keeps small.
"""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from types import TracebackType
from typing import Self

from otel_footprint.config import Config
from otel_footprint.files import Source, explain_files
from otel_footprint.report import detail_of, row_of
from otel_footprint.viewer.store import Store, StoredTurn


class Refresher:
    """Keeps the store's turns in step with its requests, from the beginning of a ``with`` block to its end."""

    def __init__(self, store: Store, config: Config) -> None:
        self._store = store
        self._config = replace(config, account=True)
        self._wanted = threading.Event()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="otel-footprint-view", daemon=True)
        self.spans = 0
        """How many spans the store's turns were read from."""

    def __enter__(self) -> Self:
        self._wanted.set()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stopped = True
        self._wanted.set()
        self._thread.join()

    def wake(self) -> None:
        """Say that something came; what comes while the thread is at work is taken up together afterwards."""
        self._wanted.set()

    def _run(self) -> None:
        while True:
            self._wanted.wait()
            if self._stopped:
                return
            self._wanted.clear()
            self.refresh()

    def refresh(self) -> None:
        """Explain all that the store holds."""
        sources = [Source.of_bytes(f"request {number}", body) for number, body in enumerate(self._store.requests(), 1)]
        record = explain_files(sources, self._config, times=True)
        turns = {}
        for turn in record.explanations:
            key = (turn.trace_id, turn.span_id)
            times = record.timelines[key]
            turns[key] = StoredTurn(
                row=json.dumps(row_of(turn, times, ran_in=record.ran_in.get(key))),
                detail=json.dumps(detail_of(turn, times, programs=self._config.programs)),
            )
        self.spans = record.spans
        self._store.replace_turns(turns)
