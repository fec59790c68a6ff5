"""Budgets: when gathering stops, so that a run that reaches a bound still reports."""

import datetime as dt

from caveat.contracts.envelope import AgentType, Usage
from caveat.contracts.plan import Budget
from caveat.contracts.report import Limitation

RESERVE = 0.2
"""Share of each bound that is kept for the synthesis and its final form: the longest single answer
of a run, and the one without which everything that was gathered is lost."""


def reached(
    budget: Budget, usage: Usage, elapsed: dt.timedelta, *, calls_begun: int = 0
) -> str | None:
    """Name the bound that gathering has reached, the reserve kept; None while there is room.

    A cost that is not known reaches every bound of cost: nobody can say that there is room.

    Args:
        budget: what the run may spend.
        usage: what its answered tasks have spent.
        elapsed: since the run began, waiting for people not counted.
        calls_begun: model calls that were begun and not answered yet. Each is taken to cost what
            an answered one costs on average, since a fan-out begins them all before it hears what
            the first one cost.
    """
    calls = usage.model_calls + calls_begun
    share = calls / usage.model_calls if usage.model_calls else 1.0
    tokens = (usage.input_tokens + usage.output_tokens) * share
    cost = None if usage.cost_usd is None else usage.cost_usd * share
    minutes = elapsed.total_seconds() / 60
    spent: tuple[tuple[str, float | None, float | None], ...] = (
        ("model calls", calls, budget.model_calls),
        ("tokens", tokens, budget.tokens),
        ("US dollars", cost, budget.cost_usd),
        ("minutes", minutes, budget.minutes),
    )
    for name, amount, bound in spent:
        if bound is not None and (amount is None or amount >= bound * (1 - RESERVE)):
            return f"{bound:g} {name}"
    return None


def limitation(bound: str, left_out: int) -> Limitation:
    """Say that a bound was reached, and how many tasks were left out for it."""
    return Limitation(
        area=f"Budget of {bound}",
        why=(
            f"Gathering stopped when {1 - RESERVE:.0%} of it was spent; {left_out} tasks were left "
            "out, the rest was kept for the synthesis."
        ),
        consequence=f"What {ROLES} would still have found is missing.",
    )


ROLES = f"the {AgentType.SEARCHER}, the {AgentType.READER} and the {AgentType.ANALYST}"
