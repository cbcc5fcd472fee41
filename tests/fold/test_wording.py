"""The closed table of sentences, and how values are filled in."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.fold.labels import LABELS, label_words
from otel_footprint.fold.sentences import SENTENCES
from otel_footprint.fold.wording import (
    FACT_TEXT_CHARS,
    WORDING_VERSION,
    Sentence,
    clean,
    reason_sentence,
    render,
    script_sentence,
    texts,
    variables,
    wording_digest,
)

DIGESTS = {
    "1": "015820955a247151b83ac4ae7662a6cb761bd5135cb081857bbe169b3da5171d",
    "2": "ef8ac87caf44caa52189d489fe58e952ac71c63883b3e7cdd4d2c6a754ad681f",
}
"""Each released version of the wording, and what it must hash to."""

REASONS = [
    "asked",
    "argument-asked",
    "argument-assumed",
    "argument-unverified",
    "argument-read",
    "value-contingent",
    "coverage-gap",
    "declared-absent",
    "empty-undeclared",
    "period-not-held",
    "period-partly-held",
    "period-unknown",
    "period-undeclared",
    "period-differs-from-asked",
    "period-beyond-retention",
    "sources-conflict",
    "value-unsupported",
    "value-survived-revision",
    "derived-from-reading",
    "script-unmatched",
    "stopped-early",
    "steps-unfinished",
    "negative-prose-unverified",
    "claim-exceeds-search",
    "declaration-overclaimed",
    "answer-check-failed",
    "check-unreachable",
]


def test_no_word_changes_without_a_new_version() -> None:
    assert DIGESTS[WORDING_VERSION] == wording_digest()


@pytest.mark.parametrize("sentence_id", SENTENCES)
def test_sentence_starts_with_fixed_words_or_a_tool(sentence_id: str) -> None:
    assert re.match(r"[A-Z]|\{tool\}", SENTENCES[sentence_id])


@pytest.mark.parametrize("sentence_id", SENTENCES)
def test_sentence_claims_no_execution_and_no_number_of_its_own(sentence_id: str) -> None:
    template = SENTENCES[sentence_id]
    assert "executed" not in template
    assert re.findall(r"\d+", template) == (
        ["0"] if sentence_id.startswith("script.completed") and "exit 0" in template else []
    )


@pytest.mark.parametrize("sentence_id", SENTENCES)
def test_every_hole_is_filled(sentence_id: str) -> None:
    filled = render(sentence_id, **{name: ["x"] for name in variables(sentence_id)})
    assert not re.search(r"[{}]", filled)


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize("exit_code", [None, 7])
@pytest.mark.parametrize("service_error", [True, False])
def test_script_sentence_uses_the_words_of_its_label(
    label: str, exit_code: int | None, *, recorded: bool, service_error: bool
) -> None:
    text = script_sentence(label, "bash", exit_code=exit_code, service_error=service_error, recorded=recorded).text
    assert text.startswith(f"bash: {label_words(label, exit_code)}")
    assert text.endswith("; program not recorded") is not recorded
    assert ("execution service" in text) is (service_error and label == "outcome-unknown")


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_has_a_sentence_without_values(reason: str) -> None:
    assert reason_sentence(reason).text == SENTENCES[f"reason.{reason}"]


def test_unknown_reason_is_a_programming_error() -> None:
    with pytest.raises(KeyError):
        reason_sentence("mood")


@pytest.mark.parametrize("values", [{}, {"tool": "t", "n": 1}, {"n": 1}])
def test_values_must_be_those_of_the_sentence(values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="takes"):
        render("unreachable.existence", **values)


def test_value_that_spells_a_hole_is_not_filled() -> None:
    text = render("signal.existenceNotChecked", tool="{short}", short="{tool}")
    assert text == "{short} did not look at {tool}, so whether it exists is open."


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("a\nb\tc", "a b c", id="controls"),
        pytest.param("a\u2028b\u202ec", "a bc", id="separators-and-marks"),
        pytest.param("\ud800", "\ufffd", id="lone-surrogate"),
        pytest.param("", "(empty)", id="empty"),
        pytest.param(" \u200b ", "(empty)", id="invisible"),
        pytest.param(3, "3", id="number"),
        pytest.param("x" * 200, "x" * 200, id="longest"),
        pytest.param("x" * 201, "x" * 199 + "…", id="too-long"),
    ],
)
def test_value_is_one_bounded_line_of_visible_text(value: Any, expected: str) -> None:
    assert clean(value) == expected


@given(st.text(alphabet=st.characters(), max_size=400))
def test_cleaned_text_can_always_be_written_out(text: str) -> None:
    shown = clean(text)
    assert 0 < len(shown) <= FACT_TEXT_CHARS
    assert not {unicodedata.category(char) for char in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert shown.encode()


@pytest.mark.parametrize(
    ("distance", "words"), [(1, "no rows in the previous answer without"), (2, "no rows 2 answers back without")]
)
def test_distance_is_said_in_answers(distance: int, words: str) -> None:
    assert words in render("signal.undeclaredEmptyInView", tool="t", distance=distance)


def test_list_is_joined_in_words() -> None:
    text = render("signal.decidedNotDelivered.instead", chosen="refunds", given=["a", "b", "c"])
    assert text.endswith("the model was given a, b and c.")


def test_sentences_make_a_running_text() -> None:
    both = (Sentence(id="summary.none"), Sentence(id="summary.resumed.held"))
    assert texts(both) == f"{SENTENCES['summary.none']} {SENTENCES['summary.resumed.held']}"
