"""`caveat research`: start a run, follow it, write its report."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from caveat.contracts.outcome import Artifact, Outcome
from caveat.contracts.plan import ResearchRequest
from caveat.contracts.report import Report
from caveat.failures import PortFailure
from caveat.teams.catalogue import TeamCatalogue
from clients.addresses import run_url
from clients.cli.conclusion import report_facts, tell_end, tell_report
from clients.cli.console import print_json, say, stderr, stdout
from clients.cli.exits import ExitCode
from clients.cli.logs import keep_quiet
from clients.cli.loop import run
from clients.cli.session import connected, while_connected
from clients.cli.views import view
from clients.folders import require_folder, require_writable
from clients.following import Follower
from clients.names import new_run_id
from clients.problems import BadInput, OutOfReach
from clients.publishing import report_folder, write_report
from clients.requests import Wish, request_of
from clients.runs import Closed, Runs
from clients.servers import names_own_server
from workers.connection import Connection
from workers.problem import ServerProblem
from workers.settings import Settings, load


@dataclass(frozen=True)
class _Order:
    """Everything that is settled before a server is needed."""

    run_id: str
    request: ResearchRequest
    folder: Path
    settings: Settings


def research(wish: Wish, *, out: str | None, as_json: bool) -> int:
    """Carry the command out and return its exit code."""
    order = _order(wish, out)
    keep_quiet()
    closed = run(_carried_out(order, stderr()))
    if not isinstance(closed, Outcome):
        return tell_end(stdout(), order.run_id, closed, as_json=as_json)
    files = _written(closed.report, order)
    if as_json:
        print_json(report_facts(closed.report, files))
    else:
        tell_report(stdout(), closed.report, files)
    return ExitCode.DONE


def _order(wish: Wish, out: str | None) -> _Order:
    settings = load()
    here = not names_own_server()
    teams = TeamCatalogue((settings.teams_dir,)) if here else None
    request = request_of(wish, teams=teams, corpus_is_here=here)
    if here and not request.corpus:
        # Said in the request, because another process's worker may have another default.
        request = request.model_copy(update={"corpus": _default_corpus(settings)})
    run_id = new_run_id(request.topic)
    folder = report_folder(out, run_id)
    require_writable(folder)
    return _Order(run_id, request, folder, settings)


def _default_corpus(settings: Settings) -> tuple[str, ...]:
    if not settings.corpus:
        raise BadInput(
            "There is nothing to search: name a folder of documents with --corpus, or set "
            "CAVEAT_CORPUS."
        )
    for folder in settings.corpus:
        require_folder(folder)
    return tuple(str(folder) for folder in settings.corpus)


async def _carried_out(order: _Order, console: Console) -> Closed:
    async with connected(order.settings, console) as connection, _worker(connection, order):
        try:
            runs = Runs(connection.client)
            await runs.start(order.run_id, order.request)
            _announce(console, connection, order.run_id)
            return await while_connected(_followed(runs, order.run_id, console), connection)
        except (asyncio.CancelledError, OutOfReach, ServerProblem):
            # Said before the worker stops, which may take it some seconds.
            say(console, _way_back(order.run_id, connection))
            raise


@asynccontextmanager
async def _worker(connection: Connection, order: _Order) -> AsyncIterator[None]:
    """Work in this process, unless the server is your own and its workers are elsewhere."""
    if not connection.embedded:
        yield
        return
    from workers.wiring import crew  # noqa: PLC0415  # takes longer than connecting elsewhere
    from workers.worker import workers  # noqa: PLC0415

    async with workers(connection.client, crew(order.settings)):
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


def _written(report: Report, order: _Order) -> tuple[Artifact, ...]:
    try:
        return write_report(report, order.request.formats, order.folder)
    except (KeyboardInterrupt, PortFailure):
        say(stderr(), f"The run is done: `caveat report {order.run_id}` writes its report again.")
        raise
