"""The sidecar as a whole: real exporters of the SDK in, a real backend out."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import ssl
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import grpc
import pytest
import trustme
from aiohttp import web
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as GrpcLogExporter
from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter as GrpcMetricExporter
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcSpanExporter
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.sdk._logs import Logger, LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from otlp import agent, event_names, recorded_logs, request, span, spans_of, tool
from sidecars import ANYWHERE, Backend, Running, run, running, settings

from otel_footprint.config import Config
from otel_footprint.sidecar.assembling import apply, assemble
from otel_footprint.sidecar.grpc_server import SERVICES
from otel_footprint.sidecar.metrics import unlisted
from otel_footprint.sidecar.queue import LmdbQueue, QueueBrokenError, Signal
from otel_footprint.sidecar.requests import count_items
from otel_footprint.sidecar.settings import (
    Auth,
    ClientTls,
    GrpcReceiver,
    HttpReceiver,
    Protocol,
    QueueSettings,
    Receivers,
    Retry,
    Secret,
    Telemetry,
)

PROTOCOLS: list[Protocol] = ["http/protobuf", "grpc", "http/json"]


def an_agent_works(exporter: SpanExporter) -> None:
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracer = provider.get_tracer("tests")
    with tracer.start_as_current_span("GET /ask"):
        turn = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "planner"}
        call = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}
        with (
            tracer.start_as_current_span("invoke_agent planner", attributes=turn),
            tracer.start_as_current_span("execute_tool search", attributes=call),
        ):
            pass
    provider.shutdown()


def span_exporter(side: Running, protocol: str) -> SpanExporter:
    if protocol == "grpc":
        return GrpcSpanExporter(endpoint=side.grpc_target, insecure=True)
    return OTLPSpanExporter(endpoint=f"{side.url}/v1/traces")


@pytest.mark.parametrize("protocol_in", ["http", "grpc"])
@pytest.mark.parametrize("protocol_out", PROTOCOLS)
def test_an_agents_spans_come_out_with_their_turn_explained(protocol_in: str, protocol_out: Protocol) -> None:
    async def check() -> None:
        async with Backend().serving() as backend, running(settings(backend.destination(protocol_out))) as side:
            await asyncio.to_thread(an_agent_works, span_exporter(side, protocol_in))
            if protocol_out == "http/json":
                await backend.until(lambda: sum(map(len, map(json_spans, backend("traces")))) == 3)
                names = [one["name"] for body in backend("traces") for one in json_spans(body) if "events" in one]
            else:
                spans = await backend.until_spans(3)
                names = [one.name for one in spans if "footprint.account" in event_names(one)]
            assert names == ["invoke_agent planner"]

    run(check())


def json_spans(body: bytes) -> list[dict[str, Any]]:
    return [
        one for group in json.loads(body)["resourceSpans"] for scope in group["scopeSpans"] for one in scope["spans"]
    ]


@pytest.mark.skipif(
    "body" not in inspect.signature(Logger.emit).parameters, reason="the SDK's logs had another interface then"
)
@pytest.mark.parametrize("protocol", ["http/protobuf", "grpc"])
def test_metrics_and_logs_pass_as_they_came(protocol: Protocol) -> None:
    def work(side: Running) -> None:
        grpc = protocol == "grpc"
        target, url = side.grpc_target, side.url
        metrics = GrpcMetricExporter(target, insecure=True) if grpc else OTLPMetricExporter(f"{url}/v1/metrics")
        meters = MeterProvider([PeriodicExportingMetricReader(metrics)], shutdown_on_exit=False)
        meters.get_meter("tests").create_counter("asked").add(3)
        meters.shutdown()
        logs = GrpcLogExporter(target, insecure=True) if grpc else OTLPLogExporter(f"{url}/v1/logs")
        loggers = LoggerProvider(shutdown_on_exit=False)
        loggers.add_log_record_processor(SimpleLogRecordProcessor(logs))
        loggers.get_logger("tests").emit(body="it works")
        loggers.shutdown()

    async def check() -> None:
        async with Backend().serving() as backend, running(settings(backend.destination(protocol))) as side:
            await asyncio.to_thread(work, side)
            await backend.until(lambda: bool(backend("metrics") and backend("logs")))
            metrics = ExportMetricsServiceRequest.FromString(backend("metrics")[0])
            assert metrics.resource_metrics[0].scope_metrics[0].metrics[0].name == "asked"
            logs = ExportLogsServiceRequest.FromString(backend("logs")[0])
            assert logs.resource_logs[0].scope_logs[0].log_records[0].body.string_value == "it works"

    run(check())


def test_untouched_requests_are_sent_as_the_bytes_that_came() -> None:
    body = request(span(1)) + b"\xfa\x7f\x03new"

    async def check() -> None:
        async with Backend().serving() as backend, running(settings(backend.destination())) as side:
            await post(side, body)
            await backend.until_spans(1)
            assert backend("traces") == [body]

    run(check())


async def post(side: Running, body: bytes, path: str = "/v1/traces") -> int:
    headers = {"content-type": "application/x-protobuf"}
    async with aiohttp.ClientSession() as session, session.post(side.url + path, data=body, headers=headers) as answer:
        return answer.status


class NoLogs(Backend):
    """A backend that has never heard of logs."""

    async def _post(self, request: web.Request) -> web.Response:
        return web.Response(status=404) if request.path == "/v1/logs" else await super()._post(request)

    def _handler(self, signal: Signal) -> Any:
        return super()._handler("traces" if signal == "logs" else signal)


def test_no_destination_costs_another_anything(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """One is away, one busy, one refuses all, two take no logs; a restart sends each what it lacks and no more."""

    async def check() -> None:
        async with (
            Backend().serving() as good,
            Backend().serving() as busy,
            Backend().serving() as refusing,
            NoLogs().serving() as half,
        ):
            busy.answers = [(503, b"", {})] * 10_000
            refusing.answers = [(401, b"who are you", {})] * 10_000
            quick = Retry(initial_seconds=0.01, max_seconds=0.05)
            made = settings(
                good.destination(name="good"),
                busy.destination(name="busy", retry=quick),
                refusing.destination(name="refusing"),
                half.destination(name="half"),
                half.destination("grpc", name="half-grpc"),
                Backend().destination(name="away", endpoint="http://127.0.0.1:1", retry=quick),
                queue=QueueSettings(directory=tmp_path),
                drain_seconds=0.3,
            )
            logs = ExportLogsServiceRequest()
            logs.resource_logs.add().scope_logs.add().log_records.add().body.string_value = "a word"
            async with running(made) as side:
                await post(side, request(span(1)))
                await post(side, logs.SerializeToString(), "/v1/logs")
                await good.until(lambda: bool(good("traces") and good("logs")))
                await half.until(lambda: len(half("traces")) == 2)
            now = side.sidecar.statistics()
            counts = {name: (one.items, one.refused) for name, one in now.destinations.items()}
            assert counts == {
                "good": (2, 0),
                "busy": (0, 0),
                "refusing": (0, 2),
                "half": (1, 1),
                "half-grpc": (1, 1),
                "away": (0, 0),
            }
            assert now.queue.entries == {"traces": 1, "metrics": 0, "logs": 1}
            said = [line for line in caplog.messages if "refused for good" in line]
            assert len(said) == 4
            assert all(words in str(said) for words in ("refusing: 1 items of traces", "half-grpc: 1 items of logs"))
            busy.answers = []
            again = [one for one in made.destinations if one.name != "away"]
            async with running(replace(made, destinations=tuple(again), drain_seconds=5.0)) as side:
                await busy.until(lambda: bool(busy("traces") and busy("logs")))
            assert side.sidecar.statistics().queue.entries == {"traces": 0, "metrics": 0, "logs": 0}
            assert [len(one("traces")) for one in (good, busy, half, refusing)] == [1, 1, 2, 0]

    with caplog.at_level(logging.WARNING, "otel_footprint.sidecar"):
        run(check())


def test_what_no_destination_takes_never_fills_the_queue() -> None:
    """Spans would find no room for what lies there for ever. Logs are read all the same: turns are told of in them."""

    async def check() -> None:
        async with Backend().serving() as backend:
            made = settings(
                backend.destination(signals=("traces",)),
                telemetry=Telemetry(endpoint=ANYWHERE, otlp=True, otlp_interval_seconds=0.01),
                footprint=Config(hold_seconds=0.0, writers=("events", "logs", "evaluation")),
            )
            async with running(made) as side:
                assert await post(side, b"", "/v1/metrics") == 404
                (logs,) = recorded_logs("codex")
                url, headers = f"{side.url}/v1/logs", {"content-type": "application/x-protobuf"}
                async with (
                    aiohttp.ClientSession() as session,
                    session.post(url, data=logs, headers=headers) as over_http,
                ):
                    assert over_http.status == 200
                    answers = [await over_http.read()]
                async with grpc.aio.insecure_channel(side.grpc_target) as channel:
                    with pytest.raises(grpc.aio.AioRpcError, match="no destination takes metrics") as refused:
                        await channel.unary_unary(f"/{SERVICES['metrics']}/Export")(b"")
                    answers.append(await channel.unary_unary(f"/{SERVICES['logs']}/Export")(logs))
                assert refused.value.code() == grpc.StatusCode.UNIMPLEMENTED
                for answer in answers:
                    told = ExportLogsServiceResponse.FromString(answer).partial_success
                    assert told.rejected_log_records == count_items(logs)
                    assert "no destination takes logs" in told.error_message
                await post(side, request(tool(2, 1), agent(1)))
                await backend.until(lambda: b"footprint.account" in b"".join(backend("traces")))
                now = side.sidecar.statistics()
                assert now.holding.assembler.logs.taken  # what came before the turn is read before it
                assert now.intake.unwanted == 4
                assert (now.queue.entries["metrics"], now.queue.entries["logs"]) == (0, 0)
                apply(replace(made, destinations=(backend.destination(),)), side.sidecar, made)
                assert await post(side, b"", "/v1/logs") == 200
                await backend.until(lambda: bool(backend("logs") and backend("metrics")))

    run(check())


def test_every_destination_gets_its_signals_at_its_own_pace() -> None:
    async def check() -> None:
        async with Backend().serving() as slow, Backend().serving() as fast:
            slow.answers = [(503, b"", {})] * 1_000
            made = settings(
                slow.destination(name="slow"), fast.destination("grpc", name="fast", signals=("traces", "logs"))
            )
            async with running(made) as side:
                await post(side, request(span(1)))
                await post(side, b"", "/v1/metrics")
                await fast.until_spans(1)
                assert slow("traces") == fast("metrics") == []
                slow.answers.clear()
            assert len(slow("traces")) == len(slow("metrics")) == 1

    run(check())


def test_the_end_sends_what_is_there_and_leaves_no_task_behind() -> None:
    async def check() -> None:
        async with Backend().serving() as backend:
            held = settings(backend.destination(), footprint=_held_for_long())
            before = asyncio.all_tasks()
            async with running(held) as side:
                await post(side, request(tool(2, 1), agent(1)))
                await backend.until_spans(1)
            assert sorted(len(one.events) > 0 for one in spans_of(*backend("traces"))) == [False, True]
            assert {task for task in asyncio.all_tasks() - before if not _is_of_backend(task)} == set()

    run(check())


def _is_of_backend(task: asyncio.Task[Any]) -> bool:
    return "web_protocol" in repr(task) or "aio/server" in repr(task) or "grpc" in repr(task.get_coro())


def _held_for_long() -> Config:
    return Config(hold_seconds=60.0)


def test_the_end_keeps_its_time_with_a_backend_that_answers_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """P12."""

    async def check() -> None:
        async with Backend().serving() as backend:
            backend.answers = [(503, b"", {})] * 1_000
            loop = asyncio.get_running_loop()
            async with running(settings(backend.destination(), drain_seconds=0.5)) as side:
                await post(side, request(span(1)))
                begin = loop.time()
            assert loop.time() - begin < 5

    with caplog.at_level(logging.WARNING, "otel_footprint.sidecar"):
        run(check())
    assert "1 items were not sent; they are lost" in caplog.text


def test_what_a_directory_holds_is_sent_by_the_next_run(tmp_path: Path) -> None:
    async def check() -> None:
        async with Backend().serving() as backend:
            made = settings(backend.destination(), queue=QueueSettings(directory=tmp_path), drain_seconds=0.2)
            backend.answers = [(503, b"", {})] * 1_000
            async with running(made) as side:
                await post(side, request(span(1)))
            backend.answers.clear()
            async with running(made):
                await backend.until_spans(1)
            assert len(backend("traces")) == 1

    run(check())


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("/healthz", 200, "ok"),
        ("/readyz", 200, "ready"),
        ("/statusz", 200, "<h2>destinations · backend</h2>"),
        ("/metrics", 200, 'footprint_destinations_failing{destination="backend"} 0.0'),
        ("/other", 404, "/healthz, /readyz, /statusz, /metrics"),
    ],
)
def test_a_person_and_a_cluster_can_ask_how_it_is(path: str, status: int, says: str) -> None:
    async def check() -> None:
        async with (
            Backend().serving() as backend,
            running(settings(backend.destination())) as side,
            aiohttp.ClientSession() as session,
            session.get(side.pages + path) as answer,
        ):
            assert answer.status == status
            assert says in await answer.text()

    run(check())


def test_every_number_of_its_statistics_is_a_metric() -> None:
    async def check() -> None:
        async with Backend().serving() as backend, running(settings(backend.destination())) as side:
            await post(side, request(tool(2, 1), agent(1)))
            await backend.until_spans(2)
            assert unlisted(side.sidecar.statistics()) == []
        said = side.sidecar.statistics().fold
        assert (sum(said.duration.counts), said.checks != {}) == (1, True)

    run(check())


def test_its_own_metrics_go_the_way_of_all_metrics() -> None:
    async def check() -> None:
        async with Backend().serving() as backend:
            telemetry = Telemetry(endpoint=None, otlp=True, otlp_interval_seconds=0.01)
            async with running(settings(backend.destination(), telemetry=telemetry)):
                await backend.until(lambda: bool(backend("metrics")))
            names = {
                metric.name
                for group in ExportMetricsServiceRequest.FromString(backend("metrics")[0]).resource_metrics
                for scope in group.scope_metrics
                for metric in scope.metrics
            }
            assert "footprint.holding.held" in names

    run(check())


def test_changed_settings_hold_for_a_sidecar_that_runs() -> None:
    async def check() -> None:
        async with Backend().serving() as first, Backend().serving() as second:
            before = settings(first.destination(name="first"), footprint=_held_for_long())
            auth = Auth(bearer=(Secret("right"),))
            after = settings(
                second.destination(name="second"),
                receivers=Receivers(grpc=GrpcReceiver(endpoints=(ANYWHERE,), auth=auth), http=HttpReceiver(auth=auth)),
            )
            async with running(before) as side:
                await post(side, request(tool(2, 1), agent(1)))
                await first.until_spans(1)
                apply(after, side.sidecar, before)
                await second.until(lambda: b"footprint.account" in b"".join(second("traces")))
                assert await post(side, request(span(3))) == 401
                assert [sender.name for sender in side.sidecar.senders] == ["second"]

    run(check())


def test_settings_that_the_queue_cannot_note_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise QueueBrokenError("no room to note them")

    async def check() -> None:
        async with Backend().serving() as first, Backend().serving() as second:
            before = settings(first.destination(name="first"), queue=QueueSettings(directory=tmp_path))
            after = replace(before, destinations=(second.destination(name="second"),))
            async with running(before) as side:
                with monkeypatch.context() as patched:
                    patched.setattr(LmdbQueue, "owe_to", fails)
                    with pytest.raises(OSError, match="no room to note them"):
                        apply(after, side.sidecar, before)
                await post(side, request(span(1)))
                await first.until_spans(1)
            monkeypatch.setattr(LmdbQueue, "owe_to", fails)
            with pytest.raises(OSError, match="no room to note them"):
                assemble(after)
            monkeypatch.undo()
            async with running(after) as side:
                assert side.sidecar.queue.statistics().store == "lmdb"

    run(check())


def test_a_certificate_that_was_renewed_in_its_place_is_read_again(tmp_path: Path) -> None:
    ca, other = trustme.CA(), trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    ca.issue_cert("127.0.0.1").configure_cert(context)
    trusted = tmp_path / "ca.pem"
    other.cert_pem.write_to_path(str(trusted))

    async def check() -> None:
        async with Backend().serving(tls=context) as backend:
            destination = backend.destination(
                endpoint=f"https://127.0.0.1:{backend.port}",
                tls=ClientTls(ca_file=trusted),
                retry=Retry(initial_seconds=0.01, max_seconds=0.1),
            )
            made = settings(destination)
            async with running(made) as side:
                await post(side, request(span(1)))
                while not side.sidecar.statistics().destinations["backend"].failing:  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.01)
                ca.cert_pem.write_to_path(str(trusted))
                apply(made, side.sidecar, made)
                await backend.until_spans(1)

    run(check(), seconds=20)


def test_a_sidecar_that_ends_is_not_ready() -> None:
    async def check() -> None:
        async with Backend().serving() as backend, running(settings(backend.destination())) as side:
            assert side.sidecar.ready
            side.sidecar.stopping.set()
            assert not side.sidecar.ready

    run(check())


def test_statistics_count_what_came_and_what_went() -> None:
    async def check() -> None:
        async with Backend().serving() as backend:
            async with running(settings(backend.destination())) as side:
                await post(side, request(tool(2, 1), agent(1)))
                await post(side, b"no request")
                await backend.until_spans(2)
            now = side.sidecar.statistics()
            assert (now.intake.items["traces"], now.intake.malformed) == (2, 1)
            assert (now.holding.explained, now.destinations["backend"].items) == (1, 2)

    run(check())
