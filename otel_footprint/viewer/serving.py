"""Running the application until a person stops it."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import closing

import uvicorn

from otel_footprint.config import Config
from otel_footprint.viewer.app import application
from otel_footprint.viewer.refreshing import Refresher
from otel_footprint.viewer.store import Store

LOOPBACK = "127.0.0.1"


def serve(store: Store, config: Config, *, port: int, ready: Callable[[str], None]) -> None:
    """Serve a store on loopback until the process is interrupted.

    Args:
        store: The store; it stays open.
        config: The settings.
        port: Where to listen; 0 is any free port.
        ready: Told the address once connections are taken.

    Raises:
        OSError: The port cannot be had.
    """
    with closing(socket.create_server((LOOPBACK, port))) as listening, Refresher(store, config) as refresher:
        ready(f"http://{LOOPBACK}:{listening.getsockname()[1]}")
        settings = uvicorn.Config(application(store, refresher), log_level="warning", lifespan="off", ws="none")
        uvicorn.Server(settings).run(sockets=[listening])
