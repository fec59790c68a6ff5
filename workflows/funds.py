"""Funds: what the calls of a run may take is held before they are made, and settled after."""

from dataclasses import dataclass, field, replace
from datetime import timedelta

from temporalio import workflow

from workflows.options import Policy
from workflows.record import Record

with workflow.unsafe.imports_passed_through():
    from caveat.contracts.envelope import Usage
    from caveat.contracts.plan import Budget
    from caveat.contracts.spending import NOTHING_MORE, Allowance, Need, Rate, Step, Tariff
    from caveat.rules.budget import (
        Purse,
        estimated,
        granted,
        is_bounded,
        kept_for,
        limits,
        time_left,
        time_over,
        times,
        too_small,
    )

CLAIM_BYTES = 600
"""Of a claim where it is shown to a model: 125 tokens, with its source's share."""

CLAIMS = 8
"""That an analysis is expected to bring."""

READING = 60_000
"""Bytes of a source, before any was read: 10,000 words."""


INSTANT = timedelta(milliseconds=10)
"""The shortest that Temporal is asked to bound an activity by."""

FIRST = (
    (Step.PLAN, "a plan"),
    (Step.ANALYSE, "one analysis"),
    (Step.SYNTHESISE, "a synthesis"),
)
"""What no run can do without."""


class LeftOut(Exception):
    """A task is not given out: a bound of the budget leaves no room for it.

    Args:
        bound: which.
    """

    def __init__(self, bound: str) -> None:
        super().__init__(f"the budget of {bound} leaves no room")
        self.bound = bound


@dataclass
class Funds:
    """What a run may spend.

    Attributes:
        record: what is known of the run.
    """

    record: Record
    purse: Purse | None = None
    analysing: int = 0
    _rates: dict[Step, Rate] = field(default_factory=dict)

    @property
    def budget(self) -> Budget:
        """What the run may spend."""
        return self.record.request.budget if self.record.request else Budget()

    @property
    def wants_tariff(self) -> bool:
        """Whether the run must know what calls take."""
        return is_bounded(self.budget)

    def need(self, step: Step, material: int) -> Need:
        """What a call takes at most that is made for a step, about so many bytes."""
        return estimated(self._rates.get(step), material)

    def know(self, tariff: Tariff, *, gathers: bool) -> str | None:
        """Learn what calls take; return why the budget is too small for any run, if it is.

        Args:
            tariff: of the reasoner.
            gathers: whether the run must find claims before it can write of them.
        """
        self.purse = Purse(limits(self.budget))
        self._rates = {rate.step: rate for rate in tariff.rates}
        first = FIRST if gathers else FIRST[-1:]
        return too_small(self.purse, [(name, self.need(step, 0).least) for step, name in first])

    def is_over(self) -> str | None:
        """Name the bound for which nothing more is gathered, if there is one."""
        over = time_over(self.budget, self.elapsed(), None)
        if over is not None or self.purse is None:
            return over
        need = self.need(Step.ANALYSE, 0).least
        kept = self.kept(Step.ANALYSE)
        return None if self.purse.could_hold(need, kept) else self.purse.exceeded(need, kept)

    def no_room(self, step: Step, calls: int) -> str | None:
        """Name the bound for which so many calls of a step are left out; None where they fit."""
        over = time_over(self.budget, self.elapsed(), step)
        if over is None and self.purse is not None:
            need, kept = times(self.need(step, self._shown()).least, calls), self.kept(step)
            fits = self.purse.could_hold(need, kept)
            over = None if fits else self.purse.exceeded(need, kept)
        if over is not None:
            self.record.leave_out(over)
        return over

    def account(self, policy: Policy, material: int, angle: str | None = None) -> "Account":
        """Open an account for one task.

        Args:
            policy: how it is run.
            material: bytes of what its calls are about.
            angle: the assignment that it is done for, if any.
        """
        return Account(self, policy, material, angle)

    def elapsed(self) -> timedelta:
        """Time since the run began, waiting for people not counted."""
        return workflow.now() - self.record.started - self.record.waited

    def kept(self, step: Step) -> Usage:
        """What must stay for what is still to come."""
        if self.purse is None:
            return Usage()
        needs = {each: self.need(each, self._shown()) for each in Step}
        kept = kept_for(step, needs, self.purse.bounds, again=self.record.will_write_again)
        if step in {Step.PLAN, Step.SEARCH}:
            # Before there is a plan there is one angle at least.
            due = len(self.record.unanalysed) if self.record.plan else 1
            kept = times(self.need(Step.ANALYSE, READING).least, due) + kept
        return kept

    def _shown(self) -> int:
        """Bytes of all claims, as far as they are found or expected of analyses under way."""
        claims = sum(line.claims for line in self.record.lines.values())
        return CLAIM_BYTES * (claims + CLAIMS * (1 + self.analysing))


