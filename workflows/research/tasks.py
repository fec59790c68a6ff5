"""The tasks of a run: each is gated, done, recovered once with a changed input, and booked."""

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Generic

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

from caveat.contracts.backend import Route
from caveat.contracts.envelope import R, Status, SubagentResult
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.contracts.report import Remedy
from caveat.contracts.spending import Step
from caveat.contracts.tasks import RefreshTask, Task
from caveat.rules.run.recovery import NOT_STARTED, SCOUTS, Recovery, recovery
from caveat.workflows.delegation import Waiting, delegate
from caveat.workflows.names import Lane
from caveat.workflows.options import REFRESH, A, Policy
from caveat.workflows.research.batches import BatchWaits
from caveat.workflows.research.budget import NoRoom, RunBudget, TaskBudget
from caveat.workflows.research.circuits import Circuits
from caveat.workflows.research.run import Run
from caveat.workflows.research.state import AGAIN, State

NARROW = 2
"""Tasks of a kind at once after its provider asked to slow down: one would stall a fan-out behind
its slowest task, three is where rate limits are met again."""


ALL = sys.maxsize
"""Of a fan-out that waits for none of its tasks."""


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
class Subject:
    """What a task's model calls are about.

    Attributes:
        material: bytes of it, beside the task itself.
        angle: the assignment that they are made for; None where that is all of the run.
    """

    material: int = 0
    angle: str | None = None


THE_RUN = Subject()


@dataclass(frozen=True)
class _Job(Generic[A, R]):
    """A task, who may do it, how, how it may be changed, and whose service it needs if known."""

    policy: Policy[A, R]
    task: A
    changes: Changes[A, R]
    address: str | None
    route: Route
    budget: TaskBudget
    first: SubagentResult[R] | None
    waiting: Waiting

    @property
    def service(self) -> str:
        """Whose refusals and limits concern this task, as far as that is known beforehand."""
        if self.policy.lane is Lane.REASON:
            return self.policy.lane  # one provider is behind all of its tasks
        return f"{self.policy.agent} {self.address}" if self.address else self.policy.agent

    @property
    def circuits(self) -> tuple[str, ...]:
        """The breakers that it depends on: of its kind, and of its provider where that is known."""
        kind = str(self.policy.agent)
        return (kind, self.service) if self.address else (kind,)

    async def run(self, task: A) -> SubagentResult[R]:
        return await delegate(self.policy, task, self.route, self.budget, self.waiting)


