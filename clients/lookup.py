"""Where a run stands: what the server, the run itself and memory say of it."""

import datetime as dt
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from temporalio.client import Client, WorkflowExecution

from caveat.clients.arbitrations import IS_ARBITRATION, IS_OPEN, Arbitrations
from caveat.clients.parsing import LATEST, parse_prefix
from caveat.clients.problems import BadInput, NoSuchArbitration, NoSuchRun
from caveat.clients.publishing import read_kept_evidence
from caveat.clients.run_description import (
    RunDescription,
    RunStatus,
    build_end,
    build_recalled_state,
    list_kept_runs,
    read_kept_report,
)
from caveat.clients.runs import Runs
from caveat.clients.translation import (
    build_unknown_arbitration,
    build_unknown_run,
    translate_errors,
)
from caveat.contracts.outcome import Ending, NamedEnd, RunRecord
from caveat.failures import PortFailure
from caveat.problem import Problem
from caveat.rendering.commands import format_command, quote_for_shell
from caveat.workers.settings import Settings
from caveat.workflows.names import IS_RUN


async def recall_run(settings: Settings, unknown: NoSuchRun, run_id: str) -> RunRecord:
    """Recall a run that the server does not know."""
    # Without a database of its own, a run leaves a trace only where the folder exists; looking
    # must not make one.
    if settings.memory_url is None and not settings.state_dir.is_dir():
        raise unknown
    from caveat.workers.wiring import open_memory  # noqa: PLC0415  # loads every adapter, rarely needed

    record = await open_memory(settings).recall(run_id)
    if record is None:
        raise unknown
    return record


async def find_run_state(runs: Runs, settings: Settings, run_id: str) -> RunDescription:
    """Find out where a run stands; from memory when the server has forgotten it."""
    try:
        line = await runs.fetch_line(run_id)
    except NoSuchRun as unknown:
        return build_recalled_state(await recall_run(settings, unknown, run_id))
    if line.status is RunStatus.RUNNING:
        return RunDescription(line)
    closed = await runs.wait_for_end(run_id)
    if isinstance(closed, NamedEnd) and closed.ending is Ending.CANCELLED:
        with suppress(PortFailure):  # what only its evidence says, where that is at hand
            end = build_end(await read_kept_evidence(settings, run_id), closed.ending)
            closed = end.model_copy(update={"evidence": closed.evidence})
    return RunDescription(line, closed=closed)


async def find_detailed_state(
    runs: Runs, settings: Settings, run_id: str, *, with_report: bool = False
) -> RunDescription:
    """As `find_run_state`, and ask a running run for its progress: two seconds at most.

    Args:
        with_report: whether its provisional report is wanted too, from the run or from files.
    """
    stands = await find_run_state(runs, settings, run_id)
    if stands.closed is not None:
        return stands
    progress, standstill = await runs.examine(stands.line)
    report = await runs.query_report(run_id) if with_report and progress is not None else None
    if with_report and report is None:
        report = read_kept_report(settings, run_id)
    waits = standstill.sentence if standstill else None
    return replace(stands, progress=progress, report=report, waits=waits)


_PLAIN = re.compile(r"[A-Za-z0-9./-]+")
"""What needs no quoting in the server's query language; its rules for the rest differ from one
database to another, so that the rest is compared here."""

_CONTRADICTION = re.compile(r"contradiction-\d+")

_LISTED = 6
"""Candidates that are listed of an ambiguous beginning: what a person looks through at a glance."""

_LOOKED_AT = 1_000  # candidates that are fetched, the most that the server gives in one answer


@dataclass(frozen=True)
class RunNames:
    """The names of one server's runs, and of those whose files are on this machine."""

    client: Client
    settings: Settings

    async def find_run(self, typed: str) -> str:
        """Find the run that is meant: a whole id, the beginning of just one, or `latest`."""
        beginning = parse_prefix(typed)
        with suppress(NoSuchRun):
            return (await Runs(self.client).fetch_line(beginning)).run_id
        if beginning == LATEST:
            return await self._find_latest()
        names = set(await self._list_by_prefix(beginning, IS_RUN))
        names.update(list_kept_runs(self.settings, beginning))
        if not names or beginning in names:
            # What the server has forgotten; its sentence where nobody knows it.
            return (await recall_run(self.settings, build_unknown_run(beginning), beginning)).run_id
        return _require_one(beginning, sorted(names), "runs")

    async def find_arbitration(self, typed: str) -> str:
        """Find the arbitration that is meant: `RUN/CONTRADICTION`, or a run with one alone."""
        # Each part may be the beginning that just one has: of arbitrations that are open, and where
        # none is, of those that have ended.
        whole = parse_prefix(typed, "an arbitration", "caveat inbox")
        if await self._is_arbitration(whole):
            return whole
        run_part, _, contradiction = whole.rpartition("/")
        try:
            run_id = await self.find_run(run_part or whole)
        except NoSuchRun:
            raise build_unknown_arbitration(whole) from None
        exact = f"{run_id}/{contradiction if run_part else ''}"
        if await self._is_arbitration(exact):
            return exact
        for query, what in ((IS_OPEN, "open arbitrations"), (IS_ARBITRATION, "arbitrations")):
            if names := set(await self._list_by_prefix(exact, query)):
                return _require_one(whole, sorted(names), what)
        if _CONTRADICTION.fullmatch(contradiction):
            return exact  # nobody was asked about it, and a person may rule all the same
        if run_part:
            raise build_unknown_arbitration(whole)
        raise NoSuchArbitration(
            f"{run_id} asked nobody: `{format_command('report', run_id)}` shows its "
            "contradictions, and RUN/contradiction-1 names the first."
        )

    async def _is_arbitration(self, arbitration: str) -> bool:
        with suppress(BadInput):
            await Arbitrations(self.client).is_open(arbitration)
            return True
        return False

    async def is_latest(self, run_id: str) -> bool:
        """Say whether `latest` means this run, as far as the server knows by now."""
        with suppress(Problem):
            return await self._find_latest() == run_id
        return False

    async def _find_latest(self) -> str:
        latest: WorkflowExecution | None = None
        # The server lists by the time of ending, so the newest start is found by asking for a
        # newer one until there is none.
        query = IS_RUN
        while newer := await self._list_executions(query, 100):
            latest = max(newer, key=lambda each: each.start_time)
            query = f"{IS_RUN} AND StartTime > '{latest.start_time.astimezone(dt.UTC).isoformat()}'"
        if latest is None:
            raise NoSuchRun("There are no runs yet: `caveat research` starts one.")
        return latest.id

    async def _list_by_prefix(self, beginning: str, query: str) -> list[str]:
        plain = _PLAIN.match(beginning)
        if plain:
            query += f" AND WorkflowId STARTS_WITH '{plain[0]}'"
        listed = await self._list_executions(query, _LOOKED_AT)
        return [each.id for each in listed if each.id.startswith(beginning)]

    async def _list_executions(self, query: str, limit: int) -> list[WorkflowExecution]:
        with translate_errors():
            return [each async for each in self.client.list_workflows(query, limit=limit)]


def _require_one(beginning: str, names: Sequence[str], what: str) -> str:
    if len(names) == 1:
        return names[0]
    listed = ", ".join(map(quote_for_shell, names[:_LISTED]))
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    raise BadInput(
        f"{quote_for_shell(beginning)} means {len(names)} {what}, name one: {listed}{more}."
    )
