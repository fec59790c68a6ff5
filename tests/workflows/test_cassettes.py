"""A whole run of Claude's reasoner, recorded once and replayed with no key and no server."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.claude.cassettes.recording import Recording
from caveat.adapters.claude.cassettes.replaying import NO_KEY, Replaying
from caveat.adapters.claude.connection import Connection, sdk
from caveat.adapters.claude.dialogue import Dialogue
from caveat.adapters.claude.keys import FixedKey
from caveat.adapters.claude.reasoner import ClaudeReasoner
from caveat.contracts.outcome import Outcome
from caveat.contracts.report import Report
from tests.fakes.messages_api import KEY, Fails, Recorded, Says, Scripted, stand_in
from tests.fakes.ports import World, ports_of
from tests.fakes.scholar import scholar
from tests.workflows.conftest import a_world
from workers.wiring import crew_of
from workers.worker import workers


@pytest.fixture
def world() -> World:
    """The pages that the scholar's one query finds."""
    world = a_world()
    world.answers = {"alpha beta": tuple(page.name for page in world.pages)}
    return world


def accidents() -> Iterator[Scripted | None]:
    yield None
    yield Says("This is no JSON.")
    yield Fails(529, "overloaded_error", headers={"retry-after": "1"})
    while True:
        yield None


async def researched(
    client: Client, world: World, queue: str, transport: httpx2.AsyncBaseTransport, **server: str
) -> Report:
    """Run once, with calls going through a transport."""
    async with sdk(server.get("url", "http://127.0.0.1:9"), transport=transport) as anthropic:
        dialogue = Dialogue(Connection(anthropic, FixedKey(server.get("key", NO_KEY))))
        ports = replace(ports_of(world), reasoner=ClaudeReasoner(dialogue))
        async with workers(client, crew_of(ports), queue):
            outcome: Outcome = await client.execute_workflow(
                "Research",
                {"topic": "alpha and beta"},
                id=f"research-{queue}",
                task_queue=queue,
                result_type=Outcome,
            )
    return outcome.report


async def test_a_whole_run_is_replayed(
    environment: WorkflowEnvironment, world: World, task_queue: str, tmp_path: Path
) -> None:
    mishaps = accidents()

    def model(request: Recorded) -> Scripted:
        return next(mishaps) or scholar(request)

    async with stand_in(model=model) as api:
        transport = Recording(httpx2.AsyncHTTPTransport(), tmp_path)
        first = await researched(
            environment.client, world, f"{task_queue}-live", transport, url=api.url, key=KEY
        )
        calls = len(api.requests)
    # What comes first changes from run to run, and the same is asked all the same.
    world.delays = {f"read page {number}": 0.3 for number in (1, 2, 8)}
    again = await researched(environment.client, world, f"{task_queue}-again", Replaying(tmp_path))
    assert first.metrics.model_calls == calls - 1  # the one that was turned away
    assert len(list(tmp_path.glob("*-*.json"))) == calls
    assert first.sections
    assert all(section.claims for section in first.sections)
    assert again.claims == first.claims
    assert again.sections == first.sections
    assert again.summary == first.summary
    assert again.debate == first.debate
    assert again.metrics.model_calls == first.metrics.model_calls
    assert again.failures == first.failures
