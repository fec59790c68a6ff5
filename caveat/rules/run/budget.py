"""Budgets: what a run may still spend is looked at before it is spent, and never exceeded."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

from caveat.contracts.envelope import AgentType, Usage
from caveat.contracts.plan import Budget
from caveat.contracts.report import LeftOut, Limitation
from caveat.contracts.spending import Allowance, Need, Rate, Step, StepUsage
from caveat.spending import is_within

RESERVE = 0.2
"""Share of the time, and of every other bound, that is kept for what follows gathering: the
synthesis is the longest single answer of a run, and the one without which everything that was
gathered is lost."""

TOKEN = 3
"""Bytes of UTF-8 that are taken for a token: English has four to five, so that an estimate is
rather too high; other scripts have two to three."""

GATHERING = frozenset({Step.PLAN, Step.SEARCH, Step.ANALYSE})
"""What ends early, so that there is something left for the rest."""

KEPT_FOR: tuple[Step, ...] = (Step.SYNTHESISE, Step.VERIFY, Step.DETECT)
"""What gathering leaves something for, the most important first: without a synthesis there is but a
list of quotes, unverified it is a model's word alone, without a comparison by a model code compares
alone. A debate is a luxury, and has what is left."""


def build_allowance(budget: Budget) -> Allowance:
    """Return a budget's bounds on model calls."""
    return Allowance(calls=budget.model_calls, tokens=budget.tokens, cost_usd=budget.cost_usd)


def is_bounded(budget: Budget) -> bool:
    """Whether it bounds what models may take."""
    return build_allowance(budget) != Allowance()


def estimate_need(rate: Rate | None, material: int) -> Need:
    """Say what a call takes at most.

    Args:
        rate: of its role; None where that calls no model.
        material: bytes of what it is about.
    """
    if rate is None:
        return Need(whole=Usage(), least=Usage())
    sent = rate.overhead + ceil(material / TOKEN)
    return Need(
        whole=_compute_call_usage(rate, sent, rate.room),
        least=_compute_call_usage(rate, sent, rate.least),
    )


def _compute_call_usage(rate: Rate, sent: int, received: int) -> Usage:
    known = rate.input_usd is not None and rate.output_usd is not None
    cost = sent * (rate.input_usd or 0.0) + received * (rate.output_usd or 0.0) + rate.call_usd
    return Usage(
        model_calls=1, input_tokens=sent, output_tokens=received, cost_usd=cost if known else None
    )


@dataclass
class BudgetAccount:
    """What a run may spend on model calls, has spent, and holds for calls that are under way."""

    # Every call is held at the most that it may take before it begins, and settled at what it took:
    # so what is spent and held together never exceeds a bound, however many calls are under way.

    bounds: Allowance
    spent: Usage = field(default_factory=Usage)
    reserved: dict[int, Usage] = field(
        default_factory=dict
    )  # for those that are not, by their tickets
    _tickets: int = 0

    def reserve(self, need: Usage, kept: Usage | None = None) -> int | None:
        """Hold what a call may take; None where it does not fit now."""
        if not is_within(self.bounds, self._sum_usage() + need + (kept or Usage())):
            return None
        self._tickets += 1
        self.reserved[self._tickets] = need
        return self._tickets

    def settle(self, ticket: int, took: Usage) -> None:
        """Book what a call took, and hold nothing for it any longer."""
        del self.reserved[ticket]
        self.spent += took

    def forfeit(self, ticket: int) -> Usage:
        """Book a call of which nobody knows what it took: all that was held. Return that."""
        took = self.reserved[ticket]
        self.settle(ticket, took)
        return took

    def could_reserve(self, need: Usage, kept: Usage | None = None) -> bool:
        """Whether it would fit if all that is under way took nothing."""
        return is_within(self.bounds, self.spent + need + (kept or Usage()))

    def find_exceeded_bound(self, need: Usage, kept: Usage | None = None) -> str:
        """Name the bound that a need does not fit in, as `could_reserve` sees it."""
        wanted = self.spent + need + (kept or Usage())
        for name in ("calls", "tokens", "cost_usd"):
            bound = getattr(self.bounds, name)
            if bound is not None and not is_within(Allowance(**{name: bound}), wanted):
                return _format_bound(name, bound)
        return "what the run may spend"

    def _sum_usage(self) -> Usage:
        return sum(self.reserved.values(), self.spent)


def _format_bound(name: str, bound: float) -> str:
    """Name a bound, for example `14 model calls`."""
    words = {"calls": "model calls", "tokens": "tokens", "cost_usd": "US dollars"}
    return f"{bound:g} {words.get(name, name)}"


def compute_reserve(
    step: Step, needs: Mapping[Step, Need], bounds: Allowance, *, again: bool = False
) -> Usage:
    """Say what a call must leave for more important ones that are still to come.

    Gathering always leaves the least of a synthesis; of the others as many as a fifth of every
    bound pays for, with all their room where it pays for that too. What follows gathering leaves a
    synthesis alone.

    Args:
        needs: what a call takes at most, by what it is made for.
        again: whether a synthesis is written now that will be written anew.
    """
    synthesis = needs[Step.SYNTHESISE]
    if step in {Step.SYNTHESISE, Step.VERIFY}:
        return synthesis.least if again else Usage()
    if step not in GATHERING:
        return synthesis.least
    share = _compute_share(bounds)
    kept = synthesis.least
    if is_within(share, synthesis.whole):
        kept = synthesis.whole
    for other in KEPT_FOR[1:]:
        more = kept + needs[other].least
        if not is_within(share, more):
            break
        kept = more
    return kept


