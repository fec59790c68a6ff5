"""What became of a contradiction is said in one clause, with whoever settled it."""

import pytest

from caveat.contracts.contradiction import RulingChoice, SettledBy
from caveat.rules.verdicts import held, outcome, settler, verdict
from tests.fakes.reports import AWAITED, BOTH_HOLD, NOBODY_CAME


def test_every_end_has_its_words() -> None:
    assert verdict(AWAITED) == "awaits a person"
    assert verdict(BOTH_HOLD).startswith("was settled by Vera Cepheid: both hold")
    assert verdict(NOBODY_CAME).startswith("could be settled by nobody: both claims are uncertain")


@pytest.mark.parametrize("choice", RulingChoice)
def test_every_ruling_has_its_words(choice: RulingChoice) -> None:
    ruled = BOTH_HOLD.model_copy(update={"ruling": choice})
    assert "was settled by Vera Cepheid: " in verdict(ruled)


@pytest.mark.parametrize(
    ("ruling", "values", "words", "short"),
    [
        ("a", 2, "A holds and B does not", "a holds"),
        ("both", 2, "both hold, each in its own scope or at its own date", "both hold"),
        ("neither", 2, "neither holds", "neither holds"),
        ("c", 3, "C holds and the 2 others do not", "c holds"),
        (
            "a,c", 3,
            "A and C hold, each in its own scope or at its own date, and B does not",
            "a and c hold",
        ),
        ("all", 7, "all 7 hold, each in its own scope or at its own date", "all 7 hold"),
        ("none", 30, "none of them holds", "none of them holds"),
    ],
)  # fmt: skip
def test_a_ruling_on_any_number_of_values_is_said(
    ruling: str, values: int, words: str, short: str
) -> None:
    names = tuple(f"c{number}" for number in range(values))
    settled = BOTH_HOLD.model_copy(update={"claims": names, "ruling": ruling})
    assert outcome(settled) == words
    assert held(ruling, values) == short


@pytest.mark.parametrize(
    ("rung", "name"),
    [
        (SettledBy.EVIDENCE, "the evidence"),
        (SettledBy.TRACK_RECORD, "the track records of the sources"),
        (SettledBy.PERSON, "a person"),
        (SettledBy.PROVISIONAL_UNCERTAINTY, "nobody"),
        (None, "nobody yet"),
    ],
)
def test_rules_are_named_where_no_person_is(rung: SettledBy | None, name: str) -> None:
    assert settler(BOTH_HOLD.model_copy(update={"decided_by": None, "settled_by": rung})) == name
