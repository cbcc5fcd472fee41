"""What a revision request says about the code a refused draft showed (table of matches)."""

from __future__ import annotations

import pytest

from otel_footprint.fold.recovery import UNMATCHED, ShownBlock, recovery_clauses, recovery_text

NOT_OURS = ShownBlock(label=UNMATCHED)
EXIT_7 = ShownBlock(label="completed-with-failure", exit_code=7, tool="run_code", tool_call_id="c1")
WAITING = ShownBlock(label="submitted", tool="bash", tool_call_id="c2")


@pytest.mark.parametrize(
    ("blocks", "regions"),
    [
        pytest.param([NOT_OURS], ["prose"], id="M09"),
        pytest.param([EXIT_7], ["code"], id="M13"),
        pytest.param([], ["code", "prose"], id="no-blocks"),
        pytest.param([NOT_OURS, EXIT_7], [], id="nothing-flagged"),
    ],
)
def test_other_combinations_carry_no_clause(blocks: list[ShownBlock], regions: list[str]) -> None:
    clauses = recovery_clauses(blocks, regions, ["run_code"])
    assert (clauses.unmatched, clauses.tools_named, clauses.kept_calls) == (False, (), ())
    assert recovery_text(clauses) == ""


def test_unmatched_code_names_the_tools_of_this_turn() -> None:
    """M10."""
    text = recovery_text(recovery_clauses([NOT_OURS], ["code"], ["a", "b", "c"]))
    assert 'submitted to "a", "b" or "c" in this turn' in text


def test_one_tool_is_named_alone() -> None:
    assert 'submitted to "a" in this turn' in recovery_text(recovery_clauses([NOT_OURS], ["code"], ["a"]))


def test_unmatched_code_without_any_tool_uses_the_generic_phrase() -> None:
    """M11."""
    clauses = recovery_clauses([NOT_OURS], ["code"], [])
    assert clauses.unmatched
    assert "submitted to a code-running tool in this turn" in recovery_text(clauses)


def test_matched_code_is_kept_with_its_label_in_words() -> None:
    """M12."""
    text = recovery_text(recovery_clauses([EXIT_7], ["prose"], ["run_code"]))
    assert '"run_code" in call c1 (completed with failure, exit 7)' in text
    assert text.startswith("The code shown equals the program ")


def test_both_clauses_come_in_order() -> None:
    """M14."""
    text = recovery_text(recovery_clauses([EXIT_7, NOT_OURS], ["code", "prose"], ["run_code"]))
    assert 0 <= text.index("equals no program submitted") < text.index("equals the program sent")
    assert "  " not in text


def test_several_matched_blocks_are_joined_and_plural() -> None:
    """M15."""
    text = recovery_text(recovery_clauses([EXIT_7, WAITING], ["prose"], ["run_code", "bash"]))
    assert 'exit 7) and "bash" in call c2 (submitted);' in text
    assert text.startswith("The code blocks shown equal the programs ")
