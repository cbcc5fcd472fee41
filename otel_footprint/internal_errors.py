"""Errors of our own: kept from the application and from its spans, counted, and said once a minute."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Final

from otel_footprint.environment_variables import FOOTPRINT_TESTING

LOG_INTERVAL_SECONDS: Final = 60.0


class InternalErrors:
    """Counts what failed, by where it failed. It never raises, except under test (``FOOTPRINT_TESTING``)."""

    def __init__(self, host: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = logging.getLogger(f"otel_footprint.{host}")
        self._clock = clock
        self._counts: Counter[str] = Counter()
        self._said: dict[str, float] = {}

    @property
    def counts(self) -> Mapping[str, int]:
        """How often each step failed, by its name."""
        return dict(self._counts)

    def handle_internal_errors(self, step: str) -> _Handler:
        """A context in which an error of ours ends the step and nothing else."""
        return _Handler(self, step)

    def report(self, step: str, error: Exception) -> None:
        """Count an error and log one line a minute for its step and type."""
        self._counts[step] += 1
        if os.environ.get(FOOTPRINT_TESTING, "").lower() in {"1", "true", "yes", "on"}:
            raise error
        # an application's own log filter or handler may raise too
        with contextlib.suppress(Exception):
            self._say(step, error)

    def _say(self, step: str, error: Exception) -> None:
        cause = f"{step}: {type(error).__name__}"
        now = self._clock()
        if now - self._said.get(cause, -LOG_INTERVAL_SECONDS) < LOG_INTERVAL_SECONDS:
            return
        self._said[cause] = now
        # the error's own text may quote an attribute, so the place is all that is said
        self._log.warning("%s at %s; spans are exported as they were", cause, _place(error.__traceback__))


class _Handler:
    __slots__ = ("_errors", "_step")

    def __init__(self, errors: InternalErrors, step: str) -> None:
        self._errors = errors
        self._step = step

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self._errors.report(self._step, error)
        return True


def _place(traceback: TracebackType | None) -> str:
    if traceback is None:
        return "an unknown place"
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    code = traceback.tb_frame.f_code
    return f"{os.path.basename(code.co_filename)}:{traceback.tb_lineno} ({code.co_name})"  # noqa: PTH119 - no path object for one name
