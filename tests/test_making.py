from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace
from typing import Any

import pytest

from otel_footprint._making import made_quickly


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    needed: str
    given: int = 7
    made: list[int] = field(default_factory=list)
    unseen: Any = field(default=None, compare=False, repr=False)


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Quick:
    needed: str
    given: int = 7
    made: list[int] = field(default_factory=list)
    unseen: Any = field(default=None, compare=False, repr=False)


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Longer(Quick):
    more: str = "more"


def values(value: Any) -> tuple[Any, ...]:
    return value.needed, value.given, value.made, value.unseen


@pytest.mark.parametrize("arguments", [{"needed": "a"}, {"needed": "b", "given": 1, "made": [2], "unseen": 3}])
def test_the_fields_are_those_of_the_plain_constructor(arguments: dict[str, Any]) -> None:
    assert values(Quick(**arguments)) == values(Plain(**arguments))
    assert repr(Quick(**arguments)).removeprefix("Quick") == repr(Plain(**arguments)).removeprefix("Plain")


def test_a_default_that_is_made_is_made_anew_each_time() -> None:
    assert Quick(needed="a").made is not Quick(needed="a").made


@pytest.mark.parametrize("cls", [Plain, Quick])
@pytest.mark.parametrize("arguments", [{}, {"needed": "a", "other": 1}])
def test_an_argument_that_is_missing_or_unknown_is_refused(cls: type[Any], arguments: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="argument"):
        cls(**arguments)


def test_the_object_is_frozen_and_has_no_other_attribute() -> None:
    made = Quick(needed="a")
    assert type(made) is Quick
    with pytest.raises(FrozenInstanceError):
        made.needed = "b"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del made.needed
    assert not hasattr(made, "__dict__")
    assert made.needed == "a"


def test_it_is_equal_replaced_copied_and_pickled_as_before() -> None:
    made = Quick(needed="a", unseen=1)
    assert made == Quick(needed="a", unseen=2)
    assert replace(made, given=8) == Quick(needed="a", given=8)
    for again in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):  # noqa: S301 - our own
        assert type(again) is Quick
        assert values(again) == values(made)


def test_a_longer_dataclass_has_the_fields_of_both() -> None:
    made = Longer(needed="a", given=1)
    assert (*values(made), made.more) == ("a", 1, [], None, "more")
    assert type(made) is Longer


def test_the_constructor_tells_the_same_arguments() -> None:
    assert [*inspect.signature(Quick).parameters] == [*inspect.signature(Plain).parameters]


def test_a_constructor_that_does_more_is_refused() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Checked:
        value: int

        def __post_init__(self) -> None:
            raise AssertionError

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Counted:
        value: int = field(init=False, default=1)

    for cls in (Checked, Counted):
        with pytest.raises(TypeError, match="does more"):
            made_quickly(cls)
