"""Reading Langfuse's exports: a trace with its observations, and lists of observations.

An observation becomes a span with the attributes that Langfuse's own SDKs set. Where Langfuse received the span from
another instrumentation, the attributes it kept of it are the span's too, and so are its resource and scope. Scores, and
what Langfuse says of its own storing and pricing, are no part of a span and are passed over.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from otel_footprint.files.otlp_values import (
    SPAN_ID_BYTES,
    TRACE_ID_BYTES,
    attributes,
    hex_of,
    json_text,
    mapping,
    objects,
    present,
    text,
    time_ns,
)
from otel_footprint.files.translation import Shape, Translation, first_object, records

_TYPES: Final = frozenset(
    {
        "AGENT",
        "CHAIN",
        "EMBEDDING",
        "EVALUATOR",
        "EVENT",
        "GENERATION",
        "GUARDRAIL",
        "RETRIEVER",
        "SPAN",
        "TOOL",
    }
)
_TEXTS: Final[Mapping[str, str]] = {
    "langfuse.observation.input": "input",
    "langfuse.observation.output": "output",
    "langfuse.observation.level": "level",
    "langfuse.observation.status_message": "statusMessage",
    "langfuse.observation.model.name": "model",
    "langfuse.observation.model.parameters": "modelParameters",
    "langfuse.observation.usage_details": "usageDetails",
    "langfuse.observation.cost_details": "costDetails",
    "langfuse.observation.completion_start_time": "completionStartTime",
    "langfuse.observation.prompt.name": "promptName",
    "langfuse.observation.prompt.version": "promptVersion",
    "langfuse.environment": "environment",
    "langfuse.version": "version",
}
"""Attributes by the field of an observation that they come from. What is no text is JSON in them."""
_OF_TRACE: Final[Mapping[str, str]] = {
    "langfuse.trace.name": "name",
    "session.id": "sessionId",
    "user.id": "userId",
}
"""Attributes by the field of the trace that they come from; each span of it has them."""
_OF_ROOT: Final[Mapping[str, str]] = {
    "langfuse.trace.input": "input",
    "langfuse.trace.output": "output",
    "langfuse.trace.tags": "tags",
    "langfuse.trace.metadata": "metadata",
    "langfuse.trace.public": "public",
    "langfuse.release": "release",
}
"""The same, for what only an observation without a parent gets."""
_FROM_OTEL: Final = ("attributes", "resourceAttributes", "scope")
"""What Langfuse keeps of an OpenTelemetry span in the metadata of an observation."""
_ERROR: Final = "ERROR"


def _matches(value: Any) -> bool:
    return bool(_traces(value)) or _is_observation(first_object(records(value)))


def _traces(value: Any) -> list[Mapping[str, Any]]:
    """The traces that hold their observations."""
    return [record for record in objects(list(records(value))) if _is_trace(record)]


def _is_trace(record: Mapping[str, Any]) -> bool:
    has_trace = isinstance(record.get("trace"), dict) or "id" in record
    return has_trace and isinstance(record.get("observations"), list)


def _is_observation(record: Mapping[str, Any]) -> bool:
    kind = record.get("type")
    is_known = isinstance(kind, str) and kind.upper() in _TYPES
    return is_known and "id" in record and "traceId" in record and "startTime" in record


def _translate(value: Any) -> Translation:
    made = Translation()
    for trace, observation in _observations(value, made):
        metadata = _parsed(observation.get("metadata"))
        scope = mapping(metadata.get("scope"))
        made.add(
            _span(trace, observation, metadata),
            resource=attributes(mapping(metadata.get("resourceAttributes"))),
            scope=present(
                [
                    ("name", text(scope.get("name"))),
                    ("version", text(scope.get("version"))),
                    ("attributes", attributes(mapping(scope.get("attributes")))),
                ]
            ),
        )
    return made


def _observations(value: Any, made: Translation) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Each observation with its trace, as far as the export tells of it."""
    for record in records(value):
        if not isinstance(record, dict):
            made.passed_over += 1
        elif _is_trace(record):
            trace = record["trace"] if isinstance(record.get("trace"), dict) else record
            found = objects(record["observations"])
            made.passed_over += len(record["observations"]) - len(found)
            yield from ((trace, observation) for observation in found)
        else:
            yield {}, record


def _span(trace: Mapping[str, Any], observation: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any]:
    failed = observation.get("level") == _ERROR
    trace_id = observation.get("traceId", trace.get("id"))
    return present(
        [
            ("traceId", _id(trace_id, TRACE_ID_BYTES)),
            ("spanId", _id(observation.get("id"), SPAN_ID_BYTES)),
            ("parentSpanId", _id(observation.get("parentObservationId"), SPAN_ID_BYTES)),
            ("name", text(observation.get("name"))),
            ("startTimeUnixNano", time_ns(observation.get("startTime"))),
            ("endTimeUnixNano", time_ns(observation.get("endTime"))),
            ("attributes", attributes(_attributes(trace, observation, metadata))),
            ("status", {"code": 2, "message": text(observation.get("statusMessage")) or ""} if failed else None),
        ]
    )


def _attributes(
    trace: Mapping[str, Any], observation: Mapping[str, Any], metadata: Mapping[str, Any]
) -> dict[str, Any]:
    kind = observation.get("type")
    own = {
        "langfuse.observation.type": kind.lower() if isinstance(kind, str) else None,
        **{key: observation.get(field) for key, field in _TEXTS.items()},
        "langfuse.observation.metadata": {key: metadata[key] for key in metadata if key not in _FROM_OTEL},
        **{key: trace.get(field) for key, field in _OF_TRACE.items()},
        **{key: trace.get(field) for key, field in _OF_ROOT.items() if not observation.get("parentObservationId")},
    }
    kept = {key: _as_sent(value) for key, value in mapping(metadata.get("attributes")).items()}
    return kept | {key: json_text(value) for key, value in present(own.items()).items() if key not in kept}


def _as_sent(value: Any) -> Any:
    """An attribute as it was before Langfuse parsed it: what holds objects or lists was JSON text."""
    is_tree = isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(item, dict | list) for item in value)
    )
    return json_text(value) if is_tree else value


def _parsed(metadata: Any) -> Mapping[str, Any]:
    """The metadata, which some exports hold as JSON text."""
    if isinstance(metadata, str):
        try:
            metadata = json.loads(metadata)
        except (ValueError, RecursionError):
            return {}
    return mapping(metadata)


def _id(value: Any, size: int) -> str | None:
    """An id of OpenTelemetry as it stands. Any other, which older SDKs made up, becomes one that is always the same."""
    if not isinstance(value, str) or not value:
        return None
    digits = hex_of(value.replace("-", ""), size)
    if digits is not None and len(digits) == 2 * size and digits.isalnum() and not digits.strip("0123456789abcdef"):
        return digits
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[: 2 * size]


SHAPE: Final = Shape(name="a Langfuse export", matches=_matches, translate=_translate)
