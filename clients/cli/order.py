"""Carrying an order out: start a run, follow it live, write its report."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from rich.console import Console

from caveat.clients.cli import conclusion, views, working
from caveat.clients.cli.console import get_stderr, get_stdout, is_seen, print_json, say
from caveat.clients.cli.session import ask_server, keep_quiet, open_connection, run
from caveat.clients.following import Follower
from caveat.clients.publishing import WANTED, choose_report_folder, find_noted_folder, note
from caveat.clients.run_description import Cause, Closed, RunStatus
from caveat.clients.servers import names_own_server
from caveat.clients.service import Service
from caveat.clients.translation import build_sentence
from caveat.contracts.backend import Route
from caveat.contracts.outcome import Outcome, Progress
from caveat.contracts.phase import Phase
from caveat.contracts.plan import ResearchRequest
from caveat.failures import PortFailure
from caveat.problem import ExitCode, NoResult, OutOfReach
from caveat.rendering.commands import format_command, quote_for_shell
from caveat.workers.connection import Connection
from caveat.workers.embedded import find_full_disk
from caveat.workers.settings import Settings
from caveat.workflows.names import build_route

T = TypeVar("T")


@dataclass(frozen=True)
class RunOrder:
    run_id: str
    request: ResearchRequest
    folder: Path  # where the report goes
    started: bool = False  # whether it is on the server already
    waits: bool = False  # whether to wait for people's rulings
    # whether people ruled on all that it asked: the command did its part
    is_ruled: bool = False


async def load_order(
    service: Service, run_id: str, out: str | None, *, waits: bool = False
) -> RunOrder:
    # Its report goes where told; else where one of it is already, written by the command that
    # started it.
    request = await service.runs.read_request(run_id)
    before = find_noted_folder(service.settings.written_folder, run_id)
    folder = choose_report_folder(out if out is not None else before, run_id)
    return RunOrder(run_id, request, folder, started=True, waits=waits)


_Settling = Callable[[Service], Awaitable[RunOrder | None]]
"""Makes an order with a server to ask and a worker behind it; None when nothing is left to do."""


def carry_out(settled: _Settling, settings: Settings, *, as_json: bool, keeps: bool = False) -> int:
    """Have a run done and say how it ended; `keeps` where settling waits for a worker."""
    keep_quiet(settings.worker_log)
    done = run(_execute_order(settled, settings, keeps=keeps))
    if done is None:
        return ExitCode.DONE
    order, closed, is_latest = done
    if not isinstance(closed, Outcome):
        return conclusion.tell_end(get_stdout(), order.run_id, closed, as_json=as_json)
    report, formats = closed.report, order.request.formats
    try:
        files = conclusion.write_report(report, formats, order.folder, settings)
    except (KeyboardInterrupt, PortFailure):
        to = f"--out {quote_for_shell(str(order.folder))}"
        again = format_command("report", order.run_id, options=to)
        say(get_stderr(), f"The report is there: `{again}` writes it again.")
        raise
    if as_json:
        from caveat.rendering.gist import build_facts  # noqa: PLC0415  # loads every rule of reports

        written = [file.model_dump(mode="json") for file in files]
        print_json({**build_facts(report, closed.failures), "files": written})
    else:
        address = settings.web_address
        conclusion.tell_conclusion(
            get_stdout(), get_stderr(), closed, files, address, is_latest=is_latest
        )
    from caveat.rules.report.closest import is_count  # noqa: PLC0415  # loads rules of texts

    has_evidence = report.claims or is_count(report.topic)  # how many documents there are is said
    answers = has_evidence if report.answered is None else report.answered
    # A question that the kept texts do not answer was asked all the same.
    is_whole = (answers or order.request.asked_of) and len(files) == len(formats)
    return ExitCode.DONE if is_whole else ExitCode.FAILED


async def _execute_order(
    settled: _Settling, settings: Settings, *, keeps: bool
) -> tuple[RunOrder, Closed, bool] | None:
    console = get_stderr()
    if not names_own_server():
        working.load_meanwhile()
    async with (
        open_connection(settings, console) as connection,
        working.serve_orchestration(connection),
    ):
        service = Service(connection, settings)
        async with working.serve_route(connection, settings, Route()) if keeps else nullcontext():
            order = await connection.run_while_connected(settled(service))
        if order is None:
            return None
        route = None if order.started else build_route(order.request)
        if order.started and (await service.runs.fetch_line(order.run_id)).is_running:
            route = await service.runs.read_route(order.run_id)
        async with working.serve_route(connection, settings, route) as is_own:
            closed = await _Following(order, service, console, is_own=is_own).follow_to_end()
        if closed is None:
            return None
        return order, closed, await service.is_latest(order.run_id)


def start_detached(order: RunOrder, settings: Settings, *, as_json: bool) -> int:
    async def start(connection: Connection) -> str:
        await begin(order, Service(connection, settings))
        return _explain_way_back(order.run_id, connection)

    way_back = ask_server(start, settings)
    if as_json:
        print_json({"run_id": order.run_id, "status": RunStatus.RUNNING})
    else:
        say(get_stdout(), order.run_id)
        say(get_stderr(), way_back)
    return ExitCode.DONE


async def begin(order: RunOrder, service: Service) -> None:
    note(service.settings.written_folder, order.run_id, {WANTED: str(order.folder)})
    starting = service.runs.start(order.run_id, order.request)
    await service.connection.run_while_connected(starting)


@dataclass
class _Following:
    order: RunOrder
    service: Service  # where it runs
    console: Console  # where it is shown
    is_own: bool = True  # whether this command, or a worker of your own server, does its work
    _told: set[str] = field(default_factory=set)

    async def follow_to_end(self) -> Closed | None:
        """Start the run where it is not on the server yet, and follow it; see `follow`."""
        run_id, connection = self.order.run_id, self.service.connection
        if not self.order.started:
            await begin(self.order, self.service)
        try:
            say(self.console, f"Run {run_id}")
            return await connection.run_while_connected(self.follow())
        except (asyncio.CancelledError, OutOfReach):
            # Said before the worker stops, which may take it some seconds.
            say(self.console, _explain_way_back(run_id, connection))
            raise

    async def follow(self) -> Closed | None:
        """Return how the run ended, or its provisional report; None where it waits elsewhere."""
        # A run is left to somebody who may never come, a worker or a person, by a script alone.
        can_leave = self.order.is_ruled or not (self.order.waits or is_seen(self.console))
        causes = {Cause.STOPPED} if self.is_own else {Cause.STOPPED, Cause.LEFT}
        embedded, settings = self.service.connection.embedded, self.service.settings
        with views.create_view(self.console) as screen:
            follower = Follower(
                self.service.runs,
                self.order.run_id,
                screen.show,
                screen.remark,
                pauses=self._is_enough,
                leaves=causes if can_leave else (),
                obstacle=lambda: embedded and find_full_disk(settings),
            )
            seen = await follower.follow()
        if isinstance(seen, Progress) and seen.proposal is not None:
            views.tell_plan(self.console, seen.run_id, seen.proposal)
            return None
        if seen is None and not self.order.is_ruled:
            raise OutOfReach(f"{self.order.run_id} cannot go on here. {follower.remarked}")
        return await self._fetch_provisional(seen) if isinstance(seen, Progress) else seen

    async def _fetch_provisional(self, seen: Progress) -> Outcome:
        report = await self.service.runs.query_report(self.order.run_id)
        if report is not None:
            return Outcome(report=report)
        conclusion.tell_pending(self.console, seen.contradictions)
        problem = seen.provisional_problem or "There is no provisional report."
        raise NoResult(f"{build_sentence(problem)} {conclusion.explain_resume(self.order.run_id)}")

    def _is_enough(self, progress: Progress) -> bool:
        """Say whether a plan waits, or a provisional report is enough; name what a person rules."""
        if progress.proposal is not None:
            return True
        waiting = [each for each in progress.contradictions if each.is_awaited]
        if progress.phase is not Phase.AWAITING_RULINGS or not waiting:
            return False
        opened = [each for each in waiting if each.id not in self._told]
        if self.order.waits and opened:
            self._told |= {each.id for each in opened}
            if progress.provisional_problem is not None:
                say(self.console, progress.provisional_problem, "red")
            conclusion.tell_pending(self.console, opened)
        return not self.order.waits


def _explain_way_back(run_id: str, connection: Connection) -> str:
    worker = "`caveat up` goes on with it" if connection.embedded else "your workers go on with it"
    return (
        f"The run stays on the server: {worker}, `{format_command('status', run_id)}` shows where "
        f"it is, `{format_command('resume', run_id)}` follows it again and writes its report."
    )
