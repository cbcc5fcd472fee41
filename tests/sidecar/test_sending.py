"""Sending until a request is taken or refused for good (P6, P7)."""

from __future__ import annotations

import asyncio
import gzip
import json
import ssl
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTracePartialSuccess,
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from otlp import agent, decoded, event_names, request, span, spans_of, tool
from sidecars import JSON, Backend, Holding, memory_queue, run

from otel_footprint._errors import ConfigError
from otel_footprint.files.proto_json import otlp_json
from otel_footprint.sidecar.assembling import sender_of
from otel_footprint.sidecar.grpc_client import GrpcTransport
from otel_footprint.sidecar.grpc_server import SERVICES
from otel_footprint.sidecar.http_client import HttpTransport
from otel_footprint.sidecar.json_in import Losses, protobuf_of
from otel_footprint.sidecar.outcomes import MAX_HINT_SECONDS, Outcome, Transport, retry_after, retry_info
from otel_footprint.sidecar.queue import SIGNALS, NewEntry, Queue, Signal
from otel_footprint.sidecar.sending import Sender
from otel_footprint.sidecar.settings import ClientTls, Compression, Retry, Secret

TAKEN = Outcome(kind="taken")
AGAIN = Outcome(kind="again", message="busy")
REFUSED = Outcome(kind="refused", message="no")
TOO_LARGE = Outcome(kind="too-large", message="large")


class Script:
    """A transport that says what it is told to, one outcome after the other, and then that all is taken."""

    def __init__(self, *outcomes: Outcome, judge: Callable[[bytes], Outcome] | None = None) -> None:
        self.outcomes = list(outcomes)
        self.judge = judge
        self.bodies: list[bytes] = []
        self.closed = False

    async def send(self, _signal: Signal, body: bytes) -> Outcome:
        self.bodies.append(body)
        if self.judge is not None:
            return self.judge(body)
        return self.outcomes.pop(0) if self.outcomes else TAKEN

    async def close(self) -> None:
        self.closed = True


class Sending:
    """A sender on a queue; it never waits, and tells how long it would have."""

    def __init__(self, transport: Script, *, max_bytes: int = 2**20, retry: Retry | None = None) -> None:
        self.now = 0.0
        self.waits: list[float] = []
        self.queue: Queue = memory_queue()
        self.transport = transport
        self.sender = Sender(
            "backend",
            self.queue,
            transport,
            signals=SIGNALS,
            max_bytes=max_bytes,
            retry=retry,
            concurrency=1,
            sleep=self._sleep,
            chance=lambda: 0.5,
            clock=lambda: self.now,
        )

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    async def until_idle(self, *bodies: bytes, signal: Signal = "traces") -> None:
        self.queue.put([NewEntry(signal=signal, body=body, items=len(list(spans_of(body)))) for body in bodies])
        task = asyncio.create_task(self.sender.run())
        while not self.sender.idle:  # noqa: ASYNC110 - a turn of the loop, no wait
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert self.transport.closed


def sent(transport: Script, *bodies: bytes, **options: Any) -> Sending:
    sending = Sending(transport, **options)
    run(sending.until_idle(*bodies))
    assert sending.queue.statistics().entries["traces"] == 0
    return sending


# -- the sender


def test_small_requests_are_sent_together() -> None:
    bodies = [request(span(number)) for number in range(1, 11)]
    transport = Script()
    statistics = sent(transport, *bodies).sender.statistics()
    assert transport.bodies == [b"".join(bodies)]
    assert (statistics.requests, statistics.items) == (1, 10)


def test_what_is_not_taken_is_sent_again_until_it_is() -> None:
    sending = sent(Script(*[AGAIN] * 8), request(span(1)))
    assert len(set(sending.transport.bodies)) == 1
    assert len(sending.transport.bodies) == 9
    # chance is 0.5: half of a wait that doubles up to its longest
    assert sending.waits == [0.5, 1, 2, 4, 8, 15, 15, 15]
    assert sending.sender.statistics().retries == 8
    assert sending.sender.statistics().failing == ""


