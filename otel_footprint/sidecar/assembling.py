"""From settings to a sidecar: sockets opened, certificates read, parts put together."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import grpc

from otel_footprint._errors import ConfigError
from otel_footprint.config import Config
from otel_footprint.sidecar.access import Access
from otel_footprint.sidecar.grpc_client import GrpcTransport
from otel_footprint.sidecar.grpc_server import GrpcReceiver
from otel_footprint.sidecar.holding import Caps, TurnHolder
from otel_footprint.sidecar.http_client import HttpTransport
from otel_footprint.sidecar.http_server import HttpReceiver
from otel_footprint.sidecar.intake import Intake
from otel_footprint.sidecar.listening import HttpServer, listen
from otel_footprint.sidecar.metrics import exposition
from otel_footprint.sidecar.outcomes import Transport
from otel_footprint.sidecar.pages import PROMETHEUS, Page, Pages, health, readiness, status
from otel_footprint.sidecar.queue import SIGNALS, Queue, QueueError, Signal, open_queue
from otel_footprint.sidecar.reporting import Reporter
from otel_footprint.sidecar.running import Sidecar
from otel_footprint.sidecar.sending import Sender
from otel_footprint.sidecar.settings import (
    LOG_WRITERS,
    Auth,
    ClientTls,
    Destination,
    Receiver,
    ServerTls,
    SidecarSettings,
)

BODY_SECONDS: Final = 60.0
"""How long a request's body may take to come."""
_WAITING_BODIES: Final = 2
"""Requests of the largest size that may be in memory before they are whole."""


def assemble(settings: SidecarSettings) -> Sidecar:
    """A sidecar that listens and has not started.

    Raises:
        ConfigError: settings that do not go together, or a certificate that cannot be used.
        OSError: an address cannot be listened on, or the queue cannot note its destinations.
    """
    senders = [sender_of(destination) for destination in settings.destinations]
    queue = open_queue(
        settings.queue.directory,
        max_bytes=settings.queue.max_bytes,
        memory_bytes=settings.queue.memory_bytes,
        fsync=settings.queue.fsync,
    )
    try:
        _owe(queue, settings)
    except OSError:
        queue.close()
        raise
    holder = TurnHolder(queue, config_of(settings), caps=caps_of(settings))
    intake = Intake(holder.taker, holder.log_taker, queue)
    intake.wanted = settings.signals
    sidecar = Sidecar(queue=queue, holder=holder, intake=intake, drain_seconds=settings.drain_seconds)
    sidecar.send_with([make(queue) for make in senders])
    try:
        _listen(settings, sidecar)
    except BaseException:
        for _, sockets in sidecar.http:
            for listening in sockets:
                listening.close()
        queue.close()
        raise
    return sidecar


def apply(settings: SidecarSettings, sidecar: Sidecar, before: SidecarSettings) -> None:
    """Let new settings hold for a sidecar that runs, as far as they can; what needs a restart is as before.

    Raises:
        ConfigError: settings that do not go together, or a certificate that cannot be used; then nothing changes.
        OSError: a certificate cannot be read, or the queue cannot note its destinations; then nothing changes.
    """
    same = {
        destination.name
        for destination in settings.destinations
        # a certificate may have been renewed in its place
        if destination in before.destinations and not destination.tls.names_files
    }
    made = [sender_of(destination) for destination in settings.destinations if destination.name not in same]
    _owe(sidecar.queue, settings)
    sidecar.intake.wanted = settings.signals
    sidecar.holder.configure(config_of(settings), caps_of(settings))
    for receiver in sidecar.http_receivers:
        receiver.access = access_of(settings.receivers.http.auth)
    for grpc_receiver in sidecar.grpc:
        grpc_receiver.access = access_of(settings.receivers.grpc.auth)
    kept = [sender for sender in sidecar.senders if sender.name in same]
    sidecar.drain_seconds = settings.drain_seconds
    sidecar.send_with([*kept, *(make(sidecar.queue) for make in made)])


def _owe(queue: Queue, settings: SidecarSettings) -> None:
    try:
        queue.owe_to(owed(settings))
    except (QueueError, ValueError) as error:
        raise OSError(str(error)) from None


def owed(settings: SidecarSettings) -> Mapping[Signal, Sequence[str]]:
    """Which destinations take which signal."""
    return {
        signal: [destination.name for destination in settings.destinations if signal in destination.signals]
        for signal in SIGNALS
    }


def config_of(settings: SidecarSettings) -> Config:
    """How turns are explained: without log records where no destination takes any."""
    config = settings.footprint
    if "logs" in settings.signals:
        return config
    return replace(config, writers=tuple(writer for writer in config.writers if writer not in LOG_WRITERS))


def caps_of(settings: SidecarSettings) -> Caps:
    """How much may be held."""
    return Caps(all=settings.hold.max_bytes, per_trace=settings.hold.max_bytes_per_trace)


def access_of(auth: Auth) -> Access:
    """Who may send."""
    return Access(
        bearer=[token.reveal() for token in auth.bearer],
        basic={user.user: user.password.reveal() for user in auth.basic},
    )


