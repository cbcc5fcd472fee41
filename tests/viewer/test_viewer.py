"""The server behind ``otel-footprint view``: what it takes, what it refuses, and what it answers."""

from __future__ import annotations

import gzip
import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from google.protobuf.json_format import Parse
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from pages import SPANS, Page, hostile_request
from viewing import Viewer, running_viewer

from otel_footprint.config import Config
from otel_footprint.viewer import Store
from otel_footprint.viewer.store import StoredTurn


@pytest.fixture
def store() -> Iterator[Store]:
    with closing(Store()) as opened:
        yield opened


@pytest.fixture
def viewer(store: Store) -> Iterator[Viewer]:
    with running_viewer(store) as running:
        yield running


def protobuf(request: object) -> bytes:
    text = json.dumps(request)
    message = Parse(text, ExportTraceServiceRequest())
    for group in message.resource_spans:
        for scope in group.scope_spans:
            for span in scope.spans:
                # protobuf's own JSON has ids in base64, OTLP's has them in hex
                span.trace_id, span.span_id = b"\x55" * 16, span.span_id[:8]
    encoded: bytes = message.SerializeToString()
    return encoded


# --- the way of a trace --------------------------------------------------------------------------


def test_a_request_is_explained_and_its_turn_is_told_of(viewer: Viewer) -> None:
    taken = viewer.send(hostile_request("night"))
    assert (taken.status, taken.body, taken.headers["content-type"]) == (200, b"{}", "application/json")
    answer = viewer.changes(turns=1)
    [row] = answer["rows"]
    assert (row["agent"], row["question"], answer["spans"], answer["removed"]) == ("night", "night", 3, [])
    detail = viewer.ask("GET", f"/api/turns/{row['trace_id']}/{row['span_id']}").json
    assert [script["exit_code"] for script in detail["scripts"]] == [3]
    assert len(detail["account"]["rows"]) == 7


def test_a_turn_that_was_told_of_is_told_of_again_only_when_it_changes(viewer: Viewer, store: Store) -> None:
    request = hostile_request("night")
    spans = request["resourceSpans"][0]["scopeSpans"][0]["spans"]
    tool = spans.pop()
    viewer.send(request)
    first = viewer.changes(turns=1)
    assert first["rows"][0]["calls"] == 0
    assert viewer.changes(after=first["version"], turns=0)["rows"] == []
    spans[:] = [tool]
    viewer.send(request)
    second = viewer.changes(after=first["version"], turns=1)
    assert second["rows"][0]["calls"] == 1
    assert second["store"] == first["store"] == store.id


def test_a_turn_that_stood_in_for_one_that_came_is_told_to_be_gone(viewer: Viewer) -> None:
    request = hostile_request("night")
    spans = request["resourceSpans"][0]["scopeSpans"][0]["spans"]
    turn = spans.pop(0)
    viewer.send(request)
    [stand_in] = viewer.changes(turns=1)["rows"]
    assert stand_in["incomplete"] is True
    spans[:] = [turn]
    viewer.send(request)
    answer = viewer.changes(turns=2)
    assert answer["removed"] == [f"{stand_in['trace_id']}/{stand_in['span_id']}"]
    assert [row["incomplete"] for row in answer["rows"]] == [False]


def test_a_compressed_request_and_protobuf_are_taken_too(viewer: Viewer) -> None:
    request = hostile_request("night")
    for encoding, packed in (("gzip", gzip.compress), ("deflate", zlib.compress)):
        body = packed(json.dumps(request).encode())
        answer = viewer.ask("POST", "/v1/traces", body, content_type="application/json", content_encoding=encoding)
        assert answer.status == 200
    answer = viewer.send(protobuf(request))
    assert (answer.status, answer.body, answer.headers["content-type"]) == (200, b"", "application/x-protobuf")
    assert viewer.changes(turns=1)["rows"][0]["agent"] == "night"


def test_programs_are_told_on_request_only(store: Store) -> None:
    for programs, text in ((False, None), (True, "night")):
        with running_viewer(store, Config(programs=programs)) as viewer:
            viewer.send(hostile_request("night"))
            answer = viewer.changes(after=int(programs), turns=1)
            [row] = answer["rows"] or viewer.changes(turns=1)["rows"]
            detail = viewer.ask("GET", f"/api/turns/{row['trace_id']}/{row['span_id']}").json
            assert [script["text"] for script in detail["scripts"]] == [text]


# --- what is refused -----------------------------------------------------------------------------


