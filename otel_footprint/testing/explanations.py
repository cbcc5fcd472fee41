"""Explanations that are made to break a writer: empty, crowded, too long, with secrets, with broken text or clocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from otel_footprint import semconv as names
from otel_footprint.explanation import (
    SCHEMA,
    Checks,
    Counts,
    Explanation,
    ReasonExplanation,
    ScriptExplanation,
    SignalExplanation,
    Summary,
    UnreachedExplanation,
)
from otel_footprint.writers import Subject, WriteOptions

MARKS: Final = frozenset(
    {names.EVENT_ACCOUNT, names.EVENT_SIGNAL, names.EVENT_REASON, names.EVENT_UNREACHED, names.EVENT_SCRIPT}
)
"""The names of an explanation's events."""

_TRACE: Final = "0af7651916cd43dd8448eb211c80319c"
_TURN: Final = "b7ad6b7169203331"
_CALL: Final = "00f067aa0ba902b7"
_OTHER: Final = "53995c3f42cd8ad8"
_START: Final = 1_700_000_000_000_000_000
_SECOND: Final = 1_000_000_000

# Put together here, so that no scanner of sources takes them for real ones.
SECRETS: Final = (
    "AKIA" + "IOSFODNN7EXAMPLE",
    "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "correct-horse-" + "staple",
)
"""Texts of the examples that are not to be written."""

_SECRET_TEXT: Final = f"use {SECRETS[0]} or {SECRETS[1]}, password={SECRETS[2]}"


def events_of(explanation: Explanation) -> int:
    """How many events an explanation is when nothing is left out."""
    parts = (explanation.signals, explanation.reasons, explanation.unreached, explanation.scripts)
    return 1 + sum(map(len, parts))


def subjects() -> Iterator[tuple[str, Subject]]:
    """Each example with its name."""
    plain = _subject(_explanation("A sentence.", parts=1))
    yield "nothing turned up", _subject(_explanation("Nothing turned up.", parts=0))
    yield "one of each", plain
    yield "values of a backend's own", replace(plain, options=_BACKENDS)
    for name, text in _TEXTS.items():
        yield name, _subject(_explanation(text, parts=2), programs=True)
    for limit in (1, 8, 64):
        yield f"crowded, {limit} events", _subject(_explanation("A sentence.", parts=40), max_events=limit)
    yield "no events", _subject(_explanation("A sentence.", parts=1), max_events=0)
    yield "a second revision", _subject(replace(plain.explanation, revision=2))
    yield "keys that are there", replace(plain, present=frozenset(_PRESENT))
    yield "a span of no length", replace(plain, end_ns=_START)
    yield "a clock that went back", replace(plain, end_ns=_START - _SECOND)
    yield "a span before 1970", replace(plain, start_ns=-_SECOND, end_ns=-1)
    yield "no span that was seen", replace(plain, seen=frozenset())


_TEXTS: Final = {
    "long texts": "wide \N{SNOWMAN} and long. " * 1_000,
    "secrets": _SECRET_TEXT,
    "a secret at the cut": "x" * 1_950 + " " + _SECRET_TEXT,
    "text that is not Unicode": "half \ud83d of a pair",
    "texts like JSON": '{"a": [1]}',
    "control characters": "a\x00b\x1b[31m\u202e",
    "no text": "",
}

_PRESENT: Final = ("gen_ai.operation.name", names.FOOTPRINT_TONE, names.FOOTPRINT_SUMMARY, names.FOOTPRINT_SIGNALS)

_BACKENDS: Final = WriteOptions(jaeger_warnings=True, langfuse_level=True, openinference_kind=True)


def _subject(explanation: Explanation, *, max_events: int = 32, programs: bool = False) -> Subject:
    return Subject(
        explanation=explanation,
        start_ns=_START,
        end_ns=_START + _SECOND,
        present=frozenset({"gen_ai.operation.name"}),
        seen=frozenset({_TURN, _CALL, _OTHER}),
        options=WriteOptions(max_events=max_events, programs=programs),
    )


def _explanation(text: str, *, parts: int) -> Explanation:
    """An explanation with so many signals, reasons, unreached checks and scripts, every text of them ``text``."""
    return Explanation(
        schema=SCHEMA,
        wording="1",
        trace_id=_TRACE,
        span_id=_TURN,
        name="invoke_agent helper",
        agent="helper",
        conversation_id=None,
        turn=None,
        nested_in=None,
        question=None,
        answer=None,
        finished=True,
        incomplete=(),
        stand_in=False,
        revision=1,
        calls=(),
        scripts=tuple(_script(text, number) for number in range(parts)),
        signals=tuple(_signal(text, number) for number in range(parts)),
        unreached=tuple(_unreached(text) for _ in range(parts)),
        reasons=tuple(_reason(text) for _ in range(parts)),
        checks=Checks(reachable=("existence",), unreachable=("empty-results",), not_applicable=("decided-delivered",)),
        wrong=(),
        summary=Summary(about=text, tone="bad" if parts else "ok"),
        counts=Counts(
            calls=parts,
            failed=0,
            refused=0,
            declined=0,
            not_dispatched=0,
            unknown=0,
            withheld=0,
            scripts=parts,
            scripts_dropped=0,
            signals=parts,
            signals_omitted=0,
            lines_omitted=0,
        ),
        standing="not-sure" if parts else None,
        notes=(),
    )


def _signal(text: str, number: int) -> SignalExplanation:
    return SignalExplanation(
        about=text,
        id="undeclared-empty-used",
        check="empty-results",
        tone="bad" if number % 2 else "warn",
        tool=text,
        call_id=text,
        evidence=(f"{_CALL}#attribute:{text}", f"{_OTHER}#status", f"{_CALL}#status"),
    )


def _reason(text: str) -> ReasonExplanation:
    return ReasonExplanation(
        about=text,
        reason="call-failed",
        reason_class=text,
        layer=2,
        source=text,
        witnesses=1,
        evidence=(f"{_CALL}#status",),
    )


def _unreached(text: str) -> UnreachedExplanation:
    return UnreachedExplanation(
        about=text,
        check="empty-results",
        missing="no-event",
        tool=text,
        call_id=text,
        enable=text,
        evidence=(f"{_CALL}#status",),
    )


def _script(text: str, number: int) -> ScriptExplanation:
    return ScriptExplanation(
        about=text,
        span_id=_CALL,
        outcome="completed-with-failure",
        result="completed-with-failure:exit:3",
        exit_code=3,
        exit_code_from="attribute",
        exit_code_of=text,
        exit_means=text,
        service_error=False,
        tool=text,
        call_id=text,
        dispatch=number + 1,
        argument=text,
        argument_is_list=False,
        language=text,
        bytes=8,
        lines=1,
        sha256="d287bb7f9d15abdc5b6e98536263815744b6ef21c8f3c839fc434ca70d8efe99",
        program="recorded",
        text=text,
        rewritten=False,
        result_withheld=None,
        turn=None,
        iteration=1,
        shown=None,
        declared_by="span",
        evidence=(f"{_CALL}#attribute:code_run.exit_code",),
        time_ns=_START + number,
    )
