from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from otel_footprint.explanation import Counts
from otel_footprint.writers import WriteOptions, Written, write

START = 1_700_000_000_000_000_000
SECOND = 1_000_000_000


def written(
    explanation: Any, *, options: WriteOptions | None = None, start: int = START, end: int = START + SECOND
) -> Written:
    return write(explanation, start_ns=start, end_ns=end, present=(), options=options or WriteOptions())


def names(result: Written) -> list[str]:
    return [event.name for event in result.events]


def test_the_order_is_account_signals_reasons_unreached_scripts(make: Any) -> None:
    explanation = make.explanation(
        scripts=(make.script(),), unreached=(make.unreached(),), reasons=(make.reason(),), signals=(make.signal(),)
    )
    assert names(written(explanation)) == [
        "footprint.account",
        "footprint.signal",
        "footprint.reason",
        "footprint.unreached",
        "footprint.script",
    ]


def test_a_script_says_whose_its_exit_code_is_and_what_it_means_where_that_is_known(make: Any) -> None:
    plain, read = make.script(), make.script(exit_code_of="tail", exit_means="Exit 0 is that of tail.")
    *_, without, with_it = written(make.explanation(scripts=(plain, read))).events
    keys = {"footprint.script.exit_code_of": "tail", "footprint.script.exit_means": "Exit 0 is that of tail."}
    assert {key: with_it.attributes[key] for key in keys} == keys
    assert keys.keys().isdisjoint(without.attributes)


def test_signals_come_worst_first_and_otherwise_as_they_were_found(make: Any) -> None:
    signals = tuple(
        make.signal(id=name, tone=tone) for name, tone in [("a", "warn"), ("b", "bad"), ("c", "warn"), ("d", "bad")]
    )
    result = written(make.explanation(signals=signals))
    assert [e.attributes["footprint.signal.id"] for e in result.events[1:]] == ["b", "d", "a", "c"]
    assert result.attributes["footprint.signals"] == ("b", "d", "a", "c")


def test_every_event_name_is_short_lower_case_ascii(make: Any) -> None:
    explanation = make.explanation(
        scripts=(make.script(),), unreached=(make.unreached(),), reasons=(make.reason(),), signals=(make.signal(),)
    )
    for name in names(written(explanation)):
        assert len(name) <= 20
        assert name.isascii()
        assert name == name.lower()


def test_the_sentence_is_the_first_key_as_sent_and_in_alphabetical_order(make: Any) -> None:
    explanation = make.explanation(
        scripts=(make.script(),), unreached=(make.unreached(),), reasons=(make.reason(),), signals=(make.signal(),)
    )
    for event in written(explanation).events:
        assert next(iter(event.attributes)) == "footprint.about"
        assert min(event.attributes) == "footprint.about"


def test_the_account_carries_the_summary_the_totals_and_the_checks(make: Any) -> None:
    counts = Counts(
        calls=9,
        failed=1,
        refused=2,
        declined=3,
        not_dispatched=4,
        unknown=5,
        withheld=6,
        scripts=7,
        scripts_dropped=8,
        signals=10,
        signals_omitted=11,
        lines_omitted=12,
    )
    explanation = make.explanation(
        about="All is well.", tone="ok", counts=counts, standing="consistent", incomplete=("idle",), revision=2
    )
    assert written(explanation).events[0].attributes == {
        "footprint.about": "All is well.",
        "footprint.tone": "ok",
        "footprint.standing": "consistent",
        "footprint.account.calls": 9,
        "footprint.account.failed": 1,
        "footprint.account.refused": 2,
        "footprint.account.declined": 3,
        "footprint.account.not_dispatched": 4,
        "footprint.account.unknown": 5,
        "footprint.account.withheld": 6,
        "footprint.account.scripts": 7,
        "footprint.account.scripts_dropped": 8,
        "footprint.account.signals": 10,
        "footprint.account.signals_omitted": 11,
        "footprint.account.lines_omitted": 12,
        "footprint.account.events_omitted": 0,
        "footprint.account.checks.reachable": ("existence",),
        "footprint.account.checks.unreachable": ("empty-results",),
        "footprint.account.checks.not_applicable": ("decided-delivered",),
        "footprint.account.incomplete": ("idle",),
        "footprint.account.revision": 2,
        "footprint.schema": "footprint/1",
    }


