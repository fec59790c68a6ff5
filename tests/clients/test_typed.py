"""What people type for durations and rulings."""

import datetime as dt

import pytest

from caveat.clients.problems import BadInput
from caveat.clients.typed import duration_of, duration_text, ruling_of
from caveat.contracts.contradiction import Ruling, RulingChoice


@pytest.mark.parametrize(
    ("typed", "seconds"),
    [
        ("90s", 90),
        ("10m", 600),
        ("6h", 21_600),
        (" 1.5 H ", 5_400),
        ("1d", 86_400),
        ("720h", 2_592_000),
    ],
)
def test_a_duration(typed: str, seconds: float) -> None:
    span = dt.timedelta(seconds=seconds)
    assert duration_of(typed, "--deadline") == span
    assert duration_of(duration_text(span), "--deadline") == span


@pytest.mark.parametrize(
    "typed", ["", "10", "m", "1ſ", "ten minutes", "-1m", "1w", "1h30m", "١m", "1e3s"]
)
def test_anything_else_is_refused_with_an_example(typed: str) -> None:
    with pytest.raises(BadInput, match="for example 90s, 10m, 6h or 1d"):
        duration_of(typed, "--deadline")


@pytest.mark.parametrize("typed", ["0s", "0.1s", "721h", "9" * 400 + "h"])
def test_a_duration_that_nobody_means(typed: str) -> None:
    with pytest.raises(BadInput, match="--deadline takes from 1s to 720h"):
        duration_of(typed, "--deadline")


CHOICES = (
    "choose from a, b, both, neither; of more than two values letters such as a,c, all or none."
)


@pytest.mark.parametrize("choice", RulingChoice)
def test_what_is_typed_becomes_a_ruling(choice: RulingChoice) -> None:
    ruled = ruling_of(choice.value, "  They differ\n in date. ", "Ada  Lovelace")
    assert ruled == Ruling(ruling=choice, reason="They differ in date.", decided_by="Ada Lovelace")


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
