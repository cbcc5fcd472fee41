"""The SDK's finished spans through the one protocol."""

from __future__ import annotations

import math
from typing import Any

import pytest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan, SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, Status, StatusCode

from otel_footprint.spanview import MAX_DEPTH, TOO_DEEP, SdkSpan
from otel_footprint.testing import explain_spans

CONTEXT = SpanContext(trace_id=0xA, span_id=0xB, is_remote=False)
PARENT = SpanContext(trace_id=0xA, span_id=0xC, is_remote=True)


def view(**fields: Any) -> SdkSpan:
    return SdkSpan(ReadableSpan(**{"name": "n", "context": CONTEXT, "resource": Resource({}), **fields}))


def nested(depth: int) -> Any:
    value: Any = 1
    for level in range(depth):
        value = [value] if level % 2 else {"k": value}
    return value


def test_every_part_of_a_span_is_read() -> None:
    one = view(
        parent=PARENT,
        attributes={"a": 1, "none": None},
        events=(Event("e", {"k": "v"}, timestamp=7),),
        links=(Link(PARENT),),
        status=Status(StatusCode.ERROR, "boom"),
        start_time=5,
        end_time=9,
        instrumentation_scope=InstrumentationScope("s"),
        resource=Resource({"service.name": "app"}),
    )
    assert (one.trace_id, one.span_id, one.parent_id) == (format(0xA, "032x"), format(0xB, "016x"), format(0xC, "016x"))
    assert (one.parent_is_remote, one.name, one.start_ns, one.end_ns) == (True, "n", 5, 9)
    assert (one.status, one.status_message, one.scope_name, one.dropped) == ("error", "boom", "s", 0)
    assert [(e.name, e.time_ns, dict(e.attributes)) for e in one.events] == [("e", 7, {"k": "v"})]
    assert [tuple(link) for link in one.links] == [(format(0xA, "032x"), format(0xC, "016x"))]
    assert (one.get("a"), one.get("b"), one.has("none"), one.has("b"), list(one.keys())) == (
        1,
        None,
        True,
        False,
        ["a", "none"],
    )
    assert (one.resource("service.name"), one.resource("x")) == ("app", None)


@pytest.mark.parametrize(("code", "name"), [(StatusCode.UNSET, "unset"), (StatusCode.OK, "ok")])
def test_each_status_has_its_name(code: StatusCode, name: str) -> None:
    assert view(status=Status(code)).status == name


def test_what_a_span_lacks_reads_as_missing() -> None:
    one = SdkSpan(ReadableSpan(name="n", resource=Resource({})))
    assert (one.trace_id, one.span_id, one.parent_id, one.parent_is_remote) == ("", "", None, False)
    assert (one.start_ns, one.end_ns, one.scope_name, one.status_message) == (0, 0, "", "")
    assert (one.events, list(one.links), list(one.keys())) == ((), [], [])


def test_ids_of_zero_are_none() -> None:
    zero = SpanContext(trace_id=0, span_id=0, is_remote=False)
    one = view(context=zero, parent=zero)
    assert (one.trace_id, one.span_id, one.parent_id) == ("", "", None)


def test_a_span_without_a_resource_has_no_attribute_of_it() -> None:
    class Bare:
        context = None
        attributes = None
        resource = None

    assert SdkSpan(Bare()).resource("x") is None


@pytest.mark.parametrize(
    ("time", "read"),
    [
        (None, 0),
        (-5, 0),
        (0, 0),
        ("5", 0),
        (math.nan, 0),
        (math.inf, 0),
        (1.5e18, 1_500_000_000_000_000_000),
        (10**400, 10**400),
    ],
    ids=lambda value: str(value)[:20],
)
def test_any_time_is_whole_nanoseconds_or_none(time: Any, read: int) -> None:
    one = view(start_time=time, end_time=time, events=(Event("e", {}, timestamp=1),))
    assert (one.start_ns, one.end_ns) == (read, read)


def test_an_event_without_a_time_has_the_time_zero() -> None:
    class Bare:
        name = "e"
        timestamp = None
        attributes = None

    assert [tuple(e) for e in view(events=(Bare(),)).events] == [("e", 0, {})]


def test_a_value_nested_past_the_bound_is_too_deep_and_costs_only_itself() -> None:
    cyclic: list[Any] = []
    cyclic.append(cyclic)
    values = {"fits": nested(MAX_DEPTH), "deep": nested(MAX_DEPTH + 1), "cyclic": cyclic, "wide": list(range(1000))}
    one = view(attributes=values, events=(Event("e", values, timestamp=1),), resource=Resource({}))
    for read in (one.get, one.events[0].attributes.get):
        assert read("fits") == values["fits"]
        assert read("deep") is TOO_DEEP
        assert read("cyclic") is TOO_DEEP
        assert read("wide") == values["wide"]


def test_dropped_parts_are_added_up() -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(
        span_limits=SpanLimits(max_span_attributes=1, max_events=1, max_links=1), resource=Resource({})
    )
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with provider.get_tracer("t").start_as_current_span("x", links=[Link(PARENT)] * 3) as span:
        span.set_attributes({"a": 1, "b": 2, "c": 3})
        for _ in range(4):
            span.add_event("e")
    assert SdkSpan(exporter.get_finished_spans()[0]).dropped == 2 + 3 + 2


def test_a_span_that_cannot_count_what_it_dropped_dropped_nothing_that_is_known() -> None:
    class Old(ReadableSpan):
        @property
        def dropped_attributes(self) -> int:
            raise AttributeError("dict has no attribute 'dropped'")

    assert SdkSpan(Old(name="n", context=CONTEXT, resource=Resource({}))).dropped == 0


def test_values_as_they_are_in_process_are_explained() -> None:
    class Text(str):
        __slots__ = ()

    exporter = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource({}))
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("app")
    with tracer.start_as_current_span("agent", attributes={"gen_ai.operation.name": Text("invoke_agent")}):
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": Text("run_python"),
            "gen_ai.tool.call.arguments": Text('{"code": "1"}'),
            "coverage.kind": "absence",
            "coverage.checked": ("mail", "files"),
            "process.exit.code": 0,
        }
        with tracer.start_as_current_span("tool", attributes=attributes):
            pass
    (turn,) = explain_spans([SdkSpan(span) for span in exporter.get_finished_spans()])
    assert [(s.text, s.outcome) for s in turn.scripts] == [("1", "completed")]
    assert [c.emptiness for c in turn.calls] == ["declared-absent"]
