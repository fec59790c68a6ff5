"""The client service: what commands, the page and assistants ask of one server and its files."""

import asyncio
import datetime as dt
import math
import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

from markupsafe import Markup
from temporalio.exceptions import WorkflowAlreadyStartedError

from caveat.adapters.files.artifacts import build_folder_name
from caveat.clients import follow_ups
from caveat.clients.arbitrations import Arbitrations
from caveat.clients.lookup import find_run_state
from caveat.clients.problems import BadInput, NoResult, NoSuchRun, OutOfReach
from caveat.clients.pruning import needs, prune
from caveat.clients.requests import route_request
from caveat.clients.run_description import (
    Broken,
    RunLine,
    RunStatus,
    Unsettled,
    Waiting,
    create_run_id,
    read_kept_report,
)
from caveat.clients.runs import Runs
from caveat.contracts.contradiction import Withdrawal
from caveat.contracts.outcome import NamedEnd, Outcome, RunRecord
from caveat.contracts.plan import ResearchRequest
from caveat.contracts.report import Report, ReportedSource, ReportStatus, Revision
from caveat.failures import PortFailure
from caveat.ports import Blobs, Memory, Snapshots
from caveat.rendering.html.document import render_body
from caveat.rendering.links import Links, build_run_path
from caveat.rules.run.recovery import Scope
from caveat.workers.blobs import open_blobs, open_snapshots
from caveat.workers.connection import Connection
from caveat.workers.settings import Settings
from caveat.workers.signing import load_signer

_KEPT = 16  # reports that are kept in memory, of some megabytes at most: people read one at a time


@dataclass
class ReportCache:
    settings: Settings  # where their files are
    runs: Runs  # where they are asked for that have none here
    _kept: OrderedDict[str, "_KeptReport"] = field(default_factory=OrderedDict)

    async def find_newest(self, run_id: str) -> Report | None:
        """Return the newest report of a run, provisional or final; None where there is none."""
        reports = open_blobs(self.settings, self.settings.reports_folder)
        name = f"{build_folder_name(run_id)}/report.json"
        stamp = await asyncio.to_thread(reports.read_version, name)
        cached = self._kept.get(run_id)
        if cached is not None and stamp is not None and cached.stamp == stamp:
            return cached.report
        report = await asyncio.to_thread(read_kept_report, self.settings, run_id)
        if report is None:
            with suppress(NoSuchRun):
                stands, stamp = await find_run_state(self.runs, self.settings, run_id), None
                if stands.closed is None:
                    report = await self.runs.query_report(run_id)
                elif isinstance(stands.closed, Outcome):
                    report = stands.closed.report
        if report is not None:
            self._kept[run_id] = _KeptReport(stamp, report)
            self._kept.move_to_end(run_id)
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return report

    async def require_newest(self, run_id: str) -> Report:
        """As `find_newest`, and say why there is none."""
        report = await self.find_newest(run_id)
        if report is not None:
            return report
        stands = await find_run_state(self.runs, self.settings, run_id)
        match stands.closed:
            case RunRecord():
                why = "The server has forgotten this run, and its report is not on this machine."
            case NamedEnd() | Broken() as end:
                why = f"This run has no report. {end.message}"
            case _:
                why = "This run has no report yet: its page shows where it is."
        raise NoResult(why)

    async def render_newest(self, run_id: str) -> tuple[Report, Markup]:
        """Return the newest report of a run, and the same as part of a page."""
        report = await self.require_newest(run_id)
        cached = self._kept.get(run_id)
        if cached is None or cached.report is not report:
            cached = _KeptReport(None, report)
        if cached.body is None:
            links = Links(build_run_path(run_id))
            cached.body = await asyncio.to_thread(render_body, report, {}, links)
        return report, cached.body

    async def list_revisions(self, report: Report) -> list[RunLine]:
        """List the runs that revise a report; none where the server does not say so at once."""
        try:
            return await self.runs.list_revisions(report.run_id, report.topic)
        except OutOfReach:
            return []

    def keep_before(self, report: Report) -> None:
        """Keep a provisional report, to show beside it what rulings changed; the first stays."""
        if report.status is ReportStatus.PROVISIONAL:
            blobs, name = self._open_provisional(report.run_id)
            blobs.create(name, report.model_dump_json().encode())

    async def compare_with_provisional(self, report: Report) -> Revision | None:
        """Say what people's rulings have changed since the provisional report of the same run."""
        if report.status is ReportStatus.PROVISIONAL:
            return None
        from caveat.rules.report import compare_reports  # noqa: PLC0415  # loads every rule

        blobs, name = self._open_provisional(report.run_id)
        try:
            before = Report.model_validate_json(await asyncio.to_thread(blobs.get, name))
        except (PortFailure, ValueError):
            return None
        return compare_reports(report.run_id, before, report)

    def _open_provisional(self, run_id: str) -> tuple[Blobs, str]:
        blobs = open_blobs(self.settings, self.settings.provisional_folder)
        return blobs, f"{build_folder_name(run_id)}.json"


@dataclass
class _KeptReport:
    stamp: str | None  # of its file; None where it was asked for
    report: Report
    body: Markup | None = None  # as part of a page, once that was wanted


