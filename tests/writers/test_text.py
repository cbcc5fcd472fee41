from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.writers import WriteOptions, Written, write
from otel_footprint.writers.text import cut, identifier, pointers, search, sentence, valid

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=3000)


def written(explanation: Any, **options: Any) -> Written:
    return write(explanation, start_ns=1, end_ns=10**9, present=(), options=WriteOptions(**options))


@given(ANY_TEXT)
def test_every_value_has_a_utf8_form_within_its_bound(text: str) -> None:
    assert len(sentence(text).encode()) <= 2000
    assert len(search(text).encode()) <= 255
    assert len(identifier(text).encode()) <= 255


@given(ANY_TEXT)
def test_a_value_for_search_never_looks_like_json(text: str) -> None:
    assert not search(text).startswith(("{", "["))
    assert not identifier("{" + text).startswith(("{", "["))


@pytest.mark.parametrize("character", ["x", "\xe9", "\u20ac", "\U0001f600"])
def test_a_cut_falls_between_characters_and_says_how_much_is_gone(character: str) -> None:
    value = sentence(character * 3000)
    kept, _, note = value.partition("...")
    assert set(kept) == {character}
    assert note == f" (cut: {len((character * 3000).encode()) - len(kept.encode())} bytes more)"
    assert 1950 < len(value.encode()) <= 2000


def test_a_value_that_fits_exactly_is_not_cut() -> None:
    assert sentence("a " * 1000) == "a " * 1000
    assert cut("a" * 2000, 2000) == "a" * 2000


def test_lone_surrogates_become_the_replacement_character() -> None:
    assert valid("x\ud83e y") == "x\ufffd y"
    assert valid("\U0001f600 \xe9") == "\U0001f600 \xe9"


def test_lone_surrogates_are_replaced_in_everything_that_is_written(make: Any) -> None:
    bad = "run \ud83e"
    explanation = make.explanation(
        about=bad,
        incomplete=(bad,),
        signals=(make.signal(about=bad, tool=bad, call_id=bad, evidence=(bad,)),),
        unreached=(make.unreached(about=bad, tool=bad, call_id=bad, enable=bad),),
        reasons=(make.reason(about=bad, reason=bad, reason_class=bad, source=bad),),
        scripts=(make.script(about=bad, result=bad, tool=bad, call_id=bad, argument=bad, language=bad, text=bad),),
    )
    result = written(explanation, programs=True)
    everything = [result.attributes, *(event.attributes for event in result.events)]
    assert "run \ufffd" in repr(everything).encode().decode()
    for attributes in everything:
        for key, value in attributes.items():
            for text in value if isinstance(value, tuple) else (value,):
                assert f"{key}{text}".encode()


def test_long_texts_are_cut_wherever_they_are_written(make: Any) -> None:
    long = "word " * 2000
    explanation = make.explanation(
        about=long,
        signals=(make.signal(about=long, tool=long, call_id=long),),
        unreached=(make.unreached(about=long, enable=long),),
        reasons=(make.reason(about=long, reason=long),),
        scripts=(make.script(about=long, text=long, tool=long, argument=long),),
    )
    result = written(explanation, programs=True, jaeger_warnings=True, langfuse_level=True)
    for attributes in (result.attributes, *(event.attributes for event in result.events)):
        for value in attributes.values():
            for text in value if isinstance(value, tuple) else (value,):
                assert len(str(text).encode()) <= 2000


def test_the_summary_attribute_is_short_enough_for_an_index(make: Any) -> None:
    assert len(str(written(make.explanation(about="a " * 400)).attributes["footprint.summary"]).encode()) <= 255


def test_pointers_are_written_whole_or_not_at_all() -> None:
    span = "00f067aa0ba902b7"
    fine = f"{span}#attribute:gen_ai.tool.call.result/rows/0"
    assert pointers([fine, f"{span}#attribute:{'k' * 3000}", f"{span}#status"]) == (fine, f"{span}#status")


def test_pointers_together_stay_within_the_bound_of_a_value() -> None:
    kept = pointers(f"00f067aa0ba902b7#attribute:{'k' * 80}/{n}" for n in range(100))
    assert 0 < sum(len(p) for p in kept) <= 2000
    assert len(kept) < 100


def test_a_pointer_with_a_secret_in_it_is_left_out() -> None:
    assert pointers(["00f067aa0ba902b7#attribute:ghp_16C7e42F292c6912E7710c838347Ae178B4a"]) == ()
