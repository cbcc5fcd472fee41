"""A bad value costs nothing but itself: the span that holds it and its neighbours go out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Status, StatusCode

from otel_footprint.sdk import FootprintSpanExporter

START = 1_700_000_000_000_000_000
SECOND = 1_000_000_000


class Encoding(SpanExporter):
    """Encodes like the OTLP exporters: one value that cannot be encoded refuses the whole batch."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        request = encode_spans(spans)
        request.SerializeToString()
        self.sent += [span for rs in request.resource_spans for ss in rs.scope_spans for span in ss.spans]
        return SpanExportResult.SUCCESS


def one_of(sent: Sequence[Any], name: str) -> Any:
    (span,) = [span for span in sent if span.name == name]
    return span


def cyclic() -> list[Any]:
    value: list[Any] = [1]
    value.append({"again": value})
    return value


def test_a_lone_surrogate_in_names_and_status_costs_only_that_character(spans: Any) -> None:
    agent = spans.agent("invoke_agent \ud83e")
    agent.add_event("mine \ud83e", timestamp=START)
    agent.set_status(Status(StatusCode.ERROR, "broke \ud83e"))
    spans.tool(agent, "run \ud83e", **{"gen_ai.tool.call.result": "x\ud83e"})
    agent.end(START + SECOND)
    encoding = Encoding()
    exporter = FootprintSpanExporter(encoding)
    assert exporter.export([spans.run("GET /", {}), *spans.ended]) is SpanExportResult.SUCCESS
    turn = one_of(encoding.sent, "invoke_agent \ufffd")
    assert turn.status.message == "broke \ufffd"
    assert [event.name for event in turn.events][:2] == ["mine \ufffd", "footprint.account"]
    assert one_of(encoding.sent, "execute_tool run \ufffd")
    assert len(encoding.sent) == 4
    assert exporter.statistics().repaired == 1


def test_a_repair_keeps_everything_else_of_the_span(spans: Any) -> None:
    agent = spans.agent("invoke_agent \ud83e")
    agent.add_event("mine", {"k": 1}, START)
    agent.end(START + SECOND)
    (original,) = spans.ended
    encoding = Encoding()
    FootprintSpanExporter(encoding).export([original])
    (sent,) = encoding.sent
    assert sent.span_id == original.context.span_id.to_bytes(8, "big")
    assert sent.start_time_unix_nano == original.start_time
    assert {a.key for a in sent.attributes} >= set(original.attributes)


@pytest.mark.parametrize(
    ("start", "end"),
    [(-5, 7), (10 * SECOND, 7 * SECOND), (1.5e18, 1.6e18), (2**70, 2**71), (math.nan, math.inf), (0, 0)],
)
def test_impossible_times_cost_no_other_span(spans: Any, start: Any, end: Any) -> None:
    agent = spans.tracer.start_span(
        "invoke_agent helper", attributes={"gen_ai.operation.name": "invoke_agent"}, start_time=start
    )
    agent.end(end)
    encoding = Encoding()
    FootprintSpanExporter(encoding).export([*spans.ended, spans.run("GET /", {})])
    turn = one_of(encoding.sent, "invoke_agent helper")
    assert one_of(encoding.sent, "GET /")
    times = [event.time_unix_nano for event in turn.events]
    assert times == sorted(set(times))
    assert times[0] >= 0
    assert any(attribute.key == "footprint.schema" for attribute in turn.attributes)


def test_an_end_before_the_start_is_said(recorder: Any, spans: Any) -> None:
    agent = spans.agent(at=10 * SECOND)
    agent.end(START + 7 * SECOND)
    FootprintSpanExporter(recorder).export(spans.ended)
    account = recorder.explained[0].events[0]
    assert "clock" in account.attributes["footprint.account.incomplete"]
    assert account.timestamp == START + 10 * SECOND


@pytest.mark.parametrize(
    "value",
    [
        None,
        b"\xff\xfe",
        PurePosixPath("/x"),
        math.nan,
        math.inf,
        -math.inf,
        2**63,
        10**400,
        lambda: None,
        object(),
        "x\ud83e",
        ["\ud83e", None, 1.5],
        {"k": {"\ud83e": b"\xff"}},
        [],
        "",
        "[" * 5000,
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize(
    "key",
    [
        "gen_ai.tool.call.arguments",
        "gen_ai.tool.call.result",
        "gen_ai.tool.call.id",
        "gen_ai.tool.name",
        "code_run.exit_code",
        "code_run.argument",
        "coverage.checked",
        "gen_ai.agent.name",
        "gen_ai.input.messages",
    ],
)
def test_any_value_under_any_key_is_survived(
    spans: Any, caplog: pytest.LogCaptureFixture, key: str, value: Any
) -> None:
    caplog.set_level("CRITICAL")
    agent = spans.agent()
    agent.set_attribute(key, value)
    spans.tool(agent, **{key: value})
    agent.end(START + SECOND)
    encoding = Encoding()
    exporter = FootprintSpanExporter(encoding)
    exporter.export([spans.run("GET /", {}), *spans.ended])
    exporter.shutdown()
    assert {span.name for span in encoding.sent} >= {"GET /", "invoke_agent helper"}
    assert exporter.statistics().errors == {}
    turn = one_of(encoding.sent, "invoke_agent helper")
    assert any(event.name == "footprint.account" for event in turn.events)


def test_what_the_wrapped_exporter_refuses_for_another_reason_is_raised(recorder: Any, spans: Any) -> None:
    calls: list[int] = []

    def refuse(batch: Sequence[ReadableSpan]) -> SpanExportResult:
        calls.append(len(batch))
        raise ValueError("bad endpoint")

    recorder.export = refuse
    with pytest.raises(ValueError, match="bad endpoint"):
        FootprintSpanExporter(recorder).export(spans.turn())
    assert calls == [4]


def test_a_cyclic_value_never_reaches_a_span_and_our_helper_does_not_raise(
    spans: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from opentelemetry import trace

    from otel_footprint.environment_variables import FOOTPRINT_TESTING
    from otel_footprint.sdk import code_run

    monkeypatch.delenv(FOOTPRINT_TESTING)
    span = spans.agent()
    with trace.use_span(span):
        code_run("code", program=cyclic())
        code_run("code", program="print(1)")
    assert span.attributes["code_run.program"] == "print(1)"
