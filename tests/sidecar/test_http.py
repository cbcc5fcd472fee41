"""What senders do with HTTP/1.1, by habit or in bad faith, and what they see of it."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import logging
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from otlp import request, span
from sidecars import ANYWHERE, JSON, PROTOBUF, Backend, Running, run, running, settings

from otel_footprint.sidecar import assembling, http_protocol, http_server
from otel_footprint.sidecar.settings import Auth, GrpcReceiver, HttpReceiver, Receivers, Secret

MIB = 1024 * 1024
BODY = request(span(1))


def head(body: bytes = BODY, *more: str, credential: str = "right") -> bytes:
    lines = [
        "POST /v1/traces HTTP/1.1",
        "host: x",
        f"content-type: {PROTOBUF}",
        f"content-length: {len(body)}",
        f"authorization: Bearer {credential}",
        *more,
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def blocking(side: Running, data: bytes) -> bytes:
    """What a sender gets that reads nothing before it has sent everything, as most do."""
    with socket.create_connection(("127.0.0.1", int(side.url.rpartition(":")[2])), timeout=30) as sender:
        sender.sendall(data)
        answer = b""
        while piece := sender.recv(65536):
            answer += piece
        return answer


@asynccontextmanager
async def guarded(**changes: Any) -> AsyncIterator[Running]:
    """A sidecar that wants a token and takes 1 MiB."""
    http = HttpReceiver(
        endpoints=(ANYWHERE,), auth=Auth(bearer=(Secret("right"),)), **{"max_body_bytes": MIB, **changes}
    )
    async with Backend().serving() as backend:
        made = settings(backend.destination(), receivers=Receivers(grpc=GrpcReceiver(endpoints=()), http=http))
        async with running(made) as side:
            yield side


@asynccontextmanager
async def connection(side: Running) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(side.url.rpartition(":")[2]))
    try:
        yield reader, writer
    finally:
        writer.close()


async def send_for_ever(writer: asyncio.StreamWriter, piece: bytes) -> None:
    while True:
        writer.write(piece)
        await writer.drain()


@pytest.mark.parametrize(("credential", "status"), [("wrong", b"401"), ("right", b"413")])
def test_a_sender_that_sends_first_and_reads_then_sees_why_a_large_request_was_refused(
    credential: str, status: bytes
) -> None:
    body = bytes(20 * MIB)

    async def check() -> None:
        async with guarded(max_body_bytes=16 * MIB) as side:
            answer = await asyncio.to_thread(blocking, side, head(body, credential=credential) + body)
            assert answer.startswith(b"HTTP/1.1 " + status)

    run(check())


def test_a_body_without_an_end_is_not_read_to_it() -> None:
    async def check() -> None:
        async with guarded() as side, connection(side) as (reader, writer):
            writer.write(head(credential="wrong").replace(b"content-length: ", b"transfer-encoding: chunked\r\nx: "))
            await reader.readuntil(b"\r\n\r\n")
            with pytest.raises(ConnectionError):
                await send_for_ever(writer, b"10000\r\n" + bytes(0x10000) + b"\r\n")

    run(check())


def test_a_head_without_an_end_is_cut_off() -> None:
    """Before any credentials are asked for, so that nobody without them can fill the memory."""

    async def check() -> None:
        async with guarded() as side, connection(side) as (_, writer):
            writer.write(b"POST /v1/traces HTTP/1.1\r\nx: ")
            with pytest.raises(ConnectionError):
                await send_for_ever(writer, b"a" * MIB)

    run(check())


@pytest.mark.parametrize("before", [b"", head() + BODY])
@pytest.mark.parametrize("begun", [b"POST /v1/traces HTTP/1.1\r\nx:", b"P", b"\r\n"])
def test_a_head_that_does_not_come_ends_the_connection(
    before: bytes, begun: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_protocol, "HEAD_SECONDS", 0.2)

    async def check() -> None:
        async with guarded() as side, connection(side) as (reader, writer):
            if before:
                writer.write(before)
                assert b"200 OK" in await reader.readuntil(b"\r\n\r\n")
            writer.write(begun)
            assert await reader.read() == b""

    run(check(), seconds=20)


def test_a_connection_is_used_again_for_longer_than_a_head_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_protocol, "HEAD_SECONDS", 0.2)

    async def check() -> None:
        async with guarded() as side, connection(side) as (reader, writer):
            for _ in range(3):
                writer.write(head() + BODY)
                assert b"200 OK" in await reader.readuntil(b"\r\n\r\n")
                await asyncio.sleep(0.3)

    run(check())


def test_requests_that_come_one_behind_the_other_are_all_answered() -> None:
    async def check() -> None:
        async with guarded() as side, connection(side) as (reader, writer):
            writer.write((head() + BODY) * 20)
            for _ in range(20):
                assert b"200 OK" in await reader.readuntil(b"\r\n\r\n")

    run(check())


def test_a_body_that_is_to_be_asked_for_is_asked_for_only_from_a_sender_that_is_let_in() -> None:
    async def check() -> None:
        async with guarded() as side:
            async with connection(side) as (reader, writer):
                writer.write(head(BODY, "expect: 100-continue"))
                assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
                writer.write(BODY)
                assert b"200 OK" in await reader.readuntil(b"\r\n\r\n")
            async with connection(side) as (reader, writer):
                writer.write(head(BODY, "expect: 100-continue", credential="wrong"))
                assert b"401 Unauthorized" in await reader.readuntil(b"\r\n\r\n")

    run(check())


def test_an_offer_of_http_2_is_passed_over_in_silence(caplog: pytest.LogCaptureFixture) -> None:
    """Java's HTTP client makes it with each request."""

    async def check() -> None:
        async with guarded() as side, connection(side) as (reader, writer):
            for _ in range(2):
                writer.write(
                    head(BODY, "connection: Upgrade, HTTP2-Settings", "upgrade: h2c", "http2-settings: A") + BODY
                )
                assert b"200 OK" in await reader.readuntil(b"\r\n\r\n")

    with caplog.at_level(logging.WARNING, "uvicorn"):
        run(check())
    assert "pgrade" not in caplog.text


