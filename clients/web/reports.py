"""Reports as the page reads them: from the files of this machine first, else from the server."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TypeVar

from markupsafe import Markup

from caveat.adapters.files.artifacts import folder_name
from caveat.clients.lookup import standing
from caveat.clients.problems import NoResult, NoSuchRun, OutOfReach
from caveat.clients.requests import run_ids
from caveat.clients.runs import Runs
from caveat.clients.standings import Broken, RunLine, kept_report
from caveat.contracts.outcome import NamedEnd, Outcome, RunRecord
from caveat.contracts.report import Report, ReportStatus, Revision
from caveat.failures import PortFailure
from caveat.ports import Blobs
from caveat.rendering.html import Links, body
from caveat.rendering.links import run_path
from caveat.workers.blobs import blobs
from caveat.workers.settings import Settings

T = TypeVar("T")

_KEPT = 16
"""Reports that are kept in memory, of some megabytes at most: people read one at a time."""


@dataclass
class ReportCache:
    """Reports, as they are asked for again and again.

    Attributes:
        settings: where their files are.
        runs: where they are asked for that have none here.
    """

    settings: Settings
    runs: Runs
    _read: OrderedDict[str, tuple[str | None, Report]] = field(default_factory=OrderedDict)
    _set: OrderedDict[str, tuple[Report, Markup]] = field(default_factory=OrderedDict)

    async def newest(self, run_id: str) -> Report | None:
        """Return the newest report of a run, provisional or final; None where there is none.

        Raises:
            NoSuchRun: nobody knows the run.
        """
        stamp = await asyncio.to_thread(self._stamp, run_id)
        known = self._read.get(run_id)
        if known is not None and stamp is not None and known[0] == stamp:
            return known[1]
        report = await asyncio.to_thread(kept_report, self.settings, run_id)
        if report is None:
            report, stamp = await self._asked(run_id), None
        if report is not None:
            _put(self._read, run_id, (stamp, report))
        return report

    async def known(self, run_id: str) -> Report | None:
        """As `newest`; None too of a run that nobody knows."""
        try:
            return await self.newest(run_id)
        except NoSuchRun:
            return None

    async def required(self, run_id: str) -> Report:
        """As `newest`.

        Raises:
            NoResult: there is none; the sentence says why.
        """
        report = await self.newest(run_id)
        if report is None:
            raise NoResult(await self._absence(run_id))
        return report

    async def shown(self, run_id: str) -> tuple[Report, Markup]:
        """Return the newest report of a run, and the same as part of a page.

        Raises:
            NoResult: there is none; the sentence says why.
        """
        report = await self.required(run_id)
        known = self._set.get(run_id)
        if known is None or known[0] is not report:
            links = Links(run_path(run_id))
            known = (report, await asyncio.to_thread(body, report, {}, links))
            _put(self._set, run_id, known)
        return known

    async def revisions(self, report: Report) -> list[RunLine]:
        """List the runs that revise a report; none where the server does not say so at once."""
        beginning = run_ids(report.topic, self.runs.keys)
        try:
            return await self.runs.revisions(report.run_id, beginning)
        except OutOfReach:
            return []

    def keep_before(self, report: Report) -> None:
        """Keep a provisional report, to show beside it what rulings changed; the first stays."""
        if report.status is ReportStatus.PROVISIONAL:
            self._provisional.create(_name(report.run_id), report.model_dump_json().encode())

    async def changed(self, report: Report) -> Revision | None:
        """Say what people's rulings have changed since the provisional report of the same run."""
        if report.status is ReportStatus.PROVISIONAL:
            return None
        from caveat.rules.report import revision  # noqa: PLC0415  # loads every rule

        before = await asyncio.to_thread(self._kept_before, report.run_id)
        return revision(report.run_id, before, report) if before is not None else None

    def _kept_before(self, run_id: str) -> Report | None:
        try:
            return Report.model_validate_json(self._provisional.get(_name(run_id)))
        except (PortFailure, ValueError):
            return None

    @property
    def _provisional(self) -> Blobs:
        return blobs(self.settings, self.settings.provisional_folder)

    def _stamp(self, run_id: str) -> str | None:
        reports = blobs(self.settings, self.settings.reports_folder)
        return reports.version(f"{folder_name(run_id)}/report.json")

    async def _asked(self, run_id: str) -> Report | None:
        stands = await standing(self.runs, self.settings, run_id)
        if isinstance(stands, RunRecord):
            return None
        if stands.closed is None:
            return await self.runs.report(run_id)
        return stands.closed.report if isinstance(stands.closed, Outcome) else None

    async def _absence(self, run_id: str) -> str:
        stands = await standing(self.runs, self.settings, run_id)
        if isinstance(stands, RunRecord):
            return "The server has forgotten this run, and its report is not on this machine."
        if isinstance(stands.closed, NamedEnd | Broken):
            return f"This run has no report. {stands.closed.message}"
        return "This run has no report yet: its page shows where it is."


def _name(run_id: str) -> str:
    return f"{folder_name(run_id)}.json"


def _put(kept: OrderedDict[str, T], name: str, value: T) -> None:
    kept[name] = value
    kept.move_to_end(name)
    while len(kept) > _KEPT:
        kept.popitem(last=False)