_FRESH_S = 1.0
"""Seconds for which the list of open questions is the same for all: the server's is as late."""


@dataclass
class Service:
    connection: Connection
    settings: Settings
    _listing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _listed: list[Waiting] = field(default_factory=list)
    _listed_at: float = -math.inf

    @cached_property
    def runs(self) -> Runs:
        """The server's runs; what is started here is signed as this user's."""
        return Runs(self.connection.client, load_signer(self.settings))

    @cached_property
    def arbitrations(self) -> Arbitrations:
        return self.runs.arbitrations

    async def list_waiting(self) -> list[Waiting]:
        """List what waits for a person, as of a moment ago: the whole list is read at once."""
        async with self._listing:
            if time.monotonic() - self._listed_at > _FRESH_S:
                self._listed = await self.arbitrations.list_waiting()
                self._listed_at = time.monotonic()
        return self._listed

    async def list_for_review(self) -> list[Unsettled]:
        """List what nobody settled in time, and no revision has settled since."""
        return await self.arbitrations.list_for_review()

    @cached_property
    def rulings(self) -> follow_ups.Rulings:
        return follow_ups.Rulings(self.runs, self.settings)

    async def send_ruling(
        self, arbitration: str, answer: Withdrawal, *, replaces: bool, everywhere: bool = True
    ) -> follow_ups.RulingOutcome:
        """Send what a person ruled, as `Rulings.give`, and begin the revisions that it makes."""
        outcome = await self.rulings.give(
            arbitration, answer, replaces=replaces, everywhere=everywhere
        )
        for revision in outcome.revisions:
            await self.begin(revision.run_id, revision.request)
        return outcome

    @cached_property
    def reports(self) -> ReportCache:
        return ReportCache(self.settings, self.runs)

    async def recall_runs(self, lines: Sequence[RunLine]) -> dict[str, RunRecord | None]:
        """Return what memory keeps of runs that have ended, by id; None of the others."""
        records: dict[str, RunRecord | None] = dict.fromkeys(line.run_id for line in lines)
        for line in lines:
            if line.status is not RunStatus.RUNNING:
                with suppress(PortFailure):
                    records[line.run_id] = await self.memory.recall(line.run_id)
        return records

    async def start(self, request: ResearchRequest, order: str = "") -> str:
        """Start a run by the settings of this process, and return its id.

        Args:
            order: as of `create_run_id`: of two at once that are the same, one run is started.
        """
        run_id = create_run_id(request.topic, order)
        await self.begin(run_id, route_request(request, self.settings), order)
        return run_id

    async def follow_up(
        self, run_id: str, *, everything: bool, order: str = ""
    ) -> tuple[follow_ups.TakenUp, Scope]:
        """Start a follow-up of a run, worked on as that one was; see `find_scope`."""
        request, scope = await follow_ups.follow_up_request(
            self.runs, self.settings, run_id, everything=everything
        )
        taken = await follow_ups.prepare_follow_up(self.runs, self.settings, run_id, request, order)
        await self.begin(taken.run_id, taken.request, order)
        return taken, scope

    async def ask_on(self, run_id: str, question: str, *, searches: bool) -> str:
        """Put one more question to what a run has kept, and return the id of its run."""
        taken = await follow_ups.prepare_question(
            self.runs, self.settings, run_id, question, searches=searches
        )
        await self.begin(taken.run_id, taken.request)
        return taken.run_id

    async def list_questions(self, run_id: str) -> list[tuple[RunLine, Report | None]]:
        """List what was asked on, with what came of it; None while nothing did."""
        try:
            lines = await self.runs.list_questions(run_id)
        except OutOfReach:
            return []
        reports = await asyncio.gather(*(self.reports.find_newest(line.run_id) for line in lines))
        return list(zip(lines, reports, strict=True))

    async def delete(self, run_id: str, patience_s: float = 2.0) -> bool:
        """Delete a run that has ended: its files, what no other run cites, and its history.

        Returns:
            Whether the server's list has lost it yet.
        """
        now = dt.datetime.now(dt.UTC)
        with suppress(NoSuchRun):
            if (await self.runs.fetch_line(run_id)).status is RunStatus.RUNNING:
                raise BadInput("This run goes on: cancel it first, then it can be deleted.")
        needed = await needs(self.connection.client, now)
        await asyncio.to_thread(prune, self.settings, now, needed, dry=False, only=run_id)
        return await self.runs.delete(run_id, patience_s)

    async def begin(self, run_id: str, request: ResearchRequest, order: str = "") -> None:
        try:
            await self.runs.start(run_id, request)
        except WorkflowAlreadyStartedError:
            if not order:
                raise

    @cached_property
    def memory(self) -> Memory:
        from caveat.workers.wiring import open_memory  # noqa: PLC0415  # loads every adapter

        return open_memory(self.settings)

    @cached_property
    def snapshots(self) -> Snapshots:
        return open_snapshots(self.settings)

    async def read_text(self, source: ReportedSource | None) -> str | None:
        """Return the text of a source as it was read; None where it was not, or is gone."""
        if source is None or source.snapshot_sha256 is None:
            return None
        try:
            return (await self.snapshots.open(source.snapshot_sha256)).text
        except PortFailure:
            return None
