"""The web application: OTLP/HTTP in, the page and its turns out.

Whoever reaches the port can read and send; so it is for loopback, and answers no other host's name (a page of the web
that has a name resolve to this machine), takes no form that such a page could send without asking (only OTLP's own
media types), and sends nothing anywhere.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Final

from google.rpc.status_pb2 import Status
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from otel_footprint.files import count_spans
from otel_footprint.report import live_page
from otel_footprint.viewer.refreshing import Refresher
from otel_footprint.viewer.store import Store

MAX_REQUEST_BYTES: Final = 16 * 1024 * 1024
"""Of a request, before and after it is unpacked."""

_HOSTS: Final = ("127.0.0.1", "localhost", "[::1]")
_PROTOBUF: Final = "application/x-protobuf"
_JSON: Final = "application/json"
_HEADERS: Final[Mapping[str, str]] = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def application(store: Store, refresher: Refresher) -> Starlette:
    """The application over an open store."""
    endpoints = _Endpoints(store, refresher)
    return Starlette(
        routes=[
            Route("/", endpoints.page),
            Route("/api/turns", endpoints.turns),
            Route("/api/turns/{trace_id}/{span_id}", endpoints.turn),
            Route("/v1/traces", endpoints.receive, methods=["POST"]),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(_HOSTS), www_redirect=False)],
    )


class _RefusedError(Exception):
    """A request that is not taken."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class _Endpoints:
    def __init__(self, store: Store, refresher: Refresher) -> None:
        self._store = store
        self._refresher = refresher

    def page(self, _: Request) -> Response:
        return Response(live_page(), media_type="text/html", headers=_HEADERS)

    def turns(self, request: Request) -> Response:
        """What changed after a version, which is 0 for everything."""
        after = request.query_params.get("after", "0")
        if not (after.isascii() and after.isdigit() and len(after) < 16):  # noqa: PLR2004 - fits SQLite's integers
            return Response("after is not a version", status_code=400, headers=_HEADERS)
        changes = self._store.changes(int(after))
        rows = [{**json.loads(one.row), "version": one.version} for one in changes if one.row is not None]
        removed = ["/".join(one.key) for one in changes if one.row is None]
        version = changes[-1].version if changes else int(after)
        answer = {"store": self._store.id, "version": version, "spans": self._refresher.spans}
        return _json({**answer, "rows": rows, "removed": removed})

    def turn(self, request: Request) -> Response:
        detail = self._store.detail((request.path_params["trace_id"], request.path_params["span_id"]))
        if detail is None:
            return Response("no such turn", status_code=404, headers=_HEADERS)
        return Response(detail, media_type=_JSON, headers=_HEADERS)

    async def receive(self, request: Request) -> Response:
        """Take a request of OTLP; the answer is in the request's own media type, an error too."""
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        try:
            _check(media_type)
            body = _unpacked(await _body(request), request.headers.get("content-encoding", "identity").strip().lower())
            await run_in_threadpool(self._take, body)
        except _RefusedError as refused:
            return _refusal(refused, media_type)
        return Response(b"" if media_type == _PROTOBUF else b"{}", media_type=media_type, headers=_HEADERS)

    def _take(self, body: bytes) -> None:
        if not body:
            return
        spans, problem = count_spans(body)
        if problem is not None:
            raise _RefusedError(400, problem)
        if spans:
            self._store.add(body)
            self._refresher.wake()


def _check(media_type: str) -> None:
    if media_type not in {_PROTOBUF, _JSON}:
        raise _RefusedError(415, f"the media type is neither {_PROTOBUF} nor {_JSON}")


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_REQUEST_BYTES:
            raise _RefusedError(413, f"more than {MAX_REQUEST_BYTES} bytes")
    return bytes(body)


def _unpacked(body: bytes, encoding: str) -> bytes:
    if encoding == "identity":
        return body
    if encoding not in {"gzip", "x-gzip", "deflate"}:
        raise _RefusedError(415, "the encoding is none of gzip, deflate and identity")
    unpacker = zlib.decompressobj(wbits=47)  # either of the two, told by its first bytes
    try:
        unpacked = unpacker.decompress(body, MAX_REQUEST_BYTES)
    except zlib.error as error:
        raise _RefusedError(400, f"not {encoding}: {error}") from None
    if unpacker.unconsumed_tail:
        raise _RefusedError(413, f"more than {MAX_REQUEST_BYTES} bytes unpacked")
    if not unpacker.eof:
        raise _RefusedError(400, f"{encoding} without its end")
    return unpacked


def _refusal(refused: _RefusedError, media_type: str) -> Response:
    why = str(refused)
    if media_type == _PROTOBUF:
        content: bytes = Status(message=why).SerializeToString()
        return Response(content, status_code=refused.status, media_type=_PROTOBUF, headers=_HEADERS)
    return _json({"message": why}, status=refused.status)


def _json(value: object, *, status: int = 200) -> Response:
    return Response(json.dumps(value), status_code=status, media_type=_JSON, headers=_HEADERS)