def test_a_hint_is_the_least_that_is_waited() -> None:
    sending = sent(Script(replace(AGAIN, wait_seconds=7.0), AGAIN), request(span(1)))
    assert sending.waits == [7.5, 1.0]


def test_a_request_is_given_up_where_a_time_is_set_for_that() -> None:
    sending = sent(Script(*[AGAIN] * 50), request(span(1)), retry=Retry(give_up_seconds=20.0))
    assert 20 <= sum(sending.waits) < 40
    assert sending.sender.statistics().refused == 1


def test_requests_that_are_sent_together_are_given_up_together() -> None:
    """Not one after the other, each after as long again."""
    bodies = [request(span(number, name="x" * 500)) for number in range(1, 21)]
    sending = sent(Script(*[AGAIN] * 1_000), *bodies, retry=Retry(give_up_seconds=20.0))
    assert 20 <= sum(sending.waits) < 40
    assert sending.sender.statistics().refused == 20


def test_what_is_given_up_counts_the_parts_that_were_taken_as_taken() -> None:
    body = request(*(span(number, name="x" * 500) for number in range(1, 21)))
    sending = sent(Script(TAKEN, *[AGAIN] * 1_000), body, max_bytes=6_000, retry=Retry(give_up_seconds=20.0))
    statistics = sending.sender.statistics()
    first = len(list(spans_of(sending.transport.bodies[0])))
    assert (statistics.items, statistics.refused) == (first, 20 - first)
    assert 20 <= sum(sending.waits) < 40


def test_a_destination_that_refuses_everything_is_failing() -> None:
    transport = Script(REFUSED)
    sending = sent(transport, request(span(1)))
    assert sending.sender.statistics().failing == "no"
    run(sending.until_idle(request(span(2))))
    assert sending.sender.statistics().failing == ""


def test_each_signal_that_is_refused_is_said(caplog: pytest.LogCaptureFixture) -> None:
    """One that is refused all the time must not keep another from being heard of."""

    async def check() -> None:
        sending = Sending(Script(*[REFUSED] * 4))
        for signal in (*SIGNALS, SIGNALS[0]):
            await sending.until_idle(request(span(1)), signal=signal)

    with caplog.at_level("WARNING", "otel_footprint.sidecar"):
        run(check())
    said = [record.getMessage() for record in caplog.records]
    assert said == [f"destination backend: 1 items of {signal} were refused for good: no" for signal in SIGNALS]


def test_an_entry_that_is_refused_for_good_costs_no_other() -> None:
    bad = request(span(5, name="bad"))
    bodies = [request(span(1)), bad, request(span(2))]
    transport = Script(judge=lambda body: REFUSED if b"bad" in body else TAKEN)
    statistics = sent(transport, *bodies).sender.statistics()
    assert transport.bodies == [b"".join(bodies), *bodies]
    assert (statistics.items, statistics.refused) == (2, 1)


def test_what_a_backend_rejected_is_counted_and_never_sent_again() -> None:
    """P7."""
    transport = Script(Outcome(kind="taken", rejected=3, message="too old"))
    statistics = sent(transport, request(*(span(number) for number in range(1, 11)))).sender.statistics()
    assert len(transport.bodies) == 1
    assert (statistics.items, statistics.rejected, statistics.refused) == (10, 3, 0)


def test_a_request_that_is_too_large_is_split() -> None:
    body = request(*(span(number, name="x" * 500) for number in range(1, 21)))
    transport = Script()
    sent(transport, body, max_bytes=3_000)
    assert all(len(part) <= 3_000 for part in transport.bodies)
    assert list(spans_of(*transport.bodies)) == list(spans_of(body))


def test_a_backend_that_takes_less_than_expected_gets_smaller_requests() -> None:
    body = request(*(span(number, name="x" * 500) for number in range(1, 21)))
    transport = Script(judge=lambda part: TOO_LARGE if len(part) > 2_000 else TAKEN)
    statistics = sent(transport, body).sender.statistics()
    taken = [part for part in transport.bodies if len(part) <= 2_000]
    assert list(spans_of(*taken)) == list(spans_of(body))
    assert (statistics.items, statistics.refused) == (20, 0)


