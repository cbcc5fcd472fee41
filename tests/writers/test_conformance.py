"""``check_writer``: every writer of ours passes it, and a writer that breaks one rule fails by that rule's name."""

# ruff: noqa: ARG001, ARG005 - a change is given the subject, and a writer too, whether it needs it or not
from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from otel_footprint.testing import WriterError, check_writer
from otel_footprint.writers import WRITERS, EventRecord, Subject, Writer, Written

Change = Callable[[Written, Subject], Written]


def changed(name: str, change: Change) -> Writer:
    """A writer of ours, of which everything that it writes is changed before it is seen."""

    def write(subject: Subject) -> Written:
        written = WRITERS[name](subject)
        return change(written, subject) if written != Written() else written

    return write


def first_event(**changes: Any) -> Change:
    def change(written: Written, subject: Subject) -> Written:
        return replace(written, events=(*(e._replace(**changes) for e in written.events[:1]), *written.events[1:]))

    return change


def more(key: str, value: Any, *, first: bool = False) -> Change:
    """One more attribute in each event."""

    def change(written: Written, subject: Subject) -> Written:
        added = {key: value}
        return replace(
            written,
            events=tuple(
                e._replace(attributes={**added, **e.attributes} if first else {**e.attributes, **added})
                for e in written.events
            ),
        )

    return change


def attribute(key: str, value: Any) -> Change:
    return lambda written, subject: replace(written, attributes={**written.attributes, key: value})


def span(**changes: Any) -> Change:
    return lambda written, subject: replace(written, spans=tuple(replace(s, **changes) for s in written.spans))


def record(**changes: Any) -> Change:
    return lambda written, subject: replace(written, logs=tuple(r._replace(**changes) for r in written.logs))


def unredacted(written: Written, subject: Subject) -> Written:
    about = subject.explanation.summary.about[:500].replace("\ud83d", "")
    return more("footprint.note", about)(written, subject)


def all_events(written: Written, subject: Subject) -> Written:
    free = replace(subject, options=replace(subject.options, max_events=64))
    return WRITERS["events"](free)


def uncounted(written: Written, subject: Subject) -> Written:
    return replace(written, omitted=0)


def silent_account(written: Written, subject: Subject) -> Written:
    return more("footprint.account.events_omitted", 0)(written, subject) if written.omitted else written


def one_time(written: Written, subject: Subject) -> Written:
    return replace(written, events=tuple(e._replace(time_ns=subject.start_ns) for e in written.events))


def a_nanosecond_apart(written: Written, subject: Subject) -> Written:
    start = max(subject.start_ns, 0)
    return replace(written, events=tuple(e._replace(time_ns=start + i) for i, e in enumerate(written.events)))


def raises(written: Written, subject: Subject) -> Written:
    raise ValueError("no")


def turning() -> Change:
    """The links forwards and backwards by turns."""
    step = cycle((1, -1))
    return lambda written, subject: replace(written, links=written.links[:: next(step)])


def linked_twice(written: Written, subject: Subject) -> Written:
    return replace(written, links=written.links * 2)


def already_there(written: Written, subject: Subject) -> Written:
    return replace(written, attributes={**written.attributes, **dict.fromkeys(subject.present, "again")})


def twice(subject: Subject) -> Written:
    return WRITERS["events"](replace(subject, present=frozenset()))


