"""What Strands Evals' readers of foreign spans find in some OTLP JSON files.

Prints one JSON object: for each file the span ids of the tool runs and of the agents that it found, or the name of the
error that it ended with.
"""

from __future__ import annotations

import json
import logging
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from strands_evals.mappers import detect_otel_mapper

logging.disable(logging.CRITICAL)
STATUS = ("UNSET", "OK", "ERROR")


def plain(value: dict[str, Any]) -> Any:
    """The Python value of an OTLP ``AnyValue``."""
    if "arrayValue" in value:
        return tuple(plain(one) for one in value["arrayValue"].get("values", ()))
    if "kvlistValue" in value:
        return {one["key"]: plain(one["value"]) for one in value["kvlistValue"].get("values", ())}
    if "intValue" in value:
        return int(value["intValue"])
    return next(iter(value.values()), None)


def keys(pairs: list[dict[str, Any]]) -> dict[str, Any]:
    return {one["key"]: plain(one["value"]) for one in pairs}


def spans_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The spans in the form that the readers take."""
    return [
        {
            "trace_id": span["traceId"],
            "span_id": span["spanId"],
            "parent_span_id": span.get("parentSpanId") or None,
            "name": span["name"],
            "start_time": int(span["startTimeUnixNano"]),
            "end_time": int(span["endTimeUnixNano"]),
            "attributes": keys(span.get("attributes", [])),
            "scope": scope.get("scope", {}),
            "status": {"code": STATUS[span.get("status", {}).get("code", 0)]},
            "span_events": [
                {
                    "event_name": event["name"],
                    "timestamp": int(event["timeUnixNano"]),
                    "attributes": keys(event.get("attributes", [])),
                }
                for event in span.get("events", ())
            ],
        }
        for resource in document["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]


def session(document: dict[str, Any]) -> dict[str, Any]:
    spans = spans_of(document)
    found: dict[str, list[str]] = defaultdict(list)
    try:
        for trace in detect_otel_mapper(spans).map_to_session(spans, "session").traces:
            for one in trace.spans:
                found[type(one).__name__].append(one.span_info.span_id)
    except Exception as error:  # noqa: BLE001 - whatever a foreign reader raises is its answer
        return {"error": type(error).__name__}
    return {"tools": sorted(found["ToolExecutionSpan"]), "agents": sorted(found["AgentInvocationSpan"])}


json.dump({path: session(json.loads(Path(path).read_text(encoding="utf-8"))) for path in sys.argv[1:]}, sys.stdout)
