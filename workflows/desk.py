"""The desk: every task goes over it, and what fails is recovered once, with a changed input."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Generic, TypeVar

from temporalio import workflow
from temporalio.exceptions import ActivityError

from workflows.circuit import Circuits
from workflows.delegation import delegate
from workflows.funds import Account, Funds, LeftOut
from workflows.options import REFRESH, Lane, Policy
from workflows.record import Record

with workflow.unsafe.imports_passed_through():
    from activities.credentials import Gatekeeper
    from caveat.contracts.backend import Route
    from caveat.contracts.envelope import Status, SubagentResult
    from caveat.contracts.failure import Failure, FailureCategory, FailureType
    from caveat.contracts.report import Remedy
    from caveat.contracts.tasks import RefreshTask, Task
    from caveat.rules.breaker import NOT_STARTED, SCOUTS
    from caveat.rules.recovery import Recovery, recovery

A = TypeVar("A", bound=Task)
R = TypeVar("R")

AGAIN = "-again"
"""Ends the id of the task that a changed input makes of another one."""

NARROW = 2
"""Tasks of a kind at once after its provider asked to slow down: one would stall a fan-out behind
its slowest task, three is where rate limits are met again."""


@dataclass(frozen=True)
class Changes(Generic[A, R]):
    """How a task of one kind is changed; what is None cannot be changed that way.

    Attributes:
        alternative: the task with another input, of the failure's suggestion.
        remaining: the task with only the work that a partial result leaves.
        merged: a partial result and the result of the remaining work as one.
    """

    alternative: Callable[[A, str], A] | None = None
    remaining: Callable[[A, R], A] | None = None
    merged: Callable[[R, R], R] | None = None


@dataclass(frozen=True)
class Funded:
    """What a task's model calls are about.

    Attributes:
        material: bytes of it, beside the task itself.
        angle: the assignment that they are made for; None where that is all of the run.
    """

    material: int = 0
    angle: str | None = None


UNFUNDED = Funded()


@dataclass(frozen=True)
class _Errand(Generic[A, R]):
    """A task, who may do it, how, how it may be changed, and whose service it needs if known."""

    method: Callable[[Any, A], Awaitable[SubagentResult[R]]]
    task: A
    policy: Policy
    changes: Changes[A, R]
    address: str | None
    route: Route
    account: Account

    @property
    def place(self) -> str:
        """Whose refusals and limits concern this task, as far as that is known beforehand."""
        if self.policy.lane is Lane.REASON:
            return self.policy.lane  # one provider is behind all of its tasks
        return f"{self.policy.agent} {self.address}" if self.address else self.policy.agent

    @property
    def circuits(self) -> tuple[str, ...]:
        """The breakers that it depends on: of its kind, and of its provider where that is known."""
        kind = str(self.policy.agent)
        return (kind, self.place) if self.address else (kind,)

    async def run(self, task: A) -> SubagentResult[R]:
        return await delegate(self.method, task, self.policy, self.route, self.account)


@dataclass
class Desk:
    """Gives tasks to subagents.

    Attributes:
        record: where everything is booked.
        funds: what tasks may spend.
    """

    record: Record
    funds: Funds
    _circuits: Circuits = field(default_factory=Circuits)
    _gates: dict[str, asyncio.Semaphore] = field(default_factory=dict)
    _stopped: dict[str, Failure] = field(default_factory=dict)
    _worked: set[str] = field(default_factory=set)
    _refusals: Counter[str] = field(default_factory=Counter)
    _refreshes: dict[str, asyncio.Task[bool]] = field(default_factory=dict)
    _begun: set[str] = field(default_factory=set)
    _busy: int = 0

    async def attend(
        self,
        method: Callable[[Any, A], Awaitable[SubagentResult[R]]],
        task: A,
        policy: Policy,
        changes: Changes[A, R] | None = None,
        address: str | None = None,
        funded: Funded = UNFUNDED,
    ) -> SubagentResult[R]:
        """Have a task done, recover it once if it fails, and book how it ended.

        Args:
            method: the activity.
            task: what to do.
            policy: how it is run.
            changes: how the task may be changed to recover it.
            address: whose service it needs, where that is known beforehand.
            funded: what its calls are about, and for which angle they are made.

        Raises:
            LeftOut: a bound of the budget leaves no room for it.
        """
        task = self._of_this_run(task)
        material = funded.material
        if self.funds.purse is not None:
            material += len(task.model_dump_json().encode())
        account = self.funds.account(policy, material, funded.angle)
        return await self._admitted(
            _Errand(method, task, policy, changes or Changes(), address, self.record.route, account)
        )

    def _of_this_run(self, task: A) -> A:
        """Bound the turns of a task as the request wants it, and pass on what opens its folders."""
        request = self.record.request
        if request is None:
            return task
        turns = request.budget.turns or task.max_turns
        grant = request.grant if task.folders else None
        return task.model_copy(update={"max_turns": turns, "grant": grant})

    async def _admitted(self, errand: _Errand[A, R]) -> SubagentResult[R]:
        """Do it unless its provider is stopped or its breaker open."""
        refused = await self._entered(errand)
        if refused is not None:
            return self._counted(errand, _not_started(errand.task, errand.policy, refused))
        ended: SubagentResult[R] | None = None
        try:
            ended = await self._done(errand)
            return ended
        finally:
            self._left(errand, ended)

    async def _entered(self, errand: _Errand[A, R]) -> Failure | None:
        """Wait until it may start; return the failure for which it must not be started, if any."""
        with ExitStack() as entered:
            for circuit in errand.circuits:
                refused = self._stopped.get(errand.place) or await self._circuits.enter(circuit)
                if refused is not None:
                    return refused
                entered.callback(self._circuits.withdraw, circuit)
            if errand.place in self._stopped:  # it was stopped while this one waited
                return self._stopped[errand.place]
            entered.pop_all()
        return None

    def _left(self, errand: _Errand[A, R], ended: SubagentResult[R] | None) -> None:
        """Tell the breakers how it ended; one host's trouble is not everybody's."""
        failure = ended.failure if ended else None
        own = errand.address is not None and failure is not None and failure.provider is not None
        for circuit in errand.circuits:
            if ended is None or (own and circuit != errand.place):
                self._circuits.withdraw(circuit)
            else:
                self._circuits.leave(circuit, failure)

    async def _done(self, errand: _Errand[A, R]) -> SubagentResult[R]:
        first = await self._run(errand, errand.task)
        if first.failure is None:
            self._worked.add(errand.place)
            self._refusals.pop(errand.place, None)
            return self._counted(errand, first)
        chosen = recovery(first.failure, first.completeness)
        if chosen is None:
            self._exhausted(errand, first.failure)
            return self._counted(errand, first)
        second: SubagentResult[R] | None = None
        try:
            second = await self._recovered(errand, first, chosen)
        except LeftOut:
            return self._counted(errand, _open_again(first))
        except (asyncio.CancelledError, ActivityError):  # left behind while it was recovered
            self._counted(errand, _open_again(first), remedy=chosen.remedy)
            raise
        if second is None:
            return self._counted(errand, first, remedy=chosen.remedy)
        return self._counted(errand, second, remedy=chosen.remedy, cause=first)

    def _counted(
        self,
        errand: _Errand[A, R],
        envelope: SubagentResult[R],
        *,
        remedy: Remedy | None = None,
        cause: SubagentResult[R] | None = None,
    ) -> SubagentResult[R]:
        self.record.spend(errand.policy.step, envelope.usage)
        return self.record.count(envelope, remedy=remedy, cause=cause)

    async def _run(self, errand: _Errand[A, R], task: A) -> SubagentResult[R]:
        async with self._at_work(errand.place):
            self._begun.add(task.task_id)
            return await errand.run(task)

    def has_begun(self, task_id: str) -> bool:
        """Whether a task was given to a subagent, and does not only wait for that."""
        return task_id in self._begun

    def gives_out(self, policy: Policy) -> bool:
        """Whether a further task of a kind would be started, its address not considered."""
        is_stopped = policy.agent in self._stopped or policy.lane in self._stopped
        return not is_stopped and not self._circuits.is_open(policy.agent)

    def refusal(self, policy: Policy) -> Failure | None:
        """Why tasks of a kind, their address not considered, are not started any more, if so."""
        return self._stopped.get(policy.lane) or self._stopped.get(policy.agent)

    def start_afresh(self) -> None:
        """Let what failed be tried once more, without the breakers' memory of it."""
        self._circuits.reset()

    async def _recovered(
        self, errand: _Errand[A, R], first: SubagentResult[R], chosen: Recovery
    ) -> SubagentResult[R] | None:
        """Do what the remedy says; None when it cannot be done."""
        again = _changed(errand.task, first, chosen, errand.changes)
        if again is None or not await self._prepared(errand, first, chosen):
            return None
        second = await self._run(errand, again)
        if chosen.remedy is Remedy.REFRESHED_CREDENTIALS and second.failure is not None:
            self._refused(errand, second.failure)
        return _merged(first, second, chosen, errand.changes)

    async def _prepared(
        self, errand: _Errand[A, R], first: SubagentResult[R], chosen: Recovery
    ) -> bool:
        """Wait, narrow or refresh, as the remedy needs; False when that did not work."""
        match chosen.remedy:
            case Remedy.NARROWED:
                self._gates.setdefault(errand.place, asyncio.Semaphore(NARROW))
                if chosen.wait_s:
                    errand.account.require_time(chosen.wait_s)
                    await workflow.sleep(
                        timedelta(seconds=chosen.wait_s),
                        summary=f"Rate limit of {errand.policy.agent}",
                    )
            case Remedy.LATER:
                await workflow.wait_condition(lambda: self._busy == 0)
            case Remedy.REFRESHED_CREDENTIALS:
                return await self._refreshed(errand, first)
            case _:
                pass
        return True

    async def _refreshed(self, errand: _Errand[A, R], first: SubagentResult[R]) -> bool:
        """Refresh a provider's credentials once for the whole run, or stop calling it."""
        provider = first.failure.provider if first.failure else None
        if provider is None:
            return False
        refresh = self._refreshes.get(provider)
        if refresh is None:
            refresh = asyncio.create_task(self._refresh(provider))
            self._refreshes[provider] = refresh
        if await asyncio.shield(refresh):
            return True
        if first.failure is not None:
            self._refused(errand, first.failure)
        return False

    def _refused(self, errand: _Errand[A, R], failure: Failure) -> None:
        """Stop the tasks of a provider that refuses its credentials for good.

        Where it is not known beforehand whose tasks are whose, all of the kind are stopped: at once
        if none has worked, else there may be other providers, one publisher of many, and only as
        many refusals in a row as open a breaker stop it.
        """
        if failure.failure_type is not FailureType.AUTH_ERROR or failure.provider is None:
            return
        place = errand.place
        self._refusals[place] += 1
        is_sure = place != errand.policy.agent or place not in self._worked
        if is_sure or self._refusals[place] >= SCOUTS:
            self._stopped[place] = failure

    def _exhausted(self, errand: _Errand[A, R], failure: Failure) -> None:
        """Stop the tasks of a provider that gives nothing any more: the money is spent."""
        is_known = errand.policy.lane is Lane.REASON or errand.address is not None
        if not is_known or failure.provider is None:
            return
        if failure.category is FailureCategory.BUSINESS:
            self._stopped[errand.place] = failure

    async def _refresh(self, provider: str) -> bool:
        task = RefreshTask(
            task_id=f"refresh-{provider}",
            description=f"Refresh the credentials of {provider}",
            provider=provider,
        )
        ended = await delegate(Gatekeeper.refresh, task, REFRESH, self.record.route)
        return self.record.count(ended).failure is None

    @asynccontextmanager
    async def _at_work(self, place: str) -> AsyncIterator[None]:
        gate = self._gates.get(place)
        if gate is not None:
            await gate.acquire()
        self._busy += 1
        try:
            yield
        finally:
            self._busy -= 1
            if gate is not None:
                gate.release()


