"""The entry point ``footprint``: ``OTEL_TRACES_EXPORTER=footprint`` and no code.

The wrapped exporter is the OTLP exporter that ``OTEL_TRACES_EXPORTER=otlp`` would have chosen; the
settings are those of ``FOOTPRINT_CONFIG`` and the other ``FOOTPRINT_*`` variables.
"""

from __future__ import annotations

import importlib
import os
from typing import Any, Final

from opentelemetry.sdk.trace.export import SpanExporter

from otel_footprint._errors import ConfigError
from otel_footprint.config import Config
from otel_footprint.sdk.exporter import FootprintSpanExporter

PROTOCOL_VARIABLES: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
"""The first that is set decides."""

_MODULES: Final = {
    "grpc": "opentelemetry.exporter.otlp.proto.grpc.trace_exporter",
    "http/protobuf": "opentelemetry.exporter.otlp.proto.http.trace_exporter",
}


class FootprintTracesExporter(FootprintSpanExporter):
    """What the entry point makes; its arguments go to the wrapped OTLP exporter.

    Raises:
        ConfigError: the protocol or a ``FOOTPRINT_*`` setting is wrong.
    """

    def __init__(self, **exporter_args: Any) -> None:
        super().__init__(_otlp_exporter(exporter_args), Config.load())


def _otlp_exporter(arguments: dict[str, Any]) -> SpanExporter:
    variable, protocol = next(
        ((name, value) for name in PROTOCOL_VARIABLES if (value := os.environ.get(name, "").strip())),
        (PROTOCOL_VARIABLES[1], "grpc"),
    )
    if protocol not in _MODULES:
        raise ConfigError(f"{variable} is {protocol!r}: set it to {' or '.join(_MODULES)}")
    exporter: type[SpanExporter] = importlib.import_module(_MODULES[protocol]).OTLPSpanExporter
    return exporter(**arguments)
