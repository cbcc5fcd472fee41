"""The SDK applies no limit to a span made by hand; every limit it would have applied is applied by us."""

from __future__ import annotations

from typing import Any

import pytest
from opentelemetry.attributes import BoundedAttributes
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import ReadableSpan, SpanLimits
from opentelemetry.sdk.util import BoundedList
from opentelemetry.trace import SpanContext, TraceFlags

from otel_footprint.sdk import FootprintSpanExporter

START = 1_700_000_000_000_000_000
SECOND = 1_000_000_000


def turn_with_events(spans: Any, count: int) -> list[ReadableSpan]:
    agent = spans.agent()
    for number in range(count):
        agent.add_event(f"mine {number}", timestamp=START + number)
    spans.tool(agent, **{"gen_ai.tool.call.result": "[]"})
    agent.end(START + SECOND)
    return list(spans.ended)


def explain(recorder: Any, batch: list[ReadableSpan], **options: Any) -> Any:
    FootprintSpanExporter(recorder, **options).export(batch)
    return next(span for span in recorder.spans if span.name == "invoke_agent helper")


def test_an_event_of_ours_never_pushes_out_one_of_theirs(recorder: Any, spans: Any) -> None:
    turn = explain(recorder, turn_with_events(spans, 128))
    assert [event.name for event in turn.events] == [f"mine {n}" for n in range(128)]
    assert turn.attributes["footprint.tone"] == "bad"
    assert turn.dropped_events > 0


def test_room_that_is_left_is_used_and_the_rest_is_counted_twice(recorder: Any, spans: Any) -> None:
    turn = explain(recorder, turn_with_events(spans, 127))
    ours = [event for event in turn.events if event.name.startswith("footprint.")]
    assert [event.name for event in ours] == ["footprint.account"]
    assert ours[0].attributes["footprint.account.events_omitted"] == turn.dropped_events > 0


def test_what_the_application_lost_by_itself_stays_counted_and_is_said(recorder: Any, spans: Any) -> None:
    turn = explain(recorder, turn_with_events(spans, 130))
    original = spans.ended[-1]
    assert original.dropped_events == 2
    assert turn.dropped_events > 2
    assert turn.attributes["footprint.incomplete"] is True


def test_the_limits_a_span_was_recorded_under_are_kept(recorder: Any, make_spans: Any) -> None:
    spans = make_spans(span_limits=SpanLimits(max_events=3, max_span_attributes=5, max_attribute_length=12))
    turn = explain(recorder, turn_with_events(spans, 2))
    assert len(turn.events) == 3
    assert len(turn.attributes) == 5
    assert "footprint.schema" in turn.attributes
    assert turn.attributes["gen_ai.operation.name"] == "invoke_agent"
    texts = [v for a in (turn.attributes, turn.events[-1].attributes) for v in a.values() if isinstance(v, str)]
    assert all(len(text) <= 12 for text in texts)
    assert turn.dropped_attributes > 0


def test_the_limits_of_the_environment_are_kept(
    recorder: Any, monkeypatch: pytest.MonkeyPatch, make_spans: Any
) -> None:
    monkeypatch.setenv("OTEL_SPAN_EVENT_COUNT_LIMIT", "3")
    monkeypatch.setenv("OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT", "4")
    monkeypatch.setenv("OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "12")
    turn = explain(recorder, turn_with_events(make_spans(), 1))
    ours = turn.events[1:]
    assert len(turn.events) == 3
    assert all(len(event.attributes) == 4 for event in ours)
    assert all(event.attributes.dropped > 0 for event in ours)
    assert all(len(v) <= 12 for event in ours for v in event.attributes.values() if isinstance(v, str))
    assert "footprint.schema" in ours[0].attributes


def test_shortening_logs_nothing(recorder: Any, caplog: pytest.LogCaptureFixture, make_spans: Any) -> None:
    spans = make_spans(span_limits=SpanLimits(max_attribute_length=100))
    batch = turn_with_events(spans, 0)
    caplog.clear()
    explain(recorder, batch, span_limits=SpanLimits(max_attribute_length=8))
    assert caplog.records == []


def test_a_span_without_limits_takes_everything(recorder: Any, make_spans: Any) -> None:
    unset = SpanLimits.UNSET
    spans = make_spans(span_limits=SpanLimits(max_events=unset, max_span_attributes=unset))
    turn = explain(recorder, turn_with_events(spans, 500))
    assert len(turn.events) > 500
    assert turn.dropped_events == 0


def test_dropped_attributes_and_links_are_carried_over(recorder: Any, make_spans: Any) -> None:
    spans = make_spans(span_limits=SpanLimits(max_span_attributes=40, max_links=1))
    from opentelemetry.trace import Link

    links = [Link(SpanContext(1, n, is_remote=False)) for n in (1, 2, 3)]
    agent = spans.agent(links=links)
    for number in range(45):
        agent.set_attribute(f"k{number}", number)
    agent.set_attributes({"gen_ai.operation.name": "invoke_agent"})
    agent.end(START + SECOND)
    original = spans.ended[-1]
    turn = explain(recorder, [original])
    assert turn.dropped_links == original.dropped_links == 2
    assert len(turn.attributes) == 40
    assert turn.dropped_attributes > original.dropped_attributes > 0


def test_the_containers_are_those_that_the_oldest_encoders_need(recorder: Any, spans: Any) -> None:
    turn = explain(recorder, turn_with_events(spans, 1))
    assert isinstance(turn._attributes, BoundedAttributes)
    assert isinstance(turn._events, BoundedList)
    assert isinstance(turn._links, BoundedList)
    assert all(isinstance(event._attributes, BoundedAttributes) for event in turn.events)


def test_a_span_that_was_itself_made_by_hand_is_explained_and_encoded(recorder: Any, spans: Any) -> None:
    made = ReadableSpan(
        "invoke_agent helper",
        context=SpanContext(1, 2, is_remote=False, trace_flags=TraceFlags(1)),
        attributes={"gen_ai.operation.name": "invoke_agent"},
        resource=spans.turn()[0].resource,
        start_time=START,
        end_time=START + SECOND,
    )
    turn = explain(recorder, [made])
    assert turn.events[0].name == "footprint.account"
    encoded = encode_spans([turn]).resource_spans[0].scope_spans[0].spans[0]
    assert encoded.name == "invoke_agent helper"
    assert len(encoded.events) == len(turn.events)


def test_everything_that_is_exported_can_be_encoded(recorder: Any, spans: Any) -> None:
    exporter = FootprintSpanExporter(recorder)
    exporter.export([*spans.turn(), spans.tool(None)])
    exporter.shutdown()
    request = encode_spans(recorder.spans)
    encoded = [span for rs in request.resource_spans for ss in rs.scope_spans for span in ss.spans]
    assert len(encoded) == len(recorder.spans)
    assert request.SerializeToString()