def sender_of(destination: Destination) -> Callable[[Any], Sender]:
    """What makes the sender of a destination, given the queue.

    Raises:
        ConfigError: its settings do not go together, or a certificate cannot be used.
    """
    headers = {name: value.reveal() for name, value in destination.headers.items()}
    transport = _grpc(destination, headers) if destination.protocol == "grpc" else _http(destination, headers)
    return lambda queue: Sender(
        destination.name,
        queue,
        transport,
        signals=destination.signals,
        max_bytes=destination.max_request_bytes,
        retry=destination.retry,
    )


def _http(destination: Destination, headers: Mapping[str, str]) -> Transport:
    return HttpTransport(
        {signal: destination.url(signal) for signal in destination.signals},
        encoding="json" if destination.protocol == "http/json" else "protobuf",
        headers=headers,
        compression="gzip" if destination.compression == "auto" else destination.compression,
        timeout_seconds=destination.timeout_seconds,
        tls=_client_context(destination),
        server_name=destination.tls.server_name,
    )


def _grpc(destination: Destination, headers: Mapping[str, str]) -> Transport:
    if destination.compression == "zstd":
        raise ConfigError(f"destination {destination.name}: gRPC knows no zstd: give compression: gzip or none")
    scheme, _, rest = destination.endpoint.partition("://")
    target = destination.endpoint if scheme == "unix" else rest.partition("/")[0]
    return GrpcTransport(
        target,
        credentials=_channel_credentials(destination) if scheme == "https" else None,
        headers=headers,
        gzip=destination.compression == "gzip",
        timeout_seconds=destination.timeout_seconds,
        server_name=destination.tls.server_name,
        reconnect_seconds=destination.retry.max_seconds,
    )


def _client_context(destination: Destination) -> ssl.SSLContext | None:
    tls = destination.tls
    if tls == ClientTls(server_name=tls.server_name):
        return None
    try:
        context = ssl.create_default_context(cafile=tls.ca_file)
        if tls.cert_file is not None:
            context.load_cert_chain(tls.cert_file, tls.key_file)
    except OSError as error:
        raise ConfigError(f"destination {destination.name}: its certificates cannot be used: {error}") from None
    if tls.insecure_skip_verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _channel_credentials(destination: Destination) -> Any:
    tls = destination.tls
    if tls.insecure_skip_verify:
        raise ConfigError(
            f"destination {destination.name}: gRPC cannot skip the check of a certificate: give tls.ca_file, or HTTP"
        )
    # gRPC takes any bytes, and then says that nobody is there
    _client_context(destination)
    ca, key, cert = (None if path is None else path.read_bytes() for path in (tls.ca_file, tls.key_file, tls.cert_file))
    return grpc.ssl_channel_credentials(ca, key, cert)


def _listen(settings: SidecarSettings, sidecar: Sidecar) -> None:
    http, over_grpc, telemetry = settings.receivers.http, settings.receivers.grpc, settings.telemetry
    grace = settings.drain_seconds / 2
    if http.endpoints:
        receiver = HttpReceiver(
            sidecar.intake,
            access=access_of(http.auth),
            max_bytes=http.max_body_bytes,
            max_waiting_bytes=_WAITING_BODIES * http.max_body_bytes,
            body_seconds=BODY_SECONDS,
        )
        server = HttpServer(receiver, tls=_server_context(http), grace_seconds=grace)
        sidecar.http_receivers.append(receiver)
        sidecar.http.append((server, [listen(endpoint) for endpoint in http.endpoints]))
    if over_grpc.endpoints:
        grpc_receiver = GrpcReceiver(
            sidecar.intake, access=access_of(over_grpc.auth), max_bytes=over_grpc.max_body_bytes
        )
        for endpoint in over_grpc.endpoints:
            grpc_receiver.bind(endpoint, _server_credentials(over_grpc.tls))
        sidecar.grpc.append(grpc_receiver)
    if telemetry.otlp:
        sidecar.reporter = Reporter(
            sidecar.statistics,
            sidecar.queue,
            interval_seconds=telemetry.otlp_interval_seconds,
            wanted=lambda: "metrics" in sidecar.intake.wanted,
        )
    if telemetry.endpoint is not None:
        server = HttpServer(pages_of(sidecar), tls=None, grace_seconds=grace)
        sidecar.http.append((server, [listen(telemetry.endpoint)]))


def pages_of(sidecar: Sidecar) -> Pages:
    """What is shown of a sidecar."""

    def ready() -> Page:
        return readiness(ready=sidecar.ready)

    def statusz() -> Page:
        return status(sidecar.statistics())

    def metrics() -> Page:
        return Page(200, PROMETHEUS, exposition(sidecar.statistics).decode())

    return Pages({"/healthz": health, "/readyz": ready, "/statusz": statusz, "/metrics": metrics})


def _server_context(receiver: Receiver) -> ssl.SSLContext | None:
    tls = receiver.tls
    if tls is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(tls.cert_file, tls.key_file)
        if tls.client_ca_file is not None:
            context.load_verify_locations(tls.client_ca_file)
            context.verify_mode = ssl.CERT_REQUIRED
    except OSError as error:
        raise ConfigError(f"receivers.http.tls: its certificates cannot be used: {error}") from None
    return context


def _server_credentials(tls: ServerTls | None) -> Any:
    if tls is None:
        return None
    pair = (tls.key_file.read_bytes(), tls.cert_file.read_bytes())
    ca = tls.client_ca_file.read_bytes() if tls.client_ca_file is not None else None
    return grpc.ssl_server_credentials([pair], root_certificates=ca, require_client_auth=ca is not None)
