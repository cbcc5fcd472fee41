"""The instrumentor ``footprint``, which ``opentelemetry-instrument`` and a configuration file call.

Called without options, as ``opentelemetry-instrument`` does, it shows the application's log records to the exporter
that is already there, and does nothing where there is none: that a package is installed must change no span.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar

from opentelemetry import _logs, trace
from opentelemetry.instrumentation.instrumentor import BaseInstrumentor  # type: ignore[attr-defined] # it has no types
from opentelemetry.sdk.trace import TracerProvider

from otel_footprint.config import Config
from otel_footprint.sdk.entry import otlp_exporter, otlp_log_exporter, package_of
from otel_footprint.sdk.exporter import live_exporters
from otel_footprint.sdk.logs import FootprintLogRecordProcessor
from otel_footprint.sdk.processor import FootprintSpanProcessor


@dataclass(frozen=True, slots=True, kw_only=True)
class FootprintConfiguration:
    """The options of the instrumentor, under ``instrumentation/development`` → ``python`` → ``footprint``."""

    traces: bool | None = None
    """Add a :class:`FootprintSpanProcessor` that exports by OTLP, to the tracer provider there is, else to a new one
    of the resource that the variables give. Then no other exporter may send the same spans."""
    logs: bool | None = None
    """Show the application's log records to what explains; on unless set to false."""
    protocol: str | None = None
    """``grpc`` or ``http/protobuf``; by default what the ``OTEL_EXPORTER_OTLP_*`` variables say."""
    endpoint: str | None = None
    """Where spans go; by default what the variables say."""
    logs_endpoint: str | None = None
    """Where log records of our own go; by default what the variables say."""
    config: str | None = None
    """The path of a TOML file of settings; by default what ``FOOTPRINT_CONFIG`` names."""


class FootprintInstrumentor(BaseInstrumentor):  # type: ignore[misc] # it has no types
    """Puts footprint into the providers that the application has."""

    configuration: ClassVar = FootprintConfiguration
    """What a configuration file's options are checked against."""

    _added: FootprintSpanProcessor | None = None

    def instrumentation_dependencies(self) -> Collection[str]:
        """None: it reads spans of any library."""
        return ()

    def _instrument(self, **options: Any) -> None:
        known = FootprintConfiguration.__dataclass_fields__
        chosen = FootprintConfiguration(**{name: value for name, value in options.items() if name in known})
        if chosen.traces:
            self._add_processor(chosen)
        if chosen.logs is not False:
            _show_logs()

    def _uninstrument(self, **options: Any) -> None:
        """A provider lets no processor go, so the one that was added is shut down."""
        del options
        if self._added is not None:
            self._added.shutdown()
            self._added = None

    def _add_processor(self, chosen: FootprintConfiguration) -> None:
        config, package = Config.load(chosen.config), package_of(chosen.protocol)
        arguments = {} if chosen.endpoint is None else {"endpoint": chosen.endpoint}
        self._added = FootprintSpanProcessor(
            otlp_exporter(package, arguments),
            config,
            log_exporter=otlp_log_exporter(package, config, chosen.logs_endpoint),
        )
        provider: Any = trace.get_tracer_provider()
        if not hasattr(provider, "add_span_processor"):
            # a configuration file cannot have one without an exporter
            provider = TracerProvider()
            trace.set_tracer_provider(provider)
        provider.add_span_processor(self._added)


def _show_logs() -> None:
    """Show the log records of the application's provider to each exporter of ours; no provider has none to show."""
    add = getattr(_logs.get_logger_provider(), "add_log_record_processor", None)
    if add is not None:
        for exporter in live_exporters():
            add(FootprintLogRecordProcessor(exporter))
