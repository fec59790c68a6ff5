import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.plan import QuorumPolicy
from caveat.rules.quorum import Standing, standing, verdict

GENERAL = QuorumPolicy(minimum_share=0.5, penalty=0.1)
WHOLE, WEAKENED, MISSING = Standing.WHOLE, Standing.WEAKENED, Standing.MISSING


@pytest.mark.parametrize(
    ("completeness", "expected"),
    [(1.0, WHOLE), (0.99, WEAKENED), (0.71, WEAKENED), (0.70, MISSING), (0.0, MISSING)],
)
def test_a_partial_result_counts_above_seventy_percent(
    completeness: float, expected: Standing
) -> None:
    assert standing(completeness) is expected


@pytest.mark.parametrize(
    ("standings", "needed", "holds"),
    [
        ([WHOLE], 1, True),
        ([MISSING], 1, False),
        ([WHOLE, MISSING], 1, True),
        ([WHOLE, MISSING, MISSING], 2, False),
        ([WHOLE, WEAKENED, MISSING], 2, True),
        ([WHOLE, WEAKENED, MISSING, MISSING, MISSING], 3, False),
    ],
)
def test_half_of_the_assignments_rounded_up(
    standings: list[Standing], needed: int, holds: bool
) -> None:
    held = verdict(GENERAL, standings)
    assert (held.needed, held.holds) == (needed, holds)


@given(st.lists(st.sampled_from(Standing), min_size=1), st.floats(0.01, 1.0))
def test_one_more_success_never_breaks_a_quorum(standings: list[Standing], share: float) -> None:
    policy = QuorumPolicy(minimum_share=share, penalty=0.1)
    better = [WHOLE if each is MISSING else each for each in standings]
    assert verdict(policy, better).holds
    assert verdict(policy, better).counted >= verdict(policy, standings).counted
