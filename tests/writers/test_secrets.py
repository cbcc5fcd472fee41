"""Nothing that has the shape of a secret is written, wherever the application put it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from secret_shapes import SECRETS

from otel_footprint.explanation import NoteExplanation
from otel_footprint.writers import PRESETS, WriteOptions, child_span, redact, write
from otel_footprint.writers.redact import KEPT_OUT, redact_id

HARMLESS = [
    "call_Nf8dAbC12deF34gHiJ56kL78",
    "toolu_01A09q90qw90lq917835lq9",
    "chatcmpl-tool-0123456789abcdef0123456789abcdef",
    "550e8400-e29b-41d4-a716-446655440000",
    "00f067aa0ba902b7#attribute:gen_ai.tool.call.result/rows/0",
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true",
    "InstrumentationSettings(include_content=True, version=2)",
    "search_files: 3 rows; signal: undeclared-empty-used",
    "completed-with-failure:exit:3",
    "tokens: 4000, max_tokens=12, pinned: yes",
    "2026-11-30 12:00:00 - 3 calls",
    "run_python_code_interpreter_with_sandbox: completed, exit 0",
    "OpenTelemetryGenAiInstrumentor",
    "/usr/lib/python3/dist-packages/package",
]


def core(secret: str) -> str:
    """The part of a sample that nobody may read."""
    for label in ("password", "Authorization", "Bearer", "AccountKey", "api_key", "client_secret", "AWS_SECRET"):
        if secret.strip('"').startswith(label):
            return secret.strip('"').split()[-1].split("=", 1)[-1].strip('":')
    if "://" in secret and "@" in secret:
        return secret.split("://", 1)[1].split("@", maxsplit=1)[0]
    return secret


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("form", ["{}", "execute_tool {}", "`{}` failed.", "[{}]", "a={} b"])
def test_a_secret_is_kept_out_of_any_sentence(secret: str, form: str) -> None:
    said = redact(form.format(secret))
    assert core(secret) not in said
    assert KEPT_OUT in said


@pytest.mark.parametrize("text", HARMLESS)
def test_names_ids_switches_and_pointers_stay_readable(text: str) -> None:
    assert redact(text) == text
    assert redact_id(text) == text


def test_the_word_that_announces_a_secret_stays() -> None:
    assert redact("set password=hunter2 first") == f"set password={KEPT_OUT} first"


@pytest.mark.parametrize("secret", SECRETS)
def test_no_secret_is_in_anything_that_is_written(make: Any, secret: str) -> None:
    planted = f"x {secret}"
    explanation = make.explanation(
        about=planted,
        name=planted,
        agent=planted,
        question=planted,
        answer=planted,
        notes=(NoteExplanation(about=planted, id=planted, tool=planted, call_id=planted, enable=planted, evidence=()),),
        incomplete=(planted,),
        signals=(make.signal(about=planted, tool=planted, call_id=planted, evidence=(planted,)),),
        unreached=(make.unreached(about=planted, tool=planted, call_id=planted, enable=planted, evidence=(planted,)),),
        reasons=(
            make.reason(about=planted, reason=planted, reason_class=planted, source=planted, evidence=(planted,)),
        ),
        scripts=(
            make.script(
                about=planted,
                result=planted,
                tool=planted,
                call_id=planted,
                argument=planted,
                language=planted,
                exit_code_of=planted,
                exit_means=planted,
                text=planted,
                evidence=(planted,),
            ),
        ),
    )
    random_looking = redact_id(secret) == secret
    for options in (WriteOptions(programs=True), *PRESETS.values()):
        result = write(explanation, start_ns=1, end_ns=10**9, present=(), options=options)
        added = child_span(explanation, start_ns=1, end_ns=10**9, options=options)
        for attributes in (
            result.attributes,
            added.attributes,
            *(e.attributes for e in (*result.events, *added.events)),
        ):
            # a call id may look random, so only a secret of a known shape is told from one
            shown = {
                k: v for k, v in attributes.items() if not (random_looking and k.endswith((".call_id", ".evidence")))
            }
            text = json.dumps(shown, ensure_ascii=False)
            assert core(secret) not in text
            assert json.dumps(core(secret), ensure_ascii=False)[1:-1] not in text


def test_a_secret_that_a_cut_would_split_is_kept_out_whole(make: Any) -> None:
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    for before in range(1900, 2010, 7):
        text = "word " * (before // 5) + "w" * (before % 5) + " " + token + " tail" * 300
        result = write(make.explanation(about=text), start_ns=1, end_ns=2, present=(), options=WriteOptions())
        assert token[:12] not in str(result.events[0].attributes["footprint.about"])


@pytest.mark.parametrize("piece", ["a", "-eyJ", "_a", "pass", "a:/", "A1", "token=", "bearer ", "-----BEGIN ", "x@"])
def test_no_text_takes_the_patterns_long(piece: str) -> None:
    # a value is cut to 4,000 characters before it is searched; twice that must still be quick work
    text = (piece * 8000)[:8000]
    assert isinstance(redact(text), str)