def explained_turn() -> bytes:
    holding = Holding()
    holding.take(request(tool(2, 1), agent(1)))
    holding.let_go()
    return holding.sent[-1]


@pytest.mark.parametrize("limit", ["ours", "theirs"])
def test_our_events_go_before_a_users_span_does(limit: str) -> None:
    body = explained_turn()
    size = len(body) - 100
    transport = Script(judge=lambda part: TOO_LARGE if len(part) > size else TAKEN)
    statistics = sent(transport, body, max_bytes=size if limit == "ours" else 2**20).sender.statistics()
    (one,) = spans_of(transport.bodies[-1])
    assert event_names(one) == []
    assert one.name == "invoke_agent planner"
    assert (statistics.stripped, statistics.items, statistics.refused) == (1, 1, 0)


def test_one_span_that_is_too_large_for_the_backend_is_refused_alone() -> None:
    bodies = [request(span(1, name="x" * 5_000), span(2))]
    transport = Script(judge=lambda part: TOO_LARGE if len(part) > 2_000 else TAKEN)
    statistics = sent(transport, *bodies).sender.statistics()
    assert (statistics.items, statistics.refused) == (1, 1)
    assert [one.span_id[-1] for part in transport.bodies if len(part) <= 2_000 for one in spans_of(part)] == [2]


def test_an_error_of_ours_ends_nothing() -> None:
    """P2."""
    failures = iter([True, True])

    def judge(_: bytes) -> Outcome:
        if next(failures, False):
            raise RuntimeError("a defect")
        return TAKEN

    assert sent(Script(judge=judge), request(span(1))).sender.statistics().items == 1


# -- hints


NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        (" 7 ", 7.0),
        ("0", 0.0),
        ("1.5", 1.5),
        ("Mon, 30 Nov 2026 12:00:30 GMT", 30.0),
        ("Mon, 30 Nov 2026 12:00:30 -0000", 30.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", None),
        ("-5", None),
        ("999999999999", MAX_HINT_SECONDS),
        ("inf", None),
        ("nan", None),
        ("soon", None),
        ("Mon, 99 Nov 2026 12:00:30 GMT", None),
        ("", None),
        (None, None),
    ],
)
def test_a_header_says_when_to_come_again_or_nothing(header: str | None, seconds: float | None) -> None:
    assert retry_after(header, NOW) == seconds


@pytest.mark.parametrize(
    ("delay", "seconds"),
    [
        (Duration(seconds=2, nanos=500_000_000), 2.5),
        (Duration(), 0.0),
        # that it is there at all says that the request can be sent again
        (Duration(seconds=-1), 0.0),
        (Duration(seconds=10**9), MAX_HINT_SECONDS),
        (None, None),
    ],
)
def test_a_status_says_when_to_come_again_or_nothing(delay: Duration | None, seconds: float | None) -> None:
    status = Status(code=8)
    status.details.add().Pack(Duration(seconds=99))
    if delay is not None:
        status.details.add().Pack(RetryInfo(retry_delay=delay))
    assert retry_info(status.SerializeToString()) == seconds


@pytest.mark.parametrize("details", [None, b"", b"\xff\xff"])
def test_details_that_do_not_decode_say_nothing(details: bytes | None) -> None:
    assert retry_info(details) is None


# -- HTTP


async def outcome_of(answer: tuple[int, bytes, dict[str, str]], **options: Any) -> Outcome:
    async with Backend().serving() as backend:
        backend.answers = [answer]
        transport = HttpTransport({"traces": f"http://127.0.0.1:{backend.port}/v1/traces"}, **options)
        try:
            return await transport.send("traces", request(span(1)))
        finally:
            await transport.close()


