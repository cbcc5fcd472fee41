"""One process that is a sidecar: settings read, signals heard, a log on standard error."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import gc
import logging
import signal
import sys
from pathlib import Path
from typing import Final

import uvloop

from otel_footprint._errors import ConfigError
from otel_footprint._version import __version__
from otel_footprint.sidecar.assembling import apply, assemble
from otel_footprint.sidecar.running import Sidecar
from otel_footprint.sidecar.settings import SidecarSettings, load, reload

_log = logging.getLogger("otel_footprint.sidecar")

_RELOADING: Final = frozenset({signal.SIGHUP})
_SWITCH_SECONDS: Final = 0.0001
_COLLECT_AFTER: Final = 10_000
"""New containers between two looks for circles among them; Python's own 700 are the calls of a turn or two."""
_MMAP_THRESHOLD: Final = (-3, 64 * 1024 * 1024)
_TRIM_THRESHOLD: Final = (-1, 256 * 1024 * 1024)


def run(path: Path | None) -> None:
    """Run a sidecar until the process is asked to end.

    Args:
        path: its YAML file; ``None`` for the environment alone.

    Raises:
        ConfigError: the settings cannot be used.
        OSError: an address cannot be listened on.
    """
    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", force=True
    )
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    settings = load(path)
    _keep_freed_memory()
    # requests must not wait long for the thread that folds
    sys.setswitchinterval(_SWITCH_SECONDS)
    uvloop.run(_serve(settings, path))


async def _serve(settings: SidecarSettings, path: Path | None) -> None:
    # a start can take a while, and to be asked meanwhile to read the settings again must not end it
    signal.pthread_sigmask(signal.SIG_BLOCK, _RELOADING)
    try:
        sidecar = assemble(settings)
        _collect_seldom()
        running = _Running(sidecar, settings, path)
        loop = asyncio.get_running_loop()
        for ending in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(ending, sidecar.stopping.set)
        loop.add_signal_handler(signal.SIGHUP, running.reload)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _RELOADING)
    announcing = loop.create_task(running.announce())
    try:
        await sidecar.run()
    finally:
        announcing.cancel()
    _log.info("ended")


class _Running:
    """The settings that a sidecar runs with."""

    def __init__(self, sidecar: Sidecar, settings: SidecarSettings, path: Path | None) -> None:
        self._sidecar = sidecar
        self._settings = settings
        self._path = path

    async def announce(self) -> None:
        """Say where it listens and sends, once it does."""
        await self._sidecar.started.wait()
        receivers = self._settings.receivers
        listening = [f"{e} (gRPC)" for e in receivers.grpc.endpoints] + [
            f"{e} (HTTP)" for e in receivers.http.endpoints
        ]
        sending = [destination.name for destination in self._settings.destinations]
        directory = self._settings.queue.directory
        _log.info(
            "otel-footprint sidecar %s: listens on %s; sends to %s; the queue is %s",
            __version__,
            ", ".join(listening),
            ", ".join(sending),
            "in memory" if directory is None else f"in {directory}",
        )

    def reload(self) -> None:
        """Read the settings again; with an error in them nothing changes."""
        try:
            read = reload(self._settings, self._path)
            apply(read.settings, self._sidecar, self._settings)
        except (ConfigError, OSError) as error:
            _log.error("the settings were not read again, and all is as before: %s", error)
            return
        self._settings = read.settings
        _log.info("the settings were read again; changed: %s", ", ".join(read.changed) or "nothing")
        if read.kept:
            _log.warning("these change with the next start: %s", ", ".join(read.kept))


def _keep_freed_memory() -> None:
    """Have glibc keep the memory of large requests instead of asking the system for it anew each time."""
    with contextlib.suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(*_MMAP_THRESHOLD)
        mallopt(*_TRIM_THRESHOLD)


def _collect_seldom() -> None:
    """Look for circles less often, and never among what the start has made: a turn is made of thousands of values."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER, *gc.get_threshold()[1:])
