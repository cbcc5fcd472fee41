from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from otel_footprint.config import PRESET_NAMES, WRITER_NAMES, Config
from otel_footprint.writers import PRESETS, WRITERS, WriteOptions, Written, child_span, write


def written(explanation: Any, *, present: Any = (), seen: Any = (), **options: Any) -> Written:
    return write(explanation, start_ns=1, end_ns=10**9, present=present, options=WriteOptions(**options), seen=seen)


def test_tone_summary_signals_reasons_and_counts_are_span_attributes(make: Any) -> None:
    explanation = make.explanation(
        about="Two things are wrong.",
        tone="bad",
        standing="ask",
        signals=(make.signal(id="a"), make.signal(id="b"), make.signal(id="a")),
        reasons=(make.reason(reason="r"), make.reason(reason="r")),
        scripts=(
            make.script(outcome="completed"),
            make.script(outcome="completed-with-failure"),
            make.script(outcome="reported-failure"),
            make.script(outcome="returned"),
            make.script(outcome="submitted"),
            make.script(outcome="outcome-unknown"),
            make.script(outcome="reported-success"),
        ),
    )
    assert written(explanation).attributes == {
        "footprint.tone": "bad",
        "footprint.summary": "Two things are wrong.",
        "footprint.signals": ("a", "b"),
        "footprint.reasons": ("r",),
        "footprint.scripts.total": 7,
        "footprint.scripts.failed": 2,
        "footprint.scripts.unknown": 3,
        "footprint.incomplete": False,
        "footprint.schema": "footprint/1",
        "footprint.standing": "ask",
    }


def test_the_ids_of_the_notes_are_there_only_when_there_are_notes(make: Any) -> None:
    notes = (make.note(), make.note(id="late-spans"), make.note())
    assert written(make.explanation(notes=notes)).attributes["footprint.notes"] == ("exit-code-masked", "late-spans")
    assert "footprint.notes" not in written(make.explanation()).attributes


def test_a_key_that_is_present_is_not_written_twice(make: Any) -> None:
    attributes = written(make.explanation(), present={"footprint.tone": "mine"}).attributes
    assert "footprint.tone" not in attributes
    assert "footprint.summary" in attributes


def test_a_span_that_is_explained_already_gets_nothing(make: Any) -> None:
    explanation = make.explanation(signals=(make.signal(),))
    assert written(explanation, present={"footprint.schema": "footprint/1"}) == Written()


def test_a_second_pass_over_what_was_written_adds_nothing(make: Any) -> None:
    explanation = make.explanation(signals=(make.signal(),))
    for options in ({}, {"attributes": False}, {"events": False}, {"events": False, "attributes": False}):
        first = written(explanation, **options)
        assert written(explanation, present=first.attributes, **options) == Written()


def test_attributes_can_be_switched_off_but_for_the_mark(make: Any) -> None:
    assert written(make.explanation(), attributes=False).attributes == {"footprint.schema": "footprint/1"}


def test_links_go_only_to_evidence_spans_that_were_seen(make: Any) -> None:
    other = "1111111111111111"
    explanation = make.explanation(
        signals=(make.signal(evidence=(f"{make.call_span_id}#status", f"{other}#status", f"{make.span_id}#status")),)
    )
    assert written(explanation, seen=[make.call_span_id, make.span_id]).links == ()
    asked = written(explanation, seen=[make.call_span_id, make.span_id], evidence_links=True)
    assert asked.links == (make.call_span_id,)


def test_every_preset_that_can_be_named_is_a_set_of_options() -> None:
    assert set(PRESETS) == set(PRESET_NAMES)
    assert all(isinstance(options, WriteOptions) for options in PRESETS.values())


def test_the_jaeger_preset_shows_the_signals_as_warnings(make: Any) -> None:
    explanation = make.explanation(signals=(make.signal(about="Wrong."),))
    result = write(explanation, start_ns=1, end_ns=2, present=(), options=PRESETS["jaeger"])
    assert result.attributes["@jaeger@warnings"] == ("Wrong.",)
    assert "@jaeger@warnings" not in written(explanation).attributes


