"""Files as one record: explained, and written back with nothing else changed."""

from __future__ import annotations

import base64
import copy
import io
import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from otlp_versions import KNOWS_FLAGS, needs_flags

from otel_footprint.config import Config
from otel_footprint.files import Record, Source, annotate_files, explain_files, record
from otel_footprint.files.proto_json import otlp_json

CHILD = "4b777587c84c59d2"
PARENT = "e29511332e09667e"
CALL_OF_CHILD = "f1d59d7c7124fbd3"


def lines(*values: Any) -> bytes:
    return b"\n".join(json.dumps(value).encode() for value in values)


def explained(*files: bytes, config: Config | None = None) -> Record:
    return explain_files(sources(*files), config or Config())


def sources(*files: bytes) -> list[Source]:
    return [Source.of_bytes(f"file{index}", data) for index, data in enumerate(files)]


def annotated(*files: bytes, config: Config | None = None) -> list[str]:
    config = config or Config()
    inputs = sources(*files)
    return list(annotate_files(inputs, explain_files(inputs, config), config))


def spans_of(value: Any) -> Iterator[dict[str, Any]]:
    for group in value["resourceSpans"]:
        for scope_group in group["scopeSpans"]:
            yield from scope_group["spans"]


def split(value: Any, count: int) -> list[Any]:
    """The spans of a request dealt out over several requests."""
    parts = []
    for index in range(count):
        part = copy.deepcopy(value)
        for group in part["resourceSpans"]:
            for scope_group in group["scopeSpans"]:
                scope_group["spans"] = scope_group["spans"][index::count]
        parts.append(part)
    return parts


def without_ours(value: Any) -> Any:
    """The value without anything named ``footprint.``, and without the lists that then are empty."""
    value = copy.deepcopy(value)
    for span in spans_of(value):
        for name, key in (("attributes", "key"), ("events", "name")):
            kept = [item for item in span.get(name) or [] if not item.get(key, "").startswith("footprint.")]
            if kept:
                span[name] = kept
            else:
                span.pop(name, None)
    return value


# --- reading -------------------------------------------------------------------------------------


def test_the_turns_of_a_file_are_explained_in_the_order_of_their_start(request_object: Any) -> None:
    result = explained(lines(request_object))
    assert [e.span_id for e in result.explanations] == [PARENT, CHILD]
    assert result.spans == 19
    assert result.problems == ()
    assert not result.incomplete


def test_a_nested_turn_is_known_to_have_run_in_its_call(request_object: Any) -> None:
    result = explained(lines(request_object))
    (outer, inner) = result.explanations
    assert inner.nested_in == PARENT
    assert result.ran_in == {(inner.trace_id, CHILD): CALL_OF_CHILD}
    assert CALL_OF_CHILD in [call.span_id for call in outer.calls]


def test_spans_between_a_call_and_the_turn_it_ran_are_passed_over(request_object: Any) -> None:
    spans = request_object["resourceSpans"][0]["scopeSpans"][0]["spans"]
    child = next(span for span in spans if span["spanId"] == CHILD)
    for span_id, parent_id in (("a" * 16, CALL_OF_CHILD), ("b" * 16, "a" * 16)):
        spans.append({"traceId": child["traceId"], "spanId": span_id, "parentSpanId": parent_id, "name": "between"})
    child["parentSpanId"] = "b" * 16
    assert explained(lines(request_object)).ran_in == {(child["traceId"], CHILD): CALL_OF_CHILD}


@pytest.mark.parametrize("count", [2, 3, 19])
def test_spans_dealt_out_over_files_and_lines_are_one_record(request_object: Any, count: int) -> None:
    whole = explained(lines(request_object)).explanations
    parts = split(request_object, count)
    assert explained(*map(lines, parts)).explanations == whole
    assert explained(lines(*reversed(parts))).explanations == whole


def test_the_same_file_twice_is_the_same_record(request_object: Any) -> None:
    data = lines(request_object)
    assert explained(data, data).explanations == explained(data).explanations


