"""What no value shows alone: settings that do not go together."""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from otel_footprint.sidecar.queue import MAX_DESTINATIONS, SIGNALS
from otel_footprint.sidecar.queue._lmdb import MIN_BYTES
from otel_footprint.sidecar.settings._model import Destination, Receiver, SidecarSettings
from otel_footprint.sidecar.settings._values import Endpoint

Found = tuple[str, str, str]
"""Key, what is wrong, how to set it right."""

LOG_WRITERS: Final = frozenset({"logs", "evaluation"})
"""Writers whose work is sent as log records."""
_HEADER_NAME: Final = re.compile(r"[0-9A-Za-z!#$%&'*+.^_`|~-]+")
_HEADER_VALUE: Final = re.compile(r"[ -~]*")
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def errors(settings: SidecarSettings) -> Iterator[Found]:
    """What keeps the sidecar from doing its work."""
    yield from _receivers(settings)
    yield from _destinations(settings)
    if settings.queue.max_bytes < MIN_BYTES:
        yield "queue.max_bytes", "a file of this size holds nothing", f"give at least {MIN_BYTES}"
    if settings.telemetry.otlp and not settings.telemetry.otlp_interval_seconds:
        yield "telemetry.otlp_interval_seconds", "it would do nothing else", "give more than 0"
    if settings.hold.max_bytes_per_trace > settings.hold.max_bytes:
        yield "hold.max_bytes_per_trace", "it is more than all traces may have", "give less than hold.max_bytes"


def warnings(settings: SidecarSettings) -> Iterator[Found]:
    """What it can do without, but its user should know."""
    if settings.queue.directory is None:
        yield (
            "queue",
            "it has no directory, so what was acknowledged is lost with the process",
            "give queue.directory if that matters",
        )
    for signal in SIGNALS:
        if settings.destinations and signal not in settings.signals:
            so = "they are read for turns and not sent on" if signal == "logs" else f"senders of {signal} are refused"
            yield "destinations", f"none of them takes {signal}: {so}", f"add {signal} to one, or send it none"
    if settings.telemetry.otlp and "metrics" not in settings.signals:
        yield "telemetry.otlp", "no destination takes metrics", "add metrics to one, or leave it out"
    if LOG_WRITERS.intersection(settings.footprint.writers) and "logs" not in settings.signals:
        yield "footprint.writers", "log records are to be written, and no destination takes them", "add logs to one"
    for name, receiver in _each_receiver(settings):
        open_ = [str(e) for e in receiver.endpoints if e.kind == "tcp" and e.host not in _LOOPBACK]
        if open_ and receiver.tls is None and (receiver.auth.bearer or receiver.auth.basic):
            yield f"receivers.{name}", "credentials are sent to it in plain text", f"give receivers.{name}.tls"


def _each_receiver(settings: SidecarSettings) -> tuple[tuple[str, Receiver], ...]:
    return (("grpc", settings.receivers.grpc), ("http", settings.receivers.http))


def _receivers(settings: SidecarSettings) -> Iterator[Found]:
    seen: dict[Endpoint, str] = {}
    for name, receiver in _each_receiver(settings):
        key = f"receivers.{name}"
        for endpoint in receiver.endpoints:
            if endpoint in seen and endpoint.port != 0:
                yield f"{key}.endpoints", f"{endpoint} is that of {seen[endpoint]} too", "give each its own"
            seen.setdefault(endpoint, key)
        if receiver.tls is not None:
            for field in ("cert_file", "key_file", "client_ca_file"):
                yield from _usable(f"{key}.tls.{field}", getattr(receiver.tls, field))
            yield from _pair(f"{key}.tls", receiver.tls.cert_file, receiver.tls.key_file)
    if not any(receiver.endpoints for _, receiver in _each_receiver(settings)):
        yield "receivers", "nothing is listened to", "give receivers.grpc.endpoints or receivers.http.endpoints"
    telemetry = settings.telemetry.endpoint
    if telemetry is not None and telemetry in seen and telemetry.port != 0:
        yield "telemetry.endpoint", f"{telemetry} is that of {seen[telemetry]} too", "give each its own"


def _destinations(settings: SidecarSettings) -> Iterator[Found]:
    if not settings.destinations:
        yield "destinations", "there is none", "give one, or set OTEL_EXPORTER_OTLP_ENDPOINT"
    if len(settings.destinations) > MAX_DESTINATIONS:
        yield "destinations", f"there are more than {MAX_DESTINATIONS}", "leave some to a Collector behind this"
    names: set[str] = set()
    for at, destination in enumerate(settings.destinations):
        key = f"destinations[{at}]"
        if destination.name in names:
            yield f"{key}.name", f"{destination.name!r} is the name of two", "give each its own"
        names.add(destination.name)
        if not destination.signals:
            yield f"{key}.signals", "it takes nothing", f"give some of {', '.join(SIGNALS)}, or leave it out"
        for field, value in (
            ("timeout_seconds", destination.timeout_seconds),
            ("retry.initial_seconds", destination.retry.initial_seconds),
            ("retry.max_seconds", destination.retry.max_seconds),
        ):
            if not value:
                yield f"{key}.{field}", "0 is no time", "give more than 0"
        yield from _headers(key, destination)
        yield from _endpoint(key, destination, settings)
        yield from _client_tls(key, destination)
        if destination.protocol == "grpc" and destination.compression == "zstd":
            yield f"{key}.compression", "gRPC knows no zstd", "give gzip or none"