@pytest.mark.parametrize(
    ("tone", "level"), [("bad", "ERROR"), ("warn", "WARNING"), ("ok", "DEFAULT"), ("unknown", "DEFAULT")]
)
def test_the_langfuse_preset_sets_level_and_message(make: Any, tone: str, level: str) -> None:
    explanation = make.explanation(about="In a line.", tone=tone)
    attributes = write(explanation, start_ns=1, end_ns=2, present=(), options=PRESETS["langfuse"]).attributes
    assert attributes["langfuse.observation.level"] == level
    assert attributes["langfuse.observation.status_message"] == "In a line."


def test_the_langfuse_preset_adds_a_span_since_events_are_dropped_there() -> None:
    assert PRESETS["langfuse"].child_span
    assert not WriteOptions().child_span


def test_the_phoenix_preset_gives_added_spans_a_kind(make: Any) -> None:
    explanation = make.explanation()
    added = child_span(explanation, start_ns=1, end_ns=2, options=PRESETS["phoenix"])
    assert added.attributes["openinference.span.kind"] == "EVALUATOR"
    plain = child_span(explanation, start_ns=1, end_ns=2, options=WriteOptions())
    assert "openinference.span.kind" not in plain.attributes


def test_the_honeycomb_preset_writes_few_events(make: Any) -> None:
    explanation = make.explanation(signals=tuple(make.signal() for _ in range(20)))
    result = write(explanation, start_ns=1, end_ns=10**9, present=(), options=PRESETS["honeycomb"])
    assert len(result.events) == 8
    assert result.omitted == 13


def test_the_tempo_preset_is_the_default() -> None:
    assert PRESETS["tempo"] == WriteOptions()


def test_options_follow_the_configuration() -> None:
    config = Config(writers=("attributes", "child_span"), max_events=5, programs=True, evidence_links=True)
    assert WriteOptions.from_config(config) == WriteOptions(
        events=False, child_span=True, max_events=5, programs=True, evidence_links=True
    )
    assert WriteOptions.from_config(Config()) == WriteOptions()
    assert tuple(WRITERS) == WRITER_NAMES


def test_a_preset_and_a_smaller_bound_go_together() -> None:
    assert WriteOptions.from_config(Config(preset="honeycomb")).max_events == 8
    assert WriteOptions.from_config(Config(preset="honeycomb", max_events=3)).max_events == 3
    assert WriteOptions.from_config(Config(preset="langfuse")).langfuse_level


def test_an_addendum_is_a_small_span_of_its_own_below_the_turn(make: Any) -> None:
    explanation = make.explanation(revision=2, signals=(make.signal(),))
    added = child_span(explanation, start_ns=10, end_ns=10**9, options=WriteOptions())
    assert added.name == "footprint.addendum"
    assert added.trace_id == make.trace_id
    assert added.parent_id == make.span_id
    assert added.links == (make.span_id,)
    assert (added.start_ns, added.end_ns) == (10, 10**9)
    assert added.attributes["footprint.schema"] == "footprint/1"
    assert added.attributes["footprint.account.revision"] == 2
    assert [event.name for event in added.events] == ["footprint.account", "footprint.signal"]


def test_the_id_of_an_added_span_is_the_same_everywhere_and_nobody_elses(make: Any) -> None:
    explanation = make.explanation(revision=2)
    first = child_span(explanation, start_ns=1, end_ns=2, options=WriteOptions())
    again = child_span(explanation, start_ns=1, end_ns=2, options=WriteOptions())
    other = child_span(replace(explanation, revision=1), start_ns=1, end_ns=2, options=WriteOptions())
    assert first.span_id == again.span_id
    assert len({first.span_id, other.span_id, make.span_id}) == 3
    assert len(first.span_id) == 16


def test_an_added_span_never_ends_before_it_starts(make: Any) -> None:
    explanation = make.explanation(signals=(make.signal(),))
    added = child_span(explanation, start_ns=100, end_ns=50, options=WriteOptions())
    assert added.start_ns == 100
    assert added.end_ns == added.events[-1].time_ns == 101
