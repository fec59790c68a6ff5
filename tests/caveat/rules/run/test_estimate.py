"""What is expected of a run before it starts."""

from math import ceil

import pytest

from caveat.contracts.plan import Depth
from caveat.roles.models import SETTINGS
from caveat.rules.run.estimate import SIZES, Extent, estimate, list_work


def price(role: str, sent: int, received: int) -> float:
    """Two dollars for a million tokens sent, and ten for a million received."""
    return (sent * 2.0 + received * 10.0) / 1_000_000


def test_without_a_model_a_run_costs_nothing() -> None:
    expected = estimate(Extent(Depth.EXHAUSTIVE), None)
    assert expected == ((0, 0), (0, 0), (0, 0))


def test_an_overview_by_hand() -> None:
    """Four angles of five sources of three claims."""
    expected = estimate(Extent(Depth.OVERVIEW, debates=True), price)
    searching = estimate(Extent(Depth.OVERVIEW, debates=True, searches=True), price)
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


def test_what_a_team_brings_nobody_plans() -> None:
    planned = estimate(Extent(Depth.DEEP), price).calls
    brought = estimate(Extent(Depth.DEEP, specialists=5), price).calls
    assert planned.low - brought.low == 1


def test_searches_count_where_a_model_runs_them() -> None:
    angles = SIZES[Depth.DEEP].assignments
    without = estimate(Extent(Depth.DEEP), price).calls
    searching = estimate(Extent(Depth.DEEP, searches=True), price).calls
    assert searching.low - without.low == angles
    assert searching.high - without.high == ceil(angles * (4 + 1) * 1.25)


ROLES = {work.role for work in list_work(Extent(Depth.DEEP, searches=True, debates=True))}


@pytest.mark.parametrize("role", sorted(SETTINGS))
def test_a_price_that_nobody_knows_makes_the_cost_unknown(role: str) -> None:
    def know_others(of: str, sent: int, received: int) -> float | None:
        return None if of == role else price(of, sent, received)

    expected = estimate(Extent(Depth.DEEP, searches=True, debates=True), know_others)
    assert (expected.cost_usd is None, expected.calls.high > 0) == (role in ROLES, True)
    brought = estimate(Extent(Depth.DEEP, specialists=5), know_others)
    assert (brought.cost_usd is None) == (role in ROLES - {"search", "planning", "debate"})


def test_only_an_exhaustive_run_fills_its_places_with_few_angles() -> None:
    assert Extent(Depth.EXHAUSTIVE, specialists=2).sources == 90
    assert Extent(Depth.DEEP, specialists=2).sources == 16
    assert Extent(Depth.DEEP, specialists=2, max_sources=30).sources == 16
