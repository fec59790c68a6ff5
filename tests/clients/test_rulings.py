"""What a person typed is a ruling, or one sentence says why not."""

import pytest

from caveat.contracts.contradiction import REASON_LIMIT, Ruling, RulingChoice
from clients.problems import BadInput
from clients.rulings import ruling_of

CHOICES = (
    "choose from a, b, both, neither; of more than two values letters such as a,c, all or none."
)


@pytest.mark.parametrize("choice", RulingChoice)
def test_what_is_typed_becomes_a_ruling(choice: RulingChoice) -> None:
    ruled = ruling_of(choice.value, "  They differ\n in date. ", "Ada  Lovelace")
    assert ruled == Ruling(ruling=choice, reason="They differ in date.", decided_by="Ada Lovelace")


def test_a_reason_may_be_as_long_as_the_contract_says() -> None:
    assert len(ruling_of("a", "x" * REASON_LIMIT, "Ada").reason) == REASON_LIMIT


@pytest.mark.parametrize(
    ("choice", "reason", "decided_by", "sentence"),
    [
        ("maybe", "x", "Ada", "There is no ruling “maybe”: " + CHOICES),
        ("", "x", "Ada", "There is no ruling “”: " + CHOICES),
        ("a", "", "Ada", "A ruling needs a reason of 1 to 1,000 characters: say why."),
        ("a", " \n\t", "Ada", "A ruling needs a reason of 1 to 1,000 characters: say why."),
        ("a", "x" * 1_001, "Ada", "A ruling needs a reason of 1 to 1,000 characters: say why."),
        ("a", "x", " ", "A name of 1 to 200 characters says who rules."),
        ("a", "x", "y" * 201, "A name of 1 to 200 characters says who rules."),
        ("maybe", "", "", "There is no ruling “maybe”: " + CHOICES),
        ("a", "", "", "A ruling needs a reason of 1 to 1,000 characters: say why."),
    ],
)
def test_what_is_no_ruling_is_refused_in_one_sentence(
    choice: str, reason: str, decided_by: str, sentence: str
) -> None:
    with pytest.raises(BadInput) as refused:
        ruling_of(choice, reason, decided_by)
    assert str(refused.value) == sentence
