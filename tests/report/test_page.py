"""The page as a file: what is in it, what is kept out of it, and that a trace cannot become part of its markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pages import DUMPS, Page, dump_record, hostile_request, page_of, record_of

from otel_footprint.report import live_page

ELEMENTS = [
    *("html", "head", "meta", "meta", "meta", "meta", "link", "title", "style", "body", "div", "noscript"),
    *("script", "script", "script", "script"),
]
"""Of every page, whatever it shows."""


def shown(record: Any, *, programs: bool = False) -> dict[str, Any]:
    """The only turn of a page, both of its parts as one."""
    page = Page(page_of(record, programs=programs))
    assert len(page.blocks["rows"]) == len(page.blocks["detail"]) == 1
    return {**page.blocks["rows"][0], **page.blocks["detail"][0]}


def strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inner for text in strings(one)]


# --- markup --------------------------------------------------------------------------------------


@given(st.text(max_size=40))
@example("</script><script>window.hacked = 1</script>")
@example("<!--<script>")
@example("]]>&lt;&#60;\u2028\u2029\x00\ud83e")
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_text_of_a_trace_becomes_markup(text: str) -> None:
    written = page_of(record_of(json.dumps(hostile_request(text)).encode("utf-8", "surrogatepass")), programs=True)
    page = Page(written)
    assert [tag for tag, _ in page.elements] == ELEMENTS
    assert page.scripts == Page(live_page().decode("ascii")).scripts
    assert len(page.blocks["rows"]) == 1


def test_the_blocks_hold_no_character_that_a_parser_of_markup_knows() -> None:
    written = page_of(record_of(hostile_request("<&>\u2028")), programs=True)
    blocks = re.findall(r'<script type="application/json" \w+="\w+">(.*?)</script>', written, re.DOTALL)
    assert len(blocks) == 3
    assert not any(character in block for block in blocks for character in "<>&\u2028")
    assert "\\u003c\\u0026\\u003e" in blocks[1]


def test_the_policy_lets_in_the_shipped_style_and_program_and_nothing_else() -> None:
    page = Page(page_of(dump_record("vercel_ai_v7")))
    [script], [style] = page.scripts, page.styles
    assert page.policy.split("; ") == [
        "default-src 'none'",
        f"script-src {hash_of(script)}",
        f"style-src {hash_of(style)}",
        "img-src data:",
        "connect-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def hash_of(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_a_page_names_no_address_but_a_served_page_asks_the_server_it_came_from() -> None:
    page, live = page_of(dump_record("vercel_ai_v7")), live_page().decode("ascii")
    for attribute in ("src=", 'href="http', "@import", "url("):
        assert attribute not in page
    assert "connect-src 'none'" in page
    assert "connect-src 'self'" in live
    assert Page(live).blocks["head"][0]["live"] is True


# --- what is shown -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DUMPS)
def test_every_turn_of_a_real_trace_is_on_the_page_with_each_of_its_calls(name: str) -> None:
    record = dump_record(name)
    page = Page(page_of(record))
    for turn, row, detail in zip(record.explanations, page.blocks["rows"], page.blocks["detail"], strict=True):
        assert (row["trace_id"], row["span_id"], row["tone"]) == (turn.trace_id, turn.span_id, turn.summary.tone)
        assert [call["outcome"] for call in detail["calls"]] == [call.outcome for call in turn.calls]
        assert [one["about"] for one in detail["signals"]] == [signal.about for signal in turn.signals]
        assert [one["enable"] for one in detail["unreached"]] == [line.enable for line in turn.unreached]
        assert len(detail["account"]["rows"]) == 7
    head = page.blocks["head"][0]
    assert (head["spans"], head["problems"]) == (record.spans, [])


def test_model_calls_and_tool_calls_have_their_times_after_the_turns_start() -> None:
    turn = shown(record_of(hostile_request("x")))
    assert (turn["start"], turn["duration"]) == (1_790_000_000_000, 90_000)
    assert [(one["start"], one["end"], one["failed"]) for one in turn["models"]] == [(1_000, 20_000, True)]
    assert [(one["start"], one["end"], one["iteration"]) for one in turn["calls"]] == [(21_000, 60_000, 1)]


def test_a_time_that_is_not_recorded_is_none_and_a_clock_that_went_back_is_kept() -> None:
    request = hostile_request("x")
    turn, model, tool = request["resourceSpans"][0]["scopeSpans"][0]["spans"]
    for key in ("startTimeUnixNano", "endTimeUnixNano"):
        del model[key]
    tool["startTimeUnixNano"] = str(int(turn["startTimeUnixNano"]) - 5_000_000)
    found = shown(record_of(request))
    assert [(one["start"], one["end"]) for one in found["models"]] == [(None, None)]
    assert found["calls"][0]["start"] == -5_000


def test_a_nested_turn_names_the_call_that_it_ran_inside() -> None:
    record = dump_record("vercel_ai_v7")
    rows = Page(page_of(record)).blocks["rows"]
    [nested] = [row for row in rows if row["nested_in"] is not None]
    calls = [call.span_id for turn in record.explanations for call in turn.calls]
    assert nested["ran_in"] in calls


def test_an_exit_code_is_shown_with_where_it_was_read_and_evidence_in_two_parts() -> None:
    [script] = shown(record_of(hostile_request("x")))["scripts"]
    assert (script["outcome"], script["exit_code"], script["exit_code_from"]) == (
        "completed-with-failure",
        3,
        "attribute",
    )
    assert f"{3:016x}#attribute:code_run.exit_code" in script["evidence"]


def test_what_is_wrong_with_the_input_is_on_the_page() -> None:
    whole = json.dumps(hostile_request("x")).encode()
    head = Page(page_of(record_of(b"not <json>\n" + whole))).blocks["head"][0]
    assert [problem["lost"] for problem in head["problems"]] == [True]
    assert head["problems"][0]["about"].startswith("trace.json:1: not JSON")


# --- what is not ---------------------------------------------------------------------------------


def test_the_text_of_a_program_is_there_on_request_only() -> None:
    record = dump_record("vercel_ai_v7")
    assert "print(sum(range(10)))" not in page_of(record)
    assert "print(sum(range(10)))" in page_of(record, programs=True)


def test_a_result_of_a_tool_is_never_quoted() -> None:
    request = hostile_request("x")
    tool = request["resourceSpans"][0]["scopeSpans"][0]["spans"][2]
    for attribute in tool["attributes"]:
        if attribute["key"] == "gen_ai.tool.call.result":
            attribute["value"] = {"stringValue": '["a private row"]'}
    assert "private" not in page_of(record_of(request), programs=True)


SECRET = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


def test_no_secret_is_quoted_wherever_a_trace_puts_it() -> None:
    written = page_of(record_of(hostile_request(f"use {SECRET} now")), programs=True)
    assert SECRET not in written
    assert written.count("(secret kept out)") > 10


def test_a_character_that_would_turn_or_hide_its_neighbours_is_spelled_out() -> None:
    found = strings(shown(record_of(hostile_request("a\u202eb\u2066c\x1b[31m\u200bd")), programs=True))
    assert not any(character in text for text in found for character in "\u202e\u2066\x1b\u200b")
    assert r"a\u202eb\u2066c\x1b[31m\u200bd" in found


def test_the_lines_of_a_question_and_of_a_program_stay_lines() -> None:
    turn = shown(record_of(hostile_request("first\nsecond")), programs=True)
    assert turn["question"] == turn["scripts"][0]["text"] == "first\nsecond"
    assert turn["agent"] == r"first\x0asecond"


# --- bounds --------------------------------------------------------------------------------------


def test_huge_values_are_cut_and_say_so() -> None:
    written = page_of(record_of(hostile_request("x" * 1_000_000)), programs=True)
    assert len(written) < 500_000
    assert "(cut: 9" in written


def test_calls_past_the_bound_are_counted() -> None:
    request = hostile_request("x")
    spans = request["resourceSpans"][0]["scopeSpans"][0]["spans"]
    tool = spans.pop()
    spans.extend({**tool, "spanId": f"{number:016x}"} for number in range(100, 2_103))
    turn = shown(record_of(request))
    assert (len(turn["calls"]), turn["calls_omitted"]) == (2_000, 3)
    assert turn["scripts_dropped"] == 2_003 - len(turn["scripts"])
