"""Where thousands disagree on one quantity, each claim names some of the others, and not all."""

from caveat.contracts.claim import ClaimState
from caveat.contracts.contradiction import Contradiction, ContradictionKind, Disagreement
from caveat.rules.contradictions.contest import RIVALS, contested
from caveat.rules.contradictions.ladder import opened
from tests.fakes.claims import a_claim
from tests.fakes.disputes import backing_of, sides_of


def dispute(values: int, backing: int) -> Contradiction:
    """So many values, each with so many claims behind the one that states it best."""
    (found,) = opened(
        [
            Disagreement(
                kind=ContradictionKind.NUMERIC,
                sides=sides_of(
                    [f"best{value}" for value in range(values)],
                    [
                        [f"back{value}-{number}" for number in range(backing)]
                        for value in range(values)
                    ],
                ),
                about="height",
            )
        ]
    )
    return found


def test_a_claim_of_thousands_names_the_best_of_each_value() -> None:
    found = dispute(50, 40)
    names = [*found.claims, *(name for side in backing_of(found) for name in side)]
    told = contested([a_claim(name) for name in names], [found])
    assert {claim.state for claim in told} == {ClaimState.CONTESTED}
    assert {len(claim.contested_by) for claim in told} == {RIVALS}
    (last,) = [claim for claim in told if claim.id == "back49-39"]
    assert set(found.claims[:49]) <= set(last.contested_by)
