"""The synthesiser is shown every claim, and of too many the relevant ones and every side."""

from caveat.contracts.contradiction import ContradictionKind
from caveat.rules.report.shown import (
    LONGEST,
    describe_unshown,
    estimate_tokens,
    select_fitting_claims,
)
from tests.fakes.claims import a_claim
from tests.fakes.disputes import a_dispute


def test_everything_is_shown_that_fits() -> None:
    angles = [[a_claim(f"c{n}", f"Claim {n} says so.") for n in range(900)]]
    assert [len(each) for each in select_fitting_claims(angles, ())] == [900]
    assert describe_unshown(0) == ()


def test_of_too_many_the_relevant_ones_and_both_sides_are_shown() -> None:
    words = "word " * 380
    claims = [
        a_claim(f"c{n}", f"{words}{n}").model_copy(update={"relevance": 1 - n / 1000})
        for n in range(300)
    ]
    dispute = a_dispute("c0", "c299", kind=ContradictionKind.CATEGORICAL)
    (shown,) = select_fitting_claims([claims], [dispute])
    names = [claim.id for claim in shown]
    assert sum(map(estimate_tokens, shown)) <= LONGEST
    assert names == [f"c{n}" for n in range(len(names) - 1)] + ["c299"]
    (said,) = describe_unshown(len(claims) - len(names))
    assert str(len(claims) - len(names)) in said.area
