"""Budgets: what a task may take is held before it starts, and what it took is booked after."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil

from caveat.contracts.envelope import Failure, FailureCategory, FailureType, Usage
from caveat.contracts.phase import Rate, Step
from caveat.contracts.plan import Budget
from caveat.contracts.report import LeftOut, Limitation
from caveat.rules.lines import join_names

RESERVE = 0.2
"""Share of every bound that is kept for what follows gathering: the synthesis is the longest single
answer of a run, and the one without which everything that was gathered is lost."""

TOKEN = 3
"""Bytes of UTF-8 that are taken for a token: English has four to five, so that an estimate is
rather too high; other scripts have two to three."""

GATHERING = frozenset({Step.PLAN, Step.SEARCH, Step.ANALYSE})
"""What ends early, so that there is something left for the rest."""

_BOUNDS = {"model_calls": "model calls", "tokens": "tokens", "cost_usd": "US dollars"}
"""What a run may bound of its model calls, as requests and people say it."""

_SLACK = 1e-9
"""Sums of floats are not exact; a thousandth of a millionth of a dollar is no overspending."""


@dataclass(frozen=True)
class TaskBudget:
    """What one task may take; reserved until it has ended."""

    turns: int  # model calls
    room: int  # tokens of each answer
    usage: Usage  # all of its calls at most


def is_bounded(budget: Budget) -> bool:
    """Whether it bounds model calls."""
    return any(getattr(budget, name) is not None for name in _BOUNDS)


def compute_task_budget(
    rate: Rate | None, material: int, turns: int = 1, room: int | None = None
) -> TaskBudget:
    """Compute the most that a task takes.

    Args:
        rate: of its step; None if that calls no model.
        material: bytes of its input.
        room: tokens of each answer; None for the step's own.
    """
    if rate is None:
        return TaskBudget(turns, 0, Usage())
    room = rate.least if room is None else room
    # Each turn is sent what was said before it.
    sent = turns * (rate.overhead + ceil(material / TOKEN)) + room * (turns * (turns - 1) // 2)
    received = turns * room
    cost = None
    if rate.input_usd is not None and rate.output_usd is not None:
        cost = sent * rate.input_usd + received * rate.output_usd + turns * rate.call_usd
    return TaskBudget(
        turns,
        room,
        Usage(model_calls=turns, input_tokens=sent, output_tokens=received, cost_usd=cost),
    )


@dataclass
class BudgetAccount:
    """What a run may spend on model calls, has spent, and reserves for tasks under way."""

    bounds: Budget
    spent: Usage = field(default_factory=Usage)
    held: dict[str, Usage] = field(default_factory=dict)  # by task

    def find_exceeded(self, *needs: Usage, of_held: bool = True) -> str | None:
        """Name the bound that needs would exceed, such as `14 model calls`; None if they fit.

        Args:
            of_held: whether reserved amounts count as spent.
        """
        total = sum((*needs, *(self.held.values() if of_held else ())), self.spent)
        taken = {
            "model_calls": total.model_calls,
            "tokens": total.input_tokens + total.output_tokens,
            "cost_usd": total.cost_usd,
        }
        for name, words in _BOUNDS.items():
            bound, amount = getattr(self.bounds, name), taken[name]
            # A cost that nobody knows stays within no bound.
            if bound is not None and (amount is None or amount > bound + _SLACK):
                return f"{bound:g} {words}"
        return None

    def record(self, task_id: str, taken: Usage | None) -> Usage:
        """Record what a task took, and return it; None if unknown, and all that is held counts."""
        held = self.held.pop(task_id, Usage())
        taken = held if taken is None else taken
        self.spent += taken
        return taken


def compute_reserve(
    step: Step, needs: Mapping[Step, Usage], bounds: Budget, *, again: bool = False
) -> Usage:
    """Compute what a task must leave for later steps.

    Gathering leaves a fifth of every bound, at least a synthesis, and before there is evidence one
    analysis too. A comparison leaves a synthesis, and a synthesis its verification.

    Args:
        needs: the least that a task of each step takes.
        again: whether this synthesis will be written anew.
    """
    synthesis = needs[Step.SYNTHESISE]
    match step:
        case Step.SYNTHESISE:
            return needs[Step.VERIFY] + (synthesis if again else Usage())
        case Step.VERIFY:
            return synthesis if again else Usage()
        case Step.DETECT | Step.DEBATE:
            return synthesis
    tokens = max(
        int((bounds.tokens or 0) * RESERVE), synthesis.input_tokens + synthesis.output_tokens
    )
    share = (bounds.cost_usd or 0.0) * RESERVE
    reserve = Usage(
        model_calls=max(int((bounds.model_calls or 0) * RESERVE), synthesis.model_calls),
        input_tokens=tokens,
        cost_usd=None if synthesis.cost_usd is None else max(share, synthesis.cost_usd),
    )
    return reserve if step is Step.ANALYSE else reserve + needs[Step.ANALYSE]


def check_minimum_budget(bounds: Budget, first: Iterable[tuple[str, Usage]]) -> str | None:
    """Explain why a budget cannot pay for any run; None if it can."""
    wanted = list(first)
    least = sum((usage for _, usage in wanted), Usage())
    bound = BudgetAccount(bounds).find_exceeded(least)
    if bound is None:
        return None
    if least.cost_usd is None and bound.endswith(_BOUNDS["cost_usd"]):
        return (
            f"A budget of {bound} cannot be kept, because the price of a model is not known: "
            "bound the tokens."
        )
    names = [name for name, usage in wanted if usage.model_calls]
    cost = "an unknown cost" if least.cost_usd is None else f"${least.cost_usd:.2f}"
    tokens = least.input_tokens + least.output_tokens
    return (
        f"A budget of {bound} is too small: {join_names(names)} take at least "
        f"{least.model_calls} model calls, {tokens:,} tokens and {cost}."
    )


def build_left_out_failure(bound: str) -> Failure:
    return Failure(
        category=FailureCategory.BUSINESS,
        failure_type=FailureType.PERMANENT,
        message=f"Left out: the budget of {bound} was reached.",
        retry_recommended=True,
    )


def build_limitation(left_out: LeftOut) -> Limitation:
    """Build the limitation for a reached bound, with the tasks left out and what that means."""
    count = left_out.tasks
    tasks = f"{count} task was" if count == 1 else f"{count or 'Further'} tasks were"
    return Limitation(
        area=f"Budget of {left_out.bound}",
        why=(
            f"{tasks} left out, because what they may take did not fit into what was left of it "
            "with the synthesis."
        ),
        consequence="What they would have found, compared or verified is missing."
        + (f" {QUOTES_ALONE}" if left_out.synthesis else ""),
    )


QUOTES_ALONE = (
    "No synthesis was written: the summary and the sections are quotes that code put together."
)
"""Stands where the synthesis would, too."""
