"""The budget of a run: what a task may take is held before it starts, and settled after it."""

from collections.abc import Sized
from dataclasses import dataclass, field

from temporalio import workflow

from caveat.contracts.envelope import R, Usage
from caveat.contracts.phase import Rate, RateCard, Step
from caveat.contracts.tasks import Task
from caveat.rules.run.budget import (
    GATHERING,
    BudgetAccount,
    TaskBudget,
    check_minimum_budget,
    compute_reserve,
    compute_task_budget,
)
from caveat.workflows.options import A, Policy
from caveat.workflows.research.run import Run

CLAIM_BYTES = 600  # of a claim where it is shown to a model: 125 tokens, with its source's share
CLAIMS = 8  # that an analysis is expected to bring
READING = 60_000  # bytes of a source, before any was read: 10,000 words

FIRST = ((Step.PLAN, "a plan"), (Step.ANALYSE, "one analysis"), (Step.SYNTHESISE, "a synthesis"))
"""What no run can do without."""


@dataclass
class RunBudget:
    run: Run
    account: BudgetAccount | None = None  # None where calls are not bounded
    _rates: dict[Step, Rate] = field(default_factory=dict)

    def know(self, rate_card: RateCard, *, gathers: bool) -> str | None:
        """Learn what calls take; say why the budget is too small, if it is."""
        bounds = self.run.request.budget
        self.account = BudgetAccount(bounds)
        self._rates = {rate.step: rate for rate in rate_card.rates}
        first = FIRST if gathers else FIRST[-1:]
        needs = [(name, self._compute_least(step, 0)) for step, name in first]
        return check_minimum_budget(bounds, needs)

    async def reserve(
        self, policy: Policy[A, R], task: Task, material: int
    ) -> TaskBudget | str | None:
        """Hold what a task may take, as soon as that fits, until it is settled.

        Args:
            material: bytes of what its calls are about.

        Returns:
            What is held; the bound that leaves no room; None where nothing is bounded.
        """
        rate = self._rates.get(policy.step) if policy.step else None
        most = rate.room if rate else 0
        kinds = ((task.max_turns, most), (1, most), (1,))
        whole, single, least = (compute_task_budget(rate, material, *kind) for kind in kinds)
        while True:
            bound = self._find_bound(policy)
            account, step = self.account, policy.step
            if bound is not None or account is None or step is None:
                return bound
            # Others may take less than is held for them. Alone, a task makes do with little.
            under_way = len(account.held)
            for held in (whole,) if under_way else (whole, single, least):
                is_last = held is least and step is Step.SYNTHESISE
                reserve = Usage() if is_last else self._compute_reserve(step)
                bound = account.find_exceeded(held.usage, reserve)
                if bound is None:
                    account.held[task.task_id] = held.usage
                    return held
            if not under_way:
                break
            await _wait_for_less(account.held, under_way)
        # Engines that call no model search all the same.
        return TaskBudget(1, 0, Usage()) if step is Step.SEARCH else bound

    def _find_bound(self, policy: Policy[A, R]) -> str | None:
        """Name the bound for which a task that gathers is not given out, if any."""
        gathers = policy.fetches if policy.step is None else policy.step in GATHERING
        if self.account is None or not gathers:
            return None
        least = self._compute_least(Step.ANALYSE, 0)
        reserve = self._compute_reserve(Step.ANALYSE)
        return self.account.find_exceeded(least, reserve, of_held=False)

    def find_exceeded_bound(self, step: Step, calls: int) -> str | None:
        """Name the bound in which so many calls of a step do not fit; None where they do."""
        if self.account is None:
            return None
        needs = [self._compute_least(step, self._estimate_claim_bytes())] * calls
        return self.account.find_exceeded(*needs, self._compute_reserve(step))

    def _compute_least(self, step: Step, material: int) -> Usage:
        return compute_task_budget(self._rates.get(step), material).usage

    def _compute_reserve(self, step: Step) -> Usage:
        """What must stay for what is still to come."""
        shown = self._estimate_claim_bytes()
        needs = {later: self._compute_least(later, shown) for later in Step}
        needs[Step.ANALYSE] = self._compute_least(Step.ANALYSE, READING)
        return compute_reserve(step, needs, self.run.request.budget, again=self.run.writes_again)

    def _estimate_claim_bytes(self) -> int:
        """Bytes of all claims, as far as they are found or expected of tasks under way."""
        claims = sum(line.claims for line in self.run.angle_progress.values())
        under_way = len(self.account.held) if self.account else 0
        return CLAIM_BYTES * (claims + CLAIMS * (1 + under_way))


async def _wait_for_less(held: Sized, number: int) -> None:
    await workflow.wait_condition(lambda: len(held) < number)
