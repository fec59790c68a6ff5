"""Spending: what the task that runs here may still spend on model calls.

A call is weighed before it is made. Where it does not fit into what the coordinator allowed, it is
not made: the subagent says what it needs, and the coordinator gives the task out again with more
or, where the run's budget has no more, with the word that nothing more will come.
"""

from contextvars import ContextVar
from dataclasses import dataclass, field

from caveat.contracts.envelope import Usage
from caveat.contracts.spending import Allowance

SLACK_USD = 1e-9
"""Sums of floats are not exact; a thousandth of a millionth of a dollar is no overspending."""


class NotAllowed(Exception):
    """A call does not fit into what the task may spend.

    Args:
        whole: what it may take at most.
        least: the same with as little room as its answer can do with.
    """

    def __init__(self, whole: Usage, least: Usage) -> None:
        super().__init__("The call needs more than the task may spend.")
        self.whole = whole
        self.least = least


@dataclass
class Meter:
    """What one attempt at a task may spend, and has spent.

    Attributes:
        allowance: of all attempts together.
        before: what earlier attempts have spent.
        spent: what this one has spent.
    """

    allowance: Allowance
    before: Usage = field(default_factory=Usage)
    spent: Usage = field(default_factory=Usage)

    def pays(self, need: Usage) -> bool:
        """Whether a call fits."""
        return within(self.allowance, self.before + self.spent + need)

    def spend(self, usage: Usage) -> None:
        """Book what a call took."""
        self.spent += usage


def within(allowance: Allowance, usage: Usage) -> bool:
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


CURRENT: ContextVar[Meter | None] = ContextVar("meter", default=None)
"""The meter of the task that runs in this context; None where nothing is bounded."""
