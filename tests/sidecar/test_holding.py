"""Plain spans pass, turns' spans wait and go on explained; whatever fails, spans go on as they came."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from otlp import (
    SECOND,
    START,
    TRACE,
    agent,
    decoded,
    event_names,
    named,
    ours,
    recorded,
    request,
    span,
    spans_of,
    tool,
    without_ours,
)
from secret_shapes import SECRETS
from sidecars import Holding, memory_queue

from otel_footprint import _assembly, _stand_ins, turns
from otel_footprint.config import Config
from otel_footprint.sidecar import explaining, taking
from otel_footprint.sidecar.holding import Caps
from otel_footprint.sidecar.queue import LmdbQueue, QueueFullError
from otel_footprint.sidecar.wire import MalformedError
from otel_footprint.spanview_otlp import OtlpMapSpan
from otel_footprint.turns import TurnAssembler

PLANNER = "invoke_agent planner"
OTHER = "b7ad6b7169203331b7ad6b7169203331"


def account(one: Span) -> dict[str, Any]:
    event = next(event for event in one.events if event.name == "footprint.account")
    return {pair.key: pair.value for pair in event.attributes}


# -- passing


def test_a_request_without_a_mark_is_the_very_bytes_that_came() -> None:
    holding = Holding()
    body = request(span(1), span(2, 1)) + b"\xfa\x7f\x03new"
    holding.take(body)
    assert holding.sent == [body]


def test_spans_that_carry_no_turn_leave_at_once() -> None:
    holding = Holding()
    holding.take(request(tool(2, 1), agent(1), span(3, 1)))
    assert [one.span_id[-1] for one in spans_of(*holding.sent)] == [2, 3]


def test_what_is_no_request_is_refused_and_nothing_of_it_is_kept() -> None:
    holding = Holding()
    for body in (b"\x0a", b"hello", b"\x00\x00", b"\x0a\x05ab"):
        with pytest.raises(MalformedError):
            holding.take(body)
    assert holding.sent == holding.stored == []


def test_an_empty_request_is_taken() -> None:
    holding = Holding()
    holding.take(b"")
    assert holding.sent == [b""]


# -- holding


def test_a_turn_waits_for_late_children_and_is_then_written_once() -> None:
    holding = Holding()
    holding.take(request(agent(1)))
    holding.at(1.9)
    assert holding.sent == []
    holding.take(request(tool(2, 1)))
    holding.at(2.0)
    explained = named(holding.sent)[PLANNER]
    assert account(explained)["footprint.account.calls"].int_value == 1
    holding.let_go()
    assert sorted(named(holding.sent)) == ["execute_tool search", PLANNER]


def test_with_a_hold_of_zero_a_turn_goes_as_soon_as_it_is_looked_at() -> None:
    holding = Holding(Config(hold_seconds=0.0))
    holding.take(request(tool(2, 1), agent(1)))
    holding.at(0.0)
    assert "footprint.account" in event_names(named(holding.sent)[PLANNER])


def test_log_records_of_a_turn_go_out_as_logs_of_its_resource() -> None:
    holding = Holding(Config(hold_seconds=2.0, writers=("attributes", "logs", "evaluation")))
    holding.take(request(tool(2, 1), agent(1), resource={"service.name": "shop"}))
    holding.at(1.9)
    assert list(holding.queue.peek("logs", max_bytes=2**40)) == []
    holding.let_go()
    (entry,) = holding.queue.peek("logs", max_bytes=2**40)
    (group,) = ExportLogsServiceRequest.FromString(entry.body).resource_logs
    (scope,) = group.scope_logs
    assert group.resource.attributes[0].value.string_value == "shop"
    assert scope.scope.name == "otel_footprint"
    assert entry.items == len(scope.log_records)
    # the field of the name is written by hand, so it is looked for in the bytes
    assert b"b\x11footprint.account" in entry.body
    assert b"b\x18gen_ai.evaluation.result" in entry.body
    turn = named(holding.sent)[PLANNER]
    assert {(r.trace_id, r.span_id) for r in scope.log_records} == {(turn.trace_id, turn.span_id)}
    assert all(r.severity_number and r.body.string_value for r in scope.log_records)


def test_a_child_that_is_too_late_passes_and_one_addendum_follows() -> None:
    holding = Holding()
    holding.take(request(agent(1), resource={"service.name": "shop"}))
    holding.at(2.1)
    holding.take(request(tool(2, 1), resource={"service.name": "other"}))
    holding.at(3.0)
    holding.take(request(tool(3, 1, name="fetch")))
    holding.at(6.0)
    sent = named(holding.sent)
    addendum = sent["footprint.addendum"]
    assert account(addendum)["footprint.account.revision"].int_value == 2
    assert account(addendum)["footprint.account.calls"].int_value == 2
    assert [(link.trace_id.hex(), link.span_id) for link in addendum.links] == [(TRACE, sent[PLANNER].span_id)]
    services = {
        scope.spans[0].name: group.resource.attributes[0].value.string_value
        for group in decoded(*holding.sent).resource_spans
        for scope in group.scope_spans
    }
    assert services["footprint.addendum"] == "shop"
    holding.take(request(tool(4, 1, name="again")))
    holding.let_go()
    assert len([one for one in spans_of(*holding.sent) if one.name == "footprint.addendum"]) == 1


def test_the_turn_of_another_trace_is_not_held_up() -> None:
    holding = Holding()
    holding.take(request(agent(1)))
    holding.now = 1.5
    holding.take(request(agent(1, trace=OTHER)))
    holding.at(2.0)
    assert [one.trace_id.hex() for one in spans_of(*holding.sent)] == [TRACE]


def test_a_span_that_was_explained_before_passes_as_it_is() -> None:
    first, second = Holding(), Holding()
    first.take(request(tool(2, 1), agent(1)))
    first.let_go()
    second.take(*first.sent)
    second.let_go()
    assert second.sent == first.sent


def test_a_copy_of_a_turns_span_is_left_out_and_one_that_differs_passes() -> None:
    holding = Holding()
    holding.take(request(agent(1)), request(agent(1)), request(agent(1, end=START + 9 * SECOND)))
    holding.at(2.0)
    holding.take(request(agent(1)))
    holding.let_go()
    assert len(list(spans_of(*holding.sent))) == 2
    assert holding.holder.statistics().duplicates == 2


def test_what_is_open_at_the_end_is_explained_as_incomplete() -> None:
    holding = Holding()
    holding.take(request(agent(1), tool(2, 1)), request(tool(3, 9, trace=OTHER, name="fetch")))
    holding.holder.close()
    sent = named(holding.sent)
    assert "footprint.account" in event_names(sent[PLANNER])
    assert sent["footprint"].trace_id.hex() == OTHER
    incomplete = account(sent["footprint"])["footprint.account.incomplete"].array_value.values
    assert "shutdown" in [value.string_value for value in incomplete]


def test_under_pressure_a_turn_goes_as_incomplete_and_no_span_is_lost() -> None:
    holding = Holding(Config(hold_seconds=60.0, max_open_turns=10))
    for number in range(100):
        holding.take(request(agent(1, trace=f"{number + 1:032x}")))
        holding.at(number / 100)
    sent = list(spans_of(*holding.sent))
    assert len(sent) == 90
    assert all("footprint.account" in event_names(one) for one in sent)
    assert holding.holder.statistics().held == 10
    holding.let_go()
    assert len(list(spans_of(*holding.sent))) == 100


@pytest.mark.parametrize("caps", [Caps(per_trace=3_000), Caps(all=3_000)])
def test_held_spans_over_a_cap_go_as_incomplete(caps: Caps) -> None:
    holding = Holding(Config(hold_seconds=60.0), caps=caps)
    holding.take(request(agent(1, trace=OTHER)))
    for number in range(2, 40):
        holding.take(request(agent(number)))
    now = holding.holder.statistics()
    assert now.held_bytes <= 3_000
    sent = list(spans_of(*holding.sent))
    assert all("footprint.account" in event_names(one) for one in sent)
    assert now.held + len(sent) == 39
    # one trace that is too large is no reason to let another one go
    assert (OTHER in [one.trace_id.hex() for one in sent]) is (caps.all == 3_000)


def test_changed_settings_hold_for_what_is_held_already() -> None:
    holding = Holding(Config(hold_seconds=60.0))
    holding.take(request(agent(1)))
    holding.holder.configure(Config(hold_seconds=1.0, writers=("attributes",)), Caps())
    holding.at(1.0)
    explained = named(holding.sent)[PLANNER]
    assert event_names(explained) == []
    assert "footprint.tone" in [pair.key for pair in explained.attributes]


def test_a_plain_span_between_a_turn_and_its_call_is_found_when_it_is_needed() -> None:
    holding = Holding()
    holding.take(request(tool(3, 2)))
    holding.at(0.1)
    holding.take(request(span(2, 1)), request(agent(1)))
    holding.let_go()
    explained = named(holding.sent)[PLANNER]
    assert account(explained)["footprint.account.calls"].int_value == 1
    assert "footprint.account.incomplete" not in account(explained)


@pytest.mark.parametrize("plain_first", [False, True])
def test_a_plain_span_between_a_turn_and_one_that_was_explained_long_before_is_found(*, plain_first: bool) -> None:
    holding = Holding()
    holding.take(request(tool(4, 3), agent(3, 2)))
    for now in (31.0, 36.0, 100.0):
        holding.at(now)
    assert holding.holder.statistics().assembler.traces == 0
    bodies = [request(span(2, 1)), request(agent(1, end=START + 90 * SECOND))]
    for body in bodies if plain_first else bodies[::-1]:
        holding.take(body)
        holding.at(holding.now + 0.2)
    holding.let_go()
    (outer,) = [one for one in spans_of(*holding.sent) if not one.parent_span_id]
    incomplete = account(outer)["footprint.account.incomplete"].array_value.values
    assert "evicted-before" in [value.string_value for value in incomplete]


def test_a_plain_root_that_came_before_does_not_make_its_turn_wait() -> None:
    holding = Holding()
    holding.take(request(span(1)), request(agent(2, 1)))
    holding.at(2.0)
    assert "footprint.account.incomplete" not in account(named(holding.sent)[PLANNER])


def test_what_waits_is_put_to_rest_once_however_many_turns_of_its_trace_go(monkeypatch: pytest.MonkeyPatch) -> None:
    rested = 0
    rest = OtlpMapSpan.rest

    def counted(view: OtlpMapSpan) -> None:
        nonlocal rested
        rested += 1
        rest(view)

    monkeypatch.setattr(OtlpMapSpan, "rest", counted)
    holding = Holding()
    holding.take(request(*(agent(number) for number in range(1, 201))))
    holding.let_go()
    assert len([one for one in spans_of(*holding.sent) if one.events]) == 200
    # when it comes, and after it was read
    assert rested == 2 * 200


@pytest.mark.parametrize("shuffles", [25, pytest.param(1_000, marks=pytest.mark.soak)])
def test_order_does_not_matter(shuffles: int) -> None:
    """P9."""
    name = "pydantic_ai"
    spans = [
        (scope.scope.name, one)
        for group in decoded(*recorded(name)).resource_spans
        for scope in group.scope_spans
        for one in scope.spans
    ]
    resource = {
        pair.key: pair.value.string_value
        for pair in decoded(*recorded(name)).resource_spans[0].resource.attributes
        if pair.value.string_value
    }
    chance = random.Random(9)  # noqa: S311 - chance of a test
    seen = set()
    for _ in range(shuffles):
        chance.shuffle(spans)
        holding = Holding()
        for scope, one in (*spans, *spans[: len(spans) // 3]):
            holding.take(request(one, scope=scope, resource=resource))
            if chance.random() < 0.1:
                holding.at(holding.now + 0.01)
        holding.let_go()
        seen.add(repr(sorted((one.span_id, ours(one)) for one in spans_of(*holding.sent) if ours(one)[0])))
    assert len(seen) == 1


@pytest.mark.parametrize("shift", [-3600, 7200])
def test_a_senders_clock_is_nobodys_but_its_own(shift: int) -> None:
    """P15: what is due follows the holder's clock, and a span's times stay as they came."""
    holding = Holding()
    one = agent(1)
    one.start_time_unix_nano += shift * SECOND
    one.end_time_unix_nano += shift * SECOND
    holding.take(request(tool(2, 1), one))
    holding.at(2.0)
    explained = named(holding.sent)[PLANNER]
    assert without_ours(explained) == one
    assert all(one.start_time_unix_nano <= event.time_unix_nano <= one.end_time_unix_nano for event in explained.events)


def test_an_end_before_its_start_is_said_and_kept() -> None:
    """P15."""
    holding = Holding()
    one = agent(1, end=START - SECOND)
    holding.take(request(one))
    holding.let_go()
    explained = named(holding.sent)[PLANNER]
    assert without_ours(explained) == one
    incomplete = account(explained)["footprint.account.incomplete"].array_value.values
    assert "clock" in [value.string_value for value in incomplete]


@pytest.mark.parametrize("end", [2**64 - 1, 0])
def test_a_turn_at_the_last_time_that_there_is_is_explained(end: int) -> None:
    """P15."""
    holding = Holding(Config(hold_seconds=0.0, writers=("events", "attributes", "child_span", "logs")))
    one = agent(1, end=end)
    one.start_time_unix_nano = 2**64 - 1
    holding.take(request(tool(2, 1), one))
    holding.let_go()
    explained = named(holding.sent)[PLANNER]
    assert without_ours(explained) == one
    assert "footprint.account" in event_names(explained)
    assert holding.holder.statistics().errors == {}


# -- what cannot be read


def test_a_text_that_is_not_utf_8_costs_only_itself() -> None:
    """P17."""
    holding = Holding()
    body = request(tool(2, 1), agent(1)).replace(b"planner", b"pl\xffnner")
    holding.take(body)
    holding.let_go()
    sent = b"".join(holding.sent)
    assert b"invoke_agent pl\xffnner" in sent
    assert b"footprint.account" in sent
    assert holding.holder.statistics().unreadable == 0


def test_a_value_too_deep_to_decode_passes_and_its_neighbours_are_explained() -> None:
    deep = b"\x0a\x01x"
    for _ in range(200):
        # an array of one value
        inner = b"\x0a" + _length(deep) + deep
        deep = b"\x2a" + _length(inner) + inner
    attribute = b"\x0a\x08gen_ai.x\x12" + _length(deep) + deep
    raw = tool(2, 1).SerializeToString() + b"\x4a" + _length(attribute) + attribute
    scope = b"\x12" + _length(raw) + raw
    group = b"\x12" + _length(scope) + scope
    body = b"\x0a" + _length(group) + group
    holding = Holding()
    holding.take(body, request(agent(1)))
    holding.let_go()
    assert holding.sent[0] == body
    assert b"footprint.account" in holding.sent[1]
    assert holding.holder.statistics().unreadable == 1


def _length(data: bytes) -> bytes:
    encoded = bytearray()
    size = len(data)
    while size >= 0x80:
        encoded.append(size & 0x7F | 0x80)
        size >>= 7
    encoded.append(size)
    return bytes(encoded)


@pytest.mark.parametrize("secret", SECRETS)
def test_no_secret_of_a_span_is_quoted(secret: str) -> None:
    """P16: in attributes, an event, a link, the resource, names, a status' text and the scope."""
    holding = Holding()
    one = tool(2, 1, name=f"call {secret}")
    one.status.code, one.status.message = Status.STATUS_CODE_ERROR, f"denied for {secret}"
    one.attributes.add(key="gen_ai.tool.call.arguments").value.string_value = json.dumps(
        {"command": f"deploy {secret}", "token": secret}
    )
    one.attributes.add(key="gen_ai.tool.call.result").value.string_value = json.dumps({"found": secret})
    event = one.events.add(name=f"exception {secret}")
    event.attributes.add(key="exception.message").value.string_value = secret
    link = one.links.add(trace_id=bytes.fromhex(OTHER), span_id=bytes(7) + b"\x01")
    link.attributes.add(key="why").value.string_value = secret
    holding.take(request(one, agent(1), resource={"service.name": secret}, scope=secret))
    holding.let_go()
    events, attributes = ours(named(holding.sent)[PLANNER])
    assert events
    told = b"".join([*events, *attributes])
    assert secret.encode() not in told
    assert json.dumps(secret)[1:-1].encode() not in told


