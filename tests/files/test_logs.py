"""Files of log records: read beside those of spans in any split and form, and said when they are alone."""

from __future__ import annotations

import gzip
import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from otel_footprint.config import Config
from otel_footprint.files import Record, Source, annotate_files, explain_files

DATA = Path(__file__).parents[1] / "data"
SPANS: Any = json.loads((DATA / "spans" / "codex_trimmed.otlp.json").read_text(encoding="utf-8"))
LOGS: Any = json.loads((DATA / "logs" / "codex.logs.otlp.json").read_text(encoding="utf-8"))


def record(*files: Any) -> Record:
    raws = [data if isinstance(data, bytes) else json.dumps(data).encode() for data in files]
    return explain_files([Source.of_bytes(f"file{n}", raw) for n, raw in enumerate(raws)], Config())


def exits(found: Record) -> list[int | None]:
    (turn,) = found.explanations
    return [script.exit_code for script in turn.scripts]


def in_protobuf(value: Any, message: Any) -> bytes:
    """OTLP JSON as protobuf; ids are base64 in protobuf's own JSON."""
    import base64

    def ids(item: Any) -> Any:
        if isinstance(item, list):
            return [ids(one) for one in item]
        if not isinstance(item, dict):
            return item
        return {
            key: base64.b64encode(bytes.fromhex(inner)).decode()
            if key in {"traceId", "spanId", "parentSpanId"} and isinstance(inner, str)
            else ids(inner)
            for key, inner in item.items()
        }

    data: bytes = json_format.ParseDict(ids(value), message, ignore_unknown_fields=True).SerializeToString()
    return data


LOGS_PROTO = in_protobuf(LOGS, ExportLogsServiceRequest())
SPANS_PROTO = in_protobuf(SPANS, ExportTraceServiceRequest())


def halves(value: Any, key: str) -> tuple[Any, Any]:
    groups: Sequence[Any] = value[key]
    return {key: groups[: len(groups) // 2]}, {key: groups[len(groups) // 2 :]}


def lines(*values: Any) -> bytes:
    return b"\n".join(json.dumps(value).encode() for value in values)


FILES = {
    "two-files": [SPANS, LOGS],
    "one-object": [{**SPANS, **LOGS}],
    "lines": [lines(LOGS, SPANS)],
    "a-list": [[SPANS, LOGS]],
    "bare-groups": [lines(*SPANS["resourceSpans"], *LOGS["resourceLogs"])],
    "halves": [*halves(LOGS, "resourceLogs"), *halves(SPANS, "resourceSpans")],
    "protobuf": [SPANS_PROTO, LOGS_PROTO],
    "mixed": [LOGS_PROTO, SPANS],
    "one-protobuf": [len(LOGS_PROTO).to_bytes(4) + LOGS_PROTO + len(SPANS_PROTO).to_bytes(4) + SPANS_PROTO],
    "gzip": [gzip.compress(json.dumps(LOGS).encode()), SPANS],
    "copies": [LOGS, SPANS, LOGS, LOGS_PROTO],
}


@pytest.mark.parametrize("files", FILES.values(), ids=FILES)
def test_spans_and_log_records_are_one_record_however_they_are_split(files: list[Any]) -> None:
    for order in itertools.islice(itertools.permutations(files), 6):
        found = record(*order)
        assert exits(found) == [0, 2, 0, 1]
        assert not found.incomplete
        assert not any(problem.lost for problem in found.problems)


def test_log_records_alone_are_said_and_nothing_is_made_of_them() -> None:
    found = record(LOGS)
    assert found.explanations == ()
    assert [(problem.file, problem.lost) for problem in found.problems] == [("file0", False), ("logs", False)]
    assert "38 log records and no spans" in str(found.problems[0])
    assert "give the traces too" in str(found.problems[1])


def test_log_records_that_fit_no_span_are_counted() -> None:
    other = json.loads((DATA / "logs" / "claude_code_full.logs.otlp.json").read_text(encoding="utf-8"))
    found = record(SPANS, LOGS, other)
    assert exits(found) == [0, 2, 0, 1]
    (problem,) = [problem for problem in found.problems if problem.file == "logs"]
    assert problem.message.startswith("8 log records of 13 ")
    assert not problem.lost


def test_names_in_snake_case_are_read_too() -> None:
    def snake(value: Any) -> Any:
        if isinstance(value, list):
            return [snake(one) for one in value]
        if not isinstance(value, dict):
            return value
        return {"".join(f"_{c.lower()}" if c.isupper() else c for c in key): snake(v) for key, v in value.items()}

    assert exits(record(SPANS, snake(LOGS))) == [0, 2, 0, 1]


@pytest.mark.parametrize(
    "spoiled",
    [
        {"resourceLogs": None},
        {"resourceLogs": 1},
        {"resourceLogs": [1, {"scopeLogs": [None, {"logRecords": [None, 1, {}, {"body": 1}, {"attributes": "x"}]}]}]},
        {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"traceId": 5, "timeUnixNano": "x", "eventName": 7}]}]}]},
        {"scopeLogs": {}},
    ],
    ids=str,
)
def test_spoiled_log_records_cost_only_themselves(spoiled: Any) -> None:
    assert exits(record(spoiled, SPANS, LOGS)) == [0, 2, 0, 1]


def test_places_that_have_not_the_shape_of_log_records_are_said() -> None:
    found = record({"resourceLogs": [{"scopeLogs": [{"logRecords": [1, {}, None]}]}]}, SPANS)
    assert "2 places do not have the shape of OTLP JSON" in str(found.problems[0])


def test_damage_to_log_records_in_protobuf_costs_only_what_is_damaged() -> None:
    found = record(SPANS, LOGS_PROTO[: len(LOGS_PROTO) // 2])
    assert any(problem.lost for problem in found.problems)
    assert [code for code in exits(found) if code is not None] == exits(found)[
        : sum(c is not None for c in exits(found))
    ]


def test_written_back_the_records_are_as_they_came_and_the_spans_annotated() -> None:
    text = json.dumps(LOGS, indent=1)
    sources = [Source.of_bytes("logs", text.encode()), Source.of_bytes("spans", json.dumps(SPANS).encode())]
    found = explain_files(sources, Config())
    logs, spans = annotate_files(sources, found, Config())
    assert logs == text
    assert "footprint.script.exit_code" in spans


def test_log_records_in_protobuf_are_written_back_as_json() -> None:
    sources = [Source.of_bytes("logs", LOGS_PROTO), Source.of_bytes("spans", json.dumps(SPANS).encode())]
    found = explain_files(sources, Config())
    *logs, _ = annotate_files(sources, found, Config())
    written = {"resourceLogs": [group for text in logs for group in json.loads(text)["resourceLogs"]]}
    assert exits(record(SPANS, written)) == [0, 2, 0, 1]
