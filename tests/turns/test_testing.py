"""The public helpers for tests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from otel_footprint import testing
from otel_footprint.explanation import Explanation
from otel_footprint.testing import (
    UnresolvedError,
    agent_span,
    assert_consistent,
    assert_evidence_resolves,
    evidence_of,
    explain_spans,
    model_span,
    read_spans,
    resolve,
    span,
    tool_span,
)

ID = format(1, "016x")


def test_all_that_is_public_is_there() -> None:
    assert sorted(testing.__all__) == testing.__all__ or set(testing.__all__) <= set(dir(testing))


def test_a_built_span_holds_what_it_was_given() -> None:
    one = span(
        1,
        parent=2,
        trace=3,
        at=(1.5, 2),
        name="n",
        attributes={"a": None},
        events=[("e", {"k": 1})],
        resource={"r": 1},
        status="error",
        status_message="m",
        scope="s",
        dropped=4,
        remote=True,
    )
    assert (one.span_id, one.parent_id, one.trace_id) == (ID, format(2, "016x"), format(3, "032x"))
    assert (one.start_ns, one.end_ns, one.name, one.status, one.status_message) == (
        1_500_000_000,
        2_000_000_000,
        "n",
        "error",
        "m",
    )
    assert (one.has("a"), one.get("a"), one.has("b"), list(one.keys())) == (True, None, False, ["a"])
    assert (one.resource("r"), one.scope_name, one.dropped, one.parent_is_remote) == (1, "s", 4, True)
    assert [(e.name, e.time_ns, e.attributes) for e in one.events] == [("e", 1_500_000_000, {"k": 1})]


def test_what_is_not_given_is_no_attribute() -> None:
    assert list(agent_span(1).keys()) == ["gen_ai.operation.name"]
    assert list(model_span(1).keys()) == ["gen_ai.operation.name"]
    assert list(tool_span(1).keys()) == ["gen_ai.operation.name"]
    assert agent_span(1, name="x", attributes={"gen_ai.operation.name": "y"}).get("gen_ai.operation.name") == "y"


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("status", "error"),
        ("attribute:plain", 1),
        ("attribute:object/a/b", 2),
        ("attribute:text/0/a", 3),
        ("attribute:text in text/a", 4),
        ("attribute:with/slash", 5),
        ("attribute:with/slash/x", 6),
        ("attribute:escaped/a~1b~0c", 7),
        ("attribute:null", None),
        ("event:0/k/0", 8),
    ],
)
def test_a_pointer_leads_to_the_value(place: str, value: Any) -> None:
    attributes = {
        "plain": 1,
        "object": {"a": {"b": 2}},
        "text": '[{"a": 3}]',
        "text in text": '"{\\"a\\": 4}"',
        "with/slash": 5,
        "with": {"slash": {"x": 6}},
        "escaped": {"a/b~c": 7},
        "null": None,
    }
    if place.endswith("/x"):
        del attributes["with/slash"]
    one = span(1, status="error", attributes=attributes, events=[("e", {"k": (8,)})])
    assert resolve(f"{ID}#{place}", [span(2), replace(one, attributes={}, events=()), one]) == value


@pytest.mark.parametrize(
    "pointer",
    [
        f"{format(9, '016x')}#status",
        f"{ID}#attribute:missing",
        f"{ID}#attribute:plain/deeper",
        f"{ID}#attribute:list/9",
        f"{ID}#attribute:list/x",
        f"{ID}#attribute:text/a",
        f"{ID}#event:0/k",
        f"{ID}#elsewhere:x",
        ID,
        "",
    ],
)
def test_a_pointer_that_leads_nowhere_is_named(pointer: str) -> None:
    one = span(1, attributes={"plain": 1, "list": [1], "text": "not json"})
    with pytest.raises(UnresolvedError, match=pointer.replace("[", r"\[") or "^$"):
        resolve(pointer, [one])


def explained() -> tuple[Explanation, list[Any]]:
    spans = [
        agent_span(1, at=(0, 9), attributes={"final_result": "x"}),
        tool_span(2, "run_python", parent=1, at=(1, 2), arguments={"code": "1"}, result="[]"),
    ]
    (found,) = explain_spans(spans)
    return found, spans


def test_a_consistent_explanation_passes() -> None:
    found, spans = explained()
    assert_consistent(found)
    assert_evidence_resolves(found, spans)
    assert len(list(evidence_of(found))) >= 2


def test_evidence_that_is_gone_is_noticed() -> None:
    found, spans = explained()
    with pytest.raises(UnresolvedError):
        assert_evidence_resolves(found, spans[:1])


def broken() -> dict[str, Explanation]:
    found, _ = explained()
    (script,) = found.scripts
    checks, summary, counts = found.checks, found.summary, found.counts
    fine = replace(found, signals=(), counts=replace(counts, signals=0), summary=replace(summary, tone="ok"))
    return {
        "each check": replace(found, checks=replace(checks, reachable=())),
        "tone ok has no signal": replace(found, summary=replace(summary, tone="ok")),
        "tone ok needs": replace(fine, checks=replace(checks, reachable=(), unreachable=("empty-results",))),
        "tone ok has no loss": replace(fine, incomplete=("idle",)),
        "an exit is proven": replace(found, scripts=(replace(script, outcome="completed"),)),
        "an exit code says": replace(found, scripts=(replace(script, outcome="completed", exit_code=0),)),
        "completed is exit 0": replace(
            found, scripts=(replace(script, outcome="completed", exit_code=1, exit_code_from="result"),)
        ),
        "every call": replace(found, calls=()),
        "every signal": replace(found, signals=()),
    }


@pytest.mark.parametrize("law", broken())
def test_each_law_that_does_not_hold_is_named(law: str) -> None:
    with pytest.raises(AssertionError, match=law):
        assert_consistent(broken()[law])


def test_spans_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_text(
        '{"resourceSpans": [{"resource": {"attributes": [{"key": "r", "value": {"stringValue": "v"}}]}, '
        '"scopeSpans": [{"scope": {"name": "s"}, "spans": [{"spanId": "00000000000000aa", "name": "n"}]}]}]}',
        encoding="utf-8",
    )
    (one,) = read_spans(path)
    assert (one.span_id, one.name, one.scope_name, one.resource("r")) == ("00000000000000aa", "n", "s", "v")
    with pytest.raises(OSError, match="missing"):
        read_spans(tmp_path / "missing")