PARTIAL = ExportTraceServiceResponse(
    partial_success=ExportTracePartialSuccess(rejected_spans=3, error_message="too\nold")
).SerializeToString()


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ((200, b"", {}), TAKEN),
        ((202, b"ok", {"content-type": "text/plain"}), TAKEN),
        ((200, b"{}", {"content-type": JSON}), TAKEN),
        ((200, b"{", {"content-type": JSON}), TAKEN),
        ((200, b"[]", {"content-type": JSON}), TAKEN),
        ((200, b"\xff", {}), TAKEN),
        ((200, PARTIAL, {}), Outcome(kind="taken", rejected=3, message="too old")),
        (
            (200, b'{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}', {"content-type": JSON}),
            Outcome(kind="taken", rejected=3, message="too old"),
        ),
        (
            (200, b'{"partial_success":{"rejected_spans":3}}', {"content-type": JSON}),
            Outcome(kind="taken", rejected=3),
        ),
        (
            (200, b'{"partialSuccess":{"rejectedSpans":"many"}}', {"content-type": JSON}),
            Outcome(kind="taken"),
        ),
        ((503, b"busy", {"retry-after": "7"}), Outcome(kind="again", message="HTTP 503 busy", wait_seconds=7.0)),
        ((503, b"", {"retry-after": "-7"}), Outcome(kind="again", message="HTTP 503")),
        ((429, b"", {}), Outcome(kind="again", message="HTTP 429")),
        ((502, b"", {}), Outcome(kind="again", message="HTTP 502")),
        ((504, b"", {}), Outcome(kind="again", message="HTTP 504")),
        ((413, b"", {}), Outcome(kind="too-large", message="HTTP 413")),
        ((400, b"bad", {}), Outcome(kind="refused", message="HTTP 400 bad")),
        ((401, b"", {}), Outcome(kind="refused", message="HTTP 401")),
        ((500, b"", {}), Outcome(kind="refused", message="HTTP 500")),
    ],
)
def test_an_answer_over_http_is_taken_at_its_word(answer: tuple[int, bytes, dict[str, str]], outcome: Outcome) -> None:
    async def check() -> None:
        assert await outcome_of(answer) == outcome

    run(check())


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_an_address_that_points_elsewhere_has_taken_nothing(status: int) -> None:
    """It is not followed: it may lead to a page for people, or without TLS."""

    async def check() -> None:
        outcome = await outcome_of((status, b"", {"location": "http://127.0.0.1:1/"}))
        assert outcome == Outcome(
            kind="again", message=f"HTTP {status}: it points elsewhere; give the address it points to"
        )

    run(check())


def test_a_page_for_people_is_no_answer_of_a_backend() -> None:
    async def check() -> None:
        outcome = await outcome_of((200, b"<html>", {"content-type": "text/html"}))
        assert (outcome.kind, "HTML" in outcome.message) == ("again", True)

    run(check())


GZIPPED = gzip.compress(PARTIAL)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ((200, GZIPPED, {"content-encoding": "gzip"}), Outcome(kind="taken", rejected=3, message="too old")),
        ((200, GZIPPED[:-9], {"content-encoding": "gzip"}), TAKEN),
        ((200, b"plain", {"content-encoding": "gzip"}), TAKEN),
        ((200, b"plain", {"content-encoding": "br"}), TAKEN),
        ((503, b"plain", {"content-encoding": "gzip", "retry-after": "7"}), ("again", 7.0)),
        ((400, b"plain", {"content-encoding": "gzip"}), ("refused", None)),
    ],
)
def test_an_answer_that_does_not_decompress_says_what_its_status_says(
    answer: tuple[int, bytes, dict[str, str]], outcome: Outcome | tuple[str, float | None]
) -> None:
    """P6: such an answer to a request that was taken must not have it sent for ever."""

    async def check() -> None:
        found = await outcome_of(answer)
        assert outcome in (found, (found.kind, found.wait_seconds))

    run(check())


