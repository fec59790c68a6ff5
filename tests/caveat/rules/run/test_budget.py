"""What is spent and held together never exceeds a bound, whatever calls turn out to take."""

import datetime as dt
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.envelope import Usage
from caveat.contracts.plan import Budget
from caveat.contracts.report import LeftOut
from caveat.contracts.spending import Allowance, Need, Rate, Step
from caveat.rules.run.budget import (
    QUOTES_ALONE,
    BudgetAccount,
    build_allowance,
    build_limitation,
    check_minimum_budget,
    compute_reserve,
    compute_time_left,
    estimate_need,
    find_exceeded_time,
    grant_allowance,
    list_step_usage,
    multiply_usage,
)
from caveat.spending import Meter, is_within, subtract_usage

RATE = Rate(step=Step.ANALYSE, room=800, least=200, overhead=300, input_usd=2e-6, output_usd=1e-5)


def call(sent: int = 100, received: int = 10, cost: float | None = 0.01) -> Usage:
    return Usage(model_calls=1, input_tokens=sent, output_tokens=received, cost_usd=cost)


def need(sent: int = 100, received: int = 10, cost: float | None = 0.01) -> Need:
    whole = call(sent, received, cost)
    return Need(whole=whole, least=call(sent, received // 2, None if cost is None else cost / 2))


@pytest.mark.parametrize(
    ("bounds", "each", "fit"),
    [
        (Allowance(calls=14), call(), 14),
        (Allowance(tokens=1_000), call(90, 10), 10),
        (Allowance(cost_usd=0.30), call(cost=0.1), 3),
        (Allowance(calls=5, tokens=350), call(90, 10), 3),
        (Allowance(cost_usd=100), call(cost=None), 0),
    ],
)
def test_calls_are_held_until_a_bound_is_full(bounds: Allowance, each: Usage, fit: int) -> None:
    account = BudgetAccount(bounds)
    held = [account.reserve(each) for _ in range(20)]
    assert sum(ticket is not None for ticket in held) == fit


def test_what_was_held_and_not_taken_can_be_held_again() -> None:
    account = BudgetAccount(Allowance(tokens=100))
    first = account.reserve(call(90, 10))
    assert first is not None
    assert account.reserve(call(1, 0)) is None
    account.settle(first, call(20, 5))
    assert account.reserve(call(70, 5)) is not None
    assert account.reserve(call(1, 0)) is None


def test_an_estimate_grows_with_its_material_and_its_room() -> None:
    small, large = estimate_need(RATE, 0), estimate_need(RATE, 30_000)
    assert (small.whole.input_tokens, large.whole.input_tokens) == (300, 10_300)
    assert (small.whole.output_tokens, small.least.output_tokens) == (800, 200)
    assert large.whole.cost_usd == pytest.approx(10_300 * 2e-6 + 800 * 1e-5)
    unpriced = RATE.model_copy(update={"input_usd": None})
    assert estimate_need(unpriced, 0).whole.cost_usd is None
    assert estimate_need(None, 10**6).whole == Usage()


NEEDS = {step: need() for step in Step}


@pytest.mark.parametrize(
    ("calls", "kept"), [(1, 1), (5, 1), (9, 1), (10, 2), (14, 2), (15, 3), (30, 3)]
)
def test_gathering_leaves_a_synthesis_and_of_a_fifth_what_it_pays_for(
    calls: int, kept: int
) -> None:
    for step in (Step.PLAN, Step.SEARCH, Step.ANALYSE):
        assert compute_reserve(step, NEEDS, Allowance(calls=calls)).model_calls == kept


def test_what_follows_gathering_leaves_a_synthesis() -> None:
    bounds = Allowance(calls=100)
    for step in (Step.DETECT, Step.DEBATE):
        assert compute_reserve(step, NEEDS, bounds) == NEEDS[Step.SYNTHESISE].least
    for step in (Step.SYNTHESISE, Step.VERIFY):
        assert compute_reserve(step, NEEDS, bounds) == Usage()
        assert compute_reserve(step, NEEDS, bounds, again=True) == NEEDS[Step.SYNTHESISE].least


def test_a_budget_that_is_too_small_is_named_with_what_it_would_take() -> None:
    first = [("a plan", call()), ("one analysis", call()), ("a synthesis", call())]
    assert check_minimum_budget(BudgetAccount(Allowance(calls=3)), first) is None
    said = check_minimum_budget(BudgetAccount(Allowance(calls=2)), first)
    assert said is not None
    assert said == (
        "A budget of 2 model calls is too small: a plan, one analysis and a synthesis take at "
        "least 3 model calls, 330 tokens and $0.03."
    )
    unpriced = check_minimum_budget(
        BudgetAccount(Allowance(calls=1)), [("a plan", call(cost=None))] * 2
    )
    assert unpriced is not None
    assert unpriced.endswith("an unknown cost.")
    assert check_minimum_budget(BudgetAccount(Allowance(cost_usd=0.02)), first) is not None
    assert check_minimum_budget(BudgetAccount(Allowance(calls=1)), [("a plan", Usage())]) is None


def test_time_is_over_earlier_for_gathering() -> None:
    budget, minute = Budget(minutes=10), dt.timedelta(minutes=1)
    for step in (None, Step.SEARCH, Step.ANALYSE):
        assert find_exceeded_time(budget, 7.9 * minute, step) is None
        assert find_exceeded_time(budget, 8 * minute, step) == "10 minutes"
    assert find_exceeded_time(budget, 9.9 * minute, Step.SYNTHESISE) is None
    assert find_exceeded_time(budget, 10 * minute, Step.SYNTHESISE) == "10 minutes"
    assert compute_time_left(budget, 9 * minute, Step.VERIFY) == minute
    assert compute_time_left(Budget(), minute, Step.VERIFY) is None


@dataclass
class Work:
    """A task of a scripted run: what each of its calls takes, as a share of what it may."""

    need: Need
    shares: list[float]
    ticket: int | None = None

    def begin(self, account: BudgetAccount, kept: Usage) -> bool:
        """Have a call held, and see that the subagent may make it."""
        for asked in (self.need.whole, self.need.least):
            self.ticket = account.reserve(asked, kept)
            if self.ticket is not None:
                assert Meter(grant_allowance(account.bounds, asked)).pays(asked)
                return True
        return False

    def end(self, account: BudgetAccount, *, lost: bool) -> Usage:
        """Have it settled; of one whose worker was lost nobody knows what it took."""
        assert self.ticket is not None
        took = share_of(account.reserved[self.ticket], self.shares.pop())
        if lost:
            took = account.forfeit(self.ticket)
        else:
            account.settle(self.ticket, took)
        self.ticket = None
        return took


def share_of(usage: Usage, share: float) -> Usage:
    return Usage(
        model_calls=usage.model_calls,
        input_tokens=int(usage.input_tokens * share),
        output_tokens=int(usage.output_tokens * share),
        cost_usd=(usage.cost_usd or 0) * share,
    )


needs = st.builds(need, st.integers(0, 900), st.integers(0, 900), st.floats(0, 0.5))
works = st.builds(Work, needs, st.lists(st.floats(0, 1), min_size=1, max_size=6))
budgets = st.builds(
    Budget,
    model_calls=st.none() | st.integers(1, 20),
    tokens=st.none() | st.integers(1, 20_000),
    cost_usd=st.none() | st.floats(0.01, 5),
)


@given(budgets, st.lists(works, max_size=15), needs, st.randoms(use_true_random=False))
def test_whatever_calls_take_no_bound_is_exceeded(
    budget: Budget, script: list[Work], synthesis: Need, chance: Random
) -> None:
    """Tasks begin and end in any order; each call of them, a retry too, is held by itself."""
    bounds = build_allowance(budget)
    account = BudgetAccount(bounds)
    kept = compute_reserve(Step.ANALYSE, {**NEEDS, Step.SYNTHESISE: synthesis}, bounds)
    could_write = account.could_reserve(synthesis.least)
    charged = Usage()
    while script:
        work = chance.choice(script)
        if work.ticket is not None:
            charged += work.end(account, lost=chance.random() < 0.2)
        elif not work.shares or not work.begin(account, kept):
            script.remove(work)
        assert is_within(bounds, sum(account.reserved.values(), charged))
    assert (account.spent, account.reserved) == (charged, {})
    # Whatever was gathered, the synthesis is still paid for.
    assert not could_write or account.could_reserve(synthesis.least)


def test_a_meter_counts_what_earlier_attempts_took() -> None:
    allowance = Allowance(calls=1, tokens=200)
    assert not Meter(subtract_usage(allowance, call(0, 0))).pays(call())
    fresh = Meter(allowance)
    assert fresh.pays(call())
    fresh.spend(call())
    assert not fresh.pays(call(1, 0))


def test_steps_are_listed_in_their_order_and_only_if_they_took_anything() -> None:
    used = {Step.VERIFY: call(), Step.PLAN: multiply_usage(call(), 2), Step.SEARCH: Usage()}
    listed = list_step_usage(used)
    assert [(each.step, each.model_calls, each.tokens) for each in listed] == [
        (Step.PLAN, 2, 220),
        (Step.VERIFY, 1, 110),
    ]


@pytest.mark.parametrize(
    ("gathering", "synthesis", "means"),
    [
        (True, False, "is missing."),
        (True, True, QUOTES_ALONE),
        (False, True, QUOTES_ALONE),
        (False, False, "of each task by itself."),
    ],
)
def test_the_limitation_names_the_bound_and_what_was_left_out(
    gathering: bool, synthesis: bool, means: str
) -> None:
    bound = "10 model calls"
    limited = build_limitation(
        LeftOut(bound=bound, tasks=5, gathering=gathering, synthesis=synthesis)
    )
    assert limited.area == "Budget of 10 model calls"
    assert "5 tasks were left out" in limited.why
    assert limited.consequence.endswith(means)
    assert ("the searcher" in limited.consequence) is gathering


def test_without_bounds_everything_fits() -> None:
    account = BudgetAccount(build_allowance(Budget()))
    assert all(account.reserve(call(10**9, 10**9, None)) for _ in range(100))


def test_what_nobody_knows_counts_in_full() -> None:
    account = BudgetAccount(Allowance(calls=1))
    ticket = account.reserve(call())
    assert ticket is not None
    assert account.forfeit(ticket) == call()
    assert account.reserve(call()) is None
