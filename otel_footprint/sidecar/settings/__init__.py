"""The sidecar's settings: one YAML file, and the environment."""

from __future__ import annotations

from otel_footprint.sidecar.settings._checks import LOG_WRITERS
from otel_footprint.sidecar.settings._loading import NEEDS_RESTART, Reloaded, check, load, reload
from otel_footprint.sidecar.settings._model import (
    Auth,
    BasicUser,
    ClientTls,
    Compression,
    Destination,
    GrpcReceiver,
    Hold,
    HttpReceiver,
    Protocol,
    QueueSettings,
    Receiver,
    Receivers,
    Retry,
    ServerTls,
    SidecarSettings,
    Telemetry,
)
from otel_footprint.sidecar.settings._problems import Problem, SettingsError
from otel_footprint.sidecar.settings._values import Endpoint, Secret

__all__ = [
    "LOG_WRITERS",
    "NEEDS_RESTART",
    "Auth",
    "BasicUser",
    "ClientTls",
    "Compression",
    "Destination",
    "Endpoint",
    "GrpcReceiver",
    "Hold",
    "HttpReceiver",
    "Problem",
    "Protocol",
    "QueueSettings",
    "Receiver",
    "Receivers",
    "Reloaded",
    "Retry",
    "Secret",
    "ServerTls",
    "SettingsError",
    "SidecarSettings",
    "Telemetry",
    "check",
    "load",
    "reload",
]