def test_a_header_of_a_user_stands_there_once_in_whatever_case_it_is_written() -> None:
    async def check() -> None:
        async with Backend().serving() as backend:
            url = f"http://127.0.0.1:{backend.port}/v1/traces"
            transport = HttpTransport({"traces": url}, headers={"User-Agent": "me", "Content-Type": "text/plain"})
            assert await transport.send("traces", request(span(1))) == TAKEN
            await transport.close()
            ((_, _, headers),) = backend.requests
            assert (headers["user-agent"], headers["content-type"]) == ("me", "application/x-protobuf")

    run(check())


async def raw_server(answer: Callable[[asyncio.StreamWriter], Awaitable[None]]) -> Outcome:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await answer(writer)
        # until the client has gone
        await reader.read()
        writer.close()

    async with await asyncio.start_server(handle, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        transport = HttpTransport({"traces": f"http://127.0.0.1:{port}/"}, timeout_seconds=0.2)
        try:
            return await transport.send("traces", b"")
        finally:
            await transport.close()


async def _resets(writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def _breaks_off(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf")
    writer.close()


async def _says_nothing(_: asyncio.StreamWriter) -> None:
    pass


async def _speaks_another_language(writer: asyncio.StreamWriter) -> None:
    writer.write(b"220 mail.example.org ESMTP\r\n")
    writer.close()


@pytest.mark.parametrize("answer", [_resets, _breaks_off, _says_nothing, _speaks_another_language])
def test_a_connection_that_fails_is_tried_again(answer: Callable[[asyncio.StreamWriter], Awaitable[None]]) -> None:
    async def check() -> None:
        assert (await raw_server(answer)).kind == "again"

    run(check())


def test_nobody_there_is_tried_again() -> None:
    async def check() -> None:
        transports: list[Transport] = [
            HttpTransport({"traces": "http://127.0.0.1:1/"}),
            GrpcTransport("127.0.0.1:1", timeout_seconds=2),
        ]
        for transport in transports:
            assert (await transport.send("traces", b"")).kind == "again"
            await transport.close()

    run(check())


def test_a_grpc_backend_that_is_back_is_found_within_the_longest_wait() -> None:
    """gRPC waits of its own accord before it connects again, twice as long each time."""
    connections = 0

    async def check() -> None:
        def closes(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal connections
            connections += 1
            writer.close()

        async with await asyncio.start_server(closes, "127.0.0.1", 0) as server:
            destination = Backend().destination(
                "grpc",
                endpoint=f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}",
                retry=Retry(initial_seconds=0.01, max_seconds=0.05),
            )
            sender = sender_of(destination)(memory_queue())
            while connections < 6:
                assert (await sender.transport.send("traces", b"")).kind == "again"
                await asyncio.sleep(0.01)
            await sender.transport.close()

    # with gRPC's own waits it is more than a quarter of a minute
    run(check(), seconds=8)


@pytest.mark.parametrize("compression", ["none", "gzip", "zstd"])
@pytest.mark.parametrize("size", [10, 2 * 2**20])
def test_requests_arrive_whole_however_they_are_compressed(compression: Compression, size: int) -> None:
    body = request(span(1, name="x" * size))

    async def check() -> None:
        async with Backend().serving() as backend:
            transport = HttpTransport(
                {"traces": f"http://127.0.0.1:{backend.port}/v1/traces"}, compression=compression, headers={"k": "v"}
            )
            assert await transport.send("traces", body) == TAKEN
            await transport.close()
            ((_, taken, headers),) = backend.requests
            assert taken == body
            assert headers.get("content-encoding", "none") == compression
            assert headers["k"] == "v"
            assert headers["user-agent"].startswith("otel-footprint-sidecar/")

    run(check())


def test_json_goes_out_as_otlp_has_it() -> None:
    body = explained_turn()

    async def check() -> None:
        async with Backend().serving() as backend:
            url = f"http://127.0.0.1:{backend.port}/v1/traces"
            transport = HttpTransport({"traces": url}, encoding="json")
            assert await transport.send("traces", body) == TAKEN
            assert (await transport.send("traces", b"\xff")).kind == "unwritable"
            await transport.close()
            ((_, text, headers),) = backend.requests
            assert headers["content-type"] == JSON
            assert json.loads(text) == otlp_json(ExportTraceServiceRequest.FromString(body))
            assert protobuf_of("traces", text, Losses()) == decoded(body).SerializeToString()

    run(check())


def test_a_span_that_json_cannot_hold_costs_only_itself() -> None:
    """P17."""
    body = request(span(1), span(2), span(3)).replace(b"span 2", b"span \xff")

    async def check() -> None:
        async with Backend().serving() as backend:
            sender = sender_of(backend.destination("http/json"))(queue := memory_queue())
            queue.put([NewEntry(signal="traces", body=body, items=3), NewEntry(signal="traces", body=b"", items=0)])
            sending = asyncio.create_task(sender.run())
            while not sender.idle:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)
            sending.cancel()
            await asyncio.wait([sending])
            names = {
                one["name"]
                for text in backend("traces")
                for group in json.loads(text).get("resourceSpans", ())
                for scope in group["scopeSpans"]
                for one in scope["spans"]
            }
            assert names == {"span 1", "span 3"}
            statistics = sender.statistics()
            assert (statistics.items, statistics.refused) == (2, 1)

    run(check())


# -- gRPC


class Coded:
    """A gRPC backend that answers with a code."""

    def __init__(self, code: str, message: str, details: Sequence[Any] = ()) -> None:
        self.code = code
        self.message = message
        status = Status(code=8)
        for detail in details:
            status.details.add().Pack(detail)
        self.metadata = (("grpc-status-details-bin", status.SerializeToString()),) if details else ()

    async def outcome(self) -> Outcome:
        async def export(_: bytes, context: Any) -> bytes:
            if self.code == "OK":
                return PARTIAL
            await context.abort(grpc.StatusCode[self.code], self.message, self.metadata)
            return b""

        server = grpc.aio.server()
        handlers = {"Export": grpc.unary_unary_rpc_method_handler(export)}
        server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(SERVICES["traces"], handlers)])
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        transport = GrpcTransport(f"127.0.0.1:{port}", headers={"K": "v"})
        try:
            return await transport.send("traces", request(span(1)))
        finally:
            await transport.close()
            await server.stop(None)


