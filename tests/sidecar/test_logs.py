"""Log records pass as they came, and what they tell joins the turn that they belong to."""

from __future__ import annotations

from pathlib import Path

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from otlp import SECOND, START, event_names, ours, recorded, recorded_logs, request, span, spans_of
from sidecars import Holding, memory_queue

from otel_footprint.config import Config
from otel_footprint.sidecar.queue import LmdbQueue, QueueFullError
from otel_footprint.sidecar.wire import MalformedError
from otel_footprint.turns import TurnAssembler

TURN, LOGS = "codex_trimmed", "codex"
IDLE = Config(hold_seconds=2.0, idle_seconds=600.0)


def lmdb(path: Path) -> LmdbQueue:
    queue = LmdbQueue(path, max_bytes=2**24)
    queue.owe_to({signal: ["backend"] for signal in ("traces", "logs")})
    return queue


def log_request(*records: LogRecord, scope: str = "tests") -> bytes:
    made = ExportLogsServiceRequest()
    group = made.resource_logs.add().scope_logs.add()
    group.scope.name = scope
    group.log_records.extend(records)
    return made.SerializeToString()


def log_record(name: str, *, body: str = "", field: bool = False, **attributes: str) -> LogRecord:
    made = LogRecord(time_unix_nano=START + SECOND)
    made.body.string_value = body
    if field:
        made.event_name = name
    else:
        attributes = {"event.name": name, **attributes}
    for key, value in attributes.items():
        made.attributes.add(key=key).value.string_value = value
    return made


def taken(holding: Holding) -> int:
    return holding.holder.statistics().assembler.logs.taken


def said(holding: Holding) -> list[tuple[list[bytes], list[bytes]]]:
    return [ours(one) for one in spans_of(*holding.sent) if ours(one)[0]]


def whole() -> list[tuple[list[bytes], list[bytes]]]:
    """What is said when everything came before the turn was let go."""
    holding = Holding()
    holding.take_logs(*recorded_logs(LOGS))
    holding.take(*recorded(TURN))
    holding.let_go()
    return said(holding)


@pytest.mark.parametrize("name", ["claude_code_full", "codex", "gemini_cli_full", "google_adk", "google_adk_legacy"])
def test_requests_go_on_as_the_bytes_that_came(name: str) -> None:
    holding = Holding()
    bodies = [body + b"\xfa\x7f\x03new" for body in recorded_logs(name)]
    holding.take_logs(*bodies)
    assert holding.sent_logs == bodies
    assert taken(holding) > 0


def test_records_of_no_agent_are_passed_by() -> None:
    holding = Holding()
    holding.take_logs(log_request(log_record("checkout.done")), b"")
    statistics = holding.holder.statistics().assembler.logs
    assert (statistics.taken, statistics.other) == (0, 0)
    assert len(holding.sent_logs) == 2


@pytest.mark.parametrize("field", [False, True])
def test_the_event_s_name_is_found_in_its_attribute_and_in_its_field(*, field: bool) -> None:
    if field and "event_name" not in LogRecord.DESCRIPTOR.fields_by_name:
        pytest.skip("this version of the messages has no such field")
    holding = Holding()
    holding.take_logs(log_request(log_record("codex.tool_result", field=field, call_id="c1")))
    assert taken(holding) == 1


def test_a_scope_that_is_known_marks_records_whose_names_say_nothing() -> None:
    holding = Holding()
    holding.take_logs(
        log_request(log_record("tool_result", tool_use_id="c1"), scope="com.anthropic.claude_code.events")
    )
    assert taken(holding) == 1


def test_records_that_come_while_the_turn_is_held_are_in_its_explanation() -> None:
    holding = Holding()
    holding.take(*recorded(TURN))
    holding.at(1.0)
    holding.take_logs(*recorded_logs(LOGS))
    holding.let_go()
    assert said(holding) == whole()


def test_records_that_come_after_it_went_are_told_by_an_addendum() -> None:
    holding = Holding()
    holding.take(*recorded(TURN))
    holding.at(2.0)
    holding.take_logs(*recorded_logs(LOGS))
    holding.let_go()
    assert [one.name for one in spans_of(*holding.sent) if "footprint.account" in event_names(one)] == [
        "session_task.turn",
        "footprint.addendum",
    ]


