"""What the commands that show something ask a server, one question a connection."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from caveat.clients.arbitrations import Arbitrations
from caveat.clients.cli.console import get_stderr
from caveat.clients.cli.session import ask_server
from caveat.clients.lookup import RunNames, find_detailed_state
from caveat.clients.publishing import Promises
from caveat.clients.run_description import RunDescription, RunLine, RunStatus, Unsettled, Waiting
from caveat.clients.runs import Runs
from caveat.clients.servers import build_ui_link
from caveat.contracts.outcome import Outcome
from caveat.workers.connection import Connection
from caveat.workers.settings import Settings

T = TypeVar("T")

_Question = Callable[[Runs, Connection], Awaitable[T]]


def _ask(question: _Question[T], settings: Settings) -> T:
    async def run_question(connection: Connection) -> T:
        runs = Runs(connection.client)
        answer = await question(runs, connection)
        if Promises(settings.promises_folder).open():
            from caveat.clients.cli.output import FinalReports  # noqa: PLC0415  # only where one is due

            await FinalReports(settings, get_stderr()).deliver_from_server(runs)
        return answer

    return ask_server(run_question, settings)


def list_latest_runs(limit: int, settings: Settings) -> list[RunLine]:
    """List the runs: those that go on, then the newest first."""
    return _ask(lambda runs, _: runs.list_latest(limit), settings)


def list_open_arbitrations(settings: Settings) -> tuple[list[Waiting], list[Unsettled]]:
    """List what waits for a person across all runs, and what nobody settled in ended ones."""

    async def list_open(runs: Runs, _: Connection) -> tuple[list[Waiting], list[Unsettled]]:
        arbitrations = Arbitrations(runs.client)
        return await arbitrations.list_waiting(), await arbitrations.list_for_review()

    return _ask(list_open, settings)


def find_on_server(typed: str, settings: Settings, *, provisionally: bool) -> RunDescription:
    async def find_run(runs: Runs, connection: Connection) -> RunDescription:
        run_id = await RunNames(runs.client, settings).find_run(typed)
        stands = await find_detailed_state(runs, settings, run_id, with_report=provisionally)
        if isinstance(stands.closed, Outcome):
            from caveat.clients.requests import build_run_prefix  # noqa: PLC0415  # loads every rule of texts

            revisions = await runs.list_revisions(run_id, build_run_prefix(stands.line.topic))
            done = (each for each in revisions if each.status is RunStatus.COMPLETED)
            stands = replace(stands, revised_by=tuple(each.run_id for each in done))
        url = build_ui_link(connection, run_id, with_token=False)
        return replace(stands, url=url, link=build_ui_link(connection, run_id))

    return _ask(find_run, settings)
