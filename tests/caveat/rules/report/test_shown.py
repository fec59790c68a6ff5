"""The synthesiser is shown every claim, and of too many the relevant ones and every side."""

from caveat.contracts.contradiction import ContradictionKind
from caveat.rules.report.shown import LONGEST, fitting, not_shown, tokens
from tests.fakes.claims import a_claim
from tests.fakes.disputes import a_dispute


def test_everything_is_shown_that_fits() -> None:
    angles = [[a_claim(f"c{n}", f"Claim {n} says so.") for n in range(900)]]
    assert [len(each) for each in fitting(angles, ())] == [900]
    assert not_shown(0) == ()


def test_of_too_many_the_relevant_ones_and_both_sides_are_shown() -> None:
    words = "word " * 380
    claims = [
        a_claim(f"c{n}", f"{words}{n}").model_copy(update={"relevance": 1 - n / 1000})
        for n in range(300)
    ]
    dispute = a_dispute("c0", "c299", kind=ContradictionKind.CATEGORICAL)
    (shown,) = fitting([claims], [dispute])
    names = [claim.id for claim in shown]
    assert sum(map(tokens, shown)) <= LONGEST
    assert names == [f"c{n}" for n in range(len(names) - 1)] + ["c299"]
    (said,) = not_shown(len(claims) - len(names))
    assert str(len(claims) - len(names)) in said.area
