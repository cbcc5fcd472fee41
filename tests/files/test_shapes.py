"""Every format that is JSON, with whatever in it: read without an exception, and written as what it was read as."""

from __future__ import annotations

import io
import json
from functools import cache
from typing import Any

import pytest
from counting import growth
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading import DATA, as_otlp, read, record

from otel_footprint.files.formats import read_documents
from otel_footprint.files.json_file import SHAPES, shape_of
from otel_footprint.files.problems import Problem

EXAMPLES = {
    "Jaeger's JSON": "public/jaeger_ui/genaiTestTrace.json",
    "a Langfuse export": "public/langfuse/claude-agent-2025-12-22.trace.json",
    "an MLflow trace": "exports/mlflow.json",
    "Zipkin's JSON": "exports/zipkin.json",
    "Phoenix's spans": "exports/phoenix_spans.json",
    "what the SDK for Go prints": "exports/go_stdouttrace.jsonl",
    "flat spans": "public/strands_evals/claude_live_spans.json",
}


@cache
def text_of(name: str) -> str:
    """The example as one JSON value."""
    text = (DATA / EXAMPLES[name]).read_text(encoding="utf-8")
    return f"[{','.join(text.splitlines())}]" if EXAMPLES[name].endswith(".jsonl") else text


def test_each_shape_has_a_real_example_that_it_alone_is_found_for() -> None:
    assert {shape.name for shape in SHAPES} == set(EXAMPLES)
    for name in EXAMPLES:
        found = shape_of(json.loads(text_of(name)))
        assert found is not None
        assert found.name == name


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["\ud800", "0x1", "CHILD_OF", "ERROR", "2026-07-31T21:20:28Z", '{"a": {"b": 1}}', "1e999", ""])
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


def places_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something else can be put."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [(*path, key) for key, _ in children]
    return found + [place for key, child in children for place in places_in(child, (*path, key))]


@cache
def places_of(name: str) -> list[tuple[Any, ...]]:
    return places_in(json.loads(small(name)))


@cache
def small(name: str) -> str:
    """The example with few spans, so that many changes to it can be tried."""
    return json.dumps(shortened(json.loads(text_of(name))))


def shortened(value: Any) -> Any:
    if isinstance(value, list):
        return [shortened(item) for item in value[:3]]
    return {key: shortened(inner) for key, inner in value.items()} if isinstance(value, dict) else value


def changed(name: str, data: st.DataObject) -> Any:
    """The example with something else in some places, or something more."""
    value = json.loads(small(name))
    for place in data.draw(st.lists(st.sampled_from(places_of(name)), min_size=1, max_size=4)):
        owner = value
        try:
            for key in place[:-1]:
                owner = owner[key]
            owner[place[-1]] = data.draw(ANYTHING)
        except (KeyError, IndexError, TypeError):
            # an earlier change took the place away
            continue
    return value


@pytest.mark.parametrize("name", EXAMPLES)
@given(data=st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_is_in_a_format_it_reads_back_as_it_was_read(name: str, data: st.DataObject) -> None:
    raw = json.dumps(changed(name, data)).encode()
    said = record(raw)
    once = as_otlp(raw)
    again = record(once)
    assert again.explanations == said.explanations
    assert again.spans == said.spans
    json.loads(once or b"{}", parse_constant=pytest.fail)


@pytest.mark.parametrize("name", EXAMPLES)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_no_damage_to_a_file_raises(name: str, data: st.DataObject) -> None:
    whole = small(name).encode()
    at = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(at, min(len(whole), at + 200)) | st.just(len(whole)))
    for item in read_documents(io.BytesIO(whole[:at] + data.draw(st.binary(max_size=4)) + whole[end:]), "file"):
        if not isinstance(item, Problem):
            assert item.annotated({})


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("depth", [70, 400, 3_000])
def test_a_very_deep_value_anywhere_costs_only_itself(name: str, depth: int) -> None:
    deep = "[" * depth + "]" * depth
    whole = small(name)
    ids = [view.span_id for view in read(whole.encode())[0]]
    beside = whole.replace('"name"', f'"other": {deep}, "name"').encode()
    assert [view.span_id for view in read(beside)[0]] == ids
    keys = ("attributes", "metadata", "tags", "input", "resource", "events", "logs", "annotations", "process", "id")
    inside = whole.replace("{", "{" + "".join(f'"{key}x": {deep}, ' for key in keys), 2)
    for data in (inside, inside.replace('x": [[', '": [[')):
        assert record(as_otlp(data.encode())).explanations == record(data.encode()).explanations


@pytest.mark.parametrize("name", EXAMPLES)
def test_spoiled_lines_between_whole_ones_cost_only_themselves(name: str) -> None:
    line = small(name)
    count = len(read(line.encode())[0])
    data = "\n".join([line, line[: len(line) // 2], line, "not json", line[len(line) // 2 :], line]).encode()
    found, problems = read(data)
    assert len(found) == 3 * count
    assert {problem.line for problem in problems} == {2, 4, 5}


@pytest.mark.parametrize("name", EXAMPLES)
def test_twice_the_spans_take_twice_the_work(name: str) -> None:
    line = (small(name) + "\n").encode()
    assert growth(lambda times: read(line * times), 20) < 2.5


LINES = {
    "objects that are not closed": b'{"a":1,\n',
    "objects after a long line": b"{\n",
    "lists that are not closed": b"[\n",
    "ends of objects": b"}\n",
    "whole objects in one that is not": b'{"a":{}\n',
}


@pytest.mark.parametrize("kind", LINES)
def test_twice_the_spoiled_lines_take_twice_the_work(kind: str) -> None:
    def spoiled(count: int) -> bytes:
        return b'{"long":"' + b"x" * 100 * count + b'",\n' + LINES[kind] * count

    assert growth(lambda count: read(spoiled(count)), 500) < 2.5
