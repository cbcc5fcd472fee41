"""Langfuse's exports as spans."""

from __future__ import annotations

import json
from typing import Any

import pytest
from reading import attributes, read, record, span, spans

TRACE = "097f1d8982fa909b8cffb14a166ec272"


def observation(**fields: Any) -> dict[str, Any]:
    own = {"id": "00000000000000a1", "traceId": TRACE, "type": "TOOL", "name": "search", "parentObservationId": None}
    times = {"startTime": "2025-12-22T10:46:19.155Z", "endTime": "2025-12-22T10:46:22.888Z"}
    return {**own, **times, "level": "DEFAULT", "statusMessage": None, "metadata": {}, **fields}


@pytest.mark.parametrize(
    "value",
    [
        {"trace": {"id": TRACE}, "observations": [observation()]},
        {"id": TRACE, "timestamp": "2025-12-22T10:46:19.155Z", "observations": [observation()]},
        [{"id": TRACE, "observations": [observation()]}],
        {"data": [observation()], "meta": {"page": 1}},
        [observation()],
        observation(),
    ],
)
def test_an_observation_is_read_in_every_frame(value: Any) -> None:
    found = span(value)
    assert (found.trace_id, found.span_id, found.parent_id, found.name) == (TRACE, "00000000000000a1", None, "search")
    assert (found.start_ns, found.end_ns) == (1766400379155000000, 1766400382888000000)
    assert found.get("langfuse.observation.type") == "tool"
    assert found.status == "unset"


def test_the_fields_are_the_attributes_that_langfuses_sdks_set() -> None:
    one = observation(
        input={"args": [], "kwargs": {"q": "x"}},
        output="plain",
        level="ERROR",
        statusMessage="no index",
        model="gpt",
        modelParameters={"temperature": 0},
        usageDetails={"input": 1},
        metadata={"team": "a"},
        environment="default",
    )
    trace = {"id": TRACE, "sessionId": "s", "userId": "u", "name": "t"}
    found = span({"trace": trace, "observations": [one]})
    assert (found.status, found.status_message) == ("error", "no index")
    assert attributes(found) == {
        "langfuse.observation.type": "tool",
        "langfuse.observation.input": '{"args": [], "kwargs": {"q": "x"}}',
        "langfuse.observation.output": "plain",
        "langfuse.observation.level": "ERROR",
        "langfuse.observation.status_message": "no index",
        "langfuse.observation.model.name": "gpt",
        "langfuse.observation.model.parameters": '{"temperature": 0}',
        "langfuse.observation.usage_details": '{"input": 1}',
        "langfuse.observation.metadata": '{"team": "a"}',
        "langfuse.environment": "default",
        "langfuse.trace.name": "t",
        "session.id": "s",
        "user.id": "u",
    }


@pytest.mark.parametrize("as_text", [True, False])
def test_what_langfuse_kept_of_an_opentelemetry_span_is_its_own_again(as_text: bool) -> None:
    metadata: Any = {
        "attributes": {
            "gen_ai.tool.name": "search",
            "tool_arguments": {"q": "x"},
            "all_messages": [{"role": "user"}],
            "tools": ["a", "b"],
            "n": "502",
            "session.id": "own",
        },
        "resourceAttributes": {"service.name": "app"},
        "scope": {"name": "pydantic-ai", "version": "1", "attributes": {}},
    }
    one = observation(metadata=json.dumps(metadata) if as_text else metadata)
    found = span({"trace": {"id": TRACE, "sessionId": "s"}, "observations": [one]})
    assert (found.scope_name, found.resource("service.name")) == ("pydantic-ai", "app")
    assert attributes(found) == {
        "gen_ai.tool.name": "search",
        "tool_arguments": '{"q": "x"}',
        "all_messages": '[{"role": "user"}]',
        "tools": ["a", "b"],
        "n": "502",
        "session.id": "own",
        "langfuse.observation.type": "tool",
        "langfuse.observation.level": "DEFAULT",
    }


def test_ids_that_are_not_opentelemetrys_become_ones_that_hold_together() -> None:
    uuid = "1f0c9a52-7d5e-4c8e-9d5b-2f5a1c3e4d5f"
    parent = observation(id="run-1", traceId=uuid, type="AGENT")
    child = observation(id="run-2", traceId=uuid, parentObservationId="run-1")
    first, second = spans([parent, child])
    assert first.trace_id == second.trace_id == uuid.replace("-", "")
    assert second.parent_id == first.span_id != second.span_id
    assert [view.span_id for view in spans([parent, child])] == [first.span_id, second.span_id]


def test_metadata_that_is_no_json_is_passed_over() -> None:
    assert span(observation(metadata="{not json")).scope_name == ""


def test_what_is_no_observation_is_counted_and_costs_nothing_else() -> None:
    found, problems = read([observation(), None, {"id": TRACE, "observations": [5, observation()]}])
    assert len(found) == 2
    assert [str(problem) for problem in problems] == [
        "file:1: 2 items that are no span of a Langfuse export, passed over"
    ]


def test_an_observation_without_an_id_is_counted() -> None:
    (problem,) = record([observation(), observation(id=None)]).problems
    assert "1 span without a valid trace and span id" in str(problem)
