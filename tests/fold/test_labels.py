"""The label of a code run (table of labels), its words, and its agreement with an exit code."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.fold.labels import (
    LABELS,
    CodeRunFacts,
    Outcome,
    exit_code_fits,
    label_outcome,
    label_words,
    valid_exit_code,
)

ANYTHING = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.lists(st.none(), max_size=1)
)
SETTLEMENTS = ("not-entered", "returned", "threw")


@pytest.mark.parametrize(
    ("facts", "settlement", "expected"),
    [
        pytest.param({"exit_code": 0}, "returned", Outcome(label="completed", exit_code=0), id="L01"),
        pytest.param({"exit_code": 7}, "returned", Outcome(label="completed-with-failure", exit_code=7), id="L02"),
        pytest.param({"exit_code": -9}, "returned", Outcome(label="completed-with-failure", exit_code=-9), id="L03"),
        pytest.param(
            {"exit_code": 0, "service_error": True}, "returned", Outcome(label="completed", exit_code=0), id="L04"
        ),
        pytest.param({"exit_code": 3}, "threw", Outcome(label="completed-with-failure", exit_code=3), id="L05"),
        pytest.param(
            {"service_error": True, "ok": True},
            "returned",
            Outcome(label="outcome-unknown", service_error=True),
            id="L06",
        ),
        pytest.param({"ok": True}, "returned", Outcome(label="reported-success"), id="L07"),
        pytest.param({"ok": False}, "returned", Outcome(label="reported-failure"), id="L08"),
        pytest.param({"ok": True}, "not-entered", Outcome(label="reported-success"), id="L09"),
        pytest.param({"exit_code": 1.5, "ok": False}, "returned", Outcome(label="reported-failure"), id="L10"),
        pytest.param({"exit_code": math.nan}, "returned", Outcome(label="returned"), id="L11"),
        pytest.param({"exit_code": True}, "returned", Outcome(label="returned"), id="L12"),
        pytest.param({"exit_code": "0", "ok": True}, "returned", Outcome(label="reported-success"), id="L13"),
        pytest.param({}, "threw", Outcome(label="outcome-unknown"), id="L14"),
        pytest.param({"service_error": "true", "ok": False}, "returned", Outcome(label="reported-failure"), id="L15"),
        pytest.param(None, "returned", Outcome(label="returned"), id="L16-returned"),
        pytest.param(None, "threw", Outcome(label="outcome-unknown"), id="L16-threw"),
        pytest.param(None, "not-entered", Outcome(label="submitted"), id="L16-not-entered"),
        pytest.param({"exit_code": 2.0}, "returned", Outcome(label="completed-with-failure", exit_code=2), id="float"),
        pytest.param({"exit_code": -0.0}, "returned", Outcome(label="completed", exit_code=0), id="minus-zero"),
        pytest.param({"ok": 1}, "returned", Outcome(label="returned"), id="ok-is-not-one"),
    ],
)
def test_label_follows_evidence_then_settlement(
    facts: dict[str, Any] | None, settlement: str, expected: Outcome
) -> None:
    outcome = label_outcome(settlement, None if facts is None else CodeRunFacts(**facts))
    assert outcome == expected
    assert not isinstance(outcome.exit_code, (bool, float))


@pytest.mark.parametrize(
    ("label", "exit_code", "present", "expected"),
    [
        pytest.param("completed", None, False, False, id="L17-completed-absent"),
        pytest.param("completed", 0, True, True, id="L17-completed-0"),
        pytest.param("completed", 1, True, False, id="L17-completed-1"),
        pytest.param("completed-with-failure", None, False, False, id="L17-failure-absent"),
        pytest.param("completed-with-failure", 0, True, False, id="L17-failure-0"),
        pytest.param("completed-with-failure", 7, True, True, id="L17-failure-7"),
        pytest.param("completed-with-failure", True, True, False, id="L17-failure-true"),
        pytest.param("returned", None, True, False, id="L17-returned-null"),
        pytest.param("returned", None, False, True, id="L17-returned-absent"),
        pytest.param("outcome-unknown", 1, True, False, id="L17-unknown-1"),
    ],
)
def test_exit_code_agrees_with_its_label(label: str, exit_code: Any, *, present: bool, expected: bool) -> None:
    assert exit_code_fits(label, exit_code, present=present) is expected


def test_unknown_settlement_is_a_programming_error() -> None:
    with pytest.raises(ValueError, match="use one of returned, threw, not-entered"):
        label_outcome("finished", None)


def test_unknown_label_has_no_words() -> None:
    with pytest.raises(ValueError, match="completed-with-failure"):
        label_words("done")


@pytest.mark.parametrize("code", [None, "7", True, 1.5])
def test_words_name_no_exit_number_that_the_row_does_not_hold(code: Any) -> None:
    assert label_words("completed-with-failure", code) == "completed with failure"


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 1e300, math.inf, -math.inf])
def test_number_that_no_span_can_carry_is_no_exit_code(value: Any) -> None:
    assert valid_exit_code(value) is None


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63)])
def test_exit_code_may_take_all_64_bits(value: int) -> None:
    assert valid_exit_code(value) == value


@given(
    facts=st.none() | st.builds(CodeRunFacts, exit_code=ANYTHING, ok=ANYTHING, service_error=ANYTHING),
    settlement=st.sampled_from(SETTLEMENTS),
)
def test_every_input_has_one_label_that_its_own_reader_accepts(facts: CodeRunFacts | None, settlement: str) -> None:
    outcome = label_outcome(settlement, facts)
    assert outcome.label in LABELS
    assert exit_code_fits(outcome.label, outcome.exit_code, present=outcome.exit_code is not None)
    assert outcome.service_error <= (outcome.label == "outcome-unknown")


@given(facts=st.builds(CodeRunFacts, ok=ANYTHING, service_error=ANYTHING), settlement=st.sampled_from(SETTLEMENTS))
def test_completed_needs_an_exit_code(facts: CodeRunFacts, settlement: str) -> None:
    assert not label_outcome(settlement, facts).label.startswith("completed")
