"""Serving: what every process does that works on runs, all of it from the settings alone."""

# ruff: noqa: PLC0415  # adapters load only once a server answers

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from caveat.memory import give_back_free_memory
from caveat.workers.connection import Connection
from caveat.workers.settings import Settings
from caveat.workers.version import accept_any_build, choose_deployment
from caveat.workers.worker import run_activity_workers, serve_runs
from caveat.workflows.names import QUEUE

_GARBAGE = (50_000, 5, 2)
"""Objects after which garbage is looked for: with Python's own 700 that takes a tenth of a run's
processor time, and there is next to none. What a run drops goes at once without it."""


async def serve(connection: Connection, settings: Settings, stop: asyncio.Event) -> None:
    """Serve all runs of the backend that the settings make, until told to stop."""
    from caveat.workers.health import serve_health
    from caveat.workers.wiring import wire_registry

    # The embedded server's workers come and go with each command: no run may wait for one of them.
    deployment = accept_any_build() if connection.embedded else choose_deployment()
    serving = replace(wire_registry(settings), deployment=deployment)
    client = connection.client
    async with free_memory(), serve_health(client, settings.health), serve_runs(client, serving):
        await connection.run_while_connected(stop.wait())


@asynccontextmanager
async def serve_backend(
    connection: Connection, settings: Settings, *, calls: bool = True
) -> AsyncIterator[None]:
    """Do the activities of all runs of the settings' backend; `calls` models and engines too."""
    # Runs that have not decided who works on them are left to `caveat up`.
    from caveat.workers.wiring import wire_registry

    serving = replace(wire_registry(settings), begins=False)
    if not calls:
        serving = replace(serving, backend=None)
    async with free_memory(), run_activity_workers(connection.client, serving, QUEUE):
        yield


@asynccontextmanager
async def free_memory() -> AsyncIterator[None]:
    """Give free memory back while inside."""
    gc.set_threshold(*_GARBAGE)

    async def work() -> None:
        while True:
            await asyncio.sleep(60)
            gc.collect()  # some 50 ms; runs that ended would else stay for hundreds of others
            await asyncio.to_thread(give_back_free_memory)

    working = asyncio.create_task(work())
    try:
        yield
    finally:
        working.cancel()
