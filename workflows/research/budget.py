"""The budget of a run: what calls may take is held before they are made, and settled after."""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from temporalio import workflow

from caveat.contracts.envelope import R, SubagentResult, Usage
from caveat.contracts.plan import Budget
from caveat.contracts.spending import NOTHING_MORE, Allowance, Need, Rate, RateCard, Step
from caveat.rules.run.budget import (
    BudgetAccount,
    build_allowance,
    check_minimum_budget,
    compute_reserve,
    compute_time_left,
    estimate_need,
    find_exceeded_time,
    grant_allowance,
    is_bounded,
    multiply_usage,
)
from caveat.workflows.options import A, Policy
from caveat.workflows.research.run import Run

CLAIM_BYTES = 600  # of a claim where it is shown to a model: 125 tokens, with its source's share
CLAIMS = 8  # that an analysis is expected to bring
READING = 60_000  # bytes of a source, before any was read: 10,000 words


INSTANT = timedelta(milliseconds=10)  # the shortest that Temporal is asked to bound an activity by

FIRST = ((Step.PLAN, "a plan"), (Step.ANALYSE, "one analysis"), (Step.SYNTHESISE, "a synthesis"))
"""What no run can do without."""


class NoRoom(Exception):
    """A task is not given out: a bound of the budget leaves no room for it."""

    def __init__(self, bound: str) -> None:
        super().__init__(f"the budget of {bound} leaves no room")
        self.bound = bound


@dataclass
class RunBudget:
    """What a run may spend."""

    run: Run
    account: BudgetAccount | None = None
    analysing: int = 0
    _rates: dict[Step, Rate] = field(default_factory=dict)

    @property
    def bounds(self) -> Budget:
        """What was asked for."""
        request = self.run.state.request
        return request.budget if request else Budget()

    @property
    def needs_rate_card(self) -> bool:
        """Whether the run must know what calls take."""
        return is_bounded(self.bounds)

    def compute_need(self, step: Step, material: int) -> Need:
        """What a call takes at most that is made for a step, about so many bytes."""
        return estimate_need(self._rates.get(step), material)

    def know(self, rate_card: RateCard, *, gathers: bool) -> str | None:
        """Learn what calls take; return why the budget is too small for any run, if it is.

        Args:
            gathers: whether the run must find claims before it can write of them.
        """
        self.account = BudgetAccount(build_allowance(self.bounds))
        self._rates = {rate.step: rate for rate in rate_card.rates}
        first = FIRST if gathers else FIRST[-1:]
        return check_minimum_budget(
            self.account, [(name, self.compute_need(step, 0).least) for step, name in first]
        )

    def is_over(self) -> str | None:
        """Name the bound for which nothing more is gathered, if there is one."""
        over = find_exceeded_time(self.bounds, self.compute_elapsed(), None)
        if over is not None or self.account is None:
            return over
        need = self.compute_need(Step.ANALYSE, 0).least
        kept = self.compute_reserve(Step.ANALYSE)
        return (
            None
            if self.account.could_reserve(need, kept)
            else self.account.find_exceeded_bound(need, kept)
        )

    def find_time_bound(self, step: Step) -> str | None:
        """Name the bound of time where it is over for a step."""
        return find_exceeded_time(self.bounds, self.compute_elapsed(), step)

    def leave_out(self, step: Step, calls: int) -> str | None:
        """Leave out so many calls of a step for a bound, and name it; None where they fit."""
        over = self.find_exceeded_bound(step, calls)
        if over is not None:
            self.run.state.reach_bound(over, step)
        return over

    def find_exceeded_bound(self, step: Step, calls: int) -> str | None:
        """Name the bound in which so many calls of a step do not fit; None where they do."""
        over = self.find_time_bound(step)
        if over is None and self.account is not None:
            need, kept = (
                multiply_usage(self.compute_need(step, self._estimate_claim_bytes()).least, calls),
                self.compute_reserve(step),
            )
            fits = self.account.could_reserve(need, kept)
            over = None if fits else self.account.find_exceeded_bound(need, kept)
        return over

    def create_task_budget(self, policy: Policy[Any, Any], material: int) -> "TaskBudget":
        """Say what one task may spend.

        Args:
            material: bytes of what its calls are about.
        """
        return TaskBudget(self, policy, material)

    def compute_elapsed(self) -> timedelta:
        """Time since the run began, waiting for people not counted."""
        return workflow.now() - self.run.state.started - self.run.state.waited

    def compute_reserve(self, step: Step) -> Usage:
        """What must stay for what is still to come."""
        if self.account is None:
            return Usage()
        needs = {each: self.compute_need(each, self._estimate_claim_bytes()) for each in Step}
        kept = compute_reserve(step, needs, self.account.bounds, again=self.run.state.writes_again)
        if step in {Step.PLAN, Step.SEARCH}:
            due = not self.run.state.is_analysed
            kept = multiply_usage(self.compute_need(Step.ANALYSE, READING).least, due) + kept
        return kept

    def _estimate_claim_bytes(self) -> int:
        """Bytes of all claims, as far as they are found or expected of analyses under way."""
        claims = sum(line.claims for line in self.run.state.lines.values())
        return CLAIM_BYTES * (claims + CLAIMS * (1 + self.analysing))


