"""Own queues: the workers for all runs attend to those that have queues of their own too."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

from pydantic import ValidationError
from temporalio.client import Client, WorkflowExecution
from temporalio.service import RPCError

from caveat.contracts.backend import Route
from caveat.workers.data import PayloadProblem
from caveat.workers.keys import MissingKey
from caveat.workflows.names import GOES_ON, MEMO

_LOGGER = logging.getLogger(__name__)

_PAUSE_S = 2.0
"""Between two looks at the list: what a run that was left loses at most; a look takes some
milliseconds, and the server's list itself is up to a second late."""


@dataclass
class OwnQueues:
    """Finds the unfinished runs with queues of their own, and has each worked on until it ends.

    Attributes:
        client: of the server.
        queue: where the runs were started.
        working: does the tasks of the run with a route while inside.
    """

    client: Client
    queue: str
    working: Callable[[Route], AbstractAsyncContextManager[None]]
    _at_work: dict[Route, asyncio.Task[None]] = field(default_factory=dict)

    @asynccontextmanager
    async def served(self) -> AsyncIterator[None]:
        """Attend while inside; leaving lets activities finish for a while."""
        looking = asyncio.create_task(self._look())
        try:
            yield
        finally:
            everything = (looking, *self._at_work.values())
            for task in everything:
                task.cancel()
            await asyncio.gather(*everything, return_exceptions=True)

    async def _look(self) -> None:
        while True:
            try:
                self._attend(await self._unfinished())
            except RPCError:  # the workers beside this say it, and reconnect as this does
                _LOGGER.debug("The server did not list its runs.")
            await asyncio.sleep(_PAUSE_S)

    def _attend(self, unfinished: set[Route]) -> None:
        for route, task in list(self._at_work.items()):
            if task.done():
                del self._at_work[route]
            elif route not in unfinished:
                task.cancel()
        for route in unfinished - self._at_work.keys():
            self._at_work[route] = asyncio.create_task(self._work(route))

    async def _work(self, route: Route) -> None:
        try:
            async with self.working(route):
                await asyncio.Event().wait()
        except Exception:  # the next look tries again, and no other run must suffer
            _LOGGER.exception("The workers of %s failed.", route.run_id)

    async def _unfinished(self) -> set[Route]:
        running = self.client.list_workflows(
            f"WorkflowType = 'Research' AND {GOES_ON} AND TaskQueue = '{self.queue}'"
        )
        routes = [(execution.id, await route_in(execution)) async for execution in running]
        return {route for name, route in routes if route is not None and route.run_id == name}


async def route_in(execution: WorkflowExecution) -> Route | None:
    """Read who takes up the tasks of a listed run; None where that is not decided, or not ours."""
    try:
        return await execution.memo_value(MEMO, None, type_hint=Route)
    except (ValidationError, PayloadProblem, MissingKey):  # of another version, or encrypted
        return None
