"""What is spent and held together never exceeds a bound, whatever tasks turn out to take."""

from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.envelope import Usage
from caveat.contracts.phase import Rate, Step
from caveat.contracts.plan import Budget
from caveat.contracts.report import LeftOut
from caveat.rules.run.budget import (
    QUOTES_ALONE,
    BudgetAccount,
    build_limitation,
    check_minimum_budget,
    compute_reserve,
    compute_task_budget,
)

RATE = Rate(step=Step.ANALYSE, room=800, least=200, overhead=300, input_usd=2e-6, output_usd=1e-5)


def call(sent: int = 100, received: int = 10, cost: float | None = 0.01) -> Usage:
    return Usage(model_calls=1, input_tokens=sent, output_tokens=received, cost_usd=cost)


@pytest.mark.parametrize(
    ("bounds", "each", "fit"),
    [
        (Budget(model_calls=14), call(), 14),
        (Budget(tokens=1_000), call(90, 10), 10),
        (Budget(model_calls=5, tokens=350), call(90, 10), 3),
        (Budget(cost_usd=100), call(cost=None), 0),
        (Budget(), call(10**9, 10**9, None), 20),
    ],
)
def test_tasks_are_held_until_a_bound_is_full(bounds: Budget, each: Usage, fit: int) -> None:
    account = BudgetAccount(bounds)
    for number in range(20):
        if account.find_exceeded(each) is None:
            account.held[str(number)] = each
    assert len(account.held) == fit
    assert account.find_exceeded(each, of_held=False) is None or fit == 0


def test_what_was_held_and_not_taken_can_be_held_again() -> None:
    account = BudgetAccount(Budget(tokens=100), held={"a": call(90, 10)})
    assert account.find_exceeded(call(1, 0)) == "100 tokens"
    assert account.record("a", call(20, 5)) == call(20, 5)
    assert account.find_exceeded(call(70, 5)) is None
    assert account.find_exceeded(call(76, 0)) == "100 tokens"


def test_what_nobody_knows_counts_in_full() -> None:
    account = BudgetAccount(Budget(model_calls=1), held={"a": call()})
    assert account.record("a", None) == account.spent == call()
    assert account.find_exceeded(call()) == "1 model calls"


def test_a_task_may_take_what_its_bounds_say() -> None:
    small, large = compute_task_budget(RATE, 0), compute_task_budget(RATE, 30_000, 1, 800)
    assert (small.turns, small.room, small.usage.input_tokens) == (1, 200, 300)
    assert (large.room, large.usage.input_tokens) == (800, 10_300)
    assert large.usage.cost_usd == pytest.approx(10_300 * 2e-6 + 800 * 1e-5)
    twice = compute_task_budget(RATE, 30_000, 2, 800).usage
    # The second turn is sent what the first one said.
    assert (twice.model_calls, twice.output_tokens) == (2, 1_600)
    assert twice.input_tokens == 2 * 10_300 + 800
    unpriced = RATE.model_copy(update={"input_usd": None})
    assert compute_task_budget(unpriced, 0).usage.cost_usd is None
    assert compute_task_budget(None, 10**6).usage == Usage()


NEEDS = {step: call() for step in Step}


@pytest.mark.parametrize(("calls", "kept"), [(1, 1), (9, 1), (10, 2), (14, 2), (15, 3), (30, 6)])
def test_gathering_leaves_a_synthesis_and_a_fifth(calls: int, kept: int) -> None:
    bounds = Budget(model_calls=calls)
    assert compute_reserve(Step.ANALYSE, NEEDS, bounds).model_calls == kept
    for step in (Step.PLAN, Step.SEARCH):  # and an analysis of what is found
        assert compute_reserve(step, NEEDS, bounds).model_calls == kept + 1


def test_a_fifth_of_the_money_and_of_the_tokens_stays() -> None:
    kept = compute_reserve(Step.ANALYSE, NEEDS, Budget(tokens=10_000, cost_usd=2.0))
    assert (kept.input_tokens, kept.output_tokens, kept.cost_usd) == (2_000, 0, 0.4)
    unpriced = {**NEEDS, Step.SYNTHESISE: call(cost=None)}
    assert compute_reserve(Step.ANALYSE, unpriced, Budget(cost_usd=2.0)).cost_usd is None


