"""What is handed on of what the rules found; and what of an answer may be written anywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from otel_footprint.cli.commands import run
from otel_footprint.config import Config
from otel_footprint.explanation import Explanation
from otel_footprint.fold.present import MAX_POINTERS
from otel_footprint.testing import agent_span, explain_spans, tool_span
from otel_footprint.writers import WriteOptions, write
from otel_footprint.writers.redact import KEPT_OUT

# Joined from two halves, so that no scanner takes this file for a leak.
SECRETS = [
    first + second
    for first, second in [
        ("AKIA", "IOSFODNN7EXAMPLE"),
        ("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"),
        ("sk-proj-", "abc123def456ghi789jkl012mno345pqr678"),
        ("AIza", "SyDdI0hCZtE6vySjMm-WEfRq3CPzqKqqsHI"),
        ("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.", "eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"),
        ("password=", "hunter22222"),
        ("password: ", "hunter22222"),
        ('"password": "', 'hunter22222"'),
        ("Authorization: Bearer ", "abcdef123456"),
        ("Bearer ", "mF_9.B5f-4.1JqM"),
        ("postgres://user:", "hunter22222@db.example.com/x"),
        ("api_key: ", "0123abcd"),
        ("AccountKey=", "abcdefghijklmnopqrstuvwxyz0123456789+/ABCDEFGHIJKLMNOPQRSTUVWXYZ=="),
        ("4111 1111 ", "1111 1111"),
        ("123-45-", "6789"),
        ("4111 2222 ", "3333 4444"),
        ("-----BEGIN RSA PRIVATE", " KEY-----\nMIIEpAIBAAKCAQEA1x\nq83\n-----END RSA PRIVATE KEY-----"),
        ("-----BEGIN OPENSSH PRIVATE", " KEY-----\nb3BlbnNzaC1rZXktdjEA1x"),
        ("$2b$12$", "KIXQ4S8Q4Q4Q4Q4Q4Q4Q4eQ4Q4Q4Q4Q4Q4Q4Q4Q4Q4Q4Q4Q4Q4Q4"),
    ]
]


def core(secret: str) -> str:
    """The part of a sample that nobody may read."""
    if secret.startswith("4111"):
        return secret.rsplit(maxsplit=1)[-1]
    if secret.startswith("-----"):
        return secret.splitlines()[1]
    for label in ("password", "Authorization", "Bearer", "api_key", "AccountKey"):
        if secret.strip('"').startswith(label):
            return secret.replace("Bearer ", "").replace('"', "").replace("=", ": ", 1).split(": ")[-1].strip()
    return secret.split("://")[1].split("@", maxsplit=1)[0] if "@" in secret else secret


def explained(answer: str, *, account: bool = False) -> Explanation:
    spans = [
        agent_span(1, at=(0, 9), attributes={"footprint.answer": answer}),
        tool_span(2, "search", parent=1, at=(1, 2), result='["INC10007"]'),
    ]
    (found,) = explain_spans(spans, Config(account=account))
    return found


def trace(path: Path, answer: str) -> Path:
    """The same turn as a file of OTLP JSON."""

    def span(number: int, parent: str, name: str, **attributes: str) -> dict[str, Any]:
        return {
            "traceId": format(1, "032x"),
            "spanId": format(number, "016x"),
            "parentSpanId": parent,
            "name": name,
            "startTimeUnixNano": str(number),
            "endTimeUnixNano": "9",
            "attributes": [
                {"key": key.replace("__", "."), "value": {"stringValue": value}} for key, value in attributes.items()
            ],
        }

    agent = span(1, "", "a", gen_ai__operation__name="invoke_agent", footprint__answer=answer)
    call = {"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": "search"}
    tool = span(2, format(1, "016x"), "t", gen_ai__tool__call__result='["INC10007"]', **call)
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [agent, tool]}]}]}), encoding="utf-8")
    return path


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("form", ["Use {} now.", "({})", "`{}`", "INC99999 and {}, INC99998"])
def test_no_secret_of_an_answer_is_in_an_event(secret: str, form: str) -> None:
    found = explained(form.format(secret))
    assert found.evidence is not None
    written = write(found, start_ns=0, end_ns=9, present=(), options=WriteOptions())
    texts = json.dumps([event.attributes for event in written.events] + [written.attributes], ensure_ascii=False)
    assert core(secret).lower() not in texts.lower()


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("form", ["text", "json", "otlp"])
def test_no_secret_of_an_answer_is_printed(
    secret: str, form: str, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = trace(tmp_path / "trace.json", f"Use {secret} now.")
    assert run(["explain", "--format", form, str(path)]) == 0
    out = capsysbinary.readouterr().out.decode()
    if form == "otlp":  # the application's own attribute is handed on; what we add to it is not its text
        span = json.loads(out)["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
        assert span["events"]
        out = json.dumps(span["events"]) + json.dumps(span["attributes"][2:])
    assert core(secret).lower() not in out.lower()


def test_a_flagged_value_that_is_a_secret_is_still_counted_and_said() -> None:
    found = explained(f"Use {SECRETS[0]} and INC99999.")
    assert found.evidence is not None
    assert len(found.evidence.unsupported) == 2
    written = write(found, start_ns=0, end_ns=9, present=(), options=WriteOptions())
    (reason,) = [event.attributes["footprint.about"] for event in written.events if event.name == "footprint.reason"]
    assert KEPT_OUT in str(reason)
    assert "INC99999" in str(reason)


def test_a_reasons_witnesses_are_counted_and_its_pointers_bounded() -> None:
    spans = [agent_span(1, at=(0, 99), attributes={"footprint.answer": "none"})]
    spans += [tool_span(n, "search", parent=1, at=(n, n), result="[]") for n in range(2, 22)]
    (found,) = explain_spans(spans)
    (reason,) = found.reasons
    assert (reason.reason, reason.witnesses, len(reason.evidence)) == ("empty-undeclared", 20, MAX_POINTERS)


def test_every_key_of_the_json_form_is_there_whatever_was_found() -> None:
    whole, bare = explained("INC99999", account=True), explain_spans([agent_span(1)])[0]
    assert whole.to_dict().keys() == bare.to_dict().keys()
    assert (bare.account, bare.evidence, bare.recovery) == (None, None, None)
    assert whole.account is not None
    assert whole.to_dict()["assessment"]["support"] is None


@pytest.mark.parametrize("secret", SECRETS[:1])
def test_no_secret_of_an_answer_is_in_the_printed_account(
    secret: str, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    run(["explain", "--format", "json", "--account", str(trace(tmp_path / "trace.json", f"Use {secret} now."))])
    assert core(secret).lower() not in capsysbinary.readouterr().out.decode().lower()