def _compute_share(bounds: Allowance) -> Allowance:
    return Allowance(
        calls=None if bounds.calls is None else int(bounds.calls * RESERVE),
        tokens=None if bounds.tokens is None else int(bounds.tokens * RESERVE),
        cost_usd=None if bounds.cost_usd is None else bounds.cost_usd * RESERVE,
    )


def multiply_usage(usage: Usage, number: int) -> Usage:
    """Sum a usage up so many times."""
    return sum((usage for _ in range(number)), Usage())


def grant_allowance(bounds: Allowance, need: Usage) -> Allowance:
    """Allow a task what is held for it, of every kind that the run bounds."""
    return Allowance(
        calls=None if bounds.calls is None else need.model_calls,
        tokens=None if bounds.tokens is None else need.input_tokens + need.output_tokens,
        cost_usd=None if bounds.cost_usd is None else need.cost_usd,
    )


def list_step_usage(usages: Mapping[Step, Usage]) -> tuple[StepUsage, ...]:
    """List what the steps took that took anything, in their order."""
    return tuple(
        StepUsage(
            step=step,
            model_calls=usages[step].model_calls,
            tokens=usages[step].input_tokens + usages[step].output_tokens,
            cost_usd=usages[step].cost_usd,
        )
        for step in Step
        if step in usages and usages[step] != Usage()
    )


def find_exceeded_time(budget: Budget, elapsed: dt.timedelta, step: Step | None) -> str | None:
    """Name the bound of time where it is over for a step; None while there is time.

    Args:
        elapsed: since the run began, waiting for people not counted.
        step: which; None for fetching, which is part of gathering.
    """
    left = compute_time_left(budget, elapsed, step)
    return None if left is None or left > dt.timedelta(0) else f"{budget.minutes:g} minutes"


def compute_time_left(
    budget: Budget, elapsed: dt.timedelta, step: Step | None
) -> dt.timedelta | None:
    """Return how long a step may still go on; None where there is no bound."""
    if budget.minutes is None:
        return None
    share = 1 - RESERVE if step is None or step in GATHERING else 1.0
    return dt.timedelta(minutes=budget.minutes * share) - elapsed


def check_minimum_budget(account: BudgetAccount, first: Iterable[tuple[str, Usage]]) -> str | None:
    """Say that a budget does not pay for what no run can do without; None where it does."""
    wanted = list(first)
    least = sum((usage for _, usage in wanted), Usage())
    if account.could_reserve(least):
        return None
    if least.cost_usd is None and account.bounds.cost_usd is not None:
        bound = _format_bound("cost_usd", account.bounds.cost_usd)
        return (
            f"A budget of {bound} cannot be kept, because the price of a model is not known: name "
            "a price table that has it, or bound the tokens."
        )
    names = [name for name, usage in wanted if usage.model_calls]
    return (
        f"A budget of {account.find_exceeded_bound(least)} is too small: "
        f"{_join_names(names)} take at least {_format_usage(least)}."
    )


def _join_names(names: Sequence[str]) -> str:
    """Join names, for example `a plan, one analysis and a synthesis`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _format_usage(usage: Usage) -> str:
    """Say what a usage comes to, for example `3 model calls, 12,000 tokens and $0.21`."""
    cost = "an unknown cost" if usage.cost_usd is None else f"${usage.cost_usd:.2f}"
    tokens = usage.input_tokens + usage.output_tokens
    return f"{usage.model_calls} model calls, {tokens:,} tokens and {cost}"


def build_limitation(left_out: LeftOut) -> Limitation:
    """Say that a bound was reached, how many tasks were left out for it, and what that means."""
    means = [
        f"What {ROLES} would still have found is missing." if left_out.gathering else "",
        QUOTES_ALONE if left_out.synthesis else "",
    ]
    return Limitation(
        area=f"Budget of {left_out.bound}",
        why=(
            f"{_describe_left_out(left_out.tasks)}, because what they may take did not fit into "
            "what was left of it beside what the synthesis takes."
        ),
        consequence=" ".join(filter(None, means)) or NAMED_BELOW,
    )


def _describe_left_out(tasks: int) -> str:
    if not tasks:
        return "Further calls of tasks were left out"
    return "1 task was left out" if tasks == 1 else f"{tasks} tasks were left out"


NAMED_BELOW = "What that means is said of each task by itself."
"""Of comparing, debating and verifying, which are named one by one."""

QUOTES_ALONE = (
    "No synthesis was written: the summary and the sections are quotes that code put together."
)
"""Stands where the synthesis would, too."""

ROLES = f"the {AgentType.SEARCHER}, the {AgentType.READER} and the {AgentType.ANALYST}"