def test_what_is_not_recorded_has_no_key(make: Any) -> None:
    script = make.script(
        argument=None,
        exit_code=None,
        exit_code_from=None,
        language=None,
        bytes=None,
        lines=None,
        sha256=None,
        call_id=None,
    )
    result = written(make.explanation(scripts=(script,), signals=(make.signal(tool=None, call_id=None),)))
    missing = {
        "argument",
        "exit_code",
        "exit_code_from",
        "language",
        "bytes",
        "lines",
        "sha256",
        "call_id",
        "result_withheld",
        "shown",
    }
    assert not {f"footprint.script.{key}" for key in missing} & set(result.events[2].attributes)
    assert not {"footprint.signal.tool", "footprint.signal.call_id"} & set(result.events[1].attributes)
    assert "footprint.standing" not in result.events[0].attributes


def test_a_reason_is_written_in_full(make: Any) -> None:
    event = written(make.explanation(reasons=(make.reason(),))).events[1]
    assert event.attributes == {
        "footprint.about": "A call failed.",
        "footprint.reason.reason": "call-failed",
        "footprint.reason.class": "not-sure",
        "footprint.reason.layer": 2,
        "footprint.reason.source": "library",
        "footprint.reason.witnesses": 1,
        "footprint.reason.evidence": (f"{make.call_span_id}#status",),
    }


def test_an_unreached_check_names_the_switch(make: Any) -> None:
    event = written(make.explanation(unreached=(make.unreached(),))).events[1]
    assert event.attributes["footprint.unreached.enable"] == "CAPTURE_CONTENT=true"
    assert event.attributes["footprint.unreached.missing"] == "no-event"


def test_a_script_carries_its_joint_fact_in_one_attribute(make: Any) -> None:
    event = written(make.explanation(scripts=(make.script(),))).events[1]
    assert event.attributes["footprint.script.result"] == "completed-with-failure:exit:3"
    assert event.attributes["footprint.script.exit_code"] == 3
    assert event.attributes["footprint.script.span_id"] == make.call_span_id


def test_a_program_is_written_only_on_request(make: Any) -> None:
    explanation = make.explanation(scripts=(make.script(),))
    assert "footprint.script.text" not in written(explanation).events[1].attributes
    asked = written(explanation, options=WriteOptions(programs=True))
    assert asked.events[1].attributes["footprint.script.text"] == "print(1)"


def test_thirty_two_events_by_default_and_the_account_counts_the_rest(make: Any) -> None:
    explanation = make.explanation(signals=tuple(make.signal() for _ in range(40)), scripts=(make.script(),))
    result = written(explanation)
    assert len(result.events) == 32
    assert result.omitted == 10
    assert result.events[0].attributes["footprint.account.events_omitted"] == 10


@pytest.mark.parametrize(("asked", "given"), [(1, 1), (5, 5), (64, 64), (1000, 64)])
def test_never_more_events_than_asked_and_never_more_than_sixty_four(make: Any, asked: int, given: int) -> None:
    explanation = make.explanation(signals=tuple(make.signal() for _ in range(100)))
    assert len(written(explanation, options=WriteOptions(max_events=asked)).events) == given


def test_without_room_for_one_event_all_of_them_count_as_omitted(make: Any) -> None:
    explanation = make.explanation(signals=(make.signal(),), scripts=(make.script(),), unreached=(make.unreached(),))
    result = written(explanation, options=WriteOptions(max_events=0))
    assert result.events == ()
    assert result.omitted == 4
    assert result.attributes["footprint.tone"] == "ok"


def test_scripts_that_completed_plainly_give_way_to_the_others(make: Any) -> None:
    scripts = tuple(make.script(outcome="completed", dispatch=n) for n in range(1, 4))
    failed = make.script(outcome="completed-with-failure", dispatch=4)
    result = written(make.explanation(scripts=(*scripts, failed)), options=WriteOptions(max_events=3))
    assert Counter(e.attributes["footprint.script.dispatch"] for e in result.events[1:]) == Counter([1, 4])


def test_events_can_be_switched_off(make: Any) -> None:
    result = written(make.explanation(signals=(make.signal(),)), options=WriteOptions(events=False))
    assert result.events == ()
    assert result.omitted == 0
    assert result.attributes["footprint.signals"] == ("undeclared-empty-used",)
