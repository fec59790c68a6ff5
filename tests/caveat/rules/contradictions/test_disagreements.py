from itertools import combinations

import pytest

from caveat.contracts.contradiction import ContradictionKind, Disagreement
from caveat.rules.contradictions.disagreements import sound
from tests.fakes.claims import a_claim
from tests.fakes.disputes import backing_of, sides_of

CLAIMS = (
    a_claim("c1", source="s1"),
    a_claim("c2", source="s2"),
    a_claim("c3", source="s1"),
    a_claim("c4", source="s3"),
)


def between(
    a: str, b: str, backing: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
) -> Disagreement:
    return Disagreement(
        kind=ContradictionKind.NUMERIC, sides=sides_of((a, b), backing), about="Width."
    )


def test_disagreements_of_two_sources_are_kept_in_order() -> None:
    found = (between("c3", "c4"), between("c1", "c2"))
    assert sound(found, CLAIMS) == found


def test_a_claim_that_the_run_does_not_have_is_dropped() -> None:
    assert sound((between("c1", "c9"),), CLAIMS) == ()


def test_a_source_does_not_disagree_with_itself() -> None:
    assert sound((between("c1", "c3"),), CLAIMS) == ()


def test_a_pair_counts_once_whichever_claim_comes_first() -> None:
    assert sound((between("c1", "c2"), between("c2", "c1")), CLAIMS) == (between("c1", "c2"),)


def test_backing_is_of_the_run_and_on_one_side_only() -> None:
    (kept,) = sound((between("c1", "c2", (("c3", "c9", "c4"), ("c4", "c1"))),), CLAIMS)
    assert backing_of(kept) == (("c3",), ())


def test_backing_does_not_say_the_opposite_of_what_it_is_to_back() -> None:
    quotes = {
        "c1": "Aspirin reduces the risk of heart attack.",
        "c2": "Aspirin increases the risk of heart attack.",
        "c4": "Aspirin does not reduce the risk of heart attack.",
        "c5": "Aspirin lowers the risk of heart attack.",
    }
    claims = [a_claim(name, quote) for name, quote in quotes.items()]
    (kept,) = sound((between("c1", "c2", (("c4", "c5"), ())),), claims)
    assert backing_of(kept) == (("c5",), ())


MANY = tuple(a_claim(f"c{number}") for number in range(1, 9))


def among(*names: str, backing: tuple[tuple[str, ...], ...] = ()) -> Disagreement:
    return Disagreement(
        kind=ContradictionKind.NUMERIC, sides=sides_of(names, backing), about="Width."
    )


@pytest.mark.parametrize("values", [3, 4, 7])
def test_pairs_of_each_with_each_are_one_question(values: int) -> None:
    names = [each.id for each in MANY[:values]]
    pairs = [among(*pair) for pair in combinations(names, 2)]
    (one,) = sound(pairs, MANY)
    assert set(one.claims) == set(names)
    (same,) = sound(pairs[::-1], MANY)
    assert set(same.claims) == set(names)


def test_pairs_that_share_a_claim_and_are_not_each_with_each_stay_apart() -> None:
    found = (among("c1", "c2"), among("c2", "c3"))
    assert sound(found, MANY) == found


def test_backing_and_the_values_go_with_the_pairs() -> None:
    pairs = [
        among("c1", "c2", backing=(("c4",), ())),
        among("c2", "c3", backing=((), ("c5",))),
        among("c1", "c3"),
    ]
    (one,) = sound(pairs, MANY)
    assert dict(zip(one.claims, backing_of(one), strict=True)) == {
        "c1": ("c4",), "c2": (), "c3": ("c5",),
    }  # fmt: skip


def test_what_a_larger_question_holds_is_not_asked_again() -> None:
    assert sound((among("c1", "c2"), among("c1", "c2", "c3")), MANY) == (among("c1", "c2", "c3"),)


def test_a_value_without_a_claim_is_left_out_and_the_others_stay() -> None:
    (kept,) = sound((among("c1", "c99", "c3", backing=((), ("c98",), ())),), MANY)
    assert kept.claims == ("c1", "c3")
    (kept,) = sound((among("c1", "c99", "c3", backing=((), ("c2",), ())),), MANY)
    assert kept.claims == ("c1", "c2", "c3")


def test_who_stands_between_two_values_does_so_among_three_as_well() -> None:
    claims = tuple(a_claim(f"c{number}", source=f"s{number}") for number in range(1, 5))
    pairs = [
        between("c1", "c2").model_copy(
            update={"sides": sides_of(("c1", "c2"), between=(("c4",), ("c4", "c3")))}
        ),
        between("c1", "c3"),
        between("c2", "c3"),
    ]
    (whole,) = sound(pairs, claims)
    assert whole.sides == sides_of(("c1", "c2", "c3"), between=(("c4",), ("c4",), ()))
