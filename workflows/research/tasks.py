"""The tasks of a run: each is given out under a policy, recovered once, and recorded."""

import asyncio
from dataclasses import dataclass, field, replace
from datetime import timedelta
from math import inf
from typing import Any

from temporalio import workflow
from temporalio.exceptions import ActivityError, TimeoutType, is_cancelled_exception

from caveat.contracts.envelope import Failure, R, Status, SubagentResult
from caveat.contracts.phase import Step
from caveat.contracts.report import Remedy
from caveat.contracts.tasks import RefreshTask
from caveat.ports import CLAUDE
from caveat.rules.run.budget import build_left_out_failure
from caveat.rules.run.recovery import NOT_STARTED, PROBES, Recovery, is_mendable, select_recovery
from caveat.rules.text.words import detect_foreign_language, detect_sure_language
from caveat.workflows.delegation import build_failed_envelope, delegate, delegate_timed
from caveat.workflows.names import QueueKind
from caveat.workflows.options import REFRESH, SILENCE, A, Policy
from caveat.workflows.research.breaker import BORNE, FIRST, OWN_BORNE, Breaker
from caveat.workflows.research.budget import RunBudget
from caveat.workflows.research.run import AGAIN, Run

FEW_FIRST = "few-go-first"  # the marker of runs that ask a provider `PROBES` times at first

FANNED_OUT = frozenset({Step.SEARCH, Step.ANALYSE, Step.DEBATE})
"""Steps of many tasks at once, of which one alone may fail twice for what it is about."""


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
        policy: Policy[A, R],
        task: A,
        address: str | None = None,
        material: int = 0,
        *,
        is_named: bool = True,
    ) -> SubagentResult[R]:
        """Have a task done, recover it once if it fails, and book how it ended.

        Args:
            address: whose service it needs, where that is known beforehand.
            material: bytes that its calls are about, beside the task itself.
            is_named: whether a task that the budget leaves out is booked by its name.
        """
        task = self._apply_request(task)
        if self.budget.account is not None:
            material += len(task.model_dump_json().encode())
        breaker = self._find_breaker(policy, address)
        first = await self._send(policy, task, breaker, material)
        if first.left_out is not None:
            if is_named:
                self.run.leave_out(first.left_out, policy.agent, task.task_id, task.description)
            return first
        book, failure = self.run.record_task, first.failure
        if failure is None or not first.attempts:
            return book(first)
        chosen = select_recovery(failure, first.completeness)
        again = _adapt_task(task, first, chosen, policy) if chosen else None
        if chosen is None or again is None:
            return book(first, remedy=chosen.remedy if chosen else None)
        # Where its recovery is broken off, it may be tried again.
        mendable = failure.model_copy(update={"retry_recommended": True})
        unrecovered = first.model_copy(update={"failure": mendable})
        remedy, second = chosen.remedy, None
        try:
            async with breaker.hope(failure):
                if await self._prepare(policy, breaker, failure, chosen):
                    second = await self._send(policy, again, breaker, material, is_again=True)
        except (asyncio.CancelledError, ActivityError):
            book(unrecovered, remedy=remedy)
            raise
        if second is not None and second.left_out is not None:
            return book(unrecovered)
        if second is not None and remedy is Remedy.REFRESHED_CREDENTIALS:
            breaker.stop_refusing(second.failure)
        if second is None or not second.attempts:
            return book(first, remedy=remedy)
        both = _merge_envelopes(first, second, chosen, policy)
        return book(both, remedy=remedy, cause=first)

    def try_again(self) -> None:
        """Let what failed be tried once more, a task of each service alone until one works."""
        for breaker in self.breakers.values():
            breaker.half_open()

    def compute_patience(self) -> timedelta | None:
        """Say how long a task may wait for a provider; None for as long as anything does."""
        run, deadline = self.run, self.run.request.deadline
        return deadline and deadline - (workflow.now() - run.started - run.waited)

    def _find_breaker(self, policy: Policy[Any, Any], address: str | None) -> Breaker:
        """Find whose refusals and limits concern a task."""
        inventory, backend, scope = self.run.inventory, self.run.route.backend, self.run.scope
        # An engine may be the server of the models, where runs search the web by it.
        is_searched = address == CLAUDE
        if address is None and inventory is not None and inventory.beyond:
            is_searched = backend is not None and backend.engines in {(), (CLAUDE,)}
        calls_models = policy.queue is QueueKind.REASON and policy.step is not None
        if calls_models or (policy.step is Step.SEARCH and is_searched):
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
        request, inventory = self.run.request, self.run.inventory
        turns = (request.budget.turns or task.max_turns) if task.max_turns > 1 else 1
        grant = inventory.grant if inventory is not None else request.grant
        # The guard of the worker checks the signature; what was signed for, only a run knows.
        if not task.folders or (grant is not None and grant.topic != request.topic):
            grant = None
        told = {"max_turns": turns, "grant": grant}
        topic, kept = request.topic, self.run.kept
        if kept is not None and detect_sure_language(topic) is None:  # too short to tell
            topic = kept.topic
        language = request.language or detect_foreign_language(topic)
        return task.model_copy(update=told | {"language": language})

    async def _send(
        self,
        policy: Policy[A, R],
        task: A,
        breaker: Breaker,
        material: int,
        *,
        is_again: bool = False,
    ) -> SubagentResult[R]:
        """Have it done as soon as its service bears it, and wait with that while it is down."""
        agent, last = policy.agent, None
        name = task.task_id.removesuffix(AGAIN)  # tried again, it is the same task
        while True:
            left = self.compute_patience()
            refusal = await breaker.enter(agent, name, left, is_again=is_again)
            if refusal is not None:
                message = f"{NOT_STARTED}{refusal.message}"[:500]
                told = {"message": message, "attempted": (), "resource": None}
                return last or build_failed_envelope(task, policy, refusal.model_copy(update=told))
            try:
                envelope = await self._delegate(policy, task, breaker, material)
            except BaseException:
                breaker.withdraw(name)
                raise
            if envelope.left_out is not None:
                breaker.withdraw(name)
                return last or envelope
            alone = policy.step not in FANNED_OUT
            breaker.leave(agent, name, envelope.failure, alone=alone)
            last = _add_spent(envelope, last)
            # What was done in part goes on with what is left.
            if last.partial_result is not None or not breaker.is_waited_for(last.failure):
                return last

    async def _prepare(
        self, policy: Policy[Any, Any], breaker: Breaker, failure: Failure, chosen: Recovery
    ) -> bool:
        """Wait, narrow or refresh, as the remedy needs; False when that did not work."""
        if breaker.stopped is not None:
            return False
        match chosen.remedy:
            case Remedy.NARROWED:
                breaker.narrow()
                if chosen.wait_s:
                    await workflow.sleep(
                        timedelta(seconds=chosen.wait_s), summary=f"Rate limit of {policy.agent}"
                    )
            case Remedy.LATER:
                await workflow.wait_condition(lambda: self.busy == 0)
            case Remedy.REFRESHED_CREDENTIALS if not await self._refresh(failure.provider or ""):
                breaker.stop_refusing(failure)
                return False
        return True

    async def _refresh(self, provider: str) -> bool:
        """Refresh a provider's credentials, once for the whole run."""
        if provider not in self.refreshes:
            task = RefreshTask(
                task_id=f"refresh-{provider}",
                description=f"Refresh the credentials of {provider}",
                provider=provider,
            )

            async def refresh() -> bool:
                envelope = await delegate(REFRESH, task, self.run.route)
                return self.run.record_task(envelope).failure is None

            self.refreshes[provider] = asyncio.create_task(refresh())
        return await asyncio.shield(self.refreshes[provider])

    async def _delegate(
        self,
        policy: Policy[A, R],
        task: A,
        breaker: Breaker,
        material: int,
        before: SubagentResult[R] | None = None,
    ) -> SubagentResult[R]:
        """Give a task out with what it may take, and add what attempts took that were lost."""
        account, taken = self.budget.account, None
        held = await self.budget.reserve(policy, task, material)
        if isinstance(held, str):
            self.run.reach_bound(held)
            failure = build_left_out_failure(held)
            return before or build_failed_envelope(task, policy, failure, left_out=held)
        self.begun.add(task.task_id)
        self.busy += 1
        retry, bounded = policy.retry, task
        if breaker.is_probe(task.task_id.removesuffix(AGAIN)):
            retry = replace(retry, maximum_attempts=1)
        if held is not None:
            bounded = task.model_copy(update={"max_turns": held.turns, "room": held.room})
            # An attempt that is lost may have spent all that is held: for another, more is held.
            retry = replace(retry, non_retryable_error_types=[*policy.retry_never, SILENCE])
        granted = replace(policy, retry=retry)
        try:
            envelope, ran_out = await delegate_timed(granted, bounded, self.run.route)
            taken = envelope.usage if ran_out is None else None
        finally:
            self.busy -= 1
            taken = account.record(task.task_id, taken) if account else None
        if taken is not None:
            envelope = envelope.model_copy(update={"usage": taken})
        envelope = _add_spent(envelope, before)
        left = retry.maximum_attempts - envelope.attempts
        is_silent = held is not None and ran_out is TimeoutType.HEARTBEAT
        if is_silent and left > 0 and envelope.partial_result is None:
            return await self._delegate(policy, task, breaker, material, envelope)
        return envelope


