"""A span whose attributes are decoded as a map reads like any other, at rest or not."""

from __future__ import annotations

import pytest
from dumps import NAMES
from otlp import decoded, recorded, span, tool

from otel_footprint.sidecar import schema
from otel_footprint.spanview import SpanView
from otel_footprint.spanview_otlp import MapAttributes, OtlpMapSpan, OtlpProtoSpan


def everything(view: SpanView) -> list[object]:
    plain = [
        *(view.trace_id, view.span_id, view.parent_id, view.parent_is_remote, view.name, view.start_ns, view.end_ns),
        *(view.status, view.status_message, view.scope_name, view.dropped, list(view.links)),
        *(view.resource("service.name"), view.get("no such key"), view.has("no such key")),
    ]
    attributes = {key: view.get(key) for key in view.keys()}  # noqa: SIM118 - a view is no mapping
    events = [(event.name, event.time_ns, dict(event.attributes)) for event in view.events]
    return [*plain, attributes, events]


@pytest.mark.parametrize("name", NAMES)
def test_both_views_of_a_span_say_the_same(name: str) -> None:
    for group in decoded(*recorded(name)).resource_spans:
        resource = MapAttributes(schema.Resource.FromString(group.resource.SerializeToString()))
        for scope in group.scope_spans:
            for one in scope.spans:
                raw = one.SerializeToString()
                view = OtlpMapSpan(raw, schema.Span.FromString, resource, scope.scope)
                said = everything(view)
                assert said == everything(OtlpProtoSpan(one, group.resource, scope.scope))
                view.rest()
                assert everything(view) == said
                assert view.wire_bytes == len(raw)


def test_asking_for_what_is_not_there_changes_nothing() -> None:
    attributes = MapAttributes(schema.Span.FromString(tool(1).SerializeToString()))
    before = list(attributes)
    assert attributes.get("no such key") is None
    with pytest.raises(KeyError):
        attributes["no such key"]
    assert list(attributes) == before == sorted(before)


def test_the_last_of_two_attributes_of_one_key_counts() -> None:
    one = span(1, attributes={"key": "first"})
    one.attributes.add(key="key").value.string_value = ""
    view = OtlpMapSpan(one.SerializeToString(), schema.Span.FromString, MapAttributes(schema.Resource()), None)
    assert (view.get("key"), len(list(view.keys()))) == ("", 1)