HINT = RetryInfo(retry_delay=Duration(seconds=4))


@pytest.mark.parametrize(
    ("backend", "kind", "wait"),
    [
        (Coded("OK", ""), "taken", None),
        (Coded("UNAVAILABLE", "busy"), "again", None),
        (Coded("UNAVAILABLE", "busy", [HINT]), "again", 4.0),
        (Coded("DEADLINE_EXCEEDED", ""), "again", None),
        (Coded("CANCELLED", ""), "again", None),
        (Coded("ABORTED", ""), "again", None),
        (Coded("OUT_OF_RANGE", ""), "again", None),
        (Coded("DATA_LOSS", ""), "again", None),
        (Coded("RESOURCE_EXHAUSTED", "quota", [HINT]), "again", 4.0),
        (Coded("RESOURCE_EXHAUSTED", "quota"), "refused", None),
        (Coded("RESOURCE_EXHAUSTED", "quota", [RetryInfo(retry_delay=Duration(seconds=-4))]), "again", 0.0),
        (Coded("RESOURCE_EXHAUSTED", "Received message larger than max (5 vs. 4)"), "too-large", None),
        (Coded("RESOURCE_EXHAUSTED", "grpc: received message larger than max (5 vs. 4)"), "too-large", None),
        (Coded("RESOURCE_EXHAUSTED", "gRPC message exceeds maximum size 4: 5"), "too-large", None),
        (
            Coded("RESOURCE_EXHAUSTED", "Received message exceeds the maximum configured message size."),
            "too-large",
            None,
        ),
        (
            Coded("OUT_OF_RANGE", "Error, decoded message length too large: found 5 bytes, the limit is: 4 bytes"),
            "too-large",
            None,
        ),
        (Coded("INVALID_ARGUMENT", "bad"), "refused", None),
        (Coded("UNAUTHENTICATED", ""), "refused", None),
        (Coded("PERMISSION_DENIED", ""), "refused", None),
        (Coded("UNIMPLEMENTED", ""), "refused", None),
        (Coded("INTERNAL", ""), "refused", None),
        (Coded("UNKNOWN", ""), "refused", None),
    ],
)
def test_only_the_retryable_codes_of_grpc_are_tried_again(backend: Coded, kind: str, wait: float | None) -> None:
    async def check() -> None:
        outcome = await backend.outcome()
        assert (outcome.kind, outcome.wait_seconds) == (kind, wait)
        assert outcome.rejected == (3 if kind == "taken" else 0)

    run(check())