def test_a_body_that_comes_too_slowly_is_refused_for_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line is slow, and the request may be a good one: a sender drops what is refused for good."""
    monkeypatch.setattr(assembling, "BODY_SECONDS", 0.2)

    async def check() -> None:
        async with guarded() as side, connection(side) as (reader, writer):
            writer.write(head() + BODY[:10])
            answer = await reader.readuntil(b"\r\n\r\n")
            assert answer.startswith(b"HTTP/1.1 503")
            assert b"retry-after: 5" in answer

    run(check())


def test_a_sender_that_the_end_does_not_wait_for_is_told_to_come_again(caplog: pytest.LogCaptureFixture) -> None:
    async def check() -> None:
        async with Backend().serving() as backend:
            made = settings(backend.destination(), drain_seconds=1.0)
            async with running(made) as side, connection(side) as (reader, writer):
                writer.write(head(BODY, "expect: 100-continue"))
                # now its body is waited for
                assert b"100 Continue" in await reader.readuntil(b"\r\n\r\n")
                side.sidecar.stopping.set()
                answer = await reader.read()
                assert answer.startswith(b"HTTP/1.1 503")
                assert b"retry-after: 5" in answer

    run(check())
    assert "Traceback" not in caplog.text


def test_what_requests_unpack_to_is_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """P5, P8: what counts is what a request takes up in memory, and not what came."""
    bomb = gzip.compress(b'{"resourceSpans": [' + b" " * (MIB - 100) + b"]}")
    go_on = threading.Event()

    def waits(*_: object) -> bytes:
        assert go_on.wait(30)
        return b""

    monkeypatch.setattr(http_server, "protobuf_of", waits)

    async def check() -> None:
        headers = {"content-type": JSON, "content-encoding": "gzip", "authorization": "Bearer right"}
        async with guarded() as side, aiohttp.ClientSession(headers=headers) as session:

            async def status() -> int:
                async with session.post(f"{side.url}/v1/traces", data=bomb) as answer:
                    return answer.status

            answers = [asyncio.create_task(status()) for _ in range(10)]
            statuses = [await one for one in itertools.islice(asyncio.as_completed(answers), 8)]
            go_on.set()
            assert statuses == [503] * 8
            assert sorted(await asyncio.gather(*answers)) == [200] * 2 + [503] * 8

    run(check())


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/statusz", "/metrics"])
def test_the_pages_are_looked_at_and_nothing_else(path: str) -> None:
    async def check() -> None:
        async with guarded() as side, aiohttp.ClientSession() as session:
            async with session.post(side.pages + path) as answer:
                assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")
            async with session.head(side.pages + path) as answer:
                assert (answer.status, await answer.read()) == (200, b"")

    run(check())