def _headers(key: str, destination: Destination) -> Iterator[Found]:
    """Headers that cannot be sent: each request would fail for ever. A value is not quoted, it may be a secret."""
    for name, value in destination.headers.items():
        if not _HEADER_NAME.fullmatch(name):
            yield f"{key}.headers", f"{name!r} is no name of a header", "give letters, digits and dashes"
        elif destination.protocol == "grpc" and name.lower().endswith("-bin"):
            yield f"{key}.headers.{name}", "gRPC takes bytes for it alone", "give a name that does not end in -bin"
        elif not _HEADER_VALUE.fullmatch(value.reveal()):
            yield (
                f"{key}.headers.{name}",
                "its value holds a line's end or another character that no header can",
                "give one line of ASCII",
            )


def _endpoint(key: str, destination: Destination, settings: SidecarSettings) -> Iterator[Found]:
    grpc = destination.protocol == "grpc"
    for field in ("endpoint", *(f"{signal}_endpoint" for signal in SIGNALS)):
        text = getattr(destination, field)
        if text is None:
            continue
        if grpc and field != "endpoint":
            yield f"{key}.{field}", "it is for HTTP alone", f"leave it out, or give {key}.protocol http/protobuf"
            continue
        host, port, wrong = _split(text)
        if grpc and text.startswith("unix:///"):
            continue
        if wrong:
            yield f"{key}.{field}", wrong, "give http://HOST:PORT or https://HOST:PORT"
        elif _is_own(host, port, settings):
            yield f"{key}.{field}", "this is where the sidecar listens itself", "give the backend's address"


def _split(text: str) -> tuple[str, int | None, str]:
    """Host, port, and what is wrong if it is no URL for us. It is not quoted: a URL can hold a password."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
        # as it is looked up; one that has no such form cannot be
        host.encode("idna")
    except ValueError:
        return "", None, "it is no URL"
    if parts.scheme not in {"http", "https"} or not host:
        return host, port, "it does not begin with http:// or https:// and a host"
    if parts.username is not None or parts.password is not None:
        return host, port, "a name or password stands in it, which headers are for"
    return host, port, ""


def _is_own(host: str, port: int | None, settings: SidecarSettings) -> bool:
    own = [endpoint for _, receiver in _each_receiver(settings) for endpoint in receiver.endpoints]
    same = (endpoint for endpoint in own if endpoint.kind == "tcp" and endpoint.port == port)
    anywhere = {"0.0.0.0", "::"}  # noqa: S104 - compared, not bound to
    return any(e.host == host or ({e.host, host} <= _LOOPBACK | anywhere and host in _LOOPBACK) for e in same)


def _client_tls(key: str, destination: Destination) -> Iterator[Found]:
    tls = destination.tls
    if destination.protocol == "grpc" and tls.insecure_skip_verify:
        yield f"{key}.tls.insecure_skip_verify", "gRPC cannot skip it", f"give {key}.tls.ca_file, or HTTP"
    if (tls.cert_file is None) != (tls.key_file is None):
        there, missing = ("cert_file", "key_file") if tls.cert_file else ("key_file", "cert_file")
        yield f"{key}.tls.{there}", f"it stands there without {missing}", f"give {key}.tls.{missing} too"
    for field in ("ca_file", "cert_file", "key_file"):
        yield from _usable(f"{key}.tls.{field}", getattr(tls, field))
    yield from _pair(f"{key}.tls", tls.cert_file, tls.key_file)


def _usable(key: str, path: Path | None) -> Iterator[Found]:
    """A file that is not there, or roots that are none. A certificate is looked at with its key."""
    yield from _readable(key, path)
    if path is not None and key.endswith("ca_file") and not _is_unreadable(path):
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_verify_locations(path)
        except OSError:
            yield key, f"{path} holds no certificate", "name a PEM file with the roots to trust"


def _pair(key: str, cert: Path | None, private: Path | None) -> Iterator[Found]:
    if cert is None or private is None or _is_unreadable(cert) or _is_unreadable(private):
        return
    try:
        # nobody is there to be asked for a password
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, private, password=lambda: b"")
    except (OSError, ValueError):
        yield (
            f"{key}.cert_file",
            f"{cert} and {private} are no certificate and its key",
            "name PEM files that belong together, the key without a password",
        )


def _readable(key: str, path: Path | None) -> Iterator[Found]:
    if path is not None and _is_unreadable(path):
        yield key, f"{path} is no file that can be read", "name a PEM file that the sidecar may read"


def _is_unreadable(path: Path) -> bool:
    return not (path.is_file() and os.access(path, os.R_OK))
