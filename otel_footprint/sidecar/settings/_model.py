"""What a person can set. The file has the same keys; ``docs/sidecar-configuration.md`` is made from this page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

from otel_footprint.config import Config
from otel_footprint.sidecar.queue import SIGNALS, Fsync, Signal
from otel_footprint.sidecar.settings._values import Bytes, Endpoint, Header, Seconds, Secret

Protocol = Literal["grpc", "http/protobuf", "http/json"]
Compression = Literal["none", "gzip", "zstd"]
CompressionChoice = Literal["auto", "none", "gzip", "zstd"]

_MIB: Final = 1 << 20
_PATHS: Final[Mapping[Signal, str]] = {"traces": "/v1/traces", "metrics": "/v1/metrics", "logs": "/v1/logs"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerTls:
    """TLS of a receiver."""

    cert_file: Path
    """PEM file with the server's certificate and those between it and the root."""
    key_file: Path
    """PEM file with the certificate's private key."""
    client_ca_file: Path | None = None
    """PEM file with the roots of the senders' certificates. With it, a sender must show one (mutual TLS)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BasicUser:
    """A sender that shows a name and a password."""

    user: str
    """The name."""
    password: Secret
    """The password."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Auth:
    """What a sender must show; any one of these is enough. With none of them, nothing."""

    bearer: tuple[Secret, ...] = ()
    """Tokens of which one must come as `authorization: Bearer TOKEN`."""
    basic: tuple[BasicUser, ...] = ()
    """Users of which one must come as `authorization: Basic …`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver:
    """How requests come in by one protocol."""

    endpoints: tuple[Endpoint, ...]
    """Where it listens: `HOST:PORT`, `[IPv6]:PORT` or `unix:///PATH`, one or a list. An empty list turns it off."""
    tls: ServerTls | None = None
    """Without it, plain text."""
    auth: Auth = field(default_factory=Auth)
    """What a sender must show."""
    max_body_bytes: Bytes = 64 * _MIB
    """A request that is larger after decompression is refused, and never decompressed further than that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrpcReceiver(Receiver):
    """How requests come in by gRPC."""

    endpoints: tuple[Endpoint, ...] = (Endpoint(kind="tcp", host="127.0.0.1", port=4317),)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReceiver(Receiver):
    """How requests come in by HTTP."""

    endpoints: tuple[Endpoint, ...] = (Endpoint(kind="tcp", host="127.0.0.1", port=4318),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receivers:
    """How requests come in."""

    grpc: GrpcReceiver = field(default_factory=GrpcReceiver)
    """OTLP over gRPC."""
    http: HttpReceiver = field(default_factory=HttpReceiver)
    """OTLP over HTTP, protobuf and JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """How turns' spans wait for late children before they are explained."""

    seconds: Seconds = 2.0
    """How long, from when the turn's span came. 0 explains it at once."""
    max_bytes: Bytes = 64 * _MIB
    """All held spans together; beyond it the oldest is explained as incomplete."""
    max_bytes_per_trace: Bytes = 8 * _MIB
    """The held spans of one trace; beyond it its oldest is explained as incomplete."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueSettings:
    """Where acknowledged requests wait until the backends took them."""

    directory: Path | None = None
    """For this sidecar alone; made if it is not there. Without it the queue is in memory: what was acknowledged is lost
    with the process."""
    max_bytes: Bytes = 1024 * _MIB
    """The file's size at the most. Senders get a retryable refusal while it is full."""
    memory_bytes: Bytes = 64 * _MIB
    """The same for a queue in memory, which is used too if the directory cannot be."""
    fsync: Fsync = "never"
    """`never`: what was acknowledged outlives the process, a kill included, but not a power loss. `always`: it outlives
    both, for the time that the disk takes to write; requests that wait together share it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientTls:
    """TLS towards a destination whose endpoint begins with `https://`."""

    ca_file: Path | None = None
    """PEM file with the roots to trust. Without it, those of the system."""
    cert_file: Path | None = None
    """PEM file with a certificate to show (mutual TLS). Needs `key_file`."""
    key_file: Path | None = None
    """PEM file with its private key."""
    server_name: str | None = None
    """The name to expect in the server's certificate, if it is not the endpoint's."""
    insecure_skip_verify: bool = False
    """Take any certificate. For a test alone."""

    @property
    def names_files(self) -> bool:
        """Whether any of it stands in a file."""
        return any((self.ca_file, self.cert_file, self.key_file))


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """How a request that a destination could not take is sent again."""

    initial_seconds: Seconds = 1.0
    """The wait before the second try; it doubles with each, give or take chance. A wait that the server asks for is
    kept instead."""
    max_seconds: Seconds = 30.0
    """The longest wait."""
    give_up_seconds: Seconds | None = None
    """A request that could not be delivered for so long is dropped and counted. Without it, never."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """A backend or a Collector."""

    name: str
    """What it is called in logs and metrics, and by which the queue knows its progress. Unique."""
    endpoint: str
    """`http://HOST:PORT`, or `https://` for TLS; for gRPC also `unix:///PATH`. For HTTP the signal's path
    (`/v1/traces`, …) is added to it."""
    protocol: Protocol = "grpc"
    """How it is spoken to."""
    signals: tuple[Signal, ...] = SIGNALS
    """Which of `traces`, `metrics` and `logs` it gets."""
    traces_endpoint: str | None = None
    """For HTTP: the whole URL for traces, instead of one made from `endpoint`."""
    metrics_endpoint: str | None = None
    """The same for metrics."""
    logs_endpoint: str | None = None
    """The same for logs."""
    headers: Mapping[str, Header] = field(default_factory=lambda: MappingProxyType({}))
    """Sent with each request. A credential must be written as `${env:NAME}` or `${file:PATH}`."""
    tls: ClientTls = field(default_factory=ClientTls)
    """For an endpoint with `https://`."""
    compression: CompressionChoice = "auto"
    """Of the requests sent. `auto` is `gzip` over HTTP and `none` over gRPC, whose own compression costs more than all
    the rest of sending does."""
    timeout_seconds: Seconds = 10.0
    """For one try."""
    max_request_bytes: Bytes = 4 * _MIB
    """A request that is larger before compression is split. 4 MiB is what a gRPC server takes by default."""
    retry: Retry = field(default_factory=Retry)
    """What happens when it could not take a request."""

    def url(self, signal: Signal) -> str:
        """Where a request of this signal is sent over HTTP."""
        own = {"traces": self.traces_endpoint, "metrics": self.metrics_endpoint, "logs": self.logs_endpoint}[signal]
        return own or self.endpoint.rstrip("/") + _PATHS[signal]


@dataclass(frozen=True, slots=True, kw_only=True)
class Telemetry:
    """What the sidecar says of itself."""

    endpoint: Endpoint | None = Endpoint(kind="tcp", host="127.0.0.1", port=9464)  # noqa: RUF009 - it is frozen
    """Where `/metrics`, `/healthz`, `/readyz` and `/statusz` are served; `null` turns them off. There is no
    authentication: keep it off public networks."""
    otlp: bool = False
    """Send its metrics to the destinations that get metrics."""
    otlp_interval_seconds: Seconds = 60.0
    """How often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SidecarSettings:
    """Everything a person can set about the sidecar."""

    receivers: Receivers = field(default_factory=Receivers)
    """How requests come in."""
    hold: Hold = field(default_factory=Hold)
    """How long turns wait for late children."""
    queue: QueueSettings = field(default_factory=QueueSettings)
    """Where acknowledged requests wait."""
    destinations: tuple[Destination, ...] = ()
    """Where requests go; each gets all of its signals. Without any, the `OTEL_EXPORTER_OTLP_*` variables say it."""
    footprint: Config = field(default_factory=lambda: Config(hold_seconds=2.0))
    """How turns are explained: the keys of the TOML file, except `hold_seconds`, which is `hold.seconds` here. The
    `FOOTPRINT_*` variables win over them."""
    telemetry: Telemetry = field(default_factory=Telemetry)
    """What the sidecar says of itself."""
    drain_seconds: Seconds = 20.0
    """After SIGTERM: how long it goes on sending what it has. What is left stays in the queue's directory."""

    @property
    def signals(self) -> frozenset[Signal]:
        """The signals that some destination takes; what else came would lie in the queue for ever."""
        return frozenset(signal for destination in self.destinations for signal in destination.signals)
