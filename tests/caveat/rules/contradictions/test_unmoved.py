"""Whether a question is the one that was asked before, or its values have moved."""

from caveat.contracts.contradiction import Contradiction
from caveat.rules.contradictions.recurrence import is_unmoved
from tests.fakes.disputes import sides_of
from tests.fakes.reports import AWAITED


def valued(*written: str) -> Contradiction:
    sides = sides_of([f"c{number}" for number in range(len(written))], values=written)
    return AWAITED.model_copy(update={"sides": sides, "about": f"Width: {written}"})


def test_the_same_values_in_another_order_are_the_same_question() -> None:
    assert is_unmoved(valued("1 m", "2 m"), valued("2 m", "1 m"))


def test_a_value_that_moved_makes_another_question() -> None:
    assert not is_unmoved(valued("1 m", "3 m"), valued("1 m", "2 m"))
    assert not is_unmoved(valued("1 m", "2 m", "3 m"), valued("1 m", "2 m"))
    assert not is_unmoved(valued(), valued("1 m", "2 m"))


def test_without_values_its_words_decide() -> None:
    assert is_unmoved(valued(), valued())
    other = valued().model_copy(update={"about": "Something else."})
    assert not is_unmoved(other, valued())
