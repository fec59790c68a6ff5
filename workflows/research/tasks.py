"""The tasks of a run: each is gated, done, recovered once with a changed input, and booked."""

import asyncio
import sys
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Generic

from temporalio import workflow
from temporalio.exceptions import (
    ActivityError,
    TimeoutError,  # noqa: A004  # Temporal's, not the built-in
    is_cancelled_exception,
)

from caveat.contracts.envelope import R, Status, SubagentResult
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.contracts.report import Remedy
from caveat.contracts.tasks import RefreshTask, Task
from caveat.roles.role import Role
from caveat.rules.run.budget import build_left_out_failure
from caveat.rules.run.recovery import NOT_STARTED, PROBES, Recovery, select_recovery
from caveat.rules.text.words import detect_foreign_language
from caveat.workflows.delegation import (
    build_failed_envelope,
    delegate,
    execute,
    read_failed_envelope,
)
from caveat.workflows.names import QueueKind
from caveat.workflows.options import REFRESH, A, Policy, build_policy
from caveat.workflows.research.budget import RunBudget
from caveat.workflows.research.circuits import Circuit
from caveat.workflows.research.run import Run
from caveat.workflows.research.state import AGAIN

NARROW = 2
"""Tasks of a kind at once after its provider asked to slow down: one would stall a fan-out behind
its slowest task, three is where rate limits are met again."""


ALL = sys.maxsize  # of a fan-out that waits for none of its tasks


@dataclass(frozen=True)
class Changes(Generic[A, R]):
    """How a task of one kind is changed; what is None cannot be changed that way."""

    # the task with another input, of the failure's suggestion
    alternative: Callable[[A, str], A] | None = None
    # the task with only the work that a partial result leaves
    remaining: Callable[[A, R], A] | None = None
    # a partial result and the result of the remaining work as one
    merged: Callable[[R, R], R] | None = None


@dataclass
class Tasks:
    """The tasks of one run, and what is known of those who do them."""

    run: Run  # where everything is booked
    budget: RunBudget  # what tasks may spend
    # the breakers, by the name of a service or of a kind of task
    circuits: dict[str, Circuit] = field(default_factory=lambda: defaultdict(Circuit))
    gates: dict[str, asyncio.Semaphore] = field(default_factory=dict)
    stopped: dict[str, Failure] = field(default_factory=dict)
    refusals: Counter[str] = field(default_factory=Counter)
    refreshes: dict[str, asyncio.Task[bool]] = field(default_factory=dict)
    begun: set[str] = field(default_factory=set)
    busy: int = 0

    async def do(
        self,
        work: Policy[A, R] | Role[A, Any, R],
        task: A,
        changes: Changes[A, R] | None = None,
        address: str | None = None,
        material: int = 0,
    ) -> SubagentResult[R]:
        """Have a task done, recover it once if it fails, and book how it ended.

        Args:
            changes: how the task may be changed to recover it.
            address: whose service it needs, where that is known beforehand.
            material: bytes that its calls are about, beside the task itself.
        """
        policy = build_policy(work)
        task = self._apply_request(task)
        if self.budget.account is not None:
            material += len(task.model_dump_json().encode())
        job = _Job(self, policy, _name_service(policy, address), material, changes or Changes())
        return await job.carry_out(task)

    async def do_if_room(self, work: Policy[A, R] | Role[A, Any, R], task: A) -> SubagentResult[R]:
        """Have a task done; one that the budget leaves out is booked by its name."""
        envelope = await self.do(work, task)
        if envelope.left_out is not None:
            self.run.state.leave_out(
                envelope.left_out, envelope.agent_type, task.task_id, task.description
            )
        return envelope

    def find_bound(self) -> str | None:
        """Count a task that the budget leaves out, and name the bound; None while there is room."""
        bound = self.budget.find_bound()
        if bound is not None:
            self.run.state.reach_bound(bound)
        return bound

    def has_begun(self, task_id: str) -> bool:
        """Whether a task was given to a subagent, and does not only wait for that."""
        return task_id in self.begun

    def try_again(self) -> None:
        """Let what failed be tried once more, a task of each kind alone until one works."""
        for each in self.circuits.values():
            each.half_open()

    def _apply_request(self, task: A) -> A:
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
        told = {"max_turns": turns, "grant": grant}
        language = request.language or detect_foreign_language(request.topic)
        return task.model_copy(update=told | {"language": language})

    async def refresh(self, provider: str) -> bool:
        """Get new credentials for a provider; say whether there are any."""
        task = RefreshTask(
            task_id=f"refresh-{provider}",
            description=f"Refresh the credentials of {provider}",
            provider=provider,
        )
        ended = await delegate(REFRESH, task, self.run.state.route)
        return self.run.count(ended).failure is None

    @asynccontextmanager
    async def acquire_slot(self, service: str) -> AsyncIterator[None]:
        """Work for a service, with no more beside it than its limit allows."""
        gate = self.gates.get(service)
        if gate is not None:
            await gate.acquire()
        self.busy += 1
        try:
            yield
        finally:
            self.busy -= 1
            if gate is not None:
                gate.release()


