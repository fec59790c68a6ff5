"""What the commands that show something ask a server, one question a connection."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from caveat.clients.arbitrations import Arbitrations
from caveat.clients.cli.console import stderr
from caveat.clients.cli.session import asked
from caveat.clients.lookup import standing, standing_in_detail
from caveat.clients.naming import RunNames
from caveat.clients.publishing import Promises
from caveat.clients.runs import Runs
from caveat.clients.servers import run_link, run_url
from caveat.clients.standings import (
    FoundRun,
    RunLine,
    RunStatus,
    Standing,
    Unsettled,
    Waiting,
    kept_report,
)
from caveat.contracts.outcome import Outcome
from caveat.workers.connection import Connection
from caveat.workers.settings import Settings

T = TypeVar("T")

_Question = Callable[[Runs, Connection], Awaitable[T]]


def _ask(question: _Question[T], settings: Settings) -> T:
    async def answered(connection: Connection) -> T:
        runs = Runs(connection.client)
        answer = await question(runs, connection)
        if Promises(settings.promises_folder).open():
            from caveat.clients.cli.output import FinalReports  # noqa: PLC0415  # only where one is due

            await FinalReports(settings, stderr()).from_server(runs)
        return answer

    return asked(answered, settings)


def latest_runs(limit: int, settings: Settings) -> list[RunLine]:
    """List the runs: those that go on, then the newest first."""
    return _ask(lambda runs, _: runs.latest(limit), settings)


def open_arbitrations(settings: Settings) -> tuple[list[Waiting], list[Unsettled]]:
    """List what waits for a person across all runs, and what nobody settled in ended ones."""

    async def listed(runs: Runs, _: Connection) -> tuple[list[Waiting], list[Unsettled]]:
        arbitrations = Arbitrations(runs.client)
        return await arbitrations.waiting(), await arbitrations.for_review()

    return _ask(listed, settings)


def found_on_server(typed: str, settings: Settings, *, provisionally: bool) -> FoundRun:
    """Find out which run is meant, and where it stands."""

    async def found(runs: Runs, connection: Connection) -> FoundRun:
        run_id = await RunNames(runs.client, settings).run(typed)
        look = _with_report if provisionally else standing_in_detail
        stands = await look(runs, settings, run_id)
        if isinstance(stands.closed, Outcome):
            from caveat.clients.requests import run_ids  # noqa: PLC0415  # loads every rule of texts

            revisions = await runs.revisions(run_id, run_ids(stands.line.topic, runs.keys))
            done = (each for each in revisions if each.status is RunStatus.COMPLETED)
            stands = replace(stands, revised_by=tuple(each.run_id for each in done))
        return FoundRun(run_id, stands, run_url(connection, run_id), run_link(connection, run_id))

    return _ask(found, settings)


async def _with_report(runs: Runs, settings: Settings, run_id: str) -> Standing:
    stands = await standing(runs, settings, run_id)
    if stands.closed is not None:
        return stands
    # Without a worker to be asked, what one wrote before on this machine.
    report = await runs.report(run_id) or kept_report(settings, run_id)
    progress = await runs.progress(run_id)
    return replace(stands, report=report, progress=progress)
