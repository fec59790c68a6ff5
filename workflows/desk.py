"""The desk: every task goes over it, and what fails is recovered once, with a changed input."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Generic, TypeVar

from temporalio import workflow

from workflows.circuit import Circuits
from workflows.delegation import delegate
from workflows.options import REFRESH, Policy
from workflows.record import Record

with workflow.unsafe.imports_passed_through():
    from activities.credentials import Gatekeeper
    from caveat.contracts.envelope import Status, SubagentResult
    from caveat.contracts.failure import Failure, FailureType
    from caveat.contracts.report import Remedy
    from caveat.contracts.tasks import RefreshTask, Task
    from caveat.rules.breaker import SCOUTS
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
class _Errand(Generic[A, R]):
    """A task, who does it, how, and how it may be changed."""

    method: Callable[[Any, A], Awaitable[SubagentResult[R]]]
    task: A
    policy: Policy
    changes: Changes[A, R]

    async def run(self, task: A) -> SubagentResult[R]:
        return await delegate(self.method, task, self.policy)


@dataclass
class Desk:
    """Gives tasks to subagents.

    Attributes:
        record: where everything is booked.
    """

    record: Record
    _circuits: Circuits = field(default_factory=Circuits)
    _gates: dict[str, asyncio.Semaphore] = field(default_factory=dict)
    _stopped: dict[str, Failure] = field(default_factory=dict)
    _worked: set[str] = field(default_factory=set)
    _refusals: Counter[str] = field(default_factory=Counter)
    _refreshes: dict[str, asyncio.Task[bool]] = field(default_factory=dict)
    _busy: int = 0

    async def attend(
        self,
        method: Callable[[Any, A], Awaitable[SubagentResult[R]]],
        task: A,
        policy: Policy,
        changes: Changes[A, R] | None = None,
    ) -> SubagentResult[R]:
        """Have a task done, recover it once if it fails, and book how it ended."""
        # Counted from here on, also while it waits: who asks for room next must find it taken.
        calls = self.record.calls_of(policy.lane)
        self.record.calls_begun += calls
        try:
            return await self._admitted(_Errand(method, task, policy, changes or Changes()))
        finally:
            self.record.calls_begun -= calls

    async def _admitted(self, errand: _Errand[A, R]) -> SubagentResult[R]:
        """Do it unless its provider is stopped or its breaker open."""
        kind = errand.policy.agent
        refused = self._stopped.get(kind) or await self._circuits.enter(kind)
        if refused is None and kind in self._stopped:  # it was stopped while this one waited
            refused = self._stopped[kind]
            self._circuits.leave(kind, refused)
        if refused is not None:
            return self.record.count(_not_started(errand.task, errand.policy, refused))
        failure: Failure | None = None
        try:
            envelope = await self._done(errand)
            failure = envelope.failure
            return envelope
        finally:
            self._circuits.leave(kind, failure)

    async def _done(self, errand: _Errand[A, R]) -> SubagentResult[R]:
        async with self._at_work(errand.policy):
            first = await errand.run(errand.task)
        if first.failure is None:
            self._worked.add(errand.policy.agent)
            self._refusals.pop(errand.policy.agent, None)
            return self.record.count(first)
        chosen = recovery(first.failure, first.completeness)
        if chosen is None:
            return self.record.count(first)
        second = await self._recovered(errand, first, chosen)
        if second is None:
            return self.record.count(first, remedy=chosen.remedy)
        return self.record.count(second, remedy=chosen.remedy, cause=first)

    def start_afresh(self) -> None:
        """Let what failed be tried once more, without the breakers' memory of it."""
        self._circuits.reset()

    async def _recovered(
        self, errand: _Errand[A, R], first: SubagentResult[R], chosen: Recovery
    ) -> SubagentResult[R] | None:
        """Do what the remedy says; None when it cannot be done."""
        kind = errand.policy.agent
        again = _changed(errand.task, first, chosen, errand.changes)
        if again is None or not await self._prepared(kind, first, chosen):
            return None
        async with self._at_work(errand.policy):
            second = await errand.run(again)
        if chosen.remedy is Remedy.REFRESHED_CREDENTIALS and second.failure is not None:
            self._refused(kind, second.failure)
        return _merged(first, second, chosen, errand.changes)

    async def _prepared(self, kind: str, first: SubagentResult[R], chosen: Recovery) -> bool:
        """Wait, narrow or refresh, as the remedy needs; False when that did not work."""
        match chosen.remedy:
            case Remedy.NARROWED:
                self._gates.setdefault(kind, asyncio.Semaphore(NARROW))
                if chosen.wait_s:
                    await workflow.sleep(
                        timedelta(seconds=chosen.wait_s), summary=f"Rate limit of {kind}"
                    )
            case Remedy.LATER:
                await workflow.wait_condition(lambda: self._busy == 0)
            case Remedy.REFRESHED_CREDENTIALS:
                return await self._refreshed(kind, first)
            case _:
                pass
        return True

    async def _refreshed(self, kind: str, first: SubagentResult[R]) -> bool:
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
            self._refused(kind, first.failure)
        return False

    def _refused(self, kind: str, failure: Failure) -> None:
        """Stop a kind of task whose credentials are refused for good.

        Where another task of the kind has worked there may be other providers, one publisher of
        many: then only as many refusals in a row as open a breaker stop it.
        """
        if failure.failure_type is not FailureType.AUTH_ERROR:
            return
        self._refusals[kind] += 1
        if kind not in self._worked or self._refusals[kind] >= SCOUTS:
            self._stopped[kind] = failure

    async def _refresh(self, provider: str) -> bool:
        task = RefreshTask(
            task_id=f"refresh-{provider}",
            description=f"Refresh the credentials of {provider}",
            provider=provider,
        )
        envelope = self.record.count(await delegate(Gatekeeper.refresh, task, REFRESH))
        return envelope.failure is None

    @asynccontextmanager
    async def _at_work(self, policy: Policy) -> AsyncIterator[None]:
        gate = self._gates.get(policy.agent)
        if gate is not None:
            await gate.acquire()
        self._busy += 1
        try:
            yield
        finally:
            self._busy -= 1
            if gate is not None:
                gate.release()


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
            "message": f"Not started, because others failed alike: {cause.message}"[:500],
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
