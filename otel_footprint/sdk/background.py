"""Threads of our own, made early: at interpreter exit no thread can be started any more."""

from __future__ import annotations

import logging
import os
import threading
import weakref
from collections.abc import Callable
from queue import SimpleQueue
from typing import Final

_log = logging.getLogger("otel_footprint.sdk")

FLUSH_INTERVAL_SECONDS: Final = 1.0
LOOK_INTERVAL_SECONDS: Final = 5.0


def after_fork_in_child(method: Callable[[], None]) -> None:
    """Call a bound method in every forked child, for as long as its object lives."""
    if not hasattr(os, "register_at_fork"):
        return
    weak = weakref.WeakMethod(method)

    def call() -> None:
        bound = weak()
        if bound is not None:
            bound()

    os.register_at_fork(after_in_child=call)


class _Job:
    __slots__ = ("done", "result", "work")

    def __init__(self, work: Callable[[], bool]) -> None:
        self.work = work
        self.done = threading.Event()
        self.result = False

    def run(self) -> None:
        try:
            self.result = self.work()
        except Exception as error:  # noqa: BLE001 - foreign code; its caller is told that it failed
            _log.warning("the wrapped exporter failed: %s", type(error).__name__)
        finally:
            self.done.set()


class Helper:
    """Runs what may block for ever, so that its caller can stop waiting."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the thread, as in a forked child, where it does not run."""
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._current: _Job | None = None

    def start(self) -> None:
        """Have a thread ready; a second call does nothing."""
        if self._thread is None:
            self._thread = threading.Thread(target=_work, args=(self._jobs,), name="OtelFootprintHelper", daemon=True)
            self._thread.start()

    def run(self, work: Callable[[], bool], timeout: float) -> bool:
        """What ``work`` returned, ``False`` if it failed or took longer than ``timeout`` seconds."""
        if self._current is not None and not self._current.done.is_set():
            # the thread is stuck in earlier work; it ends by itself if that ever does
            self._jobs.put(None)
            self.reset()
        job = _Job(work)
        try:
            self.start()
        except RuntimeError:
            # the interpreter is ending, and the one thread there was is stuck
            return False
        self._current = job
        self._jobs.put(job)
        return job.done.wait(max(timeout, 0.0)) and job.result

    def stop(self) -> None:
        """Let the thread end after its present work."""
        self._jobs.put(None)


def _work(jobs: SimpleQueue[_Job | None]) -> None:
    while True:
        job = jobs.get()
        if job is None:
            return
        job.run()
        # while it waits for the next, the thread must not keep what the last one was about
        del job


class Flusher:
    """Flushes soon after it was asked to, on its own thread, and looks in from time to time without that.

    Args:
        flush: called once asked, at most once in :data:`FLUSH_INTERVAL_SECONDS`.
        look: called every :data:`LOOK_INTERVAL_SECONDS` in which nobody asked.
    """

    def __init__(self, flush: Callable[[], None], look: Callable[[], None]) -> None:
        self._flush = flush
        self._look = look
        self.reset()

    def reset(self) -> None:
        """Forget the thread, as in a forked child."""
        self._asked = threading.Event()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread; a second call does nothing."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="OtelFootprintFlusher", daemon=True)
            self._thread.start()

    def ask(self) -> None:
        """Ask for a flush; cheap, for the application's threads."""
        if not self._asked.is_set():
            self._asked.set()

    def stop(self) -> None:
        """End the thread after its present flush."""
        self._stopped.set()
        self._asked.set()

    def _work(self) -> None:
        while True:
            asked = self._asked.wait(LOOK_INTERVAL_SECONDS)
            if self._stopped.is_set():
                return
            self._asked.clear()
            if asked:
                self._flush()
                self._stopped.wait(FLUSH_INTERVAL_SECONDS)
            else:
                self._look()
