"""What a sender is told: OTLP's answers over HTTP and gRPC, and who is let in."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import ssl
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import aiohttp
import grpc
import pytest
import requests
import trustme
import zstandard
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcSpanExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from otlp import agent, request, span, tool
from sidecars import ANYWHERE, JSON, PROTOBUF, Backend, Running, run, running, settings

from otel_footprint.sidecar.assembling import assemble
from otel_footprint.sidecar.grpc_server import SERVICES
from otel_footprint.sidecar.queue import QueueBrokenError
from otel_footprint.sidecar.settings import (
    Auth,
    BasicUser,
    Endpoint,
    GrpcReceiver,
    HttpReceiver,
    QueueSettings,
    Receivers,
    Secret,
    ServerTls,
)

MIB = 1024 * 1024
BODY = request(span(1))
AS_JSON = json.dumps(
    {
        "resourceSpans": [
            {
                "scopeSpans": [
                    {
                        "spans": [
                            {"traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": "b7ad6b7169203331", "name": "x"}
                        ]
                    }
                ]
            }
        ]
    }
).encode()


class Answer:
    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def refusal(self) -> Status:
        assert self.headers["content-type"] == PROTOBUF
        return Status.FromString(self.body)


async def ask(
    side: Running, body: bytes = BODY, *, method: str = "POST", path: str = "/v1/traces", **headers: str
) -> Answer:
    named = {name.replace("_", "-"): value for name, value in {"content_type": PROTOBUF, **headers}.items()}
    async with (
        aiohttp.ClientSession() as session,
        session.request(method, side.url + path, data=BytesIO(body), headers=named) as answer,
    ):
        return Answer(answer.status, answer.headers, await answer.read())


async def call(side: Running, body: bytes = BODY, *, signal: Any = "traces", **metadata: str) -> bytes:
    async with grpc.aio.insecure_channel(side.grpc_target) as channel:
        export = channel.unary_unary(f"/{SERVICES[signal]}/Export")
        answer: bytes = await export(body, metadata=tuple(metadata.items()), timeout=20)
        return answer


def receivers(**changes: Any) -> Receivers:
    return Receivers(
        grpc=GrpcReceiver(endpoints=(ANYWHERE,), **changes), http=HttpReceiver(endpoints=(ANYWHERE,), **changes)
    )


# -- HTTP


@pytest.mark.parametrize("path", ["/v1/traces", "/v1/metrics", "/v1/logs"])
@pytest.mark.parametrize("content_type", [PROTOBUF, "application/protobuf", "Application/X-Protobuf; v=1"])
def test_a_request_that_is_taken_is_answered_with_an_empty_message(path: str, content_type: str) -> None:
    async def check() -> None:
        async with Backend().serving() as backend, running(settings(backend.destination())) as side:
            answer = await ask(side, BODY if path == "/v1/traces" else b"", path=path, content_type=content_type)
            assert (answer.status, answer.headers["content-type"], answer.body) == (200, PROTOBUF, b"")

    run(check())


@pytest.mark.parametrize("content_type", [JSON, "application/json; charset=utf-8", "APPLICATION/JSON;charset=UTF-8"])
def test_json_is_answered_in_json(content_type: str) -> None:
    async def check() -> None:
        async with Backend().serving() as backend, running(settings(backend.destination())) as side:
            answer = await ask(side, AS_JSON, content_type=content_type)
            assert (answer.status, answer.headers["content-type"], answer.body) == (200, JSON, b"{}")
            (taken,) = await backend.until_spans(1)
            assert (taken.name, taken.span_id.hex()) == ("x", "b7ad6b7169203331")

    run(check())


def test_what_of_a_request_is_no_span_is_counted_in_the_answer() -> None:
    text = json.loads(AS_JSON)
    text["resourceSpans"][0]["scopeSpans"][0]["spans"] += [3, "span", None]
    text["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["kind"] = "no such kind"

    async def check() -> None:
        async with Backend().serving() as backend, running(settings(backend.destination())) as side:
            answer = await ask(side, json.dumps(text).encode(), content_type=JSON)
            said = json.loads(answer.body)["partialSuccess"]
            assert (answer.status, said["rejectedSpans"]) == (200, "2")
            assert said["errorMessage"].endswith("do not fit their fields: 1 values")

    run(check())


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "zstd", "identity", "members"])
def test_every_encoding_is_read(encoding: str) -> None:
    bodies = {
        "gzip": gzip.compress(BODY),
        "x-gzip": gzip.compress(BODY),
        "members": gzip.compress(BODY[:10]) + gzip.compress(BODY[10:]),
        "zstd": zstandard.compress(BODY),
        "identity": BODY,
    }

    async def check() -> None:
        async with Backend().serving() as backend, running(settings(backend.destination())) as side:
            header = "gzip" if encoding == "members" else encoding
            assert (await ask(side, bodies[encoding], content_encoding=header)).status == 200
            await backend.until_spans(1)
            assert backend("traces") == [BODY]

    run(check())


@pytest.mark.parametrize(
    ("status", "code", "changes"),
    [
        (400, 3, {"body": b"no request"}),
        (400, 3, {"body": b"no gzip", "content_encoding": "gzip"}),
        (413, 3, {"body": bytes(MIB + 1)}),
        (413, 3, {"body": gzip.compress(bytes(MIB + 1)), "content_encoding": "gzip"}),
        (415, 3, {"content_encoding": "br"}),
        (404, 12, {"path": "/v1/profiles"}),
        (405, 12, {"method": "PUT"}),
    ],
)
def test_a_refusal_is_a_status_in_the_media_type_of_the_request(
    status: int, code: int, changes: dict[str, Any]
) -> None:
    async def check() -> None:
        async with Backend().serving() as backend:
            made = settings(backend.destination(), receivers=receivers(max_body_bytes=MIB))
            async with running(made) as side:
                answer = await ask(side, **changes)
                assert (answer.status, answer.refusal.code) == (status, code)
                assert "retry-after" not in answer.headers
                in_json = await ask(side, **{"content_type": JSON, **changes})
                assert json.loads(in_json.body)["code"] == code
                assert in_json.headers["content-type"] == JSON

    run(check())


@pytest.mark.parametrize("content_type", ["text/plain", "", "application/grpc"])
def test_a_content_type_that_is_not_known_is_said(content_type: str) -> None:
    async def check() -> None:
        async with Backend().serving() as backend, running(settings(backend.destination())) as side:
            answer = await ask(side, content_type=content_type)
            assert answer.status == 415
            assert "use application/x-protobuf or application/json" in json.loads(answer.body)["message"]

    run(check())


def test_under_pressure_a_sender_is_told_when_to_come_again_and_nothing_taken_is_lost() -> None:
    """P5, the short form: what was answered with success arrives, all else was refused for now."""

    async def check() -> None:
        async with Backend().serving() as backend:
            backend.answers = [(503, b"", {})] * 10_000
            made = settings(backend.destination(), queue=QueueSettings(memory_bytes=MIB))
            async with running(made) as side:
                body = request(span(1, name="x" * 200_000))
                answers = [await ask(side, body) for _ in range(10)]
                taken = [answer for answer in answers if answer.status == 200]
                refused = [answer for answer in answers if answer.status == 503]
                assert 3 <= len(taken) <= 5
                assert len(taken) + len(refused) == 10
                assert refused[0].headers["retry-after"] == "5"
                info = RetryInfo()
                assert refused[0].refusal.code == 8
                assert refused[0].refusal.details[0].Unpack(info)
                assert info.retry_delay.seconds == 5
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await call(side, body)
                assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
                details = Status.FromString(dict(caught.value.trailing_metadata())["grpc-status-details-bin"])
                assert details.details[0].Is(RetryInfo.DESCRIPTOR)
                backend.answers.clear()
            assert len(await backend.until_spans(len(taken))) == len(taken)

    run(check())


def test_a_request_that_the_queue_never_has_room_for_is_refused_for_good() -> None:
    """Or its sender would come again with it for ever, and with nothing else."""

    async def check() -> None:
        async with Backend().serving() as backend:
            made = settings(backend.destination(), queue=QueueSettings(memory_bytes=MIB))
            async with running(made) as side:
                answer = await ask(side, request(span(1, name="x" * 2 * MIB)))
                assert (answer.status, answer.refusal.code) == (413, 3)
                assert "retry-after" not in answer.headers
                assert (await ask(side)).status == 200

    run(check())


def test_every_request_that_is_none_is_counted() -> None:
    async def check() -> None:
        async with Backend().serving() as backend, running(settings(backend.destination())) as side:
            await ask(side, b"no request")
            await ask(side, b"no JSON", content_type=JSON)
            await ask(side, b"no gzip", content_encoding="gzip")
            with pytest.raises(grpc.aio.AioRpcError):
                await call(side, b"no request")
            assert side.sidecar.intake.statistics().malformed == 4

    run(check())


def test_a_store_that_cannot_write_refuses_for_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """P14."""

    def broken(*_: object) -> list[int]:
        raise QueueBrokenError

    async def check() -> None:
        async with Backend().serving() as backend, running(settings(backend.destination())) as side:
            monkeypatch.setattr(side.sidecar.queue, "put", broken)
            answer = await ask(side)
            assert (answer.status, answer.refusal.code, answer.headers["retry-after"]) == (503, 14, "5")

    run(check())


def test_an_error_of_ours_is_a_refusal_for_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """P2: what was not taken stays with its sender."""

    def broken(*_: object) -> None:
        raise RuntimeError("a defect")

    async def check() -> None:
        async with Backend().serving() as backend, running(settings(backend.destination())) as side:
            monkeypatch.setattr(side.sidecar.holder.taker, "take", broken)
            assert (await ask(side)).status == 503
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await call(side)
            assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED

    run(check())


def test_a_sender_that_goes_away_in_the_middle_of_a_body_leaves_nothing() -> None:
    async def check() -> None:
        async with Backend().serving() as backend, running(settings(backend.destination())) as side:
            _, writer = await asyncio.open_connection("127.0.0.1", int(side.url.rpartition(":")[2]))
            head = f"POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: {PROTOBUF}\r\ncontent-length: 1000\r\n\r\n"
            writer.write(head.encode() + BODY)
            await writer.drain()
            writer.close()
            assert (await ask(side)).status == 200
            await backend.until_spans(1)
            assert side.sidecar.intake.statistics().requests["traces"] == 1

    run(check())


# -- gRPC


def test_a_request_over_grpc_is_answered_with_an_empty_message() -> None:
    async def check() -> None:
        async with Backend().serving() as backend, running(settings(backend.destination())) as side:
            assert await call(side) == b""
            assert await call(side, b"", signal="metrics") == b""
            assert await call(side, b"", signal="logs") == b""
            await backend.until(lambda: len(backend.requests) == 3)
            assert backend("traces") == [BODY]

    run(check())


def test_what_is_no_request_is_an_invalid_argument() -> None:
    async def check() -> None:
        async with Backend().serving() as backend, running(settings(backend.destination())) as side:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await call(side, b"no request")
            assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT

    run(check())


def test_a_bomb_over_grpc_is_stopped_at_the_limit() -> None:
    """P8."""

    async def check() -> None:
        async with Backend().serving() as backend:
            made = settings(backend.destination(), receivers=receivers(max_body_bytes=MIB))
            async with running(made) as side, grpc.aio.insecure_channel(side.grpc_target) as channel:
                export = channel.unary_unary(f"/{SERVICES['traces']}/Export")
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await export(bytes(8 * MIB), compression=grpc.Compression.Gzip)
                assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
                assert side.sidecar.intake.statistics().malformed == 0

    run(check())


def test_what_a_sender_sends_that_is_not_let_in_is_not_even_read() -> None:
    """Or whoever has no credentials could fill the memory: what is read is found too large here."""

    async def check() -> None:
        async with Backend().serving() as backend:
            auth = Auth(bearer=(Secret("right"),))
            made = settings(backend.destination(), receivers=receivers(max_body_bytes=MIB, auth=auth))
            async with running(made) as side:
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await call(side, bytes(8 * MIB), authorization="Bearer wrong")
                assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await call(side, bytes(8 * MIB), authorization="Bearer right")
                assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
                assert "grpc-status-details-bin" not in dict(caught.value.trailing_metadata() or ())

    run(check())


def test_a_call_that_nobody_knows_is_unimplemented() -> None:
    async def check() -> None:
        async with (
            Backend().serving() as backend,
            running(settings(backend.destination())) as side,
            grpc.aio.insecure_channel(side.grpc_target) as channel,
        ):
            for name in (f"/{SERVICES['traces']}/Import", "/opentelemetry.proto.collector.x.v1.X/Export"):
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await channel.unary_unary(name)(BODY, timeout=10)
                assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED

    run(check())


def test_a_call_without_a_message_is_an_invalid_argument(caplog: pytest.LogCaptureFixture) -> None:
    async def check() -> None:
        async with Backend().serving() as backend, running(settings(backend.destination())) as side:
            async with grpc.aio.insecure_channel(side.grpc_target) as channel:
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await channel.stream_unary(f"/{SERVICES['traces']}/Export")(iter(()), timeout=10)
                assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert await call(side) == b""

    run(check())
    assert not [record for record in caplog.records if record.name.startswith("grpc")]


# -- who is let in, and where


def credentials(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


@pytest.mark.parametrize(
    ("authorization", "let_in"),
    [
        ("Bearer right", True),
        ("bearer right", True),
        ("Bearer second", True),
        ("Bearer n\u00e4ive", True),
        (credentials("sender", "pass:word"), True),
        ("Bearer wrong", False),
        ("Bearer ", False),
        ("right", False),
        ("Basic right", False),
        (credentials("sender", "wrong"), False),
        (credentials("other", "pass:word"), False),
        ("", False),
    ],
)
def test_only_a_sender_with_credentials_is_let_in(authorization: str, *, let_in: bool) -> None:
    auth = Auth(
        bearer=(Secret("right"), Secret("second"), Secret("n\u00e4ive")),
        basic=(BasicUser(user="sender", password=Secret("pass:word")),),
    )

    async def check() -> None:
        async with (
            Backend().serving() as backend,
            running(settings(backend.destination(), receivers=receivers(auth=auth))) as side,
        ):
            answer = await ask(side, authorization=authorization)
            if let_in:
                assert answer.status == 200
                if authorization.isascii():
                    # no other text can be metadata of gRPC
                    assert await call(side, authorization=authorization) == b""
            else:
                assert (answer.status, answer.refusal.code) == (401, 16)
                assert answer.headers["www-authenticate"].startswith("Bearer")
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await call(side, authorization=authorization)
                assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED

    run(check())


@pytest.fixture(scope="module")
def ca() -> trustme.CA:
    return trustme.CA()


def pem(directory: Path, name: str, *blobs: trustme.Blob) -> Path:
    path = directory / name
    path.write_bytes(b"".join(blob.bytes() for blob in blobs))
    return path


@pytest.mark.parametrize("mutual", [False, True])
def test_a_sender_comes_in_over_tls(
    ca: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, mutual: bool
) -> None:
    # it would win over what the exporter is given
    monkeypatch.delenv("REQUESTS_CA_BUNDLE", raising=False)
    monkeypatch.delenv("CURL_CA_BUNDLE", raising=False)
    server, client = ca.issue_cert("localhost", "127.0.0.1"), ca.issue_cert("sender@example.org")
    root = pem(tmp_path, "ca.pem", ca.cert_pem)
    tls = ServerTls(
        cert_file=pem(tmp_path, "server.pem", *server.cert_chain_pems),
        key_file=pem(tmp_path, "server.key", server.private_key_pem),
        client_ca_file=root if mutual else None,
    )
    cert = pem(tmp_path, "client.pem", *client.cert_chain_pems)
    key = pem(tmp_path, "client.key", client.private_key_pem)
    kept = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(kept))
    provider.get_tracer("tests").start_span("over TLS").end()
    spans = kept.get_finished_spans()

    def send(side: Running, *, shows: bool) -> list[SpanExportResult]:
        session = requests.Session()
        session.cert = (str(cert), str(key)) if shows else None
        over_http = OTLPSpanExporter(
            endpoint=side.url.replace("http://127.0.0.1", "https://localhost") + "/v1/traces",
            certificate_file=str(root),
            session=session,
            timeout=5,
        )
        pair = (key.read_bytes(), cert.read_bytes()) if shows else (None, None)
        over_grpc = GrpcSpanExporter(
            endpoint=side.grpc_target.replace("127.0.0.1", "localhost"),
            credentials=grpc.ssl_channel_credentials(root.read_bytes(), *pair),
            timeout=2,
        )
        return [over_http.export(spans), over_grpc.export(spans)]

    async def check() -> None:
        async with (
            Backend().serving() as backend,
            running(settings(backend.destination(), receivers=receivers(tls=tls))) as side,
        ):
            assert await asyncio.to_thread(send, side, shows=True) == [SpanExportResult.SUCCESS] * 2
            if mutual:
                before = side.sidecar.intake.statistics().requests["traces"]
                with pytest.raises((aiohttp.ClientError, OSError)):
                    await ask_over_tls(side, root)
                assert side.sidecar.intake.statistics().requests["traces"] == before

    run(check())


async def ask_over_tls(side: Running, root: Path) -> None:
    context = ssl.create_default_context(cafile=root)
    url = side.url.replace("http://127.0.0.1", "https://localhost") + "/v1/traces"
    async with (
        aiohttp.ClientSession() as session,
        session.post(url, data=BODY, headers={"content-type": PROTOBUF}, ssl=context) as answer,
    ):
        await answer.read()


@pytest.mark.parametrize("endpoint", ["[::1]:0", "127.0.0.1:0", "localhost:0"])
def test_it_listens_on_both_families_of_addresses(endpoint: str) -> None:
    at = (Endpoint.parse(endpoint),)

    async def check() -> None:
        async with Backend().serving() as backend:
            made = settings(
                backend.destination(),
                receivers=Receivers(grpc=GrpcReceiver(endpoints=at), http=HttpReceiver(endpoints=at)),
            )
            async with running(made) as side:
                host = endpoint.rpartition(":")[0]
                port = side.sockets[0].getsockname()[1]
                async with (
                    aiohttp.ClientSession() as session,
                    session.post(
                        f"http://{host}:{port}/v1/traces", data=BODY, headers={"content-type": PROTOBUF}
                    ) as answer,
                ):
                    assert answer.status == 200
                async with grpc.aio.insecure_channel(f"{host}:{side.sidecar.grpc[0].ports[0]}") as channel:
                    assert await channel.unary_unary(f"/{SERVICES['traces']}/Export")(BODY, timeout=10) == b""

    run(check())


def test_it_listens_on_unix_sockets_and_takes_the_place_of_one_that_was_left_behind(tmp_path: Path) -> None:
    http = HttpReceiver(endpoints=(Endpoint.parse(f"unix://{tmp_path}/http"),))
    over_grpc = GrpcReceiver(endpoints=(Endpoint.parse(f"unix://{tmp_path}/grpc"),))

    async def once(backend: Backend) -> None:
        async with running(settings(backend.destination(), receivers=Receivers(grpc=over_grpc, http=http))):
            connector = aiohttp.UnixConnector(str(tmp_path / "http"))
            async with (
                aiohttp.ClientSession(connector=connector) as session,
                session.post("http://x/v1/traces", data=BODY, headers={"content-type": PROTOBUF}) as answer,
            ):
                assert answer.status == 200
            async with grpc.aio.insecure_channel(f"unix://{tmp_path}/grpc") as channel:
                assert await channel.unary_unary(f"/{SERVICES['traces']}/Export")(BODY, timeout=10) == b""

    async def check() -> None:
        async with Backend().serving() as backend:
            await once(backend)
            await once(backend)

    run(check())


@pytest.mark.parametrize("protocol", ["grpc", "http"])
def test_a_socket_that_another_sidecar_listens_on_stays_with_it(tmp_path: Path, protocol: str) -> None:
    at = (Endpoint.parse(f"unix://{tmp_path}/otlp"),)
    over_grpc = GrpcReceiver(endpoints=at if protocol == "grpc" else ())
    over_http = HttpReceiver(endpoints=at if protocol == "http" else ())

    async def check() -> None:
        async with Backend().serving() as backend:
            made = settings(backend.destination(), receivers=Receivers(grpc=over_grpc, http=over_http))
            async with running(made):
                with pytest.raises(OSError, match=f"cannot listen on unix://{tmp_path}/otlp"):
                    assemble(made)
                _, writer = await asyncio.open_unix_connection(tmp_path / "otlp")
                writer.close()

    run(check())


def test_an_address_that_is_taken_is_named() -> None:
    async def check() -> None:
        async with Backend().serving() as backend:
            taken = Endpoint.parse(f"127.0.0.1:{backend.port}")
            made = settings(
                backend.destination(),
                receivers=Receivers(grpc=GrpcReceiver(endpoints=()), http=HttpReceiver(endpoints=(taken,))),
            )
            with pytest.raises(OSError, match=f"cannot listen on 127.0.0.1:{backend.port}"):
                async with running(made):
                    pass

    run(check())


@pytest.mark.parametrize("attributes", [100_000, pytest.param(1_000_000, marks=pytest.mark.soak)])
def test_a_huge_span_passes(attributes: int) -> None:
    """P8: an event's name of 11 MB, and very many attributes."""
    one = tool(2, 1)
    one.events.add(name="x" * 11 * MIB)
    for number in range(attributes):
        one.attributes.add(key=f"key {number}").value.int_value = number

    async def check() -> None:
        async with Backend().serving() as backend, running(settings(backend.destination())) as side:
            assert (await ask(side, request(one, agent(1)))).status == 200
            sent = await backend.until_spans(2)
            assert one in sent

    run(check(), seconds=300)