def test_the_same_request_twice_goes_on_twice_and_is_read_once() -> None:
    holding = Holding()
    holding.take_logs(*recorded_logs(LOGS), *recorded_logs(LOGS))
    holding.take(*recorded(TURN))
    holding.let_go()
    assert len(holding.sent_logs) == 2 * len(recorded_logs(LOGS))
    assert said(holding) == whole()


def test_a_restart_keeps_what_they_told(tmp_path: Path) -> None:
    """P13."""
    before = Holding(IDLE, lmdb(tmp_path))
    before.take_logs(*recorded_logs(LOGS))
    before.take(*recorded(TURN))
    before.holder.close()
    before.queue.close()
    after = Holding(IDLE, lmdb(tmp_path))
    assert after.stored_logs
    after.holder.replay()
    after.let_go()
    assert said(after) == whole()
    assert after.stored_logs == after.stored == []
    assert sum(after.queue.statistics().items.values()) == sum(before.queue.statistics().items.values())


def test_records_whose_spans_never_come_are_given_up_after_a_while(tmp_path: Path) -> None:
    holding = Holding(IDLE, lmdb(tmp_path))
    holding.take_logs(*recorded_logs(LOGS))
    holding.at(599.0)
    assert holding.stored_logs
    holding.at(601.0)
    assert holding.stored_logs == []
    assert holding.sent_logs == list(recorded_logs(LOGS))
    assert holding.holder.statistics().assembler.logs.held == 0


def test_a_store_without_a_turn_of_its_records_forgets_them_after_a_restart_too(tmp_path: Path) -> None:
    before = Holding(IDLE, lmdb(tmp_path))
    before.take_logs(*recorded_logs(LOGS))
    before.queue.close()
    after = Holding(IDLE, lmdb(tmp_path))
    after.holder.replay()
    assert taken(after) == taken(before)
    after.at(601.0)
    assert after.stored_logs == []


def test_a_text_that_is_not_utf_8_costs_only_itself() -> None:
    holding = Holding()
    body = log_request(log_record("codex.tool_result", body="XXXX", call_id="c1")).replace(b"XXXX", b"\xff\xfe\xff\xfe")
    holding.take_logs(body)
    assert holding.sent_logs == [body]
    assert taken(holding) == 1


def test_a_record_that_does_not_decode_passes_and_its_neighbours_are_read() -> None:
    broken = log_request(log_record("codex.tool_result", call_id="XXXX"), log_record("codex.tool_result", call_id="c2"))
    # the value of the first call's id claims to be longer than it is
    broken = broken.replace(b"\x0a\x04XXXX", b"\x0a\x7fXXXX")
    holding = Holding()
    holding.take_logs(broken)
    assert holding.sent_logs == [broken]
    assert taken(holding) == 1
    assert holding.holder.statistics().unreadable == 1


def test_what_is_no_request_is_refused_and_nothing_of_it_is_kept() -> None:
    holding = Holding()
    for body in (b"\x0a", b"hello", b"\x0a\x05ab"):
        with pytest.raises(MalformedError):
            holding.take_logs(body)
    assert holding.sent_logs == []


def test_a_full_queue_refuses_a_request_and_reads_nothing_of_it() -> None:
    holding = Holding(queue=memory_queue(100))
    with pytest.raises(QueueFullError):
        holding.take_logs(*recorded_logs(LOGS))
    assert taken(holding) == 0


@pytest.mark.parametrize("step", ["add_log", "recognise"])
def test_an_error_of_ours_leaves_them_as_they_came(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """P2."""

    def broken(*_: object) -> None:
        raise RuntimeError("of a test")

    monkeypatch.setenv("FOOTPRINT_RAISE_INTERNAL_ERRORS", "false")
    if step == "add_log":
        monkeypatch.setattr(TurnAssembler, "add_log", broken)
    else:
        monkeypatch.setattr("otel_footprint.sidecar.log_taking.recognise_log", broken)
    holding = Holding()
    holding.take_logs(*recorded_logs(LOGS))
    holding.take(request(span(1)))
    assert holding.sent_logs == list(recorded_logs(LOGS))
    assert holding.holder.statistics().errors == {"logs" if step == "add_log" else "read logs": 1}
