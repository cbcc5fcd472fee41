"""MLflow's traces as spans, in each form that its spans have had."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from reading import attributes, read, span, spans

TRACE = "e42e13133e8758cd105276f9b8037967"
SPAN = "00000000000000a1"
ATTRIBUTES = {"mlflow.traceRequestId": f'"tr-{TRACE}"', "mlflow.spanType": '"TOOL"', "mlflow.spanInputs": '{"q": 1}'}
TIMES = {"start_time_unix_nano": 1796055990216533910, "end_time_unix_nano": 1796055990252392651}


def base64_of(digits: str) -> str:
    return base64.b64encode(bytes.fromhex(digits)).decode()


FORMS: dict[str, dict[str, Any]] = {
    "context": {
        "name": "search",
        "context": {"trace_id": f"0x{TRACE}", "span_id": f"0x{SPAN}"},
        "parent_id": "0xb2",
        "start_time": TIMES["start_time_unix_nano"],
        "end_time": TIMES["end_time_unix_nano"],
        "status_code": "ERROR",
        "status_message": "boom",
        "attributes": ATTRIBUTES,
        "events": [{"name": "exception", "timestamp": 1796055990216533911, "attributes": {"exception.type": "E"}}],
    },
    "base64": {
        "trace_id": base64_of(TRACE),
        "span_id": base64_of(SPAN),
        "parent_span_id": base64_of("00000000000000b2"),
        "name": "search",
        **TIMES,
        "status": {"code": "STATUS_CODE_ERROR", "message": "boom"},
        "attributes": ATTRIBUTES,
        "events": [{"name": "exception", "time_unix_nano": 1796055990216533911, "attributes": {"exception.type": "E"}}],
        "links": [],
    },
    "otel id": {
        "trace_id": f"tr-{TRACE}",
        "otel_trace_id": f"0x{TRACE}",
        "span_id": f"0x{SPAN}",
        "parent_span_id": "0x00000000000000b2",
        "name": "search",
        **TIMES,
        "status": {"code": "ERROR", "message": "boom"},
        "attributes": ATTRIBUTES,
        "events": [{"name": "exception", "time_unix_nano": 1796055990216533911, "attributes": {"exception.type": "E"}}],
    },
    "own id only": {
        "trace_id": f"tr-{TRACE}",
        "span_id": SPAN,
        "parent_span_id": "00000000000000b2",
        "name": "search",
        **TIMES,
        "status": {"code": 2, "message": "boom"},
        "attributes": ATTRIBUTES,
        "events": [{"name": "exception", "time_unix_nano": 1796055990216533911, "attributes": {"exception.type": "E"}}],
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_a_span_is_read_in_every_form(form: str) -> None:
    found = span({"info": {"trace_id": f"tr-{TRACE}"}, "data": {"spans": [FORMS[form]]}})
    assert (found.trace_id, found.span_id, found.parent_id) == (TRACE, SPAN, "00000000000000b2")
    assert (found.name, found.start_ns, found.end_ns) == ("search", *TIMES.values())
    assert (found.status, found.status_message, found.scope_name) == ("error", "boom", "mlflow")
    assert attributes(found) == ATTRIBUTES
    assert [(event.name, event.time_ns, dict(event.attributes)) for event in found.events] == [
        ("exception", 1796055990216533911, {"exception.type": "E"})
    ]


@pytest.mark.parametrize(
    "frame",
    [
        lambda one: {"info": {}, "data": {"spans": [one]}},
        lambda one: [{"info": {}, "data": {"spans": [one]}}],
        lambda one: {"traces": [{"info": {}, "data": {"spans": [one]}}]},
        lambda one: {"spans": [one]},
        lambda one: {"request": "q", "response": "a", "spans": [one]},
    ],
)
def test_a_span_is_read_in_every_frame(frame: Any) -> None:
    assert span(frame(FORMS["base64"])).span_id == SPAN


def test_a_trace_a_line_is_read() -> None:
    line = json.dumps({"info": {}, "data": {"spans": [FORMS["base64"]]}})
    assert len(spans(f"{line}\n{line}\n".encode())) == 2


@pytest.mark.parametrize("metadata", ["trace_metadata", "request_metadata"])
def test_the_session_and_user_of_a_trace_are_those_of_its_spans(metadata: str) -> None:
    info = {metadata: {"mlflow.trace.session": "s", "mlflow.trace.user": "u", "other": "x"}}
    found = span({"info": info, "data": {"spans": [FORMS["base64"]]}})
    assert attributes(found) == {"session.id": "s", "user.id": "u", **ATTRIBUTES}


def test_what_is_no_span_is_counted_and_costs_nothing_else() -> None:
    found, problems = read([{"info": {}, "data": {"spans": [FORMS["base64"], 5]}}, None, {"data": {}}])
    assert len(found) == 1
    assert [str(problem) for problem in problems] == [
        "file:1: 3 items that are no span of an MLflow trace, passed over"
    ]
