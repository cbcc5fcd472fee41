"""Sockets to listen on, and the HTTP server behind them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import ssl
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import uvicorn

from otel_footprint.sidecar.http_protocol import BoundedProtocol
from otel_footprint.sidecar.settings import Endpoint

_BACKLOG: Final = 2048
_KEEP_ALIVE_SECONDS: Final = 75


def listen(endpoint: Endpoint) -> socket.socket:
    """A socket that listens on an endpoint. A socket file that nobody listens on any more is replaced.

    Raises:
        OSError: nobody can listen there; the message names the endpoint.
    """
    try:
        if endpoint.kind == "unix":
            return _unix(Path(endpoint.path))
        (family, kind, protocol, _, bound), *_ = socket.getaddrinfo(
            endpoint.host, endpoint.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        return _bound(listening, bound)
    except OSError as error:
        raise OSError(error.errno, f"cannot listen on {endpoint}: {error.strerror or error}") from None


def _bound(listening: socket.socket, address: Any) -> socket.socket:
    try:
        listening.bind(address)
        listening.listen(_BACKLOG)
    except OSError:
        listening.close()
        raise
    return listening


def _unix(path: Path) -> socket.socket:
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISSOCK(path.lstat().st_mode) and not is_listened_on(path):
            path.unlink()
    return _bound(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM), os.fspath(path))


def is_listened_on(path: Path) -> bool:
    """Whether somebody listens on a socket file."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(os.fspath(path))
        except OSError:
            return False
    return True


class HttpServer(uvicorn.Server):
    """uvicorn around an application, on sockets that listen already; signals are left to the process.

    Args:
        application: a raw ASGI application.
        tls: certificates; ``None`` for plain HTTP.
        grace_seconds: how long requests that run may still take after :meth:`end`.
    """

    def __init__(self, application: Any, *, tls: ssl.SSLContext | None, grace_seconds: float) -> None:
        config = uvicorn.Config(
            application,
            http=BoundedProtocol,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=max(int(grace_seconds), 1),
        )
        super().__init__(config)
        config.load()
        config.ssl = tls
        self.listening = asyncio.Event()
        """Set once connections are taken."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Take connections."""
        await super().startup(sockets)
        self.listening.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do nothing: the sidecar has other things to end too."""
        yield

    async def run_on(self, sockets: Sequence[socket.socket]) -> None:
        """Serve until :meth:`end`."""
        await self.serve(sockets=list(sockets))

    def end(self) -> None:
        """Take no new connections, and let requests that run come to their end."""
        self.should_exit = True
