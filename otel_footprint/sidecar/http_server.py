"""OTLP over HTTP, as a raw ASGI application: one POST, one answer in the media type of the request."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from otel_footprint.internal_errors import InternalErrors
from otel_footprint.sidecar.access import CHALLENGE, Access
from otel_footprint.sidecar.answers import taken
from otel_footprint.sidecar.inflate import ENCODINGS, inflated
from otel_footprint.sidecar.intake import SMALL_BYTES, Intake
from otel_footprint.sidecar.json_in import Losses, protobuf_of
from otel_footprint.sidecar.queue import Signal
from otel_footprint.sidecar.refusals import RefusedError, malformed, too_large
from otel_footprint.sidecar.wire import MalformedError

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

_SIGNAL_OF: Final[Mapping[str, Signal]] = {"/v1/traces": "traces", "/v1/metrics": "metrics", "/v1/logs": "logs"}
_PROTOBUF: Final = "application/x-protobuf"
_JSON: Final = "application/json"
_LINGER_SECONDS: Final = 10.0
"""How long what is left of a refused request is read, and thrown away, after the answer."""
_MEDIA_TYPES: Final = {_PROTOBUF: _PROTOBUF, "application/protobuf": _PROTOBUF, _JSON: _JSON}


class _Answer(NamedTuple):
    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()


class _GoneError(Exception):
    """The sender went away before its request was whole."""


class _Incoming:
    """A request's body as it comes, and whether all of it is there."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self.ended = False
        """Nothing more comes: it is whole, or the sender went away."""

    async def piece(self) -> bytes:
        """The next piece.

        Raises:
            _GoneError: the sender went away.
        """
        message = await self._receive()
        gone = message["type"] == "http.disconnect"
        self.ended = gone or not message.get("more_body", False)
        if gone:
            raise _GoneError
        piece: bytes = message.get("body", b"")
        return piece


