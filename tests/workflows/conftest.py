"""The real workers on the real server, with scripted ports behind the activities."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from temporalio.client import Client, WorkflowHandle
from temporalio.service import RPCError
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.contradiction import ContradictionKind, Disagreement
from caveat.contracts.outcome import Outcome
from caveat.contracts.tasks import DetectionTask
from tests.fakes.ports import Page, World, ports_of
from workers.wiring import crew_of
from workers.worker import workers

Handle = WorkflowHandle[Any, Outcome]
Start = Callable[..., Awaitable[Handle]]


@asynccontextmanager
async def serving(client: Client, world: World, queue: str) -> AsyncIterator[None]:
    async with workers(client, crew_of(ports_of(world)), queue):
        yield


def page_text(number: int) -> str:
    filler = " ".join(f"w{number}x{word}" for word in range(60))
    return f"Alpha is {number} units wide. Beta holds in case {number}. The rest is about {filler}"


def a_world() -> World:
    """Twelve pages, two angles that find six each."""
    return World(
        pages=[Page(f"page {number}", page_text(number)) for number in range(1, 13)],
        angles={"Alpha width": ("alpha",), "Beta cases": ("beta",)},
        answers={
            "alpha": ("page 1", "page 2", "page 3", "page 4", "page 5", "page 6"),
            "beta": ("page 7", "page 8", "page 9", "page 10", "page 11", "page 12"),
        },
    )  # fmt: skip


def disagreeing(world: World, *pairs: tuple[int, int]) -> None:
    """Let the claims of these pages disagree with each other."""

    def found(task: DetectionTask) -> tuple[Disagreement, ...]:
        titles = {source.id: source.title for source in task.sources}
        by_page = {titles[claim.source_id]: claim for claim in reversed(task.claims)}
        return tuple(
            Disagreement(
                kind=ContradictionKind.NUMERIC,
                claims=(by_page[f"page {a}"].id, by_page[f"page {b}"].id),
                about=f"Width: {a} units in one, {b} units in the other.",
            )
            for a, b in pairs
        )

    world.disagreements = found


async def there(handle: WorkflowHandle[Any, Any]) -> None:
    """Wait until a workflow was started."""
    while True:
        try:
            await handle.describe()
        except RPCError:
            await asyncio.sleep(0.05)
        else:
            return


@pytest.fixture
def world() -> World:
    """The world of a test, which changes what it needs."""
    return a_world()


@pytest.fixture
async def start(
    environment: WorkflowEnvironment, world: World, task_queue: str
) -> AsyncIterator[Start]:
    """Start a run of the test's world: `await start(topic="...")`, or `await start(raw)`."""
    async with serving(environment.client, world, task_queue):

        async def begin(*raw: Any, id: str = "first", **request: Any) -> Handle:  # noqa: A002
            given = list(raw) or [{"topic": "alpha and beta", **request}]
            return await environment.client.start_workflow(
                "Research",
                args=given,
                id=f"research-{id}-{task_queue}",
                task_queue=task_queue,
                result_type=Outcome,
            )

        yield begin
