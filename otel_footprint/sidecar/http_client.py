"""Sending over OTLP/HTTP."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Mapping
from io import BytesIO
from typing import Final, Literal

import aiohttp
import zstandard
from google.protobuf.message import DecodeError
from isal import isal_zlib

from otel_footprint._version import __version__
from otel_footprint.files.proto_json import document_text, otlp_json
from otel_footprint.sidecar.inflate import inflated
from otel_footprint.sidecar.json_in import REQUESTS
from otel_footprint.sidecar.outcomes import Outcome, cut, retry_after, taken, taken_json
from otel_footprint.sidecar.queue import Signal
from otel_footprint.sidecar.refusals import RefusedError
from otel_footprint.sidecar.settings import Compression

USER_AGENT: Final = f"otel-footprint-sidecar/{__version__}"

_GZIP: Final = 31
_RETRYABLE: Final = frozenset({429, 502, 503, 504})
_TOO_LARGE: Final = 413
_MAX_ANSWER_BYTES: Final = 1024 * 1024
_SMALL_BODY: Final = 64 * 1024
_LARGE_BODY: Final = 512 * 1024
_JSON: Final = "application/json"
_PROTOBUF: Final = "application/x-protobuf"


class HttpTransport:
    """Sends to one OTLP/HTTP endpoint over connections that it keeps.

    Args:
        urls: where each signal goes.
        encoding: in which form.
        headers: sent with every request.
        compression: of the requests.
        timeout_seconds: how long one may take, the answer included.
        tls: the certificates for ``https``; ``None`` for those of the system.
        server_name: the name to expect in the server's certificate; by default the URL's.
        connections: at a time, at the most.
    """

    def __init__(  # noqa: PLR0913 - one value each, by keyword
        self,
        urls: Mapping[Signal, str],
        *,
        encoding: Literal["protobuf", "json"] = "protobuf",
        headers: Mapping[str, str] | None = None,
        compression: Compression = "none",
        timeout_seconds: float = 10.0,
        tls: ssl.SSLContext | None = None,
        server_name: str | None = None,
        connections: int = 16,
    ) -> None:
        self._urls = urls
        self._json = encoding == "json"
        self._headers = {"user-agent": USER_AGENT, **{name.lower(): value for name, value in (headers or {}).items()}}
        # an answer that does not decompress would hide what its status says
        self._headers["accept-encoding"] = "identity"
        self._headers["content-type"] = _JSON if self._json else _PROTOBUF
        if compression != "none":
            self._headers["content-encoding"] = compression
        self._compression = compression
        self._timeout = aiohttp.ClientTimeout(total=timeout_seconds)
        self._tls = tls
        self._server_name = server_name
        self._connections = connections
        self._session: aiohttp.ClientSession | None = None

    async def send(self, signal: Signal, body: bytes) -> Outcome:
        """See :meth:`Transport.send`."""
        try:
            # beside the event loop, if it takes long enough that others would notice
            body = (
                await asyncio.to_thread(self._written, signal, body)
                if len(body) > _SMALL_BODY
                else self._written(signal, body)
            )
        except DecodeError:
            return Outcome(kind="unwritable", message="it does not decode, so it cannot be written as JSON")
        try:
            # from a certain size on a stream is wanted, so that others get their turn in between
            data = body if len(body) <= _LARGE_BODY else BytesIO(body)
            async with self._connected().post(
                self._urls[signal], data=data, allow_redirects=False, server_hostname=self._server_name
            ) as response:
                return self._outcome(response, await _answer(response))
        except (aiohttp.ClientError, OSError) as error:
            return Outcome(kind="again", message=cut(f"{type(error).__name__}: {error}"))

    async def close(self) -> None:
        """See :meth:`Transport.close`."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _written(self, signal: Signal, body: bytes) -> bytes:
        """A request as it is sent.

        Raises:
            DecodeError: it is to be sent as JSON, and does not decode.
        """
        if self._json:
            body = document_text(otlp_json(REQUESTS[signal].FromString(body))).encode()
        return _compressed(body, self._compression)

    def _connected(self) -> aiohttp.ClientSession:
        # made here, since a session belongs to the event loop that runs
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=self._connections, ssl=self._tls if self._tls is not None else True)
            self._session = aiohttp.ClientSession(
                connector=connector,
                headers=self._headers,
                timeout=self._timeout,
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
            )
        return self._session

    def _outcome(self, response: aiohttp.ClientResponse, answer: bytes) -> Outcome:
        if response.status // 100 == 2:  # noqa: PLR2004 - the class of success
            return _taken(response.content_type, answer)
        message = cut(f"HTTP {response.status} {answer[:1000].decode('utf-8', 'replace')}")
        if response.status // 100 == 3:  # noqa: PLR2004 - the class of redirections
            # as with a page for people: nobody has taken anything, and the address is what is wrong
            return Outcome(kind="again", message=f"{message}: it points elsewhere; give the address it points to")
        if response.status == _TOO_LARGE:
            return Outcome(kind="too-large", message=message)
        if response.status in _RETRYABLE:
            return Outcome(kind="again", message=message, wait_seconds=retry_after(response.headers.get("retry-after")))
        return Outcome(kind="refused", message=message)


async def _answer(response: aiohttp.ClientResponse) -> bytes:
    """The answer's body, as much of it as matters."""
    answer = bytearray()
    async for chunk in response.content.iter_any():
        answer += chunk
        if len(answer) > _MAX_ANSWER_BYTES:
            break
    return _readable(bytes(answer), response.headers.get("content-encoding", ""))


def _readable(answer: bytes, encoding: str) -> bytes:
    """An answer that came compressed although nobody asked for that; empty if it cannot be decompressed."""
    try:
        return inflated(answer, encoding, _MAX_ANSWER_BYTES)
    except RefusedError:
        return b""


def _compressed(body: bytes, compression: Compression) -> bytes:
    if compression == "gzip":
        return isal_zlib.compress(body, level=1, wbits=_GZIP)
    if compression == "zstd":
        return zstandard.compress(body, 1)
    return body


def _taken(media_type: str, answer: bytes) -> Outcome:
    if media_type == "text/html":
        # a page for people, from something that is no backend; it has not taken anything
        return Outcome(kind="again", message="HTTP 200 with an HTML page: is this the address of an OTLP endpoint?")
    if media_type == _JSON:
        try:
            return taken_json(json.loads(answer))
        except (ValueError, RecursionError):
            return Outcome(kind="taken")
    return taken(answer)