class HttpReceiver:
    """The ASGI application.

    Args:
        intake: where requests go.
        access: who may send.
        max_bytes: how large a request may be, before and after it is uncompressed.
        max_waiting_bytes: how much of requests that are not stored yet may be in memory at a time, as they came.
        body_seconds: how long a request's body may take to come.
    """

    def __init__(
        self,
        intake: Intake,
        *,
        access: Access,
        max_bytes: int,
        max_waiting_bytes: int,
        body_seconds: float,
    ) -> None:
        self._intake = intake
        self.access = access
        """Who may send; it can be changed while it runs."""
        self._max_bytes = max_bytes
        self._max_waiting_bytes = max_waiting_bytes
        self._body_seconds = body_seconds
        self._waiting_bytes = 0
        self._one_aside = asyncio.Lock()
        self.errors = InternalErrors("sidecar")
        """Errors of our own while a request was answered; the sender was asked to come again."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        media_type = _PROTOBUF
        incoming = _Incoming(receive)
        try:
            signal = _SIGNAL_OF.get(scope["path"])
            headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
            media_type = _media_type(headers)
            answer = _misdirected(scope["method"], media_type) if signal is None or scope["method"] != "POST" else None
            if answer is None and signal is not None:
                answer = await self._export(signal, media_type, headers, incoming)
        except _GoneError:
            return
        except RefusedError as refusal:
            self._intake.refused(refusal)
            answer = _refused(refusal, media_type)
        except asyncio.CancelledError:
            # the end did not wait for it any longer; nothing of it is stored, and whoever hears no 503 drops it
            answer = _refused(self._intake.pressed("the sidecar is ending"), media_type)
        except Exception as error:  # noqa: BLE001 - whatever it is, the sender keeps its request and comes again
            self.errors.report("http", error)
            answer = _refused(self._intake.pressed("an error inside of the sidecar"), media_type)
        if answer is not None:
            await _send(answer, media_type or _JSON, send, more=not incoming.ended)
            if not incoming.ended:
                await self._linger(incoming)
                await send({"type": "http.response.body", "body": b""})

    async def _linger(self, incoming: _Incoming) -> None:
        """Read what is left of a request whose answer is sent.

        A sender that reads nothing before it has sent everything never sees an answer if the connection is closed in
        the middle: it has a broken connection instead of the reason, and comes again with what was refused for good.
        """
        room = 2 * self._max_bytes
        with contextlib.suppress(_GoneError, TimeoutError, asyncio.CancelledError):
            async with asyncio.timeout(_LINGER_SECONDS):
                while not incoming.ended and room > 0:
                    room -= len(await incoming.piece())

    async def _export(
        self, signal: Signal, media_type: str, headers: Mapping[str, str], incoming: _Incoming
    ) -> _Answer:
        self.access.check(headers.get("authorization"))
        if not media_type:
            said = headers.get("content-type", "")[:80]
            raise RefusedError(
                "INVALID_ARGUMENT", 415, f"the content type {said!r} is not known; use {_PROTOBUF} or {_JSON}"
            )
        losses = Losses()
        body = await self._body(headers, incoming)
        held = len(body)
        self._waiting_bytes += held
        try:
            encoding = headers.get("content-encoding", "")
            size = len(body) if encoding else 0
            body = await self._aside(size, partial(inflated, body, encoding, self._max_bytes))
            # from here on its size is what it was uncompressed to
            self._waiting_bytes += len(body) - held
            held = len(body)
            if encoding and self._waiting_bytes > self._max_waiting_bytes:
                raise self._intake.pressed("too many requests are on their way in")
            if media_type == _JSON:
                body = await self._aside(len(body), partial(_protobuf, signal, body, losses))
            unsent = await self._intake.take(signal, body)
        finally:
            self._waiting_bytes -= held
        return _Answer(200, _encoded(taken(signal, losses, unsent), media_type))

    async def _aside(self, size: int, work: Callable[[], bytes]) -> bytes:
        """The result of some work; what may take long is done beside the event loop, one at a time."""
        if size <= SMALL_BYTES:
            return work()
        async with self._one_aside:
            return await asyncio.to_thread(work)

    async def _body(self, headers: Mapping[str, str], incoming: _Incoming) -> bytes:
        """The body as it came.

        Raises:
            RefusedError: it is too large, too slow, or there is no room for it now.
        """
        said = headers.get("content-length", "")
        if said.isascii() and said.isdigit() and int(said) > self._max_bytes:
            raise too_large(self._max_bytes)
        chunks: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self._body_seconds):
                while True:
                    chunk = await incoming.piece()
                    size += len(chunk)
                    self._waiting_bytes += len(chunk)
                    if size > self._max_bytes:
                        raise too_large(self._max_bytes)
                    if self._waiting_bytes > self._max_waiting_bytes:
                        raise self._intake.pressed("too many requests are on their way in")
                    chunks.append(chunk)
                    if incoming.ended:
                        return chunks[0] if len(chunks) == 1 else b"".join(chunks)
        except TimeoutError:
            # the line was slow, and the request may be a good one
            raise self._intake.pressed(f"the body took longer than {self._body_seconds:g} seconds") from None
        finally:
            self._waiting_bytes -= size


def _protobuf(signal: Signal, body: bytes, losses: Losses) -> bytes:
    try:
        return protobuf_of(signal, body, losses)
    except MalformedError as error:
        raise malformed(str(error)) from None


def _media_type(headers: Mapping[str, str]) -> str:
    """The media type that is read and answered in; empty for one that is not known."""
    return _MEDIA_TYPES.get(headers.get("content-type", "").partition(";")[0].strip().lower(), "")


def _misdirected(method: str, media_type: str) -> _Answer:
    if method != "POST":
        refusal = RefusedError("UNIMPLEMENTED", 405, "only POST is answered here")
        return _refused(refusal, media_type)._replace(headers=(("allow", "POST"),))
    paths = ", ".join(_SIGNAL_OF)
    return _refused(RefusedError("UNIMPLEMENTED", 404, f"nothing is here; send to {paths}"), media_type)


def _encoded(message: Message, media_type: str) -> bytes:
    """A message in a media type; as JSON where the request's own was not known."""
    if media_type == _PROTOBUF:
        encoded: bytes = message.SerializeToString()
        return encoded
    return json.dumps(MessageToDict(message)).encode()


def _refused(refusal: RefusedError, media_type: str) -> _Answer:
    headers: list[tuple[str, str]] = []
    if refusal.retry_seconds is not None:
        headers.append(("retry-after", str(refusal.retry_seconds)))
    if refusal.http_status == 401:  # noqa: PLR2004 - HTTP's own number
        headers.append(("www-authenticate", CHALLENGE))
    if refusal.http_status == 415:  # noqa: PLR2004 - the same
        headers.append(("accept-encoding", ", ".join(ENCODINGS)))
    # What is left of a body that was refused before it was whole is thrown away, and not all of it in any case.
    headers.append(("connection", "close"))
    return _Answer(refusal.http_status, _encoded(refusal.status(), media_type), tuple(headers))


async def _send(answer: _Answer, media_type: str, send: Send, *, more: bool) -> None:
    headers = [("content-type", media_type), ("content-length", str(len(answer.body))), *answer.headers]
    encoded = [(name.encode(), value.encode("latin-1", "replace")) for name, value in headers]
    await send({"type": "http.response.start", "status": answer.status, "headers": encoded})
    await send({"type": "http.response.body", "body": answer.body, "more_body": more})
