import pytest

from caveat.contracts.contradiction import ContradictionKind, Disagreement
from caveat.rules.contradictions.disagreements import filter_disagreements
from tests.fakes.claims import a_claim
from tests.fakes.disputes import backing_of, sides_of

CLAIMS = (
    a_claim("c1", source="s1"),
    a_claim("c2", source="s2"),
    a_claim("c3", source="s1"),
    a_claim("c4", source="s3"),
)


def among(*names: str, backing: tuple[tuple[str, ...], ...] = ()) -> Disagreement:
    return Disagreement(
        kind=ContradictionKind.NUMERIC, sides=sides_of(names, backing), about="Width."
    )


@pytest.mark.parametrize(
    ("found", "kept"),
    [
        ((("c3", "c4"), ("c1", "c2")), (("c3", "c4"), ("c1", "c2"))),
        ((("c1", "c9"),), ()),  # a claim that the run does not have
        ((("c1", "c3"),), ()),  # of one source
        ((("c1", "c2"), ("c2", "c1")), (("c1", "c2"),)),  # once, whichever claim comes first
    ],
)
def test_disagreements_are_kept(
    found: tuple[tuple[str, str], ...], kept: tuple[tuple[str, str], ...]
) -> None:
    stated = tuple(among(*pair) for pair in found)
    assert filter_disagreements(stated, CLAIMS) == tuple(among(*pair) for pair in kept)


def test_backing_is_of_the_run_and_on_one_side_only() -> None:
    (kept,) = filter_disagreements(
        (among("c1", "c2", backing=(("c3", "c9", "c4"), ("c4", "c1"))),), CLAIMS
    )
    assert backing_of(kept) == (("c3",), ())


MANY = tuple(a_claim(f"c{number}") for number in range(1, 9))


def test_what_a_larger_question_holds_is_not_asked_again() -> None:
    assert filter_disagreements((among("c1", "c2"), among("c1", "c2", "c3")), MANY) == (
        among("c1", "c2", "c3"),
    )


def test_a_value_without_a_claim_is_left_out_and_the_others_stay() -> None:
    (kept,) = filter_disagreements((among("c1", "c99", "c3", backing=((), ("c98",), ())),), MANY)
    assert kept.claims == ("c1", "c3")
    (kept,) = filter_disagreements((among("c1", "c99", "c3", backing=((), ("c2",), ())),), MANY)
    assert kept.claims == ("c1", "c2", "c3")


@pytest.mark.parametrize(
    ("one", "other", "disagree"),
    [
        ("£5.1 million", "5.1 million pounds", False),
        ("610 MW", "610 MW", False),
        ("610 MW", "560 MW", True),
        ("12 ± 2 km", "13 km", False),
        ("1.91 km", "1.92 km", True),
        ("1.91 km", "1.9 km", False),
        ("4 March 2024", "18 March 2024", True),
        ("the Saturday before", "9 September 2024", True),
    ],
)
def test_sides_that_give_one_value_do_not_disagree(one: str, other: str, disagree: bool) -> None:
    given = among("c1", "c2")
    sides = tuple(
        side.model_copy(update={"value": value})
        for side, value in zip(given.sides, (one, other), strict=True)
    )
    found = filter_disagreements((given.model_copy(update={"sides": sides}),), CLAIMS)
    assert bool(found) is disagree


def test_a_source_that_states_one_value_backs_no_other() -> None:
    (kept,) = filter_disagreements((among("c1", "c2", backing=(("c4",), ("c3",))),), CLAIMS)
    assert backing_of(kept) == (("c4",), ())


@pytest.mark.parametrize(
    ("one", "other", "is_kept"),
    [
        ("6 October", "the fourth quarter", False),
        ("6 October 2025", "the fourth quarter of 2025", False),
        ("6 October 2025", "Q4", False),
        ("6 October", "the third quarter", True),
        ("6 October 2024", "6 October 2025", True),
        ("6 October", "7 October", True),
    ],
)
def test_a_day_and_the_period_that_holds_it_are_one_value(
    one: str, other: str, *, is_kept: bool
) -> None:
    sides = sides_of(("c1", "c2"), (), values=(one, other))
    stated = Disagreement(kind=ContradictionKind.DATE, sides=sides, about="The opening.")
    assert bool(filter_disagreements((stated,), CLAIMS)) is is_kept
