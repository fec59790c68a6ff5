"""The tasks of a run: each is given out under a policy, recovered once, and recorded."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from math import inf
from typing import Any, Generic

from temporalio import workflow
from temporalio.exceptions import (
    ActivityError,
    TimeoutError,  # noqa: A004  # Temporal's, not the built-in
    TimeoutType,
    is_cancelled_exception,
)

from caveat.contracts.envelope import R, Status, SubagentResult
from caveat.contracts.failure import Failure, FailureType
from caveat.contracts.report import Remedy
from caveat.contracts.spending import Step
from caveat.contracts.tasks import RefreshTask
from caveat.ports import CLAUDE
from caveat.roles.role import Role
from caveat.rules.run.budget import build_left_out_failure
from caveat.rules.run.recovery import NOT_STARTED, PROBES, Recovery, is_mendable, select_recovery
from caveat.rules.text.words import detect_foreign_language, detect_sure_language
from caveat.workflows.delegation import (
    build_failed_envelope,
    delegate,
    execute,
    read_failed_envelope,
)
from caveat.workflows.names import QueueKind
from caveat.workflows.options import REFRESH, SILENCE, A, Policy, build_policy
from caveat.workflows.research.breaker import BORNE, FIRST, OWN_BORNE, Breaker
from caveat.workflows.research.budget import RunBudget
from caveat.workflows.research.run import AGAIN, Run

FEW_FIRST = "few-go-first"  # the marker of runs that ask a provider `PROBES` times at first

FANNED_OUT = frozenset({Step.SEARCH, Step.ANALYSE, Step.DEBATE})
"""Steps of many tasks at once, of which one alone may fail twice for what it is about."""


@dataclass(frozen=True)
class Changes(Generic[A, R]):
    """How a task of one kind is changed; what is None cannot be changed that way."""

    alternative: Callable[[A, str], A] | None = None  # as a failure suggests
    remaining: Callable[[A, R], A] | None = None  # for what is left
    merged: Callable[[R, R], R] | None = None  # both parts as one


@dataclass
class Tasks:
    """The tasks of one run, and what is known of those who do them."""

    run: Run  # where everything is booked
    budget: RunBudget  # what tasks may spend
    breakers: dict[str, Breaker] = field(default_factory=dict)  # by the name of the service
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
        *,
        is_named: bool = True,
    ) -> SubagentResult[R]:
        """Have a task done, recover it once if it fails, and book how it ended.

        Args:
            changes: how the task may be changed to recover it.
            address: whose service it needs, where that is known beforehand.
            material: bytes that its calls are about, beside the task itself.
            is_named: whether a task that the budget leaves out is booked by its name.
        """
        policy = build_policy(work)
        task = self._apply_request(task)
        if self.budget.account is not None:
            material += len(task.model_dump_json().encode())
        breaker = self._find_breaker(policy, address)
        job = _Job(self, policy, breaker, material, changes or Changes())
        envelope = await job.carry_out(task)
        if is_named and envelope.left_out is not None:
            self.run.leave_out(envelope.left_out, policy.agent, task.task_id, task.description)
        return envelope

    def find_bound(self) -> str | None:
        """Count a task that the budget leaves out, and name the bound; None while there is room."""
        bound = self.budget.find_bound()
        if bound is not None:
            self.run.reach_bound(bound)
        return bound

    def try_again(self) -> None:
        """Let what failed be tried once more, a task of each service alone until one works."""
        for breaker in self.breakers.values():
            breaker.half_open()

    def compute_patience(self) -> timedelta | None:
        """Say how long a task may wait for a provider; None for as long as anything does."""
        run = self.run
        if run.request is None or run.request.deadline is None:
            return None
        return run.request.deadline - (workflow.now() - run.started - run.waited)

    def _find_breaker(self, policy: Policy[Any, Any], address: str | None) -> Breaker | None:
        """Find whose refusals and limits concern a task; None for what code does."""
        if policy.queue is QueueKind.REASON and policy.step is None:
            return None
        inventory, backend, scope = self.run.inventory, self.run.route.backend, self.run.scope
        # An engine may be the server of the models, where runs search the web by it.
        is_searched = address == CLAUDE
        if address is None and inventory is not None and inventory.beyond:
            is_searched = backend is not None and backend.engines in {(), (CLAUDE,)}
        if policy.queue is QueueKind.REASON or (policy.step is Step.SEARCH and is_searched):
            is_own = bool(backend and backend.server)
            name, borne = str(QueueKind.REASON), float(OWN_BORNE if is_own else BORNE)
            card = inventory.reasoner if inventory is not None else None
            is_new = card is not None and card.uses_language_model and workflow.patched(FEW_FIRST)
            places = min(PROBES if is_new else FIRST, int(borne))
        else:
            name, borne = f"{policy.agent} {address}" if address else policy.agent, inf
            places = PROBES if address else policy.probes
        if scope is not None and any(is_mendable(lost.failure) for lost in scope.retried):
            places = 1  # what had refused an earlier run is asked with one task alone at first
        if name not in self.breakers:
            is_model = name == QueueKind.REASON
            self.breakers[name] = Breaker(
                name="the provider" if is_model else name,
                places=places,
                borne=borne,
                is_model=is_model,
                is_known=is_model or address is not None,
                on_wait=self.run.note_wait,
            )
        return self.breakers[name]

    def _apply_request(self, task: A) -> A:
        """Bound the turns of a task as the request wants it, and pass on what opens its folders."""
        request = self.run.request
        if request is None:
            return task
        turns = (request.budget.turns or task.max_turns) if task.max_turns > 1 else 1
        inventory = self.run.inventory
        grant = inventory.grant if inventory is not None else request.grant
        # The guard of the worker checks the signature; what was signed for, only a run knows.
        if not task.folders or (grant is not None and grant.topic != request.topic):
            grant = None
        told = {"max_turns": turns, "grant": grant}
        topic, asked_run = request.topic, self.run.asked
        if asked_run is not None and detect_sure_language(topic) is None:  # too short to tell
            topic = asked_run.topic
        language = request.language or detect_foreign_language(topic)
        return task.model_copy(update=told | {"language": language})


@dataclass(frozen=True)
class _Job(Generic[A, R]):
    """One task on its way: given out, recovered once if it fails, and booked."""

    tasks: Tasks
    policy: Policy[A, R]
    breaker: Breaker | None  # of its provider; None where code does it
    material: int  # bytes that its calls are about
    changes: Changes[A, R]

    async def carry_out(self, task: A) -> SubagentResult[R]:
        """Have it done, recover it once if it fails, and book how it ended."""
        first = await self._send(task, is_again=False)
        failure, book = first.failure, partial(self.tasks.run.record_task, step=self.policy.step)
        if first.left_out is not None:
            return first
        if failure is None or not first.attempts:
            return book(first)
        chosen = select_recovery(failure, first.completeness)
        again = _adapt_task(task, first, chosen, self.changes) if chosen else None
        if chosen is None or again is None:
            return book(first, remedy=chosen.remedy if chosen else None)
        # Where its recovery is broken off, it may be tried again.
        mendable = failure.model_copy(update={"retry_recommended": True})
        unrecovered = first.model_copy(update={"failure": mendable})
        try:
            second = await self._recover(again, failure, chosen)
        except (asyncio.CancelledError, ActivityError):
            book(unrecovered, remedy=chosen.remedy)
            raise
        if second is not None and second.left_out is not None:
            return book(unrecovered)
        if second is None or not second.attempts:
            return book(first, remedy=chosen.remedy)
        both = _merge_envelopes(first, second, chosen, self.changes)
        return book(both, remedy=chosen.remedy, cause=first)

    async def _send(self, task: A, *, is_again: bool) -> SubagentResult[R]:
        """Have it done as soon as its service bears it, and wait with that while it is down."""
        breaker, agent, last = self.breaker, self.policy.agent, None
        name = task.task_id.removesuffix(AGAIN)  # tried again, it is the same task
        if breaker is None:
            return await self._delegate(task)
        while True:
            left = self.tasks.compute_patience()
            refusal = await breaker.enter(agent, name, left, is_again=is_again)
            if refusal is not None:
                message = f"{NOT_STARTED}{refusal.message}"[:500]
                told = {"message": message, "attempted": (), "resource": None}
                failure = refusal.model_copy(update=told)
                return last or build_failed_envelope(task, self.policy, failure)
            try:
                envelope = await self._delegate(task)
            except BaseException:
                breaker.withdraw(name)
                raise
            if envelope.left_out is not None:
                breaker.withdraw(name)
                return last or envelope
            alone = self.policy.step not in FANNED_OUT
            breaker.leave(agent, name, envelope.failure, alone=alone, is_again=is_again)
            last = _add_spent(envelope, last)
            # What was done in part goes on with what is left.
            if last.partial_result is not None or not breaker.is_waited_for(last.failure):
                return last

    async def _recover(
        self, again: A, failure: Failure, chosen: Recovery
    ) -> SubagentResult[R] | None:
        """Do what the remedy says; None when it cannot be done."""
        breaker = self.breaker
        if breaker is None:
            return await self._delegate(again) if await self._prepare(failure, chosen) else None
        async with breaker.hope(failure):
            if breaker.stopped is not None or not await self._prepare(failure, chosen):
                return None
            second = await self._send(again, is_again=True)
            if chosen.remedy is Remedy.REFRESHED_CREDENTIALS and second.failure is not None:
                self._stop_refusing(second.failure)
            return second

    async def _prepare(self, failure: Failure, chosen: Recovery) -> bool:
        """Wait, narrow or refresh, as the remedy needs; False when that did not work."""
        match chosen.remedy:
            case Remedy.NARROWED:
                if self.breaker is not None:
                    self.breaker.narrow()
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
        provider, run, refreshes = failure.provider, self.tasks.run, self.tasks.refreshes
        if provider is None:
            return False
        if provider not in refreshes:
            task = RefreshTask(
                task_id=f"refresh-{provider}",
                description=f"Refresh the credentials of {provider}",
                provider=provider,
            )

            async def refresh() -> bool:
                return run.record_task(await delegate(REFRESH, task, run.route)).failure is None

            refreshes[provider] = asyncio.create_task(refresh())
        if await asyncio.shield(refreshes[provider]):
            return True
        self._stop_refusing(failure)
        return False

    def _stop_refusing(self, failure: Failure) -> None:
        """Stop the tasks of a provider that refuses its credentials for good."""
        # Where it is not known beforehand whose tasks are whose, there may be other providers.
        is_refused = failure.failure_type is FailureType.AUTH_ERROR and failure.provider
        if self.breaker is not None and self.breaker.is_known and is_refused:
            self.breaker.stop(failure)

    async def _delegate(
        self, task: A, before: SubagentResult[R] | None = None
    ) -> SubagentResult[R]:
        """Give a task out with what it may take, and add what attempts took that were lost."""
        budget, policy, taken, is_silent = self.tasks.budget, self.policy, None, False
        held = await budget.reserve(policy, task, self.material)
        if isinstance(held, str):
            self.tasks.run.reach_bound(held)
            failure = build_left_out_failure(held)
            return before or build_failed_envelope(task, policy, failure, left_out=held)
        self.tasks.begun.add(task.task_id)
        self.tasks.busy += 1
        retry, bounded = policy.retry, task
        if self.breaker is not None and self.breaker.is_probe(task.task_id.removesuffix(AGAIN)):
            retry = replace(retry, maximum_attempts=1)
        if held is not None:
            bounded = task.model_copy(update={"max_turns": held.turns, "room": held.room})
            # An attempt that is lost may have spent all that is held: for another, more is held.
            retry = replace(retry, non_retryable_error_types=[*policy.retry_never, SILENCE])
        policy = replace(policy, retry=retry)
        try:
            envelope = await execute(policy, bounded, self.tasks.run.route)
            taken = envelope.usage
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            envelope = read_failed_envelope(error, task, policy)
            if isinstance(error.cause, TimeoutError):
                is_silent = held is not None and error.cause.type is TimeoutType.HEARTBEAT
            else:
                taken = envelope.usage
        finally:
            self.tasks.busy -= 1
            taken = budget.account.record(task.task_id, taken) if budget.account else None
        if taken is not None:
            envelope = envelope.model_copy(update={"usage": taken})
        envelope = _add_spent(envelope, before)
        left = retry.maximum_attempts - envelope.attempts
        if is_silent and left > 0 and envelope.partial_result is None:
            return await self._delegate(task, envelope)
        return envelope


def _add_spent(envelope: SubagentResult[R], before: SubagentResult[R] | None) -> SubagentResult[R]:
    if before is None:
        return envelope
    spent = {
        "attempts": before.attempts + envelope.attempts,
        "usage": before.usage + envelope.usage,
    }
    return envelope.model_copy(update=spent)


async def cancel(task: "asyncio.Task[Any]") -> None:
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        pass
    except ActivityError as error:
        if not is_cancelled_exception(error):
            raise


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
        salvaged = {"status": Status.PARTIAL, "partial_result": partial}
        return both.model_copy(update={**salvaged, "completeness": first.completeness})
    merged = changes.merged(partial, second.partial_result)
    completeness = max(first.completeness, second.completeness)
    return both.model_copy(update={"partial_result": merged, "completeness": completeness})