def test_json_and_protobuf_of_the_same_spans_give_the_same_explanations(request_object: Any) -> None:
    assert explained(protobuf(request_object)).explanations == explained(lines(request_object)).explanations


@pytest.mark.parametrize("change", ["upper", "base64", "snake", "numbers", "names"])
def test_the_ways_to_write_a_span_make_no_difference(request_object: Any, change: str) -> None:
    whole = explained(lines(request_object)).explanations
    assert explained(lines(REWRITTEN[change](request_object))).explanations == whole


def as_ids(form: Callable[[str], str]) -> Callable[[Any], Any]:
    def change(value: Any) -> Any:
        for span in spans_of(value):
            for key in ("traceId", "spanId", "parentSpanId"):
                if span.get(key):
                    span[key] = form(span[key])
        return value

    return change


def in_snake_case(value: Any) -> Any:
    if isinstance(value, list):
        return [in_snake_case(item) for item in value]
    if isinstance(value, dict):
        return {"".join(f"_{c.lower()}" if c.isupper() else c for c in k): in_snake_case(v) for k, v in value.items()}
    return value


def with_numbers(value: Any) -> Any:
    for span in spans_of(value):
        for key in ("startTimeUnixNano", "endTimeUnixNano"):
            span[key] = int(span[key])
        for attribute in span["attributes"]:
            if "intValue" in attribute["value"]:
                attribute["value"]["intValue"] = int(attribute["value"]["intValue"])
    return value


def with_names(value: Any) -> Any:
    for span in spans_of(value):
        span["kind"] = "SPAN_KIND_INTERNAL"
        code = span.get("status", {}).get("code")
        if code:
            span["status"]["code"] = {1: "OK", 2: "ERROR"}[code]
    return value


def with_prefix(prefix: str, text: str) -> str:
    return prefix + text[len(prefix) :]


REWRITTEN = {
    "upper": as_ids(str.upper),
    "base64": as_ids(lambda text: base64.b64encode(bytes.fromhex(text)).decode()),
    "snake": in_snake_case,
    "numbers": with_numbers,
    "names": with_names,
}


def protobuf(value: Any) -> bytes:
    """A request as protobuf: ids are base64 in protobuf's own JSON."""
    from google.protobuf.json_format import ParseDict

    rewritten = as_ids(lambda text: base64.b64encode(bytes.fromhex(text)).decode())(copy.deepcopy(value))
    encoded: bytes = ParseDict(rewritten, TracesData(), ignore_unknown_fields=not KNOWS_FLAGS).SerializeToString()
    return encoded


@pytest.mark.parametrize("bad", ["", "0" * 32, "string", "AA==", None, 7])
def test_spans_without_a_valid_id_are_counted_named_and_in_no_turn(request_object: Any, bad: Any) -> None:
    broken = copy.deepcopy(request_object)
    for span in spans_of(broken):
        span["traceId"] = bad
    result = explained(lines(request_object, broken))
    assert [e.span_id for e in result.explanations] == [PARENT, CHILD]
    (problem,) = result.problems
    assert str(problem).startswith("file0:2: 19 spans without a valid trace and span id")
    assert result.incomplete


def test_what_can_be_read_is_explained_when_a_line_is_spoiled(request_object: Any) -> None:
    data = b'{"resourceSpans":[{\n' + lines(request_object) + b"\nnot json\n"
    result = explained(data)
    assert len(result.explanations) == 2
    assert [problem.line for problem in result.problems] == [1, 3]
    assert result.incomplete


def test_many_spoiled_lines_are_named_up_to_a_bound_and_then_counted(request_object: Any) -> None:
    result = explained(lines(request_object) + b"\nnot json" * 250)
    assert len(result.problems) == record.MAX_PROBLEMS + 1
    assert str(result.problems[-1]) == "file0: 150 more of these"


@pytest.mark.parametrize("data", [b"", b'{"resourceSpans":[]}', b'{"resourceLogs":[]}', b"<html>"])
def test_input_without_any_span_is_not_usable(data: bytes, request_object: Any) -> None:
    assert explained(data).incomplete
    assert explained(data).problems
    assert explained(data, lines(request_object)).explanations