BROKEN: list[tuple[str, str, Writer]] = [
    ("raises", "an exception", changed("events", raises)),
    ("repeatable", "links in any order", changed("links", turning())),
    ("second pass", "a span that is explained", twice),
    ("present", "a key again", changed("attributes", already_there)),
    ("name", "a long name", changed("events", first_event(name="footprint.account.of.turn"))),
    ("name", "an upper-case name", changed("events", first_event(name="Account"))),
    ("sentence", "not the first key", changed("events", more("footprint.zone", "x", first=True))),
    ("sentence", "not the first by the alphabet", changed("events", more("footprint.a", "x"))),
    ("type", "a map", changed("events", more("footprint.note", {"a": 1}))),
    ("type", "a list of numbers", changed("events", more("footprint.note", (1, 2)))),
    ("type", "an integer of 65 bits", changed("events", more("footprint.note", 1 << 64))),
    ("type", "a number with a point", changed("events", more("footprint.note", 0.5))),
    ("type", "nothing", changed("attributes", attribute("footprint.note", None))),
    ("type", "a lone surrogate", changed("events", more("footprint.note", "\ud83d"))),
    ("bound", "a long value of an event", changed("events", more("footprint.note", "x" * 2_001))),
    ("bound", "wide characters", changed("events", more("footprint.note", "\N{SNOWMAN}" * 1_000))),
    ("bound", "a long list", changed("events", more("footprint.note", ("x" * 100,) * 21))),
    ("bound", "a long value to search for", changed("attributes", attribute("footprint.note", "x" * 256))),
    ("bound", "a long body", changed("logs", record(body="x" * 2_001))),
    ("search", "JSON to search for", changed("attributes", attribute("footprint.note", "{}"))),
    ("search", "JSON in a list to search for", changed("attributes", attribute("footprint.note", ("a", "[1]")))),
    ("secret", "what was not cleaned", changed("events", unredacted)),
    ("limit", "more than was asked for", changed("events", all_events)),
    ("count", "nothing omitted", changed("events", uncounted)),
    ("count", "an account that leaves it out", changed("events", silent_account)),
    ("time", "one time for all", changed("events", one_time)),
    ("time", "too near", changed("events", a_nanosecond_apart)),
    ("time", "before the span", changed("events", first_event(time_ns=1))),
    ("time", "before 1970", changed("events", first_event(time_ns=-1))),
    ("link", "a span nobody saw", changed("links", lambda w, s: replace(w, links=("1" * 16,)))),
    ("link", "the turn itself", changed("links", lambda w, s: replace(w, links=(s.explanation.span_id,)))),
    ("link", "twice", changed("links", linked_twice)),
    ("span", "an id of zeros", changed("child_span", span(span_id="0" * 16))),
    ("span", "an id that is taken", changed("child_span", span(span_id="00f067aa0ba902b7"))),
    ("span", "another parent", changed("child_span", span(parent_id="1" * 16))),
    ("span", "another trace", changed("child_span", span(trace_id="1" * 32))),
    ("span", "an end before the start", changed("child_span", span(start_ns=1 << 62))),
    ("span", "no link to the turn", changed("child_span", span(links=()))),
    ("record", "a severity that is none", changed("logs", record(severity=0))),
    ("record", "no body", changed("logs", record(body=""))),
]


@pytest.mark.parametrize("name", WRITERS)
def test_every_writer_of_ours_keeps_the_rules(name: str) -> None:
    check_writer(WRITERS[name])


@pytest.mark.parametrize("name", WRITERS)
def test_every_writer_of_ours_writes_something(make: Any, name: str) -> None:
    explanation = make.explanation(signals=(make.signal(),))
    subject = Subject(explanation=explanation, start_ns=1, end_ns=10**9, seen=frozenset({make.call_span_id}))
    assert WRITERS[name](subject) != Written()


@pytest.mark.parametrize(("rule", "writer"), [pytest.param(r, w, id=f"{r}-{how}") for r, how, w in BROKEN])
def test_a_broken_writer_fails_by_the_name_of_the_rule(rule: str, writer: Writer) -> None:
    with pytest.raises(WriterError, match=f"^{rule}: "):
        check_writer(writer)


def test_every_rule_that_is_documented_is_broken_by_a_writer_here() -> None:
    text = check_writer.__doc__ or ""
    documented = {line.split("``")[1] for line in text.splitlines() if line.strip().startswith("- ``")}
    assert documented == {rule for rule, _, _ in BROKEN}


def test_a_writer_that_writes_nothing_keeps_the_rules() -> None:
    check_writer(lambda subject: Written())


def test_a_writer_may_write_events_of_its_own() -> None:
    def write(subject: Subject) -> Written:
        if "footprint.schema" in subject.present:
            return Written()
        event = EventRecord("mine", max(subject.start_ns, 0), {"mine.tone": subject.explanation.summary.tone})
        return Written(events=(event,) if subject.options.max_events else ())

    check_writer(write)


def test_the_code_of_the_page_runs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "writers.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 2
    for number, block in enumerate(blocks):
        scope: dict[str, Any] = {}
        exec(compile(block, f"docs/writers.md, block {number}", "exec"), scope)  # noqa: S102 - our own page
        if "processor" in scope:
            scope["processor"].shutdown()
