"""The worker of a command, which ends with it."""

# ruff: noqa: PLC0415  # workers take longer to import than connecting to somebody else's takes

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext

from caveat.contracts.backend import Route
from caveat.contracts.base import build
from caveat.workers.connection import Connection
from caveat.workers.settings import Settings


def load_meanwhile() -> None:
    """Import what works on a run in a thread of its own, while the server is being reached."""

    def load() -> None:
        gc.disable()  # as `caveat.clients.cli.main` does, and why
        try:
            from caveat.workers import serving, wiring  # noqa: F401  # only loaded

            build()
        finally:
            gc.freeze()
            gc.enable()

    # To import takes 0.6 s of the processor, and an embedded server 0.4 s to answer, which nobody
    # waits for twice. A failure shows again where the worker is made.
    asyncio.get_running_loop().run_in_executor(None, load)


def serve_orchestration(connection: Connection) -> AbstractAsyncContextManager[None]:
    """Let runs and arbitrations answer, unless the server is your own and its workers elsewhere."""
    if not connection.embedded:
        return nullcontext()
    from caveat.workers.worker import Registry, run_workflow_worker

    return run_workflow_worker(connection.client, Registry())


@asynccontextmanager
async def serve_route(
    connection: Connection, settings: Settings, route: Route | None
) -> AsyncIterator[bool]:
    """Serve the task queues of a run's backend, and say whether these settings make it."""
    if not connection.embedded or route is None:
        yield True
        return
    from caveat.workers.models import match_settings
    from caveat.workers.serving import serve_backend

    own = match_settings(route.backend, settings) if route.backend else None
    # Without the run's account, what every worker does alike is done here nevertheless.
    async with serve_backend(connection, own or settings, calls=own is not None):
        yield own is not None