# -- TLS


@pytest.mark.parametrize("protocol", ["http/protobuf", "grpc"])
@pytest.mark.parametrize("wrong", ["ca_file", "cert_file", "key_file"])
def test_a_certificate_that_cannot_be_used_is_found_before_anything_is_sent(
    protocol: Any, wrong: str, tmp_path: Path
) -> None:
    ca = trustme.CA()
    client, another = ca.issue_cert("sidecar@example.org"), ca.issue_cert("another@example.org")
    files: dict[str, Any] = {name: tmp_path / name for name in ("ca_file", "cert_file", "key_file")}
    ca.cert_pem.write_to_path(str(files["ca_file"]))
    client.cert_chain_pems[0].write_to_path(str(files["cert_file"]))
    client.private_key_pem.write_to_path(str(files["key_file"]))
    destination = Backend().destination(protocol, endpoint="https://127.0.0.1:1", tls=ClientTls(**files))
    sender_of(destination)
    if wrong == "key_file":
        another.private_key_pem.write_to_path(str(files["key_file"]))
    else:
        files[wrong].write_text("no certificate", encoding="utf-8")
    with pytest.raises(ConfigError, match="destination backend: its certificates cannot be used"):
        sender_of(destination)


@pytest.mark.parametrize("protocol", ["http/protobuf", "grpc"])
@pytest.mark.parametrize("trusted", [True, False])
def test_a_backend_is_spoken_to_over_mutual_tls_and_only_if_it_is_trusted(
    protocol: Any, tmp_path: Path, *, trusted: bool
) -> None:
    """P6: a handshake that fails is tried again."""
    ca, other = trustme.CA(), trustme.CA()
    server, client = ca.issue_cert("backend.example.org"), ca.issue_cert("sidecar@example.org")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.configure_cert(context)
    ca.configure_trust(context)
    context.verify_mode = ssl.CERT_REQUIRED
    pair = (server.private_key_pem.bytes(), b"".join(blob.bytes() for blob in server.cert_chain_pems))
    credentials = grpc.ssl_server_credentials([pair], ca.cert_pem.bytes(), require_client_auth=True)
    (ca if trusted else other).cert_pem.write_to_path(tmp_path / "ca.pem")
    client.private_key_pem.write_to_path(tmp_path / "key.pem")
    client.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    tls = ClientTls(
        ca_file=tmp_path / "ca.pem",
        cert_file=tmp_path / "cert.pem",
        key_file=tmp_path / "key.pem",
        server_name="backend.example.org",
    )

    async def check() -> None:
        async with Backend().serving(tls=context, credentials=credentials) as backend:
            port = backend.grpc_port if protocol == "grpc" else backend.port
            destination = backend.destination(
                protocol,
                endpoint=f"https://127.0.0.1:{port}",
                tls=tls,
                timeout_seconds=5.0,
                headers={"authorization": Secret("Bearer x")},
            )
            sender = sender_of(destination)(memory_queue())
            outcome = await sender.transport.send("traces", request(span(1)))
            await sender.transport.close()
            assert outcome.kind == ("taken" if trusted else "again")
            if trusted:
                assert backend.requests[0][2]["authorization"] == "Bearer x"

    run(check())
