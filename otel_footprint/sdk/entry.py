"""The entry point ``footprint``: ``OTEL_TRACES_EXPORTER=footprint``, or an exporter of a configuration file; no code.

The wrapped exporter is the OTLP exporter that ``OTEL_TRACES_EXPORTER=otlp`` would have chosen; the
settings are those of ``FOOTPRINT_CONFIG`` and the other ``FOOTPRINT_*`` variables.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from typing import Any, Final

from opentelemetry.sdk.trace.export import SpanExporter

from otel_footprint._errors import ConfigError
from otel_footprint.config import Config
from otel_footprint.sdk.exporter import FootprintSpanExporter
from otel_footprint.sdk.own_logs import SendsLogs

PROTOCOL_VARIABLES: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
"""The first that is set decides."""

_PACKAGES: Final = {
    "grpc": "opentelemetry.exporter.otlp.proto.grpc",
    "http/protobuf": "opentelemetry.exporter.otlp.proto.http",
}


class FootprintTracesExporter(FootprintSpanExporter):
    """What the entry point makes.

    Args:
        protocol: ``grpc`` or ``http/protobuf``; by default what the ``OTEL_EXPORTER_OTLP_*`` variables say.
        settings: as a TOML file has them; the ``FOOTPRINT_*`` variables win over them. By default those of the file
            that ``FOOTPRINT_CONFIG`` names.
        logs_endpoint: where log records of our own go; by default what the variables say.
        exporter_args: for the wrapped OTLP exporter.

    Raises:
        ConfigError: the protocol or a setting is wrong.
    """

    def __init__(
        self,
        *,
        protocol: str | None = None,
        settings: Mapping[str, Any] | None = None,
        logs_endpoint: str | None = None,
        **exporter_args: Any,
    ) -> None:
        config = load_config(settings)
        package = package_of(protocol)
        super().__init__(
            otlp_exporter(package, exporter_args),
            config,
            log_exporter=otlp_log_exporter(package, config, logs_endpoint),
        )


def load_config(settings: Mapping[str, Any] | None) -> Config:
    """The settings that are given, else those of ``FOOTPRINT_CONFIG``; the other variables win over both.

    Raises:
        ConfigError: one of them is wrong.
    """
    if settings is None:
        return Config.load()
    return Config.from_table(settings, source="the configuration of footprint", environ=os.environ)


def otlp_exporter(package: str, arguments: Mapping[str, Any]) -> SpanExporter:
    """The OTLP exporter for spans of a package."""
    exporter: type[SpanExporter] = importlib.import_module(f"{package}.trace_exporter").OTLPSpanExporter
    return exporter(**arguments)


def otlp_log_exporter(package: str, config: Config, endpoint: str | None) -> SendsLogs | None:
    """The OTLP exporter for log records of a package; ``None`` when the settings ask for none."""
    if not {"logs", "evaluation"} & set(config.writers):
        return None
    exporter: type[Any] = importlib.import_module(f"{package}._log_exporter").OTLPLogExporter
    made: SendsLogs = exporter(**({} if endpoint is None else {"endpoint": endpoint}))
    return made


def package_of(protocol: str | None) -> str:
    """The package of the OTLP exporters of a protocol, by default of the one that the variables name.

    Raises:
        ConfigError: there is no such protocol.
    """
    name = "protocol"
    if protocol is None:
        name, protocol = next(
            ((variable, value) for variable in PROTOCOL_VARIABLES if (value := os.environ.get(variable, "").strip())),
            (PROTOCOL_VARIABLES[1], "grpc"),
        )
    if protocol not in _PACKAGES:
        raise ConfigError(f"{name} is {protocol!r}: set it to {' or '.join(_PACKAGES)}")
    return _PACKAGES[protocol]
