"""The breaker of one provider: how many tasks it bears, when it is waited for, when it stops."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from math import inf

from temporalio import workflow

from caveat.contracts.envelope import Failure, FailureCategory, FailureType
from caveat.rules.run.recovery import PROBES, SYSTEMIC, is_systemic, opens

NARROW = 2
"""Tasks at once after a provider asked to slow down: one would stall a fan-out behind its slowest
task, three is where rate limits are met again. Each success adds one."""

BORNE = 32
"""Tasks at once that a provider of models is taken to bear; each success adds one. A key that dies
after twenty instant answers is refused 28 times. With 8 it would be 22 times, and 120 calls of 10 s
would take 48 s and not 35."""

AT_WORK, MOMENT = timedelta(seconds=0.5), timedelta(milliseconds=1)
"""Until a call is taken to be at work: a refusal is one round trip, which takes a busy machine more
than a quarter of a second. A moment is what is waited where that is over."""

FIRST = 8  # as `PROBES`, in runs of before a provider was asked as few times as that

OWN_BORNE = 2
"""Tasks at once that a server of one's own bears at first, which may answer one call at a time."""

DOWN = 2
"""Tasks in a row that a provider leaves without an answer before it is waited for: one may be the
task's own fault."""

PATIENCE = timedelta(hours=6)
"""How long a run waits for the provider of its models, as long as it waits for people."""

FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=5), timedelta(minutes=10)
"""Before the first probe of a provider that is down, and at most; each pause is twice the last."""