@dataclass
class Account:
    """What one task may spend, each time that it is given out.

    Attributes:
        funds: of the run.
        policy: how the task is run.
        material: bytes of what its calls are about.
        angle: the assignment that it is done for, if any.
    """

    funds: Funds
    policy: Policy
    material: int
    angle: str | None
    _ticket: int | None = None

    async def open(self) -> Allowance | None:
        """Hold what the task's first call may take; None where nothing is bounded.

        Raises:
            LeftOut: there is no room for it.
        """
        self.require_time()
        purse, step = self.funds.purse, self.policy.step
        if purse is None or step is None:
            return None
        need = self.funds.need(step, self.material)
        allowance = await self._held(need)
        if allowance is None and step is Step.SEARCH:
            return NOTHING_MORE  # engines that call no model search all the same
        if allowance is None:
            raise LeftOut(self._left_out(need))
        return allowance

    async def more(self, need: Need | None = None) -> Allowance | None:
        """Hold what a further call of the task may take.

        Args:
            need: what that is, where the task knows; None where it does not say.

        Returns:
            What it may spend; `NOTHING_MORE` where there is no room; None where nothing is bounded.
        """
        purse, step = self.funds.purse, self.policy.step
        if purse is None or step is None:
            return None
        need = need or self.funds.need(step, self.material)
        if self._time_over() is None:
            allowance = await self._held(need)
            if allowance is not None:
                return allowance
        self._left_out(need)
        return NOTHING_MORE

    def settle(self, took: Usage) -> None:
        """Book what the task took since it was given out last."""
        if self._ticket is not None and self.funds.purse is not None:
            self.funds.purse.settle(self._ticket, took)
            self._close()
        elif self.funds.purse is not None:
            self.funds.purse.spent += took

    def forfeit(self) -> Usage:
        """Book everything that is held: nobody knows what of it was taken. Return that."""
        if self._ticket is None or self.funds.purse is None:
            return Usage()
        took = self.funds.purse.forfeit(self._ticket)
        self._close()
        return took

    def timely(self, begun: int) -> Policy:
        """The policy, for the attempts that are left and no longer than there is time.

        Args:
            begun: attempts that were made before.
        """
        policy = self.policy
        if begun:
            most = max(1, policy.retry.maximum_attempts - begun)
            policy = replace(policy, retry=replace(policy.retry, maximum_attempts=most))
        left = self._time_left()
        if left is not None and left < policy.schedule_to_close:
            policy = replace(policy, schedule_to_close=max(left, INSTANT))
        return policy

    def require_time(self, wait_s: float = 0.0) -> None:
        """Look whether there is time for the task, after a wait.

        Raises:
            LeftOut: there is none.
        """
        over = self._time_over(wait_s)
        if over is not None:
            self.funds.record.leave_out(over)
            raise LeftOut(over)

    def _time_over(self, wait_s: float = 0.0) -> str | None:
        if self._time_left() is None:
            return None
        then = self.funds.elapsed() + timedelta(seconds=wait_s)
        return time_over(self.funds.budget, then, self.policy.step)

    def _time_left(self) -> timedelta | None:
        if self.policy.step is None and not self.policy.fetches:
            return None
        return time_left(self.funds.budget, self.funds.elapsed(), self.policy.step)

    async def _held(self, need: Need) -> Allowance | None:
        """Hold a need as soon as it fits; None when it is clear that it never will."""
        purse = self.funds.purse
        if purse is None:
            raise RuntimeError("nothing is held where nothing is bounded")
        while not self._is_hopeless(need):
            for amount in (need.whole, need.least):
                self._ticket = purse.hold(amount, self._kept_now())
                if self._ticket is not None:
                    self._begin()
                    return granted(purse.bounds, amount)
            # Others may wait for the same, and be faster.
            await workflow.wait_condition(lambda: self._fits(need.least) or self._is_hopeless(need))
        return None

    def _fits(self, amount: Usage) -> bool:
        purse = self.funds.purse
        return purse is not None and purse.could_hold(
            sum(purse.held.values(), amount), self._kept_now()
        )

    def _is_hopeless(self, need: Need) -> bool:
        purse, step = self.funds.purse, self.policy.step
        if purse is None or step is None or self._time_over() is not None:
            return True
        return not purse.could_hold(need.least, self.funds.kept(step))

    def _kept_now(self) -> Usage:
        """What stays for others, first of all an analysis for each angle that had none yet."""
        step = self.policy.step
        if step is None:
            return Usage()
        kept = self.funds.kept(step)
        due = self.funds.record.unanalysed
        if step is Step.ANALYSE and self.angle not in due:
            kept += times(self.funds.need(step, self.material).least, len(due))
        return kept

    def _begin(self) -> None:
        if self.policy.step is Step.ANALYSE:
            self.funds.analysing += 1
            self.funds.record.unanalysed.discard(self.angle or "")

    def _close(self) -> None:
        self._ticket = None
        if self.policy.step is Step.ANALYSE:
            self.funds.analysing -= 1

    def _left_out(self, need: Need) -> str:
        """Book that there was no room for a call, and name the bound."""
        purse, step = self.funds.purse, self.policy.step
        bound = self._time_over()
        if bound is None and purse is not None and step is not None:
            bound = purse.exceeded(need.least, self.funds.kept(step))
        self.funds.record.leave_out(bound or "")
        if step is Step.SYNTHESISE:
            self.funds.record.unwritten_for = bound
        return bound or ""