def test_logs_beside_spans_are_no_reason_to_call_the_record_incomplete(request_object: Any) -> None:
    result = explained(b'{"resourceLogs":[]}', lines(request_object))
    assert not result.incomplete
    assert [(str(problem), problem.lost) for problem in result.problems] == [("file0: holds no spans", False)]


def test_metrics_beside_spans_are_named_as_what_is_not_read(request_object: Any) -> None:
    result = explained(b'{"resourceMetrics":[]}', lines(request_object))
    assert not result.incomplete
    assert [problem.lost for problem in result.problems] == [False, False]


def test_files_that_cannot_be_opened_are_named(tmp_path: Path, request_object: Any) -> None:
    good = tmp_path / "good.json"
    good.write_bytes(lines(request_object))
    result = explain_files(
        [Source.of(str(tmp_path / "none")), Source.of(str(tmp_path)), Source.of(str(good))], Config()
    )
    assert len(result.explanations) == 2
    assert [str(problem) for problem in result.problems] == [
        f"{tmp_path}/none: No such file or directory",
        f"{tmp_path}: Is a directory",
    ]


def test_a_defect_of_ours_costs_one_turn_and_is_named(request_object: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    explain = vars(record)["explain"]

    def broken(turn: Any, settings: Any) -> Any:
        if turn.span_id == CHILD:
            raise RuntimeError("boom")
        return explain(turn, settings)

    monkeypatch.setattr(record, "explain", broken)
    result = explained(lines(request_object))
    assert [e.span_id for e in result.explanations] == [PARENT]
    assert "defect of otel-footprint: RuntimeError: boom" in str(result.problems[0])
    assert result.incomplete


def test_past_the_bounds_turns_are_given_out_early_and_say_so(
    request_object: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "PRESSURE_EVERY", 19)
    copies = [as_ids(partial(with_prefix, f"0{index}"))(copy.deepcopy(request_object)) for index in range(1, 9)]
    result = explained(lines(*copies), config=Config(max_open_turns=2))
    early = [e for e in result.explanations if "evicted" in e.incomplete]
    assert len(result.explanations) == 16
    assert len(early) == 12
    assert not any(e.incomplete for e in explained(lines(*copies)).explanations)


def test_progress_counts_every_byte(request_object: Any) -> None:
    data = lines(request_object, request_object)
    counted: list[int] = []
    explain_files(sources(data), Config(), progress=counted.append)
    assert sum(counted) == len(data)


# --- writing back --------------------------------------------------------------------------------


def test_each_turn_gets_its_events_and_attributes(request_object: Any) -> None:
    (text,) = annotated(lines(request_object))
    by_id = {span["spanId"]: span for span in spans_of(json.loads(text))}
    for span_id in (PARENT, CHILD):
        events = [event["name"] for event in by_id[span_id]["events"]]
        assert events[0] == "footprint.account"
        assert "footprint.schema" in [pair["key"] for pair in by_id[span_id]["attributes"]]
    assert sum("footprint.schema" in json.dumps(span) for span in by_id.values()) == 2


def test_what_is_added_follows_otlp_json(request_object: Any) -> None:
    (text,) = annotated(lines(request_object))
    added = next(span for span in spans_of(json.loads(text)) if span["spanId"] == PARENT)
    values = {pair["key"]: pair["value"] for pair in added["attributes"]}
    assert values["footprint.scripts.total"] == {"intValue": "3"}
    assert values["footprint.incomplete"] == {"boolValue": False}
    assert values["footprint.signals"] == {"arrayValue": {"values": [{"stringValue": "undeclared-empty-used"}]}}
    assert all(isinstance(event["timeUnixNano"], str) for event in added["events"])


def test_a_second_pass_adds_nothing(request_object: Any) -> None:
    once = annotated(lines(request_object))
    assert annotated("\n".join(once).encode()) == once


@pytest.mark.parametrize("name", ["pydantic_ai", "openai_agents_otel_genai", "vercel_ai_v7"])
def test_a_real_dump_is_the_same_but_for_what_is_ours(name: str, dump: Callable[[str], Path]) -> None:
    data = dump(name).read_bytes()
    (text,) = annotated(data)
    assert without_ours(json.loads(text)) == without_ours(json.loads(data))
    assert text != data.decode()


def test_documents_without_a_turn_come_back_byte_for_byte(request_object: Any) -> None:
    odd = [
        '{ "resourceSpans" : [ ] , "x" : 1.0e3 , "u" : "\\u00e9\u2028" }',
        '{"resourceLogs":[{"a":1}]}',
        '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"x","deep":' + "[" * 5_000 + "]" * 5_000 + "}]}]}]}",
    ]
    out = annotated("\r\n".join(odd).encode() + b"\r\n" + lines(request_object))
    assert out[:3] == odd
    assert len(out) == 4


def test_bytes_that_are_not_utf8_come_back_as_they_came(request_object: Any) -> None:
    data = lines(request_object).replace(b"fake-model", b"fake\xff\xfemodel")
    (text,) = annotated(data)
    raw = text.encode("utf-8", "surrogateescape")
    assert raw.count(b"fake\xff\xfemodel") == data.count(b"fake\xff\xfemodel")
    assert b"footprint.account" in raw


def test_spoiled_lines_are_not_in_the_output(request_object: Any) -> None:
    out = annotated(b"not json\n" + lines(request_object))
    assert len(out) == 1
    assert json.loads(out[0])


@needs_flags
def test_protobuf_comes_out_as_the_same_otlp_json(request_object: Any) -> None:
    (text,) = annotated(protobuf(request_object))
    came_out = without_ours(json.loads(text))
    message = TracesData.FromString(protobuf(request_object))
    assert came_out == without_ours(otlp_json(message))
    assert {span["spanId"] for span in spans_of(came_out)} == {span["spanId"] for span in spans_of(request_object)}
    assert explained(text.encode()).explanations == explained(lines(request_object)).explanations


@needs_flags
def test_protobuf_in_json_has_hex_ids_numbers_for_enums_and_text_for_64_bits() -> None:
    message = TracesData()
    span = (
        message.resource_spans.add()
        .scope_spans.add()
        .spans.add(
            trace_id=bytes(range(16)), span_id=bytes(range(8)), kind="SPAN_KIND_SERVER", start_time_unix_nano=5, flags=1
        )
    )
    for key, field, value in [
        ("i", "int_value", 0),
        ("d", "double_value", float("inf")),
        ("n", "double_value", float("nan")),
        ("y", "bytes_value", b"\xff"),
        ("b", "bool_value", False),
    ]:
        setattr(span.attributes.add(key=key).value, field, value)
    (read,) = spans_of(otlp_json(message))
    assert read["traceId"] == bytes(range(16)).hex()
    assert (read["kind"], read["startTimeUnixNano"], read["flags"]) == (2, "5", 1)
    assert [pair["value"] for pair in read["attributes"]] == [
        {"intValue": "0"},
        {"doubleValue": "Infinity"},
        {"doubleValue": "NaN"},
        {"bytesValue": "/w=="},
        {"boolValue": False},
    ]


def test_options_of_the_writers_are_followed(request_object: Any) -> None:
    config = Config(writers=("events", "child_span"), evidence_links=True)
    data = lines(request_object, request_object)
    first, second = map(json.loads, annotated(data, config=config))
    scopes = [group["scope"]["name"] for group in first["resourceSpans"][0]["scopeSpans"]]
    assert scopes.count("otel_footprint") == 2
    assert "otel_footprint" not in json.dumps(second)
    turn = next(span for span in spans_of(first) if span["spanId"] == PARENT)
    own = next(span for span in spans_of(first) if span.get("parentSpanId") == PARENT and span["name"] == "footprint")
    assert "footprint.summary" not in [pair["key"] for pair in turn["attributes"]]
    assert {link["traceId"] for link in turn["links"] + own["links"]} == {turn["traceId"]}
    assert own["events"][0]["name"] == "footprint.account"


def test_log_records_follow_the_document_of_their_turns_once(request_object: Any) -> None:
    config = Config(writers=("logs", "evaluation"))
    first, logs, second = map(json.loads, annotated(lines(request_object, request_object), config=config))
    assert set(logs) == {"resourceLogs"}
    records = [r for group in logs["resourceLogs"] for scope in group["scopeLogs"] for r in scope["logRecords"]]
    assert records[0]["eventName"] == "footprint.account"
    assert records[-1]["eventName"] == "gen_ai.evaluation.result"
    turns = {span["spanId"] for span in spans_of(first) if "footprint.schema" in json.dumps(span)}
    assert {record["spanId"] for record in records} == turns
    assert len([r for r in records if r["eventName"] == "footprint.account"]) == len(turns)
    assert "resourceLogs" not in second


def test_the_record_that_comes_out_with_log_records_is_read_again(request_object: Any) -> None:
    out = "\n".join(annotated(lines(request_object), config=Config(writers=("logs", "evaluation"))))
    assert list(explained(out.encode()).problems) == []


def test_a_protobuf_document_takes_a_span_of_our_own(request_object: Any) -> None:
    (text,) = annotated(protobuf(request_object), config=Config(writers=("child_span",)))
    assert [g["scope"]["name"] for g in json.loads(text)["resourceSpans"][0]["scopeSpans"]].count("otel_footprint") == 2


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
UNKNOWN = st.dictionaries(st.text(max_size=6).map("x-{}".format), ANYTHING, max_size=3)


@given(data=st.data())
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None, max_examples=40
)
def test_everything_but_what_is_ours_is_equal_to_the_input(request_object: Any, data: st.DataObject) -> None:
    value = copy.deepcopy(request_object)
    for owner in [value, value["resourceSpans"][0], *spans_of(value)]:
        owner.update(data.draw(UNKNOWN))
    for span in spans_of(value):
        if data.draw(st.booleans()):
            span["attributes"].append({"key": data.draw(st.text(max_size=5)), "value": data.draw(ANYTHING)})
        if data.draw(st.booleans()):
            span["events"] = data.draw(st.none() | st.just([]) | st.just([{"name": "theirs"}]))
    text = json.dumps(value, indent=data.draw(st.sampled_from([None, 2])), ensure_ascii=data.draw(st.booleans()))
    raw = text.encode("utf-8", "surrogatepass")
    (out,) = annotated(raw)
    assert without_ours(json.loads(out.encode("utf-8", "surrogateescape").decode("utf-8", "surrogatepass"))) == (
        without_ours(json.loads(text))
    )
    assert "footprint.account" in out


# --- sources -------------------------------------------------------------------------------------


class Pipe(io.BytesIO):
    def seekable(self) -> bool:
        return False


def test_a_pipe_is_kept_so_that_it_can_be_written_back(request_object: Any) -> None:
    pipe = Pipe(lines(request_object))
    source = Source("pipe", lambda: nullcontext(pipe), reopens=False)
    result = explain_files([source], Config(), keep=True)
    assert list(annotate_files([source], result, Config())) == annotated(lines(request_object))
    source.close()


def test_a_long_pipe_is_kept_in_a_file(request_object: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("otel_footprint.files.sources._IN_MEMORY", 100)
    source = Source("pipe", lambda: nullcontext(Pipe(lines(request_object))), reopens=False)
    source.keep()
    for _ in range(2):
        with source.open() as stream:
            assert stream.read() == lines(request_object)
    source.close()


def test_a_file_that_goes_away_before_it_is_written_back_is_left_out(tmp_path: Path, request_object: Any) -> None:
    path = tmp_path / "trace.json"
    path.write_bytes(lines(request_object))
    inputs = [Source.of(str(path))]
    result = explain_files(inputs, Config())
    path.unlink()
    assert list(annotate_files(inputs, result, Config())) == []
