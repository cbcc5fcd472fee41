"""The look-up of an answer's names and numbers in what tools returned."""

from __future__ import annotations

import json
import sys
from collections import UserDict
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.fold.evidence import (
    FLAGGED_VALUE_CHARS,
    MAX_INDEX_CHARS,
    MAX_REPORTED_VALUES,
    EvidenceIndex,
    EvidenceVerdict,
    check_evidence,
)
from otel_footprint.fold.matching import MAX_FENCE_REGIONS, match_blocks
from otel_footprint.fold.scripts import ScriptRow
from otel_footprint.fold.tokens import EvidenceOptions, candidates, tokens

ABSENCE = {
    "af_absent": True,
    "outcome": "nothing_found",
    "looked_for": "order 1111",
    "checked": [{"what": "db 2222", "short": "3333"}],
    "not_checked": [{"what": "archive", "why": "offline since 4444", "kind": "scope", "short": "5555"}],
    "cannot_cover": [{"what": "area 6666", "why": "no access"}],
    "retry_returns_the_same": True,
    "try_instead": "ask 7777",
    "note": "8888",
}

LEDGER = {
    "af_coverage": {"checked": [{"what": "db 2222", "short": "3333"}], "note": "8888"},
    "result": [{"id": "9999"}],
    "page": 1234,
}


def unsupported(answer: str, *results: Any, **arguments: Any) -> list[str]:
    return [one.value for one in check_evidence(answer=answer, results=results, **arguments).unsupported]


def grounded(value: Any, *values: str) -> list[str]:
    """The values that what was added holds."""
    index = EvidenceIndex(values)
    index.add(value)
    return [one for one in values if one not in index.missing]


# -- what grounds a value


@pytest.mark.parametrize(
    "result",
    [
        pytest.param("it has 41,200 rows", id="text"),
        pytest.param(41200, id="integer"),
        pytest.param(41200.0, id="float"),
        pytest.param({"41200": None}, id="key"),
        pytest.param({"a": [{"b": ("x", "41200")}]}, id="nested"),
        pytest.param(UserDict({"a": 41200}), id="any-mapping"),
        pytest.param('{"a": 41200}', id="json-text"),
        pytest.param(' [\n"x\\n41200"]', id="escapes-are-read"),
        pytest.param([{"type": "text", "text": '{"a":"\\u002d\\n41200"}'}], id="json-text-inside-a-value"),
        pytest.param('{"broken 41200', id="broken-json-is-text"),
        pytest.param({1: None, None: 41200, (2,): b"", "x": True}, id="keys-of-other-types"),
    ],
)
def test_a_value_is_supported_wherever_a_result_holds_it(result: Any) -> None:
    assert unsupported("The total is 41200.", result) == []


@pytest.mark.parametrize(
    "result",
    [
        pytest.param("412000 and 41200.5 and x41200", id="a-part-of-another-token"),
        pytest.param("41200iops", id="a-quantity-is-one-token"),
        pytest.param(b"41200", id="bytes"),
        pytest.param(None, id="null"),
    ],
)
def test_only_a_whole_token_supports(result: Any) -> None:
    assert unsupported("The total is 41200.", result) == ["41200"]


def test_a_float_supports_both_of_its_spellings() -> None:
    assert unsupported("1e21, 1e+21, 1000000000000000000000 and 0.0000125", [1e21, 1.25e-05]) == []


def test_a_number_too_long_to_print_is_passed_over_and_said() -> None:
    verdict = check_evidence(answer="4411", results=[10**5_000, 4412])
    assert (verdict.truncated, len(verdict.unsupported)) == (True, 1)


def test_numbers_without_a_finite_value_support_nothing() -> None:
    assert unsupported("4411", [float("inf"), float("nan")]) == ["4411"]


