"""Tokens, normal forms and candidates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.fold.tokens import (
    EvidenceOptions,
    candidates,
    found_tokens,
    normal_form,
    occurrences,
    stands_alone,
    tokens,
)

TRICKY = st.text(alphabet="ab0159EX,.:/@_+-%$# \n\u2116\u00ef\uff11\u212a\ud800")


def values(text: str, **options: object) -> list[str]:
    return [one.value for one in candidates(text, EvidenceOptions(**options))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("token", "form"),
    [
        ("41,200", "41200"),
        ("+41200", "41200"),
        ("-1,234.50", "-1234.5"),
        ("00042.000", "42"),
        ("-0.0", "0"),
        (' "(98,765)",\n', "98765"),
        ("27.5%", "27.5"),
        ("$1,000.", "1000"),
        ("EF0101!", "ef0101"),
        ("4,12", "4,12"),
        (".5", ".5"),
        ("", ""),
    ],
)
def test_every_spelling_of_a_value_has_one_form(token: str, form: str) -> None:
    assert normal_form(token) == form


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("It was 5. Then: up!", ["it", "was", "5", "then", "up"], id="marks-of-the-sentence"),
        pytest.param("fc1/3,fc1/4", ["fc1/3", "fc1/4"], id="a-comma-parts-names"),
        pytest.param("4,411,200,", ["4411200"], id="a-comma-groups-digits"),
        pytest.param("[2026,500,12]", ["2026", "500", "12"], id="and-parts-numbers-that-it-does-not-group"),
        pytest.param('"x",-5000', ["x", "-5000"], id="a-row-of-a-table"),
        pytest.param("wait...5000 and 5...", ["wait", "5000", "and", "5"], id="an-ellipsis-parts"),
        pytest.param("-5 +6 --7 -x a-1 .5 -.5", ["-5", "6", "7", "x", "a-1", ".5", ".5"], id="signs-and-points"),
        pytest.param("_8080_ **9090** /x/", ["8080", "9090", "x"], id="emphasis"),
        pytest.param("na\u00efve1234 \u2116 \uff11 4411\u212a", ["na", "ve1234", "4411"], id="ascii-only"),
        pytest.param("... --- ,,, ,-", [], id="marks-alone"),
        pytest.param("http://10.0.0.12:9000/a?b=1", ["http://10.0.0.12:9000/a", "b", "1"], id="address"),
    ],
)
def test_a_text_falls_into_tokens(text: str, found: list[str]) -> None:
    assert list(tokens(text)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("999 and 0.55 and 1,000", ["1000"], id="four-digits"),
        pytest.param("100.5", ["100.5"], id="digits-after-the-point-count"),
        pytest.param("0042", [], id="zeros-that-say-nothing-do-not"),
        pytest.param("43629ms 8090GB 58319-port 5000/minute", ["43629", "8090", "58319", "5000"], id="units"),
        pytest.param("47th 48-port $20/month 30-minute", [], id="small-quantities-are-no-identifiers"),
        pytest.param("1,234ms -48000-port", ["1234", "-48000"], id="grouped-and-signed-quantities"),
        pytest.param("99999bottles 12th-gen", ["99999bottles", "12th-gen"], id="longer-words-make-identifiers"),
        pytest.param("0xdead 0x12", ["0xdead", "0x12"], id="hexadecimal"),
        pytest.param("po1 24/7 3x4 ab12 12/345", ["ab12", "12/345"], id="four-letters-or-digits"),
        pytest.param("state-of-the-art", [], id="a-digit-is-needed"),
        pytest.param("4411, 4411 and 4,411.0", ["4411"], id="each-value-once"),
    ],
)
def test_names_with_a_digit_and_longer_numbers_are_candidates(text: str, found: list[str]) -> None:
    assert values(text) == found


def test_a_candidate_tells_where_it_stands_without_its_unit() -> None:
    text = "see: (-41,200iops), and host-7a."
    number, name = candidates(text)
    assert (number.shape, text[number.start : number.end]) == ("number", "-41,200")
    assert (name.shape, text[name.start : name.end]) == ("identifier", "host-7a")


def test_every_occurrence_is_given_where_each_is_wanted() -> None:
    assert [one.start for one in occurrences("4411 4411")] == [0, 5]


def test_the_fewest_digits_are_an_option() -> None:
    assert values("7 42 1234", minimum_digits=2) == ["42", "1234"]


def test_shapes_make_identifiers_of_what_would_be_none() -> None:
    text = "VLAN7 in eu-west, not us-east; 48-port"
    assert values(text, shapes=("vlan?", "EU-*", "*-port")) == ["vlan7", "eu-west", "48-port"]


def test_exempted_values_are_no_candidates() -> None:
    assert values("in 2026: 4,411 and 1999", exemptions=("20[0-9][0-9]", "4411")) == ["1999"]


def test_an_option_that_would_check_nothing_sensible_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1, not 0"):
        EvidenceOptions(minimum_digits=0)


@given(st.text() | TRICKY)
def test_the_quick_reading_of_a_long_text_finds_the_same_tokens(text: str) -> None:
    read = set(tokens(text))
    near = {one for token in read for one in (token, token[1:], token[:-1], f"-{token}", f"{token}0")}
    near = {one for one in near if tokens(one) == (one,)}
    assert found_tokens(text, near) == near & read
    assert all(one in read for one in near if stands_alone(one, text.lower()))


@given(st.text() | TRICKY)
def test_any_text_is_read_and_a_token_is_its_own_normal_form(text: str) -> None:
    for token in tokens(text):
        assert normal_form(token) == token
        assert found_tokens(f"({token}) ", [token]) == {token}


@given(TRICKY)
def test_candidates_lie_where_they_say(text: str) -> None:
    for one in candidates(text, EvidenceOptions(minimum_digits=1, shapes=("a*",))):
        assert normal_form(text[one.start : one.end]) == one.value


@pytest.mark.parametrize(
    "piece", ["a", "1", "-", ".", ",", "a-", "1,234", ",1", "1.", "@_", "0x", "a..", "\u2116", "\ud800"]
)
def test_a_long_run_of_anything_is_read_in_one_pass(piece: str) -> None:
    """With a second pass for each place this would not end."""
    text = piece * 100_000
    options = EvidenceOptions(shapes=("*1*2*3*z", "??*[xyz]*q"))
    assert len(candidates(f"{text} 4411", options)) >= 1
    assert found_tokens(f"{text} 4411", ["4411"]) == {"4411"}
