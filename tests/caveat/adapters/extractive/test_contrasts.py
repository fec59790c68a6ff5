"""Sentences of different sources that differ only in a negation, an opposite or a number."""

import pytest

from caveat.contracts.contradiction import ContradictionKind
from tests.fakes.disputes import backing_of
from tests.fakes.quotes import Quote, found

ASPIRIN = "Does aspirin reduce the risk of heart attack?"
REDUCES = "Aspirin reduces the risk of heart attack."
INFLATION = "By what factor did inflation expand the universe?"


@pytest.mark.parametrize(
    ("one", "other", "topic", "kind"),
    [
        (
            REDUCES,
            "Aspirin does not reduce the risk of heart attack.",
            ASPIRIN,
            ContradictionKind.CATEGORICAL,
        ),
        (
            REDUCES,
            "Aspirin increases the risk of heart attack.",
            ASPIRIN,
            ContradictionKind.CATEGORICAL,
        ),
        (
            "Aspirin has an effect on heart attacks.",
            "Aspirin has no effect on heart attacks.",
            ASPIRIN,
            ContradictionKind.CATEGORICAL,
        ),
        (
            "Inflation expanded the universe by a factor of 3.1.",
            "Inflation expanded the universe by a factor of 3.2.",
            INFLATION,
            ContradictionKind.NUMERIC,
        ),
    ],
)
def test_what_differs_in_one_place_is_a_candidate(
    one: str, other: str, topic: str, kind: ContradictionKind
) -> None:
    (each,) = found(one, other, topic=topic)
    assert (each.kind, {*each.claims}) == (kind, {"c1", "c2"})


def test_what_is_said_in_each_has_the_verb_in_both() -> None:
    one, other = "Veraxil is not safe in pregnancy.", "Veraxil is safe in pregnancy."
    (each,) = found(one, other, topic="Is Veraxil safe in pregnancy?")
    assert each.about == "“Veraxil … in pregnancy”: is not safe in one, is safe in the other"


def test_who_says_the_same_backs_a_side() -> None:
    lowers = Quote("Aspirin lowers the risk of heart attack.", credibility=0.3)
    raises = "Aspirin raises the risk of heart attack."
    (each,) = found(REDUCES, raises, lowers, topic=ASPIRIN)
    assert each.claims == ("c2", "c1")
    assert backing_of(each) == ((), ("c3",))


def test_a_source_does_not_contradict_itself() -> None:
    denied = "Aspirin does not reduce the risk of heart attack."
    said = (Quote(text, source="s1") for text in (REDUCES, denied))
    assert found(*said, topic=ASPIRIN) == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Compression is disabled by default.", "Compression is not enabled by default."),
        ("The gate of the park is closed at night.", "The gate of the park is not open at night."),
        ("Registration is mandatory for visitors.", "Registration is not optional for visitors."),
        ("The dose is not increased in winter.", "The dose is decreased in winter."),
    ],
)
def test_who_denies_one_of_two_opposites_does_not_contradict_the_other(
    one: str, other: str
) -> None:
    assert not found(one, other, topic=one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Compression is disabled by default.", "Compression is enabled by default."),
        ("Registration is mandatory for visitors.", "Registration is optional for visitors."),
        ("The proton radius is 0.8775 fm.", "The proton radius is 0.8414 fm."),
        ("Staff are entitled to 25 days of leave.", "Staff are entitled to 27 days of leave."),
    ],
)
def test_opposites_and_numbers_of_any_unit_contradict(one: str, other: str) -> None:
    assert len(found(one, other, topic=one)) == 1