@pytest.mark.parametrize("shape", [lambda value: value, json.dumps, lambda value: [{"deep": value}]])
def test_an_absence_grounds_its_coverage_only(shape: Callable[[Any], Any]) -> None:
    asked = ("1111", "2222", "3333", "4444", "5555", "6666", "7777", "8888")
    assert grounded(shape(ABSENCE), *asked) == ["2222", "4444", "6666"]


def test_a_ledger_grounds_its_items_and_its_result() -> None:
    assert grounded(LEDGER, "2222", "3333", "8888", "9999", "1234") == ["2222", "9999", "1234"]


def test_a_ledger_around_an_absence_is_both() -> None:
    assert grounded({**LEDGER, "result": ABSENCE}, "1111", "2222", "4444", "8888") == ["2222", "4444"]


def test_what_only_resembles_an_envelope_is_data() -> None:
    assert grounded({**ABSENCE, "checked": []}, "1111", "8888") == ["1111", "8888"]
    assert grounded({"af_coverage": {"note": "8888"}}, "8888") == ["8888"]


# -- what is exempt


def test_what_the_model_was_told_needs_no_evidence_and_is_not_looked_up() -> None:
    verdict = check_evidence(answer="Order 4411 is at 5,500.", results=[], exempt_texts=["for 4411", "about 5500"])
    assert verdict == EvidenceVerdict(candidates=2, looked_up=0, unsupported=(), truncated=False, capped=False)


def test_candidates_are_counted_apart_from_those_looked_up() -> None:
    verdict = check_evidence(answer="4411, 5500, 6600", results=["5500"], exempt_texts=["4411"])
    assert (verdict.candidates, verdict.looked_up) == (3, 2)
    assert [(one.value, one.shape, one.region) for one in verdict.unsupported] == [("6600", "number", "prose")]


def test_options_reach_the_check() -> None:
    assert unsupported("vlan7 and 2026", options=EvidenceOptions(shapes=("vlan*",), exemptions=("2026",))) == ["vlan7"]


# -- regions


def a_row(program: str) -> ScriptRow:
    return ScriptRow(
        tool_call_id="c",
        tool="run_code",
        argument="code",
        bytes=len(program),
        lines=1,
        text=program,
        outcome="returned",
        turn=1,
        iteration=1,
        dispatch=1,
    )


def test_a_matched_block_is_not_checked_and_an_unmatched_one_is_code() -> None:
    answer = "1111\n```python3\nx = 2222\n```\n3333\n~~~python3\nx = 4444\n~~~\n4444 5555 2222\n"
    matched = match_blocks(answer, [a_row("x = 2222")], 0).matched_regions
    verdict = check_evidence(answer=answer, results=[], matched_regions=matched)
    assert [(one.value, one.region) for one in verdict.unsupported] == [
        ("1111", "prose"),
        ("3333", "prose"),
        ("4444", "code"),
        ("5555", "prose"),
        ("2222", "prose"),
    ]


def test_without_a_match_every_block_is_code() -> None:
    verdict = check_evidence(answer="```\nx = 2222\n```\n", results=[])
    assert [(one.value, one.region) for one in verdict.unsupported] == [("2222", "code")]


def test_regions_past_the_bound_are_prose() -> None:
    answer = "```\nx\n```\n" * MAX_FENCE_REGIONS + "```\n4411\n```\n"
    assert [one.region for one in check_evidence(answer=answer, results=[]).unsupported] == ["prose"]


# -- bounds


@pytest.mark.parametrize(("values", "listed", "capped"), [(11, 11, False), (12, 12, True), (30, 12, True)])
def test_at_most_twelve_values_are_listed(values: int, listed: int, *, capped: bool) -> None:
    verdict = check_evidence(answer=" ".join(str(1000 + n) for n in range(values)), results=[])
    assert (verdict.candidates, len(verdict.unsupported), verdict.capped) == (values, listed, capped)
    assert MAX_REPORTED_VALUES == 12