def _open_again(first: SubagentResult[R]) -> SubagentResult[R]:
    """The first failure of a task whose recovery was broken off: it may be tried again."""
    if first.failure is None:
        return first
    failure = first.failure.model_copy(update={"retry_recommended": True})
    return first.model_copy(update={"failure": failure})


def _changed(
    task: A, first: SubagentResult[R], chosen: Recovery, changes: Changes[A, R]
) -> A | None:
    again = task.model_copy(update={"task_id": task.task_id + AGAIN})
    match chosen.remedy:
        case Remedy.ALTERNATIVE:
            if changes.alternative is None or chosen.alternative is None:
                return None
            return changes.alternative(again, chosen.alternative)
        case Remedy.REMAINING_WORK if changes.remaining and first.partial_result is not None:
            return changes.remaining(again, first.partial_result)
        case _:
            return again


def _merged(
    first: SubagentResult[R],
    second: SubagentResult[R],
    chosen: Recovery,
    changes: Changes[A, R],
) -> SubagentResult[R]:
    """One envelope of two attempts; a partial result is never lost for a failed second one."""
    attempts, usage = first.attempts + second.attempts, first.usage + second.usage
    both = second.model_copy(update={"attempts": attempts, "usage": usage})
    partial = first.partial_result
    if partial is None or chosen.remedy is not Remedy.REMAINING_WORK or changes.merged is None:
        return both
    if second.result is not None:
        return both.model_copy(update={"result": changes.merged(partial, second.result)})
    if second.partial_result is None:
        kept = {"status": Status.PARTIAL, "partial_result": partial}
        return both.model_copy(update={**kept, "completeness": first.completeness})
    merged = changes.merged(partial, second.partial_result)
    completeness = max(first.completeness, second.completeness)
    return both.model_copy(update={"partial_result": merged, "completeness": completeness})


def _not_started(task: Task, policy: Policy, cause: Failure) -> SubagentResult[Any]:
    failure = cause.model_copy(
        update={
            "message": f"{NOT_STARTED}{cause.message}"[:500],
            "attempted": (),
            "resource": None,
        }
    )
    return SubagentResult(
        status=Status.FAILED,
        task_id=task.task_id,
        agent_type=policy.agent,
        task_description=task.description,
        completeness=0.0,
        failure=failure,
        attempts=0,
    )
