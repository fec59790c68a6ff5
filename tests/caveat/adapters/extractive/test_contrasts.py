"""Sentences of different sources that differ only in a negation or a number."""

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


def test_who_affirms_backs_a_side() -> None:
    denies = "Aspirin does not reduce the risk of heart attack."
    again = Quote("Aspirin reduces risk of a heart attack.", credibility=0.3)
    (each,) = found(REDUCES, denies, again, topic=ASPIRIN)
    assert each.claims == ("c1", "c2")
    assert backing_of(each) == (("c3",), ())


def test_a_source_does_not_contradict_itself() -> None:
    denied = "Aspirin does not reduce the risk of heart attack."
    said = (Quote(text, source="s1") for text in (REDUCES, denied))
    assert found(*said, topic=ASPIRIN) == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The proton radius is 0.8775 fm.", "The proton radius is 0.8414 fm."),
        ("Staff are entitled to 25 days of leave.", "Staff are entitled to 27 days of leave."),
    ],
)
def test_numbers_of_any_unit_contradict(one: str, other: str) -> None:
    assert len(found(one, other, topic=one)) == 1