@dataclass(eq=False)
class Breaker:
    """What a run knows of one provider.

    While it is down, one task at a time finds out whether it answers again, and all others wait.
    Of the models' provider, tasks wait hours for that; of any other, one that is tried again with
    a changed input finds out at once, and where it fails nothing more is asked of the provider.
    """

    name: str
    places: int  # tasks at once until one has succeeded, of the models' provider of each kind
    borne: float  # tasks at once after that
    is_model: bool  # whether it is the models' provider, which is waited for
    is_known: bool  # whether all of its tasks are of one provider
    on_wait: Callable[[Failure | None], None]  # told why it is waited for, or no more
    stopped: Failure | None = None  # why nothing is asked of it any more
    has_given_up: bool = False  # whether it was waited for in vain
    _kinds: dict[str, list[Failure]] = field(default_factory=dict)  # in a row, by agent
    _failures: list[tuple[str, Failure]] = field(default_factory=list)  # in a row, by task
    _limit: float = field(init=False)  # tasks at once
    _most: float = inf  # that the limit may reach again, where more were too many
    _under_way: dict[str, str] = field(default_factory=dict)  # the agents, by task
    _begun: dict[str, datetime] = field(default_factory=dict)  # the last task, by agent
    _hopes: int = 0  # tasks that failed and are tried again
    _proven: set[str] = field(default_factory=set)  # the agents whose calls are not refused
    _proving: "dict[str, asyncio.Task[None]]" = field(default_factory=dict)
    _down: Failure | None = None  # why it is taken to be down
    _since: datetime | None = None  # when tasks began to wait for it
    _waiting: int = 0
    _pause: timedelta = FIRST_PAUSE
    _probe: str | None = None  # the task that finds out whether it answers again
    _last_probe: str | None = None  # the one before, which lets another one try

    def __post_init__(self) -> None:
        self._limit = self.borne

    async def enter(
        self, agent: str, task_id: str, left: timedelta | None, *, is_again: bool = False
    ) -> Failure | None:
        """Wait, while time is left, until a task may be given out; return why it must not be."""

        def may_probe() -> bool:
            is_turn = self._waiting < DOWN or task_id != self._last_probe
            may = is_turn if self._since is not None else is_again
            return self._down is not None and self._probe is None and may

        may_start = partial(self._may_start, agent, is_again=is_again)
        find_refusal = partial(self._find_refusal, agent, is_again=is_again)
        self._waiting += 1
        try:
            while (refusal := find_refusal()) is None:
                if may_start() or (may_probe() and await self._wait_to_probe(task_id, left)):
                    break
                self._begin_to_prove(agent)
                await workflow.wait_condition(
                    lambda: may_start() or may_probe() or find_refusal() is not None
                )
        finally:
            self._waiting -= 1
        if refusal is None:
            self._under_way[task_id] = agent
            self._begun[agent] = workflow.now()
        return refusal

    def is_probe(self, task_id: str) -> bool:
        """Whether a task that was let in finds out whether the provider answers again."""
        return self._probe == task_id

    def leave(self, agent: str, task_id: str, failure: Failure | None, *, alone: bool) -> None:
        """Note how a task ended; where nothing is done beside it, its failure twice is enough."""
        is_probe = self.withdraw(task_id)
        if failure is None:
            self._succeed(agent)
            return
        self._failures.append((task_id, failure))
        self._kinds.setdefault(agent, []).append(failure)
        waits = self._waits_for(failure)
        if waits and failure.failure_type is FailureType.RATE_LIMITED:
            self.narrow()
        # What hangs alone does not say how many are borne.
        elif waits and failure.failure_type is FailureType.TIMEOUT and self._under_way:
            self._limit = self._most = max(1, min(self._limit, len(self._under_way) + 1) // 2)
        if is_probe and self._down is not None:
            self._down = failure
            if not waits or self._since is None:
                self.has_given_up = True
                self._end_wait()
        elif self._down is None and self._goes_down(failure, alone=alone):
            self._down, self._pause = failure, FIRST_PAUSE
            if waits:
                self._since = workflow.now()
                self.on_wait(failure)
        if not self.is_model and len(self._failures) >= PROBES and self._down is None:
            self._proven.add(agent)
        if failure.category is FailureCategory.BUSINESS and failure.provider and self.is_known:
            self.stop(failure)  # the money is spent, or the model is not there

    def withdraw(self, task_id: str) -> bool:
        """Give the place of a task back, and say whether it was the probe."""
        self._under_way.pop(task_id, None)
        is_probe = self._probe == task_id
        if is_probe:
            self._probe, self._last_probe = None, task_id
        return is_probe

    def is_waited_for(self, failure: Failure | None) -> bool:
        """Whether a task that failed waits with the others until the provider answers again."""
        waits = failure is not None and self._waits_for(failure)
        return waits and self._since is not None and not self.has_given_up

    @asynccontextmanager
    async def hope(self, failure: Failure) -> AsyncIterator[None]:
        """Let the others wait for what one more try of a failed task finds out."""
        counts = is_systemic(failure)
        self._hopes += counts
        try:
            if counts:  # it waits until it is known whether the provider works
                await workflow.wait_condition(
                    lambda: bool(self._proven) or not self._under_way or self._down is not None
                )
            yield
        finally:
            self._hopes -= counts

    def narrow(self) -> None:
        self._limit = min(self._limit, NARROW)

    def stop(self, failure: Failure) -> None:
        self.stopped = failure
        self._end_wait()

    def stop_refusing(self, failure: Failure | None) -> None:
        """Stop the tasks of a provider that refuses its credentials for good."""
        # Where it is not known beforehand whose tasks are whose, there may be other providers.
        is_refused = failure is not None and failure.failure_type is FailureType.AUTH_ERROR
        if failure is not None and is_refused and self.is_known and failure.provider:
            self.stop(failure)

    def half_open(self) -> None:
        """Let one task alone find out whether it works by now, where it did not."""
        for agent, failures in self._kinds.items():
            self._kinds[agent] = failures[1 - PROBES :]
        if self._down is not None and not self.is_model:
            self._down, self.has_given_up = None, False
            self._proven.clear()
            self._failures.clear()
            self.places = 1

    def _find_refusal(self, agent: str, *, is_again: bool) -> Failure | None:
        if self.stopped is not None:
            return self.stopped
        # What is under way may still show that the others failed by accident.
        may_work = is_again or self._hopes or agent in self._under_way.values()
        if self._is_kind_open(agent) and not may_work:
            return self._kinds[agent][-1]
        if self._down is None:
            return None
        is_hopeless = self.has_given_up or (self._since is None and not self._hopes)
        return self._down if is_hopeless else None

    def _is_kind_open(self, agent: str) -> bool:
        """Whether the last calls of a kind failed alike, for what time does not mend."""
        kind = self._kinds.get(agent, [])
        return self.is_model and opens(kind) and not self._waits_for(kind[-1])

    def _may_start(self, agent: str, *, is_again: bool) -> bool:
        if self._down is not None or (self._is_kind_open(agent) and not is_again):
            return False
        if agent not in self._proven:
            tried = 0 if self.is_model else len(self._failures)
            if self._count_under_way(agent) + tried >= self.places:
                return False
        return len(self._under_way) < max(1, self._limit)

    def _begin_to_prove(self, agent: str) -> None:
        """Let more calls of a kind go once the first are at work."""

        async def prove() -> None:
            left = AT_WORK - (workflow.now() - self._begun[agent])
            await workflow.sleep(max(left, MOMENT), summary=f"The first calls of the {agent}")
            if self._down is None and agent not in self._kinds:
                self._proven.add(agent)

        is_new = agent not in self._proven | self._proving.keys()
        is_full = self._count_under_way(agent) >= self.places
        if self.is_model and self.borne > self.places and is_new and is_full:
            self._proving[agent] = asyncio.create_task(prove())

    def _count_under_way(self, agent: str) -> int:
        return sum(at_work == agent for at_work in self._under_way.values())

    async def _wait_to_probe(self, task_id: str, left: timedelta | None) -> bool:
        """Wait before a probe; False where there is nothing to find out, or nobody waits longer."""
        self._probe = task_id
        if self._since is None or self._down is None:
            return True
        ends = self._since + PATIENCE - workflow.now()
        most = max(timedelta(0), ends if left is None else min(ends, left))
        told = timedelta(seconds=self._down.retry_after_s or 0)
        pause = min(max(self._pause, told), most)
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
        try:
            await workflow.wait_condition(
                lambda: self._down is None or self.stopped is not None,
                timeout=pause,
                timeout_summary=f"Waiting for {self.name}",
            )
        except TimeoutError:
            if pause < most:
                return True
            self.has_given_up = True
            self._end_wait()
        except BaseException:
            self._probe = None
            raise
        self._probe = None
        return False

    def _succeed(self, agent: str) -> None:
        self._failures.clear()
        self._kinds.pop(agent, None)
        if self._down is not None:
            self._down, self.has_given_up = None, False
            # What it bore before it was down says nothing now, but of a server of one's own.
            if self.borne > self.places:
                self._most = inf
            self._end_wait()
        self._limit = min(self._limit + 1, self._most)
        self._proven.add(agent)

    def _goes_down(self, failure: Failure, *, alone: bool) -> bool:
        last = [failed for _, failed in self._failures]
        if not self.is_model:
            return opens(last, self.places, is_known=self.is_known)
        if failure.failure_type is FailureType.AUTH_ERROR:
            return failure.provider is not None
        if not self._waits_for(failure):
            return False
        down = [name for name, failed in self._failures[-DOWN:] if self._waits_for(failed)]
        is_limit = failure.failure_type is FailureType.RATE_LIMITED
        return len(down) >= DOWN and (alone or is_limit or len(set(down)) > 1)

    def _waits_for(self, failure: Failure) -> bool:
        """Whether it is a failure of the models' provider that time mends."""
        has = failure.provider is not None and failure.failure_type in SYSTEMIC
        return self.is_model and has

    def _end_wait(self) -> None:
        if self._since is not None:
            self._since = None
            self.on_wait(None)
