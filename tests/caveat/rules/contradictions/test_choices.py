"""What can be answered about so many values, which of them it upholds, and the words for that."""

import pytest

from caveat.rules.contradictions.choices import (
    UNNAMED,
    NotOfferedError,
    describe_choice,
    describe_outcome,
    describe_settlement,
    format_options,
    format_title,
    list_letters,
    normalise_choice,
    parse_choice,
)
from tests.fakes.disputes import sides_of
from tests.fakes.reports import AWAITED, BOTH_HOLD, NOBODY_CAME


@pytest.mark.parametrize(
    ("subject", "values", "title"),
    [
        ("the depth", ["14 m", "16 m", "18 m"], "The depth: “14 m” or “16 m” or “18 m”."),
        ("Depth", ["14 m", "16 m", "18 m", "20 m"], "Depth: “14 m” or “20 m” or 2 more."),
        (UNNAMED, ["the Moon", "Mars"], "Sources state “the Moon” or “Mars”."),
    ],
)
def test_a_title_names_a_subject_and_values(subject: str, values: list[str], title: str) -> None:
    assert format_title(subject, values) == title


@pytest.mark.parametrize(
    ("values", "place", "letter"), [(2, 1, "b"), (26, 25, "z"), (30, 26, "aa"), (30, 29, "ad")]
)
def test_every_value_has_a_letter(values: int, place: int, letter: str) -> None:
    assert list_letters(values)[place] == letter


def test_no_letter_is_a_word() -> None:
    names = list_letters(2_000)
    assert len(set(names)) == len(names)
    assert not {"all", "both", "none", "neither"} & set(names)


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
    assert normalise_choice(choice, values) == kept


@pytest.mark.parametrize(
    ("choice", "values"), [("c", 2), ("d", 3), ("both", 3), ("a,both", 3), ("ae", 30), ("", 3)]
)
def test_what_is_not_offered_is_refused_with_what_is(choice: str, values: int) -> None:
    with pytest.raises(NotOfferedError) as refused:
        parse_choice(choice, values)
    assert format_options(values) in str(refused.value)


def test_what_can_be_answered_is_short_for_many_values() -> None:
    assert format_options(2) == "a|b|both|neither"
    assert format_options(3) == "a|b|c|a,c|all|none"
    assert format_options(30) == "a|…|ad|a,ad|all|none"


def test_every_end_has_its_words() -> None:
    assert describe_settlement(AWAITED) == "awaits a person"
    assert describe_settlement(BOTH_HOLD).startswith("was settled by Vera Cepheid: both hold")
    assert describe_settlement(NOBODY_CAME).startswith(
        "could be settled by nobody: both claims are uncertain"
    )


@pytest.mark.parametrize(
    ("ruling", "values", "words", "short"),
    [
        ("a", 2, "A holds and B does not", "A holds"),
        ("both", 2, "both hold, each in its own scope or at its own date", "both hold"),
        ("neither", 2, "neither holds", "neither holds"),
        ("c", 3, "C holds and the 2 others do not", "C holds"),
        (
            "a,c", 3,
            "A and C hold, each in its own scope or at its own date, and B does not",
            "A and C hold",
        ),
        ("all", 7, "all 7 hold, each in its own scope or at its own date", "all 7 hold"),
        ("none", 30, "none of them holds", "none of them holds"),
    ],
)  # fmt: skip
def test_any_ruling_on_many_values_is_said(
    ruling: str, values: int, words: str, short: str
) -> None:
    names = tuple(f"c{number}" for number in range(values))
    settled = BOTH_HOLD.model_copy(update={"sides": sides_of(names), "ruling": ruling})
    assert describe_outcome(settled) == words
    assert describe_choice(ruling, values) == short