@dataclass(frozen=True)
class _Job(Generic[A, R]):
    """One task on its way."""

    tasks: Tasks
    policy: Policy[A, R]
    service: str  # whose refusals and limits concern it
    material: int  # bytes that its calls are about
    changes: Changes[A, R]

    @property
    def circuit(self) -> Circuit:
        """The breaker of whoever does it: its service where that is known, else its kind."""
        is_reasoning = self.policy.queue is QueueKind.REASON
        return self.tasks.circuits[str(self.policy.agent) if is_reasoning else self.service]

    async def carry_out(self, task: A) -> SubagentResult[R]:
        """Have it done, recover it once if it fails, and book how it ended."""
        refused = await self._enter()
        if refused is not None:
            return self._book(_build_not_started(task, self.policy, refused))
        first = await self._try(task)
        if first.left_out is not None:
            self.circuit.withdraw()
            return first
        chosen = select_recovery(first.failure, first.completeness) if first.failure else None
        again = _adapt_task(task, first, chosen, self.changes) if chosen else None
        self._learn(first.failure, is_tried_again=again is not None)
        if first.failure is None or chosen is None or again is None:
            return self._book(first, remedy=chosen.remedy if chosen else None)
        try:
            failure = first.failure
            second = await self.circuit.recover(
                failure, lambda: self._recover(again, failure, chosen)
            )
        except (asyncio.CancelledError, ActivityError):  # left behind while it was recovered
            self._book(_open_again(first), remedy=chosen.remedy)
            raise
        if second is None:
            return self._book(first, remedy=chosen.remedy)
        if second.left_out is not None:
            return self._book(_open_again(first))
        both = _merge_envelopes(first, second, chosen, self.changes)
        return self._book(both, remedy=chosen.remedy, cause=first)

    async def _enter(self) -> Failure | None:
        """Wait until a task may start; return the failure for which it must not be, if any."""
        is_reasoning, is_known = (
            self.policy.queue is QueueKind.REASON,
            self.service != self.policy.agent,
        )
        # A reasoner's calls find out by themselves whether a model answers: from the head of the
        # first answers, for all runs of a process, while an analysis that ends takes twelve
        # seconds. Of a service that is known by name, few find out whether it works.
        places = ALL if is_reasoning else PROBES if is_known else self.policy.probes
        refused = self._find_stop_cause() or await self.circuit.enter(places, is_known=is_known)
        if refused is None and (
            refused := self._find_stop_cause()
        ):  # it may have been stopped meanwhile
            self.circuit.withdraw()
        return refused

    def _find_stop_cause(self) -> Failure | None:
        """Return for what its service is stopped, if it is; code needs nobody's."""
        is_code = self.policy.queue is QueueKind.REASON and self.policy.step is None
        return None if is_code else self.tasks.stopped.get(self.service)

    async def _try(self, task: A) -> SubagentResult[R]:
        """Have a task done for the first time."""
        try:
            return await self._delegate(task)
        except BaseException:  # cancelled: it says nothing of its kind
            self.circuit.withdraw()
            raise

    def _learn(self, failure: Failure | None, *, is_tried_again: bool) -> None:
        """Note how a task ended, for those that come after it."""
        if failure is None:
            self.tasks.refusals.pop(self.service, None)
        elif not is_tried_again:
            self._stop_exhausted(failure)
        self.circuit.leave(failure, is_tried_again=is_tried_again)

    async def _recover(
        self, again: A, failure: Failure, chosen: Recovery
    ) -> SubagentResult[R] | None:
        """Do what the remedy says; None when it cannot be done."""
        if self._find_stop_cause() is not None:
            return None
        if not await self._prepare(failure, chosen):
            return None
        second = await self._delegate(again)
        if chosen.remedy is Remedy.REFRESHED_CREDENTIALS and second.failure is not None:
            self._stop_refusing(second.failure)
        return second

    async def _prepare(self, failure: Failure, chosen: Recovery) -> bool:
        """Wait, narrow or refresh, as the remedy needs; False when that did not work."""
        match chosen.remedy:
            case Remedy.NARROWED:
                self.tasks.gates.setdefault(self.service, asyncio.Semaphore(NARROW))
                if chosen.wait_s:
                    await workflow.sleep(
                        timedelta(seconds=chosen.wait_s),
                        summary=f"Rate limit of {self.policy.agent}",
                    )
            case Remedy.LATER:
                await workflow.wait_condition(lambda: self.tasks.busy == 0)
            case Remedy.REFRESHED_CREDENTIALS:
                return await self._refresh_once(failure)
            case _:
                pass
        return True

    async def _refresh_once(self, failure: Failure) -> bool:
        """Refresh a provider's credentials once for the whole run, or stop calling it."""
        if failure.provider is None:
            return False
        refresh = self.tasks.refreshes.get(failure.provider)
        if refresh is None:
            refresh = asyncio.create_task(self.tasks.refresh(failure.provider))
            self.tasks.refreshes[failure.provider] = refresh
        if await asyncio.shield(refresh):
            return True
        self._stop_refusing(failure)
        return False

    def _stop_refusing(self, failure: Failure) -> None:
        """Stop the tasks of a provider that refuses its credentials for good."""
        # Where it is not known beforehand whose tasks are whose, there may be other providers, one
        # publisher of many: only as many refusals in a row as open a breaker stop all of the kind.
        if failure.failure_type is not FailureType.AUTH_ERROR or failure.provider is None:
            return
        self.tasks.refusals[self.service] += 1
        if self.service != self.policy.agent or self.tasks.refusals[self.service] >= PROBES:
            self.tasks.stopped[self.service] = failure

    def _stop_exhausted(self, failure: Failure) -> None:
        """Stop the tasks of a provider that gives nothing any more: the money is spent."""
        is_known = self.service != self.policy.agent
        if is_known and failure.provider and failure.category is FailureCategory.BUSINESS:
            self.tasks.stopped[self.service] = failure

    async def _delegate(self, task: A) -> SubagentResult[R]:
        """Give a task out with what it may take; booked is what it took, or all that was held."""
        budget, policy = self.tasks.budget, self.policy
        async with self.tasks.acquire_slot(self.service):
            held = await budget.reserve(policy, task, self.material)
            if isinstance(held, str):
                return self._leave_out(task, held)
            self.tasks.begun.add(task.task_id)
            policy, taken = budget.fit_policy(policy), None
            if held is not None:
                task = task.model_copy(update={"max_turns": held.turns, "room": held.room})
            try:
                envelope = await execute(policy, task, self.tasks.run.state.route)
                taken = envelope.usage
            except ActivityError as error:
                if is_cancelled_exception(error):
                    raise
                envelope = read_failed_envelope(error, task, policy)
                taken = None if isinstance(error.cause, TimeoutError) else envelope.usage
            finally:
                taken = budget.settle(task, taken)
        return envelope if taken is None else envelope.model_copy(update={"usage": taken})

    def _leave_out(self, task: A, bound: str) -> SubagentResult[R]:
        """Say of a task that a bound of the budget left no room for it."""
        self.tasks.run.state.reach_bound(bound, self.policy.step)
        failure = build_left_out_failure(bound)
        envelope = build_failed_envelope(task, self.policy, failure, attempts=0)
        return envelope.model_copy(update={"left_out": bound})

    def _book(
        self,
        envelope: SubagentResult[R],
        *,
        remedy: Remedy | None = None,
        cause: SubagentResult[R] | None = None,
    ) -> SubagentResult[R]:
        self.tasks.run.state.spend(self.policy.step, envelope.usage)
        return self.tasks.run.count(envelope, remedy=remedy, cause=cause)


def _name_service(policy: Policy[Any, Any], address: str | None) -> str:
    """Name whose refusals and limits concern a task, as far as that is known beforehand."""
    if policy.queue is QueueKind.REASON:
        return policy.queue  # one provider is behind all of its tasks
    return f"{policy.agent} {address}" if address else policy.agent


async def cancel(task: "asyncio.Task[Any]") -> None:
    """Cancel a task and wait until it has ended."""
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


def _adapt_task(
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


def _merge_envelopes(
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


def _build_not_started(task: Task, policy: Policy[Any, R], cause: Failure) -> SubagentResult[R]:
    failure = cause.model_copy(
        update={"message": f"{NOT_STARTED}{cause.message}"[:500], "attempted": (), "resource": None}
    )
    return build_failed_envelope(task, policy, failure, attempts=0)
