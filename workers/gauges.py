"""Gauges: what only the server knows of all runs together, shown beside what a worker counts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

from temporalio.client import Client
from temporalio.runtime import Runtime
from temporalio.service import RPCError

from caveat.workflows.names import ARBITRATION

_EVERY_S = 15.0
"""Seconds between two looks: Prometheus asks once a minute unless told, often every fifteen."""

_PATIENCE = timedelta(seconds=5)
"""How long a count may take: milliseconds as a rule; what takes longer is counted the next time."""

_OPEN = f"WorkflowType = '{ARBITRATION}' AND ExecutionStatus = 'Running'"


@asynccontextmanager
async def gauges(client: Client, *, shown: bool) -> AsyncIterator[None]:
    """Count the questions that wait for people while inside, as `caveat_open_arbitrations`.

    A counter cannot say it: one that a worker opened and another settled is in two processes, and
    a worker that is started anew has counted neither. Every worker shows the same number.

    Args:
        client: of the server that the workers serve.
        shown: whether anybody reads the metrics of this process.
    """
    if not shown:
        yield
        return
    task = asyncio.create_task(_counted(client))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _counted(client: Client) -> None:
    runtime = client.service_client.config.runtime or Runtime.default()
    waiting = runtime.metric_meter.create_gauge(
        "caveat_open_arbitrations", "Questions that wait for people"
    )
    while True:
        # A server that is away is named elsewhere; the gauge keeps what was true last.
        with suppress(RPCError, RuntimeError):
            waiting.set((await client.count_workflows(_OPEN, rpc_timeout=_PATIENCE)).count)
        await asyncio.sleep(_EVERY_S)