def test_a_long_value_is_cut_in_the_list_and_whole_in_the_look_up() -> None:
    long = "x1" * 1_000
    assert unsupported(long) == [long[:FLAGGED_VALUE_CHARS]]
    assert unsupported(long, long) == []


def test_evidence_past_the_bound_is_said() -> None:
    filler = "word " * (MAX_INDEX_CHARS // 5)
    verdict = check_evidence(answer="4411", results=[filler, "4411"])
    assert (verdict.truncated, len(verdict.unsupported)) == (True, 1)
    assert not check_evidence(answer="none", results=[filler, "4411"]).truncated


def test_told_text_past_the_bound_is_said() -> None:
    filler = "word " * (MAX_INDEX_CHARS // 5)
    assert check_evidence(answer="4411", results=["4411"], exempt_texts=[f"{filler} 4411"]).truncated


def test_a_token_that_the_bound_cuts_supports_nothing() -> None:
    index = EvidenceIndex(["4411", "1234"], limit=9)
    index.add_text("1234 44112")
    index.add_text("4411")
    assert (index.missing, index.truncated) == ({"4411"}, True)


def test_what_holds_itself_comes_to_an_end() -> None:
    endless: list[Any] = ["4411"]
    endless += [endless, endless]
    index = EvidenceIndex(["4411", "5500"], limit=1_000)
    index.add(endless)
    assert (index.missing, index.truncated) == ({"5500"}, True)


def test_nothing_is_read_once_every_value_stands() -> None:
    class Unread(list[Any]):
        def __reversed__(self) -> Any:
            raise AssertionError

    assert unsupported("4411", "4411", Unread()) == []


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, '["' * 50_000, "[" * 300 + "4411" + "]" * 300])
def test_text_nested_beyond_any_bound_is_text(text: str) -> None:
    assert unsupported("4411", text, "4411") == []


# -- properties

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.text(alphabet='a1,.-"\\{}[] \n'),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(st.text() | st.text(alphabet="`~ax19,.-\n \ud800"), st.lists(JSON, max_size=3), st.lists(st.text(), max_size=2))
def test_any_turn_is_checked_and_always_with_one_outcome(answer: str, results: list[Any], told: list[str]) -> None:
    verdict = check_evidence(answer=answer, results=results, exempt_texts=told)
    assert verdict == check_evidence(answer=answer, results=results, exempt_texts=told)
    assert len(verdict.unsupported) <= verdict.looked_up <= verdict.candidates
    # A quantity is looked up without its unit, so it is its value that has to be told.
    assert unsupported(answer, *results, exempt_texts=[c.value for c in candidates(answer)]) == []


@given(JSON, st.lists(st.sampled_from(["a1", "1", "a", "11", "-1", "1.1", "true"]), max_size=4))
def test_a_value_and_the_json_text_that_spells_it_ground_the_same(value: Any, asked: list[str]) -> None:
    asked += tokens(json.dumps(value, ensure_ascii=False))
    assert grounded([value], *asked) == grounded(json.dumps([value]), *asked)


@given(st.lists(JSON, max_size=4), st.randoms())
def test_the_order_of_results_does_not_matter(results: list[Any], random: Any) -> None:
    answer = "a1 1111 -1.5 11.11 a.1.1.1"
    shuffled = random.sample(results, len(results))
    assert check_evidence(answer=answer, results=results) == check_evidence(answer=answer, results=shuffled)


@pytest.mark.parametrize("piece", [{"a": [1, "b 2,3", 4.5e30]}, "x1,2 -3.0 ", [[]], '{"a": 1}'])
def test_work_grows_with_the_content_and_no_faster(piece: Any) -> None:
    def work(times: int) -> int:
        count = 0

        def tick(*_: object) -> None:
            nonlocal count
            count += 1

        before = sys.getprofile()
        sys.setprofile(tick)
        try:
            check_evidence(answer="x999 " * times, results=[piece] * times)
        finally:
            sys.setprofile(before)
        return count

    assert work(2_000) <= 4 * work(500) + 100
