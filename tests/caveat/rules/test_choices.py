"""What can be answered about so many values, and which of them an answer upholds."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.contradiction import Ruling, RulingChoice
from caveat.rules.choices import (
    NotOffered,
    answerable,
    canonical,
    chosen,
    holding,
    letters,
    options,
)

UPHELD = st.lists(st.booleans(), min_size=2, max_size=60)


@pytest.mark.parametrize(
    ("values", "place", "letter"), [(2, 1, "b"), (26, 25, "z"), (30, 26, "aa"), (30, 29, "ad")]
)
def test_every_value_has_a_letter(values: int, place: int, letter: str) -> None:
    assert letters(values)[place] == letter


def test_no_letter_is_a_word() -> None:
    names = letters(2_000)
    assert len(set(names)) == len(names)
    assert not {"all", "both", "none", "neither"} & set(names)


@given(UPHELD)
def test_every_answer_is_kept_in_one_way_that_says_the_same(upheld: list[bool]) -> None:
    values, written = len(upheld), chosen(upheld)
    assert holding(written, values) == tuple(upheld)
    assert canonical(written, values) == written
    assert Ruling(ruling=written, reason="Why.").ruling == written


@given(UPHELD, st.randoms())
def test_the_order_and_the_spacing_of_letters_do_not_matter(
    upheld: list[bool], chance: random.Random
) -> None:
    named = [name for name, holds in zip(letters(len(upheld)), upheld, strict=True) if holds]
    chance.shuffle(named)
    if named:
        said = Ruling(ruling=" , ".join(named).upper(), reason="Why.").ruling
        assert canonical(said, len(upheld)) == chosen(upheld)


@pytest.mark.parametrize("choice", RulingChoice)
def test_two_values_keep_their_words(choice: RulingChoice) -> None:
    assert canonical(choice, 2) == choice.value
    assert options(2) == "|".join(RulingChoice)


@pytest.mark.parametrize(
    ("choice", "values", "kept"),
    [
        ("a,b", 2, "both"),
        ("all", 2, "both"),
        ("none", 2, "neither"),
        ("neither", 3, "none"),
        ("a,b,c", 3, "all"),
        ("c,a", 3, "a,c"),
        ("ad", 30, "ad"),
    ],
)
def test_an_answer_has_one_form(choice: str, values: int, kept: str) -> None:
    assert canonical(choice, values) == kept


@pytest.mark.parametrize(
    ("choice", "values"), [("c", 2), ("d", 3), ("both", 3), ("a,both", 3), ("ae", 30), ("", 3)]
)
def test_what_is_not_offered_is_refused_with_what_is(choice: str, values: int) -> None:
    with pytest.raises(NotOffered) as refused:
        holding(choice, values)
    assert answerable(values) in str(refused.value)


def test_what_can_be_answered_is_short_for_many_values() -> None:
    assert options(3) == "a|b|c|a,c|all|none"
    assert options(30) == "a|…|ad|a,ad|all|none"
    assert answerable(7) == (
        "choose from a, …, g, several of them with commas (a,g), "
        "all (each in its own scope) or none"
    )
