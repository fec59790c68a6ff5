"""What is expected of a run before it starts."""

from dataclasses import dataclass
from math import ceil

import pytest

from caveat.contracts.plan import Depth
from caveat.rules.run.estimate import Range, RoleName, estimate
from caveat.rules.run.extent import SIZES, Extent


@dataclass(frozen=True)
class PerToken:
    """A million tokens sent cost `sent` dollars, received `received`; some roles nobody knows."""

    sent: float = 2.0
    received: float = 10.0
    unknown: frozenset[RoleName] = frozenset()

    def price_call(self, role: RoleName, sent: int, received: int) -> float | None:
        if role in self.unknown:
            return None
        return (sent * self.sent + received * self.received) / 1_000_000


PRICES = PerToken()


def test_without_a_model_a_run_costs_nothing() -> None:
    expected = estimate(Extent(Depth.EXHAUSTIVE), None)
    nothing = Range(0, 0)
    assert (expected.calls, expected.tokens, expected.cost_usd) == (nothing, nothing, nothing)


def test_an_overview_by_hand() -> None:
    """Four angles of five sources of three claims."""
    expected = estimate(Extent(Depth.OVERVIEW, debates=True), PRICES)
    searching = estimate(Extent(Depth.OVERVIEW, debates=True, searches=True), PRICES)
    assert searching.tokens.low - expected.tokens.low == 4 * (800 + 5_000 + 40)
    # A plan, ten sources that were found, a comparison, three debaters, an answer and four
    # sections, and their verification.
    assert expected.calls.low == 1 + 10 + 1 + 3 + 5 + 5
    # A plan, four rewordings, twenty analyses, a comparison, three debaters, two answers, eight
    # sections and their verifications, and every fourth once more.
    assert expected.calls.high == 2 + 5 + 25 + 2 + 4 + 3 + 10 + 13
    analyses = 10 * (800 + 1_500 + 2 * 110)
    shown, said = 800 + 20 * 110, 20 * 40
    plan, compared = 800 + 4 * 120, (1 + 3) * (shown + said)
    own = 800 + 5 * 110
    written = shown + 250 + 4 * (own + 250) + 5 * (own + 250 + 250)
    assert expected.tokens.low == plan + analyses + compared + written
    bounded = estimate(Extent(Depth.OVERVIEW, debates=True), PRICES, is_bounded=True)
    written = shown + 5 * 250
    assert bounded.tokens.low == plan + analyses + compared + written + written + 5 * 250


def test_what_a_team_brings_nobody_plans() -> None:
    planned = estimate(Extent(Depth.DEEP), PRICES).calls
    brought = estimate(Extent(Depth.DEEP, specialists=5), PRICES).calls
    assert planned.low - brought.low == 1


def test_searches_count_where_a_model_runs_them() -> None:
    angles = SIZES[Depth.DEEP].assignments
    without = estimate(Extent(Depth.DEEP), PRICES).calls
    searching = estimate(Extent(Depth.DEEP, searches=True), PRICES).calls
    assert searching.low - without.low == angles
    assert searching.high - without.high == ceil(angles * (4 + 1) * 1.25)


@pytest.mark.parametrize("role", RoleName)
def test_a_price_that_nobody_knows_makes_the_cost_unknown(role: RoleName) -> None:
    expected = estimate(
        Extent(Depth.DEEP, searches=True, debates=True), PerToken(unknown=frozenset({role}))
    )
    assert expected.cost_usd is None
    assert expected.calls.high > 0


def test_what_is_not_asked_needs_no_price() -> None:
    unknown = PerToken(unknown=frozenset({RoleName.SEARCH, RoleName.PLANNING, RoleName.DEBATE}))
    assert estimate(Extent(Depth.DEEP, specialists=5), unknown).cost_usd is not None


def test_only_an_exhaustive_run_fills_its_places_with_few_angles() -> None:
    assert Extent(Depth.EXHAUSTIVE, specialists=2).sources == 90
    assert Extent(Depth.DEEP, specialists=2).sources == 16
    assert Extent(Depth.DEEP, specialists=2, max_sources=30).sources == 16
