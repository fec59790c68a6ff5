"""A provider that is down, over real HTTP: the run waits, goes on by itself, and loses nothing."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.claude.messages.connection import Timeouts, create_client
from caveat.adapters.claude.reasoner import ClaudeReasoner
from caveat.rules.audit import audit
from caveat.workers.settings import Settings
from caveat.workers.wiring import build_registry, choose_ports
from caveat.workers.worker import serve_runs
from tests.fakes.claude_house import ClaudeHouse, claude_house
from tests.fakes.kept import kept_texts
from tests.fakes.messages_api import Fails, Recorded, Scripted, Stalls
from tests.fakes.scholar import role_of

SILENCE_S = 0.5  # in place of a minute: what a stand-in sends, it sends at once


@asynccontextmanager
async def serving(house: ClaudeHouse) -> AsyncIterator[None]:
    """Serve what production wires, but for how long a server may be silent."""
    wired = choose_ports(house.settings)
    assert isinstance(wired.reasoner, ClaudeReasoner)
    client = create_client(house.api.url, Timeouts(silence_s=SILENCE_S))
    connection = replace(wired.reasoner.dialogue.connection, client=client)
    dialogue = replace(wired.reasoner.dialogue, connection=connection)
    changed = replace(wired, reasoner=replace(wired.reasoner, dialogue=dialogue))
    registry = build_registry(changed)
    async with client, serve_runs(house.environment.client, registry, house.queue):
        yield


@pytest.fixture
async def house(
    environment: WorkflowEnvironment, task_queue: str, settings: Settings, tmp_path: Path
) -> AsyncIterator[ClaudeHouse]:
    async with claude_house(environment, task_queue, settings, tmp_path) as made:
        yield made


DOWN: dict[str, Scripted] = {
    "429": Fails(429, "rate_limit_error", headers={"retry-after": "20"}),
    "529": Fails(529, "overloaded_error"),
    "500": Fails(500, "api_error"),
    "hang": Stalls(),
}


@pytest.mark.parametrize("kind", DOWN)
async def test_a_run_waits_for_its_provider_and_goes_on_by_itself(
    house: ClaudeHouse, kind: str
) -> None:
    asked, fault = list[str](), DOWN[kind]

    def gate(request: Recorded) -> Scripted | None:
        asked.append(role_of(request))
        return fault if asked[-1] != "planner" and len(asked) < 30 else None

    house.cast.gate = gate
    async with serving(house):
        report = await house.report(await house.start())
    assert all(failed.recovered for failed in report.failures)
    assert report.metrics.waiting_seconds > 0
    assert len(report.claims) == 12
    assert audit(report, await kept_texts(report, house.settings)).passed
