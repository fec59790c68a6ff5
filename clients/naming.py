"""From what a person types for a run or an arbitration to the one that is meant."""

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from temporalio.client import Client, WorkflowExecution

from caveat.clients.arbitrations import IS_ARBITRATION, IS_OPEN, Arbitrations
from caveat.clients.lookup import recall_run
from caveat.clients.parsing import LATEST, parse_arbitration_prefix, parse_run_prefix
from caveat.clients.problems import BadInput, NoSuchArbitration, NoSuchRun
from caveat.clients.run_description import list_kept_runs
from caveat.clients.runs import Runs
from caveat.clients.translation import (
    build_unknown_arbitration,
    build_unknown_run,
    translate_errors,
)
from caveat.problem import Problem
from caveat.rendering.commands import format_command, quote_for_shell
from caveat.workers.settings import Settings
from caveat.workflows.names import IS_RUN

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
        beginning = parse_run_prefix(typed)
        with suppress(NoSuchRun):
            return (await Runs(self.client).fetch_line(beginning)).run_id
        if beginning == LATEST:
            return await self._find_latest()
        found = set(await self._list_by_prefix(beginning, IS_RUN))
        found.update(list_kept_runs(self.settings, beginning))
        if not found or beginning in found:
            # What the server has forgotten; its sentence where nobody knows it.
            return (await recall_run(self.settings, build_unknown_run(beginning), beginning)).run_id
        return _require_one(beginning, sorted(found), "runs")

    async def find_arbitration(self, typed: str) -> str:
        """Find the arbitration that is meant: `RUN/CONTRADICTION`, or a run with one alone."""
        # Each part may be the beginning that just one has: of arbitrations that are open, and where
        # none is, of those that have ended.
        whole = parse_arbitration_prefix(typed)
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
        if found := await self._list_by_prefix(exact, IS_OPEN):
            return _require_one(whole, sorted(found), "open arbitrations")
        if found := await self._list_by_prefix(exact, IS_ARBITRATION):
            return _require_one(whole, sorted(set(found)), "arbitrations")
        if _CONTRADICTION.fullmatch(contradiction):
            return exact  # nobody was asked about it, and a person may rule all the same
        if run_part:
            raise build_unknown_arbitration(whole)
        raise NoSuchArbitration(
            f"{run_id} asked nobody: `{format_command('report', run_id)}` shows its "
            "contradictions, and RUN/contradiction-1 names the first."
        )

    async def _is_arbitration(self, arbitration: str) -> bool:
        try:
            await Arbitrations(self.client).is_open(arbitration)
        except BadInput:
            return False
        return True

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
        while found := await self._list_executions(query, 100):
            latest = max(found, key=lambda each: each.start_time)
            query = f"{IS_RUN} AND StartTime > '{latest.start_time.astimezone(dt.UTC).isoformat()}'"
        if latest is None:
            raise NoSuchRun("There are no runs yet: `caveat research` starts one.")
        return latest.id

    async def _list_by_prefix(self, beginning: str, query: str) -> list[str]:
        plain = _PLAIN.match(beginning)
        if plain:
            query += f" AND WorkflowId STARTS_WITH '{plain[0]}'"
        found = await self._list_executions(query, _LOOKED_AT)
        return [each.id for each in found if each.id.startswith(beginning)]

    async def _list_executions(self, query: str, limit: int) -> list[WorkflowExecution]:
        with translate_errors():
            return [each async for each in self.client.list_workflows(query, limit=limit)]


def _require_one(beginning: str, found: Sequence[str], what: str) -> str:
    if len(found) == 1:
        return found[0]
    raise BadInput(
        f"{len(found)} {what} begin with {quote_for_shell(beginning)}, type more of one: "
        f"{_format_names(found)}."
    )


def _format_names(found: Iterable[str]) -> str:
    names = list(found)
    more = len(names) - _LISTED
    return ", ".join(map(quote_for_shell, names[:_LISTED])) + (
        f" and {more} more" if more > 0 else ""
    )
