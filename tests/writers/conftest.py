from __future__ import annotations

from typing import Any

import pytest

from otel_footprint.explanation import (
    SCHEMA,
    Checks,
    Counts,
    Explanation,
    NoteExplanation,
    ReasonExplanation,
    ScriptExplanation,
    SignalExplanation,
    Summary,
    UnreachedExplanation,
)

TRACE = "0af7651916cd43dd8448eb211c80319c"
TURN = "b7ad6b7169203331"
CALL = "00f067aa0ba902b7"


class Make:
    """Builds explanations; every value can be given, the rest is plain."""

    trace_id = TRACE
    span_id = TURN
    call_span_id = CALL

    @staticmethod
    def signal(**changes: Any) -> SignalExplanation:
        values: dict[str, Any] = {
            "about": "search returned no rows and did not say what it searched.",
            "id": "undeclared-empty-used",
            "check": "empty-results",
            "tone": "bad",
            "tool": "search",
            "call_id": "call_1",
            "evidence": (f"{CALL}#attribute:gen_ai.tool.call.result",),
        }
        return SignalExplanation(**{**values, **changes})

    @staticmethod
    def unreached(**changes: Any) -> UnreachedExplanation:
        values: dict[str, Any] = {
            "about": "run ran, and its result is not recorded.",
            "check": "empty-results",
            "missing": "no-event",
            "tool": "run",
            "call_id": "call_2",
            "enable": "CAPTURE_CONTENT=true",
            "evidence": (f"{CALL}#status",),
        }
        return UnreachedExplanation(**{**values, **changes})

    @staticmethod
    def reason(**changes: Any) -> ReasonExplanation:
        values: dict[str, Any] = {
            "about": "A call failed.",
            "reason": "call-failed",
            "reason_class": "not-sure",
            "layer": 2,
            "source": "library",
            "witnesses": 1,
            "evidence": (f"{CALL}#status",),
        }
        return ReasonExplanation(**{**values, **changes})

    @staticmethod
    def script(**changes: Any) -> ScriptExplanation:
        values: dict[str, Any] = {
            "about": "run: completed with failure, exit 3",
            "span_id": CALL,
            "outcome": "completed-with-failure",
            "result": "completed-with-failure:exit:3",
            "exit_code": 3,
            "exit_code_from": "attribute",
            "service_error": False,
            "tool": "run",
            "call_id": "call_2",
            "dispatch": 1,
            "argument": "code",
            "language": "python",
            "bytes": 8,
            "lines": 1,
            "sha256": "d287bb7f9d15abdc5b6e98536263815744b6ef21c8f3c839fc434ca70d8efe99",
            "rewritten": False,
            "result_withheld": None,
            "turn": None,
            "iteration": 1,
            "shown": None,
            "declared_by": "span",
            "exit_code_of": None,
            "exit_means": None,
            "argument_is_list": False,
            "program": "recorded",
            "text": "print(1)",
            "evidence": (f"{CALL}#attribute:code_run.exit_code",),
            "time_ns": 0,
        }
        return ScriptExplanation(**{**values, **changes})

    @staticmethod
    def note(**changes: Any) -> NoteExplanation:
        values: dict[str, Any] = {
            "about": "run: exit 0 does not tell whether make failed.",
            "id": "exit-code-masked",
            "tool": "run",
            "call_id": "call_2",
            "enable": None,
            "evidence": (f"{CALL}#attribute:code_run.exit_code",),
        }
        return NoteExplanation(**{**values, **changes})

    @staticmethod
    def explanation(**changes: Any) -> Explanation:
        about = changes.pop("about", "Nothing turned up.")
        tone = changes.pop("tone", "ok")
        values: dict[str, Any] = {
            "schema": SCHEMA,
            "wording": "1",
            "trace_id": TRACE,
            "span_id": TURN,
            "name": "invoke_agent helper",
            "agent": "helper",
            "conversation_id": None,
            "turn": None,
            "nested_in": None,
            "question": None,
            "answer": None,
            "finished": True,
            "incomplete": (),
            "stand_in": False,
            "revision": 1,
            "calls": (),
            "scripts": (),
            "signals": (),
            "unreached": (),
            "reasons": (),
            "checks": Checks(
                reachable=("existence",), unreachable=("empty-results",), not_applicable=("decided-delivered",)
            ),
            "wrong": (),
            "summary": Summary(about=about, tone=tone),
            "counts": Counts(
                calls=2,
                failed=0,
                refused=0,
                declined=0,
                not_dispatched=0,
                unknown=0,
                withheld=0,
                scripts=len(changes.get("scripts", ())),
                scripts_dropped=0,
                signals=len(changes.get("signals", ())),
                signals_omitted=0,
                lines_omitted=0,
            ),
            "standing": None,
            "notes": (),
        }
        return Explanation(**{**values, **changes})


@pytest.fixture
def make() -> Make:
    return Make()
