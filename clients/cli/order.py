"""Carrying an order out: start a run, follow it live, write its report."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from caveat.contracts.outcome import Artifact, Outcome
from caveat.contracts.plan import ResearchRequest
from caveat.contracts.report import Report
from caveat.failures import PortFailure
from clients.addresses import run_url
from clients.cli.conclusion import report_facts, tell_end, tell_report
from clients.cli.console import print_json, say, stderr, stdout
from clients.cli.exits import ExitCode
from clients.cli.logs import keep_quiet
from clients.cli.loop import run
from clients.cli.session import connected, while_connected
from clients.cli.views import view
from clients.following import Follower
from clients.problems import OutOfReach
from clients.publishing import write_report
from clients.runs import Closed, Runs
from workers.connection import Connection
from workers.problem import ServerProblem
from workers.settings import Settings


@dataclass(frozen=True)
class Order:
    """A run that is wanted: its id, what is asked, and where the report goes."""

    run_id: str
    request: ResearchRequest
    folder: Path


Settling = Callable[[Runs], Awaitable[Order]]
"""Makes an order, with a server to ask."""


def carry_out(settled: Settling, settings: Settings, *, as_json: bool) -> int:
    """Have a run done, say how it ended, and return the exit code."""
    keep_quiet()
    order, closed = run(_carried_out(settled, settings, stderr()))
    if not isinstance(closed, Outcome):
        return tell_end(stdout(), order.run_id, closed, as_json=as_json)
    files = _written(closed.report, order)
    if as_json:
        print_json(report_facts(closed.report, files))
    else:
        tell_report(stdout(), closed.report, files)
    return ExitCode.DONE


async def _carried_out(
    settled: Settling, settings: Settings, console: Console
) -> tuple[Order, Closed]:
    async with connected(settings, console) as connection:
        runs = Runs(connection.client)
        order = await while_connected(settled(runs), connection)
        async with _worker(connection, settings):
            return order, await _done(order, runs, connection, console)


async def _done(order: Order, runs: Runs, connection: Connection, console: Console) -> Closed:
    try:
        await runs.start(order.run_id, order.request)
        _announce(console, connection, order.run_id)
        return await while_connected(_followed(runs, order.run_id, console), connection)
    except (asyncio.CancelledError, OutOfReach, ServerProblem):
        # Said before the worker stops, which may take it some seconds.
        say(console, _way_back(order.run_id, connection))
        raise


@asynccontextmanager
async def _worker(connection: Connection, settings: Settings) -> AsyncIterator[None]:
    """Work in this process, unless the server is your own and its workers are elsewhere."""
    if not connection.embedded:
        yield
        return
    from workers.wiring import crew  # noqa: PLC0415  # takes longer than connecting elsewhere
    from workers.worker import workers  # noqa: PLC0415  # see above

    async with workers(connection.client, crew(settings)):
        yield


def _announce(console: Console, connection: Connection, run_id: str) -> None:
    say(console, f"Run {run_id}")
    url = run_url(connection, run_id)
    if url is not None:
        say(console, f"Web UI {url}")


async def _followed(runs: Runs, run_id: str, console: Console) -> Closed:
    with view(console) as watcher:
        return await Follower(runs, run_id, watcher).follow()


def _way_back(run_id: str, connection: Connection) -> str:
    worker = "`caveat up` goes on with it" if connection.embedded else "your workers go on with it"
    return (
        f"The run stays on the server: {worker}, `caveat status {run_id}` shows where it is, "
        f"`caveat report {run_id}` writes its report."
    )


def _written(report: Report, order: Order) -> tuple[Artifact, ...]:
    try:
        return write_report(report, order.request.formats, order.folder)
    except (KeyboardInterrupt, PortFailure):
        say(stderr(), f"The run is done: `caveat report {order.run_id}` writes its report again.")
        raise
