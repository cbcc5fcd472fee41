"""The answer's fenced blocks against this turn's programs (table of matches)."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.fold.evidence import check_evidence
from otel_footprint.fold.labels import CodeRunFacts
from otel_footprint.fold.matching import (
    MAX_FENCE_REGIONS,
    MatchVerdict,
    ShownRow,
    fences,
    match_blocks,
    shown_by_dispatch,
    shown_rows,
)
from otel_footprint.fold.recovery import UNMATCHED
from otel_footprint.fold.scripts import Ledger, ScriptRow, build_row, drop_earlier_text, read_rows


def a_row(program: str | None, *, dispatch: int = 1, outcome: Any = "returned", **facts: Any) -> ScriptRow:
    return ScriptRow(
        tool_call_id=f"c{dispatch}",
        tool="run_code",
        argument="code",
        bytes=None,
        lines=None,
        text=program,
        outcome=outcome,
        turn=1,
        iteration=1,
        dispatch=dispatch,
        **facts,
    )


def labels(answer: str, *rows: ScriptRow) -> list[str]:
    return [block.label for block in match_blocks(answer, rows, 0).blocks]


def fenced(program: str) -> str:
    return f"```python\n{program}\n```\n"


def work(function: Callable[[], object]) -> int:
    """How many calls a function makes, of Python and of C."""
    count = 0

    def tick(*_: object) -> None:
        nonlocal count
        count += 1

    before = sys.getprofile()
    sys.setprofile(tick)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count


# -- regions


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        pytest.param("no fence at all, `inline` and\n\n    indented", [], id="prose"),
        pytest.param("```\na\n```", ["a\n"], id="backticks"),
        pytest.param("~~~\na\n~~~", ["a\n"], id="tildes"),
        pytest.param("text\n```py title=x\na\nb\n```\nmore\n", ["a\nb\n"], id="info-string"),
        pytest.param("   ```\n   a\n ```\n", ["a\n"], id="indent-of-the-opening-line-is-taken-off"),
        pytest.param("  ```\n a\n    b\n  ```\n", ["a\n  b\n"], id="no-more-than-is-there"),
        pytest.param("    ```\na\n    ```\n", [], id="four-spaces-are-no-fence"),
        pytest.param("\t```\na\n\t```\n", [], id="a-tab-is-no-fence"),
        pytest.param("x ```\na\n```", [], id="not-at-the-start-and-nothing-after"),
        pytest.param("``\na\n``", [], id="two-marks"),
        pytest.param("```a`b\nx\n```\ny\n```\n", ["y\n"], id="backtick-in-the-info-string"),
        pytest.param("~~~a`b\nx\n~~~\n", ["x\n"], id="tildes-allow-it"),
        pytest.param("```\na\n~~~\nb\n```\n", ["a\n~~~\nb\n"], id="other-marks-do-not-close"),
        pytest.param("````\na\n```\nb\n`````\n", ["a\n```\nb\n"], id="fewer-marks-do-not-close"),
        pytest.param("```\na\n```x\nb\n``` \t\n", ["a\n```x\nb\n"], id="words-after-it-do-not-close"),
        pytest.param("```\na\n    ```\nb\n```\n", ["a\n    ```\nb\n"], id="four-spaces-do-not-close"),
        pytest.param("```\na\r\n```\r\nb", ["a\r\n"], id="carriage-returns-stay-in-the-body"),
        pytest.param("```\na\nb", ["a\nb"], id="unclosed-runs-to-the-end"),
        pytest.param("```\n```\n~~~\n", [], id="empty-bodies"),
        pytest.param("  ```\n  ", [], id="nothing-but-the-indent"),
        pytest.param("```\n\n```\n", ["\n"], id="one-empty-line"),
        pytest.param("```\na\n```\n```\nb\n```\n", ["a\n", "b\n"], id="one-after-the-other"),
    ],
)
def test_regions_are_those_of_markdown(answer: str, texts: list[str]) -> None:
    assert [fence.text for fence in fences(answer)] == texts


def test_offsets_name_the_region_and_its_body() -> None:
    answer = "before\n ```py\n a\n ```  \nafter\n"
    (fence,) = fences(answer)
    assert answer[fence.start : fence.end] == " ```py\n a\n ```  \n"
    assert answer[fence.body_start : fence.body_end] == " a\n"


def test_the_first_sixteen_regions_are_judged_and_the_rest_is_counted() -> None:
    answer = "```\n```\n" + fenced("p") * (MAX_FENCE_REGIONS + 3)
    verdict = match_blocks(answer, [a_row("p")], 0)
    assert [block.block for block in verdict.blocks] == list(range(1, MAX_FENCE_REGIONS + 1))
    assert verdict.regions_dropped == 3
    assert len(fences(answer)) == MAX_FENCE_REGIONS


# -- equality


@pytest.mark.parametrize(
    ("answer", "program", "matches"),
    [
        pytest.param("```\nx = 1\n```", "x = 1", True, id="M01-without-the-fence's-line-feed"),
        pytest.param("```\nx = 1\n```", "x = 1\n", True, id="as-it-stands"),
        pytest.param("```\nx = 1\n```", "x = 1\n\n", False, id="one-line-feed-only"),
        pytest.param("```\nx  = 1\n```", "x = 1", False, id="M02-one-space"),
        pytest.param("```\nx = 1 \n```", "x = 1", False, id="nothing-is-trimmed"),
        pytest.param("```\na\r\nb\r\n```\r\n", "a\nb\n", False, id="line-ends-are-not-folded"),
        pytest.param("```\na\r\nb\r\n```\r\n", "a\r\nb\r\n", True, id="the-same-line-ends"),
        pytest.param("```\n\ta\n```", "    a", False, id="tabs-are-not-spaces"),
        pytest.param("```\ne\u0301\n```", "\u00e9", False, id="unicode-is-not-normalised"),
        pytest.param("```json\nx = 1\n```", "x = 1", True, id="the-language-is-not-compared"),
        pytest.param("  ```\n  if a:\n    b\n  ```", "if a:\n  b", True, id="inside-a-list-item"),
        pytest.param("```\nx = 1", "x = 1", True, id="unclosed"),
        pytest.param("```\n\n```", "", True, id="an-empty-program"),
        pytest.param("```\nx = 1\ud800\n```", "x = 1\ud800", True, id="lone-surrogate"),
    ],
)
def test_a_block_matches_only_the_very_program(answer: str, program: str, *, matches: bool) -> None:
    assert labels(answer, a_row(program)) == ["returned" if matches else UNMATCHED]


def a_ledger(*, turn: int, program: str, **call: Any) -> Ledger:
    ledger = Ledger()
    row = build_row(
        **{
            "tool_call_id": "c",
            "tool": "run_code",
            "argument": "code",
            "submitted": program,
            "settlement": "returned",
            "facts": None,
            "turn": turn,
            "iteration": 1,
            **call,
        }
    )
    assert row is not None
    ledger.file(row)
    return ledger


@pytest.mark.parametrize(
    ("shown", "ledger", "earlier"),
    [
        pytest.param("p = 1", a_ledger(turn=1, program="p = 1"), 1, id="M03-earlier-turn"),
        pytest.param("x" * 40_000, a_ledger(turn=2, program="x" * 40_000), 0, id="M04-too-long"),
        pytest.param("p = 1", Ledger(), 0, id="M05-no-code-tool-ran"),
        pytest.param("p = 1", a_ledger(turn=2, program="p = 2", proposed="p = 1"), 0, id="M06-proposed-text"),
        pytest.param("p = 1", a_ledger(turn=2, program="p = 1", paused=True), 0, id="M15-still-waits-on-a-person"),
    ],
)
def test_what_this_turn_did_not_submit_or_hold_is_unmatched(shown: str, ledger: Ledger, earlier: int) -> None:
    reading = read_rows(drop_earlier_text(ledger.rows, 2), 2)
    verdict = match_blocks(fenced(shown), reading.rows, reading.earlier)
    assert [dataclasses.astuple(block)[:6] for block in verdict.blocks] == [(1, UNMATCHED, None, None, None, None)]
    assert verdict.earlier_turn_rows == earlier
    assert verdict.matched_regions == frozenset()


def test_a_matched_block_takes_the_actual_label_and_its_exit_code() -> None:
    """M12."""
    ledger = a_ledger(turn=1, program="exit 7", facts=CodeRunFacts(exit_code=7))
    answer = f"First:\n{fenced('exit 7')}Then nothing."
    (block,) = match_blocks(answer, read_rows(ledger.rows, 1).rows, 0).blocks
    assert dataclasses.astuple(block)[:6] == (1, "completed-with-failure", 1, "c", "run_code", 7)
    assert answer[block.start : block.end] == fenced("exit 7")


def test_a_refused_call_keeps_its_text_and_matches_as_submitted() -> None:
    """M15."""
    ledger = a_ledger(turn=1, program="p", settlement="not-entered")
    assert labels(fenced("p"), *read_rows(ledger.rows, 1).rows) == ["submitted"]


def test_of_equal_programs_the_last_row_gives_the_label() -> None:
    rows = [
        a_row("p\n", dispatch=3, outcome="completed", exit_code=0),
        a_row("p", dispatch=1, outcome="outcome-unknown"),
        a_row("q", dispatch=2),
        a_row("p", dispatch=4, outcome="submitted"),
    ]
    (block,) = match_blocks(fenced("p"), rows, 0).blocks
    assert (block.label, block.dispatch, block.dispatches) == ("submitted", 4, (3, 1, 4))


def test_matched_and_unmatched_blocks_are_numbered_together() -> None:
    """M14."""
    answer = f"{fenced('p')}~~~\n~~~\n{fenced('other')}{fenced('q')}"
    verdict = match_blocks(answer, [a_row("p"), a_row("q", dispatch=2, outcome="completed", exit_code=0)], 5)
    assert [(one.block, one.label, one.dispatch) for one in verdict.blocks] == [
        (1, "returned", 1),
        (2, UNMATCHED, None),
        (3, "completed", 2),
    ]
    matched = {answer[start:end] for start, end in verdict.matched_regions}
    assert matched == {fenced("p"), fenced("q")}


# -- what was shown


def test_each_program_is_matched_or_not_shown_and_one_without_text_is_neither() -> None:
    rows = [a_row("p"), a_row("q", dispatch=2), a_row(None, dispatch=3), a_row("p", dispatch=4)]
    shown = shown_by_dispatch(rows, match_blocks(fenced("p"), rows, 0))
    assert shown == {1: "matched", 2: "not-shown", 4: "matched"}


def test_every_block_has_a_row_without_a_word_of_the_answer() -> None:
    verdict = match_blocks(fenced("p") + fenced("secret"), [a_row("p", outcome="completed", exit_code=0)], 0)
    one, other = shown_rows(verdict, turn=3, iteration=2)
    expected = ShownRow(
        turn=3,
        iteration=2,
        block=1,
        label="completed",
        tool_call_id="c1",
        dispatch=1,
        tool="run_code",
        exit_code=0,
    )
    assert one == expected
    assert other == dataclasses.replace(
        expected, block=2, label=UNMATCHED, tool_call_id=None, dispatch=None, tool=None, exit_code=None
    )
    assert other.kind == "script-shown"


def test_an_answer_without_a_fence_has_nothing_to_say() -> None:
    assert match_blocks("no code", [a_row("p")], 0) == MatchVerdict(blocks=(), earlier_turn_rows=0, regions_dropped=0)


# -- properties

LINES = st.sampled_from(["```", "````", "~~~", "  ```", "```py", "p = 41200", "q = 99999", "total 88888", "", " x`y"])
ANSWERS = st.lists(LINES, max_size=24).map("\n".join)
ROWS = [a_row("p = 41200"), a_row("q = 99999\n", dispatch=2, outcome="completed", exit_code=0)]


@given(st.text() | st.text(alphabet="`~ \n\rp"))
def test_any_text_is_read_and_regions_lie_in_order_inside_it(answer: str) -> None:
    found = fences(answer)
    assert match_blocks(answer, ROWS, 0) == match_blocks(answer, ROWS, 0)
    ends = [0, *(offset for one in found for offset in (one.start, one.body_start, one.body_end, one.end)), len(answer)]
    assert ends == sorted(ends)


@given(ANSWERS)
def test_removing_a_matched_block_changes_nothing_else(answer: str) -> None:
    verdict = match_blocks(answer, ROWS, 0)
    removed = next((one for one in verdict.blocks if one.label != UNMATCHED), None)
    if removed is None:
        return
    rest = answer[: removed.start] + answer[removed.end :]
    without = match_blocks(rest, ROWS, 0)
    assert [one.label for one in without.blocks] == [one.label for one in verdict.blocks if one is not removed]

    def evidence(text: str, match: MatchVerdict) -> object:
        return check_evidence(answer=text, results=[], matched_regions=match.matched_regions)

    assert evidence(rest, without) == evidence(answer, verdict)


@pytest.mark.parametrize("piece", [fenced("p"), "```\n", "~~~a\n", "`" * 50 + "x`\n", "``` `\n", " " * 50, "prose\n"])
def test_work_grows_with_the_answer_and_no_faster(piece: str) -> None:
    def read(times: int) -> Callable[[], object]:
        return lambda: match_blocks(piece * times, ROWS, 0)

    once = work(read(500))
    assert work(read(2_000)) <= 4 * once + 100