@dataclass
class TaskBudget:
    """What one task may spend, each time that it is given out."""

    whole: RunBudget
    policy: Policy[Any, Any]
    material: int  # bytes of what its calls are about
    # taken since it was opened, and how many attempts were begun
    spent: Usage = field(default_factory=Usage)
    begun: int = 0
    _ticket: int | None = None

    async def open(self) -> Allowance | None:
        """Hold what the task's first call may take; None where nothing is bounded."""
        self.spent, self.begun = Usage(), 0
        self.require_time()
        account, step = self.whole.account, self.policy.step
        if account is None or step is None:
            return None
        need = self.whole.compute_need(step, self.material)
        allowance = await self._hold(need)
        if allowance is None and step is Step.SEARCH:
            return NOTHING_MORE  # engines that call no model search all the same
        if allowance is None:
            raise NoRoom(self._record_no_room(need))
        return allowance

    async def reserve_more(self, need: Need) -> Allowance | None:
        """Book what the task took, and hold what a further call of it may take.

        Returns:
            What it may spend; `NOTHING_MORE` where there is no room; None where nothing is bounded.
        """
        self.spent += need.spent
        self.begun += need.attempts - 1
        self._settle(need.spent)
        account, step = self.whole.account, self.policy.step
        if account is None or step is None:
            return None
        if self._find_time_bound() is None:
            allowance = await self._hold(need)
            if allowance is not None:
                return allowance
        self._record_no_room(need)
        return NOTHING_MORE

    def book(self, envelope: SubagentResult[R], *, is_lost: bool = False) -> SubagentResult[R]:
        """Book what the task took in all, and say so in its envelope.

        Args:
            is_lost: whether nobody knows what the last attempt took: then all that is held counts.
        """
        took = envelope.usage
        if is_lost and self._ticket is not None:
            took = self.forfeit()
        else:
            self._settle(took)
        return envelope.model_copy(
            update={"usage": self.spent + took, "attempts": self.begun + envelope.attempts}
        )

    def _settle(self, took: Usage) -> None:
        """Book what the task took since it was given out last."""
        if self._ticket is not None and self.whole.account is not None:
            self.whole.account.settle(self._ticket, took)
            self._close()
        elif self.whole.account is not None:
            self.whole.account.spent += took

    def forfeit(self) -> Usage:
        """Book everything that is held: nobody knows what of it was taken. Return that."""
        if self._ticket is None or self.whole.account is None:
            return Usage()
        took = self.whole.account.forfeit(self._ticket)
        self._close()
        return took

    def fit_policy(self, policy: Policy[A, R]) -> Policy[A, R]:
        """The policy, for the attempts that are left and no longer than there is time."""
        if self.begun:
            most = max(1, policy.retry.maximum_attempts - self.begun)
            policy = replace(policy, retry=replace(policy.retry, maximum_attempts=most))
        left = self._compute_time_left()
        if left is not None and left < policy.schedule_to_close:
            policy = replace(policy, schedule_to_close=max(left, INSTANT))
        return policy

    def require_time(self, wait_s: float = 0.0) -> None:
        """Look whether there is time for the task, after a wait."""
        over = self._find_time_bound(wait_s)
        if over is not None:
            raise NoRoom(self._leave(over))

    def _find_time_bound(self, wait_s: float = 0.0) -> str | None:
        if self._compute_time_left() is None:
            return None
        then = self.whole.compute_elapsed() + timedelta(seconds=wait_s)
        return find_exceeded_time(self.whole.bounds, then, self.policy.step)

    def _compute_time_left(self) -> timedelta | None:
        if self.policy.step is None and not self.policy.fetches:
            return None
        return compute_time_left(self.whole.bounds, self.whole.compute_elapsed(), self.policy.step)

    async def _hold(self, need: Need) -> Allowance | None:
        """Hold a need as soon as it fits; None when it is clear that it never will."""
        account = self.whole.account
        if account is None:
            raise RuntimeError("nothing is held where nothing is bounded")
        while not self._is_hopeless(need):
            for amount in (need.whole, need.least):
                self._ticket = account.reserve(amount, self._compute_reserve())
                if self._ticket is not None:
                    self._begin()
                    return grant_allowance(account.bounds, amount)
            # Others may wait for the same, and be faster.
            await workflow.wait_condition(lambda: self._fits(need.least) or self._is_hopeless(need))
        return None

    def _fits(self, amount: Usage) -> bool:
        account = self.whole.account
        return account is not None and account.could_reserve(
            sum(account.reserved.values(), amount), self._compute_reserve()
        )

    def _is_hopeless(self, need: Need) -> bool:
        account, step = self.whole.account, self.policy.step
        if account is None or step is None or self._find_time_bound() is not None:
            return True
        return not account.could_reserve(need.least, self.whole.compute_reserve(step))

    def _compute_reserve(self) -> Usage:
        """What stays for what is still to come."""
        step = self.policy.step
        return Usage() if step is None else self.whole.compute_reserve(step)

    def _begin(self) -> None:
        if self.policy.step is Step.ANALYSE:
            self.whole.analysing += 1
            self.whole.run.state.is_analysed = True

    def _close(self) -> None:
        self._ticket = None
        if self.policy.step is Step.ANALYSE:
            self.whole.analysing -= 1

    def _record_no_room(self, need: Need) -> str:
        """Book that there was no room for a call, and name the bound."""
        account, step = self.whole.account, self.policy.step
        bound = self._find_time_bound()
        if bound is None and account is not None and step is not None:
            bound = account.find_exceeded_bound(need.least, self.whole.compute_reserve(step))
        return self._leave(bound or "")

    def _leave(self, bound: str) -> str:
        self.whole.run.state.reach_bound(bound, self.policy.step)
        if self.policy.step is Step.SYNTHESISE:
            self.whole.run.state.unwritten_for = bound
        return bound
