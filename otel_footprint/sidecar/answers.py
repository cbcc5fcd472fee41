"""What a sender is told of a request that was taken: OTLP's answers, with what of it goes no further."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from otel_footprint.sidecar.json_in import Losses
from otel_footprint.sidecar.queue import Signal

_RESPONSES: Final[Mapping[Signal, Any]] = {
    "traces": ExportTraceServiceResponse,
    "metrics": ExportMetricsServiceResponse,
    "logs": ExportLogsServiceResponse,
}
_REJECTED: Final[Mapping[Signal, str]] = {
    "traces": "rejected_spans",
    "metrics": "rejected_data_points",
    "logs": "rejected_log_records",
}


def taken(signal: Signal, losses: Losses, unsent: int) -> Any:
    """The signal's response, with a partial success where something of the request goes no further.

    Args:
        signal: what was exported.
        losses: what had no place in protobuf.
        unsent: log records that no destination takes.
    """
    response = _RESPONSES[signal]()
    said: list[str] = []
    if losses.items or losses.values:
        said.append(
            f"left out since they are no objects: {losses.items} items; "
            f"left out or mended since they do not fit their fields: {losses.values} values"
        )
    if unsent:
        said.append(
            f"no destination takes logs: {unsent} records were read for what they tell of agents' turns, and not kept"
        )
    if said:
        setattr(response.partial_success, _REJECTED[signal], losses.items + unsent)
        response.partial_success.error_message = "; ".join(said)
    return response
