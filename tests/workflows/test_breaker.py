"""A breaker by itself: how many tasks it lets go when, and how long it waits for a provider."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf

import pytest
from temporalio import workflow
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from caveat.contracts.envelope import Failure, FailureCategory, FailureType
from caveat.rules.run.recovery import PROBES
from caveat.workflows.research.breaker import BORNE, OWN_BORNE, Breaker
from tests.fakes.runs import PROVIDER, fault

AWAY = fault(FailureType.RATE_LIMITED, provider=PROVIDER).failure
HUNG = fault(FailureType.TIMEOUT, provider=PROVIDER).failure
INVALID = fault(FailureType.PERMANENT, provider=PROVIDER).failure.model_copy(
    update={"category": FailureCategory.VALIDATION}
)


@dataclass
class Provider:
    """One that takes a thousand seconds to answer, or fails at once."""

    failure: Failure | None = None
    borne: float = BORNE
    places: int = PROBES
    is_model: bool = True
    calls: list[float] = field(default_factory=list)  # seconds since the beginning

    def __post_init__(self) -> None:
        self.began = workflow.time()
        self.breaker = Breaker(
            name="the provider",
            places=self.places,
            borne=self.borne,
            is_model=self.is_model,
            is_known=True,
            on_wait=lambda _: None,
        )

    def elapsed(self) -> float:
        return workflow.time() - self.began

    async def ask(self, name: str = "task") -> Failure | None:
        """Ask it once; return why nothing was asked."""
        refusal = await self.breaker.enter("analyst", name, None)
        if refusal is None:
            self.calls.append(self.elapsed())
            await (workflow.sleep(1_000) if self.failure is None else asyncio.sleep(0))
            self.breaker.leave("analyst", name, self.failure, alone=True)
        return refusal

    async def fan_out(self) -> list[float]:
        await asyncio.gather(*(self.ask(str(number)) for number in range(40)))
        return self.calls


async def many() -> list[float]:
    return await Provider().fan_out()


async def later() -> list[float]:
    provider = Provider()
    first = [asyncio.create_task(provider.ask(str(number))) for number in range(3)]
    await workflow.sleep(0.4)
    came = provider.elapsed()
    await asyncio.gather(*first, provider.ask("later"))
    return [came, *provider.calls]


async def own() -> list[float]:
    return await Provider(borne=OWN_BORNE, places=OWN_BORNE).fan_out()


async def engine() -> list[float]:
    return await Provider(borne=inf, places=PROBES, is_model=False).fan_out()


async def narrowed() -> list[float]:
    provider = Provider()
    provider.breaker.narrow()
    return await provider.fan_out()


async def away() -> list[float]:
    provider = Provider(AWAY)
    while await provider.ask() is None:
        pass
    return [*provider.calls, provider.elapsed()]


async def invalid() -> list[float]:
    provider = Provider(INVALID)
    while await provider.ask() is None:
        pass
    return provider.calls


async def hung() -> list[float]:
    provider = Provider(HUNG)
    await provider.ask()
    provider.failure, provider.calls = None, []
    return await provider.fan_out()


async def own_hung() -> list[float]:
    provider = Provider(HUNG, borne=OWN_BORNE, places=OWN_BORNE)
    await asyncio.gather(provider.ask("one"), provider.ask("other"))
    provider.failure, provider.calls = None, []
    return await provider.fan_out()


CASES = {
    each.__name__: each
    for each in (many, later, own, own_hung, engine, narrowed, away, invalid, hung)
}


@workflow.defn(sandboxed=False)
class Asking:
    """One case: when a provider was asked, in seconds."""

    @workflow.run
    async def run(self, case: str) -> list[float]:
        return await CASES[case]()


Watch = Callable[[Callable[[], Awaitable[list[float]]]], Awaitable[list[float]]]


@pytest.fixture
async def watch(environment: WorkflowEnvironment, task_queue: str) -> AsyncIterator[Watch]:
    async def run(case: Callable[[], Awaitable[list[float]]]) -> list[float]:
        name = case.__name__
        return await environment.client.execute_workflow(
            Asking.run, name, id=f"{name}-{task_queue}", task_queue=task_queue
        )

    async with Worker(environment.client, task_queue=task_queue, workflows=[Asking]):
        yield run


def per_answer(times: Iterable[float]) -> list[int]:
    """Count what was asked between one answer and the next."""
    # A busy machine decides late, and every time after it is later by that.
    return list(Counter(round(each / 1_000) for each in times).values())


async def test_the_fourth_waits_until_the_third_is_at_work(watch: Watch) -> None:
    came, *_, asked = await watch(later)
    assert asked - came < 0.5


async def test_three_go_first_and_as_many_as_are_borne_once_they_are_at_work(watch: Watch) -> None:
    times = await watch(many)
    assert times.count(0) == 3
    assert times[3] >= 0.5
    assert per_answer(times) == [32, 8]


async def test_own_server_is_asked_twice_and_one_more_for_each_success(watch: Watch) -> None:
    assert per_answer(await watch(own)) == [2, 4, 8, 16, 10]


async def test_a_server_of_one_s_own_that_hung_is_asked_once_at_a_time(watch: Watch) -> None:
    assert per_answer(await watch(own_hung)) == 40 * [1]


async def test_three_find_out_whether_a_search_engine_works(watch: Watch) -> None:
    assert per_answer(await watch(engine)) == [3, 37]


async def test_a_call_that_hung_alone_narrows_nothing(watch: Watch) -> None:
    assert per_answer(await watch(hung)) == [3, 35, 2]


async def test_two_are_asked_at_once_after_a_rate_limit(watch: Watch) -> None:
    assert per_answer(await watch(narrowed)) == [2, 4, 8, 16, 10]


async def test_pauses_double_up_to_ten_minutes_for_six_hours(watch: Watch) -> None:
    *calls, end = await watch(away)
    pauses = [round(later - earlier) for earlier, later in pairwise(calls)]
    assert pauses[:9] == [0, 5, 10, 20, 40, 80, 160, 320, 600]
    assert set(pauses[9:]) == {600}
    assert round(end) == 6 * 3600


async def test_nothing_is_asked_after_three_alike_that_time_does_not_mend(watch: Watch) -> None:
    assert len(await watch(invalid)) == 3
