"""The kill matrix: worker, server or both are killed at random while runs are under way."""

import asyncio
import random
import time
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from pydantic import SecretStr
from temporalio.client import Client, WorkflowFailureError, WorkflowHandle

from benchmarks.chaotic.machine import Machine
from benchmarks.chaotic.rows import Row
from benchmarks.common import CORPUS, TOPIC
from benchmarks.histories import activities
from caveat.contracts.outcome import Artifact, Outcome
from caveat.rules.audit import audit
from caveat.workers.blobs import open_snapshots
from caveat.workers.settings import Settings
from caveat.workflows.names import QUEUE
from standins.messages_api import KEY, stand_in
from standins.scholar import scholar

VICTIMS = (("worker",), ("worker",), ("server",), ("server", "worker"))
"""What is killed at once; a worker is lost more often than a server."""

PAUSE_S = (1.0, 6.0)
"""Seconds between two kills: between a moment after the last start and some steps of each run."""

PATIENCE_S = 420.0
"""Seconds after the last kill within which all runs end; a second a run, on two busy cores."""


async def batch(
    what: str, folder: Path, *, runs: int, kills: int, seed: int, with_model: bool
) -> Row:
    """Start runs at once, kill at random while they are open, and see what became of them."""
    began = time.monotonic()
    async with AsyncExitStack() as stack:
        api = await stack.enter_async_context(stand_in(model=scholar))
        settings = _settings(folder, api.url if with_model else None)
        machine = Machine(folder, settings)
        stack.callback(machine.end)
        client = await machine.start_server()
        machine.start_worker()
        names = [f"research-chaos-{seed}-{number}" for number in range(runs)]
        for name in names:
            await _begin(client, name)
        chance = random.Random(seed)
        client = await _disturbed(machine, client, names, kills, chance)
        rows = [await _judged(what, client, settings, name) for name in names]
    summed = sum(rows, Row(what))
    seconds = round(time.monotonic() - began, 1)
    calls, again = len(api.requests), len(api.again)
    return replace(summed, model_calls=calls, asked_again=again, seconds=seconds)


def _settings(folder: Path, api: str | None) -> Settings:
    """What a user sets who has a key, or none."""
    return Settings(
        state_dir=folder / "state",
        cache_dir=folder / "cache",
        corpus=(CORPUS,),
        ANTHROPIC_API_KEY=SecretStr(KEY) if api else None,
        ANTHROPIC_BASE_URL=api,
        structured_outputs=True if api else None,
    )


async def _begin(client: Client, name: str) -> None:
    # Nobody comes to rule; the topic tells the runs apart, so that no answer is another's.
    await client.start_workflow(
        "Research",
        {"topic": f"{TOPIC} ({name})", "depth": "overview", "arbitration_timeout": "PT1S"},
        id=name,
        task_queue=QUEUE,
    )


async def _disturbed(
    machine: Machine, client: Client, names: list[str], kills: int, chance: random.Random
) -> Client:
    for _ in range(kills):
        await asyncio.sleep(chance.uniform(*PAUSE_S))
        killed = chance.choice(VICTIMS)
        machine.kill(*killed)
        if "server" in killed:
            client = await machine.start_server()
        if "worker" in killed:
            machine.start_worker()
        if not await _open(client, names):
            break
    return client


async def _open(client: Client, names: list[str]) -> bool:
    described = [await client.get_workflow_handle(name).describe() for name in names]
    return any(each.close_time is None for each in described)


async def _judged(what: str, client: Client, settings: Settings, name: str) -> Row:
    """Say of one run how it ended."""
    handle: WorkflowHandle[object, Outcome] = client.get_workflow_handle(name, result_type=Outcome)
    row = Row(what, tried=1)
    try:
        outcome = await asyncio.wait_for(handle.result(), PATIENCE_S)
    except TimeoutError:
        return replace(row, wedged=1)
    except WorkflowFailureError:
        return replace(row, unclear=1)  # a whole corpus of honest documents must make a report
    report = outcome.report
    store = open_snapshots(settings)
    kept = [source.snapshot_sha256 for source in report.sources if source.snapshot_sha256]
    texts = {address: (await store.open(address)).text for address in kept}
    _, repeated = await activities(handle)
    clear = audit(report, dict(texts)).passed and not report.failures
    is_lost = not all(_lies_there(artifact) for artifact in outcome.artifacts)
    return replace(
        row,
        survived=int(clear and not is_lost and not repeated),
        lost=int(is_lost),
        repeated=repeated,
        unclear=int(not clear),
    )


def _lies_there(artifact: Artifact) -> bool:
    return Path(artifact.path).is_file()
