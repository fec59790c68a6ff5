"""What model calls took, in words."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from caveat.contracts.spending import StepUsage
from caveat.rendering.money import money

UNKNOWN = "cost not known, because a model that was called has no price in the price table"


class Spent(Protocol):
    """What tells what model calls took."""

    @property
    def model_calls(self) -> int:
        """Calls to a language model."""
        ...

    @property
    def tokens(self) -> int:
        """Input and output tokens."""
        ...

    @property
    def cost_usd(self) -> float | None:
        """US dollars, None when a model's price is not known."""
        ...


def spent_words(spent: Spent) -> str:
    """Say what was spent, for example `12 model calls · 34,000 tokens · $0.21`."""
    calls = f"{spent.model_calls:,} model call{'' if spent.model_calls == 1 else 's'}"
    cost = UNKNOWN if spent.cost_usd is None else money(spent.cost_usd)
    return f"{calls} · {spent.tokens:,} tokens · {cost}"


def step_words(steps: Iterable[StepUsage]) -> Iterator[str]:
    """Say what each step took, for example `analyse: 7 model calls · 30,000 tokens · $0.09`."""
    for step in steps:
        yield f"{step.step}: {spent_words(step)}"