def test_what_follows_gathering_leaves_a_synthesis_and_that_its_verification() -> None:
    bounds = Budget(model_calls=100)
    for step in (Step.DETECT, Step.DEBATE):
        assert compute_reserve(step, NEEDS, bounds) == call()
    assert compute_reserve(Step.VERIFY, NEEDS, bounds) == Usage()
    assert compute_reserve(Step.VERIFY, NEEDS, bounds, again=True) == call()
    assert compute_reserve(Step.SYNTHESISE, NEEDS, bounds) == call()
    assert compute_reserve(Step.SYNTHESISE, NEEDS, bounds, again=True) == call() + call()


def test_a_budget_that_is_too_small_is_named_with_what_it_would_take() -> None:
    first = [("a plan", call()), ("one analysis", call()), ("a synthesis", call())]
    assert check_minimum_budget(Budget(model_calls=3), first) is None
    said = check_minimum_budget(Budget(model_calls=2), first)
    assert said == (
        "A budget of 2 model calls is too small: a plan, one analysis and a synthesis take at "
        "least 3 model calls, 330 tokens and $0.03."
    )
    unpriced = check_minimum_budget(Budget(model_calls=1), [("a plan", call(cost=None))] * 2)
    assert unpriced is not None
    assert unpriced.endswith("an unknown cost.")
    unknown = check_minimum_budget(Budget(cost_usd=1), [("a plan", call(cost=None))])
    assert unknown is not None
    assert "the price of a model is not known" in unknown
    assert check_minimum_budget(Budget(cost_usd=0.02), first) is not None
    assert check_minimum_budget(Budget(model_calls=1), [("a plan", Usage())]) is None


@dataclass
class Work:
    """A scripted task, and the share of what it may take that it takes."""

    need: Usage
    share: float
    name: str | None = None


needs = st.builds(call, st.integers(0, 900), st.integers(0, 900), st.floats(0, 0.5))
works = st.builds(Work, needs, st.floats(0, 1))
budgets = st.builds(
    Budget,
    model_calls=st.none() | st.integers(1, 20),
    tokens=st.none() | st.integers(1, 20_000),
    cost_usd=st.none() | st.floats(0.01, 5),
)


@given(budgets, st.lists(works, max_size=15), needs, st.randoms(use_true_random=False))
def test_whatever_tasks_take_no_bound_is_exceeded(
    budget: Budget, script: list[Work], synthesis: Usage, chance: Random
) -> None:
    """Tasks begin and end in any order; of some nobody knows what they took."""
    account = BudgetAccount(budget)
    reserve = compute_reserve(Step.ANALYSE, {**NEEDS, Step.SYNTHESISE: synthesis}, budget)
    could_write = account.find_exceeded(synthesis) is None
    begun = 0
    while script:
        work = chance.choice(script)
        if work.name is not None:
            is_lost = chance.random() < 0.2
            account.record(work.name, None if is_lost else share_of(work.need, work.share))
            script.remove(work)
        elif account.find_exceeded(work.need, reserve) is None:
            work.name, begun = str(begun), begun + 1
            account.held[work.name] = work.need
        else:
            script.remove(work)
        if begun:
            assert account.find_exceeded() is None
    assert account.held == {}
    # Whatever was gathered, the synthesis is still paid for.
    assert not could_write or account.find_exceeded(synthesis) is None


def share_of(usage: Usage, share: float) -> Usage:
    return Usage(
        model_calls=usage.model_calls,
        input_tokens=int(usage.input_tokens * share),
        output_tokens=int(usage.output_tokens * share),
        cost_usd=(usage.cost_usd or 0) * share,
    )


def test_the_limitation_names_the_bound_and_what_was_left_out() -> None:
    for synthesis in (True, False):
        limited = build_limitation(LeftOut(bound="10 model calls", tasks=5, synthesis=synthesis))
        assert limited.area == "Budget of 10 model calls"
        assert "5 tasks were left out" in limited.why
        assert limited.consequence.endswith(QUOTES_ALONE) is synthesis
