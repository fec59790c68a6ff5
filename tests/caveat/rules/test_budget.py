"""Gathering stops while there is enough left to write the report."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.envelope import Usage
from caveat.contracts.plan import Budget
from caveat.rules.budget import RESERVE, limitation, reached

NOW = dt.timedelta()


def test_without_bounds_there_is_always_room() -> None:
    usage = Usage(model_calls=10**6, input_tokens=10**9, cost_usd=None)
    assert reached(Budget(), usage, dt.timedelta(days=30), calls_begun=1_000) is None


@pytest.mark.parametrize(
    ("budget", "below", "at", "name"),
    [
        (Budget(model_calls=10), Usage(model_calls=7), Usage(model_calls=8), "10 model calls"),
        (
            Budget(tokens=1_000),
            Usage(input_tokens=700, output_tokens=99),
            Usage(input_tokens=700, output_tokens=100),
            "1000 tokens",
        ),
        (Budget(cost_usd=2.5), Usage(cost_usd=1.99), Usage(cost_usd=2.0), "2.5 US dollars"),
    ],
)
def test_a_fifth_of_each_bound_is_kept(budget: Budget, below: Usage, at: Usage, name: str) -> None:
    assert reached(budget, below, NOW) is None
    assert reached(budget, at, NOW) == name


def test_a_fifth_of_the_time_is_kept() -> None:
    budget = Budget(minutes=10)
    assert reached(budget, Usage(), dt.timedelta(minutes=7.9)) is None
    assert reached(budget, Usage(), dt.timedelta(minutes=8)) == "10 minutes"


def test_calls_that_are_not_answered_yet_count() -> None:
    budget, usage = Budget(model_calls=10), Usage(model_calls=4)
    assert reached(budget, usage, NOW, calls_begun=3) is None
    assert reached(budget, usage, NOW, calls_begun=4) == "10 model calls"


@pytest.mark.parametrize(
    ("budget", "name"),
    [(Budget(cost_usd=1.0), "1 US dollars"), (Budget(tokens=1_000), "1000 tokens")],
)
def test_calls_that_are_not_answered_yet_cost_what_others_cost(budget: Budget, name: str) -> None:
    usage = Usage(model_calls=2, input_tokens=150, output_tokens=50, cost_usd=0.2)
    assert reached(budget, usage, NOW, calls_begun=5) is None
    assert reached(budget, usage, NOW, calls_begun=6) == name


def test_before_anything_is_answered_nobody_knows_what_calls_cost() -> None:
    budget = Budget(cost_usd=0.01, tokens=1)
    assert reached(budget, Usage(), NOW, calls_begun=100) is None


def test_a_cost_that_nobody_knows_is_no_room() -> None:
    assert reached(Budget(cost_usd=100), Usage(cost_usd=None), NOW) == "100 US dollars"


def test_the_first_bound_is_named() -> None:
    usage = Usage(model_calls=9, input_tokens=9)
    assert reached(Budget(model_calls=10, tokens=10), usage, NOW) == "10 model calls"


@given(st.integers(1, 10**6), st.integers(0, 10**6), st.integers(0, 100))
def test_more_spending_never_makes_room(bound: int, calls: int, more: int) -> None:
    budget = Budget(model_calls=bound)
    if reached(budget, Usage(model_calls=calls), NOW) is not None:
        assert reached(budget, Usage(model_calls=calls + more), NOW) is not None


@given(st.integers(1, 10**6))
def test_what_is_left_is_at_least_the_reserve(bound: int) -> None:
    budget = Budget(model_calls=bound)
    spent = next(
        calls
        for calls in range(int(bound * (1 - RESERVE)), bound + 1)
        if reached(budget, Usage(model_calls=calls), NOW) is not None
    )
    # Calls are whole: the one that reaches the bound may take a part of the reserve.
    assert bound - spent > bound * RESERVE - 1


def test_the_limitation_names_the_bound_and_what_was_left_out() -> None:
    limited = limitation("10 model calls", 5)
    assert limited.area == "Budget of 10 model calls"
    assert "80% of it" in limited.why
    assert "5 tasks were left out" in limited.why
    assert limited.consequence.endswith("is missing.")
