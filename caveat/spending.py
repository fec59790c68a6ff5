"""Spending: what a task may spend on model calls, each of which is weighed before it is made."""

from dataclasses import dataclass, field

from caveat.contracts.envelope import Usage
from caveat.contracts.spending import Allowance

SLACK_USD = 1e-9
"""Sums of floats are not exact; a thousandth of a millionth of a dollar is no overspending."""


@dataclass
class Meter:
    """What one attempt at a task may spend, and has spent."""

    allowance: Allowance | None = None  # what it may; None for any amount
    spent: Usage = field(default_factory=Usage)

    def pays(self, need: Usage) -> bool:
        """Whether a call fits."""
        return self.allowance is None or is_within(self.allowance, self.spent + need)

    def spend(self, usage: Usage) -> None:
        """Book what a call took."""
        self.spent += usage


def is_within(allowance: Allowance, usage: Usage) -> bool:
    """Whether a usage stays within an allowance; a cost that nobody knows stays within none."""
    tokens = usage.input_tokens + usage.output_tokens
    cost = usage.cost_usd
    return (
        (allowance.calls is None or usage.model_calls <= allowance.calls)
        and (allowance.tokens is None or tokens <= allowance.tokens)
        and (
            allowance.cost_usd is None
            or (cost is not None and cost <= allowance.cost_usd + SLACK_USD)
        )
    )


def subtract_usage(allowance: Allowance, spent: Usage) -> Allowance:
    """Return what is left of an allowance; of money nothing where nobody knows what was spent."""
    tokens = spent.input_tokens + spent.output_tokens
    cost = allowance.cost_usd
    if cost is not None:
        cost = 0.0 if spent.cost_usd is None else max(0.0, cost - spent.cost_usd)
    return Allowance(
        calls=None if allowance.calls is None else max(0, allowance.calls - spent.model_calls),
        tokens=None if allowance.tokens is None else max(0, allowance.tokens - tokens),
        cost_usd=cost,
        final=allowance.final,
    )
