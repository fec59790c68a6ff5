"""Notices go out whichever process carries out the step."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from temporalio.client import Client, WorkflowFailureError
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.backend import Backend
from caveat.contracts.notice import NoticeKind
from caveat.contracts.outcome import Outcome
from caveat.workers.wiring import build_registry
from caveat.workers.worker import serve_runs
from tests.fakes.patience import PATIENCE_S
from tests.fakes.ports import FakeNotifier, World, ports_of
from tests.fakes.runs import start_run
from tests.fakes.worlds import a_world, disagreeing


@asynccontextmanager
async def process(
    shared: Client, queue: str, world: World, told: World, *, has_receiver: bool
) -> AsyncIterator[None]:
    """Serve a world with a connection of its own, as a process of its own has.

    Only a process that has no receiver has the reasoner; `told` is told what is not in its log.
    """
    client = await Client.connect(
        shared.service_client.config.target_host, data_converter=shared.data_converter
    )
    ports = replace(
        ports_of(world),
        notifier=FakeNotifier(told),
        has_receiver=has_receiver,
        backend=Backend(reasoner="other" if has_receiver else "scripted"),
    )
    async with serve_runs(client, build_registry(ports), queue):
        yield


async def run(client: Client, queue: str, number: int = 1, **request: object) -> Outcome:
    asked = {"topic": "alpha and beta", "reasoner": None, **request}
    handle = await start_run(
        client, queue, f"research-{number}-{queue}", **asked, backend={"reasoner": "scripted"}
    )
    return await asyncio.wait_for(handle.result(), PATIENCE_S)


async def test_every_notice_reaches_the_worker_that_has_a_receiver(
    environment: WorkflowEnvironment, task_queue: str
) -> None:
    """Two processes share the steps; one of them has nothing but a log that nobody reads."""
    world, quiet, loud = a_world(), a_world(), a_world()
    disagreeing(world, (1, 2))
    client = environment.client
    async with (
        process(client, task_queue, world, quiet, has_receiver=False),
        process(client, task_queue, world, loud, has_receiver=True),
    ):
        await asyncio.gather(*(run(client, task_queue, number) for number in range(4)))
    told = {notice.id for notice in loud.notices}
    assert told >= {notice.id for notice in quiet.notices}
    assert [notice.kind for notice in loud.notices].count(NoticeKind.DONE) == 4
    assert [notice.kind for notice in loud.notices].count(NoticeKind.PERSON_NEEDED) >= 4
    assert len(told) == len(loud.notices)
    assert quiet.notices, "the quiet process carried out no step, so that nothing was shown"


async def test_where_nobody_has_a_receiver_no_run_waits_for_one(
    environment: WorkflowEnvironment, task_queue: str
) -> None:
    world = a_world()
    async with process(environment.client, task_queue, world, world, has_receiver=False):
        began = time.monotonic()
        outcome = await run(environment.client, task_queue)
        assert time.monotonic() - began < 20
    (notice,) = world.notices
    assert notice.kind is NoticeKind.DONE
    assert outcome.artifacts[0].path in notice.message
    assert outcome.failures == ()


async def test_a_run_that_failed_says_so_and_where_its_evidence_lies(
    environment: WorkflowEnvironment, task_queue: str
) -> None:
    world = a_world()
    world.answers = {}
    async with process(environment.client, task_queue, world, world, has_receiver=False):
        with pytest.raises(WorkflowFailureError):
            await run(environment.client, task_queue)
    notice = world.notices[-1]
    assert notice.kind is NoticeKind.FAILED
    assert "/out/report.json" in notice.message
