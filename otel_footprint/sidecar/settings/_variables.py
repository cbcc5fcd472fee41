"""The destination that the usual ``OTEL_EXPORTER_OTLP_*`` variables name, read as OpenTelemetry's specification says.

They are read only if the file names no destination. The timeout is in milliseconds. A variable for one signal wins
over the general one. Signals that all go the same way become one destination, ``otlp``; others become one each
(``otlp-traces``, …).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, get_args
from urllib.parse import unquote

from otel_footprint.sidecar.queue import SIGNALS, Signal
from otel_footprint.sidecar.settings._model import ClientTls, Compression, Destination, Protocol
from otel_footprint.sidecar.settings._problems import Problem
from otel_footprint.sidecar.settings._values import Secret, choice, parse_boolean

PREFIX: Final = "OTEL_EXPORTER_OTLP_"
NAMES: Final = (
    "ENDPOINT",
    "PROTOCOL",
    "HEADERS",
    "COMPRESSION",
    "TIMEOUT",
    "CERTIFICATE",
    "CLIENT_CERTIFICATE",
    "CLIENT_KEY",
    "INSECURE",
)
"""What follows the prefix, or the prefix and a signal, in each variable that is read."""


def destinations(environ: Mapping[str, str]) -> tuple[tuple[Destination, ...], tuple[Problem, ...]]:
    """What the variables say; no destination if they name no endpoint."""
    problems: list[Problem] = []
    made: dict[Signal, Destination] = {}
    for signal in SIGNALS:
        destination = _Variables(environ, signal, problems).destination()
        if destination is not None:
            made[signal] = destination
    if len(set(made)) == len(SIGNALS) and len({_way(destination) for destination in made.values()}) == 1:
        return (replace(made["traces"], name="otlp", signals=SIGNALS),), tuple(dict.fromkeys(problems))
    return tuple(made.values()), tuple(dict.fromkeys(problems))


def _way(destination: Destination) -> tuple[Any, ...]:
    """All but what differs between signals that go the same way."""
    return (
        destination.endpoint,
        destination.traces_endpoint or destination.metrics_endpoint or destination.logs_endpoint,
        destination.protocol,
        tuple(destination.headers.items()),
        destination.tls,
        destination.compression,
        destination.timeout_seconds,
    )


class _Variables:
    """The variables as they are for one signal."""

    def __init__(self, environ: Mapping[str, str], signal: Signal, problems: list[Problem]) -> None:
        self._environ = environ
        self._signal = signal
        self._problems = problems
        self._failed = False

    def destination(self) -> Destination | None:
        variable, endpoint = self._find("ENDPOINT")
        if not endpoint:
            return None
        protocol: Protocol = self._read("PROTOCOL", "http/protobuf", choice(get_args(Protocol)))
        if "://" not in endpoint:
            insecure = self._read("INSECURE", None, parse_boolean)
            endpoint = f"{'http' if insecure else 'https'}://{endpoint}"
        own: dict[str, Any] = {}
        if protocol != "grpc" and variable != f"{PREFIX}ENDPOINT":
            # the specification: the one of a signal is used as it is, without a path of ours
            own = {f"{self._signal}_endpoint": endpoint}
        made: dict[str, Any] = {
            "headers": self._read("HEADERS", MappingProxyType({}), _headers),
            "compression": self._read("COMPRESSION", "none", choice(get_args(Compression))),
            "timeout_seconds": self._read("TIMEOUT", 10.0, _milliseconds),
            "tls": ClientTls(
                ca_file=self._read("CERTIFICATE", None, Path),
                cert_file=self._read("CLIENT_CERTIFICATE", None, Path),
                key_file=self._read("CLIENT_KEY", None, Path),
            ),
        }
        if self._failed:
            return None
        return Destination(
            name=f"otlp-{self._signal}", endpoint=endpoint, protocol=protocol, signals=(self._signal,), **own, **made
        )

    def _find(self, name: str) -> tuple[str, str]:
        for variable in (f"{PREFIX}{self._signal.upper()}_{name}", PREFIX + name):
            text = self._environ.get(variable, "").strip()
            if text:
                return variable, text
        return PREFIX + name, ""

    def _read(self, name: str, default: Any, parse: Callable[[str], Any]) -> Any:
        variable, text = self._find(name)
        if not text:
            return default
        try:
            return parse(text)
        except ValueError as error:
            self._failed = True
            # its value may be a secret
            self._problems.append(
                Problem(source=variable, line=None, key="", message="its value cannot be read", fix=str(error))
            )
            return default


def _headers(text: str) -> Mapping[str, Secret]:
    headers: dict[str, Secret] = {}
    for part in filter(str.strip, text.split(",")):
        name, equals, value = part.partition("=")
        if not equals or not name.strip():
            raise ValueError("give NAME=VALUE pairs with commas between them, percent-encoded where needed")
        headers[unquote(name.strip()).lower()] = Secret(unquote(value.strip()))
    return MappingProxyType(headers)


def _milliseconds(text: str) -> float:
    try:
        seconds = float(text) / 1000
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < math.inf:
        raise ValueError("give a number of milliseconds above 0")
    return seconds
