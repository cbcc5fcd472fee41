"""Reading MLflow's traces: ``{"info", "data": {"spans"}}``, lists of them, and the stored ``{"spans"}``.

The attributes stay as MLflow has them, each value a JSON text. Its spans have had three forms: with a ``context`` and
times without a unit in their names, with base64 ids, and with the id of OpenTelemetry beside MLflow's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from otel_footprint.files.flat_spans import add_flat_span
from otel_footprint.files.otlp_values import attributes, mapping, objects, text
from otel_footprint.files.translation import Shape, Translation, first_object

_PREFIX: Final = "mlflow."
_OWN_PREFIX: Final = "tr-"
"""MLflow's id of a trace is this and the id of OpenTelemetry."""
_OF_TRACE: Final[Mapping[str, str]] = {"mlflow.trace.session": "session.id", "mlflow.trace.user": "user.id"}
"""What the metadata of a trace says for all of it, by the attributes that MLflow itself takes it from."""
_SCOPE: Final = {"name": "mlflow"}


def _matches(value: Any) -> bool:
    trace = first_object(_traces(value))
    spans = _spans_of(trace)
    if not isinstance(spans, list):
        return False
    keys = mapping(first_object(spans).get("attributes"))
    return isinstance(trace.get("info"), dict) or any(key.startswith(_PREFIX) for key in keys)


def _traces(value: Any) -> list[Any]:
    if isinstance(value, dict) and isinstance(value.get("traces"), list):
        return list(value["traces"])
    return value if isinstance(value, list) else [value]


def _spans_of(trace: Mapping[str, Any]) -> Any:
    return mapping(trace.get("data")).get("spans", trace.get("spans"))


def _translate(value: Any) -> Translation:
    made = Translation()
    for trace in _traces(value):
        spans = _spans_of(trace) if isinstance(trace, dict) else None
        if not isinstance(spans, list):
            made.passed_over += 1
            continue
        found = objects(spans)
        made.passed_over += len(spans) - len(found)
        of_trace = dict(_of_trace(mapping(trace.get("info"))))
        for span in found:
            _add(made, span, of_trace)
    return made


def _add(made: Translation, span: Mapping[str, Any], of_trace: Mapping[str, Any]) -> None:
    context = {"span_id": span.get("span_id"), **mapping(span.get("context"))}
    context["trace_id"] = _trace_id(span, context)
    values = attributes({**of_trace, **mapping(span.get("attributes"))})
    add_flat_span(made, {"scope": _SCOPE, **span, "context": context}, values)


def _trace_id(span: Mapping[str, Any], context: Mapping[str, Any]) -> Any:
    """The id of OpenTelemetry: recorded apart, or in the place of MLflow's, or as the rest of it."""
    own = span.get("otel_trace_id") or context.get("trace_id") or span.get("trace_id")
    return own.removeprefix(_OWN_PREFIX) if isinstance(own, str) else None


def _of_trace(info: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    metadata = info.get("trace_metadata", info.get("request_metadata"))
    for key, attribute in _OF_TRACE.items():
        value = text(mapping(metadata).get(key))
        if value:
            yield attribute, value


SHAPE: Final = Shape(name="an MLflow trace", matches=_matches, translate=_translate)
