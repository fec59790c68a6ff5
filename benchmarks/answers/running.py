"""Questions through the real workflow: one server, one worker, several runs at once."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from temporalio.client import Client, WorkflowFailureError
from temporalio.exceptions import ApplicationError

from benchmarks.answers.reports import Place, Shown, shown
from benchmarks.common import settings
from caveat.contracts.outcome import NamedEnd, Outcome
from caveat.contracts.plan import Format, ResearchRequest
from caveat.contracts.report import Report
from caveat.rendering.gist import build_gist
from caveat.workers.connection import connect
from caveat.workers.serving import serve
from caveat.workers.settings import Settings
from caveat.workflows.names import QUEUE

_NOBODY = timedelta(seconds=1)
"""How long a run waits for a person: nobody is here to be asked, and a second is the least."""


@dataclass(frozen=True)
class Task:
    """A question, and the folder that is to answer it."""

    question: str
    corpus: Path


def scratch_settings(scratch: Path, roots: Sequence[Path]) -> Settings:
    """Make settings of a worker that keeps everything in one folder and asks no model."""
    return settings(scratch, corpus_roots=tuple(roots), reasoner="extractive")


async def answered(
    tasks: Sequence[Task], settings: Settings, at_once: int, told: Callable[[int], None]
) -> list[Shown]:
    """Research every question, and take its report apart; see `research`."""
    outcomes = await research(tasks, settings, at_once, told)
    return [_read(task, outcome) for task, outcome in zip(tasks, outcomes, strict=True)]


async def research(
    tasks: Sequence[Task], settings: Settings, at_once: int, told: Callable[[int], None]
) -> list[Outcome | str]:
    """Research every question on an embedded server of its own.

    Args:
        tasks: what is asked of what.
        settings: of the worker.
        at_once: runs at a time.
        told: told how many are done.

    Returns:
        How each run ended: its outcome, or the name of its end where it has none.
    """
    turns = asyncio.Semaphore(at_once)
    done = 0

    async def one(number: int, task: Task, client: Client) -> Outcome | str:
        nonlocal done
        async with turns:
            outcome = await _research(f"answers-{number}", task, client)
        done += 1
        told(done)
        return outcome

    async with _served(settings) as client:
        return list(
            await asyncio.gather(*(one(number, task, client) for number, task in enumerate(tasks)))
        )


@asynccontextmanager
async def _served(settings: Settings) -> AsyncIterator[Client]:
    stop = asyncio.Event()
    async with connect(settings) as connection:
        serving = asyncio.create_task(serve(connection, settings, stop))
        try:
            yield connection.client
        finally:
            stop.set()
            await serving


async def _research(run_id: str, task: Task, client: Client) -> Outcome | str:
    request = ResearchRequest(
        topic=task.question,
        corpus=(str(task.corpus),),
        formats=(Format.MARKDOWN, Format.JSON),
        arbitration_timeout=_NOBODY,
    )
    try:
        outcome: Outcome = await client.execute_workflow(
            "Research", request, id=run_id, task_queue=QUEUE, result_type=Outcome
        )
    except WorkflowFailureError as error:
        return _name(error)
    return outcome


def _read(task: Task, outcome: Outcome | str) -> Shown:
    if isinstance(outcome, str):
        return Shown(ending=outcome)
    files = {artifact.format: Path(artifact.path) for artifact in outcome.artifacts}
    markdown = files[Format.MARKDOWN].read_text(encoding="utf-8")
    report = files[Format.JSON].read_text(encoding="utf-8")
    taken = shown(task.question, markdown, json.loads(report))
    screen = "\n".join(build_gist(Report.model_validate_json(report)).lines)
    places = {Place.SCREEN: screen.replace(task.question, ""), **taken.places}
    return replace(taken, places=places)


def _name(error: WorkflowFailureError) -> str:
    cause = error.cause
    if isinstance(cause, ApplicationError) and cause.details:
        return NamedEnd.model_validate(cause.details[0]).ending.value
    return type(cause).__name__