def _add_spent(envelope: SubagentResult[R], before: SubagentResult[R] | None) -> SubagentResult[R]:
    if before is None:
        return envelope
    attempts, usage = before.attempts + envelope.attempts, before.usage + envelope.usage
    return envelope.model_copy(update={"attempts": attempts, "usage": usage})


async def cancel(task: "asyncio.Task[Any]") -> None:
    task.cancel()
    try:
        await task
    except (asyncio.CancelledError, ActivityError) as error:
        if not is_cancelled_exception(error):
            raise


def _adapt_task(
    task: A, first: SubagentResult[R], chosen: Recovery, policy: Policy[A, R]
) -> A | None:
    again = task.model_copy(update={"task_id": task.task_id + AGAIN})
    match chosen.remedy:
        case Remedy.ALTERNATIVE:
            if policy.alternative is None or chosen.alternative is None:
                return None
            return policy.alternative(again, chosen.alternative)
        case Remedy.REMAINING_WORK if policy.remaining and first.partial_result is not None:
            return policy.remaining(again, first.partial_result)
        case _:
            return again


def _merge_envelopes(
    first: SubagentResult[R], second: SubagentResult[R], chosen: Recovery, policy: Policy[A, R]
) -> SubagentResult[R]:
    """One envelope of two attempts; a partial result is never lost for a failed second one."""
    both, partial = _add_spent(second, first), first.partial_result
    if partial is None or chosen.remedy is not Remedy.REMAINING_WORK or policy.merged is None:
        return both
    if second.result is not None:
        return both.model_copy(update={"result": policy.merged(partial, second.result)})
    if second.partial_result is not None:
        partial = policy.merged(partial, second.partial_result)
    completeness = max(first.completeness, second.completeness)
    facts = {"status": Status.PARTIAL, "partial_result": partial, "completeness": completeness}
    return both.model_copy(update=facts)