# -- what fails

STEPS = {
    "read": (taking, "agent_spans"),
    "recognise": (taking, "recognise"),
    "hold": (taking, "may_carry_turn"),
    "explain": (explaining, "explain"),
    "write": (explaining, "write"),
    "additions": (explaining, "additions"),
}


@pytest.mark.parametrize("step", STEPS)
def test_an_error_of_ours_leaves_the_spans_as_they_came(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """P2."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(*STEPS[step], broken)
    holding = Holding()
    came = [agent(1), tool(2, 1)]
    holding.take(request(*came))
    holding.let_go()
    assert sorted(spans_of(*holding.sent), key=lambda one: one.span_id) == came
    assert sum(holding.holder.statistics().errors.values()) > 0


@pytest.mark.parametrize("step", ["add", "collect", "knows"])
def test_an_error_of_the_assembler_leaves_the_spans_as_they_came(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """P2."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(TurnAssembler, step, broken)
    holding = Holding()
    came = [agent(1), tool(2, 1)]
    holding.take(request(*came))
    holding.let_go()
    assert sorted(map(without_ours, spans_of(*holding.sent)), key=lambda one: one.span_id) == came
    assert sum(holding.holder.statistics().errors.values()) > 0


@pytest.mark.parametrize("stand_in", [False, True])
def test_a_turn_that_cannot_be_read_costs_no_other_turn_its_explanation(
    monkeypatch: pytest.MonkeyPatch, *, stand_in: bool
) -> None:
    """P17."""
    build = _assembly.build_turn

    def broken(trace: Any, *rest: Any) -> Any:
        if trace.trace_id == OTHER:
            raise RuntimeError("a defect")
        return build(trace, *rest)

    monkeypatch.setattr(turns, "build_turn", broken)
    monkeypatch.setattr(_stand_ins, "build_turn", broken)
    holding = Holding()
    bad = tool(1, 9, trace=OTHER) if stand_in else agent(1, trace=OTHER)
    holding.take(request(tool(2, 1), bad), request(agent(1)))
    holding.let_go()
    sent = {one.trace_id.hex(): one for one in spans_of(*holding.sent) if one.span_id == bad.span_id}
    assert sent[OTHER] == bad
    assert account(sent[TRACE])["footprint.account.calls"].int_value == 1
    assert holding.holder.statistics().errors == {"turn": 1}
    assert holding.stored == []


def test_a_refused_request_leaves_no_trace_and_can_come_again() -> None:
    queue = memory_queue(max_bytes=10_000)
    holding = Holding(queue=queue)
    filler = request(span(9, name="x" * 7_000))
    holding.take(filler)
    body = request(tool(2, 1), agent(1), span(3, 1, name="y" * 2_000))
    with pytest.raises(QueueFullError):
        holding.take(body)
    assert holding.holder.statistics().assembler.spans == 0
    queue.acknowledge("backend", [entry.id for entry in queue.peek("traces", max_bytes=10**6)])
    holding.take(body)
    holding.let_go()
    assert account(named(holding.sent)[PLANNER])["footprint.account.calls"].int_value == 1


def test_an_explanation_that_finds_no_room_is_written_when_there_is() -> None:
    queue = memory_queue(max_bytes=3_000)
    holding = Holding(queue=queue)
    holding.take(request(agent(1)))
    holding.take(request(span(9, name="x" * 1_700)))
    holding.at(2.0)
    assert holding.holder.statistics().unwritten == 1
    queue.acknowledge("backend", [entry.id for entry in queue.peek("traces", max_bytes=10**6)])
    holding.at(2.2)
    assert event_names(named(holding.sent)[PLANNER])


# -- a restart


def lmdb(path: Path) -> LmdbQueue:
    queue = LmdbQueue(path, max_bytes=2**24)
    queue.owe_to({"traces": ["backend"]})
    return queue


def test_a_restart_in_the_middle_of_a_turn_still_gives_one_whole_explanation(tmp_path: Path) -> None:
    """P13."""
    before = Holding(queue=lmdb(tmp_path))
    before.take(request(tool(3, 2)), request(span(2, 1)), request(tool(4, 1, name="fetch")))
    before.at(0.1)
    before.holder.close()
    before.queue.close()
    after = Holding(queue=lmdb(tmp_path))
    assert after.holder.replay() == 0
    after.take(request(agent(1)))
    after.let_go()
    sent = named(after.sent)
    assert sorted(sent) == ["execute_tool fetch", "execute_tool search", PLANNER, "span 2"]
    assert account(sent[PLANNER])["footprint.account.calls"].int_value == 2
    assert "footprint.account.incomplete" not in account(sent[PLANNER])
    assert after.stored == []


def test_a_restart_while_a_turn_is_held_gives_its_explanation_afterwards(tmp_path: Path) -> None:
    """P13."""
    before = Holding(queue=lmdb(tmp_path))
    before.take(request(tool(2, 1), agent(1)))
    before.holder.close()
    before.queue.close()
    after = Holding(queue=lmdb(tmp_path))
    assert after.holder.replay() == 1
    after.at(1.0)
    after.take(request(tool(3, 1, name="fetch")))
    after.let_go()
    assert account(named(after.sent)[PLANNER])["footprint.account.calls"].int_value == 2
    assert after.stored == []


def test_a_turn_that_was_explained_before_a_restart_is_not_explained_again(tmp_path: Path) -> None:
    before = Holding(queue=lmdb(tmp_path))
    before.take(request(tool(2, 1), agent(1)))
    before.at(2.0)
    sent = before.sent
    before.holder.close()
    before.queue.close()
    after = Holding(queue=lmdb(tmp_path))
    after.holder.replay()
    after.let_go()
    assert after.sent == sent
    assert after.stored == []