def test_what_is_no_otlp_is_refused_in_the_requests_own_media_type(viewer: Viewer, store: Store) -> None:
    as_json = viewer.ask("POST", "/v1/traces", b"{", content_type="application/json")
    assert (as_json.status, list(as_json.json)) == (400, ["message"])
    as_protobuf = viewer.send(b"\xff\xff\xff")
    assert as_protobuf.status == 400
    assert Status.FromString(as_protobuf.body).message
    assert store.requests() == []


def test_a_request_without_spans_is_taken_and_not_kept(viewer: Viewer, store: Store) -> None:
    assert viewer.send(b"").status == 200
    assert viewer.send({"resourceSpans": []}).status == 200
    assert store.requests() == []


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_what_a_page_of_the_web_could_send_without_asking_is_refused(viewer: Viewer, media_type: str) -> None:
    answer = viewer.ask("POST", "/v1/traces", b"{}", content_type=media_type)
    assert answer.status == 415


def test_a_host_of_another_name_is_refused(viewer: Viewer) -> None:
    assert viewer.ask("GET", "/api/turns", host="evil.example").status == 400
    assert viewer.ask("GET", "/api/turns", host=f"localhost:{viewer.port}").status == 200


def test_no_other_site_may_read_an_answer(viewer: Viewer) -> None:
    answer = viewer.ask("GET", "/api/turns", origin="https://evil.example")
    assert "access-control-allow-origin" not in answer.headers
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_a_bomb_is_refused_before_it_goes_off(viewer: Viewer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("otel_footprint.viewer.app.MAX_REQUEST_BYTES", 100_000)
    bomb = gzip.compress(b" " * 10_000_000)
    headers = {"content_type": "application/json", "content_encoding": "gzip"}
    assert viewer.ask("POST", "/v1/traces", bomb, **headers).status == 413
    assert viewer.ask("POST", "/v1/traces", b" " * 100_001, content_type="application/json").status == 413
    assert viewer.ask("POST", "/v1/traces", bomb[:50], **headers).status == 400
    assert viewer.ask("POST", "/v1/traces", b"x", content_type="application/json", content_encoding="br").status == 415


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/turns?after=x", 400),
        ("/api/turns?after=-1", 400),
        (f"/api/turns?after={'9' * 30}", 400),
        ("/api/turns/none/none", 404),
        ("/nothing", 404),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused(viewer: Viewer, path: str, status: int) -> None:
    assert viewer.ask("GET", path).status == status


# --- the page and the store ----------------------------------------------------------------------


def test_the_page_may_ask_its_own_server_and_nobody_else(viewer: Viewer) -> None:
    answer = viewer.ask("GET", "/")
    page = Page(answer.body.decode("ascii"))
    assert "connect-src 'self'" in page.policy
    assert page.blocks["head"][0]["live"] is True
    assert answer.headers["content-security-policy"] == "frame-ancestors 'none'"


def test_a_store_in_a_file_is_there_the_next_time(tmp_path: Path) -> None:
    path = str(tmp_path / "turns.sqlite")
    with closing(Store(path)) as store, running_viewer(store) as viewer:
        viewer.send(hostile_request("night"))
        first = viewer.changes(turns=1)
    with closing(Store(path)) as store, running_viewer(store) as viewer:
        assert viewer.changes(turns=1) == first


def test_past_the_bound_the_oldest_requests_go_and_the_newest_stays() -> None:
    with closing(Store(max_bytes=25)) as store:
        for body in (b"a" * 10, b"b" * 10, b"c" * 10):
            store.add(body)
        assert store.requests() == [b"b" * 10, b"c" * 10]
        store.add(b"d" * 100)
        assert store.requests() == [b"d" * 100]


def test_turns_get_a_new_version_only_where_they_differ() -> None:
    one, other = StoredTurn(row='"1"', detail="1"), StoredTurn(row='"2"', detail="2")
    with closing(Store()) as store:
        store.replace_turns({("a", "1"): one, ("b", "1"): one})
        store.replace_turns({("a", "1"): one, ("b", "1"): other})
        assert [(change.key[0], change.version) for change in store.changes(0)] == [("a", 1), ("b", 3)]
        store.replace_turns({("b", "1"): other})
        assert [(change.key[0], change.row) for change in store.changes(3)] == [("a", None)]
        assert (store.detail(("a", "1")), store.detail(("b", "1"))) == (None, "2")


def test_two_stores_are_told_apart_and_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    with closing(Store()) as one, closing(Store()) as other:
        assert 0 != one.id != other.id != 0
    path = tmp_path / "no-store"
    path.write_bytes((SPANS / "vercel_ai_v7.otlp.json").read_bytes())
    with pytest.raises(sqlite3.DatabaseError):
        Store(str(path))