@dataclass
class Tasks:
    """The tasks of one run, and what is known of those who do them.

    Attributes:
        run: where everything is booked.
        budget: what tasks may spend.
    """

    run: Run
    budget: RunBudget
    batches: BatchWaits = field(init=False)
    _circuits: Circuits = field(default_factory=Circuits)
    _gates: dict[str, asyncio.Semaphore] = field(default_factory=dict)
    _stopped: dict[str, Failure] = field(default_factory=dict)
    _worked: set[str] = field(default_factory=set)
    _refusals: Counter[str] = field(default_factory=Counter)
    _refreshes: dict[str, asyncio.Task[bool]] = field(default_factory=dict)
    _begun: set[str] = field(default_factory=set)
    _busy: int = 0

    def __post_init__(self) -> None:
        """Wait for batches as this run."""
        self.batches = BatchWaits(self.run)

    async def do(
        self,
        policy: Policy[A, R],
        task: A,
        changes: Changes[A, R] | None = None,
        address: str | None = None,
        subject: Subject = THE_RUN,
        first: SubagentResult[R] | None = None,
    ) -> SubagentResult[R]:
        """Have a task done, recover it once if it fails, and book how it ended.

        Args:
            policy: the activity, and how it is run.
            task: what to do.
            changes: how the task may be changed to recover it.
            address: whose service it needs, where that is known beforehand.
            subject: what its calls are about, and for which angle they are made.
            first: how it ended already, as a part of another one (`begun`).

        Raises:
            LeftOut: a bound of the budget leaves no room for it.
        """
        task = self._of_this_run(task)
        material = subject.material
        if self.budget.purse is not None:
            material += len(task.model_dump_json().encode())
        budget = self.budget.task(policy, material, subject.angle)
        return await self._gate(
            _Job(
                policy,
                task,
                changes or Changes(),
                address,
                self.run.state.route,
                budget,
                first,
                self.batches.wait,
            )
        )

    async def begun(
        self,
        policy: Policy[A, R],
        task: A,
        give_out: Callable[[A], Awaitable[SubagentResult[R]]],
        *parts: str,
    ) -> SubagentResult[R] | None:
        """Have a task done whose parts are recovered and booked each for itself (`do`).

        Args:
            policy: the activity, and how it is run.
            task: what to do.
            give_out: has it done, and waits for it.
            parts: ids of the tasks that it is made of.

        Returns:
            How it ended; None where it must not be started.
        """
        kind = str(policy.agent)
        if not self.gives_out(policy):
            return None
        if await self._circuits.enter(kind, self._places(policy)) is not None:
            return None
        try:
            async with self._at_work(policy.lane):
                self._begun.update((task.task_id, *parts))
                return await give_out(self._of_this_run(task))
        finally:
            self._circuits.withdraw(kind)

    def _places(self, policy: Policy[Any, Any]) -> int:
        """Tasks of a kind that go ahead of the others; all, where the plan's model has answered.

        To wait for the first analyses would lengthen every run by the longest of its calls, for
        the sake of a provider that has answered seconds ago.
        """
        plan = self.run.state.plan
        is_model = plan is not None and plan.reasoner.uses_language_model
        if is_model and policy.step is Step.ANALYSE and policy.lane in self._worked:
            return ALL
        return policy.scouts

    async def do_if_room(self, policy: Policy[A, R], task: A) -> SubagentResult[R] | None:
        """Have a task done; None where the budget leaves it out, which is booked by its name."""
        try:
            return await self.do(policy, task)
        except NoRoom as left:
            agent = policy.agent
            self.run.apply(State.task_left_out, left.bound, agent, task.task_id, task.description)
            return None

    def _of_this_run(self, task: A) -> A:
        """Bound the turns of a task as the request wants it, and pass on what opens its folders."""
        request = self.run.state.request
        if request is None:
            return task
        turns = (request.budget.turns or task.max_turns) if task.max_turns > 1 else 1
        inventory = self.run.state.inventory
        grant = inventory.grant if inventory is not None else request.grant
        # The guard of the worker checks the signature; what was signed for, only a run knows.
        if not task.folders or (grant is not None and grant.topic != request.topic):
            grant = None
        told = {"max_turns": turns, "grant": grant, "batch": request.batch}
        return task.model_copy(update=told)

    async def _gate(self, job: _Job[A, R]) -> SubagentResult[R]:
        """Do it unless its provider is stopped or its breaker open."""
        if job.first is not None:
            for circuit in job.circuits:
                self._circuits.join(circuit)
        elif (refused := await self._enter(job)) is not None:
            return self._book(job, _not_started(job.task, job.policy, refused))
        ended: SubagentResult[R] | None = None
        try:
            ended = await self._do_or_recover(job)
            return ended
        finally:
            self._leave(job, ended)

    async def _enter(self, job: _Job[A, R]) -> Failure | None:
        """Wait until it may start; return the failure for which it must not be started, if any."""
        with ExitStack() as entered:
            for circuit in job.circuits:
                # Of a service that is known by name, few find out whether it works.
                is_kind = circuit == job.policy.agent
                places = self._places(job.policy) if is_kind else SCOUTS
                refused = self._refused(job)
                refused = refused or await self._circuits.enter(circuit, places)
                if refused is not None:
                    return refused
                entered.callback(self._circuits.withdraw, circuit)
            refused = self._refused(job)  # it may have been stopped while this one waited
            if refused is None:
                entered.pop_all()
            return refused

    def _refused(self, job: _Job[Any, Any]) -> Failure | None:
        """Return for what its service is stopped, if it is; code needs nobody's."""
        refused = self._stopped.get(job.service)
        by_code = job.policy.lane is Lane.REASON and job.policy.step is None
        if refused and by_code:
            return None
        return refused

    def _leave(self, job: _Job[A, R], ended: SubagentResult[R] | None) -> None:
        """Tell the breakers how it ended; one host's trouble is not everybody's."""
        failure = ended.failure if ended else None
        own = job.address is not None and failure is not None and failure.provider is not None
        for circuit in job.circuits:
            if ended is None or (own and circuit != job.service):
                self._circuits.withdraw(circuit)
            else:
                self._circuits.leave(circuit, failure)

    async def _do_or_recover(self, job: _Job[A, R]) -> SubagentResult[R]:
        first = job.first if job.first is not None else await self._run(job, job.task)
        if first.failure is None:
            self._worked.add(job.service)
            self._refusals.pop(job.service, None)
            return self._book(job, first)
        chosen = recovery(first.failure, first.completeness)
        if chosen is None:
            self._stop_exhausted(job, first.failure)
            return self._book(job, first)
        second: SubagentResult[R] | None = None
        try:
            second = await self._recover(job, first, chosen)
        except NoRoom:
            return self._book(job, _open_again(first))
        except (asyncio.CancelledError, ActivityError):  # left behind while it was recovered
            self._book(job, _open_again(first), remedy=chosen.remedy)
            raise
        if second is None:
            return self._book(job, first, remedy=chosen.remedy)
        return self._book(job, second, remedy=chosen.remedy, cause=first)

    def was_in_vain(self, policy: Policy[Any, Any], envelope: SubagentResult[Any]) -> None:
        """Book what a task took whose result nobody needs."""
        self.run.apply(State.spent, policy.step, envelope.usage)
        if envelope.failure is None:
            self.run.count(envelope)

    def _book(
        self,
        job: _Job[A, R],
        envelope: SubagentResult[R],
        *,
        remedy: Remedy | None = None,
        cause: SubagentResult[R] | None = None,
    ) -> SubagentResult[R]:
        self.run.apply(State.spent, job.policy.step, envelope.usage)
        return self.run.count(envelope, remedy=remedy, cause=cause)

    async def _run(self, job: _Job[A, R], task: A) -> SubagentResult[R]:
        async with self._at_work(job.service):
            self._begun.add(task.task_id)
            return await job.run(task)

    def has_begun(self, task_id: str) -> bool:
        """Whether a task was given to a subagent, and does not only wait for that."""
        return task_id in self._begun

    def gives_out(self, policy: Policy[Any, Any]) -> bool:
        """Whether a further task of a kind would be started, its address not considered."""
        is_stopped = policy.agent in self._stopped or policy.lane in self._stopped
        return not is_stopped and not self._circuits.is_open(policy.agent)

    def refusal(self, policy: Policy[Any, Any]) -> Failure | None:
        """Why tasks of a kind, their address not considered, are not started any more, if so."""
        return self._stopped.get(policy.lane) or self._stopped.get(policy.agent)

    def start_afresh(self) -> None:
        """Let what failed be tried once more, without the breakers' memory of it."""
        self._circuits.reset()

    async def _recover(
        self, job: _Job[A, R], first: SubagentResult[R], chosen: Recovery
    ) -> SubagentResult[R] | None:
        """Do what the remedy says; None when it cannot be done."""
        again = _changed(job.task, first, chosen, job.changes)
        if again is None or not await self._prepare(job, first, chosen):
            return None
        second = await self._run(job, again)
        if chosen.remedy is Remedy.REFRESHED_CREDENTIALS and second.failure is not None:
            self._stop_refusing(job, second.failure)
        return _merged(first, second, chosen, job.changes)

    async def _prepare(self, job: _Job[A, R], first: SubagentResult[R], chosen: Recovery) -> bool:
        """Wait, narrow or refresh, as the remedy needs; False when that did not work."""
        match chosen.remedy:
            case Remedy.NARROWED:
                self._gates.setdefault(job.service, asyncio.Semaphore(NARROW))
                if chosen.wait_s:
                    job.budget.require_time(chosen.wait_s)
                    await workflow.sleep(
                        timedelta(seconds=chosen.wait_s),
                        summary=f"Rate limit of {job.policy.agent}",
                    )
            case Remedy.LATER:
                await workflow.wait_condition(lambda: self._busy == 0)
            case Remedy.REFRESHED_CREDENTIALS:
                return await self._refresh_once(job, first)
            case _:
                pass
        return True

    async def _refresh_once(self, job: _Job[A, R], first: SubagentResult[R]) -> bool:
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
            self._stop_refusing(job, first.failure)
        return False

    def _stop_refusing(self, job: _Job[A, R], failure: Failure) -> None:
        """Stop the tasks of a provider that refuses its credentials for good.

        Where it is not known beforehand whose tasks are whose, all of the kind are stopped: at once
        if none has worked, else there may be other providers, one publisher of many, and only as
        many refusals in a row as open a breaker stop it.
        """
        if failure.failure_type is not FailureType.AUTH_ERROR or failure.provider is None:
            return
        service = job.service
        self._refusals[service] += 1
        is_sure = service != job.policy.agent or service not in self._worked
        if is_sure or self._refusals[service] >= SCOUTS:
            self._stopped[service] = failure

    def _stop_exhausted(self, job: _Job[A, R], failure: Failure) -> None:
        """Stop the tasks of a provider that gives nothing any more: the money is spent."""
        is_known = job.policy.lane is Lane.REASON or job.address is not None
        if not is_known or failure.provider is None:
            return
        if failure.category is FailureCategory.BUSINESS:
            self._stopped[job.service] = failure

    async def _refresh(self, provider: str) -> bool:
        task = RefreshTask(
            task_id=f"refresh-{provider}",
            description=f"Refresh the credentials of {provider}",
            provider=provider,
        )
        ended = await delegate(REFRESH, task, self.run.state.route)
        return self.run.count(ended).failure is None

    @asynccontextmanager
    async def _at_work(self, service: str) -> AsyncIterator[None]:
        gate = self._gates.get(service)
        if gate is not None:
            await gate.acquire()
        self._busy += 1
        try:
            yield
        finally:
            self._busy -= 1
            if gate is not None:
                gate.release()


async def cancel(task: "asyncio.Task[Any]") -> None:
    """Cancel a task and wait until it has ended.

    Raises:
        ActivityError: it failed on its own account before the cancellation came.
    """
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        pass
    except ActivityError as error:
        if not is_cancelled_exception(error):
            raise


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
    first: SubagentResult[R], second: SubagentResult[R], chosen: Recovery, changes: Changes[A, R]
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


def _not_started(task: Task, policy: Policy[Any, Any], cause: Failure) -> SubagentResult[Any]:
    failure = cause.model_copy(
        update={"message": f"{NOT_STARTED}{cause.message}"[:500], "attempted": (), "resource": None}
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
