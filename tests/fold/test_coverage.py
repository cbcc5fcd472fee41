"""Coverage declarations: refused where they are made, used as far as they are valid where they are read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.facts import CoverageItem
from otel_footprint.fold.coverage import (
    DeclarationError,
    ItemList,
    kind_problem,
    mint_absence,
    mint_ledger,
    read_items,
    recognise,
    short_problem,
)

OUT_OF_REACH = {"what": "the peer", "why": "another region"}

BAD_SHORTS = [
    pytest.param("s" * 81, id="C03-81-characters"),
    pytest.param("longer than its item", id="C03-longer-than-what"),
    pytest.param("a\tb", id="C03-tab"),
    pytest.param("a\u200bb", id="C03-zero-width"),
    pytest.param("a\u2028b", id="C03-line-separator"),
    pytest.param("a\u202eb", id="C03-bidi"),
    pytest.param("  ", id="blank"),
    pytest.param(3, id="number"),
]


# -- minting


def test_bare_text_is_shorthand_for_what() -> None:
    items = mint_ledger(checked=[" the index "]).coverage.items
    assert items == (CoverageItem(section="checked", what="the index"),)


def test_ground_out_of_reach_needs_a_reason() -> None:
    """C01."""
    with pytest.raises(DeclarationError, match=r"cannot_cover\[0\]\.why: say why"):
        mint_ledger(cannot_cover=["the peer"])


def test_checked_ground_takes_no_kind() -> None:
    """C02."""
    with pytest.raises(DeclarationError, match=r"checked\[1\]\.kind: leave it out"):
        mint_ledger(checked=["a", {"what": "b", "kind": "existence"}])


@pytest.mark.parametrize("short", BAD_SHORTS)
def test_short_form_that_cannot_stand_for_its_item_is_refused(short: Any) -> None:
    with pytest.raises(DeclarationError, match=r"not_checked\[0\]\.short: "):
        mint_ledger(not_checked=[{"what": "the archive", "short": short}])


@pytest.mark.parametrize("kind", ["window", 3, ["scope"]])
def test_unknown_kind_is_refused(kind: Any) -> None:
    """C04."""
    with pytest.raises(DeclarationError, match="use 'existence' or 'scope'"):
        mint_ledger(not_checked=[{"what": "a", "kind": kind}])


def test_absence_without_searched_ground_is_refused() -> None:
    """C05."""
    with pytest.raises(DeclarationError, match="checked: name the ground"):
        mint_absence(looked_for="x", checked=[])


def test_ledger_of_three_empty_lists_is_refused() -> None:
    """C06."""
    with pytest.raises(DeclarationError, match="at least one item"):
        mint_ledger()


def test_null_short_and_kind_are_omissions() -> None:
    """C10."""
    declared = mint_ledger(not_checked=[{"what": "a", "short": None, "kind": None}])
    assert declared.record() == {"not_checked": [{"what": "a"}]}


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        pytest.param({"checked": "the index"}, "checked: give a list", id="text-for-list"),
        pytest.param({"checked": [7]}, r"checked\[0\]\.what", id="number-for-item"),
        pytest.param({"checked": [{"what": " "}]}, r"checked\[0\]\.what", id="blank-what"),
        pytest.param({"not_checked": [{"what": "a", "why": ""}]}, r"not_checked\[0\]\.why", id="blank-why"),
        pytest.param({"looked_for": ""}, "looked_for: give a text", id="blank-looked-for"),
        pytest.param({"try_instead": {"tool": "t"}}, "try_instead: give one sentence", id="map-for-sentence"),
        pytest.param({"try_instead_tool": ["t"]}, "try_instead_tool: give one map", id="list-for-tool"),
        pytest.param({"try_instead_tool": {"tool": "t", "url": "u"}}, "leave out url", id="unknown-key"),
        pytest.param({"try_instead_tool": {"tool": " "}}, r"try_instead_tool\.tool", id="blank-tool"),
        pytest.param({"try_instead_tool": {"tool": "t", "why": ""}}, r"try_instead_tool\.why", id="blank-tool-why"),
    ],
)
def test_absence_refuses_what_a_reader_could_not_use(parts: dict[str, Any], problem: str) -> None:
    with pytest.raises(DeclarationError, match=problem):
        mint_absence(**{"looked_for": "x", "checked": ["a"], **parts})


def test_absence_envelope_holds_no_record_only_field() -> None:
    declared = mint_absence(
        looked_for=" invoices ",
        checked=["the index"],
        not_checked=[{"what": "the archive", "why": "slow", "kind": "existence", "short": "archive"}],
        try_instead=" ask billing ",
        try_instead_tool={"tool": "billing", "why": "it holds them"},
    )
    envelope = declared.envelope()
    assert envelope.pop("note")
    assert envelope == {
        "af_absent": True,
        "outcome": "nothing_found",
        "looked_for": "invoices",
        "checked": [{"what": "the index"}],
        "not_checked": [{"what": "the archive", "why": "slow"}],
        "retry_returns_the_same": True,
        "try_instead": "ask billing",
        "try_instead_tool": {"tool": "billing", "why": "it holds them"},
    }
    assert declared.record()["not_checked"] == [
        {"what": "the archive", "why": "slow", "kind": "existence", "short": "archive"}
    ]


@pytest.mark.parametrize("other", [None, "  ", 7])
def test_sentence_that_says_nothing_is_none(other: Any) -> None:
    envelope = mint_absence(looked_for="x", checked=["a"], try_instead=other, try_instead_tool={"tool": "t"}).envelope()
    assert "try_instead" not in envelope
    assert envelope["try_instead_tool"] == {"tool": "t"}


def test_absence_with_nowhere_else_to_go_names_nothing() -> None:
    declared = mint_absence(looked_for="x", checked=["a"])
    assert not {"try_instead", "try_instead_tool", "not_checked"} & declared.envelope().keys()
    assert declared.coverage.try_instead_tool is None


def test_ledger_envelope_stands_around_its_result() -> None:
    envelope = mint_ledger(checked=["a"], cannot_cover=[OUT_OF_REACH]).envelope([1])
    assert envelope["result"] == [1]
    assert envelope["af_coverage"].keys() == {"checked", "cannot_cover", "note"}


# -- reading


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(["a", "b"], id="texts"),
        pytest.param(("a", "b"), id="tuple"),
        pytest.param([{"what": "a"}, {"what": " b "}], id="maps"),
        pytest.param('["a", "b"]', id="json-of-texts"),
        pytest.param('[{"what": "a"}, "b"]', id="json-of-both"),
    ],
)
def test_item_list_is_read_in_each_of_its_forms(value: Any) -> None:
    read = read_items(value, "notChecked")
    assert [item.what for item in read.items] == ["a", "b"]
    assert (read.unreadable, read.dropped) == (0, 0)


@pytest.mark.parametrize(
    ("value", "unreadable"),
    [
        pytest.param(None, 0, id="no-key"),
        pytest.param([], 0, id="empty"),
        pytest.param("the archive", 1, id="text-that-is-no-json"),
        pytest.param("[NaN]", 1, id="loose-json"),
        pytest.param('{"what": "a"}', 1, id="json-map"),
        pytest.param(7, 1, id="number"),
        pytest.param([7, None, " ", {"why": "w"}, {"what": 3}], 5, id="no-items"),
        pytest.param([{"what": "a", "why": " "}], 1, id="blank-why"),
    ],
)
def test_what_is_no_item_is_counted(value: Any, unreadable: int) -> None:
    assert read_items(value, "notChecked") == ItemList(unreadable=unreadable)


def test_item_out_of_reach_without_a_reason_is_counted() -> None:
    read = read_items(["the peer", OUT_OF_REACH], "cannotCover")
    assert ([item.what for item in read.items], read.unreadable) == (["the peer"], 1)


@pytest.mark.parametrize("short", BAD_SHORTS)
def test_invalid_short_form_is_dropped_and_its_item_kept(short: Any) -> None:
    read = read_items([{"what": "the archive", "short": short, "kind": "scope"}], "notChecked")
    assert read == ItemList(items=(CoverageItem(section="notChecked", what="the archive", kind="scope"),), dropped=1)


@pytest.mark.parametrize(
    ("section", "kind"),
    [
        pytest.param("checked", "existence", id="C02"),
        pytest.param("notChecked", "window", id="C04"),
    ],
)
def test_invalid_kind_is_dropped_and_its_item_kept(section: Any, kind: str) -> None:
    read = read_items([{"what": "a", "kind": kind, "short": "a"}], section)
    assert read == ItemList(items=(CoverageItem(section=section, what="a", short="a"),), dropped=1)


def test_words_kept_out_are_counted_as_an_item() -> None:
    read = read_items([{"what": "[REDACTED]", "kind": "existence"}], "notChecked", is_placeholder=lambda v: "RED" in v)
    assert read.items[0].kept_out
    assert read.items[0].kind == "existence"


TEXTS = st.text(max_size=90) | st.none() | st.integers()


@given(st.lists(st.fixed_dictionaries({}, optional={"what": TEXTS, "why": TEXTS, "short": TEXTS, "kind": TEXTS})))
def test_mint_and_read_agree_on_every_item(entries: list[dict[str, Any]]) -> None:
    for entry in entries:
        read = read_items([entry], "notChecked")
        try:
            minted = mint_ledger(not_checked=[entry]).coverage.items
        except DeclarationError:
            assert read.unreadable or read.dropped
        else:
            assert read == ItemList(items=minted)


def test_what_was_minted_reads_back_from_its_record() -> None:
    declared = mint_ledger(not_checked=[{"what": "the archive", "why": "slow", "kind": "scope", "short": "archive"}])
    assert read_items(json.dumps(declared.record()["not_checked"]), "notChecked").items == declared.coverage.items


def test_validity_functions_tell_an_omission_from_a_fault() -> None:
    assert short_problem(None, "a") is None
    assert kind_problem(None, "checked") is None


# -- envelopes

ABSENCE = {"af_absent": True, "looked_for": "x", "checked": [{"what": "db"}], "try_instead_tool": {"tool": "t"}}


def test_ledger_around_an_absence_is_two_statements() -> None:
    """C07."""
    found = recognise({"af_coverage": {"not_checked": ["a"]}, "result": ABSENCE}, pointer="s#attribute:r")
    assert [statement.statement for statement in found.statements] == ["ledger", "absence"]
    assert [statement.looked_for for statement in found.statements] == [None, "x"]
    assert found.statements[1].try_instead_tool == "t"
    assert {statement.pointer for statement in found.statements} == {"s#attribute:r"}


def test_only_the_outer_of_two_ledgers_is_a_statement() -> None:
    """C08."""
    inner = {"af_coverage": {"checked": ["inner"]}, "result": []}
    found = recognise({"af_coverage": {"checked": ["outer"]}, "result": inner})
    assert [[item.what for item in statement.items] for statement in found.statements] == [["outer"]]


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(json.dumps(ABSENCE), id="C09"),
        pytest.param({**ABSENCE, "checked": []}, id="C05"),
        pytest.param({**ABSENCE, "checked": "db"}, id="checked-text"),
        pytest.param({**ABSENCE, "af_absent": "yes"}, id="marker-text"),
        pytest.param({**ABSENCE, "af_absent": 1}, id="marker-one"),
        pytest.param({"af_coverage": {"checked": ["a"]}}, id="ledger-without-result"),
        pytest.param({"af_coverage": ["a"], "result": []}, id="ledger-list"),
        pytest.param([ABSENCE], id="list"),
        pytest.param(None, id="null"),
    ],
)
def test_anything_else_is_plain_data(value: Any) -> None:
    assert recognise(value).statements == ()


def test_faults_inside_an_envelope_are_counted_and_the_statement_stays() -> None:
    found = recognise({**ABSENCE, "checked": ["db", 7], "not_checked": [{"what": "a", "kind": "x"}], "looked_for": 3})
    (statement,) = found.statements
    assert (found.unreadable, found.dropped, statement.looked_for) == (1, 1, None)
    assert [item.what for item in statement.items] == ["db", "a"]


def test_minted_envelopes_are_recognised() -> None:
    absence = mint_absence(looked_for="x", checked=["a"], try_instead="ask", try_instead_tool={"tool": "t"})
    ledger = mint_ledger(cannot_cover=[OUT_OF_REACH])
    assert recognise(ledger.envelope(absence.envelope())).statements == (ledger.coverage, absence.coverage)
